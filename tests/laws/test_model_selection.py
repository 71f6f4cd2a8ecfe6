"""What holds for settings that are trained side by side: each is what it would be alone."""

import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold, KFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from laws.learners import REPETITION
from novikoff import (
    AROW,
    SCW,
    AveragedPerceptron,
    AveragedPerceptronCV,
    DataError,
    ParameterError,
    WeightOverflow,
)
from novikoff.data import load, planted
from novikoff.inputs.weights import example_weights
from novikoff.learners.epoch import Course
from novikoff.model_selection import averaged_perceptron_cv, folds, race
from novikoff.model_selection.folds import Fold, held_out
from novikoff.model_selection.race import Setting, results, rungs
from worlds import worlds

LEARNERS = {kind.__name__: kind for kind in (AveragedPerceptron, AROW, SCW)}
SMALL = {"margins": (0.0, 1.0), "r": (1.0,), "C": (1.0,), "max_iter": 3}
BEST = ("best_params_", "best_score_", "best_index_")


def alone(params, **options):
    """The learner of a setting, as a user would make it."""
    options |= {name: value for name, value in params.items() if name != "learner"}
    if params["learner"] != "AveragedPerceptron":
        options |= {"covariance": "diagonal"}
        options.pop("multi_class", None)
    return LEARNERS[params["learner"]](**options)


def in_company(monkeypatch, model, *data):
    """Fit the model, and return its settings with all contenders, as they were at the end."""
    kept = []
    made = AveragedPerceptronCV._setting
    monkeypatch.setattr(Setting, "is_behind", lambda *_: False)
    monkeypatch.setattr(
        AveragedPerceptronCV, "_setting", lambda *a: kept.append(made(*a)) or kept[-1]
    )
    model.fit(*data)
    return kept


