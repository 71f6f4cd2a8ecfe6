"""A stream cut into blocks is one pass, and a block that fails was never there."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from laws.learners import ADDITIVE, LEARNERS, ZERO_ONE, assert_same, data_for, fitted, options_for
from novikoff import (
    AROW,
    SCW,
    KernelPerceptron,
    PassiveAggressive,
    Perceptron,
    Pocket,
    SecondOrderPerceptron,
    VotedPerceptron,
    Winnow,
)
from novikoff.errors import DataError, NovikoffError, WeightOverflow
from novikoff.learners import epoch as work

CONFIDENT = (AROW, SCW, SecondOrderPerceptron)
"""Those with a covariance, its diagonal or all of it."""


def stream(model, X, y, cuts, **arrays):
    """Feed `X` to `partial_fit` in blocks that end at the cuts."""
    for block in np.split(np.arange(len(y)), sorted(cuts)):
        if len(block):
            parts = {name: array[block] for name, array in arrays.items()}
            model.partial_fit(X[block], y[block], classes=[-1, 1], **parts)
    return model


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("learner", LEARNERS)
@given(data=st.data(), seed=st.integers(0, 9))
def test_a_chain_of_blocks_is_one_epoch(learner, form, data, seed):
    """On rounded numbers too: the same additions in the same order."""
    X, y = data.draw(data_for(learner, max_rows=12))
    if learner not in ZERO_ONE:
        X = X * np.random.default_rng(seed).standard_normal(X.shape)
    X = form(X)
    cuts = data.draw(st.sets(st.integers(0, len(y))))
    options = data.draw(options_for(learner))
    whole = fitted(learner, X, y, max_iter=1, shuffle=False, **options)
    assert_same(whole, stream(learner(shuffle=False, **options), X, y, cuts), rows=X)


@pytest.mark.parametrize("learner", [*ADDITIVE, Pocket, KernelPerceptron])
def test_lengths_past_the_range_of_squares_are_refused_with_a_margin(learner):
    model = learner(margin=1.0, **({"kernel": "linear"} if learner is KernelPerceptron else {}))
    model.partial_fit([[1.0], [-1.0]], [1, 0])
    before = pickle.dumps(model)
    with pytest.raises(WeightOverflow, match="left the range of float64"):
        model.partial_fit([[1e200], [-1e200]], [1, 0])
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("learner", ADDITIVE)
def test_a_stream_of_single_rows_is_one_epoch(learner, dtype):
    """Wide rows on a grid, full of sums that are nearly 0: every bit of a score shows."""
    random = np.random.default_rng(0)
    X = (random.integers(-2, 3, (300, 40)) * 0.1).astype(dtype)
    y = np.where(random.random(300) < 0.5, 1, -1)
    whole = fitted(learner, X, y, max_iter=1, shuffle=False)
    rows = stream(learner(shuffle=False), X, y, range(1, 300))
    assert_same(whole, rows, rows=X)


def test_a_vote_is_that_of_the_hyperplanes_as_they_were():
    random = np.random.default_rng(0)
    X = random.integers(-2, 3, (200, 40)) * 0.1
    y = np.where(random.random(200) < 0.5, 1, -1)
    voted = stream(VotedPerceptron(shuffle=False), X, y, [50, 51])
    single, votes = Perceptron(shuffle=False), np.zeros(200)
    for i in range(200):
        single.partial_fit(X[i : i + 1], y[i : i + 1], classes=[-1, 1])
        votes += single.predict(X)
    np.testing.assert_array_equal(voted.decision_function(X), votes / 200)


@pytest.mark.parametrize("learner", ADDITIVE)
@given(data=st.data())
def test_weights_stream_too(learner, data):
    X, y = data.draw(data_for(learner))
    weight = data.draw(
        st.lists(st.sampled_from([0.0, 0.5, 2.0]), min_size=len(y), max_size=len(y)).filter(any)
    )
    weight = np.array(weight)
    cuts = data.draw(st.sets(st.integers(0, len(y))))
    options = {"shuffle": False, "class_weight": {-1: 2.0}}
    whole = fitted(learner, X, y, fit={"sample_weight": weight}, max_iter=1, **options)
    model = stream(learner(**options), X, y, cuts, sample_weight=weight)
    assert_same(whole, model, rows=X)


@pytest.mark.parametrize("learner", ADDITIVE)
@given(
    data=st.data(),
    seed=st.integers(0, 9),
    class_weight=st.sampled_from([None, "balanced"]),
    slack=st.sampled_from([0.0, 0.7]),
)
def test_streams_do_not_depend_on_the_cut(learner, data, seed, class_weight, slack):
    """Neither do what they prove, and its last digit."""
    X, y = data.draw(data_for(learner))
    X = X * np.random.default_rng(seed).random(X.shape)
    weight = np.random.default_rng(seed).random(len(y)) + 0.1
    cuts = data.draw(st.sets(st.integers(0, len(y))))
    options = {"shuffle": False, "class_weight": class_weight, "eta0": 0.1, "slack": slack}
    if data.draw(st.booleans()):
        weight = np.ones(len(y))
    one = stream(learner(**options), X, y, [], sample_weight=weight)
    other = stream(learner(**options), X, y, cuts, sample_weight=weight)
    assert_same(one, other, rows=X)
    assert one.margin_ == other.margin_
    assert one.mistake_bound_ == other.mistake_bound_


def test_balanced_in_a_stream_is_by_what_has_come():
    X, y = np.ones((4, 1)), np.array([-1, -1, 1, -1])
    model = stream(ADDITIVE[0](shuffle=False, class_weight="balanced"), X, y, [1])
    # weights 1/2, 2/4, 3/2, 4/6; mistakes at the first, third and fourth
    assert model.coef_[0, 0] == pytest.approx(-1 / 2 + 3 / 2 - 2 / 3)


@pytest.mark.parametrize("learner", LEARNERS)
@given(data=st.data())
def test_warm_starts_go_on(learner, data):
    X, y = data.draw(data_for(learner))
    options = data.draw(options_for(learner)) | {"shuffle": False}
    whole = fitted(learner, X, y, max_iter=4, **options)
    model = fitted(learner, X, y, max_iter=2, warm_start=True, **options)
    if not model.converged_:
        first = state_bytes(model)
        model = refit(model, X, y)
        assert state_bytes(model) != first
    assert_same(whole, model, rows=X)


def refit(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


def state_bytes(model):
    """Everything in a model, as bytes."""
    return pickle.dumps(model)


BAD_BLOCKS = {
    "NaN": lambda X, y: (np.where(np.arange(len(X))[:, None] == len(X) - 1, np.nan, X), y),
    "infinity": lambda X, y: (np.where(np.arange(len(X))[:, None] == len(X) - 1, np.inf, X), y),
    "none of the classes|neither": lambda X, y: (X, np.append(y[:-1], 7)),
    "samples": lambda X, y: (X, y[:-1]),
    "features": lambda X, y: (np.hstack([X, X]), y),
    "range": lambda X, y: (X * 1.5e308, y),  # the third row has no length
}


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("says", BAD_BLOCKS)
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_failed_block_leaves_the_model_as_it_was(learner, says, form):
    X = np.array([[1.0, 0], [0, 1], [1, 1], [0, 0], [1, 0]])
    y = np.array([1, -1, -1, 1, -1])
    bad_X, bad_y = BAD_BLOCKS[says](X, y)
    if learner in ZERO_ONE and says == "range":
        bad_X, says = X * 1e308, "0/1 features"
    model = learner(shuffle=False).partial_fit(form(X), y)
    before = state_bytes(model)
    with pytest.raises(ValueError, match=says):
        model.partial_fit(form(bad_X), bad_y, classes=[-1, 1])
    assert state_bytes(model) == before
    if says != "features":  # a first block is as wide as it is
        fresh = learner()
        with pytest.raises(ValueError, match=says):
            fresh.partial_fit(form(bad_X), bad_y, classes=[-1, 1])
        assert vars(fresh) == vars(learner())


@pytest.mark.parametrize("learner", [one for one in LEARNERS if one is not Winnow])
def test_examples_of_no_weight_may_come_first(learner):
    """They are looked at, as all are, and nothing is learned, with one class known or two."""
    X, y = np.array([[1.0, 0], [0, 1], [1, 1]]), np.array([0, 1, 0])
    rest = learner(shuffle=False).partial_fit(X[1:], y[1:], classes=[0, 1])
    for classes in ([0, 1], None):
        model = learner(shuffle=False).partial_fit(X[:1], y[:1], classes, sample_weight=[0.0])
        assert model.n_mistakes_ == 0
        np.testing.assert_array_equal(model.partial_fit(X[1:], y[1:]).coef_, rest.coef_)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_failed_block_of_few_entries_leaves_the_model_as_it_was(learner, full):
    """Fewer entries than weights: not all weights are copied, and yet all must come back."""
    random = np.random.default_rng(0)
    options = {"covariance": "full" if full else "diagonal"} if learner in CONFIDENT else {}
    model = learner(shuffle=False, **options)
    X = (random.random((30, 60)) < 0.5).astype(float)
    model.partial_fit(sparse.csr_array(X), np.arange(30) % 2)
    bad = np.zeros((9, 60))
    bad[np.arange(8), np.arange(8)] = 1.0
    bad[8, 8] = np.nan
    before = state_bytes(model)
    with pytest.raises(DataError, match="NaN|0/1"):
        model.partial_fit(sparse.csr_array(bad), np.arange(9) % 2)
    assert state_bytes(model) == before


@pytest.mark.parametrize("learner", [*ADDITIVE, PassiveAggressive, AROW])
def test_a_failed_piece_of_a_block_takes_the_others_with_it(learner, monkeypatch):
    """A machine for each class has room for so many updates: a long pass goes piece by piece."""
    random = np.random.default_rng(0)
    X, y = random.standard_normal((40, 3)), np.arange(40) % 5
    options = {} if learner is AROW else {"multi_class": "ovr"}
    model = learner(shuffle=False, **options).partial_fit(X, y)
    scores = model.decision_function(X)
    before = state_bytes(model)
    monkeypatch.setattr(work, "ROOM", 28)
    bad = X.copy()
    bad[-1, 0] = np.nan
    with pytest.raises(DataError, match="NaN"):
        model.partial_fit(bad, y)
    np.testing.assert_array_equal(model.decision_function(X), scores)
    assert state_bytes(model) == before
    twin = pickle.loads(before).partial_fit(X, y)
    assert_same(model.partial_fit(X, y), twin, rows=X)


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_failed_fit_leaves_the_model_as_it_was(learner):
    X, y = np.eye(3), [0, 1, 0]
    for warm_start in (False, True):
        model = fitted(learner, X, y, warm_start=warm_start)
        before = state_bytes(model)
        for bad_X, bad_y in (
            (np.full((3, 3), np.nan), y),
            (np.eye(3), [0, 0, 0]),
            (np.full((2, 5), np.nan), [0, 1]),
        ):
            with pytest.raises(NovikoffError):
                model.fit(bad_X, bad_y)
            assert state_bytes(model) == before


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_model_pickled_in_mid_stream_goes_on(learner):
    X = (np.random.default_rng(0).random((30, 5)) < 0.5).astype(float)
    y = np.arange(30) % 2
    whole = learner(shuffle=False)
    for block in np.split(np.arange(30), 3):
        whole.partial_fit(X[block], y[block])
    model = learner(shuffle=False)
    for block in np.split(np.arange(30), 3):
        model = pickle.loads(pickle.dumps(model)).partial_fit(X[block], y[block])
    assert_same(whole, model, rows=X)


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_stream_after_a_fit_is_one_more_pass(learner):
    X, y = np.eye(3), [0, 1, 1]
    model = fitted(learner, X, y, max_iter=50)
    passes = model.n_iter_
    for _ in range(3):
        model.partial_fit(X, y)
    assert model.n_iter_ == passes + 1
    assert model.n_mistakes_ == model.mistakes_.sum()
    assert len(model.dual_coef_) == 3
    assert not hasattr(learner().partial_fit(X, y), "dual_coef_")
