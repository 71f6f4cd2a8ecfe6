"""Several files where one may stand: what is read is what their concatenation has."""

import bz2
import gzip
import io
import lzma
import os
import tempfile
from contextlib import chdir
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import novikoff
from commands import done, killed, run, said, same_files
from novikoff.data import Place, TablePlan, read, stream
from novikoff.errors import FileError, ParameterError
from novikoff.store import load_with_extra, save
from terminals import on_a_terminal

PACKED = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
SVM = st.builds(
    lambda y, row: f"{y} {' '.join(f'{j}:{v}' for j, v in sorted(row.items()))}\n",
    st.sampled_from(["-1", "1", "2.5"]),
    st.dictionaries(st.integers(1, 40), st.sampled_from(["1", "-0.5", "2e3"]), max_size=4),
)
VW = st.sampled_from(["1 2.5 'tag |a b c:2\n", "-1 |x y\n", "1 | 7:0.5\n"])
CSV = st.builds(
    lambda x, kind, y: f"{x},{kind},{y}\n",
    st.sampled_from(["1", "-2.5", "", "3e2"]),
    st.sampled_from(["red", "blue", '"green, dark"', '"a\nb"']),
    st.sampled_from(["yes", "no", "'7"]),
)
HEADER = "x,kind,label\n"
LINES = {
    "svm": st.one_of(SVM, st.sampled_from(["\n", "# nothing\n"])),
    "vw": VW,
    "csv": CSV,
}


def dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def same(one, other):
    assert dense(one.X).tobytes() == dense(other.X).tobytes()
    assert one.X.shape == other.X.shape
    assert one.X.dtype == other.X.dtype
    assert one.y.tolist() == other.y.tolist()
    for name in ("names", "tags", "base"):
        assert getattr(one, name) == getattr(other, name), name
    assert (one.weight is None) == (other.weight is None)
    assert one.weight is None or one.weight.tolist() == other.weight.tolist()


@st.composite
def cut(draw):
    """Lines, in files that each have some of them, and in one."""
    ending = draw(st.sampled_from(sorted(LINES)))
    lines = draw(st.lists(LINES[ending], min_size=1, max_size=30))
    cuts = sorted(draw(st.lists(st.integers(0, len(lines)), max_size=4)))
    parts = [lines[i:j] for i, j in zip([0, *cuts], [*cuts, len(lines)], strict=True)]
    head = HEADER if ending == "csv" else ""
    texts = [head + "".join(part) for part in parts]
    texts = [draw(st.sampled_from(["", text])) if text == head else text for text in texts]
    packed = [draw(st.sampled_from(sorted(PACKED))) for _ in texts]
    return ending, texts, packed, head + "".join(lines)


def written(folder, ending, texts, packed):
    paths = []
    for i, (text, how) in enumerate(zip(texts, packed, strict=True)):
        path = folder / f"part-{i:05}.{ending}{how}"
        path.write_bytes(PACKED[how](text.encode()))
        paths.append(path)
    return paths


# ------------------------------------------------------------- laws


