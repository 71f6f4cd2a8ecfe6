"""Signals that end a run where it is, so that what it has learned is not lost."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from novikoff.cli import Terminated, say


@contextmanager
def stopping(end: Callable[[], None], stopped: list[int]) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end a run after the block it is at; a second one at once.

    The number of the signal is put into `stopped`.
    """
    before: dict[int, Any] = {}

    def stop(number: int, frame: Any) -> None:
        end()
        stopped.append(number)
        for each, handler in before.items():
            signal.signal(each, handler)

    for each in (signal.SIGINT, signal.SIGTERM):
        before[each] = signal.signal(each, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def tell_so_far(where: str, output: str, number: int) -> int:
    """Say that the model of a run that was stopped is there; the status of that signal."""
    place = "went to standard output" if output == "-" else f"is in {output}"
    say(f"stopped {where}; the model so far {place}.")
    return 128 + number


def as_signalled(number: int) -> NoReturn:
    """Let a signal that was held back end the command after all."""
    raise KeyboardInterrupt if number == signal.SIGINT else Terminated
