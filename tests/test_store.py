"""A model comes back from its file as it was, to the last bit, and goes on as if never away."""

import csv
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from safetensors import safe_open
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import Perceptron as Another

import novikoff
from anatomy import anatomy
from laws.learners import ADDITIVE, LEARNERS, ZERO_ONE, assert_same, data_for, fitted, options_for
from novikoff import AveragedPerceptron, MaxMargin, Perceptron, VotedPerceptron, store
from novikoff.data import load as data_set
from novikoff.errors import ModelFileError, ParameterError
from round_trip import there_and_back
from worlds import planted, worlds

FORMS = {"dense": np.asarray, "csr": sparse.csr_array, "csr_matrix": sparse.csr_matrix}
TYPES = {"dense": np.float64, "csr": np.float32, "csr_matrix": np.float64}
"""Weights are doubles or singles; other types of data leave no trace in a model."""


def some_options(learner):
    """The options of the laws, and some that need care to be written down."""
    more = {
        "shuffle": st.booleans(),
        "random_state": st.sampled_from([0, 7, np.int64(3), 2**32 - 1]),
        "max_iter": st.sampled_from([1, 3, np.int32(2)]),
    }
    if "class_weight" in learner().get_params():
        more["class_weight"] = st.sampled_from([None, "balanced", {-1: 2.0}, {np.int64(1): 0.5}])
    if "normalize" in learner().get_params():
        more["normalize"] = st.booleans()
    return st.builds(
        lambda one, other: one | other, options_for(learner), st.fixed_dictionaries(more)
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("learner", LEARNERS)
@given(data=st.data())
def test_round_trip(learner, form, path, data):
    X, y = data.draw(data_for(learner))
    X = FORMS[form](X.astype(TYPES[form]))
    model = fitted(learner, X, y, **data.draw(some_options(learner)))
    if data.draw(st.booleans()):
        model.partial_fit(X[:2], y[:2])
    loaded = there_and_back(model, path)
    assert anatomy(loaded) == anatomy(model)
    assert_same(model, loaded, rows=X)
    if hasattr(learner, "margin_"):
        assert loaded.margin_ == model.margin_


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("learner", LEARNERS)
@given(data=st.data(), seed=st.integers(0, 9))
def test_a_stream_through_files_is_a_stream(learner, form, path, data, seed):
    """With numbers that round, a generator that has drawn, and a save after every block."""
    X, y = data.draw(data_for(learner, max_rows=12))
    if learner not in ZERO_ONE:
        X = X * np.random.default_rng(seed).standard_normal(X.shape)
    X, options = FORMS[form](X), data.draw(some_options(learner))
    whole = learner(**options | {"random_state": np.random.RandomState(seed)})
    model = learner(**options | {"random_state": np.random.RandomState(seed)})
    for block in np.array_split(np.arange(len(y)), 3):
        if len(block):
            whole.partial_fit(X[block], y[block], classes=[-1, 1])
            model.partial_fit(X[block], y[block], classes=[-1, 1])
            model.save(path)
            model = novikoff.load(path)
            path.unlink()  # to write over a file, some systems wait for the disk
    model = there_and_back(model, path)
    assert anatomy(model) == anatomy(whole)
    assert_same(model, whole, rows=X)


@pytest.mark.parametrize("learner", LEARNERS)
@given(data=st.data())
def test_warm_starts_go_on_after_loading(learner, path, data):
    X, y = data.draw(data_for(learner))
    options = data.draw(options_for(learner)) | {"max_iter": 2, "warm_start": True}
    options["random_state"] = 5
    model = fitted(learner, X, y, **options)
    loaded = there_and_back(model, path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
        loaded.fit(X, y)
    assert anatomy(loaded) == anatomy(model)
    assert_same(loaded, model, rows=X)


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data(), seed=st.integers(0, 9))
def test_round_trip_of_the_widest_separator(form, path, data, seed):
    """Of soft margins, with weights and spent budgets, and of hard ones."""
    if data.draw(st.booleans()):
        X, y = data.draw(planted(max_rows=7, max_columns=3))[0]
        options, weight = {}, None
    else:
        X, y = data.draw(worlds(max_rows=7, max_columns=3))
        X = X * np.random.default_rng(seed).standard_normal(X.shape)
        options = {
            "C": data.draw(st.sampled_from([1, 0.1, np.float32(0.3), 1e-300])),
            "fit_intercept": data.draw(st.sampled_from([True, False, np.False_])),
            "budget": data.draw(st.sampled_from([600, 1e-9, np.inf])),
        }
        weight = np.where(np.arange(len(y)) == data.draw(st.integers(0, 9)), 3.0, 0.5)
    model = fitted(MaxMargin, FORMS[form](X), y, fit={"sample_weight": weight}, **options)
    loaded = there_and_back(model, path)
    assert anatomy(loaded) == anatomy(model)
    assert anatomy(pickle.loads(pickle.dumps(loaded))) == anatomy(model)
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


@pytest.mark.parametrize("learner", ADDITIVE)
def test_a_start_other_than_zero(learner, path):
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), [0, 1, 0]
    model = fitted(learner, X, y, fit={"coef_init": [0.1, -3.0], "intercept_init": 2.0})
    assert anatomy(there_and_back(model, path)) == anatomy(model)


