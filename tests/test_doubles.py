"""Every kind of input is exact, or refused: a proof is about the numbers that were given."""

from datetime import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pytest
from scipy import sparse

from novikoff import (
    DataError,
    MaxMargin,
    Perceptron,
    Romma,
    Winnow,
    separability,
)


def of_objects(make):
    """An array of Python objects."""
    return lambda rows: np.array([[make(x) for x in row] for row in rows], object)


def of_columns(make):
    return lambda rows: make({"a": [row[0] for row in rows], "b": [row[1] for row in rows]})


FORMS = {
    "lists": list,
    "tuples": lambda rows: tuple(map(tuple, rows)),
    "lists with floats": lambda rows: [[row[0], 0.5] for row in rows],
    "int64": np.array,
    "uint64": lambda rows: np.array(rows, np.uint64),
    "longdouble": lambda rows: np.array(rows).astype(np.longdouble),
    "CSR": lambda rows: sparse.csr_array(np.array(rows)),
    "CSC": lambda rows: sparse.csc_array(np.array(rows)),
    "COO": lambda rows: sparse.coo_array(np.array(rows)),
    "ints": of_objects(int),
    "NumPy's ints": of_objects(np.int64),
    "Fractions": of_objects(Fraction),
    "Decimals": of_objects(Decimal),
    "pandas": of_columns(pd.DataFrame),
    "pandas, objects": lambda rows: pd.DataFrame(np.array(rows, object)),
    "pandas, nullable": lambda rows: pd.DataFrame(rows).astype("Int64"),
    "pandas, categories": lambda rows: pd.DataFrame(rows).astype("category"),
    "pandas, and a float": lambda rows: of_columns(pd.DataFrame)(rows).assign(c=0.5),
    "polars": of_columns(pl.DataFrame),
    "polars, and a float": lambda rows: of_columns(pl.DataFrame)(rows).with_columns(c=0.5),
    "polars, Decimals": lambda rows: of_columns(pl.DataFrame)(rows).cast(pl.Decimal(38, 2)),
    "Arrow": of_columns(pyarrow.table),
    "an Arrow batch": of_columns(pyarrow.record_batch),
}


@pytest.mark.parametrize("form", FORMS)
def test_whole_numbers_that_no_double_holds_are_refused(form):
    """2**53 and 2**53 + 1 are one double: nothing would separate what is apart."""
    X = FORMS[form]([[2**53, 1], [2**53 + 1, 1]])
    for use in (separability, Perceptron().fit, Perceptron().partial_fit, MaxMargin().fit):
        with pytest.raises(DataError, match="9007199254740993.*rounded"):
            use(X, [0, 1])
    X = FORMS[form]([[2**53, 1], [2**53 + 2**20, 1]])  # both are doubles
    assert separability(X, [0, 1]).verdict == "separable"
    assert Perceptron(max_iter=1).partial_fit(X, [0, 1]).n_features_in_ >= 2


@pytest.mark.parametrize("value", [Fraction(1, 3), Decimal("0.1"), np.longdouble(1) / 3, 10**400])
def test_so_is_whatever_else_no_double_holds(value):
    for X in ([[value], [0]], np.array([[value], [0]])):
        with pytest.raises(DataError, match="which no double holds"):
            separability(X, [0, 1])


@pytest.mark.parametrize(
    "form", [list, lambda X: np.array(X, object), lambda X: np.array(X)[:, :1], pd.DataFrame]
)
def test_text_is_refused(form):
    X = form([["right", 1.0], ["left", 2.0]])
    for use in (separability, Perceptron().fit, MaxMargin().fit):
        with pytest.raises(DataError, match="has the text '(right|left)', but features are num"):
            use(X, [0, 1])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pyarrow.table])
def test_a_column_that_cannot_be_learned_from_is_named(make):
    for column in (["right", "left"], [datetime(2020, 1, 1), datetime(2020, 1, 2)], [2**53 + 1, 0]):
        X = make({"size": [1.0, 2.0], "side": column})
        for use in (separability, Perceptron().fit):
            with pytest.raises(DataError, match="column 'side' has "):
                use(X, [0, 1])


def test_a_frame_that_is_not_computed_is_refused():
    with pytest.raises(DataError, match=r"X is a LazyFrame, which .*: pass X\.collect\(\)"):
        Perceptron().fit(pl.LazyFrame({"a": [1.0, 2.0]}), [0, 1])


@pytest.mark.parametrize("form", [np.asarray, lambda X: pd.DataFrame(X, columns=["day"])])
def test_dates_are_refused(form):
    X = form(np.array([["2020-01-01"], ["2020-01-02"]], "datetime64[ns]"))
    for use in (separability, Perceptron().fit):
        with pytest.raises(DataError, match="the date or time .*days since the first date"):
            use(X, [0, 1])


def repeated(values, dtype):
    """One row that has all the values in its first column, and another that has 1."""
    values = np.array([*values, 1], dtype)
    indices = np.zeros(len(values), np.int32)
    return sparse.csr_array((values, indices, [0, len(values) - 1, len(values)]), shape=(2, 2))


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.uint8, np.float32, np.float64, np.int64])
@pytest.mark.parametrize("form", ["csr", "coo"])
def test_repeated_entries_are_added_up_exactly(dtype, form):
    X = repeated([100, 100, 60], dtype)  # past the range of int8 and uint8
    X = X if form == "csr" else sparse.coo_array((X.data, ([0, 0, 0, 1], X.indices)), X.shape)
    assert separability(X, [1, 0]) == separability([[260, 0], [1, 0]], [1, 0])
    options = {"shuffle": False, "fit_intercept": False, "max_iter": 1}
    model = Perceptron(**options).partial_fit(X, [1, 0])
    dense = np.array([[260, 0], [1, 0]], np.float32 if dtype == np.float32 else np.float64)
    assert (model.coef_ == Perceptron(**options).partial_fit(dense, [1, 0]).coef_).all()


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_or_refused(dtype):
    X = repeated([2**53, 1], dtype)
    for use in (separability, Perceptron().fit):
        with pytest.raises(DataError, match="repeated entries, whose sum, about 9.0.*no double"):
            use(X, [1, 0])
    X = repeated([0.1, 0.2], np.float64)
    with pytest.raises(DataError, match="repeated entries"):
        separability(X, [1, 0])
    assert Perceptron(max_iter=1).partial_fit(X, [1, 0]).n_features_in_ == 2


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_column_with_a_gap_is_named(make):
    X = make({"size": [1.0, 0.0], "side": [1.0, float("nan")]})
    for use in (separability, Perceptron().fit, Winnow().fit, MaxMargin().fit, Romma().fit):
        with pytest.raises(DataError, match="NaN, first in row 1, column 'side'"):
            use(X, [1, 0])
    X = make({"size": [1.0, 0.0], "side": [1.0, 3.0]})
    with pytest.raises(DataError, match="3.0 in row 1, column 'side'"):
        Winnow().fit(X, [1, 0])
