"""Winnow's weights stay in range, and come back from far below."""

import numpy as np
import pytest

from novikoff import Winnow


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("factor", [2.0, 1e10])
def test_weights_recover_from_the_bottom(dtype, factor):
    """Thousands of demotions, then as few promotions as reach the threshold again."""
    x = np.ones((1, 2), dtype)
    model = Winnow(threshold=1e-3, factor=factor, shuffle=False)
    model.partial_fit(x, [0], classes=[0, 1])
    model._state.weights[0, -1] = -np.finfo(dtype).tiny * 1.5  # tiny weights are positive too
    for _ in range(2000):
        model.partial_fit(x, [0])
    assert (model.coef_ >= np.finfo(dtype).tiny).all()
    model._state.weights[0, -1] = -1.0
    for _ in range(2000):
        model.partial_fit(x, [1])
    assert np.isfinite(model.coef_).all()
    assert model.predict(x) == [1]
    assert (model.coef_ < factor).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_weights_never_pass_the_threshold_by_more_than_the_factor(dtype):
    random = np.random.default_rng(0)
    X = (random.random((200, 20)) < 0.3).astype(dtype)
    y = random.integers(0, 2, 200)  # no disjunction at all
    model = Winnow(threshold=1e30, factor=1e6, max_iter=50)
    with pytest.warns(UserWarning, match="stopped at max_iter"):
        model.fit(X, y)
    assert (model.coef_ > 0).all()
    assert (model.coef_ <= 1e36 * (1 + 1e-6)).all()


def test_a_sum_on_the_threshold_is_positive():
    model = Winnow(shuffle=False).partial_fit(np.eye(4), [0, 0, 0, 0], classes=[0, 1])
    assert model.n_mistakes_ == 0
    np.testing.assert_array_equal(model.predict([[1, 1, 1, 1], [1, 1, 1, 0]]), [1, 0])
    on, off = model.decision_function([[1, 1, 1, 1], [1, 1, 1, 0]])
    assert 0 < on < 1e-300
    assert off == -1.0
