"""Time to work in: a clock that stands still while numba compiles.

A budget of seconds is for the work. If compiling counted too, the same question would have another
answer the first time it is asked.
"""

from threading import get_ident
from time import monotonic
from typing import Any

from numba.core import event


class Compiling(event.Listener):
    """How many kernels were compiled, and in how many seconds."""

    def __init__(self) -> None:
        self.began: dict[int, list[float]] = {}
        self.kernels, self.seconds = 0, 0.0

    def on_start(self, event: Any) -> None:
        """A kernel begins to be compiled; so, within, do those it calls."""
        self.began.setdefault(get_ident(), []).append(monotonic())

    def on_end(self, event: Any) -> None:
        """It is compiled."""
        own = self.began[get_ident()]
        began = own.pop()
        if not own:
            self.kernels += 1
            self.seconds += monotonic() - began


COMPILING = Compiling()
event.register("numba:compile", COMPILING)


def now() -> float:
    """Seconds since some moment, without those that were spent compiling."""
    return monotonic() - COMPILING.seconds