@given(cut(), st.integers(1, 60))
def test_several_files_are_read_as_their_concatenation(given, block_bytes):
    ending, texts, packed, whole = given
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "all").mkdir()
        one = folder / "all" / f"one.{ending}"
        one.write_text(whole)
        paths = written(folder, ending, texts, packed)
        (folder / "_SUCCESS").touch()
        (folder / ".part-00000.crc").write_bytes(b"\0crc")
        if not any(line.strip() and line[0] != "#" for line in whole.split("\n")):
            with pytest.raises(FileError, match="found no examples, expected at least one"):
                read(paths)
            return
        expected = read(one)
        head = HEADER
        if ending == "csv":  # the plan is that of the first file with examples
            first = next(
                path for path, text in zip(paths, texts, strict=True) if text not in ("", head)
            )
            plan = read(first).plan
            assert read(paths).plan.to_dict() == plan.to_dict()
            expected = read(one, plan=plan)
        for source in (paths, tuple(map(str, paths)), folder, f"{folder}/part-*.{ending}*"):
            same(read(source), expected)
        n, found = 0, [*stream(paths, block_bytes=block_bytes)]
        for block in found:
            assert block.start.file == block.next.file
            n += len(block.y)
        assert n == len(expected.y)
        assert [label for block in found for label in block.y.tolist()] == expected.y.tolist()
        alone = [*stream(paths, block_bytes=block_bytes, n_jobs=1)]
        assert [b.next for b in alone] == [b.next for b in found]
        for k in {0, len(found) // 2, len(found) - 1}:
            rest = [*stream(paths, block_bytes=block_bytes, start=found[k].next)]
            assert [b.next for b in rest] == [b.next for b in found[k + 1 :]]
            for a, b in zip(rest, found[k + 1 :], strict=True):
                same(a, b)


@pytest.mark.parametrize("zero", [0, 1, 2, None])
def test_all_files_say_where_indices_start_and_how_many_there_are(tmp_path, zero):
    texts = ["1 1:1\n", "-1 4:2\n", "1 9:1\n"]
    if zero is not None:
        texts[zero] += "1 0:5\n"
    paths = written(tmp_path, "svm", texts, ["", ".gz", ""])
    expected = read(io.BytesIO("".join(texts).encode()))
    same(read(paths), expected)
    assert {b.X.shape[1] for b in stream(paths)} == {expected.X.shape[1]}
    same(read(paths, n_features=20), read(io.BytesIO("".join(texts).encode()), n_features=20))


def test_arrays_and_tables_of_all_formats(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    X = np.arange(12.0).reshape(6, 2)
    y = np.array([0, 1, 0, 1, 1, 0])
    for i, rows in enumerate((slice(0, 2), slice(2, 2), slice(2, 6))):
        np.save(tmp_path / f"{i}.npy", np.column_stack([X, y])[rows])
        np.savez(tmp_path / f"{i}.npz", X=X[rows], y=y[rows])
        columns = {"a": X[rows, 0], "label": y[rows], "b": X[rows, 1]}
        names = ("a", "label", "b") if i < 2 else ("b", "a", "label")
        table = pyarrow.table({name: columns[name] for name in names})
        parquet.write_table(table, tmp_path / f"{i}.parquet")
        feather.write_feather(table, tmp_path / f"{i}.arrow", compression="uncompressed")
    for ending, options in (("npy", {"label": -1}), ("npz", {}), ("parquet", {}), ("arrow", {})):
        for order in ("*", "[012]"):
            data = read(tmp_path / f"{order}.{ending}", **options)
            assert (data.X == X).all()
            assert data.y.tolist() == y.tolist()
        blocks = [*stream(tmp_path / f"*.{ending}", block_bytes=16, **options)]
        assert {b.start.file for b in blocks if len(b.y)} == {0, 2}
        rest = [*stream(tmp_path / f"*.{ending}", block_bytes=16, start=blocks[-2].next, **options)]
        assert [b.y.tolist() for b in rest] == [blocks[-1].y.tolist()]
    data = read([tmp_path / "0.parquet", tmp_path / "2.parquet"], label=1)  # by its name then
    assert data.y.tolist() == y.tolist()
    known = read([tmp_path / "0.parquet", tmp_path / "2.parquet"], label=1, plan=data.plan)
    assert known.y.tolist() == y.tolist()


def test_the_folder_that_spark_writes(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    folder = tmp_path / "out"
    folder.mkdir()
    frames = []
    for i, n in enumerate((3, 0, 5)):
        x = np.arange(n, dtype=float) + 10 * i
        y = ["yes" if v % 2 else "no" for v in x]
        label = pyarrow.array(y, pyarrow.string())
        frames.append(pyarrow.table({"x": x, "kind": label, "label": label}))
        name = f"part-{i:05}-2f1c-c000.snappy.parquet"
        parquet.write_table(frames[-1], folder / name, compression="snappy")
        (folder / f".{name}.crc").write_bytes(b"crc\0\0\0\x02\0\xff")
    (folder / "_SUCCESS").touch()
    (folder / "._SUCCESS.crc").write_bytes(b"crc\0\0\0\x02\0")
    (folder / "_temporary").mkdir()
    parquet.write_table(pyarrow.concat_tables(frames), tmp_path / "one.parquet")
    same(read(folder), read(tmp_path / "one.parquet"))
    same(read(f"{folder}/part-*"), read(tmp_path / "one.parquet"))
    model = tmp_path / "m"
    done("fit", folder, "-o", model, "--epochs", 5)
    assert done("predict", model, folder) == done("predict", model, tmp_path / "one.parquet")
    score = done("score", model, f"{folder}/*.parquet")
    assert score == done("score", model, tmp_path / "one.parquet")


def test_a_place_shows_its_file_where_there_are_several(tmp_path):
    paths = written(tmp_path, "svm", ["1 1:1\n", "-1 2:1\n"], ["", ""])
    first, second = stream(paths)
    assert repr(first.next) == "Place(offset=6, line=2)"
    assert repr(second.next) == "Place(offset=7, line=2, file=1)"
    assert second.start == Place(0, 1, 1)
    assert not [*stream(paths, start=second.next)]
    with pytest.raises(FileError, match="found 2 files, expected to go on in number 3"):
        next(stream(paths, start=Place(0, 1, 2)))
    with pytest.raises(FileError, match="found 1 file, expected to go on in number 2"):
        next(stream(paths[0], start=second.next))


# ------------------------------------------------------------- names


def test_a_name_that_exists_is_that_file(tmp_path):
    for name, label in (("a[1].svm", 5), ("a1.svm", 7), ("*.svm", 9)):
        (tmp_path / name).write_text(f"{label} 1:1\n")
    assert read(tmp_path / "a[1].svm").y.tolist() == [5]
    assert read(tmp_path / "*.svm").y.tolist() == [9]
    assert read([tmp_path / "*.svm", tmp_path / "a[1].svm"]).y.tolist() == [9, 5]
    (tmp_path / "a[1].svm").unlink()
    assert read(tmp_path / "a[1].svm").y.tolist() == [7]


def test_order_is_as_given_and_in_patterns_by_name(tmp_path):
    for name in ("10", "9", "b", ".hidden", "_odd"):
        (tmp_path / name).write_text(f"{len(name)}{ord(name[0])} 1:1\n")
    with chdir(tmp_path):
        by_name = ["10", "9", "b"]
        expected = [float(f"{len(name)}{ord(name[0])}") for name in by_name]
        assert read("*").y.tolist() == read(".").y.tolist() == expected
        assert read(["b", "9"]).y.tolist() == [198, 157]
        assert read(["b", "[19]*"]).y.tolist() == [198, 249, 157]
        assert read("_*").y.tolist() == [495]  # asked for
        assert read([".hidden", "b"]).y.tolist() == [746, 198]


@pytest.mark.parametrize(
    ("source", "error", "what"),
    [
        ("x*.svm", FileError, r"^x\*\.svm: found no such file, expected a file or files"),
        (["a.svm", "no.svm"], FileError, "^no.svm: found no such file"),
        ("no.svm", FileError, "^no.svm: cannot be opened: No such file or directory$"),
        ("empty", FileError, "^empty: found no files in this folder, expected examples$"),
        ("hive", FileError, r"^hive: found the folder 'day=1', .* give 'hive/\*/\*'$"),
        ("deep/*", FileError, r"^deep/\*: found folders only, expected files: give 'deep/\*/\*'"),
        (["a.svm", "./a.svm"], ParameterError, "a.svm is named twice: every example"),
        (["a.svm", "[ab].svm"], ParameterError, "a.svm is named twice"),
        (["a.svm", "-"], ParameterError, "^- is standard input, which cannot stand beside files"),
        ([], ParameterError, "^Several files are a list of paths"),
        (["a.svm", 3], ParameterError, "^Several files are a list of paths"),
        (["a.svm", "pipe"], FileError, "^pipe: it is no file on disk, so it cannot stand beside"),
        (["a.svm", "c.csv"], FileError, "^c.csv: it is csv, but a.svm is svmlight: give files of"),
        (["a.svm", "vw"], FileError, "^vw: it is vw, but a.svm is svmlight"),
        (["blank", "blank.2"], FileError, "^blank and 1 more: found no examples: give format"),
        (["blank.svm", "b.0.svm"], FileError, "^blank.svm and 1 more: found no examples, expected"),
        (["blank.csv", "b.0.csv"], FileError, "^blank.csv and 1 more: found no examples, expected"),
        (["head.csv", "b.0.csv"], FileError, "^head.csv and 1 more: found no examples, expected"),
        (["a.svm", "bad.svm"], FileError, "^bad.svm:2:3: found 'x:1', expected an index"),
        (["c.csv", "bad.csv"], FileError, "^bad.csv:3:3: found 'one', expected a finite number"),
        (["c.csv", "lacks.csv"], FileError, "^lacks.csv: it lacks the column 'x': add it"),
        (["c.csv", "bare.csv"], FileError, "^bare.csv:1: found no names of columns in its first "
            "line, expected them as in c.csv"),
        (["c.csv", "words.csv"], FileError, "^words.csv:2:3: found 'cat', expected a number, as"),
        (["a.npz", "wide.npz"], FileError, "^wide.npz: found 3 features, expected 2 features as"),
        (["a.npz", "words.npz"], FileError, "^words.npz: found labels that are words, expected "
            "labels that are numbers as in a.npz"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(tmp_path, source, error, what):
    with chdir(tmp_path):
        for folder in ("empty", "hive/day=1", "deep/a"):
            Path(folder).mkdir(parents=True)
        for name, text in {
            "a.svm": "1 1:1\n",
            "b.svm": "-1 2:1\n",
            "bad.svm": "1 1:1\n1 x:1\n",
            "vw": "1 |a b\n",
            "c.csv": "x,label\n1,0\n2,1\n",
            "bad.csv": "label,x\n1,2\n1,one\n",
            "lacks.csv": "z,label\n1,0\n",
            "bare.csv": "1,0\n",
            "words.csv": "x,label\n1,cat\n",
            "head.csv": "x,label\n",
            "b.0.csv": "\n",
            "blank.csv": "",
            "blank.svm": " \n",
            "b.0.svm": "# nothing\n",
            "blank": "",
            "blank.2": "\n\n",
        }.items():
            Path(name).write_text(text)
        os.mkfifo("pipe")
        np.savez("a.npz", X=np.ones((1, 2)), y=[1])
        np.savez("wide.npz", X=np.ones((1, 3)), y=[1])
        np.savez("words.npz", X=np.ones((1, 2)), y=["cat"])
        with pytest.raises(error, match=what):
            read(source)
        with pytest.raises(error, match=what):
            list(stream(source))


def test_the_first_file_with_examples_says_it_for_all(tmp_path):
    paths = written(
        tmp_path,
        "csv",
        ["", "x;kind;label\n", "x;kind;label\n1,5;a;1\n2,5;b;2\n", "kind;label;x\nb;3;2,0\n"],
        ["", ".gz", "", ".xz"],
    )
    data = read(paths)
    assert data.X.tolist() == [[1.5, 1, 0], [2.5, 0, 1], [2.0, 0, 1]]
    assert data.y.tolist() == [1, 2, 3]
    assert read(paths, label=2).y.tolist() == [1, 2, 3]  # 'label', wherever it is
    assert read(paths, label="label", ignore=0).names == ["kind=a", "kind=b"]
    again = read(paths, plan=data.plan, label=-1)
    assert again.X.tolist() == data.X.tolist()
    assert again.y.tolist() == [1, 2, 3]
    words = written(tmp_path, "csv", ["x,label\n1,cat\n", "x,label\n2,7\n"], ["", ""])
    assert read(words).y.tolist() == ["cat", "7"]
    bare = written(tmp_path, "csv", ["1,2,0\n", "3,4,1\n"], ["", ""])
    assert read(bare, label=-1).X.tolist() == [[1, 2], [3, 4]]
    (tmp_path / "named.csv").write_text("a,b,label\n3,4,1\n")
    with pytest.raises(FileError, match=r"named.csv:1: found names of columns .* expected none as"):
        read([bare[0], tmp_path / "named.csv"], label=-1)
    (tmp_path / "new.csv").write_text("x\n1\n")
    (tmp_path / "old.csv").write_text("x,label\n1,2\n")
    plan = TablePlan.of_numbers(["x"])
    with pytest.raises(FileError, match="found labels that are numbers, expected no labels as in"):
        read([tmp_path / "new.csv", tmp_path / "old.csv"], labels="optional", plan=plan)


def test_bad_lines_are_skipped_in_all(tmp_path):
    paths = written(tmp_path, "svm", ["1 1:1\nx\n", "y\n", "-1 2:2\nz\n"], ["", "", ".gz"])
    data = read(paths, bad_lines="skip")
    assert data.X.shape == (2, 2)
    assert data.skipped.n_lines == 3
    assert [m.split(" ")[0].split("/")[-1] for m in data.skipped.messages] == [
        f"{path.name}:{line}:1:" for path, line in zip(paths, (2, 1, 2), strict=True)
    ]


# ------------------------------------------------------------- the command

LONG = ("--epochs", 6, "--block-bytes", "1K", "--memory", 1)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Noisy examples in three files."""
    folder = tmp_path_factory.mktemp("parts")
    random = np.random.default_rng(0)
    lines = []
    for _ in range(240):
        row = random.normal(size=4)
        y = 1 if row.sum() + random.normal() > 0 else -1
        lines.append(f"{y} {' '.join(f'{j}:{v:.3f}' for j, v in enumerate(row, 1))}\n")
    for i, rows in enumerate((slice(0, 90), slice(90, 100), slice(100, 240))):
        (folder / f"part-{i}.svm").write_text("".join(lines[rows]))
    return folder


def whole(parts, tmp_path):
    one = tmp_path / "one.svm"
    one.write_bytes(b"".join(path.read_bytes() for path in sorted(parts.iterdir())))
    return one


@pytest.mark.parametrize(
    "more",
    [
        (),
        ("--epochs", 1),
        ("--learner", "kernel", "--epochs", 3),
        ("--learner", "max-margin", "--C", 1),
        ("--learner", "pocket"),
        ("--progressive",),
        ("--classes", 1, -1, "--class-weight", "1=2"),
    ],
)
def test_however_files_are_named_the_model_is_the_same(parts, tmp_path, more):
    names = sorted(map(str, parts.iterdir()))
    sources = (names, [parts], [f"{parts}/*.svm"], [*names[:2], f"{parts}/*2.svm"])
    for i, source in enumerate(sources):
        done("fit", *source, "-o", tmp_path / f"{i}", *more)
        assert same_files(tmp_path / f"{i}", tmp_path / "0")
    one = whole(parts, tmp_path)
    if more[:1] != ("--classes",) and more != ():  # no shuffled blocks
        done("fit", one, "-o", tmp_path / "m", *more)
        a, b = (novikoff.load(tmp_path / name) for name in ("0", "m"))
        if hasattr(a, "coef_"):
            assert np.allclose(a.coef_, b.coef_) or "--epochs" in more
    predicted = done("predict", tmp_path / "0", one)
    for source in sources:
        assert done("predict", tmp_path / "0", *source) == predicted
        score = done("score", tmp_path / "0", *source)
        assert score == done("score", tmp_path / "0", one)


def test_a_run_in_order_is_that_on_the_concatenation(parts, tmp_path):
    one = whole(parts, tmp_path)
    more = ("--no-shuffle", "--epochs", 3)
    done("fit", parts, "-o", tmp_path / "a", *more)
    done("fit", one, "-o", tmp_path / "b", *more)
    assert same_files(tmp_path / "a", tmp_path / "b")
    done("fit", parts, "-o", tmp_path / "c", *more, "--block-bytes", "1K", "--memory", 1)
    a, c = novikoff.load(tmp_path / "a"), novikoff.load(tmp_path / "c")
    assert (a.coef_ == c.coef_).all()


def test_other_commands_take_several(parts, tmp_path):
    one = whole(parts, tmp_path)
    names = sorted(parts.iterdir())
    expected = run("certify", one, "--save", tmp_path / "p")
    for source in (names, [parts], [f"{parts}/*"]):
        assert said("certify", *source)[:2] == (expected.returncode, expected.stdout)
        assert "the proof holds" in done("verify", tmp_path / "p", *source)
    for source in (parts, f"{parts}/*"):
        for ending in ("csv", "svm", "npz"):
            done("convert", source, tmp_path / f"x.{ending}")
            done("convert", one, tmp_path / f"y.{ending}")
            same(read(tmp_path / f"x.{ending}"), read(tmp_path / f"y.{ending}"))
    done("fit", *names, "-o", tmp_path / "m", "--record", "--plot", tmp_path / "p.png")
    assert done("show", tmp_path / "m", "--data", parts) == done(
        "show", tmp_path / "m", "--data", one
    )
    done("plot", tmp_path / "m", *names, "-o", tmp_path / "a.png")
    done("plot", tmp_path / "m", one, "-o", tmp_path / "b.png")
    assert same_files(tmp_path / "a.png", tmp_path / "b.png")


def test_a_run_is_resumed_in_a_later_file(parts, tmp_path):
    fit = ("fit", parts, *LONG)
    done(*fit, "-o", tmp_path / "undisturbed")
    model, checkpoint = tmp_path / "model", tmp_path / "checkpoint"
    more = ("-o", model, "--checkpoint", checkpoint, "--every", 0)
    files = set()
    for times in (4, 5, 7, 3, 9):
        killed("replace", times, *fit, *more, "--resume")
        assert not model.exists()
        files.add(load_with_extra(checkpoint)[1]["checkpoint"]["position"]["file"])
    assert files >= {0, 2}
    before = checkpoint.read_bytes()
    for source in ([parts / "part-0.svm"], sorted(parts.iterdir())[::-1], [whole(parts, tmp_path)]):
        status, _, err = said("fit", *source, *LONG, *more, "--resume")
        assert status == 2
        assert "was written by a run on other data" in err or "another" in err or "this one" in err
    assert checkpoint.read_bytes() == before
    done("fit", *sorted(parts.iterdir()), *LONG, *more, "--resume")  # the same, named otherwise
    assert same_files(model, tmp_path / "undisturbed")
    assert not checkpoint.exists()


def test_a_checkpoint_from_before_there_were_several_is_resumed(parts, tmp_path):
    fit = ("fit", parts / "part-2.svm", *LONG)
    done(*fit, "-o", tmp_path / "undisturbed")
    more = ("-o", tmp_path / "m", "--checkpoint", tmp_path / "c", "--every", 0)
    killed("replace", 9, *fit, *more)
    model, extra = load_with_extra(tmp_path / "c")
    assert extra["checkpoint"]["position"].pop("file") == 0
    save(model, tmp_path / "c", extra=extra)
    done(*fit, *more, "--resume")
    assert same_files(tmp_path / "m", tmp_path / "undisturbed")


def test_the_progress_bar_counts_all_files(parts, tmp_path):
    from tqdm import tqdm

    text, status = on_a_terminal(("fit", parts, "-o", tmp_path / "m", "--epochs", 3))
    size = sum(path.stat().st_size for path in parts.iterdir())
    assert status == 0
    assert f"/{tqdm.format_sizeof(3 * size)} [" in text


def test_a_line_is_said_with_its_file(parts, tmp_path):
    texts = ["1 1:1\n-1 2:1\n", "\n# c\n1 1:2\n\n-1 2:2\n3 2:1\n"]
    names = written(tmp_path, "svm", texts, ["", ".gz"])
    for learner in ("winnow", "max-margin"):
        status, _, err = said("fit", *names, "-o", tmp_path / "m", "--learner", learner)
        assert status == 3
        assert f"{names[1]}:6: found the label 3, expected -1 or 1" in err
    done("fit", names[0], "-o", tmp_path / "m")
    status, _, err = said("score", tmp_path / "m", *names)
    assert status == 3
    assert f"{names[1]}:6: found the label 3, expected -1 or 1, the labels of the model" in err
    status, _, err = said("fit", names[0], names[0], "-o", tmp_path / "m")
    assert (status, "is named twice: every example is to be read once" in err) == (2, True)


def test_what_the_command_refuses(parts, tmp_path):
    a, b = (str(parts / f"part-{i}.svm") for i in range(2))
    before = (parts / "part-0.svm").read_bytes()
    for words, what in (
        (("fit", a, "-", "-o", tmp_path / "m"), "- is standard input, which cannot stand beside"),
        (("predict", a, "-", b), "- is standard input, which cannot stand beside files"),
        (("fit", f"{parts}/*", "-o", a), "part-0.svm is named twice, but what a command reads"),
        (("fit", a, b, "-o", tmp_path / "m", "--checkpoint", b), "is named twice, but what"),
        (("convert", f"{parts}/*", b), "part-1.svm is named twice, but what"),
        (("fit", parts, "-o", parts / "m"), f"{parts}/m would be in {parts}, all files of which"),
        (("fit", "--sequences", a, b, "-o", tmp_path / "m"), "Sentences are read from one file:"),
        (("fit", "--sequences", parts, "-o", tmp_path / "m"), "Sentences are read from one file:"),
    ):
        status, _, err = said(*words)
        assert status == 2, err
        assert what in err
    status, _, err = said("fit", f"{parts}/none*", "-o", tmp_path / "m")
    assert status == 3
    assert "none*: found no such file, expected a file or files of examples" in err
    assert not (tmp_path / "m").exists()
    assert (parts / "part-0.svm").read_bytes() == before
