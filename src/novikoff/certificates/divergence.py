"""The search for what becomes of coefficients (`estimates.py`), among rows at hand or all."""

from collections.abc import Iterable
from fractions import Fraction
from math import gcd
from typing import NamedTuple, Protocol

import numpy as np
from flint import fmpz_mat
from scipy.optimize import linprog

from novikoff.certificates.estimates import (
    Columns,
    Estimates,
    Push,
    basis_of,
    chosen,
    columns_on,
    in_kept,
    without,
)
from novikoff.certificates.exact import Exact, in_whole_numbers, unit_vectors, whole_rows
from novikoff.certificates.exact_hull import products
from novikoff.certificates.geometry import nearby
from novikoff.certificates.search import Undecided, unit_rows
from novikoff.certificates.simplex import Inside, in_cone
from novikoff.certificates.two_classes import TwoClasses
from novikoff.core.clock import now
from novikoff.typing import Array

WIDE = 1000
"""Past so many coefficients nothing is said of them."""
FEW = 4
"""In so few dimensions no floats are asked first."""


class Known(Protocol):
    """Rows at hand, and whoever knows the others."""

    @property
    def rows(self) -> TwoClasses:
        """The rows at hand."""

    @property
    def numbers(self) -> Array:
        """Which they are of all."""

    def wrong(self, W: Exact) -> bool:
        """Are rows on the wrong side of these weights? Some of them are at hand from now on."""

    def missed(self, W: Exact) -> bool:
        """Do rows not vanish on these weights? Some of them are at hand from now on."""


class AllKnown:
    """All rows are here, and some of them at hand: these, and a few to begin with."""

    def __init__(self, D: TwoClasses, numbers: Array) -> None:
        self.D, self.most = D, 2 * D.X.shape[1] + 100
        self.numbers = np.union1d(numbers, np.arange(min(len(D.y), self.most)))

    @property
    def rows(self) -> TwoClasses:
        return self.D.some(self.numbers)

    def take(self, found: Array) -> bool:
        """Have some of these rows at hand; were there any?"""
        self.numbers = np.union1d(self.numbers, np.flatnonzero(found)[: self.most])
        return bool(found.any())

    def wrong(self, W: Exact) -> bool:
        signs = self.D.signs(W)[0]
        return self.take(np.where(self.D.equal, signs != 0, signs < 0))

    def missed(self, W: Exact) -> bool:
        return self.take(self.D.signs(W)[0] != 0)


def columns_of(known: Known, deadline: float) -> Columns:
    """Tell the columns that are combinations of columns before them from the others."""
    while True:
        if now() > deadline:
            raise Undecided
        D = known.rows
        found = columns_on(D, np.arange(len(D.y)))
        missed = [known.missed(W[None]) for _, W in found.nulls]
        if not any(missed):
            return found


def estimates(known: Known, witness: Array | None, proof: Array, deadline: float) -> Estimates:
    """What becomes of each coefficient, given a witness that has all separated rows strictly so.

    `proof` are the rows that prove that no others are separated; they are at hand.
    """
    D = known.rows
    nothing = Estimates(("undecided",) * (D.X.shape[1] + D.bias))
    if len(nothing.kinds) > WIDE:
        return nothing
    try:
        return Judgement(known, columns_of(known, deadline), witness, proof, deadline).run()
    except (Undecided, OverflowError, TimeoutError):
        return nothing


class AtHand(NamedTuple):
    """Separated rows that are at hand."""

    n: int
    """How many rows are, of all kinds."""
    places: list[int]
    """Which of them these are."""
    vectors: list[list[int]]
    """Their products with the basis, in whole numbers,"""
    multiples: list[Fraction]
    """and what these were multiplied by."""
    tops: list[int]
    """A power of two above the sizes of each coordinate of these."""
    A: Array
    """The vectors in floats, every coordinate divided by that."""
    strict: list[Fraction]
    """The scores that the witness, in whole numbers, gives them, as multiplied."""