@given(
    world=worlds(max_rows=12),
    classes=st.integers(2, 3),
    form=st.sampled_from([np.asarray, sparse.csr_array]),
    weighted=st.booleans(),
    balanced=st.booleans(),
    bias=st.booleans(),
    multi_class=st.sampled_from(["joint", "ovr"]),
    most=st.integers(1, 5),
    n_jobs=st.sampled_from([None, 2]),
    shuffle=st.booleans(),
)
def test_a_setting_learns_what_it_would_alone(
    world, classes, form, weighted, balanced, bias, multi_class, most, n_jobs, shuffle
):
    X, n = form(world.X), len(world.y)
    y = np.arange(n) % classes if n >= 2 * classes else (world.y > 0).astype(int)
    weight = 1.0 + np.arange(n) % 3 if weighted else None
    counts = example_weights(y, np.unique(y), "balanced" if balanced else None, weight)
    counts = np.ones(n) if counts is None else counts
    held = np.arange(n) >= n - max(1, n // 4)
    cv = [(np.flatnonzero(~held), np.flatnonzero(held))]
    if len(np.unique(y[~held])) < len(np.unique(y)):
        return  # alone, it would not know of the class that is held out
    options = {"shuffle": shuffle, "fit_intercept": bias, "multi_class": multi_class}
    orders = [np.random.default_rng(k).permutation(n) for k in range(3)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(race, "at_once", lambda *_: most)
        drawn = iter(orders)
        patch.setattr(averaged_perceptron_cv, "shuffled", lambda *_: next(drawn))
        model = AveragedPerceptronCV(cv=cv, n_jobs=n_jobs, **SMALL, **options)
        model.set_params(class_weight="balanced" if balanced else None)
        for setting in in_company(patch, model, X, y, weight):
            one = setting.contenders[0].model
            other = alone({**setting.params, "max_iter": 3}, **options)
            places = np.cumsum(~held) - 1  # of the rows among those that are learned from
            mine = iter([places[order[~held[order]]] for order in orders])
            if shuffle:
                patch.setattr(other, "_order", lambda *_, mine=mine: next(mine))
            other.fit(X[~held], y[~held], sample_weight=counts[~held])
            assert (one.coef_ == other.coef_).all()
            assert (one.intercept_ == other.intercept_).all()
            assert (one.mistakes_ == other.mistakes_).all()
            score = np.average(other.predict(X[held]) == y[held], weights=counts[held])
            assert setting.scores[3] == [pytest.approx(score)]


@pytest.mark.parametrize("seed", range(3))
def test_and_so_in_any_number_of_blocks_and_threads(seed, monkeypatch):
    X, y, _ = planted(300, 5, margin=0.01, seed=seed)
    y[::7] = 2
    models = []
    for n_jobs, block in [(None, race.BLOCK), (2, race.BLOCK), (3, 1 << 10)]:
        monkeypatch.setattr(race, "BLOCK", block)
        models.append(AveragedPerceptronCV(random_state=seed, n_jobs=n_jobs).fit(X, y))
    one, *others = models
    for other in others:
        assert (one.coef_ == other.coef_).all()
        assert one.cv_results_.keys() == other.cv_results_.keys()
        for name, column in one.cv_results_.items():
            np.testing.assert_array_equal(column, other.cv_results_[name])


@pytest.mark.parametrize("cv", [None, 3, GroupKFold(2)])
@pytest.mark.parametrize("class_weight", [None, {"setosa": 1.0, "virginica": 8.0}])
def test_the_winner_is_trained_on_everything(cv, class_weight):
    X, y, _ = load("iris")
    cv = list(cv.split(X, y, np.arange(len(y)) % 4)) if isinstance(cv, GroupKFold) else cv
    model = AveragedPerceptronCV(cv=cv, class_weight=class_weight, random_state=5, **SMALL)
    model.fit(X, y)
    found, best = model.cv_results_, model.best_index_
    assert model.best_params_ == found["params"][best]
    assert model.best_score_ == found["mean_test_score"][best] == max(found["mean_test_score"])
    assert found["rank_test_score"][best] == 1
    other = alone(model.best_params_, class_weight=class_weight, random_state=5).fit(X, y)
    assert (model.coef_ == other.coef_).all()
    assert (model.decision_function(X) == other.decision_function(X)).all()
    assert (model.predict(X) == other.predict(X)).all()
    assert model.n_iter_ == other.n_iter_
    assert model.best_estimator_.mistakes_.tolist() == other.mistakes_.tolist()


def test_the_table_of_results():
    X, y, _ = load("iris")
    found = AveragedPerceptronCV(cv=4, random_state=0, **SMALL).fit(X, y).cv_results_
    names = [name for name in found if name.startswith("param_")]
    for k, params in enumerate(found["params"]):
        for name in names:
            value = found[name][k]
            here = name.removeprefix("param_") in params
            assert value == params[name.removeprefix("param_")] if here else value is np.ma.masked
    splits = np.array([found[f"split{k}_test_score"] for k in range(4)])
    np.testing.assert_allclose(splits.mean(axis=0), found["mean_test_score"])
    np.testing.assert_allclose(splits.std(axis=0), found["std_test_score"])
    assert sorted({params["max_iter"] for params in found["params"]}) == [1, 2, 3]
    assert len(found["params"]) == 3 * (2 * 2 + 1 + 1)


def test_an_example_of_weight_0_is_not_there():
    X, y, _ = load("iris")
    weight = np.where(np.arange(len(y)) % 5 == 0, 0.0, 1.0)
    there = np.flatnonzero(weight)
    held = np.arange(len(y)) % 3 == 0
    outside = [(np.flatnonzero(~held), np.flatnonzero(held))]
    inside = [(np.flatnonzero(~held[there]), np.flatnonzero(held[there]))]
    mixed = KFold(3, shuffle=True, random_state=0)
    for outer, inner in [(outside, inside), (None, None), (3, 3), (mixed, mixed)]:
        one = AveragedPerceptronCV(cv=outer, random_state=1, **SMALL).fit(X, y, weight)
        other = AveragedPerceptronCV(cv=inner, random_state=1, **SMALL).fit(X[there], y[there])
        assert (one.coef_ == other.coef_).all()
        ours, theirs = one.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"]
        np.testing.assert_array_equal(ours, theirs)


def test_a_setting_that_falls_behind_leaves_the_race(monkeypatch):
    """Here labels are a matter of directions, and the first column drowns them."""
    random = np.random.default_rng(0)
    X = random.standard_normal((4000, 3))
    y = (X[:, 1] > 0.3 * X[:, 2]).astype(int)
    X *= np.exp(3 * random.standard_normal((4000, 1)))
    options = {"margins": (0.0,), "r": (), "C": (), "random_state": 0}
    found = AveragedPerceptronCV(**options).fit(X, y).cv_results_
    assert not np.isnan(found["mean_test_score"]).any()  # so few are learned from by all
    monkeypatch.setattr(race, "TRIAL", 3 * 5000)
    found = AveragedPerceptronCV(**options).fit(X, y).cv_results_
    raw = found["param_normalize"] == False  # noqa: E712
    assert np.isnan(found["mean_test_score"][raw]).any()
    assert not np.isnan(found["mean_test_score"][~raw]).any()
    assert model_of(found)["normalize"]
    found = AveragedPerceptronCV(scoring="f1", **options).fit(X, y).cv_results_
    assert not np.isnan(found["mean_test_score"]).any()


def model_of(found):
    return found["params"][found["rank_test_score"].argmin()]


class Fitted:
    """What `Setting` asks of a contender."""

    def __init__(self, right, share, n_read=race.TRIAL):
        self.right, self.share = np.array(right, bool), np.array(share, float)
        self.fold, self.n_read = Fold(None, np.arange(len(right))), n_read


def behind(b, c, share=1.0, **options):
    """Is a setting behind, if the best alone is right on `b` examples and it alone on `c`?"""
    best, ours = np.repeat([1, 0, 1], [b, c, 5]), np.repeat([0, 1, 1], [b, c, 5])
    share = np.full(len(best), share)
    best, ours = (Setting({}, [Fitted(r, share, **options)]) for r in (best, ours))
    return ours.is_behind(best)


@given(b=st.integers(0, 60), c=st.integers(0, 60))
def test_when_a_setting_is_behind(b, c):
    assert behind(b, c) == (b - c > 2 * np.sqrt(b + c))
    assert behind(b, c, share=0.25) == behind(b, c)
    assert not behind(b, c, n_read=race.TRIAL - 1)


def test_a_setting_is_tried_on_every_fold_and_a_row_is_one_row():
    right, wrong = Fitted([1] * 10, [1] * 10), Fitted([0] * 10, [1] * 10)
    assert Setting({}, [wrong] * 2).is_behind(Setting({}, [right] * 2))
    few = Fitted([0] * 10, [1] * 10, n_read=1)
    assert not Setting({}, [wrong, few]).is_behind(Setting({}, [right] * 2))
    right, wrong = Fitted([1] * 4, [1] * 4), Fitted([0] * 4, [1] * 4)
    assert not Setting({}, [wrong] * 5).is_behind(Setting({}, [right] * 5))  # 4 rows, 5 times
    heavy = np.array([100.0] + [1.0] * 20)  # one example that counts as much as a hundred
    best, ours = Fitted([1] * 21, heavy), Fitted([0] * 21, heavy)
    assert not Setting({}, [ours]).is_behind(Setting({}, [best]))


def test_nobody_without_a_score_wins_and_of_equals_the_first():
    first, second, gone = (Setting({"k": k}, []) for k in range(3))
    first.scores, second.scores = {1: [0.5], 2: [0.9]}, {1: [0.9], 2: [0.9]}
    gone.scores = {1: [0.7]}
    found = results([first, second, gone], [1, 2], 1)
    assert found["rank_test_score"].tolist() == [5, 1, 4, 1, 1, 6]
    assert model_of(found) == {"k": 1, "max_iter": 1}


def test_a_scorer_sees_the_held_out_rows():
    X, y, _ = load("iris")
    learned, held = np.arange(150)[::2], np.arange(150)[1::2]
    model = AveragedPerceptronCV(cv=[(learned, held)], scoring="f1_macro", shuffle=False, **SMALL)
    found = model.fit(X, y).cv_results_
    for params, score in zip(found["params"], found["split0_test_score"], strict=True):
        one = alone(params, shuffle=False).fit(X[learned], y[learned])
        assert score == pytest.approx(f1_score(y[held], one.predict(X[held]), average="macro"))
    with pytest.raises(ParameterError, match="scoring gave no finite score"):
        model.set_params(scoring=lambda *_: np.nan).fit(X, y)


def test_a_setting_whose_weights_overflow_drops_out():
    X, y, _ = load("iris")
    X = (X * 1e20).astype(np.float32)
    model = AveragedPerceptronCV(r=(), C=(), random_state=0).fit(X, y)
    assert model.best_params_["normalize"]
    with pytest.raises(WeightOverflow):
        AveragedPerceptronCV(normalize=False, r=(), C=(), random_state=0).fit(X, y)


def test_scores_from_before_an_overflow_count(monkeypatch):
    X, y, _ = load("iris")
    visit, failure = Course.visit, WeightOverflow("too large")

    def overflowing(course, order, team=None):
        if course.epochs == 3:
            raise failure
        visit(course, order, team)

    model = AveragedPerceptronCV(random_state=0, **SMALL | {"max_iter": 10})
    made = AveragedPerceptronCV._setting
    monkeypatch.setattr(
        AveragedPerceptronCV,
        "_setting",
        lambda *a: spoiled(made(*a), overflowing),
    )
    found = model.fit(X, y)
    assert found.best_params_["max_iter"] <= 2


def spoiled(setting, visit):
    """The setting, with fits that visit rows in another way."""
    for one in setting.contenders:
        one.course.visit = partial(visit, one.course)
    return setting


@given(
    y=st.lists(st.integers(0, 3), min_size=2, max_size=60).map(np.array),
    fraction=st.floats(0.05, 0.5),
    enough=st.integers(1, 80),
    most=st.integers(1, 10),
)
def test_held_out_examples(y, fraction, enough, most):
    n = len(y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folds, "ENOUGH", enough)
        splits = list(held_out(y, np.arange(n), fraction, most, np.random.RandomState(0)))
    fraction = max(fraction, 1 / n)
    every = np.concatenate([held for _, held in splits])
    assert len(np.unique(every)) == len(every)
    assert 1 <= len(splits) <= most
    assert len(splits) == 1 or (len(splits) - 1) * fraction * n < enough
    assert len(splits) in (most, int(1 / fraction)) or len(splits) * fraction * n >= enough
    for learned, held in splits:
        assert sorted([*learned, *held]) == list(range(n))
        for label in np.unique(y):
            share = (y == label).sum() * fraction
            assert share - 1 < (y[held] == label).sum() < share + 1


def test_rungs():
    assert rungs(1) == [1]
    assert rungs(10) == [1, 2, 3, 5, 10]
    assert rungs(25) == [1, 2, 3, 5, 10, 20, 25]
    assert rungs(100) == [1, 2, 3, 5, 10, 20, 30, 50, 100]


def test_pickle_and_clone():
    X, y, _ = load("wdbc")
    model = AveragedPerceptronCV(random_state=0, **SMALL).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.decision_function(X) == model.decision_function(X)).all()
    again = clone(model).fit(X, y)
    assert [getattr(again, name) for name in BEST] == [getattr(model, name) for name in BEST]


def test_progress(capsys):
    X, y, _ = load("iris")
    AveragedPerceptronCV(verbose=1, random_state=0, **SMALL).fit(X, y)
    assert "best score 0." in capsys.readouterr().err
    AveragedPerceptronCV(random_state=0, **SMALL).fit(X, y)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"margins": ()}, r"margins=\(\) .*non-empty list or tuple of values, each a finite"),
        ({"margins": "1"}, "margins='1' "),
        ({"margins": np.array([[1.0]])}, "margins="),
        ({"scoring": ["accuracy"]}, "scoring=.*one score"),
        ({"margins": (1.0, -1.0)}, "margins="),
        ({"normalize": [1]}, "normalize=.*True or False"),
        ({"cv": [1, 2]}, "cv has 1, but it must have pairs"),
        ({"cv": [([0, 1], [9])]}, "cv has .*row numbers below 2"),
        ({"cv": [([0, 0], [1])]}, "cv has a row to learn from twice"),
        ({"cv": []}, "cv has no folds"),
        ({"verbose": -1}, "verbose=-1"),
        ({"r": (0.0,)}, "r=.*above 0"),
        ({"cv": 1}, r"cv=1 .*number of folds \(2 or more\)"),
        ({"validation_fraction": 0.0}, "validation_fraction=0.0 "),
    ],
)
def test_bad_parameters(options, says):
    with pytest.raises(ParameterError, match=says):
        AveragedPerceptronCV(**options).fit([[0.0], [1.0]], [0, 1])


