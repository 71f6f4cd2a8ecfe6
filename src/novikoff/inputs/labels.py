"""Labels of any kind, and what the algorithms know them by.

Two classes are the signs -1 and +1; more are numbers from 0 on, in the order of their labels.
"""

from numbers import Number
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from novikoff.errors import BadRow, DataError, ParameterError
from novikoff.typing import Array

Signs = npt.NDArray[np.int8]

SPREAD = 1 << 16
"""Whole numbers that lie no further apart are counted."""
WHOLE = 2.0**53


def as_labels(y: Any, name: str = "y") -> Array:
    """`y` as a one-dimensional array of numbers or strings, without missing values."""
    if isinstance(y, list):
        kinds = {type(v) for v in y}
        plain = kinds <= {int, bool} or (kinds == {str} and "\0" not in "".join(y))
        y = np.asarray(y) if plain else np.array(y, object)
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biuU":
        return y
    if y is None:
        raise DataError(
            "This learner requires y to be passed, but the target y is None: "
            "give one label per row of X."
        )
    if isinstance(y, np.ma.MaskedArray) and np.ma.getmaskarray(y).any():
        raise _missing_label(name, np.ma.getmaskarray(y))
    shape = getattr(y, "shape", ())
    if len(shape) > 1 and shape[1:] != (1,):
        raise DataError(
            f"{name} has shape {shape}, but there is one label for each row: give one column."
        )
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "f" and np.isinf(y).any():
        raise BadRow(
            f"Input {name} contains infinity or a value too large for {y.dtype!r}, first in "
            "{row}: labels must be finite.",
            int(np.isinf(y).argmax()),
        )
    if y.dtype.kind == "f" and np.isnan(y).any():
        raise _missing_label(name, np.isnan(y))
    if y.dtype.kind in "mM" and np.isnat(y).any():
        raise _missing_label(name, np.isnat(y))
    return _unboxed(y, name) if y.dtype.kind in "OT" else y


def _missing_label(name: str, missing: npt.NDArray[np.bool_]) -> DataError:
    return BadRow(
        f"Input {name} contains NaN or a missing label, first in {{row}}: every example needs a "
        "label; drop the rows that have none.",
        int(missing.argmax()),
    )


def _is_missing(v: Any) -> bool:
    try:
        return v is None or bool(v != v)
    except TypeError:  # pandas.NA neither equals nor differs
        return True


def _unboxed(y: Array, name: str) -> Array:
    """Python objects that are all numbers, or all strings, as an array of those."""
    missing = np.array([_is_missing(v) for v in y], bool)
    if missing.any():
        raise _missing_label(name, missing)
    if all(isinstance(v, str) for v in y):
        cut = next((i for i, v in enumerate(y) if v.endswith("\0")), None)
        if cut is not None:
            raise BadRow(
                f"The label {str(y[cut])!r} in {{row}} of {name} ends with NUL, which NumPy cuts "
                "off, so that it would be taken for another: give it another name.",
                cut,
            )
        return np.array([str(v) for v in y])
    if all(isinstance(v, Number | np.number | np.bool_) for v in y):
        return np.array(y.tolist())
    kinds = sorted({type(v).__name__ for v in y})
    raise DataError(
        f"{name} has labels of the kind {', '.join(kinds)}: make them all numbers or all strings."
    )


def as_written(label: Any) -> str:
    """A label as it stands in files: 1 and not 1.0."""
    value = label.item() if hasattr(label, "item") else label
    whole = isinstance(value, float) and abs(value) < WHOLE and value == int(value)
    return str(int(value)) if whole else str(value)


def as_label(word: str, kind: np.dtype[Any]) -> Any:
    """The label that a word stands for, among labels of that type."""
    if kind.kind not in "biuf":
        return word
    names = {"false": 0.0, "true": 1.0} if kind.kind == "b" else {}
    try:
        value = names[word.lower()] if word.lower() in names else float(word)
    except ValueError:
        raise ParameterError(f"The label {word} was named, but labels here are numbers.") from None
    return kind.type(value).item()


