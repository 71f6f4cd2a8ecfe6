"""CSV, Parquet, Arrow and NumPy files: what is written is read back, what is bad is named."""

import bz2
import gzip
import io
import lzma
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
import zstandard
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from novikoff.data import Place, TablePlan, load, read, stream, write
from novikoff.errors import FileError, ParameterError, WriteError

finite = st.floats(allow_nan=False, allow_infinity=False)
any_shape = st.tuples(st.integers(1, 6), st.integers(1, 4))
dense = any_shape.flatmap(lambda shape: hnp.arrays(np.float64, shape, elements=finite))
PACKINGS = ["", ".gz", ".bz2", ".xz", ".zst"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("written")


def same_bits(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


# ------------------------------------------------------------- round trips


@given(X=dense, data=st.data())
@pytest.mark.parametrize("ending", ["svm", "vw"])
def test_text_round_trips(folder, ending, X, data):
    X = sparse.csr_array(X)  # which keeps -0.0, and drops nothing else
    n, d = X.shape
    y = data.draw(hnp.arrays(np.float64, n, elements=finite))
    path = folder / f"round.{ending}{data.draw(st.sampled_from(PACKINGS))}"
    options, more = {"n_features": d, "zero_based": data.draw(st.booleans())}, {}
    if ending == "vw":
        more["weight"] = data.draw(hnp.arrays(np.float64, n, elements=st.floats(0, 1e9)))
        more["tags"] = data.draw(st.lists(st.text("ab'é", max_size=3), min_size=n, max_size=n))
        more["tags"] = [tag.lstrip("'") for tag in more["tags"]]
        options = {"bits": 4}
        write(path, X, y, **more)
    else:
        write(path, X, y, zero_based=options["zero_based"])
    back = read(path, **options)
    assert same_bits(back.X[:, :d].data, X.data)
    assert same_bits(back.X[:, :d].toarray(), X.toarray())
    assert same_bits(back.y, y)
    if more:
        weight = np.ones(n) if back.weight is None else back.weight
        assert same_bits(weight, more["weight"])
        assert (back.tags or [""] * n) == more["tags"]


@given(X=dense, data=st.data())
@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "feather", "npz"])
def test_table_round_trips(folder, ending, X, data):
    n, d = X.shape
    y = data.draw(
        st.one_of(
            hnp.arrays(np.float64, n, elements=finite),
            st.lists(
                st.text('ab," é', min_size=1, max_size=4).filter(str.strip), min_size=n, max_size=n
            ).map(np.array),
        )
    )
    weight = data.draw(st.none() | hnp.arrays(np.float64, n, elements=st.floats(0, 1e9)))
    names = data.draw(
        st.none() | st.lists(st.text('xyz, é"', min_size=1), min_size=d, max_size=d, unique=True)
    )
    path = folder / f"round.{ending}{data.draw(st.sampled_from(PACKINGS))}"
    write(path, X, y, weight=weight, names=names)
    column = None if weight is None or ending == "npz" else "weight"
    back = read(path, weight=column)
    assert same_bits(back.X, X)
    assert back.y.tolist() == y.tolist()
    assert (weight is None or (weight == 1).all()) == (back.weight is None)
    assert back.weight is None or same_bits(back.weight, weight)
    if names is not None or ending != "npz":
        assert back.names == (names or [f"x{j}" for j in range(d)])


@given(X=dense)
def test_sparse_arrays_round_trip(folder, X):
    X, y = sparse.csr_array(X), np.arange(len(X))
    path = folder / "sparse.npz"
    write(path, X, y)
    back = read(path)
    assert same_bits(back.X.data, X.data)
    assert same_bits(back.X.toarray(), X.toarray())
    assert same_bits(back.y, y)


