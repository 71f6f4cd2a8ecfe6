r"""The widest separator of separable data, between ends that are both proved.

With a bias, the margin is half the distance of the two classes' convex hulls:

$$\gamma^\star = \max_{\|w\| = 1, b} \min_i y_i(\langle w, x_i\rangle + b)
  = \tfrac12 \min\{\|p - q\| : p \in \operatorname{conv} X_+, q \in \operatorname{conv} X_-\}.$$

Without one it is the distance of the hull of the $y_i x_i$ from the origin. Where rows are
short, few of them matter, and the nearest points are found among a growing set of
them (`hull.py`). Where rows are long, thousands may (`max_margin/newton.py`).
"""

from fractions import Fraction
from math import inf, isqrt, nextafter
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.clock import now
from novikoff.inputs import as_rows
from novikoff.max_margin.coordinates import dense, power_of_two
from novikoff.max_margin.newton import Solution, solve
from novikoff.separation import rounding
from novikoff.separation.bracket import Bracket
from novikoff.separation.exact import combination, lowest_scores, on_one_scale, whole_rows
from novikoff.separation.exact_hull import nearest_difference
from novikoff.separation.geometry import WIDE, raw_scores
from novikoff.separation.hull import Nearest, nearest_point, of_differences, of_rows

Array = npt.NDArray[Any]
Found = tuple[Array, Bracket, tuple[Array, list[Fraction]]]
"""A separator, its margin, and the rows and multipliers that prove the upper end of that."""
FEW = 20_000
"""Up to so many numbers, rationals are affordable."""
MORE, MANY = 50, 200
"""How many rows join the work at a time, at the least, and how many more at the most."""


def margin(X: Any, y: Array, v: Array, bias: bool, tol: float, deadline: float) -> Found:
    """The widest separator, its margin, and the rows and multipliers that prove the upper end.

    `v` is any separator to start from, its bias last.
    """
    if not bias:
        return from_origin(X, y, v, 0.0, tol, deadline)
    if X.shape[1] > WIDE:
        return among_many(X, y, v, "free", tol, deadline)
    positive, negative = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    scores = np.empty(len(y))
    rows = as_rows(X)
    raw_scores(v[:-1], rows, len(y), scores)
    more = MORE + min(X.shape[1], MANY)
    P = lowest(scores, positive, more)
    N = lowest(-scores, negative, more)
    center = dense(X, np.concatenate([P, N])).mean(axis=0)
    A, B = dense(X, P) - center, dense(X, N) - center
    scale = power_of_two(max(abs(A).max(), abs(B).max()))
    A, B = A * scale, B * scale
    nearest = Nearest(A[0] - B[0], [(0, 0)], (A[0] - B[0])[None], np.ones(1))
    while True:
        size = float(np.linalg.norm(A, axis=1).max() + np.linalg.norm(B, axis=1).max())
        nearest = nearest_point(of_differences(A, B), nearest, size, deadline)
        raw_scores(nearest.point, rows, len(y), scores)
        length = float(np.linalg.norm(nearest.point))
        width = (scores[positive].min() - scores[negative].max()) * scale
        if length * length - width <= 0.1 * tol * length * length or now() > deadline:
            break
        new_P, new_N = (
            np.setdiff1d(lowest(s, these, more), work)
            for s, these, work in ((scores, positive, P), (-scores, negative, N))
        )
        if not len(new_P) and not len(new_N):
            break
        P, N = np.concatenate([P, new_P]), np.concatenate([N, new_N])
        A = np.vstack([A, (dense(X, new_P) - center) * scale])
        B = np.vstack([B, (dense(X, new_N) - center) * scale])
    found = np.append(nearest.point, 0.0)
    lower, v = max(
        ((certified(X, y, unit(u)), unit(u)) for u in (v, found) if u[:-1].any()),
        key=lambda pair: pair[0],
    )
    v = np.append(v[:-1], middle(rows, y, v))
    shares: dict[int, Fraction] = {}
    for (p, n), weight in zip(nearest.keys, nearest.weights.tolist(), strict=True):
        for row in (int(P[p]), int(N[n])):
            shares[row] = shares.get(row, Fraction(0)) + Fraction(weight)
    done = with_proof(X, y, v, lower, shares, 0)
    return in_rationals(X, y, done, "free", tol, deadline)


