"""The command as a user runs it: in a process of its own."""

import subprocess
import sys
from pathlib import Path

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


def run(*words, **options):
    """Run it to its end; text out, text err, status."""
    options = {"capture_output": True, "text": True, "timeout": 300} | options
    return subprocess.run(command(*words), check=False, **options)


def done(*words, **options):
    """Run what must succeed, and return what it printed."""
    finished = run(*words, **options)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def killed(place, times, *words):
    """Run it with a `kill -9` in a write."""
    program = [sys.executable, "-c", DIES, place, str(times), *map(str, words)]
    return subprocess.run(program, check=False, capture_output=True, text=True, timeout=300)


def same_files(one, other):
    return Path(one).read_bytes() == Path(other).read_bytes()


def said(capfd, *words):
    """Run it in this process: its status, what it printed, and what it said."""
    from novikoff.cli import main

    capfd.readouterr()
    try:
        status = main([str(word) for word in words])
    except SystemExit as end:
        status = end.code
    out, err = capfd.readouterr()
    assert "Traceback" not in err
    return status, out, err
