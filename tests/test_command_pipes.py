"""The command among others: standard input and output, pipes, terminals."""

import os
import pty
import subprocess
import sys

import numpy as np
import pytest

import forks
from commands import command, done, run, said, same_files
from novikoff.data import planted, read, write

pytestmark = pytest.mark.heavy  # `make quick` leaves it out

SHELL = ["bash", "-o", "pipefail", "-c"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    X, y, *_ = planted(500, 5, margin=0.05, seed=0)
    write(folder / "x.svm", X.round(3), y)
    write(folder / "x.csv", X.round(3), y)
    done("fit", folder / "x.svm", "-o", folder / "model", "--quiet")
    return folder


def shell(line, folder, python=None):
    line = line.replace("novikoff", f"{python or forks.python()} -m novikoff")
    return subprocess.run([*SHELL, line], cwd=folder, capture_output=True, timeout=300, check=False)


def test_models_and_certificates_through_pipes(folder, tmp_path):
    direct = done("predict", folder / "model", folder / "x.svm")
    piped = shell("novikoff fit x.svm -o - --quiet | novikoff predict - x.svm", folder)
    assert (piped.returncode, piped.stdout.decode()) == (0, direct), piped.stderr
    written = shell("novikoff fit x.svm -o - --quiet > again", folder)
    assert (written.returncode, written.stderr) == (0, b"")
    assert same_files(folder / "again", folder / "model")
    proved = shell("novikoff certify x.svm --save - | novikoff verify - x.svm", folder)
    told = proved.stdout.decode().splitlines()
    assert told[0] == "separable: the proof holds"
    assert told[1].startswith("margin     0.0")
    assert told[1].endswith(", proved")
    assert told[2].startswith("infinite   the coefficients in logistic regression")
    assert told[3].startswith("unchecked  the bound on mistakes")
    assert proved.stderr.startswith(b"separable\nmargin ")
    shown = shell("cat model | novikoff show -", folder)
    assert shown.stdout.decode() == done("show", folder / "model")


def test_conversions_through_pipes(folder, tmp_path):
    weights = shell("cat model | novikoff convert - - --to csv", folder)
    assert weights.stdout.startswith(b"feature,weight\n1,"), weights.stderr
    for kind in ("svmlight", "vw", "npz", "parquet"):
        line = f"cat x.svm | novikoff convert - - --to {kind} | cat > {tmp_path}/back"
        assert shell(line, folder).returncode == 0
        back = read(
            tmp_path / "back", format=kind, **({"label": "label"} if kind == "parquet" else {})
        )
        X = back.X[:, :5]  # as text of Vowpal Wabbit, it has a quarter of a million
        X = X.toarray() if hasattr(X, "toarray") else X
        assert X.tolist() == read(folder / "x.svm").X.toarray().tolist()
        assert back.y.tolist() == read(folder / "x.svm").y.tolist()


def test_a_model_that_nobody_takes_is_an_error(folder):
    lost = shell("novikoff fit x.svm -o - --quiet | true; exit ${PIPESTATUS[0]}", folder)
    assert lost.returncode == 4
    assert b"<stdout> could not be written: whoever read it has gone" in lost.stderr
    assert b"Traceback" not in lost.stderr
    assert shell("novikoff predict model x.svm | head -n 1", folder).returncode == 0


def test_a_terminal_gets_no_model(folder):
    ours, its = pty.openpty()
    words = command("fit", folder / "x.svm", "-o", "-")
    finished = subprocess.run(words, stdout=its, stderr=subprocess.PIPE, timeout=300, check=False)
    os.close(its)
    os.close(ours)
    assert finished.returncode == 2
    assert b"redirect it, or name a file" in finished.stderr


def test_what_a_shell_substitutes_is_read_once(folder):
    known = "--n-features 5 --no-zero-based --quiet"
    itself = sys.executable  # a fork does not have what the shell opened for it
    made = shell(f"novikoff fit <(cat x.svm) -o substituted {known}", folder, itself)
    assert made.returncode == 0, made.stderr
    assert same_files(folder / "substituted", folder / "model")
    counted = shell("novikoff score model <(cat x.svm)", folder, itself)
    assert b" of 500 right" in counted.stdout, counted.stderr
    assert shell("novikoff certify <(cat x.csv)", folder, itself).stdout.startswith(b"separable")


def test_sorted_input_is_held_within_limits(folder, tmp_path):
    lines = sorted((folder / "x.svm").read_text().splitlines())
    known = ("--n-features", 5, "--no-zero-based", "--block-bytes", "1K", "--epochs", 1)
    fit = ("fit", "-", *known, "--memory", "8K", "-o", tmp_path / "m")
    text = "\n".join(lines)
    winnow = (
        "--learner",
        "winnow",
        "--binarize",
        0,
    )  # which must know both
    refused = run(*fit, *winnow, input=text)
    assert refused.returncode == 2
    assert "have only one label" in refused.stderr
    assert "name both labels by --classes" in refused.stderr
    assert not list(tmp_path.iterdir())
    (tmp_path / "sorted.svm").write_text(text)
    for more in ((*winnow, "--classes", "-1", "1"), ("--classes", "-1", "1"), ()):
        done(*fit, *more, input=text)
        done("fit", tmp_path / "sorted.svm", *known, *more, "-o", tmp_path / "n")
        assert same_files(tmp_path / "m", tmp_path / "n")


def test_what_is_no_model_is_refused_at_once():
    process = subprocess.Popen(
        ["bash", "-c", f"yes | {forks.python()} -m novikoff show -"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = process.communicate(timeout=60)
    assert out == b""
    assert b"<stdin>: This is not a model file: it begins with the text 'y\\ny\\n" in err


# ------------------------------------------------------------- conversions of what has no labels


@pytest.mark.parametrize("ending", ["csv", "parquet", "svm", "vw", "npz"])
def test_conversions_keep_missing_labels_missing(tmp_path, ending):
    for name, text in (("some", "1 1:2\n2:1\n-1 1:3\n"), ("none", "1:2\n2:1\n1:3\n")):
        source, target = tmp_path / f"{name}.svm", tmp_path / f"{name}-again.{ending}"
        source.write_text(text)
        assert said("convert", source, target)[0] == 0
        if ending == "csv":
            assert "nan" not in target.read_text()
            assert ("label" in target.read_text()) == (name == "some")
        before, after = (read(path, labels="optional") for path in (source, target))
        X = after.X.toarray() if hasattr(after.X, "toarray") else after.X
        assert X[:, :2].tolist() == before.X.toarray().tolist()
        y = np.full(3, np.nan) if after.y is None else after.y
        np.testing.assert_array_equal(y, before.y)


def test_conversions_keep_the_base_of_indices(tmp_path):
    (tmp_path / "x.svm").write_text("1 0:2 3:1\n-1 1:1\n")
    assert said("convert", tmp_path / "x.svm", tmp_path / "y.svm")[0] == 0
    assert (tmp_path / "y.svm").read_text() == "1 0:2 3:1\n-1 1:1\n"
    (tmp_path / "empty.csv").write_text("a\n0\n1\n")
    status, _, err = said("convert", tmp_path / "empty.csv", tmp_path / "z.svm")
    assert status == 2
    assert "Row 0 has neither a label nor an entry" in err
    assert not (tmp_path / "z.svm").exists()


# ------------------------------------------------------------- certificates of wide data


def test_a_huge_index_is_an_error_of_its_own(tmp_path):
    data = tmp_path / "x.svm"
    data.write_text("1 1:1 999999999999:1\n-1 1:2\n")
    for words in (("certify", data), ("fit", data, "-o", tmp_path / "m")):
        status, out, err = said(*words)
        assert (status, out) == (3, "")
        assert "found features up to number 999,999,999,999, expected no more than" in err
    assert list(tmp_path.iterdir()) == [data]


def test_hashed_data_is_certified_in_the_columns_it_uses(tmp_path):
    data = tmp_path / "x.vw"
    data.write_text("0 |\n1 | a\n1 | b\n0 | a b\n")
    status, out, err = said("certify", data, "--save", tmp_path / "c")
    assert (status, out.splitlines()[0]) == (0, "inseparable"), err
    assert said("verify", tmp_path / "c", data)[:2] == (0, "inseparable: the proof holds\n")
