"""The published bounds of the learners that heed margins, as laws: for any `u`, on any data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from laws.learners import fitted
from laws.test_many_classes import many_worlds
from novikoff import PassiveAggressive, passive_aggressive_bound
from novikoff.errors import ParameterError
from worlds import planted, worlds

some = st.sampled_from([0.125, 0.5, 1.0, 3.0])
ROUNDING = 1 + 1e-9


def weights(d):
    """Any weights to compare a run with, the bias last."""
    return hnp.arrays(np.float64, d + 1, elements=st.integers(-3, 3).map(lambda v: v / 2))


def hinge(X, y, u):
    return np.maximum(0.0, 1.0 - y * (X @ u[:-1] + u[-1]))


def total_loss(model, X, y):
    """The squared losses of a run, visit by visit: a stream of single rows is the run."""
    twin = type(model)(**model.get_params()).set_params(shuffle=False)
    total = 0.0
    for _ in range(model.n_iter_):
        for i in range(len(y)):
            w = np.zeros(X.shape[1] + 1)
            if twin._is_fitted():
                w = np.append(twin.coef_, twin.intercept_)
            total += hinge(X[i : i + 1], y[i], w)[0] ** 2
            twin.partial_fit(X[i : i + 1], y[i : i + 1], classes=[-1, 1])
    return total


@pytest.mark.parametrize("variant", ["PA-I", "PA-II"])
@given(world=worlds(), data=st.data(), C=some, epochs=st.integers(1, 3))
def test_passive_aggressive_on_any_data(variant, world, data, C, epochs):
    """Theorems 4 and 5."""
    X, y = world
    u = data.draw(weights(X.shape[1]))
    model = fitted(PassiveAggressive, X, y, C=C, variant=variant, max_iter=epochs, shuffle=False)
    losses = hinge(X, y, u)
    L = model.n_iter_ * (losses.sum() if variant == "PA-I" else (losses**2).sum())
    most = passive_aggressive_bound(model.radius_, np.linalg.norm(u), L, C=C, variant=variant)
    assert model.n_mistakes_ <= most * ROUNDING
    if variant == "PA-II":
        assert total_loss(model, X, y) <= most * ROUNDING


@given(world=planted(), epochs=st.integers(1, 4))
def test_passive_aggressive_on_separable_data(world, epochs):
    """Theorem 2: u scaled to a margin of 1 has no loss."""
    (X, y), u, b = world
    u = np.append(u, b)
    u /= (y * (X @ u[:-1] + u[-1])).min()
    model = fitted(PassiveAggressive, X, y, variant="PA", max_iter=epochs, shuffle=False)
    most = passive_aggressive_bound(model.radius_, np.linalg.norm(u), variant="PA")
    assert model.n_mistakes_ <= total_loss(model, X, y) <= most * ROUNDING


@given(world=worlds(), data=st.data(), epochs=st.integers(1, 3))
def test_passive_aggressive_on_unit_vectors(world, data, epochs):
    """Theorem 3, through the origin: a row is scaled to length 1."""
    X, y = world
    X = np.where((X == 0).all(axis=1, keepdims=True), 1.0, X)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    u = data.draw(weights(X.shape[1]))
    u[-1] = 0.0
    options = {"variant": "PA", "max_iter": epochs, "shuffle": False, "fit_intercept": False}
    model = fitted(PassiveAggressive, X, y, **options)
    L = model.n_iter_ * (hinge(X, y, u) ** 2).sum()
    most = passive_aggressive_bound(1.0, np.linalg.norm(u), L, variant="PA")
    assert model.n_mistakes_ <= total_loss(model, X, y) <= most * ROUNDING


@given(world=many_worlds(), data=st.data(), C=some)
def test_passive_aggressive_of_many_classes(world, data, C):
    """Theorem 4 in Kesler's space, where the squared length of an example is doubled."""
    X, y = world
    model = fitted(PassiveAggressive, X, y, C=C, max_iter=2, shuffle=False)
    K, d = model.coef_.shape
    u = np.array([data.draw(weights(d)) for _ in range(K)])
    s = X @ u[:, :-1].T + u[:, -1]
    own = np.searchsorted(model.classes_, y)
    rest = np.where(np.arange(K) == own[:, None], -np.inf, s).max(axis=1)
    L = model.n_iter_ * np.maximum(0.0, 1.0 - (s[np.arange(len(y)), own] - rest)).sum()
    most = passive_aggressive_bound(model.radius_, np.linalg.norm(u), L, C=C)
    assert model.n_mistakes_ <= most * ROUNDING


def test_what_a_bound_cannot_be_asked():
    with pytest.raises(ParameterError, match="only where every example has length 1"):
        passive_aggressive_bound(2.0, 1.0, 1.0, variant="PA")
    with pytest.raises(ParameterError, match="C=0"):
        passive_aggressive_bound(2.0, 1.0, C=0.0)
    with pytest.raises(ParameterError, match="variant='PA-3'"):
        passive_aggressive_bound(2.0, 1.0, variant="PA-3")
