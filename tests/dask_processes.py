"""A scheduler and workers as a user starts them: processes on the loopback address."""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from forks import Popen

ROOT = Path(__file__).parent.parent
PATIENCE = 60


class Processes:
    """`dask scheduler` and some `dask worker`, which can be killed."""

    def __init__(self, folder):
        self.folder, self.workers, self.started = Path(folder), [], []
        self.scheduler, self.address = None, None

    def start(self, name, *words, **environment):
        """Start `dask` with these words, what it says going to a file."""
        log = self.folder / f"{name}.log"
        here = {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
        with log.open("w") as file:
            start = Popen if "PYTHONPATH" not in environment else subprocess.Popen
            process = start(
                [sys.executable, "-m", "dask", *words],
                stdout=file,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env=os.environ | here | environment,
            )
        self.started.append(process)
        return process, log

    def start_scheduler(self, port=0):
        self.scheduler, log = self.start(
            f"scheduler-{len(self.started)}",
            *("scheduler", "--host", "127.0.0.1", "--port", str(port)),
            *("--dashboard-address", "127.0.0.1:0"),
        )
        self.address = wait_for(lambda: re.search(r"Scheduler at:\s+(tcp://\S+)", log.read_text()))
        self.address = self.address.group(1)

    def start_worker(self, *words, **environment):
        """Without a nanny if not asked for: the process that is killed is the one that works."""
        name = f"worker-{len(self.started)}"
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--name", name)
        process, _ = self.start(name, "worker", self.address, *options, *words, **environment)
        self.workers.append(process)
        return process

    def close(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.wait()


def wait_for(what):
    """Whatever this gives, as soon as it gives something."""
    for _ in range(PATIENCE * 20):
        if found := what():
            return found
        time.sleep(0.05)
    raise TimeoutError


def kill(process):
    """As `kill -9` does."""
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def processes(folder, n_workers=2):
    """A scheduler and so many workers."""
    found = Processes(folder)
    try:
        found.start_scheduler()
        for _ in range(n_workers):
            found.start_worker()
        yield found
    finally:
        found.close()
