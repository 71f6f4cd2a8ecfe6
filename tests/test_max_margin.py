"""The widest separator is the widest, its gap is a true bound, and what drops out may."""

import pickle
from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import naive
from novikoff import (
    DataError,
    MaxMargin,
    NotSeparable,
    OutOfTime,
    ParameterError,
    WeightOverflow,
    separability,
)
from novikoff.data import load, planted as planted_data
from novikoff.max_margin import descent, newton
from novikoff.max_margin.coordinates import Frame
from novikoff.max_margin.gap import duality_gap, screened
from worlds import planted, worlds

COSTS = st.sampled_from([0.125, 0.5, 1.0, 3.0, 100.0])


def exact_gap(model, X, y, C):
    """(P - D) / P of a fitted model in fractions, its multipliers balanced exactly."""
    X, w, b = X.tolist(), model.coef_[0].tolist(), Fraction(float(model.intercept_[0]))
    missing = [max(0, 1 - s * (naive.inner(w, x) + b)) for s, x in zip(y.tolist(), X, strict=True)]
    P = naive.inner(w, w) / 2 + Fraction(C) * sum(missing)
    alpha = [Fraction(0)] * len(X)
    for i, a in zip(model.support_.tolist(), model.dual_coef_[0].tolist(), strict=True):
        assert (a > 0) == (y[i] > 0)
        alpha[i] = abs(Fraction(a))
        assert alpha[i] <= C
    if model.fit_intercept:
        sums = {s: sum(a for a, t in zip(alpha, y, strict=True) if t == s) for s in (-1, 1)}
        light = min(sums.values())
        alpha = [a * light / sums[int(s)] if a else a for a, s in zip(alpha, y, strict=True)]
    D = naive.dual_value([[Fraction(v) for v in x] for x in X], y.tolist(), alpha)[0]
    return (P - D) / P


@given(world=worlds(max_rows=6, max_columns=3), C=COSTS, bias=st.booleans())
@settings(deadline=None)
def test_the_soft_margin_is_that_of_its_twin(world, C, bias):
    X, y = world.X, world.y
    model = MaxMargin(C=C, fit_intercept=bias).fit(X, y)
    D, w, _ = naive.widest(X.tolist(), y.tolist(), [C] * len(y), bias)
    gap = exact_gap(model, X, y, C)
    assert 0 <= gap <= Fraction(model.gap_)
    assert model.gap_ <= 1e-6
    off = [Fraction(float(a)) - b for a, b in zip(model.coef_[0], w, strict=True)]
    assert naive.inner(off, off) <= 2 * Fraction(model.gap_) * D / (1 - Fraction(model.gap_))
    square = naive.inner(w, w)
    assert Fraction(model.margin_.lower) ** 2 * square <= 1
    assert model.margin_.upper == inf or Fraction(model.margin_.upper) ** 2 * square >= 1


@given(world=planted(max_rows=7, max_columns=3), bias=st.booleans(), wide=st.booleans())
@settings(deadline=None)
def test_the_hard_margin_is_that_of_its_twin(world, bias, wide):
    (X, y), *_ = world
    assume(bias or separability(X, y, fit_intercept=False).verdict == "separable")
    D, w, _ = naive.widest(X.tolist(), y.tolist(), None, bias)
    model = MaxMargin(fit_intercept=bias)
    if wide:  # the way that long rows take
        X = sparse.csr_array(np.hstack([X, np.zeros((len(X), 600))]))
        w = [*w, *[Fraction(0)] * 600]
    model.fit(X, y)
    assert 0 <= model.gap_ <= 1e-6
    square = naive.inner(w, w)  # 1 / margin^2, and 2 D
    assert square == 2 * D
    assert Fraction(model.margin_.lower) ** 2 * square <= 1
    assert Fraction(model.margin_.upper) ** 2 * square >= 1
    assert model.margin_.gap <= 1e-6 * model.margin_.upper
    off = [Fraction(float(a)) - b for a, b in zip(model.coef_[0], w, strict=True)]
    assert naive.inner(off, off) <= Fraction(3, 10**6) * square
    assert (y * model.decision_function(X)).min() >= 1 - 1e-9
    combined = model.dual_coef_ @ X[model.support_]
    np.testing.assert_allclose(combined, model.coef_, atol=3e-3 * np.linalg.norm(model.coef_))


