r"""Wolfe's algorithm in rationals, for data on which floats cannot tell.

The same as `novikoff.margins.hull`, of the differences of two sets of points. In rationals every
step makes the point strictly shorter, so it ends at the nearest one.
"""

from fractions import Fraction
from math import lcm
from time import monotonic
from typing import NamedTuple

from flint import fmpq, fmpq_mat

from novikoff.margins.exact import modular

Vector = list[Fraction]
Key = tuple[int, int]


class Nearest(NamedTuple):
    """The nearest point, as a combination of differences."""

    keys: list[Key]
    weights: Vector
    point: Vector


def inner(u: Vector, v: Vector) -> Fraction:
    """The inner product."""
    return sum((a * b for a, b in zip(u, v, strict=True) if a and b), Fraction(0))


def nearest_difference(
    P: list[Vector], N: list[Vector], start: list[Key], deadline: float
) -> Nearest:
    r"""The $p - n$ nearest to the origin, with $p$ and $n$ in the hulls of `P` and `N`.

    Raises `TimeoutError` at the deadline.
    """
    keys = start if independent([difference(P, N, key) for key in start]) else start[:1]
    weights = [Fraction(1, len(keys))] * len(keys)
    while True:
        points = [difference(P, N, key) for key in keys]
        kept, weights = descend(points, weights)
        keys, points = [keys[k] for k in kept], [points[k] for k in kept]
        x = [inner(weights, list(column)) for column in zip(*points, strict=True)]
        if not any(x):
            return Nearest(keys, weights, x)
        if monotonic() > deadline:
            raise TimeoutError
        low, high = [inner(x, p) for p in P], [inner(x, n) for n in N]
        if min(low) - max(high) >= inner(x, x):
            return Nearest(keys, weights, x)
        keys = [*keys, (low.index(min(low)), high.index(max(high)))]
        weights = [*weights, Fraction(0)]


def difference(P: list[Vector], N: list[Vector], key: Key) -> Vector:
    """The point that a key stands for."""
    return [p - n for p, n in zip(P[key[0]], N[key[1]], strict=True)]


def corral_around_origin(vectors: list[Vector], start: list[int], deadline: float) -> list[int]:
    """Which vectors have the origin in the interior of their hull; none if it is outside of all.

    For data so nearly degenerate that the floats took a wrong corral.
    """
    origin = [[Fraction(0)] * len(vectors[0])]
    found = nearest_difference(vectors, origin, [(k, 0) for k in start], deadline)
    return [] if any(found.point) else [k for k, _ in found.keys]


def independent(points: list[Vector]) -> bool:
    """Are these points affinely independent?"""
    chosen = [[*point, Fraction(1)] for point in points]
    scales = [lcm(*(v.denominator for v in column)) for column in zip(*chosen, strict=True)]
    whole = [[int(v * s) for v, s in zip(point, scales, strict=True)] for point in chosen]
    return bool(modular(whole).rank() == len(points))


def descend(points: list[Vector], weights: Vector) -> tuple[list[int], Vector]:
    """Go to the affine minimizer, leaving behind the points that would get a weight below 0.

    Returns which points were kept, and their weights.
    """
    kept = list(range(len(points)))
    while True:
        k = len(kept)
        A = fmpq_mat([[fmpq(v.numerator, v.denominator) for v in points[i]] for i in kept])
        G = A * A.transpose()
        system = [[G[a, b] for b in range(k)] + [fmpq(1)] for a in range(k)]
        system.append([fmpq(1)] * k + [fmpq(0)])
        right = fmpq_mat([[fmpq(0)]] * k + [[fmpq(1)]])
        solved = fmpq_mat(system).solve(right)
        alpha = [Fraction(int(solved[a, 0].p), int(solved[a, 0].q)) for a in range(k)]
        if min(alpha) > 0:
            return kept, alpha
        pairs = list(zip(weights, alpha, strict=True))
        theta = min(w / (w - a) if w > a else Fraction(0) for w, a in pairs if a <= 0)
        moved = [(1 - theta) * w + theta * a for w, a in pairs]
        stay = [c for c, w in enumerate(moved) if w > 0]
        kept, weights = [kept[c] for c in stay], [moved[c] for c in stay]