class Judgement:
    """The search for what becomes of the coefficients."""

    def __init__(
        self,
        known: Known,
        columns: Columns,
        witness: Array | None,
        proof: Array,
        deadline: float,
    ) -> None:
        self.known, self.columns, self.deadline = known, columns, deadline
        self.width = known.rows.X.shape[1] + 1
        self.kinds = ["aliased"] * (self.width - 1 + known.rows.bias)
        self.spanning = known.numbers[columns.spanning]
        self.directions: list[Exact] = []
        self.pushes: list[Push] = []
        self.seen: AtHand | None = None
        if len(proof):
            places = np.searchsorted(known.numbers, proof)
            self.basis = basis_of(known.rows, columns.kept, places)
        else:
            self.basis = nearby_basis(in_kept(known.rows, columns.kept))
        self.witness = None
        if witness is not None:
            self.witness = without(columns.nulls, np.asarray(witness))

    def run(self) -> Estimates:
        """What becomes of each."""
        for place, j in enumerate(self.columns.kept.tolist()):
            if now() > self.deadline:
                raise Undecided
            if self.witness is None or not any(n[place] for n in self.basis):
                self.kinds[j] = "finite"
            elif self.is_open(place, j):
                self.kinds[j] = "inf"
            else:
                self.kinds[j] = "+inf" if self.witness[j] > 0 else "-inf"
        directions = [tuple((j, f) for j, f in enumerate(W) if f) for W in self.directions]
        return Estimates(
            tuple(self.kinds), tuple(self.spanning.tolist()), tuple(directions), tuple(self.pushes)
        )

    def is_open(self, place: int, j: int) -> bool:
        """Does some direction have another sign there than the witness? If none has, say why."""
        witness = self.witness
        assert witness is not None
        sign = 1 if witness[j] > 0 else -1
        if not witness[j]:
            return self.both_sides(witness, place)
        if any(d[j] * sign < 0 for d in self.directions):
            return True
        floats = len(self.basis) > FEW
        while True:
            at_hand = self.at_hand(witness)
            start: list[int] = []
            if floats:
                turned, start = self.in_floats(at_hand, witness, place, sign)
                if turned is not None and turned[j] * sign < 0:
                    if not self.known.wrong(turned[None]):
                        self.directions.append(turned)
                        return True
                    floats = len(self.known.numbers) > at_hand.n  # else they cannot tell
                    continue
            f = [sign * n[place] for n in self.basis]
            found = in_cone(at_hand.vectors, f, start, self.deadline)
            if isinstance(found, Inside):
                rows = chosen(self.known.numbers, (at_hand.places[k] for k in found.members))
                pairs = zip(found.members, found.multipliers, strict=True)
                shares = tuple(share * at_hand.multiples[k] for k, share in pairs)
                self.pushes.append(Push(j, rows, shares))
                return False
            turned = self.whole_direction(combined(found.normal, self.basis))
            if not self.known.wrong(turned[None]):
                self.directions.append(turned)
                return True

    def at_hand(self, witness: Exact) -> "AtHand":
        """The separated rows at hand, by their products with the basis."""
        n = len(self.known.numbers)
        if self.seen is None or self.seen.n < n:
            D = in_kept(self.known.rows, self.columns.kept)
            Z = whole_rows(D.X, D.y, np.arange(n), D.bias)
            every = products(Z, self.basis, self.deadline)
            places = [k for k, u in enumerate(every) if any(u) and not D.equal[k]]
            commons = [gcd(*every[k]) for k in places]
            vectors = [
                [v // common for v in every[k]] for k, common in zip(places, commons, strict=True)
            ]
            multiples = [Fraction(max(Z.scales), common) for common in commons]
            tops = [
                1 << max(abs(u[b]) for u in vectors).bit_length() for b in range(len(self.basis))
            ]
            A = np.array([[v / top for v, top in zip(u, tops, strict=True)] for u in vectors])
            W = [in_whole_numbers(witness[self.columns.kept])[0]]
            strict = [products_of[0] for products_of in products(Z, W, self.deadline)]
            sizes = [Fraction(strict[k], common) for k, common in zip(places, commons, strict=True)]
            self.seen = AtHand(n, places, vectors, multiples, tops, A, sizes)
        return self.seen

    def both_sides(self, witness: Exact, place: int) -> bool:
        """Step to either side of a witness that has 0 there."""
        n = next(n for n in self.basis if n[place])
        step, share = self.whole_direction(np.array(n, object)), Fraction(1)
        top = max(abs(f) for f in witness) / max(abs(f) for f in step)
        for _ in range(1000):
            share /= 16
            both = [witness + sign * share * top * step for sign in (1, -1)]
            wrong = [self.known.wrong(W[None]) for W in both]
            if not any(wrong):
                self.directions += both
                return True
        raise Undecided

    def in_floats(
        self, at_hand: "AtHand", witness: Exact, place: int, sign: int
    ) -> tuple[Exact | None, list[int]]:
        """A direction that may turn the sign; or the rows that may be why there is none."""
        A, tops = unit_rows(at_hand.A), at_hand.tops
        top = max(Fraction(abs(n[place]), t) for n, t in zip(self.basis, tops, strict=True))
        goal = [
            sign * float(Fraction(n[place], t) / top) for n, t in zip(self.basis, tops, strict=True)
        ]
        solved = linprog(goal, A_ub=-A, b_ub=np.zeros(len(A)), bounds=(-1, 1), method="highs")
        if solved.x is None:
            return None, []
        start = np.flatnonzero(-solved.ineqlin.marginals > 1e-9).tolist()
        if not solved.fun < -1e-7:
            return None, start
        turned = self.whole_direction(
            combined([Fraction(f) / t for f, t in zip(solved.x, tops, strict=True)], self.basis)
        )
        # some rows may be behind it, by rounding: enough of the witness puts them right
        scores = at_hand.A @ solved.x
        behind = np.flatnonzero(scores < 0)
        share = max((Fraction(-scores[k]) / at_hand.strict[k] for k in behind), default=Fraction(0))
        times = in_whole_numbers(witness[self.columns.kept])[1]
        return turned + 2 * share * times * witness, start

    def whole_direction(self, narrow: Exact) -> Exact:
        """A direction in all columns, 0 for those aliased."""
        W = np.full(self.width, Fraction(0))
        W[self.columns.kept] = narrow
        return W


def combined(parts: Iterable[Fraction | int], basis: list[list[int]]) -> Exact:
    """The sum of vectors, multiplied."""
    whole, common = in_whole_numbers(parts)
    found = fmpz_mat([whole]) * fmpz_mat(basis)
    return np.array([Fraction(int(found[0, j]), common) for j in range(found.ncols())], object)


def nearby_basis(D: TwoClasses) -> list[list[int]]:
    """A basis of all directions in which rows have short numbers, if they differ by little."""
    d = D.X.shape[1]
    basis = unit_vectors(d + D.bias)
    if D.bias:
        for j, f in enumerate(nearby(D.X)[1].tolist()):
            times, whole = Fraction(f).denominator, Fraction(f).numerator
            basis[j][j], basis[j][d] = times, -whole
    return basis
