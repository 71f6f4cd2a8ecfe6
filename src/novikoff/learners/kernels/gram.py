r"""Kernels, evaluated block by block as matrix products.

A kernel is an inner product in a feature space, $k(x, x') = \langle\phi(x), \phi(x')\rangle$:

$$\text{linear: } \langle x, x'\rangle, \qquad
  \text{poly: } (\gamma\langle x, x'\rangle + c_0)^p, \qquad
  \text{rbf: } e^{-\gamma\|x - x'\|^2}.$$

All of them are functions of inner products, so a table of a hundred rows against thousands is
one matrix product and a little arithmetic on its result. No table here is larger than one
block of rows against one chunk of others.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from novikoff.errors import DataError
from novikoff.typing import Array, Matrix

KERNELS = ("linear", "poly", "rbf", "precomputed")


class Kernel(NamedTuple):
    """A kernel and its constants."""

    name: str
    """One of `KERNELS`, or "callable"."""
    gamma: float
    degree: int
    coef0: float
    function: Callable[[Any, Any], Any] | None = None


class Block(NamedTuple):
    """Some rows, as kernels see them."""

    rows: Any
    """In the precision of the run, dense or CSR; for "precomputed", their rows of the matrix."""
    squares: Array
    r"""Their $\|x\|^2$ in double precision."""
    numbers: Array
    """Which examples they are."""


def resolved(kernel: Any, gamma: Any, degree: Any, coef0: Any, width: int) -> Kernel:
    """The kernel for rows of this width, over which gamma is one if it is no number."""
    rate = 1.0 / width if gamma is None or isinstance(gamma, str) else float(gamma)
    if callable(kernel):
        return Kernel("callable", rate, int(degree), float(coef0), kernel)
    return Kernel(str(kernel), rate, int(degree), float(coef0))


def is_scaled(kernel: Any, gamma: Any) -> bool:
    """Does gamma depend on the data?"""
    return isinstance(gamma, str) and gamma == "scale" and kernel in ("rbf", "poly")


def rate_for(X: Matrix) -> float:
    """One over the number of features times the variance of all values, or times 1 without one."""
    with np.errstate(over="ignore", invalid="ignore"):
        if sparse.issparse(X):
            values = X.astype(np.float64)
            variance = float(values.multiply(values).mean() - values.mean() ** 2)
        else:
            variance = float(X.var(dtype=np.float64))
    rate = 1.0 / (X.shape[1] * variance) if 0.0 < variance < np.inf else np.inf
    return rate if 0.0 < rate < np.inf else 1.0 / X.shape[1]


def block(kernel: Kernel, X: Matrix, index: Array, dtype: Any) -> Block:
    """These rows of `X`."""
    rows = X[index].astype(dtype, copy=False)
    if kernel.name == "precomputed":
        return Block(rows, np.zeros(len(index)), index)
    return Block(rows, squares(rows), index)


def squares(rows: Any) -> Array:
    r"""$\|x\|^2$ of every row, in double precision."""
    if sparse.issparse(rows):
        values = rows.astype(np.float64)
        found: Array = np.asarray(values.multiply(values).sum(axis=1)).ravel()
        return found
    found = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    return found


def table(kernel: Kernel, A: Block, B: Block) -> Array:
    """The kernel of every row of `A` with every row of `B`."""
    if kernel.name == "precomputed":
        return _dense(A.rows[:, B.numbers])
    if kernel.function is not None:
        return _called(kernel.function, A, B)
    K: Array = products(A.rows, B.rows)
    if kernel.name == "poly":
        K *= K.dtype.type(kernel.gamma)
        K += K.dtype.type(kernel.coef0)
        _raise(K, kernel.degree)
    elif kernel.name == "rbf":
        K *= K.dtype.type(2 * kernel.gamma)
        K -= (kernel.gamma * A.squares).astype(K.dtype)[:, None]
        K -= (kernel.gamma * B.squares).astype(K.dtype)
        np.minimum(K, 0, out=K)
        np.exp(K, out=K)
        if A is B:
            np.fill_diagonal(K, 1)
    return K


def products(A: Any, B: Any) -> Array:
    """The inner products of the rows of `A` with those of `B`."""
    return _dense(A @ B.T)


def _dense(found: Any) -> Array:
    plain: Array = found.toarray() if sparse.issparse(found) else np.asarray(found)
    return plain


def _raise(K: Array, degree: int) -> None:
    """Raise to a power in place, by squaring: exact where the numbers are small integers."""
    base = K.copy() if degree & (degree - 1) else None
    for bit in bin(degree)[3:]:
        K *= K
        if bit == "1" and base is not None:
            K *= base


def _called(function: Callable[[Any, Any], Any], A: Block, B: Block) -> Array:
    K = np.array(function(A.rows, B.rows), np.float64)
    wanted = (A.rows.shape[0], B.rows.shape[0])
    if K.shape != wanted:
        raise DataError(
            f"The kernel function returned a table of shape {K.shape} for blocks of {wanted[0]} "
            f"and {wanted[1]} rows: it must return the kernel of every row with every other, "
            f"of shape {wanted}."
        )
    return K


def diagonal(kernel: Kernel, A: Block) -> Array:
    """The kernel of every row with itself, in double precision."""
    if kernel.name == "rbf":
        return np.ones(len(A.numbers))
    if kernel.name == "linear":
        return A.squares
    if kernel.name == "poly":
        powers: Array = (kernel.gamma * A.squares + kernel.coef0) ** kernel.degree
        return powers
    if kernel.name == "precomputed":
        own = A.rows[np.arange(len(A.numbers)), A.numbers]
        return _dense(own).astype(np.float64).ravel()
    return np.diagonal(table(kernel, A, A)).astype(np.float64)


def out_of_range(kernel: Kernel, A: Block, G: Array) -> bool:
    """Is some row too long for the type of its kernel values `G`, or, though not 0, too short?"""
    own = np.diagonal(G)
    if not np.isfinite(own).all():
        return True
    if kernel.name != "linear" or (own > 0).all():
        return False
    return bool(abs(A.rows[own == 0]).max() > 0)


def rounding(kernel: Kernel, width: int, longest: float, largest: float, u: float) -> float:
    r"""How far a computed kernel value can be from the true one.

    `longest` is the largest $\|x\|^2$, `largest` the largest $k(x, x)$, `u` the precision. A matrix
    or a function that was given is taken at its word.
    """
    if kernel.name == "linear":
        return (width + 8) * u * largest
    if kernel.name == "poly":
        return kernel.degree * (width + 16) * u * largest
    if kernel.name == "rbf":
        return 8 * u * (1 + (width + 8) * kernel.gamma * longest)
    return 8 * u * largest


def scatter(kernel: Kernel, width: int, longest: float, largest: float, u: float) -> float:
    r"""How far a computed kernel value is from the true one, all but surely.

    The errors of $n$ additions cancel: they hardly ever add up to more than $10\sqrt n$ of them
    (Higham & Mary 2019, with $\lambda = 10$).
    """
    return rounding(kernel, min(width, int(10 * width**0.5)), longest, largest, u)
