r"""How the certificate of many classes is checked.

With $z_{ir}$ the vectors of Kesler's construction the three verdicts and their proofs are those
of `novikoff.separation.certificate`; a row of the proof is an example and a rival class.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.separation import kesler
from novikoff.separation.exact import combination, null_vectors, rounded_to_floats, whole_rows
from novikoff.separation.geometry import without_empty_columns
from novikoff.separation.kesler import Labelled, Pairs
from novikoff.separation.widest import combination_length_up

Array = npt.NDArray[Any]


def holds(told: Any, D: Labelled) -> bool:
    """Does the certificate prove its verdict and its margin for these examples?"""
    if told.n_classes != D.n_classes or not proper(told, D):
        return False
    pairs = pairs_of(told)
    if told.verdict == "separable":
        W = separator(told, D)
        if W is None or not told.margin.lower <= kesler.lower_end(D, W):
            return False
        Z, ones = kesler.vectors(D, pairs), np.ones(len(told.rows), np.int8)
        every, shares = np.arange(len(told.rows)), list(told.multipliers)
        return bool(combination_length_up(Z, ones, every, shares, 0) <= told.margin.upper)
    if told.margin.lower != 0 or told.margin.upper != 0 or not cancels(told, D, pairs):
        return False
    if told.verdict == "quasi-separable":
        return supports(told, D)
    return bool(told.verdict == "inseparable" and spans(D, pairs))


def pairs_of(told: Any) -> Pairs:
    """The pairs of the proof."""
    return Pairs(np.array(told.rows), np.array(told.rivals))


def proper(told: Any, D: Labelled) -> bool:
    """Are these multipliers of distinct pairs, above 0, that sum to 1?"""
    pairs = list(zip(told.rows, told.rivals, strict=False))
    return (
        len(told.rows) == len(told.rivals) == len(told.multipliers) == len(set(pairs)) > 0
        and all(type(i) is int and type(r) is int for i, r in pairs)
        and all(0 <= i < len(D.y) and 0 <= r < D.n_classes and r != D.y[i] for i, r in pairs)
        and all(isinstance(p, Fraction) and p > 0 for p in told.multipliers)
        and sum(told.multipliers) == 1
    )


def stated_weights(told: Any, D: Labelled) -> Array | None:
    """The weights of the certificate, the bias last, if they fit the data."""
    K, d = D.n_classes, D.X.shape[1]
    coef, intercept = np.asarray(told.coef), np.asarray(told.intercept)
    if told.coef is None or coef.shape != (K, d) or intercept.shape != (K,):
        return None
    W = np.hstack([coef, intercept[:, None]])
    return W if np.isfinite(W).all() and (D.bias or not intercept.any()) else None


def separator(told: Any, D: Labelled) -> Array | None:
    """The weights, if they have every example's class strictly in front."""
    W = stated_weights(told, D)
    return W if W is not None and kesler.separates(D, W) else None


def cancels(told: Any, D: Labelled, pairs: Pairs) -> bool:
    """Do the vectors of the proof, times their multipliers, add up to 0?"""
    Z, ones = kesler.vectors(D, pairs), np.ones(len(told.rows), np.int8)
    return not combination(Z, ones, np.arange(len(told.rows)), list(told.multipliers), 0)


def exact_weights(told: Any, D: Labelled) -> list[list[Fraction]] | None:
    """The exact witness, the bias last, if it fits the data and its rounding is what is stated."""
    W = stated_weights(told, D)
    if W is None or told.witness is None or len(told.witness) != W.size:
        return None
    if not np.array_equal(W.ravel(), rounded_to_floats(told.witness)):
        return None
    flat = list(told.witness)
    exact = [flat[c * W.shape[1] : (c + 1) * W.shape[1]] for c in range(D.n_classes)]
    return exact if D.bias or not any(row[-1] for row in exact) else None


def supports(told: Any, D: Labelled) -> bool:
    """Is the exact witness nowhere on the wrong side, and somewhere on the right one?"""
    exact = exact_weights(told, D)
    if exact is None:
        return False
    strict = False
    for _, found in kesler.exact_signs(D, exact):
        if (found < 0).any():
            return False
        strict = strict or bool((found > 0).any())
    return strict


def spans(D: Labelled, pairs: Pairs) -> bool:
    """Whatever vanishes on the vectors of the proof vanishes on all."""
    D = D._replace(X=without_empty_columns(D.X)[0])
    Z, ones = kesler.vectors(D, pairs, reduced=True), np.ones(len(pairs.rows), np.int8)
    for n in null_vectors(whole_rows(Z, ones, np.arange(len(pairs.rows)), False)):
        exact = kesler.in_fractions(D, [Fraction(v) for v in n], reduced=True)
        if any(found.any() for _, found in kesler.exact_signs(D, exact)):
            return False
    return True
