r"""The widest separator of separable data, between ends that are both proved.

With a bias, the margin is half the distance of the two classes' convex hulls:

$$\gamma^\star = \max_{\|w\| = 1, b} \min_i y_i(\langle w, x_i\rangle + b)
  = \tfrac12 \min\{\|p - q\| : p \in \operatorname{conv} X_+, q \in \operatorname{conv} X_-\}.$$

Without one it is the distance of the hull of the $y_i x_i$ from the origin. Where rows are
short, few of them matter, and the nearest points are found among a growing set of
them (`hull.py`). Where rows are long, thousands may (`max_margin/newton.py`).
"""

from collections.abc import Iterable
from fractions import Fraction
from math import inf, isqrt, nextafter
from typing import NamedTuple

import numpy as np

from novikoff.certificates import rounding
from novikoff.certificates.bracket import Bracket
from novikoff.certificates.exact import (
    Exact,
    Multipliers,
    combination,
    exact_scores,
    lowest_scores,
    on_one_scale,
    whole_rows,
)
from novikoff.certificates.exact_hull import nearest_difference
from novikoff.certificates.geometry import WIDE, raw_scores
from novikoff.certificates.hull import Key, nearest_point, starting_point
from novikoff.core.clock import now
from novikoff.inputs.arrays import as_rows, dense
from novikoff.max_margin.coordinates import power_of_two
from novikoff.max_margin.newton import Solution, solve
from novikoff.typing import Array, Matrix

FEW = 20_000
"""Up to so many numbers, rationals are affordable."""
MORE, MANY = 50, 200
"""How many rows join the work at a time, at the least, and how many more at the most."""


class Found(NamedTuple):
    """A separator."""

    v: Array
    margin: Bracket
    proof: Multipliers
    """What proves the upper end of the margin."""


def margin(X: Matrix, y: Array, v: Array, bias: str, tol: float, deadline: float) -> Found:
    """The widest separator, from any separator `v` to start from, its bias last.

    `bias` is "free", "held" (a weight like any other) or "none". Where it is not free, the point of
    the hull of all $y_i x_i$ is looked for that is nearest to the origin, which is the other hull.
    """
    if X.shape[1] > WIDE:
        return among_many(X, y, v, bias, tol, deadline)
    free, one, rows, d = bias == "free", float(bias == "held"), as_rows(X), X.shape[1]
    sides = [np.flatnonzero(y > 0), np.flatnonzero(y < 0)] if free else [np.arange(len(y))]
    scores, more = np.empty(len(y)), MORE + min(d, MANY)

    def measured(u: Array) -> list[Array]:
        """The scores on each side."""
        raw_scores(u[:d], rows, len(y), scores)
        return [scores[sides[0]], -scores[sides[1]]] if free else [y * (scores + one * u[-1])]

    work = [side[lowest(s, more)] for side, s in zip(sides, measured(v), strict=True)]
    center = dense(X, np.concatenate(work)).mean(axis=0) if free else None

    def points(new: Array) -> Array:
        return augmented(X, y, new, one) if center is None else dense(X, new) - center

    hulls = [points(some) for some in work]
    scale = power_of_two(max(float(abs(A).max()) for A in hulls))
    hulls = [A * scale for A in hulls] + [np.zeros((1, d + 1))] * (not free)
    nearest = starting_point(*hulls)
    while True:
        size = float(sum(np.linalg.norm(A, axis=1).max() for A in hulls))
        nearest = nearest_point(hulls[0], hulls[1], nearest, size, deadline)
        found = measured(nearest.point)
        length = float(np.linalg.norm(nearest.point))
        width = sum(s.min() for s in found) * scale
        if length * length - width <= 0.1 * tol * length * length or now() > deadline:
            break
        new = [
            np.setdiff1d(side[lowest(s, more)], known)
            for side, s, known in zip(sides, found, work, strict=True)
        ]
        if not any(map(len, new)):
            break
        for k, some in enumerate(new):
            work[k] = np.concatenate([work[k], some])
            hulls[k] = np.vstack([hulls[k], points(some) * scale])
    given, point = v, np.append(nearest.point, 0.0)
    if not free:
        given, point = (np.append(u[:-1], one * u[-1]) for u in (v, nearest.point))
    both = [unit(u) for u in (given, point) if (u[:-1] if free else u).any()]
    lower, v = max(((certified(X, y, u, free), u) for u in both), key=lambda pair: pair[0])
    if free:
        v = with_middle(X, y, v)
    shares = shares_of(nearest.keys, nearest.weights.tolist(), work)
    done = with_proof(X, y, v, lower, shares, int(one))
    return in_rationals(X, y, done, bias, tol, deadline)


