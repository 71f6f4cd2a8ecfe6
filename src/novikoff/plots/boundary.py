r"""A picture of the decision boundary, its margin band, and the mistakes."""

from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.linalg import LinearOperator, svds
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from novikoff.certificates.geometry import as_examples
from novikoff.certificates.hyperplane import margin
from novikoff.description import space_of
from novikoff.errors import ParameterError
from novikoff.inputs.arrays import as_seen, dense, names_in
from novikoff.inputs.labels import as_labels
from novikoff.learners import VotedPerceptron
from novikoff.learners.base import MistakeDriven
from novikoff.learners.kernels.machine import DualLearner
from novikoff.max_margin.estimator import MaxMargin
from novikoff.plots.style import (
    CLASSES,
    GREY,
    LARGE,
    SMALL,
    Axes,
    PlaneDisplay,
    draw_line,
    grid_around,
    ink,
    legend_beside,
)
from novikoff.proofs.trace import as_known
from novikoff.typing import Array, Matrix, MatrixLike

Model: TypeAlias = MistakeDriven | DualLearner | MaxMargin
"""A fitted learner, kernel machine or `MaxMargin`."""

TINY = 1e-9
"""By how much, of the largest, the predicted one of equal scores leads."""
SCORE = r"$\langle w, x\rangle + b = 0$"


@dataclass(kw_only=True, eq=False, repr=False)
class BoundaryDisplay(PlaneDisplay):
    r"""The decision boundary of a model, with its margin band, the data, and the mistakes.

    Examples with more updates (`dual_coef_`) are drawn larger; for `MaxMargin`, the examples on the
    margin, and for kernel learners, those in the support. The band reaches to the nearest example:
    half its width is the geometric margin $\gamma$. There is no band if the boundary does not
    separate the data.

    Data with more than two features is projected onto $w$, so that the boundary is a line and
    distances from it are true, and onto the first principal direction of the rest.

    For three to eight classes, the picture shows the region where each class is predicted. For a
    kernel learner, it shows the curve between two classes. Both need data with two features.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2)
        The examples, in the plane of the picture.
    signs : ndarray of shape (n_samples,)
        Their labels, -1 or +1; with more than two classes, their indices.
    grid : tuple of three ndarrays
        Two coordinates, and the score at points that fill the picture. With more than two classes,
        the third array has a first axis for the classes, and the lead of each over all others.
    half_width : float or None
        How far the band reaches on each side, in units of the score. None for no band.
    updates : ndarray of shape (n_samples,) or None
        The number of updates on each example.
    classes, names : sequences
        The names of the classes, and of the two axes.
    line : str
        The name of the boundary in the legend.
    large : str
        What large examples mean, in the legend: "mistaken" adds how often; other texts stand as
        they are.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.plots import BoundaryDisplay
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]
    >>> model = Perceptron(random_state=0).fit(X, y)
    >>> display = BoundaryDisplay.from_estimator(model, X, y)
    >>> display.ax_.get_xlabel(), [t.get_text() for t in display.ax_.get_legend().get_texts()][:2]
    ('$x_1$', ['no', 'yes'])
    """

    SIZE = (6.4, 4.8)

    half_width: float | None
    updates: Array | None
    line: str = SCORE
    large: str = "mistaken"

    @classmethod
    def from_estimator(
        cls, estimator: Model, X: MatrixLike, y: ArrayLike, *, ax: Axes = None
    ) -> Self:
        """Draw the boundary of a fitted model on its data.

        Parameters
        ----------
        estimator : any learner of novikoff, or MaxMargin
            Fitted.
        X : array or sparse matrix of shape (n_samples, n_features)
            Two features; linear learners of two classes may have more.
        y : array of shape (n_samples,)
        ax : matplotlib axes, optional
            The axes to draw on. None: a new figure.

        Returns
        -------
        BoundaryDisplay
        """
        check_is_fitted(estimator)
        X, y = as_examples(X), as_labels(y)
        check_consistent_length(X, y)
        require_drawable(estimator, X.shape[1])
        signs = as_known(y, estimator.classes_, "Draw examples of the classes that it has learned.")
        if X.shape[1] == 2:
            points, names = dense(X), names_in(estimator)
            grid, width = _in_plane(estimator, points, signs)
        else:
            last = " of the last hyperplane" if isinstance(estimator, VotedPerceptron) else ""
            names = (
                rf"$(\langle w, x\rangle + b)\,/\,\|w\|${last}: distance from the boundary",
                "first principal direction of the rest",
            )
            w, b = _hyperplane(estimator)
            Z = as_seen(X, space_of(estimator))
            points, width = projected(Z, w, b), _reach(estimator, Z, signs, w, b)
            x, x2, rows = grid_around(np.vstack([points, [0.0, points[0, 1]]]))
            grid = x, x2, rows[:, 0].reshape(x.shape)
        updates, large = _how_often(estimator, len(signs))
        display = cls(
            points=points,
            signs=signs,
            grid=grid,
            half_width=width,
            updates=updates,
            classes=estimator.classes_,
            names=names,
            line=_name_of_line(estimator, X.shape[1]),
            large=large,
        )
        return display.plot(ax)

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        line = self._regions(ax) if self.grid[2].ndim > 2 else self._sides(ax)
        self._examples(ax, self.updates)
        self._legend(ax, line)

    def _regions(self, ax: Axes) -> list[Array]:
        """A light area for each class, and the lines between: their points come back."""
        x, y, lead = self.grid
        top, lines = 2 * float(abs(lead).max()), []
        for s, (colour, _) in zip(lead, CLASSES, strict=False):
            if s.max() > 0:
                ax.contourf(x, y, s, levels=[0.0, top], colors=[colour], alpha=0.22, zorder=0)
            lines += draw_line(ax, x, y, s, ink(), 1.2)
        return lines

    def _sides(self, ax: Axes) -> list[Array]:
        """The two sides, the band and the line between: its points come back."""
        x, y, s = self.grid
        top = max(1.0, float(abs(s).max()))
        sides = [colour for colour, _ in CLASSES[:2]]
        ax.contourf(x, y, s, levels=[-2 * top, 0.0, 2 * top], colors=sides, alpha=0.13, zorder=0)
        if self.half_width is not None:
            band = [-self.half_width, self.half_width]
            ax.contourf(x, y, s, levels=band, colors=[GREY], alpha=0.22, zorder=1)
            ax.contour(x, y, s, levels=band, colors=[GREY], linestyles="--", linewidths=1, zorder=2)
        return draw_line(ax, x, y, s, ink(), 1.8)

    def _legend(self, ax: Axes, line: list[Array]) -> None:
        ax.plot([], [], color=ink(), linewidth=1.8, label=self.line)
        if self.half_width is not None:
            ax.fill_between([], [], [], color=GREY, alpha=0.3, label=r"within the margin $\gamma$")
        if self.updates is not None and self.updates.any():
            most = int(self.updates.max())
            often = f"{self.large} {most:,} time{'s' * (most != 1)}"
            edge = {"facecolor": "none", "edgecolor": ink(), "linewidth": 0.8}
            label = often if self.large == "mistaken" else self.large
            ax.scatter([], [], s=LARGE, label=label, **edge)
        for marker in legend_beside(ax, self.points, line).legend_handles[: len(self.classes)]:
            marker.set_sizes([SMALL])


