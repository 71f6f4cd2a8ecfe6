"""The certificate of separation: a direction of recession, and the proof that there is no more."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy import sparse

from novikoff.certificates.divergence import AllKnown, estimates
from novikoff.certificates.estimates import Estimates, Everywhere, hold
from novikoff.certificates.exact import Exact, combination
from novikoff.certificates.faces import find
from novikoff.certificates.search import Search
from novikoff.certificates.two_classes import TwoClasses
from novikoff.regression.families import Model
from novikoff.typing import Array


@dataclass(frozen=True)
class Recession:
    r"""Which rows of a model are separated, what becomes of its coefficients, and the proof.

    Parameters
    ----------
    direction : tuple of Fraction
        A direction $\gamma$ along which the likelihood never falls, and that has all separated rows
        above 0; empty if no row is separated.
    separated : tuple of int
        The rows of the model that are separated.
    rows, multipliers : tuple of int, tuple of Fraction
        Rows that add up to 0, so multiplied: those of inequalities by numbers above 0. No direction
        can have such a row above 0, nor what the rows span, which is all that is not separated.
    estimates : Estimates
        What becomes of the coefficients.
    """

    direction: tuple[Fraction, ...]
    separated: tuple[int, ...]
    rows: tuple[int, ...]
    multipliers: tuple[Fraction, ...]
    estimates: Estimates

    def verify(self, model: Model) -> bool:
        """Check everything against the rows of a model, in exact arithmetic."""
        D, n = model.rows, len(model.rows.y)
        if not all(0 <= row < n for row in (*self.rows, *self.separated)):
            return False
        if len(self.rows) != len(self.multipliers) or len({*self.rows}) != len(self.rows):
            return False
        strict = np.zeros(n, bool)
        strict[list(self.separated)] = True
        rows = np.array(self.rows, np.int64)
        above = [p > 0 for p in self.multipliers]
        if not all(a or e for a, e in zip(above, D.equal[rows], strict=True)):
            return False
        if len(rows) and combination(D.X, D.y, rows, self.multipliers, int(D.bias)):
            return False
        witness = None
        if strict.any():
            witness = np.array(self.direction, object)
            if len(witness) != D.X.shape[1] + 1 or (witness[-1] and not D.bias):
                return False
            signs = D.signs(witness[None])[0]
            if signs[D.equal].any() or (signs < 0).any() or not np.array_equal(signs > 0, strict):
                return False
        if not strict.all() and any(D.signs(W)[0][~strict].any() for W in D.vanishing(rows, rows)):
            return False
        return hold(self.estimates, D, everywhere(D), witness, self.rows)


def everywhere(D: TwoClasses) -> Everywhere:
    """What is true of all rows of a model."""

    def supports(W: Exact) -> bool:
        signs = D.signs(W[None])[0]
        return not signs[D.equal].any() and not (signs < 0).any()

    def lacks(columns: Array) -> bool:
        return not sparse.csr_array(D.X[:, columns]).count_nonzero()

    return Everywhere(supports, lambda W: not D.signs(W[None])[0].any(), lacks)


def recession(model: Model, deadline: float) -> Recession:
    """Find out, and prove it; raises `Undecided` if there is no time."""
    D = model.rows
    face = find(Search(D, deadline))
    proof = face.proof.rows
    witness = None
    if face.witness is not None:
        witness = np.array([Fraction(f) for f in face.witness.tolist()], object)
    told = estimates(AllKnown(D, proof), witness, proof, deadline)
    return Recession(
        () if witness is None else tuple(witness.tolist()),
        tuple(np.flatnonzero(face.strict).tolist()),
        tuple(proof.tolist()),
        tuple(face.proof.shares),
        told,
    )
