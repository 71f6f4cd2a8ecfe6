"""What a shard of the examples can be asked, and what it answers."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from novikoff.inputs import as_rows
from novikoff.separation import divergence
from novikoff.separation.exact import Exact
from novikoff.separation.geometry import column_peaks, cosines, longest
from novikoff.separation.search import scales
from novikoff.separation.sharded.protocol import Given, Piece, Problem, given, reaching_beyond, seen
from novikoff.typing import Array


def lowest_of(scores: Array, among: Array, known: Array, most: int) -> Array:
    """The rows of lowest score among some that are not known, at most so many."""
    among = among.copy()
    among[known] = False
    rows = np.flatnonzero(among)
    return rows[np.argsort(scores[rows], kind="stable")[:most]]


class Surveyed(NamedTuple):
    """What a shard is."""

    n: int
    width: int
    sparse: bool
    labels: Array
    """Those that occur, sorted."""
    longest: float
    columns: Array | None
    """Those that some row has an entry in; None if they are many."""
    wrong: str | None


@dataclass(frozen=True)
class Survey:
    """What is there?"""

    def __call__(self, shard: Piece, numbers: Array) -> Surveyed:
        """The size of the shard, its labels and its columns."""
        X = shard.X
        columns = np.unique(X.indices) if sparse.issparse(X) else np.flatnonzero(X.any(axis=0))
        few = columns if len(columns) <= divergence.WIDE else None
        reach = float(longest(as_rows(X), X.shape[0]))
        labels = np.unique(shard.y)
        return Surveyed(X.shape[0], X.shape[1], sparse.issparse(X), labels, reach, few, shard.wrong)


@dataclass(frozen=True)
class First:
    """Which rows of every class may I begin with?"""

    problem: Problem
    each: int

    def __call__(self, shard: Piece, numbers: Array) -> Given:
        """As many rows of every class, evenly spread."""
        chosen = [np.zeros(0, np.int64)]
        for label in self.problem.classes:
            rows = np.flatnonzero(shard.y == label)
            places = np.linspace(0, len(rows) - 1, min(self.each, len(rows))).astype(np.int64)
            chosen.append(rows[places])
        return given(shard, self.problem, np.sort(np.concatenate(chosen)))


@dataclass(frozen=True)
class Named:
    """What are the rows of these numbers?"""

    problem: Problem

    def __call__(self, shard: Piece, numbers: Array) -> Given:
        """These rows."""
        return given(shard, self.problem, numbers)


class Measured(NamedTuple):
    """How a hyperplane does on a shard."""

    low: Array
    """No score of either class is lower; of more classes, no lead is."""
    strict: bool
    """Is every row strictly on its side? Decided exactly."""
    given: Given


@dataclass(frozen=True)
class Margins:
    """Which rows are behind these weights, or less than `limit` in front of them?"""

    problem: Problem
    used: Array | None
    W: Array
    """One row of weights, or one for each class, for the used columns, and the bias."""
    limit: float
    most: int
    with_bias: bool = True
    """Are the lowest scores those with the bias?"""
    doubts: float = 3.0
    """How many times the doubt in a lead is subtracted from the lowest one.

    Summed in another order leads may differ by the doubt in them, and who states a margin
    leaves room for that; who checks one does not.
    """

    def __call__(self, shard: Piece, numbers: Array) -> Measured:
        """The lowest scores, whether all are strictly in front, and the rows least in front."""
        D = seen(shard, self.problem, self.used)
        low, s, behind = D.in_front(self.W, with_bias=self.with_bias, doubts=self.doubts)
        rows = lowest_of(s, behind | (s < self.limit), numbers, self.most)
        return Measured(low, not behind.any(), given(shard, self.problem, rows))


class Sided(NamedTuple):
    """On which sides of a hyperplane the rows of a shard are."""

    lowest: int
    highest: int
    given: Given


@dataclass(frozen=True)
class Sides:
    """Which rows are on the wrong side of these exact weights?"""

    problem: Problem
    used: Array | None
    W: Exact
    most: int

    def __call__(self, shard: Piece, numbers: Array) -> Sided:
        """The lowest and highest sign there is, and some rows of sign -1."""
        low, high = seen(shard, self.problem, self.used).signs(self.W)
        rows = lowest_of(low, low < 0, numbers, self.most)
        return Sided(
            int(low.min(initial=1)), int(high.max(initial=-1)), given(shard, self.problem, rows)
        )


class Spanned(NamedTuple):
    """Whether rows of a shard are in the span of others."""

    beyond: bool
    """Has any an entry in another column?"""
    met: Array
    """On which of the vectors some do not vanish."""
    given: Given


@dataclass(frozen=True)
class Span:
    """Which rows have an entry in another column, or do not vanish on these vectors?"""

    problem: Problem
    used: Array | None
    vectors: list[Exact]
    most: int

    def __call__(self, shard: Piece, numbers: Array) -> Spanned:
        """Some rows of either kind, if there are any."""
        D = seen(shard, self.problem, self.used)
        beyond, known = reaching_beyond(shard.X, self.used), np.zeros(len(D.y), bool)
        known[numbers] = True
        rows = [np.flatnonzero(beyond & ~known)[: self.most]]
        each = max(1, self.most // max(1, len(self.vectors)))
        met = np.zeros(len(self.vectors), bool)
        for k, W in enumerate(self.vectors):
            low, high = D.signs(W)
            off = (low != 0) | (high != 0)
            met[k] = off.any()
            known[np.concatenate(rows)] = True
            rows.append(np.flatnonzero(off & ~known)[:each])
        chosen = np.sort(np.concatenate(rows)[: self.most])
        return Spanned(bool(beyond.any()), met, given(shard, self.problem, chosen))


@dataclass(frozen=True)
class Sums:
    """What do the labelled rows add up to, and how large are the values of each column?"""

    problem: Problem
    used: Array | None

    def __call__(self, shard: Piece, numbers: Array) -> tuple[Array, Array]:
        """The sum, scaled by the largest sizes, the bias last; and these."""
        D = seen(shard, self.problem, self.used)
        peaks = np.zeros(D.X.shape[1] + 1)
        column_peaks(as_rows(D.X), len(D.y), peaks)
        return divergence.signed_sum(D.X, D.y, scales(peaks, True)), peaks


@dataclass(frozen=True)
class Products:
    """What are the products of the columns, in rows scaled by `c` to unit length?"""

    problem: Problem
    used: Array | None
    c: Array
    m: int

    def __call__(self, shard: Piece, numbers: Array) -> Array:
        """Those of the first `m`."""
        D = seen(shard, self.problem, self.used)
        return divergence.products(D.X, D.y, self.c, self.m)


@dataclass(frozen=True)
class Cosines:
    """Which rows, scaled by `c`, are on the wrong side of these weights by more than rounding?"""

    problem: Problem
    used: Array | None
    v: Array
    c: Array
    most: int

    def __call__(self, shard: Piece, numbers: Array) -> Given:
        """Some of them."""
        D = seen(shard, self.problem, self.used)
        scores = np.empty(len(D.y))
        cosines(self.v, self.c, as_rows(D.X), D.y, scores)
        rows = lowest_of(scores, scores < divergence.WRONG, numbers, self.most)
        return given(shard, self.problem, rows)