def shares_of(
    keys: list[Key], weights: Iterable[float | Fraction], places: list[Array]
) -> dict[int, Fraction]:
    """What each row weighs in a combination of differences; the origin is no row."""
    shares: dict[int, Fraction] = {}
    for key, weight in zip(keys, weights, strict=True):
        for k, place in zip(key, places, strict=False):
            shares[int(place[k])] = shares.get(int(place[k]), Fraction(0)) + Fraction(weight)
    return shares


def in_rationals(
    X: Matrix, y: Array, found: Found, bias: str, tol: float, deadline: float
) -> Found:
    """The same again in rationals, where floats left the bracket open and there are not many.

    Features on scales so different that no float holds a weighted sum of them need that.
    """
    v, ends, _ = found
    if ends.gap <= tol * ends.upper:
        return found
    nearest = nearest_in_rationals(X, y, bias, deadline)
    if nearest is None:
        return found
    point, shares = nearest
    top = max(abs(a) for a in point)
    u = np.array([float(Fraction(a, top)) for a in point])
    u = u if bias == "held" else np.append(u, 0.0)
    lower = lower_end(X, y, u, bias)
    if lower < ends.lower:
        u, lower = v, ends.lower
    elif bias == "free":
        u = with_middle(X, y, u)
    return with_proof(X, y, u, lower, shares, int(bias == "held"))


def nearest_in_rationals(
    X: Matrix, y: Array, bias: str, deadline: float
) -> tuple[list[int], dict[int, Fraction]] | None:
    """A multiple of the nearest point, and what each row weighs in it; None if that takes long."""
    if X.shape[0] * X.shape[1] > FEW:
        return None
    Z = on_one_scale(whole_rows(X, y, np.arange(len(y)), bias == "held"))
    if bias == "free":
        P = [z for z, label in zip(Z, y, strict=True) if label > 0]
        N = [[-a for a in z] for z, label in zip(Z, y, strict=True) if label < 0]
        places = [np.flatnonzero(y > 0), np.flatnonzero(y < 0)]
    else:
        P, N, places = Z, [[0] * len(Z[0])], [np.arange(len(y))]
    try:
        nearest = nearest_difference(P, N, [(0, 0)], deadline)
    except TimeoutError:
        return None
    return nearest.point, shares_of(nearest.keys, nearest.weights, places)


def exact_margin(X: Matrix, y: Array, v: Exact, bias: str, deadline: float) -> Found:
    """The widest separator in fractions, where no weights in floats separate; or this one."""
    nearest = nearest_in_rationals(X, y, bias, deadline)
    w = np.array(v[:-1] if nearest is None else nearest[0], object)
    low, high = Fraction(0), Fraction(0)
    if bias == "free":  # halfway between the classes
        low, high = (
            lowest_exact_score(X[side], y[side], np.array([*w, 0], object))
            for side in (np.flatnonzero(y > 0), np.flatnonzero(y < 0))
        )
    v = np.array([*w, (high - low) / 2], object)
    if nearest is None:
        sides = [np.flatnonzero(y > 0)[:1], np.flatnonzero(y < 0)[:1]] if bias == "free" else [[0]]
        shares = {int(side[0]): Fraction(1, len(sides)) for side in sides}
    else:
        shares = nearest[1]
    return with_proof(X, y, v, ratio_down(lowest_exact_score(X, y, v), w), shares, 0)


def lowest_exact_score(X: Matrix, y: Array, v: Exact) -> Fraction:
    r"""$\min_i y_i\langle v, (x_i, 1)\rangle$."""
    return min(Fraction(min(scores), times) for scores, times in exact_scores(v, X, y))


def ratio_down(score: Fraction, w: Exact) -> float:
    """At most a score above 0, divided by the length of weights, by little."""
    square = sum((Fraction(f) ** 2 for f in w), Fraction(0))
    root = root_of(score**2 / square, 0) if square else Fraction(0)
    low = float(root)
    return low if Fraction(low) <= root else nextafter(low, -inf)


