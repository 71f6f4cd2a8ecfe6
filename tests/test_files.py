"""Files are replaced as a whole or not at all, whatever happens on the way."""

import errno
import json
import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from novikoff import Perceptron
from novikoff.errors import NovikoffError, WriteError
from novikoff.files import replacing


@pytest.fixture
def path(tmp_path):
    """A file with something in it."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    return path


def replace(path, content):
    """Replace a file, at once."""
    with replacing(path) as file:
        file.write(content)


def alone(path):
    """Is there no other file in the folder?"""
    return os.listdir(path.parent) == [path.name]


def test_a_file_is_replaced(path):
    with replacing(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert alone(path)


def test_what_is_raised_inside_leaves_the_file_as_it_was(path):
    for error in (KeyError("mine"), KeyboardInterrupt(), OSError(errno.ENOENT, "of another file")):
        with pytest.raises(type(error)) as raised, replacing(path) as file:  # noqa: PT012
            file.write(b"new")
            raise error
        assert raised.value is error
        assert path.read_bytes() == b"old"
        assert alone(path)


def test_the_disk_has_the_file_before_its_name_does(path, monkeypatch):
    """First the content, then the name, then the folder."""
    events = []

    def spy(name):
        original = getattr(os, name)

        def called(*args):
            events.append((name, stat.S_ISDIR(os.fstat(args[0]).st_mode) if len(args) == 1 else 0))
            return original(*args)

        monkeypatch.setattr(os, name, called)

    spy("fsync")
    spy("replace")
    replace(path, b"new")
    assert events == [("fsync", False), ("replace", 0), ("fsync", True)]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_the_mode_stays(path, mode):
    path.chmod(mode)
    with replacing(path) as file:
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == mode  # from the first byte on
        file.write(b"new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_file_has_the_mode_of_new_files(path):
    before = os.umask(0o027)
    try:
        replace(path.with_name("new"), b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.with_name("new").stat().st_mode) == 0o640


def test_a_link_stays_and_what_it_points_to_is_replaced(path, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link"
    link.symlink_to("../file")
    replace(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert alone(link)


def test_what_is_no_regular_file_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    replace(pipe, b"new")
    assert os.read(reader, 10) == b"new"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_device():
    with pytest.raises(WriteError, match=r"/dev/full could not be written: the disk is full"):
        replace("/dev/full", b"new")


FAILURES = {
    "chmod": ("the file system is read-only", errno.EROFS),
    "fsync": ("the disk is full. Make room", errno.ENOSPC),
    "replace": ("Permission denied", errno.EACCES),
}


@pytest.mark.parametrize("call", FAILURES)
def test_a_failure_leaves_the_old_file(path, call, monkeypatch):
    says, number = FAILURES[call]

    def fails(*args):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, call, fails)
    with pytest.raises(WriteError, match=f"{path} could not be written: {says}") as raised:
        replace(path, b"new")
    assert raised.value.errno == number
    assert isinstance(raised.value, NovikoffError)
    assert "What was there before is as it was" in str(raised.value)
    assert path.read_bytes() == b"old"
    assert alone(path)


def test_a_folder_that_cannot_be_flushed(path, monkeypatch):
    """The new file is in place: that must not be denied."""
    fsync = os.fsync

    def fails(number):
        def of_folders(handle):
            if stat.S_ISDIR(os.fstat(handle).st_mode):
                raise OSError(number, os.strerror(number))
            fsync(handle)

        monkeypatch.setattr(os, "fsync", of_folders)

    fails(errno.EINVAL)  # some file systems have no such thing
    replace(path, b"new")
    fails(errno.EIO)
    with pytest.raises(WriteError, match=r"It is in place, but may not survive a loss of power"):
        replace(path, b"newer")
    assert path.read_bytes() == b"newer"


def test_places_where_no_file_can_be(path, tmp_path):
    for place, says in (
        (tmp_path / "nowhere" / "file", "its folder does not exist. Create it first"),
        (path / "file", "its folder is a file"),
        (tmp_path, "it is a folder"),
    ):
        with pytest.raises(WriteError, match=says), replacing(place):
            pytest.fail("there is no such place")
    assert alone(path)


def test_a_write_protected_file_stays(path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *args: False)  # to root, nothing is protected
    with pytest.raises(WriteError, match="it is write-protected"), replacing(path):
        pytest.fail("it is protected")
    assert path.read_bytes() == b"old"


def test_a_model_survives_a_limit_of_the_system(path):
    """A real failure in the middle of a real write."""
    model = Perceptron().fit(np.eye(4), [0, 1, 0, 1])
    model.save(path)
    before = path.read_bytes()
    large = Perceptron().fit(np.eye(2, 50_000), [0, 1])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(WriteError, match=r"larger than the system allows"):
            large.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == before
    assert alone(path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.heavy
def test_kill_9_leaves_the_old_model_or_the_new_one(tmp_path):
    """Processes that do nothing but save are killed, many of them inside the write."""
    script = Path(__file__).with_name("kill_savers.py")
    rounds = os.environ.get("NOVIKOFF_KILLS", "60")
    command = [sys.executable, str(script), str(tmp_path / "model"), rounds]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["old"] + told["new"] == int(rounds)
    assert min(told["old"], told["new"], told["inside the write"]) > 0
