"""What a command says while it looks for a proof."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

from novikoff.cli import say

MOMENT = 3.0
"""After how many seconds the command says what it is doing,"""
EVERY = 10.0
"""and how often it says how long it has been at it."""


@contextmanager
def reassuring(budget: float) -> Iterator[None]:
    """Say what is going on if it takes more than a moment, and how far it is from then on."""
    done, began = Event(), monotonic()

    def tell() -> None:
        if done.wait(MOMENT):
            return
        say(f"looking for a proof, for {budget:g} seconds at most (--budget)")
        while not done.wait(EVERY):
            say(f"looking for a proof: {monotonic() - began:.0f} of {budget:g} seconds")

    told = Thread(target=tell, daemon=True)
    told.start()
    try:
        yield
    finally:
        done.set()
        told.join()
