"""Workers that are started here do not hear Ctrl-C: it is for the command, which ends them."""

import signal
from threading import current_thread, main_thread
from typing import Any


def dask_setup(worker: Any) -> None:
    """Called by dask in every worker that was told to load this module."""
    if current_thread() is main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
