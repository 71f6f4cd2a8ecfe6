"""ONNX Runtime gives the labels that `predict` gives, on ties too."""

import sys

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from laws.learners import LEARNERS, ROUNDED, ZERO_ONE, data_for, fitted, options_for
from novikoff import (
    AveragedPerceptron,
    BalancedWinnow,
    MaxMargin,
    Perceptron,
    VotedPerceptron,
    Winnow,
    describe,
    store,
)
from novikoff.errors import ParameterError
from novikoff.store import export

EXACT = [learner for learner in LEARNERS if learner not in (AveragedPerceptron, *ROUNDED)]
"""Those whose scores on the data of the laws are exact: their ties are ties to everyone."""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("onnx") / "model.onnx"


def evaluated(model, X, path):
    """Labels and scores by ONNX Runtime."""
    store.to_onnx(model, path)
    onnx.checker.check_model(onnx.load(path), full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    label, score = session.run(None, {"X": X})
    assert label.shape == score.shape == (len(X),)
    return label, score


def grid(d):
    """Points around the origin, many of them on hyperplanes."""
    corners = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * min(d, 3)), -1).reshape(-1, min(d, 3))
    return np.hstack([corners, np.ones((len(corners), d - corners.shape[1]))])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("learner", EXACT)
@given(data=st.data())
def test_the_same_labels(learner, dtype, path, data):
    X, y = data.draw(data_for(learner))
    X, options = X.astype(dtype), data.draw(options_for(learner))
    if learner is Winnow:
        options["factor"] = 2.0  # a factor of 1.5 rounds
    model = fitted(learner, X, y, max_iter=3, random_state=0, **options)
    rows = X if learner is Winnow else np.vstack([X, grid(X.shape[1])]).astype(dtype)
    label, score = evaluated(model, rows, path)
    np.testing.assert_array_equal(label, model.predict(rows))
    if learner is Winnow:  # which tells a tie apart by the least positive number
        np.testing.assert_allclose(score, model.decision_function(rows), rtol=0, atol=1e-40)
    else:
        np.testing.assert_array_equal(score, model.decision_function(rows))


@pytest.mark.parametrize("learner", LEARNERS)
@given(data=st.data(), seed=st.integers(0, 9))
def test_the_same_labels_but_for_rounding(learner, path, data, seed):
    """Numbers that round, unit rows, and averages: where the score is not 0 but for rounding."""
    X, y = data.draw(data_for(learner))
    options = data.draw(options_for(learner))
    if learner not in ZERO_ONE:
        X = X * np.random.default_rng(seed).standard_normal(X.shape)
    if "normalize" in learner().get_params():
        options["normalize"] = data.draw(st.booleans())
    model = fitted(learner, X, y, max_iter=3, random_state=0, **options)
    label, score = evaluated(model, X, path)
    expected = model.decision_function(X)
    if learner is VotedPerceptron:
        assert np.mean(np.isclose(score, expected)) > 0.5
    else:
        np.testing.assert_allclose(score, expected, rtol=1e-9, atol=1e-12)
    clear = np.isclose(score, expected) & (abs(expected) > 1e-12)
    np.testing.assert_array_equal(label[clear], model.predict(X)[clear])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_clipped_features(dtype, path):
    X = np.array([[-1.0, 2.0], [0.5, 0.25], [3.0, 0.0], [0.0, 1.0]], dtype)
    model = fitted(BalancedWinnow, X, [1, 0, 0, 1], clip=True, random_state=0)
    label, score = evaluated(model, X, path)
    np.testing.assert_array_equal(label, model.predict(X))
    np.testing.assert_allclose(score, model.decision_function(X), rtol=1e-6)


@pytest.mark.parametrize("tie", ["mistake", "negative", "positive"])
@given(data=st.data())
def test_averages_that_are_exact(tie, path, data):
    """Of 2, 4 or 8 examples, the mean is a binary fraction."""
    X, y = data.draw(data_for(AveragedPerceptron).filter(lambda world: len(world.y) in (2, 4, 8)))
    model = fitted(AveragedPerceptron, X, y, max_iter=1, random_state=0, tie=tie)
    rows = np.vstack([X, grid(X.shape[1])])
    label, score = evaluated(model, rows, path)
    np.testing.assert_array_equal(label, model.predict(rows))
    np.testing.assert_array_equal(score, model.decision_function(rows))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@given(data=st.data(), bias=st.booleans())
def test_the_widest_separator(dtype, path, data, bias):
    X, y = data.draw(data_for(MaxMargin, max_rows=7, max_columns=3))
    model = fitted(MaxMargin, X.astype(dtype), y, C=0.5, fit_intercept=bias)
    rows = np.vstack([X, grid(X.shape[1])])
    label, score = evaluated(model, rows, path)
    expected = model.decision_function(rows)
    np.testing.assert_allclose(score, expected, rtol=1e-9, atol=1e-12)
    clear = abs(expected) > 1e-12
    np.testing.assert_array_equal(label[clear], model.predict(rows)[clear])


def test_on_the_widest_separator_itself(path):
    model = MaxMargin().fit([[0.0, 0.0], [2.0, 0.0]], ["no", "yes"])
    model.coef_[:], model.intercept_[:] = [[1.0, 0.5]], -1.0
    rows = np.array([[1.0, 0.0], [0.0, 2.0], [0.5, 0.75]])
    label, score = evaluated(model, rows, path)
    assert label.tolist() == model.predict(rows).tolist() == ["yes", "yes", "no"]
    assert score.tolist() == [0.0, 0.0, -0.125]


