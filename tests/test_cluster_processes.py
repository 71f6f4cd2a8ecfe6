"""Real schedulers and workers: killed, added and lost on the way, and the bits are the same."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from glob import glob

import pytest
from distributed import Client

from clusters import bits, fit, in_process
from dask_processes import ROOT, kill, processes
from novikoff import AveragedPerceptron, ClusterError, FileError, Perceptron
from novikoff.cluster.scheduler import connected
from test_cluster import files

pytestmark = [
    pytest.mark.heavy,  # `make quick` leaves it out
    pytest.mark.skipif(sys.platform == "win32", reason="needs signals"),
]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return files(tmp_path_factory.mktemp("data"), n_shards=8, n=300, d=60, n_classes=3)


def learner():
    return AveragedPerceptron(max_iter=5, random_state=7)


@pytest.fixture(scope="module")
def undisturbed(source):
    with in_process() as client:
        return bits(fit(learner(), source, client))


class Disturb:
    """A watcher that does something when some shards of an epoch are done, once each."""

    def __init__(self, *deeds):
        self.deeds = list(deeds)  # (epoch, shards done, what to do)

    def __call__(self, moment):
        while self.deeds and (moment.epoch, moment.shard) >= self.deeds[0][:2]:
            self.deeds.pop(0)[2]()


def test_workers_die_and_come_and_the_bits_are_the_same(tmp_path, source, undisturbed):
    with processes(tmp_path, n_workers=2) as dask:
        first, second = dask.workers
        watch = Disturb(
            (2, 3, lambda: kill(first)),
            (3, 2, dask.start_worker),
            (4, 3, lambda: (dask.start_worker(), kill(second))),
        )
        model = fit(learner(), source, dask.address, watch=watch)
        assert not watch.deeds
        assert bits(model) == undisturbed
        assert len(model.mixed_.epochs) == 5


def test_a_worker_that_a_nanny_starts_again_gives_the_same_bits(tmp_path, source, undisturbed):
    with processes(tmp_path, n_workers=0) as dask:
        dask.start_worker("--nanny")
        with Client(dask.address) as client:
            client.wait_for_workers(1, timeout=60)

            def kill_it():
                killed.extend(client.run(os.getpid).values())
                os.kill(killed[-1], signal.SIGKILL)

            killed = []
            watch = Disturb((2, 3, kill_it), (4, 2, kill_it))
            assert bits(fit(learner(), source, client, watch=watch)) == undisturbed
            assert not watch.deeds
            assert len({*killed, *client.run(os.getpid).values()}) == 3


def without_the_package(folder):
    folder.mkdir()
    (folder / "__init__.py").write_text("raise ModuleNotFoundError('none here')\n")


def with_another_version(folder):
    shutil.copytree(ROOT / "src" / "novikoff", folder)
    with (folder / "__init__.py").open("a") as file:
        file.write("\n__version__ = '9.9'\n")


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (
            without_the_package,
            r"no workers at \S+ for 2 seconds: start some.* have novikoff",
        ),
        (with_another_version, "A worker has novikoff 9.9, but the run was started by"),
    ],
)
def test_a_worker_that_comes_late_and_cannot_do_it(tmp_path, source, monkeypatch, make, what):
    monkeypatch.setattr("novikoff.cluster.tasks.LOOK_EVERY", 1)
    monkeypatch.setattr("novikoff.cluster.tasks.LONELY", 2)
    (tmp_path / "late").mkdir()
    make(tmp_path / "late" / "novikoff")
    with processes(tmp_path, n_workers=1) as dask:
        (first,) = dask.workers

        def replace():
            dask.start_worker(PYTHONPATH=str(tmp_path / "late"))
            with Client(dask.address) as client:
                client.wait_for_workers(2, timeout=60)
            kill(first)

        model = learner()
        with pytest.raises(ClusterError, match=what):
            fit(model, source, dask.address, watch=Disturb((2, 3, replace)))
        assert not hasattr(model, "classes_")


def test_the_scheduler_is_lost_and_the_checkpoint_goes_on(tmp_path, source, undisturbed):
    path = tmp_path / "checkpoint"
    with processes(tmp_path, n_workers=2) as dask:
        watch = Disturb((3, 2, lambda: kill(dask.scheduler)))
        model = learner()
        with pytest.raises(ClusterError, match=r"The scheduler at tcp://127.0.0.1:\d+ was lost in "
                           r"epoch 3 .*Go on from .*checkpoint with resume=True"):  # fmt: skip
            fit(model, source, dask.address, checkpoint=path, watch=watch)
        assert not hasattr(model, "classes_")
    with processes(tmp_path, n_workers=1) as dask:
        fit(model, source, dask.address, checkpoint=path, resume=True)
    assert bits(model) == undisturbed


def test_clusters_that_cannot_do_it_say_so(tmp_path, source, monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setattr("novikoff.cluster.scheduler.PATIENCE", 0.5)
    with pytest.raises(
        ClusterError, match=rf"No scheduler answers at tcp://127.0.0.1:{port}: start"
    ):
        fit(learner(), source, f"tcp://127.0.0.1:{port}")
    for address in ("nowhere://x", "nowhere", "tcp://x:eight"):
        with pytest.raises(ClusterError, match=f"No scheduler answers at {address} "):
            fit(learner(), source, address)
    monkeypatch.setattr("novikoff.cluster.scheduler.PATIENCE", 30)
    bare, other = tmp_path / "bare", tmp_path / "other"
    for folder, text in ((bare, "raise ImportError('none here')"), (other, "__version__ = '9.9'")):
        (folder / "novikoff").mkdir(parents=True)
        (folder / "novikoff" / "__init__.py").write_text(text + "\n")
    with processes(tmp_path, n_workers=0) as dask:
        monkeypatch.setattr("novikoff.cluster.scheduler.PATIENCE", 1)
        with pytest.raises(
            ClusterError, match="has no workers: start some with `dask worker tcp://"
        ):
            fit(learner(), source, dask.address)
        monkeypatch.setattr("novikoff.cluster.scheduler.PATIENCE", 30)
        for folder, what in (
            (bare, r"does not have novikoff \(none here\): install novikoff"),
            (other, "has novikoff 9.9, and here is"),
        ):
            worker = dask.start_worker(PYTHONPATH=str(folder))
            with pytest.raises(ClusterError, match=what):
                fit(learner(), source, dask.address)
            kill(worker)
        for limit, what in (
            ("20MB", "take no work: they use nearly all the memory that they may"),
            (
                "600MB",
                r"9,000,001 weights take 0.7 GiB in training, and the largest shard \d+ bytes, but "
                r"the worker at tcp://\S+ may use 0.6 GiB: start workers with a larger",
            ),
        ):
            small = dask.start_worker("--memory-limit", limit)
            wide = tmp_path / "wide.svm"
            wide.write_text("1 1:1\n-1 9000000:1\n")
            for _ in range(2):  # while the worker starts, and when it has long been looked at
                with pytest.raises(ClusterError, match=what):
                    fit(learner(), str(wide), dask.address)
                time.sleep(0.3)
            kill(small)


BEFORE_AND_AFTER = """
import dask.array as da
from novikoff import Perceptron, cluster, errors
from novikoff.cluster import scheduler

