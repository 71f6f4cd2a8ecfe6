r"""Labelled examples, and what a certificate says of them.

Weights are rows, the bias last: one row for two classes, and one a class for more
(`novikoff.certificates.kesler`). With a vector $z$ of a proof is meant $y_i(x_i, 1)$, and $y_i x_i$
without a bias; of more than two classes the vector of an example and a rival.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, nan
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from novikoff.certificates import widest
from novikoff.certificates.estimates import Everywhere, hold
from novikoff.certificates.exact import (
    Exact,
    combination,
    exact_row_signs,
    lowest_scores,
    null_vectors,
    rounded_to_floats,
    row_signs,
    whole_rows,
)
from novikoff.certificates.geometry import (
    in_columns,
    longest,
    raw_scores,
    reaching_beyond,
    used_columns,
)
from novikoff.inputs.arrays import as_rows
from novikoff.typing import Array, Matrix

if TYPE_CHECKING:
    from novikoff.certificates.certificate import Separability


class AllRows(Protocol):
    """What a certificate says of all rows, wherever they are."""

    def least_margin(self, W: Array) -> float:
        """A margin that these weights are certain to have.

        NaN unless they have every vector strictly on their side, which is decided exactly.
        """

    def least_exact_margin(self, W: Exact) -> float:
        """The same of exact weights."""

    def supports(self, W: Exact) -> bool:
        """Are the weights nowhere on the wrong side, and somewhere on the right one?"""

    def vanishes(self, used: Array, basis: list[Exact]) -> bool:
        """Are all rows 0 outside of these columns, and on all of these weights for them?"""


@dataclass(frozen=True)
class Labelled(ABC):
    """Examples and their classes (abstract)."""

    X: Matrix
    y: Array
    """Signs, or the numbers of more than two classes."""
    n_classes: int
    bias: bool

    @property
    def kind_of_bias(self) -> str:
        """As those who look for the widest separator call it."""
        return "free" if self.bias else "none"

    @property
    def longest(self) -> float:
        """The length of the longest example, before a bias joins it."""
        return longest(self.X)

    def in_used_columns(self) -> tuple[Self, Array | None]:
        """The same in the columns that some row uses, and which those are; None for all."""
        used = used_columns(self.X)
        if len(used) == self.X.shape[1]:
            return self, None
        return replace(self, X=in_columns(self.X, used)), used

    # ------------------------------------------------------ what is stated

    def stated(self, told: "Separability") -> Array | None:
        """The weights of a certificate, if they fit the data."""
        if told.coef is None or told.intercept is None:
            return None
        coef, intercept = np.asarray(told.coef), np.asarray(told.intercept)
        rows = () if self.n_classes == 2 else (self.n_classes,)
        if coef.shape != (*rows, self.X.shape[1]) or intercept.shape != rows:
            return None
        W = told.weights
        return W if np.isfinite(W).all() and (self.bias or not intercept.any()) else None

    def exactly_stated(self, told: "Separability") -> Exact | None:
        """The exact witness, if it fits the data and its rounding is what is stated."""
        W = self.stated(told)
        if W is None or told.witness is None or len(told.witness) != W.size:
            return None
        exact = told.exact_weights
        if not np.array_equal(W, rounded_to_floats(exact)):
            return None
        return exact if self.bias or not exact[:, -1].any() else None

    def proper(self, told: "Separability") -> bool:
        """Are these multipliers of distinct vectors, above 0, that sum to 1?"""
        rows, p = told.rows, told.multipliers
        return (
            len(rows) == len(p) == len(set(self.named(told))) > 0
            and all(isinstance(i, int) and 0 <= i < len(self.y) for i in rows)
            and all(isinstance(share, Fraction) and share > 0 for share in p)
            and sum(p) == 1
        )

    @abstractmethod
    def named(self, told: "Separability") -> list[object]:
        """What tells the vectors of a proof apart."""

    # ------------------------------------------------------ what is true

    @abstractmethod
    def combination(self, told: "Separability", bias: bool) -> list[Fraction]:
        r"""The entries of $\sum p z$ that are not 0, exactly; with that of the bias or without."""

    def cancels(self, told: "Separability") -> bool:
        """Do the vectors of the proof, times their multipliers, add up to 0?"""
        return not self.combination(told, self.bias)

    def upper_end(self, told: "Separability") -> float:
        r"""The upper end of the margin that the multipliers prove: $\|\sum p z\|$."""
        return widest.exact_length_up(self.combination(told, False))

    @abstractmethod
    def vanishing(self, rows: Array, rivals: Array) -> list[Exact]:
        """A basis of the weights on which these vectors vanish."""

    @abstractmethod
    def signs(self, W: Exact) -> tuple[Array, Array]:
        """The lowest and the highest exact sign of every row's vectors."""

    def supports(self, W: Exact) -> bool:
        """Are the weights nowhere on the wrong side, and somewhere on the right one?"""
        low, high = self.signs(W)
        return bool((low >= 0).all() and (high > 0).any())

    @abstractmethod
    def least_margin(self, W: Array) -> float:
        """A margin that these weights are certain to have; NaN unless they separate, exactly."""

    @abstractmethod
    def least_exact_margin(self, W: Exact) -> float:
        """The same of exact weights."""

    def vanishing_on(self, told: "Separability") -> tuple[Array, list[Exact]]:
        """The columns that a proof's rows use, and a basis of the weights it vanishes on there."""
        rows = np.array(told.rows)
        X, used = self.X[rows], used_columns(self.X[rows])
        D = replace(self, X=in_columns(X, used), y=self.y[rows])
        return used, D.vanishing(np.arange(len(rows)), np.array(told.rivals, np.int64))

    def vanishes(self, used: Array, basis: list[Exact]) -> bool:
        """Are all rows 0 outside of these columns, and on all of these weights for them?"""
        if reaching_beyond(self.X, used).any():
            return False
        D = replace(self, X=in_columns(self.X, used)) if basis else self
        return not any(np.any(D.signs(W)) for W in basis)

    @abstractmethod
    def proved(self, told: "Separability", everywhere: AllRows) -> bool:
        """Is what a certificate says of the coefficients proved, if the rest of it is true?"""

    @abstractmethod
    def in_front(self, W: Array, *, with_bias: bool, doubts: float) -> tuple[Array, Array, Array]:
        """The lowest scores or leads, those of all rows, and which rows are not in front.

        The last is decided exactly. Without the bias `lowest` are those of the other weights alone.
        `doubts` is how many times the doubt in a lead is subtracted from the lowest one.
        """


