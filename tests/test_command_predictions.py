"""`novikoff predict` for programs: CSV, JSON and Parquet, with columns that are kept."""

import csv
import gzip
import io
import json
import os
import subprocess
import threading
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from functools import partialmethod
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given, strategies as st

import novikoff
from commands import command, done, run, said
from forks import Popen
from novikoff.cli.data_file import DataFile
from novikoff.cli.predictions import answer_columns, answer_files
from novikoff.cli.predictions.answer_columns import prediction
from novikoff.cli.signals import Terminated
from novikoff.data import read, stream
from novikoff.errors import FileError, ParameterError
from novikoff.inputs.labels import as_written
from terminals import on_a_terminal

KINDS = ["csv", "jsonl", "parquet"]
LABELS = {"words": ["no", "yes"], "digits": [0.0, 1.0, 2.0], "large": [1.0, 1e17]}


@pytest.fixture(scope="module", autouse=True)
def disk():
    """Files are not brought to the disk: that is the business of `test_files.py`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model for each kind of label."""
    folder = tmp_path_factory.mktemp("predictions")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)).round(3), columns=["a", "b"])
    for name, labels in LABELS.items():
        path = folder / f"{name}.csv"
        place = np.digitize(frame["a"] - frame["b"], [0.0] if len(labels) == 2 else [-0.5, 0.5])
        frame.assign(label=np.array(labels)[place]).to_csv(path, index=False)
        done("fit", path, "-o", folder / name, "--quiet")
    (folder / "x.csv").write_text("id,a,b,label\np,1,2,no\nq,3,1,yes\n")
    return folder


@contextmanager
def blocks_of(size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DataFile, "stream", partialmethod(DataFile.stream, block_bytes=size))
        yield


def written(path, table):
    """A table as a file of the kind that its name says."""
    if path.suffix == ".csv":
        table.to_pandas().to_csv(path, index=False, quoting=csv.QUOTE_ALL, lineterminator="\n")
    elif path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        pyarrow.feather.write_feather(table, path)
    return path


def columns_in(path):
    """The columns of a file of predictions, by name: those of CSV have text."""
    if path.suffix == ".parquet":
        return pyarrow.parquet.read_table(path).to_pydict()
    text = path.read_bytes().decode()
    assert text.endswith("\n")
    if path.suffix == ".csv":
        names, *rows = csv.reader(io.StringIO(text, newline=""))
    else:
        rows = [json.loads(line) for line in text[:-1].split("\n")]
        names, rows = [*rows[0]], [[*row.values()] for row in rows]
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def as_in(kind, values):
    return [*map(str, values)] if kind == "csv" else values


NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: x + 0.0)
TEXTS = st.text('ab\n",; \r%é\u2028', max_size=6)
ROWS = st.lists(st.tuples(TEXTS, NUMBERS, NUMBERS, st.integers(-9, 9)), min_size=1, max_size=12)


@given(
    ROWS,
    st.sampled_from(["csv", "parquet", "arrow"]),
    st.sampled_from(KINDS),
    st.sampled_from([*LABELS]),
    st.sampled_from([1, 40, 2**20]),
    st.booleans(),
)
def test_files_have_what_the_model_says_and_the_columns_that_are_kept(
    folder, rows, ending, kind, name, size, scored
):
    model = novikoff.load(folder / name)
    names = ("note, or so", "a", "b", "n%")
    table = pyarrow.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    data, out = written(folder / f"t.{ending}", table), folder / f"out.{kind}"
    words = ("--keep", "n%", "--keep", "note, or so", "--keep", "a") + ("--scores",) * scored
    with blocks_of(size):
        assert said("predict", folder / name, data, *words, "-o", out) == (0, "", "")
    found = columns_in(out)
    X = np.array([row[1:3] for row in rows])
    model.__dict__.pop("feature_names_in_", None)
    y, s = model.predict(X).tolist(), model.decision_function(X)
    kept = [table[c].to_pylist() for c in ("n%", "note, or so", "a")]
    if ending == "csv":
        kept = [[str(v) for v in column] for column in kept]
    assert [*found.values()][:3] == [as_in(kind, column) for column in kept]
    labels = [*map(as_written, y)] if kind == "csv" else y
    assert found["prediction"] == labels
    if kind != "csv" and name == "digits":
        assert all(isinstance(label, int) for label in found["prediction"])
    titles = ["score"] if s.ndim == 1 else [f"score {as_written(c)}" for c in LABELS[name]]
    assert [*found] == ["n%", "note, or so", "a", "prediction", *titles * scored]
    for title, column in zip(titles, s.reshape(len(X), -1).T.tolist(), strict=True):
        assert not scored or [*map(float, found[title])] == column


