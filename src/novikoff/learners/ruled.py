"""The updates of learners that choose their steps, made again by their rules."""

from typing import Any

import numpy as np

from novikoff.examples import Examples
from novikoff.jit import njit
from novikoff.learners.recording import Recorder, Redone
from novikoff.learners.state import State
from novikoff.rules import learn, push


@njit(cache=True)
def relearn(W, extra, D, made, rule):
    """Make these updates again, with the scores there were; `D` has room for weights."""
    examples, weights, scores, machines, signs = made
    for k in range(len(examples)):
        i, c, y = examples[k], machines[k], signs[k]
        D.weight[i] = weights[k]
        learn(rule, W[c], extra[c], y, y * scores[k], D, i)


@njit(cache=True)
def repush(W, D, made, rule):
    """The same where the right class gained what its rival lost."""
    examples, weights, leads, gained, lost = made
    for k in range(len(examples)):
        D.weight[examples[k]] = weights[k]
        push(rule, W, gained[k], lost[k], leads[k], D, examples[k])


def recovered(rule: Any, numbers: tuple[Any, ...]) -> Any:
    """A rule of this kind, from its numbers."""
    kinds = (type(value) for value in rule)
    return type(rule)(*(kind(number) for kind, number in zip(kinds, numbers, strict=True)))


class Ruled(Recorder):
    """The updates of machines that learn by a rule, or, if not `apart`, of classes jointly."""

    counted = True

    def __init__(self, rule: Any, extra: str = "", *, apart: bool = True) -> None:
        self.rule, self.extra, self.apart = rule, extra, apart

    def with_rule(self, numbers: tuple[Any, ...]) -> "Ruled":
        """The same with another rule."""
        return Ruled(recovered(self.rule, numbers), self.extra, apart=self.apart)

    def redo(self, run: State, rows: Any, made: Redone) -> None:
        """Make these updates on a run."""
        W, weights = run.weights, abs(made.steps)
        D = Examples(rows, None, np.ones(int(made.examples.max()) + 1))
        if made.gained is None or made.lost is None:
            which, sign = np.zeros(len(weights), np.int64), np.sign(made.steps).astype(np.int64)
        elif not self.apart:
            pairs = made.examples, weights, made.scores, made.gained, made.lost
            repush(W, D, pairs, self.rule)
            return
        else:
            which = np.maximum(made.gained, made.lost).astype(np.int64)
            sign = np.where(made.gained >= 0, 1, -1)
        extra = run.extra[self.extra] if self.extra else np.empty((len(W), 0))
        relearn(W, extra, D, (made.examples, weights, made.scores, which, sign), self.rule)
