"""Pipes that someone is still writing to: what has arrived is worked on, the rest is waited for."""

import gzip
import io
import os
import subprocess
import threading

import pytest

from commands import command, done
from novikoff.data import planted, stream, write

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
        process = subprocess.Popen(command(*words), **pipes)
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
    wide = b",".join(b"%d" % i for i in range(300_000))
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
