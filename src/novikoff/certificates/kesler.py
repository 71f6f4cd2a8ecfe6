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
from dataclasses import dataclass, replace
from fractions import Fraction
from math import nan
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils.validation import check_consistent_length

from novikoff.certificates import widest
from novikoff.certificates.estimates import Everywhere, hold, is_proper
from novikoff.certificates.exact import (
    U_ROUND,
    Exact,
    combination,
    exact_row_signs,
    null_vectors,
    whole_rows,
)
from novikoff.certificates.geometry import as_examples, of_some_weight
from novikoff.certificates.rounding import length_up
from novikoff.certificates.two_classes import AllRows, Labelled, TwoClasses
from novikoff.errors import DataError
from novikoff.inputs.arrays import as_rows, lengths_of
from novikoff.inputs.labels import as_labels, known_by, numbered
from novikoff.typing import Array, Matrix, MatrixLike

if TYPE_CHECKING:
    from novikoff.certificates.certificate import Separability

BLOCK = 1 << 22
"""How many scores to hold at a time."""


def labelled(
    X: MatrixLike, y: ArrayLike, bias: bool, sample_weight: ArrayLike | None
) -> "tuple[TwoClasses | ManyClasses, Array]":
    """The examples that weigh something, and which of all they are."""
    X = as_examples(X)
    labels = as_labels(y)
    check_consistent_length(X, labels)
    X, labels, kept = of_some_weight(X, labels, sample_weight)
    if not len(kept):
        raise DataError(
            "The weight of every example is 0: make some of {sample_weight} larger.",
            sample_weight=None,
        )
    classes, numbers = numbered(labels)
    return examples(X, known_by(numbers, classes), len(classes), bias), kept


def examples(X: Matrix, y: Array, n_classes: int, bias: bool) -> "TwoClasses | ManyClasses":
    """Examples with signs, or with the numbers of more than two classes."""
    return (TwoClasses if n_classes == 2 else ManyClasses)(X, y, n_classes, bias)


def margin_of_lowest(low: Array, W: Array, bias: bool) -> float:
    """A margin certain for weights by which no score, or no lead, is lower; 0 if none is.

    For two classes the scores are those of either, without a bias if it is free.
    """
    if len(W) == 1:
        return max(0.0, widest.at_least(low, W[0], bias))
    flat = np.append(W[:, :-1].ravel(), W[:, -1] * bias)
    size = length_up(flat[flat != 0])  # the same, however many columns nobody uses
    least = float(low[0])
    return float(least / size * (1 - 4 * U_ROUND)) if least > 0 and 0 < size < np.inf else 0.0


