r"""Whether many classes can be separated jointly, by what margin, and the proof.

The question is asked of a growing set of the vectors of Kesler's construction
(`kesler.py`), as one of two classes is. What separates them either separates all, or tells which
vectors are missing; a proof that they cannot be separated is one for all.
"""

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from novikoff.core.clock import now
from novikoff.proofs.bounds import novikoff_bound
from novikoff.separation.bracket import Bracket
from novikoff.separation.certificate import Separability, undecided
from novikoff.separation.exact import Exact, rounded_to_floats
from novikoff.separation.geometry import radius_of_run
from novikoff.separation.kesler import ManyClasses, Pairs, margin_of_lowest
from novikoff.separation.search import Search, decided
from novikoff.separation.two_classes import TwoClasses
from novikoff.typing import Array

LOOSE = 0.1
"""How far to close the bracket of some vectors while they do not stand for all."""
MORE = 100
"""How many vectors join at a time, at the least."""


def of_many(D: ManyClasses, tol: float, deadline: float) -> Separability:
    """The verdict on many classes, with its proof and the margin, verified."""
    found = searched(D, tol, deadline)
    if found is not None and found.holds(D):
        return found
    return undecided(D.longest, D.bias, D.n_classes)


def searched(D: ManyClasses, tol: float, deadline: float) -> Separability | None:
    """The same, not verified; None if there is none in time."""
    active = first_pairs(D)
    loose = True
    while now() < deadline:
        found = among(D, active, LOOSE if loose else tol, deadline)
        if found.verdict == "undecided":
            break
        if found.verdict == "separable":
            W = D.weights(np.asarray(found.coef))
            new, least = behind(D, W, found.margin.upper, LOOSE if loose else tol, active)
            if not len(new.rows) or least >= (1 - tol) * found.margin.upper:
                if not loose:
                    return widest(D, W, active, found)
                loose = False
                continue
        elif found.verdict == "inseparable":
            new = out_of_span(D, active, found)
            if not len(new.rows):
                return told(D, active, found)
        else:
            witness = D.in_fractions(list(found.witness or ())[:-1])
            new = gathered(D, witness, lambda sign: sign < 0)
            if not len(new.rows):
                flat = tuple(f for row in witness for f in row)
                W = rounded_to_floats(flat).reshape(D.n_classes, -1)
                return told(D, active, found, W, witness=flat)
        active = joined(active, new, D.n_classes)
    return None


def first_pairs(D: ManyClasses) -> Pairs:
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


def among(D: ManyClasses, active: Pairs, tol: float, deadline: float) -> Separability:
    """The verdict on these vectors alone; two classes are made of them by turning every other."""
    Z, sides = D.vectors(active), np.ones(len(active.rows), np.int8)
    sides[1::2] = -1
    Z.data *= np.repeat(sides, np.diff(Z.indptr))
    return decided(Search(TwoClasses(Z, sides, 2, False), deadline), tol)[0]


def behind(
    D: ManyClasses, W: Array, upper: float, tol: float, active: Pairs
) -> tuple[Pairs, float]:
    """The vectors least in front of these weights that are not at work, and the least margin."""
    size, most = float(np.linalg.norm(W)), MORE + 4 * D.width
    known = keys(active, D.n_classes)
    rows, rivals, margins = [], [], []
    least = inf
    for some, lead, _ in D.leads(W):
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


def out_of_span(D: ManyClasses, active: Pairs, found: Separability) -> Pairs:
    """Vectors on which something does not vanish that does on the proof."""
    rows = np.array(found.rows)
    for W in D.vanishing(active.rows[rows], active.rivals[rows]):
        new = gathered(D, W, lambda sign: sign != 0)
        if len(new.rows):
            return new
    return Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64))


def gathered(D: ManyClasses, W: Exact, chosen: Callable[[Array], Array]) -> Pairs:
    """Some of the vectors whose sign is chosen."""
    rows, rivals = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for pairs, found in D.exact_signs(W):
        some = np.flatnonzero(chosen(found))[:MORE]
        rows.append(pairs.rows[some])
        rivals.append(pairs.rivals[some])
    return Pairs(np.concatenate(rows), np.concatenate(rivals))


# ------------------------------------------------------------- what is told


def widest(D: ManyClasses, W: Array, active: Pairs, found: Separability) -> Separability:
    """Separable: with the margin between its ends, and the bound on mistakes."""
    # recomputed in another order, the sums may differ by the doubt in them
    low, _, _ = D.in_front(W, with_bias=True, doubts=3.0)
    lower = min(margin_of_lowest(low, W, D.bias), found.margin.upper)
    R = radius_of_run(D.longest, D.X, D.bias, many=True)
    margin = Bracket(lower, found.margin.upper)
    return told(D, active, found, W, margin=margin, novikoff=novikoff_bound(R, lower))


def told(
    D: ManyClasses, active: Pairs, found: Separability, W: Array | None = None, **more: Any
) -> Separability:
    """The verdict on some vectors as one on all, with these weights."""
    rows = np.array(found.rows)
    made = Separability(
        found.verdict,
        rows=tuple(active.rows[rows].tolist()),
        multipliers=found.multipliers,
        fit_intercept=D.bias,
        rivals=tuple(active.rivals[rows].tolist()),
        n_classes=D.n_classes,
        **more,
    )
    return made if W is None else made.with_weights(W)