scheduler.PATIENCE = 1
for address in ("nowhere", "nowhere://x", "tcp://127.0.0.1:1"):
    try:
        cluster.fit(Perceptron(), "none.svm", address)
    except errors.ClusterError as error:
        print(str(error)[:21])
    print(da.ones(3, chunks=2).sum().compute())
"""


def test_a_wrong_address_leaves_dask_as_it_was():
    finished = subprocess.run(
        [sys.executable, "-c", BEFORE_AND_AFTER], capture_output=True, text=True, timeout=120
    )
    assert finished.stdout.splitlines() == ["No scheduler answers ", "3.0"] * 3
    assert finished.stderr == ""


def test_workers_started_here_move_weights_only_and_tell_of_bad_lines(
    tmp_path, source, undisturbed
):
    (tmp_path / "bad.svm").write_text("1 1:1\n0 2:1\n2 3:oops\n")
    bad = Perceptron()
    with connected("local", 2) as client:
        model = fit(learner(), source, client)
        with pytest.raises(FileError, match=r"bad\.svm:3:5: found 'oops'"):
            fit(bad, [source, str(tmp_path / "bad.svm")], client)
    assert bits(model) == undisturbed
    assert not hasattr(bad, "classes_")
    size = sum(os.path.getsize(path) for path in glob(source))
    for epoch in model.mixed_.epochs:
        assert 0 < epoch.bytes_moved < size / 2
        assert epoch.bytes_of_changes <= 8 * (61 * 3 * 8 * 2 + 600)
    assert model.mixed_.dashboard.startswith("http://127.0.0.1:")
