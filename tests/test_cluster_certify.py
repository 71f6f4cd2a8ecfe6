"""Certificates of data on a cluster: those of all rows, whoever answers for the shards."""

import pickle
from itertools import pairwise

import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from clusters import arrays, in_process
from commands import done, process, said
from dask_processes import kill, processes
from novikoff import (
    ClusterError,
    DataError,
    FileError,
    ParameterError,
    Separability,
    cluster,
    separability,
)
from novikoff.certificates.sharded.certify import certify as certified
from novikoff.certificates.sharded.protocol import Here
from novikoff.cluster.answers import Workers
from novikoff.cluster.sources import sharded
from novikoff.data import load, planted, write

pytestmark = pytest.mark.heavy  # `make quick` leaves it out

XOR = "0\n1 1:1\n", "1 2:1\n", "0\n", "0 1:1 2:1\n"


@pytest.fixture(scope="module")
def client():
    with in_process(2) as found:
        yield found


@pytest.fixture(scope="module")
def iris():
    X, species, _ = load("iris")
    return X, species


def svm_files(folder, X, y, k):
    """The rows in so many files."""
    for number, rows in enumerate(np.array_split(np.arange(len(y)), k)):
        write(folder / f"part-{number:02}.svm", X[rows], y[rows])
    return str(folder / "part-*.svm")


@pytest.mark.parametrize("kind", ["setosa", "virginica", None])
def test_it_is_the_answer_of_the_same_shards_here(client, iris, kind):
    """To the last bit: it does not matter who answers."""
    X, y = iris[0], iris[1] if kind is None else iris[1] == kind
    sizes = [60, 5, 0, 85]
    ends = np.cumsum([0, *sizes])
    here = Here([(X[a:b], y[a:b]) for a, b in pairwise(ends)])
    found = cluster.certify(arrays(X, y, sizes), client)
    assert found.to_json() == certified(here)[0].to_json()
    assert found.verdict == separability(X, y).verdict
    assert found.verify(X, y)
    assert cluster.verify(found, arrays(X, y, [150]), client)
    assert not cluster.verify(found, arrays(X, np.roll(y, 40), sizes), client)


def test_every_kind_of_source(client, iris, tmp_path):
    X, y = iris[0], (iris[1] == "setosa").astype(int)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(label=y)
    lines = [
        f"{t} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x))
        for x, t in zip(X, y, strict=True)
    ]
    pattern = svm_files(tmp_path, X, y, 4)
    text = tmp_path / "all.svm"
    write(text, X, y)
    frame.to_csv(tmp_path / "all.csv", index=False)
    whole = separability(X, y)
    for source, options in [
        (dd.from_pandas(frame, npartitions=3), {}),
        (db.from_sequence(lines, npartitions=3), {"format": "svmlight"}),
        (pattern, {}),
        (str(text), {"shard_bytes": 1000}),
        ([str(tmp_path / "all.csv")], {"shard_bytes": 500}),
    ]:
        found = cluster.certify(source, client, **options)
        assert found.verdict == "separable"
        assert found.verify(X, y)
        assert found.margin.upper == pytest.approx(whole.margin.upper, rel=1e-6)
        assert cluster.verify(whole, source, client, **options)


@pytest.mark.parametrize("hold", [True, False])
def test_held_or_read_again(client, tmp_path, hold):
    X, y, _ = planted(2_000, 6, margin=0.02, seed=2)
    pattern = svm_files(tmp_path, sparse.csr_array(X), y, 7)
    seen = []
    found = cluster.certify(
        pattern, client, hold=hold, watch=lambda t: seen.append((t.passes, t.rows))
    )
    assert found.verify(X, y)
    assert [passes for passes, _ in seen] == list(range(1, len(seen) + 1))
    assert seen[-1][1] < 500
    here = Here([(sparse.csr_array(X[r]), y[r]) for r in np.array_split(np.arange(2_000), 7)])
    assert found.to_json() == certified(here)[0].to_json()


