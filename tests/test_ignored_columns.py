"""Columns of tables that are left out: the file is what it would be without them."""

import io

import numpy as np
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import novikoff
from commands import done, run
from novikoff.data import read, stream
from novikoff.errors import FileError, ParameterError

NAMES = ["a", "b", "label", "c", "d"]
WORDS = st.sampled_from(["1", "-2.5", "x", "", "nan", '"p, q"', " 4", "\u00e9t\u00e9"])


def csv(text, **options):
    return read(io.BytesIO(text.encode()), format="csv", **options)


def lines_of(rows, names):
    return "".join(",".join(row) + "\n" for row in [names, *rows])


@given(
    columns=st.sets(st.sampled_from([0, 1, 3, 4]), max_size=3),
    values=st.lists(st.lists(WORDS, min_size=5, max_size=5), min_size=1, max_size=5),
    by_name=st.booleans(),
    careful=st.booleans(),
)
def test_a_table_without_them(columns, values, by_name, careful):
    """Whatever is in them: the same examples, the same bad lines."""
    from novikoff.data.formats import csv as csv_format

    def dense(X):
        return X.toarray() if sparse.issparse(X) else X

    good = ["1", "2", "", "3", "4"]
    rows = [[*row[:2], f"l{i}", *row[3:]] for i, row in enumerate([good, *values])]
    rest = [j for j in range(5) if j not in columns]
    fewer = [[row[j] for j in rest] for row in rows]
    told = [NAMES[j] if by_name else j - 5 * (j % 2) for j in sorted(columns)]
    with pytest.MonkeyPatch.context() as patch:
        for way in ("fast_block", "arrow_block") if careful else ():
            patch.setattr(csv_format, way, lambda *_: None)
        found = csv(lines_of(rows, NAMES), ignore=told, bad_lines="skip", label="label")
        wanted = csv(lines_of(fewer, [NAMES[j] for j in rest]), bad_lines="skip", label="label")
    assert dense(found.X).tobytes() == dense(wanted.X).tobytes()
    assert found.X.shape == wanted.X.shape
    assert (found.y.tolist(), found.names) == (wanted.y.tolist(), wanted.names)
    assert found.skipped.n_lines == wanted.skipped.n_lines


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_in_every_kind_of_table(tmp_path, ending):
    path = tmp_path / f"x.{ending}"
    table = pyarrow.table(
        {"id": ["p", "q"], "a": [1.0, 2.0], "label": [0, 1], "when": ["May", "June"]}
    )
    if ending == "csv":
        path.write_text("id,a,label,when\np,1,0,May\nq,2,1,June\n")
    elif ending == "parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        pyarrow.feather.write_feather(table, path)
    for ignore in (["id", "when"], ("id", 3), [0, -1], ["id", "when", 0]):
        data = read(path, ignore=ignore)
        assert (data.X.tolist(), data.y.tolist()) == ([[1.0], [2.0]], [0, 1])
        assert data.names == ["a"]
        blocks = list(stream(path, ignore=ignore, block_bytes=16))
        assert np.concatenate([block.X for block in blocks]).tolist() == data.X.tolist()
    np.save(tmp_path / "x.npy", np.array([[1.0, 9, 0], [2, 9, 1]]))
    assert read(tmp_path / "x.npy", label=-1, ignore=1).X.tolist() == [[1.0], [2.0]]


def test_columns_that_cannot_be_left_out():
    text = "id,a,label,w\np,1,0,2\n"
    with pytest.raises(FileError, match="found no column called 'name' among 'id', 'a'"):
        csv(text, ignore="name")
    with pytest.raises(FileError, match="found 4 columns, expected one with number 7"):
        csv(text, ignore=["id", 7])
    with pytest.raises(ParameterError, match="ignore='label' .* that column has the labels: name"):
        csv(text, ignore=["id", "label"])
    with pytest.raises(ParameterError, match="ignore=3 .* that column has the weights: name"):
        csv(text, weight="w", ignore=["id", 3])
    with pytest.raises(ParameterError, match=r"ignore=1\.5 .* it must be the name or the number"):
        csv(text, ignore=1.5)


def test_from_a_table_with_names_to_predictions(tmp_path):
    """The model remembers what was left out; a new table may lack it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2)).round(3)
    y = np.where(X[:, 0] > X[:, 1], "yes", "no")
    rows = [[f"n{i}", *map(str, x), label] for i, (x, label) in enumerate(zip(X, y, strict=True))]
    (tmp_path / "all.csv").write_text(lines_of(rows, ["name", "a", "b", "label"]))
    (tmp_path / "bare.csv").write_text(lines_of([row[1:3] for row in rows], ["a", "b"]))
    model = tmp_path / "model"
    finished = run("fit", tmp_path / "all.csv", "-o", model, "--epochs", "50")
    assert "1 ignored: name, 40 different values" in finished.stderr
    by_plan = novikoff.load(model)
    done("fit", tmp_path / "all.csv", "--ignore", "name", "-o", model, "--epochs", "50")
    assert list(novikoff.load(model).feature_names_in_) == ["a", "b"]
    assert novikoff.load(model).coef_.tolist() == by_plan.coef_.tolist()
    predicted = done("predict", model, tmp_path / "all.csv")
    assert predicted == done("predict", model, tmp_path / "bare.csv")
    assert " of 40 right" in done("score", model, tmp_path / "all.csv")
    assert "separable" in done("certify", tmp_path / "all.csv", "--ignore", "0")
    finished = run("fit", tmp_path / "all.csv", "--ignore", "label", "-o", model)
    assert finished.returncode == 2
    assert "--ignore label was given, but that column has the labels" in finished.stderr
    (tmp_path / "x.svm").write_text("1 1:1\n-1 2:1\n")
    finished = run("fit", tmp_path / "x.svm", "--ignore", "1", "-o", model)
    assert finished.returncode == 2
    assert "--ignore" in finished.stderr
