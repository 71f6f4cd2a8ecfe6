r"""A picture of one update on a sequence: $W_{new} = W_{old} + \eta\,(\Phi(x, y) - \Phi(x, z))$."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from novikoff.errors import DataError, ParameterError
from novikoff.plots.style import GREEN, GREY, VERMILLION, Axes, Display, ink, legend_below
from novikoff.proofs.sequence_trace import SequenceTrace
from novikoff.typing import Array

NEAR = 0.06
"""How far apart two paths are drawn where they are the same, in labels."""


@dataclass(kw_only=True, eq=False, repr=False)
class LatticeDisplay(Display):
    r"""One update on a sequence: the lattice of labels, with the right and the best wrong path.

    The lattice has a column for each step and a row for each label. The numbers in it are the
    scores $\langle w_c, x_t\rangle + b_c$ of label $c$ at step $t$ before the update. The numbers
    beside the two paths are the scores of their transitions. The update increases what only the
    right path uses, decreases what only the wrong path uses, and leaves the rest.

    Parameters
    ----------
    scores : ndarray of shape (n_steps, n_classes)
        The scores before the update.
    transitions : ndarray of shape (n_classes, n_classes)
        The weights of transitions before the update.
    right, rival : ndarrays of int
        The indices of the right labels, and of the best wrong ones. With a beam, the latter may be
        shorter.
    labels : sequence of str
        The names of the labels.
    steps : sequence of str
        The names of the steps.
    k : int
        The number of the update.

    Examples
    --------
    >>> from novikoff import SequencePerceptron
    >>> from novikoff.plots import LatticeDisplay
    >>> X, y = [[{"word": "dogs"}, {"word": "bark"}]], [["NOUN", "VERB"]]
    >>> trace = SequencePerceptron(record=True).fit(X, y).trace_
    >>> LatticeDisplay.from_trace(trace, 1, steps=["dogs", "bark"]).ax_.get_title()
    'Update 1: the right labels score 0, NOUN NOUN 0'
    """

    SIZE = (6.8, 4.2)

    scores: Array
    transitions: Array
    right: Array
    rival: Array
    labels: Sequence[str]
    steps: Sequence[str]
    k: int

    @classmethod
    def from_trace(
        cls,
        trace: SequenceTrace,
        k: int,
        *,
        steps: Sequence[object] | None = None,
        ax: Axes = None,
    ) -> Self:
        """Draw update `k` of a run.

        Parameters
        ----------
        trace : SequenceTrace
            With its data.
        k : int
            From 1, the first update, to the last.
        steps : sequence of str, optional
            The names of the steps, such as the words of a sentence.
        ax : matplotlib axes, optional

        Returns
        -------
        LatticeDisplay
        """
        if not 1 <= k <= len(trace):
            told = f"{{k=}} was given, but updates are numbered 1 to {len(trace)}."
            raise ParameterError(told, k=k)
        data, i, w = trace.data, int(trace.example[k - 1]), trace.weights(k - 1)
        low, high = int(data.starts[i]), int(data.starts[i + 1])
        if steps is None:
            steps = [f"step {t}" for t in range(high - low)]
        if len(steps) != high - low:
            raise DataError(
                f"The sequence of update {k} has {high - low} steps, but {len(steps)} names were "
                "given: give one for each."
            )
        width, classes = data.rows.shape[1], trace.classes_
        scores = np.asarray(data.rows[low:high] @ w[:, :width].T + w[:, width])
        return cls(
            scores=scores,
            transitions=w[:, width + 1 :].T,
            right=data.labels[low:high],
            rival=np.searchsorted(classes, trace.rivals[k - 1]),
            labels=[str(label) for label in classes.tolist()],
            steps=[str(step) for step in steps],
            k=k,
        ).plot(ax)

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        n, K = self.scores.shape
        for t in range(n):
            for c in range(K):
                for before in range(K if t else 0):
                    ax.plot([t - 1, t], [before, c], color=GREY, linewidth=0.5, alpha=0.35)
        gains, loses = r"right labels: $+\eta$", r"best others: $-\eta$"
        self._path(ax, self.right, self.rival, GREEN, "-", NEAR, gains)
        self._path(ax, self.rival, self.right, VERMILLION, "--", -NEAR, loses)
        box = {"boxstyle": "round,pad=0.25", "facecolor": ax.get_facecolor(), "edgecolor": GREY}
        for t in range(n):
            for c in range(K):
                own = {True: {"edgecolor": ink(), "linewidth": 1.4}, False: {}}[c == self.right[t]]
                text = f"{self.scores[t, c]:.3g}"
                ax.text(t, c, text, ha="center", va="center", bbox=box | own, zorder=4)
        ax.set(xlim=(-0.5, n - 0.5), ylim=(K - 0.5, -0.5))
        ax.set_xticks(range(n), self.steps)
        ax.set_yticks(range(K), self.labels)
        ax.tick_params(length=0)
        for side in ax.spines.values():
            side.set_visible(False)
        m = len(self.rival)
        scores = (self._score(path[:m]) for path in (self.right, self.rival))
        told = " ".join(self.labels[c] for c in self.rival)
        right, rival = (f"{score:.4g}" for score in scores)
        ax.set_title(f"Update {self.k}: the right labels score {right}, {told} {rival}")
        legend_below(ax)

    def _path(
        self,
        ax: Axes,
        path: Array,
        other: Array,
        colour: str,
        style: str,
        aside: float,
        name: str,
    ) -> None:
        """A path, drawn strongly where it is not the other's too, up to where the shorter ends."""
        m = len(self.rival)
        also: dict[str, Any] = {"color": colour, "linestyle": style, "zorder": 3}
        ax.plot([], [], linewidth=2.5, label=name, **also)
        for t, (q, c) in enumerate(pairwise(path[:m].tolist()), 1):
            shared = q == other[t - 1] and c == other[t]
            width, alpha = (1.2, 0.5) if shared else (2.5, 1.0)
            ax.plot([t - 1, t], [q + aside, c + aside], linewidth=width, alpha=alpha, **also)
            if not shared or path is self.right:
                ax.annotate(
                    f"{self.transitions[q, c]:.3g}",
                    (t - 0.5, (q + c) / 2 + aside),
                    xytext=(0, -9 if aside < 0 else 9),
                    textcoords="offset points",
                    color=GREY if shared else colour,
                    fontsize="small",
                    ha="center",
                    va="center",
                )
        for t, c in enumerate(path[:m].tolist()):
            if c != other[t]:
                ax.plot(t, c, "o", color=colour, markersize=26, alpha=0.35, zorder=2)

    def _score(self, path: Array) -> float:
        """What labels score, up to the end of the violation."""
        own = self.scores[np.arange(len(path)), path].sum()
        return float(own + self.transitions[path[:-1], path[1:]].sum())
