"""The command on kernel machines: from a file to a score, and what has no meaning for them."""

import json
import re

import numpy as np
import pytest

import novikoff
from commands import done, said, same_files
from novikoff import KernelPerceptron, Romma
from novikoff.data import read, write
from novikoff.inputs.labels import as_written

OPTIONS = {
    "kernel": {"gamma": 0.5, "predict_with": "averaged", "tie": "negative"},
    "kernel on a budget": {"budget": 40, "kernel": "poly", "degree": 2, "coef0": 0.5},
    "romma": {"update_on": "mistake", "kernel": "rbf", "shuffle": False},
    "romma with plain weights": {"kernel": "linear"},
}
CLASSES = {"kernel": KernelPerceptron, "romma": Romma}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A disc in a ring, which no line separates, and three rings."""
    folder = tmp_path_factory.mktemp("kernels")
    X = np.random.default_rng(0).normal(size=(120, 2)).round(2)
    squares = (X**2).sum(axis=1)
    write(folder / "two.csv", X, np.where(squares > 1, "out", "in"))
    write(folder / "three.csv", X, np.digitize(squares, [0.5, 2.0]))
    write(folder / "weighted.csv", X, np.where(squares > 1, 1, -1), weight=1.0 + (X[:, 0] > 0))
    return folder


def as_options(parameters):
    for name, value in parameters.items():
        word = name.replace("_", "-")
        yield from (f"--no-{word}",) if value is False else (f"--{word}", value)


@pytest.mark.parametrize("file", ["two.csv", "three.csv"])
@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.filterwarnings("ignore:.*stopped (at max_iter|as nothing)")
def test_from_file_to_score(folder, name, file):
    word, data = name.split()[0], read(folder / file)
    path = folder / f"{name}-{file}.model"
    options = [*as_options(OPTIONS[name])]
    status, _, err = said("fit", folder / file, "-o", path, "--learner", word, *options)
    own = CLASSES[word](random_state=0, **OPTIONS[name]).fit(data.X, data.y)
    assert (status, f"mistakes in {own.n_iter_} epochs" in err) == (0, True)
    model = novikoff.load(path)
    assert model.get_params() == own.get_params()
    status, out, _ = said("predict", path, folder / file, "--scores")
    lines = [line.split("\t") for line in out.splitlines()]
    assert [line[0] for line in lines] == list(map(as_written, own.predict(data.X)))
    scores = np.array([[float(s) for s in line[1:]] for line in lines])
    np.testing.assert_array_equal(scores.squeeze(), own.decision_function(data.X))
    status, out, _ = said("score", path, folder / file, "--json")
    assert json.loads(out)["right"] == int((own.predict(data.X) == data.y).sum())
    status, out, _ = said("show", path)
    assert status == 0
    assert f"{type(own).__name__} of " in out
    assert f"examples     120, and {120 * own.n_iter_:,} visits in all passes" in out


def test_the_same_command_writes_the_same_model(folder):
    for name in ("one", "other"):
        words = ("fit", folder / "two.csv", "-o", folder / name, "--learner", "kernel")
        assert said(*words, "--seed", 7)[0] == 0
    assert same_files(folder / "one", folder / "other")


def test_through_pipes(folder):
    text = (folder / "two.csv").read_bytes()
    fit = ("fit", "-", "--format", "csv", "-o", "-", "--learner", "kernel", "--quiet")
    model = done(*fit, input=text, text=False)
    assert b" right (" in done("score", "-", folder / "two.csv", input=model, text=False)


NO_MEANING = {
    ("--budget", "2.5"): "--budget 2.5 was given, but it must be a whole number",
    ("--gamma", "-1"): "--gamma -1 was given, but it must be a finite number above 0, or 'scale'",
    ("--kernel", "precomputed"): "choose from 'linear', 'poly', 'rbf'",
    ("--no-fit-intercept",): "--no-fit-intercept is an option of .*, and not of kernel",
    ("--update-on", "mistake"): "--update-on is an option of romma, and not of kernel",
    ("--progressive",): "--progressive is for .* but a kernel machine needs all examples at once",
    ("--checkpoint", "at"): "--checkpoint is for .* but a kernel machine needs all examples",
    ("--plot", "run.png"): "--plot draws the runs of learners with weights, and kernel has dual",
    ("--budget", "40", "--predict-with", "voted"): "--predict-with voted",
    (
        "--budget",
        "40",
        "--class-weight",
        "balanced",
    ): "leave --class-weight out, or leave --budget out",
}


@pytest.mark.parametrize("options", NO_MEANING, ids=" ".join)
def test_what_has_no_meaning_is_said(folder, tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    words = ("fit", folder / "two.csv", "-o", "model", "--learner", "kernel")
    status, _, err = said(*words, *options)
    assert status == 2
    assert re.search(NO_MEANING[options], err), err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.filterwarnings("ignore:.*stopped (at max_iter|as nothing)")
def test_weights_of_examples_and_classes(folder):
    data = read(folder / "weighted.csv", weight="weight")
    words = ("fit", folder / "weighted.csv", "-o", folder / "weighted", "--learner", "kernel")
    assert said(*words, "--weight", "weight", "--class-weight", "balanced")[0] == 0
    own = KernelPerceptron(random_state=0, class_weight="balanced")
    own.fit(data.X, data.y, sample_weight=data.weight)
    loaded = novikoff.load(folder / "weighted")
    np.testing.assert_array_equal(loaded.dual_coef_, own.dual_coef_)
    assert loaded.get_params() == own.get_params()
    status, _, err = said(*words, "--weight", "weight", "--budget", "40")
    assert (status, "and has no bound with others: leave the weights out" in err) == (2, True)


def test_weights_of_examples_are_refused(folder):
    words = ("fit", folder / "weighted.csv", "-o", folder / "no", "--learner", "romma")
    status, _, err = said(*words, "--weight", "weight")
    assert status == 3
    assert "its examples have weights, which romma does not take: leave --weight out" in err
    assert not (folder / "no").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("plot", "kernel", "DATA", "-o", "x.png", "--kind", "proof"),
            "kernel is a KernelPerceptron, which keeps none to draw: train another --learner",
        ),
        (("convert", "kernel", "x.onnx"), "only the linear models of novikoff are written as ONNX"),
        (("convert", "kernel", "x.csv"), "it has no coefficients of features"),
    ],
)
def test_what_a_kernel_machine_cannot_become(folder, monkeypatch, tmp_path, words, says):
    monkeypatch.chdir(tmp_path)
    data = folder / "two.csv"
    assert said("fit", data, "-o", "kernel", "--learner", "kernel")[0] == 0
    status, _, err = said(*(data if word == "DATA" else word for word in words))
    assert (status, says in err) == (2, True), err
    assert [path.name for path in tmp_path.iterdir()] == ["kernel"]
