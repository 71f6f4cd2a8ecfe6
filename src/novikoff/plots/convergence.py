"""A picture of the progress of a run: mistakes, their bound, and the bounds on the margin."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from novikoff.errors import NotSeparable
from novikoff.learners.additive import Additive
from novikoff.plots.style import BLUE, GREY, VERMILLION, Axes, Display, legend
from novikoff.proofs.proof import as_in_run, counted, least_margin
from novikoff.proofs.trace import Trace
from novikoff.typing import Array

POINTS = 150
"""At how many updates, at the most, the bracket is measured."""


@dataclass(kw_only=True, eq=False, repr=False)
class ProgressDisplay(Display):
    r"""The progress of a run: mistakes per epoch, total mistakes and their bound, and the margin.

    The third picture shows the bracket: bounds on the margin $\gamma^\star$ in the space of the
    run. The upper end after $k$ updates is $\|w_k\| / k$ (Novikoff's proof, read backwards); the
    lower end is the margin of the hyperplane $w_k$ if it separates the data. Both are the best so
    far. If more than two classes are learned jointly, it is the margin of Kesler's construction.
    There is no bracket and no bound for runs with one binary classifier per class, and for learners
    that are not perceptrons.

    Parameters
    ----------
    mistakes_per_epoch : ndarray
        The number of mistakes in each epoch.
    times : ndarray
        The time of each update, in epochs.
    mistakes : ndarray
        The number of mistakes, or updates, so far.
    bound : float
        The bound on that number; infinite if it is not known.
    bracket : tuple of three ndarrays, or None
        The number of mistakes, and the lower and the upper bound by then.
    margin : float, optional
        The margin itself, if it is known.
    counts : {"mistakes", "updates"}, default="mistakes"
        What is counted: updates if the learner has a `margin` above 0.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.plots import ProgressDisplay
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> trace = Perceptron(shuffle=False, record=True).fit(X, y).trace_
    >>> [ax.get_ylabel() for ax in ProgressDisplay.from_trace(trace).axes_]
    ['mistakes in the epoch', 'mistakes so far', 'margin $\\gamma$']
    """

    SIZE = (11, 3.4)
    PARTS = 3

    mistakes_per_epoch: Array
    times: Array
    mistakes: Array
    bound: float
    bracket: tuple[Array, Array, Array] | None
    margin: float | None = None
    counts: str = "mistakes"

    @classmethod
    def from_trace(cls, trace: Trace, *, ax: Axes = None) -> Self:
        """Draw the progress of a run.

        Parameters
        ----------
        trace : Trace
            With its data.
        ax : matplotlib axes, or a sequence of three, optional
            A single one is divided into three. None: a new figure.

        Returns
        -------
        ProgressDisplay
        """
        n, bound, bracket, margin = len(trace.data[1]), np.inf, None, None
        if isinstance(trace._learner, Additive) and not trace._apart:
            bracket = brackets(trace)
            try:
                proof = trace.proof()
                bound, margin = proof.bound, proof.margin
            except NotSeparable:
                pass  # then there is no bound to draw
        display = cls(
            mistakes_per_epoch=trace.mistakes_per_epoch,
            times=trace.epoch + trace.position / n,
            mistakes=counted(trace),
            bound=bound,
            bracket=bracket,
            margin=margin,
            counts="updates" if trace._space.get("margin") else "mistakes",
        )
        return display.plot(ax)

    def _draw(self, axes: list[Axes]) -> None:
        self._per_epoch(axes[0])
        self._so_far(axes[1])
        self._margin(axes[2])

    def _per_epoch(self, ax: Axes) -> None:
        epochs = 1 + np.arange(len(self.mistakes_per_epoch))
        if len(epochs) <= 60:
            ax.bar(epochs, self.mistakes_per_epoch, color=BLUE, width=0.7)
        else:
            ax.step(epochs, self.mistakes_per_epoch, color=BLUE, where="mid")
        ax.set(xlabel="epoch", ylabel="mistakes in the epoch", ylim=(0, None))
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.yaxis.get_major_locator().set_params(integer=True)

    def _so_far(self, ax: Axes) -> None:
        end = float(len(self.mistakes_per_epoch))
        times, so_far = np.append(0.0, self.times), np.append(0, self.mistakes)
        times, so_far = np.append(times, end), np.append(so_far, so_far[-1])
        ax.step(times, so_far, where="post", color=BLUE, label="$k$", linewidth=1.8)
        if np.isfinite(self.bound):
            name = rf"at most {self.bound:,.0f}"
            ax.axhline(self.bound, color=VERMILLION, linestyle="--", label=name)
            if self.bound > 12 * max(so_far[-1], 1):
                ax.set_yscale("log")
            legend(ax, loc="best")
        ax.set(xlabel="epochs", ylabel=f"{self.counts} so far", xlim=(0, end))

    def _margin(self, ax: Axes) -> None:
        ax.set(xlabel=f"{self.counts} $k$", ylabel=r"margin $\gamma$")
        if self.bracket is None:
            ax.text(0.5, 0.5, "no margin bracket", ha="center", transform=ax.transAxes)
            return
        k, lower, upper = self.bracket
        few = {"marker": "o", "markersize": 3.5} if len(k) <= 40 else {}
        ax.plot(k, upper, color=VERMILLION, label=r"no more: $\|w_k\|/k$", **few)
        if self.margin is not None:
            ax.axhline(self.margin, color=GREY, linestyle=":", label=r"$\gamma^\star$")
        self._height(ax, lower, upper)
        if lower.any() or ax.get_yscale() == "linear":  # 0 has no place on the other scale
            ax.plot(k, lower, color=BLUE, label="no less: margin of $w_k$", **few)
        if len(k) and lower[-1] > 0:  # a run may find its first separator at its end
            ax.plot(k[-1:], lower[-1:], "o", color=BLUE, markersize=5)
        ax.fill_between(k, lower, upper, color=GREY, alpha=0.2, linewidth=0)
        if len(k) and k[-1] > 30:
            ax.set_xscale("log")
        else:
            ax.xaxis.get_major_locator().set_params(integer=True)
        legend(ax, loc="upper right")

    def _height(self, ax: Axes, lower: Array, upper: Array) -> None:
        """From 0 up; where the upper end fell far, on a logarithmic scale."""
        top, fell = float(np.max(upper, initial=1e-12)), float(np.min(upper, initial=np.inf))
        if not 0 < fell < top / 8:
            ax.set_ylim(0, 1.05 * top)
            return
        known = np.append(lower[lower > 0], [fell / 4, self.margin or fell])
        ax.set_yscale("log", nonpositive="clip")
        ax.set_ylim(0.6 * float(known.min()), 1.5 * top)


def brackets(trace: Trace, points: int = POINTS) -> tuple[Array, Array, Array]:
    """Both ends of the margin bracket, the best by then, at some of the updates."""
    y, Z, n = trace.data[1], as_in_run(trace), len(trace)
    ks = 1 + np.arange(n)
    if n > points:
        ks = np.unique(np.rint(np.geomspace(1, n, points)).astype(int))
    lower, upper = np.zeros(len(ks)), np.zeros(len(ks))
    total = np.cumsum(abs(trace.step))
    for j, w in enumerate(trace._replayed(ks)):
        own = _private(trace, ks[j])
        moved, w = (np.concatenate([v, own], -1) for v in (w - trace.start, w))
        upper[j] = np.linalg.norm(moved) / total[ks[j] - 1]
        length = np.linalg.norm(w)
        lower[j] = least_margin(Z, y, w) / length if length else 0.0
    best = np.maximum.accumulate(np.maximum(lower, 0.0))
    return counted(trace)[ks - 1], best, np.minimum.accumulate(upper)


def _private(trace: Trace, k: int) -> Array:
    """The private coordinates after `k` updates, if there are any; of many classes a row each."""
    slack, n = float(trace._space["slack"]), len(trace.data[1])
    own, example, step = np.zeros((*trace.start.shape[:-1], n)), trace.example[:k], trace.step[:k]
    if not slack:
        return own[..., :0]
    if trace.gained is None or trace.lost is None:
        np.add.at(own, example, step)
    else:
        np.add.at(own, (trace.gained[:k], example), step)
        np.subtract.at(own, (trace.lost[:k], example), step)
    return own * slack
