r"""Whether many classes can be separated jointly, by what margin, and the proof.

The question is asked of a growing set of the vectors of Kesler's construction
(`kesler.py`), as one of two classes is. What separates them either separates all, or tells which
vectors are missing; a proof that they cannot be separated is one for all.
"""

from collections.abc import Callable
from dataclasses import replace
from math import inf

import numpy as np

from novikoff.certificates import divergence
from novikoff.certificates.bracket import Bracket
from novikoff.certificates.certificate import Separability, undecided
from novikoff.certificates.estimates import Estimates
from novikoff.certificates.exact import Exact
from novikoff.certificates.faces import decided, find
from novikoff.certificates.geometry import radius_of_run
from novikoff.certificates.kesler import ManyClasses, margin_of_lowest
from novikoff.certificates.search import Search, Undecided
from novikoff.certificates.two_classes import TwoClasses
from novikoff.core.clock import now
from novikoff.proofs.bounds import novikoff_bound
from novikoff.typing import Array

LOOSE = 0.1
"""How far to close the bracket of some vectors while they do not stand for all."""
MOST = 10_000_000
"""Past so many numbers in all vectors nothing is said of coefficients."""
MORE = 100
"""How many vectors join at a time, at the least."""


def of_many(D: ManyClasses, tol: float, deadline: float) -> Separability:
    """The verdict on many classes, with its proof and the margin, verified."""
    try:
        found = searched(D, tol, deadline)
        if found is not None and found.holds(D):
            return found
    except OverflowError:
        pass
    return undecided(D.longest, D.bias, D.n_classes)


def with_estimates(D: ManyClasses, found: Separability, deadline: float) -> Separability:
    """The same with what becomes of the coefficients of every class but the first.

    The witness then has all vectors strictly on its side that any has.
    """
    if found.verdict == "undecided":
        return found
    every, m = D.every_vector, (D.n_classes - 1) * D.width
    nothing = replace(found, estimates=Estimates(("undecided",) * m))
    if m > divergence.WIDE or len(every) * D.width > MOST:
        return nothing
    model, proof, exact = D.against_first(every), np.zeros(0, np.int64), found.exact_witness()
    if found.verdict == "quasi-separable":
        try:
            face = find(Search(model, deadline))
        except (Undecided, OverflowError):
            return nothing
        proof = face.proof.rows
        rows, rivals = np.divmod(every[proof], D.n_classes)
        found = found.with_proof(rows, face.proof.shares, tuple(rivals.tolist()))
        exact = D.whole_weights(np.asarray(face.witness))
        found = found.with_exact_weights(exact)
    elif found.verdict == "inseparable":
        numbers = np.array(found.rows) * D.n_classes + np.array(found.rivals)
        proof = np.searchsorted(every, np.unique(numbers))
    witness = None if exact is None else D.less_first(exact)
    told = divergence.estimates(divergence.AllKnown(model, proof), witness, proof, deadline)
    told = told.renumbered({row: int(every[row]) for row in told.rows})
    done = replace(found, estimates=told)
    return done if done.holds(D) else nothing


def searched(D: ManyClasses, tol: float, deadline: float) -> Separability | None:
    """The same, not verified; None if there is none in time."""
    active = first_vectors(D)
    loose = True
    while now() < deadline:
        found = among(D, active, LOOSE if loose else tol, deadline)
        if found.verdict == "undecided":
            break
        if found.verdict == "separable" and found.witness is not None:
            exact = D.weights(found.exact_weights[0, :-1])
            new = vectors_of_sign(D, exact, lambda sign: sign <= 0)
            if not len(new):
                return exactly_separable(D, exact, active, found)
        elif found.verdict == "separable":
            W = D.weights(np.asarray(found.coef))
            new, least = behind(D, W, found.margin.upper, LOOSE if loose else tol, active)
            if not len(new) or least >= (1 - tol) * found.margin.upper:
                if not loose:
                    return separable(D, W, active, found)
                loose = False
                continue
        elif found.verdict == "inseparable":
            new = out_of_span(D, active, found)
            if not len(new):
                return told(D, active, found)
        else:
            exact = D.weights(found.exact_weights[0, :-1])
            new = vectors_of_sign(D, exact, lambda sign: sign < 0)
            if not len(new):
                return told(D, active, found).with_exact_weights(exact)
        active = np.concatenate([active, new[~np.isin(new, active)]])
    return None


