"""Every bad file has its message: ``file:line:column: what was found, what was expected``."""

import bz2
import gzip
import io
import lzma
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import zstandard

from novikoff import Perceptron
from novikoff.data import Place, read, stream, text_blocks
from novikoff.data.opener import PlainFile, open_source
from novikoff.errors import DataError, FileError, ParameterError

NUMBER, LABEL = "a finite number", "a label, a finite number"
INDEX, ORDER = "an index, a whole number below 2^63 - 1", "an index above the one before it"
COLON, QUERY = "a colon and a value after the index", "a whole number after qid:"

SVMLIGHT = [
    # truncated lines
    (b"1 1:1 2:", 1, 9, "the end of the line", NUMBER),
    (b"1 1:1 2", 1, 8, "the end of the line", COLON),
    (b"1 1:1\n1 2", 2, 4, "the end of the line", COLON),
    (b"1 1:1\r\n1 2:\r\n", 2, 5, "the end of the line", NUMBER),
    (b"1 1:1e", 1, 5, "'1e'", NUMBER),
    (b"1 1:-", 1, 5, "'-'", NUMBER),
    # bytes that are no text
    (b"1 1:1 \xc3\xa9:2\n", 1, 7, "'é:2'", INDEX),
    (b"1 1:1 \xff:2\n", 1, 7, "'\\xff:2'", INDEX),
    (b"\xef\xbb\xbf1 1:1\n", 1, 1, "'\\ufeff1'", LABEL),
    (b"1 1:\xd9\xa1\n", 1, 5, "'\u0661'", NUMBER),
    (b"1 1:1\x00 2:2\n", 1, 5, "'1\\x00'", NUMBER),
    (b"1 \x001:1\n", 1, 3, "a NUL byte", INDEX),
    (b"1 1:1\n\x00\n", 2, 1, "a NUL byte", LABEL),
    (b"1 1:1\x0b2:2\n", 1, 5, "'1\\x0b2:2'", NUMBER),
    (b"1 1:1\r1 2:2\n", 1, 5, "'1\\r1'", NUMBER),
    # indices
    (b"1 3:1 2:1\n", 1, 7, "'2:1'", ORDER),
    (b"1 2:1 2:1\n", 1, 7, "'2:1'", ORDER),
    (b"1 -3:1\n", 1, 3, "'-3:1'", INDEX),
    (b"1 +3:1\n", 1, 3, "'+3:1'", INDEX),
    (b"1 1.5:1\n", 1, 4, "'.5:1'", COLON),
    (b"1 :1\n", 1, 3, "':1'", INDEX),
    (b"1 1 :1\n", 1, 4, "a space", COLON),
    (b"1 1\t:1\n", 1, 4, "a tab", COLON),
    (b"1 9223372036854775807:1\n", 1, 3, "'9223372036854775807:1'", INDEX),
    (b"1 9223372036854775808:1\n", 1, 3, "'9223372036854775808:1'", INDEX),
    (b"1 18446744073709551617:1\n", 1, 3, "'18446744073709551617:1'", INDEX),
    (b"1 a:1\n", 1, 3, "'a:1'", INDEX),
    # numbers
    (b"1 1:nan\n", 1, 5, "'nan'", NUMBER),
    (b"1 1:inf\n", 1, 5, "'inf'", NUMBER),
    (b"1 1:-Infinity\n", 1, 5, "'-Infinity'", NUMBER),
    (b"1 1:1e400\n", 1, 5, "'1e400'", NUMBER),
    (b"1 1:0x10\n", 1, 5, "'0x10'", NUMBER),
    (b"1 1:1_000\n", 1, 5, "'1_000'", NUMBER),
    (b"1 1:1,5\n", 1, 5, "'1,5'", NUMBER),
    (b"1 1:1:2\n", 1, 5, "'1:2'", NUMBER),
    (b"1 1: 2\n", 1, 5, "a space", NUMBER),
    (b"1 1:" + b"x" * 50, 1, 5, f"'{'x' * 40}...'", NUMBER),
    # labels
    (b"nan 1:1\n", 1, 1, "'nan'", LABEL),
    (b"1e999 1:1\n", 1, 1, "'1e999'", LABEL),
    (b"1 1:1\nyes 1:1\n", 2, 1, "'yes'", LABEL),
    (b"1 1:1\n1,2 1:1\n", 2, 1, "'1,2'", LABEL),
    (b"what is this\n", 1, 1, "'what'", LABEL),
    (b"1:1\n", 1, 1, "'1:1'", LABEL),
    (b"1\n\n  x\n", 3, 3, "'x'", LABEL),
    # queries
    (b"1 qid: 1:1\n", 1, 3, "'qid:'", QUERY),
    (b"1 qid:-1 1:1\n", 1, 3, "'qid:-1'", QUERY),
    (b"1 1:1 qid:2\n", 1, 7, "'qid:2'", INDEX),
]

