r"""Which logistic-regression estimates diverge on separated data, and where to.

The likelihood of separated data grows without end along every $v$ with
$\langle v, z_i\rangle \ge 0$ for all $i$. Of these directions one is chosen by the linear
program of Konis (2007),

$$\max_v \sum_i \langle v, z_i\rangle \quad\text{subject to}\quad
  \langle v, z_i\rangle \ge 0, \; -1 \le v_j \le 1,$$

and the signs of its solution are reported, as R's `detectseparation` does. Where columns depend on
each other (a dummy variable for every level of a factor, and a bias) a coefficient can be traded
for others, and its estimate has no meaning of its own. So a column that is a combination of the
ones before it, the bias counted first, stays 0, as in R's `glm`, which leaves it out.
"""

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from novikoff.separation.geometry import cosines
from novikoff.separation.search import Search, atoms
from novikoff.typing import Array, Matrix

WIDE = 1000
"""Past so many coefficients the program is too large, and the witness itself speaks."""
WRONG = -1e-7
"""A row with a cosine below this is on the wrong side."""
DEPENDENT = 1e-12
"""A column of which no larger share is left, squared, depends on others."""
BLOCK = 4096
"""So many rows are multiplied at a time."""


def diverging(search: Search, free: Array, witness: Array | None) -> list[int]:
    """-1, 0 or +1 for every coefficient; 0 for certain where it is not `free`."""
    if not free.any() or witness is None:
        return [0] * len(free)
    if len(free) > WIDE:
        return [int(s) for s in np.sign(witness[: len(free)]) * free]
    m, y = len(free), search.y
    everything = np.arange(len(y))
    total = brought_to_one(signed_sum(search.X, y, search.c))
    scores = np.empty(len(y))
    working = everything[: 4 * m + 100]
    some = dependent(products(search.X, y, search.c, m, len(working)), m == len(search.c))
    if some.any() and len(working) < len(y):  # the other rows may tell them apart
        some = dependent(products(search.X, y, search.c, m), m == len(search.c))
    free = free & ~some
    while True:
        v = np.zeros(len(search.c))
        v[:m] = steepest(search.atoms(working)[:, :m], total[:m], free)
        cosines(v, search.c, search.rows, y, scores)
        wrong = np.flatnonzero(scores < WRONG)
        new = np.setdiff1d(wrong[np.argsort(scores[wrong], kind="stable")][: 4 * m + 100], working)
        if not len(new):
            return directions(v[:m])
        working = np.concatenate([working, new])


def products(X: Matrix, y: Array, c: Array, m: int, n: int | None = None) -> Array:
    r"""$Z^\top Z$ of the first `m` columns, for the first `n` rows, scaled, of unit length."""
    total = np.zeros((m, m))
    n = len(y) if n is None else n
    for low in range(0, n, BLOCK):
        Z = atoms(X, y, np.arange(low, min(low + BLOCK, n)), c)[:, :m]
        total += Z.T @ Z
    return total


def dependent(G: Array, bias: bool) -> Array:
    """Which columns are combinations of those before them, by their products; a last bias is first.

    Cholesky's factorization, in which nothing is left of such a column.
    """
    m = len(G)
    order = np.roll(np.arange(m), int(bias))
    A, found = G[np.ix_(order, order)], np.zeros(m, bool)
    length = A.diagonal().copy()
    for k in range(m):
        if not A[k, k] > DEPENDENT * length[k]:
            found[order[k]] = True
            continue
        A[k + 1 :, k + 1 :] -= np.multiply.outer(A[k + 1 :, k] / A[k, k], A[k, k + 1 :])
    return found


def steepest(Z: Array, total: Array, free: Array) -> Array:
    """The solution of the program for these rows, whose sum is that of all."""
    solved = linprog(
        -total,
        A_ub=-Z,
        b_ub=np.zeros(len(Z)),
        bounds=[(-1, 1) if f else (0, 0) for f in free],
        method="highs",
    )
    found: Array = solved.x
    return found


def directions(v: Array) -> list[int]:
    """The signs of a solution."""
    return [int(np.sign(c)) if abs(c) > 1e-6 else 0 for c in v]


def signed_sum(X: Matrix, y: Array, c: Array) -> Array:
    r"""$\sum_i y_i (x_i, 1)$, every column scaled by `c` first: so it is in the range of floats."""
    total = np.zeros(len(c))
    for low in range(0, len(y), BLOCK):
        Z = X[low : low + BLOCK].astype(np.float64)
        Z = Z.multiply(c[:-1]) if sparse.issparse(Z) else Z * c[:-1]
        total[:-1] += y[low : low + BLOCK].astype(np.float64) @ Z
    total[-1] = y.sum(dtype=np.float64) * c[-1]
    return total


def brought_to_one(total: Array) -> Array:
    """The same direction, its largest entry 1."""
    size = abs(total).max()
    scaled: Array = total / size if size > 0 else total
    return scaled
