"""Each lecture note's own perceptron, line by line, and what the library calls it."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from laws.learners import fitted
from novikoff import AveragedPerceptron, Perceptron, VotedPerceptron, Winnow
from worlds import disjunctions, worlds

powers = st.sampled_from([(2.0, 0.0), (0.0, -4.0), (-0.5, 0.0), (0.0, 1.0), (-8.0, 0.0)])


@given(world=worlds())
def test_note_000(world):
    """(w, b), a stream; the proof takes y(w.x) <= 0 for the mistake."""
    X, y = world
    w, b = np.zeros(X.shape[1]), 0.0
    for x, label in zip(X, y, strict=True):
        if label * (w @ x + b) <= 0:
            w, b = w + label * x, b + label
    model = Perceptron(shuffle=False).partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_[0], w)
    assert model.intercept_[0] == b


@given(rows=st.lists(powers, min_size=2, max_size=8))
def test_notes_001_and_002(rows):
    """Through the origin, unit length, predict positive iff w.x > 0."""
    X = np.array(rows)
    y = np.where(np.arange(len(X)) % 2 == 0, 1, -1)
    w = np.zeros(2)
    for x, label in zip(X / np.linalg.norm(X, axis=1, keepdims=True), y, strict=True):
        predicted = 1 if w @ x > 0 else -1
        if predicted != label:
            w = w + label * x
    model = Perceptron(fit_intercept=False, normalize=True, tie="negative", shuffle=False)
    model.partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_[0], w)
    np.testing.assert_array_equal(model.predict([[0.0, 0.0]]), [-1])


@given(world=worlds(), max_iter=st.integers(1, 4))
def test_note_003(world, max_iter):
    """Algorithm 5; algorithm 7 with its counter back; the voted rule."""
    X, y = world
    w, b = np.zeros(X.shape[1]), 0.0
    hyperplanes = []
    for _ in range(max_iter):
        errors = 0
        for x, label in zip(X, y, strict=True):
            if label * (w @ x + b) <= 0:
                w, b = w + label * x, b + label
                errors += 1
            hyperplanes.append((w, b))
        if errors == 0:
            break
    options = {"max_iter": max_iter, "shuffle": False}
    model = fitted(Perceptron, X, y, **options)
    np.testing.assert_array_equal(model.coef_[0], w)
    averaged = fitted(AveragedPerceptron, X, y, **options)
    mean = np.sum([w for w, _ in hyperplanes], axis=0) / len(hyperplanes)
    np.testing.assert_array_equal(averaged.coef_[0], mean)
    voted = fitted(VotedPerceptron, X, y, **options)
    votes = sum(np.where(X @ w + b > 0, 1, -1) for w, b in hyperplanes)
    np.testing.assert_array_equal(voted.decision_function(X), votes / len(hyperplanes))


@given(world=worlds(), data=st.data())
def test_note_004(world, data):
    """Through the origin, from any w0, MaxIter epochs."""
    X, y = world
    d = X.shape[1]
    w0 = np.array(data.draw(st.lists(st.integers(-3, 3), min_size=d, max_size=d)), float)
    w = w0
    for _ in range(3):
        before = w
        for x, label in zip(X, y, strict=True):
            if label * (w @ x) <= 0:
                w = w + label * x
        if np.array_equal(before, w):
            break
    model = fitted(
        Perceptron, X, y, fit={"coef_init": w0}, fit_intercept=False, max_iter=3, shuffle=False
    )
    np.testing.assert_array_equal(model.coef_[0], w)


@given(world_and_r=disjunctions())
def test_winnow_of_note_001(world_and_r):
    (X, y), _ = world_and_r
    n = X.shape[1]
    w = np.ones(n)
    for x, label in zip(X, y, strict=True):
        positive = w @ x >= n
        if label > 0 and not positive:
            w[x == 1] *= 2
        if label < 0 and positive:
            w[x == 1] /= 2
    model = Winnow(shuffle=False).partial_fit(X, y, classes=[-1, 1])
    np.testing.assert_array_equal(model.coef_[0], w)
    assert model.intercept_[0] == -n


@pytest.mark.parametrize("gate", ["and", "or", "nand", "nor"])
def test_gates_are_learned_and_xor_is_not(gate):
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    truth = {"and": X.all(1), "or": X.any(1), "nand": ~X.all(1), "nor": ~X.any(1)}[gate]
    model = Perceptron(random_state=0).fit(X, truth)
    assert model.converged_
    np.testing.assert_array_equal(model.predict(X), truth)
    xor = fitted(Perceptron, X, X[:, 0] != X[:, 1])
    assert not xor.converged_
    assert xor.n_iter_ == 100


@pytest.mark.parametrize("learner", [Perceptron, AveragedPerceptron, VotedPerceptron])
@pytest.mark.parametrize(
    ("tie", "expected"), [("mistake", "a"), ("negative", "a"), ("positive", "b")]
)
def test_what_a_tie_predicts(learner, tie, expected):
    """Weights 0 and a score of 0: the convention decides."""
    model = learner(tie=tie, shuffle=False, fit_intercept=False)
    model.partial_fit([[1.0, 0.0]], ["b"], classes=["a", "b"])
    assert model.predict([[0.0, 1.0]]) == [expected]


def test_defaults_are_as_documented():
    for learner, max_iter in ((Perceptron, 100), (AveragedPerceptron, 10), (VotedPerceptron, 10)):
        assert learner().get_params() == {
            "fit_intercept": True,
            "normalize": False,
            "tie": "mistake",
            "eta0": 1.0,
            "slack": 0.0,
            "margin": 0.0,
            "max_iter": max_iter,
            "shuffle": True,
            "random_state": None,
            "warm_start": False,
            "class_weight": None,
            "record": False,
            "multi_class": "joint",
            "n_jobs": None,
        }
