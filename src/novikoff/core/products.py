"""The products of a row with many weight vectors: those of all classes."""

import numpy as np

from novikoff.core.jit import njit, overload
from novikoff.core.rows import (
    CSR,
    SUM,
    Above,
    Chain,
    Clipped,
    U,
    Unit,
    column,
    divisor,
    dot,
    first,
    is_a,
    is_dual,
    last,
    sqnorm,
    value,
    wide,
)
from novikoff.typing import Array, Rows


@njit(fastmath=SUM)
def dot_two(w, v, X, i, r):
    """`dot` with two weight vectors from one look at the row; of a plain dense one, bit for bit.

    `r` is the row's divisor.
    """
    if is_dual(X):
        return w[i], v[i]
    s = t = w.dtype.type(0)
    for k in range(first(X, i), last(X, i)):
        x = wide(X, value(X, i, k))
        s += x * w[column(X, k)]
        t += x * v[column(X, k)]
    return w.dtype.type(s / r), w.dtype.type(t / r)


PAIR = 2
"""How many weight vectors are multiplied with a row at a time: where they are shared out among
threads, pairs stay together, so that every sum has the bits it would have had."""


@njit
def vector_by_vector(W, X, i, out):
    """The products of `dots`, two weight vectors at a time: where the row is dense."""
    r = divisor(X, i)
    for c in range(0, len(W) - 1, 2):
        out[c], out[c + 1] = dot_two(W[c], W[c + 1], X, i, r)
    if len(W) % 2:
        out[len(W) - 1] = dot(W[-1], X, i)


@njit
def entry_by_entry(W, X, i, out):
    """The products of `dots`, all weights of an entry together: where the row is sparse."""
    out[:] = 0
    r = divisor(X, i)
    for k in range(first(X, i), last(X, i)):
        x = W.dtype.type(value(X, i, k) / r)
        j = column(X, k)
        for c in range(U(0), U(len(W))):
            out[c] += x * W[c, j]


def is_sparse(X: Rows) -> bool:
    """Are rows sparse?"""
    inner = isinstance(X, Unit | Above | Clipped | Chain)
    return is_sparse(X.rows) if inner else isinstance(X, CSR)


def dots(W: Array, X: Rows, i: int, out: Array) -> None:
    r"""$\langle w_c, x_i\rangle$ for all weight vectors $w_c$, the rows of `W`.

    Quick if the entries of `W` that are read together lie together: `suited` sees to that.
    """
    (entry_by_entry if is_sparse(X) else vector_by_vector)(W, X, i, out)


@overload(dots)
def _dots(W, X, i, out):
    inner = X
    while is_a(inner, Unit, Above, Clipped):
        inner = inner.types[0]
    if is_a(inner, CSR):
        return lambda W, X, i, out: entry_by_entry(W, X, i, out)
    return lambda W, X, i, out: vector_by_vector(W, X, i, out)


@njit
def dots_and_sqnorm(W, X, i, out):
    """`dots`, and the `sqnorm` of the row.

    One loop for both would be a little quicker, and some processors would have it unrolled
    otherwise: the epoch that measures rows would then make sums with other bits.
    """
    dots(W, X, i, out)
    return sqnorm(W[0], X, i)


def suited(W: Array, X: Rows) -> Array:
    """The weights of many classes in the order in which `dots` reads them, copied if need be."""
    return np.asfortranarray(W) if is_sparse(X) else np.ascontiguousarray(W)
