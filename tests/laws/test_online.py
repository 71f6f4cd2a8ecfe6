"""The learners that heed margins equal their twins but for rounding, in any form of the data."""

import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import sparse
from sklearn.linear_model import PassiveAggressiveClassifier
from sklearn.utils.class_weight import compute_sample_weight

import naive_online
from laws.learners import ROUNDED, assert_same, fitted, options_for
from laws.test_many_classes import learned, many_worlds
from novikoff import AROW, SCW, BalancedWinnow, PassiveAggressive, SecondOrderPerceptron
from worlds import worlds

EPOCHS = 3
TWINS = {
    PassiveAggressive: naive_online.passive_aggressive,
    AROW: naive_online.arow,
    SCW: naive_online.scw,
    SecondOrderPerceptron: naive_online.second_order,
    BalancedWinnow: naive_online.balanced_winnow,
}
STEADY = (PassiveAggressive, SCW)
"""Those whose update on a loss of nearly nothing is nearly none."""


def noisy(world, seed=0):
    """The same zeros, and other numbers: no sum of them is 0 by chance."""
    X, y = world
    return X * np.random.default_rng(seed).uniform(0.5, 1.5, X.shape), y


def machines(run):
    return np.array([[float(v) for v in run.machines[c].w] for c in sorted(run.machines)])


def assert_close(model, run):
    """The same weights but for rounding, and, if rounding decided nothing, the same counts."""
    expected = machines(run)
    np.testing.assert_allclose(learned(model), expected, rtol=1e-7, atol=1e-9)
    if run.clear():
        np.testing.assert_array_equal(model.mistakes_, run.mistakes)
        assert model.n_updates_ == sum(run.changes)
        assert model.converged_ == (run.changes[-1] == 0)


@pytest.mark.parametrize("learner", ROUNDED)
@given(data=st.data(), seed=st.integers(0, 9))
def test_a_run_is_its_twins(learner, data, seed):
    """Of two classes or of more, each with a machine of its own."""
    world = data.draw(st.one_of(worlds(max_rows=6), many_worlds(max_rows=6)))
    options = data.draw(options_for(learner))
    weight = data.draw(st.sampled_from([[1.0], [0.5], [2.0, 1.0]]))
    X, y = noisy(world, seed)
    weight = np.resize(weight, len(y))
    theirs = {"bias" if name == "fit_intercept" else name: v for name, v in options.items()}
    run = TWINS[learner](X.tolist(), y.tolist(), epochs=EPOCHS, weights=weight, **theirs)
    more = {"multi_class": "ovr"} if learner is PassiveAggressive else {}
    model = fitted(
        learner,
        X,
        y,
        fit={"sample_weight": weight},
        shuffle=False,
        max_iter=EPOCHS,
        **options,
        **more,
    )
    if learner not in STEADY:
        assume(run.clear())
    assert_close(model, run)


@given(
    world=many_worlds(max_rows=6), options=options_for(PassiveAggressive), seed=st.integers(0, 9)
)
def test_passive_aggressive_jointly(world, options, seed):
    X, y = noisy(world, seed)
    theirs = {"bias" if name == "fit_intercept" else name: v for name, v in options.items()}
    run = naive_online.passive_aggressive_jointly(X.tolist(), y.tolist(), epochs=EPOCHS, **theirs)
    model = fitted(PassiveAggressive, X, y, shuffle=False, max_iter=EPOCHS, **options)
    assume(run.clear())
    assert_close(model, run)


FLOATS = [(one, "float64", n) for one, n in product(ROUNDED, (2, 3))]
SINGLES = [(AROW, "float32", 2), (AROW, "float32", 3)]  # one learner for all: rows are read alike


@pytest.mark.parametrize(
    ("learner", "dtype", "n_classes"), [*FLOATS, *SINGLES, (PassiveAggressive, "uint8", 2)]
)
def test_forms_and_types(learner, dtype, n_classes):
    """Sparse or dense, in which type: the same but for rounding."""
    random = np.random.default_rng(0)
    X = random.integers(0, 200, (60, 7)) * (random.random((60, 7)) < 0.6)
    X = (X / 100.0 if dtype.startswith("float") else X).astype(dtype)
    y = random.integers(0, n_classes, 60)
    options = {"max_iter": 2, "shuffle": False}
    expected = fitted(learner, X.astype(np.float64), y, **options)
    single = dtype == "float32"
    for form in (np.asarray, sparse.csr_array):
        model = fitted(learner, form(X), y, **options)
        assert model.coef_.dtype == (np.float32 if single else np.float64)
        scale = abs(learned(expected)).max()
        tolerance = {"rtol": 2e-3 if single else 1e-9, "atol": (1e-3 if single else 1e-10) * scale}
        np.testing.assert_allclose(learned(model), learned(expected), **tolerance)
        np.testing.assert_array_equal(model.mistakes_, expected.mistakes_)


