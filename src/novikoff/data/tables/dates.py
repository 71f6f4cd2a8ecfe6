"""Dates as numbers: the days since 1970, with the time of day as their fraction."""

from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute as pc

from novikoff.data.tables.numerals import BLANKS, SPACES
from novikoff.typing import Array

ISO = "ISO 8601"
DAYS = "%Y/%m/%d", "%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%d/%m/%Y", "%d-%m-%Y"
TIMES = "", " %H:%M", " %H:%M:%S"
FORMS = tuple(day + time for day in DAYS for time in TIMES)
"""The ways dates are written that are found out, in their order, beside ISO 8601."""
MICROSECONDS = 86_400e6
"""In a day."""


def days_of(column: Any, form: str = "stored") -> Array:
    """Days since 1970: NaN for a blank, infinity for what is no date.

    `form` says how texts write dates; columns of dates are "stored".
    """
    if form != "stored" and not pyarrow.types.is_temporal(column.type):
        texts = pc.utf8_trim(column.cast(pyarrow.string()), SPACES)
        blank = pc.fill_null(pc.is_in(texts, value_set=pyarrow.array(sorted(BLANKS))), True)
        stamps = stamps_of(texts, form)
        days = days_of(stamps)
        days[np.isnan(days)] = np.inf
        days[blank.to_numpy(zero_copy_only=False)] = np.nan
        return days
    stamps = column.cast(pyarrow.timestamp("us"), safe=False)
    whole = stamps.cast(pyarrow.int64()).to_numpy(zero_copy_only=False)
    return np.asarray(whole, np.float64) / MICROSECONDS


def stamps_of(texts: Any, form: str) -> Any:
    """Texts as points of time; null for what is none."""
    if form != ISO:
        return pc.strptime(texts, format=form, unit="us", error_is_null=True)
    stamp = pyarrow.timestamp("us")
    for kind in (stamp, pyarrow.timestamp("us", "UTC")):
        try:
            return texts.cast(kind).cast(stamp)
        except pyarrow.ArrowInvalid:
            continue
    return pyarrow.array([iso(text) for text in texts.to_pylist()], stamp)


def iso(text: str | None) -> Any:
    """One text as a point of time, or None."""
    for kind in (pyarrow.timestamp("us"), pyarrow.timestamp("us", "UTC")):
        try:
            return pyarrow.scalar(text).cast(kind).cast(pyarrow.timestamp("us")).as_py()
        except pyarrow.ArrowInvalid:
            continue
    return None
