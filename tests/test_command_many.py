"""The command on files of many classes, and its progressive validation."""

import io
import json

import numpy as np
import pytest

import novikoff
from commands import done, run, said, same_files
from novikoff import Perceptron, progressive
from novikoff.data import load, read, write
from novikoff.learners.state import flat


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The three kinds of iris in an order that mixes them, and sorted."""
    folder = tmp_path_factory.mktemp("many")
    X, y, names = load("iris")
    order = np.random.default_rng(0).permutation(len(y))
    write(folder / "mixed.csv", X[order], y[order], names=names)
    write(folder / "sorted.csv", X, y, names=names)
    write(folder / "mixed.svm", X[order], np.unique(y, return_inverse=True)[1][order])
    return folder


@pytest.mark.parametrize("kind", ["joint", "ovr"])
@pytest.mark.parametrize("learner", ["perceptron", "averaged", "voted"])
def test_from_file_to_score(folder, learner, kind):
    model = folder / f"{learner}-{kind}"
    fit = ("fit", folder / "mixed.csv", "-o", model, "--learner", learner, "--multi-class", kind)
    status, _, err = said(*fit, "--epochs", 20)
    assert status == 0
    assert "of 3 classes (setosa, versicolor, virginica)" in err
    loaded = novikoff.load(model)
    data = read(folder / "mixed.csv")
    status, out, _ = said("score", model, folder / "mixed.csv", "--json")
    vars(loaded).pop("feature_names_in_")
    assert json.loads(out)["right"] == int((loaded.predict(data.X) == data.y).sum()) > 100
    status, out, _ = said("predict", model, folder / "mixed.csv", "--scores")
    lines = [line.split("\t") for line in out.splitlines()]
    assert [line[0] for line in lines] == loaded.predict(data.X).tolist()
    scores = np.array([[float(s) for s in line[1:]] for line in lines])
    np.testing.assert_array_equal(scores, loaded.decision_function(data.X))
    status, out, _ = said("show", model, "--top", 3)
    assert status == 0
    assert "of virginica" in out or "of setosa" in out or "of versicolor" in out


@pytest.mark.parametrize("learner", ["pocket", "passive-aggressive", "arow", "scw", "second-order"])
def test_the_other_learners_of_many_classes(folder, learner):
    words = ("fit", folder / "mixed.csv", "-o", folder / "other", "--learner", learner)
    assert said(*words)[0] == 0
    status, out, _ = said("score", folder / "other", folder / "mixed.csv", "--json")
    assert json.loads(out)["right"] > 90
    assert said("show", folder / "other")[0] == 0
    status, _, err = said(*words, "--record", "--plot", folder / f"{learner}.png")
    assert status == 0
    assert f"{learner}.png shows the progress of the run" in err
    assert (folder / f"{learner}.png").stat().st_size > 10_000
    data, model = read(folder / "mixed.csv"), novikoff.load(folder / "other")
    trace = model.trace_.with_data(data.X, data.y)
    np.testing.assert_array_equal(trace.weights(len(trace)), flat(model._state.weights))


def test_a_class_that_comes_late_and_a_stream_that_begins_with_one(folder):
    """Small blocks of a sorted file: one class, then two, then three; a pipe gives the same."""
    options = ("--learner", "perceptron", "--epochs", 3, "--block-bytes", 300)
    assert said("fit", folder / "sorted.csv", "-o", folder / "file", *options)[0] == 0
    text = (folder / "sorted.csv").read_text()
    words = ("fit", "-", "-o", folder / "pipe", "--format", "csv", *options)
    assert run(*words, input=text).returncode == 0
    assert same_files(folder / "file", folder / "pipe")
    assert novikoff.load(folder / "file").classes_.tolist() == ["setosa", "versicolor", "virginica"]


def test_checkpoints_of_many_classes(folder):
    whole = ("fit", folder / "mixed.svm", "--learner", "voted", "--epochs", 4, "--block-bytes", 500)
    assert said(*whole, "-o", folder / "whole")[0] == 0
    saving = (*whole, "--checkpoint", folder / "cp", "--every", 0)
    assert said(*saving, "-o", folder / "again")[0] == 0
    assert same_files(folder / "whole", folder / "again")


def test_labels_that_were_not_named(folder):
    out = folder / "none"
    fit = ("fit", folder / "mixed.csv", "-o", out)
    status, _, err = said(*fit, "--classes", "setosa", "versicolor")
    assert status == 3
    line = 2 + int((read(folder / "mixed.csv").y == "virginica").argmax())
    assert f"mixed.csv:{line}: found the label virginica, expected setosa or versicolor" in err
    status, _, err = said(*fit, "--class-weight", "tulip=2")
    assert status == 2
    assert "--class-weight has tulip" in err
    status, _, err = said(*fit, "--learner", "winnow", "--binarize", 1)
    assert status == 3
    assert "found the label" in err
    assert not out.exists()
    named = ("--classes", "setosa", "versicolor", "virginica", "orchid")
    assert said(*fit, *named)[0] == 0
    assert len(novikoff.load(out).classes_) == 4


def test_certificates_of_many_classes(folder):
    proof = folder / "proof"
    status, out, _ = said("certify", folder / "mixed.csv", "--save", proof)
    assert (status, out.splitlines()[0]) == (0, "quasi-separable, 3 classes jointly")
    status, out, _ = said("verify", proof, folder / "mixed.csv")
    proved = "infinite   the coefficients in logistic regression, proved\n"
    assert (status, out) == (0, f"quasi-separable: the proof holds\n{proved}")
    status, out, _ = said("verify", proof, folder / "sorted.csv")
    assert (status, out) == (1, "quasi-separable: the proof DOES NOT hold\n")


@pytest.mark.parametrize("kind", ["joint", "ovr"])
def test_pictures_of_many_classes(folder, kind):
    """In blocks whose first has not all classes: the run is recorded all the same."""
    fit = ("fit", folder / "sorted.csv", "-o", folder / "m", "--multi-class", kind, "--record")
    assert said(*fit, "--block-bytes", "900")[0] == 0
    model, data = novikoff.load(folder / "m"), read(folder / "sorted.csv")
    trace = model.trace_.with_data(data.X, data.y)
    np.testing.assert_array_equal(trace.weights(len(trace)), flat(model._state.weights))
    words = ("plot", folder / "m", folder / "sorted.csv", "-o", folder / "x.png", "--kind")
    assert said(*words, "progress")[0] == 0
    assert (folder / "x.png").stat().st_size > 10_000
    (folder / "x.png").unlink()
    status, _, err = said(*words, "proof")
    assert status == (3 if kind == "joint" else 2)
    needed = "quasi-separable in the space of the run" if kind == "joint" else "of its own"
    assert needed in err
    assert not (folder / "x.png").exists()
    status, _, err = said(*words, "boundary")
    assert status == 2
    assert "the regions of 3 classes are drawn in the plane of two" in err
    status, _, err = said(*words, "update")
    assert status == 2
    assert "--kind update is of two classes" in err


@pytest.mark.parametrize("learner", ["averaged", "kernel"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_boundaries_of_two_features(tmp_path, learner, n_classes):
    """Of as many classes, and of kernel machines too."""
    random = np.random.default_rng(0)
    y = np.arange(60) % n_classes
    X = random.normal(size=(60, 2)) + 3 * np.array([[0, 0], [2, 0], [0, 2]])[y]
    write(tmp_path / "x.csv", X, y)
    assert said("fit", tmp_path / "x.csv", "-o", tmp_path / "m", "--learner", learner)[0] == 0
    words = ("plot", tmp_path / "m", tmp_path / "x.csv", "-o", tmp_path / "x.png")
    status, _, err = said(*words, "--kind", "boundary")
    assert status == 0, err
    assert (tmp_path / "x.png").stat().st_size > 10_000


# ------------------------------------------------------------- progressive validation


def test_progressive_validation_is_the_librarys(folder):
    words = ("fit", folder / "mixed.csv", "-o", folder / "p", "--learner", "perceptron")
    status, out, err = said(*words, "--progressive", "--window", 60)
    assert status == 0
    data = read(folder / "mixed.csv")
    model = Perceptron(shuffle=False, max_iter=1, random_state=0)
    told = progressive(model, [(data.X, data.y)], window=60, every=60)
    assert out.splitlines() == [str(progress) for progress in told]
    assert "Perceptron of 3 classes" in err
    written = novikoff.load(folder / "p")
    np.testing.assert_array_equal(written.coef_, model.coef_)


def test_a_model_to_standard_output_leaves_it_to_the_model(folder):
    words = ("fit", folder / "mixed.csv", "-o", "-", "--progressive")
    finished = run(*words, text=False)
    assert finished.returncode == 0
    assert b"150 examples" in finished.stderr
    score = done("score", "-", folder / "mixed.csv", input=finished.stdout, text=None)
    assert b"of 150 right" in score


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("--progressive", "--epochs", 2),
            "--epochs has no meaning beside --progressive, which makes one pass",
        ),
        (
            ("--progressive", "--shuffle"),
            "--shuffle has no meaning beside --progressive, which makes one pass",
        ),
        (("--progressive", "--class-weight", "setosa=2"), "--class-weight is balanced beside"),
        (("--window", 5), "--window is that of --progressive"),
        (("--learner", "max-margin", "--progressive"), "--progressive is for learners that go"),
    ],
)
def test_what_does_not_go_together(folder, words, says):
    status, _, err = said("fit", folder / "mixed.csv", "-o", folder / "none2", *words)
    assert status == 2
    assert says in err
    assert not (folder / "none2").exists()


def test_bad_values_and_labels_at_their_lines(folder, tmp_path):
    text = (folder / "mixed.csv").read_text().splitlines()
    status, _, err = said(
        *("fit", folder / "mixed.csv", "-o", tmp_path / "m", "--progressive"),
        *("--classes", "setosa", "virginica"),
    )
    assert status == 3
    line = 2 + int((read(folder / "mixed.csv").y == "versicolor").argmax())
    assert f"mixed.csv:{line}: found the label versicolor" in err
    binary = io.StringIO()
    binary.write("a,b,label\n0,1,no\n1,0,yes\n1,0.5,yes\n")
    (tmp_path / "odd.csv").write_text(binary.getvalue())
    winnow = ("fit", tmp_path / "odd.csv", "-o", tmp_path / "m", "--learner", "winnow")
    status, _, err = said(*winnow, "--progressive")
    assert status == 3
    assert "odd.csv:4:" in err
    assert not (tmp_path / "m").exists()
    assert len(text) == 151
