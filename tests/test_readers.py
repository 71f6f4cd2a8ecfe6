"""The text parsers are their twins, scikit-learn's reader and Vowpal Wabbit's hash; a stream is
what is read whole, however it is cut, compressed or shared among threads.
"""

import bz2
import gzip
import io
import lzma
import math
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import example, given, strategies as st
from scipy import sparse
from sklearn.datasets import load_svmlight_file

import naive_readers as naive
from novikoff.data import Data, Place, feature_index, read, stream
from novikoff.errors import FileError, ParameterError

SHARED = Path(__file__).parent.parent.parent / "shared" / "data"
SVMLIGHT_FILES = sorted(
    path
    for folder in ("a9a", "w7a", "ijcnn1", "mushrooms", "news20_multiclass")
    for path in (SHARED / folder).glob("*[z2]")
)
COMPRESSIONS = {
    "plain": lambda text: text,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda text: zstandard.ZstdCompressor().compress(text),
    "gzip in parts": lambda text: gzip.compress(text[:7]) + gzip.compress(text[7:]),
    "xz in parts": lambda text: lzma.compress(text[:7]) + lzma.compress(text[7:]),
    "zstd in parts": lambda text: b"".join(
        zstandard.ZstdCompressor().compress(part) for part in (text[:7], text[7:])
    ),
}


def source(text):
    return io.BytesIO(text)


def rows_of(X):
    """Each row as a dictionary of what is stored."""
    assert X.has_sorted_indices
    assert all(
        np.diff(X.indices[a:b]).min(initial=1) > 0
        for a, b in np.stack([X.indptr[:-1], X.indptr[1:]]).T
    )
    return [
        dict(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True))
        for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)
    ]


def same(a, b):
    """The same examples, to the last bit."""
    assert a.X.shape == b.X.shape
    for one, other in ((a.X.data, b.X.data), (a.X.indices, b.X.indices), (a.X.indptr, b.X.indptr)):
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes()
    assert a.y.dtype.kind == b.y.dtype.kind
    assert a.y.tolist() == b.y.tolist() if a.y.dtype.kind == "U" else bits(a.y) == bits(b.y)
    assert np.array_equal(ones_if_none(a), ones_if_none(b))
    assert (a.tags or [""] * len(a.y)) == (b.tags or [""] * len(b.y))
    assert a.skipped.n_lines == b.skipped.n_lines
    return True


def ones_if_none(data):
    return np.ones(len(data.y)) if data.weight is None else data.weight


def joined(blocks):
    """Blocks as one, by way of scipy and NumPy."""
    blocks = list(blocks)
    for before, after in pairwise(blocks):
        assert before.next == after.start
    tags = [tag for b in blocks for tag in b.tags or [""] * len(b.y)]
    skipped = blocks[0].skipped
    for block in blocks[1:]:
        skipped += block.skipped
    return Data(
        sparse.csr_array(sparse.vstack([b.X for b in blocks], format="csr")),
        np.concatenate([b.y for b in blocks]),
        np.concatenate([ones_if_none(b) for b in blocks]),
        tags=tags,
        skipped=skipped,
        start=blocks[0].start,
        next=blocks[-1].next,
    )


# ------------------------------------------------------------- texts, good and bad

spaces = st.sampled_from([" ", " ", " ", "  ", "\t"])
values = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-9, 9).map(str),
    st.sampled_from(
        ["1", "0.5", "-0", "+3", ".5", "1e400", "nan", "", "1x", "1:2", "1e-400", "1_0"]
    ),
)
indices = st.one_of(
    st.integers(0, 40).map(str),
    st.sampled_from(["2147483647", "2147483648", "9223372036854775806"]),
)


NUMERIC = ("1", "-1")
WORDS = ("cat", "dog", "été", "a:b", "1,2", "x|y", "'", "12")