def test_a_vote_on_blocks_of_all_kinds(path):
    """The examples kept are of the widest type there was, dense and sparse together."""
    random = np.random.default_rng(0)
    whole, model = VotedPerceptron(shuffle=False), VotedPerceptron(shuffle=False)
    forms = [np.int8, np.uint16, np.float32, np.float64, bool]
    for step in range(15):
        X = random.integers(0, 3, (8, 5)).astype(forms[step % 5])
        X = sparse.csr_array(X) if step % 3 == 1 else X
        y = np.arange(8) % 2
        whole.partial_fit(X, y)
        model = there_and_back(model.partial_fit(X, y), path)
    X = random.integers(0, 3, (50, 5)).astype(float)
    assert_same(whole, model, rows=X)


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_pickle_of_what_was_loaded_is_what_was_loaded(learner, path):
    model = fitted(learner, np.eye(3), [0, 1, 0], random_state=np.random.RandomState(3))
    loaded = there_and_back(model, path)
    assert anatomy(pickle.loads(pickle.dumps(loaded))) == anatomy(loaded) == anatomy(model)


LABELS = {
    "integers": np.array([-1, 1]),
    "bytes": np.array([3, 200], np.uint8),
    "large": np.array([0, 2**64 - 1], np.uint64),
    "booleans": np.array([False, True]),
    "floats": np.array([0.0, 1.0]),
    "single floats": np.array([-1.0, 2.0], np.float32),
    "strings": np.array(["no", "yes"]),
    "wide strings": np.array(["a", "b"], "<U40"),
    "any character": np.array(['\0 \ud800"\\\n', "é\U0001f600"]),
    "dates": np.array(["2000-01-01", "2001-01-01"], "M8[D]"),
    "spans of time": np.array([1, 2], ">m8[25s]"),
    "another byte order": np.array([1, 2], ">i4"),
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("kind", [Perceptron, MaxMargin])
def test_labels_keep_their_type(kind, labels, path):
    model = kind().fit([[0.0], [1.0]], labels)
    loaded = there_and_back(model, path)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert anatomy(loaded) == anatomy(model)
    assert store.describe(path)["classes"] == model.classes_.tolist()


def test_labels_that_no_file_can_hold(path):
    model = Perceptron().fit([[0.0], [1.0]], np.array([0, 1], np.longdouble))
    with pytest.raises(ParameterError, match=r"type float128, which a model file cannot hold"):
        model.save(path)


@pytest.mark.parametrize("kind", [Perceptron, MaxMargin])
@given(names=st.lists(st.text(), min_size=3, max_size=3, unique=True))
def test_feature_names(kind, names, path):
    model = kind().fit(pd.DataFrame(np.eye(3), columns=names), [0, 1, 0])
    loaded = there_and_back(model, path)
    assert loaded.feature_names_in_.tolist() == names
    assert anatomy(loaded) == anatomy(model)


def test_hash_settings(path):
    model = Perceptron().fit(np.eye(4), [0, 1, 0, 1])
    model.feature_hash_ = {"bits": 2, "kind": "murmur"}
    assert there_and_back(model, path).feature_hash_ == {"bits": 2, "kind": "murmur"}
    assert store.describe(path)["features"] == {"count": 4, "hash": model.feature_hash_}


def test_extra(path):
    model = Perceptron().fit(np.eye(2), [0, 1])
    extra = {"position": 2**70, "deep": [{"": None, "é\ud800": [True, 0.1, -0.0]}]}
    store.save(model, path, extra=extra)
    loaded, kept = store.load_with_extra(path)
    assert repr(kept) == repr(extra)
    assert anatomy(loaded) == anatomy(model)
    assert store.describe(path)["extra"] == extra
    model.save(path)
    assert store.load_with_extra(path)[1] == {}


NOT_JSON = {
    "extra\\['a'\\]\\[0\\] is nan": {"a": [float("nan")]},
    "keys must be strings": {3: 4},
    "is \\(1, 2\\), but": {"a": (1, 2)},
    "is np.float64": {"a": np.float64(1)},
    "nested too deeply": {},
    "give less as extra": {"a": "x" * (1 << 24)},
}


@pytest.mark.parametrize("says", NOT_JSON)
def test_extra_that_no_file_can_hold(says, path):
    extra = NOT_JSON[says]
    if says == "nested too deeply":
        for _ in range(100_000):
            extra = {"a": extra}
    model = Perceptron().fit(np.eye(2), [0, 1])
    model.save(path)
    before = path.read_bytes()
    with pytest.raises(ParameterError, match=says):
        model.save(path, extra=extra)
    assert path.read_bytes() == before


def test_describe_tells_the_summary(path):
    X, y, _ = data_set("iris")
    keep = y != "virginica"
    model = AveragedPerceptron(random_state=0).fit(X[keep], y[keep])
    model.save(path)
    told = store.describe(path)
    assert told["learner"] == "AveragedPerceptron"
    assert told["library_version"] == novikoff.__version__
    assert told["parameters"] | {"n_jobs": None} == model.get_params()
    assert "n_jobs" not in told["parameters"]  # it is of a machine, and not of the model
    assert told["summary"] == {
        "examples": 100 * model.n_iter_,
        "passes": model.n_iter_,
        "mistakes": model.n_mistakes_,
        "converged": True,
        "radius": model.radius_,
        "margin_lower": model.margin_.lower,
        "margin_upper": model.margin_.upper,
    }


def test_describe_tells_the_margin(path):
    model = MaxMargin().fit([[0.0], [2.0], [3.0]], ["no", "yes", "yes"])
    model.save(path, extra={"lines": 3})
    told = store.describe(path)
    assert told["learner"] == "MaxMargin"
    assert told["parameters"] == model.get_params()
    assert told["extra"] == {"lines": 3}
    assert told["summary"] == {
        "support": 2,
        "gap": model.gap_,
        "margin_lower": model.margin_.lower,
        "margin_upper": model.margin_.upper,
    }


def test_safetensors_itself_reads_it(path):
    model = fitted(VotedPerceptron, np.eye(3), [0, 1, 0])
    model.save(path)
    with safe_open(path, "np") as file:
        assert file.metadata()["format"] == "novikoff-model"
        np.testing.assert_array_equal(file.get_tensor("weights")[:-1], model.coef_[0])
        np.testing.assert_array_equal(file.get_tensor("mistakes"), model.mistakes_)


@pytest.mark.parametrize("learner", [*LEARNERS, MaxMargin])
def test_before_fitting_there_is_nothing_to_save(learner, path):
    with pytest.raises(NotFittedError):
        learner().save(path)


def test_what_has_no_model_files(path):
    class Mine(Perceptron):
        pass

    for model in (Another(), Mine(), "a string"):
        with pytest.raises(ParameterError, match=r"model files are for Perceptron, Averaged"):
            store.save(model, path)


BAD_PARAMETERS = {
    "max_iter=0": {"max_iter": 0},
    "eta0=np.float32\\(inf\\)": {"eta0": np.float32(np.inf)},
    "must be finite and not negative": {"class_weight": {7: -1.0}},
    "cannot hold a module": {"random_state": np.random},
    "cannot be used to seed": {"random_state": "now"},
    "draws from PCG64": {"random_state": np.random.RandomState(np.random.PCG64(0))},
}


@pytest.mark.parametrize("says", BAD_PARAMETERS)
def test_parameters_that_no_file_can_hold(says, path):
    model = Perceptron().fit(np.eye(2), [0, 1]).set_params(**BAD_PARAMETERS[says])
    with pytest.raises(ValueError, match=says):
        model.save(path)


def test_what_a_separator_cannot_be_saved_with(path):
    model = MaxMargin().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ParameterError, match=r"C=-1 was given, but it must be a number above 0"):
        MaxMargin().fit([[0.0], [1.0]], [0, 1]).set_params(C=-1).save(path)
    model.dual_coef_[:] = np.inf
    with pytest.raises(ModelFileError, match=r"The model cannot be saved: The tensor 'support.d"):
        model.save(path)