@given(X=dense)
def test_npy_round_trips(folder, X):
    path = folder / "table.npy"
    np.save(path, X)
    assert same_bits(read(path, labels="optional").X, X)
    back = read(path, label=-1)
    assert same_bits(back.X, X[:, :-1])
    assert same_bits(back.y, X[:, -1])


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "bool", ">f8"])
def test_arrays_keep_their_type_unless_told(dtype, tmp_path):
    X = (np.arange(12).reshape(6, 2) % 2).astype(dtype)
    write(tmp_path / "x.npz", X, np.arange(6))
    np.save(tmp_path / "x.npy", X)
    assert read(tmp_path / "x.npz").X.dtype == np.dtype(dtype)
    assert read(tmp_path / "x.npy", labels="optional").X.dtype == np.dtype(dtype)
    assert read(tmp_path / "x.npz", dtype=np.float32).X.dtype == np.float32
    assert read(tmp_path / "x.npy", labels="optional", dtype=np.float64).X.dtype == np.float64


@pytest.mark.parametrize("name", ["iris", "wine", "wdbc", "sonar"])
def test_the_bundled_sets_are_read_as_they_are_loaded(name):
    import novikoff.data

    X, y, names = load(name)
    folder = novikoff.data.__path__[0]
    data = read(f"{folder}/bundled/{name}.csv", label=-1)
    assert same_bits(data.X, X)
    assert data.y.tolist() == y.tolist()
    assert data.names == names


