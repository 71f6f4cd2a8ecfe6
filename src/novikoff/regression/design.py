"""The design matrix, the outcomes and the factors of a model, from what users have."""

from typing import Any

import numpy as np
from scipy import sparse

from novikoff.certificates.geometry import as_examples
from novikoff.errors import DataError
from novikoff.regression.families import FAMILIES, Design
from novikoff.typing import Array


def labels_of(y: Any, *others: Any) -> Array:
    """What the observations are called: by an index of pandas, or their numbers."""
    for given in (y, *others):
        if hasattr(given, "index") and not callable(given.index):
            return np.asarray(given.index)
    return np.arange(np.shape(y)[0])


def factors_of(fixed_effects: Any) -> list[tuple[str, Array]]:
    """The factors by name, their levels numbered."""
    if hasattr(fixed_effects, "iloc") and hasattr(fixed_effects, "columns"):
        import pandas as pd

        columns = [(str(c), fixed_effects.iloc[:, j]) for j, c in enumerate(fixed_effects.columns)]
        coded = [(name, pd.factorize(column, sort=True)[0]) for name, column in columns]
    else:
        table = np.asarray(fixed_effects)
        table = table[:, None] if table.ndim == 1 else table
        coded = [(f"effect{j + 1}", levels_of(table[:, j])) for j in range(table.shape[1])]
        if table.dtype.kind == "f":
            coded = [
                (name, np.where(np.isnan(table[:, j]), -1, codes))
                for j, (name, codes) in enumerate(coded)
            ]
    for name, codes in coded:
        if (codes < 0).any():
            row = int(np.argmax(codes < 0))
            raise DataError(
                f"Factor {name!r} has a missing value in row {row}: fill it in, or drop the row."
            )
    return coded


def levels_of(column: Array) -> Array:
    """The levels of a factor, numbered in their order; whole numbers are not sorted for that."""
    if column.dtype.kind in "iu" and len(column):
        low, high = int(column.min()), int(column.max())
        if high - low < 4 * len(column):
            places = column.astype(np.int64) - low
            there = np.zeros(high - low + 1, np.int64)
            there[places] = 1
            numbers: Array = (np.cumsum(there) - 1)[places]
            return numbers
    return np.unique(column, return_inverse=True)[1]


def with_dummies(design: Design, factors: list[tuple[str, Array]]) -> Design:
    """The design with a column for every level of the factors, before all others."""
    parts, names = [], []
    for name, codes in factors:
        levels, numbers = np.unique(codes, return_inverse=True)
        entries = np.ones(len(codes)), (np.arange(len(codes)), numbers)
        parts.append(sparse.csr_array(entries, shape=(len(codes), len(levels))))
        names += [f"{name}[{level}]" for level in levels]
    parts.append(sparse.csr_array(design.X).astype(np.float64))
    X = as_examples(sparse.csr_array(sparse.hstack(parts)))
    return Design(X, [*names, *design.names], design.intercept)


def design_of(X: Any, intercept: bool) -> Design:
    """The design matrix, with names for its columns, all different."""
    design = columns_of(X, intercept)
    names = [*design.names, *["Intercept"] * intercept]
    if len({*names}) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        if twice == "Intercept" and names.count(twice) == 1 + intercept:
            raise DataError(
                "X has a column 'Intercept', and {fit_intercept=} adds another: choose False, or "
                "rename the column.",
                fit_intercept=True,
            )
        raise DataError(f"X has two columns named {twice!r}: rename one.")
    return design


def columns_of(X: Any, intercept: bool) -> Design:
    """The same, whatever their names."""
    if not hasattr(X, "columns") or not hasattr(X, "iloc"):
        if np.shape(X)[-1:] == (0,):
            return Design(np.asarray(X, np.float64), [], intercept)
        matrix = as_examples(X)
        return Design(matrix, [f"x{j + 1}" for j in range(matrix.shape[1])], intercept)
    import pandas as pd

    parts, names = [], []
    for j, name in enumerate(X.columns):
        column = X.iloc[:, j]
        if column.isna().any():
            raise DataError(f"Column {name!r} has missing values: fill them in, or drop the rows.")
        if pd.api.types.is_numeric_dtype(column):
            parts.append(column.to_numpy(dtype=np.float64)[:, None])
            names.append(str(name))
            continue
        if pd.api.types.is_datetime64_any_dtype(column):
            raise DataError(
                f"Column {name!r} has dates: convert them to numbers, or to categories "
                "(astype('category'))."
            )
        levels = pd.Categorical(column)
        used = [level for level in levels.categories if (levels == level).any()]
        for level in used[1 if intercept else 0 :]:
            parts.append(np.asarray(levels == level, np.float64)[:, None])
            names.append(f"{name}[{level}]")
    matrix = np.hstack(parts) if parts else np.zeros((len(X), 0))
    return Design(as_examples(matrix) if parts else matrix, names, intercept)


def has_constant(X: Any) -> bool:
    """Has the matrix a column that is constant, and not 0?"""
    first = X[[0]].toarray()[0] if sparse.issparse(X) else X[0]
    return any(value and (X[:, [j]] != value).sum() == 0 for j, value in enumerate(first))


def as_outcomes(y: Any, trials: Any, family: str) -> Any:
    """The outcomes: labels as they are, counts and shares as floats."""
    if family != "binomial" and trials is not None:
        raise DataError(
            f"trials were given, but family={family!r} does not use them: leave them out, or "
            'choose family="binomial".'
        )
    if FAMILIES[family].labels:
        return y
    try:
        numbers = np.asarray(y, np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"y has values that are not numbers, but family={family!r} needs numbers: give counts "
            'or shares, or choose family="binary" or "multinomial" for labels.'
        ) from None
    if family != "binomial":
        if numbers.ndim != 1:
            raise DataError(
                f"y has shape {numbers.shape}, but family={family!r} needs one outcome per row: "
                "give a one-dimensional array."
            )
        return numbers
    if numbers.ndim == 2 and numbers.shape[1] == 2 and trials is None:
        successes, total = numbers[:, 0], numbers.sum(axis=1)
    elif numbers.ndim == 1 and trials is not None:
        successes, total = numbers, np.asarray(trials, np.float64)
    elif numbers.ndim == 1:
        return numbers
    else:
        raise DataError(
            f"y has shape {numbers.shape}: give successes and failures in two columns, or "
            "successes in one and how many trials they are out of as trials=."
        )
    bad = ~((successes >= 0) & (successes <= total) & (total > 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise DataError(
            f"Row {row} has {successes[row]:g} successes out of {total[row]:g} trials: there must "
            "be at least one trial, and no more successes than trials. Drop rows without trials."
        )
    return np.where(successes == total, 1.0, np.where(successes == 0, 0.0, 0.5))


def some_of(y: Any, rows: Array) -> Any:
    """Some of the outcomes."""
    return y.iloc[rows] if hasattr(y, "iloc") else np.asarray(y)[rows]
