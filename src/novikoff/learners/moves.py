"""The updates of the perceptrons: examples added to weights, times a step."""

from typing import Any

import numpy as np

from novikoff.learners.recording import Recorder, Redone
from novikoff.learners.state import State
from novikoff.loops import replay


class Moves(Recorder):
    """The updates of a perceptron; if `apart`, of one machine for each of many classes."""

    def __init__(self, *, apart: bool) -> None:
        self.apart = apart

    def redo(self, run: State, rows: Any, made: Redone) -> None:
        """Make these updates on a run."""
        W, bias = run.weights, float(run.space["fit_intercept"])
        gained, lost, base = made.gained, made.lost, 0
        if gained is None or lost is None:
            up = np.zeros(len(made.steps), np.int32)
            gained, lost = up, up - 1
        replay(W, rows, made.examples, made.steps, gained, lost, base, bias)
