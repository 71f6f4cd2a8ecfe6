"""What the learners that compute their own step sizes have in common.

They also update on correct predictions whose margin is too small. Some keep more than weights:
variances or exponents.
"""

from math import hypot

import numpy as np

from novikoff.core.examples import weight
from novikoff.core.jit import njit
from novikoff.core.rows import SUM, column, first, last
from novikoff.inputs.arrays import as_rows
from novikoff.learners.base import MistakeDriven
from novikoff.learners.predict import FIT_INTERCEPT
from novikoff.learners.replay import Recorder, Ruled
from novikoff.learners.state import Space, State, first_weights
from novikoff.typing import Given, Matrix, Rows

INF = np.inf
TINY = 2.0**-1022
"""Below this, doubles have fewer digits."""
OUT_OF_RANGE = np.nan
"""What a rule returns where its step is too large or too small for floats."""


@njit
def is_felt(a, square, w):
    """Can the weights take a step of `a`, which was found from the square of a length?

    Not where the square left the range of doubles, or the step that of the weights.
    """
    return TINY <= square < INF and w.dtype.type(a) != 0


@njit(fastmath=SUM)
def size_under(w, X, i):
    r"""$|b| + \sum_j |w_j|$ over the columns that row `i` has entries in."""
    q = abs(np.float64(w[-1]))
    for k in range(first(X, i), last(X, i)):
        q += abs(np.float64(w[column(X, k)]))
    return q


@njit
def told(w, D, i):
    """What a rule tells of an update: the weight of the example, if these weights are in range."""
    return weight(D, i) if size_under(w, D.rows, i) < INF else OUT_OF_RANGE


class Online(MistakeDriven):
    """A learner that updates on a loss, which a right answer can have too (abstract).

    More than two classes have a machine each, against the rest.
    """

    fit_intercept: bool = FIT_INTERCEPT

    # ------------------------------------------------------ what it tells

    @property
    def radius_(self) -> float:
        r"""The length of the longest example, including the coordinate of 1 for the bias."""
        run = self._fitted()
        return hypot(run.ledger.length, float(run.space["fit_intercept"]))

    def _begin(self, X: Matrix, n_classes: int, coef: Given, intercept: Given) -> State:
        weights = first_weights(X, n_classes, coef, intercept, self.fit_intercept)
        return self._new(weights, n_classes)

    def _counts_updates(self, space: Space) -> bool:
        return True

    def _machines(self, space: Space) -> bool:
        return True

    def _recorder(self, run: State) -> Recorder:
        return Ruled(self._rule(run), self._kept_by_rule, apart=self._machines(run.space))

    def _rows(self, X: Matrix, space: Space) -> Rows:
        return as_rows(X)

    def _on_line(self) -> int:
        return -1