def among_many(X: Matrix, y: Array, v: Array, bias: str, tol: float, deadline: float) -> Found:
    """The same for wide data, where any number of rows may be on the margin."""
    found = solve(X, y, np.full(len(y), np.inf), bias, 0.5 * tol, deadline)
    ends = bracket(X, y, found, bias)
    lower = lower_end(X, y, v, bias)
    v = unit(v if lower > ends.lower else found.v)
    if bias == "free":
        v = with_middle(X, y, v)
    rows = np.flatnonzero(found.alpha)
    signed = [Fraction(x) for x in (y[rows] * found.alpha[rows]).tolist()]
    positive = sum((x for x in signed if x > 0), Fraction(0))
    negative = sum((-x for x in signed if x < 0), Fraction(0))
    if bias == "free":
        shares = [x / (2 * positive) if x > 0 else -x / (2 * negative) for x in signed]
    else:
        shares = [abs(x) / (positive + negative) for x in signed]
    ends = Bracket(max(lower, ends.lower), ends.upper)
    done = Found(v, ends, Multipliers(rows, shares))
    return in_rationals(X, y, done, bias, tol, deadline)


def bracket(X: Matrix, y: Array, found: Solution, bias: str) -> Bracket:
    """What a solution proves about the margin."""
    lower = lower_end(X, y, found.v, bias)
    return Bracket(lower, rounding.upper_margin(X, y, found.alpha, bias))


def lower_end(X: Matrix, y: Array, v: Array, bias: str) -> float:
    """A lower bound of the margin of these weights: 0 if they do not separate."""
    return max(0.0, certified(X, y, unit(v), bias == "free")) if v[:-1].any() else 0.0


def certified(X: Matrix, y: Array, v: Array, free: bool) -> float:
    """A lower bound of the margin of these weights, with the best bias if it is free."""
    v = np.append(v[:-1], 0.0) if free else v
    return at_least(lowest_scores(v, as_rows(X), y), v, free)


def at_least(low: Array, v: Array, free: bool) -> float:
    """The same, where no score of either class is lower than these; without a free bias."""
    if not free:
        return down(float(low.min()) / exact_length_up(v.tolist()))
    if not np.isfinite(low).all():
        return 0.0
    return down(float((Fraction(low[0]) + Fraction(low[1])) / 2) / exact_length_up(v[:-1].tolist()))


def with_middle(X: Matrix, y: Array, v: Array) -> Array:
    """The same weights with the bias halfway between the classes."""
    low = lowest_scores(np.append(v[:-1], 0.0), as_rows(X), y)
    return np.append(v[:-1], float((low[0] - low[1]) / 2))


def unit(v: Array) -> Array:
    """The weights divided by about their length, exactly."""
    return v * power_of_two(float(abs(v).max()))


def with_proof(
    X: Matrix, y: Array, v: Array, lower: float, shares: dict[int, Fraction], one: int
) -> Found:
    """Put a result together: multipliers that sum to 1, and the upper end they prove."""
    rows = np.array(sorted(shares))
    total = sum(shares.values(), Fraction(0))
    multipliers = [shares[int(r)] / total for r in rows]
    upper = exact_length_up(combination(X, y, rows, multipliers, one))
    return Found(v, Bracket(max(0.0, lower), upper), Multipliers(rows, multipliers))


def exact_length_up(entries: Iterable[Fraction | float]) -> float:
    """An upper bound of the length of a vector with these entries, by little."""
    square = sum((Fraction(t) ** 2 for t in entries), Fraction(0))
    return nextafter(float(root_of(square, 1)), inf) if square else 0.0


def root_of(square: Fraction, more: int) -> Fraction:
    """A root of a number above 0 to 64 bits: less than the truth, or with `more` not."""
    shift = 128 - (square.numerator.bit_length() - square.denominator.bit_length())
    shift += shift % 2
    scaled = square * Fraction(2) ** shift
    return (isqrt(int(scaled)) + more) / Fraction(2) ** (shift // 2)


def down(x: float) -> float:
    """A little less, for what two roundings may have added."""
    return nextafter(nextafter(nextafter(x, -inf), -inf), -inf)


def lowest(scores: Array, count: int) -> Array:
    """The places of the lowest scores, at most so many."""
    some = np.arange(len(scores))
    if len(some) > count:
        some = np.argpartition(scores, count)[:count]
    return some[np.argsort(scores[some], kind="stable")]


def augmented(X: Matrix, y: Array, rows: Array, one: float) -> Array:
    r"""$y_i (x_i, \text{one})$ for a few rows."""
    return np.hstack([dense(X, rows), np.full((len(rows), 1), one)]) * y[rows, None]
