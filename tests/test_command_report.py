"""How good predictions are: the report of `score`, and what `fit` measures on held-out examples."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    balanced_accuracy_score,
    confusion_matrix,
    precision_recall_fscore_support,
    roc_auc_score,
)

import novikoff
from commands import done, run, said
from novikoff.cli import fitting
from novikoff.cli.evaluation.calibration import Calibrating, Calibration
from novikoff.cli.evaluation.held_out import Folds
from novikoff.cli.evaluation.score_report import LONGEST, Ranking, Report
from novikoff.data import load, planted, read, write
from novikoff.store import load_with_header


def model_in(path):
    """A model that takes arrays, which have no names."""
    model = novikoff.load(path)
    del model.feature_names_in_
    return model


def cuts(data, n):
    """Some places to cut at, the ends among them."""
    inner = data.draw(st.sets(st.integers(1, max(1, n - 1)), max_size=3))
    return sorted({0, *(k for k in inner if k < n), n})


# ------------------------------------------------------------- the report


@given(st.data(), st.integers(2, 4), st.integers(1, 40))
def test_a_report_has_the_figures_of_scikit_learn(data, n_classes, n):
    """However the examples come in blocks."""
    classes = np.array(["ant", "bee", "cow", "dog"])[:n_classes]
    rows = st.lists(st.sampled_from(classes.tolist()), min_size=n, max_size=n)
    y, told = np.array(data.draw(rows)), np.array(data.draw(rows))
    scores = np.array(data.draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n)), float)
    report = Report(classes)
    places = cuts(data, n)
    for low, high in pairwise(places):
        own = scores[low:high] if n_classes == 2 else None
        report.add(y[low:high], told[low:high], own)
    found = report.as_json()
    own = dict(zip(classes.tolist(), range(n_classes), strict=True))
    matrix = np.zeros((n_classes, n_classes), int)
    for cell in found["confusion"]:
        matrix[own[cell["right"]], own[cell["predicted"]]] = cell["examples"]
    assert (matrix == confusion_matrix(y, told, labels=classes)).all()
    shares = precision_recall_fscore_support(y, told, labels=classes, zero_division=0)
    for name, expected in zip(("precision", "recall", "f1", "support"), shares, strict=True):
        assert np.allclose([found["classes"][c][name] for c in classes], expected, rtol=1e-12)
    assert found["accuracy"] == np.mean(y == told)
    recalls = confusion_matrix(y, told, labels=classes)
    there = recalls.sum(1) > 0
    assert np.isclose(
        found["balanced_accuracy"], (recalls.diagonal()[there] / recalls.sum(1)[there]).mean()
    )
    if n_classes == 2 and len(set(y)) == 2:
        assert np.isclose(found["auc"], roc_auc_score(y == "bee", scores), rtol=1e-12)
    else:
        assert found["auc"] is None
    assert all(len(line) <= 80 for line in report.lines())


def test_balanced_accuracy_is_that_of_scikit_learn():
    y, told = np.array(list("aaab")), np.array(list("aabb"))
    report = Report(np.array(["a", "b"]))
    report.add(y, told, None)
    assert report.balanced_accuracy == balanced_accuracy_score(y, told)


@pytest.mark.parametrize("most", [50, 1000, 2**21])
def test_the_area_is_kept_where_scores_are_put_together(most):
    rng = np.random.default_rng(0)
    second = rng.random(20_000) < 0.3
    scores = (rng.standard_normal(20_000) + second).round(4)
    ranking = Ranking(most)
    for low in range(0, 20_000, 700):
        ranking.add(scores[low : low + 700], second[low : low + 700])
    exact = roc_auc_score(second, scores)
    assert abs(ranking.auc() - exact) <= (2 / most if most < 20_000 else 1e-12)
    assert len(ranking.scores) <= most


def test_many_classes_are_told_in_short():
    classes = np.arange(40.0)
    report = Report(classes)
    report.add(np.repeat(classes, 3), np.append(np.repeat(classes[:-1], 3), [7.0, 7.0, 39.0]), None)
    lines = report.lines()
    assert lines[0] == "118 of 120 right (98.33%), 2 wrong"
    assert lines[4] == "  39 taken for 7: 2"
    assert f"the {LONGEST} classes with the lowest F1, of 40 (--json has all)" in lines
    assert lines[-LONGEST].split()[0] == "39"


def test_the_report_of_a_model(tmp_path):
    X, y, names = load("iris")
    write(tmp_path / "iris.csv", X, y, names=names)
    done("fit", tmp_path / "iris.csv", "-o", tmp_path / "m", "--learner", "perceptron", "--quiet")
    model = model_in(tmp_path / "m")
    told = json.loads(done("score", tmp_path / "m", tmp_path / "iris.csv", "--json"))
    assert told["right"] == (model.predict(X) == y).sum()
    lines = done("score", tmp_path / "m", tmp_path / "iris.csv").splitlines()
    assert lines[0].startswith(f"{told['right']} of 150 right")
    assert lines[3] == "rows: the right class; columns: the predicted class"
    assert lines[-1].split()[0] == "virginica"


# ------------------------------------------------------------- held-out examples


@given(st.data(), st.integers(1, 500), st.integers(0, 2**32 - 1))
def test_folds_do_not_depend_on_blocks(data, n, seed):
    for folds in (Folds(100, data.draw(st.integers(1, 99)), 1, seed), Folds(7, 1, 7, seed)):
        whole, places = folds.of(0, n), cuts(data, n)
        parts = [folds.of(a, b - a) for a, b in pairwise(places)]
        assert np.concatenate(parts).tolist() == whole.tolist()
        for low in range(0, n - folds.window + 1, folds.window):
            counts = np.bincount(whole[low : low + folds.window] + 1, minlength=folds.n + 1)
            assert (counts[1:] == folds.share).all()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    X, y, *_ = planted(600, 6, margin=0.01, seed=1)
    flipped = np.random.default_rng(0).random(600) < 0.1
    write(folder / "x.csv", X.round(4), np.where(np.where(flipped, -y, y) > 0, "yes", "no"))
    X, y, names = load("iris")
    write(folder / "iris.csv", X, y, names=names)
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ("--holdout", 0.25),
        ("--cv", 4, "--learner", "arow", "--n-jobs", 2),
        ("--holdout", 0.25, "--learner", "pocket"),
        ("--cv", 3, "--learner", "max-margin", "--C", 1.0),
        ("--cv", 4, "--learner", "voted", "--block-bytes", 2000),
    ],
    ids=str,
)
def test_an_estimate_is_that_of_learners_by_hand(folder, tmp_path, words):
    """Whose model is the same with and without it."""
    path = folder / "x.csv"
    epochs = () if "max-margin" in words else ("--epochs", 3)
    fit = ("fit", path, "-o", tmp_path / "m", "--json", *epochs)
    told = json.loads(done(*fit, *words))["held_out"]
    model, header = load_with_header(tmp_path / "m")
    plain = ("fit", path, "-o", tmp_path / "n", *epochs, *words[2:])
    done(*plain)
    same = novikoff.load(tmp_path / "n")
    assert same.coef_.tolist() == model.coef_.tolist()
    data = read(path)
    asked = Folds(4, 1, 4, 0) if words[1] == 4 else Folds(3, 1, 3, 0)
    asked = Folds(100, 25, 1, 0) if "--holdout" in words else asked
    fold, right = asked.of(0, len(data.y)), []
    for k in range(asked.n):
        write(tmp_path / "rest.csv", data.X[fold != k], data.y[fold != k])
        done("fit", tmp_path / "rest.csv", "-o", tmp_path / "k", "--quiet", *epochs, *words[2:])
        own = model_in(tmp_path / "k")
        if "--block-bytes" in words:  # whose blocks are others
            continue
        right.append(np.mean(own.predict(data.X[fold == k]) == data.y[fold == k]))
    if right:
        assert np.allclose(told["folds"], right, rtol=1e-12)
    assert told["examples"] == (fold >= 0).sum()
    assert 0.7 < told["accuracy"] < 0.97
    assert Calibration.read(header["extra"]["calibration"], 2) is not None


def test_an_estimate_of_what_is_read_once(folder, tmp_path):
    """Which is held in memory for it, and is the same."""
    text = (folder / "x.csv").read_bytes()
    words = ("-o", tmp_path / "m", "--holdout", 0.2, "--json", "--epochs", 1)
    by_name = json.loads(done("fit", folder / "x.csv", *words))
    piped = json.loads(done("fit", "-", "--format", "csv", *words, input=text, text=False))
    assert piped["held_out"] == by_name["held_out"]
    told = ("fit", "-", "--format", "csv", *words, "--memory", "1K", "--block-bytes", "1K")
    finished = run(*told, input=text, text=False)
    assert finished.returncode == 2
    assert b"--holdout 0.2 needs all examples at once: give more" in finished.stderr


def test_a_sentence_about_many_classes(folder, tmp_path):
    status, out, err = said("fit", folder / "iris.csv", "-o", tmp_path / "m", "--cv", 5)
    assert (status, out) == (0, "")
    last = err.splitlines()[-1]
    assert " of 150 held-out examples right in 5 folds (" in last
    assert "balanced accuracy" in last
    assert "AUC" not in last


def test_nothing_is_lost_where_no_estimate_can_be_made(folder, tmp_path, monkeypatch):
    (tmp_path / "two.csv").write_text("a,label\n1,x\n2,y\n")
    status, _, err = said("fit", tmp_path / "two.csv", "-o", tmp_path / "m", "--cv", 5)
    assert status == 3
    assert f"{tmp_path / 'm'} was written, but how good the model is could not be measured" in err
    assert "too few examples for --cv 5" in err
    assert novikoff.load(tmp_path / "m").classes_.tolist() == ["x", "y"]

    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(fitting, "estimated_in_blocks", stop)
    words = ("fit", folder / "x.csv", "-o", tmp_path / "n", "--holdout", 0.1)
    status, _, err = said(*words)
    assert status == 130
    assert "n was written, but how good the model is could not be measured." in err
    assert novikoff.load(tmp_path / "n").n_mistakes_ > 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--holdout", 0.2, "--cv", 5), "--holdout and --cv both measure the model"),
        (("--holdout", 0.2, "--progressive"), "--holdout has no meaning beside --progressive"),
        (("--cv", 2, "--cluster", "local"), "--cv has no meaning beside --cluster"),
        (("--cv", 2, "--sequences"), "--cv has no meaning beside --sequences"),
        (("--cv", 1), "found 1, expected a whole number from 2 to 1000"),
        (("--holdout", 1), "found 1, expected a number from 0.01 to 0.99"),
        (("--json", "-o", "-"), "--json prints to standard output, where -o - puts the model"),
    ],
    ids=str,
)
def test_what_has_no_meaning(folder, tmp_path, words, told):
    status, _, err = said("fit", folder / "x.csv", "-o", tmp_path / "m", *words)
    assert status == 2
    assert told in err
    assert not (tmp_path / "m").exists()


# ------------------------------------------------------------- probabilities


@given(st.lists(st.tuples(st.integers(-40, 40), st.booleans()), min_size=2, max_size=60))
def test_two_classes_are_calibrated_as_platt_does(examples):
    """His targets are a weight of either label on each example, for logistic regression."""
    scores = np.array([s for s, _ in examples]) / 4 + 0.01
    y = np.array([own for _, own in examples], int)
    calibrating = Calibrating(2)
    for half in (slice(0, None, 2), slice(1, None, 2)):
        if len(y[half]):
            calibrating.add(y[half], scores[half], 3.0 * scores[half])
    found = calibrating.end()
    counts = np.bincount(y, minlength=2)
    target = np.where(y == 1, (counts[1] + 1) / (counts[1] + 2), 1 / (counts[0] + 2))
    scale = np.sqrt(np.mean(scores**2))
    twice, weights = np.tile(scores / scale, 2)[:, None], np.append(target, 1 - target)
    labels = np.repeat([1, 0], len(y))
    logistic = LogisticRegression(C=1e10, tol=1e-10, max_iter=10_000)
    logistic.fit(twice, labels, sample_weight=weights)
    expected = logistic.predict_proba((scores / scale)[:, None])
    # the model itself has scores three times as large
    assert np.allclose(found.probabilities(3.0 * scores), expected, atol=2e-3)


def test_probabilities_are_calibrated():
    """Of many classes: what is said to be so in p of all cases is so."""
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((6000, 3)) * 2 + [0.0, 0.5, -0.5]
    P = np.exp(Z) / np.exp(Z).sum(1, keepdims=True)
    y = np.array([rng.choice(3, p=p) for p in P])
    calibrating = Calibrating(3)
    calibrating.add(y, 7.0 * Z, 7.0 * Z)
    found = calibrating.end().probabilities(7.0 * Z)
    assert np.abs(found - P).max() < 0.05
    assert np.allclose(found.sum(1), 1.0)


def test_a_damaged_calibration_is_none():
    good = {"slope": 1.0, "offsets": [0.5, 0.0], "examples": 3}
    found = Calibration.read(good, 2).probabilities(np.array([0.0]))
    assert np.isclose(found[0, 1], expit(-0.5))
    wrong = {"slope": "x"}, {"slope": 1e999}, {"offsets": [0.0]}, {"offsets": [None, 0.0]}
    for bad in ({}, None, *(good | more for more in wrong)):
        assert Calibration.read(bad, 2) is None


def test_predictions_with_probabilities(folder, tmp_path):
    """Calibrated: of the examples said to be so with probability p, about a share of p are."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 4)).round(3)
    y = np.where(rng.random(4000) < expit(X @ [1.5, -1.0, 0.5, 0.0] - 0.5), 1, -1)
    write(tmp_path / "train.csv", X[:2000], y[:2000])
    write(tmp_path / "test.csv", X[2000:], y[2000:])
    done("fit", tmp_path / "train.csv", "-o", tmp_path / "m", "--cv", 4, "--quiet")
    lines = done("predict", tmp_path / "m", tmp_path / "test.csv", "--probability").splitlines()
    rows = [line.split("\t") for line in lines]
    P = np.array([[float(p) for p in row[1:]] for row in rows])
    assert P.shape == (2000, 2)
    assert np.allclose(P.sum(1), 1.0)
    model, header = load_with_header(tmp_path / "m")
    del model.feature_names_in_
    own = Calibration.read(header["extra"]["calibration"], 2)
    assert P.tolist() == own.probabilities(model.decision_function(X[2000:])).tolist()
    right = y[2000:] > 0
    for low in (0.0, 0.25, 0.5, 0.75):
        some = (P[:, 1] >= low) & (P[:, 1] < low + 0.25)
        if some.sum() > 50:
            assert abs(right[some].mean() - P[some, 1].mean()) < 0.06
    table = done("predict", tmp_path / "m", tmp_path / "test.csv", "--probability", "--to", "csv")
    assert table.splitlines()[0] == "prediction,probability -1,probability 1"
    done("fit", folder / "iris.csv", "-o", tmp_path / "n", "--quiet")
    status, _, err = said("predict", tmp_path / "n", folder / "iris.csv", "--probability")
    assert status == 2
    assert "--probability needs a model whose scores were compared to held-out labels" in err
