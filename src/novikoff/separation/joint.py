r"""Whether many classes can be separated jointly, by what margin, and the proof.

The question is asked of a growing set of the vectors of Kesler's construction
(`kesler.py`), as one of two classes is. What separates them either separates all, or tells which
vectors are missing; a proof that they cannot be separated is one for all.
"""

from fractions import Fraction
from math import hypot, inf, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.clock import now
from novikoff.inputs import as_rows
from novikoff.proofs.bounds import novikoff_bound
from novikoff.separation import kesler
from novikoff.separation.bracket import Bracket
from novikoff.separation.certificate import Separability
from novikoff.separation.exact import null_vectors, rounded_to_floats, whole_rows
from novikoff.separation.geometry import longest, radius_of_run
from novikoff.separation.kesler import Labelled, Pairs

Array = npt.NDArray[Any]
Decide = Any
"""The verdict on two classes through the origin: of rows, signs, tolerance and deadline."""

LOOSE = 0.1
"""How far to close the bracket of some vectors while they do not stand for all."""
MORE = 100
"""How many vectors join at a time, at the least."""


def of_many(D: Labelled, tol: float, deadline: float, decide: Decide) -> Separability:
    """The verdict on many classes, with its proof and the margin."""
    active = first_pairs(D)
    loose = True
    while now() < deadline:
        found = among(D, active, LOOSE if loose else tol, deadline, decide)
        if found.verdict == "undecided":
            break
        if found.verdict == "separable":
            W = kesler.weights(D, found.coef)
            new, least = behind(D, W, found.margin.upper, LOOSE if loose else tol, active)
            if not len(new.rows) or least >= (1 - tol) * found.margin.upper:
                if not loose:
                    return widest(D, W, active, found)
                loose = False
                continue
        elif found.verdict == "inseparable":
            new = out_of_span(D, active, found)
            if not len(new.rows):
                return told(D, "inseparable", None, active, found, Bracket(0.0, 0.0))
        else:
            witness = kesler.in_fractions(D, list(found.witness or ())[:-1])
            new = on_the_wrong_side(D, witness)
            if not len(new.rows):
                return told(D, "quasi-separable", witness, active, found, Bracket(0.0, 0.0))
        active = joined(active, new, D.n_classes)
    return undecided(D)


