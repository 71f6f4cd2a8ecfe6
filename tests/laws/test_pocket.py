"""The pocket: its twin, its ratchet, what that costs, and streams."""

import copy
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import naive_online
from laws.learners import assert_same, fitted
from laws.test_many_classes import learned, many_worlds
from novikoff import Perceptron, Pocket
from worlds import conventions, worlds

options_of_the_twin = st.fixed_dictionaries(
    {
        "fit_intercept": st.booleans(),
        "tie": st.sampled_from(["mistake", "negative", "positive"]),
        "checks": st.integers(1, 3),
    }
)


def training_errors(model, X, y):
    """As the loop counts: a tie is what the conventions say."""
    s = model.decision_function(X)
    if s.ndim == 1:
        y = np.where(y == model.classes_[1], 1, -1)
        tie = {"mistake": 0, "negative": -1, "positive": 1}[model.tie]
        return int(((y * s < 0) | ((s == 0) & (y != tie))).sum())
    own = np.searchsorted(model.classes_, y)
    rest = np.where(np.arange(s.shape[1]) == own[:, None], -np.inf, s).max(axis=1)
    assert model.tie == "mistake"
    return int((s[np.arange(len(y)), own] <= rest).sum())


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@given(world=worlds(), options=options_of_the_twin, eta=st.sampled_from([0.5, 1.0]))
def test_the_pocket_is_its_twins(form, world, options, eta):
    model = fitted(Pocket, form(world.X), world.y, shuffle=False, max_iter=5, eta0=eta, **options)
    run = naive_online.pocket(*world.lists, epochs=5, eta=eta, **options)
    np.testing.assert_array_equal(learned(model)[0], [float(v) for v in run.pocket])
    np.testing.assert_array_equal(model.mistakes_, run.mistakes)
    assert model.n_checked_ == run.checked
    if run.errors is None:
        with pytest.raises(AttributeError, match="after a second epoch"):
            model.pocket_errors_  # noqa: B018
    else:
        assert model.pocket_errors_ == run.errors == training_errors(model, *world)


@given(world=st.one_of(worlds(), many_worlds()), seed=st.integers(0, 9), checks=st.integers(1, 3))
def test_the_ratchet_never_slips_and_costs_what_it_says(world, seed, checks):
    """From one epoch to the next, by warm starts; n rows a check, and n more a `fit`.

    And no worse than the weights that the run ended with.
    """
    X, y = world
    model = Pocket(checks=checks, max_iter=2, random_state=seed, warm_start=True)
    fewest = len(y) + 1
    for fits in range(1, 6):
        before = fitted_again(model, X, y)
        assert model.pocket_errors_ == training_errors(model, X, y) <= fewest
        fewest = model.pocket_errors_
        epochs = model.n_iter_ - 1  # all but the first can check
        assert model.n_checked_ <= len(y) * ((checks + 1) * epochs + fits)
        assert model.n_checked_ - before <= len(y) * (2 * (checks + 1) + 1)
        last = copy.deepcopy(model)
        last._state.extra["pocket"][...] = last._state.weights
        assert fewest <= training_errors(last, X, y)
        if model.converged_:
            assert fewest == 0
            break


def fitted_again(model, X, y):
    before = model.n_checked_ if model._is_fitted() else 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    return before


@given(world=many_worlds(), checks=st.integers(1, 3))
def test_the_run_is_the_perceptrons(world, checks):
    X, y = world
    options = {"shuffle": False, "max_iter": 4}
    model = fitted(Pocket, X, y, checks=checks, **options)
    perceptron = fitted(Perceptron, X, y, **options)
    np.testing.assert_array_equal(model.mistakes_, perceptron.mistakes_)
    np.testing.assert_array_equal(model._state.weights, perceptron._state.weights)
    assert model.margin_ == perceptron.margin_
    if model.converged_:
        np.testing.assert_array_equal(learned(model), learned(perceptron))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@given(world=many_worlds(max_rows=12), data=st.data(), options=conventions)
def test_a_stream_of_many_classes_is_one_epoch(form, world, data, options):
    X, y = form(world.X), world.y
    whole = fitted(Pocket, X, y, max_iter=1, shuffle=False, **options)
    cuts = data.draw(st.sets(st.integers(0, len(y))))
    model = Pocket(shuffle=False, **options)
    for block in np.split(np.arange(len(y)), sorted(cuts)):
        if len(block):
            model.partial_fit(X[block], y[block], classes=np.unique(y))
    assert_same(whole, model, rows=X)


def test_it_is_better_than_the_last_weights_on_noisy_data():
    random = np.random.default_rng(0)
    X = random.standard_normal((2000, 10))
    y = np.where(X[:, 0] + 0.5 * random.standard_normal(2000) > 0, 1, -1)
    model = fitted(Pocket, X, y, max_iter=20, random_state=0)
    last = fitted(Perceptron, X, y, max_iter=20, random_state=0)
    assert model.score(X, y) == 1 - model.pocket_errors_ / 2000
    assert model.score(X, y) > last.score(X, y) + 0.02
    assert model.n_checked_ <= 2000 * (3 * 19 + 1)


def test_a_class_that_comes_later():
    model = Pocket(shuffle=False).partial_fit([[1.0], [-1.0], [2.0]], ["a", "b", "a"])
    model.partial_fit([[5.0], [1.0]], ["c", "a"])
    assert model.coef_.shape == (3, 1)
    assert model.predict([[-3.0]]).tolist() == ["b"]


def test_a_margin_and_then_other_data():
    """The first epoch over them is made in parts, none of which has all errors."""
    random = np.random.default_rng(0)
    X, y = random.standard_normal((60, 3)), random.integers(0, 2, 60)
    model = Pocket(margin=1.0, warm_start=True, max_iter=3, random_state=0)
    model.partial_fit(X[:9], y[:9], classes=[0, 1])
    fitted_again = model.fit(X, y)
    assert fitted_again.pocket_errors_ == (model.predict(X) != y).sum() > 0
