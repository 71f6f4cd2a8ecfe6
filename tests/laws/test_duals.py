"""What holds for every kernel machine: scikit-learn's checks, forms of data, and failed calls."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import (
    parametrize_with_checks,
)

from laws.kernels import TOLD, assert_same, fitted
from laws.learners import REPETITION
from novikoff import KernelPerceptron, Perceptron
from novikoff.data import load
from novikoff.errors import DataError, NovikoffError, ParameterError
from novikoff.learners import DUALS

POLY = {"kernel": "poly", "gamma": 1.0, "degree": 2}
X = np.array([[1.0, 0], [0, 1], [1, 1], [0, 0], [1, 0], [2, 1]])
Y = np.array(["a", "b", "b", "c", "a", "c"])


def declared(estimator):
    """What a learner of steps cannot do, and what takes a wider kernel."""
    if not isinstance(estimator, KernelPerceptron):
        return {}
    return {
        "check_sample_weight_equivalence_on_dense_data": REPETITION,
        "check_sample_weight_equivalence_on_sparse_data": REPETITION,
    }


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::FutureWarning")
@parametrize_with_checks([learner() for learner in DUALS], expected_failed_checks=declared)
def test_check_estimator(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("learner", DUALS)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_gamma_is_that_of_scikit_learn(learner, form):
    """A number, or one found from the data; a stream takes "scale" for "auto"."""
    Z = form(3.0 * X)
    variance = float((3.0 * X).var())
    for kernel in ("rbf", "poly"):
        found = learner(kernel=kernel, shuffle=False).fit(Z, Y)
        gamma = found._state.kernel.gamma
        told = learner(kernel=kernel, gamma=gamma, shuffle=False).fit(Z, Y)
        assert gamma == pytest.approx(1 / (2 * variance), rel=1e-12)
        assert (found.decision_function(Z) == told.decision_function(Z)).all()
        assert learner(kernel=kernel, gamma="auto").fit(Z, Y)._state.kernel.gamma == 0.5
        assert learner(kernel=kernel, gamma=None).fit(Z, Y)._state.kernel.gamma == 0.5
        assert learner(kernel=kernel).partial_fit(Z, Y)._state.kernel.gamma == 0.5
        assert found.partial_fit(Z, Y)._state.kernel.gamma == gamma
    for flat in (0.0, 1.0, 1e-170):  # no variance, or one that is no float
        constant = form(np.full((6, 2), flat))
        assert learner(kernel="rbf").fit(constant, Y)._state.kernel.gamma == 0.5
    with pytest.raises(ParameterError, match="gamma='wide' was given, but it must be"):
        learner(gamma="wide").fit(X, Y)


@pytest.mark.parametrize("learner", DUALS)
def test_constructors_only_store(learner):
    model = learner()
    assert vars(model) == model.get_params()


@pytest.mark.parametrize("learner", DUALS)
def test_before_fitting(learner):
    model = learner()
    with pytest.raises(NotFittedError, match=f"{learner.__name__} instance is not fitted"):
        model.predict([[1.0]])
    for name in TOLD:
        assert not hasattr(model, name), name


@pytest.mark.parametrize("learner", DUALS)
def test_clone_and_pickle(learner):
    model = fitted(learner, X, Y, random_state=3)
    assert_same(model, fitted(learner, X, Y, **clone(model).get_params()), rows=X)
    assert_same(model, pickle.loads(pickle.dumps(model)), rows=X)


@pytest.mark.parametrize("learner", DUALS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_pipelines_and_searches(learner):
    rows, species, _ = load("iris")
    pipeline = make_pipeline(StandardScaler(), learner(random_state=0, gamma=0.5))
    assert cross_val_score(pipeline, rows, species, cv=3).mean() > 0.9
    name = learner.__name__.lower()
    search = GridSearchCV(pipeline, {f"{name}__kernel": ["rbf", "poly"]}, cv=3).fit(rows, species)
    assert search.best_score_ > 0.9


@pytest.mark.parametrize("learner", DUALS)
def test_searches_cut_given_tables(learner):
    """scikit-learn takes rows and columns of a table, if it is told that it is one."""
    rows, species, _ = load("iris")
    machine = learner(kernel="precomputed", random_state=0, max_iter=2)
    with pytest.warns(ConvergenceWarning):
        score = cross_val_score(machine, np.exp(-0.5 * squares(rows)), species, cv=3)
    assert score.mean() > 0.9


def squares(rows):
    return ((rows[:, None] - rows[None]) ** 2).sum(axis=2)


@pytest.mark.parametrize("learner", DUALS)
@pytest.mark.parametrize("dtype", ["float32", "bool", "int8", "uint8", "int16", "int64"])
def test_types(learner, dtype):
    rows = (X > 0).astype(dtype)
    expected = fitted(learner, (X > 0).astype(float), Y, random_state=0, **POLY)
    model = fitted(learner, rows, Y, random_state=0, **POLY)
    assert model.support_vectors_.dtype == (np.float32 if dtype == "float32" else np.float64)
    np.testing.assert_array_equal(model.mistakes_, expected.mistakes_)
    np.testing.assert_allclose(
        model.decision_function(rows), expected.decision_function(X > 0), rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("learner", DUALS)
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
def test_every_sparse_format(learner, form):
    expected = fitted(learner, X, Y, random_state=0, **POLY)
    rows = sparse.csr_matrix(X).asformat(form)
    model = fitted(learner, rows, Y, random_state=0, **POLY)
    assert_same(expected, model, rows=X)
    np.testing.assert_array_equal(expected.predict(X), model.predict(rows))


@pytest.mark.parametrize("learner", DUALS)
@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_streams_may_mix_forms(learner, kernel):
    options = POLY | {"kernel": kernel, "shuffle": False}
    expected = learner(**options).partial_fit(X, Y).partial_fit(-X, Y)
    for one, other in ((sparse.csr_array, np.asarray), (np.asarray, sparse.csr_matrix)):
        model = learner(**options).partial_fit(one(X), Y).partial_fit(other(-X), Y)
        np.testing.assert_array_equal(model.mistakes_, expected.mistakes_)
        np.testing.assert_allclose(model.decision_function(X), expected.decision_function(X))


@pytest.mark.parametrize("learner", DUALS)
def test_frames_and_names(learner):
    frame = pd.DataFrame(X, columns=["long", "wide"])
    model = fitted(learner, frame, pd.Series(Y), random_state=0)
    assert list(model.feature_names_in_) == ["long", "wide"]
    assert_same(model, fitted(learner, X, Y.tolist(), random_state=0))


BAD = {
    "NaN": lambda: (np.where(np.arange(6)[:, None] == 5, np.nan, X), Y),
    "infinity": lambda: (np.where(np.arange(6)[:, None] == 5, np.inf, X), Y),
    "samples": lambda: (X, Y[:-1]),
    "features": lambda: (np.hstack([X, X]), Y),
    "range": lambda: (X * 1e300, Y),
    "give labels of one kind": lambda: (X, np.arange(6)),
    "missing label": lambda: (X, np.array(["a", None, "b", "b", "a", "a"], object)),
}


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("says", BAD)
@pytest.mark.parametrize("learner", DUALS)
def test_a_failed_call_leaves_the_model_as_it_was(learner, says, form):
    bad_X, bad_y = BAD[says]()
    random = np.random.RandomState(0)
    model = learner(random_state=random, **POLY).partial_fit(form(X), Y)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=says):
        model.partial_fit(form(bad_X), bad_y)
    assert pickle.dumps(model) == before
    if says not in ("features", "give labels of one kind"):
        with pytest.raises(ValueError, match=says):
            model.fit(form(bad_X), bad_y)
        assert pickle.dumps(model) == before
        fresh = learner(**POLY)
        with pytest.raises(ValueError, match=says):
            fresh.partial_fit(form(bad_X), bad_y)
        assert vars(fresh) == fresh.get_params()


@pytest.mark.parametrize("learner", DUALS)
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"kernel": "cosine"}, "must be one of 'linear', 'poly', 'rbf', 'precomputed', or a func"),
        ({"kernel": 3}, "kernel=3 was given"),
        ({"gamma": 0.0}, "gamma=0.0 was given, but it must be a finite number above 0"),
        ({"degree": 2.5}, "degree=2.5 was given, but it must be a whole number"),
        ({"coef0": -1.0}, "coef0=-1.0 was given, but it must be a finite number of at least 0"),
        ({"max_iter": 0}, "max_iter=0 was given"),
        ({"shuffle": "yes"}, "shuffle='yes' was given"),
    ],
)
def test_options_without_a_meaning(learner, options, says):
    for learn in (learner(**options).fit, learner(**options).partial_fit):
        with pytest.raises(ParameterError, match=says):
            learn(X, Y)


@pytest.mark.parametrize("learner", DUALS)
def test_what_kernels_cannot_do(learner):
    given_table = learner(kernel="precomputed")
    with pytest.raises(NovikoffError, match="not square"):
        given_table.fit(X, Y)
    with pytest.raises(ParameterError, match="has no streams"):
        given_table.partial_fit(X @ X.T, Y)
    with pytest.raises(NovikoffError, match=r"table of shape \(6, 1\) for blocks of 6 and 6 rows"):
        learner(kernel=lambda A, B: np.ones((len(A), 1))).fit(X, Y)
    model = learner(kernel="rbf", gamma=0.5).partial_fit(X, Y)
    with pytest.raises(ParameterError, match="The kernel was .* when the run began"):
        model.set_params(gamma=0.25).partial_fit(X, Y)
    with pytest.raises(NovikoffError, match="one class only"):
        learner().fit(X, np.zeros(6))


@pytest.mark.parametrize("learner", DUALS)
def test_told_arrays_are_the_users_own(learner):
    model = fitted(learner, X, Y)
    before = pickle.dumps(model)
    for name in ("dual_coef_", "support_", "support_vectors_", "mistakes_"):
        getattr(model, name)[:] = 7
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("learner", DUALS)
def test_a_stream_after_a_fit_is_one_more_pass(learner):
    model = fitted(learner, X, Y, max_iter=2)
    for _ in range(3):
        model.partial_fit(X, Y)
    assert model.n_iter_ == 3
    assert model.n_mistakes_ == model.mistakes_.sum()


@pytest.mark.parametrize("learner", DUALS)
def test_a_stream_may_begin_with_one_class(learner):
    model = learner().partial_fit(X[:2], ["a", "a"])
    assert model.predict(X).tolist() == ["a"] * 6
    assert model.n_mistakes_ == 0
    assert model.decision_function(X).shape == (6,)
    model.partial_fit(X, Y)
    assert model.classes_.tolist() == ["a", "b", "c"]


def told(learner, blocks):
    """The classes after each block of a stream, or what is said of it."""
    model, said = learner(), []
    for labels, classes in blocks:
        try:
            model.partial_fit(np.ones((len(labels), 2)), labels, classes=classes)
            said.append(model.classes_.tolist())
        except NovikoffError as error:
            said.append(str(error))
    return said


NUMBERS = st.lists(st.integers(0, 4), min_size=1, max_size=4)
WORDS = st.lists(st.sampled_from(["fig", "plum"]), min_size=1, max_size=3)
LABELS = st.one_of(NUMBERS, NUMBERS, NUMBERS, WORDS)


@pytest.mark.parametrize("learner", DUALS)
@given(blocks=st.lists(st.tuples(LABELS, st.none() | LABELS), min_size=1, max_size=4))
@example([([0, 1], [1, 0, 2]), ([2], None), ([3], None), ([4], [0, 1, 2, 3])])
@example([([0], [0, 1, 2]), ([1], [0, 1]), ([1], [0, 1, 2, 3]), (["fig"], None)])
def test_streams_have_the_classes_of_a_perceptron(learner, blocks):
    """One rule for all: a list of classes is complete, and keeps those of earlier calls."""
    assert told(learner, blocks) == told(Perceptron, blocks)


@pytest.mark.parametrize("learner", DUALS)
def test_labels_that_do_not_belong(learner):
    model = learner().partial_fit(X, Y, classes=["c", "b", "a"])
    before = pickle.dumps(model)
    with pytest.raises(DataError, match="first in row 1: 'd' is not among 'a', 'b', 'c'"):
        model.partial_fit(X[:2], ["a", "d"], classes=["a", "b", "c"])
    with pytest.raises(DataError, match="lacks 'c', one of the classes of the earlier calls"):
        model.partial_fit(X[:1], ["a"], classes=["a", "b"])
    with pytest.raises(DataError, match="give labels of one kind"):
        model.partial_fit(X[:2], [0, 1])
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("learner", DUALS)
def test_a_run_that_did_not_end_is_told(learner):
    with pytest.warns(ConvergenceWarning, match=r"stopped at max_iter, .* raise max_iter"):
        learner(max_iter=1).fit(X, Y)
