"""The record of a run over sequences: which labels each was taken for."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from novikoff.core.log import NO_PATH, Updates, columns
from novikoff.learners.replay import Recorder, Redone
from novikoff.learners.state import State
from novikoff.typing import Array, Rows


class Rivals(Recorder):
    """The updates of a perceptron for sequences."""

    signed = False
    extra = "transitions"

    def __init__(self, *, counted: bool) -> None:
        self.counted = counted

    def begin(self, run: State) -> Updates:
        """A record that begins here."""
        made = super().begin(run)
        square = made.square + (run.extra[self.extra] ** 2).sum()
        table = np.empty(0, columns(counted=self.counted, chained=True))
        return replace(made, square=square, now=square.copy(), table=table)

    def redo(self, run: State, rows: Rows, made: Redone) -> None:
        """Updates of sequences are made again by their trace, which has the rival labels."""
        raise TypeError(type(self))


class Recorded(NamedTuple):
    """A record as of all the labels and features there are now."""

    W: Array
    """The weights at the start,"""
    T: Array
    """and the transitions."""
    rivals: Array
    begin: Array
    """Where the rival labels of each update begin, and where those of the last end."""


def as_of_now(made: Updates, n_classes: int, width: int) -> Recorded:
    """What a record has, with labels that came later as having been there, with weights of 0."""
    begin = np.append(0, np.cumsum(made.table["steps"][: made.n]))
    rivals: Array = made.rivals[: made.n_rivals].copy()
    places: Array = np.arange(len(made.start))
    for growth in made.growths:
        to = np.array(growth.places, NO_PATH.dtype)
        rivals[: begin[growth.at]] = to[rivals[: begin[growth.at]]]
        places = to[places]
    W, T = np.zeros((n_classes, width + 1), order="F"), np.zeros((n_classes, n_classes))
    shared = min(width, made.start.shape[1] - 1)
    W[places, :shared], W[places, -1] = made.start[:, :shared], made.start[:, -1]
    if made.extra is not None:
        T[np.ix_(places, places)] = made.extra
    return Recorded(W, T, rivals, begin)