def first_pairs(D: Labelled) -> Pairs:
    """Vectors to begin with: of some examples of every class, all."""
    random = np.random.default_rng(0)
    each = max(1, (MORE + D.width) // D.n_classes)
    rows = np.concatenate(
        [random.permutation(np.flatnonzero(D.y == c))[:each] for c in range(D.n_classes)]
    )
    pairs = [(i, r) for i in rows.tolist() for r in range(D.n_classes) if r != D.y[i]]
    kept = random.permutation(len(pairs))[: 4 * (MORE + D.width * D.n_classes)]
    chosen = np.array(pairs)[np.sort(kept)]
    return Pairs(chosen[:, 0], chosen[:, 1])


def among(D: Labelled, active: Pairs, tol: float, deadline: float, decide: Decide) -> Separability:
    """The verdict on these vectors alone; two classes are made of them by turning every other."""
    Z, sides = kesler.vectors(D, active), np.ones(len(active.rows), np.int8)
    sides[1::2] = -1
    Z.data *= np.repeat(sides, np.diff(Z.indptr))
    found: Separability = decide(Z, sides, tol, deadline)
    return found


def behind(D: Labelled, W: Array, upper: float, tol: float, active: Pairs) -> tuple[Pairs, float]:
    """The vectors least in front of these weights that are not at work, and the least margin."""
    size, most = float(np.linalg.norm(W)), MORE + 4 * D.width
    known = keys(active, D.n_classes)
    rows, rivals, margins = [], [], []
    least = inf
    for some, lead, _ in kesler.leads(D, W):
        lead = lead / size
        least = min(least, float(lead.min()))
        i, r = np.nonzero(lead < (1 - tol) * upper)
        rows.append(i + some.start)
        rivals.append(r)
        margins.append(lead[i, r])
    found = Pairs(np.concatenate(rows), np.concatenate(rivals))
    fresh = ~np.isin(keys(found, D.n_classes), known)
    order = np.argsort(np.concatenate(margins)[fresh], kind="stable")[:most]
    return Pairs(found.rows[fresh][order], found.rivals[fresh][order]), least


def keys(pairs: Pairs, n_classes: int) -> Array:
    """A number for each pair."""
    numbers: Array = pairs.rows.astype(np.int64) * n_classes + pairs.rivals
    return numbers


def joined(active: Pairs, new: Pairs, n_classes: int) -> Pairs:
    """All of them, each once."""
    rows, rivals = (np.concatenate(both) for both in zip(active, new, strict=True))
    _, first = np.unique(keys(Pairs(rows, rivals), n_classes), return_index=True)
    first = np.sort(first)
    return Pairs(rows[first], rivals[first])


def on_the_wrong_side(D: Labelled, witness: list[list[Fraction]]) -> Pairs:
    """Vectors with a negative product with these weights."""
    return gathered(D, witness, lambda found: found < 0)


def out_of_span(D: Labelled, active: Pairs, found: Separability) -> Pairs:
    """Vectors on which something does not vanish that does on the proof."""
    rows = np.array(found.rows)
    Z = kesler.vectors(D, Pairs(active.rows[rows], active.rivals[rows]), reduced=True)
    ones = np.ones(len(rows), np.int8)
    for n in null_vectors(whole_rows(Z, ones, np.arange(len(rows)), False)):
        exact = kesler.in_fractions(D, [Fraction(v) for v in n], reduced=True)
        new = gathered(D, exact, lambda found: found != 0)
        if len(new.rows):
            return new
    return Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64))


def gathered(D: Labelled, W: list[list[Fraction]], chosen: Any) -> Pairs:
    """Some of the vectors whose sign is chosen."""
    rows, rivals = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for pairs, found in kesler.exact_signs(D, W):
        some = np.flatnonzero(chosen(found))[:MORE]
        rows.append(pairs.rows[some])
        rivals.append(pairs.rivals[some])
    return Pairs(np.concatenate(rows), np.concatenate(rivals))


# ------------------------------------------------------------- what is told


def widest(D: Labelled, W: Array, active: Pairs, found: Separability) -> Separability:
    """Separable: with the margin between its ends, and the bound on mistakes."""
    # recomputed in another order, the sums may differ by the doubt in them
    lower = min(kesler.lower_end(D, W, doubts=3.0), found.margin.upper)
    return told(D, "separable", W, active, found, Bracket(lower, found.margin.upper))


def told(
    D: Labelled, verdict: str, W: Any, active: Pairs, found: Separability, margin: Bracket
) -> Separability:
    """The result, with the pairs of the proof."""
    coef = intercept = witness = None
    if verdict == "quasi-separable":
        witness = tuple(f for row in W for f in row)
        W = rounded_to_floats(witness).reshape(D.n_classes, -1)
    if W is not None:
        coef, intercept = W[:, :-1].copy(), W[:, -1].copy()
    rows = np.array(found.rows)
    R = radius_of_run(float(longest(as_rows(D.X), len(D.y))), D.X, D.bias, many=True)
    return Separability(
        verdict,
        coef,
        intercept,
        witness,
        tuple(active.rows[rows].tolist()),
        found.multipliers,
        margin,
        novikoff_bound(R, margin.lower),
        (),
        D.bias,
        tuple(active.rivals[rows].tolist()),
        D.n_classes,
    )


def undecided(D: Labelled) -> Separability:
    """Nothing was proved in time."""
    upper = sqrt(2) * hypot(float(longest(as_rows(D.X), len(D.y))), float(D.bias))
    none = (None, None, None, (), ())
    return Separability(
        "undecided", *none, Bracket(0.0, upper * (1 + 1e-9)), inf, (), D.bias, (), D.n_classes
    )
