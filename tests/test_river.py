"""The perceptron for River: River's own checks, and the same learning as everywhere."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from novikoff import Perceptron

river = pytest.importorskip("river", reason="the extra `river` is not installed")

from river import checks  # noqa: E402

from novikoff.river import WIDE, RiverPerceptron  # noqa: E402

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
@given(data=st.data(), eta=st.sampled_from([0.5, 1.0]), bias=st.booleans())
def test_it_is_the_perceptron(width, data, eta, bias):
    """Row by row, with classes that come on the way."""
    X, y = data.draw(streams(width))
    ours = Perceptron(eta0=eta, fit_intercept=bias, shuffle=False)
    model = RiverPerceptron(eta=eta, fit_intercept=bias)
    for row, x, label in zip(X, as_rows(X), y, strict=True):
        ours.partial_fit([row], [label])
        model.learn_one(x, label)
        assert model.predict_one(x) == ours.predict([row])[0]
    assert model.classes == ours.classes_.tolist()
    assert model.n_mistakes == ours.n_mistakes_
    machines = [model.weights] if len(model.classes) < 3 else list(model.weights.values())
    for w, expected in zip(machines, ours.coef_, strict=True):
        assert {n: v for n, v in w.items() if v} == {
            f"x{j}": v for j, v in enumerate(expected.tolist()) if v
        }


@given(data=st.data(), width=st.sampled_from([3, WIDE]))
def test_many_rows_are_one_after_the_other(data, width):
    """With features that are missing from some rows, and numbers that round."""
    X, y = data.draw(streams(width))
    X = X * 0.1
    X[data.draw(hnp.arrays(bool, X.shape, elements=st.booleans()))] = np.nan
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(width)])
    one, many = RiverPerceptron(), RiverPerceptron()
    for row, label in zip(as_rows(X), y, strict=True):
        one.learn_one({n: v for n, v in row.items() if v == v}, label)
    cut = data.draw(st.integers(0, len(y)))
    for part in (slice(cut), slice(cut, None)):
        many.learn_many(frame[part], pd.Series(y)[part])
    assert one.weights == many.weights
    assert one.intercept == many.intercept
    assert one.n_mistakes == many.n_mistakes
    rows = [{n: v for n, v in row.items() if v == v} for row in as_rows(X)]
    assert many.predict_many(frame).tolist() == [one.predict_one(x) for x in rows]


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
