"""Is there a finite estimate?"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils.validation import check_consistent_length

from novikoff.certificates.geometry import as_examples
from novikoff.certificates.search import Undecided
from novikoff.core.clock import now
from novikoff.errors import DataError
from novikoff.inputs.weights import checked
from novikoff.parameters import FLAG, one_of, real, require
from novikoff.regression.families import (
    FAMILIES,
    INTERCEPT,
    Design,
    Model,
    counts,
    numbered_classes,
    refuse_counts,
)
from novikoff.regression.formula import parsed
from novikoff.regression.recession import estimable, recession
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
    r"""Whether a regression model has a finite maximum-likelihood estimate; if not, why.

    A model has none if its likelihood grows without end in some direction. The data is then called
    separated: some observations are predicted better and better, and some coefficients diverge.
    Software may still report that it converged.

    Parameters
    ----------
    X : array, sparse matrix or DataFrame of shape (n_samples, n_features), None, or a formula
        The design matrix. Columns of a DataFrame that are categories or text become dummies,
        without one for the first level if there is an intercept. Or a formula (extra `stats`), with
        a DataFrame as `y`: ``separation("y ~ x1 + C(region) | firm + year", data)``, where factors
        after the bar are `fixed_effects`.
    y : array of shape (n_samples,)
        The outcomes: labels, or the levels of an ordered categorical; counts for "poisson"; shares
        for "fractional". For "binomial" also two columns, successes and failures.
    family : str, default="binary"
        "binary" ("logit", "probit", "cloglog"), "fractional", "binomial", "multinomial",
        "cumulative" ("ordered"), "adjacent", "sequential", "poisson" ("ppml", "negative-binomial")
        or "log-binomial". `novikoff.regression.families` defines them.
    fit_intercept : bool, default=True
        False if X has a constant column already, or there is to be none.
    trials : array of shape (n_samples,), optional
        For "binomial": `y` are successes out of so many.
    fixed_effects : array or DataFrame of shape (n_samples, n_factors), optional
        Factors with an effect for every level, which is not reported. Two factors alone (X=None) in
        a model with a log link take linear time, however many levels they have; otherwise they
        become sparse dummies.
    sample_weight : array of shape (n_samples,), optional
        An observation of weight 0 is not there; how much others weigh does not matter.
    budget : float, default=60.0
        Seconds after which to give up.

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
            raise DataError("A formula was given: name fixed effects in it, after a bar.")
        X, y, fixed_effects = parsed(X, y)
        fit_intercept = FAMILIES[family].ordered
        if fit_intercept and "Intercept" in X.columns:  # thresholds stand for it
            X = X.drop(columns="Intercept")
    outcomes = as_outcomes(y, trials, family)
    index = labels_of(y, X, fixed_effects)
    factors = [] if fixed_effects is None else factors_of(fixed_effects)
    if X is None and not factors:
        raise DataError("There is nothing to explain y by: give X, or fixed_effects.")
    design = design_of(np.zeros((len(index), 0)) if X is None else X, bool(fit_intercept))
    check_consistent_length(design.X, outcomes, *(codes for _, codes in factors))
    n = design.X.shape[0]
    kept = np.arange(n) if sample_weight is None else np.flatnonzero(checked(sample_weight, n))
    if not len(kept):
        raise DataError(
            "The weight of every observation is 0: make some of {sample_weight} larger.",
            sample_weight=None,
        )
    if len(kept) < n:
        design, outcomes = design._replace(X=design.X[kept]), some_of(outcomes, kept)
        factors = [(name, codes[kept]) for name, codes in factors]
    kind = FAMILIES[family]
    if kind.rows is counts and X is None and len(factors) <= 2:
        refuse_counts(outcomes)
        return answer_of_cells(factors, outcomes, family, n, kept, index)
    regressors = len(design.names)
    if factors:
        design = with_dummies(design, factors)
    if kind.labels:
        classes, numbers = numbered_classes(outcomes)
        model = kind.rows(design, numbers, classes)
    else:
        model = kind.rows(design, outcomes)
    if factors:
        effects = {INTERCEPT, *design.names[regressors:]}  # effects stand for an intercept
        shown = [j for j in model.shown if model.names[j].split(": ")[-1] not in effects]
        model = model._replace(shown=shown)
    return answer(model, family, n, kept, index, deadline)


