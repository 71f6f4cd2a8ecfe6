"""Which labels of a sequence may stand where."""

from typing import NamedTuple

import numpy as np

from novikoff.core.jit import njit
from novikoff.typing import Array


class Grammar(NamedTuple):
    """Which labels may stand where: 0 for those that may, minus infinity for the others.

    The arrays are empty if all may.
    """

    first: Array = np.empty(0)
    last: Array = np.empty(0)
    after: Array = np.empty((0, 0))
    """A row for each label: which may come after it."""


@njit
def within_grammar(S, n, K, grammar):
    """Leave out the labels that may not be the first, or the last."""
    for c in range(len(grammar.first)):
        S[c] += grammar.first[c]
        S[(n - 1) * K + c] += grammar.last[c]


@njit
def allow(T, grammar, room):
    """The transitions, minus infinity where there may be none; and the room that is left."""
    K = len(T)
    if len(grammar.first) == 0:
        return T, room[K * K :]
    allowed = room[: K * K].reshape(K, K)
    for q in range(K):
        for c in range(K):
            allowed[q, c] = T[q, c] + grammar.after[q, c]
    return allowed, room[K * K :]
