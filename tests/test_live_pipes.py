"""Pipes that someone is still writing to: what has arrived is worked on, the rest is waited for."""

import bz2
import gzip
import io
import lzma
import os
import signal
import subprocess
import threading
import time

import pytest

import novikoff
from commands import command, done
from forks import Popen
from novikoff.data import planted, stream, write
from novikoff.data.opener import open_source

pytestmark = pytest.mark.heavy  # `make quick` leaves it out

PATIENCE = 120  # seconds after which nothing will come any more, however slow the machine
KNOWN = {"n_features": 5, "zero_based": False}
TOLD = ("--n-features", 5, "--no-zero-based")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    X, y, *_ = planted(500, 5, margin=0.05, seed=0)
    write(folder / "x.svm", X.round(3), y)
    write(folder / "x.csv", X.round(3), y)
    write(folder / "x.vw", X.round(3), y)
    for kind in ("svm", "csv", "vw"):
        done("fit", folder / f"x.{kind}", "-o", folder / f"{kind}.model", "--quiet")
    return folder


@pytest.fixture
def pipe():
    """Both ends of a pipe, as files; a reader that waits in vain finds its end."""
    ours, its = (os.fdopen(end, mode) for end, mode in zip(os.pipe(), ("rb", "wb"), strict=True))
    timer = threading.Timer(PATIENCE, its.close)
    timer.start()
    yield ours, its
    timer.cancel()
    its.close()
    ours.close()


@pytest.fixture
def started():
    """Start a command that is written to while it runs; it is ended if it should wait in vain."""
    running = []

    def start(*words):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = Popen(command(*words), **pipes)
        timer = threading.Timer(PATIENCE, process.kill)
        timer.start()
        running.append((process, timer))
        return process

    yield start
    for process, timer in running:
        timer.cancel()
        process.kill()
        process.communicate()


def give(file, text):
    file.write(text)
    file.flush()


# ------------------------------------------------------------- blocks


def test_a_block_comes_as_soon_as_it_is_full(folder, pipe):
    """Also the first, for which the format has to be found out; the end is not waited for."""
    ours, its = pipe
    lines = (folder / "x.svm").read_bytes().splitlines(keepends=True)
    whole = [*stream(io.BytesIO(b"".join(lines)), block_bytes=1000, **KNOWN)]
    give(its, b"".join(lines[:40]))  # more than a block, and less than two
    blocks = stream(ours, block_bytes=1000, **KNOWN)
    first = next(blocks)
    assert (first.y.tolist(), first.next) == (whole[0].y.tolist(), whole[0].next)
    its.write(b"".join(lines[40:]))
    its.close()
    rest = [*blocks]
    assert [block.next for block in rest] == [block.next for block in whole[1:]]


@pytest.mark.parametrize("kind", ["svm", "vw", "csv"])
def test_a_block_that_ends_with_its_last_line_waits_for_nothing(folder, pipe, kind):
    ours, its = pipe
    text = b"".join((folder / f"x.{kind}").read_bytes().splitlines(keepends=True)[:10])
    give(its, text)
    known = KNOWN if kind == "svm" else {}
    block = next(stream(ours, block_bytes=len(text), **known))
    assert block.next.offset == len(text)


def test_what_was_read_ahead_by_others_is_not_waited_for(pipe):
    ours, its = pipe
    give(its, b"skip me\n1 1:1\n-1 1:2\n")
    assert ours.readline() == b"skip me\n"  # and the file has the rest in its buffer
    block = next(stream(ours, block_bytes=13, format="svmlight", **KNOWN))
    assert block.y.tolist() == [1, -1]


def test_long_lines_and_blank_ones_through_pipes():
    """A first line past every buffer, and blank lines before it."""
    wide = b",".join(b"%0300d" % i for i in range(4000))
    text = b"\n\n" + wide + b"\n" + wide + b"\n"
    assert len(wide) > 2**20
    for source in (io.BytesIO(text), io.BytesIO(gzip.compress(text, 1))):
        [*blocks] = stream(source, format="csv", label=-1, block_bytes=1000)
        assert sum(len(block.y) for block in blocks) == 2


# ------------------------------------------------------------- commands