def first_vectors(D: ManyClasses) -> Array:
    """The numbers of vectors to begin with: of some examples of every class, all."""
    random = np.random.default_rng(0)
    each = max(1, (MORE + D.width) // D.n_classes)
    rows = np.concatenate(
        [random.permutation(np.flatnonzero(D.y == c))[:each] for c in range(D.n_classes)]
    )
    every = (rows[:, None] * D.n_classes + np.arange(D.n_classes)).ravel()
    numbers: Array = every[every % D.n_classes != D.y[every // D.n_classes]]
    kept = random.permutation(len(numbers))[: 4 * (MORE + D.width * D.n_classes)]
    return numbers[np.sort(kept)]


def among(D: ManyClasses, active: Array, tol: float, deadline: float) -> Separability:
    """The verdict on these vectors alone; two classes are made of them by turning every other."""
    Z, sides = D.vectors(active), np.ones(len(active), np.int8)
    sides[1::2] = -1
    Z.data *= np.repeat(sides, np.diff(Z.indptr))
    return decided(Search(TwoClasses(Z, sides, 2, False), deadline), tol)[0]


def behind(
    D: ManyClasses, W: Array, upper: float, tol: float, active: Array
) -> tuple[Array, float]:
    """The vectors least in front of these weights that are not at work, and the least margin."""
    size, most = float(np.linalg.norm(W)), MORE + 4 * D.width
    numbers, margins = [], []
    least = inf
    for some, lead, _ in D.leads(W):
        lead = lead / size
        least = min(least, float(lead.min()))
        i, r = np.nonzero(lead < (1 - tol) * upper)
        numbers.append((i + some.start) * D.n_classes + r)
        margins.append(lead[i, r])
    found = np.concatenate(numbers)
    fresh = ~np.isin(found, active)
    order = np.argsort(np.concatenate(margins)[fresh], kind="stable")[:most]
    return found[fresh][order], least


def out_of_span(D: ManyClasses, active: Array, found: Separability) -> Array:
    """Vectors on which something does not vanish that does on the proof."""
    for W in D.vanishing(*np.divmod(active[list(found.rows)], D.n_classes)):
        new = vectors_of_sign(D, W, lambda sign: sign != 0)
        if len(new):
            return new
    return np.zeros(0, np.int64)


def vectors_of_sign(D: ManyClasses, W: Exact, chosen: Callable[[Array], Array]) -> Array:
    """Some of the vectors whose sign is chosen."""
    numbers = [np.zeros(0, np.int64)]
    for rows, rival, found in D.exact_signs(W):
        numbers.append(rows[np.flatnonzero(chosen(found))[:MORE]] * D.n_classes + rival)
    return np.concatenate(numbers)


# ------------------------------------------------------------- what is told


def separable(D: ManyClasses, W: Array, active: Array, found: Separability) -> Separability:
    """Separable: with the margin between its ends, and the bound on mistakes."""
    # recomputed in another order, the sums may differ by the doubt in them
    low, _, _ = D.in_front(W, with_bias=True, doubts=3.0)
    lower = min(margin_of_lowest(low, W, D.bias), found.margin.upper)
    R = radius_of_run(D.longest, D.X, D.bias, many=True)
    margin, bound = Bracket(lower, found.margin.upper), novikoff_bound(R, lower)
    return replace(told(D, active, found), margin=margin, novikoff=bound).with_weights(W)


def exactly_separable(D: ManyClasses, W: Exact, active: Array, found: Separability) -> Separability:
    """The same for weights that no floats stand for."""
    margin = Bracket(D.least_exact_margin(W), found.margin.upper)
    bound = novikoff_bound(radius_of_run(D.longest, D.X, D.bias, many=True), margin.lower)
    found = replace(told(D, active, found), margin=margin, novikoff=bound)
    return found.with_exact_weights(W)


def told(D: ManyClasses, active: Array, found: Separability) -> Separability:
    """The verdict on some vectors as one on all, without weights."""
    rows, rivals = np.divmod(active[list(found.rows)], D.n_classes)
    return Separability(
        found.verdict,
        rows=tuple(rows.tolist()),
        multipliers=found.multipliers,
        fit_intercept=D.bias,
        rivals=tuple(rivals.tolist()),
        n_classes=D.n_classes,
    )