def test_predictions_without_a_format_are_lines_as_before(folder):
    for name, labels in LABELS.items():
        model, data = novikoff.load(folder / name), folder / f"{name}.csv"
        X = read(data).X
        model.__dict__.pop("feature_names_in_", None)
        y, s = model.predict(X), model.decision_function(X)
        assert {*y.tolist()} == {*labels}
        lines = [as_written(label) for label in y]
        assert done("predict", folder / name, data) == "".join(f"{line}\n" for line in lines)
        rows = ["\t".join(map(repr, np.atleast_1d(row).tolist())) for row in s]
        both = [f"{line}\t{row}\n" for line, row in zip(lines, rows, strict=True)]
        assert done("predict", folder / name, data, "--scores") == "".join(both)


def test_what_is_read_is_the_same_in_all_ways(folder):
    """On standard output, through a pipe, as Parquet; labels are not copied unless kept."""
    data = folder / "x.csv"
    want = "id,prediction\np,no\nq,yes\n"
    for words in (("--to", "csv"), ("--to", "csv", "-o", "-")):
        assert done("predict", folder / "words", data, "--keep", "id", *words) == want
        piped = done(
            "predict", folder / "words", "-", "--keep", "id", *words, input=data.read_text()
        )
        assert piped == want
    whole = run("predict", folder / "words", data, "--keep=id", "--to=parquet", text=False).stdout
    assert pd.read_parquet(io.BytesIO(whole)).to_csv(index=False) == want
    kept = done("predict", folder / "words", data, "--keep", "label,b", "--to", "jsonl")
    assert kept.splitlines()[0] == '{"label": "no", "b": "2", "prediction": "no"}'


def test_columns_without_names_are_kept_by_number(folder, tmp_path):
    (tmp_path / "x.csv").write_text("1,2,0\n3,1,1\n-1,4,0\n1.50,9,1\n")
    done("fit", tmp_path / "x.csv", "--label", "2", "-o", tmp_path / "m", "--quiet")
    for keep in ("0,2", "0,-1"):
        out = done("predict", tmp_path / "m", tmp_path / "x.csv", "--keep", keep, "--to", "csv")
        assert [line.rpartition(",")[0] for line in out.splitlines()] == [
            *("0,2", "1,0", "3,1", "-1,0", "1.50,1")
        ]
    np.save(tmp_path / "x.npy", np.array([[1.0, 2, 0], [3, 1, 1]]))
    words = ("--label", "2", "--keep", "2", "--keep", "0", "--to", "jsonl")
    out = [
        json.loads(line)
        for line in done("predict", tmp_path / "m", tmp_path / "x.npy", *words).splitlines()
    ]
    assert [[row["2"], row["0"]] for row in out] == [[0, 1], [1, 3]]


