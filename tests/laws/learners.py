"""How the laws use each learner: on which data, with which options, beside which twin."""

import warnings

import numpy as np
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from novikoff import AveragedPerceptron, Perceptron, VotedPerceptron, Winnow
from novikoff.learners import LEARNERS as LEARNERS
from worlds import conventions, worlds

ADDITIVE = (Perceptron, AveragedPerceptron, VotedPerceptron)

zero_one = st.sampled_from([0, 1])
winnow_options = st.fixed_dictionaries(
    {
        "factor": st.sampled_from([1.5, 2.0, 4.0]),
        "threshold": st.sampled_from([None, 1.0, 3.0]),
    }
)


def data_for(learner, **kwargs):
    """Worlds this learner can learn from."""
    return worlds(entries=zero_one if learner is Winnow else None, **kwargs)


def options_for(learner):
    """Its conventions."""
    return winnow_options if learner is Winnow else conventions


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
    told["n_seen"] = np.asarray(model._run.n_seen)
    return told


def assert_same(one, other, rows=None):
    """Two models told the same, to the last bit, and predict the same."""
    for name, value in state(one).items():
        np.testing.assert_array_equal(value, state(other)[name], err_msg=name, strict=True)
    if rows is not None:
        np.testing.assert_array_equal(one.decision_function(rows), other.decision_function(rows))
