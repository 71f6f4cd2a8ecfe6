"""What holds for the kernel perceptron: it equals its twin, however the work is divided."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import naive_kernels
from laws.kernels import (
    EPOCHS,
    assert_same,
    conventions,
    crowds,
    fitted,
    in_blocks_of,
    kernels,
)
from novikoff import KernelPerceptron, Perceptron, novikoff_bound
from novikoff.learners.kernels import support
from worlds import conventions as linear_conventions, planted, worlds

READINGS = ("last", "averaged", "voted")


def as_table(told, twin, classes):
    """The twin's scores as the library gives them."""
    two = len(classes) == 2
    return np.array(
        [
            float((s[classes[1]] - s[classes[0]]) / 2 if two else s[c])
            for s in told
            for c in (classes[:1] if two else classes)
        ]
    ).reshape((len(told),) if two else (len(told), len(classes)))


@given(crowd=crowds(), kernel=kernels(), options=conventions, size=st.sampled_from([1, 2, 3, 256]))
def test_the_run_is_the_twins(crowd, kernel, options, size):
    with in_blocks_of(size):
        model = fitted(KernelPerceptron, *crowd, **EPOCHS, **kernel.options, **options)
    X, y = crowd.X.tolist(), crowd.y.tolist()
    twin = naive_kernels.perceptron(X, y, kernel.exactly, epochs=EPOCHS["max_iter"], **options)
    assert model.mistakes_.tolist() == twin.mistakes
    classes = sorted(set(y))
    of_outputs = classes if len(classes) > 2 else classes[1:]
    table = dict(zip(model.support_.tolist(), model.dual_coef_.T, strict=True))
    for k, c in enumerate(of_outputs):
        assert {i: row[k] for i, row in table.items() if row[k]} == {
            i: a for i, a in twin.alpha[c].items() if a
        }
    squares = [float(twin.square(c)) for c in of_outputs]
    if model._state.is_joint:
        squares = [sum(squares)]
    np.testing.assert_array_equal(model._state.ledger.squares, squares)
    assert model.radius_**2 == pytest.approx(float(max(kernel.exactly(x, x) for x in X)))


@pytest.mark.parametrize("reading", READINGS)
@given(crowd=crowds(max_rows=7), kernel=kernels(), options=conventions, rows=st.data())
def test_every_reading_is_the_twins(reading, crowd, kernel, options, rows):
    model = fitted(
        KernelPerceptron, *crowd, predict_with=reading, **EPOCHS, **kernel.options, **options
    )
    X, y = crowd.X.tolist(), crowd.y.tolist()
    twin = naive_kernels.perceptron(X, y, kernel.exactly, epochs=EPOCHS["max_iter"], **options)
    told = [getattr(twin, reading)(x) for x in X]
    expected = as_table(told, twin, sorted(set(y)))
    if reading == "voted" and expected.ndim == 1:
        expected = 2 * expected  # the share of one class less that of the other
    np.testing.assert_allclose(model.decision_function(crowd.X), expected, rtol=1e-12, atol=1e-12)
    clear = [sorted(s.values())[-1] - sorted(s.values())[-2] > Fraction(1, 10**9) for s in told]
    labels = [twin.best(s) for s in told]
    exact = reading != "averaged"  # a mean is rounded
    chosen = np.full(len(X), True) if exact else np.array(clear)
    np.testing.assert_array_equal(model.predict(crowd.X)[chosen], np.array(labels)[chosen])


@given(world=worlds(), options=linear_conventions)
def test_the_linear_kernel_makes_the_perceptrons_mistakes(world, options):
    options = {"tie": options["tie"]}
    linear = fitted(Perceptron, *world, fit_intercept=False, **EPOCHS, **options)
    model = fitted(KernelPerceptron, *world, kernel="linear", **EPOCHS, **options)
    np.testing.assert_array_equal(model.mistakes_, linear.mistakes_)
    np.testing.assert_array_equal(np.sort(model.support_), np.flatnonzero(linear.dual_coef_))
    weights = model.dual_coef_ @ model.support_vectors_
    np.testing.assert_array_equal(weights.reshape(1, -1), linear.coef_)
    np.testing.assert_array_equal(model.predict(world.X), linear.predict(world.X))
    assert model.margin_.upper == pytest.approx(linear.margin_.upper, rel=1e-6, abs=1e-5)