def two_classes(y: Array, name: str = "y") -> tuple[Array, Signs]:
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
            f"{name} has one class only, {_shown(classes)}: a classifier needs two classes."
        )
    if len(classes) > 2:
        raise DataError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"{name} has {len(classes)} classes ({_shown(classes)}). Choose two of them.",
            hint="(Or wrap the learner in sklearn.multiclass.OneVsRestClassifier.)",
        )
    return classes, as_signs(y == classes[1])


def numbered(y: Array) -> tuple[Array, Array]:
    """The labels in `y`, sorted, and for each example the number of its own."""
    if y.dtype.kind in "iu" and len(y):
        low, high = y.min(), y.max()
        second = y == high
        if low != high and np.count_nonzero(second) + np.count_nonzero(y == low) == len(y):
            return np.array([low, high], y.dtype), second.astype(np.int32)
        if int(high) - int(low) < SPREAD:
            return _counted(y)
    check_classification_targets(y)
    classes = np.unique(y)
    if len(classes) <= 2:
        return numbered_two(y)
    return classes, codes(y, classes)


def numbered_two(y: Array) -> tuple[Array, Array]:
    """The same of labels that must be two."""
    classes, signs = two_classes(y)
    return classes, (signs > 0).astype(np.int32)


def known_by(numbers: Array, classes: Array) -> Array:
    """The signs of two classes, the numbers of more."""
    return as_signs(numbers > 0) if len(classes) == 2 else numbers


def _counted(y: Array) -> tuple[Array, Array]:
    """The same for whole numbers that lie together: counting them is quicker than sorting."""
    low = y.min()
    wide = y.astype(np.int64) if y.dtype.kind == "i" else y  # 100 is too far from -100 for int8
    places = (wide - wide.dtype.type(low)).astype(np.intp)
    found = np.flatnonzero(np.bincount(places))
    if len(found) <= 2:
        return numbered_two(y)
    numbers = np.zeros(found[-1] + 1, np.int32)
    numbers[found] = np.arange(len(found))
    return (found + int(low)).astype(y.dtype), numbers[places]


def codes(y: Array, classes: Array) -> Array:
    """The numbers of classes; all labels are among `classes`, or it is an error."""
    if len(classes) == 2:
        return _are_second(y, classes).astype(np.int32)
    numbers: Array = np.searchsorted(classes, y).astype(np.int32)
    return numbers


def _shown(classes: Array) -> str:
    more = ", ..." if len(classes) > 5 else ""
    return ", ".join(repr(c) for c in classes[:5].tolist()) + more


def known_classes(classes: Any) -> Array:
    """The two classes a stream will have, sorted, from the argument `classes`."""
    classes = list(classes) if not isinstance(classes, np.ndarray) else classes
    return two_classes(as_labels(classes, "classes"), "classes")[0]


def first_classes(labels: Any) -> Array:
    """The classes that a stream begins with, sorted; there may be one only."""
    y = as_labels(list(labels) if not isinstance(labels, np.ndarray) else labels, "classes")
    check_classification_targets(np.repeat(y, 2))  # once each, many would seem to be measurements
    return np.unique(y)


