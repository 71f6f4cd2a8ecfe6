r"""The search for a separator, or for the proof that there is none.

The search looks for the point of the convex hull of $z_i = y_i(x_i, 1)$ nearest to the
origin. If it is not the origin, it is the normal of a separating hyperplane. If it is, its
corral gives multipliers $p > 0$ with $\sum p_i z_i = 0$; they are recomputed in
rationals, and then every $v$ with $\langle v, z_i\rangle \ge 0$ vanishes on the corral and
on what it spans. Within the subspace of such $v$ the question is asked again of the
remaining rows, until a strict $v$ is found there (quasi-separable) or no rows remain
(inseparable). Each round costs its rank plus one rows, so a proof has at most $2(d+1)$.

Few rows matter. The search works on a growing set of them and passes over all rows only to
see which are on the wrong side.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import lsqr

from novikoff.certificates.exact import (
    Multipliers,
    Whole,
    null_vectors,
    primitive,
    row_signs,
    unit_vectors,
    whole_rows,
)
from novikoff.certificates.exact_hull import products
from novikoff.certificates.geometry import WIDE, column_peaks, cosines
from novikoff.certificates.hull import nearest_point, starting_point
from novikoff.certificates.simplex import Inside, in_cone
from novikoff.certificates.two_classes import TwoClasses
from novikoff.core.clock import now
from novikoff.inputs.arrays import as_rows, dense
from novikoff.max_margin.coordinates import MOST_EXPONENT
from novikoff.typing import Array, Matrix

BLOCK = 1 << 14
"""How many rows to turn into atoms at a time."""


class Undecided(Exception):
    """Internal: floats cannot tell, or the time is up."""


class Cancelling(NamedTuple):
    """Rows whose convex hull contains the origin, as far as floats can tell."""

    rows: Array
    working: Array
    """The rows they were chosen from."""


class Search:
    """The search for a separator of one data set."""

    def __init__(self, D: TwoClasses, deadline: float) -> None:
        self.D, self.X, self.y, self.bias, self.deadline = D, D.X, D.y, D.bias, deadline
        self.rows = as_rows(D.X)
        peaks = np.zeros(D.X.shape[1] + 1)
        column_peaks(self.rows, len(D.y), peaks)
        self.c = scales(peaks, D.bias)

    def atoms(self, rows: Array) -> Array:
        """Scaled rows times their labels, of unit length."""
        return atoms(self.X, self.y, rows, self.c)

    def decide(self, alive: Array, Q: Array) -> Array | Cancelling:
        """Is there a strict separator of the alive rows in the span of `Q`?

        If there is, its weights in scaled coordinates.
        """
        candidates = np.flatnonzero(alive)
        m = Q.shape[1]
        more = max(50, min(m, WIDE))
        if m > WIDE and alive.all() and (found := self.least_squares()) is not None:
            return found
        random = np.random.default_rng(0)
        working = random.permutation(candidates)[: 4 * more + 100]
        A, origin = self.project(working, Q), np.zeros((1, m))
        nearest = starting_point(A, origin)
        scores = np.empty(len(self.y))
        while True:
            if now() > self.deadline:
                raise Undecided
            nearest = nearest_point(A, origin, nearest, 1.0, self.deadline)
            corral = working[[k for k, _ in nearest.keys]]
            if np.linalg.norm(nearest.point) <= 1e-13:
                return Cancelling(corral, working)
            v: Array = Q @ nearest.point
            cosines(v, self.c, self.rows, self.y, scores)
            scores[~alive] = np.inf
            wrong = np.flatnonzero(scores <= 1e-14 * np.linalg.norm(v))
            if not len(wrong):
                return v
            new = np.setdiff1d(wrong[np.argsort(scores[wrong], kind="stable")][: 4 * more], working)
            if not len(new):  # they are all at work already: floats cannot tell
                if row_signs((v * self.c)[None], self.X, self.y)[alive].min() > 0:
                    return v
                return Cancelling(corral, working)
            new = new[np.argsort(scores[new], kind="stable")][:more]
            working = np.concatenate([working, new])
            A = np.vstack([A, self.project(new, Q)])

    def below(self, rows: Array, alive: Array, Q: Array) -> tuple[Array, Array]:
        """What is left of the alive rows and of `Q` where weights vanish on these rows.

        As far as floats can tell: the exact answer takes a pass over all rows for every
        dimension that is left, so it is better to go down several of them first.
        """
        A = self.atoms(rows) @ Q
        _, sizes, V = np.linalg.svd(A)
        Q = Q @ V[int((sizes > 1e-9 * sizes.max(initial=0.0)).sum()) :].T
        return (self.reaching(alive, Q) if Q.shape[1] else np.zeros_like(alive)), Q

    def exactly(
        self, step: Cancelling, proof: Multipliers, alive: Array
    ) -> "Cancelling | tuple[Array, Array]":
        """Decide in whole numbers what floats cannot, among what a proof leaves.

        Either rows that cancel, or a direction that has all rows strictly on its side that it can,
        and which these are.
        """
        m = len(self.c) - (not self.bias)
        basis = null_vectors(self.whole(proof.rows)) if len(proof.rows) else unit_vectors(m)
        working, alive = step.working, alive.copy()
        while True:
            vectors = [primitive(u) for u in products(self.whole(working), basis, self.deadline)]
            some = [k for k, u in enumerate(vectors) if any(u)]
            alive[np.delete(working, some)] = False  # rounding made them look alive
            working, vectors = working[some], [vectors[k] for k in some]
            if not len(working):
                working = np.flatnonzero(alive)[: 4 * m]
                if not len(working):
                    raise Undecided
                continue
            place = {int(row): k for k, row in enumerate(working)}
            start = [place[int(row)] for row in step.rows if int(row) in place]
            try:
                found = in_cone(
                    [[*u, 1] for u in vectors], [0] * len(basis) + [1], start, self.deadline
                )
            except TimeoutError:
                raise Undecided from None
            if isinstance(found, Inside):
                return Cancelling(working[found.members], working)
            W = np.full(len(self.c), Fraction(0))
            for t, n in zip(found.normal, basis, strict=False):
                for j, part in enumerate(n):
                    W[j] += t * part
            low = np.flatnonzero(alive & (self.D.signs(W[None])[0] <= 0))
            if not len(low):
                return W, alive
            working = np.union1d(working, low[: 4 * m + 100])

    def nearest_rows(self, v: Array, alive: Array) -> Array:
        """The alive rows that are nearest to a hyperplane, or behind it."""
        scores = np.empty(len(self.y))
        cosines(v, self.c, self.rows, self.y, scores)
        scores[~alive] = np.inf
        count = min(int(alive.sum()), 4 * len(self.c) + 100)
        return np.argsort(scores, kind="stable")[:count]

    def reaching(self, alive: Array, Q: Array) -> Array:
        """Which of the alive rows have a part in the span of `Q`, as far as floats can tell."""
        part, candidates = np.zeros(len(alive), bool), np.flatnonzero(alive)
        for low in range(0, len(candidates), BLOCK):
            rows = candidates[low : low + BLOCK]
            part[rows] = (abs(self.atoms(rows) @ Q) > 1e-9).any(axis=1)
        return part

    def least_squares(self) -> Array | None:
        """Weights that give all rows a score of 1, if they separate: likely on wide data."""
        scaled = sparse.csr_array(self.X).astype(np.float64) * self.c[:-1]
        Z = sparse.hstack([scaled, np.full((len(self.y), 1), self.c[-1])], format="csr")
        v: Array = lsqr(Z, self.y.astype(np.float64), atol=1e-12, btol=1e-12)[0]
        separates = row_signs((v * self.c)[None], self.X, self.y).min() > 0
        return v if separates else None

    def project(self, rows: Array, Q: Array) -> Array:
        """Atoms in the coordinates of `Q`, of unit length again."""
        return unit_rows(self.atoms(rows) @ Q)

    def whole(self, rows: Array) -> Whole:
        """Rows as whole numbers."""
        return whole_rows(self.X, self.y, rows, self.bias)


def scales(peaks: Array, bias: bool) -> Array:
    """What brings columns with these largest values near 1; that of the bias is its own."""
    peaks = np.where(peaks == 0, 1.0, peaks)
    # powers of two: scaling is exact
    c = np.ldexp(1.0, np.minimum(-np.frexp(peaks)[1], MOST_EXPONENT))
    c[-1] = float(bias)
    return c


def atoms(X: Matrix, y: Array, rows: Array, c: Array) -> Array:
    """Scaled rows times their labels, of unit length."""
    Z = np.hstack([dense(X, rows), np.ones((len(rows), 1))]) * c
    Z *= y[rows, None]
    return unit_rows(Z)


def unit_rows(A: Array) -> Array:
    """Rows of unit length; rows of zeros stay zeros."""
    tops = abs(A).max(axis=1, keepdims=True, initial=0.0)
    A = np.divide(A, tops, out=np.zeros_like(A), where=tops > 0)  # or squares may underflow
    lengths = np.linalg.norm(A, axis=1, keepdims=True)
    unit: Array = np.divide(A, lengths, out=np.zeros_like(A), where=lengths > 0)
    return unit
