"""The perceptron for River: River's own checks, and the same learning as everywhere."""

import pickle
import random
from copy import deepcopy
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from novikoff import Perceptron
from novikoff.errors import DataError, ParameterError, WeightOverflow

river = pytest.importorskip("river", reason="the extra `river` is not installed")

from river import checks  # noqa: E402

from novikoff.river import RiverPerceptron  # noqa: E402
from novikoff.river.perceptron import WIDE  # noqa: E402

CHECKS = list(checks.yield_checks(RiverPerceptron()))


def name_of(k):
    """The same in every process: the checks themselves are shown with their addresses."""
    check = CHECKS[k]
    return f"{k}-{getattr(getattr(check, 'func', check), '__name__', 'check')}"


@pytest.mark.parametrize("k", range(len(CHECKS)), ids=name_of)
def test_rivers_own_checks(k):
    CHECKS[k](RiverPerceptron())


@st.composite
def streams(draw, width):
    n, K = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    X = draw(hnp.arrays(np.float64, (n, width), elements=st.integers(-3, 3).map(float)))
    y = draw(
        st.lists(st.sampled_from(["fig", "apple", "pear", "quince"][:K]), min_size=n, max_size=n)
    )
    return X, y


def as_rows(X):
    return [{f"x{j}": v for j, v in enumerate(row)} for row in X.tolist()]


@pytest.mark.parametrize("width", [1, 3, WIDE])
@given(
    data=st.data(),
    eta=st.sampled_from([0.5, 1.0]),
    bias=st.booleans(),
    margin=st.sampled_from([0.0, 0.5, 2.0]),
)
def test_it_is_the_perceptron(width, data, eta, bias, margin):
    """Row by row, with classes that come on the way."""
    X, y = data.draw(streams(width))
    ours = Perceptron(eta0=eta, fit_intercept=bias, margin=margin, shuffle=False)
    model = RiverPerceptron(eta=eta, fit_intercept=bias, margin=margin)
    for row, x, label in zip(X, as_rows(X), y, strict=True):
        ours.partial_fit([row], [label])
        model.learn_one(x, label)
        assert model.predict_one(x) == ours.predict([row])[0]
    assert model.classes == ours.classes_.tolist()
    assert model.n_mistakes == ours.n_mistakes_
    assert model.n_updates == ours.n_updates_
    machines = [model.weights] if len(model.classes) < 3 else list(model.weights.values())
    for w, expected in zip(machines, ours.coef_, strict=True):
        assert {n: v for n, v in w.items() if v} == {
            f"x{j}": v for j, v in enumerate(expected.tolist()) if v
        }


def told(model):
    """All that a model knows."""
    return model.classes, model.weights, model.intercept, model.n_mistakes


@given(
    data=st.data(),
    width=st.sampled_from([3, WIDE, WIDE + 5]),
    absent=st.sampled_from([np.nan, None, pd.NA]),
)
def test_many_rows_are_one_after_the_other(data, width, absent):
    """With features that are missing from some rows, and numbers that round."""
    X, y = data.draw(streams(width))
    frame = pd.DataFrame(X * 0.1, columns=[f"x{j}" for j in range(width)])
    hole = data.draw(hnp.arrays(bool, X.shape, elements=st.booleans()))
    if absent is np.nan:
        frame = frame.mask(hole)
    else:
        frame = frame.astype(object)
        frame[hole] = absent
    rows = frame.to_dict("records")
    one, many, stripped = RiverPerceptron(), RiverPerceptron(), RiverPerceptron()
    for row, label in zip(rows, y, strict=True):
        one.learn_one(row, label)
        stripped.learn_one({n: v for n, v in row.items() if not pd.isna(v)}, label)
    cut = data.draw(st.integers(0, len(y)))
    for part in (slice(cut), slice(cut, None)):
        many.learn_many(frame[part], pd.Series(y)[part])
    assert told(one) == told(many) == told(stripped)
    assert many.predict_many(frame).tolist() == [one.predict_one(x) for x in rows]


def test_nullable_columns():
    frame = pd.DataFrame(
        {"a": pd.array([1, None, 3], "Int64"), "b": pd.array([0.5, 2.5, None], "Float64")}
    )
    one, many = RiverPerceptron(), RiverPerceptron()
    for x, y in zip(frame.to_dict("records"), [0, 1, 0], strict=True):
        one.learn_one(x, y)
    many.learn_many(frame, [0, 1, 0])
    assert told(one) == told(many)
    assert many.weights == {"a": -3.0, "b": 2.5}


def trained(wide):
    model = RiverPerceptron()
    row = {f"x{j}": 1.0 for j in range(WIDE if wide else 2)}
    model.learn_one({"a": 1.0, **row}, 0)
    model.learn_one({"a": -2.0, **row}, 1)
    return model


