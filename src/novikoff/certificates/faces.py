r"""Which rows can be strictly on the right side of a hyperplane that has none on its wrong side.

The directions that have every row on their side are a cone, and one of them has all the rows
strictly there that any has. What is left are rows that no direction has strictly so. Rows of them
that cancel prove it, as `search.py` says.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import sparse

from novikoff.certificates import widest
from novikoff.certificates.certificate import Separability, undecided
from novikoff.certificates.exact import (
    Multipliers,
    dependencies,
    in_whole_numbers,
    independent_rows,
    primitive,
    rounded_to_floats,
    row_signs,
)
from novikoff.certificates.geometry import WIDE
from novikoff.certificates.search import Cancelling, Search, Undecided
from novikoff.core.clock import now
from novikoff.typing import Array, Matrix


class Face(NamedTuple):
    """The directions that have every row on their side: which rows they have strictly there."""

    strict: Array
    """Which rows some direction has strictly on its side."""
    witness: Array | None
    """One that has all of these so, the bias last: floats or fractions; None if there are none."""
    proof: Multipliers
    """Rows that cancel: no direction has them strictly on its side, nor what they span."""


def combine(search: Search, proof: Multipliers, rows: Array) -> Multipliers | None:
    """Extend a proof by rows that cancel up to what it spans; exactly, or not at all.

    Rows of equations come first in a proof, and their multipliers may have any sign.
    """
    old, both = proof.rows, np.concatenate([proof.rows, rows])
    equations = int(search.D.equal[old].sum())
    shares = primitive(in_whole_numbers(proof.shares)[0])
    for p in dependencies(search.whole(both)):
        for sign in (1, -1):
            q = [sign * part for part in p]
            new = q[len(old) :]
            if not any(new) or min(new) < 0:
                continue
            # enough of the old proof makes the old rows positive as well
            pairs = list(zip(q, shares, strict=False))[equations:]
            t = max((-part // share + 1 for part, share in pairs), default=0)
            for k, share in enumerate(shares):
                q[k] += max(1, t) * share
            kept = [k for k, part in enumerate(q) if part > 0 or k < equations]
            total = sum(q[equations:])
            return Multipliers(both[kept], [Fraction(q[k], total) for k in kept])
    return None


def decided(search: Search, tol: float) -> tuple[Separability, Face | None]:
    """The verdict with its proof and the margin, verified, and the face that it was read off.

    Nothing is said of mistakes and coefficients yet.
    """
    D = search.D
    try:
        face = find(search)
        for found in certificates(search, face, tol):
            if found.holds(D):
                return found, face
    except (Undecided, OverflowError):
        pass
    return undecided(D.longest, D.bias), None


def certificates(search: Search, face: Face, tol: float) -> Iterator[Separability]:
    """What may prove the verdict of a face: of separable data in floats, then in fractions."""
    found = Separability(verdict(face), fit_intercept=search.D.bias)
    if found.verdict == "separable":
        yield from separators(found, search, np.asarray(face.witness), tol)
        return
    if face.witness is not None:
        found = found.with_exact_weights(face.witness[None])
    yield found.with_proof(*face.proof)


def verdict(face: Face) -> str:
    """What a face says of all rows."""
    if not face.strict.any():
        return "inseparable"
    return "quasi-separable" if len(face.proof.rows) else "separable"


def separators(
    found: Separability, search: Search, witness: Array, tol: float
) -> Iterator[Separability]:
    """Separable, with the widest separator: in floats, then in fractions."""
    D = search.D
    v = rounded_to_floats(witness[None])[0] if witness.dtype == object else witness
    if row_signs(v[None], D.X, D.y).min() > 0:
        with np.errstate(invalid="ignore", over="ignore"):  # then it will not hold
            w, ends, proof = widest.margin(D.X, D.y, v, D.kind_of_bias, tol, search.deadline)
        if np.isfinite(w).all():
            yield replace(found, margin=ends).with_weights(w[None]).with_proof(*proof)
    exact = np.array([Fraction(f) for f in witness.tolist()], object)
    W, ends, proof = widest.exact_margin(D.X, D.y, exact, D.kind_of_bias, search.deadline)
    yield replace(found, margin=ends).with_exact_weights(W[None]).with_proof(*proof)


def find(search: Search) -> Face:
    """Which rows can be strictly on the right side of a direction that no row is on the wrong of.

    Of separable data the witness is any separator.
    """
    D = search.D
    rows = equations(search)
    proof = Multipliers(rows, [Fraction(0)] * len(rows))
    left = remaining(search, proof)
    while left.alive.any():
        alive, Q = left.alive, left.Q
        step = search.decide(alive, Q)
        if not isinstance(step, Cancelling):
            if left.basis is None:
                W = step * search.c
                signs = row_signs(W[None], D.X, D.y)
            else:
                W = in_span(left.basis, step, search)
                signs = D.signs(W[None])[0]
            if (signs[alive] > 0).all():
                return Face(alive, W, proof)
            step = Cancelling(np.zeros(0, np.int64), search.nearest_rows(step, alive))
        while isinstance(step, Cancelling) and alive.any():
            extended = combine(search, proof, step.rows) if len(step.rows) else None
            if extended is None:
                exact = search.exactly(step, proof, remaining(search, proof).alive)
                if not isinstance(exact, Cancelling):
                    W, alive = exact
                    return Face(alive, W, proof)
                extended = combine(search, proof, exact.rows)
            if extended is None:
                raise Undecided
            alive, Q = search.below(np.setdiff1d(extended.rows, proof.rows), alive, Q)
            proof = extended
            step = search.decide(alive, Q) if alive.any() else step
        left = remaining(search, proof)
    return Face(left.alive, None, proof)


class Left(NamedTuple):
    """What a proof leaves: directions that vanish on its rows, and rows that they do not meet."""

    alive: Array
    basis: list[Array] | None
    """Of the directions, exactly; None for all there are."""
    Q: Matrix
    """The same in floats, orthonormal, in scaled space."""


def remaining(search: Search, proof: Multipliers) -> Left:
    """What a proof leaves, exactly."""
    D, n, width = search.D, len(search.y), len(search.c)
    m = width if search.bias else width - 1
    if not len(proof.rows):
        whole = sparse.eye_array(width, m, format="csr") if m > WIDE else np.eye(width, m)
        return Left(~D.equal, None, whole)
    alive, basis = np.zeros(n, bool), []
    for W in D.vanishing(proof.rows, proof.rows):
        if now() > search.deadline:
            raise Undecided
        seen = D.signs(W)[0] != 0
        if seen.any():  # else the columns themselves are dependent
            basis.append(W[0])
            alive |= seen
    Q = orthonormal(basis, search) if basis else np.zeros((width, 0))
    return Left(alive & ~D.equal, basis, Q)


def equations(search: Search) -> Array:
    """Rows of equations, independent, that span what all of them do."""
    D, every = search.D, np.flatnonzero(search.D.equal)
    chosen, all_of_them = every[: 2 * len(search.c) + 10], D.some(every)
    while len(every):
        if now() > search.deadline:
            raise Undecided
        chosen = chosen[independent_rows(search.whole(chosen).vectors)]
        signs = [all_of_them.signs(W)[0] for W in D.vanishing(chosen, chosen)]
        missed = [every[int(np.argmax(s != 0))] for s in signs if s.any()]
        if not missed:
            break
        chosen = np.union1d(chosen, missed)
    return chosen


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
