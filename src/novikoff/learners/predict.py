"""What a fitted learner predicts."""

from abc import ABC, abstractmethod
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from scipy import sparse
from sklearn.exceptions import NotFittedError

from novikoff.core.jit import njit
from novikoff.core.products import dots, suited
from novikoff.core.rows import dot
from novikoff.inputs.arrays import overflow, read
from novikoff.learners.state import State
from novikoff.parallel.cores import n_threads, side_by_side, spans
from novikoff.typing import Array

ENOUGH = 1 << 18
"""How many values are worth a thread: what it takes to score them, it takes to start one."""


class Passes(Protocol):
    """How many mistakes each pass of a run made."""

    mistakes: list[int]


class Passed(Protocol):
    """What is known after a run."""

    @property
    def ledger(self) -> Passes: ...


R = TypeVar("R", bound=Passed)


class Counting(Generic[R]):
    """A learner all of whose knowledge is in its run, which counts mistakes (abstract)."""

    _state: R

    @property
    def n_iter_(self) -> int:
        """How many passes over the data were made; all of `partial_fit` is one."""
        return len(self._fitted().ledger.mistakes)

    @property
    def mistakes_(self) -> Array:
        """How many mistakes each pass made."""
        return np.array(self._fitted().ledger.mistakes, np.int64)

    @property
    def n_mistakes_(self) -> int:
        """How many mistakes were made in all."""
        return sum(self._fitted().ledger.mistakes)

    def _is_fitted(self) -> bool:
        return "_state" in self.__dict__

    def _fitted(self) -> R:
        if not self._is_fitted():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with "
                "appropriate arguments before using this estimator."
            )
        return self._state


class Telling(Counting[State]):
    """A learner with weights, which tells of its run (abstract)."""

    @property
    def converged_(self) -> bool:
        """Did the last pass change nothing?"""
        return self._fitted().ledger.changed == 0

    @property
    def dual_coef_(self) -> Array:
        """How often each example of `fit` was a mistake, with warm starts on the same data."""
        updates = self._fitted().ledger.updates
        if updates is None:
            raise AttributeError("dual_coef_ is known after fit only: a stream keeps no examples.")
        return updates.copy()

    @property
    def trace_(self) -> Any:
        """What happened, update by update, as a `novikoff.Trace`: with ``record=True`` only."""
        # the trace knows the learners, so they cannot know it when imported
        from novikoff.proofs.trace import Trace

        if self._fitted().log is None:
            raise AttributeError("trace_ is kept with record=True only: set it, and fit again.")
        return Trace(self)

    @property
    def radius_(self) -> float:
        """The largest length of an example, in the space the run took place in."""
        return self._fitted().ledger.length


@njit(nogil=True, cache=True)
def scores(w, X, out, low, high):
    r"""$\langle w, x_i\rangle + b$ for these rows; the first without a finite one, or -1."""
    for i in range(low, high):
        out[i] = dot(w, X, i) + w[-1]
        if not np.isfinite(out[i]):
            return i
    return -1


@njit(nogil=True, cache=True)
def scores_of_many(W, X, out, low, high):
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


class Predicting(Telling, ABC):
    """A learner that predicts by the scores of weights (abstract)."""

    classes_: Array
    n_jobs: int | None = None

    @abstractmethod
    def _rows(self, X: Any, space: dict[str, Any]) -> Any:
        """The rows the loop sees."""

    @abstractmethod
    def _require_sound(self, X: Any, space: dict[str, Any]) -> None:
        """Raise what is wrong with the first bad row of `X`, if there is one."""

    @abstractmethod
    def _on_line(self) -> int:
        """The class, -1 or +1, predicted where the decision function is 0.

        Of more than two classes with the same score it is the first or the last.
        """

    def _predicting(self) -> Array:
        """The weights that predict, the bias last."""
        return self._fitted().weights

    def decision_function(self, X: Any) -> Array:
        r"""The score $\langle w, x\rangle + b$ of each row: its side of the hyperplane.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), or (n_samples, n_classes) for more than two classes
            Positive on the side of `classes_[1]`, negative on that of `classes_[0]`; of more
            classes, the score of each.
        """
        self._fitted()
        return self._scores(read(self, X, reset=False))

    def _scores(self, X: Any) -> Array:
        w, space = self._predicting(), self._state.space
        rows, one = self._rows(X, space), len(w) == 1
        out = np.empty(X.shape[0] if one else (X.shape[0], len(w)), w.dtype)
        score = scores if one else scores_of_many
        task = (w[0] if one else suited(w, rows), rows, out)
        stopped = side_by_side(score, [(*task, *some) for some in self._spans(X)])
        if max(stopped, default=-1) >= 0:
            self._require_sound(X, space)
            raise overflow(w.dtype)
        return out

    def _spans(self, X: Any) -> list[tuple[int, int]]:
        """Runs of rows, one for each thread that has enough to do."""
        n, values = X.shape[0], X.nnz if sparse.issparse(X) else X.size
        return list(spans(n, min(n_threads(self.n_jobs), 1 + values // ENOUGH)))

    def predict(self, X: Any) -> Array:
        """The class of each row; on the hyperplane itself, what the conventions say.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        s = self.decision_function(X)
        if len(self.classes_) == 1:  # a stream that has brought no other yet
            return np.repeat(self.classes_, len(s))
        if s.ndim > 1:
            return self.classes_[predicted(s, last_of_ties=self._on_line() > 0)]
        positive = s >= 0 if self._on_line() > 0 else s > 0
        labels: Array = self.classes_[positive.view(np.int8)]
        return labels

    @property
    def coef_(self) -> Array:
        """The weights, of shape (1, n_features), or (n_classes, n_features)."""
        return self._predicting()[:, :-1].copy()

    @property
    def intercept_(self) -> Array:
        """The bias, of shape (1,), or (n_classes,)."""
        return self._predicting()[:, -1].copy()