# ------------------------------------------------------------- streams


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "npy", "npz"])
@pytest.mark.parametrize("packing", PACKINGS)
def test_streams_are_what_is_read_whole_and_go_on_where_left(ending, packing, tmp_path):
    X = np.random.default_rng(0).standard_normal((100, 3))
    y = np.arange(100.0)
    path = tmp_path / f"x.{ending}{packing}"
    options = {}
    if ending == "npy":
        content = io.BytesIO()
        np.save(content, np.column_stack([X, y]))
        packed = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
        pack = packed.get(packing, zstandard.ZstdCompressor().compress)
        path.write_bytes(pack(content.getvalue()))
        options = {"label": -1}
    else:
        write(path, X, y)
    assert same_bits(read(path, **options).X, X)
    for block_bytes in (1, 500, 10_000):
        blocks = list(stream(path, block_bytes=block_bytes, **options))
        assert len(blocks) >= 5 or block_bytes > 500
        assert same_bits(np.concatenate([block.X for block in blocks]), X)
        assert same_bits(np.concatenate([block.y for block in blocks]), y)
        assert blocks[0].start == Place()
        for k in (0, len(blocks) // 2, len(blocks) - 1):
            rest = list(stream(path, block_bytes=block_bytes, start=blocks[k].start, **options))
            assert [block.start for block in rest] == [block.start for block in blocks[k:]]
            assert [block.next for block in rest] == [block.next for block in blocks[k:]]
            assert all(same_bits(a.X, b.X) for a, b in zip(rest, blocks[k:], strict=True))


# ------------------------------------------------------------- CSV


def csv(text, **options):
    return read(io.BytesIO(text), format="csv", **options)


def test_which_column_is_what():
    data = csv(b"a,label,b,w\n1,yes,2,0.5\n3,no,4,2\n", weight="w")
    assert data.X.tolist() == [[1, 2], [3, 4]]
    assert data.y.tolist() == ["yes", "no"]
    assert data.weight.tolist() == [0.5, 2]
    assert data.names == ["a", "b"]
    assert csv(b"1,2,3\n4,5,6\n", label=0).X.tolist() == [[2, 3], [5, 6]]
    assert csv(b"5.1,3.5,setosa\n", label=-1).y.tolist() == ["setosa"]
    assert csv(b"0,1,cls\n5,6,a\n", label="cls").names == ["0", "1"]
    assert csv(b"a,b\n1,2\n", labels="optional").y is None
    assert csv(b"\xef\xbb\xbfa,label\n1,2\n").names == ["a"]
    assert csv(b"\n\na,label\n\n1,2\n  \n3,4\n").X.tolist() == [[1], [3]]
    assert csv(b"a,label\r\n1,2\r\n3,4").y.tolist() == [2, 4]
    assert csv(b'"a ""b""",label\n"1.5"," x, y"\n').names == ['a "b"']


def test_numbers_in_csv_are_those_of_float():
    words = ["+1.5", ".5", "5.", "1e23", "9007199254740993", "2.2250738585072011e-308", " 7 ", "-0"]
    for word in words:
        data = csv(f"a,label\n{word},1\n".encode())
        assert data.X.tobytes() == np.array([[float(word)]]).tobytes(), word


words = st.one_of(
    st.sampled_from(
        ["1", "-2.5", "+3", "", " 4", "5 ", "nan", "x", '"6"', '"', '"a""b"', 'a"b', ' "c"']
    ),
    st.text('01.,"x ', max_size=4),
)
csv_lines = st.lists(words, min_size=3, max_size=3).map(",".join)
csv_texts = st.lists(csv_lines, min_size=1, max_size=5).map("\n".join)


@given(csv_texts, st.sampled_from(["", "\n"]), st.sampled_from(["required", "optional"]))
def test_the_kernel_and_arrow_and_the_careful_way_agree(text, end, labels):
    from novikoff.data.formats import csv as csv_format

    options = {"label": -1, "bad_lines": "skip", "labels": labels}
    results = []
    for without in ((), ("fast_block",), ("fast_block", "arrow_block")):
        with pytest.MonkeyPatch.context() as patch:
            for name in without:
                patch.setattr(csv_format, name, lambda *_: None)
            try:
                data = csv(f"a,b,c\n{text}{end}".encode(), **options)
                results.append((data.X.tobytes(), data.y.dtype, data.y.tolist(), data.skipped))
            except FileError as error:
                results.append(str(error))
    assert str(results[0]) == str(results[1]) == str(results[2])


GOOD = b"a,b,label\n" + b"1,2,3\n" * 20
AWAY = (
    ": leave the column out (ignore='b'), make a category of it (categories='b'), or skip such "
    "lines (bad_lines='skip')"
)
CSV_FAULTS = [
    (
        b"x,2,3\n",
        1,
        "found 'x', expected a finite number in column 'a'" + AWAY.replace("'b'", "'a'"),
    ),
    (b"4,inf,6\n", 3, "found 'inf', expected a finite number in column 'b'" + AWAY),
    (b"4,1e999,6\n", 3, "found '1e999', expected a finite number in column 'b'" + AWAY),
    (b"4,1_0,6\n", 3, "found '1_0', expected a finite number in column 'b'" + AWAY),
    (b"4,1.000,5,6\n", 11, "found 4 values, expected 3"),
    (b"1,2\n", 3, "found 2 values, expected 3"),
    (b"1,2,3,4\n", 7, "found 4 values, expected 3"),
    (b"1\n", 1, "found 1 value, expected 3"),
    (b"1,2,\n", 5, "found no label, expected a label"),
    (b"1,2,x\n", 5, "found 'x', expected a number, as the first label is"),
    (b'1,"2"x,3\n', 6, "found text after a closing quote"),
]


@pytest.mark.parametrize(("bad", "column", "message"), CSV_FAULTS)
def test_bad_csv(bad, column, message):
    with pytest.raises(FileError) as caught:
        csv(GOOD + b"\n" + bad)
    assert str(caught.value) == f"<file>:23:{column}: {message}"
    data = csv(GOOD + bad + b"7,8,9\n7,8\n", bad_lines="skip")
    assert data.skipped.n_lines == 2
    assert data.skipped.messages[0] == f"<file>:22:{column}: {message.removesuffix(AWAY)}".replace(
        AWAY.replace("'b'", "'a'"), ""
    )
    assert data.X.tolist() == [[1, 2]] * 20 + [[7, 8]]


def test_all_faults_of_a_thousand_lines_are_told_at_once():
    """One of each column, with what solves them all."""
    bad = b"x,2,3\n" + b"4,y,6\n4,z,6\n" * 20 + b"1,2\n" + b"1,2,3\n" * 2000 + b"1,2\n"
    with pytest.raises(FileError) as caught:
        csv(b"a,b,label\n" + b"1,2,3\n" * 500 + bad)
    assert str(caught.value) == (
        "<file>: found 42 problems:\n"
        "  line 502: found 'x', expected a finite number in column 'a'\n"
        "  line 503: found 'y', expected a finite number in column 'b'\n"
        "  line 543: found 2 values, expected 3\n"
        "  and 39 more in the thousand lines from there\n"
        "Fix them, or leave the columns out (ignore=['a', 'b']), make categories of them "
        "(categories=['a', 'b']), or skip such lines (bad_lines='skip')."
    )


def test_a_quote_that_is_never_closed():
    text = GOOD + b'1,"2,3\n' + b"4,5,6\n" * 100
    with pytest.raises(FileError, match=r"<file>:22:3: found a quote that is never closed"):
        csv(text)
    assert csv(text, bad_lines="skip").X.shape == (20, 2)
    for size in (1, 50, 300):
        blocks = [*stream(io.BytesIO(text), format="csv", bad_lines="skip", block_bytes=size)]
        assert sum(len(block.y) for block in blocks) == 20


def test_bad_weights_in_csv():
    with pytest.raises(FileError, match=r":2:3: found '-1', expected a weight, a finite number"):
        csv(b"a,w,label\n1,-1,3\n", weight="w")


def test_missing_labels_in_csv_can_be_optional():
    assert np.isnan(csv(b"a,label\n1,2\n3,\n", labels="optional").y[1])
    assert csv(b"a,label\n1,x\n3,\n", labels="optional").y.tolist() == ["x", ""]


def test_missing_booleans_are_no_labels():
    table = pyarrow.table({"a": [1.0, 2.0, 3.0], "label": pyarrow.array([True, None, False])})
    file = io.BytesIO()
    pyarrow.parquet.write_table(table, file)
    with pytest.raises(FileError, match="found no label in column 'label'"):
        read(io.BytesIO(file.getvalue()))
    data = read(io.BytesIO(file.getvalue()), bad_lines="skip")
    assert data.y.dtype == bool
    assert data.y.tolist() == [True, False]


def test_labels_of_other_objects_stay_what_they_are():
    """Also where a bad line is skipped."""
    prices = pyarrow.array([Decimal("1.5"), Decimal("2.5"), Decimal("1.5")])
    table = pyarrow.table({"a": [1.0, np.inf, 3.0], "label": prices})
    file = io.BytesIO()
    pyarrow.parquet.write_table(table, file)
    data = read(io.BytesIO(file.getvalue()), bad_lines="skip")
    assert data.y.tolist() == [Decimal("1.5"), Decimal("1.5")]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "found no column called 'label' among 'a', 'b', expected labels: say which column"),
        ({"label": "c"}, "found no column called 'c' among 'a', 'b'"),
        ({"label": 2}, "found 2 columns, expected one with number 2"),
        ({"label": -3}, "found 2 columns, expected one with number -3"),
    ],
)
def test_columns_that_are_not_there(options, message, tmp_path):
    with pytest.raises(FileError, match=f"<file>: {message}"):
        csv(b"a,b\n1,2\n", **options)
    path = tmp_path / "x.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"a": [1], "b": [2]}), path)
    with pytest.raises(FileError, match=message):
        read(path, **options)