def test_types_of_parquet_stay(folder, tmp_path):
    table = pyarrow.table(
        {
            "a": [1.0, 2, 3],
            "b": [2.0, 1, 0],
            "whole": [1, None, 2**60],
            "real": [0.5, None, float("inf")],
            "nan": [float("nan"), 1.0, float("-inf")],
            "yes": [True, None, False],
            "day": [date(2020, 1, 31), None, date(1970, 1, 1)],
            "time": pyarrow.array([datetime(2020, 1, 31, 10)] * 3, pyarrow.timestamp("ns")),
            "kind": pyarrow.array(["x", None, 'y"'], pyarrow.string()).dictionary_encode(),
            "price": [Decimal("1.50"), None, Decimal("-2.25")],
            "list": [[1, 2], None, []],
            "bytes": [b"x", None, b"\xff"],
            "nothing": pyarrow.nulls(3),
        }
    )
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet")
    names = table.column_names[2:]
    predict = ("predict", folder / "words", tmp_path / "x.parquet", "--keep", ",".join(names))
    with blocks_of(1):
        done(*predict, "-o", tmp_path / "o.parquet")
        rows = [json.loads(line) for line in done(*predict, "--to", "jsonl").splitlines()]
        lines = [*csv.reader(done(*predict, "--to", "csv").splitlines())]
    found = pyarrow.parquet.read_table(tmp_path / "o.parquet")
    for name in names:
        assert found[name].type == table[name].type
        assert str(found[name].to_pylist()) == str(table[name].to_pylist())
    assert [*rows[0].values()][:-1] == [
        *(1, 0.5, None, True, "2020-01-31", "2020-01-31 10:00:00.000000000"),
        *("x", 1.5, [1, 2], "x", None),
    ]
    assert [*rows[1].values()][:5] == [None, None, 1.0, None, None]
    assert (rows[2]["whole"], rows[2]["real"], rows[2]["nan"]) == (2**60, np.inf, -np.inf)
    assert lines[0] == [*names, "prediction"]
    assert lines[1][:-1] == [
        *("1", "0.5", "nan", "True", "2020-01-31", "2020-01-31 10:00:00.000000000"),
        *("x", "1.50", "[1, 2]", "x", ""),
    ]
    assert lines[2][:2] == ["", ""]


# ------------------------------------------------------------- rows that are skipped


@pytest.mark.parametrize("size", [1, 30, 2**20])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_kept_columns_stay_beside_their_rows(folder, tmp_path, ending, size):
    rows = [(f"r{i}", i, 1.0) for i in range(12)]
    bad = {3, 7, 8}
    path = tmp_path / f"x.{ending}"
    if ending == "csv":
        lines = [f"{r},{'oops' if i in bad else a},{b}" for i, (r, a, b) in enumerate(rows)]
        path.write_text("\n".join(["id,a,b", *lines[:5], "", *lines[5:], "too,few"]) + "\n")
    else:
        a = [np.inf if i in bad else a for i, (_, a, _) in enumerate(rows)]
        pd.DataFrame({"id": [r for r, *_ in rows], "a": a, "b": 1.0}).to_parquet(path)
    words = ("--bad-lines", "skip", "--keep", "id,b", "--to", "csv")
    with blocks_of(size):
        status, out, err = said("predict", folder / "words", path, *words)
    assert status == 0, err
    assert [line.split(",")[0] for line in out.splitlines()[1:]] == [
        r for i, (r, *_) in enumerate(rows) if i not in bad
    ]
    assert " bad lines were left out" in err


@given(
    st.lists(
        st.lists(
            st.sampled_from(["1", " 2.5", "x", "", '"p, q"', "NA", "é"]), min_size=4, max_size=4
        )
    )
)
def test_both_ways_to_read_kept_columns_of_csv_agree(rows):
    """Arrow and the careful one, and the kernel about what else they read."""
    from novikoff.data.formats import csv as csv_format

    rows = [["1", "a", "u", "0"], ["2", "b", "v", "1"]] * 10 + rows
    text = "".join(",".join(row) + "\n" for row in [["n", "c", "label", "w"], *rows])
    keep = {"label": "label", "weight": "w", "bad_lines": "skip"}
    found = []
    for careful in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            if careful:
                patch.setattr(csv_format, "arrow_block", lambda *_: None)
            found.append(
                read(io.BytesIO(text.encode()), format="csv", keep=["w,n", "label", "c"], **keep)
            )
    plain = read(io.BytesIO(text.encode()), format="csv", **keep)
    one, other = ({c: v.to_pylist() for c, v in data.kept.items()} for data in found)
    assert one == other
    assert [*one] == ["w", "n", "label", "c"]
    for data in found:
        assert (
            (data.X == plain.X).all()
            if isinstance(plain.X, np.ndarray)
            else (data.X != plain.X).nnz == 0
        )
        assert (data.y.tolist(), data.skipped) == (plain.y.tolist(), plain.skipped)
        assert len(data.kept["c"]) == len(data.y)
        assert data.y.tolist() == data.kept["label"].to_pylist()
    assert plain.kept is None
    parts = [
        *stream(
            io.BytesIO(text.encode()),
            format="csv",
            keep="n",
            block_bytes=9,
            plan=plain.plan,
            **keep,
        )
    ]
    assert [v for part in parts for v in part.kept["n"].to_pylist()] == one["n"]


