r"""Rows of the data, whatever holds them.

A learner touches data through the functions of this module only, so its loop is written
once. A row can be

- a row of a dense C-ordered array of floats or bytes;
- `CSR`, a row of a sparse matrix;
- `Gram`, a row of a kernel matrix, where the weights are the scores of all rows;
- `Chain`, a sequence of sparse rows, as one row with all their entries;
- `Unit`, any of these scaled to length 1;
- `Above`, any of these as 0/1: is the value above a level?
- `Clipped`, any of these with its values between 0 and 1.

The weights `w` may be longer than a row: learners keep the bias in the last place.

The first half says how to get at the entries of each kind. Its Python bodies are the
definitions; the overload below each is the compiled form of the same line. The second half is
arithmetic, written once over those entries. All of it runs uncompiled (``NUMBA_DISABLE_JIT=1``).

Two habits make the compiled loops fast. Indices are unsigned (`U`), because a signed one
may be negative in Python's sense, and the test for that keeps a loop from being
vectorised. And sums may be reassociated (`SUM`), which lets them run at the speed of
memory; NaN and infinity keep their meaning, so **a row with a NaN or an infinity in it
never has a finite `dot` or a finite `norm`**.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types

from novikoff.core.grammar import Grammar
from novikoff.core.jit import njit, overload
from novikoff.typing import Array, Rows

U = np.uintp
SUM = {"reassoc", "contract"}


class CSR(NamedTuple):
    """Sparse rows: row `i` has `data[indptr[i]:indptr[i+1]]` at those `indices`.

    The indices of a row are in range and increasing; `novikoff.inputs.arrays.read` sees to that.
    """

    data: Array
    indices: Array
    indptr: Array
    width: int


class Gram(NamedTuple):
    """Rows of a kernel matrix, `K[i, j] = k(x_i, x_j)`.

    The weights are the scores of these rows. So the product with a row is one of the weights, and
    to add a row to the weights in the feature space adds its kernel values to the scores.
    """

    K: Array


class Chain(NamedTuple):
    """Sequences of sparse rows, each taken for one row with the entries of all its steps.

    Sequence `i` is the rows from `starts[i]` to `starts[i + 1]`.
    """

    rows: CSR
    starts: Array
    labels: Array
    """The class of every step."""
    grammar: Grammar = Grammar()


class Unit(NamedTuple):
    """Rows scaled to unit length; a zero row stays zero."""

    rows: Rows


class Clipped(NamedTuple):
    """Rows with what is below 0 taken for 0, and what is above 1 for 1."""

    rows: Rows


class Above(NamedTuple):
    """Rows as 0/1: 1 where the value is above `level`."""

    rows: Rows
    level: float


# ------------------------------------------------------------- getting at the entries


def is_a(X: types.Type, *kinds: type) -> bool:
    """Is the numba type `X` that of one of these named tuples?"""
    return getattr(X, "instance_class", None) in kinds


def first(X: Rows, i: int) -> Any:
    """The place of row `i`'s first entry."""
    if isinstance(X, Unit | Above | Clipped):
        return first(X.rows, i)
    if isinstance(X, Chain):
        return first(X.rows, X.starts[i])
    return X.indptr[i] if isinstance(X, CSR) else 0


@overload(first)
def _first(X, i):
    if is_a(X, Unit, Above, Clipped):
        return lambda X, i: first(X.rows, i)
    if is_a(X, Chain):
        return lambda X, i: first(X.rows, X.starts[i])
    if is_a(X, CSR):
        return lambda X, i: U(X.indptr[i])
    return lambda X, i: U(0)


def last(X: Rows, i: int) -> Any:
    """One past the place of row `i`'s last entry."""
    if isinstance(X, Unit | Above | Clipped):
        return last(X.rows, i)
    if isinstance(X, Chain):
        return first(X.rows, X.starts[i + 1])
    if isinstance(X, Gram):
        return X.K.shape[1]
    return X.indptr[i + 1] if isinstance(X, CSR) else X.shape[1]


@overload(last)
def _last(X, i):
    if is_a(X, Unit, Above, Clipped):
        return lambda X, i: last(X.rows, i)
    if is_a(X, Chain):
        return lambda X, i: first(X.rows, X.starts[i + 1])
    if is_a(X, CSR):
        return lambda X, i: U(X.indptr[i + 1])
    if is_a(X, Gram):
        return lambda X, i: U(X.K.shape[1])
    return lambda X, i: U(X.shape[1])


def column(X: Rows, k: Any) -> Any:
    """Which column the entry at place `k` is in."""
    if isinstance(X, Unit | Above | Clipped | Chain):
        return column(X.rows, k)
    return X.indices[k] if isinstance(X, CSR) else k


@overload(column)
def _column(X, k):
    if is_a(X, Unit, Above, Clipped, Chain):
        return lambda X, k: column(X.rows, k)
    if is_a(X, CSR):
        return lambda X, k: U(X.indices[k])
    return lambda X, k: k


def value(X: Rows, i: int, k: Any) -> Any:
    """The entry of row `i` at place `k`, before any division by its length."""
    if isinstance(X, Unit | Chain):
        return value(X.rows, i, k)
    if isinstance(X, Above):
        x = value(X.rows, i, k)
        return (x > X.level) + (x - x)  # x - x is 0, or NaN where x is not finite
    if isinstance(X, Clipped):
        x = value(X.rows, i, k)
        return min(max(x, 0), 1) + (x - x)
    if isinstance(X, Gram):
        return X.K[i, k]
    x = X.data[k] if isinstance(X, CSR) else X[i, k]
    return x if x.dtype.kind == "f" else np.int64(x)  # compiled integers do not wrap


