"""Model files of more than two classes."""

import csv

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.base import clone

import novikoff
from anatomy import anatomy
from laws.learners import ADDITIVE, assert_same, fitted
from laws.test_many_classes import many_worlds
from novikoff import Perceptron, VotedPerceptron, store
from novikoff.errors import ModelFileError
from novikoff.store import container
from novikoff.store.fields import Parts
from novikoff.store.runs import put_linear, take_linear
from worlds import conventions


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("learner", ADDITIVE)
@given(world=many_worlds(), options=conventions, kind=st.sampled_from(["joint", "ovr"]))
def test_round_trip_and_going_on(learner, form, path, world, options, kind):
    X, y = form(world.X), world.y
    model = fitted(learner, X, y, max_iter=2, random_state=0, multi_class=kind, **options)
    model.save(path)
    loaded = novikoff.load(path)
    assert anatomy(loaded) == anatomy(model)
    assert loaded.margin_ == model.margin_
    for one in (model, loaded):
        one.partial_fit(X, np.where(y == "fig", "a new one", y))
    assert_same(model, loaded, rows=X)
    loaded.save(path)
    content = path.read_bytes()
    model.save(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("kind", ["joint", "ovr"])
@pytest.mark.parametrize("weight", [None, [1.0, 2.0, 3.0], [2.0, 2.0, 2.0]])
def test_the_first_files_do_not_tell_of_weights(kind, weight):
    """Examples that were never erred on may have been heavier than those that were."""
    model = Perceptron(multi_class=kind, eta0=0.1, random_state=0, max_iter=99)
    model.fit(np.eye(3), [0, 1, 2], sample_weight=weight)
    for told in (True, False):
        parts = Parts()
        put_linear(model, parts)
        if not told:
            del parts.values["step_ratio"]
        loaded = clone(model)
        loaded.classes_ = model.classes_
        take_linear(loaded, parts)
        differ = weight is not None and len(set(weight)) > 1
        assert loaded._state.ledger.step_ratio == ((3.0 if differ else 1.0) if told else np.inf)


def test_a_stream_of_one_class_so_far(path):
    model = Perceptron(shuffle=False).partial_fit([[1.0]], ["a"])
    model.save(path)
    loaded = novikoff.load(path)
    for one in (model, loaded):
        one.partial_fit([[1.0], [-1.0]], ["a", "b"])
    assert_same(model, loaded, rows=np.eye(1))


@pytest.mark.parametrize(
    ("name", "spoil", "says"),
    [
        ("mistake.gained", lambda a: a + 9, "'mistake.gained' has a number that is out of range"),
        ("mistake.lost", lambda a: a - 9, "'mistake.lost' has a number that is out of range"),
        ("weights", lambda a: a[:2], "has shape"),
        ("each.total", lambda a: -a - 1, "'each.total' has a number that is out of range: -"),
        ("each.total", lambda a: a[:1], "has shape"),
        ("brought", lambda a: a[:2], "has shape"),
    ],
)
def test_damaged(path, name, spoil, says):
    random = np.random.default_rng(0)
    X, y = random.standard_normal((30, 2)), random.integers(0, 3, 30)
    model = fitted(VotedPerceptron, X, y, multi_class="ovr", class_weight="balanced", max_iter=2)
    model.save(path)
    contents = container.read(path)
    tensors = dict(contents.tensors)
    tensors[name] = np.ascontiguousarray(spoil(tensors[name]))
    with path.open("wb") as file:
        container.write(file, contents._replace(tensors=tensors))
    with pytest.raises(ModelFileError, match=says):
        novikoff.load(path)


def test_coefficients_have_a_column_for_each_class(path):
    model = fitted(Perceptron, np.eye(3), ["x", "y", "z"])
    store.to_csv(model, path)
    with path.open(newline="") as file:
        head, *lines = csv.reader(file)
    assert head == ["feature", "x", "y", "z"]
    numbers = np.array([[float(v) for v in line[1:]] for line in lines])
    np.testing.assert_array_equal(numbers[:-1].T, model.coef_)
    np.testing.assert_array_equal(numbers[-1], model.intercept_)
