r"""The voted perceptron (Freund & Schapire 1999, figure 1).

It makes the mistakes of the perceptron. Between two updates, the hyperplane $(w_k, b_k)$ stays for
$c_k$ examples, and it gets as many votes on the sign of the score of $x$:

$$\hat y = \operatorname{sign} \sum_k c_k \operatorname{sign}(\langle w_k, x\rangle + b_k).$$

Since $w_k$ is a sum over the first $k$ mistakes, the model keeps the mistakes, and no weight vector
but the last. To predict, it replays the run, and lets the hyperplanes vote in blocks.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from novikoff.core.examples import Examples
from novikoff.core.jit import njit
from novikoff.core.log import Log
from novikoff.core.loops import replay as replay_log
from novikoff.core.rows import add, dot
from novikoff.inputs.arrays import as_rows, at_unit_length, lengths_of, overflow, read
from novikoff.learners.additive import Additive
from novikoff.learners.state import State
from novikoff.learners.voting import (
    AT_ONCE,
    PRODUCTS,
    Ballots,
    products_alone,
    products_with,
    vote,
)
from novikoff.parallel.cores import n_threads, one_thread_each, side_by_side, spans
from novikoff.typing import Array, Given, Matrix, MatrixLike

BLOCK = 1 << 10
"""How many examples to vote on together, and"""
WEIGHTS = 1 << 22
"""how many weights, of the hyperplanes that vote together, to hold at a time."""


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
    gained: list[Array] = field(default_factory=list)
    """Of more than two classes: which one gained the example, -1 for none,"""
    lost: list[Array] = field(default_factory=list)
    """and which one lost it."""
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
            gained=list(self.gained),
            lost=list(self.lost),
        )

    def _lists(self) -> tuple[list[Any], ...]:
        return self.times, self.steps, self.support, self.rows, self.gained, self.lost

    def mark(self) -> tuple[list[int], int]:
        """Where settled mistakes end now."""
        return [len(pieces) for pieces in self._lists()], self.n_kept

    def back_to(self, mark: tuple[list[int], int]) -> None:
        """Forget what came after that."""
        lengths, self.n_kept = mark
        for pieces, length in zip(self._lists(), lengths, strict=True):
            del pieces[length:]
        self.unsettled = 0

    def spread(self, places: Array) -> None:
        """The classes have new numbers; two classes were known by the sign of the step."""
        if not self.gained and len(places) == 2:
            positive = [step > 0 for step in self.steps]
            self.gained = [p.astype(np.int32) for p in positive]
            self.lost = [(~p).astype(np.int32) for p in positive]
            self.steps = [abs(step) for step in self.steps]
        numbers = np.append(places, -1).astype(np.int32)  # -1 stays: it is the last
        self.gained = [numbers[classes] for classes in self.gained]
        self.lost = [numbers[classes] for classes in self.lost]

    def settle(self, X: Matrix) -> None:
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


@njit(allocates=True, cache=True)
def replay(W, w, made, k, bias):
    """Go through the run from its `k`-th hyperplane on, and write each down.

    The weights go through the same sums as they did when learning.
    """
    support, rows, steps = made
    for c in range(len(W)):
        if k + c > 0:
            add(w, steps[k + c - 1], support, rows[k + c - 1])
            w[-1] += steps[k + c - 1] * bias
        W[c] = w


@njit(allocates=True, nogil=True, cache=True)
def cast(votes, S, lengths, X, low, W, survived, on_line):
    """Add up the votes of hyperplanes `W` on the examples from `low` on.

    `S` are their scores by a matrix product, which may round otherwise than learning did: one
    that is so near 0 that this could matter is computed again as learning does it. Returns
    the first example without a finite score, or -1.
    """
    doubt = 4 * (W.shape[1] + 4) * np.finfo(W.dtype).eps
    for c in range(len(W)):
        reach = np.sqrt((W[c].astype(np.float64) ** 2).sum())
        unclear = 0
        for i in range(len(votes)):
            clear = doubt * (lengths[low + i] + 1.0) * reach < abs(S[c, i]) < np.inf
            unclear += not clear
            votes[i] += clear * (survived[c] if S[c, i] > 0.0 else -survived[c])
        for i in range(len(votes) if unclear else 0):
            if not doubt * (lengths[low + i] + 1.0) * reach < abs(S[c, i]) < np.inf:
                s = dot(W[c], X, low + i) + W[c, -1]
                if not abs(s) < np.inf:
                    return low + i
                positive = s > 0.0 or (s == 0.0 and on_line > 0)
                votes[i] += survived[c] if positive else -survived[c]
    return -1


def products(W: Array, X: Matrix, divisors: Array | None) -> Array:
    """The scores of examples by hyperplanes, as a matrix product: close, and quick."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        S: Array
        if sparse.issparse(X):
            S = np.ascontiguousarray((X.astype(W.dtype) @ W[:, :-1].T).T)
        else:
            S = W[:, :-1] @ X.astype(W.dtype, copy=False).T
        if divisors is not None:
            S /= divisors.astype(W.dtype)
        S += W[:, -1:]
    return S


class VotedPerceptron(Additive):
    r"""The voted perceptron: all hyperplanes of the run vote, weighted by how long each survived.

    $$\hat y = \operatorname{sign} \sum_k c_k \operatorname{sign}(\langle w_k, x\rangle + b_k)$$

    Here $w_k$ and $b_k$ are the weights and the bias after $k$ updates, and $c_k$ is the number of
    examples visited until the next update. While it learns, it makes the same mistakes as
    `Perceptron`.

    If examples are drawn independently, and one pass over $T$ of them makes $k$ mistakes, the
    probability of a wrong prediction on a new example is at most the expectation of
    $2(k+1)/(T+1)$ (Freund & Schapire 1999, theorem 3).

    Attributes
    ----------
    coef_, intercept_
        The weights and bias of the last hyperplane. `predict` does not use them: a vote is not
        linear.
    classes_, n_features_in_, feature_names_in_
        As for `Perceptron`.
    n_iter_, mistakes_, n_mistakes_, n_updates_, converged_, dual_coef_, radius_, trace_
        As for `Perceptron`.
    hyperplanes_ : ndarray of shape (n_updates + 1, n_features + 1)
        The weights $w_k$ after each update, from the start on, with the bias $b_k$ last. With more
        than two classes, (n_updates + 1, n_classes, n_features + 1).
    survival_counts_ : ndarray of shape (n_updates + 1,)
        How many examples each of them survived: $c_k$, its votes.

    Examples
    --------
    >>> from novikoff import VotedPerceptron
    >>> model = VotedPerceptron(shuffle=False).partial_fit([[2.0], [3.0]], [-1, 1])
    >>> model.n_mistakes_  # both: the hyperplanes -2x - 1 and then x, a vote each
    2
    >>> model.decision_function([[1.0], [-0.25]])
    array([ 0., -1.])
    >>> model.hyperplanes_.tolist(), model.survival_counts_.tolist()
    ([[0.0, 0.0], [-2.0, -1.0], [1.0, 0.0]], [0, 1, 1])

    References
    ----------
    Freund, Y. & Schapire, R. E. (1999). Large margin classification using the perceptron
    algorithm. Machine Learning 37(3), figure 1 and theorem 3.
    """

    @property
    def survival_counts_(self) -> Array:
        """How many examples each hyperplane survived."""
        run = self._fitted()
        return np.diff(np.concatenate([[0], *run.history.times, [run.stream.n_seen]]))

    @property
    def hyperplanes_(self) -> Array:
        """The weights after each update, from the start on; the bias last."""
        run = self._fitted()
        if not run.many:
            return np.concatenate([W for W, _ in self._hyperplanes()])
        made, bias = run.history, float(run.space["fit_intercept"])
        W = np.zeros_like(run.weights) if run.ledger.start is None else run.ledger.start.copy()
        every = [W.copy()]
        if made.support:
            support, columns = self._rows(made.stacked(), run.space), (made.rows, made.steps)
            log = [np.concatenate(pieces) for pieces in (*columns, made.gained, made.lost)]
            for k in range(len(log[0])):
                replay_log(W, support, *(column[k : k + 1] for column in log), 0, bias)
                every.append(W.copy())
        return np.array(every)

    def decision_function(self, X: MatrixLike) -> Array:
        r"""The vote on each row, divided by the number $T$ of examples visited: from -1 to 1.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), or (n_samples, n_classes) for more than two classes
            With two classes, positive for `classes_[1]` and negative for `classes_[0]`. With more,
            the share of the votes for each class; or with ``multi_class="ovr"``, the vote of each
            binary classifier.
        """
        run = self._fitted()
        X = read(self, X, reset=False)
        self._require_sound(X, run.space)
        if run.many:
            return self._elected(X)
        rows, votes = self._rows(X, run.space), np.zeros(X.shape[0])
        if not run.stream.n_seen:
            return votes
        lengths = lengths_of(as_rows(X), len(votes))
        divisors = None
        if run.space["normalize"]:
            divisors, lengths = np.where(lengths > 0, lengths, 1.0), np.ones(len(votes))

        def count(W: Array, survived: Array, begin: int, end: int) -> None:
            for low in range(begin, end, BLOCK):
                some = slice(low, min(low + BLOCK, end))
                S = products(W, X[some], None if divisors is None else divisors[some])
                stopped = cast(votes[some], S, lengths, rows, low, W, survived, self._on_line())
                if stopped >= 0:
                    raise overflow(W.dtype)

        parts = list(spans(len(votes), min(n_threads(self.n_jobs), -(-len(votes) // BLOCK))))
        with one_thread_each(parts):
            for W, survived in self._hyperplanes():
                side_by_side(count, [(W, survived, *part) for part in parts])
        return votes / run.stream.n_seen

    def _elected(self, X: Matrix) -> Array:
        """The votes of many classes, divided by `T`."""
        run, votes = self._fitted(), np.zeros((X.shape[0], len(self._fitted().weights)))
        made: Mistakes = run.history
        bias = float(run.space["fit_intercept"])
        at = at_unit_length if run.space["normalize"] else lambda rows: rows
        nothing = np.zeros((0, X.shape[1]))
        support = (at(made.stacked()) if made.support else nothing).astype(np.float64)
        whole, no_class = np.zeros(0, np.int64), np.zeros(0, np.int32)
        rows, steps = (
            np.concatenate([whole, *made.rows]),
            np.concatenate([np.zeros(0), *made.steps]),
        )
        start = np.zeros(run.weights.shape)
        if run.ledger.start is not None:
            start += run.ledger.start
        lengths = lengths_of(as_rows(support), support.shape[0])
        u = 4 * float(np.finfo(float).eps) * (X.shape[1] + len(steps) + 4)
        ballots = Ballots(
            rows=rows,
            steps=steps,
            gained=np.concatenate([no_class, *made.gained]),
            lost=np.concatenate([no_class, *made.lost]),
            doubts=u * abs(steps) * (lengths[rows] + 1.0),
            survived=self.survival_counts_,
        )
        at_once = max(1, min(AT_ONCE, PRODUCTS // max(1, support.shape[0])))

        def count(begin: int, end: int) -> None:
            for low in range(begin, end, at_once):
                block = at(X[low : min(low + at_once, end)]).astype(np.float64)
                lengths = lengths_of(as_rows(block), block.shape[0]) + 1.0
                scores = np.ascontiguousarray((block @ start[:, :-1].T + start[:, -1]).T)
                products = products_with(support, block, bias)
                unsure = cast_votes(slice(low, low + len(lengths)), scores, products, lengths)
                for i in np.flatnonzero(unsure):
                    x = block[[i]].toarray()[0] if sparse.issparse(block) else block[i]
                    alone = (start * np.append(x, 1.0)).sum(axis=1)[:, None]
                    products = products_alone(support, x, bias)
                    cast_votes(slice(low + i, low + i + 1), alone, products, lengths[[i]])

        def cast_votes(some: slice, scores: Array, products: Array, lengths: Array) -> Array:
            if not np.isfinite(products).all():
                raise overflow(np.float64)
            unsure, doubt = np.zeros(len(lengths), np.bool_), u * abs(start).sum(axis=1)
            told, on_line = (doubt, lengths, unsure), self._on_line() > 0
            votes[some] = 0.0
            vote(votes[some], scores, products, ballots, *told, self._machines(run.space), on_line)
            return unsure

        parts = list(spans(len(votes), n_threads(self.n_jobs)))
        with one_thread_each(parts):
            side_by_side(count, parts)
        return votes / max(1, run.stream.n_seen)

    def _hyperplanes(self) -> Iterator[tuple[Array, Array]]:
        """All hyperplanes of the run, in blocks, and how many examples each survived."""
        run = self._fitted()
        made: Mistakes = run.history
        survived = self.survival_counts_
        w = (np.zeros_like(run.weights) if run.ledger.start is None else run.ledger.start.copy())[0]
        nothing = np.zeros((0, len(w) - 1), w.dtype)
        mistakes = (
            self._rows(made.stacked() if made.support else nothing, run.space),
            np.concatenate([np.zeros(0, np.int64), *made.rows]),
            np.concatenate([np.zeros(0), *made.steps]),
        )
        at_once = max(8, min(2 * BLOCK, WEIGHTS // len(w)))
        for k in range(0, len(survived), at_once):
            W = np.empty((min(at_once, len(survived) - k), len(w)), w.dtype)
            replay(W, w, mistakes, k, float(run.space["fit_intercept"]))
            yield W, survived[k : k + at_once]

    def _begin(self, X: Matrix, n_classes: int, coef: Given, intercept: Given) -> State:
        run = super()._begin(X, n_classes, coef, intercept)
        run.history = Mistakes()
        return run

    def _remember(self, run: State, D: Examples, log: Log) -> None:
        run.history.times.append(run.stream.n_seen + log.time)
        run.history.rows.append(D.rows_at(log.time).copy())
        run.history.unsettled += 1
        if not run.many:
            run.history.steps.append(np.where(log.gained >= 0, log.step, -log.step))
        else:
            run.history.steps.append(log.step.copy())
            run.history.gained.append(log.gained.copy())
            run.history.lost.append(log.lost.copy())

    def _widen(self, run: State, places: Array, n_classes: int) -> None:
        run.history.spread(places)
        super()._widen(run, places, n_classes)

    def _settle(self, run: State, X: Matrix) -> None:
        run.history.settle(X)