def test_a_column_of_no_kind():
    with pytest.raises(ParameterError, match=r"label=1.5 .* it must be the name or the number"):
        csv(b"a,b\n1,2\n", label=1.5)
    with pytest.raises(FileError, match="found more than one column called 'a': give its number"):
        csv(b"a,a\n1,2\n", label="a")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_columns_that_nobody_meant_as_features(tmp_path, ending):
    """An index that pandas saved, and one name for two columns."""
    path = tmp_path / f"x.{ending}"
    frame = pd.DataFrame({"a": [1.0, 3.0], "label": [0, 1]}, index=[7, 3])
    (frame.to_csv if ending == "csv" else frame.to_parquet)(path)
    ignore = 0 if ending == "csv" else "__index_level_0__"
    with pytest.raises(FileError, match=rf"index.*leave it out \(ignore={ignore!r}\)"):
        read(path)
    assert read(path, ignore=ignore).X.tolist() == [[1.0], [3.0]]
    twice = pyarrow.table([[1.0, 2.0], [3.0, 4.0], [0, 1]], names=["a", "a", "label"])
    write = pyarrow.csv.write_csv if ending == "csv" else pyarrow.parquet.write_table
    write(twice, path)
    with pytest.raises(FileError, match=r"two columns called 'a', with the numbers 0 and 1.*=1"):
        read(path)
    assert read(path, ignore=1).X.tolist() == [[1.0], [2.0]]