def require_drawable(estimator: Model, n_features: int) -> None:
    """Raise an error if there is no such picture of a model on so many features."""
    classes, kind = estimator.classes_.tolist(), type(estimator).__name__
    if n_features < 2 or n_features != estimator.n_features_in_:
        raise ParameterError(
            f"X has {n_features} features and the model {estimator.n_features_in_}: the "
            "picture needs the same number, two or more."
        )
    if len(classes) < 2:
        raise ParameterError(
            f"The {kind} has one class only, {classes[0]!r}, and so no boundary: let it learn "
            "another."
        )
    if len(classes) > len(CLASSES):
        raise ParameterError(
            f"The {kind} has {len(classes)} classes, but there are colours for {len(CLASSES)}: "
            "fit it to some of them."
        )
    if n_features > 2 and (len(classes) > 2 or not _is_plane(estimator)):
        why = f"{len(classes)} classes" if len(classes) > 2 else "a kernel machine"
        raise ParameterError(
            f"X has {n_features} features, but the regions of {why} are drawn in the "
            "plane of two: choose two features and fit it to those, or two classes and a linear "
            "learner, whose boundary has a projection."
        )


def _is_plane(estimator: Model) -> bool:
    """Has the model weights for the features, so that its boundary is a hyperplane?"""
    return getattr(estimator, "coef_", None) is not None


def _in_plane(
    estimator: Model, points: Array, y: Array
) -> tuple[tuple[Array, Array, Array], float | None]:
    """The score over the plane of two features, and how far the band reaches."""
    x, x2, rows = grid_around(points)
    if not _is_linear(estimator):
        s = _scores(estimator, rows)
        return (x, x2, s.reshape(*s.shape[:-1], *x.shape)), None
    w, b = _hyperplane(estimator)
    reach = _reach(estimator, points, y, w, b)
    width = None if reach is None else reach * float(np.linalg.norm(w))
    return (x, x2, (rows @ w + b).reshape(x.shape)), width


