"""Processes that start at once: forks of one that has imported everything and done nothing.

A `Popen` of this module runs Python as `subprocess.Popen` does, in a process of its own
that can be sent signals, killed and written to. It only skips the second and a half of imports.
"""

import atexit
import gc
import json
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import threading
import traceback
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp

from numpy.random import RandomState

IMPORTED = (
    "novikoff.cli.fitting",
    "novikoff.cli.model_file",
    "novikoff.cli.progressive",
    "novikoff.description",
    "novikoff.cluster.epochs",
    "novikoff.learners",
    "novikoff.certificates.separability",
    "novikoff.store.models",
    "distributed.cli.dask_scheduler",
    "distributed.cli.dask_worker",
)


def serve(path):
    """Fork for whoever asks at this socket; in the fork, return what it is to run."""
    with socket.socket(socket.AF_UNIX) as listening, selectors.DefaultSelector() as waiting:
        listening.bind(path)
        listening.listen()
        os.write(1, b"\n")  # whoever started this may connect now
        waiting.register(listening, selectors.EVENT_READ)
        waiting.register(0, selectors.EVENT_READ)
        while True:
            for key, _ in waiting.select():
                if key.fd == 0:  # the tests have ended
                    os._exit(0)
                if key.fd != listening.fileno():
                    waiting.unregister(key.fd)
                    os.close(key.fd)
                    pid, asking = key.data
                    with asking:
                        asking.sendall(b"%8d" % os.waitpid(pid, 0)[1])
                    continue
                asking = listening.accept()[0]
                size, ends, *_ = socket.recv_fds(asking, 8, 3)
                with asking.makefile("rb") as sent:
                    text = sent.read(int(size))
                pid = os.fork()
                if pid == 0:
                    return json.loads(text), ends
                for end in ends:
                    os.close(end)
                asking.sendall(b"%8d" % pid)
                waiting.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, asking))


def become(wish, ends):
    """Be the process that was asked for."""
    for standard, end in enumerate(ends):
        os.dup2(end, standard)
    os.closerange(3, 1024)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if wish["session"]:
        os.setsid()
    os.chdir(wish["cwd"])
    os.environ.clear()
    os.environ.update(wish["env"])
    sys.stdin, sys.stdout = open(0), open(1, "w")  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace")  # noqa: SIM115
    kind, what, *words = wish["words"]
    sys.argv = ["-c", *words]
    try:
        if kind == "-m":
            runpy.run_module(what, run_name="__main__", alter_sys=True)
        else:
            exec(what, {"__name__": "__main__"})
        finish(0)
    except SystemExit as given:
        finish(given.code or 0)
    except KeyboardInterrupt:
        traceback.print_exc()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException:
        traceback.print_exc()
        finish(1)


def finish(status):
    """End as Python does, except for tearing down everything that was imported."""
    if isinstance(status, str):
        print(status, file=sys.stderr)  # noqa: T201
        status = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except OSError:
        traceback.print_exc()
        status = 120
    os._exit(status)


@cache
def server():
    """The address of the process that forks, started when it is first needed."""
    path = os.path.join(mkdtemp(), "forks")
    words = [sys.executable, __file__, path]
    started = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert started.stdout.readline() == b"\n"
    atexit.register(started.communicate)
    return path


CLIENT = """
import json, os, socket, sys
asked = socket.socket(socket.AF_UNIX)
asked.connect(sys.argv[1])
wish = {"words": sys.argv[2:], "cwd": os.getcwd(), "env": dict(os.environ), "session": False}
text = json.dumps(wish).encode()
socket.send_fds(asked, [b"%8d" % len(text)], [0, 1, 2])
asked.sendall(text)
os.closerange(0, 3)
asked.recv(8)
code = os.waitstatus_to_exitcode(int(asked.recv(8)))
os._exit(code if code >= 0 else 128 - code)
"""


def python():
    """What to write for ``python`` in a line for a shell."""
    client = Path(server()).with_name("client.py")
    client.write_text(CLIENT)
    return f"{sys.executable} -I -S {client} {server()}"


class Popen(subprocess.Popen):
    """`subprocess.Popen` of ``[sys.executable, "-m", module, *words]``, or of ``"-c", text``."""

    def _execute_child(self, args, executable, preexec_fn, close_fds, pass_fds, cwd, env, *rest):
        assert preexec_fn is None
        pipes, session = rest[3:9], rest[14]
        theirs = pipes[0], pipes[3], pipes[5]
        ends = [standard if end == -1 else end for standard, end in enumerate(theirs)]
        wish = {
            "words": args[1:],
            "cwd": os.fspath(cwd or os.getcwd()),
            "env": dict(os.environ if env is None else env),
            "session": session,
        }
        self.asked = socket.socket(socket.AF_UNIX)
        self.asked.connect(server())
        text = json.dumps(wish).encode()
        socket.send_fds(self.asked, [b"%8d" % len(text)], ends)
        self.asked.sendall(text)
        self.pid = int(self.asked.recv(8))
        self._child_created = True
        self._close_pipe_fds(*pipes)

    def _try_wait(self, wait_flags):
        self.asked.setblocking(not wait_flags & os.WNOHANG)
        try:
            status = self.asked.recv(8)
        except BlockingIOError:
            return 0, 0
        self.asked.close()
        return self.pid, int(status)

    def _internal_poll(self, **_):
        if self.returncode is None:
            pid, status = self._try_wait(os.WNOHANG)
            if pid:
                self._handle_exitstatus(status)
        return self.returncode


if not hasattr(os, "pidfd_open"):  # which Linux has; elsewhere it takes longer
    Popen, python = subprocess.Popen, lambda: sys.executable

if __name__ == "__main__":
    sys.path.remove(str(Path(__file__).parent))
    for name in IMPORTED:
        import_module(name)
    examples = import_module("novikoff.core.examples")
    examples.shuffled(None, 2, RandomState(0))  # numba is ready now
    gc.freeze()
    become(*serve(sys.argv[1]))
