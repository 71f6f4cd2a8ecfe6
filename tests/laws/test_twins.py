"""Every learner equals its slow twin in `naive.py`, to the last bit."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.utils.class_weight import compute_sample_weight

import naive
from laws.learners import ADDITIVE, fitted
from novikoff import AveragedPerceptron, Perceptron, VotedPerceptron, Winnow
from novikoff.core.examples import shuffle
from worlds import conventions, disjunctions, worlds

EPOCHS = 4


def twin(world, options, **more):
    options = dict(options)
    X, y = world.lists
    return naive.perceptron(X, y, epochs=EPOCHS, eta=options.pop("eta0"), **options, **more)


def as_floats(fractions):
    return np.array([float(f) for f in fractions])


def assert_same_run(model, run):
    np.testing.assert_array_equal(model.mistakes_, run.mistakes)
    np.testing.assert_array_equal(model.dual_coef_, run.alpha)
    assert model.n_updates_ == len(run.updated)
    assert model.n_iter_ == len(run.mistakes)
    assert model.converged_ == run.converged


@pytest.mark.parametrize("learner", ADDITIVE)
@given(world=worlds(), options=conventions)
def test_the_run_is_the_twins(learner, world, options):
    model = fitted(learner, *world, shuffle=False, max_iter=EPOCHS, **options)
    assert_same_run(model, twin(world, options))


@given(world=worlds(), options=conventions)
def test_perceptron_predicts_with_the_last_weights(world, options):
    model = fitted(Perceptron, *world, shuffle=False, max_iter=EPOCHS, **options)
    run = twin(world, options)
    np.testing.assert_array_equal(model.coef_[0], as_floats(run.w))
    assert model.intercept_[0] == float(run.b)
    s = [naive.inner(run.w, x) + run.b for x in world.X.tolist()]
    on_line = 1 if options["tie"] == "positive" else -1
    np.testing.assert_array_equal(
        model.predict(world.X), [on_line if v == 0 else (1 if v > 0 else -1) for v in s]
    )


@given(world=worlds(), options=conventions)
def test_averaged_perceptron_predicts_with_the_mean(world, options):
    model = fitted(AveragedPerceptron, *world, shuffle=False, max_iter=EPOCHS, **options)
    w, b = naive.average(twin(world, options))
    np.testing.assert_array_equal(model.coef_[0], as_floats(w))
    assert model.intercept_[0] == float(b)


@given(world=worlds(), options=conventions)
def test_voted_perceptron_predicts_with_the_vote(world, options):
    model = fitted(VotedPerceptron, *world, shuffle=False, max_iter=EPOCHS, **options)
    run = twin(world, options)
    votes = [naive.vote(run, x, options["tie"]) for x in world.X.tolist()]
    np.testing.assert_array_equal(model.decision_function(world.X), as_floats(votes))


@pytest.mark.parametrize("learner", ADDITIVE)
@given(data=st.data(), world=worlds(), options=conventions)
def test_start_and_weights(learner, data, world, options):
    n, d = world.X.shape
    small = st.integers(-2, 2)
    w0 = data.draw(st.lists(small, min_size=d, max_size=d), label="w0")
    b0 = data.draw(small, label="b0") if options["fit_intercept"] else 0
    weight = data.draw(
        st.lists(st.sampled_from([0.5, 1, 2]), min_size=n, max_size=n), label="weight"
    )
    fit = {"coef_init": w0, "intercept_init": b0, "sample_weight": weight}
    model = fitted(learner, *world, fit=fit, shuffle=False, max_iter=EPOCHS, **options)
    run = twin(world, options, w0=w0, b0=b0, weights=weight)
    assert_same_run(model, run)
    if learner is VotedPerceptron:
        votes = [naive.vote(run, x, options["tie"]) for x in world.X.tolist()]
        np.testing.assert_array_equal(model.decision_function(world.X), as_floats(votes))
    else:
        w, b = naive.average(run) if learner is AveragedPerceptron else (run.w, run.b)
        np.testing.assert_array_equal(model.coef_[0], as_floats(w))
        assert model.intercept_[0] == float(b)


@pytest.mark.parametrize("learner", ADDITIVE)
@given(world=worlds(), seed=st.integers(0, 5))
def test_shuffled_orders_are_orders(learner, world, seed):
    """A shuffled run is the twin's run over the permutations it drew."""
    random = np.random.RandomState(seed)
    seeds = [int(random.randint(2**63 - 1, dtype=np.int64)) for _ in range(EPOCHS)]
    orders = [naive.shuffled(range(len(world.y)), s) for s in seeds]
    model = fitted(learner, *world, max_iter=EPOCHS, random_state=seed)
    X, y = world.lists
    assert_same_run(model, naive.perceptron(X, y, epochs=EPOCHS, orders=orders))


