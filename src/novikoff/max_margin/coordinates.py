r"""The coordinates in which the widest separators are looked for.

Rows are seen as $z_i = ((x_i - c) / s, o)$ and weights as $v = (w s, b + \langle w, c\rangle)$,
so that scores are the same, numbers are near 1, and the bias is that at the data's centre
$c$. What the bias costs decides the problem: nothing ($o = 1$, `hold` 0: a free bias), as much
as any weight ($o = 1/s$, `hold` 1: the space that a perceptron's run takes place in), or it is
not there ($o = 0$). Nothing is copied, centre and scale being applied to vectors and not to the
data, except where the centre is so far off that scores would be differences of large numbers.
"""

from collections.abc import Iterator
from math import fsum

import numpy as np
from scipy import sparse

from novikoff.core.jit import njit
from novikoff.core.rows import U, add, column, dot, first, last, value
from novikoff.inputs.arrays import as_rows, dense
from novikoff.parallel.cores import row_by_row
from novikoff.typing import Array, Matrix

MOST_EXPONENT = 1000
"""Of a power of two that is a float, and so is its reciprocal."""
FAR = 100.0
"""Rows whose centre is so many times farther from the origin than they from it are moved."""
BLOCK = 1 << 12
"""How many rows to make dense at a time."""


def power_of_two(size: float) -> float:
    """What brings numbers of this size near 1, without rounding them."""
    exponent = min(-int(np.frexp(size)[1]), MOST_EXPONENT)
    return float(np.ldexp(1.0, exponent)) if 0 < size < np.inf else 1.0


@njit(nogil=True, cache=True)
def dots(w, X, which, out, low, high):
    r"""$\langle w, x_i\rangle$ for some of the rows."""
    for k in range(low, high):
        out[k] = dot(w, X, which[k])


@njit(cache=True)
def total(a, X, which, out):
    r"""$\sum_k a_k x_{i_k}$, added to `out`."""
    for k in range(len(which)):
        if a[k] != 0.0:
            add(out, a[k], X, which[k])


@njit(cache=True)
def total_size(a, X, which, out):
    r"""$\sum_k |a_k x_{i_k}|$, added to `out`, and to its last entry how many were."""
    for k in range(len(which)):
        i = which[k]
        if a[k] != 0.0:
            out[-1] += 1.0
            for e in range(first(X, i), last(X, i)):
                out[column(X, e)] += abs(a[k] * np.float64(value(X, i, e)))


@njit(cache=True)
def squares(X, which, out):
    r"""$\sum_k x_{i_k}^2$ by columns, added to `out`."""
    for k in range(len(which)):
        i = which[k]
        for e in range(first(X, i), last(X, i)):
            x = np.float64(value(X, i, e))
            out[column(X, e)] += x * x


def lengths(X: Matrix, n: int, c: Array) -> Array:
    r"""$\|x_i - c\|$ of all rows, where $c = 0$ if they are sparse."""
    out = np.empty(n)
    row_by_row(some_lengths, n, X, c, out)
    return out


@njit(nogil=True, cache=True)
def some_lengths(X, c, out, low, high):
    """`lengths` of the rows from `low` to `high`."""
    for i in range(U(low), U(high)):
        top = 0.0
        for e in range(first(X, i), last(X, i)):
            top = max(top, abs(np.float64(value(X, i, e)) - c[column(X, e)]))
        s = 0.0
        for e in range(first(X, i), last(X, i)):
            x = (np.float64(value(X, i, e)) - c[column(X, e)]) / (top or 1.0)
            s += x * x
        out[i] = top * np.sqrt(s)


class Frame:
    """Examples in the coordinates of a search, and what can be asked of them."""

    def __init__(self, X: Matrix, y: Array, *, bias: str = "free") -> None:
        """`bias` is "free", "held" (a weight like any other) or "none"."""
        self.n, self.d = X.shape
        self.all, self.y = np.arange(self.n), y
        self.center, self.shift = np.zeros(self.d), np.zeros(self.d)
        if bias == "free" and not sparse.issparse(X):
            total(np.full(self.n, 1.0 / self.n), as_rows(X), self.all, self.center)
        self.lengths = lengths(as_rows(X), self.n, self.center)
        if np.linalg.norm(self.center) > FAR * self.lengths.max(initial=0.0):
            X, self.shift = X - self.center, self.center
            self.center = np.zeros(self.d)
            self.lengths = lengths(X, self.n, self.center)
        self.X, self.rows = X, as_rows(X)
        self.scale = power_of_two(float(self.lengths.max(initial=0.0)))
        self.lengths *= self.scale
        self.center *= self.scale
        self.one = {"free": 1.0, "held": self.scale, "none": 0.0}[bias]
        self.hold = 0.0 if bias == "free" else 1.0

    @property
    def free(self) -> bool:
        """Does the bias cost nothing?"""
        return self.hold == 0.0

    def scores(self, v: Array, which: Array) -> Array:
        r"""$y_i\langle v, z_i\rangle$."""
        out = np.empty(len(which))
        row_by_row(dots, len(which), v[:-1] * self.scale, self.rows, which, out)
        out += self.one * v[-1] - v[:-1] @ self.center
        out *= self.y[which]
        return out

    def combination(self, a: Array, which: Array) -> Array:
        r"""$\sum_i a_i y_i z_i$."""
        out = np.zeros(self.d + 1)
        signed = a * self.y[which]
        total(signed, self.rows, which, out[:-1])
        balance = float(signed.sum())
        out[:-1] *= self.scale
        out[:-1] -= balance * self.center
        out[-1] = self.one * balance
        return out

    def blocks(self, which: Array) -> Iterator[Array]:
        """The rows themselves, dense, some at a time."""
        for low in range(0, len(which), BLOCK):
            Z = np.empty((len(which[low : low + BLOCK]), self.d + 1))
            Z[:, :-1] = dense(self.X, which[low : low + BLOCK])
            Z[:, :-1] *= self.scale
            Z[:, :-1] -= self.center
            Z[:, -1] = self.one
            yield Z

    def balanced(self, a: Array) -> Array:
        """Multipliers scaled down in one class so that both weigh the same, if bias is free."""
        if not self.free:
            return a
        positive = self.y > 0
        up, down = fsum(a[positive]), fsum(a[~positive])
        light = min(up, down)
        shares: Array = np.where(positive, light / (up or 1.0), light / (down or 1.0)) * a
        return shares

    def raw(self, v: Array) -> tuple[Array, float]:
        """Weights and bias for the data as they are."""
        w = v[:-1] * self.scale
        return w, float(self.one * v[-1] - v[:-1] @ self.center - w @ self.shift)


def square_total(frame: Frame, which: Array) -> Array:
    r"""$\sum_i z_{ij}^2$ for each coordinate, as if the centre were the origin."""
    out = np.zeros(frame.d + 1)
    squares(frame.rows, which, out[:-1])
    out *= frame.scale**2
    out[-1] = len(which) * frame.one**2
    return out
