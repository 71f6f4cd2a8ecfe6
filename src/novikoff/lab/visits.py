"""Every example that a run visited, one after the other, as a student follows it.

A trace has the updates alone. Which examples were visited between them follows from the order.
"""

from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from novikoff.core.examples import shuffled
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
    mistake: Array
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
    table, slack = order(trace), float(trace._space.get("slack", 0.0))
    if table is None:
        k = np.arange(len(trace))
        every = np.ones(len(k), bool)
        own = private(trace.example, every, trace, slack)
        return Visits(trace.epoch, trace.example, trace.score, k, every, own, False)
    epochs, n = table.shape
    example = table.ravel()
    mistake = np.zeros(epochs * n, bool)
    mistake[trace.epoch.astype(np.int64) * n + trace.position] = True
    before = np.cumsum(mistake) - mistake
    score = (W[before, :-1] * Z[example]).sum(axis=1) + W[before, -1]
    own = private(example, mistake, trace, slack)
    score += 0.0 if own is None else own
    score[mistake] = trace.score
    return Visits(np.repeat(np.arange(epochs), n), example, score, before, mistake, own, True)


def private(example: Array, mistake: Array, trace: Trace, slack: float) -> Array | None:
    """At each visit, what the steps that were made on that example before have added."""
    if not slack:
        return None
    steps, own, out = iter(trace.step.tolist()), np.zeros(trace._n_given), np.zeros(len(example))
    for t, (i, wrong) in enumerate(zip(example.tolist(), mistake.tolist(), strict=True)):
        out[t] = own[i]
        if wrong:
            own[i] += next(steps)
    return out * slack * slack


def means(visited: Visits, W: Array) -> Array:
    """The mean of the weights after each visit so far: how an averaged perceptron predicts."""
    after = W[visited.before + visited.mistake]
    count = 1 + np.arange(len(after))[:, None]
    mean: Array = np.cumsum(after, axis=0) / count
    return mean