LETTER = "a label in UTF-8, without control characters"
SVMLIGHT_WORDS = [
    (b"1:1 2:1\n", 1, 1, "'1:1'", "a label"),
    (b"1e3:1\n", 1, 1, "'1e3:1'", "a label"),
    (b":1\n", 1, 1, "':1'", "a label"),
    (b"qid:1 2:1\n", 1, 1, "'qid:1'", "a label"),
    (b"c\xff\n", 1, 2, "'\\xff'", LETTER),
    (b"\xed\xa0\x80 1:1\n", 1, 1, "'\\xed\\xa0\\x80'", LETTER),  # a surrogate
    (b"\xc0\xaf 1:1\n", 1, 1, "'\\xc0\\xaf'", LETTER),  # of too many bytes
    (b"\xf4\x90\x80\x80\n", 1, 1, "'\\xf4\\x90\\x80\\x80'", LETTER),  # past the last letter
    (b"\xe4\xb8\n", 1, 1, "'\\xe4\\xb8'", LETTER),
    (b"\xef\xbb\xbfcat 1:1\n", 1, 1, "'\\ufeffcat'", LETTER),
    (b"c\x00 1:1\n", 1, 2, "a NUL byte", LETTER),
    (b"c\rd 1:1\n", 1, 2, "'\\rd'", LETTER),
    (b"cat dog 1:1\n", 1, 5, "'dog'", INDEX),
    (b"cat qid:x 1:1\n", 1, 5, "'qid:x'", QUERY),
    (b"cat 1:x\n", 1, 7, "'x'", NUMBER),
]

BAR = "a bar '|' before the features"
VW_LABEL = "a label, a finite number, with a space after it (a word that touches the bar is a tag)"
WEIGHT = "an importance weight, a finite number from 0 on"
BASE = "a tag or a bar (initial predictions are not supported)"
NAMESPACE = "the name of a namespace, or a space after the bar"
FACTOR, NAME = (
    "the weight of the namespace, a finite number",
    "the name of a feature before the colon",
)
VALUE = "the value of the feature, a finite number"
SUM, CONTROL = "finite values, also once multiplied and added up", "no control characters"

