r"""Is a data set linearly separable, by how much, and the proof.

`search.py` has the verdict on two classes, `joint.py` that on more; both verify what they return.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from novikoff.core.clock import now
from novikoff.parallel.cores import using
from novikoff.parameters import FLAG, real, require
from novikoff.proofs.bounds import novikoff_bound
from novikoff.separation import widest
from novikoff.separation.certificate import Separability
from novikoff.separation.divergence import diverging
from novikoff.separation.geometry import radius_of_run
from novikoff.separation.joint import of_many
from novikoff.separation.kesler import labelled
from novikoff.separation.search import Search, decided
from novikoff.separation.two_classes import TwoClasses
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
    r"""Whether a hyperplane separates the data, with a proof, and by what margin.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Labels of any kind. Of more than two classes the question is whether one weight vector
        for each can give every example the largest score for its own (Kesler's construction).
    fit_intercept : bool, default=True
        May the hyperplane have a bias, or must it go through the origin?
    tol : float, default=1e-6
        How far to close the margin bracket, relative to its upper end.
    budget : float, default=60.0
        Seconds after which to give up on an exact proof (the verdict is then "undecided") or
        on closing the margin bracket (both its ends are true bounds all the same).
    n_jobs : int or None, default=None
        How many threads may go through the rows: None for one, -1 for all cores. The result is the
        same to the bit.
    sample_weight : array of shape (n_samples,), optional
        An example of weight 0 is not there; how much the others weigh does not matter. The rows of
        the proof are numbered as in `X`.

    Returns
    -------
    Separability
        Verified.

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
        found = of_two(D, tol, deadline) if isinstance(D, TwoClasses) else of_many(D, tol, deadline)
    found = replace(found, rows=tuple(kept[list(found.rows)].tolist()))
    return widened(found, used, whole.X.shape[1])


def of_two(D: TwoClasses, tol: float, deadline: float) -> Separability:
    """The verdict on two classes, with the bound on mistakes and what diverges."""
    search = Search(D, deadline)
    found, free = decided(search, tol)
    if found.verdict == "undecided":
        return found
    v = None if found.coef is None else found.weights[0]
    if found.verdict == "separable" and v is not None:
        of_run = found.margin  # without a bias, a run takes place in the same space
        if D.bias:
            of_run = widest.margin(D.X, D.y, v, "held", tol, deadline).margin
        most = novikoff_bound(radius_of_run(D.longest, D.X, D.bias), of_run.lower)
        found = replace(found, novikoff=most)
    return replace(found, infinite=tuple(diverging(search, free, v)))


def require_options(fit_intercept: object, **numbers: object) -> None:
    """Raise what is wrong with the options."""
    for name, given in numbers.items():
        require(name, given, real(above=0.0, infinite=True))
    require("fit_intercept", fit_intercept, FLAG)


def widened(found: Separability, used: Array | None, d: int) -> Separability:
    """The same in all columns: what no example has an entry in has a weight of 0."""
    if used is None:
        return found
    bias = found.infinite[len(used) :]
    infinite = np.zeros(d if found.infinite else 0, np.int8)
    infinite[used if found.infinite else []] = found.infinite[: len(used)]
    coef, witness = found.coef, found.witness
    if coef is not None:
        coef = np.zeros((*coef.shape[:-1], d))
        coef[..., used] = found.coef
    if witness is not None:
        narrow = np.array(witness, object).reshape(-1, len(used) + 1)
        wide = np.full((len(narrow), d + 1), Fraction(0))
        wide[:, used], wide[:, -1] = narrow[:, :-1], narrow[:, -1]
        witness = tuple(wide.ravel().tolist())
    return replace(found, coef=coef, witness=witness, infinite=(*infinite.tolist(), *bias))
