r"""Is a data set linearly separable, with what margin, and the proof.

`search.py` decides for two classes, `joint.py` for more. Both verify what they return.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from novikoff.certificates import widest
from novikoff.certificates.bracket import Bracket
from novikoff.certificates.certificate import Separability
from novikoff.certificates.divergence import AllKnown, estimates
from novikoff.certificates.faces import decided
from novikoff.certificates.geometry import nearby, radius_of_run
from novikoff.certificates.joint import of_many, with_estimates
from novikoff.certificates.kesler import labelled
from novikoff.certificates.search import Search
from novikoff.certificates.two_classes import TwoClasses
from novikoff.core.clock import now
from novikoff.inputs.labels import as_labels
from novikoff.parallel.cores import using
from novikoff.parameters import FLAG, real, require
from novikoff.proofs.bounds import novikoff_bound
from novikoff.typing import Array, MatrixLike


def separability(
    X: MatrixLike,
    y: ArrayLike,
    *,
    fit_intercept: bool = True,
    tol: float = 1e-6,
    budget: float = 60.0,
    n_jobs: int | None = None,
    sample_weight: ArrayLike | None = None,
) -> Separability:
    r"""Decide whether a hyperplane separates the data, by what margin, and prove it.

    Every verdict comes with a certificate in exact arithmetic, which `Separability.verify` checks
    against the data.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The examples.
    y : array of shape (n_samples,)
        Labels of any type. With more than two classes, the question is whether one weight vector
        per class can give every example the largest score for its own class (Kesler's
        construction).
    fit_intercept : bool, default=True
        Whether the hyperplane may have a bias. If False, it must pass through the origin.
    tol : float, default=1e-6
        Stop when the gap between the bounds on the margin is at most `tol` times the upper bound.
    budget : float, default=60.0
        The time limit in seconds. If there is no exact proof by then, the verdict is "undecided".
        If only the bounds on the margin are still apart, they are returned as they are, and are
        correct.
    n_jobs : int or None, default=None
        The number of threads: None for one, -1 for all cores. The result is the same to the last
        bit.
    sample_weight : array of shape (n_samples,), optional
        Examples of weight 0 are ignored. Other weights do not affect the answer. Row numbers in the
        proof are those of `X`.

    Returns
    -------
    Separability
        The verdict, the bounds on the margin and the proof, already verified.

    Examples
    --------
    >>> from novikoff import separability
    >>> gate = separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> gate.verdict, round(gate.margin.lower, 6)
    ('separable', 0.353553)

    References
    ----------
    Albert, A. & Anderson, J. A. (1984). On the existence of maximum likelihood estimates
    in logistic regression models. Biometrika 71(1).
    Wolfe, P. (1976). Finding the nearest point in a polytope. Mathematical Programming 11.
    Stiemke, E. (1915). Ueber positive Loesungen homogener linearer Gleichungen.
    Mathematische Annalen 76.
    """
    require_options(fit_intercept, tol=tol, budget=budget)
    deadline = now() + float(budget)
    whole, kept = labelled(X, y, bool(fit_intercept), sample_weight)
    D, used = whole.in_used_columns()
    with using(n_jobs):
        if isinstance(D, TwoClasses):
            found = of_two(D, tol, deadline)
        else:
            found = with_estimates(D, of_many(D, tol, deadline), deadline)
    found = found.with_numbers({row: int(kept[row]) for row in found.all_rows})
    return named(widened(found, used, whole.X.shape[1]), X, y)


def named(found: Separability, X: object, y: object) -> Separability:
    """The same with what the features, the classes and the examples are called."""
    columns = getattr(X, "columns", None)
    names = () if columns is None else tuple(str(name) for name in columns)
    index = next(
        (i for i in (getattr(y, "index", None), getattr(X, "index", None)) if is_index(i)), None
    )
    return replace(
        found,
        names=names,
        classes=tuple(np.unique(as_labels(y)).tolist()),
        index=None if index is None else np.asarray(index),
    )


def is_index(index: object) -> bool:
    """Is this what examples are called? Lists have a method of that name."""
    return index is not None and not callable(index)


def of_two(D: TwoClasses, tol: float, deadline: float) -> Separability:
    """The verdict on two classes, with the bound on mistakes and what diverges."""
    X, where = nearby(D.X) if D.bias else (D.X, np.zeros(0))
    found, face = decided(Search(replace(D, X=X), deadline), tol)
    if face is None:
        return found
    if where.any():
        found = from_afar(found, where, D, tol)
    if found.verdict == "separable":
        of_run = found.margin.lower  # without a bias, a run takes place in the same space
        if D.bias and found.witness is None:
            v = found.weights[0]
            of_run = widest.margin(D.X, D.y, v, "held", tol, deadline).margin.lower
        elif D.bias:
            exact = found.exact_weights[0]
            of_run = widest.ratio_down(widest.lowest_exact_score(D.X, D.y, exact), exact)
        R = radius_of_run(D.longest, D.X, D.bias)
        found = replace(found, novikoff=novikoff_bound(R, of_run))
    exact, proof = found.exact_witness(), face.proof.rows
    told = estimates(AllKnown(D, proof), None if exact is None else exact[0], proof, deadline)
    done = replace(found, estimates=told)
    return done if D.proved(done, D) else replace(found, estimates=told.given_up())


def from_afar(found: Separability, where: Array, D: TwoClasses, tol: float) -> Separability:
    """A verdict on rows seen from nearby, as one on the rows themselves: the bias is another."""
    exact = found.exact_witness()
    if exact is None:
        return found
    W, shift = exact.copy(), [Fraction(f) for f in where.tolist()]
    W[0, -1] -= sum(f * w for f, w in zip(shift, W[0, :-1], strict=True))
    told = found.with_exact_weights(W)
    if found.verdict != "separable":
        return told
    in_floats = replace(told, witness=None)
    lower = D.least_margin(in_floats.weights)
    if lower >= (1 - tol) * found.margin.upper:
        return replace(in_floats, margin=Bracket(lower, found.margin.upper))
    return replace(told, margin=Bracket(D.least_exact_margin(W), found.margin.upper))


def require_options(fit_intercept: object, **numbers: object) -> None:
    """Raise what is wrong with the options."""
    for name, given in numbers.items():
        require(name, given, real(above=0.0, infinite=True))
    require("fit_intercept", fit_intercept, FLAG)


def widened(found: Separability, used: Array | None, d: int) -> Separability:
    """The same in all columns: what no example has an entry in has a weight of 0."""
    if used is None:
        return found
    blocks = 1 if found.n_classes == 2 else found.n_classes - 1
    told = found.estimates.widened(used, d, blocks, found.fit_intercept)
    coef, witness = found.coef, found.witness
    if coef is not None:
        coef = np.zeros((*coef.shape[:-1], d))
        coef[..., used] = found.coef
    if witness is not None:
        narrow = np.array(witness, object).reshape(-1, len(used) + 1)
        wide = np.full((len(narrow), d + 1), Fraction(0))
        wide[:, used], wide[:, -1] = narrow[:, :-1], narrow[:, -1]
        witness = tuple(wide.ravel().tolist())
    return replace(found, coef=coef, witness=witness, estimates=told)
