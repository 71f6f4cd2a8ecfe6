"""Labels of text in svmlight and Vowpal Wabbit files: what is written comes back, however it is
read, and the command learns from it.
"""

import gzip
import io

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from scipy import sparse

import novikoff
from commands import done, run
from novikoff.cluster.sources import sharded
from novikoff.data import read, sparse_text, stream, write
from novikoff.data.opener import open_source
from novikoff.data.reader import guess
from novikoff.errors import FileError, ParameterError
from test_readers import joined, same
from test_shards import examples_of

KINDS = {"svmlight": {"n_features": 3, "zero_based": False}, "vw": {"bits": 2}}
"""What a stream must be told of each."""
ENDINGS = {"svmlight": "svm", "vw": "vw"}
both = pytest.mark.parametrize("format", KINDS)

letters = st.characters(codec="utf-8", min_codepoint=33, exclude_characters="#|':\ufeff")
words = st.text(letters, min_size=1, max_size=8)
examples = st.lists(st.tuples(words, st.integers(-3, 3)), min_size=1, max_size=12)


def is_number(word):
    """More than what is read as a number, so that no example is one."""
    try:
        float(word)
    except ValueError:
        return word.lower().lstrip("+-") in ("nan", "inf", "infinity")
    return True


def arrays(rows):
    """Values in three columns, and labels of which the first is no number."""
    labels = np.array([word for word, _ in rows])
    labels[0] = "x" if is_number(labels[0]) else labels[0]
    X = np.array([[value, 0.5, 0.0] for _, value in rows])
    return X, labels


# ------------------------------------------------------------- files


@both
@given(rows=examples)
@example(rows=[("cat", 1), ("12", 2), ("+1", 0), ("nan", 0)])
def test_what_is_written_comes_back(format, rows, tmp_path_factory):  # noqa: A002
    path, (X, y) = tmp_path_factory.mktemp("x") / "x", arrays(rows)
    write(path, X, y, format=format)
    found = read(path, format=format, **KINDS[format])
    assert found.y.tolist() == y.tolist()
    assert found.y.dtype.kind == "U"
    assert (found.X.toarray()[:, :3] == X).all()


