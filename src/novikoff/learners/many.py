"""Runs of more than two classes: their scores, their predictions, and how they take in a new class.

A run of two classes has one weight vector, for the second class against the first. A run
of more has one each, the rows of `w`. With two classes the rows would be $-w$ and $w$, and
the mistakes the same: so that is what a run of two classes grows from.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.examples import Examples, n_visits
from novikoff.jit import njit
from novikoff.products import dots

Array = npt.NDArray[Any]


@njit(nogil=True, cache=True)
def scores(W, X, out, low, high):
    r"""$\langle w_c, x_i\rangle + b_c$ for these rows, all classes; the first not finite, or -1."""
    for i in range(low, high):
        dots(W, X, i, out[i])
        for c in range(len(W)):
            out[i, c] += W[c, -1]
            if not np.isfinite(out[i, c]):
                return i
    return -1


def predicted(scores: Array, last_of_ties: bool) -> Array:
    """The class with the largest of each row of scores; of several, the first or the last."""
    if last_of_ties:
        last: Array = scores.shape[1] - 1 - scores[:, ::-1].argmax(axis=1)
        return last
    best: Array = scores.argmax(axis=1)
    return best


def first_visits(D: Examples, late: Array) -> Array:
    """From which visit on each class takes part: a late one from its first example on."""
    since = np.zeros(len(late), np.int64)
    if late.any():
        since[late] = n_visits(D)
        classes, first = np.unique(D.y[D.visits()], return_index=True)
        since[classes] = np.where(late[classes], first, 0)
    return since