BAD = {
    "text": ({"new": 1.0, "a": "x"}, "'a' is 'x'.*must be numbers"),
    "infinite": ({"new": 1.0, "a": float("-inf")}, "'a' is -inf.*must be finite"),
    "both infinite": ({"a": np.inf, "b": -np.inf}, "must be finite"),
    "past doubles": ({"a": 10**400}, "'a' is 1000.*must be finite"),
    "an array": ({"a": np.ones(2)}, "must be numbers"),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("label", [0, 1, 2])
def test_a_failed_call_was_never_there(bad, wide, label):
    """Of known classes and of a new one, narrow and wide, alone and after rows that are fine."""
    x, message = bad
    for model in (RiverPerceptron(), trained(wide)):
        before = deepcopy(told(model))
        with pytest.raises(DataError, match=message):
            model.learn_one(x, label)
        fine = [({"a": -1.0, "more": 2.0}, 0), ({"b": 1.0}, 1), ({"c": 1.0}, 3)]
        fine.append(({f"y{j}": -1.0 for j in range(WIDE)}, 1))
        frame = pd.DataFrame([x for x, _ in fine] + [x])
        with pytest.raises(DataError, match=f"In row 4 of X: .*{message}"):
            model.learn_many(frame, [*(y for _, y in fine), label])
        assert told(model) == before
    with pytest.raises(DataError, match=message):
        model.predict_one(x)
    # and what is learned next is what would have been learned
    other = trained(wide)
    for learner in (model, other):
        for row, y in fine:
            learner.learn_one(row, y)
    assert told(model) == told(other)


@pytest.mark.parametrize("wide", [False, True])
def test_numbers_that_grow_too_large(wide):
    model = trained(wide)
    huge = {f"x{j}": 1.7e308 for j in range(WIDE if wide else 2)}
    before = deepcopy(told(model))
    for label in (0, 1, 2):
        with pytest.raises(WeightOverflow, match="as it was"):
            model.learn_one({"a": 1.0, **huge}, label)
    assert told(model) == before


def test_steps_that_are_too_large():
    """A weight, or the bias, of either class."""
    model = RiverPerceptron(eta=1e308)
    model.learn_one({"a": 1.0}, 0)
    model.learn_one({"a": 1.0}, 1)
    before = deepcopy(told(model))
    for x in ({"a": -1.5, "b": 2.0}, {"a": -1.5}):
        with pytest.raises(WeightOverflow, match="as it was"):
            model.learn_one(x, 1)
    assert told(model) == before


def test_labels_that_cannot_be():
    for label in (None, float("nan"), np.float64("nan"), pd.NA, pd.NaT):
        for model in (RiverPerceptron(), trained(False)):
            before = deepcopy(told(model))
            with pytest.raises(DataError, match="every example needs a label"):
                model.learn_one({"a": 1.0}, label)
            assert told(model) == before
    with pytest.raises(DataError, match="kinds int, str"):
        model.learn_one({"a": 1.0}, "one")
    with pytest.raises(DataError, match="1 rows, but y has 2 labels"):
        model.learn_many(pd.DataFrame({"a": [1.0]}), [0, 1])
    assert told(model) == before


@pytest.mark.parametrize("wide", [False, True])
def test_predicting_adds_no_features(wide):
    model = trained(wide)
    before = deepcopy(told(model))
    model.predict_one({"new": 1.0})
    model.predict_one({f"z{j}": 1.0 for j in range(WIDE)})
    assert told(model) == before


@pytest.mark.parametrize(
    "number", [np.float64, np.float32, np.int64, np.bool_, bool, Fraction, Decimal]
)
def test_numbers_of_any_kind_count_as_what_they_are(number):
    given, plain = RiverPerceptron(eta=0.1), RiverPerceptron(eta=0.1)
    for y, row in enumerate([(1, 0, 3), (2, 1, 1), (0, 3, 1), (1, 1, 2)]):
        given.learn_one({n: number(v) for n, v in zip("abc", row, strict=True)}, y % 3)
        plain.learn_one({n: float(number(v)) for n, v in zip("abc", row, strict=True)}, y % 3)
    assert told(given) == told(plain)


@given(data=st.data())
def test_features_that_come_and_go(data):
    """Wide rows and narrow ones of any names in any order, predicted in between."""
    model, ours, n = RiverPerceptron(), Perceptron(shuffle=False), 2 * WIDE
    draw = random.Random(data.draw(st.integers(0, 10**6)))
    for _ in range(8):
        names = draw.sample(range(n), draw.choice([0, 1, 5, WIDE, WIDE, n]))
        x = {f"x{j}": float(draw.randint(-3, 3)) for j in names}
        row, y = [x.get(f"x{j}", 0.0) for j in range(n)], draw.choice("abc")
        model.learn_one(x, y)
        ours.partial_fit([row], [y])
        if draw.random() < 0.5:
            x = dict(draw.sample([*x.items()], len(x)))
        assert model.predict_one(x) == ours.predict([row])[0]
    assert model.n_mistakes == ours.n_mistakes_
    copy = pickle.loads(pickle.dumps(model))
    for learner in (model, copy):
        learner.learn_one({f"x{j}": 0.5 for j in range(n)}, "a")
    assert told(copy) == told(model)


def test_narrow_and_wide_rows_share_their_weights():
    model = RiverPerceptron()
    wide = {f"x{j}": 1.0 for j in range(WIDE)}
    model.learn_one({"x0": 1.0}, False)
    model.learn_one({"x0": -1.0}, True)
    model.learn_one(wide, True)
    model.learn_one({"x1": 1.0, "new": 2.0}, False)
    ours = Perceptron(shuffle=False)
    names = [*wide, "new"]
    rows = [{"x0": 1.0}, {"x0": -1.0}, wide, {"x1": 1.0, "new": 2.0}]
    for x, y in zip(rows, [False, True, True, False], strict=True):
        ours.partial_fit([[x.get(n, 0.0) for n in names]], [y])
    expected = dict(zip(names, ours.coef_[0].tolist(), strict=True))
    assert {n: v for n, v in model.weights.items() if v} == {n: v for n, v in expected.items() if v}


@pytest.mark.parametrize("options", [{"eta": 0.0}, {"eta": "1"}, {"margin": -1.0}])
def test_parameters_without_a_meaning(options):
    [name] = options
    with pytest.raises(ParameterError, match=f"{name}=.* was given, but it must be"):
        RiverPerceptron(**options)
