"""scikit-learn's own checks, and the company its estimators keep."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from laws.learners import ADDITIVE, LEARNERS, REPETITION, assert_same, fitted
from novikoff import (
    AveragedPerceptronCV,
    KernelPerceptron,
    MaxMargin,
    Perceptron,
    Romma,
    SequencePerceptron,
    Winnow,
)
from novikoff.data import TablePlan, load

ESTIMATORS = [learner(binarize=0.0) if learner is Winnow else learner() for learner in LEARNERS]
"""All with their defaults, but for Winnow, which the checks feed other numbers than 0 and 1."""

OTHERS = [AveragedPerceptronCV, KernelPerceptron, MaxMargin, Romma, SequencePerceptron, TablePlan]


def declared(estimator):
    """The one kind of failure that an order-dependent learner cannot avoid."""
    if isinstance(estimator, Winnow):
        return {}
    return {
        f"check_sample_weight_equivalence_on_{kind}_data": REPETITION
        for kind in ("dense", "sparse")
    }


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::FutureWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=declared)
def test_check_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("learner", LEARNERS)
def test_constructors_only_store(learner):
    model = learner()
    assert vars(model) == model.get_params()
    assert learner(**model.get_params()).get_params() == model.get_params()


@pytest.mark.parametrize("learner", [*LEARNERS, *OTHERS])
def test_defaults_are_values_that_parameters_can_have(learner):
    """So that they need no check in every call of `partial_fit`."""
    for name, parameter in learner._parameters.items():
        parameter.check(name, parameter.default)


@pytest.mark.parametrize("learner", LEARNERS)
def test_clone_and_pickle(learner):
    X = (np.random.default_rng(0).random((30, 5)) < 0.5).astype(float)
    y = X[:, 0] > 0
    model = fitted(learner, X, y, random_state=3)
    assert not hasattr(clone(model), "coef_")
    assert_same(model, fitted(learner, X, y, **clone(model).get_params()), rows=X)
    assert_same(model, pickle.loads(pickle.dumps(model)), rows=X)


@pytest.mark.parametrize("learner", ADDITIVE)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_pipelines_searches_and_calibration(learner):
    X, y, _ = load("wdbc")
    pipeline = make_pipeline(StandardScaler(), learner(random_state=0))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.94
    name = learner.__name__.lower()
    search = GridSearchCV(pipeline, {f"{name}__tie": ["mistake", "negative"]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.94
    calibrated = CalibratedClassifierCV(pipeline, cv=3).fit(X, y)
    assert calibrated.predict_proba(X).shape == (len(y), 2)
    assert calibrated.score(X, y) > 0.94


def test_what_the_error_about_many_classes_recommends():
    X, y, _ = load("iris")
    with pytest.raises(ValueError, match=r"3 classes .*OneVsRestClassifier"):
        Winnow().fit(X, y)
    many = OneVsRestClassifier(Winnow(binarize=2.0, threshold=0.5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert many.fit(X, y).predict(X).shape == y.shape


@pytest.mark.parametrize("kind", ["joint", "ovr"])
def test_many_classes_as_scikit_learn_gives_them(kind):
    X, y, _ = load("iris")
    model = Perceptron(max_iter=1000, random_state=0, slack=1.0, multi_class=kind).fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.coef_.shape == (3, 4)
    assert model.decision_function(X).shape == (150, 3)


@pytest.mark.parametrize("learner", LEARNERS)
def test_before_fitting(learner):
    model = learner()
    with pytest.raises(NotFittedError, match=f"{learner.__name__} instance is not fitted"):
        model.predict([[1.0]])
    for name in (
        "coef_",
        "intercept_",
        "n_iter_",
        "mistakes_",
        "converged_",
        "dual_coef_",
        "radius_",
    ):
        assert not hasattr(model, name)


@pytest.mark.parametrize("learner", LEARNERS)
def test_told_arrays_are_the_users_own(learner):
    model = fitted(learner, np.eye(2), [0, 1])
    model.predict(np.eye(2))  # an average is kept once it is known
    before = pickle.dumps(model)
    model.coef_[:] = 7
    model.intercept_[:] = 7
    model.dual_coef_[:] = 7
    assert pickle.dumps(model) == before