def answer(
    model: Model, family: str, n: int, kept: Array, index: Array, deadline: float
) -> Separation:
    """The answer for a model of the observations that were kept, of all `n`."""
    separated, partly = np.zeros(n, bool), np.zeros(n, bool)
    named = [model.names[j] for j in model.shown]
    try:
        found = recession(model, deadline)
        if not found.verify(model):
            raise Undecided
    except (Undecided, OverflowError):
        unknown = dict.fromkeys(named, "undecided")
        return Separation(family, None, separated, partly, unknown, (), index, None, model)
    strict = np.zeros(len(model.observation), bool)
    strict[list(found.separated)] = True
    of = model.observation
    observed, strict = of[of >= 0], strict[of >= 0]
    least, most = np.ones(len(kept), bool), np.zeros(len(kept), bool)
    least[observed[~strict]], most[observed[strict]] = False, True
    separated[kept], partly[kept] = least & most, most & ~least
    remain = (of < 0) | ~separated[kept][np.maximum(of, 0)]
    own = estimable(model, remain, deadline)
    names = tuple(model.names[j] for j in model.shown if own[j])
    kinds = {model.names[j]: found.estimates.kinds[j] for j in model.shown}
    return Separation(family, not most.any(), separated, partly, kinds, names, index, found, model)


def answer_of_cells(
    factors: list[tuple[str, Array]], y: Array, family: str, n: int, kept: Array, index: Array
) -> Separation:
    """The answer for one factor or two, with nothing else in the model."""
    codes = [each if len(kept) == n else levels_of(each) for _, each in factors]
    codes += [np.zeros(len(y), np.int64)] * (2 - len(codes))
    cells = Cells(codes[0], codes[1], y > 0)
    found = potentials(cells)
    if not found.verify(cells):
        raise RuntimeError("The potentials do not prove what they should: please report this.")
    separated = np.zeros(n, bool)
    separated[kept] = found.separated(cells)
    exists, nowhere = not separated.any(), np.zeros(n, bool)
    return Separation(family, exists, separated, nowhere, {}, (), index, found, cells)


# ------------------------------------------------------------- from what users have


def labels_of(y: Any, *others: Any) -> Array:
    """What the observations are called: by an index of pandas, or their numbers."""
    for given in (y, *others):
        if hasattr(given, "index") and not callable(given.index):
            return np.asarray(given.index)
    return np.arange(np.shape(y)[0])


def factors_of(fixed_effects: Any) -> list[tuple[str, Array]]:
    """The factors by name, their levels numbered."""
    if hasattr(fixed_effects, "iloc") and hasattr(fixed_effects, "columns"):
        import pandas as pd

        columns = [(str(c), fixed_effects.iloc[:, j]) for j, c in enumerate(fixed_effects.columns)]
        coded = [(name, pd.factorize(column, sort=True)[0]) for name, column in columns]
    else:
        table = np.asarray(fixed_effects)
        table = table[:, None] if table.ndim == 1 else table
        coded = [(f"effect{j + 1}", levels_of(table[:, j])) for j in range(table.shape[1])]
    for name, codes in coded:
        if (codes < 0).any():
            row = int(np.argmax(codes < 0))
            raise DataError(f"Factor {name!r} has no level in row {row}: drop rows without one.")
    return coded


def levels_of(column: Array) -> Array:
    """The levels of a factor, numbered in their order; whole numbers are not sorted for that."""
    if column.dtype.kind in "iu" and len(column):
        low, high = int(column.min()), int(column.max())
        if high - low < 4 * len(column):
            places = column.astype(np.int64) - low
            there = np.zeros(high - low + 1, np.int64)
            there[places] = 1
            numbers: Array = (np.cumsum(there) - 1)[places]
            return numbers
    return np.unique(column, return_inverse=True)[1]


