"""The published bounds of the learners that heed margins, as laws: for any `u`, on any data."""

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from laws.learners import fitted
from laws.test_many_classes import learned, many_worlds
from novikoff import (
    AROW,
    SCW,
    BalancedWinnow,
    PassiveAggressive,
    SecondOrderPerceptron,
    arow_bound,
    balanced_winnow_bound,
    passive_aggressive_bound,
    second_order_bound,
)
from novikoff.errors import ParameterError
from novikoff.learners import balanced_winnow
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


# ------------------------------------------------------------- with a covariance


def updated(model, X):
    """The examples with an update, each as often as there was one, with a 1 for the bias."""
    Z = np.hstack([X, np.ones((len(X), 1))])
    return np.repeat(Z, model.dual_coef_, axis=0)


@given(world=worlds(), data=st.data(), r=some, epochs=st.integers(1, 3))
def test_arow(world, data, r, epochs):
    """Theorem 10 of docs/theorems.md, over the examples with an update."""
    X, y = world
    u = data.draw(weights(X.shape[1]))
    model = fitted(AROW, X, y, r=r, covariance="full", max_iter=epochs, shuffle=False)
    right = model.n_updates_ - model.n_mistakes_
    loss = float(model.dual_coef_ @ hinge(X, y, u))
    most = arow_bound(updated(model, X), u, loss, right=right, r=r)
    assert model.n_mistakes_ <= most * ROUNDING + 1e-9


@given(world=worlds(), r=some, epochs=st.integers(1, 3))
def test_arow_is_ridge_regression_on_what_it_learned_from(world, r, epochs):
    """The same theorem: the mean solves (r I + X'X) mu = X'y over the examples with an update."""
    X, y = world
    model = fitted(AROW, X, y, r=r, covariance="full", max_iter=epochs, shuffle=False)
    Z, t = updated(model, X), np.repeat(y, model.dual_coef_)
    mu = np.append(model.coef_, model.intercept_)
    assert np.allclose(r * mu + Z.T @ (Z @ mu), Z.T @ t, rtol=1e-9, atol=1e-9)


@given(world=worlds(), data=st.data(), a=some, gamma=some, epochs=st.integers(1, 3))
def test_second_order_perceptron(world, data, a, gamma, epochs):
    """Theorem 3.1, over the examples erred on."""
    X, y = world
    u = data.draw(weights(X.shape[1]).filter(np.any))
    u /= np.linalg.norm(u)
    model = fitted(SecondOrderPerceptron, X, y, a=a, max_iter=epochs, shuffle=False)
    assert model.n_updates_ == model.n_mistakes_
    losses = np.maximum(0.0, gamma - y * (X @ u[:-1] + u[-1]))
    loss = float(model.dual_coef_ @ losses)
    most = second_order_bound(updated(model, X), u, gamma, loss, a=a)
    assert model.n_mistakes_ <= most * ROUNDING + 1e-9


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("learner", [AROW, SCW, SecondOrderPerceptron])
def test_a_full_covariance_stays_one(learner, dtype):
    """Columns that nearly depend on each other, far from unit length: rounding must not win."""
    random = np.random.default_rng(0)
    Z = random.standard_normal((2000, 3))
    beside = Z @ random.standard_normal((3, 7)) + 1e-3 * random.standard_normal((2000, 7))
    X = (100 * np.hstack([Z, beside])).astype(dtype)
    y = Z[:, 0] + 0.5 * random.standard_normal(2000) > 0
    model = fitted(learner, X, y, covariance="full", max_iter=10, shuffle=False)
    assert np.linalg.eigvalsh(model._state.extra["covariance"][0]).min() > 0
    assert learner is SCW or model.n_updates_ >= model.n_mistakes_
    assert model.score(X, y) > 0.75


def divergence(mu, S, mean, T):
    """Of N(mu, S) from N(mean, T), but for a constant."""
    inverse = np.linalg.inv(T)
    step = mu - mean
    return 0.5 * (
        np.trace(inverse @ S) + step @ inverse @ step - np.log(np.linalg.det(S) / np.linalg.det(T))
    )


@pytest.mark.parametrize("variant", ["I", "II"])
@pytest.mark.parametrize("seed", range(8))
def test_an_update_of_scw_is_the_minimum(variant, seed):
    """Propositions 1 and 2: no Gaussian nearby has a smaller objective, so that none has."""
    random = np.random.default_rng(seed)
    C, eta, d = random.choice([0.1, 1.0, 10.0]), random.choice([0.6, 0.9]), 3
    options = {"C": C, "eta": eta, "variant": variant, "covariance": "full", "shuffle": False}
    model = SCW(fit_intercept=False, **options)
    X, y = random.standard_normal((6, d)), np.array([1, -1, 1, 1, -1, 1])
    model.partial_fit(X[:5], y[:5])
    before, spread = model.coef_[0], model._state.extra["covariance"][0, :d, :d].copy()
    model.partial_fit(X[5:], y[5:])
    after, narrowed = model.coef_[0], model._state.extra["covariance"][0, :d, :d]
    phi = NormalDist().inv_cdf(eta)

    def objective(mu, S):
        loss = max(0.0, phi * np.sqrt(X[5] @ S @ X[5]) - y[5] * (mu @ X[5]))
        return divergence(mu, S, before, spread) + C * (loss if variant == "I" else loss**2)

    least = objective(after, narrowed)
    assert least <= objective(before, spread)
    for size in (1e-1, 1e-2, 1e-3, 1e-4):
        for _ in range(50):
            shaken = size * random.standard_normal((d, d))
            S = narrowed + (shaken + shaken.T) * np.linalg.norm(narrowed)
            if np.linalg.eigvalsh(S)[0] > 0:
                mu = after + size * random.standard_normal(d)
                assert objective(mu, S) >= least - 1e-12