@st.composite
def svmlight_lines(draw, labels=NUMERIC):
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return draw(
            st.sampled_from(["", "  ", "# only a comment", "\t# 1:2", "\r", "x", "1 2", "1 :3"])
        )
    words = [
        draw(
            st.sampled_from(
                ["1", "-1", "+1", "2.5", "0", "nan", "a", "ab", "a\x01", "qid:1", "\ufeffa"]
            )
            if kind == 1
            else st.sampled_from(labels)
        )
    ]
    if kind == 2:
        words.append(draw(st.sampled_from(["qid:3", "qid:", "qid:x", "quid:1"])))
    picked = draw(st.lists(st.integers(0, 40), max_size=5, unique=True))
    if kind > 3:
        picked.sort()
    words += [f"{i}:{draw(values if kind < 6 else st.integers(-9, 9).map(str))}" for i in picked]
    line = draw(spaces).join(words)
    return line + draw(st.sampled_from(["", "", " ", "#c", " # 3:4 \x00é", "\r"]))


names = st.one_of(st.text("abcé", min_size=1, max_size=6), st.integers(0, 10**12).map(str))


@st.composite
def vowpal_lines(draw, labels=NUMERIC):
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return draw(
            st.sampled_from(
                ["", " ", "1", "|", "1 |", "1|a", "1 |:2 a", "1 | :2", "1 |a\x01b", "1 -1 | a"]
            )
        )
    head = draw(
        st.sampled_from(
            [
                "{}",
                "{}",
                "{} 2",
                "{} 0.5 'tag",
                "{} 'tag",
                "",
                "'tag",
                "{} tag",
                "{} 2 3",
                "x",
                "1:2 ",
            ]
        )
        if kind < 4
        else st.sampled_from(["{} ", "{} 2 ", "{} 2 tag"])
    ).format(draw(st.sampled_from(labels)))
    line = head + draw(st.sampled_from(["", " "]) if kind < 3 else st.just(""))
    for _ in range(draw(st.integers(1, 3))):
        name = draw(st.one_of(st.just(""), names))
        if name and draw(st.booleans()):
            name += ":" + draw(values if kind < 4 else st.just("2.5"))
        features = [
            draw(names)
            + (":" + draw(values if kind < 5 else st.just("-3")) if draw(st.booleans()) else "")
            for _ in range(draw(st.integers(0, 4)))
        ]
        line += "|" + draw(spaces).join([name, *features]) + draw(st.sampled_from(["", " "]))
    return line


@st.composite
def texts(draw, lines):
    text = draw(st.sampled_from(["\n", "\n", "\r\n"])).join(
        draw(st.lists(lines, min_size=1, max_size=8))
    )
    return (text + draw(st.sampled_from(["", "\n"]))).encode()


def reading(text, **options):
    """What reads a text, given how to treat bad lines."""
    return lambda how: read(source(text), bad_lines=how, **options)


def require_twin(text, told, data_of, good_lines, *, text_labels):
    """`data_of(skip)` is what the twin says; if a line is bad, `data_of(error)` names the first."""
    bad = [n for n, line in enumerate(told, 1) if line == naive.BAD]
    if bad:
        with pytest.raises(FileError) as caught:
            data_of("error")
        assert caught.value.line == bad[0]
        assert str(caught.value).startswith(f"<file>:{bad[0]}:{caught.value.column}: found ")
        assert ", expected " in str(caught.value)
    if not good_lines:
        with pytest.raises(FileError, match="found no examples"):
            data_of("skip")
        return None
    data = data_of("skip")
    assert data.skipped.n_lines == len(bad)
    assert len(data.skipped.messages) == min(len(bad), 5)
    for message, line in zip(data.skipped.messages, bad, strict=False):
        assert message.startswith(f"<file>:{line}:")
    assert len(data.y) == len(good_lines)
    assert data.y.dtype.kind == ("U" if text_labels else "f")
    for y, (label, *_) in zip(data.y.tolist(), good_lines, strict=True):
        assert y == label or (label is None and (y == "" if text_labels else math.isnan(y)))
    return data