def test_the_base_and_the_last_columns_are_those_of_all_shards(client, tmp_path):
    """A part alone would be read otherwise: the first index 0, and the last column, come late."""
    (tmp_path / "a.svm").write_text("1 1:1\n-1 2:1\n")
    (tmp_path / "b.svm").write_text("1 0:3 5:1\n")
    found = cluster.certify(str(tmp_path / "*.svm"), client)
    X = [[0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [3, 0, 0, 0, 0, 1]]
    assert found.verify(X, [1, -1, 1])
    assert len(found.coef) == 6


def test_a_third_label_in_a_later_shard_is_a_third_class(client, iris):
    X, y = iris
    found = cluster.certify(arrays(X, y, [100, 50]), client)
    assert found.n_classes == 3
    assert found.verify(X, y)
    two = cluster.certify(arrays(X[:100], y[:100], [100]), client)
    assert not cluster.verify(two, arrays(X, y, [100, 50]), client)


def test_a_hyperplane_over_shards(client, iris):
    X, y = iris[0], iris[1] == "setosa"
    found = cluster.certify(arrays(X, y, [100, 50]), client)
    reach = cluster.measure(arrays(X, y, [70, 80]), found.coef, found.intercept, client)
    assert reach.n_rows == 150
    assert reach.separates
    assert reach.radius == pytest.approx(np.linalg.norm(X, axis=1).max())
    assert reach.margin == pytest.approx(found.margin.lower)


def test_what_is_wrong_is_told_of_the_shard(client, iris, tmp_path):
    X, y = iris[0], iris[1] == "setosa"
    bad = X.copy()
    bad[120, 2] = np.nan
    with pytest.raises(DataError, match=r"partition 2 of 3: .*NaN.*row 20, column 2"):
        cluster.certify(arrays(bad, y, [50, 50, 50]), client)
    with pytest.raises(DataError, match=r"only one label, True"):
        cluster.certify(arrays(X, y | True, [50, 100]), client)
    with pytest.raises(ParameterError, match=r"tol=0 was given, but it must be a number above 0"):
        cluster.certify(arrays(X, y, [150]), client, tol=0)
    pattern = svm_files(tmp_path, X, y.astype(int), 20)
    path = tmp_path / "part-17.svm"
    path.write_text(path.read_text().replace(" 3:", " 3:x", 1))
    with pytest.raises(FileError) as caught:
        cluster.certify(pattern, client)
    with pytest.raises(FileError) as alone:
        cluster.certify(str(path), client)
    assert str(caught.value) == str(alone.value)
    assert (caught.value.line, caught.value.path) == (1, str(path))


def test_rows_stay_where_they_are(client):
    """All that comes back, over all passes, is a small part of the data."""
    X, y, _ = planted(50_000, 10, margin=0.05, seed=1)
    workers = Workers(sharded(arrays(X, y, [5_000] * 10)), client)
    came, original = [], workers.ask

    def weighed(question, numbers):
        answers = original(question, numbers)
        came.append(len(pickle.dumps(answers)))
        return answers

    workers.ask = weighed
    result, travel = workers.certify(True, 1e-6, 60.0, None)
    assert result.verify(X, y)
    assert travel.rows < 1_000
    assert sum(came) < X.nbytes / 20


# ------------------------------------------------------------- real workers


def test_workers_die_and_come_and_the_bits_are_the_same(tmp_path):
    X, y, _ = planted(2_000, 6, margin=0.02, seed=2)
    pattern = svm_files(tmp_path, X, y, 5)
    here = Here([(sparse.csr_array(X[r]), y[r]) for r in np.array_split(np.arange(2_000), 5)])
    with processes(tmp_path, n_workers=2) as dask:
        first, second = dask.workers
        deeds = [
            (3, lambda: kill(first)),
            (5, dask.start_worker),
            (6, lambda: kill(second)),
        ]

        def watch(travel):
            while deeds and travel.passes >= deeds[0][0]:
                deeds.pop(0)[1]()

        found = cluster.certify(pattern, dask.address, watch=watch)
        assert not deeds
        assert found.to_json() == certified(here)[0].to_json()
        assert cluster.verify(found, pattern, dask.address)
        with pytest.raises(ClusterError, match=r"was lost in the search for a certificate"):
            cluster.certify(
                pattern,
                dask.address,
                watch=lambda travel: travel.passes == 2 and kill(dask.scheduler),
            )


# ------------------------------------------------------------- the command


def xor_files(folder):
    """The exclusive or, in four files and in one."""
    for number, lines in enumerate(XOR):
        (folder / f"{number}.svm").write_text(lines)
    (folder / "xor.svm").write_text("".join(XOR))
    return str(folder / "?.svm")


def test_the_command(tmp_path):
    pattern, proof = xor_files(tmp_path), tmp_path / "proof"
    out = done("certify", "--cluster", "local", pattern, "--save", proof)
    assert out.startswith("inseparable\nproof      4 examples with multipliers")
    assert "travelled  5 of 5 examples, in " in out
    told = Separability.from_json(proof.read_text())
    assert told.verify([[0, 0], [1, 0], [0, 1], [0, 0], [1, 1]], [0, 1, 1, 0, 0])
    holds = "inseparable: the proof holds\n"
    assert said("verify", proof, tmp_path / "xor.svm")[:2] == (0, holds)
    assert done("verify", proof, pattern, "--cluster", "local") == holds


def test_an_example_of_weight_0_is_not_there(client, tmp_path):
    """Neither for the workers nor for the command; rows are numbered as in the files."""
    X = np.array([[5, 5], [0, 0], [1, 0], [9, 9], [0, 1], [0, 0], [1, 1]])
    y, weight = np.array([2, 0, 1, 1, 1, 0, 0]), np.array([0, 1.5, 1, 0, 1, 0, 3])
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(label=y, w=weight)
    for number, rows in enumerate(([0], [1, 2, 3], [4, 5, 6])):
        frame.iloc[rows].to_csv(tmp_path / f"{number}.csv", index=False)
    frame.to_csv(tmp_path / "all.csv", index=False)
    shards, proof, options = str(tmp_path / "?.csv"), tmp_path / "proof", ("--weight", "w")
    whole = separability(X, y, sample_weight=weight)
    assert (whole.verdict, whole.rows) == ("inseparable", (1, 2, 4, 6))
    for found in (
        cluster.certify(shards, client, weight="w"),
        cluster.certify(arrays(X, y, [3, 4], weight), client),
    ):
        assert found == whole
        assert cluster.verify(found, arrays(X, y, [6, 1], weight), client)
        assert not cluster.verify(found, arrays(X, y, [6, 1]), client)
    out = done("certify", "--cluster", "local", shards, *options, "--save", proof)
    assert "travelled  4 of 4 examples, in " in out
    assert Separability.from_json(proof.read_text()) == whole
    holds = "inseparable: the proof holds\n"
    assert done("verify", proof, tmp_path / "all.csv", *options) == holds
    assert done("verify", proof, shards, "--cluster", "local", *options) == holds
    assert said("verify", proof, shards, "--cluster", "local")[0] == 1


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (("certify", "-", "--cluster", "local"), 2, "which all workers read: give a path"),
        (("certify", "{}/0.svm", "--shard-bytes", "1K"), 2, "is about shards: give --cluster too"),
        (("verify", "c", "{}/0.svm", "--workers", "1"), 2, "is about shards: give --cluster too"),
        (("certify", "{}/0.svm", "--cluster", "tcp://x:1", "--workers", "1"), 2, "has its own"),
        (("certify", "{}/none*", "--cluster", "local"), 3, "found no such file"),
        (("certify", "{}/?.svm", "--cluster", "local", "--bits", "3"), 2, "has a meaning for vw"),
        (("certify", "{}/?.svm", "--cluster", "local", "--save", "{}/1.svm"), 2, "named twice"),
        (("certify", "{}/?.svm", "--cluster", "127.0.0.1:1"), 3, "No scheduler answers at"),
    ],
)
def test_errors_are_sentences(tmp_path, monkeypatch, words, status, told):
    monkeypatch.setattr("novikoff.cluster.scheduler.PATIENCE", 1)
    xor_files(tmp_path)
    before = (tmp_path / "1.svm").read_text()
    found, out, err = said(*(word.format(tmp_path) for word in words))
    assert (found, out) == (status, "")
    assert told in err
    assert (tmp_path / "1.svm").read_text() == before


def test_a_bad_line_in_a_late_shard_leaves_nothing(tmp_path):
    pattern = xor_files(tmp_path)
    (tmp_path / "9.svm").write_text("1 1:1\n0 1:one\n")
    finished = process("certify", "--cluster", "local", pattern, "--save", tmp_path / "proof")
    assert finished.returncode == 3
    assert f"{tmp_path / '9.svm'}:2:5: found 'one', expected a finite number" in finished.stderr
    assert not (tmp_path / "proof").exists()
