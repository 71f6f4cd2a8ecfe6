"""Every example that a run visited, one after the other, as a student follows it.

A trace has the updates alone. Which examples were visited between them follows from the order.
"""

from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from novikoff.core.examples import shuffled
from novikoff.learners.additive import TIES
from novikoff.proofs.trace import Trace
from novikoff.typing import Array

MOST_STEPS = 20_000


class Visits(NamedTuple):
    """What happened at each step."""

    epoch: Array
    example: Array
    score: Array
    r"""$\langle w, x\rangle + b$ before the step; with slack, the private part counted in."""
    before: Array
    """How many updates there had been."""
    update: Array
    """Did the weights change?"""
    mistake: Array
    """Was the answer wrong? With a margin, there are updates on right answers too."""
    own: Array | None
    """What of the score is due to the example's private feature; None without slack."""
    complete: bool
    """Are these all visits, or the updates alone?"""


def order(trace: Trace) -> Array | None:
    """The examples of each epoch in the order of the visits, a row each; None if not known."""
    learner, n, epochs = trace._learner, trace._n_given, len(trace.mistakes_per_epoch)
    seed = learner.random_state
    known = not learner.shuffle or isinstance(seed, int | np.integer)
    if not known or trace._made.visited != n or not 0 < n * epochs <= MOST_STEPS:
        return None
    random = check_random_state(seed)
    rows = [shuffled(None, n, random) if learner.shuffle else np.arange(n) for _ in range(epochs)]
    table = np.array(rows)
    # a warm start, or blocks that were shuffled one by one, had another order
    inside = (trace.epoch < epochs) & (trace.position < n)
    if not inside.all() or (table[trace.epoch, trace.position] != trace.example).any():
        return None
    return table


def visits(trace: Trace, W: Array, Z: Array) -> Visits:
    """All visits, if their order is known; else the updates alone.

    `W` has the weights after every update, the start first; `Z` the examples as the learner saw
    them.
    """
    table = order(trace)
    if table is None:
        epoch, example, update = trace.epoch, trace.example, np.ones(len(trace), bool)
    else:
        epochs, n = table.shape
        epoch, example = np.repeat(np.arange(epochs), n), table.ravel()
        update = np.zeros(len(example), bool)
        update[trace.epoch.astype(np.int64) * n + trace.position] = True
    before = np.cumsum(update) - update
    score = (W[before, :-1] * Z[example]).sum(axis=1) + W[before, -1]
    own = private(example, update, trace) if trace._space.get("slack") else None
    score += 0.0 if own is None else own
    score[update], mistake = trace.score, update.copy()
    if trace._space.get("margin"):
        sign = trace.data[1][trace.example]
        m, on_line = sign * trace.score, TIES[trace._learner.tie]
        mistake[update] = (m < 0) | ((m == 0) & (sign != on_line))
    return Visits(epoch, example, score, before, update, mistake, own, table is not None)


def private(example: Array, update: Array, trace: Trace) -> Array:
    """At each visit, what the steps that were made on that example before have added."""
    slack = float(trace._space["slack"])
    steps, own, out = iter(trace.step.tolist()), np.zeros(trace._n_given), np.zeros(len(example))
    for t, (i, learned) in enumerate(zip(example.tolist(), update.tolist(), strict=True)):
        out[t] = own[i]
        if learned:
            own[i] += next(steps)
    return out * slack * slack


def means(visited: Visits, W: Array) -> Array:
    """The mean of the weights after each visit so far: how an averaged perceptron predicts."""
    after = W[visited.before + visited.update]
    count = 1 + np.arange(len(after))[:, None]
    mean: Array = np.cumsum(after, axis=0) / count
    return mean