def with_dummies(design: Design, factors: list[tuple[str, Array]]) -> Design:
    """The design with a column for every level of the factors."""
    parts, names = [sparse.csr_array(design.X).astype(np.float64)], [*design.names]
    for name, codes in factors:
        levels, numbers = np.unique(codes, return_inverse=True)
        entries = np.ones(len(codes)), (np.arange(len(codes)), numbers)
        parts.append(sparse.csr_array(entries, shape=(len(codes), len(levels))))
        names += [f"{name}[{level}]" for level in levels]
    return Design(as_examples(sparse.csr_array(sparse.hstack(parts))), names, design.intercept)


def design_of(X: Any, intercept: bool) -> Design:
    """The design matrix, with names for its columns."""
    if not hasattr(X, "columns") or not hasattr(X, "iloc"):
        if np.shape(X)[-1:] == (0,):
            return Design(np.asarray(X, np.float64), [], intercept)
        matrix = as_examples(X)
        return Design(matrix, [f"x{j + 1}" for j in range(matrix.shape[1])], intercept)
    import pandas as pd

    parts, names = [], []
    for j, name in enumerate(X.columns):
        column = X.iloc[:, j]
        if column.isna().any():
            raise DataError(f"Column {name!r} has missing values: fill them in, or drop the rows.")
        if pd.api.types.is_numeric_dtype(column):
            parts.append(column.to_numpy(dtype=np.float64)[:, None])
            names.append(str(name))
            continue
        if pd.api.types.is_datetime64_any_dtype(column):
            raise DataError(
                f"Column {name!r} has dates: convert them to numbers, or to categories "
                "(astype('category'))."
            )
        levels = pd.Categorical(column)
        used = [level for level in levels.categories if (levels == level).any()]
        for level in used[1 if intercept else 0 :]:
            parts.append(np.asarray(levels == level, np.float64)[:, None])
            names.append(f"{name}[{level}]")
    matrix = np.hstack(parts) if parts else np.zeros((len(X), 0))
    return Design(as_examples(matrix) if parts else matrix, names, intercept)


def as_outcomes(y: Any, trials: Any, family: str) -> Any:
    """The outcomes: labels as they are, counts and shares as floats."""
    if FAMILIES[family].labels:
        return y
    try:
        numbers = np.asarray(y, np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"y has values that are no numbers, but family={family!r} needs numbers: give counts "
            'or shares, or choose family="binary" or "multinomial" for labels.'
        ) from None
    if family != "binomial":
        if trials is not None:
            raise DataError(f"trials were given, but family={family!r} has none: leave them out.")
        if numbers.ndim != 1:
            raise DataError(f"y has shape {numbers.shape}, but there is one outcome for each row.")
        return numbers
    if numbers.ndim == 2 and numbers.shape[1] == 2 and trials is None:
        successes, total = numbers[:, 0], numbers.sum(axis=1)
    elif numbers.ndim == 1 and trials is not None:
        successes, total = numbers, np.asarray(trials, np.float64)
    elif numbers.ndim == 1:
        return numbers
    else:
        raise DataError(
            f"y has shape {numbers.shape}: give successes and failures in two columns, or "
            "successes in one and how many trials they are out of as trials=."
        )
    bad = ~((successes >= 0) & (successes <= total) & (total > 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise DataError(
            f"Row {row} has {successes[row]:g} successes out of {total[row]:g} trials: there must "
            "be at least one trial, and no more successes than trials. Drop rows without trials."
        )
    return np.where(successes == total, 1.0, np.where(successes == 0, 0.0, 0.5))


def some_of(y: Any, rows: Array) -> Any:
    """Some of the outcomes."""
    return y.iloc[rows] if hasattr(y, "iloc") else np.asarray(y)[rows]
