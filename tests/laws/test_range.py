"""At the ends of the range: what is proved is true there too, or nothing is."""

import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.exceptions import ConvergenceWarning

from laws.learners import ADDITIVE
from novikoff import (
    AROW,
    SCW,
    BalancedWinnow,
    KernelPerceptron,
    PassiveAggressive,
    Perceptron,
    Romma,
    SecondOrderPerceptron,
    separability,
)
from novikoff.errors import WeightOverflow
from worlds import planted

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def scales(dtype):
    """Powers of two from the least to the largest that leave room for small whole numbers."""
    lowest, highest = (-149, 120) if dtype == np.float32 else (-1074, 1015)
    return st.integers(lowest, highest).map(lambda e: float(np.ldexp(1.0, e)))


def require_true_after_fitting(model, X, y):
    """What the run proves holds, unless the numbers left the range and it says so."""
    try:
        model.fit(X, y)
    except WeightOverflow:
        return
    require_true(model)


def require_true(model):
    """The ends of the margin are in order, and the run kept to its own bound."""
    assert 0.0 <= model.margin_.lower <= model.margin_.upper
    assert model.n_mistakes_ <= model.mistake_bound_


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("learner", ADDITIVE)
@given(data=st.data())
def test_a_run_keeps_to_its_bound_at_every_scale(learner, dtype, data):
    bias = data.draw(st.booleans())
    (X, y), _, _ = data.draw(planted(fit_intercept=bias))
    scale, eta0 = data.draw(scales(dtype)), data.draw(st.just(1.0) | scales(dtype))
    model = learner(fit_intercept=bias, eta0=eta0, max_iter=50, shuffle=False)
    require_true_after_fitting(model, (X * scale).astype(dtype), y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@given(data=st.data())
def test_so_does_a_kernel_perceptron(kernel, dtype, data):
    (X, y), _, _ = data.draw(planted(fit_intercept=False))
    scale = data.draw(scales(dtype))
    model = KernelPerceptron(kernel=kernel, degree=2, max_iter=50, shuffle=False)
    require_true_after_fitting(model, (X * scale).astype(dtype), y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(world=planted(fit_intercept=False), data=st.data())
def test_no_run_makes_more_mistakes_than_the_verdict_allows(dtype, world, data):
    (X, y), _, _ = world
    X = (X * data.draw(scales(dtype))).astype(dtype)
    try:
        run = Perceptron(fit_intercept=False, max_iter=200, shuffle=False).fit(X, y)
    except WeightOverflow:
        return
    assert run.n_mistakes_ <= separability(X, y, fit_intercept=False).novikoff * (1 + 1e-9)


LEARNERS = {
    "PA": lambda: PassiveAggressive(fit_intercept=False, variant="PA"),
    "PA-I": lambda: PassiveAggressive(fit_intercept=False),
    "AROW": lambda: AROW(fit_intercept=False),
    "AROW, full": lambda: AROW(fit_intercept=False, covariance="full"),
    "SCW": lambda: SCW(fit_intercept=False),
    "second order": lambda: SecondOrderPerceptron(fit_intercept=False),
    "second order, full": lambda: SecondOrderPerceptron(fit_intercept=False, covariance="full"),
    "balanced Winnow": lambda: BalancedWinnow(fit_intercept=False),
    "ROMMA": lambda: Romma(kernel="linear"),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("learner", LEARNERS)
@given(data=st.data())
def test_who_has_converged_is_right(learner, dtype, data):
    """At every scale: learners converge on the truth, go on, or raise an error."""
    scale = data.draw(scales(dtype))
    X, y = (np.array([[1.0], [-1.0], [2.0], [-2.0]]) * scale).astype(dtype), [1, 0, 1, 0]
    model = LEARNERS[learner]().set_params(max_iter=20, shuffle=False)
    try:
        model.fit(X, y)
    except WeightOverflow:
        return
    if model.converged_:
        assert model.score(X, y) == 1.0


@pytest.mark.parametrize(
    ("model", "X"),
    [
        (PassiveAggressive(fit_intercept=False), np.array([[1e25], [-1e25]], np.float32)),
        (Romma(kernel="linear"), np.array([[2e19], [-2e19]], np.float32)),
    ],
)
def test_what_cannot_learn_says_so(model, X):
    with pytest.raises(WeightOverflow, match="left the range of float32"):
        model.fit(X, [1, 0])


@pytest.mark.parametrize(
    ("X", "eta0"),
    [
        (np.array([[1e-23], [-1e-23]], np.float32), 1.0),
        (np.array([[1.0], [-1.0], [0.3]], np.float32), 1e-40),
        (np.array([[1e-183], [-1e-183]]), 1.2e45),
        (np.array([[1e-200], [-1e-200]]), 1.0),
    ],
)
def test_the_classic_cases(X, eta0):
    y = (X[:, 0] > 0).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = Perceptron(fit_intercept=False, eta0=eta0, max_iter=100).fit(X, y)
    require_true(model)
    assert model.n_mistakes_ <= separability(X, y, fit_intercept=False).novikoff or eta0 != 1.0
