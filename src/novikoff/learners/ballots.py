r"""The vote of many classes.

All weights of a run follow from its mistakes, and so do all scores: a mistake on $x_m$ changes
the scores of an example $x$ by its step times $\langle x_m, x\rangle + 1$. So these products are
taken once, as a matrix product, and the scores of each example are led through the run.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse

Array = npt.NDArray[Any]

PRODUCTS = 1 << 22
"""How many products to hold at a time."""


class Ballots(NamedTuple):
    """The updates of a run in order, as the votes need them."""

    rows: Any
    """The place of each example erred on, in the products."""
    steps: Any
    gained: Any
    lost: Any
    survived: Any
    """How many examples were seen before the first update, between each two, and after the last."""


@njit(cache=True)
def elect(votes, scores, products, made, last_of_ties):
    """Lead the scores of one example through the run; the class of the largest gets the votes."""
    K = len(scores)
    for m in range(len(made.survived)):
        if m > 0:
            a = made.steps[m - 1] * products[made.rows[m - 1]]
            if made.gained[m - 1] >= 0:
                scores[made.gained[m - 1]] += a
            if made.lost[m - 1] >= 0:
                scores[made.lost[m - 1]] -= a
        if made.survived[m] > 0:
            top = 0
            for c in range(1, K):
                if scores[c] > scores[top] or (last_of_ties and scores[c] == scores[top]):
                    top = c
            votes[top] += made.survived[m]


@njit(cache=True)
def elect_each(votes, scores, products, made, positive_on_line):
    """The same for one machine a class: each gets the votes for it less those against it."""
    K, seen = len(scores), 0
    since = np.zeros(K, np.int64)
    for m in range(len(made.steps) + 1):
        seen += made.survived[m]
        over = m == len(made.steps)
        for c in range(K):
            if over or c == made.gained[m] or c == made.lost[m]:
                for_it = scores[c] > 0.0 or (positive_on_line and scores[c] == 0.0)
                votes[c] += seen - since[c] if for_it else since[c] - seen
                since[c] = seen
        if not over:
            a = made.steps[m] * products[made.rows[m]]
            if made.gained[m] >= 0:
                scores[made.gained[m]] += a
            if made.lost[m] >= 0:
                scores[made.lost[m]] -= a


@njit(nogil=True, cache=True)
def vote(votes, scores, products, made, machines, positive_on_line):
    """The votes on some examples."""
    for i in range(len(votes)):
        if machines:
            elect_each(votes[i], scores[i], products[i], made, positive_on_line)
        else:
            elect(votes[i], scores[i], products[i], made, positive_on_line)


def products_with(support: Any, X: Any, bias: float) -> Array:
    r"""$\langle x_m, x\rangle$, and 1 for the bias, in double precision."""
    with np.errstate(over="ignore", invalid="ignore"):
        P = X.astype(np.float64) @ support.astype(np.float64).T
        P = P.toarray() if sparse.issparse(P) else P
        return np.ascontiguousarray(P + bias)
