"""What holds for the kernel perceptron where examples have weights."""

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

import naive_kernels
import novikoff
from laws.kernels import EPOCHS, assert_same, conventions, crowds, fitted, in_blocks_of, kernels
from laws.test_kernels import READINGS, as_table
from novikoff import KernelPerceptron, Perceptron
from novikoff.errors import DataError, ParameterError, WeightOverflow

WEIGHTS = st.sampled_from([0.0, 0.5, 1.0, 3.0])


@st.composite
def weighed_crowds(draw, max_rows=9):
    """A crowd, and a weight for each, not all of which are 0."""
    crowd = draw(crowds(max_rows=max_rows))
    n = len(crowd.y)
    weight = draw(st.lists(WEIGHTS, min_size=n, max_size=n).filter(any))
    return crowd, np.array(weight)


@pytest.mark.parametrize("reading", READINGS)
@given(
    weighed=weighed_crowds(),
    kernel=kernels(),
    options=conventions,
    size=st.sampled_from([1, 2, 3, 256]),
)
def test_a_weight_is_a_longer_step(reading, weighed, kernel, options, size):
    crowd, weight = weighed
    with in_blocks_of(size):
        model = fitted(
            KernelPerceptron,
            *crowd,
            fit={"sample_weight": weight},
            predict_with=reading,
            **EPOCHS,
            **kernel.options,
            **options,
        )
    X, y = crowd.X.tolist(), crowd.y.tolist()
    twin = naive_kernels.perceptron(
        X, y, kernel.exactly, epochs=EPOCHS["max_iter"], weight=weight.tolist(), **options
    )
    assert model.mistakes_.tolist() == twin.mistakes
    told = [getattr(twin, reading)(x) for x in X]
    expected = as_table(told, twin, sorted(set(y)))
    if reading == "voted" and expected.ndim == 1:
        expected = 2 * expected
    np.testing.assert_allclose(model.decision_function(crowd.X), expected, rtol=1e-12, atol=1e-12)


@given(weighed=weighed_crowds(), options=conventions)
def test_weights_are_those_of_the_linear_perceptron(weighed, options):
    crowd, weight = weighed
    chosen = EPOCHS | options | {"class_weight": {0: 2.0}}
    fit = {"sample_weight": weight}
    linear = fitted(Perceptron, *crowd, fit=fit, fit_intercept=False, **chosen)
    model = fitted(KernelPerceptron, *crowd, fit=fit, kernel="linear", **chosen)
    np.testing.assert_array_equal(model.mistakes_, linear.mistakes_)
    weights = model.dual_coef_ @ model.support_vectors_
    np.testing.assert_array_equal(weights, linear.coef_)
    assert model.margin_.upper == pytest.approx(linear.margin_.upper, rel=1e-6, abs=1e-5)
    if linear.mistake_bound_ < np.inf and model.margin_.lower > 1e-3:
        assert model.mistake_bound_ == pytest.approx(linear.mistake_bound_, rel=1e-6)


@given(
    weighed=weighed_crowds(),
    options=conventions,
    class_weight=st.sampled_from(["balanced", {0: 0.25, 1: 4.0}]),
    data=st.data(),
)
def test_class_weights_are_sample_weights(weighed, options, class_weight, data):
    crowd, weight = weighed
    kernel = {"gamma": 0.5, "random_state": 0}
    totals = np.bincount(crowd.y, weight)
    each = np.divide(
        totals.sum(), len(totals) * totals, where=totals > 0, out=np.zeros(len(totals))
    )
    if class_weight != "balanced":
        each = np.array([class_weight.get(c, 1.0) for c in range(len(totals))])
    one = fitted(
        KernelPerceptron,
        *crowd,
        fit={"sample_weight": weight},
        class_weight=class_weight,
        **kernel,
        **options,
    )
    other = fitted(
        KernelPerceptron, *crowd, fit={"sample_weight": each[crowd.y] * weight}, **kernel, **options
    )
    assert_same(one, other, rows=crowd.X)