def require_svmlight_twin(text, labels="required"):
    words = naive.svmlight_has_text_labels(text)
    asked = (0, naive.MOST_INDEX, labels == "optional", words)
    told = naive.parsed(naive.svmlight_line, text, *asked)
    good = [line for line in told if line not in (None, naive.BAD)]
    options = {"format": "svmlight", "labels": labels}
    data = require_twin(text, told, reading(text, **options), good, text_labels=words)
    if data is None:
        return
    seen = [i for _, row in good for i in row]
    base = 0 if 0 in seen else 1
    assert data.X.shape == (len(good), max(max(seen, default=0) + 1 - base, 1))
    for row, (_, expected) in zip(rows_of(data.X), good, strict=True):
        assert [(i + base, bits(v)) for i, v in row.items()] == [
            (i, bits(v)) for i, v in expected.items()
        ]


def bits(x):
    return np.float64(x).tobytes()


def require_vowpal_twin(text, labels="required", n_bits=18):
    words = naive.vowpal_has_text_labels(text)
    told = naive.parsed(naive.vowpal_line, text, n_bits, labels == "optional", words)
    good = [line for line in told if line not in (None, naive.BAD)]
    options = {"format": "vw", "labels": labels, "bits": n_bits}
    data = require_twin(text, told, reading(text, **options), good, text_labels=words)
    if data is None:
        return
    assert ones_if_none(data).tolist() == [weight for _, weight, *_ in good]
    assert (data.tags or [""] * len(good)) == [tag for *_, tag, _ in good]
    assert data.X.shape == (len(good), 2**n_bits)
    for row, (*_, expected) in zip(rows_of(data.X), good, strict=True):
        assert {i: bits(v) for i, v in row.items()} == {i: bits(v) for i, v in expected.items()}


@given(
    st.one_of(texts(svmlight_lines()), texts(svmlight_lines(WORDS))),
    st.sampled_from(["required", "optional"]),
)
@example(b"1 1:2\n", "required")
@example(b"1", "required")
@example(b"3:4 5:6\n1 2:3", "optional")
@example(b"1 9223372036854775806:1\n", "required")
@example(b"1 0:1 2147483648:1\n", "required")
@example(b"cat 1:2\n1 1:2\nc\xff\n3:1\nqid:1 2:1", "required")
@example(b"1:2\n\ncat#1:2\n3:1", "optional")
@example(b"cat dog\n1 1:2\n", "required")
def test_svmlight_is_its_twin(text, labels):
    require_svmlight_twin(text, labels)


@given(
    st.one_of(texts(vowpal_lines()), texts(vowpal_lines(WORDS[:-3]))),
    st.sampled_from(["required", "optional"]),
    st.sampled_from([1, 4, 18, 30]),
)
@example("1 2 'tag|a:2 b:3 b |é é:1e300\r\n| 3".encode(), "optional", 18)
def test_vowpal_is_its_twin(text, labels, n_bits):
    require_vowpal_twin(text, labels, n_bits)


# ------------------------------------------------------------- peers


@pytest.mark.skipif(not SVMLIGHT_FILES, reason="the data sets are not at ../shared/data")
@pytest.mark.parametrize("path", SVMLIGHT_FILES, ids=lambda path: path.name)
def test_real_files_are_as_scikit_learn_reads_them(path):
    X, y = load_svmlight_file(str(path))
    data = read(path)
    assert data.X.shape == X.shape
    assert data.X.data.tobytes() == X.data.tobytes()
    assert np.array_equal(data.X.indices, X.indices)
    assert np.array_equal(data.X.indptr, X.indptr)
    assert data.y.tobytes() == y.tobytes()
    assert data.skipped.n_lines == 0


@pytest.mark.skipif(not SVMLIGHT_FILES, reason="the data sets are not at ../shared/data")
def test_a_real_stream_is_what_is_read_whole():
    path = SHARED / "a9a" / "a9a.gz"
    options = {"n_features": 123, "zero_based": False}
    assert same(joined(stream(path, block_bytes=10**5, n_jobs=2, **options)), read(path, **options))


