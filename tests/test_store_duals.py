"""A kernel machine comes back from its file as it was, to the last bit, and learns on."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import novikoff
from laws.kernels import crowds, fitted
from novikoff import KernelPerceptron, Romma, store
from novikoff.cli import main
from novikoff.errors import ModelFileError, ParameterError
from novikoff.learners import DUALS
from novikoff.store.fields import Parts
from novikoff.store.runs import put_dual, take_dual
from round_trip import there_and_back

FORMS = {"dense": np.asarray, "csr": sparse.csr_array, "csr_matrix": sparse.csr_matrix}
READINGS = ("last", "averaged", "voted")


def told(model):
    """All that a machine tells, as lists."""
    names = (
        *("mistakes_", "dual_coef_", "support_", "support_vectors_", "radius_", "classes_"),
        *("margin_", "mistake_bound_", "coef_", "updates_", "converged_"),
    )
    found = {name: getattr(model, name) for name in names if hasattr(model, name)}
    return {
        name: value.toarray().tolist() if sparse.issparse(value) else np.asarray(value).tolist()
        for name, value in found.items()
        if not isinstance(value, novikoff.Bracket)
    } | {"bracket": found.get("margin_")}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "precomputed"])
@pytest.mark.parametrize("learner", DUALS)
@given(crowd=crowds(), seed=st.integers(0, 3), more=st.data())
def test_round_trip(learner, kernel, form, path, crowd, seed, more):
    X = crowd.X * np.random.default_rng(seed).standard_normal(crowd.X.shape)
    X = X @ X.T if kernel == "precomputed" else X
    X = FORMS[form](X.astype(more.draw(st.sampled_from(["f4", "f8"]))))
    options = {"kernel": kernel, "random_state": seed, "gamma": np.float32(0.5), "max_iter": 2}
    if learner is KernelPerceptron:
        options["multi_class"] = more.draw(st.sampled_from(["joint", "ovr"]))
        if options["multi_class"] == "joint" and kernel != "precomputed":
            options["budget"] = more.draw(st.sampled_from([None, None, 1, 3]))
        if options.get("budget") is None and more.draw(st.booleans()):
            options |= {"class_weight": more.draw(st.sampled_from(["balanced", {0: 2.0}]))}
            options["fit"] = {"sample_weight": np.arange(1.0, len(crowd.y) + 1)}
    model = fitted(learner, X, crowd.y, **options)
    loaded = there_and_back(model, path)
    assert type(loaded) is learner
    assert loaded.get_params() == model.get_params()
    for one in (model, loaded) if kernel != "precomputed" else ():
        one.partial_fit(X[::-1], crowd.y[::-1] + 1)  # with a new class
    assert told(loaded) == told(model)
    several = learner is KernelPerceptron and model.budget is None
    for reading in READINGS if several else [None]:
        for one in (model, loaded):
            one.set_params(**({"predict_with": reading} if reading else {}))
        np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("learner", DUALS)
def test_a_stream_of_one_class(learner, path):
    model = there_and_back(learner().partial_fit(np.eye(3), ["a"] * 3), path)
    assert model.predict(np.eye(3)).tolist() == ["a"] * 3
    model.partial_fit(np.eye(3), ["b", "a", "c"])
    assert model.classes_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("total", "says"), [(0.0, "not the sum of as many"), (-1.0, "out of range")]
)
def test_steps_that_cannot_add_up(total, says):
    model = fitted(KernelPerceptron, np.eye(3), [0, 1, 0])
    parts = Parts()
    put_dual(model, parts)
    parts.tensors["total"] = np.full_like(parts.tensors["total"], total)
    with pytest.raises(ModelFileError, match=f"'total' .*{says}"):
        take_dual(model, parts)


@pytest.mark.parametrize("learner", DUALS)
def test_functions_are_in_no_file(learner, path):
    model = fitted(learner, np.eye(3), [0, 1, 0], kernel=lambda A, B: A @ B.T)
    with pytest.raises(ParameterError, match=r"holds no functions: use a kernel that has a name"):
        model.save(path)
    with pytest.raises(ParameterError, match="fitted with a function"):
        model.set_params(kernel="rbf").save(path)


@pytest.mark.parametrize("learner", DUALS)
def test_describe(learner, path):
    model = fitted(learner, np.eye(4), ["a", "b", "c", "a"], random_state=0)
    model.save(path, extra={"lines": 4})
    about = store.describe(path)
    assert about["learner"] == learner.__name__
    assert about["classes"] == ["a", "b", "c"]
    assert about["summary"]["support"] == len(model.support_)
    assert about["summary"]["mistakes"] == model.n_mistakes_
    assert about["extra"] == {"lines": 4}


@pytest.mark.parametrize("learner", DUALS)
def test_the_command_shows_and_uses_it(learner, tmp_path, capsys):
    model = fitted(learner, np.eye(4), [1, 2, 3, 1], random_state=0)
    path, rows = tmp_path / "m", tmp_path / "rows.svm"
    model.save(path)
    rows.write_text("1 1:1\n2 2:1\n3 3:1\n1 4:1\n")
    assert main(["show", str(path)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"{learner.__name__} of 3 classes (1, 2, 3)\n")
    assert f"support      {len(model.support_)}\n" in shown
    assert main(["score", str(path), str(rows)]) == 0
    assert capsys.readouterr().out.startswith("4 of 4 right (100.00%), 0 wrong\n")


def test_what_a_kernel_machine_cannot_become(path):
    model = fitted(KernelPerceptron, np.eye(3), [0, 1, 0])
    with pytest.raises(ParameterError, match="has no coefficients"):
        store.to_csv(model, path)
    with pytest.raises(ParameterError, match="KernelPerceptron"):
        store.to_onnx(model, path)
    with pytest.raises(ParameterError, match="KernelPerceptron"):
        novikoff.describe(model)
    with pytest.raises(ParameterError, match="Romma"):
        store.to_csv(fitted(Romma, np.eye(3), [0, 1, 0]), path)