# ------------------------------------------------------------- Parquet and Arrow


def parquet(**columns):
    content = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), content)
    return io.BytesIO(content.getvalue())


def test_types_of_columns():
    data = read(
        parquet(
            a=[1, 2],
            b=[True, False],
            c=pyarrow.array([1.5, 2.5], pyarrow.float32()),
            d=pyarrow.array(["3.5", "4.5"]).cast(pyarrow.decimal128(5, 2)),
            label=pyarrow.array(["x", "y"]).dictionary_encode(),
        )
    )
    assert data.X.tolist() == [[1, 1, 1.5, 3.5], [2, 0, 2.5, 4.5]]
    assert data.y.tolist() == ["x", "y"]
    assert read(parquet(a=[1], label=[3])).y.dtype == np.int64


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"a": [1.0, None], "label": [1, 2]},
            ":2:1: found NaN or nothing in column 'a', expected a finite number",
        ),
        (
            {"b": [1, 2], "a": [1.0, np.inf], "label": [1, 2]},
            ":2:2: found inf in column 'a', expected a finite number",
        ),
        (
            {"a": [1, 2], "label": [None, "x"]},
            ":1:2: found no label in column 'label', expected a label",
        ),
        (
            {"a": [1, 2], "label": [None, 1.0]},
            ":1:2: found NaN or nothing in column 'label', expected a label",
        ),
    ],
)
def test_bad_columns(columns, message):
    strict = TablePlan(missing="error")
    with pytest.raises(FileError) as caught:
        read(parquet(**columns), plan=strict)
    assert str(caught.value) == f"<file>{message}"
    data = read(parquet(**columns), bad_lines="skip", plan=strict)
    assert data.X.shape[0] == 1
    assert data.skipped == (1, (str(caught.value),))


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
@pytest.mark.parametrize("kind", ["int64", "uint64", "decimal"])
def test_whole_numbers_that_no_double_holds_are_refused(tmp_path, ending, kind):
    exact = pyarrow.decimal128(30, 2) if kind == "decimal" else getattr(pyarrow, kind)()
    make = {"parquet": pyarrow.parquet.write_table, "arrow": pyarrow.feather.write_feather}[ending]
    path, column = tmp_path / f"x.{ending}", [None, 3, 2**53, 2**53 + 1]
    make(pyarrow.table({"b": pyarrow.array(column, exact), "label": [1, 2, 3, 4]}), path)
    with pytest.raises(FileError, match=r"x\.\w+:4: found 9007199254740993(\.00)? in column 'b'"):
        read(path, bad_lines="skip")
    assert read(path, bad_lines="skip", ignore=["b"]).X.shape == (4, 0)


@pytest.mark.parametrize("offset", [3000, 1 << 30])
@pytest.mark.parametrize("encoded", [False, True])
def test_offsets_that_point_outside_are_damage(tmp_path, offset, encoded):
    label = pyarrow.array(["berries", "plums", "cucumbers"])
    label = label.dictionary_encode() if encoded else label
    path, there = tmp_path / "x.feather", np.array([0, 7, 12, 21], np.int32).tobytes()
    table = pyarrow.table({"a": [1.0, 2.0, 3.0], "label": label})
    pyarrow.feather.write_feather(table, path, compression="uncompressed")
    content = path.read_bytes()
    assert content.count(there) == 1
    path.write_bytes(content.replace(there, np.array([0, 7, 12, offset], np.int32).tobytes()))
    with pytest.raises(FileError, match="found damaged arrow data"):
        read(path)


