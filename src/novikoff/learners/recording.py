"""The part of a learner that makes its updates again, for whoever asks for weights on the way."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from novikoff.learners.state import Array, State
from novikoff.learners.updates import LARGEST, Updates, columns


class Redone(NamedTuple):
    """Updates to be made again; classes are None where there are two."""

    examples: Array
    steps: Array
    """Of two classes, signed."""
    scores: Array
    gained: Array | None
    lost: Array | None


class Recorder(ABC):
    """How the updates of a learner are recorded, and made again (abstract)."""

    apart = False
    """Has each of many classes a machine, whose squared length is recorded?"""
    counted = False
    """Are mistakes counted apart, since there are updates that are none?"""
    signed = True
    """Of two classes, have steps the sign of the label?"""
    extra = ""
    """What updates change beside the weights, if they do."""
    rule: tuple[Any, ...] = ()
    """What it takes to make the updates again, beside their steps and the space of the run."""

    @abstractmethod
    def redo(self, run: State, rows: Any, made: Redone) -> None:
        """Make these updates on a run."""

    def with_rule(self, numbers: tuple[Any, ...]) -> "Recorder":
        """The same with another rule."""
        return self

    def begin(self, run: State) -> Updates:
        """A record that begins here."""
        own = run.ledger.own_squares * float(run.space.get("slack", 0.0)) ** 2
        with np.errstate(over="ignore"):
            squares = (run.weights.astype(np.float64) ** 2).sum(axis=1)
            square = (squares if self.apart else squares.sum(keepdims=True)) + own
        square = np.minimum(square, LARGEST)
        return Updates(
            run.weights.copy(),
            square,
            sum(run.ledger.mistakes),
            table=np.empty(0, columns(many=run.many, counted=self.counted)),
            extra=run.extra[self.extra].copy() if self.extra else None,
            now=square.copy(),
        )

    def grow(self, made: Updates, pair: tuple[float, float], places: Array, n_classes: int) -> None:
        """Go on recording where more classes have come; `pair` is as `pair_of` says."""
        if self.apart:
            now = np.zeros(n_classes)
            now[places] = made.now
        else:
            two = len(made.start) == 1 and not made.growths
            now = made.now * (pair[1] if two else 1.0)
        made.grow(places, n_classes, np.fmin(now, LARGEST))


def pair_of(learner: Any, space: dict[str, Any], apart: bool) -> tuple[float, float]:
    """What a score of one weight vector, and its squared length, are when it becomes two.

    Where classes are learned jointly, the score is by how much one leads the other.
    """
    weights = np.ones((1, 2))
    run = State(space, weights, learner._extra(space, weights), learner._declared(space))
    learner._spread(run, np.arange(2), 3)
    low, high = run.weights[0, 0], run.weights[1, 0]
    return (float(high), float(high**2)) if apart else (float(high - low), float(high**2 + low**2))
