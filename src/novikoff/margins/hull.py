r"""The point of a convex hull that is nearest to the origin (Wolfe 1976).

$$\min_{\lambda \in \Delta} \Bigl\|\sum_i \lambda_i a_i\Bigr\|$$

is 0 if and only if no hyperplane through the origin has all $a_i$ strictly on one side, and
otherwise the margin of the widest one, whose normal is the nearest point itself. The
points with $\lambda_i > 0$ at the end, the corral, are affinely independent: that makes
$\lambda$ unique, and so a thing that can be recomputed exactly.
"""

from collections.abc import Callable, Hashable
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import qr, solve_triangular

Array = npt.NDArray[Any]
Oracle = Callable[[Array], tuple[Hashable, Array]]
"""For a direction, the key and the coordinates of a point farthest against it."""


class Nearest(NamedTuple):
    """The nearest point, as a combination of a corral."""

    point: Array
    keys: list[Any]
    corral: Array
    """The points themselves, a row each."""
    weights: Array


def nearest_point(oracle: Oracle, start: Nearest, size: float, deadline: float) -> Nearest:
    """Wolfe's algorithm, from some point of the hull; no point is longer than `size`.

    At the deadline, the nearest point so far.
    """
    best = start
    while True:
        length = float(np.linalg.norm(best.point))
        key, a = oracle(best.point)
        # as near as rounding lets us tell: scores are known to about 1e-16 |x| size
        near = best.point @ (best.point - a) <= 4e-16 * size * length
        if near or length <= 1e-15 * size or key in best.keys or monotonic() > deadline:
            return best
        moved = descend(
            [*best.keys, key], np.vstack([best.corral, a]), np.append(best.weights, 0.0)
        )
        if not np.linalg.norm(moved.point) < length:  # rounding has the last word
            return best
        best = moved


def descend(keys: list[Any], A: Array, weights: Array) -> Nearest:
    """Go to the affine minimizer, leaving behind the points that would get a weight below 0."""
    while True:
        alpha, x = affine_minimizer(A)
        falling = alpha <= 0.0
        if not falling.any():
            return Nearest(x, keys, A, alpha)
        ratios = np.full(len(alpha), np.inf)
        ratios[falling] = 0.0  # for a point of weight 0; the others fall from above
        above = falling & (weights > 0.0)
        ratios[above] = weights[above] / (weights[above] - alpha[above])
        theta = ratios.min()
        weights = (1.0 - theta) * weights + theta * alpha
        keep = ratios > theta
        keys = [key for key, kept in zip(keys, keep, strict=True) if kept]
        A, weights = A[keep], weights[keep] / weights[keep].sum()


def affine_minimizer(A: Array) -> tuple[Array, Array]:
    r"""The weights of the point of the affine hull nearest to the origin, and that point.

    By orthogonalising the differences of the rows, not through their inner products,
    which would square the condition number.
    """
    if len(A) == 1:
        return np.ones(1), A[0]
    D = (A[1:] - A[0]).T
    Q, R = qr(D, mode="economic", check_finite=False)
    diagonal = np.abs(np.diag(R))
    if len(diagonal) < len(A) - 1 or diagonal.min() <= 1e-14 * diagonal.max():
        beta = np.linalg.lstsq(D, -A[0], rcond=None)[0]
        return np.concatenate([[1.0 - beta.sum()], beta]), A[0] + D @ beta
    beta = solve_triangular(R, -(Q.T @ A[0]), check_finite=False)
    x = A[0] - Q @ (Q.T @ A[0])
    x -= Q @ (Q.T @ x)  # again, or a short x would point anywhere
    return np.concatenate([[1.0 - beta.sum()], beta]), x


def of_rows(A: Array) -> Oracle:
    """The oracle of the convex hull of the rows of `A`; keys are row numbers."""

    def oracle(x: Array) -> tuple[int, Array]:
        j = int((A @ x).argmin())
        return j, A[j]

    return oracle


def of_differences(P: Array, N: Array) -> Oracle:
    """The oracle of all differences of a row of `P` and a row of `N`; keys are pairs."""

    def oracle(x: Array) -> tuple[tuple[int, int], Array]:
        p, n = int((P @ x).argmin()), int((N @ x).argmax())
        return (p, n), P[p] - N[n]

    return oracle