def _scores(estimator: Model, rows: Array) -> Array:
    """The score of two classes; by how much each of more leads all others, a row for each.

    Exactly one class leads at each point: the one that `predict` gives.
    """
    given: MatrixLike = rows
    if names_in(estimator) is not None:
        import pandas as pd

        given = pd.DataFrame(rows, columns=names_in(estimator))
    found = np.asarray(estimator.decision_function(given), np.float64)
    if len(estimator.classes_) == 2:
        return found
    lead = np.empty(found.T.shape)
    for k in range(len(lead)):
        lead[k] = found[:, k] - np.delete(found, k, axis=1).max(axis=1)
    own = estimator.predict(given) == estimator.classes_[:, None]
    least = TINY * max(float(abs(lead).max()), TINY)
    return np.where(own, np.maximum(lead, least), np.minimum(lead, -least))


def _hyperplane(estimator: Model) -> tuple[Array, float]:
    """The weights and the bias of a model of two classes."""
    bias = getattr(estimator, "intercept_", np.zeros(1))  # Romma has none
    return estimator.coef_[0].astype(np.float64), float(np.ravel(bias)[0])


def _name_of_line(estimator: Model, n_features: int) -> str:
    """What the boundary is called."""
    if len(estimator.classes_) > 2:
        return "two classes are even"
    voted = isinstance(estimator, VotedPerceptron) and n_features == 2
    if voted or getattr(estimator, "predict_with", "") == "voted":
        return "the vote is even"
    return SCORE if _is_plane(estimator) else "the score is 0"


def _is_linear(estimator: Model) -> bool:
    if len(estimator.classes_) > 2 or isinstance(estimator, VotedPerceptron | DualLearner):
        return False
    space = space_of(estimator)
    curved = space.get("normalize") or space.get("clip") or space.get("binarize") is not None
    return not curved


def _reach(estimator: Model, X: Matrix, y: Array, w: Array, b: float) -> float | None:
    """The geometric margin; for a soft one, what the model makes it."""
    if not w.any():
        return None
    if isinstance(estimator, MaxMargin) and np.isfinite(estimator.C):
        return float(1 / np.linalg.norm(w))
    found = margin(X, y, w, b)
    return found if found > 0 else None


def _how_often(estimator: Model, n: int) -> tuple[Array | None, str]:
    """How often each example was a mistake, where that is known of these examples."""
    if isinstance(estimator, MaxMargin | DualLearner):
        supporting, found = np.zeros(n), getattr(estimator, "support_", np.zeros(0, np.int64))
        if len(found) and found.max() < n:
            supporting[found] = 1
        kernel = isinstance(estimator, DualLearner)
        return supporting, "in the support" if kernel else "supports the margin"
    updates = getattr(estimator, "dual_coef_", None)
    return (updates if updates is not None and len(updates) == n else None), "mistaken"


def projected(X: Matrix, w: Array, b: float) -> Array:
    """Signed distances from the hyperplane, and the first principal direction of the rest."""
    length = float(np.linalg.norm(w))
    if length == 0:
        raise ParameterError("The weights are all 0, so there is no boundary to draw.")
    unit = w / length
    along = np.asarray(X @ unit)
    mean = np.asarray(X.mean(axis=0)).ravel()
    mean = mean - (mean @ unit) * unit

    def rest(v: Array) -> Array:
        v = np.ravel(v)
        v = v - (v @ unit) * unit
        s: Array = np.asarray(X @ v) - mean @ v
        return s

    def back(s: Array) -> Array:
        v: Array = np.asarray(X.T @ np.ravel(s)).ravel() - np.sum(s) * mean
        return np.asarray(v - (v @ unit) * unit)

    across = np.zeros(len(along))
    operator = LinearOperator(X.shape, matvec=rest, rmatvec=back, dtype=np.float64)
    start = back(rest(np.cos(np.arange(X.shape[1]))))
    if start.any():  # else all examples lie on one line along w
        n, d = X.shape  # the iteration starts on the shorter side
        start = rest(start) if n < d else start
        v = svds(operator, k=1, v0=start, return_singular_vectors="vh")[2][0]
        v = v * np.sign(v[np.argmax(abs(v))])  # a direction has two names; take one
        across = rest(v)
    return np.column_stack([along + b / length, across])