def test_unit_length_at_any_scale(path):
    X = np.array([[3e200, 4e200], [3e-200, 4e-200], [0.0, 0.0], [-1.0, 2.0]])
    model = fitted(Perceptron, X[[0, 3]], [0, 1], normalize=True, shuffle=False)
    label, score = evaluated(model, X, path)
    np.testing.assert_allclose(score, model.decision_function(X), rtol=1e-12)
    np.testing.assert_array_equal(label, model.predict(X))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_levels(dtype, path):
    """A value counts as 1 above the level, in the precision of the data."""
    X = np.array([[0.1, 0.2], [0.3, 0.1], [0.10000001, 0.1], [0.0, 0.0]], dtype)
    model = fitted(Winnow, X, [0, 1, 1, 0], binarize=0.1)
    label, score = evaluated(model, X, path)
    np.testing.assert_array_equal(label, model.predict(X))
    np.testing.assert_allclose(score, model.decision_function(X), atol=1e-40)


@pytest.mark.parametrize(
    "labels",
    [[-1, 1], [False, True], ["no", "yes"], ["é", "\U0001f600"], [0.5, 1.5]],
    ids=repr,
)
@pytest.mark.parametrize("learner", LEARNERS)
def test_labels(labels, learner, path):
    X = np.array([[0.0, 1.0], [1.0, 0.0]])
    y = np.array(labels)
    model = learner().partial_fit(X, np.array([0, 1]), classes=[0, 1])
    model.classes_ = y
    label, _ = evaluated(model, X, path)
    assert label.tolist() == model.predict(X).tolist()


def test_small_integers_are_labels_too(path):
    X = np.array([[0.0], [1.0]])
    model = Perceptron().fit(X, np.array([3, 200], np.uint8))
    assert evaluated(model, X, path)[0].tolist() == [3, 200]


def test_a_vote_without_mistakes_or_examples(path):
    X = np.array([[0.0], [1.0]])
    model = VotedPerceptron(tie="positive").partial_fit(X, [1, 1], classes=[0, 1])
    assert evaluated(model, X, path)[0].tolist() == model.predict(X).tolist() == [1, 1]
    for tie in ("positive", "negative"):
        model = VotedPerceptron(tie=tie, class_weight={0: 0.0}).partial_fit(X, [0, 0], [0, 1])
        label, score = evaluated(model, X, path)
        assert label.tolist() == model.predict(X).tolist()
        assert score.tolist() == [0, 0]


def test_the_same_model_gives_the_same_bytes(path):
    model = fitted(VotedPerceptron, np.eye(3), [0, 1, 0], random_state=0)
    store.to_onnx(model, path)
    before = path.read_bytes()
    store.to_onnx(model, path)
    assert path.read_bytes() == before


def test_what_has_no_graph(path, monkeypatch):
    X = np.eye(2)
    with pytest.raises(ParameterError, match=r"A str was given"):
        store.to_onnx("model", path)
    with pytest.raises(ParameterError, match=r"type datetime64\[D\], which ONNX does not have"):
        store.to_onnx(Perceptron().fit(X, np.array(["2000", "2001"], "M8[D]")), path)
    with pytest.raises(ParameterError, match=r"type uint64, which ONNX does not have"):
        store.to_onnx(Perceptron().fit(X, np.array([0, 2**63], np.uint64)), path)
    monkeypatch.setattr(export, "LARGEST", 10)
    with pytest.raises(ParameterError, match=r"hyperplanes of this vote take .* bytes"):
        store.to_onnx(fitted(VotedPerceptron, X, [0, 1]), path)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ParameterError, match=r"pip install novikoff\[onnx\]"):
        store.to_onnx(Perceptron().fit(X, [0, 1]), path)


@pytest.mark.parametrize("tie", ["mistake", "negative", "positive"])
@given(data=st.data())
def test_many_classes(tie, path, data):
    """The largest score, and of several the one that the convention says."""
    X, _ = data.draw(data_for(Perceptron, max_rows=8))
    y = data.draw(st.permutations((["fig", "pear", "apple"] * 3)[: max(3, len(X))]))[: len(X)]
    if len(set(y)) < 3:
        return
    model = fitted(Perceptron, X, y, max_iter=3, random_state=0, tie=tie)
    rows = np.vstack([X, grid(X.shape[1])])
    store.to_onnx(model, path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    label, score = session.run(None, {"X": rows})
    np.testing.assert_array_equal(score, model.decision_function(rows))
    np.testing.assert_array_equal(label, model.predict(rows))


def test_many_classes_without_a_graph(path):
    X, y = np.eye(3), [0, 1, 2]
    with pytest.raises(ParameterError, match="The vote of 3 classes is not written as ONNX"):
        store.to_onnx(fitted(VotedPerceptron, X, y), path)
    with pytest.raises(ParameterError, match="one class only, 'a': let it learn another"):
        store.to_onnx(Perceptron().partial_fit([[1.0]], ["a"]), path)


def test_clipping(path):
    X = np.array([[-1.0, 0.5], [3.0, 0.25], [0.75, 9.0], [0.0, -2.0]])
    y = [0, 1, 1, 0]
    model = fitted(BalancedWinnow, X, y, clip=True, random_state=0)
    label, score = evaluated(model, X, path)
    assert label.tolist() == model.predict(X).tolist() == y
    np.testing.assert_allclose(score, model.decision_function(X), rtol=1e-12)
    assert "above 1 being 1" in describe(model, X)
    assert describe(model, X) == describe(model, sparse.csr_array(X))