VOWPAL = [
    (b"1 a b\n", 1, 6, "the end of the line", BAR),
    (b"1 |a b\n1", 2, 2, "the end of the line", BAR),
    (b"|a b\n", 1, 1, "'|a'", VW_LABEL),
    (b"1|a b\n", 1, 1, "'1|a'", VW_LABEL),
    (b"'tag |a b\n", 1, 1, "''tag'", VW_LABEL),
    (b"1 |a b\nx |a b\n", 2, 1, "'x'", VW_LABEL),
    (b"1:0.5:0.2 |a b\n", 1, 1, "'1:0.5:0.2'", VW_LABEL),  # of a contextual bandit
    (b"nan |a b\n", 1, 1, "'nan'", VW_LABEL),
    (b"1 x |a b\n", 1, 3, "'x'", WEIGHT),
    (b"1 -1 |a b\n", 1, 3, "'-1'", WEIGHT),
    (b"1 inf |a b\n", 1, 3, "'inf'", WEIGHT),
    (b"1 2 3 |a b\n", 1, 5, "'3'", BASE),
    (b"1 2 x y|a b\n", 1, 5, "'x'", BASE),
    (b"1 |:2 b\n", 1, 4, "':2'", NAMESPACE),
    (b"1 |a:x b\n", 1, 6, "'x'", FACTOR),
    (b"1 |a: b\n", 1, 6, "a space", FACTOR),
    (b"1 |a :2\n", 1, 6, "':2'", NAME),
    (b"1 | b:\n", 1, 7, "the end of the line", VALUE),
    (b"1 | b:x\n", 1, 7, "'x'", VALUE),
    (b"1 | b:nan\n", 1, 7, "'nan'", VALUE),
    (b"1 | b:1e999\n", 1, 7, "'1e999'", VALUE),
    (b"1 | b:1:2\n", 1, 7, "'1:2'", VALUE),
    (b"1 |a:1e200 b:1e200\n", 1, 12, "'b:1e200'", SUM),
    (b"1 | b:1e308 b:1e308\n", 1, 3, "'|'", SUM),
    (b"1 | a\x00b\n", 1, 6, "a NUL byte", CONTROL),
    (b"1 |a\x01 b\n", 1, 5, "'\\x01'", CONTROL),
    (b"1\x00 |a b\n", 1, 2, "a NUL byte", CONTROL),
    (b"1 | a\rb\n", 1, 6, "'\\rb'", CONTROL),
]
VW_WORD = "a label, with a space after it (a word that touches the bar is a tag)"
VOWPAL_WORDS = [
    (b"|a b\n", 1, 1, "'|a'", VW_WORD),
    (b"cat|a b\n", 1, 1, "'cat|a'", VW_WORD),
    (b"'x y |a b\n", 1, 1, "''x'", VW_WORD),
    (b"1:2 |a b\n", 1, 1, "'1:2'", VW_WORD),
    (b"c\xff |a b\n", 1, 2, "'\\xff'", "a label in UTF-8"),
    (b"c\x01 |a b\n", 1, 2, "'\\x01'", CONTROL),
    (b"cat dog |a b\n", 1, 5, "'dog'", WEIGHT),
    (b"cat 1 dog |a b\n", 1, 7, "'dog'", BASE),
    (b"hello\n", 1, 6, "the end of the line", BAR),
]


def check(text, format, line, column, found, expected, label=b"1", **options):  # noqa: A002
    with pytest.raises(FileError) as caught:
        read(io.BytesIO(text), format=format, **options)
    assert str(caught.value) == f"<file>:{line}:{column}: found {found}, expected {expected}"
    assert (caught.value.path, caught.value.line, caught.value.column) == ("<file>", line, column)
    good = label + (b" 1:1\n" if format == "svmlight" else b" | a\n")
    data = read(io.BytesIO(good + text), format=format, bad_lines="skip", **options)
    assert data.skipped.n_lines == 1
    assert data.skipped.messages == (str(caught.value).replace(f":{line}:", f":{line + 1}:", 1),)


@pytest.mark.parametrize(("text", "line", "column", "found", "expected"), SVMLIGHT)
def test_bad_svmlight(text, line, column, found, expected):
    check(text, "svmlight", line, column, found, expected)


@pytest.mark.parametrize(("text", "line", "column", "found", "expected"), VOWPAL)
def test_bad_vowpal(text, line, column, found, expected):
    check(text, "vw", line, column, found, expected)


@pytest.mark.parametrize(("text", "line", "column", "found", "expected"), SVMLIGHT_WORDS)
def test_bad_svmlight_whose_labels_are_words(text, line, column, found, expected):
    told = {"label": b"bird", "text_labels": True}
    check(text, "svmlight", line, column, found, expected, **told)