@pytest.fixture(scope="module")
def workspace():
    vowpalwabbit = pytest.importorskip("vowpalwabbit")
    workspace = vowpalwabbit.Workspace("--quiet -b 24")
    yield workspace
    workspace.finish()


def test_the_hash_is_that_of_vowpal_wabbit(workspace):
    pick = np.random.default_rng(0)
    alphabets = ["0123456789", "abcdefghij_^=-", "0123abc", "aé中"]
    for _ in range(2000):
        name, namespace = (
            "".join(pick.choice(list(alphabets[pick.integers(4)]), pick.integers(low, 15)))
            for low in (1, 0)
        )
        theirs = workspace.hash_feature(name, workspace.hash_space(namespace))
        assert feature_index(name, namespace, bits=24) == theirs, (name, namespace)


@pytest.mark.parametrize(
    "line",
    [
        "1 2.5 'tag|a b:2 c |d:0.5 3 e:4",
        "-1 | x y:0.25 17",
        "1 |7 a 12",
        "1|a b",
        "1 touching|a b",
        "1 'x |a b|c d",
    ],
)
def test_examples_are_those_of_vowpal_wabbit(workspace, line):
    theirs = workspace.example(line)
    row, ours = {}, read(source(line.encode()), format="vw", bits=24, labels="optional")
    constant = 11650396  # the feature that Vowpal Wabbit adds to each example
    for column, value in theirs.iter_features():
        if column != constant:
            row[column] = row.get(column, 0.0) + value
    assert rows_of(ours.X) == [row]
    assert (ours.tags or [""]) == [theirs.get_tag()]
    workspace.finish_example(theirs)


@given(st.binary(max_size=20), st.integers(0, 2**32 - 1))
def test_murmur_is_its_twin(key, seed):
    from novikoff.data.feature_hash import hash_of

    name = np.frombuffer(bytearray(key), np.uint8)
    assert int(hash_of(name, np.uint64(seed))) % 2**32 == naive.vowpal_hash(key, seed) % 2**32


# ------------------------------------------------------------- blocks

SVMLIGHT = b"""1 1:0.5 3:2 # first
-1 2:1e-3

# a line of its own
+1 qid:4 1:1\t7:-2.25\r
-1
1 3:123456789012345678901234567890 6:4
-1 1:1 2:2 3:3 4:4 5:5 6:6 7:7"""
VOWPAL = b"""1 2 'one |a x y:2 |b:0.5 x
-1 |a y

1 0.25 two|c 3:4 x
-1 | x y z
1 |a x x:3"""
TEXTS = {"svmlight": SVMLIGHT, "vw": VOWPAL}
KNOWN = {"svmlight": {"n_features": 7, "zero_based": False}, "vw": {}}


