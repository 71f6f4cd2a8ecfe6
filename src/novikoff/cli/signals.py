"""Signals that end a run where it is, so that what it has learned is not lost."""

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import current_thread, main_thread
from types import FrameType
from typing import NoReturn


class Terminated(BaseException):
    """SIGTERM came: what is half done is to be cleared away, as for Ctrl-C.

    Either may say what was written, if anything was.
    """


@contextmanager
def ending_at_sigterm() -> Iterator[None]:
    """Let SIGTERM end the command as Ctrl-C does."""

    def terminate(number: int, frame: FrameType | None) -> None:
        raise Terminated

    with ExitStack() as handlers:
        if current_thread() is main_thread():  # the only one that hears of signals
            before = signal.signal(signal.SIGTERM, terminate)
            handlers.callback(signal.signal, signal.SIGTERM, before)
        yield


@contextmanager
def stopping(end: Callable[[], None]) -> Iterator[list[int]]:
    """Let Ctrl-C and SIGTERM end a run after the block it is at; a second one at once.

    The number of the signal is put into the list.
    """
    stopped: list[int] = []
    with ExitStack() as handlers:

        def stop(number: int, frame: FrameType | None) -> None:
            end()
            stopped.append(number)
            handlers.close()

        for each in (signal.SIGINT, signal.SIGTERM):
            handlers.callback(signal.signal, each, signal.signal(each, stop))
        yield stopped


def as_signalled(number: int) -> NoReturn:
    """Let a signal that was held back end the command after all."""
    raise KeyboardInterrupt if number == signal.SIGINT else Terminated
