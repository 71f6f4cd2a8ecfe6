"""What the search for a separator reads off the data, in passes at the speed of memory."""

from math import hypot, inf, nextafter, sqrt
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_consistent_length,
)

from novikoff.core.jit import njit
from novikoff.core.rows import SUM, U, column, first, last, norm, value
from novikoff.errors import DataError
from novikoff.inputs.arrays import (
    DTYPES,
    in_bytes,
    in_canonical_order,
    in_csr,
    require_sound,
    weight_dtype,
)
from novikoff.inputs.doubles import names_of, require_exact
from novikoff.inputs.labels import as_labels, known_by, numbered
from novikoff.parallel.cores import row_by_row
from novikoff.typing import Array, Matrix

WIDE = 500
"""Past so many features, rows are never made dense by the thousands."""


def as_examples(X: Matrix) -> Any:
    """Examples as the loops read them; checked, and not copied if they fit."""
    names = names_of(X)
    X = in_rows(X)
    require_sound(X, names)
    return X


def in_rows(X: Matrix, least: int = 1) -> Any:
    """The same, with the values not looked at; there must be so many."""
    require_exact(X)
    X = check_array(
        in_csr(X) if sparse.issparse(X) else in_bytes(X),
        accept_sparse="csr",
        accept_large_sparse=True,
        dtype=DTYPES,
        order="C",
        ensure_all_finite=False,
        ensure_min_samples=least,
        estimator="separability",
    )
    return in_canonical_order(X, exact=True) if sparse.issparse(X) else X


def labelled(X: Matrix, y: Any, sample_weight: Any = None) -> tuple[Matrix, Array, int, Array]:
    """The examples that weigh something, and what they are known by.

    Signs or, of more than two classes, numbers; how many classes there are; and which examples of
    all these are.
    """
    X = as_examples(X)
    y = as_labels(y)
    check_consistent_length(X, y)
    kept = np.arange(len(y))
    if sample_weight is not None:
        kept = weighty(sample_weight, X)
        X, y = (X, y) if len(kept) == len(y) else (X[kept], y[kept])
    classes, numbers = numbered(y)
    return X, known_by(numbers, classes), len(classes), kept


def radius_of_run(longest: float, X: Matrix, bias: bool, *, many: bool = False) -> float:
    r"""No less than the radius of a run on rows of that length, rounding allowed for.

    For many classes it is that of Kesler's construction. Where a score may lose $\varepsilon$ below
    the range of floats, a mistake adds up to $R^2 + 2\varepsilon$ to the square of the weights.
    """
    d, lost = X.shape[1] + 12, float(np.finfo(weight_dtype(X)).smallest_subnormal)
    radius = hypot(longest, float(bias), sqrt(2 * d * lost)) * (sqrt(2) if many else 1.0)
    return nextafter(radius * (1 + 2.0**-52 * d), inf)


def weighty(sample_weight: Any, X: Matrix) -> Array:
    """Which examples have a weight above 0."""
    try:
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    except ValueError as error:
        told = f"Something is wrong with {{sample_weight}}: {error}"
        raise DataError(told, sample_weight=None) from error
    return np.flatnonzero(weight)


def used_columns(X: Matrix) -> Array:
    """The columns that some row has an entry in; one at the least."""
    if not sparse.issparse(X):
        found = np.flatnonzero(X.any(axis=0))
    elif X.shape[1] > X.nnz:
        found = np.unique(X.indices)
    else:
        seen = np.zeros(X.shape[1], bool)
        seen[X.indices] = True
        found = np.flatnonzero(seen)
    return found if len(found) else np.zeros(1, np.int64)


def without_empty_columns(X: Matrix) -> tuple[Matrix, Array | None]:
    """The rows in the columns that they use, and which those are; None for all of them."""
    used = used_columns(X)
    if len(used) == X.shape[1]:
        return X, None
    if not sparse.issparse(X):
        return np.ascontiguousarray(X[:, used]), used
    indices = np.searchsorted(used, X.indices).astype(np.int32)
    shape = (X.shape[0], len(used))
    return sparse.csr_array((X.data, indices, X.indptr), shape=shape), used


@njit(cache=True)
def column_peaks(X, n, peaks):
    """The largest size of a value in every column."""
    for i in range(n):
        for k in range(first(X, i), last(X, i)):
            j = column(X, k)
            peaks[j] = max(peaks[j], abs(np.float64(value(X, i, k))))


@njit(fastmath=SUM)
def scaled_score_and_square(v, c, X, i, top):
    r"""$\langle v, z\rangle$ and $\|z\|^2$ for $z = c \circ (x_i, 1) / \text{top}$."""
    z = c[-1] / top
    s, q = v[-1] * z, z * z
    for k in range(first(X, i), last(X, i)):
        j = column(X, k)
        z = np.float64(value(X, i, k)) * c[j] / top
        s += z * v[j]
        q += z * z
    return s, q


def cosines(v: Array, c: Array, X: Matrix, y: Array, out: Array) -> None:
    r"""$y_i\langle v, z\rangle / \|z\|$ with $z = c \circ (x_i, 1)$, for every row."""
    row_by_row(some_cosines, len(y), v, c, X, y, out)


@njit(nogil=True, cache=True)
def some_cosines(v, c, X, y, out, low, high):
    """`cosines` of the rows from `low` to `high`."""
    for i in range(U(low), U(high)):
        s, q = scaled_score_and_square(v, c, X, i, 1.0)
        if not q > 1e-200:
            top = c[-1]
            for k in range(first(X, i), last(X, i)):
                top = max(top, abs(np.float64(value(X, i, k)) * c[column(X, k)]))
            s, q = scaled_score_and_square(v, c, X, i, top if top > 0 else 1.0)
        out[i] = y[i] * s / np.sqrt(q) if q > 0 else 0.0


def raw_scores(w: Array, X: Matrix, n: int, out: Array) -> None:
    r"""$\langle w, x_i\rangle$ for every row, in doubles."""
    row_by_row(some_scores, n, w, X, out)


@njit(nogil=True, cache=True)
def some_scores(w, X, out, low, high):
    """`raw_scores` of the rows from `low` to `high`."""
    for i in range(U(low), U(high)):
        s = 0.0
        for k in range(first(X, i), last(X, i)):
            s += np.float64(value(X, i, k)) * w[column(X, k)]
        out[i] = s


@njit(cache=True)
def longest(X, n):
    r"""$\max_i \|x_i\|$."""
    R = 0.0
    for i in range(n):
        R = max(R, norm(X, i))
    return R
