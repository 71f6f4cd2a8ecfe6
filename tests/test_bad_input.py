"""Bad input gets an error that says what was given, what is needed and what to do."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from novikoff import (
    AROW,
    SCW,
    AveragedPerceptron,
    DataError,
    KernelPerceptron,
    NovikoffError,
    ParameterError,
    PassiveAggressive,
    Perceptron,
    Pocket,
    VotedPerceptron,
    WeightOverflow,
    Winnow,
    distance,
    freund_schapire_bound,
    margin,
    novikoff_bound,
    perceptron_loss,
    perceptron_subgradient,
    winnow_bound,
)
from novikoff.data import load, planted
from novikoff.learners import LEARNERS

ADDITIVE = (Perceptron, AveragedPerceptron, VotedPerceptron)
X = np.array([[1.0, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]])
y = np.array([0, 1, 0, 1])


def spoiled(i, j, value):
    bad = X.copy()
    bad[i, j] = value
    return bad


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.coo_matrix, pd.DataFrame])
@pytest.mark.parametrize(
    ("value", "name"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")]
)
@pytest.mark.parametrize("learner", LEARNERS)
def test_not_finite(learner, value, name, form):
    """Named with row and column, in fitting and in predicting, in whatever order it is visited."""
    bad = spoiled(3, 1, value)
    bad[2, 2] = value
    says = f"contains {name}, first in row 2, column 2"
    for seed in range(3):
        with pytest.raises(DataError, match=says):
            learner(random_state=seed).fit(form(bad), y)
    with pytest.raises(DataError, match=says):
        learner().partial_fit(form(bad), y)
    model = learner().partial_fit(form(X), y)
    with pytest.raises(DataError, match=says):
        model.predict(form(bad))
    if learner is Winnow:
        with pytest.raises(DataError, match=says):
            Winnow(binarize=0.5).fit(form(bad), y)
        with pytest.raises(DataError, match=says):
            Winnow(binarize=0.5).partial_fit(form(X), y).predict(form(bad))


@pytest.mark.parametrize("learner", ADDITIVE)
def test_not_finite_where_nothing_is_learned(learner):
    """A row of weight 0 must be sound too, and so must unit rows."""
    for options in ({}, {"normalize": True}):
        with pytest.raises(DataError, match="first in row 2, column 0"):
            learner(**options).fit(spoiled(2, 0, np.nan), y, sample_weight=[1, 1, 0, 1])
        with pytest.raises(DataError, match="first in row 2, column 0"):
            learner(**options).fit(spoiled(2, 0, np.inf), y)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(
    ("labels", "says"),
    [
        ([0, 0, 0, 0], r"one class only, 0: a classifier needs two classes"),
        ([0, 1, 0], "inconsistent numbers of samples"),
        ([0, 1, None, 1], "missing label, first in row 2"),
        ([0.0, 1.0, 0.0, np.nan], "missing label, first in row 3"),
        ([0.0, 1.0, np.inf, 1.0], "y contains infinity .*first in row 2"),
        (pd.array([0, 1, pd.NA, 1]), "missing label, first in row 2"),
        ([0.5, 1.5, 0.5, 0.25], "Unknown label type"),
        ([0, "1", 0, "1"], "kind int, str: make them all numbers or all strings"),
        (np.array(["2020", "NaT"] * 2, "M8[D]"), "missing label, first in row 1"),
        (np.ma.array([0, 1, 0, 1], mask=[0, 0, 1, 0]), "missing label, first in row 2"),
        ([(1, 2), (3, 4)] * 2, "kind tuple"),
        (None, "requires y to be passed"),
    ],
)
def test_labels(learner, labels, says):
    with pytest.raises(ValueError, match=says):
        learner().fit(
            X, labels if labels is None or hasattr(labels, "dtype") else pd.Series(labels)
        )


@pytest.mark.parametrize("learner", LEARNERS)
def test_shapes(learner):
    model = learner().partial_fit(X, y)
    with pytest.raises(ValueError, match="X has 2 features, but .* is expecting 3 features"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="X has 2 features, but .* is expecting 3 features"):
        model.partial_fit(X[:, :2], y)
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        learner().fit(X[:0], y[:0])
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        model.partial_fit(X[:0], y[:0])
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        learner().fit(X[:, :0], y)
    with pytest.raises(ValueError, match="Expected 2D array"):
        learner().fit(X[0], y)
    with pytest.raises(DataError, match=r"goes on from a model of 3 features, but X has 2"):
        learner(warm_start=True).partial_fit(X, y).fit(X[:, :2], y)


@pytest.mark.parametrize("learner", [one for one in LEARNERS if not one._takes_many_classes])
@pytest.mark.parametrize("labels", [["a", "b", "c", "a"], [0, 1.0, 2, 0]])
def test_more_labels_than_two(learner, labels):
    says = "Only binary classification .* 3 classes .*OneVsRestClassifier"
    with pytest.raises(ValueError, match=says):
        learner().fit(X, labels)


@pytest.mark.parametrize("learner", LEARNERS)
def test_streams(learner):
    model = learner().partial_fit(X[:1], y[:1], classes=[0, 1])
    if learner._takes_many_classes:
        with pytest.raises(DataError, match="first in row 1: 7 is not among 0, 1"):
            model.partial_fit(X[:2], [0, 7], classes=[0, 1])
        with pytest.raises(DataError, match="lacks 1, one of the classes of the earlier calls"):
            model.partial_fit(X, y, classes=[0, 2])
        return
    with pytest.raises(DataError, match="one class only.*pass classes"):
        learner().partial_fit(X[:1], y[:1])
    with pytest.raises(DataError, match="first in row 1: 7 is neither of 0, 1"):
        model.partial_fit(X[:2], [0, 7])
    with pytest.raises(DataError, match="differs from the classes of the earlier calls"):
        model.partial_fit(X, y, classes=[0, 2])
    with pytest.raises(DataError, match="3 classes"):
        learner().partial_fit(X, y, classes=[0, 1, 2])


@pytest.mark.parametrize("learner", ADDITIVE)
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"eta0": -1.0}, r"eta0=-1.0 was given, but it must be a finite number above 0"),
        ({"eta0": 0}, "eta0=0 was given"),
        ({"eta0": np.nan}, "eta0=nan was given"),
        ({"eta0": "fast"}, "eta0='fast' was given"),
        ({"tie": "maybe"}, "tie='maybe' was given, but it must be one of 'mistake', 'negative'"),
        ({"slack": -0.1}, r"slack=-0.1 was given, but it must be a finite number of at least 0"),
        ({"max_iter": 0}, "max_iter=0 was given, but it must be a whole number, 1 or more"),
        ({"max_iter": 1.5}, "max_iter=1.5 was given"),
        ({"class_weight": "heavy"}, "class_weight='heavy' was given"),
        ({"class_weight": {0: -1.0}}, "must be finite and not negative"),
    ],
)
def test_options(learner, options, says):
    for call in (learner(**options).fit, learner(**options).partial_fit):
        with pytest.raises(ParameterError, match=says):
            call(X, y)


@pytest.mark.parametrize("learner", ADDITIVE)
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"coef_init": [1, 2]}, r"coef_init has shape \(2,\), but it must hold 3 numbers"),
        ({"coef_init": [1, 2, np.nan]}, "coef_init must hold finite numbers"),
        ({"intercept_init": [1, 2]}, r"intercept_init has shape \(2,\), but it must hold 1 number"),
        ({"sample_weight": [1, 1]}, "sample_weight has 2 entries, but there are 4 examples"),
        ({"sample_weight": [1, 1, -1, 1]}, "not negative, but entry 2 is -1.0"),
        ({"sample_weight": [1, 1, 1, np.nan]}, "must be finite .* entry 3 is nan"),
        ({"sample_weight": [0, 0, 0, 0]}, "weight of every example is zero"),
    ],
)
def test_arguments_of_fit(learner, arguments, says):
    with pytest.raises(NovikoffError, match=says):
        learner().fit(X, y, **arguments)


def test_a_bias_to_start_from_but_none_to_learn():
    with pytest.raises(ParameterError, match="through the origin"):
        Perceptron(fit_intercept=False).fit(X, y, intercept_init=1.0)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_winnow_needs_zeros_and_ones(form):
    with pytest.raises(DataError, match=r"X has 0.5 in row 1, column 2\. Give binarize"):
        Winnow().fit(form(spoiled(1, 2, 0.5)), y)
    with pytest.raises(DataError, match=r"X has -1.0 in row 3, column 0"):
        Winnow().partial_fit(form(spoiled(3, 0, -1.0)), y)
    with pytest.raises(DataError, match=r"X has 2 in row 0, column 0"):
        Winnow().fit(form(np.array([[2, 0], [0, 1]], np.uint8)), [0, 1])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"factor": 1.0}, "factor=1.0 was given, but it must be a finite number above 1"),
        ({"threshold": 0}, "threshold=0 was given"),
        ({"binarize": np.inf}, "binarize=inf was given, but it must be a finite number"),
        ({"threshold": 1e308, "factor": 10.0}, "could leave the range of float64"),
    ],
)
def test_winnow_options(options, says):
    with pytest.raises(ParameterError, match=says):
        Winnow(**options).fit(X, y)


def test_winnow_binarizing_absent_entries():
    with pytest.raises(ParameterError, match="absent entry of a sparse matrix"):
        Winnow(binarize=-1.0).fit(sparse.csr_array(X), y)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("damage", ["column", "negative", "indptr", "long", "short"])
def test_damaged_sparse_matrices(learner, damage):
    """Indices are followed by compiled code: a bad one must never get there."""
    bad = sparse.csr_array(X)
    if damage == "column":
        bad.indices[2] = 1_000_000
    elif damage == "negative":
        bad.indices[2] = -5
    elif damage == "indptr":
        bad.indptr[1], bad.indptr[2] = bad.indptr[2], bad.indptr[1] - 1
    elif damage == "long":
        bad.indptr[-1] += 5
    else:
        bad.indptr = bad.indptr[:-1].copy()
    with pytest.raises(DataError, match="points outside itself"):
        learner().fit(bad, y)
    with pytest.raises(DataError, match="points outside itself"):
        learner().partial_fit(X, y).predict(bad)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("learner", ADDITIVE)
def test_overflow_is_reported(learner, dtype, form):
    """Values near the top of the type: never a model of NaNs or infinities."""
    top = np.finfo(dtype).max
    huge = form(np.array([[top, top / 2], [-top, top], [top, -top]], dtype))
    labels = [1, 0, 1]
    advice = "as float64" if dtype == np.float32 else "MaxAbsScaler"
    with pytest.raises(WeightOverflow, match=f"left the range of {dtype.__name__}.*{advice}"):
        learner(max_iter=5, shuffle=False).fit(huge, labels)
    with pytest.raises(WeightOverflow):
        learner(shuffle=False).partial_fit(huge, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = learner(max_iter=5, normalize=True).fit(huge / 4, labels)
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("learner", ADDITIVE)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_overflow_in_the_last_update(learner, dtype):
    """The last update may be the one that overflows, with no score after it to tell."""
    x = np.array([[1.0, np.finfo(dtype).max / 1e10]], dtype)
    model = learner(shuffle=False, eta0=1e20).partial_fit(x * 0, [1], classes=[0, 1])
    before = pickle.dumps(model)
    with pytest.raises(WeightOverflow):
        model.partial_fit(x, [0])
    assert pickle.dumps(model) == before
    with pytest.raises(WeightOverflow):
        learner(max_iter=1, eta0=1e20).fit(np.vstack([x, x]), [1, 0])


def test_large_scales_are_no_overflow():
    for scale in (1e-150, 1e-30, 1e30, 1e140):
        model = Perceptron(max_iter=1000, fit_intercept=False).fit(X * scale, [1, 0, 1, 0])
        assert model.converged_
        assert model.radius_ == pytest.approx(np.sqrt(2) * scale, rel=1e-15)
        for asked in (0.0, 1.0):
            unit = Perceptron(max_iter=1000, normalize=True, margin=asked)
            assert unit.fit(X * scale, [1, 0, 1, 0]).converged_
            assert unit.radius_ == np.sqrt(2)
            assert unit._state.ledger.lengths.mean == pytest.approx(asked)


XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def test_not_converging_is_a_warning_with_advice():
    with pytest.warns(ConvergenceWarning) as record:
        models = [Perceptron(max_iter=n).fit(XOR, [0, 1, 1, 0]) for n in (7, 8)]
    assert not models[0].converged_
    assert [model.n_iter_ for model in models] == [7, 8]
    message = str(record[0].message)
    assert "max_iter, and its last epoch still made mistakes (mistakes_ counts them)" in message
    assert "slack > 0" in message
    assert str(record[1].message) == message  # so that Python shows it once
    assert record[0].filename == __file__


def test_functions():
    with pytest.raises(DataError, match="coef is zero"):
        distance(X, [0, 0, 0])
    with pytest.raises(DataError, match="coef has 2 entries"):
        margin(X, y, [1, 2])
    with pytest.raises(DataError, match="must be finite"):
        margin(X, y, [1, 2, np.nan])
    with pytest.raises(ValueError, match="inconsistent"):
        perceptron_loss(X, y[:2], [1, 2, 3])
    with pytest.raises(DataError, match="3 classes"):
        perceptron_loss(X, [0, 1, 2, 0], [1, 2, 3])
    with pytest.raises(ParameterError, match="k=0.5 was given, .* of at least -1 and of at most 0"):
        perceptron_subgradient(X, y, [1, 2, 3], k=0.5)
    with pytest.raises(ParameterError, match="radius=-1"):
        novikoff_bound(-1, 1)
    with pytest.raises(ParameterError, match="cannot exceed start_norm"):
        novikoff_bound(1, 1, start_norm=1, start_progress=2)
    with pytest.raises(ParameterError, match="eta0=0"):
        novikoff_bound(1, 1, eta0=0)
    with pytest.raises(ParameterError, match="deviation=nan"):
        freund_schapire_bound(1, 1, np.nan)
    with pytest.raises(ParameterError, match="give whole numbers, 1 <= r <= n"):
        winnow_bound(5, 3)
    with pytest.raises(ParameterError, match="no bundled data set 'mnist'"):
        load("mnist")
    with pytest.raises(ParameterError, match="margin between 0 and 1"):
        planted(10, 3, margin=2.0)


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_run_goes_on_in_the_space_it_began_in(learner):
    changes = {"binarize": 0.5} if learner is Winnow else {"normalize": True}
    if "normalize" not in learner().get_params() and learner is not Winnow:
        changes = {"fit_intercept": False}
    model = learner().partial_fit(X, y)
    radius, predicted = model.radius_, model.predict(X)
    model.set_params(**changes)
    assert model.radius_ == radius
    np.testing.assert_array_equal(model.predict(X), predicted)
    name = next(iter(changes))
    with pytest.raises(ParameterError, match=f"{name} was .* when the run began"):
        model.partial_fit(X, y)
    with pytest.raises(ParameterError, match=f"{name} was .* when the run began"):
        model.set_params(warm_start=True).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.set_params(warm_start=False).fit(X, y)
    assert model._state.space[name] == changes[name]


NO_END_NEEDED = [
    AveragedPerceptron(),
    VotedPerceptron(),
    Pocket(),
    PassiveAggressive(),
    AROW(),
    SCW(),
    KernelPerceptron(kernel="linear", predict_with="averaged"),
    KernelPerceptron(kernel="linear", predict_with="voted"),
]


@pytest.mark.parametrize("model", NO_END_NEEDED)
def test_what_needs_no_end_does_not_ask_for_one(model):
    """Warnings are errors here."""
    assert not model.set_params(max_iter=3).fit(XOR, [0, 1, 1, 0]).converged_


def test_a_warning_points_at_the_call():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    for model in (Perceptron(max_iter=2), KernelPerceptron(kernel="linear", max_iter=2)):
        with pytest.warns(ConvergenceWarning) as caught:
            model.fit(X, y)
        assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_warm_start_keeps_its_classes(learner):
    model = learner(warm_start=True).partial_fit(X, ["cat", "dog"] * 2)
    with pytest.raises(DataError, match=r"classes \['cat', 'dog'\], but y has \['dog', 'eel'\]"):
        model.fit(X, ["dog", "eel"] * 2)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("call", ["fit", "partial_fit"])
def test_a_failed_call_draws_no_random_numbers(learner, call):
    random = np.random.RandomState(0)
    model = learner(random_state=random).partial_fit(X, y)
    before = pickle.dumps(model)
    with pytest.raises(DataError):
        getattr(model, call)(spoiled(2, 2, np.nan), y)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("learner", ADDITIVE)
def test_a_block_without_weight_is_not_there(learner):
    model = learner(shuffle=False, class_weight={0: 0.0}).partial_fit(X[:1], [0], classes=[0, 1])
    assert np.isfinite(model.coef_).all()
    assert model.n_mistakes_ == 0
    np.testing.assert_array_equal(model.predict(X), [0, 0, 0, 0])
    before = model.partial_fit(X, y).coef_
    np.testing.assert_array_equal(model.partial_fit(X, y, sample_weight=[0] * 4).coef_, before)
    with pytest.raises(DataError, match="weight of every example is zero"):
        learner(class_weight={0: 0.0, 1: 0.0}).fit(X, y)


@pytest.mark.parametrize("learner", ADDITIVE)
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"fit_intercept": 2}, "fit_intercept=2 was given, but it must be True or False"),
        ({"normalize": "l2"}, "normalize='l2'"),
        ({"shuffle": "no"}, "shuffle='no'"),
        ({"eta0": 10**400}, "eta0=1000"),
        ({"slack": 1e-200}, "a number whose square is a float"),
        ({"slack": 1e200}, "a number whose square is a float"),
        ({"class_weight": {7: 2.0}}, "class_weight has 7, but the classes are"),
    ],
)
def test_more_options(learner, options, says):
    with pytest.raises(ParameterError, match=says):
        learner(**options).fit(X, y)


def test_steps_that_are_nothing():
    single = X.astype(np.float32)
    with pytest.raises(ParameterError, match="nothing in float32"):
        Perceptron(eta0=1e-50).fit(single, y)
    with pytest.raises(ParameterError, match="nothing in float32"):
        Perceptron().fit(single, y, sample_weight=[1, 1, 1e-50, 1])
    with pytest.raises(ParameterError, match="not move in it"):
        Winnow(factor=1 + 1e-9).fit(single, y)
    with pytest.raises(ParameterError, match="range of float32"):
        Perceptron().fit(single, y, coef_init=[1, 2, 1e39])


def test_winnow_needs_zeros_and_ones_when_predicting_too():
    model = Winnow().partial_fit(X, y)
    with pytest.raises(DataError, match="X has 0.5 in row 0, column 0"):
        model.predict([[0.5, 7, -3]])


def test_winnow_binarizes_as_others_do():
    tenth = np.full((2, 1), 0.1, np.float32)
    np.testing.assert_array_equal(
        Winnow(binarize=0.1).partial_fit(tenth, [0, 1])._rows(tenth, {"binarize": 0.1}).level,
        np.float32(0.1),
    )


def test_winnow_weights_stay_finite_when_the_factor_is_changed():
    ones = np.ones((1, 3), np.float32)
    model = Winnow(threshold=10.0, shuffle=False).partial_fit(ones, [1], classes=[0, 1])
    model.set_params(factor=2e38)
    with pytest.raises(ParameterError, match="could leave the range of float32"):
        model.partial_fit(ones, [1])


@pytest.mark.parametrize("learner", ADDITIVE)
def test_overflow_when_predicting(learner):
    random = np.random.default_rng(0)
    rows = random.standard_normal((50, 5)).astype(np.float32)
    model = learner(slack=1.0, max_iter=1000).fit(rows, rows[:, 0] > 0)
    with pytest.raises(WeightOverflow):
        model.predict(rows * np.float32(1e38))


@pytest.mark.parametrize("learner", ADDITIVE)
@pytest.mark.parametrize(
    ("dtype", "scale"),
    [(np.float32, 1e30), (np.float32, 1e-30), (np.float64, 1e200), (np.float64, 1e-200)],
)
def test_unit_rows_at_every_scale(learner, dtype, scale):
    rows, labels, _ = planted(60, 5, margin=0.05, seed=3)
    options = {"normalize": True, "random_state": 0, "max_iter": 1000}
    model = learner(**options).fit((rows * scale).astype(dtype), labels)
    assert model.converged_
    assert model.score((rows * scale).astype(dtype), labels) > 0.95


def test_masked_arrays():
    with pytest.raises(DataError, match="masked"):
        Perceptron().fit(np.ma.array(X, mask=X > 0), y)


def test_functions_at_extreme_values():
    assert freund_schapire_bound(1e160, 1.0, 0.0) == novikoff_bound(1e160, 1.0) == np.inf
    assert margin([[1e300], [-1e300]], [1, -1], [1e300]) == 1e300
    assert distance([[1e300]], [1e300])[0] == 1e300
    with pytest.raises(DataError, match="row 0, column 1"):
        distance([[1.0, np.nan]], [1.0, 2.0])
    with pytest.raises(ParameterError, match="whole numbers"):
        winnow_bound(1.5, 3)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([0, 1.0, 0, 1], object),
        np.array([0, np.int64(1), 0, 1], object),
        np.array(["a", np.str_("b")] * 2, object),
        np.array(["a", "b"] * 2, np.dtypes.StringDType())
        if hasattr(np.dtypes, "StringDType")
        else ["a", "b"] * 2,
    ],
)
def test_boxed_labels_of_one_family(labels):
    model = Perceptron(shuffle=False).partial_fit(X, labels)
    assert model.classes_.tolist() in ([0, 1], ["a", "b"])


@pytest.mark.parametrize("learner", ADDITIVE)
@pytest.mark.parametrize(("dtype", "scale"), [(np.float32, 2e38), (np.float32, 1e-40)])
def test_unit_rows_at_the_ends_of_the_range(learner, dtype, scale):
    rows = (np.array([[1.0, 0.5], [-0.5, 1.0], [1.0, -1.0]]) * scale).astype(dtype)
    model = learner(normalize=True, random_state=0, max_iter=1000).fit(rows, [1, 0, 1])
    assert model.converged_
    assert model.predict(rows).tolist() == [1, 0, 1]
