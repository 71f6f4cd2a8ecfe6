"""Four boundaries on one data set: standard, averaged, voted, widest (figure of note 004)."""

from dataclasses import dataclass
from math import inf
from typing import Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike

from novikoff.certificates.geometry import as_examples
from novikoff.inputs.labels import as_labels, two_classes
from novikoff.learners import AveragedPerceptron, Perceptron, VotedPerceptron
from novikoff.max_margin.estimator import MaxMargin
from novikoff.plots import style
from novikoff.plots.style import BLUE, GREEN, GREY, PURPLE, VERMILLION, Axes, PlaneDisplay
from novikoff.typing import Array, MatrixLike

BOUNDARIES = {
    "standard": ("AB", BLUE, "-"),
    "max-margin": ("CD", VERMILLION, "-"),
    "averaged": ("EF", GREEN, "--"),
    "voted": ("GH", PURPLE, "-."),
}
"""What the ends of each boundary are called, and how it is drawn."""
PERCEPTRONS = {
    "standard": Perceptron,
    "averaged": AveragedPerceptron,
    "voted": VotedPerceptron,
}


@dataclass(kw_only=True, eq=False, repr=False)
class ComparisonDisplay(PlaneDisplay):
    """The boundaries of the standard, averaged and voted perceptrons, and the widest margin.

    They are labelled AB, EF, GH and CD, as four separators in lecture note 004 are. If the data is
    separable, AB and CD separate it. An average and a vote need not, and may still predict better.
    The band is the margin of CD; with ``C=inf`` no example is inside it.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2)
        The examples.
    signs : ndarray of shape (n_samples,)
        Their labels, -1 or +1.
    grid : tuple of two ndarrays
        The coordinates of points that fill the picture.
    scores : dict of ndarrays
        For each boundary, by name, the score at those points. For "max-margin", in units of the
        margin.
    classes : sequence of two
        The names of the classes.
    names : sequence of two str, optional
        The names of the features.

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

    scores: dict[str, Array]

    @classmethod
    def from_data(
        cls,
        X: MatrixLike,
        y: ArrayLike,
        *,
        C: float = inf,
        max_iter: int = 1000,
        random_state: int | RandomState | None = None,
        ax: Axes = None,
    ) -> Self:
        """Fit all four to data with two features, and draw their boundaries.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, 2)
        y : array of shape (n_samples,)
        C : float, default=inf
            As for `MaxMargin`. Give a finite value for data that is not separable.
        max_iter : int, default=1000
            The largest number of epochs of each perceptron.
        random_state : int, RandomState or None, default=None
            The seed, or random number generator, for the orders.
        ax : matplotlib axes, or a sequence of four, optional
            One for all boundaries, or one for each. None: a new figure.

        Returns
        -------
        ComparisonDisplay
        """
        names = getattr(X, "columns", None)
        points = style.two_features(as_examples(X), "The comparison")
        classes, signs = two_classes(as_labels(y))
        widest = MaxMargin(C).fit(points, signs)  # where there is none, no run would end either
        x, x2, rows = style.grid_around(points)
        scores = {"max-margin": widest.decision_function(rows).reshape(x.shape)}
        for name, kind in PERCEPTRONS.items():
            model = kind(max_iter=max_iter, random_state=random_state).fit(points, signs)
            scores[name] = model.decision_function(rows).reshape(x.shape)
        scores = {name: scores[name] for name in BOUNDARIES}
        display = cls(
            points=points, signs=signs, grid=(x, x2), scores=scores, classes=classes, names=names
        )
        return display.plot(ax)

    def _draw(self, axes: list[Axes]) -> None:
        drawn: list[list[tuple[Array, Array]]] = [[] for _ in axes]
        for place, name in enumerate(self.scores):
            place = place if len(axes) > 1 else 0
            drawn[place] += self._boundary(axes[place], name)
        for one, lines in zip(axes, drawn, strict=False):
            self._examples(one)
            taken = [self.points, *(letters for letters, _ in lines)]
            style.legend_beside(one, np.vstack(taken), [line for _, line in lines])

    def _boundary(self, ax: Axes, name: str) -> list[tuple[Array, Array]]:
        """A boundary, if it crosses the picture: where its letters are, and its points."""
        ends, colour, dashes = BOUNDARIES[name]
        x, y = self.grid
        s = self.scores[name]
        if name == "max-margin":
            ax.contourf(x, y, s, levels=[-1, 1], colors=[GREY], alpha=0.2, zorder=0)
        label = f"{ends}: {name}"
        ax.plot([], [], color=colour, linestyle=dashes, linewidth=2, label=label)
        lines = style.draw_line(ax, x, y, s, colour, 2, dashes)
        if not lines:
            return []
        line = max(lines, key=len)
        # each a little further in than the one before, so that lines which meet keep their names
        inward = len(line) * (0.04 + 0.05 * list(BOUNDARIES).index(name))
        around = {"boxstyle": "circle,pad=0.12", "linewidth": 1.2}
        around |= {"edgecolor": colour, "facecolor": ax.get_facecolor()}
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
