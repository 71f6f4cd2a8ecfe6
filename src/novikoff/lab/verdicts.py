"""Can a line do it? The verdict with its proof, as the page shows it."""

from fractions import Fraction

import numpy as np

from novikoff.certificates.certificate import Separability
from novikoff.certificates.separability import separability
from novikoff.proofs.bounds import winnow_bound
from novikoff.typing import Array

SECONDS = 5.0
"""What a verdict may take; in the plane it takes a few milliseconds."""
SHORT = 11
"""Fractions of more letters are shown as decimals."""


def verdict(Z: Array, y: Array, bias: bool) -> dict[str, object]:
    """The verdict on examples as the learner saw them.

    `rows` are the points on the widest band or, where there is none, those whose multipliers prove
    that; `told` says it in words.
    """
    found = separability(Z, y, fit_intercept=bias, budget=SECONDS)
    return {
        "verdict": found.verdict,
        "told": _told(found, bias),
        "proof": _proof(found, bias),
        "margin": [found.margin.lower, found.margin.upper],
        "band": _line(found) if found.verdict == "separable" else None,
        "touching": _line(found) if found.verdict == "quasi-separable" else None,
        "rows": list(found.rows),
        "multipliers": [float(p) for p in found.multipliers],
        "exact": [_written(p) for p in found.multipliers],
        "verified": found.verdict != "undecided",
    }


def _line(found: Separability) -> list[float] | None:
    """The weights of unit length, and the bias."""
    if found.coef is None or found.intercept is None:
        return None
    length = float(np.linalg.norm(found.coef)) or 1.0
    return [*(found.coef / length).tolist(), found.intercept / length]


def _written(p: Fraction) -> str:
    text = str(p)
    return text if len(text) <= SHORT else f"{float(p):.4g}"


def _told(found: Separability, bias: bool) -> str:
    line = "line" if bias else "line through the origin"
    if found.verdict == "separable":
        return (
            f"Separable: the widest band around a {line} without a point in it reaches "
            f"{found.margin.lower:.4g} to either side."
        )
    if found.verdict == "quasi-separable":
        return f"Not separable: a {line} has all points on their sides, but some must lie on it."
    if found.verdict == "inseparable":
        return f"Not separable: no {line} has the two classes on its two sides."
    return "Undecided: no exact proof was found in time."


def _proof(found: Separability, bias: bool) -> str:
    n = len(found.rows)
    these = f"the {n} ringed point{'s' * (n != 1)}"
    if found.verdict == "separable":
        return (
            f"No band is wider: {these} hold it. Their multipliers prove it, in exact arithmetic."
        )
    if found.verdict == "undecided":
        return ""
    z = "(x, 1)" if bias else "x"
    return (
        f"Proof: with the multipliers p of {these}, the sum of p·y·{z} is exactly 0. A line "
        "with all of them on their right sides would make a positive number of it."
    )


def disjunction_bound(Z: Array, y: Array, threshold: float, factor: float) -> dict[str, object]:
    """What the theorem on Winnow says here: the labels must be a disjunction of the variables."""
    if (threshold, factor) != (2.0, 2.0):
        return {"why": "Winnow's bound is for a threshold of 2 and a factor of 2."}
    for variables in ((0,), (1,), (0, 1)):
        if np.array_equal(Z[:, variables].max(axis=1) > 0, y > 0):
            words = " or ".join(f"x{j + 1}" for j in variables)
            return {"bound": winnow_bound(len(variables), 2), "disjunction": words}
    return {"why": "The labels are no disjunction of the two variables, so Winnow has no bound."}