def test_the_forms_of_folds():
    """Row numbers in lists, tuples and arrays, also from the end, and flags, are the same folds."""
    X, y, _ = load("iris")
    held = np.arange(150) % 3 == 0
    learned, out = np.flatnonzero(~held), np.flatnonzero(held)
    forms = [
        (learned, out),
        (learned.tolist(), tuple(out)),
        (~held, held),
        (learned - 150, out),
    ]
    scores = [
        AveragedPerceptronCV(cv=[form], random_state=0, **SMALL).fit(X, y).cv_results_
        for form in forms
    ]
    for found in scores[1:]:
        np.testing.assert_array_equal(found["mean_test_score"], scores[0]["mean_test_score"])


def test_one_value_need_not_be_in_a_list():
    X, y, _ = load("iris")
    model = AveragedPerceptronCV(margins=1.0, normalize=True, r=(), C=(), random_state=0)
    assert {params["margin"] for params in model.fit(X, y).cv_results_["params"]} == {1.0}


def test_bad_data():
    X, y, _ = load("iris")
    model = AveragedPerceptronCV(random_state=0, **SMALL)
    with pytest.raises(NotFittedError):
        model.predict(X)
    X[17, 2] = np.nan
    with pytest.raises(DataError, match="NaN, first in row 17, column 2"):
        model.fit(X, y)
    X[17, 2] = 1.0
    random = np.random.RandomState(0)
    model.set_params(random_state=random).fit(X, y)
    before, drawn = dict(vars(model)), random.get_state()[1].tolist()
    with pytest.raises(ValueError, match="class"):
        model.fit(X, np.zeros(len(y)))
    with pytest.raises(ParameterError, match="no finite score"):  # after random numbers were drawn
        model.set_params(scoring=lambda *_: np.nan).fit(X, y)
    model.set_params(scoring=None)
    assert vars(model) == before
    assert random.get_state()[1].tolist() == drawn
    everything = np.arange(len(y))
    with pytest.raises(DataError, match="has 150 to learn from and 0 held out"):
        AveragedPerceptronCV(cv=[(everything, everything[:0])]).fit(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::FutureWarning")
@parametrize_with_checks(
    [AveragedPerceptronCV(**SMALL)],
    expected_failed_checks=lambda _: {
        f"check_sample_weight_equivalence_on_{kind}_data": REPETITION
        for kind in ("dense", "sparse")
    },
)
def test_check_estimator(estimator, check):
    check(estimator)