@pytest.mark.parametrize("learner", ROUNDED)
@given(data=st.data(), seed=st.integers(0, 9))
def test_permuting_features_permutes_weights(learner, data, seed):
    X, y = noisy(data.draw(worlds()), seed)
    order = np.array(data.draw(st.permutations(range(X.shape[1]))))
    options = {"shuffle": False, "max_iter": 2, **data.draw(options_for(learner))}
    one = fitted(learner, X, y, **options)
    other = fitted(learner, X[:, order], y, **options)
    np.testing.assert_allclose(one.coef_[:, order], other.coef_, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("learner", ROUNDED)
@given(data=st.data(), world=many_worlds(max_rows=12), seed=st.integers(0, 9))
def test_a_stream_of_many_classes_is_one_epoch(learner, form, data, world, seed):
    """However it is cut, to the last bit; also where a class comes on the way.

    Two classes are learned by one machine, until there is a third.
    """
    X, y = noisy(world, seed)
    X = form(X)
    options = {"shuffle": False, **data.draw(options_for(learner))}
    if learner is PassiveAggressive:
        options["multi_class"] = data.draw(st.sampled_from(["joint", "ovr"]))
    whole = fitted(learner, X, y, max_iter=1, **options)
    streams = []
    head = data.draw(st.integers(1, len(y)))
    for classes in (np.unique(y), None, None):
        cuts = data.draw(st.sets(st.integers(head, len(y))))
        model = learner(**options)
        for block in np.split(np.arange(len(y)), sorted({head} | cuts)):
            if len(block):
                model.partial_fit(X[block], y[block], classes=classes)
        streams.append(model)
    assert_same(whole, streams[0], rows=X)
    assert whole.n_updates_ == streams[0].n_updates_
    if len(np.unique(y[:head])) > 2:
        assert_same(streams[1], streams[2], rows=X)
    if len(np.unique(y[:head])) == len(whole.classes_):
        assert_same(whole, streams[1], rows=X)


@pytest.mark.parametrize("learner", ROUNDED)
def test_a_block_that_fails_was_never_there(learner):
    random = np.random.default_rng(0)
    X, y = random.random((30, 3)), random.integers(0, 3, 30)
    model, other = (learner(random_state=0).partial_fit(X, y) for _ in range(2))
    bad = X.copy()
    bad[7, 1] = np.nan
    for form in (np.asarray, sparse.csr_array):
        for labels in (y, y + 1):  # the second brings a new class
            with pytest.raises(ValueError, match="row 7, column 1"):
                model.partial_fit(form(bad), labels)
    assert_same(model, other, rows=X)
    model.partial_fit(X, y + 1)
    other.partial_fit(X, y + 1)
    assert_same(model, other, rows=X)
    assert model.n_updates_ == other.n_updates_ >= model.n_updates_ - model.n_mistakes_


@pytest.mark.parametrize("learner", ROUNDED)
@pytest.mark.parametrize("class_weight", ["balanced", {-1: 3.0}])
@given(world=worlds())
def test_class_weights_are_sample_weights(learner, class_weight, world):
    X, y = noisy(world)
    weight = compute_sample_weight(class_weight, y)
    options = {"shuffle": False, "max_iter": 2}
    one = fitted(learner, X, y, class_weight=class_weight, **options)
    other = fitted(learner, X, y, fit={"sample_weight": weight}, **options)
    np.testing.assert_array_equal(one.coef_, other.coef_)


# ------------------------------------------------------------- beside scikit-learn


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize(("loss", "variant"), [("hinge", "PA-I"), ("squared_hinge", "PA-II")])
def test_scikit_learns_passive_aggressive_classifier(loss, variant, n_classes):
    """Through the origin they are one; its bias is not part of the squared length, ours is."""
    random = np.random.default_rng(0)
    X = random.standard_normal((120, 8))
    y = (
        X @ random.standard_normal((8, n_classes)) + random.standard_normal((120, n_classes))
    ).argmax(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"C": 0.3, "shuffle": False, "max_iter": 3}
        if n_classes == 2:  # of more, scikit-learn weighs an example in its own machine only
            options["class_weight"] = {1: 2.0}
        theirs = PassiveAggressiveClassifier(loss=loss, tol=None, fit_intercept=False, **options)
        theirs.fit(X, y)
        with_ones = PassiveAggressiveClassifier(loss=loss, tol=None, fit_intercept=False, **options)
        with_ones.fit(np.hstack([X, np.ones((120, 1))]), y)
        biased = PassiveAggressiveClassifier(loss=loss, tol=None, **options).fit(X, y)
    options |= {"variant": variant, "multi_class": "ovr"}
    ours = fitted(PassiveAggressive, X, y, fit_intercept=False, **options)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-12)
    ours = fitted(PassiveAggressive, X, y, **options)
    np.testing.assert_allclose(learned(ours), with_ones.coef_, rtol=1e-9, atol=1e-12)
    assert abs(learned(ours)[:, :-1] - biased.coef_).max() > 1e-3