def test_damaged_tables(tmp_path):
    whole = parquet(a=list(range(1000)), label=list(range(1000))).getvalue()
    for n in (4, 100, len(whole) - 1):
        with pytest.raises(FileError, match="<file>: found damaged parquet data"):
            read(io.BytesIO(whole[:n]), format="parquet")
    path = tmp_path / "x.arrow"
    write(path, np.ones((1000, 2)), np.ones(1000))
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(FileError, match="found damaged arrow data"):
        read(path)


def test_arrow_streams_and_feather(tmp_path):
    table = pyarrow.table({"a": [1.0, 2.0], "label": [0, 1]})
    content = io.BytesIO()
    with pyarrow.ipc.new_stream(content, table.schema) as writer:
        writer.write_table(table)
    assert read(io.BytesIO(content.getvalue()), format="arrow").y.tolist() == [0, 1]
    pyarrow.feather.write_feather(table, tmp_path / "x.feather", compression="zstd")
    assert read(tmp_path / "x.feather").X.tolist() == [[1], [2]]


# ------------------------------------------------------------- NumPy


def npz(**arrays):
    content = io.BytesIO()
    np.savez(content, **arrays)
    return io.BytesIO(content.getvalue())


class Hostile:
    def __reduce__(self):
        return exec, ("raise SystemExit('executed')",)


TABLE = "expected a table of numbers"
ONE, TWO = np.ones((2, 1)), np.ones(2)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"Z": TWO}, ": found the arrays ['Z'], expected X (or a sparse matrix) and y"),
        ({"X": ONE}, ": found the arrays ['X'], expected y, the labels, as well"),
        ({"X": ONE, "y": np.ones(3)}, ": found y of shape (3,), expected (2,) beside X"),
        ({"X": TWO, "y": TWO}, f": found an array of shape (2,) and type float64, {TABLE}"),
        ({"X": [["a"]], "y": [1]}, f": found an array of shape (1, 1) and type <U1, {TABLE}"),
        (
            {"X": [[1.0], [np.nan]], "y": TWO},
            ":2:1: found NaN or nothing in column 0, expected a finite number",
        ),
        ({"X": ONE, "y": [1, np.nan]}, ":2: found NaN or nothing, expected a label"),
        (
            {"X": ONE, "y": TWO, "weight": [1, -1.0]},
            ":2: found -1.0, expected a weight, a finite number from 0 on",
        ),
    ],
)
def test_bad_arrays(arrays, message):
    with pytest.raises(FileError) as caught:
        read(npz(**arrays))
    assert str(caught.value) == f"<file>{message}"


def test_a_damaged_sparse_matrix():
    X = sparse.csr_array(np.eye(3))
    arrays = {"data": X.data, "indices": X.indices + 5, "indptr": X.indptr, "shape": X.shape}
    with pytest.raises(FileError, match="found a damaged sparse matrix"):
        read(npz(y=np.ones(3), **arrays))
    arrays["format"] = b"coo"
    with pytest.raises(FileError, match="found a sparse matrix of format 'coo'"):
        read(npz(y=np.ones(3), **arrays))


def test_what_scipy_saves_can_be_read(tmp_path):
    X = sparse.random_array((20, 30), density=0.2, rng=0)
    for kind in ("csr", "csc"):
        sparse.save_npz(tmp_path / "x.npz", X.asformat(kind))
        back = read(tmp_path / "x.npz", labels="optional").X
        assert back.format == "csr"
        assert np.array_equal(back.toarray(), X.toarray())


def test_nothing_stored_is_executed(tmp_path):
    for name in ("x.npz", "x.npy"):
        content, save = io.BytesIO(), np.savez if name == "x.npz" else np.save
        save(content, np.array([[Hostile()]], object), allow_pickle=True)
        (tmp_path / name).write_bytes(content.getvalue())
        with pytest.raises(FileError, match="found damaged npz data|expected a table of numbers"):
            read(tmp_path / name, label=0)


