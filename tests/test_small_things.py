"""What is met in passing: how results look when printed, and what a name leads to."""

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from scipy import sparse

import novikoff
from commands import done
from novikoff import Bracket, DataError, KernelPerceptron, Perceptron, describe
from novikoff.data import read, write
from novikoff.errors import ParameterError


def test_brackets_unpack_and_print_as_numbers():
    model = Perceptron().fit([[0.0], [1.0]], [0, 1])
    lower, upper = model.margin_
    assert (lower, upper) == (model.margin_.lower, model.margin_.upper)
    assert repr(Bracket(np.float64(0.5), np.float32(1))) == "Bracket(lower=0.5, upper=1.0)"


def test_a_proof_prints_in_a_line():
    model = Perceptron(record=True, shuffle=False).fit([[0.0], [1.0]], [0, 1])
    printed = repr(model.trace_.proof())
    assert printed.startswith(f"Proof(mistakes={model.n_mistakes_}, bound=")
    assert printed.endswith("holds=True)")
    assert len(printed) < 120


def test_dir_has_what_is_public():
    folders = {"cluster", "data", "lab", "plots", "river", "store"}
    assert set(dir(novikoff)) == {*novikoff.__all__, *folders}


def test_labels_of_two_columns_are_refused():
    with pytest.raises(DataError, match=r"y has shape \(2, 2\), but there is one label for each"):
        Perceptron().fit([[0.0], [1.0]], [[0, 1], [1, 0]])


def test_a_data_set_is_no_model():
    with pytest.raises(FileNotFoundError, match=r"novikoff\.data\.load\('iris'\)"):
        novikoff.load("iris")


def test_kernel_machines_have_no_equation():
    model = KernelPerceptron().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ParameterError, match="describe is for the linear models of"):
        describe(model)


def test_one_is_not_many():
    model = Perceptron(fit_intercept=False).fit([[1.0], [-1.0]], [1, 0])
    assert "It made 1 mistake in 2 epochs, and none in the last." in describe(model)
    assert "more than 1 mistake from a start at 0." in " ".join(describe(model).split())


# ------------------------------------------------------------- writing tables


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "npz"])
def test_singles_come_back_as_they_were(tmp_path, ending):
    X = np.random.default_rng(0).random((20, 3)).astype(np.float32)
    write(tmp_path / f"x.{ending}", X, np.arange(20))
    assert (read(tmp_path / f"x.{ending}").X == X).all()


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "npz"])
def test_labels_of_several_lines_come_back(tmp_path, ending):
    y = ["one", "two\nlines", 'a, "b"' if ending == "csv" else "a\rb"]
    write(tmp_path / f"x.{ending}", [[1.0], [2.0], [3.0]], y)
    assert read(tmp_path / f"x.{ending}").y.tolist() == y


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_what_would_not_come_back_is_not_written(tmp_path, ending):
    for label in ("", "nul\0", "nul\0l", *(["a\rb"] if ending == "csv" else [])):
        y = np.array(["fine", label], object)
        with pytest.raises(ParameterError, match="The label of row 1 is .* would not give back"):
            write(tmp_path / f"x.{ending}", [[1.0], [2.0]], y)
    wide = sparse.csr_array((5574, 1 << 18))
    with pytest.raises(ParameterError, match=r"5,574 rows of 262,144 features would take 11\.7 GB"):
        write(tmp_path / f"x.{ending}", wide, np.zeros(5574))
    assert not list(tmp_path.iterdir())
    write(tmp_path / "x.npz", wide, np.zeros(5574))
    assert read(tmp_path / "x.npz").X.shape == wide.shape


@pytest.mark.parametrize("first", [0, 1])
def test_a_feature_has_one_number(tmp_path, first):
    """That of the file: in what is shown, converted and described."""
    lines = [f"{label} {first + 2}:{v} {first + 3}:1" for label, v in ((1, 9), (-1, -9))] * 3
    (tmp_path / "x.svm").write_text("\n".join(lines) + "\n")
    base = "--zero-based" if first == 0 else "--no-zero-based"
    done("fit", tmp_path / "x.svm", "-o", tmp_path / "m", base, "--n-features", 4)
    heaviest = first + 2
    assert f"feature {heaviest} " in done("show", tmp_path / "m")
    done("convert", tmp_path / "m", tmp_path / "m.csv")
    rows = [line.split(",") for line in (tmp_path / "m.csv").read_text().splitlines()[1:-1]]
    assert max(rows, key=lambda row: float(row[1]))[0] == str(heaviest)
    assert f"x{heaviest} " in describe(novikoff.load(tmp_path / "m"))


def test_labels_that_numpy_would_merge_are_refused(tmp_path):
    for y in (["a", "a\0"], np.array(["a", "a\0"], object)):
        with pytest.raises(DataError, match=r"The label 'a\\x00' in row 1 of y ends with NUL"):
            Perceptron().fit([[0.0], [1.0]], y)
    path = tmp_path / "x.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"a": [0.0, 1.0], "label": ["a", "a\0"]}), path)
    with pytest.raises(DataError, match="x.parquet: found a label with a NUL in it"):
        read(path)