def in_rationals(X: Any, y: Array, found: Found, bias: str, tol: float, deadline: float) -> Found:
    """The same again in rationals, where floats left the bracket open and there are not many.

    Features on scales so different that no float holds a weighted sum of them need that.
    """
    v, ends, _ = found
    if ends.gap <= tol * ends.upper or X.shape[0] * X.shape[1] > FEW:
        return found
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
        return found
    shares: dict[int, Fraction] = {}
    for key, weight in zip(nearest.keys, nearest.weights, strict=True):
        for k, place in zip(key, places, strict=False):  # the origin is no row
            shares[int(place[k])] = shares.get(int(place[k]), Fraction(0)) + weight
    top = max(abs(a) for a in nearest.point)
    u = np.array([float(Fraction(a, top)) for a in nearest.point])
    u = u if bias == "held" else np.append(u, 0.0)
    lower = lower_end(X, y, u, bias)
    if lower < ends.lower:
        u, lower = v, ends.lower
    elif bias == "free":
        u = np.append(u[:-1], middle(as_rows(X), y, u))
    return with_proof(X, y, u, lower, shares, int(bias == "held"))


def among_many(X: Any, y: Array, v: Array, bias: str, tol: float, deadline: float) -> Found:
    """The same for wide data, where any number of rows may be on the margin."""
    found = solve(X, y, np.full(len(y), np.inf), bias, 0.5 * tol, deadline)
    ends = bracket(X, y, found, bias)
    lower = lower_end(X, y, v, bias)
    v = unit(v if lower > ends.lower else found.v)
    if bias == "free":
        v = np.append(v[:-1], middle(as_rows(X), y, v))
    rows = np.flatnonzero(found.alpha)
    signed = [Fraction(x) for x in (y[rows] * found.alpha[rows]).tolist()]
    positive = sum((x for x in signed if x > 0), Fraction(0))
    negative = sum((-x for x in signed if x < 0), Fraction(0))
    if bias == "free":
        shares = [x / (2 * positive) if x > 0 else -x / (2 * negative) for x in signed]
    else:
        shares = [abs(x) / (positive + negative) for x in signed]
    done = v, Bracket(max(lower, ends.lower), ends.upper), (rows, shares)
    return in_rationals(X, y, done, bias, tol, deadline)


def bracket(X: Any, y: Array, found: Solution, bias: str) -> Bracket:
    """What a solution proves about the margin."""
    lower = lower_end(X, y, found.v, bias)
    return Bracket(lower, rounding.upper_margin(X, y, found.alpha, bias))


def lower_end(X: Any, y: Array, v: Array, bias: str) -> float:
    """A lower bound of the margin of these weights: 0 if they do not separate."""
    if not v[:-1].any():
        return 0.0
    return max(0.0, (certified if bias == "free" else certified_from_origin)(X, y, unit(v)))


def certified_from_origin(X: Any, y: Array, v: Array) -> float:
    """A lower bound of the margin of these weights, the bias one of them."""
    return from_origin_at_least(lowest_scores(v, as_rows(X), y), v)


def from_origin_at_least(low: Array, v: Array) -> float:
    """The same, where no score of either class is lower than these."""
    return down(float(low.min()) / length_up(v))


def certified(X: Any, y: Array, v: Array) -> float:
    """A lower bound of the margin of these weights, with the best bias."""
    return at_least(lowest_scores(np.append(v[:-1], 0.0), as_rows(X), y), v)


def at_least(low: Array, v: Array) -> float:
    """The same, where no score of either class is lower than these, without a bias."""
    if not np.isfinite(low).all():
        return 0.0
    return down(float((Fraction(low[0]) + Fraction(low[1])) / 2) / length_up(v[:-1]))


def middle(rows: Any, y: Array, v: Array) -> float:
    """The bias halfway between the classes."""
    low = lowest_scores(np.append(v[:-1], 0.0), rows, y)
    return float((low[0] - low[1]) / 2)


def unit(v: Array) -> Array:
    """The weights divided by about their length, exactly."""
    return v * power_of_two(float(abs(v).max()))


