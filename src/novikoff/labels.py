"""Two labels of any kind, and the signs -1 and +1 that the algorithms know them by."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from novikoff.errors import DataError

Signs = npt.NDArray[np.int8]


def as_labels(y: Any) -> npt.NDArray[Any]:
    """`y` as a one-dimensional array without missing values."""
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biu":
        return y
    if y is None:
        raise DataError(
            "This learner requires y to be passed, but the target y is None: "
            "give one label per row of X."
        )
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "f" and np.isinf(y).any():
        raise DataError(
            f"Input y contains infinity or a value too large for {y.dtype!r}, first in row "
            f"{int(np.isinf(y).argmax())}: labels must be finite."
        )
    if y.dtype.kind in "fO":
        floats = y.dtype.kind == "f"
        missing = np.isnan(y) if floats else np.array([_is_missing(v) for v in y], bool)
        if missing.any():
            raise DataError(
                f"Input y contains NaN or a missing label, first in row {int(missing.argmax())}: "
                "every example needs a label; drop the rows that have none."
            )
    return y if y.dtype.kind != "O" else _unboxed(y)


def _unboxed(y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Python objects of one kind as an array of that kind."""
    kinds = {type(v).__name__ for v in y}
    if len(kinds) > 1:
        raise DataError(
            f"y mixes labels of several kinds ({', '.join(sorted(kinds))}), which cannot be "
            "ordered: make them all numbers or all strings."
        )
    return np.asarray(y.tolist())


def _is_missing(v: Any) -> bool:
    try:
        return v is None or bool(v != v)
    except TypeError:  # pandas.NA neither equals nor differs
        return True


def two_classes(y: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Signs]:
    """The two labels in `y`, sorted, and for each example -1 (the first) or +1."""
    if y.dtype.kind in "biuf" and len(y):
        low, high = y.min(), y.max()
        positive = y == high
        whole = y.dtype.kind != "f" or (low == np.floor(low) and high == np.floor(high))
        if low != high and whole and (positive | (y == low)).all():
            return np.array([low, high], y.dtype), as_signs(positive)
    check_classification_targets(y)
    classes = np.unique(y)
    if len(classes) == 1:
        raise DataError(
            f"y has one class only, {classes[0]!r}: a classifier needs examples of two classes."
        )
    if len(classes) > 2:
        shown = ", ".join(repr(c) for c in classes[:5]) + (", ..." if len(classes) > 5 else "")
        raise DataError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"y has {len(classes)} classes ({shown}). Choose two of them, or wrap the learner in "
            "sklearn.multiclass.OneVsRestClassifier."
        )
    return classes, as_signs(y == classes[1])


def known_classes(classes: Any) -> npt.NDArray[Any]:
    """The two classes a stream will have, sorted, from the argument `classes`."""
    unique, _ = two_classes(as_labels(np.asarray(classes)))
    return unique


def signs(y: npt.NDArray[Any], classes: npt.NDArray[Any]) -> Signs:
    """-1 where `y` is the first of two classes, +1 where it is the second."""
    positive = y == classes[1]
    known = positive | (y == classes[0])
    if not known.all():
        i = int(np.asarray(known).argmin())
        raise DataError(
            f"y has a label that is none of the classes, first in row {i}: {y[i]!r} is neither "
            f"{classes[0]!r} nor {classes[1]!r}. All labels must be known from the first call: "
            "start again with fit, or with partial_fit(..., classes=[...])."
        )
    return as_signs(positive)


def as_signs(positive: npt.NDArray[np.bool_]) -> Signs:
    """True and False as +1 and -1."""
    s = positive.astype(np.int8)
    s += s
    s -= 1
    return s


def signs_of(y: Any) -> Signs:
    """The signs of labels in any two-class form; -1 and +1 stand for themselves.

    So that a single example has a margin and a loss too, `y` may lack one of the classes
    if its labels are -1 and +1.
    """
    y = as_labels(y)
    if y.dtype.kind in "if" and len(y) and (abs(y) == 1).all():
        own: Signs = y.astype(np.int8)
        return own
    return two_classes(y)[1]
