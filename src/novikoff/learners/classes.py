"""Any number of labels, and the numbers 0, 1, 2, ... that kernel machines know them by."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets

from novikoff.errors import DataError
from novikoff.labels import as_labels

Array = npt.NDArray[Any]


def classes_of(y: Array) -> Array:
    """The labels in `y`, sorted; there must be two or more."""
    check_classification_targets(y)
    classes: Array = np.unique(y)
    if len(classes) < 2:
        raise DataError(
            f"y has one class only, {classes.tolist()[0]!r}: a classifier needs two or more."
        )
    return classes


def grown(known: Array | None, given: Any, y: Array) -> Array:
    """The classes of a stream: those known, those given, and those of its next block `y`."""
    check_classification_targets(y)
    found = np.unique(y)
    for more in (given, known):
        if more is None:
            continue
        labels = as_labels(more if isinstance(more, np.ndarray) else list(more), "classes")
        if (labels.dtype.kind == "U") != (found.dtype.kind == "U"):
            raise DataError(
                f"The classes are {labels.tolist()[:5]} in part, and {found.tolist()[:5]} in part: "
                "make all labels numbers, or all strings."
            )
        found = np.union1d(labels, found)
    if known is not None and len(known) == len(found):
        return known
    return found


def numbered(y: Array, classes: Array) -> Array:
    """The place of every label among the classes, all of which are known."""
    return np.searchsorted(classes, y)


def n_outputs(classes: Array) -> int:
    """How many weight vectors there are: one for two classes, or one for each of several."""
    return len(classes) if len(classes) > 2 else len(classes) - 1


def mixing(old: Array, new: Array) -> Array:
    """How the weight vectors of the old classes make those of the new ones.

    The one vector of two classes is for the second and against the first. New classes start at 0.
    """
    M = np.zeros((n_outputs(old), n_outputs(new)))
    if len(old) == 2 and len(new) > 2:
        M[0, numbered(old, new)] = [-1.0, 1.0]
    elif len(old) > 2:
        M[np.arange(len(old)), numbered(old, new)] = 1.0
    return M
