"""Every number that comes in is a double, or refused: what is proved is proved of what was given.

Numbers in text are another matter: they are read as the nearest doubles, as everywhere.
"""

from collections.abc import Iterator, Sequence
from datetime import date, time, timedelta
from math import inf, isnan
from typing import Any

import numpy as np
from scipy import sparse

from novikoff.errors import DataError
from novikoff.typing import Array, Matrix

EXACT = 2**53
"""All whole numbers up to this are doubles."""

NO_NUMBERS = (str, bytes, date, time, timedelta, np.datetime64, np.timedelta64)
DOUBLES = frozenset((float, bool, np.float64, np.float32, np.float16, np.bool_))


def require_exact(X: Matrix) -> None:
    """Raise an error for text, for dates, and for numbers that no double holds.

    Whatever is proved would be of other numbers than were given.
    """
    if hasattr(X, "collect") and not hasattr(X, "shape"):
        raise DataError(
            f"X is a {type(X).__name__}, which is not computed yet: pass X.collect() instead."
        )
    for where, values in _parts(X):
        kind = values.dtype.kind
        value = values.flat[0] if kind in "mMUS" and values.size else None
        if kind == "O":
            value = next((v for v in values.flat if isinstance(v, NO_NUMBERS)), None)
        if isinstance(value, str | bytes):
            raise DataError(
                f"{where} has the text {str(value)!r}, but features are numbers: encode categories "
                "(sklearn.preprocessing.OneHotEncoder), or convert numbers (X.astype(float))."
            )
        if value is not None:
            raise DataError(
                f"{where} has the date or time {value}, but features are numbers: convert it to "
                "one, such as the number of days since the first date."
            )
        value = rounded(values)
        if value is not None:
            raise DataError(
                f"{where} has {value!s}, which no double holds, and would be rounded to "
                f"{_float(value):.17g}: leave out identifiers, or subtract what they have in "
                "common. If the nearest doubles are meant, pass those (X.astype(float))."
            )


def _parts(X: Matrix) -> Iterator[tuple[str, Array]]:
    """The values of `X` before they become one type: of each column, and where they are."""
    if sparse.issparse(X):
        yield "X", X.data if X.format in ("csr", "csc") else X.tocsr().data
    elif isinstance(X, np.ndarray):
        yield "X", X
    elif isinstance(X, list | tuple):
        if not _plainly_doubles(X):
            rows = [x for x in X if isinstance(x, list | tuple | np.ndarray)]
            for row in rows:
                yield from _parts(row)
            if len(rows) < len(X):
                alone = [x for x in X if not isinstance(x, list | tuple | np.ndarray)]
                yield "X", np.fromiter(alone, object, len(alone))
    elif hasattr(X, "iloc"):  # pandas
        for j, name in enumerate(X.columns):
            yield f"column {name!r}", X.iloc[:, j].to_numpy()
    elif hasattr(X, "columns"):  # polars, Arrow
        columns = X.get_columns() if hasattr(X, "get_columns") else X.columns
        for name, column in zip(names_of(X), columns, strict=True):
            yield f"column {name!r}", column.to_numpy()
    elif hasattr(X, "dtype"):
        yield "X", np.asarray(X)


def names_of(X: Matrix) -> Any:
    """What the columns of a frame are called; None if it is none."""
    return getattr(X, "column_names", getattr(X, "columns", None))


def rounded(values: Array) -> Any:
    """The first of the values that no double holds, or None."""
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind == "f" and size > 8:
        with np.errstate(over="ignore"):
            near = values.astype(np.float64)
        wrong = values[(near != values) & ~np.isnan(values)]
        return wrong[0] if len(wrong) else None
    if kind in "iu" and size == 8 and values.size:
        if -EXACT <= values.min() <= values.max() <= EXACT:
            return None
        values = values[(values > EXACT) | (values < -EXACT)]
    elif kind != "O" or _plainly_doubles(values.ravel().tolist()):
        return None
    for value in values.flat:
        value = value.item() if isinstance(value, np.integer) else value
        if hasattr(value, "__float__") and not (isnan(_float(value)) or value == _float(value)):
            return value
    return None


def _plainly_doubles(values: Sequence[Any]) -> bool:
    """Are these floats, or whole numbers that are not large? A quick check for most data."""
    kinds = set(map(type, values))
    if kinds <= DOUBLES:
        return True
    return kinds <= {int, *DOUBLES} and bool(-EXACT <= min(values) <= max(values) <= EXACT)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf
