r"""The voted perceptron (Freund & Schapire 1999, figure 1).

The mistakes are the perceptron's. Between two of them the hyperplane $(w_k, b_k)$ survives
$c_k$ examples, and gets as many votes:

$$\hat y = \operatorname{sign} \sum_k c_k \operatorname{sign}(\langle w_k, x\rangle + b_k).$$

Since $w_k$ is a sum of the first $k$ mistaken examples, the mistakes are kept, and no weight
vector but the last: to predict, the run is replayed over a block of examples at a time.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numba import njit
from scipy import sparse

from novikoff.examples import Examples
from novikoff.inputs import overflow, read
from novikoff.learners.additive import SEPARATE, Additive
from novikoff.learners.base import Array
from novikoff.learners.run import Run
from novikoff.rows import add, dot

BLOCK = 1 << 18
"""How many bytes of examples to vote on together: what stays in the second-level cache."""


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

    def stacked(self) -> Any:
        """The support in one piece."""
        if len(self.support) > 1:
            pieces = self.support
            if any(sparse.issparse(piece) for piece in pieces):
                stack = sparse.vstack([sparse.csr_array(piece) for piece in pieces], format="csr")
            else:
                stack = np.vstack(pieces)
            self.support = [stack]
        return self.support[0]


@njit(cache=True)
def cast(votes, low, X, w, made, survived, bias, on_line):
    """Replay the run, and let every hyperplane vote on the examples from `low` on.

    The weights go through the same sums as they did when learning, so each hyperplane
    votes as it would have predicted. Returns the first example without a finite score, or -1.
    """
    support, rows, steps = made
    for k in range(len(survived)):
        if k > 0:
            add(w, steps[k - 1], support, rows[k - 1])
            w[-1] += steps[k - 1] * bias
        if survived[k] > 0:
            for i in range(len(votes)):
                s = dot(w, X, low + i) + w[-1]
                if not abs(s) < np.inf:
                    return low + i
                positive = s > 0.0 or (s == 0.0 and on_line > 0)
                votes[i] += survived[k] if positive else -survived[k]
    return -1


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
        votes = np.zeros(X.shape[0])
        if not run.n_seen:
            return votes
        made, rows = run.memory, self._rows(X, run.space)
        survived = np.diff(np.concatenate([[0], *made.times, [run.n_seen]]))
        support = self._rows(made.stacked() if made.support else X[:1], run.space)
        replay = (
            support,
            np.concatenate([np.zeros(0, np.int64), *made.rows]),
            np.concatenate([np.zeros(0), *made.steps]),
        )
        bias, on_line = float(run.space["fit_intercept"]), self._on_line()
        size = X.nnz * 12 if sparse.issparse(X) else X.nbytes
        block = max(16, BLOCK * len(votes) // max(1, size))
        for low in range(0, len(votes), block):
            w = np.zeros_like(run.w) if run.start is None else run.start.copy()
            some = votes[low : low + block]
            if cast(some, low, rows, w, replay, survived, bias, on_line) >= 0:
                self._require_sound(X, run.space)
                raise overflow(w.dtype)
        return votes / run.n_seen

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

    def _advice(self) -> str:
        return f"{SEPARATE} The vote need not wait for that: it may do well as it is."
