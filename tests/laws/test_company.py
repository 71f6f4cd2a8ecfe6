"""What is predicted of a row does not depend on the rows it comes with, to the last bit."""

import numpy as np
import pytest
from scipy import sparse

from laws.learners import fitted
from novikoff import KernelPerceptron, Romma, VotedPerceptron
from novikoff.learners import LEARNERS

KERNELS = [{"kernel": "rbf"}, {"kernel": "poly", "degree": 2}, {"kernel": "linear"}]


def assert_the_same_alone(model, X, read="decision_function"):
    """In cuts of all sizes, in another order, and among others."""
    predict = getattr(model, read)
    together = predict(X)
    for size in (1, 13):
        alone = [predict(X[k : k + size]) for k in range(0, X.shape[0], size)]
        np.testing.assert_array_equal(np.concatenate(alone), together)
    order = np.random.default_rng(1).permutation(X.shape[0])
    np.testing.assert_array_equal(predict(X[order]), together[order])


def some(n, d, dtype, n_classes, seed=0):
    random = np.random.default_rng(seed)
    return random.standard_normal((n, d)).astype(dtype), np.arange(n) % n_classes


def on_the_boundary(model, X, dtype):
    """Neighbours that the model gives different labels, when it sees them together."""
    low, high = X[: len(X) // 2], X[len(X) // 2 :]
    labels = model.predict(low)
    low, high, labels = (a[labels != model.predict(high)] for a in (low, high, labels))
    assert len(labels)
    for _ in range(30 if dtype == np.float32 else 60):
        middle = ((low + high) / 2).astype(dtype)
        below = (model.predict(middle) == labels)[:, None]
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.vstack([low, high])


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "d"), [(30, 2), (600, 40)])
@pytest.mark.parametrize("kernel", KERNELS)
def test_labels_of_kernel_machines(kernel, n, d, dtype, n_classes):
    X, y = some(n, d, dtype, n_classes)
    new, _ = some(120, d, dtype, n_classes, seed=2)
    machine = fitted(KernelPerceptron, X, y, max_iter=1, random_state=0, **kernel)
    for predict_with in ("last", "averaged", "voted"):
        machine.set_params(predict_with=predict_with)
        assert_the_same_alone(machine, on_the_boundary(machine, new, dtype), "predict")
    romma = fitted(Romma, X, y, max_iter=1, random_state=0, **kernel)
    assert_the_same_alone(romma, on_the_boundary(romma, new, dtype), "predict")


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("learner", LEARNERS)
def test_scores_of_linear_learners(learner, n_classes, form):
    if not learner._takes_many_classes:
        n_classes = 2
    X, y = some(200, 17, np.float64, n_classes)
    X = np.float64(X > 0) if "Winnow" in learner.__name__ else X
    assert_the_same_alone(fitted(learner, form(X), y, max_iter=2), form(X[:130]))


@pytest.mark.parametrize("multi_class", ["joint", "ovr"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_labels_by_votes(n_classes, dtype, multi_class):
    """Where the scores of some voter are a tie, but for rounding."""
    X, y = some(600, 40, dtype, n_classes)
    new, _ = some(120, 40, dtype, n_classes, seed=2)
    model = fitted(VotedPerceptron, X, y, max_iter=1, random_state=0, multi_class=multi_class)
    assert_the_same_alone(model, on_the_boundary(model, new, dtype))