@both
@given(rows=examples, size=st.integers(1, 60))
def test_however_it_is_read(format, rows, size, tmp_path_factory):  # noqa: A002
    path, (X, y) = tmp_path_factory.mktemp("x") / f"x.{ENDINGS[format]}", arrays(rows)
    write(path, X, y)
    packed = path.with_suffix(path.suffix + ".gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    options = KINDS[format]
    whole = read(path, **options)
    for source in (path, packed):
        for n_jobs in (1, 2):
            blocks = [*stream(source, block_bytes=size, n_jobs=n_jobs, **options)]
            assert same(joined(blocks), whole)
            rest = [*stream(source, block_bytes=size, start=blocks[-1].start, **options)]
            assert same(joined(rest), blocks[-1])
    piped = stream(io.BytesIO(path.read_bytes()), block_bytes=size, format=format, **options)
    assert same(joined(piped), whole)
    shards = [shard.load().y for shard in sharded(str(path), shard_bytes=size, **options).shards]
    assert np.concatenate(shards).tolist() == whole.y.tolist()


@both
@given(rows=examples)
def test_the_features_are_those_beside_numbers(format, rows, tmp_path_factory):  # noqa: A002
    folder, (X, y) = tmp_path_factory.mktemp("x"), arrays(rows)
    write(folder / "words", X, y, format=format)
    write(folder / "numbers", X, np.arange(len(y)), format=format)
    one, other = (read(folder / name, format=format) for name in ("words", "numbers"))
    assert other.y.tolist() == [*range(len(y))]
    assert same(one._replace(y=other.y), other)


@both
def test_pieces_do_not_show(format, monkeypatch):  # noqa: A002
    entries = {"svmlight": "1:1", "vw": "| 1"}[format]
    names = [f"label{i % 7}" * (1 + i % 3) for i in range(300)]
    text = "".join(f"{name} {entries}\n" for name in names).encode()
    for piece in (1, 50, 2**21):
        monkeypatch.setattr(sparse_text, "PIECE", piece)
        assert read(io.BytesIO(text), format=format).y.tolist() == names


@pytest.mark.parametrize(
    ("format", "text", "found"),
    [
        ("svmlight", "cat 1:1\n1 1:1\n", ["cat", "1"]),
        ("svmlight", "# 1\n\n  cat#1 2:2\ndog qid:2 1:1\r\n", ["cat", "dog"]),
        ("svmlight", "1:1\ncat 2:1\n", ["", "cat"]),
        ("svmlight", "1:1\n2 2:1\n", [None, 2.0]),
        ("svmlight", "a:b 1:1\n'c'|d\n", ["a:b", "'c'|d"]),
        ("svmlight", "1:1\n", [None]),
        ("vw", "spam 2.5 'tag |f a b\n|f a\n1 tag|f a\n", ["spam", "", "1"]),
        ("vw", "'tag |f a\ntag|f a\nno bar\n#1 |f a\n", ["", "", "#1"]),
        ("vw", "'tag |f a\n1 |f a\n", [None, 1.0]),
    ],
)
def test_the_first_label_settles_it(format, text, found):  # noqa: A002
    options = {"labels": "optional", "bad_lines": "skip"}
    y = read(io.BytesIO(text.encode()), format=format, **options).y
    assert [None if label != label else label for label in y.tolist()] == found


def test_the_option_has_the_last_word():
    text = b"1 1:1\ncat 1:1\n"
    assert read(io.BytesIO(text), text_labels=True).y.tolist() == ["1", "cat"]
    with pytest.raises(FileError, match=r"2:1: found 'cat', expected a label, a finite number"):
        read(io.BytesIO(text))
    with pytest.raises(FileError, match=r"1:1: found 'cat', expected a label, a finite number"):
        read(io.BytesIO(b"cat 1:1\n"), text_labels=False)
    with pytest.raises(ParameterError, match="^text_labels="):
        read(io.BytesIO(text), text_labels="yes")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"cat 1:0.5 3:2\n", "svmlight"),
        (b"cat qid:1 3:2 # x\n", "svmlight"),
        (b"spam 2.5 'tag |f a b\n", "vw"),
        (b"cat,dog 1:2\n", "csv"),
        (b"name\nBob\n", None),
        (b"It was a dark night\n", None),
    ],
)
def test_formats_are_guessed(text, expected):
    if expected is None:
        with pytest.raises(FileError, match="a format that neither its name nor its content shows"):
            guess(open_source(io.BytesIO(text)))
    else:
        assert guess(open_source(io.BytesIO(text))) == expected


BAD_WORDS = ["", "a b", "a\tb", "a\nb", "a\rb", " a", "a ", "a\0", "1:2", ":", "-.5:x", "\ufeffa"]
BAD_WORDS += ["\ud800"]


@pytest.mark.parametrize(
    ("format", "word"),
    [(kind, word) for kind in KINDS for word in BAD_WORDS]
    + [("svmlight", "a#b"), ("svmlight", "qid:1"), ("vw", "a|b"), ("vw", "'a")],
)
def test_labels_that_would_not_come_back_are_not_written(format, word, tmp_path):  # noqa: A002
    with pytest.raises(ParameterError) as caught:
        write(tmp_path / "x", np.ones((3, 1)), np.array(["a", "a", word], object), format=format)
    told = f"The label of row 2 is {word!r}, which {format} text would not give back: a label is"
    assert str(caught.value).startswith(told)
    assert not list(tmp_path.iterdir())


@both
@pytest.mark.parametrize("first", ["1", "-.5e3", "1e999", "nan", "-Infinity"])
def test_a_first_label_that_looks_like_a_number_is_not_written(format, first, tmp_path):  # noqa: A002
    with pytest.raises(ParameterError, match=f"row 0 is '{first}', text that {format} text would"):
        write(tmp_path / "x", np.ones((2, 1)), [first, "a"], format=format)
    with pytest.raises(ParameterError, match="row 1 is 2, but others are text: make all of them"):
        write(tmp_path / "x", np.ones((2, 1)), np.array(["a", 2], object), format=format)