def test_numbers_keep_their_type(path):
    """A single-precision step makes single-precision sums."""
    X, y = np.array([[0.1, 0.7], [0.3, -0.9], [0.2, 0.4]]), [0, 1, 1]
    options = {"eta0": np.float32(0.1), "shuffle": np.False_, "slack": np.float64(0.3)}
    model = VotedPerceptron(**options).partial_fit(X, y)
    loaded = there_and_back(model, path)
    for one in (model, loaded):
        one.partial_fit(X[::-1], y[::-1])
    assert anatomy(loaded) == anatomy(model)
    assert type(loaded.eta0) is np.float32


def test_weights_at_the_end_of_their_range(path):
    model = Perceptron(shuffle=False).fit([[1.3e154, 0.0], [0.0, -1.3e154]], [0, 1])
    assert np.isfinite(model.coef_).all()
    true = 1.3e154 / np.sqrt(2)  # and its square is no float
    assert 0 < model.margin_.lower <= true <= model.margin_.upper < true * (1 + 1e-9)
    assert anatomy(there_and_back(model, path)) == anatomy(model)


@pytest.mark.parametrize("kind", [Perceptron, MaxMargin])
def test_csv(kind, path):
    X = pd.DataFrame(np.array([[0.1, 0], [0.3, 1]], np.float32), columns=["a,\n", '"b"'])
    model = kind().fit(X, [0, 1])
    store.to_csv(model, path)
    with path.open(newline="") as file:
        head, *lines = csv.reader(file)
    assert head == ["feature", "weight"]
    assert [name for name, _ in lines] == ["a,\n", '"b"', "(intercept)"]
    expected = np.append(model.coef_, model.intercept_).astype(float)
    np.testing.assert_array_equal([float(weight) for _, weight in lines], expected)


def test_a_vote_has_no_coefficients(path):
    with pytest.raises(ParameterError, match=r"a vote has no coefficients"):
        store.to_csv(fitted(VotedPerceptron, np.eye(2), [0, 1]), path)
    with pytest.raises(NotFittedError):
        store.to_csv(Perceptron(), path)
