"""Options of the command: what has no meaning is an error, and errors speak the command's words."""

import os
import re
import warnings
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import novikoff
from commands import said, same_files
from novikoff.cli.options import OF_FORMATS, flag, option
from novikoff.data import read, write
from novikoff.errors import ParameterError

ENDINGS = {"svmlight": "svm", "vw": "vw", "csv": "csv", "parquet": "parquet", "npz": "npz"}
VALUES = {"label": -1, "weight": 0, "n_features": 2, "bits": 5}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The same examples in every format, and models of some."""
    folder = tmp_path_factory.mktemp("files")
    X, y = np.array([[1.0, 2.0], [2.0, 1.0], [0.0, 3.0]]), np.array([1.0, -1.0, 1.0])
    for ending in ENDINGS.values():
        write(folder / f"x.{ending}", X, y)
    np.save(folder / "x.npy", np.column_stack([X, y]))
    model = novikoff.Perceptron(shuffle=False).fit(X, y)
    model.save(folder / "model")
    return folder


# ------------------------------------------------------------- what has no meaning

ONLY_PREDICT = ("unlabelled", "keep")


@pytest.mark.parametrize("kind", [*ENDINGS, "npy"])
@pytest.mark.parametrize("name", [name for name in OF_FORMATS if name not in ONLY_PREDICT])
def test_reading_options_are_for_the_formats_that_have_them(folder, kind, name):
    path = folder / f"x.{ENDINGS.get(kind, kind)}"
    label = ("--label", -1) if kind == "npy" and name != "label" else ()
    words = {
        "zero_based": ("--no-zero-based",),
        "weight": ("--weight", 0),
        "ignore": ("--ignore", 0),
        "label": ("--label", -1),
        "delimiter": ("--delimiter", ","),
        "decimal": ("--decimal", "."),
        "missing": ("--missing", "mean"),
        "one_hot": ("--one-hot", 7),
        "dates": ("--dates",),
        "scale": ("--scale",),
        "text": ("--text", 0),
        "categories": ("--categories", 0),
    }
    given = words.get(name, (flag(name), VALUES.get(name)))
    status, out, err = said("certify", path, *label, *given)
    if kind in OF_FORMATS[name]:
        assert status == 0, err
    else:
        assert status == 2
        assert err.startswith(f"novikoff: {given[0]} has a meaning for ")
        assert f"{path} is read as {kind}" in err
        assert out == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("fit x.svm -o m --learner max-margin --epochs 3", "--epochs is for"),
        ("fit x.svm -o m --learner max-margin --seed 3", "--seed is for"),
        ("fit x.svm -o m --learner max-margin --memory 1G", "--memory is for"),
        ("fit x.svm -o m --learner max-margin --plot p.png", "--plot is for"),
        ("fit x.svm -o m --learner max-margin --record", "--record is an option of"),
        ("fit x.svm -o m --learner max-margin --no-shuffle", "--no-shuffle is an option of"),
        ("fit x.svm -o m --slack 1 --checkpoint c", "--checkpoint is for"),
        ("fit x.svm -o m --slack 1 --resume", "--resume is for"),
        ("fit x.svm -o m --no-shuffle --seed 3", "--seed is that of the random order"),
        ("fit x.svm -o m --every 3", "give --checkpoint too"),
        ("fit x.svm -o m --checkpoint c --every -3", "must not be negative"),
        ("fit x.svm -o m --checkpoint -", "--checkpoint needs the name of a file"),
        ("fit x.svm -o m --plot -", "--plot needs the name of a file"),
        ("fit x.svm -o m --plot m.txt", "png, svg or pdf"),
        ("fit x.svm -o m --class-weight balanced --class-weight 1=2", "each once"),
        ("fit x.svm -o m --class-weight 1=2 --class-weight 1=3", "each once"),
        ("fit x.svm -o m --class-weight 1=-2", "weight from 0 on"),
        ("fit x.svm -o m --class-weight 2", "LABEL=WEIGHT"),
        ("fit x.svm -o m --class-weight 7=2", "--class-weight has 7, but the labels are -1 and 1"),
        ("fit x.svm -o m --class-weight spam=2", "The label spam was named, but labels here"),
        ("fit - -o m --checkpoint c", "--checkpoint needs a file"),
        ("fit - -o m --resume", "--resume needs a file"),
        ("fit x.svm -o - --resume", "name it by --checkpoint"),
        ("predict model x.svm --unlabelled", "--unlabelled has a meaning for csv and"),
        ("predict model x.csv --unlabelled --label label", "contradict each other"),
        ("predict - -", "MODEL and DATA cannot both come from standard input"),
        ("verify - -", "CERT and DATA cannot both come"),
        ("plot - - -o x.png", "MODEL and DATA cannot both come"),
        ("show - --data -", "MODEL and --data cannot both come"),
        ("certify x.svm --json --save -", "leave one out"),
        ("show model --json --top 3", "--top has no meaning beside --json"),
        ("show model --bits 3", "--bits has no meaning here"),
        ("show model --bad-lines skip", "--bad-lines has no meaning here"),
        ("convert model y.csv --format csv", "--format has no meaning here"),
        ("convert model y.npz", "A model can become .onnx or .csv, and not npz"),
        ("convert x.svm y.onnx", "only models become .onnx"),
        ("convert x.svm y.csv --to vw", "contradict each other"),
        ("convert x.svm -", "give --to"),
        ("plot model x.svm -o y.png --update 3", "--update has a meaning for --kind update"),
        ("plot model x.svm -o y.png --to svg", "contradict each other"),
        ("plot model x.svm -o y.png --kind proof", "train it by `novikoff fit --record`"),
    ],
)
def test_what_has_no_meaning_is_an_error(folder, monkeypatch, words, told):
    monkeypatch.chdir(folder)
    before = sorted(folder.iterdir())
    status, out, err = said(*words.split())
    assert status == 2, err
    assert told in err
    assert out == ""
    assert sorted(folder.iterdir()) == before


# ------------------------------------------------------------- the command's words


def test_parameters_become_options():
    assert option("eta0", -1.0) == "--eta0 -1.0"
    assert option("tie", "never") == "--tie never"
    assert (option("max_iter", 0), option("random_state", 7)) == ("--epochs 0", "--seed 7")
    assert (option("record", True), option("zero_based", False)) == ("--record", "--no-zero-based")
    assert option("budget", None) == "no --budget"
    assert option("sample_weight") == "the weights"
    error = ParameterError("{C=} of {n_features} in {nothing}", C=2, n_features=3)
    assert error.spelled(option) == "--C 2 of --n-features in {nothing}"
    assert str(error) == "C=2 of n_features in {nothing}"


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        (b"1 1:1\n-1 2:1\n", "x.svm", "--eta0 0"),
        (b"1 1:1\n-1 2:1\n", "x.svm", "--eta0 nan"),
        (b"1 1:1\n-1 2:1\n", "x.svm", "--n-jobs 0"),
        (b"1 | a\n-1 | b\n", "x.vw", "--bits 99"),
        (b"1 1:0.5\n-1 2:1\n", "x.svm", "--learner winnow"),
        (b"1 1:1\n-1 1:1\n", "x.svm", "--learner max-margin"),
        (b"1 1:1\n-1 1:1\n", "x.svm", "--learner max-margin --tol 0"),
        (b"1 1:1\n-1 1:1\n", "x.svm", "--learner max-margin --budget 1e-9"),
        (b"1 1:1\n-1 1:1\n", "x.svm", "--learner winnow --threshold 1e308"),
        (b"1 1:1\n-1 2:1\n", "x.svm", "--learner winnow --binarize -1"),
        (b"a,b\n1,2\n", "x.csv", ""),
        (b"a,b,w\n1,2,0\n2,3,1\n", "x.csv", "--label b --weight w --learner max-margin"),
        (b"a,b,w\n1,2,0\n2,3,0\n", "x.csv", "--label b --weight w --slack 1"),
        (b"a b c\n", "x", ""),
        (b"1 1:1\n2 1:2\n3 1:1\n", "x.svm", "--learner max-margin"),
        (b"0.5 1:1\n1.5 1:2\n", "x.svm", ""),
        (b"1 1:1e308 2:1e308\n-1 1:-1e308\n", "x.svm", ""),
    ],
)
def test_errors_do_not_speak_python(tmp_path, monkeypatch, text, name, words):
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(text)
    status, _, err = said("fit", name, "-o", "m", *words.split())
    assert status in (2, 3), err
    python = r"\w=|_\w+|sklearn|\bsample_weight|True|False|\bX\b|\by has|labels=|\bSet \w+ to"
    assert not re.search(python, err), err
    assert not Path("m").exists()


def test_one_is_one(tmp_path):
    (tmp_path / "x.csv").write_text("a,b,label\n1,2,u\n2,1,v\n")
    (tmp_path / "y.csv").write_text("c,label\n1,u\n")
    (tmp_path / "z.npy").write_bytes(b"")
    np.save(tmp_path / "z.npy", np.array([[1.0]]))
    assert said("fit", tmp_path / "x.csv", "-o", tmp_path / "m")[0] == 0
    status, _, err = said("predict", tmp_path / "m", tmp_path / "z.npy", "--unlabelled")
    assert status == 3
    assert "it has 1 feature, but the model was trained on 2." in err


# ------------------------------------------------------------- labels


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.sampled_from(["svmlight", "vw", "csv"]),
    lines=st.lists(st.sampled_from(["good", "blank", "bad"]), min_size=0, max_size=40),
    block_bytes=st.integers(1, 200),
    whole=st.booleans(),
)
def test_a_third_label_is_found_at_its_line(tmp_path_factory, kind, lines, block_bytes, whole):
    rows = {
        "svmlight": ("{} 1:1 2:0.5", "3 2:1", "nonsense 1:x"),
        "vw": ("{} | 1:1 2:0.5", "3 | 2:1", "1 | a:x"),
        "csv": ("{},1,0.5", "3,0,1", "1,x,2"),
    }
    good, third, bad = rows[kind]
    text = ["label,a,b"] if kind == "csv" else []
    text += [good.format(1), good.format(-1)]
    text += [{"good": good.format(1), "blank": "", "bad": bad}[what] for what in lines]
    text += [third, good.format(1)]
    path = tmp_path_factory.mktemp("labels") / f"x.{ENDINGS[kind]}"
    path.write_text("\n".join(text) + "\n")
    how = ("--classes", 1, -1, "--block-bytes", block_bytes)
    how = ("--learner", "max-margin") if whole else how
    words = ("fit", path, "-o", path.parent / "m", "--bad-lines", "skip", *how)
    status, _, err = said(*words)
    assert status == 3
    assert f"{path}:{text.index(third) + 1}: found the label 3, expected -1 or 1" in err
    assert not (path.parent / "m").exists()


def test_other_rows_are_found_at_their_lines(tmp_path):
    path = tmp_path / "x.svm"
    path.write_text("1 1:1\n-1 2:1\n\n# nothing\n1 1:1\n\n1 2:0.5\n")
    for more in ((), ("--block-bytes", 9)):
        words = ("fit", path, "-o", tmp_path / "m", "--learner", "winnow", *more)
        status, _, err = said(*words)
        assert status == 3
        assert f"{path}:7: found 0.5, expected 0/1 features" in err
        assert "Give --binarize" in err
    (tmp_path / "y.svm").write_text("1 1:1\n-1 2:1\n")
    said("fit", tmp_path / "y.svm", "-o", tmp_path / "m", "--learner", "winnow")
    for verb in ("predict", "score"):
        status, _, err = said(verb, tmp_path / "m", path)
        assert status == 3
        assert err == f"novikoff: {path}:7: found 0.5, expected 0/1 features, which Winnow needs\n"
    said("fit", tmp_path / "y.svm", "-o", tmp_path / "m")
    path.write_text("1 1:1\n\n5 2:1\n")
    status, _, err = said("score", tmp_path / "m", path)
    assert (status, f"{path}:3: found the label 5, expected -1 or 1" in err) == (3, True)


def test_named_classes(folder, tmp_path):
    data = folder / "x.svm"
    fit = ("fit", data, "--quiet", "-o")
    assert said(*fit, tmp_path / "m")[0] == 0
    assert said(*fit, tmp_path / "n", "--classes", "1", "-1")[0] == 0
    assert same_files(tmp_path / "m", tmp_path / "n")
    for more in ((), ("--learner", "max-margin")):
        status, _, err = said(*fit, tmp_path / "o", "--classes", "1", "2", *more)
        assert status == 3
        assert f"{data}:2: found the label -1, expected 1 or 2" in err


@pytest.mark.parametrize("more", [(), ("--slack", 1)])
def test_class_weights_are_those_of_the_library(folder, tmp_path, more):
    data, model = folder / "x.svm", tmp_path / "m"
    words = ("--class-weight", "1=2", "--class-weight", "-1=0.5", "--no-shuffle", "--epochs", 4)
    learner = ("--learner", "perceptron")
    assert said("fit", data, "-o", model, *words, *learner, *more)[0] == 0
    X, y, *_ = read(data)
    options = {"slack": 1.0} if more else {}
    same = novikoff.Perceptron(
        max_iter=4, shuffle=False, class_weight={1: 2, -1: 0.5}, random_state=0, **options
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # four epochs need not be enough
        same.fit(X, y)
    assert novikoff.load(model).coef_.tobytes() == same.coef_.tobytes()
    assert novikoff.load(model).class_weight == {1.0: 2.0, -1.0: 0.5}


# ------------------------------------------------------------- features


def test_hashed_features_are_not_numbered_ones(folder, tmp_path):
    model = tmp_path / "m"
    assert said("fit", folder / "x.vw", "-o", model, "--bits", 1)[0] == 0
    for other in ("x.svm", "x.csv", "x.npz"):
        status, out, err = said("predict", model, folder / other)
        assert (status, out) == (3, "")
        assert "known by the hashes of their names" in err
    assert said("fit", folder / "x.svm", "-o", model)[0] == 0
    status, out, err = said("predict", model, folder / "x.vw", "--bits", 1)
    assert (status, out) == (3, "")
    assert "the model was trained on svmlight" in err


def test_columns_without_names_are_told(folder, tmp_path):
    model = tmp_path / "m"
    assert said("fit", folder / "x.csv", "-o", model)[0] == 0
    (tmp_path / "bare.csv").write_text("1,2\n2,1\n")
    status, out, err = said("predict", model, tmp_path / "bare.csv", "--unlabelled")
    assert (status, len(out.split())) == (0, 2), err
    (tmp_path / "named.csv").write_text("x0,x1,kind\n1,2,u\n2,1,v\n")
    assert said("fit", tmp_path / "named.csv", "-o", tmp_path / "n", "--label", "kind")[0] == 0
    told = said("predict", tmp_path / "n", tmp_path / "named.csv")[:2]
    for more in ((), ("--unlabelled",)):
        status, out, err = said("predict", tmp_path / "n", tmp_path / "bare.csv", *more)
        assert (status, out) == told
        assert "bare.csv has no column names, so they are taken to be x0, x1." in err
    assert said("predict", model, folder / "x.csv")[2] == ""
    assert OF_FORMATS["label"] == OF_FORMATS["unlabelled"] == ("csv", "parquet", "arrow", "npy")


def test_what_was_read_once_keeps_its_base(tmp_path, monkeypatch):
    (tmp_path / "train.svm").write_text("1 0:1\n1 2:1\n-1 1:1\n")
    (tmp_path / "test.svm").write_text("1 2:1\n-1 1:1\n")
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)

    def feed():
        fifo.write_bytes((tmp_path / "train.svm").read_bytes())

    for more in (("--learner", "max-margin"), ("--n-features", "3", "--zero-based")):
        writer = Thread(target=feed)
        writer.start()
        status, _, err = said("fit", fifo, "-o", tmp_path / "m", *more)
        writer.join()
        assert status == 0, err
        assert "2 of 2 right" in said("score", tmp_path / "m", tmp_path / "test.svm")[1]
        assert said("fit", tmp_path / "train.svm", "-o", tmp_path / "n", *more)[0] == 0
        assert same_files(tmp_path / "m", tmp_path / "n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "more --epochs will find a separator if there is one, and `novikoff certify` tells"),
        ("--learner arow", "more --epochs may find a separator if there is one"),
        ("--learner kernel --kernel linear", "and so may another --kernel"),
        ("--epochs 1", None),
        ("--quiet", None),
    ],
)
def test_a_run_that_does_not_end_by_itself_says_what_to_do(tmp_path, words, told):
    data = tmp_path / "x.svm"
    data.write_text("1 1:1\n-1 1:1\n1 2:1\n-1 2:1\n")
    status, _, err = said("fit", data, "-o", tmp_path / "m", *words.split())
    assert status == 0
    assert "--epochs" not in err if told is None else told in err.splitlines()[-1]


@pytest.mark.parametrize(
    ("head", "status", "told"),
    [
        ("a,c,label", 3, "y.csv: it lacks the column 'b': add it"),
        ("a,d,label", 3, "y.csv: it lacks the columns 'b' and 'c': add them"),
        ("a,b,c,d,label", 0, "y.csv: the model does not use 'd'."),
        ("b,a,c,label", 0, ""),
    ],
)
def test_other_columns_are_named(tmp_path, head, status, told):
    (tmp_path / "x.csv").write_text("a,b,c,label\n1,2,3,1\n3,2,1,0\n")
    assert said("fit", tmp_path / "x.csv", "-o", tmp_path / "m")[0] == 0
    row = ",".join("1" for _ in head.split(","))
    (tmp_path / "y.csv").write_text(f"{head}\n{row}\n")
    found, out, err = said("predict", tmp_path / "m", tmp_path / "y.csv")
    assert (found, bool(out)) == (status, status == 0)
    assert told in err
    assert bool(told) == bool(err)


@pytest.mark.parametrize("words", ["", "--learner max-margin", "--learner winnow --binarize 0"])
def test_a_label_that_was_left_out_with_its_lines_is_missed(tmp_path, words):
    rows = "\n".join([*["1,yes"] * 99, *["one,no"] * 7])
    (tmp_path / "x.csv").write_text(f"a,label\n{rows}\n")
    fit = ("fit", tmp_path / "x.csv", "-o", tmp_path / "m", "--bad-lines", "skip")
    status, _, err = said(*fit, *words.split())
    assert status == 3, err
    assert "found only one label, yes (7 bad lines were skipped; the first: " in err
    assert "x.csv:101:1: found 'one', expected a finite number" in err