@both
@pytest.mark.parametrize("piece", ["7", "x", " ", "1 ", "x ", "1.", "\t#"])
def test_long_lines_are_settled_in_no_time(format, piece):  # noqa: A002
    """No regular expression takes more than linear time."""
    text = (piece * 10**5).encode()
    with pytest.raises(FileError):
        read(io.BytesIO(text + b" : |:\n"), format=format)


def test_shards_and_their_labels(tmp_path):
    path = tmp_path / "x.svm"
    path.write_text("cat 1:1\n" * 3 + "12 2:1\n" + "dog 3:1\n" * 3)
    X, y, layout = examples_of(str(path), shard_bytes=9)
    assert (X.shape, y.tolist()) == ((7, 3), ["cat"] * 3 + ["12"] + ["dog"] * 3)
    assert layout.classes.tolist() == ["12", "cat", "dog"]


# ------------------------------------------------------------- the command


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three kinds of flowers in a table, and what `convert` makes of it."""
    folder = tmp_path_factory.mktemp("files")
    X, y, names = novikoff.data.load("iris")
    write(folder / "iris.csv", X, y, names=list(names))
    for ending in ENDINGS.values():
        done("convert", folder / "iris.csv", folder / f"iris.{ending}")
    return folder


@pytest.mark.parametrize("ending", ENDINGS.values())
def test_from_a_table_to_predictions(folder, ending):
    path, model = folder / f"iris.{ending}", folder / f"{ending}.model"
    assert path.read_text().startswith("setosa ")
    classes = ("--classes", "virginica", "setosa", "versicolor")
    weights = ("--class-weight", "setosa=2", "--class-weight", "virginica=0.5")
    done("fit", path, "-o", model, "--quiet", "--epochs", 3, "--block-bytes", 500, *weights)
    trained = novikoff.load(model)
    assert trained.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    done("fit", path, "-o", folder / "named", "--quiet", "--epochs", 3, *classes)
    told = done("predict", model, path).split()
    assert told == trained.predict(read(path).X).tolist()
    assert "150" in done("score", model, path)
    back = folder / f"{ending}.{'vw' if ending == 'svm' else 'parquet'}"
    done("convert", path, back, *(("--bits", 3) if ending == "vw" else ()))
    assert read(back).y.tolist() == read(folder / "iris.csv").y.tolist()


@pytest.mark.parametrize("ending", ENDINGS.values())
def test_certify_on_words(folder, ending):
    assert "separable" in run("certify", folder / f"iris.{ending}").stdout


@pytest.mark.parametrize(
    ("ending", "text", "bare"),
    [("svm", "{} 3:5 4:2\n", "3:5 4:2\n"), ("vw", "{} | 2:5 3:2\n", "| 2:5 3:2\n")],
)
def test_a_model_reads_the_labels_that_it_learned(folder, tmp_path, ending, text, bare):
    """Whatever the first label of the file is."""
    model, path = tmp_path / "m", tmp_path / f"x.{ending}"
    done("fit", folder / f"iris.{ending}", "-o", model, "--quiet")
    path.write_text(bare + text.format("setosa"))
    assert len(done("predict", model, path).split()) == 2
    assert f"x.{ending}:1: found no label, expected one" in run("score", model, path).stderr
    path.write_text(text.format("7") + text.format("setosa"))
    assert len(done("predict", model, path).split()) == 2
    said = run("score", model, path).stderr
    assert f"x.{ending}:1: found the label 7, expected setosa or versicolor" in said


@pytest.mark.parametrize("learner", ["max-margin", "kernel", "voted"])
def test_other_learners_on_words(folder, tmp_path, learner):
    path = tmp_path / "two.svm"
    data = read(folder / "iris.csv")
    two = data.y != "versicolor"
    write(path, sparse.csr_array(data.X[two]), data.y[two])
    done("fit", path, "-o", tmp_path / "m", "--quiet", "--learner", learner)
    assert set(done("predict", tmp_path / "m", path).split()) == {"setosa", "virginica"}


def test_labels_that_are_lacking_are_not_converted(tmp_path):
    (tmp_path / "x.csv").write_text("a,label\n1,cat\n2,\n")
    said = run("convert", tmp_path / "x.csv", tmp_path / "x.svm").stderr
    assert "The label of row 1 is '', which svmlight text would not give back" in said
