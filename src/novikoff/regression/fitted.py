"""Separation in models that another library has fitted."""

from typing import Any

import numpy as np

from novikoff.errors import DataError
from novikoff.regression.result import Separation
from novikoff.regression.separation import separation

STATSMODELS = {
    "Logit": "binary",
    "Probit": "binary",
    "MNLogit": "multinomial",
    "OrderedModel": "cumulative",
    "Poisson": "poisson",
    "NegativeBinomial": "poisson",
    "NegativeBinomialP": "poisson",
    "GeneralizedPoisson": "poisson",
}
"""Models of statsmodels by the name of their class."""
PYFIXEST = {"fepois": "poisson", "feglm-logit": "logit", "feglm-probit": "probit"}
"""Models of pyfixest by the name of their method."""
DISTRIBUTIONS = ("logit", "probit", "cloglog", "loglog", "cauchy", "cdflink")
"""Links of statsmodels that take a distribution function of the whole line."""
GLM = {"Poisson": "poisson", "NegativeBinomial": "poisson"}
"""Families of statsmodels' GLM, with a log link."""


def check_separation(results: Any, *, budget: float = 60.0) -> Separation:
    """Check whether a model fitted by another library has a finite estimate.

    Software may report that it converged although no finite estimate exists.

    Parameters
    ----------
    results : results of statsmodels or pyfixest
        Those of a `Logit`, `Probit`, `MNLogit`, `OrderedModel`, `Poisson`, negative binomial, or
        `GLM` with a binomial, Poisson or negative binomial family; or such a model itself. For
        pyfixest (`fepois`, or `feglm` with logit or probit), the check covers the observations
        that pyfixest kept.
    budget : float, default=60.0
        The time limit in seconds.

    Returns
    -------
    Separation
        With the names of coefficients and observations that the model uses.

    Examples
    --------
    >>> import statsmodels.api as sm
    >>> from novikoff import check_separation
    >>> model = sm.Logit([0, 0, 1, 1], sm.add_constant([1.0, 2.0, 3.0, 4.0]))
    >>> check_separation(model).coefficients
    {'const': '-inf', 'x1': '+inf'}
    """
    model = getattr(results, "model", results)
    package = type(model).__module__.partition(".")[0]
    if package == "pyfixest":
        return of_pyfixest(results, budget)
    if package != "statsmodels":
        raise DataError(
            f"check_separation takes a model of statsmodels or pyfixest, but got: "
            f"{type(results).__name__}. Call separation(X, y, family=...) with its data."
        )
    X = np.asarray(model.exog, np.float64)
    names = list(model.exog_names)[: X.shape[1]]  # thresholds come after the columns
    family, y, options = outcome_of(model)
    frame = frame_of(model, X, names)
    return separation(
        frame, y, family=family, fit_intercept=family == "cumulative", budget=budget, **options
    )


def of_pyfixest(fit: Any, budget: float) -> Separation:
    """Of a model of pyfixest, from its formula and the data it was fitted on."""
    method = getattr(fit, "_method", type(fit).__name__)
    if method not in PYFIXEST:
        raise DataError(
            f"check_separation does not support pyfixest's {method}. It supports "
            f"{', '.join(sorted(PYFIXEST))}."
        )
    data = getattr(fit, "_data", None)
    if data is None or not len(data):
        raise DataError(
            "The model does not have its data: fit it with store_data=True and lean=False, or call "
            "separation(formula, data, family=...)."
        )
    weights = getattr(fit, "_weights_name", None)
    return separation(
        fit._fml,
        data,
        family=PYFIXEST[method],
        sample_weight=None if weights is None else data[weights],
        budget=budget,
    )


def outcome_of(model: Any) -> tuple[str, Any, dict[str, Any]]:
    """The family, the outcomes, and what else there is to say of them."""
    kind, y = type(model).__name__, np.asarray(model.endog)
    if kind != "GLM":
        if kind not in STATSMODELS:
            raise DataError(
                f"check_separation does not support {kind}. It supports GLM, "
                f"{', '.join(sorted(STATSMODELS))}. For others, call separation(X, y, family=...)."
            )
        if kind == "OrderedModel":
            labels = getattr(model, "labels", None)
            if labels is not None and len(labels):
                import pandas as pd

                y = pd.Categorical.from_codes(y.astype(int), [str(v) for v in labels], ordered=True)
        return STATSMODELS[kind], y, {}
    name, link = type(model.family).__name__, type(model.family.link).__name__
    weights = np.asarray(model.freq_weights) * np.asarray(model.var_weights)
    options = {"sample_weight": weights} if (weights == 0).any() else {}
    if name == "Binomial":
        if link in ("Log", "log"):
            if ((y > 0) & (y < 1)).any():
                raise DataError(
                    "y has shares between 0 and 1, but a log-binomial model needs outcomes 0 and "
                    "1: expand each row into its successes and failures."
                )
            return "log-binomial", y, options
        if link.lower() in DISTRIBUTIONS:
            return "fractional", y, options
    if name in GLM and link in ("Log", "log"):
        return GLM[name], y, options
    raise DataError(
        f"A GLM with family {name} and link {link} was given. check_separation supports Binomial "
        f"with the links {', '.join(DISTRIBUTIONS)} and log, and {' and '.join(sorted(GLM))} with "
        "a log link. For others, call separation(X, y, family=...)."
    )


def frame_of(model: Any, X: Any, names: list[str]) -> Any:
    """The design matrix with the model's names, and its labels for rows if it has some."""
    import pandas as pd

    labels = getattr(model.data, "row_labels", None)
    return pd.DataFrame(X, columns=names, index=labels)
