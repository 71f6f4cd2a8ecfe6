"""The command: mostly run in this process, and in one of its own where that matters."""

import os
import subprocess
import sys
import warnings
from contextlib import chdir, contextmanager, nullcontext, suppress
from io import TextIOWrapper
from pathlib import Path
from tempfile import TemporaryFile
from threading import Thread

import pytest

from forks import Popen

DIES = """
import os, signal, sys
place, times = sys.argv[1], int(sys.argv[2])
original = getattr(os, place)
def dying(*arguments, **options):
    global times
    times -= 1
    if times == 0 and place == "fsync":
        os.kill(os.getpid(), signal.SIGKILL)
    result = original(*arguments, **options)
    if times == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return result
setattr(os, place, dying)
from novikoff.cli import main
sys.exit(main(sys.argv[3:]))
"""
"""A command that is killed within (fsync) or just after (replace) a write, the so-manieth."""


def command(*words):
    return [sys.executable, "-m", "novikoff", *map(str, words)]


def process(*words, **options):
    """Run it in a process of its own, where the process is what the test is about."""
    return to_its_end(command(*words), **options)


def to_its_end(words, **options):
    """What `subprocess.run` does, for a program in Python."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with Popen(words, **pipes | options) as started:
        out, err = started.communicate(timeout=300)
        return subprocess.CompletedProcess(words, started.returncode, out, err)


def run(*words, input=None, stdin=None, cwd=None, text=True):  # noqa: A002
    """Run it to its end in this process, which has imported everything: out, err, status."""
    from novikoff.cli import main

    with (
        TemporaryFile() as out,
        TemporaryFile() as err,
        as_standard_input(input, stdin) as source,
        nullcontext() if cwd is None else chdir(cwd),
        warnings.catch_warnings(),
        pytest.MonkeyPatch.context() as patch,
    ):
        warnings.showwarning = warnings._showwarning_orig  # not into pytest's list
        warnings.resetwarnings()
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", ResourceWarning)
        for name, file in (("stdin", source), ("stdout", out), ("stderr", err)):
            patch.setattr(sys, name, TextIOWrapper(file, encoding="utf-8", write_through=True))
        try:
            status = main([str(word) for word in words])
        except SystemExit as end:
            status = end.code
        printed = [as_printed(file, text) for file in (out, err)]
        for name in ("stdin", "stdout", "stderr"):
            getattr(sys, name).detach()
    return subprocess.CompletedProcess(words, status, *printed)


def as_printed(file, text):
    file.seek(0)
    return file.read().decode() if text else file.read()


@contextmanager
def as_standard_input(given, file):
    """A pipe with what is given in it, or that file, or nothing."""
    if given is None:
        with open(os.devnull if file is None else os.dup(file.fileno()), "rb") as source:
            yield source
        return
    data = given.encode() if isinstance(given, str) else given
    reading, writing = os.pipe()

    def write():
        with suppress(BrokenPipeError), open(writing, "wb") as sink:
            sink.write(data)

    writer = Thread(target=write)
    writer.start()
    with open(reading, "rb") as source:
        yield source
    writer.join()


def done(*words, **options):
    """Run what must succeed, and return what it printed."""
    finished = run(*words, **options)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def killed(place, times, *words):
    """Run it with a `kill -9` in a write."""
    program = [sys.executable, "-c", DIES, place, str(times), *map(str, words)]
    return to_its_end(program)


def same_files(one, other):
    return Path(one).read_bytes() == Path(other).read_bytes()


def said(*words):
    """The same as a status, what it printed, and what it said: never a traceback."""
    finished = run(*words)
    assert "Traceback" not in finished.stderr
    return finished.returncode, finished.stdout, finished.stderr
