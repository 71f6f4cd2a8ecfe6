r"""Wolfe's algorithm in whole numbers, for data on which floats cannot tell.

The same as `novikoff.certificates.hull`, of the differences of two sets of points. Without rounding
every step makes the point strictly shorter, so it ends at the nearest one. Points are given in
whole numbers, all on one scale: fractions would spend their time on common divisors.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from flint import fmpz_mat

from novikoff.certificates.exact import Whole, in_whole_numbers, modular
from novikoff.certificates.hull import Key
from novikoff.core.clock import now

Vector = list[int]
BLOCK = 64
"""How many points are looked at between two looks at the clock."""


class NearestDifference(NamedTuple):
    """The nearest point, as a combination of differences."""

    keys: list[Key]
    weights: list[Fraction]
    point: Vector
    """A positive multiple of it."""


class Patience:
    """When to give up: at the deadline, or before a step that will not end in time."""

    def __init__(self, deadline: float) -> None:
        self.deadline, self.began, self.longest = deadline, now(), 0.0

    def look(self) -> None:
        """Raise `TimeoutError` if it is late."""
        if now() > self.deadline:
            raise TimeoutError

    def begin(self) -> None:
        """A step begins, that nothing can interrupt."""
        self.began = now()
        if self.began + self.longest > self.deadline:
            raise TimeoutError

    def end(self) -> None:
        """It has ended."""
        self.longest = max(self.longest, now() - self.began)


def nearest_difference(
    P: list[Vector], N: list[Vector], start: list[Key], deadline: float
) -> NearestDifference:
    r"""The $p - n$ nearest to the origin, with $p$ and $n$ in the hulls of `P` and `N`.

    Raises `TimeoutError` at the deadline.
    """
    patience = Patience(deadline)
    blocks = [list(in_blocks(points, patience)) for points in (P, N)]
    keys = start if independent([difference(P, N, key) for key in start]) else start[:1]
    weights = [Fraction(1, len(keys))] * len(keys)
    while True:
        points = [difference(P, N, key) for key in keys]
        kept, weights = descend(points, weights, patience)
        keys, points = [keys[k] for k in kept], [points[k] for k in kept]
        shares, whole = in_whole_numbers(weights)
        x = (fmpz_mat([shares]) * fmpz_mat(points)).transpose()
        if x.rank() == 0:
            return NearestDifference(keys, weights, [0] * x.nrows())
        low, high = ([s for block in side for s in scores(block, x, patience)] for side in blocks)
        if whole * (min(low) - max(high)) >= int((x.transpose() * x)[0, 0]):
            return NearestDifference(keys, weights, [int(x[j, 0]) for j in range(x.nrows())])
        keys = [*keys, (low.index(min(low)), high.index(max(high)))]
        weights = [*weights, Fraction(0)]


def in_blocks(points: list[Vector], patience: Patience) -> Iterator[fmpz_mat]:
    """The points as matrices of a few rows."""
    for k in range(0, len(points), BLOCK):
        patience.look()
        yield fmpz_mat(points[k : k + BLOCK])


def scores(block: fmpz_mat, x: fmpz_mat, patience: Patience) -> list[int]:
    """The inner products of some points with `x`."""
    patience.look()
    found = block * x
    return [int(found[k, 0]) for k in range(found.nrows())]


def difference(P: list[Vector], N: list[Vector], key: Key) -> Vector:
    """The point that a key stands for."""
    return [p - n for p, n in zip(P[key[0]], N[key[1]], strict=True)]


def products(Z: Whole, basis: list[Vector], deadline: float) -> list[Vector]:
    """The inner products of all vectors with those of the basis, on one scale."""
    top, patience = max(Z.scales), Patience(deadline)
    N = fmpz_mat([[v * (top // s) for v, s in zip(n, Z.scales, strict=True)] for n in basis])
    across = N.transpose()
    found: list[Vector] = []
    for block in in_blocks(Z.vectors, patience):
        found += [[int(v) for v in row] for row in (block * across).tolist()]
    return found


def independent(points: list[Vector]) -> bool:
    """Are these points affinely independent?"""
    return bool(modular([[*point, 1] for point in points]).rank() == len(points))


def descend(
    points: list[Vector], weights: list[Fraction], patience: Patience
) -> tuple[list[int], list[Fraction]]:
    """Go to the affine minimizer, leaving behind the points that would get a weight below 0.

    Returns which points were kept, and their weights.
    """
    kept = list(range(len(points)))
    while True:
        patience.begin()
        alpha = affine_minimizer([points[k] for k in kept])
        patience.end()
        if min(alpha) > 0:
            return kept, alpha
        pairs = list(zip(weights, alpha, strict=True))
        theta = min(w / (w - a) if w > a else Fraction(0) for w, a in pairs if a <= 0)
        moved = [(1 - theta) * w + theta * a for w, a in pairs]
        stay = [c for c, w in enumerate(moved) if w > 0]
        kept, weights = [kept[c] for c in stay], [moved[c] for c in stay]


def affine_minimizer(points: list[Vector]) -> list[Fraction]:
    """The weights of the point of the affine hull nearest to the origin."""
    k, A = len(points), fmpz_mat(points)
    G = (A * A.transpose()).tolist()
    system: Any = [[*row, 1] for row in G] + [[1] * k + [0]]
    solved = fmpz_mat(system).solve(fmpz_mat([[0]] * k + [[1]]))
    return [Fraction(int(solved[a, 0].p), int(solved[a, 0].q)) for a in range(k)]
