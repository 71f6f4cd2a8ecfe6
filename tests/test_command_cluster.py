"""`novikoff fit --cluster`: the model of the library, and errors that say what to do."""

import os
import re
import signal
import subprocess

import numpy as np
import pytest

import novikoff
from clusters import bits, fit, in_process
from commands import command, process, run
from dask_processes import kill, processes, wait_for
from forks import Popen
from novikoff import AveragedPerceptron
from terminals import on_a_terminal
from test_cluster import files

pytestmark = pytest.mark.heavy  # `make quick` leaves it out


def test_the_command_on_a_scheduler_writes_the_model_of_the_library(tmp_path):
    source = files(tmp_path, n_shards=4, n=100)
    path, checkpoint = tmp_path / "model", tmp_path / "checkpoint"
    with processes(tmp_path, n_workers=1) as dask:
        words = ("fit", "--cluster", dask.address, source, "-o", path)
        done = process(*words, "--epochs", 3, "--checkpoint", checkpoint, "--class-weight", "1=2")
        assert done.returncode == 0, done.stderr
        assert "the dashboard is at http://127.0.0.1:" in done.stderr
        assert "4 shards, mixed after each epoch: " in done.stderr
        assert not checkpoint.exists()
        text, status = on_a_terminal((*words[:-1], tmp_path / "watched", "--epochs", 20))
        assert status == 0
        assert re.search(r"epoch \d+/20: .*/84 .*shards/s, [\d,]+ mistakes", text), text
        lines = (tmp_path / "03.svm").read_text().splitlines()
        (tmp_path / "03.svm").write_text("\n".join([*lines[:4], "1 x:1", *lines[5:]]))
        bad = process(*words[:-1], tmp_path / "none")
        assert bad.returncode == 3
        assert "03.svm:5:3: found 'x:1', expected an index" in bad.stderr
        assert not (tmp_path / "none").exists()
        (tmp_path / "03.svm").write_text("\n".join(lines))
        long = command(
            *words[:-1], tmp_path / "long", "--epochs", 10**6, "--checkpoint", checkpoint
        )
        lost = Popen(long, stderr=subprocess.PIPE, text=True)
        wait_for(checkpoint.exists)
        kill(dask.scheduler)
        said = lost.communicate(timeout=100)[1].splitlines()
        assert lost.returncode == 3
        assert re.fullmatch(
            rf"novikoff: The scheduler at {dask.address} was lost in epoch \d+ \(\w+\). Go on from "
            rf"{checkpoint} with --resume.",
            said[-1],
        )
        assert len(said) == 2  # the dashboard and this
    with in_process() as client:
        model = AveragedPerceptron(max_iter=3, random_state=0, class_weight={1: 2.0})
        fit(model, source, client)
    assert bits(novikoff.load(path)) == bits(model)
    assert (novikoff.load(path).coef_ == model.coef_).all()
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--mixing", "mistakes"), "--mixing is about shards: give --cluster too"),
        (("--cluster", "local", "--learner", "voted"), "--cluster mixes the weights of perceptron"),
        (("--cluster", "local", "--plot", "x.png"), "--plot has no meaning beside --cluster"),
        (("--cluster", "local", "--slack", "1"), "--slack has no meaning beside --cluster"),
        (("--cluster", "tcp://127.0.0.1:1", "--workers", "2"), "--workers are those of --cluster"),
        (("--cluster", "local", "--resume"), "--resume goes on from a checkpoint: name it by"),
    ],
)
def test_options_without_a_meaning_are_errors(tmp_path, words, what):
    (tmp_path / "a.svm").write_text("1 1:1\n-1 1:2\n")
    done = run("fit", tmp_path / "a.svm", "-o", tmp_path / "m", *words)
    assert done.returncode == 2
    assert what in done.stderr
    assert not (tmp_path / "m").exists()


def test_what_is_not_there_is_said(tmp_path):
    done = run("fit", "--cluster", "local", tmp_path / "*.svm", "-o", tmp_path / "m")
    assert done.returncode == 3
    assert "*.svm: found no such file, expected a file or files of examples" in done.stderr


def test_ctrl_c_ends_the_workers_and_says_how_to_go_on(tmp_path):
    source, checkpoint = files(tmp_path, n_shards=4, n=100), tmp_path / "checkpoint"
    words = ("fit", "--cluster", "local", "--workers", 1, source, "-o", tmp_path / "model")
    words = command(*words, "--epochs", 10**6, "--checkpoint", checkpoint)
    run = Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True)
    wait_for(checkpoint.exists)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does
    said = run.communicate(timeout=100)[1].splitlines()
    assert run.returncode == 130
    assert "the dashboard is at" in said[0]
    assert re.fullmatch(r"novikoff: stopped in epoch \d+\. Go on with:", said[1])
    assert said[2].endswith("--resume")
    assert len(said) == 3


def test_a_shard_is_not_overwritten(tmp_path):
    source = files(tmp_path, n_shards=2, n=20)
    before = (tmp_path / "01.svm").read_bytes()
    for words in (("-o", "01.svm"), ("-o", "m", "--checkpoint", "01.svm")):
        refused = run("fit", "--cluster", "local", source, *words, cwd=tmp_path)
        assert refused.returncode == 2
        assert "01.svm is named twice" in refused.stderr
    assert (tmp_path / "01.svm").read_bytes() == before
