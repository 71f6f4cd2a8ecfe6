r"""The point of a convex hull that is nearest to the origin (Wolfe 1976).

$$\min_{\lambda \in \Delta} \Bigl\|\sum_i \lambda_i a_i\Bigr\|$$

is 0 if and only if no hyperplane through the origin has all $a_i$ strictly on one side, and
otherwise the margin of the widest one, whose normal is the nearest point itself. The
points with $\lambda_i > 0$ at the end, the corral, are affinely independent: that makes
$\lambda$ unique, and so a thing that can be recomputed exactly.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import qr, qr_delete, qr_insert, solve_triangular

from novikoff.core.clock import now
from novikoff.typing import Array

Key = tuple[int, int]
"""A point of a hull of differences: the row of the one set, and that of the other."""
FRESH = 100
"""After so many updates, factors are computed anew."""


class Nearest(NamedTuple):
    """The nearest point, as a combination of a corral."""

    point: Array
    keys: list[Key]
    corral: Array
    """The points themselves, a row each."""
    weights: Array


def starting_point(P: Array, N: Array) -> Nearest:
    """The first of the differences, to start from."""
    a = P[:1] - N[:1]
    return Nearest(a[0], [(0, 0)], a, np.ones(1))


def nearest_point(P: Array, N: Array, start: Nearest, size: float, deadline: float) -> Nearest:
    """Wolfe's algorithm for all differences of a row of `P` and a row of `N`.

    It starts from some point of their hull; no point is longer than `size`. At the deadline, the
    nearest point so far.
    """
    best, corral = start, Corral(start)
    while True:
        length = float(np.linalg.norm(best.point))
        key = int((P @ best.point).argmin()), int((N @ best.point).argmax())
        a = P[key[0]] - N[key[1]]
        # as near as rounding lets us tell: scores are known to about 1e-16 |x| size
        near = best.point @ (best.point - a) <= 4e-16 * size * length
        if near or length <= 1e-15 * size or key in best.keys or now() > deadline:
            return best
        corral.insert(key, a)
        moved = corral.descend()
        if not np.linalg.norm(moved.point) < length:  # rounding has the last word
            return best
        best = moved


class Corral:
    r"""Affinely independent points, and the factors $QR$ of their differences from the first.

    The factors are updated as points come and go, in time proportional to their size. They
    are of the differences, not of inner products, which would square the condition number;
    and they are computed anew now and then, before rounding can add up.
    """

    def __init__(self, start: Nearest) -> None:
        self.keys, self.A, self.weights = list(start.keys), start.corral, start.weights
        self.factorize()

    def factorize(self) -> None:
        """Compute the factors from the points."""
        D = (self.A[1:] - self.A[0]).T
        self.Q, self.R = qr(D, mode="economic", check_finite=False)
        self.updates = 0

    def insert(self, key: Key, a: Array) -> None:
        """Let a point join, with weight 0."""
        self.keys.append(key)
        self.A = np.vstack([self.A, a])
        self.weights = np.append(self.weights, 0.0)
        self.updates += 1
        k = self.R.shape[1]
        if k == 0 or k >= self.A.shape[1] or self.updates > FRESH:
            self.factorize()
        else:
            u = a - self.A[0]
            try:
                self.Q, self.R = qr_insert(self.Q, self.R, u, k, which="col", check_finite=False)
            except np.linalg.LinAlgError:  # by rounding it lies where the others do
                self.factorize()

    def remove(self, gone: Array) -> None:
        """Let the points at these places go."""
        keep = np.setdiff1d(np.arange(len(self.keys)), gone)
        self.keys = [self.keys[k] for k in keep]
        self.A, self.weights = self.A[keep], self.weights[keep]
        self.updates += len(gone)
        if 0 in gone or self.updates > FRESH or self.R.shape[1] >= self.A.shape[1]:
            self.factorize()
            return
        for k in sorted(gone.tolist(), reverse=True):
            self.Q, self.R = qr_delete(self.Q, self.R, k - 1, which="col", check_finite=False)

    def descend(self) -> Nearest:
        """Go to the affine minimizer, leaving behind what would get a weight below 0."""
        while True:
            alpha, x = self.affine_minimizer()
            falling = alpha <= 0.0
            if not falling.any():
                self.weights = alpha
                return Nearest(x, list(self.keys), self.A, alpha)
            weights = self.weights
            ratios = np.full(len(alpha), np.inf)
            ratios[falling] = 0.0  # for a point of weight 0; the others fall from above
            above = falling & (weights > 0.0)
            ratios[above] = weights[above] / (weights[above] - alpha[above])
            theta = ratios.min()
            self.weights = (1.0 - theta) * weights + theta * alpha
            self.remove(np.flatnonzero(ratios <= theta))
            self.weights = self.weights / self.weights.sum()

    def affine_minimizer(self) -> tuple[Array, Array]:
        """The weights of the point of the affine hull nearest to the origin, and that point."""
        base = self.A[0]
        if len(self.A) == 1:
            return np.ones(1), base
        Q, R = self.Q, self.R
        diagonal = np.abs(np.diag(R))
        if len(diagonal) < len(self.A) - 1 or diagonal.min() <= 1e-14 * diagonal.max():
            D = (self.A[1:] - base).T
            beta = np.linalg.lstsq(D, -base, rcond=None)[0]
            return np.concatenate([[1.0 - beta.sum()], beta]), base + D @ beta
        beta = solve_triangular(R, -(Q.T @ base), check_finite=False)
        x = base - Q @ (Q.T @ base)
        x -= Q @ (Q.T @ x)  # again, or a short x would point anywhere
        return np.concatenate([[1.0 - beta.sum()], beta]), x