@dataclass(frozen=True)
class TwoClasses(Labelled):
    """Examples with signs."""

    equations: Array | None = None
    """Which rows are to have a score of 0 (`novikoff.regression`); None for none."""
    leading: tuple[int, ...] = ()
    """Columns that come first where some depend on others; a bias always does."""

    @property
    def order(self) -> list[int]:
        """The columns, that of the bias among them, in the order in which they count."""
        first = [self.X.shape[1]] * self.bias + [*self.leading]
        return [*first, *sorted({*range(self.X.shape[1])} - {*self.leading})]

    @property
    def equal(self) -> Array:
        """Which rows are equations."""
        return np.zeros(len(self.y), bool) if self.equations is None else self.equations

    def some(self, rows: Array) -> "TwoClasses":
        """Some of the rows."""
        of = None if self.equations is None else self.equations[rows]
        return replace(self, X=self.X[rows], y=self.y[rows], equations=of)

    def named(self, told: "Separability") -> list[object]:
        """Their rows."""
        return [*told.rows]

    def combination(self, told: "Separability", bias: bool) -> list[Fraction]:
        """That of the rows."""
        return combination(self.X, self.y, np.array(told.rows), told.multipliers, int(bias))

    def upper_end(self, told: "Separability") -> float:
        """The same if both classes weigh the same, or a bias tells them apart without a margin."""
        signs = self.y[np.array(told.rows)].tolist()
        if self.bias and sum(p * t for p, t in zip(told.multipliers, signs, strict=True)) != 0:
            return inf
        return super().upper_end(told)

    def vanishing(self, rows: Array, rivals: Array) -> list[Exact]:
        """One row of weights each."""
        basis = null_vectors(whole_rows(self.X, self.y, rows, self.bias))
        return [np.array([n + [0] * (not self.bias)], object) for n in basis]

    def signs(self, W: Exact) -> tuple[Array, Array]:
        """Both are the sign of the score."""
        found = exact_row_signs(W[0], self.X, self.y)
        return found, found

    def least_margin(self, W: Array) -> float:
        """The geometric margin."""
        if not (row_signs(W, self.X, self.y) > 0).all():
            return nan
        return widest.lower_end(self.X, self.y, W[0], self.kind_of_bias)

    def least_exact_margin(self, W: Exact) -> float:
        """The least score, divided by the length of the weights without a bias."""
        low = widest.lowest_exact_score(self.X, self.y, W[0])
        return widest.ratio_down(low, W[0, :-1]) if low > 0 else nan

    def in_front(self, W: Array, *, with_bias: bool, doubts: float) -> tuple[Array, Array, Array]:
        """The lowest scores are those of either class."""
        v, rows, s = W[0], as_rows(self.X), np.empty(len(self.y))
        raw_scores(v[:-1], rows, len(self.y), s)
        low = lowest_scores(np.append(v[:-1], v[-1] * with_bias), rows, self.y)
        return low, self.y * (s + v[-1]), row_signs(W, self.X, self.y) <= 0

    def proved(self, told: "Separability", everywhere: AllRows) -> bool:
        """Those of the columns, and of the bias."""
        exact, every = told.exact_witness(), np.arange(self.X.shape[1])
        known = Everywhere(
            lambda W: everywhere.supports(W[None]),
            lambda W: everywhere.vanishes(every, [W[None]]),
            lambda columns: everywhere.vanishes(np.setdiff1d(every, columns), []),
        )
        proof = () if told.verdict == "separable" else told.rows
        return hold(told.estimates, self, known, None if exact is None else exact[0], proof)


def weights_of(coef: ArrayLike | None, intercept: ArrayLike | None) -> Array:
    """One row of weights, or one for each class, the bias last."""
    rows = np.atleast_2d(np.asarray(coef))
    biases = np.broadcast_to(np.reshape(np.asarray(intercept), (-1, 1)), (len(rows), 1))
    return np.hstack([rows, biases])