# ------------------------------------------------------------- balanced Winnow


@given(
    world=worlds(entries=st.sampled_from([0.0, 0.25, 0.5, 1.0])),
    data=st.data(),
    gamma=st.sampled_from([0.05, 0.2, 0.5, 1.0]),
    factor=st.sampled_from([1.05, 1.3, 2.0]),
    epochs=st.integers(1, 3),
)
def test_balanced_winnow(world, data, gamma, factor, epochs):
    X, y = world
    u = data.draw(weights(X.shape[1]).filter(np.any))
    u /= abs(u).sum()
    model = fitted(BalancedWinnow, X, y, factor=factor, max_iter=epochs, shuffle=False)
    loss = model.n_iter_ * np.maximum(0.0, gamma - y * (X @ u[:-1] + u[-1])).sum()
    most = balanced_winnow_bound(X.shape[1] + 1, gamma, loss, factor=factor)
    assert model.n_mistakes_ <= most * ROUNDING


@given(
    world=worlds(),
    data=st.data(),
    scale=st.sampled_from([0.1, 1.0, 100.0]),
    gamma=st.sampled_from([0.05, 0.2, 0.5, 1.0]),
    factor=st.sampled_from([1.05, 1.3, 2.0]),
    epochs=st.integers(1, 3),
)
def test_balanced_winnow_on_numbers_of_any_size(world, data, scale, gamma, factor, epochs):
    X, y = world
    X, largest = X * scale, max(1.0, abs(X).max() * scale)
    u = data.draw(weights(X.shape[1]).filter(np.any))
    u /= abs(u).sum()
    model = fitted(BalancedWinnow, X, y, factor=factor, max_iter=epochs, shuffle=False)
    s, n = y * (X @ u[:-1] + u[-1]), X.shape[1] + 1
    loss = model.n_iter_ * np.maximum(0.0, gamma * largest - s).sum()
    most = balanced_winnow_bound(n, gamma * largest, loss, factor=factor, largest=largest)
    assert model.n_mistakes_ <= most * ROUNDING
    sizes = np.maximum(1.0, abs(X).max(axis=1))  # what the proof goes by: never more than that
    loss = model.n_iter_ * np.maximum(0.0, gamma - s / sizes).sum()
    closer = balanced_winnow_bound(n, gamma, loss, factor=factor)
    assert model.n_mistakes_ <= closer * ROUNDING
    assert closer <= most * ROUNDING


@given(world=planted(), share=st.sampled_from([0.5, 1.0, 1.5]))
def test_balanced_winnow_on_separable_data(world, share):
    """With the best factor for the margin, and others: a run to the end is within the bound."""
    (X, y), u, b = world
    u = np.append(u, b) / (abs(u).sum() + abs(b))
    gamma, largest = (y * (X @ u[:-1] + u[-1])).min(), max(1.0, abs(X).max())
    options = {"factor": np.exp(share * gamma / largest), "fit_intercept": bool(b)}
    most = balanced_winnow_bound(
        X.shape[1] + bool(b), gamma, factor=options["factor"], largest=largest
    )
    assert most < np.inf
    model = fitted(BalancedWinnow, X, y, max_iter=10**6, shuffle=False, **options)
    assert model.converged_
    assert model.n_mistakes_ <= most * ROUNDING


def test_balanced_winnow_learns_from_few_of_many():
    """Three of 1,000 features matter, one of them against: the bound knows only the logarithm."""
    random = np.random.default_rng(0)
    X = (random.random((3000, 1000)) < 0.2).astype(np.float32)
    s = X[:, 3] + X[:, 141] - X[:, 592]
    X, s = X[s != 0], s[s != 0]
    y = np.where(s > 0, 1, -1)
    gamma = abs(s).min() / 3
    factor = np.exp(gamma)
    model = fitted(BalancedWinnow, X, y, factor=factor, random_state=0)
    assert model.converged_
    most = balanced_winnow_bound(1001, gamma, factor=factor)
    assert model.n_mistakes_ <= most < 140
    assert model.score(X, y) == 1.0