@pytest.mark.parametrize("format", TEXTS)
@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_stream_is_what_is_read_whole(format, compression, end, tmp_path):  # noqa: A002
    text, options = TEXTS[format] + end, {"format": format, **KNOWN[format]}
    path = tmp_path / "file"
    path.write_bytes(COMPRESSIONS[compression](text))
    whole = read(source(text), **options)
    assert whole.next == Place(len(text), len(naive.lines_of(text)) + 1)
    assert same(read(path, **options), whole)
    cuts = set()
    for block_bytes in (1, 7, 20, 30, 45, 60, 80, 120, len(text) - 1, len(text), len(text) + 1):
        by_jobs = [list(stream(path, block_bytes=block_bytes, n_jobs=n, **options)) for n in (1, 3)]
        places = [[(block.start, block.next) for block in blocks] for blocks in by_jobs]
        assert places[0] == places[1]
        plain = stream(source(text), block_bytes=block_bytes, **options)
        assert [(block.start, block.next) for block in plain] == places[0]
        assert all(same(joined(blocks), whole) for blocks in by_jobs)
        cuts.add(tuple(places[0]))
    assert len(cuts) > 5


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_a_stream_goes_on_where_it_was_left(compression, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(COMPRESSIONS[compression](SVMLIGHT))
    blocks = list(stream(path, block_bytes=30))
    assert len(blocks) > 3
    for k, block in enumerate(blocks):
        rest = list(stream(path, block_bytes=30, start=block.start, n_features=7, zero_based=False))
        assert len(rest) == len(blocks) - k
        for one, other in zip(rest, blocks[k:], strict=True):
            assert same(one, other)
            assert (one.start, one.next) == (other.start, other.next)
    assert list(stream(path, start=blocks[-1].next, n_features=7, zero_based=False)) == []
    with pytest.raises(FileError, match="found its end before byte 10000, expected to go on there"):
        list(stream(path, start=Place(10_000, 3), n_features=7, zero_based=False))


def test_lines_are_counted_across_blocks_and_threads(tmp_path):
    path = tmp_path / "long.svm"
    lines = [b"1 1:1 2:2"] * 40_000
    lines[31_415] = b"1 1:1 2:"
    path.write_bytes(b"\n".join(lines))
    for n_jobs in (1, 3):
        for work in (
            lambda n=n_jobs: read(path, n_jobs=n),
            lambda n=n_jobs: list(stream(path, n_jobs=n, block_bytes=1000)),
        ):
            with pytest.raises(FileError) as caught:
                work()
            assert str(caught.value) == (
                f"{path}:31416:9: found the end of the line, expected a finite number"
            )


def test_pieces_do_not_show(tmp_path, monkeypatch):
    from novikoff.data import sparse_text

    path = tmp_path / "file.svm"
    path.write_bytes(SVMLIGHT * 3)
    whole = read(path, bad_lines="skip")
    assert whole.skipped.n_lines == 2  # the ends, which have no newline
    for piece in (1, 10, 33, 100):
        monkeypatch.setattr(sparse_text, "PIECE", piece)
        for n_jobs in (1, 2):
            again = read(path, bad_lines="skip", n_jobs=n_jobs)
            assert same(again, whole)
            assert again.skipped == whole.skipped


def test_memory_of_a_stream_does_not_grow_with_the_file(tmp_path):
    import tracemalloc

    peaks = []
    for n in (20_000, 200_000):
        path = tmp_path / "file.svm"
        path.write_bytes(b"1 1:0.5 2:0.25 3:0.125\n" * n)
        list(stream(path, block_bytes=2**16))
        tracemalloc.start()
        for _ in stream(path, block_bytes=2**16):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


# ------------------------------------------------------------- options


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_types_of_values(dtype, n_jobs):
    data = read(source(b"1 1:0.1 2:3\n"), dtype=dtype, n_jobs=n_jobs)
    assert data.X.dtype == dtype
    assert data.X.data.tolist() == [float(dtype(0.1)), 3.0]
    assert data.X.indices.dtype == np.int32


def test_where_indices_start():
    text = b"1 1:1 3:1\n"
    assert read(source(text)).X.shape == (1, 3)
    assert read(source(text), zero_based=True).X.shape == (1, 4)
    assert read(source(text), zero_based=False, n_features=9).X.shape == (1, 9)
    assert read(source(b"1 0:1 3:1\n")).X.indices.tolist() == [0, 3]
    assert read(source(b"1 3:1\n1 0:1\n"), n_features=4).X.indices.tolist() == [3, 0]
    assert read(source(b"1\n-1\n")).X.shape == (2, 1)


def test_the_width_of_hashed_text_is_that_of_its_bits(tmp_path):
    path = tmp_path / "file.vw"
    path.write_bytes(VOWPAL)
    assert read(path, bits=5, n_features=3).X.shape == (5, 32)
    assert {block.X.shape[1] for block in stream(path, bits=5, n_features=3)} == {32}


def test_large_indices():
    X = read(source(b"1 5:1 9000000000:2\n1 1:3\n")).X
    assert X.shape == (2, 9_000_000_000)
    assert X.indices.dtype == np.int64
    assert X.indices.tolist() == [4, 8_999_999_999, 0]


def test_a_stream_finds_out_its_width(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"1 1:1\n1 2:1\n1 9:1\n")
    assert [block.X.shape for block in stream(path, block_bytes=6)] == [(1, 9)] * 3
    path.write_bytes(b"1 1:1\n1 2:1\n1 0:1\n")
    assert [block.X.indices.tolist() for block in stream(path, block_bytes=6)] == [[1], [2], [0]]
    with pytest.raises(ParameterError, match="can be read only once"):
        list(stream(source(b"1 1:1\n")))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"1 1:2\n", "svmlight"),
        (b"+1 qid:3 1:2 # x\n", "svmlight"),
        (b"\n# a comment\n1 1:2\n", "svmlight"),
        (b"-1\n", "svmlight"),
        (b"# a|b, c\n1 1:2\n", "svmlight"),
        (b"1 1:2 # a|b, c\n", "svmlight"),
        (b"1 " + b" ".join(b"%d:1" % i for i in range(1, 20_000)), "svmlight"),
        (b"\n\n1 " + b" ".join(b"%d:1" % i for i in range(1, 20_000)), "svmlight"),
        (b"1 | " + b"feature " * 20_000, "vw"),
        (b",".join(b"%d" % i for i in range(1, 20_000)), "csv"),
        (b"1 |a b\n", "vw"),
        (b"1 2 'x |a b:1\n", "vw"),
        (b"a,label\n1,2\n", "csv"),
        (b"PAR1xxx", "parquet"),
        (b"ARROW1xx", "arrow"),
        (b"\x93NUMPYxx", "npy"),
        (b"PK\x03\x04", "npz"),
    ],
)
def test_formats_are_guessed_from_content(text, expected):
    from novikoff.data.opener import open_source
    from novikoff.data.reader import guess

    for packed in COMPRESSIONS.values():
        assert guess(open_source(source(packed(text)))) == expected


