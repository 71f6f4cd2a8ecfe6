"""What holds on a budget: never more rows than allowed, the twin's run, and the published bound."""

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import naive_kernels
from laws.kernels import crowds, fitted, in_blocks_of
from novikoff import KernelPerceptron, forgetron_bound
from novikoff.errors import ParameterError
from novikoff.learners.kernels.forgetron import shrinking
from worlds import worlds

FORMS = [np.asarray, sparse.csr_array]


@pytest.mark.parametrize("form", FORMS)
@given(
    world=worlds(),
    seed=st.integers(0, 9),
    budget=st.integers(1, 5),
    size=st.sampled_from([1, 3, 99]),
)
def test_the_run_is_the_twins(form, world, seed, budget, size):
    """Rows moved a little at random, so that no score is 0 but for the first."""
    X = world.X + np.random.default_rng(seed).uniform(0.01, 0.1, world.X.shape)
    options = {"kernel": "poly", "gamma": 1.0, "degree": 2, "shuffle": False, "max_iter": 3}
    with in_blocks_of(size):
        model = fitted(KernelPerceptron, form(X), world.y, budget=budget, **options)
    kernel = naive_kernels.poly(1, 2, 1)
    radius = max(float(kernel(x, x)) for x in X.tolist()) ** 0.5
    kept, mistakes, _ = naive_kernels.forgetron(
        X.tolist(), world.y.tolist(), kernel, budget, radius, epochs=3
    )
    assert model.mistakes_.tolist() == mistakes
    oldest = model._state.history.oldest
    assert np.roll(model.support_, -oldest).tolist() == [j for j, _ in kept]
    np.testing.assert_allclose(
        np.roll(model.dual_coef_[0], -oldest), [a for _, a in kept], rtol=1e-7
    )
    rows = model.support_vectors_
    rows = rows.toarray() if sparse.issparse(rows) else rows
    np.testing.assert_array_equal(rows, X[model.support_])
    length = sum(a * b * float(kernel(X[i], X[j])) for i, a in kept for j, b in kept)
    assert model._state.ledger.squares[0] == pytest.approx(length, rel=1e-6, abs=1e-9)


@given(crowd=crowds(), budget=st.integers(1, 4), seed=st.integers(0, 9), data=st.data())
def test_the_budget_is_kept_by_every_number_of_classes(crowd, budget, seed, data):
    cuts = data.draw(st.sets(st.integers(1, len(crowd.y) - 1)))
    model = KernelPerceptron(gamma=0.5, budget=budget, random_state=seed)
    for places in np.split(np.arange(len(crowd.y)), sorted(cuts)):
        model = pickle.loads(pickle.dumps(model))
        model.partial_fit(crowd.X[places], crowd.y[places])
        assert len(model.support_) <= budget
    assert model.n_mistakes_ == model.mistakes_.sum()
    fit = fitted(KernelPerceptron, *crowd, gamma=0.5, budget=budget, random_state=seed)
    assert len(fit.support_) == min(budget, fit.n_mistakes_)
    K = np.exp(-0.5 * ((crowd.X[:, None] - fit.support_vectors_[None]) ** 2).sum(axis=2))
    S = (K @ fit.dual_coef_.T).squeeze(axis=1) if len(fit.classes_) == 2 else K @ fit.dual_coef_.T
    np.testing.assert_allclose(fit.decision_function(crowd.X), S, atol=1e-12)


def test_a_stream_is_one_pass():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((300, 4)), random.integers(0, 3, 300)
    options = {"gamma": 0.3, "budget": 20, "shuffle": False}
    whole = fitted(KernelPerceptron, X, y, max_iter=1, **options)
    stream = KernelPerceptron(**options)
    for places in np.split(np.arange(300), [7, 8, 200]):
        stream.partial_fit(X[places], y[places], classes=[0, 1, 2])
    np.testing.assert_array_equal(stream.mistakes_, whole.mistakes_)
    np.testing.assert_array_equal(stream.support_, whole.support_)
    np.testing.assert_allclose(stream.dual_coef_, whole.dual_coef_, rtol=1e-9)


def test_a_failed_block_leaves_the_rows_as_they_were():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((600, 4)), random.integers(0, 2, 600)
    model = KernelPerceptron(kernel="poly", budget=5, shuffle=False).partial_fit(X, y)
    before = pickle.dumps(model)
    X[-1] = 1e200  # in its last block
    with pytest.raises(ValueError, match="range"):
        model.partial_fit(X, y)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("flips", [0.02, 0.1, 0.3])
