"""No hidden copies: the peak of a fit is the data plus a little per row and per column."""

import tracemalloc

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys
from scipy import sparse

from laws.learners import ADDITIVE, LEARNERS, fitted
from novikoff import SecondOrderPerceptron, VotedPerceptron
from novikoff.learners import DUALS

pytestmark = pytest.mark.heavy  # `make quick` leaves it out

N, D = 20_000, 200


def peak(work):
    """The most bytes that a warm call holds at a time."""
    work()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


EVERY_TYPE = [(ADDITIVE[0], dtype) for dtype in ("float32", "uint8", "bool")]


@pytest.mark.parametrize(
    ("learner", "dtype"), [*((one, "float64") for one in LEARNERS), *EVERY_TYPE]
)
@pytest.mark.parametrize("shuffle", [False, True])
def test_dense_data_is_not_copied(learner, dtype, shuffle):
    random = np.random.default_rng(0)
    X = (random.random((N, D)) < 0.5).astype(dtype)
    y = X[:, 0] > 0
    options = {"max_iter": 2, "shuffle": shuffle, "random_state": 0}  # both calls are alike
    per_row = peak(lambda: fitted(learner, X, y, **options)) / N
    kept = D * X.itemsize / 4 if learner is VotedPerceptron else 0  # the mistakes are kept
    kept += 8 * (D + 1) ** 2 / N if learner is SecondOrderPerceptron else 0  # and a matrix
    assert per_row < 64 + kept
    model = fitted(learner, X, y, **options)
    if learner is not VotedPerceptron:
        assert peak(lambda: model.predict(X)) / N < 32


@pytest.mark.parametrize("learner", ADDITIVE[:2])
def test_sparse_data_is_not_copied(learner):
    X = sparse.random_array((N, 5000), density=0.02, format="csr", rng=0, dtype=np.float32)
    X.sort_indices()
    y = np.arange(N) % 2
    bytes_given = X.data.nbytes + X.indices.nbytes
    assert peak(lambda: fitted(learner, X, y, max_iter=2)) < bytes_given / 5


def test_voting_memory_does_not_grow_with_the_rows_predicted():
    random = np.random.default_rng(0)
    X = random.standard_normal((2000, 20)).astype(np.float32)
    model = fitted(VotedPerceptron, X, random.integers(0, 2, 2000), max_iter=3)
    assert model.n_mistakes_ > 2000
    few, many = (random.standard_normal((n, 20)).astype(np.float32) for n in (20_000, 200_000))
    growth = peak(lambda: model.decision_function(many)) - peak(
        lambda: model.decision_function(few)
    )
    assert growth / (len(many) - len(few)) < 3 * 8  # the votes themselves, and what is returned


def test_a_vote_keeps_mistakes_and_no_weight_vectors():
    random = np.random.default_rng(0)
    X = random.standard_normal((500, 10))
    model = fitted(VotedPerceptron, X, random.integers(0, 2, 500), max_iter=20)
    kept = sum(block.shape[0] for block in model._state.history.support)
    assert kept == np.count_nonzero(model.dual_coef_) <= 500 < model.n_mistakes_


def test_a_stream_of_rows_takes_no_more_and_more_memory():
    from novikoff import AveragedPerceptron

    model = AveragedPerceptron()
    x, labels = np.ones((1, 50)), [np.array([0]), np.array([1])]
    model.partial_fit(x, labels[0], classes=[0, 1])

    def more():
        for k in range(10_000):
            model.partial_fit(x, labels[k % 2])

    more()
    tracemalloc.start()
    more()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 100_000  # an object for each call would take more


@pytest.fixture
def counting():
    """Let numba count what compiled code allocates and frees."""
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


@pytest.mark.usefixtures("counting")
@pytest.mark.parametrize("learner", [*LEARNERS, *DUALS])
def test_what_kernels_make_is_freed(learner):
    """References are counted only in kernels that say that they make arrays."""
    X = (np.random.default_rng(0).random((60, 6)) < 0.5).astype(float)
    covariance = "covariance" in learner().get_params()

    def held():
        counted = rtsys.get_allocation_stats()
        return counted.alloc - counted.free

    def work():
        for form in (np.asarray, sparse.csr_array):
            full = {"covariance": "full"} if covariance and form is np.asarray else {}
            for y in (X[:, 0], X[:, 0] + X[:, 1] * learner()._takes_many_classes):
                model = fitted(learner, form(X), y, max_iter=3, **full)
                model.decision_function(form(X))
                model.partial_fit(form(X), y)

    work()  # the first time compiles
    before = held()
    work()
    assert held() == before
