r"""The voted perceptron with more than two classes.

All weights of a run follow from its mistakes, and so do all scores. A mistake on the example $x_m$
changes the scores of $x$ by the step times $\langle x_m, x\rangle + 1$. So these products are
computed once, as a matrix product, and the scores of many examples follow the run together.

A matrix product may round a row differently depending on the other rows of the batch. If at some
vote two scores are so close that this could matter, the example is scored again, alone. So
predictions for a row do not depend on the other rows of the batch.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from novikoff.core.jit import njit
from novikoff.inputs.arrays import as_rows
from novikoff.learners.predict import scores
from novikoff.typing import Array, Matrix

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
    doubts: Any
    """How far each update may be from what it would be in other company, per length of example."""
    survived: Any
    """How many examples were seen before the first update, between each two, and after the last."""


@njit
def apply(scores, doubt, products, made, m):
    """Make update `m` on the scores of all examples."""
    up, down = made.gained[m], made.lost[m]
    changes = products[made.rows[m]]
    for i in range(scores.shape[1]):
        a = made.steps[m] * changes[i]
        if up >= 0:
            scores[up, i] += a
        if down >= 0:
            scores[down, i] -= a
    if up >= 0:
        doubt[up] += made.doubts[m]
    if down >= 0:
        doubt[down] += made.doubts[m]


@njit(allocates=True)
def find_best(scores, best, next_best, top, last_of_ties):
    """Which class has the largest score on each example, and the two largest scores."""
    best[:], next_best[:], top[:] = scores[0], -np.inf, 0
    for c in range(1, len(scores)):
        for i in range(len(top)):
            s = scores[c, i]
            better = s >= best[i] if last_of_ties else s > best[i]
            other = best[i] if better else s
            next_best[i] = other if other > next_best[i] else next_best[i]
            best[i] = s if better else best[i]
            top[i] = c if better else top[i]


@njit
def n_close(best, doubt, lengths):
    """Of how many examples the two largest scores are so close that this may be for rounding."""
    n = 0
    for i in range(len(lengths)):
        n += best[0, i] - best[1, i] < doubt * lengths[i]
    return n


@njit
def is_close(scores, doubt, length, i, top):
    """Could another class than `top` have the largest score of example `i`, for rounding?"""
    for c in range(len(scores)):
        if c != top and scores[top, i] - scores[c, i] < (doubt[c] + doubt[top]) * length:
            return True
    return False


@njit(allocates=True)
def elect(votes, scores, products, made, doubt, lengths, unsure, last_of_ties):
    """Lead the scores through the run; the class of the largest gets the votes."""
    best, top = np.empty((2, scores.shape[1])), np.empty(scores.shape[1], np.int64)
    for m in range(len(made.survived)):
        if m > 0:
            apply(scores, doubt, products, made, m - 1)
        if made.survived[m] > 0:
            find_best(scores, best[0], best[1], top, last_of_ties)
            for i in range(len(top)):
                votes[i, top[i]] += made.survived[m]
            if n_close(best, 2.0 * doubt.max(), lengths) > 0:
                for i in range(len(top)):
                    unsure[i] = unsure[i] or is_close(scores, doubt, lengths[i], i, top[i])


@njit(allocates=True)
def elect_each(votes, scores, products, made, doubt, lengths, unsure, positive_on_line):
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
                    unsure[i] |= abs(s) < doubt[c] * lengths[i]
                since[c] = seen
        if not over:
            apply(scores, doubt, products, made, m)


@njit(allocates=True, nogil=True, cache=True)
def vote(votes, scores, products, made, doubt, lengths, unsure, machines, positive_on_line):
    """The votes on some examples, a row each; scores and products have a column each.

    `doubt` is how far the score of each class may be off at the start, per length of an example.
    """
    if machines:
        elect_each(votes, scores, products, made, doubt, lengths, unsure, positive_on_line)
    else:
        elect(votes, scores, products, made, doubt, lengths, unsure, positive_on_line)


def products_with(support: Any, X: Matrix, bias: float) -> Array:
    r"""$\langle x_m, x\rangle$, and 1 for the bias: a row for each $x_m$, a column for each $x$."""
    with np.errstate(over="ignore", invalid="ignore"):
        P = support @ X.T
        P = P.toarray() if sparse.issparse(P) else P
        P += bias
        return np.ascontiguousarray(P)


def products_alone(support: Matrix, x: Array, bias: float) -> Array:
    """The same for a single example, which any company leaves as they are."""
    out = np.empty(support.shape[0])
    scores(np.append(x, bias), as_rows(support), out, 0, len(out))
    return out[:, None]
