"""What a kernel machine visits: rows in blocks, what is to be learned of them, and what was."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from novikoff.core.examples import Examples, constant, shuffled
from novikoff.core.log import Log
from novikoff.core.loops import Apart, Joint, Pass, Single
from novikoff.core.rows import Gram
from novikoff.errors import DataError
from novikoff.learners.epoch import NO_SHARES, NONE
from novikoff.learners.kernels.run import DualState
from novikoff.typing import Array

BLOCK = 256
"""How many rows are visited with one matrix product."""
ONE = np.ones(1)


class Targets(NamedTuple):
    """What is to be learned of some examples."""

    y: Array
    """The numbers of their classes."""
    steps: Array
    """What an update on each is multiplied by."""

    def at(self, places: Array) -> "Targets":
        """Those of the examples at these places."""
        return Targets(self.y[places], self.steps[places])

    def order(self, random: np.random.RandomState | None) -> Array:
        """The examples to visit: in their order or at random, without those of weight 0."""
        keep = np.flatnonzero(self.steps)
        return keep if random is None else shuffled(keep, len(self.y), random)


class Made(NamedTuple):
    """The updates made on a block."""

    delta: Array
    """What was added to the coefficient of each row in each weight vector."""
    carry: Array
    """What each weight vector was multiplied by before."""
    factors: Array = ONE
    """What each update multiplied its weights by, or one number for all."""

    def rows(self) -> tuple[Array, Array]:
        """The places of the rows that were added, and what was."""
        places = np.flatnonzero(self.delta.any(axis=1))
        return places, self.delta[places]


def targets(own: Array, weight: Array | None, dtype: np.dtype[Any]) -> Targets:
    """What is to be learned of examples of these classes, which weigh 1 if nothing else is said.

    Weights must be so far within the range of kernel values of this type that sums and squares are.
    """
    if weight is None:
        return Targets(own, np.ones(len(own)))
    most = 1e150 if dtype == np.float64 else 1e30
    bad = (weight > most) | ((weight > 0) & (weight < 1 / most))
    if bad.any():
        i = int(bad.argmax())
        raise DataError(
            f"Example {i} weighs {weight[i]:.3g}, but in {dtype} a weight must be 0, or from "
            f"{1 / most:.0e} to {most:.0e}: multiply all weights by one number. Only their ratios "
            "matter."
        )
    return Targets(own, weight)


def blocks(order: Array) -> Iterator[Array]:
    """The rows of an order, some at a time."""
    for low in range(0, len(order), BLOCK):
        yield order[low : low + BLOCK]


def pass_over(S: Array, G: Array, wanted: Targets, rule: Any, extra: Array, run: DualState) -> Pass:
    """A block as the loops know it: its scores are the weights, and its table is the rows."""
    n, K = S.shape
    W = np.zeros((K, n + 1))
    W[:, :n] = S.T
    rows = Gram(constant(np.ascontiguousarray(G, np.float64)))
    return Pass(
        kind=Single() if K == 1 else Joint() if run.is_joint else Apart(0),
        W=W,
        extra=extra,
        shares=NO_SHARES,
        log=Log.room(n * (1 if run.is_joint else K), recorded=True),
        D=Examples(rows, wanted.y).weighted(wanted.steps),
        rule=rule,
        since=np.zeros(K, np.int64),
        scores=np.empty(K),
        least=run.ledger.least,
        squares=NONE,
        mistakes=np.array([sum(run.ledger.mistakes)]),
        whole=False,
        measure=False,
    )
