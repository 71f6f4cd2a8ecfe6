"""Standard, averaged, voted and widest boundaries on one data set (the figure of note 004)."""

from dataclasses import dataclass
from math import inf
from typing import Any, Self

import numpy as np

from novikoff.inputs.labels import as_labels, two_classes
from novikoff.learners import AveragedPerceptron, Perceptron, VotedPerceptron
from novikoff.max_margin.estimator import MaxMargin
from novikoff.plots.style import (
    BLUE,
    GREEN,
    GREY,
    PURPLE,
    VERMILLION,
    Axes,
    Display,
    Names,
    draw_examples,
    frame_around,
    grid_in,
    legend_beside,
    name_features,
    two_features,
)
from novikoff.separation.geometry import as_examples
from novikoff.typing import Array, Matrix

BOUNDARIES = {
    "standard": ("AB", BLUE, "-"),
    "max-margin": ("CD", VERMILLION, "-"),
    "averaged": ("EF", GREEN, "--"),
    "voted": ("GH", PURPLE, "-."),
}
"""What the ends of each boundary are called, and how it is drawn."""


@dataclass(kw_only=True, eq=False, repr=False)
class ComparisonDisplay(Display):
    """The boundaries of the standard, averaged and voted perceptron and the widest one.

    Note 004 calls them AB, EF, GH and CD. On data that can be separated, the first and the last
    do; an average and a vote need not, and may predict the better. The band is that of the widest,
    CD, which no example is inside of.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2)
    signs : ndarray of shape (n_samples,)
        Labels, -1 or +1.
    grid : tuple of two ndarrays
        The coordinates of points that fill the picture.
    scores : dict of ndarrays
        By the name of the boundary, the score at those points; for "max-margin", in units of
        the margin.
    classes : sequence of two
    names : sequence of two str, optional
        What the features are called.

    Examples
    --------
    >>> from novikoff.plots import ComparisonDisplay
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> display = ComparisonDisplay.from_data(X, y, random_state=0)
    >>> list(display.scores)
    ['standard', 'max-margin', 'averaged', 'voted']

    References
    ----------
    Lecture note 004, figure 1.
    """

    SIZE = (6.8, 5.0)

    points: Array
    signs: Array
    grid: tuple[Array, Array]
    scores: dict[str, Array]
    classes: Names
    names: Names | None = None

    @classmethod
    def from_data(
        cls,
        X: Matrix,
        y: Any,
        *,
        C: float = inf,
        max_iter: int = 1000,
        random_state: Any = None,
        ax: Axes = None,
    ) -> Self:
        """Fit all four to data of two features, and draw them.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, 2)
        y : array of shape (n_samples,)
        C : float, default=inf
            As for `MaxMargin`: finite for data that cannot be separated.
        max_iter : int, default=1000
            The most epochs of each perceptron.
        random_state : int, RandomState or None, default=None
            What the orders are drawn from.
        ax : matplotlib axes, or a sequence of four, optional
            One for all boundaries, or one for each.

        Returns
        -------
        ComparisonDisplay
        """
        names = getattr(X, "columns", None)
        points = two_features(as_examples(X), "The comparison")
        classes, y = two_classes(as_labels(y))
        widest = MaxMargin(C).fit(points, y)  # where there is none, no run would end either
        common = {"max_iter": max_iter, "random_state": random_state}
        models: dict[str, Any] = {
            "standard": Perceptron(**common).fit(points, y),
            "max-margin": widest,
            "averaged": AveragedPerceptron(**common).fit(points, y),
            "voted": VotedPerceptron(**common).fit(points, y),
        }
        x, x2, rows = grid_in(*frame_around(points))
        scores = {n: m.decision_function(rows).reshape(x.shape) for n, m in models.items()}
        display = cls(
            points=points, signs=y, grid=(x, x2), scores=scores, classes=classes, names=names
        )
        return display.plot(ax)

    def _draw(self, axes: list[Axes]) -> None:
        each = len(axes) > 1
        drawn: list[list[tuple[Array, Array]]] = [[] for _ in axes]
        for place, name in enumerate(self.scores):
            place = place if each else 0
            drawn[place] += self._boundary(axes[place], name)
        for one, lines in zip(axes, drawn, strict=False):
            x, y = self.grid
            draw_examples(one, self.points, self.signs, self.classes)
            name_features(one, self.names)
            one.set(xlim=(x.min(), x.max()), ylim=(y.min(), y.max()))
            letters, line = map(np.vstack, zip((x[:0, :2], x[:0, :2]), *lines, strict=True))
            legend_beside(one, np.vstack([self.points, letters]), line)

    def _boundary(self, ax: Axes, name: str) -> list[tuple[Array, Array]]:
        """A boundary, if it crosses the picture: where its letters are, and its points."""
        ends, colour, style = BOUNDARIES[name]
        x, y = self.grid
        s = self.scores[name]
        if name == "max-margin":
            ax.contourf(x, y, s, levels=[-1, 1], colors=[GREY], alpha=0.2, zorder=0)
        label = f"{ends}: {name}"
        ax.plot([], [], color=colour, linestyle=style, linewidth=2, label=label)
        if not s.min() < 0 < s.max():
            return []
        lines = ax.contour(
            x, y, s, levels=[0.0], colors=[colour], linestyles=style, linewidths=2, zorder=2
        )
        line = max(lines.allsegs[0], key=len)
        # each a little further in than the one before, so that lines which meet keep their names
        inward = len(line) * (0.04 + 0.05 * list(BOUNDARIES).index(name))
        around: dict[str, Any] = {
            "boxstyle": "circle,pad=0.12",
            "edgecolor": colour,
            "linewidth": 1.2,
        }
        around["facecolor"] = ax.get_facecolor()
        places = (int(inward), -1 - int(inward))
        for letter, place in zip(ends, places, strict=True):
            ax.text(
                *line[place],
                letter,
                color=colour,
                fontsize="small",
                fontweight="bold",
                ha="center",
                va="center",
                bbox=around,
                zorder=5,
            )
        return [(line[list(places)], line)]