@given(world=worlds(entries=st.sampled_from([0, 1])), factor=st.sampled_from([2, 4]))
def test_winnow_is_its_twin(world, factor):
    model = fitted(Winnow, *world, shuffle=False, max_iter=EPOCHS, factor=factor)
    run = naive.winnow(*world.lists, epochs=EPOCHS, factor=factor)
    np.testing.assert_array_equal(model.mistakes_, run.mistakes)
    np.testing.assert_array_equal(model.coef_[0], as_floats(run.w))


@given(world_and_r=disjunctions(), threshold=st.sampled_from([None, 2, 5.5]))
def test_winnow_threshold(world_and_r, threshold):
    world, _ = world_and_r
    model = fitted(Winnow, *world, shuffle=False, max_iter=EPOCHS, threshold=threshold)
    run = naive.winnow(*world.lists, epochs=EPOCHS, threshold=threshold)
    np.testing.assert_array_equal(model.coef_[0], as_floats(run.w))
    theta = Fraction(world.X.shape[1] if threshold is None else threshold)
    expected = [1 if naive.inner(run.w, x) >= theta else -1 for x in world.X.tolist()]
    np.testing.assert_array_equal(model.predict(world.X), expected)


@given(world=worlds())
def test_algorithm_7_as_printed_is_no_average(world):
    """The erratum: without the counter, the 'average' is the last weights, rescaled."""
    X, y = world.lists
    last = fitted(Perceptron, *world, max_iter=2, shuffle=False)
    run = naive.perceptron(X, y, epochs=2)
    c = run.seen + 1
    u = [sum(y[i] * Fraction(X[i][j]) for i, _, _ in run.updated) for j in range(len(X[0]))]
    printed = [wj - uj / c for wj, uj in zip(run.w, u, strict=True)]
    np.testing.assert_allclose(as_floats(printed), (1 - 1 / c) * last.coef_[0], rtol=1e-15)


@given(n=st.integers(0, 40), seed=st.integers(0, 2**63 - 1))
def test_a_shuffle_is_its_twin_and_a_permutation(n, seed):
    order = np.arange(n)
    shuffle(order, seed)
    assert order.tolist() == naive.shuffled(range(n), seed)
    assert sorted(order.tolist()) == list(range(n))


def test_all_orders_are_about_as_likely():
    """Chi-square over the 24 orders of four things; 23 degrees of freedom."""
    counts = {}
    for seed in range(24_000):
        order = np.arange(4)
        shuffle(order, seed * 0x1234567)
        counts[tuple(order)] = counts.get(tuple(order), 0) + 1
    assert len(counts) == 24
    assert sum((c - 1000) ** 2 / 1000 for c in counts.values()) < 60


@pytest.mark.parametrize("class_weight", ["balanced", {-1: 3.0}, {-1: 0.5, 1: 2.0}])
@pytest.mark.parametrize("learner", ADDITIVE)
@given(world=worlds())
def test_class_weights_are_sample_weights(learner, class_weight, world):
    """As scikit-learn computes them, in `fit`."""
    X, y = world
    weight = compute_sample_weight(class_weight, y)
    options = {"shuffle": False, "max_iter": EPOCHS}
    one = fitted(learner, X, y, class_weight=class_weight, **options)
    other = fitted(learner, X, y, fit={"sample_weight": weight}, **options)
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.dual_coef_, other.dual_coef_)