@given(weighed=weighed_crowds(), options=conventions, data=st.data(), balanced=st.booleans())
def test_a_weighed_stream_may_be_cut_anywhere(weighed, options, data, balanced):
    crowd, weight = weighed
    chosen = options | {"class_weight": "balanced" if balanced else None, "gamma": 0.5}
    cuts = data.draw(st.sets(st.integers(1, len(crowd.y) - 1)))
    classes = np.unique(crowd.y)
    one, other = (KernelPerceptron(shuffle=False, **chosen) for _ in range(2))
    one.partial_fit(crowd.X, crowd.y, classes, sample_weight=weight)
    for places in np.split(np.arange(len(crowd.y)), sorted(cuts)):
        other = pickle.loads(pickle.dumps(other))
        other.partial_fit(crowd.X[places], crowd.y[places], classes, sample_weight=weight[places])
    assert_same(one, other)
    np.testing.assert_allclose(
        one.decision_function(crowd.X), other.decision_function(crowd.X), rtol=1e-12, atol=1e-12
    )
    if not balanced:
        whole = fitted(
            KernelPerceptron,
            *crowd,
            fit={"sample_weight": weight},
            shuffle=False,
            max_iter=1,
            **chosen,
        )
        assert_same(one, whole, but=("support_",))


@given(
    weighed=weighed_crowds(), seed=st.integers(0, 9), multi_class=st.sampled_from(["joint", "ovr"])
)
def test_bounds_with_weights(weighed, seed, multi_class):
    crowd, weight = weighed
    X, places = np.unique(crowd.X, axis=0, return_index=True)
    y, weight = crowd.y[places], np.maximum(weight[places], 0.25)
    if len(set(y.tolist())) < 2:
        return
    options = {"kernel": "rbf", "gamma": 8.0, "multi_class": multi_class, "max_iter": 3000}
    model = KernelPerceptron(random_state=seed, **options).fit(X, y, sample_weight=weight)
    true = KernelPerceptron(random_state=seed, **options).fit(X, y).margin_
    assert model.converged_
    assert model.n_mistakes_ <= model.mistake_bound_
    assert model.margin_.lower <= true.upper
    assert true.lower <= model.margin_.upper


@pytest.mark.parametrize(("dtype", "wrong"), [(float, 1e-200), (float, 1e160), ("f4", 1e-44)])
def test_weights_past_the_range_are_refused(dtype, wrong):
    X, y = np.eye(3, dtype=dtype), [0, 1, 2]
    model = KernelPerceptron(random_state=0).partial_fit(X, y)
    before = model.dual_coef_
    with pytest.raises(DataError, match=r"Example 1 weighs .*: multiply all weights by one number"):
        model.partial_fit(X, y, sample_weight=[1.0, wrong, 0.0])
    with pytest.raises(DataError, match="Example 0 weighs"):
        model.set_params(class_weight={0: 1e100}).fit(X, y, sample_weight=[1e100, 1, 1])
    np.testing.assert_array_equal(model.dual_coef_, before)


@pytest.mark.parametrize("scale", [1e-149, 1e-100, 1e-9, 1e9, 1e100])
def test_only_the_ratios_of_weights_matter(scale):
    X, y = np.array([[1.0, 0.1], [-1, 0.1], [0, -1]]), [1, 1, 0]
    options = {"kernel": "linear", "shuffle": False, "max_iter": 99}
    one, other = (
        KernelPerceptron(**options).fit(X, y, sample_weight=np.array([3.0, 1, 2]) * s)
        for s in (1.0, scale)
    )
    assert one.mistakes_.tolist() == other.mistakes_.tolist()
    assert other.margin_.lower <= 0.1 <= other.margin_.upper * (1 + 1e-15)
    if scale > 1e-130:
        assert other.margin_.lower == pytest.approx(one.margin_.lower, rel=1e-9)


