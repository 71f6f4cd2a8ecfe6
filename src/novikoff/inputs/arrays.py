"""From what users have to the rows that the loops read, and what to say of a bad one."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import validate_data

from novikoff.core.examples import constant
from novikoff.core.jit import njit
from novikoff.core.rows import CSR, U, is_binary, norm
from novikoff.errors import BadRow, DataError, WeightOverflow
from novikoff.inputs.doubles import EXACT, require_exact
from novikoff.typing import Array, Matrix, MatrixLike, Rows

DTYPES = [np.dtype(name) for name in ("float64", "float32", "uint8")]
"""What the loops read as it is, and booleans as bytes; anything else becomes the first of these."""

_AS_IS = frozenset(DTYPES)


def weight_dtype(X: Matrix) -> np.dtype[Any]:
    """Single-precision data has single-precision weights, all other data double."""
    return np.dtype(np.float32 if X.dtype == np.float32 else np.float64)


def read(estimator: Any, X: MatrixLike, *, reset: bool) -> Matrix:
    """`X` as a C-ordered array or CSR matrix of a type in `DTYPES`, without a copy if it is one.

    The values are not looked at: the loops do that as they pass. An array that needs
    nothing done to it skips scikit-learn's checks, which would cost more than learning
    from a single row does.
    """
    X = in_bytes(X)
    if (
        not reset
        and type(X) in (np.ndarray, sparse.csr_array, sparse.csr_matrix)
        and X.ndim == 2
        and X.shape[1] == estimator.n_features_in_
        and X.shape[0] > 0
        and X.dtype in _AS_IS
        and not hasattr(estimator, "feature_names_in_")
    ):
        if type(X) is not np.ndarray:
            return in_canonical_order(X)
        if X.flags.c_contiguous:
            return X
    if isinstance(X, np.ma.MaskedArray) and np.ma.getmaskarray(X).any():
        raise DataError("X is a masked array with masked values: fill them in, or drop the rows.")
    if isinstance(X, np.ndarray) and X.dtype.newbyteorder("=") in _AS_IS:
        X = X.astype(X.dtype.newbyteorder("="), copy=False)
    else:
        require_exact(X)
    X = validate_data(
        estimator,
        in_csr(X) if sparse.issparse(X) else X,
        reset=reset,
        accept_sparse="csr",
        accept_large_sparse=True,
        dtype=DTYPES,
        order="C",
        ensure_all_finite=False,
    )
    return in_canonical_order(X) if sparse.issparse(X) else X


def in_bytes(X: Matrix) -> Matrix:
    """An array of booleans as one of bytes, without a copy; anything else as it is."""
    is_booleans = isinstance(X, np.ndarray) and X.dtype == np.bool_
    return X.view(np.uint8) if is_booleans else X


def as_rows(X: Matrix) -> Rows:
    """The same data as `novikoff.core.rows` knows it."""
    if not sparse.issparse(X):
        return constant(X)
    return CSR(constant(X.data), constant(X.indices), constant(X.indptr), X.shape[1])


def in_csr(X: Matrix) -> Matrix:
    """A sparse matrix as CSR of a type in `DTYPES`; no repeated entries are added up on the way.

    SciPy would, in the type that they have, where their sum may be none.
    """
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        return X  # others say what is wrong
    if X.dtype == np.bool_:  # of which one and one are one
        X = X.tocsr()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return type(X)((X.data.view(np.uint8), X.indices, X.indptr), shape=X.shape)
    kind = X.dtype if X.dtype in _AS_IS else DTYPES[0]
    if X.format == "coo":
        order = np.argsort(X.row, kind="stable")
        starts = np.append(0, np.cumsum(np.bincount(X.row, minlength=X.shape[0])))
        made = (X.data[order].astype(kind, copy=False), X.col[order], starts)
        return sparse.csr_array(made, shape=X.shape)
    X = X.tocsr()
    if X.dtype != kind:
        X = type(X)((X.data.astype(kind), X.indices, X.indptr), shape=X.shape)
    return X


def in_canonical_order(X: Matrix, exact: bool = False) -> Matrix:
    """A CSR matrix whose rows have increasing columns: `X` itself if it is one, else a copy.

    A small matrix with 64-bit indices is copied too, with 32-bit ones.

    Repeated entries are added up. Where that rounds whole numbers, or anything if it is to be
    `exact`, and where a matrix points outside itself, it is an error.
    """
    unsigned = constant(X.indices.view(f"u{X.indices.itemsize}"))
    whole = len(X.indptr) == X.shape[0] + 1 and len(X.data) == len(X.indices)
    state = csr_state(unsigned, constant(X.indptr), X.shape[1]) if whole else DAMAGED
    if state == DAMAGED:
        raise DataError(
            f"The sparse matrix X points outside itself: its column indices must be 0 to "
            f"{X.shape[1] - 1} and its indptr must not decrease. It is damaged; build it anew."
        )
    if X.indices.itemsize > 4 and X.nnz < WORTH_COMPILING and X.shape[1] < 2**31:
        X = type(X)((X.data, *(a.astype(np.int32) for a in (X.indices, X.indptr))), shape=X.shape)
    return X if state == IN_ORDER else added_up(X, exact, in_order=state == REPEATED)


def added_up(X: Matrix, exact: bool, in_order: bool) -> Matrix:
    """A copy in order, with repeated entries added up."""
    if not in_order and X.nnz > sum(X.shape):  # then this sorts in less time
        X = X.tocsc().tocsr()
    else:
        X = X.copy()
        X.has_sorted_indices = in_order
        X.sort_indices()
    if X.has_canonical_format:
        return X
    sums = X.data if X.dtype.kind == "f" and not exact else X.data.astype(np.float64)
    n, rounded = add_up(X.indices, X.indptr, sums)
    if rounded >= EXACT or (exact and rounded > 0.0):
        raise DataError(
            f"The sparse matrix X has repeated entries, whose sum, about {rounded:g}, no double "
            "holds: add them up yourself (X.sum_duplicates()) if the nearest doubles are meant."
        )
    return type(X)((sums[:n], X.indices[:n], X.indptr), shape=X.shape)


IN_ORDER, REPEATED, OUT_OF_ORDER, DAMAGED = range(4)
WORTH_COMPILING = 1 << 20
"""With fewer entries, copying indices of 64 bits takes less time than compiling a form for them."""
BLOCK = 64  # rows looked at together, while they are in the cache


@njit(cache=True)
def csr_state(indices, indptr, width):
    """Are all rows increasing, or at least not decreasing, and inside the matrix?

    One pass at the speed of memory.

    The indices are unsigned here, where a negative one is too large.
    """
    n, nnz = len(indptr) - 1, len(indices)
    if indptr[0] != 0:
        return DAMAGED
    falls = repeats = top = indices.dtype.type(0)  # less those from one row to the next
    for low in range(0, n, BLOCK):
        high = min(low + BLOCK, n)
        for i in range(low, high):
            if not indptr[i] <= indptr[i + 1] <= nnz:
                return DAMAGED
        for k in range(U(max(indptr[low], 1)), U(indptr[high])):
            falls += indices.dtype.type(indices[k - U(1)] > indices[k])
            repeats += indices.dtype.type(indices[k - U(1)] == indices[k])
            top = max(top, indices[k])
        for i in range(low, high):
            k = indptr[i]
            if 0 < k < indptr[i + 1]:
                falls -= indices.dtype.type(indices[k - 1] > indices[k])
                repeats -= indices.dtype.type(indices[k - 1] == indices[k])
    if indptr[n] > 0 and not max(top, indices[0]) < U(width):
        return DAMAGED
    if falls != 0:
        return OUT_OF_ORDER
    return IN_ORDER if repeats == 0 else REPEATED


@njit(cache=True)
def add_up(indices, indptr, values):
    """Add up neighbours of one column in place: how many are left, and the largest rounded sum.

    That is 0 if every sum is exact (Knuth's two-sum finds what was lost).
    """
    to, start, rounded = U(0), U(indptr[0]), 0.0
    for i in range(len(indptr) - 1):
        stop = U(indptr[i + 1])
        if start < stop:
            column, s = indices[start], values[start]
            for k in range(start + U(1), stop):
                if indices[k] == column:
                    x = values[k]
                    t = s + x
                    z = t - s
                    if (s - (t - z)) + (x - z) != 0.0:
                        rounded = max(rounded, abs(np.float64(t)))
                    s = t
                else:
                    indices[to], values[to] = column, s
                    to += U(1)
                    column, s = indices[k], values[k]
            indices[to], values[to] = column, s
            to += U(1)
        start, indptr[i + 1] = stop, to
    return to, rounded


@njit(cache=True)
def first_unsound(X, n):
    """The first row that is not finite, or -1."""
    for i in range(n):
        if not norm(X, i) < np.inf:
            return i
    return -1


@njit(cache=True)
def first_not_binary(X, n):
    """The first row with an entry other than 0 and 1, or -1."""
    for i in range(n):
        if not is_binary(X, i):
            return i
    return -1


@njit(allocates=True, cache=True)
def lengths_of(X, n):
    """The length of every row, before any division by it."""
    lengths = np.empty(n)
    for i in range(n):
        lengths[i] = norm(X, i)
    return lengths


def at_unit_length(X: Matrix) -> Matrix:
    """The rows scaled to unit length, in doubles; a zero row stays zero."""
    Z = X.astype(np.float64)
    size = lengths_of(as_rows(Z), Z.shape[0])
    size[size == 0] = 1.0
    return (sparse.diags_array(1 / size) @ Z).tocsr() if sparse.issparse(Z) else Z / size[:, None]


def dense(X: Matrix, rows: Array | slice = slice(None)) -> npt.NDArray[np.float64]:
    """Some rows, or all, as doubles."""
    X = X[rows]
    return np.asarray(X.toarray() if sparse.issparse(X) else X, np.float64)


def size_of(X: Matrix) -> int:
    """The bytes that rows and their labels take in memory, about."""
    parts = (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)
    return sum(int(part.nbytes) for part in parts) + 16 * int(X.shape[0])


def as_seen(X: Matrix, space: dict[str, Any]) -> Matrix:
    """The rows as a learner sees them, in doubles; `space` is what it was told to make of them.

    At unit length (`normalize`), from 0 to 1 (`clip`), or as 0 and 1 (`binarize`).
    """
    if space.get("binarize") is not None:
        X = space["binarize"] < X
    Z = X.astype(np.float64)
    if space.get("clip"):
        Z = Z.minimum(1.0).maximum(0.0) if sparse.issparse(Z) else Z.clip(0.0, 1.0)
    return at_unit_length(Z) if space.get("normalize") else Z


def require_sound(X: Matrix, names: Array | None = None) -> None:
    """Raise what is wrong with the first bad row of `X`, if there is one."""
    i = first_unsound(as_rows(X), X.shape[0])
    if i < 0:
        return
    j, x = first_entry(X, i, lambda v: ~np.isfinite(v))
    if j < 0:
        raise overflow(X.dtype)  # finite values, but not their length
    name = "NaN" if np.isnan(x) else "infinity"
    raise BadRow(
        f"Input X contains {name}, first in {{row}}, {titled(j, names)}: every value must be "
        "finite. Drop such rows, or fill them in.",
        i,
        j,
        hint="(sklearn.impute.SimpleImputer does that.)",
    )


def names_in(estimator: Any) -> Any:
    """What the estimator's features are called; None if they have no names."""
    return getattr(estimator, "feature_names_in_", None)


def titled(j: int, names: Array | None) -> str:
    """What column `j` is called."""
    return f"column {j}" if names is None else f"column {str(names[j])!r}"


def require_binary(X: Matrix, names: Array | None = None) -> None:
    """Raise an error that names the first entry of `X` other than 0 and 1, if there is one."""
    i = first_not_binary(as_rows(X), X.shape[0])
    if i >= 0:
        j, x = first_entry(X, i, lambda v: (v != 0) & (v != 1))
        advice = (
            "Give {binarize}, the level above which a value counts as 1, or encode the features "
            "as 0 and 1 first."
        )
        raise BadRow(
            f"Winnow needs 0/1 features, but X has {x!r} in {{row}}, {titled(j, names)}. {advice}",
            i,
            j,
            what=f"found {x!r}, expected 0/1 features, which Winnow needs",
            advice=advice,
            binarize=None,
        )


def first_entry(X: Matrix, i: int, bad: Any) -> tuple[int, Any]:
    """Column and value of the first bad entry of row `i`; column -1 if there is none."""
    if sparse.issparse(X):
        place = slice(X.indptr[i], X.indptr[i + 1])
        columns, values = X.indices[place], X.data[place]
    else:
        columns, values = np.arange(X.shape[1]), X[i]
    found = np.flatnonzero(bad(values))
    if not len(found):
        return -1, None
    k = found[np.argmin(columns[found])]
    return int(columns[k]), values[k].item()


def overflow(dtype: npt.DTypeLike) -> WeightOverflow:
    """What to say when weights, scores, lengths or steps are too large or too small."""
    kind = np.finfo(dtype)
    wider = " Or give the data as float64." if kind.bits < 64 else ""
    return WeightOverflow(
        f"Weights, scores, lengths or steps left the range of {kind.dtype} (about {kind.tiny:.0e} "
        f"to {kind.max:.0e}). The model is as it was. Scale the features to about 1, or the step.",
        hint=f"(sklearn.preprocessing.MaxAbsScaler scales features.){wider}",
    )
