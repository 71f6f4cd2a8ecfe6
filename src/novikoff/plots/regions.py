"""Where a model of many classes, or of a kernel, predicts which class."""

from typing import Any

import numpy as np

from novikoff.errors import DataError, ParameterError
from novikoff.inputs.labels import codes, known_by
from novikoff.plots.style import CLASSES, Axes, ink
from novikoff.typing import Array

TINY = 1e-9
"""By how much, of the largest, the predicted one of equal scores leads."""


def class_numbers(y: Array, classes: Array) -> Array:
    """The signs of two classes, the numbers of more."""
    known = np.isin(y, classes)
    if len(classes) > 2 and not known.all():
        i = int(known.argmin())
        raise DataError(
            f"y has a label that is none of the model's {len(classes)} classes, first in row {i}: "
            f"{y[i : i + 1].tolist()[0]!r}. Draw examples of the classes that it has learned."
        )
    return known_by(codes(y, classes), classes)


def require_drawable(estimator: Any, n_features: int) -> None:
    """Raise an error if there is no such picture of a model."""
    classes, kind = estimator.classes_.tolist(), type(estimator).__name__
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
    if n_features > 2 and (len(classes) > 2 or not is_plane(estimator)):
        why = f"{len(classes)} classes" if len(classes) > 2 else "a kernel machine"
        raise ParameterError(
            f"X has {n_features} features, but the regions of {why} are drawn in the "
            "plane of two: choose two features and fit it to those, or two classes and a linear "
            "learner, whose boundary has a projection."
        )


def is_plane(estimator: Any) -> bool:
    """Has the model weights for the features, so that its boundary is a hyperplane?"""
    return getattr(estimator, "coef_", None) is not None


def scores(estimator: Any, rows: Array) -> Array:
    """The score of two classes; by how much each of more leads all others, a row for each.

    Exactly one class leads at each point: the one that `predict` gives.
    """
    given: Any = rows
    if hasattr(estimator, "feature_names_in_"):
        import pandas as pd

        given = pd.DataFrame(rows, columns=estimator.feature_names_in_)
    found = np.asarray(estimator.decision_function(given), np.float64)
    if len(estimator.classes_) == 2:
        return found
    lead = np.empty(found.T.shape)
    for k in range(len(lead)):
        lead[k] = found[:, k] - np.delete(found, k, axis=1).max(axis=1)
    own = estimator.predict(given) == estimator.classes_[:, None]
    least = TINY * max(float(abs(lead).max()), TINY)
    return np.where(own, np.maximum(lead, least), np.minimum(lead, -least))


def draw_regions(ax: Axes, x: Array, y: Array, lead: Array) -> Array | None:
    """A light area for each class, and the lines between them, of which the points come back."""
    top, lines = 2 * float(abs(lead).max()), []
    for s, (colour, _) in zip(lead, CLASSES, strict=False):
        if s.max() > 0:
            ax.contourf(x, y, s, levels=[0.0, top], colors=[colour], alpha=0.22, zorder=0)
        if s.min() < 0 < s.max():
            drawn = ax.contour(x, y, s, levels=[0.0], colors=[ink()], linewidths=1.2, zorder=2)
            lines += drawn.allsegs[0]
    return np.vstack(lines) if lines else None
