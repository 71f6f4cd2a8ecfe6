"""A run made again from its record: the weights after any update, as they were."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from novikoff.learners.recording import Recorder, Redone
from novikoff.learners.state import Array, State
from novikoff.learners.updates import LARGEST, Growth, Updates, columns


class Replay:
    """A run on its way through its updates.

    Classes that a stream brought on the way make room for themselves here too, when they came.
    """

    def __init__(self, learner: Any, made: Updates, space: dict[str, Any], X: Any) -> None:
        self.learner, self.made = learner, made
        self.run = State(space, made.start.copy(), declared=learner._declared(space))
        self.run.extra = learner._extra(space, self.run.weights)
        if made.extra is not None:
            self.run.extra[learner._kept_by_rule] = made.extra.copy()
        self.rows = None if X is None else learner._rows(X, space)
        self.at = 0
        self.growths = list(made.growths)

    def weights(self, ks: Array) -> Iterator[Array]:
        """The weights after each of these updates, in increasing order; the next overwrites it."""
        for k in ks.tolist():
            while self.growths and self.growths[0].at <= k:
                growth = self.growths.pop(0)
                self._redo(growth.at)
                self._grow(self.run, growth)
            self._redo(k)
            yield self.complete().weights

    def _redo(self, k: int) -> None:
        made = self.made
        recorder = self.learner._recorder(self.run)
        changes = [n for n, _ in made.rules if self.at < n < k]
        for end in (*changes, k):
            if end == self.at:
                continue
            rule = next((rule for n, rule in reversed(made.rules) if n <= self.at), ())
            some = made.table[self.at : end]
            recorder.with_rule(rule).redo(self.run, self.rows, redone(some, self.run.many))
            self.at = end

    def _grow(self, run: State, growth: Growth) -> None:
        self.learner._spread(run, np.array(growth.places), growth.n_classes)

    def complete(self) -> State:
        """The run with all classes there will be; those that are still to come have no weights."""
        run = self.run if not self.growths else self.run.copy()
        for growth in self.growths:
            self._grow(run, growth)
        return run


def redone(some: Array, many: bool) -> Redone:
    """These updates, as they are to be made again."""
    names = some.dtype.names or ()
    step = np.ascontiguousarray(some["step"])
    example, score = (np.ascontiguousarray(some[name]) for name in ("example", "score"))
    if many:
        gained, lost = (np.ascontiguousarray(some[name]) for name in ("gained", "lost"))
        return Redone(example, step, score, gained, lost)
    if "gained" in names:  # there were two classes then, and there are more now
        step = np.where(some["gained"] > 0, step, -step)
    return Redone(example, step, score, None, None)


def recorder_of(made: Updates, learner: Any, space: dict[str, Any]) -> Recorder:
    """The part of the learner that goes through the updates of a run like this one at its end."""
    w = made.start if not made.growths else np.empty((made.growths[-1].n_classes, 1))
    recorder: Recorder = learner._recorder(State(space, w))
    return recorder


def told(made: Updates, apart: bool, pair: tuple[float, float]) -> tuple[Array, Array]:
    """The updates and the squared length of the start, as of all the classes there are now.

    Is there a machine for each class? `pair` is as `pair_of` says.
    """
    table, square = made.table[: made.n].copy(), made.square
    two = len(made.start) == 1
    for growth in made.growths:
        some, places = table[: growth.at], np.array(growth.places)
        if two and len(places) > 1:
            score, length = pair
            with np.errstate(over="ignore"):
                lead = some["score"] * np.where(some["gained"] > 0, score, -score)
                some["score"] = np.clip(lead, -LARGEST, LARGEST)
                some["square"] = np.fmin(some["square"] * length, LARGEST)
                square = np.fmin(square * length, LARGEST)
        if apart:
            spread = np.zeros(growth.n_classes)
            spread[places] = square
            square = spread
        for name in ("label", "gained", "lost"):
            some[name] = np.append(places, -1)[some[name]]  # -1, for none, stays
        two = False
    return table, square


def of_machine(made: Updates, replay: Replay, c: int, table: Array, square: Array) -> Updates:
    """The record of the machine of class `c` alone, from what `told` tells."""
    run, names = replay.complete(), table.dtype.names or ()
    some = (table["gained"] == c) | (table["lost"] == c)
    mine, own = table[some], np.empty(int(some.sum()), columns(counted="mistakes" in names))
    sign = np.where(mine["gained"] == c, 1, -1)
    for name in own.dtype.names or ():
        own[name] = mine[name]
    own["label"], own["step"] = sign, sign * mine["step"]
    # while there were two classes, one machine stood for both, and the score is of the one it was
    other = (mine["gained"] >= 0) & (mine["lost"] == c)
    own["score"] = np.where(other, -mine["score"], mine["score"])
    if "mistakes" in names:
        own["mistakes"] = np.cumsum(sign * own["score"] <= 0)
    before = np.append(0, np.cumsum(some))
    return replace(
        made,
        start=run.weights[c : c + 1].copy(),
        extra=None if made.extra is None else run.extra[replay.learner._kept_by_rule][c : c + 1],
        square=square[c : c + 1],
        before=0,
        table=own,
        n=len(own),
        growths=(),
        rules=tuple((int(before[n]), rule) for n, rule in made.rules),
    )