def test_truncated_arrays(tmp_path):
    np.save(tmp_path / "x.npy", np.ones((100, 2)))
    whole = (tmp_path / "x.npy").read_bytes()
    for n, message in (
        (3, "found damaged npy data"),
        (60, "found damaged npy data"),
        (500, "it is truncated"),
    ):
        (tmp_path / "x.npy").write_bytes(whole[:n])
        with pytest.raises(FileError, match=message):
            read(tmp_path / "x.npy", label=-1)
    content = npz(X=np.ones((100, 2)), y=np.ones(100)).getvalue()
    with pytest.raises(FileError, match="found damaged npz data"):
        read(io.BytesIO(content[:300]), format="npz")


def test_fortran_order(tmp_path):
    np.save(tmp_path / "x.npy", np.asfortranarray(np.ones((3, 2))))
    with pytest.raises(FileError, match="found an array in Fortran's order"):
        read(tmp_path / "x.npy", label=-1)


# ------------------------------------------------------------- writing


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "x.svm"
    write(path, np.ones((2, 2)), [1, -1])
    before = path.read_bytes()
    with pytest.raises(ParameterError, match="Cannot write nan into a text"):
        write(path, np.array([[1.0, 2.0], [1.0, np.nan]]), [1, -1])
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["x.svm"]
    with pytest.raises(WriteError, match="could not be written: its folder does not exist"):
        write(tmp_path / "absent" / "x.svm", np.ones((2, 2)), [1, -1])


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("x.txt", {}, "Cannot write .* as None: give format, one"),
        ("x.npy", {}, "Cannot write .* as 'npy': give format, one"),
        ("x.svm", {"y": None}, "svmlight text needs y"),
        ("x.svm", {"y": [b"a", b"b"]}, "y has values that are no numbers"),
        ("x.svm", {"y": ["a", "b c"]}, "The label of row 1 is 'b c', which svmlight text would"),
        ("x.vw", {"y": ["a", "b|c"]}, "The label of row 1 is 'b|c', which vw text would not"),
        ("x.svm", {"weight": [1, 2]}, "has no place for weights"),
        ("x.vw", {"tags": ["a b", "c"]}, "The tag 'a b' of row 0 has a space or a bar in it"),
        ("x.vw", {"y": None, "weight": [1, 2]}, "Row 0 has a weight and no label"),
        ("x.csv", {"y": [1]}, "y has 1 values, X has 2 rows"),
        ("x.csv", {"names": ["a", "label"]}, "A feature is called 'label'"),
    ],
)
def test_what_cannot_be_written(name, options, message, tmp_path):
    with pytest.raises(ParameterError, match=message):
        write(tmp_path / name, np.ones((2, 2)), **{"y": [1, 2], **options})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (b"a,label\n1,x\n2,caf\xe9\n", "3:6: found the byte 0xe9, expected text in UTF-8"),
        (b"a,label\n1,\xff\n2,y\n", "2:3: found the byte 0xff, expected text in UTF-8"),
        (b"a,label\n1,x\n\n2,y\0\n", "4:4: found a NUL byte, expected text"),
        (b"caf\xe9,label\n1,x\n2,y\n", "1:4: found the byte 0xe9, expected text in UTF-8"),
        (b"\xef\xbb\xbf\xe9,label\n1,x\n", "1:4: found the byte 0xe9, expected text in UTF-8"),
    ],
)
def test_what_is_no_text_is_a_bad_line(text, place):
    if "byte 0x" in place:
        place += (
            "; it may be in Windows-1252 or Latin-1: convert it (iconv -f WINDOWS-1252 -t UTF-8)"
        )
    with pytest.raises(FileError) as caught:
        read(io.BytesIO(text), format="csv")
    assert str(caught.value) == f"<file>:{place}"
    if place[0] != "1":  # names are needed in any case
        data = read(io.BytesIO(text), format="csv", bad_lines="skip")
        assert data.skipped == (1, (f"<file>:{place}",))
        assert len(data.y) == 1


def test_labels_in_any_language():
    text = "a,label\n1,caf\u00e9\n2,\u732b\n".encode()
    assert read(io.BytesIO(text), format="csv").y.tolist() == ["caf\u00e9", "\u732b"]