@given(world=worlds(max_rows=6, max_columns=3), C=COSTS, shrink=st.floats(0.5, 1.0))
@settings(deadline=None)
def test_what_drops_out_had_no_say(world, C, shrink):
    """From any weights and multipliers, examples are only settled as the best ones are."""
    X, y = world.X, world.y
    frame, cost = Frame(X, np.asarray(y, np.int8)), np.full(len(y), C)
    cap = cost / frame.scale**2
    solution = newton.solve(X, frame.y, cost, "free", 1e-10, inf)
    w = solution.v[:-1] / frame.scale
    v = shrink * np.append(w, solution.v[-1] + w @ frame.center)
    alpha = shrink * solution.alpha / frame.scale**2
    alive, outside, inside = screened(frame, cap, duality_gap(frame, cap, v, alpha), frame.all)
    assert sorted([*alive, *outside, *inside]) == list(range(len(y)))
    best = naive.widest(X.tolist(), y.tolist(), cost.tolist())[2]
    assert all(best[i] == 0 for i in outside)
    assert all(best[i] == C for i in inside)


def test_examples_do_drop_out(monkeypatch):
    left = []
    minimize = newton.Newton.minimize

    def watched(self, deadline):
        left.append(len(self.alive))
        return minimize(self, deadline)

    monkeypatch.setattr(newton.Newton, "minimize", watched)
    X, y, *_ = planted_data(2000, 10, margin=0.05, seed=0)
    MaxMargin(C=10.0).fit(X, y)
    assert left[0] == 2000
    assert left[-1] < 400


@pytest.mark.parametrize("name", ["sonar", "wdbc"])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_agrees_with_libsvm(name, C):
    X, y = load(name)[:2]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ours, theirs = MaxMargin(C=C).fit(X, y), SVC(kernel="linear", C=C, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3 * np.linalg.norm(ours.coef_))
    assert ours.gap_ <= 1e-6


def test_sparse_and_dense_are_the_same():
    X, y = load("sonar")[:2]
    for C in (1.0, inf):
        dense, csr = MaxMargin(C=C).fit(X, y), MaxMargin(C=C).fit(sparse.csr_matrix(X), y)
        np.testing.assert_allclose(
            dense.coef_, csr.coef_, rtol=0, atol=3e-3 * np.linalg.norm(dense.coef_)
        )
        assert max(dense.margin_.lower, csr.margin_.lower) <= min(
            dense.margin_.upper, csr.margin_.upper
        )


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("C", [1.0, inf])
def test_wide_rows(C, bias):
    """Descent and conjugate gradients, on dense and sparse rows that are longer than many."""
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 2000)) * (random.random((60, 2000)) < 0.1)
    y = np.where(random.random(60) < 0.4, 1, -1)
    models = [
        MaxMargin(C=C, fit_intercept=bias).fit(form(X), y) for form in (np.array, sparse.csr_array)
    ]
    for model in models:
        assert model.gap_ <= 1e-6
        assert model.margin_.lower <= models[0].margin_.upper
        assert models[0].margin_.lower <= model.margin_.upper
    if inf > C:
        assert 0 <= exact_gap(models[1], X, y, C) <= Fraction(models[1].gap_)


def test_newton_takes_over_from_descent(monkeypatch):
    monkeypatch.setattr(descent, "MOST", descent.PASSES)
    test_wide_rows(inf, True)
    test_wide_rows(1.0, False)


@given(world=worlds(max_rows=6, max_columns=3), data=st.data(), bias=st.booleans())
@settings(deadline=None, max_examples=30)
def test_weights_stand_for_repetitions(world, data, bias):
    X, y = world.X, world.y
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y))))
    assume(len(set(y[times > 0].tolist())) == 2)
    weighted = MaxMargin(C=1.0, fit_intercept=bias).fit(X, y, sample_weight=times)
    repeated = MaxMargin(C=1.0, fit_intercept=bias).fit(
        np.repeat(X, times, axis=0), np.repeat(y, times)
    )
    assert (times[weighted.support_] > 0).all()
    size = max(1.0, np.linalg.norm(weighted.coef_))
    room = 2 * np.sqrt(2e-6 * (size**2 + times.sum() * (1 + 10 * size)))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=0, atol=room)