def growing_classes(
    y: Array, given: Any, known: Array | None
) -> tuple[Array, npt.NDArray[np.bool_]]:
    """The classes of a stream, of which `y` is a block, and which of them are new in it.

    A list that is given is complete: `y` has no other labels. Without one, a label that was
    never seen before is a new class.
    """
    if known is not None and given is None and _all_among(y, known):
        return known, np.zeros(len(known), np.bool_)
    told = None if given is None else first_classes(given)
    same = told is not None and known is not None and np.array_equal(told, known)
    if told is not None and same and _all_among(y, told):
        return told, np.zeros(len(told), np.bool_)
    check_classification_targets(y)
    seen = np.unique(y)
    if told is not None:
        missing = [c for c in (() if known is None else known.tolist()) if c not in told.tolist()]
        if missing:
            raise DataError(
                f"{{classes=}} lacks {missing[0]!r}, one of the classes of the earlier calls, "
                f"{known.tolist() if known is not None else []}: leave it out, or start anew with "
                "fit.",
                classes=list(given),
            )
        strange = seen[~np.isin(seen, told)]
        if len(strange):
            raise BadRow(
                "y has a label that is none of the classes, first in {row}: "
                f"{strange[0].item()!r} is not among {_shown(told)}. Add it to {{classes}}, or "
                "leave {classes} out: then new labels are new classes.",
                int((y == strange[0]).argmax()),
                classes=given,
            )
        return told, np.zeros(len(told), np.bool_)
    if known is None:
        return seen, np.zeros(len(seen), np.bool_)
    if (seen.dtype.kind in "US" and known.dtype.kind not in "US") or (
        known.dtype.kind in "US" and seen.dtype.kind not in "US"
    ):
        raise DataError(
            f"y has labels like {seen[0].item()!r}, but the classes of the earlier calls are "
            f"{_shown(known)}: give labels of one kind."
        )
    classes = np.union1d(known, seen)
    return classes, ~np.isin(classes, known)


def _all_among(y: Array, classes: Array) -> bool:
    """Is every label one of the classes, which are sorted? Quickly: it is asked of every block."""
    if len(y) == 1:
        return bool((y == classes).any())
    if len(classes) <= 2:
        return bool(np.logical_or.reduce([is_label(y, c) for c in classes]).all())
    places = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    return bool((classes[places] == y).all())


def is_label(y: Array, label: Any) -> npt.NDArray[np.bool_]:
    """Which labels are this one? Texts are compared letter by letter, all at once."""
    if y.dtype.kind != "U" or not isinstance(label, str) or not y.dtype.isnative:
        same: npt.NDArray[np.bool_] = y == label
        return same
    if len(label) > y.dtype.itemsize // 4:
        return np.zeros(len(y), np.bool_)
    letters = np.ascontiguousarray(y).view(np.uint32).reshape(len(y), y.itemsize // 4)
    own = np.array([label], y.dtype).view(np.uint32)
    same = np.ones(len(y), np.bool_)
    for j, letter in enumerate(own):
        same &= letters[:, j] == letter
    return same


def classes_of_stream(y: Array, given: Any, known: Array | None) -> Array:
    """The two classes of a stream, of which `y` is a block: as known, given, or seen there."""
    if known is not None:
        if (
            given is not None
            and not np.array_equal(given, known)
            and not np.array_equal(known_classes(given), known)
        ):
            raise DataError(
                "{classes=} differs from the classes of the earlier calls, "
                f"{known.tolist()}: leave it out, or start anew with fit.",
                classes=list(given),
            )
        return known
    if given is not None:
        return known_classes(given)
    if len(y) and (y == y[0]).all():
        raise DataError(
            "The first block of the stream holds one class only, so the other is not known: name "
            "both by {classes}.",
            hint="(In the first call of partial_fit, pass classes=[first, second].)",
            classes=None,
        )
    return two_classes(y)[0]


def signs(y: Array, classes: Array) -> Signs:
    """-1 where `y` is the first of two classes, +1 where it is the second."""
    return as_signs(_are_second(y, classes))


def _are_second(y: Array, classes: Array) -> npt.NDArray[np.bool_]:
    """Is each label the second of two classes, and not the first?"""
    positive = is_label(y, classes[1])
    known = positive | is_label(y, classes[0])
    if not known.all():
        i = int(np.asarray(known).argmin())
        unknown = y[i : i + 1].tolist()[0]
        raise BadRow(
            f"y has a label that is none of the classes, first in {{row}}: {unknown!r} is neither "
            f"of {_shown(classes)}. All labels must be known from the first call: start again, "
            "and name them by {classes}.",
            i,
            classes=None,
        )
    return positive


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
