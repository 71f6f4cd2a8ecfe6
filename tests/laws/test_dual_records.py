"""Every kernel machine records its updates, and gives its coefficients back."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import novikoff
from laws.kernels import fitted, in_blocks_of
from novikoff import DualTrace, KernelPerceptron, Perceptron, Romma
from novikoff.errors import ParameterError
from novikoff.learners.kernels.support import mixing

MACHINES = {
    "joint": (KernelPerceptron, {}),
    "ovr": (KernelPerceptron, {"multi_class": "ovr"}),
    "weights": (KernelPerceptron, {"class_weight": "balanced"}),
    "ovr-weights": (KernelPerceptron, {"multi_class": "ovr", "class_weight": {"a": 0.3, "d": 7}}),
    "budget": (KernelPerceptron, {"budget": 3}),
    "romma": (Romma, {"update_on": "mistake"}),
    "aggressive": (Romma, {}),
}
LABELS = np.array(["d", "a", "c", "b"])


def data_for(draw, n=18):
    """Numbers that round, of two classes or of four, dense or sparse, in both precisions."""
    random = np.random.default_rng(draw(st.integers(0, 99)))
    X = random.standard_normal((n, 3)).astype(draw(st.sampled_from([np.float32, np.float64])))
    X[random.random(X.shape) < 0.3] = 0.0
    K = draw(st.sampled_from([2, 4]))
    y = LABELS[random.integers(0, K, n)]
    y[:K] = LABELS[:K]
    return draw(st.sampled_from([np.asarray, sparse.csr_array]))(X), y


def by_example(model, n):
    """The coefficients of all examples; a budget can keep a row twice."""
    alpha = np.zeros((n, len(model.dual_coef_)))
    np.add.at(alpha, model.support_, model.dual_coef_.T)
    return alpha


def as_told(alpha):
    return alpha.T if alpha.shape[1] > 1 else alpha[:, 0]


@pytest.mark.parametrize("name", MACHINES)
@given(data=st.data(), rows=st.integers(1, 7))
def test_recording_changes_nothing_and_gives_the_coefficients_back(
    name, data, rows, tmp_path_factory
):
    (machine, options), (X, y) = MACHINES[name], data_for(data.draw)
    options = options | {"random_state": 0, "max_iter": 3}
    with in_blocks_of(rows):
        plain = fitted(machine, X, y, **options)
        model = fitted(machine, X, y, record=True, **options)
    for told in ("dual_coef_", "support_", "mistakes_"):
        np.testing.assert_array_equal(getattr(plain, told), getattr(model, told), strict=True)
    trace = model.trace_
    np.testing.assert_array_equal(trace.weights(len(trace)), as_told(by_example(model, len(y))))
    assert trace.mistakes[-1] <= model.n_mistakes_
    assert (trace.weights(0) == 0).all()
    outputs = model._state.outputs
    if outputs == 1 or not model._apart(outputs):
        assert trace.squared_norm[-1] == pytest.approx(model._state.ledger.squares.sum(), rel=1e-12)
    if trace.gained is None:
        np.testing.assert_array_equal(
            trace.label, np.where(y == model.classes_[1], 1, -1)[trace.example]
        )
    else:
        np.testing.assert_array_equal(model.classes_[trace.label], y[trace.example])
    path = tmp_path_factory.getbasetemp() / f"dual-{name}.safetensors"
    model.save(path)
    loaded, every = novikoff.load(path), range(len(trace) + 1)
    np.testing.assert_array_equal(loaded.trace_.weights(every), trace.weights(every))
    assert loaded.trace_.to_pandas().equals(trace.to_pandas())
    assert loaded.trace_.to_arrow().equals(trace.to_arrow())
    model.set_params(record=False).save(path)
    assert not hasattr(novikoff.load(path), "trace_")


@pytest.mark.parametrize("name", MACHINES)
@given(data=st.data())
def test_coefficients_on_the_way_are_those_of_a_run_that_stopped_there(name, data):
    (machine, options), (X, y) = MACHINES[name], data_for(data.draw)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(y) - 1))))
    model, seen = machine(record=True, shuffle=False, **options), []
    for block in np.split(np.arange(len(y)), cuts):
        model.partial_fit(X[block], y[block])
        seen.append((len(model.trace_), by_example(model, len(y)), model.classes_))
    trace = model.trace_
    np.testing.assert_array_equal(trace.example, trace.position)
    for k, alpha, classes in seen:
        if len(classes) < len(model.classes_):
            alpha = alpha @ mixing(classes, model.classes_)
        np.testing.assert_array_equal(trace.weights(k), as_told(alpha))
    if trace.gained is not None:
        np.testing.assert_array_equal(model.classes_[trace.label], y[trace.example])


@given(data=st.data())
def test_with_a_linear_kernel_it_is_the_perceptrons_trace(data):
    X, y = data_for(data.draw)
    X = np.rint(4 * (X.toarray() if sparse.issparse(X) else X)).astype(float)
    weight = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 4.0], len(y))
    fit = {"sample_weight": weight} if data.draw(st.booleans()) else {}
    options = {"shuffle": False, "max_iter": 3, "record": True, "fit": fit}
    dual = fitted(KernelPerceptron, X, y, kernel="linear", **options).trace_
    primal = fitted(Perceptron, X, y, fit_intercept=False, **options).trace_
    theirs = primal.to_pandas()
    for column in theirs.columns:
        np.testing.assert_array_equal(dual.to_pandas()[column], theirs[column], err_msg=column)
    for k in range(len(dual) + 1):
        np.testing.assert_array_equal(dual.weights(k) @ X, primal.weights(k)[..., :-1])


def test_the_weights_of_linear_romma_are_those_of_its_coefficients():
    random = np.random.default_rng(0)
    X = random.standard_normal((40, 3))
    y = X @ [1.0, -1.0, 0.5] > 0  # on data that nothing separates its weights grow without end
    model = fitted(Romma, X, y, kernel="linear", record=True, max_iter=3)
    trace = model.trace_
    np.testing.assert_allclose(trace.weights(len(trace)) @ X, model.coef_[0], rtol=1e-9)


def test_what_is_asked_must_make_sense():
    X, y = np.eye(3), [0, 1, 0]
    model = KernelPerceptron(record=True).fit(X, y)
    for k in (-1, len(model.trace_) + 1, 0.5):
        with pytest.raises(ParameterError, match="updates are numbered 0 to"):
            model.trace_.weights(k)
    with pytest.raises(ParameterError, match="mistake_bound_ say what the run proves"):
        model.trace_.proof()
    other = KernelPerceptron().fit(X, y)
    with pytest.raises(AttributeError, match="with record=True only"):
        other.trace_  # noqa: B018
    with pytest.raises(ParameterError, match="fitted with record=True"):
        DualTrace(other)
    with pytest.raises(ParameterError, match="in the middle of a run"):
        other.set_params(record=True).partial_fit(X, y)
    model.set_params(record=False).partial_fit(X, y)
    assert not hasattr(model, "trace_")
    with pytest.raises(ParameterError, match="record=1"):
        KernelPerceptron(record=1).fit(X, y)