def test_moving_and_scaling_the_data():
    X, y = load("sonar")[:2]
    here, there = MaxMargin().fit(X, y), MaxMargin().fit(2.0**40 * X + 2.0**44, y)
    np.testing.assert_allclose(there.coef_ * 2.0**40, here.coef_, rtol=1e-4, atol=1e-2)
    assert there.margin_.lower <= 2.0**40 * here.margin_.upper
    for exponent in (-490, -200, 200, 490):
        far = MaxMargin().fit(np.ldexp(X, exponent), y)
        assert far.gap_ <= 1e-6
        assert far.margin_.lower <= np.ldexp(here.margin_.upper, exponent)
        far = MaxMargin(C=np.ldexp(1.0, -2 * exponent)).fit(np.ldexp(X, exponent), y)
        assert far.gap_ <= 1e-6
    with pytest.raises(WeightOverflow):
        MaxMargin(C=1.0).fit(np.ldexp(X, 1000), y)


def test_inseparable_data_is_an_error_with_a_proof():
    X, y = load("wdbc")[:2]
    X, y = X[:, :5], y
    model = MaxMargin()
    with pytest.raises(NotSeparable, match="inseparable. Give a finite C") as caught:
        model.fit(X, y)
    assert caught.value.separability.verify(X, y)
    assert not hasattr(model, "coef_")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert again.separability.verify(X, y)


def test_inseparable_wide_data():
    random = np.random.default_rng(0)
    X = sparse.random_array((40, 700), density=0.05, rng=random, format="csr")
    X = sparse.vstack([X, X[:1]]).tocsr()
    y = np.r_[np.where(random.random(40) < 0.5, 1, -1), 0]
    y[-1] = -y[0]
    with pytest.raises(NotSeparable) as caught:
        MaxMargin(budget=100.0).fit(X, y)
    assert caught.value.separability.verdict == "quasi-separable"


def test_classes_far_apart():
    """Where the dual starts far below 0, and the primal far above its end."""
    for seed in range(30):
        random = np.random.default_rng(seed)
        y = np.arange(100) % 2
        X = random.normal(size=(100, 2)) + 20 * y[:, None]
        model = MaxMargin(C=100.0).fit(X, y)
        assert model.gap_ <= 1e-6
        assert model.score(X, y) == 1.0


@pytest.mark.parametrize("C", [1e-16, 1e-9, 1.0, 1e6])
def test_costs_of_every_size(C):
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 4))
    y = np.where(X @ random.normal(size=4) + 0.3 * random.normal(size=60) > 0, 1, -1)
    model = MaxMargin(C=C).fit(X, y)
    assert model.gap_ <= 1e-6
    assert 0 <= exact_gap(model, X, y, C) <= Fraction(model.gap_)


@pytest.mark.parametrize("offset", [1e3, 1e6])  # at 1e8 the bias itself is too coarse a float
def test_data_far_from_the_origin(offset):
    X = np.array([[3.0, -1], [-3, 2], [0, 3], [0, -1], [-3, 0], [1, 2]])
    y = np.array([1, -1, -1, -1, -1, -1])
    here, there = MaxMargin(C=100.0).fit(X, y), MaxMargin(C=100.0).fit(X + offset, y)
    np.testing.assert_allclose(here.coef_, there.coef_, rtol=1e-2)
    assert there.gap_ <= 1e-6


@pytest.mark.parametrize("C", [1.0, inf])
def test_wide_data_far_from_the_origin(C):
    X = np.random.default_rng(0).normal(size=(40, 1600))
    y = np.arange(40) % 2
    here, there = MaxMargin(C=C).fit(X, y), MaxMargin(C=C).fit(X + 1e6, y)
    assert there.gap_ <= 1e-6
    assert here.margin_.lower <= 1.0001 * there.margin_.upper
    assert there.margin_.lower <= 1.0001 * here.margin_.upper


def test_uneven_weights():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 4))
    y = np.where(X[:, 0] + 0.5 * random.normal(size=60) > 0, 1, -1)
    for ratio in (1e3, 1e6, 1e9):  # at 1e12 a score's rounding costs more than the other class
        model = MaxMargin(C=1.0).fit(X, y, sample_weight=np.where(y > 0, ratio, 1.0))
        assert model.gap_ <= 1e-6