@dataclass(frozen=True)
class ManyClasses(Labelled):
    """Examples of many classes. The vector $z_{ir}$ has the number $iK + r$."""

    @property
    def width(self) -> int:
        """How many coordinates the weights of a class have."""
        return int(self.X.shape[1]) + self.bias

    # ------------------------------------------------------ vectors

    def vectors(self, numbers: Array, *, reduced: bool = False) -> Matrix:
        """The vectors with these numbers, as rows of a sparse matrix.

        `reduced` leaves the block of the first class out: what separates can have zeros there.
        """
        m, width, gone = len(numbers), self.width, self.width * reduced
        rows, rivals = np.divmod(numbers, self.n_classes)
        X = sparse.csr_array(self.X[rows]).astype(np.float64)
        if self.bias:
            X = sparse.csr_array(sparse.hstack([X, np.ones((m, 1))]))
        of = np.repeat(np.arange(m), np.diff(X.indptr))
        own, other = self.y[rows][of].astype(np.int64), rivals[of]
        columns = np.concatenate([own * width + X.indices, other * width + X.indices])
        values, places = np.concatenate([X.data, -X.data]), np.concatenate([of, of])
        kept = columns >= gone
        shape = (m, self.n_classes * width - gone)
        Z = sparse.csr_array((values[kept], (places[kept], columns[kept] - gone)), shape=shape)
        Z.sort_indices()
        return Z

    def named(self, told: "Separability") -> list[object]:
        """Their rows and rivals; none if those are no pairs."""
        rows, rivals = told.rows, told.rivals
        if len(rows) != len(rivals) or not all(isinstance(i, int) for i in (*rows, *rivals)):
            return []
        pairs = list(zip(rows, rivals, strict=True))
        n, K = len(self.y), self.n_classes
        fit = all(0 <= i < n and 0 <= r < K and r != self.y[i] for i, r in pairs)
        return [*pairs] if fit else []

    def combination(self, told: "Separability", bias: bool) -> list[Fraction]:
        """That of the pairs; the bias is always a coordinate."""
        Z = self.vectors(np.array(told.rows) * self.n_classes + told.rivals)
        every = np.arange(len(told.rows))
        return combination(Z, np.ones(len(every), np.int8), every, told.multipliers, 0)

    def vanishing(self, rows: Array, rivals: Array) -> list[Exact]:
        """One row of weights a class, the first of which are 0."""
        Z, every = self.vectors(rows * self.n_classes + rivals, reduced=True), np.arange(len(rows))
        basis = null_vectors(whole_rows(Z, np.ones(len(rows), np.int8), every, False))
        return [self.weights(np.array([0] * self.width + n, object)) for n in basis]

    def against_first(self, numbers: Array) -> TwoClasses:
        """Some vectors as rows of a model in which the weights of the first class are 0."""
        Z = self.vectors(numbers, reduced=True)
        biases = range(self.width - 1, Z.shape[1], self.width) if self.bias else ()
        return TwoClasses(Z, np.ones(len(numbers), np.int8), 2, False, leading=tuple(biases))

    def less_first(self, W: Exact) -> Exact:
        """The weights of the other classes, less those of the first; and no bias."""
        blocks = (W[1:] - W[0])[:, : self.width]
        return np.array([*blocks.flat, Fraction(0)], object)

    @property
    def every_vector(self) -> Array:
        """The numbers of all vectors."""
        every = np.arange(len(self.y) * self.n_classes)
        rivals: Array = every[every % self.n_classes != np.repeat(self.y, self.n_classes)]
        return rivals

    def proved(self, told: "Separability", everywhere: AllRows) -> bool:
        """Those of every class but the first."""
        K, given = self.n_classes, told.estimates
        if not is_proper(given, len(self.y) * K):
            return False
        rows, rivals = ((), ()) if told.verdict == "separable" else (told.rows, told.rivals)
        proof = [row * K + rival for row, rival in zip(rows, rivals, strict=True)]
        numbers = np.unique(np.array([*proof, *given.rows], np.int64))
        if (numbers % K == self.y[numbers // K]).any():
            return False
        place = {int(number): k for k, number in enumerate(numbers)}
        exact = told.exact_witness()
        own = None if exact is None else self.less_first(exact)
        D = self.against_first(numbers)

        every = np.arange(self.X.shape[1])
        known = Everywhere(
            lambda W: everywhere.supports(self.whole_weights(W)),
            lambda W: everywhere.vanishes(every, [self.whole_weights(W)]),
            lambda columns: everywhere.vanishes(np.setdiff1d(every, columns % self.width), []),
        )
        return hold(given.renumbered(place), D, known, own, [place[row] for row in proof])

    def whole_weights(self, W: Exact) -> Exact:
        """Weights of all classes from those of all but the first."""
        return self.weights(np.array([*[Fraction(0)] * self.width, *W[:-1]], object))

    # ------------------------------------------------------ weights

    def weights(self, flat: Array) -> Array:
        """One row of weights a class, the bias last, from the blocks of a vector."""
        W = flat.reshape(self.n_classes, self.width)
        return W if self.bias else np.hstack([W, np.zeros((self.n_classes, 1), flat.dtype)])

    def leads(self, W: Array) -> Iterator[tuple[slice, Array, Array]]:
        """For blocks of examples: by how much the right class leads each other, and the doubt.

        The doubt bounds the error of the sums in any order. It does not grow by columns in which
        all weights are 0, which add nothing. The lead of the right class over itself is infinite.
        """
        terms = int(W[:, :-1].any(axis=0).sum()) + 1
        n, step = len(self.y), max(1, BLOCK // self.n_classes)
        lengths, sizes = lengths_of(as_rows(self.X), n), np.linalg.norm(W[:, :-1], axis=1)
        for low in range(0, n, step):
            some = slice(low, min(n, low + step))
            with np.errstate(over="ignore", invalid="ignore"):
                S = self.X[some].astype(np.float64) @ W[:, :-1].T + W[:, -1]
                size = lengths[some, None] * sizes * (1 + 1e-9) + abs(W[:, -1])
                E = (terms + 8) * U_ROUND * size + 1e-300
                own = np.arange(S.shape[0]), self.y[some]
                lead = S[own][:, None] - S
                doubt = (E[own][:, None] + E) * (1 + 1e-9) + 2 * U_ROUND * abs(lead)
            lead[own], doubt[own] = np.inf, 0.0
            yield some, lead, np.where(np.isfinite(lead) | np.isposinf(lead), doubt, np.inf)

    def least_margin(self, W: Array) -> float:
        """That of the lowest lead."""
        low, _, behind = self.in_front(W, with_bias=True, doubts=1.0)
        return nan if behind.any() else margin_of_lowest(low, W, self.bias)

    def exact_signs(self, W: Exact) -> Iterator[tuple[Array, int, Array]]:
        """For every class and rival: the examples of the class, and the exact signs of leads."""
        for c in range(self.n_classes):
            rows = np.flatnonzero(self.y == c)
            X, ones = self.X[rows], np.ones(len(rows), np.int8)
            for r in range(self.n_classes):
                if r != c and len(rows):
                    yield rows, r, exact_row_signs(W[c] - W[r], X, ones)

    def signs(self, W: Exact) -> tuple[Array, Array]:
        """Of the leads over all rivals."""
        low, high = np.ones(len(self.y), np.int8), -np.ones(len(self.y), np.int8)
        for rows, _, found in self.exact_signs(W):
            low[rows] = np.minimum(low[rows], found)
            high[rows] = np.maximum(high[rows], found)
        return low, high

    def least_exact_margin(self, W: Exact) -> float:
        """That of the lowest lead."""
        lowest = min(
            widest.lowest_exact_score(self.X[rows], np.ones(len(rows), np.int8), W[c] - W[r])
            for c in range(self.n_classes)
            if len(rows := np.flatnonzero(self.y == c))
            for r in range(self.n_classes)
            if r != c
        )
        return widest.ratio_down(lowest, W.ravel()) if lowest > 0 else nan

    def in_front(self, W: Array, *, with_bias: bool, doubts: float) -> tuple[Array, Array, Array]:
        """The lowest lead, and those of all rows."""
        s, sure, low = np.empty(len(self.y)), np.zeros(len(self.y), bool), np.inf
        for some, lead, doubt in self.leads(W):
            with np.errstate(invalid="ignore"):
                s[some] = np.nan_to_num(lead, nan=-np.inf).min(axis=1)
                sure[some] = (lead - doubt > 0).all(axis=1)
                low = min(low, float(np.nan_to_num(lead - doubts * doubt, nan=-np.inf).min()))
        behind, open_ = np.zeros(len(s), bool), np.flatnonzero(~sure)
        unsure = replace(self, X=self.X[open_], y=self.y[open_])
        exact = np.array([[Fraction(v) for v in row] for row in W.tolist()], object)
        behind[open_] = unsure.signs(exact)[0] <= 0
        return np.array([low]), s, behind