@overload(value)
def _value(X, i, k):
    if is_a(X, Unit, Chain):
        return lambda X, i, k: value(X.rows, i, k)
    if is_a(X, Above):

        def above(X, i, k):
            x = value(X.rows, i, k)
            return (x > X.level) + (x - x)

        return above
    if is_a(X, Clipped):

        def clipped(X, i, k):
            x = value(X.rows, i, k)
            return min(max(x, 0), 1) + (x - x)

        return clipped
    if is_a(X, CSR):
        return lambda X, i, k: X.data[k]
    if is_a(X, Gram):
        return lambda X, i, k: X.K[i, k]
    return lambda X, i, k: X[i, k]


def divisor(X: Rows, i: int) -> float:
    """What row `i` is divided by: its length, for unit rows."""
    return (norm(X.rows, i) or 1.0) if isinstance(X, Unit) else 1.0


@overload(divisor)
def _divisor(X, i):
    if not is_a(X, Unit):
        return lambda X, i: 1.0

    def unit(X, i):
        length = norm(X.rows, i)
        return length if length != 0.0 else 1.0

    return unit


def wide(X: Rows, x: Any) -> Any:
    """A number in double precision, if it will be divided by the row's length."""
    return np.float64(x) if isinstance(X, Unit) else x


@overload(wide)
def _wide(X, x):
    return (lambda X, x: np.float64(x)) if is_a(X, Unit) else lambda X, x: x


def divided(X: Rows, x: Any, i: int) -> Any:
    """A multiple of row `i`, or a product with it, when the row is divided."""
    return x / divisor(X, i) if isinstance(X, Unit) else x


@overload(divided)
def _divided(X, x, i):
    return (lambda X, x, i: x / divisor(X, i)) if is_a(X, Unit) else lambda X, x, i: x


def is_dual(X: Rows) -> bool:
    """Are the weights the scores of the rows?"""
    return isinstance(X, Gram)


@overload(is_dual)
def _is_dual(X):
    dual = is_a(X, Gram)
    return lambda X: dual


# ------------------------------------------------------------- arithmetic on a row


@njit(fastmath=SUM)
def dot(w, X, i):
    r"""$\langle w, x_i\rangle$"""
    if is_dual(X):
        return w[i]
    s = w.dtype.type(0)
    for k in range(first(X, i), last(X, i)):
        s += wide(X, value(X, i, k)) * w[column(X, k)]
    return w.dtype.type(divided(X, s, i))


@njit
def add(w, a, X, i):
    r"""$w \leftarrow w + a\,x_i$"""
    a = divided(X, wide(X, w.dtype.type(a)), i)
    for k in range(first(X, i), last(X, i)):
        w[column(X, k)] += a * value(X, i, k)


@njit
def scale(w, f, least, X, i):
    r"""$w_j \leftarrow \max(f\,w_j, \text{least})$ where $x_{ij} \ne 0$"""
    f, least = w.dtype.type(f), w.dtype.type(least)
    for k in range(first(X, i), last(X, i)):
        if value(X, i, k) != 0:
            w[column(X, k)] = max(w[column(X, k)] * f, least)


@njit(fastmath=SUM)
def sqnorm(w, X, i):
    r"""$\|x_i\|^2$ before any division, quickly: in the precision of `w`."""
    if is_dual(X):
        return w.dtype.type(value(X, i, i))
    q = w.dtype.type(0)
    for k in range(first(X, i), last(X, i)):
        x = w.dtype.type(value(X, i, k))
        q += x * x
    return q


@njit(fastmath=SUM)
def square_length(X, i):
    r"""$\|x_i\|^2$ as the row is, in double precision."""
    if is_dual(X):
        return np.float64(value(X, i, i))
    q, r = 0.0, divisor(X, i)
    for k in range(first(X, i), last(X, i)):
        x = np.float64(value(X, i, k)) / r
        q += x * x
    return q


@njit(fastmath=SUM)
def in_one_pass(w, X, i):
    """`dot` and `sqnorm`, each with the bits it has alone."""
    s = q = w.dtype.type(0)
    for k in range(first(X, i), last(X, i)):
        x = w.dtype.type(value(X, i, k))
        s += x * w[column(X, k)]
        q += x * x
    return s, q


def dot_and_sqnorm(w: Array, X: Rows, i: int) -> tuple[Any, Any]:
    """Both: in one pass over a plain dense row, in two over others."""
    return dot(w, X, i), sqnorm(w, X, i)


@overload(dot_and_sqnorm, inline="always")
def _dot_and_sqnorm(w, X, i):
    def in_two(w, X, i):
        q = sqnorm(w, X, i)
        return dot(w, X, i), q

    # a sparse row has to gather weights, which a second sum would slow down
    return in_two if is_a(X, CSR, Unit, Gram) else lambda w, X, i: in_one_pass(w, X, i)


@njit(fastmath=SUM)
def norm(X, i):
    r"""$\|x_i\|$ before any division, in double precision, at any scale of the values."""
    if is_dual(X):
        return np.sqrt(np.float64(value(X, i, i)))
    s = 0.0
    for k in range(first(X, i), last(X, i)):
        x = np.float64(value(X, i, k))
        s += x * x
    if 1e-280 < s < np.inf or np.isnan(s):
        return np.sqrt(s)
    top = 0.0
    for k in range(first(X, i), last(X, i)):
        top = max(top, abs(np.float64(value(X, i, k))))
    if top == 0.0 or top == np.inf:
        return top
    s = 0.0
    for k in range(first(X, i), last(X, i)):
        x = np.float64(value(X, i, k)) / top
        s += x * x
    return top * np.sqrt(s)


@njit
def is_binary(X, i):
    """Is every entry of row `i` 0 or 1?"""
    for k in range(first(X, i), last(X, i)):
        x = value(X, i, k)
        if x != 0 and x != 1:
            return False
    return True
