"""What the search for a separator reads off the data, in passes at the speed of memory."""

from math import hypot, inf, nextafter, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils.validation import check_array

from novikoff.core.jit import njit
from novikoff.core.rows import SUM, U, column, first, last, value
from novikoff.inputs.arrays import (
    DTYPES,
    as_rows,
    in_bytes,
    in_canonical_order,
    in_csr,
    lengths_of,
    require_sound,
    weight_dtype,
)
from novikoff.inputs.doubles import names_of, require_exact
from novikoff.inputs.weights import checked
from novikoff.parallel.cores import row_by_row
from novikoff.typing import Array, Matrix, MatrixLike

NEARBY = 2.0**-10
"""How far values of a column may lie apart, relative to their size, that are seen from nearby."""
WIDE = 500
"""Past so many features, rows are never made dense by the thousands."""


def as_examples(X: MatrixLike) -> Matrix:
    """Examples as the loops read them; checked, and not copied if they fit."""
    names = names_of(X)
    X = in_rows(X)
    require_sound(X, names)
    return X


def in_rows(X: MatrixLike, least: int = 1) -> Matrix:
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


def of_some_weight(
    X: Matrix, y: Array, sample_weight: ArrayLike | None
) -> tuple[Matrix, Array, Array]:
    """The examples without those of weight 0, and which of all they are."""
    kept = np.arange(len(y))
    if sample_weight is not None:
        kept = np.flatnonzero(checked(sample_weight, len(y)))
    return (X, y, kept) if len(kept) == len(y) else (X[kept], y[kept], kept)


def radius_of_run(longest: float, X: Matrix, bias: bool, *, many: bool = False) -> float:
    r"""No less than the radius of a run on rows of that length, rounding allowed for.

    For many classes it is that of Kesler's construction. Where a score may lose $\varepsilon$ below
    the range of floats, a mistake adds up to $R^2 + 2\varepsilon$ to the square of the weights.
    """
    d, lost = X.shape[1] + 12, float(np.finfo(weight_dtype(X)).smallest_subnormal)
    radius = hypot(longest, float(bias), sqrt(2 * d * lost)) * (sqrt(2) if many else 1.0)
    return nextafter(radius * (1 + 2.0**-52 * d), inf)


# ------------------------------------------------------------- columns


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
    return found if len(found) else np.zeros(min(1, X.shape[1]), np.int64)


def nearby(X: Matrix) -> tuple[Matrix, Array]:
    """The rows seen from nearby, and from where: columns whose values differ by little.

    Where no value is more than twice another, their differences are floats (Sterbenz), so that
    nothing is rounded. A float holds little of what tells moments of 2026 apart, counted in
    microseconds since 1970, once weights are multiplied with them.
    """
    if sparse.issparse(X) or X.dtype.kind != "f":
        return X, np.zeros(X.shape[1])
    low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    with np.errstate(over="ignore"):
        spread = high - low
    one_sign = (np.sign(low) == np.sign(high)) & (low != 0)
    near = one_sign & (spread < NEARBY * np.minimum(abs(low), abs(high)))
    if not near.any():
        return X, np.zeros(X.shape[1])
    where = np.where(near, low, 0.0)
    return X.astype(np.float64) - where, where


def in_columns(X: Matrix, used: Array | None) -> Matrix:
    """The rows in some columns, which are sorted; None for all."""
    if used is None or len(used) == X.shape[1]:
        return X
    if not len(used):
        return X[:, :0]
    if not sparse.issparse(X):
        return np.ascontiguousarray(X[:, used])
    places = np.minimum(np.searchsorted(used, X.indices), len(used) - 1)
    kept, values, starts = used[places] == X.indices, X.data, X.indptr
    if not kept.all():
        places, values, starts = places[kept], values[kept], np.append(0, np.cumsum(kept))[starts]
    parts = values, places.astype(np.int32), starts
    return sparse.csr_array(parts, shape=(X.shape[0], len(used)))


def reaching_beyond(X: Matrix, used: Array) -> Array:
    """Which rows have an entry in another column."""
    if not sparse.issparse(X):
        other = np.setdiff1d(np.arange(X.shape[1]), used)
        beyond: Array = X[:, other].any(axis=1)
        return beyond
    other = (X.data != 0) & ~np.isin(X.indices, used)
    counts: Array = np.diff(np.append(0, np.cumsum(other))[X.indptr])
    return counts > 0


# ------------------------------------------------------------- passes over all rows


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


def longest(X: Matrix) -> float:
    r"""$\max_i \|x_i\|$."""
    return float(lengths_of(as_rows(X), X.shape[0]).max(initial=0.0))
