"""The updates of the learners of `machines.py`, made once more by their rules."""

from typing import Any

import numpy as np

from novikoff.examples import Examples
from novikoff.learners import machines
from novikoff.learners.joint import Made
from novikoff.learners.recording import Before, Recorder, Redone
from novikoff.learners.run import Array, Run
from novikoff.learners.updates import Found
from novikoff.products import suited


def taking_part(since: Array, W: Array) -> machines.Taking:
    """Which machines take part: there is a rest only once there is a second class."""
    since = np.maximum(since, np.sort(since)[1]) if len(W) > 1 else np.zeros(1, np.int64)
    return machines.Taking(since, np.empty(len(W), W.dtype))


def of_machines(w: Array, beside: Array | None) -> tuple[Array, Array]:
    """The weights of all machines, and what each keeps beside them."""
    W = np.atleast_2d(w)
    if beside is None:
        return W, np.empty((len(W), 0))
    return W, beside if w.ndim > 1 else beside[None]


def recovered(rule: Any, numbers: tuple[Any, ...]) -> Any:
    """A rule of this kind, from its numbers."""
    kinds = (type(value) for value in rule)
    return type(rule)(*(kind(number) for kind, number in zip(kinds, numbers, strict=True)))


class Ruled(Recorder):
    """The updates of machines that learn by a rule; `whole` if one may change all weights."""

    counted = beside = True

    def __init__(self, rule: Any, *, whole: bool, apart: bool = True) -> None:
        self.rule, self.whole, self.apart = rule, whole, apart

    def with_rule(self, numbers: tuple[Any, ...]) -> "Ruled":
        """The same with another rule."""
        return Ruled(recovered(self.rule, numbers), whole=self.whole, apart=self.apart)

    def retrace(
        self, before: Before, made: Made, k: int, D: Examples, since: Array, now: Array
    ) -> Found:
        """Make a pass once more."""
        found = Found.room(k)
        found.mistakes[0] = before.mistakes
        w = suited(before.w, D.rows) if before.w.ndim > 1 else before.w
        W, beside = of_machines(w, before.beside)
        taking = taking_part(since, W)
        machines.retrace(W, beside, D, self.rule, taking, self.whole, now, found)
        return found

    def redo(self, run: Run, rows: Any, made: Redone) -> None:
        """Make these updates on a run."""
        W, beside = of_machines(run.w, run.beside)
        room, weights = np.ones(int(made.examples.max()) + 1), abs(made.steps)
        if made.gained is None or made.lost is None:
            machine, sign = np.zeros(len(weights), np.int64), np.sign(made.steps).astype(np.int64)
        else:
            machine = np.maximum(made.gained, made.lost).astype(np.int64)
            sign = np.where(made.gained >= 0, 1, -1)
        of = made.examples, weights, made.scores, machine, sign
        machines.redo(W, beside, Examples(rows, None, room), of, self.rule)
