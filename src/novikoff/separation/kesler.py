r"""Kesler's construction: the perceptron of many classes as one of two, without building it.

Weights $w_c$ separate classes if $\langle w_y - w_r, (x_i, 1)\rangle > 0$ for every example $i$ of
class $y$ and every other class $r$: products with $n(K-1)$ vectors $z_{ir}$ of $K$ blocks,
with $(x_i, 1)$ in block $y$ and $-(x_i, 1)$ in block $r$. What is true of two classes is true
of these vectors: the verdicts, their proofs and the margin

$$\gamma^\star = \max_{\sum_c\|w_c\|^2 = 1}\,\min_{i, r}\,\langle w_y - w_r, (x_i, 1)\rangle.$$

Only the few vectors that matter are ever written down; the scores of the examples by the $K$ weight
vectors tell which.

References
----------
Duda, R. O. & Hart, P. E. (1973). Pattern Classification and Scene Analysis, section 5.12.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.inputs import as_rows, lengths_of
from novikoff.separation.exact import expansion, signs
from novikoff.separation.rounding import length_up

Array = npt.NDArray[Any]

ROUND = 2.0**-53
BLOCK = 1 << 22
"""How many scores to hold at a time."""


class Pairs(NamedTuple):
    """Some of the vectors of the construction: examples, and the classes they are not of."""

    rows: Array
    rivals: Array


class Labelled(NamedTuple):
    """Examples of many classes."""

    X: Any
    y: Array
    """The number of each example's class."""
    n_classes: int
    bias: bool

    @property
    def width(self) -> int:
        """How many coordinates the weights of a class have."""
        return int(self.X.shape[1]) + self.bias


def vectors(D: Labelled, pairs: Pairs, *, reduced: bool = False) -> Any:
    """The vectors $z_{ir}$ of these pairs, as rows of a sparse matrix.

    `reduced` leaves the block of the last class out: what separates can have zeros there.
    """
    X = sparse.csr_array(D.X[pairs.rows]).astype(np.float64)
    if D.bias:
        X = sparse.csr_array(sparse.hstack([X, np.ones((len(pairs.rows), 1))]))
    m, blocks = len(pairs.rows), D.n_classes - reduced
    per_row = np.diff(X.indptr)
    of = np.repeat(np.arange(m), per_row)
    own, other = D.y[pairs.rows][of].astype(np.int64), pairs.rivals[of].astype(np.int64)
    columns = np.concatenate([own * D.width + X.indices, other * D.width + X.indices])
    values, places = np.concatenate([X.data, -X.data]), np.concatenate([of, of])
    kept = columns < blocks * D.width
    shape = (m, blocks * D.width)
    Z = sparse.csr_array((values[kept], (places[kept], columns[kept])), shape=shape)
    Z.sort_indices()
    return Z


def weights(D: Labelled, flat: Any) -> Array:
    """One row of weights a class, the bias last, from the blocks of a vector."""
    W = np.asarray(flat, np.float64).reshape(D.n_classes, D.width)
    return W if D.bias else np.hstack([W, np.zeros((D.n_classes, 1))])


def leads(D: Labelled, W: Array) -> Iterator[tuple[slice, Array, Array]]:
    """For blocks of examples: by how much the right class leads each other, and the doubt in that.

    The doubt bounds the error of the sums in any order. It does not grow by columns in which all
    weights are 0, which add nothing. The lead of the right class over itself is infinite.
    """
    terms = int(W[:, :-1].any(axis=0).sum()) + 1
    n, step = len(D.y), max(1, BLOCK // D.n_classes)
    lengths, sizes = lengths_of(as_rows(D.X), n), np.linalg.norm(W[:, :-1], axis=1)
    for low in range(0, n, step):
        some = slice(low, min(n, low + step))
        with np.errstate(over="ignore", invalid="ignore"):
            S = D.X[some].astype(np.float64) @ W[:, :-1].T + W[:, -1]
            size = lengths[some, None] * sizes * (1 + 1e-9) + abs(W[:, -1])
            E = (terms + 8) * ROUND * size + 1e-300
            own = np.arange(S.shape[0]), D.y[some]
            lead = S[own][:, None] - S
            doubt = (E[own][:, None] + E) * (1 + 1e-9) + 2 * ROUND * abs(lead)
        lead[own], doubt[own] = np.inf, 0.0
        yield some, lead, np.where(np.isfinite(lead) | np.isposinf(lead), doubt, np.inf)


def lowest_lead(D: Labelled, W: Array, doubts: float) -> float:
    """No lead is less, with so many times the doubt in it subtracted."""
    low = np.inf
    for _, lead, doubt in leads(D, W):
        with np.errstate(invalid="ignore"):
            low = min(low, float(np.nan_to_num(lead - doubts * doubt, nan=-np.inf).min()))
    return low


def lower_end(D: Labelled, W: Array, doubts: float = 1.0) -> float:
    """A margin that these weights are certain to have, 0 if none is."""
    return margin_at_least(lowest_lead(D, W, doubts), W, D.bias)


def margin_at_least(low: float, W: Array, bias: bool) -> float:
    """The margin of weights by which no lead is less than `low`, 0 if that is not above 0."""
    flat = np.append(W[:, :-1].ravel(), W[:, -1] * bias)
    size = length_up(flat[flat != 0])  # the same, however many columns nobody uses
    return float(low / size * (1 - 4 * ROUND)) if low > 0 and 0 < size < np.inf else 0.0


def exact_signs(D: Labelled, W: list[list[Fraction]]) -> Iterator[tuple[Pairs, Array]]:
    """The exact signs of all leads, for every class and rival; the bias is last in rows of `W`."""
    for c in range(D.n_classes):
        rows = np.flatnonzero(D.y == c)
        X, ones = as_rows(D.X[rows]), np.ones(len(rows), np.int8)
        for r in range(D.n_classes):
            if r == c or not len(rows):
                continue
            difference = [p - q for p, q in zip(W[c], W[r], strict=True)]
            out = np.empty(len(rows), np.int8)
            signs(expansion(difference), X, ones, out)
            yield Pairs(rows, np.full(len(rows), r)), out


def in_fractions(
    D: Labelled, flat: list[Fraction], *, reduced: bool = False
) -> list[list[Fraction]]:
    """One row a class, the bias last, from the blocks of an exact vector."""
    flat = flat + [Fraction(0)] * (D.width * reduced)
    rows = [flat[c * D.width : (c + 1) * D.width] for c in range(D.n_classes)]
    return rows if D.bias else [[*row, Fraction(0)] for row in rows]


def separates(D: Labelled, W: Array) -> bool:
    """Has every example every other class strictly behind its own? Decided exactly."""
    if lowest_lead(D, W, 1.0) > 0:
        return True
    exact = [[Fraction(v) for v in row] for row in W.tolist()]
    return all((found > 0).all() for _, found in exact_signs(D, exact))
