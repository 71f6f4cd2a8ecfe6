"""Does a regression model have a finite maximum-likelihood estimate?"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from novikoff.certificates.search import Undecided
from novikoff.core.clock import now
from novikoff.errors import DataError
from novikoff.inputs.arrays import dense
from novikoff.inputs.weights import checked
from novikoff.parameters import FLAG, one_of, real, require
from novikoff.regression.contraction import Panel, absorbed, whole_multiples
from novikoff.regression.design import (
    as_outcomes,
    design_of,
    factors_of,
    has_constant,
    labels_of,
    levels_of,
    some_of,
    with_dummies,
)
from novikoff.regression.families import FAMILIES, Design, Model
from novikoff.regression.formula import parsed
from novikoff.regression.recession import recession
from novikoff.regression.result import Separation
from novikoff.regression.two_factors import Cells, potentials
from novikoff.typing import Array, MatrixLike


def separation(
    X: MatrixLike | str,
    y: ArrayLike,
    *,
    family: str = "binary",
    fit_intercept: bool = True,
    trials: ArrayLike | None = None,
    fixed_effects: MatrixLike = None,
    sample_weight: ArrayLike | None = None,
    budget: float = 60.0,
) -> Separation:
    r"""Decide whether a regression model has a finite maximum-likelihood estimate, and prove it.

    It has none if the likelihood keeps increasing in some direction without reaching its
    supremum. The data is then called separated: some observations are predicted better and better,
    and some coefficients diverge. Software may still report that it converged.

    Parameters
    ----------
    X : array, sparse matrix or DataFrame of shape (n_samples, n_features), None, or a formula
        The design matrix. Columns of a DataFrame that are categories or text become dummies,
        without one for the first level if there is an intercept. Or a formula, with a DataFrame as
        `y`: ``separation("y ~ x1 + C(region) | firm + year", data)``. Factors after the bar are
        `fixed_effects`. (Formulas need the extra `stats`.)
    y : array of shape (n_samples,)
        The outcomes: labels, or the levels of an ordered categorical; counts for "poisson"; shares
        for "fractional". For "binomial" also two columns, successes and failures.
    family : str, default="binary"
        "binary" ("logit", "probit", "cloglog"), "fractional", "binomial", "multinomial",
        "cumulative" ("ordered"), "adjacent", "sequential", "poisson" ("ppml", "negative-binomial")
        or "log-binomial". `novikoff.regression.families` defines them.
    fit_intercept : bool, default=True
        Whether to add an intercept. Choose False if X has a constant column already. With a formula
        it does not matter: write ``0 +`` to leave out the intercept.
    trials : array of shape (n_samples,), optional
        For "binomial": the number of trials, if `y` counts successes.
    fixed_effects : array or DataFrame of shape (n_samples, n_factors), optional
        Factors whose effects are in the model, but not reported. For counts and "log-binomial", the
        two largest may have any number of levels. For "binary", "fractional" and "binomial" the
        same holds for at most two factors and X=None. Otherwise every level becomes a dummy, and
        there may be about a thousand.
    sample_weight : array of shape (n_samples,), optional
        Observations of weight 0 are ignored. Other weights do not affect the answer.
    budget : float, default=60.0
        The time limit in seconds.

    Returns
    -------
    Separation

    Examples
    --------
    >>> from novikoff import separation
    >>> x = [[0], [1], [2], [3], [4], [5]]
    >>> print(separation(x, [2, 0, 1, 0, 0, 3], family="poisson").sentence)
    A finite estimate exists: no observation is separated.
    >>> treated = [[0], [0], [0], [1], [1]]
    >>> result = separation(treated, [0, 3, 1, 0, 0], family="poisson")
    >>> print(result.sentence)
    No finite estimate exists: x1 is infinite (-); 2 of 5 observations are predicted perfectly.
    >>> result.separated, result.verify()
    (array([False, False, False,  True,  True]), True)

    References
    ----------
    Albert, A. & Anderson, J. A. (1984). On the existence of maximum likelihood estimates in
    logistic regression models. Biometrika 71(1).
    """
    require("family", family, one_of(*FAMILIES))
    require("fit_intercept", fit_intercept, FLAG)
    require("budget", budget, real(above=0.0, infinite=True))
    deadline = now() + float(budget)
    if isinstance(X, str):
        if fixed_effects is not None:
            raise DataError(
                "X is a formula, so fixed_effects cannot be given: put the factors after a bar, as "
                "in 'y ~ x | firm + year'."
            )
        X, y, fixed_effects = parsed(X, y)
        fit_intercept = FAMILIES[family].ordered
        stood_for = fit_intercept or fixed_effects is not None  # by thresholds, or effects
        if stood_for and "Intercept" in X.columns:
            X = X.drop(columns="Intercept")
    outcomes = as_outcomes(y, trials, family)
    index = labels_of(y, X, fixed_effects)
    factors = [] if fixed_effects is None else factors_of(fixed_effects)
    if X is None and not factors:
        raise DataError("X is None and there are no fixed_effects: give X, or fixed_effects.")
    design = design_of(np.zeros((len(index), 0)) if X is None else X, bool(fit_intercept))
    n = design.X.shape[0]
    if family == "log-binomial" and not (design.intercept or factors or has_constant(design.X)):
        raise DataError(
            "A log-binomial model without an intercept may allow no coefficients at all: leave "
            "{fit_intercept} True, or give X a constant column.",
            fit_intercept=False,
        )
    for what, length in (("y", len(outcomes)), *((f"factor {f!r}", len(c)) for f, c in factors)):
        if length != n:
            raise DataError(
                f"X has {n:,} rows, but {what} has {length:,}: they must have the same."
            )
    kept = np.arange(n) if sample_weight is None else np.flatnonzero(checked(sample_weight, n))
    if not len(kept):
        raise DataError(
            "{sample_weight} is 0 for every observation: at least one must be above 0.",
            sample_weight=None,
        )
    if len(kept) < n:
        design, outcomes = design._replace(X=design.X[kept]), some_of(outcomes, kept)
        factors = [(name, levels_of(codes[kept])) for name, codes in factors]
    asked = Asked(family, n, kept, index, deadline)
    kind = FAMILIES[family]
    if factors and kind.sides is not None:
        sides = kind.sides(*kind.numbered(outcomes))
        if not design.names and len(factors) <= 2:
            return of_cells(asked, cells_of([codes for _, codes in factors], sides))
        if (sides <= 0).all():  # the fixed cells tell much of the effects: see contraction.py
            return of_panel(asked, design, factors, sides)
    shown = design.names
    model = kind.model(with_dummies(design, factors) if factors else design, outcomes)
    if factors:  # their effects are not shown, and stand for an intercept
        own = [j for j in model.shown if model.names[j].split(": ")[-1] in shown]
        model = model._replace(shown=own)
    return of_model(asked, model)


class Asked(NamedTuple):
    """Whose separation is asked for."""

    family: str
    n: int
    """How many observations there are,"""
    kept: Array
    """those that have a weight,"""
    labels: Array
    """and what all are called."""
    deadline: float

    def spread(self, found: Array) -> Array:
        """For all observations what was found for those kept."""
        whole = np.zeros(self.n, bool)
        whole[self.kept] = found
        return whole

    def undecided(self, names: list[str], model: object) -> Separation:
        """No answer."""
        nowhere, told = np.zeros(self.n, bool), dict.fromkeys(names, "undecided")
        return Separation(
            self.family, None, nowhere, nowhere, told, self.labels, None, model, len(self.kept)
        )


def of_model(asked: Asked, model: Model) -> Separation:
    """The answer for the rows of a model."""
    try:
        found = recession(model, asked.deadline)
        if not found.verify(model):
            raise Undecided
    except (Undecided, OverflowError):
        return asked.undecided([model.names[j] for j in model.shown], model)
    strict = np.zeros(len(model.observation), bool)
    strict[list(found.separated)] = True
    of, m = model.observation, len(asked.kept)
    observed, strict = of[of >= 0], strict[of >= 0]
    least, most = np.ones(m, bool), np.zeros(m, bool)
    least[observed[~strict]], most[observed[strict]] = False, True
    separated, partly = least & most, most & ~least
    return Separation(
        asked.family,
        not most.any(),
        asked.spread(separated),
        asked.spread(partly),
        {model.names[j]: found.estimates.kinds[j] for j in model.shown},
        asked.labels,
        found,
        model,
        m,
    )


def cells_of(codes: list[Array], sides: Array) -> Cells:
    """The observations by two factors, or by one."""
    first, second = [*codes, np.zeros(len(sides), np.int64)][:2]
    return Cells(first, second, sides.astype(np.int8))


def of_cells(asked: Asked, cells: Cells) -> Separation:
    """The answer for one factor or two, with nothing else in the model."""
    found = potentials(cells)
    if not found.verify(cells):
        raise RuntimeError(
            "A proof failed its check. Please report this, with the data if you can."
        )
    separated = asked.spread(found.separated(cells))
    exists, nowhere = not separated.any(), np.zeros(asked.n, bool)
    return Separation(
        asked.family, exists, separated, nowhere, {}, asked.labels, found, cells, len(asked.kept)
    )


def of_panel(
    asked: Asked, design: Design, factors: list[tuple[str, Array]], sides: Array
) -> Separation:
    """The answer for factors and regressors, where outcomes are fixed or may be lowered."""
    codes = sorted((codes for _, codes in factors), key=lambda codes: -int(codes.max(initial=0)))
    wholes = [whole_multiples(column) for column in dense(design.X, np.arange(len(sides))).T]
    panel = Panel(cells_of(codes[:2], sides), codes[2:], wholes)
    try:
        found = absorbed(panel, asked.deadline)
    except (Undecided, OverflowError):
        return asked.undecided(design.names, panel)
    first = len(found.kinds) - len(design.names)  # after those of further factors
    return Separation(
        asked.family,
        not found.separated.any(),
        asked.spread(found.separated),
        np.zeros(asked.n, bool),
        dict(zip(design.names, found.kinds[first:], strict=True)),
        asked.labels,
        found,
        panel,
        len(asked.kept),
    )
