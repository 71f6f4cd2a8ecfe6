"""Workers that are started here do not hear Ctrl-C, and say nothing of tasks that fail.

Both are for the command: it ends them, and tells what went wrong.
"""

import logging
import signal
from threading import current_thread, main_thread


def dask_setup(worker: object) -> None:
    """Called by dask in every worker that was told to load this module."""
    if current_thread() is main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("distributed.worker").setLevel(logging.CRITICAL)
