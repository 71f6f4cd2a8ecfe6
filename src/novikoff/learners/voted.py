r"""The voted perceptron (Freund & Schapire 1999, figure 1).

The mistakes are the perceptron's. Between two of them the hyperplane $(w_k, b_k)$ survives
$c_k$ examples, and gets as many votes:

$$\hat y = \operatorname{sign} \sum_k c_k \operatorname{sign}(\langle w_k, x\rangle + b_k).$$

Since $w_k$ is a sum of the first $k$ mistaken examples, its score on $x$ is a running sum
of their inner products with $x$: the mistakes are kept, and no weight vector but the last.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numba import njit
from scipy import sparse
from sklearn.preprocessing import normalize

from novikoff.examples import Examples
from novikoff.inputs import read, weight_dtype
from novikoff.learners.base import Array
from novikoff.learners.perceptron import Additive
from novikoff.learners.run import Run

PRODUCTS = 1 << 21
"""How many inner products to hold at a time."""
CONVERTED = 1 << 10
"""How many examples of the support to hold as floats at a time, if they are not."""


@dataclass(slots=True, eq=False)
class Mistakes:
    """All mistakes of a run, in order, in the pieces they came in."""

    times: list[Array] = field(default_factory=list)
    """When: how many examples had been seen before."""
    steps: list[Array] = field(default_factory=list)
    r"""The signed step $\eta\,c_i\,y_i$ of the update."""
    support: list[Any] = field(default_factory=list)
    """The examples erred on, each once for every data set it came in."""
    rows: list[Array] = field(default_factory=list)
    """Which row of the support; of the data at hand, until they are settled."""
    n_kept: int = 0
    """How many examples the support has."""
    unsettled: int = 0
    """How many of the last pieces of `rows` speak of the data at hand."""

    def copy(self) -> "Mistakes":
        """The same mistakes, to add others to."""
        return replace(
            self,
            times=list(self.times),
            steps=list(self.steps),
            support=list(self.support),
            rows=list(self.rows),
        )

    def settle(self, X: Any) -> None:
        """Keep the examples erred on, so that the data at hand may go away."""
        if self.unsettled:
            new = np.concatenate(self.rows[-self.unsettled :])
            unique, inverse = np.unique(new, return_inverse=True)
            self.support.append(X[unique])
            self.rows[-self.unsettled :] = [self.n_kept + inverse]
            self.n_kept += len(unique)
            self.unsettled = 0


@njit(cache=True)
def cast(votes, s, G, rows, steps, survived, bias, on_line):
    """Let every hyperplane vote on a block of examples.

    `s` are their scores at the start, `G[j]` their inner products with the example `j` of
    the support. A score of 0 is a vote for `on_line`.
    """
    for k in range(len(survived)):
        if k > 0:
            product = G[rows[k - 1]]
            for r in range(len(s)):
                s[r] += steps[k - 1] * (product[r] + bias)
        for r in range(len(s)):
            positive = s[r] > 0.0 or (s[r] == 0.0 and on_line > 0)
            votes[r] += survived[k] if positive else -survived[k]


class VotedPerceptron(Additive):
    r"""The voted perceptron: let every hyperplane on the way vote, by how long it survived.

    $$\hat y = \operatorname{sign} \sum_k c_k \operatorname{sign}(\langle w_k, x\rangle + b_k)$$

    It errs on the same examples as `Perceptron` while it learns. If it makes $k$ mistakes
    in one pass, it errs on a new example with probability at most $2(k+1)/(T+1)$ in
    expectation, for examples drawn independently (Freund & Schapire 1999, theorem 3).

    Parameters
    ----------
    fit_intercept, normalize, tie, eta0, slack, shuffle, random_state, warm_start, class_weight
        As for `Perceptron`.
    max_iter : int, default=10
        The most epochs to make.

    Attributes
    ----------
    coef_, intercept_
        The last hyperplane's weights and bias. A vote is not linear: `predict` does not
        use them.
    classes_, n_features_in_, feature_names_in_
        As for `Perceptron`.
    n_iter_, mistakes_, n_mistakes_, converged_, dual_coef_, radius_
        As for `Perceptron`.

    Examples
    --------
    >>> from novikoff import VotedPerceptron
    >>> model = VotedPerceptron(shuffle=False).partial_fit([[2.0], [3.0]], [-1, 1])
    >>> model.n_mistakes_  # both: the hyperplanes -2x - 1 and then x, a vote each
    2
    >>> model.decision_function([[1.0], [-0.25]])
    array([ 0., -1.])

    References
    ----------
    Freund, Y. & Schapire, R. E. (1999). Large margin classification using the perceptron
    algorithm. Machine Learning 37(3), figure 1 and theorem 3.
    """

    def decision_function(self, X: Any) -> Array:
        r"""The vote on each row divided by $T$, in [-1, 1].

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive for `classes_[1]`, negative for `classes_[0]`.
        """
        run = self._fitted()
        X = read(self, X, reset=False)
        self._require_sound(X)
        made = run.memory
        times = np.concatenate([[0], *made.times, [run.n_seen]])
        rows = np.concatenate([np.zeros(0, np.int64), *made.rows])
        steps = np.concatenate([np.zeros(0), *made.steps])
        start = np.zeros(len(run.w)) if run.start is None else run.start.astype(np.float64)
        bias, on_line = float(self.fit_intercept), self._on_line()
        votes = np.zeros(X.shape[0])
        n_rows = max(16, PRODUCTS // max(1, made.n_kept))
        for low in range(0, len(votes), n_rows):
            block = self._floats(X[low : low + n_rows])
            s = np.asarray(block @ start[:-1]) + start[-1]
            G = np.empty((made.n_kept, len(s)), block.dtype)
            for place, support in self._support():
                product = support @ block.T
                G[place] = product.toarray() if sparse.issparse(product) else product
            cast(votes[low : low + n_rows], s, G, rows, steps, np.diff(times), bias, on_line)
        return votes / run.n_seen

    def _support(self) -> Iterator[tuple[slice, Any]]:
        """The support as floats, piece by piece, each with its place in the whole."""
        place = 0
        for block in self._run.memory.support:
            for low in range(0, block.shape[0], CONVERTED):
                piece = self._floats(block[low : low + CONVERTED])
                yield slice(place, place + piece.shape[0]), piece
                place += piece.shape[0]

    def _floats(self, X: Any) -> Any:
        X = X.astype(weight_dtype(X), copy=False)
        return normalize(X) if self.normalize else X

    def _begin(self, X: Any, coef: Any, intercept: Any) -> Run:
        run = Additive._begin(self, X, coef, intercept)
        run.memory = Mistakes()
        return run

    def _remember(self, run: Run, D: Examples, times: Array) -> None:
        rows = times if D.order is None else D.order[times]
        weight = 1.0 if D.weight is None else D.weight[rows]
        run.memory.times.append(run.n_seen + times)
        run.memory.steps.append(self.eta0 * weight * D.y[rows])
        run.memory.rows.append(rows.copy())
        run.memory.unsettled += 1

    def _settle(self, run: Run, X: Any) -> None:
        run.memory.settle(X)
