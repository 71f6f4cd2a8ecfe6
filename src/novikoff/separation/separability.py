r"""Is a data set linearly separable, by how much, and the proof.

`novikoff.separation.search` decides, `novikoff.separation.widest` measures, and what they say is
verified before it is returned.
"""

from dataclasses import replace
from fractions import Fraction
from math import inf
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.clock import now
from novikoff.cores import using
from novikoff.errors import ParameterError
from novikoff.proofs.bounds import novikoff_bound
from novikoff.separation import joint_certificate, widest
from novikoff.separation.bracket import Bracket
from novikoff.separation.certificate import Separability
from novikoff.separation.divergence import diverging
from novikoff.separation.exact import rounded_to_floats
from novikoff.separation.geometry import labelled, longest, radius_of_run, without_empty_columns
from novikoff.separation.joint import of_many, undecided
from novikoff.separation.kesler import Labelled
from novikoff.separation.search import Proof, Search, Undecided, find

Array = npt.NDArray[Any]


def separability(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    tol: float = 1e-6,
    budget: float = 60.0,
    n_jobs: int | None = None,
    sample_weight: Any = None,
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
    require_options(fit_intercept, tol, budget)
    fit_intercept, deadline = bool(fit_intercept), now() + float(budget)
    X, y, n_classes, kept = labelled(X, y, sample_weight)
    narrow, used = without_empty_columns(X)
    with using(n_jobs):
        if n_classes == 2:
            found = of_two(narrow, y, fit_intercept, tol, deadline)
        else:
            D = Labelled(narrow, y, n_classes, fit_intercept)
            found = of_many(D, tol, deadline, through_the_origin)
            if found.verdict != "undecided" and not joint_certificate.holds(found, D):
                found = undecided(D)
    found = replace(found, rows=tuple(kept[list(found.rows)].tolist()))
    return found if used is None else widened(found, used, X.shape[1])


def require_options(fit_intercept: Any, tol: Any, budget: Any) -> None:
    """Raise what is wrong with the options."""
    for name, given in (("tol", tol), ("budget", budget)):
        if not isinstance(given, Real) or isinstance(given, bool) or not float(given) > 0:
            raise ParameterError(f"{name}={given!r} must be a number above 0.")
    if not isinstance(fit_intercept, bool | np.bool_):
        raise ParameterError(f"fit_intercept={fit_intercept!r} must be True or False.")


def widened(found: Separability, used: Array, d: int) -> Separability:
    """The same in all columns: what no example has an entry in has a weight of 0."""
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


def through_the_origin(Z: Any, sides: Array, tol: float, deadline: float) -> Separability:
    """The verdict on rows with these signs, without a bias; nothing of mistakes and divergence."""
    search = Search(Z, sides, False, deadline)
    try:
        return proved(search, tol)[0]
    except (Undecided, OverflowError):
        return _undecided(Z, sides, False, search)


def of_two(X: Any, y: Array, fit_intercept: bool, tol: float, deadline: float) -> Separability:
    """The verdict on examples with these signs."""
    search = Search(X, y, fit_intercept, deadline)
    try:
        found, free = proved(search, tol)
    except (Undecided, OverflowError):
        return _undecided(X, y, fit_intercept, search)
    v = None if found.coef is None else np.append(found.coef, float(found.intercept or 0.0))
    if found.verdict == "separable" and v is not None:
        of_run = found.margin  # without a bias, a run takes place in the same space
        if fit_intercept:
            of_run = widest.run_margin(X, y, v, fit_intercept, tol, search.deadline)
        R = radius_of_run(longest(search.rows, len(y)), X, fit_intercept)
        found = replace(found, novikoff=novikoff_bound(R, of_run.lower))
    infinite = tuple(diverging(search, free, v))
    if len(infinite) != X.shape[1] + fit_intercept:
        return _undecided(X, y, fit_intercept, search)
    return replace(found, infinite=infinite)


def proved(search: Search, tol: float) -> tuple[Separability, Array]:
    """The verdict with its proof and the margin, verified, and which coefficients are free."""
    verdict, proof, witness, free = find(search)
    X, y, fit_intercept = search.X, search.y, search.bias
    coef = intercept = None
    exact: tuple[Fraction, ...] | None = None
    bracket = Bracket(0.0, 0.0)
    if verdict == "separable":
        v, bracket, (corral, shares) = widest.margin(
            X, y, np.asarray(witness), fit_intercept, tol, search.deadline
        )
        proof = Proof(corral, shares)
        coef, intercept = v[:-1], float(v[-1])
    elif verdict == "quasi-separable":
        exact = tuple(witness or ())
        rounded = rounded_to_floats(exact)
        coef, intercept = rounded[:-1], float(rounded[-1])
    rows: tuple[int, ...] = ()
    multipliers: tuple[Fraction, ...] = ()
    if proof is not None:
        order = np.argsort(proof.rows)
        rows = tuple(int(r) for r in proof.rows[order])
        multipliers = tuple(proof.multipliers[k] for k in order)
    result = Separability(
        verdict, coef, intercept, exact, rows, multipliers, bracket, inf, (), fit_intercept
    )
    if not result.holds(X, y):
        raise Undecided
    return result, free


def _undecided(X: Any, y: Array, fit_intercept: bool, search: Search) -> Separability:
    upper = longest(search.rows, len(y))  # no margin is larger than the longest example
    return Separability(
        "undecided", None, None, None, (), (), Bracket(0.0, upper), np.inf, (), fit_intercept
    )
