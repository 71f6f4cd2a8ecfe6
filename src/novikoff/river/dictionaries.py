"""What an example is here: a dictionary of finite numbers, and a label."""

from collections.abc import Hashable, Iterator
from decimal import Decimal
from itertools import compress
from math import inf
from numbers import Real
from typing import Any

import numpy as np

from novikoff.errors import DataError

Name = Hashable
Label = Hashable
Row = dict[Name, float]

NUMBERS = (float, int, Real, Decimal, np.bool_)


def sound(x: Row) -> Row:
    """A row in floats, without what is missing; anything but finite numbers is an error."""
    row = {}
    for name, value in x.items():
        if not isinstance(value, NUMBERS):
            if missing(value):
                continue
            raise DataError(
                f"The feature {name!r} is {value!r}, of the kind {type(value).__name__}, but "
                "features must be numbers: encode it (river.preprocessing.OneHotEncoder), or "
                "leave it out."
            )
        try:
            number = float(value)
        except OverflowError:
            number = inf
        if abs(number) == inf:
            raise DataError(
                f"The feature {name!r} is {value!r:.40}, but features must be finite: leave it out "
                "if it is unknown, or cut it off at a finite number."
            )
        if number == number:
            row[name] = number
    return row


def missing(value: object) -> bool:
    """Is it NaN, None, or pandas' NA or NaT? (Asked whether it differs from itself, NA says NA.)"""
    if isinstance(value, NUMBERS):
        return bool(value != value)
    unequal = value is None or value != value
    return unequal is True or unequal is value


def in_order(labels: list[Any]) -> list[Label]:
    """Labels sorted, of which the last is new."""
    if missing(labels[-1]):
        raise DataError(
            f"The label is {labels[-1]!r}, which is a missing one: every example needs a label; "
            "leave those out that have none."
        )
    try:
        return sorted(labels)
    except TypeError:
        kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
        raise DataError(
            f"There are labels of the kinds {kinds}, which have no order: make them all numbers or "
            "all strings."
        ) from None


def rows_of(X: Any) -> Iterator[Row]:
    """The rows of a frame as dictionaries, without what is missing."""
    names, there = list(X.columns), X.notna().to_numpy()
    whole = bool(there.all())
    for values, present in zip(X.to_numpy().tolist(), there, strict=True):
        pairs = zip(names, values, strict=True)
        yield dict(pairs if whole else compress(pairs, present))
