"""What a shard of the examples can be asked, and what it answers.

The last arguments of each are the shard, and the numbers of rows that whoever asks has already.
Those before say what it is about, and are bound by `functools.partial`: the problem, the columns in
use (None for all), weights for these with the bias last, how many rows to send at the most.
"""

from math import inf
from typing import NamedTuple

import numpy as np
from scipy import sparse

from novikoff.certificates import divergence
from novikoff.certificates.exact import Exact
from novikoff.certificates.geometry import longest, reaching_beyond
from novikoff.certificates.sharded.protocol import Given, Piece, Problem, given, seen
from novikoff.typing import Array


def lowest_of(scores: Array, among: Array, most: int) -> Array:
    """Where the lowest scores are among some, at most so many."""
    rows = np.flatnonzero(among)
    return rows[np.argsort(scores[rows], kind="stable")[:most]]


class Surveyed(NamedTuple):
    """What a shard is."""

    n: int
    """How many examples it has."""
    n_rows: int
    """How many rows it counts, with those of weight 0."""
    width: int
    sparse: bool
    labels: Array
    """Those that occur, sorted."""
    longest: float
    columns: Array | None
    """Those that some row has an entry in; None if they are many."""


def survey(shard: Piece, numbers: Array) -> Surveyed:
    """What is there?"""
    X = shard.X
    columns = np.unique(X.indices) if sparse.issparse(X) else np.flatnonzero(X.any(axis=0))
    few = columns if len(columns) <= divergence.WIDE else None
    labels = np.unique(shard.y)
    return Surveyed(len(shard.y), shard.n, X.shape[1], sparse.issparse(X), labels, longest(X), few)


def fetched(problem: Problem, shard: Piece, numbers: Array) -> Given:
    """Which examples have these numbers? Rows of weight 0 are none."""
    return given(problem, shard, np.flatnonzero(np.isin(shard.numbers, numbers)))


def first(problem: Problem, each: int, shard: Piece, numbers: Array) -> Given:
    """Which rows of every class may I begin with? So many of each, evenly spread."""
    chosen = [np.zeros(0, np.int64)]
    for label in problem.classes:
        rows = np.flatnonzero(shard.y == label)
        chosen.append(rows[np.linspace(0, len(rows) - 1, min(each, len(rows))).astype(np.int64)])
    return given(problem, shard, np.sort(np.concatenate(chosen)))


class Measured(NamedTuple):
    """How a hyperplane does on a shard."""

    low: Array
    """No score of either class is lower; of more classes, no lead is."""
    strict: bool
    """Is every row strictly on its side? Decided exactly."""
    given: Given


def margins(
    problem: Problem,
    used: Array | None,
    W: Array,
    limit: float,
    most: int,
    shard: Piece,
    numbers: Array,
    *,
    with_bias: bool = True,
    doubts: float = 3.0,
) -> Measured:
    """Which rows are behind these weights, or less than `limit` in front of them?

    `with_bias` says if the lowest scores are those with the bias. `doubts` is how many times the
    doubt in a lead is subtracted from the lowest one: summed in another order leads may differ by
    the doubt in them, and who states a margin leaves room for that; who checks one does not.
    """
    low, s, behind = seen(problem, used, shard).in_front(W, with_bias=with_bias, doubts=doubts)
    rows = lowest_of(s, (behind | (s < limit)) & shard.unknown(numbers), most)
    return Measured(low, not behind.any(), given(problem, shard, rows))


class Sided(NamedTuple):
    """On which sides of a hyperplane the rows of a shard are: the lowest and the highest sign."""

    lowest: int
    highest: int
    given: Given


def sides(
    problem: Problem, used: Array | None, W: Exact, most: int, shard: Piece, numbers: Array
) -> Sided:
    """Which rows are on the wrong side of these exact weights?"""
    low, high = seen(problem, used, shard).signs(W)
    rows = lowest_of(low, (low < 0) & shard.unknown(numbers), most)
    sent = given(problem, shard, rows)
    return Sided(int(low.min(initial=1)), int(high.max(initial=-1)), sent)


def untouched(
    problem: Problem,
    used: Array,
    W: Exact,
    basis: list[Exact],
    most: int,
    shard: Piece,
    numbers: Array,
) -> Given:
    """Which rows are on the hyperplane of these weights, and need not be, by those of the basis?"""
    D, beyond = seen(problem, used, shard), reaching_beyond(shard.X, used)
    free = beyond.copy()
    for n in basis:
        low, high = D.signs(n)
        free |= (low != 0) | (high != 0)
    free &= (D.signs(W)[0] == 0) & shard.unknown(numbers)
    return given(problem, shard, np.flatnonzero(free)[:most])


class Spanned(NamedTuple):
    """Whether rows of a shard are in the span of others."""

    beyond: bool
    """Has any an entry in another column?"""
    met: Array
    """On which of the vectors some do not vanish."""
    given: Given


def span(
    problem: Problem, used: Array, basis: list[Exact], most: int, shard: Piece, numbers: Array
) -> Spanned:
    """Which rows have an entry in another column, or do not vanish on these weights?"""
    D, beyond = seen(problem, used, shard), reaching_beyond(shard.X, used)
    unknown, met = shard.unknown(numbers), np.zeros(len(basis), bool)
    rows = [np.flatnonzero(beyond & unknown)[:most]]
    each = max(1, most // max(1, len(basis)))
    for k, W in enumerate(basis):
        low, high = D.signs(W)
        off = (low != 0) | (high != 0)
        met[k] = off.any()
        unknown[np.concatenate(rows)] = False
        rows.append(np.flatnonzero(off & unknown)[:each])
    chosen = np.sort(np.concatenate(rows)[:most])
    return Spanned(bool(beyond.any()), met, given(problem, shard, chosen))


def exact_margin(problem: Problem, W: Exact, shard: Piece, numbers: Array) -> float:
    """What margin are these exact weights certain to have? NaN if they do not separate."""
    return seen(problem, None, shard).least_exact_margin(W) if len(shard.y) else inf
