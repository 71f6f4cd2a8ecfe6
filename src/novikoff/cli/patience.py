"""What a command says while it looks for a proof."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from novikoff.cli import say

MOMENT = 3.0
"""After how many seconds the command says what it is doing."""


@contextmanager
def reassuring(budget: float) -> Iterator[None]:
    """Say what is going on, if it takes more than a moment."""
    told = Timer(MOMENT, say, [f"looking for a proof, for {budget:g} seconds at most (--budget)"])
    told.daemon = True
    told.start()
    try:
        yield
    finally:
        told.cancel()