@pytest.mark.parametrize("name", ["rbf", "poly", "linear"])
@given(crowd=crowds(), seed=st.integers(0, 9), options=conventions)
def test_a_seed_is_an_order(name, crowd, seed, options):
    """The same seed is the same run, whatever the form of the data."""
    kernel = {"kernel": name, "gamma": 0.5, "random_state": seed, "max_iter": 3}
    model = fitted(KernelPerceptron, *crowd, **kernel, **options)
    again = fitted(KernelPerceptron, *crowd, **kernel, **options)
    assert_same(model, again, rows=crowd.X)
    rows = sparse.csr_array(crowd.X)
    if name != "rbf":
        assert_same(model, fitted(KernelPerceptron, rows, crowd.y, **kernel, **options))
        np.testing.assert_array_equal(
            model.decision_function(crowd.X), model.decision_function(rows)
        )


@given(crowd=crowds(), kernel=kernels(), options=conventions, sizes=st.data())
def test_blocks_change_nothing(crowd, kernel, options, sizes):
    whole = fitted(KernelPerceptron, *crowd, **EPOCHS, **kernel.options, **options)
    for form in (np.asarray, sparse.csr_matrix, sparse.csr_array):
        with in_blocks_of(sizes.draw(st.integers(1, 5))):
            before, support.CHUNK = support.CHUNK, sizes.draw(st.integers(1, 5))
            try:
                model = fitted(
                    KernelPerceptron, form(crowd.X), crowd.y, **EPOCHS, **kernel.options, **options
                )
                assert_same(whole, model, rows=crowd.X)
                for reading in READINGS:
                    np.testing.assert_allclose(
                        model.set_params(predict_with=reading).decision_function(form(crowd.X)),
                        whole.set_params(predict_with=reading).decision_function(crowd.X),
                        rtol=1e-12,
                        atol=1e-12,
                    )
                whole.set_params(predict_with="last")
            finally:
                support.CHUNK = before


@given(crowd=crowds(), kernel=kernels(), options=conventions)
def test_precomputed_is_computed(crowd, kernel, options):
    X = crowd.X
    computed = fitted(KernelPerceptron, *crowd, **EPOCHS, **kernel.options, **options)
    K = np.array([[float(kernel.exactly(a, b)) for b in X.tolist()] for a in X.tolist()])
    for table in (K, sparse.csr_array(K)):
        given_table = fitted(
            KernelPerceptron, table, crowd.y, kernel="precomputed", **EPOCHS, **options
        )
        assert_same(computed, given_table, but=("support_vectors_",))
        assert not hasattr(given_table, "support_vectors_")
        for reading in READINGS:
            np.testing.assert_array_equal(
                computed.set_params(predict_with=reading).decision_function(X),
                given_table.set_params(predict_with=reading).decision_function(table),
            )
        computed.set_params(predict_with="last")
    called = fitted(
        KernelPerceptron,
        *crowd,
        kernel=lambda A, B: [[float(kernel.exactly(a, b)) for b in B.tolist()] for a in A.tolist()],
        **EPOCHS,
        **options,
    )
    assert_same(computed, called, rows=X)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@given(crowd=crowds(), kernel=kernels(), options=conventions, data=st.data())
def test_a_stream_is_one_pass(form, crowd, kernel, options, data):
    whole = fitted(KernelPerceptron, *crowd, max_iter=1, shuffle=False, **kernel.options, **options)
    cuts = data.draw(st.sets(st.integers(1, len(crowd.y) - 1)))
    model = KernelPerceptron(shuffle=False, **kernel.options, **options)
    classes = np.unique(crowd.y)
    for places in np.split(np.arange(len(crowd.y)), sorted(cuts)):
        model = pickle.loads(pickle.dumps(model))
        model.partial_fit(form(crowd.X)[places], crowd.y[places], classes=classes)
    assert_same(whole, model)
    for reading in READINGS:
        np.testing.assert_array_equal(
            whole.set_params(predict_with=reading).decision_function(crowd.X),
            model.set_params(predict_with=reading).decision_function(crowd.X),
        )


@given(crowd=crowds(max_rows=7), kernel=kernels(), options=conventions, data=st.data())
def test_new_classes_in_mid_stream(crowd, kernel, options, data):
    cuts = data.draw(st.sets(st.integers(1, len(crowd.y) - 1)))
    model = KernelPerceptron(shuffle=False, **kernel.options, **options)
    twin = naive_kernels.Machine(kernel.exactly, rows=crowd.X.tolist(), **options)
    made = 0
    for places in np.split(np.arange(len(crowd.y)), sorted(cuts)):
        model.partial_fit(crowd.X[places], crowd.y[places])
        twin.know(sorted(set(crowd.y[places].tolist())))
        made += sum(twin.learn(i, twin.rows[i], int(crowd.y[i])) for i in places.tolist())
    assert model.n_mistakes_ == made
    classes = sorted(twin.alpha)
    assert model.classes_.tolist() == classes
    for reading in READINGS[:2]:  # of a class that did not take part, a vote knows nothing
        told = [getattr(twin, reading)(x) for x in twin.rows]
        np.testing.assert_allclose(
            model.set_params(predict_with=reading).decision_function(crowd.X),
            as_table(told, twin, classes),
            rtol=1e-12,
            atol=1e-12,
        )
    fourth = data.draw(st.sampled_from(READINGS))
    assert set(model.set_params(predict_with=fourth).predict(crowd.X)) <= set(classes)