def test_balanced_winnow_learns_from_few_of_many_real_numbers():
    """The same with numbers of both signs, up to 30: only their ratio to the margin counts."""
    random = np.random.default_rng(0)
    X = random.uniform(-30, 30, (3000, 1000)).astype(np.float32)
    s = X[:, 3] + X[:, 141] - X[:, 592]
    X, s = X[abs(s) > 30], s[abs(s) > 30]
    y = np.where(s > 0, 1, -1)
    gamma, largest = abs(s).min() / 3, abs(X).max()
    factor = np.exp(gamma / largest)
    model = fitted(BalancedWinnow, X, y, factor=factor, random_state=0)
    assert model.converged_
    most = balanced_winnow_bound(1001, gamma, factor=factor, largest=largest)
    assert model.n_mistakes_ <= most < 140
    assert model.score(X, y) == 1.0


def test_balanced_winnow_does_not_overflow(monkeypatch):
    """Weights past the range of single precision are scaled, which changes no prediction."""
    random = np.random.default_rng(0)
    X, y = random.random((300, 3)), random.integers(0, 2, 300)
    options = {"factor": 1e12, "max_iter": 8, "shuffle": False}
    single = fitted(BalancedWinnow, X.astype(np.float32), y, **options)
    assert np.isfinite(single.coef_).all()
    scaled = fitted(BalancedWinnow, X, y, **options)
    assert (
        88 < abs(scaled._state.extra["exponents"][0, :-1]).max() * np.log(1e12) < 700
    )  # the ends of the ranges
    monkeypatch.setattr(balanced_winnow, "FAR", 700.0)
    as_they_are = fitted(BalancedWinnow, X, y, **options)
    assert as_they_are._state.extra["exponents"][0, -1] == 0
    np.testing.assert_array_equal(as_they_are.mistakes_, scaled.mistakes_)
    np.testing.assert_array_equal(as_they_are.predict(X), scaled.predict(X))
    ratio = learned(as_they_are) / learned(scaled)
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("scale", [2.0, 2.0**100, 2.0**1000])
def test_balanced_winnow_divides_by_the_largest(form, scale):
    """An example with a number beyond 1 teaches what it does when it is divided by it."""
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (60, 3))
    X[np.arange(60), random.integers(0, 3, 60)] = random.choice([-1.0, 1.0], 60)
    X[random.random(X.shape) < 0.2] = 0.0
    y, options = random.integers(0, 3, 60), {"fit_intercept": False, "shuffle": False}
    grown = X * np.where(abs(X).max(axis=1) == 1.0, scale, 1.0)[:, None]
    model = fitted(BalancedWinnow, form(X), y, max_iter=3, **options)
    other = fitted(BalancedWinnow, form(grown), y, max_iter=3, **options)
    np.testing.assert_array_equal(other.coef_, model.coef_)
    np.testing.assert_array_equal(other.mistakes_, model.mistakes_)
    np.testing.assert_array_equal(other.predict(form(grown)), model.predict(form(X)))


@pytest.mark.parametrize("value", [-0.25, 1.25, 300.0])
def test_balanced_winnow_clips(value):
    X = np.array([[0.0, 1.0], [0.5, value], [1.0, 0.0]])
    y = [0, 1, 1]
    for form in (np.asarray, sparse.csr_array):
        model = BalancedWinnow(shuffle=False).partial_fit(form(np.clip(X, 0, 1)), y)
        clipped = BalancedWinnow(shuffle=False, clip=True).partial_fit(form(X), y)
        np.testing.assert_array_equal(clipped.coef_, model.coef_)
        np.testing.assert_array_equal(clipped.predict(form(X)), model.predict(np.clip(X, 0, 1)))


def test_what_a_bound_cannot_be_asked():
    with pytest.raises(ParameterError, match="u must have a weight for every column"):
        arow_bound([[1.0, 2.0]], [1.0])
    with pytest.raises(ParameterError, match="r=0"):
        arow_bound([[1.0]], [1.0], r=0)
    with pytest.raises(ParameterError, match="a=-1"):
        second_order_bound([[1.0]], [1.0], 1.0, a=-1)
    with pytest.raises(ParameterError, match="must have a direction"):
        second_order_bound([[1.0]], [0.0], 1.0)
    assert second_order_bound([[1.0]], [1.0], 0.0) == np.inf
    with pytest.raises(ParameterError, match="n=0"):
        balanced_winnow_bound(0, 1.0)
    with pytest.raises(ParameterError, match="factor=1"):
        balanced_winnow_bound(2, 1.0, factor=1.0)
    with pytest.raises(ParameterError, match="largest=-1"):
        balanced_winnow_bound(2, 1.0, largest=-1.0)
    with pytest.raises(ParameterError, match="only where every example has length 1"):
        passive_aggressive_bound(2.0, 1.0, 1.0, variant="PA")
    with pytest.raises(ParameterError, match="C=0"):
        passive_aggressive_bound(2.0, 1.0, C=0.0)
    with pytest.raises(ParameterError, match="variant='PA-3'"):
        passive_aggressive_bound(2.0, 1.0, variant="PA-3")
