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

from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import lsqr

from novikoff.core.clock import now
from novikoff.inputs.arrays import as_rows, dense
from novikoff.max_margin.coordinates import MOST_EXPONENT
from novikoff.separation import widest
from novikoff.separation.certificate import Separability, undecided
from novikoff.separation.exact import (
    Multipliers,
    Whole,
    dependencies,
    in_whole_numbers,
    null_vectors,
    primitive,
    row_signs,
    whole_rows,
)
from novikoff.separation.exact_hull import corral_around_origin, products
from novikoff.separation.geometry import WIDE, column_peaks, cosines
from novikoff.separation.hull import nearest_point, starting_point
from novikoff.separation.two_classes import TwoClasses
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

    def repaired(self, step: Cancelling, proof: Multipliers) -> Array:
        """The corral that rationals choose where floats chose a wrong one."""
        Z = self.whole(step.working)
        place = {int(row): k for k, row in enumerate(step.working)}
        try:
            vectors = Z.vectors
            if len(proof.rows):  # in the quotient by what the proof spans
                vectors = products(Z, null_vectors(self.whole(proof.rows)), self.deadline)
            corral = corral_around_origin(
                vectors, [place[int(r)] for r in step.rows], self.deadline
            )
        except (TimeoutError, ZeroDivisionError):
            raise Undecided from None
        if not corral:
            raise Undecided
        return step.working[corral]

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


def combine(search: Search, proof: Multipliers, rows: Array) -> Multipliers | None:
    """Extend a proof by rows that cancel up to what it spans; exactly, or not at all."""
    old, both = proof.rows, np.concatenate([proof.rows, rows])
    shares = primitive(in_whole_numbers(proof.shares)[0])
    for p in dependencies(search.whole(both)):
        for sign in (1, -1):
            q = [sign * part for part in p]
            new = q[len(old) :]
            if not any(new) or min(new) < 0:
                continue
            # enough of the old proof makes the old rows positive as well
            t = max((-part // share + 1 for part, share in zip(q, shares, strict=False)), default=0)
            for k, share in enumerate(shares):
                q[k] += max(1, t) * share
            kept = [k for k, part in enumerate(q) if part > 0]
            total = sum(q)
            return Multipliers(both[kept], [Fraction(q[k], total) for k in kept])
    return None


def decided(search: Search, tol: float) -> tuple[Separability, Array]:
    """The verdict with its proof and the margin, verified, and which coefficients are free.

    Nothing is said of mistakes and divergence yet.
    """
    D = search.D
    try:
        found, free = find(search)
        if found.verdict == "separable":
            v = found.weights[0]
            v, ends, proof = widest.margin(D.X, D.y, v, D.kind_of_bias, tol, search.deadline)
            found = replace(found, margin=ends).with_weights(v[None])
            found = found.with_proof(*proof)
        if found.holds(D):
            return found, free
    except (Undecided, OverflowError):
        pass
    return undecided(D.longest, D.bias), np.zeros(D.X.shape[1] + D.bias, bool)


def find(search: Search) -> tuple[Separability, Array]:
    """The verdict, with its witness and proof, and which coefficients are free.

    Of separable data there is any separator, and no proof yet that its margin is the widest.
    """
    D, m = search.D, len(search.c) if search.bias else len(search.c) - 1
    alive = np.ones(len(search.y), bool)
    Q: Matrix = (
        sparse.eye_array(len(search.c), m, format="csr") if m > WIDE else np.eye(len(search.c), m)
    )
    basis: list[Array] = []
    proof = Multipliers(np.zeros(0, np.int64), [])
    while True:
        step = search.decide(alive, Q)
        if not isinstance(step, Cancelling) and not basis:
            found = Separability("separable", fit_intercept=D.bias)
            return found.with_weights((step * search.c)[None]), np.ones(m, bool)
        if not isinstance(step, Cancelling):
            found = Separability("quasi-separable", fit_intercept=D.bias)
            found = found.with_exact_weights(in_span(basis, step, search)[None])
            free = np.array([any(n[j] for n in basis) for j in range(m)])
            return found.with_proof(*proof), free
        while isinstance(step, Cancelling) and alive.any():
            extended = combine(search, proof, step.rows)
            if extended is None:
                extended = combine(search, proof, search.repaired(step, proof))
            if extended is None:
                raise Undecided
            alive, Q = search.below(np.setdiff1d(extended.rows, proof.rows), alive, Q)
            proof = extended
            step = search.decide(alive, Q) if alive.any() else step
        alive, basis = np.zeros(len(search.y), bool), []
        for W in D.vanishing(proof.rows, proof.rows):
            if now() > search.deadline:
                raise Undecided
            seen = D.signs(W)[0] != 0
            if seen.any():  # else the columns themselves are dependent
                basis.append(W[0])
                alive |= seen
        if not alive.any():
            found = Separability("inseparable", fit_intercept=D.bias)
            return found.with_proof(*proof), np.zeros(m, bool)
        Q = orthonormal(basis, search)


def scaled_basis(basis: list[Array], search: Search) -> tuple[Array, list[Fraction]]:
    """The basis as float columns in scaled space, and what each was divided by."""
    N = np.zeros((len(search.c), len(basis)))
    tops = []
    for b, n in enumerate(basis):
        # a score is <v, x> = <v / c, c * x>
        scaled = {j: Fraction(v) / Fraction(search.c[j]) for j, v in enumerate(n) if v}
        top = max(abs(v) for v in scaled.values())
        tops.append(Fraction(2) ** (top.numerator.bit_length() - top.denominator.bit_length()))
        for j, v in scaled.items():
            N[j, b] = float(v / tops[-1])
    return N, tops


def orthonormal(basis: list[Array], search: Search) -> Array:
    """Float coordinates for the span of `basis`, in scaled space."""
    Q: Array = np.linalg.qr(scaled_basis(basis, search)[0])[0]
    return Q


def in_span(basis: list[Array], v: Array, search: Search) -> Array:
    """The exact combination of the basis that comes close to `v`, which is in scaled space."""
    N, tops = scaled_basis(basis, search)
    t = np.linalg.lstsq(N, v, rcond=None)[0]
    shares = [Fraction(float(share)) / top for share, top in zip(t, tops, strict=True)]
    exact = np.full(len(basis[0]), Fraction(0))
    for share, n in zip(shares, basis, strict=True):
        for j, part in enumerate(n):
            if part:
                exact[j] += share * part
    return exact
