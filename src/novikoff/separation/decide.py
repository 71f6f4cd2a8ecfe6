"""The verdict on two classes: `search.py` decides, `widest.py` measures, and it is verified."""

from dataclasses import replace

import numpy as np

from novikoff.proofs.bounds import novikoff_bound
from novikoff.separation import widest
from novikoff.separation.certificate import Separability, undecided
from novikoff.separation.divergence import diverging
from novikoff.separation.exact import rounded_to_floats
from novikoff.separation.geometry import radius_of_run
from novikoff.separation.search import Search, Undecided, find
from novikoff.separation.two_classes import TwoClasses
from novikoff.typing import Array


def of_two(D: TwoClasses, tol: float, deadline: float) -> Separability:
    """The verdict, with the bound on mistakes and what diverges."""
    search = Search(D.X, D.y, D.bias, deadline)
    try:
        found, free = proved(search, tol)
    except (Undecided, OverflowError):
        return undecided(D.longest, D.bias)
    v = None if found.coef is None else found.weights[0]
    if found.verdict == "separable" and v is not None:
        of_run = found.margin  # without a bias, a run takes place in the same space
        if D.bias:
            of_run = widest.margin(D.X, D.y, v, "held", tol, deadline).margin
        most = novikoff_bound(radius_of_run(D.longest, D.X, D.bias), of_run.lower)
        found = replace(found, novikoff=most)
    return replace(found, infinite=tuple(diverging(search, free, v)))


def decided(D: TwoClasses, tol: float, deadline: float) -> Separability:
    """The verdict alone; nothing of mistakes and divergence."""
    search = Search(D.X, D.y, D.bias, deadline)
    try:
        return proved(search, tol)[0]
    except (Undecided, OverflowError):
        return undecided(D.longest, D.bias)


def proved(search: Search, tol: float) -> tuple[Separability, Array]:
    """The verdict with its proof and the margin, verified, and which coefficients are free."""
    verdict, proof, witness, free = find(search)
    X, y, bias = search.X, search.y, search.bias
    found = Separability(verdict, fit_intercept=bias)
    if verdict == "separable":
        kind = "free" if bias else "none"
        v, ends, proof = widest.margin(X, y, np.asarray(witness), kind, tol, search.deadline)
        found = replace(found, margin=ends).with_weights(v[None])
    elif verdict == "quasi-separable":
        exact = tuple(witness or ())
        found = replace(found, witness=exact).with_weights(rounded_to_floats(exact)[None])
    order = np.argsort(proof.rows)
    shares = tuple(proof.shares[k] for k in order)
    found = replace(found, rows=tuple(proof.rows[order].tolist()), multipliers=shares)
    if not found.holds(TwoClasses(X, y, 2, bias)):
        raise Undecided
    return found, free