def from_origin(X: Any, y: Array, v: Array, one: float, tol: float, deadline: float) -> Found:
    """The same in a space where `one` is the last coordinate and hyperplanes have no bias."""
    if X.shape[1] > WIDE:
        return among_many(X, y, v, "held" if one else "none", tol, deadline)
    scores = np.empty(len(y))
    rows = as_rows(X)
    everything = np.arange(len(y))
    more = MORE + min(X.shape[1], MANY)
    raw_scores(v[:-1], rows, len(y), scores)
    work = lowest(y * (scores + one * v[-1]), everything, more)
    A = augmented(X, y, work, one)
    scale = power_of_two(abs(A).max())
    A = A * scale
    nearest = Nearest(A[0], [0], A[:1], np.ones(1))
    while True:
        size = float(np.linalg.norm(A, axis=1).max())
        nearest = nearest_point(of_rows(A), nearest, size, deadline)
        raw_scores(nearest.point[:-1], rows, len(y), scores)
        scores += one * nearest.point[-1]
        scores *= y
        length = float(np.linalg.norm(nearest.point))
        near = length * length - scores.min() * scale <= 0.1 * tol * length * length
        if near or now() > deadline:
            break
        new = np.setdiff1d(lowest(scores, everything, more), work)
        if not len(new):
            break
        work = np.concatenate([work, new])
        A = np.vstack([A, augmented(X, y, new, one) * scale])
    found, given = (np.append(u[:-1], one * u[-1]) for u in (nearest.point, v))
    lower, u = max(
        ((certified_from_origin(X, y, unit(c)), unit(c)) for c in (given, found) if c.any()),
        key=lambda pair: pair[0],
    )
    shares = {
        int(work[k]): Fraction(weight)
        for k, weight in zip(nearest.keys, nearest.weights.tolist(), strict=True)
    }
    done = with_proof(X, y, u, lower, shares, int(one))
    return in_rationals(X, y, done, "held" if one else "none", tol, deadline)


def run_margin(X: Any, y: Array, v: Array, bias: bool, tol: float, deadline: float) -> Bracket:
    """The margin in the space that a perceptron's run on this data takes place in."""
    return from_origin(X, y, v, float(bias), tol, deadline)[1]


def with_proof(
    X: Any, y: Array, v: Array, lower: float, shares: dict[int, Fraction], one: int
) -> Found:
    """Put a result together: multipliers that sum to 1, and the upper end they prove."""
    rows = np.array(sorted(shares))
    total = sum(shares.values(), Fraction(0))
    multipliers = [shares[int(r)] / total for r in rows]
    upper = combination_length_up(X, y, rows, multipliers, one)
    return v, Bracket(max(0.0, lower), upper), (rows, multipliers)


def combination_length_up(
    X: Any, y: Array, rows: Array, multipliers: list[Fraction], one: int
) -> float:
    r"""An upper bound of $\|\sum p_i y_i (x_i, 1)\|$, summed exactly."""
    total = combination(X, y, rows, multipliers, one)
    return root_up(sum((t * t for t in total), Fraction(0)))


def root_up(square: Fraction) -> float:
    """A float at least as large as the square root, by little."""
    if square == 0:
        return 0.0
    shift = 128 - (square.numerator.bit_length() - square.denominator.bit_length())
    shift += shift % 2
    scaled = square * Fraction(2) ** shift
    root = isqrt(int(scaled)) + 1
    return nextafter(float(Fraction(root) / Fraction(2) ** (shift // 2)), inf)


def length_up(w: Array) -> float:
    r"""An upper bound of $\|w\|$."""
    return root_up(sum((Fraction(c) ** 2 for c in w.tolist()), Fraction(0)))


def down(x: float) -> float:
    """A little less, for what two roundings may have added."""
    return nextafter(nextafter(nextafter(x, -inf), -inf), -inf)


def lowest(scores: Array, among: Array, count: int) -> Array:
    """The rows with the lowest scores, at most so many."""
    if len(among) > count:
        among = among[np.argpartition(scores[among], count)[:count]]
    return among[np.argsort(scores[among], kind="stable")]


def augmented(X: Any, y: Array, rows: Array, one: float) -> Array:
    r"""$y_i (x_i, \text{one})$ for a few rows."""
    return np.hstack([dense(X, rows), np.full((len(rows), 1), one)]) * y[rows, None]