@pytest.mark.parametrize("tie", ["mistake", "negative", "positive"])
@given(data=st.data(), seed=st.integers(0, 99))
def test_novikoff_in_feature_space(tie, data, seed):
    """The kernel `<x, x'> + 1` is the perceptron with a bias."""
    (X, y), u, b = data.draw(planted(fit_intercept=True))
    options = {"kernel": "poly", "gamma": 1.0, "degree": 1, "coef0": 1.0, "tie": tie}
    model = KernelPerceptron(max_iter=10_000, random_state=seed, **options).fit(X, y)
    Z, v = np.hstack([X, np.ones((len(X), 1))]), np.append(u, b)
    margin = (y * (Z @ v)).min() / np.linalg.norm(v)
    assert model.converged_
    assert model.n_mistakes_ <= novikoff_bound(model.radius_, margin) * (1 + 1e-12)
    assert model.n_mistakes_ <= model.mistake_bound_
    assert model.score(X, y) == 1.0
    own = y * model.decision_function(X) / np.sqrt(model._state.ledger.squares[0])
    assert model.margin_.lower <= own.min() <= model.margin_.upper
    assert model.margin_.upper >= margin
    if tie == "mistake":
        assert model.margin_.lower == pytest.approx(own.min(), rel=1e-6)


@pytest.mark.parametrize("multi_class", ["joint", "ovr"])
@given(crowd=crowds(), seed=st.integers(0, 9))
def test_bounds_of_several_classes(multi_class, crowd, seed):
    """Different rows are separable by a narrow Gaussian, whatever their labels."""
    X, places = np.unique(crowd.X, axis=0, return_index=True)
    y = crowd.y[places]
    if len(set(y.tolist())) < 2:
        return
    options = {"kernel": "rbf", "gamma": 8.0, "multi_class": multi_class}
    model = KernelPerceptron(max_iter=1000, random_state=seed, **options).fit(X, y)
    assert model.converged_
    assert model.score(X, y) == 1.0
    assert model.n_mistakes_ <= model.mistake_bound_  # infinite where rounding hides the margin
    assert 0 <= model.margin_.lower <= model.margin_.upper
    if len(model.classes_) > 2 and multi_class == "joint":
        S = model.decision_function(X)
        own = S[np.arange(len(y)), np.searchsorted(model.classes_, y)].copy()
        S[np.arange(len(y)), np.searchsorted(model.classes_, y)] = -np.inf
        least = (own - S.max(axis=1)).min() / np.sqrt(model._state.ledger.squares.sum())
        assert model.margin_.lower == pytest.approx(least, rel=1e-6, abs=1e-9)


def test_single_precision_is_kept():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((700, 20)), random.integers(0, 3, 700)
    double = fitted(KernelPerceptron, X, y, gamma=0.1, random_state=0)
    single = fitted(KernelPerceptron, X.astype(np.float32), y, gamma=0.1, random_state=0)
    assert single.support_vectors_.dtype == np.float32
    assert double.support_vectors_.dtype == np.float64
    assert single.n_mistakes_ == pytest.approx(double.n_mistakes_, rel=0.02)
    assert (single.predict(X) == double.predict(X)).mean() > 0.99


def test_scores_kept_over_epochs_are_those_of_the_support():
    """What is added up pass by pass is what the support gives at once: rows of many blocks."""
    random = np.random.default_rng(1)
    X, y = random.standard_normal((900, 5)), random.integers(0, 4, 900)
    model = fitted(KernelPerceptron, X, y, gamma=0.3, max_iter=4, random_state=0)
    run, alpha = model._state, model.dual_coef_.T
    squares = ((model.support_vectors_[:, None] - model.support_vectors_[None]) ** 2).sum(axis=2)
    K = np.exp(-0.3 * squares)
    squares = np.einsum("ic,ij,jc->c", alpha, K, alpha)
    squares = squares.sum(keepdims=True) if run.is_joint else squares
    np.testing.assert_allclose(run.ledger.squares, squares, rtol=1e-9)