def test_formats_are_guessed_from_names(tmp_path):
    from novikoff.data.formats import FORMATS
    from novikoff.data.opener import open_source
    from novikoff.data.reader import guess

    for ending, expected in [(s, f.name) for f in FORMATS.values() for s in f.suffixes]:
        for packed in ("", ".gz", ".zst"):
            path = tmp_path / f"file{ending}{packed}"
            path.write_bytes(b"anything")
            opened = open_source(path)
            assert guess(opened) == expected
            opened.close()


def test_standard_input_and_pipes(tmp_path):
    code = (
        "from novikoff.data import read, stream\n"
        "print([b.X.shape[0] for b in stream('-', block_bytes=8, format='vw')])\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        input=gzip.compress(b"1 |a b\n1 |c d\n"),
        capture_output=True,
        check=True,
    )
    assert ran.stdout == b"[1, 1]\n"
    if hasattr(os, "mkfifo"):
        fifo = tmp_path / "fifo"
        os.mkfifo(fifo)
        writer = subprocess.Popen(
            [sys.executable, "-c", f"open({str(fifo)!r}, 'wb').write(b'1 1:2\\n')"]
        )
        assert read(fifo).X.toarray().tolist() == [[2.0]]
        assert writer.wait() == 0


@pytest.mark.parametrize(
    "options",
    [
        {"format": "xml"},
        {"zero_based": "maybe"},
        {"zero_based": 1},
        {"labels": "none"},
        {"bad_lines": "ignore"},
        {"bits": 0},
        {"bits": 31},
        {"bits": 1.5},
        {"n_features": 0},
        {"dtype": np.int32},
        {"n_jobs": 0},
        {"n_jobs": -2},
    ],
)
def test_options_without_a_meaning(options):
    (name,) = options
    with pytest.raises(ParameterError, match=f"^{name}="):
        read(source(b"1 1:1\n"), **options)
    with pytest.raises(ParameterError, match=f"^{name}="):
        stream(source(b"1 1:1\n"), **options)


def test_block_bytes_without_a_meaning():
    for block_bytes in (0, -1, 1.5):
        with pytest.raises(ParameterError, match="^block_bytes="):
            stream(source(b""), block_bytes=block_bytes)