# ------------------------------------------------------------- Vowpal Wabbit


def test_tags_of_vowpal_wabbit_are_kept(tmp_path):
    (tmp_path / "x.vw").write_text("1 'one |x a\n-1 |x b\n1 'two,\"|x a b:0.5\n")
    (tmp_path / "y.vw").write_text("1 |x a\n-1 |x b\n")
    done("fit", tmp_path / "x.vw", "-o", tmp_path / "m", "--quiet")
    lines = done("predict", tmp_path / "m", tmp_path / "x.vw", "--scores").splitlines()
    for size in (1, 2**20):
        with blocks_of(size):
            out = done("predict", tmp_path / "m", tmp_path / "x.vw", "--to", "csv", "--scores")
            rows = [*csv.reader(out.splitlines())]
            assert rows[0] == ["tag", "prediction", "score"]
            assert [row[0] for row in rows[1:]] == ["one", "", 'two,"']
            assert [row[1:] for row in rows[1:]] == [line.split("\t") for line in lines]
            out = done("predict", tmp_path / "m", tmp_path / "y.vw", "--to", "jsonl")
            assert [json.loads(line)["tag"] for line in out.splitlines()] == ["", ""]


# ------------------------------------------------------------- live pipes


@pytest.mark.heavy
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_every_line_is_answered_as_it_comes(folder, kind):
    words = command("predict", folder / "words", "-", "--to", kind, "--keep", "id")
    process = Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    timer = threading.Timer(120, process.kill)
    timer.start()
    answers = []
    for line in ("id,a,b\np,1,2\n", "q,3,1\n", "r,5,2\n"):
        process.stdin.write(line)
        process.stdin.flush()
        answers += [process.stdout.readline() for _ in range(1 + (kind == "csv" and not answers))]
    rest, _ = process.communicate()
    timer.cancel()
    assert (process.returncode, rest) == (0, "")
    want = ["id,prediction\n", "p,no\n", "q,yes\n", "r,yes\n"]
    if kind == "jsonl":
        pairs = [line.strip().split(",") for line in want[1:]]
        want = [f'{{"id": "{i}", "prediction": "{label}"}}\n' for i, label in pairs]
    assert answers == want