def test_overflow_at_the_last_example_is_noticed():
    X, y = np.array([[1.0, 1], [1, 2], [2, 1], [2, 2]]), [0, 1, 0, 1]
    model = KernelPerceptron(kernel="linear", shuffle=False).partial_fit(X, y)
    before, last = model.decision_function(X), np.array([[5e9, -7e9]])
    wrong = int(model.decision_function(last)[0] < 0)
    with pytest.raises(WeightOverflow, match="The model is as it was"):
        model.partial_fit(last, [wrong], sample_weight=[1e149])
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_classes_that_come_while_nothing_is_balanced(tmp_path):
    model = KernelPerceptron(kernel="linear", class_weight="balanced", shuffle=False)
    linear = Perceptron(fit_intercept=False, class_weight="balanced", shuffle=False)
    for machine in (model, linear):
        machine.partial_fit(np.eye(3)[:2], [0, 1])
        machine.set_params(class_weight=None).partial_fit(np.eye(3), [0, 1, 2])
        machine.save(tmp_path / "model")
        machine.set_params(class_weight="balanced").partial_fit(-np.eye(3), [0, 1, 2])
    np.testing.assert_array_equal(
        model._state.stream.class_totals, linear._state.stream.class_totals
    )
    np.testing.assert_array_equal(model.dual_coef_ @ model.support_vectors_, linear.coef_)


@pytest.mark.parametrize("multi_class", ["joint", "ovr"])
def test_a_block_of_no_weight_can_be_saved(tmp_path, multi_class):
    model = KernelPerceptron(multi_class=multi_class, shuffle=False)
    for _ in range(2):
        model.partial_fit(np.eye(3), [0, 1, 2], sample_weight=np.zeros(3))
        model.save(tmp_path / "model")
        model = novikoff.load(tmp_path / "model").fit(np.eye(3), [0, 1, 2])


def test_ratios_that_single_precision_does_not_feel():
    X, y = np.array([[0.0, 1], [1, 0.9], [-1, 0.9], [0, -1]], "f4"), [1, 1, 1, 0]
    for learner in (
        Perceptron(fit_intercept=False, shuffle=False),
        KernelPerceptron(kernel="linear", shuffle=False),
    ):
        for rows, ratio in ((X, 2.0**12), (X.astype(float), 2.0**25), (X, 2.0**25)):
            learner.fit(rows, y, sample_weight=[1, 1, 1 / ratio, 1])
            felt = rows.dtype == np.float64 or ratio < 2.0**13
            assert (learner.mistake_bound_ < np.inf) == felt


def test_weights_that_cannot_be():
    X, y = np.eye(3), [0, 1, 2]
    model = KernelPerceptron(max_iter=2, random_state=0)
    for weight, told in (
        ([1.0, 2.0], "2 entries"),
        ([1, -1, 1], "not negative"),
        ([0] * 3, "zero"),
    ):
        with pytest.raises(DataError, match=told):
            model.fit(X, y, sample_weight=weight)
    with pytest.raises(ParameterError, match="class_weight has 7"):
        KernelPerceptron(class_weight={7: 1.0}).fit(X, y)
    on_budget = KernelPerceptron(budget=5)
    with pytest.raises(ParameterError, match="budget=5 .* leave sample_weight out"):
        on_budget.fit(X, y, sample_weight=[1, 2, 3])
    with pytest.raises(ParameterError, match="budget=5 .* leave class_weight out"):
        on_budget.set_params(class_weight="balanced").partial_fit(X, y)
    assert not hasattr(on_budget, "classes_")
    with pytest.raises(ValueError, match="cannot be used to seed"):
        KernelPerceptron(shuffle=False, random_state="x").fit(X, y)
    for bad in ({0: -1.0}, "equal", {0: np.nan}, 7):
        with pytest.raises(ParameterError, match="class_weight"):
            fitted(KernelPerceptron, X, y).set_params(class_weight=bad).save("never")
