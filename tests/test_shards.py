"""Shards: however data are cut, they are the same examples, and bad lines have the same numbers."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from novikoff.cluster.sources import sharded
from novikoff.cluster.survey import layout_of, look, settled
from novikoff.data import read, write
from novikoff.errors import DataError, FileError, ParameterError

SIZES = st.integers(1, 200)


def examples_of(source, **options):
    """All examples of all shards, one after the other, and what the shards have in common."""
    data = sharded(source, **options)
    loaded = [
        shard.load(*(part.compute() for part in parts))
        for shard, parts in zip(data.shards, data.parts, strict=True)
    ]
    layout = layout_of(data.shards, [look(*pair) for pair in zip(data.shards, loaded, strict=True)])
    parts = [settled(s, d, layout) for s, d in zip(data.shards, loaded, strict=True)]
    stack = sparse.vstack if sparse.issparse(parts[0].X) else np.vstack
    return stack([p.X for p in parts]), np.concatenate([p.y for p in parts]), layout


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def same(found, wanted):
    assert found[0].shape == wanted.X.shape
    assert (dense(found[0]) == dense(wanted.X)).all()
    assert (found[1] == wanted.y).all()


def text_of(kind, rows):
    """Rows of small numbers as text of this kind, with blank lines where a row is None."""
    lines = ["a,b,label"] if kind == "csv" else []
    for row in rows:
        if row is None:
            lines.append("")
            continue
        a, b, y = row
        lines.append(
            {
                "svm": f"{y} 1:{a} 3:{b}",
                "vw": f"{y} |x a:{a} b:{b}",
                "csv": f"{a},{b},{y}",
            }[kind]
        )
    return "\n".join(lines) + "\n"


ROW = st.tuples(st.integers(-9, 9), st.integers(0, 99), st.sampled_from([-1, 1]))
ROWS = st.lists(st.none() | ROW, max_size=30).map(lambda rows: [(1, 2, -1), *rows, (3, 4, 1)])


@pytest.mark.parametrize("kind", ["svm", "vw", "csv"])
@given(rows=ROWS, size=SIZES)
def test_a_file_in_parts_is_the_file(kind, rows, size, tmp_path_factory):
    path = tmp_path_factory.mktemp("shards") / f"data.{kind}"
    path.write_text(text_of(kind, rows))
    same(examples_of(str(path), shard_bytes=size), read(path))


@pytest.mark.parametrize("kind", ["svm", "vw", "csv"])
@given(rows=ROWS, size=SIZES, where=st.integers(0, 40))
def test_a_bad_line_has_the_same_place_in_a_part(kind, rows, size, where, tmp_path_factory):
    path = tmp_path_factory.mktemp("shards") / f"data.{kind}"
    lines = text_of(kind, rows).split("\n")
    lines.insert(min(where, len(lines) - 2) + 1, {"svm": "1 2:x", "vw": "x |a", "csv": "1,2"}[kind])
    path.write_text("\n".join(lines))
    with pytest.raises(FileError) as wanted:
        read(path)
    with pytest.raises(FileError) as found:
        examples_of(str(path), shard_bytes=size)
    assert str(found.value) == str(wanted.value)


@given(rows=ROWS, size=SIZES, where=st.integers(0, 31))
def test_a_strange_label_has_its_line(rows, size, where, tmp_path_factory):
    path = tmp_path_factory.mktemp("shards") / "data.svm"
    rows = [row for row in rows if row is not None]
    where = min(where, len(rows))
    rows.insert(where, (1, 1, 7))
    path.write_text(text_of("svm", rows))
    data = sharded(str(path), shard_bytes=size)
    loaded = [shard.load() for shard in data.shards]
    seen = [look(*pair) for pair in zip(data.shards, loaded, strict=True)]
    layout = layout_of(data.shards, seen, classes=["-1", "1"])
    with pytest.raises(FileError, match=rf"data.svm:{where + 1}: found the label 7, expected -1"):
        [settled(s, d, layout) for s, d in zip(data.shards, loaded, strict=True)]


def test_the_base_of_indices_is_that_of_all_files(tmp_path):
    (tmp_path / "0.svm").write_text("1 1:1 3:1\n")
    (tmp_path / "1.svm").write_text("-1 1:5\n")
    X, _, layout = examples_of(str(tmp_path / "*.svm"))
    assert layout.base == 1
    assert dense(X).tolist() == [[1, 0, 1], [5, 0, 0]]
    (tmp_path / "2.svm").write_text("-1 0:7\n")
    X, _, layout = examples_of([str(tmp_path / "*.svm")])
    assert layout.base == 0
    assert dense(X).tolist() == [[0, 1, 0, 1], [0, 5, 0, 0], [7, 0, 0, 0]]


@pytest.mark.parametrize("options", [{}, {"zero_based": False}])
def test_an_index_past_the_features_is_at_its_line(tmp_path, options):
    (tmp_path / "0.svm").write_text("1 1:1 2:1\n")
    (tmp_path / "1.svm").write_text("-1 1:5\n-1 3:1\n")
    with pytest.raises(FileError, match=r"1\.svm:2:4: found '3"):
        examples_of(str(tmp_path / "*.svm"), n_features=2, **options)


@pytest.mark.parametrize(
    "name", ["a.svm", "a.svm.gz", "a.svm.zst", "a.csv", "a.parquet", "a.arrow", "a.npz"]
)
def test_every_format_can_be_a_shard(tmp_path, name):
    X, y = np.arange(1.0, 13.0).reshape(4, 3), np.array([0, 1, 1, 0])
    for i in range(3):
        write(tmp_path / f"{i}{name}", X * (i + 1), y)
    found = examples_of(str(tmp_path / f"*{name}"))
    assert (dense(found[0]) == np.vstack([X, X * 2, X * 3])).all()
    assert (found[1].astype(float) == np.tile(y, 3)).all()


def test_collections_are_their_examples():
    import dask.array as da
    import dask.bag as db
    import dask.dataframe as dd
    import pandas as pd

    X, y = np.arange(1.0, 25.0).reshape(8, 3), np.array([0, 1] * 4)
    arrays = (da.from_array(X, chunks=(3, 2)), da.from_array(y, chunks=5))
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    framed = dd.from_pandas(frame.assign(label=y), npartitions=3)
    beside = (dd.from_pandas(frame, npartitions=2), dd.from_pandas(pd.Series(y), npartitions=2))
    lines = [f"{c} 1:{r[0]} 2:{r[1]} 3:{r[2]}" for r, c in zip(X.tolist(), y, strict=True)]
    pairs = db.from_sequence(list(zip(X.tolist(), y.tolist(), strict=True)), npartitions=3)
    for source, options in (
        (arrays, {}),
        (framed, {}),
        (beside, {}),
        (pairs, {}),
        (db.from_sequence(lines, npartitions=3), {"format": "svmlight"}),
    ):
        found = examples_of(source, **options)
        assert (dense(found[0]) == X).all()
        assert (found[1] == y).all()


@pytest.mark.parametrize(("name", "cure"), [("weight", "give"), ("ignore", "drop the columns")])
def test_columns_of_collections_are_not_told_by_options(name, cure):
    import dask.dataframe as dd
    import pandas as pd

    frame = dd.from_pandas(pd.DataFrame({"a": [1.0, 2], "b": [3.0, 4], "label": [0, 1]}))
    with pytest.raises(ParameterError, match=rf"{name}='b' .* about the columns of files: {cure}"):
        sharded(frame, **{name: "b"})


def test_what_is_wrong_with_a_source_is_said(tmp_path):
    import dask.array as da

    with pytest.raises(FileError, match="found no such file, expected a file or files of examples"):
        sharded(str(tmp_path / "*.svm"))
    with pytest.raises(ParameterError, match="Cannot learn from dict"):
        sharded({})
    with pytest.raises(ParameterError, match="needs labels beside it"):
        sharded(da.ones((4, 2)))
    with pytest.raises(DataError, match="X has 4 rows, but there are 3 labels"):
        sharded((da.ones((4, 2)), np.ones(3)))
    (tmp_path / "a.csv").write_text("a,label\n1,x\n2,y\n")
    (tmp_path / "b.csv").write_text("a,b,label\n1,1,x\n")
    with pytest.raises(FileError, match=r"b\.csv: found 2 features, expected 1 as in .*a\.csv"):
        examples_of(str(tmp_path / "*.csv"))
    with pytest.raises(ParameterError, match="named twice"):
        sharded([str(tmp_path / "a.csv"), str(tmp_path / "*.csv")])
    (tmp_path / "b.csv").write_text("a,label\n1,5\n")
    with pytest.raises(FileError, match=r"b\.csv: found labels like 5.0, but .* like 'x'"):
        examples_of(str(tmp_path / "*.csv"))


def test_a_file_that_changed_is_told(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 1:1\n-1 1:2\n")
    shard = sharded(str(path)).shards[0]
    path.write_text("1 1:1\n")
    with pytest.raises(FileError, match="changed while it was read"):
        shard.load()