# ------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        ("--format jsonl", 2, "argument --format: to write jsonl, give --to jsonl."),
        ("--format=jsonl --to jsonl", 2, "to write jsonl, give --to jsonl."),
        ("--to xml", 2, "argument --to: invalid choice: 'xml'"),
        ("--keep id", 2, "--keep copies columns into csv, jsonl or parquet: give --to too."),
        ("-o out.txt", 2, "cannot tell the format from out.txt: give --to, one of csv, jsonl, "),
        ("-o -", 2, "cannot tell the format from -: give --to, one of csv, jsonl, parquet."),
        ("-o out.csv.gz --to jsonl", 2, "--to jsonl and the ending of out.csv.gz contradict each"),
        ("-o x.csv", 2, "x.csv is named twice"),
        ("-o nowhere/out.csv", 4, "nowhere/out.csv could not be written: there is no folder"),
        ("--to csv --keep idd", 3, "x.csv: found no column called 'idd' among 'id', 'a', 'b', 'l"),
        ("--to csv --keep id,9", 3, "x.csv: found no column called '9' among 'id', 'a', 'b', 'l"),
        ("--to csv --keep 9", 3, "x.csv: found 4 columns, expected one with number 9"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_said(folder, words, status, told):
    finished = run("predict", "words", "x.csv", *words.split(), cwd=folder)
    assert (finished.returncode, finished.stdout) == (status, "")
    assert told in finished.stderr
    assert "Traceback" not in finished.stderr
    assert not {*folder.glob(".novikoff*"), *folder.glob("out.txt")}


def test_names_that_clash_are_said(folder, tmp_path):
    (tmp_path / "x.csv").write_text("prediction,score,a,b\np,q,1,2\n")
    predict = ("predict", folder / "words", tmp_path / "x.csv", "--to", "csv", "--keep")
    status, out, err = said(*predict, "score,prediction")
    assert (status, out) == (2, "")
    assert err == (
        "novikoff: --keep prediction was given, but the output has a column of that name: rename "
        "it in DATA, or leave it out.\n"
    )
    assert done(*predict, "score") == "score,prediction\nq,no\n"
    assert "--keep score was given, but the output" in said(*predict, "score", "--scores")[2]
    (tmp_path / "x.csv").write_text("id,id,a,b\np,q,1,2\n")
    ignored = (*predict[:-1], "--ignore", 0, "--ignore", 1, "--keep")
    assert done(*ignored, 1) == "id,prediction\nq,no\n"
    told = "--keep 1 was given, but columns 0 and 1 have one name: rename one, or keep one."
    assert told in said(*ignored, 0, "--keep", 1)[2]
    with pytest.raises(ParameterError, match=r"keep=1\.5 was given, but it must be the name or"):
        read(tmp_path / "x.csv", label=-1, keep=1.5)
    np.save(tmp_path / "x.npy", np.ones((1, 2)))
    with pytest.raises(FileError, match="found 2 columns without names, expected one called 'z'"):
        read(tmp_path / "x.npy", label=0, keep="z")


def test_where_there_are_no_columns_to_keep(folder, tmp_path):
    (tmp_path / "x.svm").write_text("1 1:1\n-1 2:1\n")
    (tmp_path / "x.vw").write_text("1 |x a\n-1 |x b\n")
    for kind in ("svm", "vw"):
        path = tmp_path / f"x.{kind}"
        done("fit", path, "-o", tmp_path / "m", "--quiet")
        status, out, err = said("predict", tmp_path / "m", path, "--keep", "id", "--to", "csv")
        assert (status, out) == (2, "")
        assert "--keep has a meaning for csv and parquet and arrow and npy only, but" in err
    (tmp_path / "x.conll").write_text("a X\nb Y\n\nb Y\n")
    done("fit", "--sequences", tmp_path / "x.conll", "-o", tmp_path / "t", "--quiet")
    for words in (
        ("--to", "csv"),
        ("--output", tmp_path / "y.csv"),
        ("--keep", "a", "--to", "csv"),
    ):
        status, _, err = said("predict", tmp_path / "t", tmp_path / "x.conll", *words)
        assert (status, "has no meaning for sentences: leave it out." in err) == (2, True)


def test_a_terminal_gets_no_parquet(folder):
    words = ("predict", folder / "words", folder / "x.csv", "--to", "parquet")
    text, status = on_a_terminal(words)
    assert status == 2
    assert "writes what is not text to the terminal: redirect it, or name a file" in text


# ------------------------------------------------------------- whole, or not at all


@pytest.mark.parametrize("kind", [*KINDS, "csv.gz", "jsonl.zst", "parquet.xz", "csv.bz2"])
@pytest.mark.parametrize("before", [None, b"old"])
def test_a_file_appears_whole_or_not_at_all(folder, tmp_path, monkeypatch, kind, before):
    out = tmp_path / f"out.{kind}"
    if before:
        out.write_bytes(before)
    lines = [f"r{i},{i},1" for i in range(200)]
    (tmp_path / "x.csv").write_text("\n".join(["id,a,b", *lines, "r,bad,1"]) + "\n")
    (tmp_path / "good.csv").write_text("\n".join(["id,a,b", *lines]) + "\n")
    words = ("--keep", "id", "-o", out)

    def as_it_was():
        there = {path.name for path in tmp_path.iterdir()} - {"x.csv", "good.csv"}
        return there == {out.name} and out.read_bytes() == before if before else not there

    with blocks_of(100):
        status, _, err = said("predict", folder / "words", tmp_path / "x.csv", *words)
        assert (status, "found 'bad', expected a finite number" in err) == (3, True)
        assert as_it_was()
        for stop, code in ((KeyboardInterrupt, 130), (Terminated, 143)):
            blocks = []

            def halfway(model, block, stop=stop, blocks=blocks):
                blocks.append(block)
                if len(blocks) == 9:
                    raise stop
                return prediction(model, block)

            with monkeypatch.context() as patch:
                patch.setattr(answer_columns, "prediction", halfway)
                status, _, err = said("predict", folder / "words", tmp_path / "good.csv", *words)
            assert (status, err) == (code, "novikoff: stopped; nothing was written.\n")
            assert as_it_was()
        assert said("predict", folder / "words", tmp_path / "good.csv", *words)[0] == 0
    plain = read_any(out)
    assert plain["id"] == [f"r{i}" for i in range(200)]


def read_any(path):
    import bz2
    import lzma

    import zstandard

    undo = {
        ".gz": gzip.decompress,
        ".bz2": bz2.decompress,
        ".xz": lzma.decompress,
        ".zst": lambda b: zstandard.ZstdDecompressor().decompressobj().decompress(b),
    }
    if path.suffix in undo:
        bare = Path(str(path).removesuffix(path.suffix))
        bare.write_bytes(undo[path.suffix](path.read_bytes()))
        path = bare
    return columns_in(path)


def test_half_a_stream_of_parquet_does_not_look_whole(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(answer_files, "GROUP_ROWS", 4)
    lines = [f"r{i},{i},1" for i in range(50)]
    (tmp_path / "x.csv").write_text("\n".join(["id,a,b", *lines, "r,bad,1"]) + "\n")
    with blocks_of(30):
        found = run(
            *("predict", folder / "words", tmp_path / "x.csv", "--to", "parquet"), text=False
        )
    assert found.returncode == 3
    assert found.stdout.startswith(b"PAR1")
    with pytest.raises(pyarrow.ArrowInvalid):
        pyarrow.parquet.read_table(io.BytesIO(found.stdout))


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk_is_said(folder, kind):
    predict = ("predict", folder / "words", folder / "x.csv", "--to", kind)
    status, _, err = said(*predict, "-o", "/dev/full")
    assert status == 4
    assert "/dev/full could not be written: the disk is full" in err


def test_parquet_is_written_by_row_groups(folder, tmp_path, monkeypatch):
    """Small blocks are held until there is enough, large ones are cut."""
    monkeypatch.setattr(answer_files, "GROUP_ROWS", 20)
    monkeypatch.setattr(answer_files, "MANY", 3)
    table = pd.DataFrame({"id": [f"r{i}" for i in range(103)], "a": np.arange(103.0), "b": 50.0})
    table.to_parquet(tmp_path / "x.parquet")
    for size in (8 * 3 * 5, 2**20):
        with blocks_of(size):
            done(
                *("predict", folder / "words", tmp_path / "x.parquet", "--keep", "id"),
                *("-o", tmp_path / "o.parquet"),
            )
        file = pyarrow.parquet.ParquetFile(tmp_path / "o.parquet")
        rows = [file.metadata.row_group(k).num_rows for k in range(file.num_row_groups)]
        assert rows == [20, 20, 20, 20, 20, 3]
        assert file.read()["id"].to_pylist() == table["id"].tolist()