@given(seed=st.integers(0, 999))
def test_the_published_bound(kernel, flips, seed):
    """Two clouds far apart, some labels wrong: far more mistakes than rows kept."""
    random, n, budget = np.random.default_rng(seed), 1500, 90
    y = np.where(random.random(n) < 0.5, 1, -1)
    X = np.hstack([y[:, None], 0.2 * random.standard_normal((n, 2))])
    y = np.where(random.random(n) < flips, -y, y)
    model = KernelPerceptron(kernel=kernel, gamma=0.05, budget=budget, shuffle=False)
    model.partial_fit(X, y, classes=[-1, 1])
    u = np.array([1.0, 0.0, 0.0])  # the direction between the clouds, as a weight vector
    if kernel == "rbf":
        centres = np.array([u, -u])
        K = np.exp(-0.05 * ((X[:, None] - centres[None]) ** 2).sum(axis=2))
        length = np.sqrt(2 - 2 * np.exp(-0.05 * 4))
        s, R = (K[:, 0] - K[:, 1]) / length, 1.0
    else:
        s, R = X @ u, np.linalg.norm(X, axis=1).max()
    margin = R / shrinking(budget)[1] * (1 + 1e-12)
    hinge = np.maximum(0.0, 1 - y * s / margin).sum()
    bound = forgetron_bound(R, margin, budget, hinge_loss=hinge)
    if kernel == "linear":  # the radius was not known in the beginning
        model = fitted(
            KernelPerceptron, X, y, kernel="linear", budget=budget, shuffle=False, max_iter=1
        )
    assert model.n_mistakes_ <= bound < np.inf
    assert len(model.support_) <= budget


@given(seed=st.integers(0, 99))
def test_what_the_proof_says_of_forgotten_rows(seed):
    """Each is worth at most one over the root of the budget and one."""
    random = np.random.default_rng(seed)
    X, y = random.standard_normal((40, 2)).tolist(), random.choice([-1, 1], 40).tolist()
    for budget in (2, 5):
        _, _, forgotten = naive_kernels.forgetron(X, y, naive_kernels.linear, budget, 3.0)
        assert max(forgotten, default=0.0) <= (budget + 1) ** -0.5 * (1 + 1e-12)


def test_from_83_rows_on_the_harm_is_less_than_half():
    for budget, fine in ((82, False), (83, True), (1000, True)):
        U, worth = shrinking(budget)[1], (budget + 1) ** -0.5
        assert (worth**2 + 2 * worth * (1 + U) <= 15 / 32) == fine
        assert (forgetron_bound(1.0, 1.0, budget) < np.inf) == fine
    Phi, U = shrinking(83)
    assert (1 - Phi) * U**2 <= 1 / 32


def test_what_a_budget_excludes():
    X, y = np.eye(3), [0, 1, 2]
    for options, says in (
        ({"budget": 0}, "budget=0 was given"),
        ({"budget": 2.5}, "budget=2.5 was given"),
        ({"predict_with": "voted"}, "needs all rows that were ever erred on"),
        ({"kernel": "precomputed"}, "give a kernel that can be computed"),
        ({"multi_class": "ovr"}, "one decision among all classes"),
    ):
        with pytest.raises(ParameterError, match=says):
            KernelPerceptron(**({"budget": 5} | options)).fit(X, y)
    model = KernelPerceptron(budget=5).partial_fit(X, y)
    with pytest.raises(ParameterError, match="budget was 5 when the run began and is 6 now"):
        model.set_params(budget=6).partial_fit(X, y)
    with pytest.raises(ParameterError, match="must be a whole number"):
        forgetron_bound(1.0, 1.0, 0)


def test_what_a_run_on_a_budget_proves():
    X, y = np.array([[1.0, 0.1], [1.0, -0.1], [-1.0, 0.1]] * 50), [1, 1, 0] * 50
    model = KernelPerceptron(kernel="linear", budget=100, random_state=0).fit(X, y)
    assert model.converged_
    assert 0 < model.margin_.lower <= 1.0 <= model.margin_.upper == model.radius_
    assert model.mistake_bound_ == forgetron_bound(model.radius_, model.margin_.lower, 100)
    assert model.n_mistakes_ <= model.mistake_bound_ < np.inf