@pytest.mark.parametrize(("text", "line", "column", "found", "expected"), VOWPAL_WORDS)
def test_bad_vowpal_whose_labels_are_words(text, line, column, found, expected):
    check(text, "vw", line, column, found, expected, label=b"bird", text_labels=True)


def test_indices_out_of_range():
    check(
        b"1 4:1\n",
        "svmlight",
        1,
        3,
        "'4:1'",
        "an index from 1 to 3",
        n_features=3,
        zero_based=False,
    )
    check(
        b"1 3:1\n", "svmlight", 1, 3, "'3:1'", "an index from 0 to 2", n_features=3, zero_based=True
    )
    check(
        b"1 0:1\n",
        "svmlight",
        1,
        3,
        "'0:1'",
        "an index from 1 to 3",
        n_features=3,
        zero_based=False,
    )
    check(b"1 0:1 3:1\n", "svmlight", 1, 7, "'3:1'", "an index from 0 to 2", n_features=3)


def test_a_model_is_no_examples(tmp_path):
    Perceptron().fit([[0.0], [1.0]], [0, 1]).save(tmp_path / "m")
    with pytest.raises(FileError, match="found a model file, expected examples"):
        read(tmp_path / "m")


def test_values_out_of_range_of_single_precision():
    check(b"1 1:1e39\n", "svmlight", 1, 5, "'1e39'", NUMBER, dtype=np.float32)
    check(b"1 |a b:1e39\n", "vw", 1, 6, "'b:1e39'", SUM, dtype=np.float32)


def test_only_the_first_few_messages_are_kept():
    text = b"1 1:1\n" + b"1 x\n" * 100
    data = read(io.BytesIO(text), bad_lines="skip")
    assert data.skipped.n_lines == 100
    assert [m.split(":")[1] for m in data.skipped.messages] == ["2", "3", "4", "5", "6"]


@pytest.mark.parametrize("text", [b"", b"\n", b" \n\t\n\r\n", b"# nothing\n"])
def test_nothing_in_it(text, tmp_path):
    path = tmp_path / "file.svm"
    path.write_bytes(text)
    for work in (lambda: read(path), lambda: list(stream(path))):
        with pytest.raises(FileError) as caught:
            work()
        assert str(caught.value) == f"{path}: found no examples, expected at least one"


def test_nothing_good_in_it():
    with pytest.raises(
        FileError, match=r"found no examples \(2 bad lines were skipped; the first: "
    ):
        read(io.BytesIO(b"1 x\n1 y\n"), format="svmlight", bad_lines="skip")


def test_a_format_that_cannot_be_guessed():
    with pytest.raises(
        FileError, match="<file>: found a format that neither its name nor its content shows"
    ):
        read(io.BytesIO(b"what is this\n"))
    with pytest.raises(FileError, match="<file>: found no examples"):
        read(io.BytesIO(b""))


# ------------------------------------------------------------- files not there, or not whole


def test_paths_that_cannot_be_opened(tmp_path):
    absent = tmp_path / "absent.svm"
    with pytest.raises(FileError) as caught:
        read(absent)
    assert str(caught.value) == f"{absent}: cannot be opened: No such file or directory"
    assert isinstance(caught.value, DataError)
    assert isinstance(caught.value.__cause__, FileNotFoundError)
    with pytest.raises(FileError) as caught:
        read(tmp_path)
    assert str(caught.value) == f"{tmp_path}: found no files in this folder, expected examples"
    with pytest.raises(FileError, match="cannot be opened"):
        list(stream(absent))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_path_that_may_not_be_read(tmp_path):
    path = tmp_path / "secret.svm"
    path.write_bytes(b"1 1:1\n")
    path.chmod(0)
    with pytest.raises(FileError, match="cannot be opened: Permission denied"):
        read(path)


