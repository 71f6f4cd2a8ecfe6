"""`novikoff plot`, `fit --plot` and `show`: a model to look at and to read."""

import sys

import numpy as np
import pytest

import novikoff
from commands import said, same_files, to_its_end
from novikoff.data import load, read, write
from novikoff.proofs.trace import Trace

pytestmark = pytest.mark.heavy  # `make quick` leaves it out

STARTS = {"png": b"\x89PNG\r\n", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    X, species, names = load("iris")
    write(folder / "x.csv", X[:, 2:], species == "setosa", names=names[2:])
    write(folder / "four.csv", X, species == "setosa", names=names)
    write(folder / "mixed.csv", X, species == "virginica", names=names)
    return folder


@pytest.fixture(scope="module")
def recorded(folder):
    """A model that keeps its run, which went in many blocks."""
    from novikoff.cli import main

    words = ("fit", folder / "x.csv", "-o", folder / "model", "--record", "--block-bytes", "300")
    assert main([*map(str, words), "--learner", "perceptron", "--epochs", "50", "--quiet"]) == 0
    return folder / "model"


@pytest.mark.parametrize("kind", ["boundary", "update", "proof", "progress", "comparison"])
@pytest.mark.parametrize("ending", STARTS)
def test_every_kind_of_picture(folder, recorded, tmp_path, kind, ending):
    target = tmp_path / f"picture.{ending}"
    words = ("plot", recorded, folder / "x.csv", "--kind", kind, "-o")
    assert said(*words, target) == (0, "", "")
    first = target.read_bytes()
    assert first.startswith(STARTS[ending])
    assert len(first) > 5000
    assert said(*words, target)[0] == 0
    assert target.read_bytes() == first
    assert list(tmp_path.iterdir()) == [target]


def test_pictures_name_the_features(folder, recorded, tmp_path):
    target = tmp_path / "picture.svg"
    for kind in ("boundary", "update", "comparison"):
        said("plot", recorded, folder / "x.csv", "--kind", kind, "-o", target)
        assert "<!-- petal_length -->" in target.read_text()


def test_other_data_is_not_what_a_run_learned_from(folder, recorded, tmp_path):
    lines = (folder / "x.csv").read_text().splitlines()
    (tmp_path / "less.csv").write_text("\n".join(lines[:-1]))
    words = ("plot", recorded, tmp_path / "less.csv", "-o", tmp_path / "p.png")
    assert said(*words, "--kind", "boundary")[0] == 0
    (tmp_path / "p.png").unlink()
    status, _, err = said(*words, "--kind", "proof")
    assert status == 3
    assert "it has 149 examples, but the run learned from 150: give the data" in err
    lines[1:] = lines[:0:-1]
    (tmp_path / "less.csv").write_text("\n".join(lines))
    status, _, err = said(*words, "--kind", "update")
    assert status == 3
    assert "it has other examples than the run learned from" in err
    assert not (tmp_path / "p.png").exists()


def test_a_run_without_a_proof_has_progress(folder, tmp_path):
    fit = ("fit", folder / "mixed.csv", "-o", tmp_path / "m", "--record")
    assert said(*fit)[0] == 0
    words = ("plot", tmp_path / "m", folder / "mixed.csv", "-o", tmp_path / "p.png", "--kind")
    status, _, err = said(*words, "proof")
    assert status == 3
    assert "this is inseparable in the space of the run" in err
    assert "draw --kind progress" in err
    assert not (tmp_path / "p.png").exists()
    assert said(*words, "progress")[0] == 0
    status, _, err = said(*words, "comparison")
    assert status == 2
    assert "--kind comparison is drawn in the plane of two features, but there are 4." in err
    (tmp_path / "one.svm").write_text("1 1:1\n-1 1:2\n")
    assert said("fit", tmp_path / "one.svm", "-o", tmp_path / "one", "--record")[0] == 0
    for kind in ("boundary", "update"):
        words = ("plot", tmp_path / "one", tmp_path / "one.svm", "-o", tmp_path / "q.png")
        status, _, err = said(*words, "--kind", kind)
        assert status == 2
        assert (
            f"--kind {kind} is drawn in the plane of two features or more, but there is 1." in err
        )


def test_a_run_in_blocks_is_recorded_as_one(folder, recorded):
    model = novikoff.load(recorded)
    data = read(folder / "x.csv")
    trace = Trace(model).with_data(data.X, data.y)
    assert model.n_iter_ > 1
    last = trace.weights(len(trace))
    assert last.tobytes() == np.append(model.coef_[0], model.intercept_).tobytes()
    assert trace.proof().holds


# ------------------------------------------------------------- novikoff fit --plot


@pytest.mark.parametrize("learner", ["perceptron", "averaged", "voted"])
@pytest.mark.parametrize("how", [(), ("--block-bytes", "400"), ("--slack", "1")])
def test_the_model_is_the_same_with_and_without_its_picture(folder, tmp_path, learner, how):
    fit = ("fit", folder / "four.csv", "--learner", learner, *how, "-o")
    assert said(*fit, tmp_path / "m")[0] == 0
    status, out, err = said(*fit, tmp_path / "n", "--plot", tmp_path / "p.png")
    assert (status, out) == (0, ""), err
    assert same_files(tmp_path / "m", tmp_path / "n")
    assert (tmp_path / "p.png").read_bytes().startswith(STARTS["png"])
    assert len(list(tmp_path.iterdir())) == 3


def test_no_proof_is_no_loss(folder, tmp_path):
    fit = ("fit", folder / "mixed.csv", "--epochs", 3, "-o", tmp_path / "m")
    status, _, err = said(*fit, "--plot", tmp_path / "p.svg")
    assert status == 0
    assert "the data is inseparable in the space of the run" in err
    assert "shows the progress of the run" in err
    assert "mistakes in the epoch" in (tmp_path / "p.svg").read_text()
    novikoff.load(tmp_path / "m")


def test_what_does_not_fit_into_memory_is_not_drawn(folder, tmp_path):
    more = ("--plot", tmp_path / "p.png", "--memory", "1K", "--epochs")
    for epochs in (1, 5):
        words = ("fit", folder / "four.csv", "-o", tmp_path / "m", *more, epochs)
        status, _, err = said(*words)
        assert status == 2
        assert "takes more than the 1,024 bytes of --memory, and --plot needs all" in err
        assert not list(tmp_path.iterdir())


def test_a_picture_that_cannot_be_written_costs_no_model(folder, tmp_path, monkeypatch):
    from novikoff.cli import picture
    from novikoff.errors import WriteError

    def full(figure, path, kind):
        raise WriteError(28, f"{path} could not be written: the disk is full.")

    monkeypatch.setattr(picture, "write_picture", full)
    fit = ("fit", folder / "four.csv", "-o", tmp_path / "m", "--plot", tmp_path / "p.png")
    assert said(*fit)[0] == 4
    novikoff.load(tmp_path / "m")
    assert not (tmp_path / "p.png").exists()


def test_without_matplotlib_it_says_so_at_once(folder, recorded, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for words in (
        ("plot", recorded, folder / "x.csv", "-o", tmp_path / "p.png"),
        ("fit", folder / "x.csv", "-o", tmp_path / "m", "--plot", tmp_path / "p.png"),
    ):
        status, _, err = said(*words)
        assert status == 2
        assert "pip install 'novikoff[plots]'" in err
        assert not list(tmp_path.iterdir())


# ------------------------------------------------------------- novikoff show


def test_show_counts_examples_and_visits(folder, tmp_path):
    fit = ("fit", folder / "four.csv", "-o", tmp_path / "m", "--learner", "perceptron")
    assert said(*fit)[0] == 0
    shown = said("show", tmp_path / "m")[1]
    visits = novikoff.load(tmp_path / "m")._state.stream.n_seen
    assert f"examples     150, and {visits} visits in all passes" in shown
    assert visits > 150
    X, y = [[0.0], [1.0]], [0, 1]
    novikoff.Perceptron().partial_fit(X, y, classes=[0, 1]).save(tmp_path / "n")
    assert "examples     2 visits in 1 pass\n" in said("show", tmp_path / "n")[1]
    novikoff.Perceptron().fit(X, y).save(tmp_path / "n")
    assert "examples     2, and " in said("show", tmp_path / "n")[1]


def test_show_says_whose_weights_they_are(folder, tmp_path):
    said("fit", folder / "four.csv", "-o", tmp_path / "m", "--learner", "voted")
    shown = said("show", tmp_path / "m")[1]
    planes = novikoff.load(tmp_path / "m").n_mistakes_ + 1
    assert f"vote         of {planes} hyperplanes; the last of them:\nbias " in shown


def test_show_has_the_boundary_in_words(folder, tmp_path):
    said("fit", folder / "four.csv", "-o", tmp_path / "m", "--learner", "perceptron")
    model, X = novikoff.load(tmp_path / "m"), read(folder / "four.csv").X
    told = " ".join(said("show", tmp_path / "m")[1].split())
    assert told.endswith(novikoff.describe(model))
    words = ("show", tmp_path / "m", "--data", folder / "four.csv")
    told = " ".join(said(*words)[1].split())
    assert told.endswith(novikoff.describe(model, X))
    assert "Per standard deviation" in told
    (tmp_path / "x.svm").write_text("1 0:1\n-1 1:1\n")
    said("fit", tmp_path / "x.svm", "-o", tmp_path / "m")
    told = said("show", tmp_path / "m")[1]
    assert "feature 0" in told
    assert (
        "This AveragedPerceptron predicts, by the mean of all weights on the way, 1 where" in told
    )


@pytest.mark.parametrize(("sent", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_model_is_not_denied_when_its_picture_is_stopped(tmp_path, sent, status):
    (tmp_path / "x.svm").write_text("1 1:1\n-1 2:1\n")
    program = (
        "import os, signal, sys, time\nfrom novikoff.cli import main, picture\n"
        "def figure(*_):\n"
        f"    os.kill(os.getpid(), signal.{sent})\n"
        "    for _ in range(6000):  # another thread may be told first\n"
        "        time.sleep(0.01)\n"
        "picture.figure_of_run = figure\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    words = ["fit", "x.svm", "-o", "m", "--plot", "p.png", "--quiet"]
    finished = to_its_end([sys.executable, "-c", program, *words], cwd=tmp_path)
    assert finished.returncode == status, finished.stderr
    assert finished.stderr == "novikoff: stopped; m is written, but p.png is not.\n"
    assert {path.name for path in tmp_path.iterdir()} == {"x.svm", "m"}
