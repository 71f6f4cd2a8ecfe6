"""Each theorem of the notes, and those beside them, as a law."""

from fractions import Fraction
from itertools import pairwise
from math import floor

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.exceptions import ConvergenceWarning

import naive
from laws.learners import ADDITIVE, fitted
from novikoff import (
    Perceptron,
    Winnow,
    freund_schapire_bound,
    novikoff_bound,
    perceptron_loss,
    perceptron_subgradient,
    separability,
    winnow_bound,
)
from novikoff.errors import ParameterError
from worlds import conventions, disjunctions, planted, worlds

MANY = 10_000


def geometry(X, y, u, b, fit_intercept):
    """Squared radius and margin in the space of the run, with `(u, b)` made a unit vector."""
    ones = np.full((len(X), 1), float(fit_intercept))
    Z, v = np.hstack([X, ones]), np.append(u, b)
    radius = np.linalg.norm(Z, axis=1).max()
    return radius, (y * (Z @ v)).min() / np.linalg.norm(v)


@pytest.mark.parametrize("learner", ADDITIVE)
@pytest.mark.parametrize("tie", ["mistake", "negative", "positive"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@given(data=st.data(), seed=st.integers(0, 99))
def test_novikoff(learner, tie, fit_intercept, data, seed):
    (X, y), u, b = data.draw(planted(fit_intercept=fit_intercept))
    model = learner(
        tie=tie, fit_intercept=fit_intercept, max_iter=MANY, random_state=seed, eta0=0.5
    ).fit(X, y)
    radius, margin = geometry(X, y, u, b, fit_intercept)
    assert model.converged_
    assert model.radius_ == pytest.approx(radius, rel=1e-15)
    assert model.n_mistakes_ <= novikoff_bound(model.radius_, margin) * (1 + 1e-12)
    if learner is Perceptron:
        strict = tie == "mistake"
        assert model.score(X, y) == 1.0
        assert not strict or (y * model.decision_function(X) > 0).all()


TAUS = st.sampled_from([0.25, 0.5, 1.0, 4.0])


@pytest.mark.parametrize("learner", ADDITIVE)
@given(data=st.data(), world=planted(), tau=TAUS, weighed=st.booleans(), seed=st.integers(0, 99))
def test_novikoff_with_a_margin(learner, data, world, tau, weighed, seed):
    """Updates and mistakes are bounded, each by its own bound; and the margin reached is wide."""
    (X, y), u, b = world
    weight = np.array([data.draw(st.sampled_from([0.5, 1.0, 3.0])) for _ in y]) if weighed else None
    model = learner(margin=tau, max_iter=MANY, random_state=seed, eta0=0.5)
    model.fit(X, y, sample_weight=weight)
    radius, margin = geometry(X, y, u, b, True)
    ratio = weight.max() / weight.min() if weighed else 1.0
    told = {"update_margin": tau, "step_ratio": ratio}
    assert model.converged_
    assert model.n_updates_ <= novikoff_bound(radius, margin, **told) * (1 + 1e-12)
    most = novikoff_bound(radius, margin, **told, count="mistakes")
    assert model.n_mistakes_ <= most * (1 + 1e-12)
    if not weighed and learner is Perceptron:
        mean = (X**2).sum(axis=1).mean() + 1
        promised = tau / (1 + 2 * tau) * mean / radius**2 * margin
        assert model.margin_.lower >= promised * (1 - 1e-9)


@given(world=planted(), tau=TAUS, eta=st.sampled_from([0.5, 2.0]))
def test_both_lemmas_hold_with_a_margin(world, tau, eta):
    """Exactly, in fractions: a mistake adds at most eta^2 R^2, another update (1 + 2 tau) times."""
    (X, y), u, b = world
    X, y, eta = X.tolist(), y.tolist(), Fraction(eta)
    run = naive.perceptron(X, y, epochs=20, eta=eta, margin=tau)
    v, Z = [Fraction(c) for c in [*u.tolist(), b]], [[*map(Fraction, x), Fraction(1)] for x in X]
    gamma = min(yi * naive.inner(v, z) for yi, z in zip(y, Z, strict=True))  # times |v|
    R2 = max(naive.inner(z, z) for z in Z)
    ends = [[*w, c] for _, w, c in run.updated] + [[*run.w, run.b]]
    for (i, _, _), (before, after) in zip(run.updated, pairwise(ends), strict=True):
        stretch = 1 if y[i] * naive.inner(before, Z[i]) <= 0 else 1 + 2 * Fraction(tau)
        grown = naive.inner(after, after) - naive.inner(before, before)
        assert naive.inner(after, v) >= naive.inner(before, v) + eta * gamma
        assert grown <= stretch * eta**2 * R2


@given(mistakes=st.integers(0, 60), others=st.integers(0, 60), tau=st.floats(0, 5))
def test_the_bound_on_mistakes_is_the_most_that_the_lemmas_allow(mistakes, others, tau):
    """Whatever mix of mistakes and other updates both lemmas allow has no more mistakes."""
    R2 = 20.0  # over the square of the margin
    if (mistakes + others) ** 2 <= R2 * (mistakes + (1 + 2 * tau) * others):
        bound = novikoff_bound(R2**0.5, 1.0, update_margin=tau, count="mistakes")
        assert mistakes <= bound * (1 + 1e-12)


@given(world=planted(fit_intercept=False), bias=st.booleans(), seed=st.integers(0, 99))
def test_novikoff_normalized(world, bias, seed):
    """Note 001: lengths do not matter through the origin, and then R = 1."""
    (X, y), u, _ = world
    model = Perceptron(normalize=True, fit_intercept=bias, max_iter=MANY, random_state=seed).fit(
        X, y
    )
    cosines = y * (X @ u) / np.linalg.norm(X, axis=1) / np.linalg.norm(u)
    assert model.radius_ == (np.sqrt(2) if bias else 1.0)
    assert model.n_mistakes_ <= novikoff_bound(model.radius_, cosines.min()) * (1 + 1e-9)
    assert model.score(X, y) == 1.0


@given(data=st.data(), world=planted(), eta=st.sampled_from([0.25, 1.0, 3.0]))
def test_novikoff_from_another_start(data, world, eta):
    (X, y), u, b = world
    w0 = data.draw(hnp.arrays(np.float64, len(u), elements=st.integers(-20, 20).map(float)))
    b0 = float(data.draw(st.integers(-20, 20)))
    model = Perceptron(max_iter=MANY, shuffle=False, eta0=eta)
    model.fit(X, y, coef_init=w0, intercept_init=b0)
    radius, margin = geometry(X, y, u, b, True)
    start, unit = np.append(w0, b0), np.append(u, b) / np.linalg.norm(np.append(u, b))
    known = novikoff_bound(
        radius, margin, start_norm=np.linalg.norm(start), start_progress=start @ unit, eta0=eta
    )
    worst = novikoff_bound(radius, margin, start_norm=np.linalg.norm(start), eta0=eta)
    assert model.converged_
    assert model.n_mistakes_ <= known * (1 + 1e-12) + 1e-9
    assert known <= worst * (1 + 1e-12) + 1e-9


@pytest.mark.parametrize("learner", ADDITIVE)
@given(data=st.data(), world=planted(), eta=st.sampled_from([0.25, 3.0]), at_zero=st.booleans())
def test_novikoff_with_weights(learner, data, world, eta, at_zero):
    (X, y), u, b = world
    weight = np.array([data.draw(st.sampled_from([0.125, 1.0, 7.0])) for _ in y])
    start = np.zeros(len(u) + 1)
    if not at_zero:
        start = data.draw(hnp.arrays(np.float64, len(u) + 1, elements=st.integers(-9, 9)))
    model = learner(max_iter=MANY, shuffle=False, eta0=eta).fit(
        X, y, coef_init=start[:-1], intercept_init=start[-1], sample_weight=weight
    )
    radius, margin = geometry(X, y, u, b, True)
    most = novikoff_bound(
        radius,
        margin,
        start_norm=np.linalg.norm(start),
        eta0=eta * weight.max(),
        step_ratio=weight.max() / weight.min(),
    )
    assert model.converged_
    assert model.n_mistakes_ <= most * (1 + 1e-12) + 1e-9


def test_weights_can_force_more_mistakes():
    """A heavy example takes many light ones to make up for: more than the steps of 1 would."""
    X, y = np.array([[0.0, 1.0], [1.0, 0.1], [-1.0, 0.1], [0.0, -1.0]]), [1, 1, 1, 0]
    options = {"fit_intercept": False, "shuffle": False, "max_iter": MANY}
    weight = np.array([1e6, 1000.0, 1.0, 1.0])
    quick = Perceptron(**options).fit(X, y, sample_weight=weight)
    slow = Perceptron(**options).fit(X[[1, 2, 3]], [1, 1, 0], sample_weight=weight[[1, 2, 3]])
    assert quick.n_mistakes_ == 1
    assert slow.converged_
    assert slow.n_mistakes_ > 900
    assert novikoff_bound(quick.radius_, quick.margin_.lower) < 110  # what steps of 1 could force
    assert slow.n_mistakes_ <= quick.mistake_bound_


@pytest.mark.parametrize("eta", [1e-300, 2.7e-162, 1e-150, 1e-120, 1e120])
@pytest.mark.parametrize("slack", [0.0, 1.0])
def test_the_bracket_of_steps_near_the_ends_of_the_range(eta, slack):
    X, y = np.array([[1.0], [-1.0]]), [1, 0]
    model = Perceptron(fit_intercept=False, shuffle=False, eta0=eta, slack=slack).fit(X, y)
    true = np.sqrt(1 + slack**2 / 2)
    assert model.margin_.lower <= true * (1 + 1e-15)
    assert model.margin_.upper >= true * (1 - 1e-15)
    assert model.n_mistakes_ <= model.mistake_bound_
    if eta > 1e-130:
        assert model.margin_.lower == pytest.approx(1 if not slack else model.margin_.lower)
        assert model.margin_.lower > 0


def test_a_step_ratio_is_one_at_least():
    assert novikoff_bound(1.0, 0.5, step_ratio=3.0) == 12.0
    assert novikoff_bound(0.0, 1.0, step_ratio=np.inf) == 0.0
    with pytest.raises(ParameterError, match=r"step_ratio=0\.5 .* must be at least 1"):
        novikoff_bound(1.0, 0.5, step_ratio=0.5)


@given(
    radius=st.floats(0.1, 100),
    margin=st.floats(0.01, 10),
    norm=st.floats(0, 100),
    share=st.floats(-1, 1),
    eta=st.floats(0.1, 10),
)
def test_the_bound_is_the_root_it_says(radius, margin, norm, share, eta):
    a = share * norm
    k = novikoff_bound(radius, margin, start_norm=norm, start_progress=a, eta0=eta)
    assert k * margin + a / eta == pytest.approx(
        np.sqrt((norm / eta) ** 2 + k * radius**2), rel=1e-6, abs=1e-6
    )
    assert novikoff_bound(radius, margin) == pytest.approx((radius / margin) ** 2)


@given(world=planted(), options=conventions)
def test_both_lemmas_hold_at_every_update(world, options):
    """w.u grows by at least eta*gamma, and |w|^2 by at most eta^2 R^2: exactly, in fractions."""
    (X, y), u, b = world
    X, y = X.tolist(), y.tolist()
    eta, bias = Fraction(options["eta0"]), int(options["fit_intercept"])
    b = b if bias else 0.0
    run = naive.perceptron(
        X, y, epochs=20, eta=eta, tie=options["tie"], fit_intercept=options["fit_intercept"]
    )
    v = [Fraction(c) for c in [*u.tolist(), b]]
    Z = [[*map(Fraction, x), Fraction(bias)] for x in X]
    gamma = min(yi * naive.inner(v, z) for yi, z in zip(y, Z, strict=True))  # times |v|
    R2 = max(naive.inner(z, z) for z in Z)
    ends = [[*w, c] for _, w, c in run.updated] + [[*run.w, run.b]]
    for before, after in pairwise(ends):
        assert naive.inner(after, v) >= naive.inner(before, v) + eta * gamma
        assert naive.inner(after, after) <= naive.inner(before, before) + eta**2 * R2
    # and so the sandwich of the proof, at the end
    k = len(run.updated)
    if gamma > 0:
        assert (k * gamma) ** 2 <= k * R2 * naive.inner(v, v)


@pytest.mark.parametrize("learner", ADDITIVE)
@given(world=worlds(), slack=st.sampled_from([0.5, 1.0, 2.0]), bias=st.booleans())
def test_with_slack_every_run_ends(learner, world, slack, bias):
    """Inconsistent duplicates included; and the bound is that of the enlarged space."""
    X = np.vstack([world.X, world.X[:1]])
    y = np.append(world.y, -world.y[0])
    model = learner(slack=slack, fit_intercept=bias, max_iter=MANY, shuffle=False).fit(X, y)
    assert model.converged_
    # u = 0 in the shared space and y_i / sqrt(n) in each private one has margin slack / sqrt(n)
    assert model.n_mistakes_ <= novikoff_bound(model.radius_, slack / np.sqrt(len(y))) * (1 + 1e-12)
    w = model._state.weights[0]
    score = y * (X @ w[:-1] + w[-1]) + model.dual_coef_ * slack**2
    assert (score > 0).all()


@given(world=worlds(), data=st.data(), epochs=st.integers(1, 4))
def test_freund_schapire(world, data, epochs):
    """On any data, for any unit u and any gamma."""
    X, y = world
    d = X.shape[1]
    u = data.draw(hnp.arrays(np.float64, d, elements=st.integers(-3, 3).map(float)).filter(np.any))
    gamma = data.draw(st.sampled_from([0.1, 0.5, 1.0, 3.0]))
    u = u / np.linalg.norm(u)
    model = fitted(Perceptron, X, y, fit_intercept=False, max_iter=epochs, shuffle=False)
    deviations = np.maximum(0.0, gamma - y * (X @ u))
    D = np.sqrt(model.n_iter_ * (deviations**2).sum())
    assert model.n_mistakes_ <= freund_schapire_bound(model.radius_, gamma, D) * (1 + 1e-12)


@given(world=worlds(), bias=st.booleans(), seed=st.integers(0, 99))
def test_the_run_is_its_own_certificate(world, bias, seed):
    """The weights are the mistakes added up; the best margin is at most |w|/M <= R/sqrt(M)."""
    X, y = world
    model = fitted(Perceptron, X, y, fit_intercept=bias, max_iter=5, random_state=seed)
    w = (model.dual_coef_ * y) @ X
    np.testing.assert_array_equal(model.coef_[0], w)
    b = (model.dual_coef_ * y).sum() if bias else 0
    assert model.intercept_[0] == b
    M = model.n_mistakes_
    assert M == model.dual_coef_.sum() > 0
    upper = np.sqrt(w @ w + b * b) / M
    assert upper <= model.radius_ / np.sqrt(M) * (1 + 1e-12)
    if model.converged_ and bias:
        lower = (y * (X @ w + b)).min() / np.sqrt(w @ w + b * b)
        assert 0 < lower <= upper * (1 + 1e-12)


@given(world_and_r=disjunctions(), seed=st.integers(0, 99))
def test_winnow_on_disjunctions(world_and_r, seed):
    (X, y), r = world_and_r
    model = Winnow(random_state=seed, max_iter=MANY).fit(X, y)
    assert model.converged_
    assert model.n_mistakes_ <= winnow_bound(r, X.shape[1])
    assert model.score(X, y) == 1.0


def test_winnow_is_learned_from_few_of_many():
    """3 of 1,000 variables matter; the bound knows, a perceptron does not."""
    random = np.random.default_rng(0)
    X = (random.random((2000, 1000)) < 0.01).astype(np.uint8)
    y = X[:, [3, 141, 592]].any(axis=1)
    model = Winnow(random_state=0).fit(X, y)
    assert model.converged_
    assert model.n_mistakes_ <= floor(winnow_bound(3, 1000))


@given(world=worlds(), data=st.data(), k=st.sampled_from([-1.0, -0.5, 0.0]))
def test_the_subgradient_inequality(world, data, k):
    """loss(v) - loss(w) >= g.(v - w) for every v, exactly."""
    X, y = world
    d = X.shape[1]
    points = hnp.arrays(np.float64, d + 1, elements=st.integers(-5, 5).map(float))
    w, v = data.draw(points), data.draw(points)
    g, g0 = perceptron_subgradient(X, y, w[:-1], w[-1], k=k)
    rise = perceptron_loss(X, y, v[:-1], v[-1]) - perceptron_loss(X, y, w[:-1], w[-1])
    assert rise >= g @ (v - w)[:-1] + g0 * (v - w)[-1]
    exact = naive.perceptron_loss(*world.lists, w[:-1].tolist(), w[-1])
    assert perceptron_loss(X, y, w[:-1], w[-1]) == exact >= 0


@given(world=worlds(max_rows=6))
def test_the_update_is_a_step_against_the_subgradient(world):
    """Stochastic subgradient descent with k = -1 is the perceptron (notes 000 and 004)."""
    X, y = world
    w, b = np.zeros(X.shape[1]), 0.0
    for x, label in zip(X, y, strict=True):
        g, g0 = perceptron_subgradient([x], [label], w, b)
        w, b = w - g, b - g0
    model = fitted(Perceptron, X, y, max_iter=1, shuffle=False)
    np.testing.assert_array_equal(model.coef_[0], w)
    assert model.intercept_[0] == b


def best_margin(X, y, bias, slack):
    """The margin of the run's space, written out: private features included."""
    Z = np.hstack([X, np.full((len(X), 1), float(bias)), slack * np.eye(len(X))])
    return separability(Z, y, fit_intercept=False).margin


@pytest.mark.parametrize("learner", ADDITIVE)
@given(world=worlds(), options=conventions, data=st.data(), single=st.booleans())
def test_every_fit_carries_a_bracket_that_holds(learner, world, options, data, single):
    X, y = world
    weight = data.draw(st.lists(st.sampled_from([0.5, 1, 2]), min_size=len(y), max_size=len(y)))
    model = fitted(
        learner,
        X.astype(np.float32) if single else X,
        y,
        fit={"sample_weight": weight},
        max_iter=30,
        random_state=0,
        **options,
    )
    true = best_margin(X, y, options["fit_intercept"], options["slack"])
    assert 0 <= model.margin_.lower <= true.upper
    assert true.lower <= model.margin_.upper <= model.radius_ * (1 + 1e-5)
    assert (model.margin_.lower > 0) == (model.converged_ and options["tie"] == "mistake") or (
        options["tie"] != "mistake"
    )
    ends = (model.radius_, model.margin_.lower)
    told = {"step_ratio": max(weight) / min(weight), "update_margin": options["margin"]}
    assert model.mistake_bound_ == novikoff_bound(*ends, **told, count="mistakes")
    assert model.update_bound_ == novikoff_bound(*ends, **told)
    assert model.n_mistakes_ <= model.mistake_bound_
    assert model.n_updates_ <= model.update_bound_


@pytest.mark.parametrize("learner", ADDITIVE)
@given(world=worlds())
def test_a_stream_carries_an_upper_end(learner, world):
    X, y = world
    model = learner(shuffle=False)
    for i in range(len(y)):
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[-1, 1])
    assert best_margin(X, y, True, 0.0).lower <= model.margin_.upper
    assert model.margin_.lower == 0.0
    assert model.mistake_bound_ == np.inf


def test_another_start_and_other_data_are_allowed_for():
    X, y = np.array([[2.0, 1.0], [-1.0, -2.0]]), np.array([1, -1])
    true = separability(np.hstack([X, np.ones((2, 1))]), y, fit_intercept=False).margin
    model = Perceptron(shuffle=False).fit(X, y, coef_init=[-30.0, 5.0], intercept_init=3.0)
    assert 0 < model.margin_.lower <= true.upper
    assert model.margin_.upper >= true.lower
    model = (
        Perceptron(warm_start=True, shuffle=False)
        .fit(X, y)
        .fit(X[:, ::-1].repeat(2, 0), [1, 1, -1, -1])
    )
    assert model.converged_
    assert model.margin_.lower == 0.0  # the last pass did not see all of it


def test_as_many_other_examples_are_other_data():
    """A warm start was on both of two data sets of one length, which nothing separates."""
    A, B = (
        np.array([[0.0, 1], [0, 2], [1, 1], [1, 2]]),
        np.array([[5.0, 5], [6, 5], [-5, -5], [-6, -5]]),
    )
    y, z = [0, 1, 1, 0], [1, 1, 0, 0]
    for first in ("fit", "partial_fit"):
        model = Perceptron(warm_start=True, max_iter=50, random_state=0)
        if first == "partial_fit":
            model.fit(B, z).partial_fit(A, y)
        else:
            with pytest.warns(ConvergenceWarning):
                model.fit(A, y)
        model.fit(B, z).fit(B, z)
        assert model.converged_
        assert model.margin_.lower == 0.0
        assert model.mistake_bound_ == np.inf
        if first == "fit":
            assert model.dual_coef_.sum() == model.mistakes_[50:].sum()
