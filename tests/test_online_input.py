"""What the learners that heed margins, and the pocket, refuse; and what they tell."""

import numpy as np
import pytest
from scipy import sparse

from laws.learners import ROUNDED, fitted
from novikoff import AROW, SCW, BalancedWinnow, PassiveAggressive, Pocket, SecondOrderPerceptron
from novikoff.errors import ParameterError

X, Y = np.eye(3), [0, 1, 0]

MEANINGLESS = [
    (PassiveAggressive, {"C": 0.0}, "C=0.0"),
    (PassiveAggressive, {"variant": "PA-III"}, "one of 'PA', 'PA-I', 'PA-II'"),
    (PassiveAggressive, {"multi_class": "all"}, "one of 'joint', 'ovr'"),
    (PassiveAggressive, {"fit_intercept": 1}, "fit_intercept=1"),
    (AROW, {"r": -1.0}, "r=-1.0"),
    (AROW, {"covariance": "half"}, "one of 'diagonal', 'full'"),
    (SecondOrderPerceptron, {"a": 0}, "a=0"),
    (SecondOrderPerceptron, {"a": 1e-310}, "variance of .* is out of the range of float64"),
    (SCW, {"C": np.inf}, "C=inf"),
    (SCW, {"eta": 0.5}, "eta=0.5"),
    (SCW, {"eta": 1.0}, "eta=1.0 .* below 1"),
    (SCW, {"variant": 1}, "variant=1"),
    (BalancedWinnow, {"factor": 1.0}, "factor=1.0"),
    (BalancedWinnow, {"factor": 1e300}, "from 1.00001 to 1e13"),
    (BalancedWinnow, {"clip": "yes"}, "clip='yes'"),
    (Pocket, {"checks": 0}, "checks=0"),
]


@pytest.mark.parametrize(("learner", "options", "says"), MEANINGLESS)
def test_options_without_a_meaning(learner, options, says):
    for call in ("fit", "partial_fit"):
        model = learner(**options)
        with pytest.raises(ParameterError, match=says):
            getattr(model, call)(X, Y)
        assert not hasattr(model, "coef_")


@pytest.mark.parametrize("learner", [AROW, SCW, SecondOrderPerceptron])
def test_a_matrix_that_would_be_too_large(learner):
    wide = sparse.csr_array((2, 100_000))
    with pytest.raises(ParameterError, match=r"100000 features .* choose 'diagonal'"):
        learner(covariance="full").partial_fit(wide, [0, 1])


@pytest.mark.parametrize("learner", ROUNDED)
def test_updates_are_counted(learner):
    model = fitted(learner, X, Y)
    assert model.n_updates_ == model.dual_coef_.sum()


@pytest.mark.parametrize("learner", [PassiveAggressive, AROW, SCW])
def test_a_right_answer_can_be_an_update(learner):
    """The second example is right by too little."""
    rows = np.array([[1.0, 0.0], [0.1, 1.0], [-1.0, 0.0]])
    model = learner(fit_intercept=False, shuffle=False).partial_fit(rows, [1, 1, 0])
    assert model.n_mistakes_ == 1
    assert model.n_updates_ >= 2
    assert not model.converged_
    model = fitted(learner, rows, [1, 1, 0], shuffle=False, max_iter=200, fit_intercept=False)
    assert model.mistakes_[1:].sum() == 0
    assert model.n_updates_ > model.n_mistakes_ == 1