def test_a_failed_fit_leaves_the_model_as_it_was():
    model = MaxMargin(C=1.0).fit([[0.0, 0], [1, 1]], [0, 1])
    before = pickle.dumps(model)
    for X, y in (([[np.nan] * 3, [1.0] * 3], [0, 1]), (np.zeros((2, 5)), [1, 1])):
        with pytest.raises(ValueError, match="NaN|class"):
            model.fit(X, y)
        assert pickle.dumps(model) == before
    model.C = inf
    with pytest.raises(NotSeparable):
        model.fit(np.zeros((2, 5)), [0, 1])
    assert model.n_features_in_ == 2


def test_wide_data_on_wild_scales():
    random = np.random.default_rng(0)
    X = np.zeros((4, 501))
    X[:, 0] = [-1.5, -0.5, 0.5, 1.5]
    X[:, 1], X[:, 2] = 1e150 * random.normal(size=4), 1e-150 * random.normal(size=4)
    model = MaxMargin(budget=300.0).fit(X, X[:, 0] > 0)
    assert model.gap_ <= 1e-6
    assert separability(X, X[:, 0] > 0).margin.lower <= model.margin_.upper


def test_out_of_time_is_no_verdict():
    with pytest.raises(OutOfTime, match="no separator was found, and no proof"):
        MaxMargin(budget=1e-9).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("exponent", [-300, -200, -160, 160, 200, 300])
@pytest.mark.parametrize("C", [1.0, inf])
def test_extreme_scales_give_an_answer_or_a_clear_error(exponent, C):
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]) * 10.0**exponent
    try:
        model = MaxMargin(C=C).fit(X, [0, 0, 0, 1])
    except WeightOverflow:
        return
    assert model.gap_ <= 1e-6


def test_costs_that_are_no_floats():
    for C, weight in ((1e300, 1e9), (1e-300, 1e-100)):
        with pytest.raises(ParameterError, match="past the range of floats"):
            MaxMargin(C=C).fit([[0.0], [1.0]], [0, 1], sample_weight=[weight] * 2)


def test_a_spent_budget_is_said():
    X, y = load("sonar")[:2]
    with pytest.warns(ConvergenceWarning, match="relative duality gap of .* above tol"):
        model = MaxMargin(C=1.0, budget=1e-9).fit(X, y)
    assert model.gap_ > 1e-6
    best = MaxMargin(C=1.0).fit(X, y)
    assert model.margin_.lower <= best.margin_.upper
    assert best.margin_.lower <= model.margin_.upper


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"C": 0.0}, "C=0.0 was given, but it must be a number above 0"),
        ({"C": "1"}, "C='1' was given, but it must be a number above 0"),
        ({"C": np.nan}, "C=nan was given, but it must be"),
        ({"tol": 0}, "tol=0 was given, but it must be"),
        ({"tol": inf}, "tol=inf was given, but it must be a finite number above 0"),
        ({"budget": -1}, "budget=-1 was given, but it must be"),
        ({"fit_intercept": 1}, "fit_intercept=1 was given, but it must be True or False"),
    ],
)
def test_options_without_a_meaning(options, told):
    with pytest.raises(ParameterError, match=told):
        MaxMargin(**options).fit([[0.0], [1.0]], [0, 1])


def test_data_that_cannot_be_learned_from():
    with pytest.raises(DataError, match="nothing but 0 in sample_weight"):
        MaxMargin(C=1.0).fit([[0.0], [1.0]], [0, 1], sample_weight=[1, 0])
    with pytest.raises(DataError, match="NaN, first in row 1"):
        MaxMargin(C=1.0).fit([[0.0], [np.nan]], [0, 1])
    with pytest.raises(NotFittedError):
        MaxMargin().predict([[0.0]])


def test_a_fit_that_failed_is_none():
    model = MaxMargin()
    with pytest.raises(NotSeparable):
        model.fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    with pytest.raises(NotFittedError):
        model.predict([[0.0]])


def test_a_score_out_of_range():
    model = MaxMargin().fit([[0.0], [1.0]], [0, 1])
    model.coef_[:], model.intercept_[:] = 1.7e308, 1.7e308
    with pytest.raises(WeightOverflow):
        model.predict([[1.0]])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::FutureWarning")
@parametrize_with_checks([MaxMargin(C=1.0, tol=1e-10)])
def test_check_estimator(estimator, check):
    check(estimator)
