"""The columns of data frames and arrays, as Arrow has them."""

from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute as pc

from novikoff.data.tables.columns import PlannedColumn
from novikoff.data.tables.dates import days_of
from novikoff.data.tables.encode import Raw
from novikoff.data.tables.look import as_doubles, booleans_of, is_text
from novikoff.data.tables.numerals import ENGLISH, Numbers, numbers_of
from novikoff.errors import DataError


def columns_of(X: Any) -> tuple[list[str | int], list[Any], int]:
    """The names of columns, or their numbers without names; the columns; and how many rows."""
    if hasattr(X, "to_arrow"):  # polars
        X = X.to_arrow()
    if isinstance(X, pyarrow.RecordBatch):
        X = pyarrow.table(X)
    if isinstance(X, pyarrow.Table):
        return list(X.column_names), list(X.columns), X.num_rows
    if hasattr(X, "columns") and hasattr(X, "iloc"):  # pandas
        names = [name if isinstance(name, str) else str(name) for name in X.columns]
        return list(names), [of_series(X.iloc[:, j]) for j in range(X.shape[1])], len(X)
    table = np.asarray(X)
    if table.ndim != 2:
        raise DataError(
            f"An array of shape {table.shape} was given, but a table has rows and columns: give a "
            "data frame, or an array of two dimensions."
        )
    return (
        [*range(table.shape[1])],
        [of_series(table[:, j]) for j in range(table.shape[1])],
        len(table),
    )


def of_series(column: Any) -> Any:
    """One column; what is neither text nor numbers alone becomes text."""
    try:
        return pyarrow.array(column, from_pandas=True)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
        words = [None if v is None or v != v else str(v) for v in column]  # NaN
        return pyarrow.array(words, pyarrow.string())


def raw_of(column: Any, planned: PlannedColumn, written: Numbers = ENGLISH) -> Raw:
    """A column in the form in which a plan takes it."""
    if planned.kind == "ignored":
        return None
    assert column is not None  # a plan does without ignored columns only
    if planned.kind == "date":
        return days_of(column, planned.form if is_text(column.type) else "stored")
    if planned.kind == "boolean":
        return booleans_of(as_text(column)) if not is_number(column.type) else as_doubles(column)
    if planned.kind == "number":
        return numbers_of(column, written) if is_text(column.type) else as_doubles(column)
    return as_text(column)


def is_number(kind: pyarrow.DataType) -> bool:
    """Is it a type of numbers, or of booleans?"""
    types = pyarrow.types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))


def as_text(column: Any) -> Any:
    """A column as text; whole numbers without a point, whatever type they have."""
    if is_text(column.type):
        return column
    if pyarrow.types.is_floating(column.type):
        whole = pc.all(pc.equal(column, pc.floor(column))).as_py()
        column = pc.if_else(pc.is_nan(column), None, column)
        if whole is not False:
            column = column.cast(pyarrow.int64())
    return column.cast(pyarrow.string())
