r"""The vote of many classes.

All weights of a run follow from its mistakes, and so do all scores: a mistake on $x_m$ changes
the scores of an example $x$ by its step times $\langle x_m, x\rangle + 1$. So these products are
taken once, as a matrix product, and the scores of many examples are led through the run together.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from novikoff.core.jit import njit
from novikoff.typing import Array

PRODUCTS = 1 << 23
"""How many products a thread may hold at a time,"""
AT_ONCE = 256
"""and of how many examples."""


class Ballots(NamedTuple):
    """The updates of a run in order, as the votes need them."""

    rows: Any
    """The place of each example erred on, in the products."""
    steps: Any
    gained: Any
    lost: Any
    survived: Any
    """How many examples were seen before the first update, between each two, and after the last."""


@njit
def apply(scores, products, made, m):
    """Make update `m` on the scores of all examples."""
    up, down = made.gained[m], made.lost[m]
    changes = products[made.rows[m]]
    for i in range(scores.shape[1]):
        a = made.steps[m] * changes[i]
        if up >= 0:
            scores[up, i] += a
        if down >= 0:
            scores[down, i] -= a


@njit(allocates=True)
def find_best(scores, best, top, last_of_ties):
    """Which class has the largest score on each example."""
    best[:], top[:] = scores[0], 0
    for c in range(1, len(scores)):
        for i in range(len(top)):
            s = scores[c, i]
            better = s >= best[i] if last_of_ties else s > best[i]
            best[i] = s if better else best[i]
            top[i] = c if better else top[i]


@njit(allocates=True, cache=True)
def elect(votes, scores, products, made, last_of_ties):
    """Lead the scores through the run; the class of the largest gets the votes."""
    best, top = np.empty(scores.shape[1]), np.empty(scores.shape[1], np.int64)
    for m in range(len(made.survived)):
        if m > 0:
            apply(scores, products, made, m - 1)
        if made.survived[m] > 0:
            find_best(scores, best, top, last_of_ties)
            for i in range(len(top)):
                votes[i, top[i]] += made.survived[m]


@njit(allocates=True, cache=True)
def elect_each(votes, scores, products, made, positive_on_line):
    """The same for one machine a class: each gets the votes for it less those against it."""
    seen, since = 0, np.zeros(len(scores), np.int64)
    for m in range(len(made.steps) + 1):
        seen += made.survived[m]
        over = m == len(made.steps)
        for c in range(len(scores)):
            if over or c == made.gained[m] or c == made.lost[m]:
                for i in range(len(votes)):
                    s = scores[c, i]
                    for_it = s >= 0.0 if positive_on_line else s > 0.0
                    votes[i, c] += seen - since[c] if for_it else since[c] - seen
                since[c] = seen
        if not over:
            apply(scores, products, made, m)


@njit(nogil=True, cache=True)
def vote(votes, scores, products, made, machines, positive_on_line):
    """The votes on some examples, a row each; scores and products have a column each."""
    if machines:
        elect_each(votes, scores, products, made, positive_on_line)
    else:
        elect(votes, scores, products, made, positive_on_line)


def products_with(support: Any, X: Any, bias: float) -> Array:
    r"""$\langle x_m, x\rangle$, and 1 for the bias: a row for each $x_m$, a column for each $x$."""
    with np.errstate(over="ignore", invalid="ignore"):
        P = support @ X.T
        P = P.toarray() if sparse.issparse(P) else P
        P += bias
        return np.ascontiguousarray(P)