@pytest.mark.parametrize("given", [io.StringIO("1 1:1"), 3, None, b"1 1:1"])
def test_what_is_no_source(given):
    with pytest.raises(ParameterError, match="Cannot read from"):
        read(given)


def test_a_source_of_text():
    class Strings:
        def read(self, n):
            return "1 1:1"

    with pytest.raises(ParameterError, match="gave str: open it in binary mode"):
        read(Strings())


def test_a_source_that_fails():
    class Failing:
        name = "tape"

        def read(self, n):
            raise OSError(5, "Input/output error")

    with pytest.raises(FileError, match="^tape: cannot be read: Input/output error$"):
        read(Failing())


TEXT = b"".join(b"1 1:%d 2:%d\n" % (n, n * n) for n in range(5000))
PACKED = {
    "gzip": gzip.compress(TEXT),
    "bzip2": bz2.compress(TEXT),
    "xz": lzma.compress(TEXT),
    "zstd": zstandard.ZstdCompressor(write_checksum=True).compress(TEXT),
}


@pytest.mark.parametrize("kind", PACKED)
def test_truncated_compressed_files(kind, tmp_path):
    packed, path = PACKED[kind], tmp_path / "file.svm"
    message = f"{path}: found the end of the file, expected more of its {kind} data"
    options = {"n_features": 2, "zero_based": False}
    for n in (4, 5, 12, len(packed) // 2, len(packed) - 5, len(packed) - 1):
        path.write_bytes(packed[:n])
        for work in (
            lambda: read(path, **options),
            lambda: list(stream(path, block_bytes=1000, **options)),
            lambda: read(path, bad_lines="skip", **options),
        ):
            with pytest.raises(FileError) as caught:
                work()
            assert str(caught.value) == message, n


@pytest.mark.parametrize("kind", PACKED)
def test_damaged_compressed_files(kind):
    packed, messages = bytearray(PACKED[kind]), []
    whole = read(io.BytesIO(packed))
    for place in range(4, len(packed), max(len(packed) // 50, 1)):
        packed[place] ^= 0xFF
        try:
            data = read(io.BytesIO(packed))
        except FileError as error:
            messages.append(str(error))
        else:  # a byte that says nothing of the content, such as the time in a header
            assert np.array_equal(data.X.data, whole.X.data)
        packed[place] ^= 0xFF
    assert len(messages) > 40
    assert all(f"{kind} data" in message for message in messages)


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zst"])
def test_an_empty_file_is_no_compressed_one(ending, tmp_path):
    path = tmp_path / f"file.svm{ending}"
    path.write_bytes(b"")
    with pytest.raises(FileError, match="found an empty file, expected"):
        read(path)


# ------------------------------------------------------------- files that change

CHANGES = {
    "grows": lambda path: path.write_bytes(path.read_bytes() + b"1 1:1\n"),
    "shrinks": lambda path: os.truncate(path, 100),
    "is overwritten": lambda path: path.write_bytes(path.read_bytes().replace(b"1 1:1", b"1 1:2")),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_that_changes_between_blocks(change, pack, tmp_path):
    path = tmp_path / "file.svm"
    path.write_bytes(pack(b"1 1:1 2:2\n" * 100_000))
    blocks = stream(path, block_bytes=2**17, n_features=2, zero_based=False)
    next(blocks)
    if pack is bytes or change != "shrinks":
        os.utime(path, ns=(0, 0))  # a clock too coarse to show an immediate change
    CHANGES[change](path)
    with pytest.raises(FileError) as caught:
        list(blocks)
    assert str(caught.value).startswith(f"{path}: ")
    if pack is bytes:
        assert str(caught.value) == (
            f"{path}: the file changed while it was read: read it once nothing writes to it"
        )


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changes_while_it_is_read_whole(change, tmp_path, monkeypatch):
    path = tmp_path / "file.svm"
    path.write_bytes(b"1 1:1 2:2\n" * 1000)
    window, calls = PlainFile.window, []

    def changing(self, start, stop):
        calls.append(start)
        if len(calls) == 3:  # after the kind of labels was settled, and the lines counted
            os.utime(path, ns=(0, 0))
            CHANGES[change](path)
        return window(self, start, stop)

    monkeypatch.setattr(PlainFile, "window", changing)
    with pytest.raises(FileError, match="the file changed while it was read"):
        read(path, n_jobs=1)


def test_more_lines_than_were_counted(tmp_path, monkeypatch):
    """Even if neither size nor time show it, nothing is written past the end of an array."""
    path = tmp_path / "file.svm"
    path.write_bytes(b"1 1:1 2:2 3:3 4:4\n" * 100)
    window, calls = PlainFile.window, []

    def changing(self, start, stop):
        calls.append(start)
        got = window(self, start, stop)
        if len(calls) == 4:
            got[:] = np.frombuffer((b"1 1:1\n" * len(got))[: len(got) - 1] + b"\n", np.uint8)
        return got

    monkeypatch.setattr(PlainFile, "window", changing)
    with pytest.raises(FileError, match="the file changed while it was read"):
        read(path, n_jobs=1)


# ------------------------------------------------------------- what is not installed, and the rest


@pytest.mark.parametrize(
    ("package", "name", "extra"),
    [
        ("zstandard", "x.svm.zst", "zstd"),
        ("pyarrow", "x.csv", "arrow"),
        ("pyarrow", "x.parquet", "arrow"),
    ],
)
def test_a_package_that_is_not_installed(package, name, extra, tmp_path):
    path = tmp_path / name
    path.write_bytes(PACKED["zstd"] if extra == "zstd" else b"a,label\n1,2\n")
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from novikoff.data import read\n"
        f"read({str(path)!r})"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f"need the package {package}: pip install 'novikoff[{extra}]'" in ran.stderr


def test_importing_is_light():
    heavy = ("numba", "pyarrow", "zstandard", "sklearn")
    code = f"import sys, novikoff.data; print([m for m in {heavy} if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_the_error_survives_pickling():
    with pytest.raises(FileError) as caught:
        read(io.BytesIO(b"1 x\n"), format="svmlight")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.line, again.column) == (str(caught.value), 1, 3)


def test_files_are_closed(tmp_path):
    path = tmp_path / "file.svm"
    path.write_bytes(b"1 x\n")
    with pytest.raises(FileError):
        read(path)
    path.write_bytes(b"1 1:1\n" * 10)
    next(stream(path, block_bytes=6)).y  # noqa: B018  # left unfinished
    opened = open_source(path)
    assert isinstance(opened, PlainFile)
    opened.close()
    assert Place() == (0, 1, 0)


@pytest.mark.parametrize("kind", ["plain", "gzip", "pipe"])
@pytest.mark.parametrize("format", ["svmlight", "vw", "csv"])
def test_a_line_without_an_end_is_not_held(tmp_path, monkeypatch, kind, format):  # noqa: A002
    """Four megabytes of gzip may be four gigabytes of it."""
    monkeypatch.setattr(text_blocks, "LONGEST_LINE", 1000)
    first = b"a,label\n1,2\n" if format == "csv" else b"1 |a b\n" if format == "vw" else b"1 1:1\n"
    text = first * (format != "csv") + first + b"7" * 5000
    path = tmp_path / "x"
    path.write_bytes(gzip.compress(text) if kind == "gzip" else text)
    known = {"n_features": 3, "zero_based": False} if format == "svmlight" else {}
    with path.open("rb") as file:
        source = io.BufferedReader(file) if kind == "pipe" else path
        rows = stream(source, format=format, block_bytes=100, **known)
        with pytest.raises(
            FileError, match="a line of more than 1,000 bytes, which begins at byte"
        ):
            list(rows)
