"""How the laws use each learner: on which data, with which options, beside which twin."""

import warnings

import numpy as np
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from novikoff import (
    AROW,
    SCW,
    AveragedPerceptron,
    BalancedWinnow,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    VotedPerceptron,
    Winnow,
)
from novikoff.learners import LEARNERS as LEARNERS
from worlds import conventions, worlds

ADDITIVE = (Perceptron, AveragedPerceptron, VotedPerceptron)
ROUNDED = (PassiveAggressive, AROW, SCW, SecondOrderPerceptron, BalancedWinnow)
"""Those whose updates divide, or take powers: another order of a sum changes their last bits."""
EXACT = tuple(learner for learner in LEARNERS if learner not in ROUNDED)
RECORDED = (*ADDITIVE, Winnow)
"""Those whose traces are compared to fractions; `test_records.py` has the laws of all."""
ZERO_ONE = (Winnow,)
"""Those that learn from 0 and 1 only."""

zero_one = st.sampled_from([0, 1])
winnow_options = st.fixed_dictionaries(
    {
        "factor": st.sampled_from([1.5, 2.0, 4.0]),
        "threshold": st.sampled_from([None, 1.0, 3.0]),
    }
)


passive_aggressive_options = st.fixed_dictionaries(
    {
        "C": st.sampled_from([0.25, 1.0, 4.0]),
        "variant": st.sampled_from(["PA", "PA-I", "PA-II"]),
        "fit_intercept": st.booleans(),
    }
)
bias, some, covariance = (
    st.booleans(),
    st.sampled_from([0.25, 1.0, 4.0]),
    st.sampled_from(["diagonal", "full"]),
)
OPTIONS = {
    Winnow: winnow_options,
    BalancedWinnow: st.fixed_dictionaries(
        {"factor": st.sampled_from([1.5, 2.0, 4.0]), "fit_intercept": bias}
    ),
    AROW: st.fixed_dictionaries({"r": some, "covariance": covariance, "fit_intercept": bias}),
    SecondOrderPerceptron: st.fixed_dictionaries(
        {"a": some, "covariance": covariance, "fit_intercept": bias}
    ),
    SCW: st.fixed_dictionaries(
        {
            "C": some,
            "eta": st.sampled_from([0.6, 0.9]),
            "variant": st.sampled_from(["I", "II"]),
            "covariance": covariance,
            "fit_intercept": bias,
        }
    ),
    PassiveAggressive: passive_aggressive_options,
}


def data_for(learner, **kwargs):
    """Worlds this learner can learn from."""
    return worlds(entries=zero_one if learner in ZERO_ONE else None, **kwargs)


def options_for(learner):
    """Its conventions."""
    return OPTIONS.get(learner, conventions)


REPETITION = "weight 2 is one large step; two examples are two steps, with a look in between"
"""Why scikit-learn's check of sample weights does not hold."""


def fitted(learner, X, y, *, fit=None, **options):
    """Fit without a word about convergence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return learner(**options).fit(X, y, **(fit or {}))


def state(model):
    """All that a model tells of its run."""
    told = {
        name: np.asarray(getattr(model, name))
        for name in ("coef_", "intercept_", "mistakes_", "radius_", "classes_", "converged_")
    }
    told["n_seen"] = np.asarray(model._state.stream.n_seen)
    return told


def assert_same(one, other, rows=None):
    """Two models told the same, to the last bit, and predict the same."""
    for name, value in state(one).items():
        np.testing.assert_array_equal(value, state(other)[name], err_msg=name, strict=True)
    if rows is not None:
        np.testing.assert_array_equal(one.decision_function(rows), other.decision_function(rows))
