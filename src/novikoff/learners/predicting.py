"""What a fitted learner predicts."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.cores import n_threads, side_by_side, spans
from novikoff.inputs import overflow, read
from novikoff.jit import njit
from novikoff.learners import many
from novikoff.learners.telling import Telling
from novikoff.products import suited
from novikoff.rows import dot

Array = npt.NDArray[Any]

ENOUGH = 1 << 18
"""How many values are worth a thread: what it takes to score them, it takes to start one."""


@njit(nogil=True, cache=True)
def scores(w, X, out, low, high):
    r"""$\langle w, x_i\rangle + b$ for these rows; the first without a finite one, or -1."""
    for i in range(low, high):
        out[i] = dot(w, X, i) + w[-1]
        if not np.isfinite(out[i]):
            return i
    return -1


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
        score = scores if one else many.scores
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
            return self.classes_[many.predicted(s, last_of_ties=self._on_line() > 0)]
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