@pytest.mark.parametrize("kind", ["svm", "vw", "csv"])
def test_predictions_come_while_the_examples_do(folder, started, kind):
    said = done("predict", folder / f"{kind}.model", folder / f"x.{kind}").splitlines()
    lines = (folder / f"x.{kind}").read_bytes().splitlines(keepends=True)
    process = started("predict", folder / f"{kind}.model", "-")
    if kind == "csv":
        give(process.stdin, lines.pop(0))
    answers = []
    for line in lines[:3]:
        give(process.stdin, line)
        answers.append(process.stdout.readline().decode().strip())
    give(process.stdin, lines[3][:4])  # the beginning of one, which is not yet an example
    give(process.stdin, lines[3][4:] + b"".join(lines[4:]))
    rest, err = process.communicate()
    assert process.returncode == 0, err
    assert answers + rest.decode().splitlines() == said


def test_progress_is_told_while_the_examples_come(folder, started, tmp_path):
    lines = (folder / "x.svm").read_bytes().splitlines(keepends=True)
    more = ("--progressive", "--block-bytes", "1K", "--window", 10, *TOLD)
    process = started("fit", "-", "-o", tmp_path / "m", *more)
    give(process.stdin, b"".join(lines[:100]))
    assert process.stdout.readline().startswith(b"10 ")
    process.stdin.write(b"".join(lines[100:]))
    process.communicate()
    assert process.returncode == 0
    assert (tmp_path / "m").exists()


# ------------------------------------------------------------- signals


def signalled(start, sent, text, *words):
    """What a command said that waited for more when a signal came."""
    for later in range(20):  # until it is not too early: how long it takes to start, no one knows
        process = start(*words)
        give(process.stdin, text)
        time.sleep(2.0 + later)
        since = time.monotonic()
        process.send_signal(sent)
        process.wait(PATIENCE)
        took = time.monotonic() - since
        err = process.stderr.read().decode()
        assert "Traceback" not in err or "import" in err
        if "stopped after" in err or "stopped in" in err:
            return process.returncode, err, took
    raise AssertionError(err)


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_stream_and_the_model_is_there(folder, started, tmp_path, sent, status):
    """It is that of the whole lines that had come, though their block was not full."""
    lines = (folder / "x.svm").read_bytes().splitlines(keepends=True)
    text = b"".join(lines[:300]) + lines[300][:-9]
    fit = ("--epochs", 1, *TOLD, "--quiet")
    code, err, took = signalled(started, sent, text, "fit", "-", "-o", tmp_path / "m", *fit)
    assert code == status
    assert f"stopped after 300 examples; the model so far is in {tmp_path / 'm'}." in err
    assert took < 20
    assert [path.name for path in tmp_path.iterdir()] == ["m"]
    (tmp_path / "x.svm").write_bytes(b"".join(lines[:300]))
    done("fit", tmp_path / "x.svm", "-o", tmp_path / "n", *fit)
    so_far, whole = (novikoff.load(tmp_path / name) for name in ("m", "n"))
    assert so_far.coef_.tolist() == whole.coef_.tolist()
    assert "examples     300" in done("show", tmp_path / "m")


def test_a_signal_ends_a_progressive_stream(folder, started, tmp_path):
    lines = (folder / "x.svm").read_bytes().splitlines(keepends=True)
    fit = ("fit", "-", "-o", tmp_path / "m", "--progressive", *TOLD)
    code, err, _ = signalled(started, signal.SIGINT, b"".join(lines[:300]), *fit)
    assert code == 130
    assert "stopped after 300 examples; the model so far is in" in err
    assert novikoff.load(tmp_path / "m").n_mistakes_ > 0


def test_a_stream_of_which_nothing_was_learned_leaves_nothing(started, tmp_path):
    for text in (b"1 1:1\n1 2:1\n", b"1 1:1"):
        fit = ("fit", "-", "-o", tmp_path / "m", "--epochs", 1, "--format", "svmlight", *TOLD)
        code, err, _ = signalled(started, signal.SIGTERM, text, *fit)
        assert code == 143
        assert "Nothing was written" in err
        assert not list(tmp_path.iterdir())


def test_a_pipe_that_is_ended_gives_whole_lines(pipe):
    ours, its = pipe
    give(its, b"1 1:1\n" * 9_000 + b"1 1:")
    opened = open_source(ours)
    threading.Timer(0.5, opened.end).start()
    assert sum(len(block.y) for block in stream(opened, format="svmlight", **KNOWN)) == 9_000


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_text_that_is_ended_is_not_damaged(pipe, compress):
    ours, its = pipe
    give(its, compress(b"1 1:1\n" * 9_000)[:-1])
    opened = open_source(ours)
    threading.Timer(0.5, opened.end).start()
    assert sum(len(block.y) for block in stream(opened, format="svmlight", **KNOWN)) == 9_000
