"""What holds for ROMMA: each update is the shortest vector that it is defined to be."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

import naive_kernels
from laws.kernels import assert_same, crowds, fitted, in_blocks_of, kernels
from novikoff import MaxMargin, Romma, novikoff_bound
from novikoff.learners.romma import shortest
from worlds import planted, worlds

UPDATES = ("mistake", "margin")
small = st.integers(-3, 3)


@given(w=st.tuples(small, small, small), x=st.tuples(small, small, small).filter(any))
def test_an_update_is_the_twins(w, x):
    for y in (-1, 1):
        m, q, xx = (naive_kernels.inner(*pair) for pair in ((w, x), (w, w), (x, x)))
        if y * m >= 1:
            continue
        found = shortest(float(y * m), float(q), float(xx))
        exactly = naive_kernels.shortest(w, x, y)
        if exactly is None:
            assert np.isnan(found).all()
            assert m * m == q * xx  # opposite to w
        else:
            np.testing.assert_allclose(found, [float(v) for v in exactly], rtol=1e-12)


@given(w=st.tuples(small, small), x=st.tuples(small, small).filter(any), y=st.sampled_from([-1, 1]))
def test_the_twin_is_the_definition(w, x, y):
    """A general solver finds nothing shorter, and the two constraints are met."""
    shares = naive_kernels.shortest(w, x, y)
    if shares is None:
        return
    v = [shares[0] * a + shares[1] * y * b for a, b in zip(w, x, strict=True)]
    inner = naive_kernels.inner
    assert y * inner(v, x) >= 1
    assert inner(v, w) >= inner(w, w)
    constraints = [
        {"type": "ineq", "fun": lambda u: y * u @ x - 1},
        {"type": "ineq", "fun": lambda u: u @ w - np.dot(w, w)},
    ]
    start = np.array([float(a) for a in v]) * 1.5 + 0.1
    best = minimize(lambda u: u @ u, start, jac=lambda u: 2 * u, constraints=constraints)
    if best.success:
        assert float(inner(v, v)) <= best.fun * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize("update_on", UPDATES)
@given(world=worlds(), seed=st.integers(0, 9))
def test_the_run_is_the_twins(update_on, world, seed):
    """Rows moved a little at random, so that no score is 0 or 1 but for rounding."""
    X = world.X + np.random.default_rng(seed).uniform(0.01, 0.1, world.X.shape)
    w, mistakes = naive_kernels.romma(
        X.tolist(), world.y.tolist(), epochs=1, edge=int(update_on == "margin")
    )
    if max(abs(float(a)) for a in w) > 1e6:
        return  # where the weights grow without end, so does rounding
    model = fitted(
        Romma, X, world.y, kernel="linear", update_on=update_on, shuffle=False, max_iter=1
    )
    assert model.mistakes_.tolist() == mistakes
    np.testing.assert_allclose(model.coef_[0], [float(a) for a in w], rtol=1e-6, atol=1e-6)
    assert model._state.ledger.squares[0] == pytest.approx((model.coef_[0] ** 2).sum(), rel=1e-6)


@pytest.mark.parametrize("update_on", UPDATES)
@given(data=st.data(), seed=st.integers(0, 99))
def test_the_mistake_bound(update_on, data, seed):
    (X, y), u, _ = data.draw(planted(fit_intercept=False))
    for options in ({"kernel": "linear"}, {"kernel": "poly", "degree": 1, "coef0": 0.0}):
        options |= {"gamma": 1.0, "max_iter": 300, "random_state": seed, "record": True}
        model = fitted(Romma, X, y, update_on=update_on, **options)
        margin = (y * (X @ u)).min() / np.linalg.norm(u)
        assert model.n_mistakes_ <= novikoff_bound(model.radius_, margin) * (1 + 1e-9)
        # all separators meet the constraints, so the weights are no longer than the shortest
        assert model._state.ledger.squares[0] <= (1 + 1e-6) / margin**2
        made = model.trace_
        for delta in (1.0, 0.5, 0.1):  # theorem 5
            far = (made.label * made.score < 1.0 - delta).sum()
            assert far <= novikoff_bound(model.radius_, margin * delta) * (1 + 1e-9)
        if update_on == "mistake" and model.converged_:
            assert (y * model.decision_function(X) > 0).all()


@pytest.mark.parametrize("update_on", UPDATES)
@given(crowd=crowds(), kernel=kernels(), seed=st.integers(0, 9), size=st.integers(1, 4))
def test_blocks_and_forms_change_no_more_than_rounding(update_on, crowd, kernel, seed, size):
    X = crowd.X + np.random.default_rng(seed).uniform(0.01, 0.1, crowd.X.shape)
    options = {"update_on": update_on, "random_state": seed, "max_iter": 1} | kernel.options
    whole = fitted(Romma, X, crowd.y, **options)
    if whole._state.ledger.squares.max() > 1e6:
        return
    with in_blocks_of(size):
        for form in (np.asarray, sparse.csr_array):
            model = fitted(Romma, form(X), crowd.y, **options)
            np.testing.assert_array_equal(model.mistakes_, whole.mistakes_)
            np.testing.assert_allclose(
                model.decision_function(form(X)), whole.decision_function(X), rtol=1e-5, atol=1e-5
            )
    K = np.array([[float(kernel.exactly(a, b)) for b in X.tolist()] for a in X.tolist()])
    given_table = fitted(Romma, K, crowd.y, **(options | {"kernel": "precomputed"}))
    np.testing.assert_array_equal(given_table.mistakes_, whole.mistakes_)
    np.testing.assert_allclose(
        given_table.decision_function(K), whole.decision_function(X), rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("update_on", UPDATES)
def test_weights_and_rows_are_the_same_machine(update_on):
    """`linear` keeps the weights, the polynomial of degree 1 the rows."""
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 700)
    X = np.hstack([3.0 * np.eye(3)[y], np.ones((700, 1))]) + random.uniform(-0.5, 0.5, (700, 4))
    options = {"update_on": update_on, "max_iter": 3, "random_state": 0}
    plain = fitted(Romma, X, y, kernel="linear", **options)
    rows = fitted(Romma, X, y, kernel="poly", degree=1, coef0=0.0, gamma=1.0, **options)
    np.testing.assert_array_equal(plain.mistakes_, rows.mistakes_)
    np.testing.assert_allclose(plain.coef_, rows.dual_coef_ @ rows.support_vectors_, rtol=1e-6)
    assert plain.coef_.shape == (3, 4)
    assert not hasattr(plain, "support_")
    assert not hasattr(rows, "coef_")
    assert (rows.updates_ >= rows.mistakes_).all()
    np.testing.assert_allclose(plain._state.ledger.squares, (plain.coef_**2).sum(axis=1), rtol=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_stream_is_one_pass(kernel):
    random = np.random.default_rng(0)
    X = random.standard_normal((300, 5))
    y = np.argmax(X[:, :3], axis=1)
    options = {"kernel": kernel, "gamma": 0.2, "shuffle": False}
    whole = fitted(Romma, X, y, max_iter=1, **options)
    stream = Romma(**options)
    for places in np.split(np.arange(300), [1, 7, 120]):
        stream.partial_fit(X[places], y[places], classes=[0, 1, 2])
    np.testing.assert_array_equal(stream.mistakes_, whole.mistakes_)
    np.testing.assert_allclose(
        stream.decision_function(X), whole.decision_function(X), rtol=1e-6, atol=1e-6
    )
    if kernel == "rbf":
        assert_same(whole, stream, but=("dual_coef_",))


def test_aggressive_romma_tends_to_the_widest_separator():
    random = np.random.default_rng(3)
    X = random.standard_normal((60, 3))
    y = np.where(X @ [1.0, 2.0, -1.0] > 0, 1, -1)
    X += 0.2 * y[:, None] * np.array([1.0, 2.0, -1.0])
    model = fitted(Romma, X, y, kernel="linear", max_iter=3000, random_state=0)
    widest = MaxMargin(fit_intercept=False).fit(X, y)
    least = (y * model.decision_function(X)).min() / np.linalg.norm(model.coef_)
    assert least == pytest.approx(widest.margin_.upper, rel=0.01)


def test_rows_that_cannot_be_met_change_nothing():
    model = Romma(kernel="linear", shuffle=False)
    model.partial_fit([[2.0, 0.0]], [1], classes=[0, 1])
    np.testing.assert_array_equal(model.coef_, [[0.5, 0.0]])
    model.partial_fit([[1.0, 0.0]], [0])  # points away from the weights: no separator
    np.testing.assert_array_equal(model.coef_, [[0.5, 0.0]])
    model.partial_fit([[0.0, 0.0]], [1])
    np.testing.assert_array_equal(model.coef_, [[0.5, 0.0]])
    assert model.n_mistakes_ == 3
    assert model.updates_.tolist() == [1]
    model.partial_fit([[1.0, 0.0]], [1])  # parallel, and shorter: it alone decides
    np.testing.assert_array_equal(model.coef_, [[1.0, 0.0]])


@given(crowd=crowds(), seed=st.integers(0, 9))
def test_every_update_counts(crowd, seed):
    """One that makes the weights anew too: it leaves no trace in what the rows before had added."""
    X, y = crowd
    X = X + np.random.default_rng(seed).standard_normal(X.shape)
    model = fitted(Romma, X, y, kernel="poly", max_iter=3, record=True, update_on="margin")
    assert model.updates_.sum() == len(model.trace_)
    np.testing.assert_array_equal(
        model.updates_, np.bincount(model.trace_.epoch, minlength=len(model.updates_))
    )


def test_a_run_that_is_stuck_says_so():
    """The second example points away from the weights exactly: more epochs would not help."""
    with pytest.warns(ConvergenceWarning, match="stopped as nothing could be changed"):
        Romma(kernel="linear", shuffle=False, max_iter=50).fit([[2.0], [1.0]], [1, 0])


def test_options():
    with pytest.raises(ValueError, match="update_on='always' was given, but it must be one of"):
        Romma(update_on="always").fit(np.eye(2), [0, 1])


def test_the_twin_by_hand():
    w, mistakes = naive_kernels.romma([[1, 0], [0, 1]], [1, 1])
    assert w == [Fraction(1), Fraction(1)]
    assert mistakes == [2]
