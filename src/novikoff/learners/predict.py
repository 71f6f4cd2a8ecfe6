"""Prediction by fitted learners, and the attributes that report on a run."""

import warnings
from abc import ABC, abstractmethod
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from novikoff.core.jit import njit
from novikoff.core.products import dots, suited
from novikoff.core.rows import dot
from novikoff.inputs.arrays import overflow, read
from novikoff.inputs.weights import class_totals
from novikoff.learners.state import Space, State, Stream
from novikoff.parallel.cores import n_threads, side_by_side, spans
from novikoff.parameters import SEED, Parameterised, flag, given, whole
from novikoff.saved import Saved
from novikoff.typing import Array, Given, Matrix, MatrixLike

ENOUGH = 1 << 18
"""How many values are worth a thread: what it takes to score them, it takes to start one."""


FIT_INTERCEPT = flag(
    default=True,
    short="learn a bias",
    text="""Learn a bias $b$, as the weight of one more feature that is always 1. Without a bias,
    the hyperplane passes through the origin.""",
    space=True,
)


class Known(Protocol):
    """What every state has."""

    stream: Stream

    @property
    def ledger(self) -> Any: ...


S = TypeVar("S", bound=Known)


class Counted(Generic[S]):
    """What counts mistakes, and knows all it knows by its state (abstract)."""

    _state: S
    classes_: Array

    @property
    def n_iter_(self) -> int:
        """The number of epochs. All calls of `partial_fit` together count as one."""
        return len(self._fitted().ledger.mistakes)

    @property
    def mistakes_(self) -> Array:
        """The number of mistakes in each epoch."""
        return np.array(self._fitted().ledger.mistakes, np.int64)

    @property
    def n_mistakes_(self) -> int:
        """The number of mistakes in all epochs."""
        return sum(self._fitted().ledger.mistakes)

    def _is_fitted(self) -> bool:
        return "_state" in self.__dict__

    def _fitted(self) -> S:
        if not self._is_fitted():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with "
                "appropriate arguments before using this estimator."
            )
        return self._state


class Learner(Parameterised, Counted[S], Saved, ClassifierMixin, BaseEstimator, ABC):
    """A mistake-driven learner (abstract)."""

    max_iter: int = whole(
        default=10, short="the most epochs to make", text="The largest number of epochs."
    )
    shuffle: bool = flag(
        default=True,
        short="visit examples in random order",
        text="Visit the examples in a new random order in every epoch.",
    )
    random_state: Any = given(
        default=None,
        kind=SEED,
        words=(None,),
        short="the seed",
        text="The seed, or random number generator, for the orders.",
    )
    record: bool = flag(
        default=False,
        short="keep every update in the model, for `novikoff plot`",
        text="""Keep a record of every update, as `trace_`. An update takes 45 bytes (53 if
        the learner also updates on correct predictions), and 11 more with more than two
        classes.""",
    )

    _takes_many_classes = True
    """Does it learn more than two classes?"""

    @abstractmethod
    def decision_function(self, X: MatrixLike) -> Array:
        """The score of each row, or with more than two classes, its score for each class."""

    @abstractmethod
    def _on_line(self) -> int:
        """The class, -1 or +1, predicted where the decision function is 0.

        For more than two classes with the same score it is the first or the last.
        """

    def _advice(self) -> str:
        """What to try when a run did not end; nothing if the learner does well without an end."""
        return ""

    def predict(self, X: MatrixLike) -> Array:
        """Predict the class of each row.

        `docs/conventions.md` says which class is predicted where two scores are equal, or the
        score of two classes is 0.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        s, last_of_ties = self.decision_function(X), self._on_line() > 0
        if len(self.classes_) == 1:  # a stream that has brought no other yet
            return np.repeat(self.classes_, len(s))
        if s.ndim > 1:
            best = s.shape[1] - 1 - s[:, ::-1].argmax(axis=1) if last_of_ties else s.argmax(axis=1)
        else:
            best = (s >= 0 if last_of_ties else s > 0).view(np.int8)
        labels: Array = self.classes_[best]
        return labels

    def _count(self, run: S, y: Array, sample_weight: Given) -> None:
        """Count how much of each class has come, if classes are balanced by that."""
        if getattr(self, "class_weight", None) is not None:
            run.stream.class_totals = class_totals(y, sample_weight, run.stream.class_totals)

    def _stopped(self, run: S) -> tuple[str, str]:
        """How a run ended that still made mistakes, and what to try."""
        return "stopped at max_iter", self._advice()

    def _warn(self, run: S, stacklevel: int) -> None:
        """Warn that a run did not end: always with the same words, which Python shows once."""
        stopped, advice = self._stopped(run)
        if advice:
            warnings.warn(
                f"{type(self).__name__} {stopped}, and its last epoch still made mistakes "
                f"(mistakes_ counts them). {advice}",
                ConvergenceWarning,
                stacklevel=stacklevel,
            )

    def __sklearn_is_fitted__(self) -> bool:
        return self._is_fitted()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = self._takes_many_classes
        return tags


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


class Predicting(Learner[State]):
    """A learner that predicts by the scores of weights (abstract)."""

    n_jobs: int | None

    @abstractmethod
    def _rows(self, X: Matrix, space: Space) -> Any:
        """The rows the loop sees."""

    @abstractmethod
    def _require_sound(self, X: Matrix, space: Space) -> None:
        """Raise what is wrong with the first bad row of `X`, if there is one."""

    def _predicting(self) -> Array:
        """The weights that predict, the bias last."""
        return self._fitted().weights

    def decision_function(self, X: MatrixLike) -> Array:
        r"""The score $\langle w, x\rangle + b$ of each row $x$.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), or (n_samples, n_classes) for more than two classes
            With two classes, positive for `classes_[1]` and negative for `classes_[0]`. With more,
            a score for each class.
        """
        self._fitted()
        return self._scores(read(self, X, reset=False))

    def _scores(self, X: Matrix) -> Array:
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

    def _spans(self, X: Matrix) -> list[tuple[int, int]]:
        """Runs of rows, one for each thread that has enough to do."""
        n, values = X.shape[0], X.nnz if sparse.issparse(X) else X.size
        return list(spans(n, min(n_threads(self.n_jobs), 1 + values // ENOUGH)))

    @property
    def coef_(self) -> Array:
        """The weights, of shape (1, n_features), or (n_classes, n_features)."""
        return self._predicting()[:, :-1].copy()

    @property
    def intercept_(self) -> Array:
        """The bias, of shape (1,), or (n_classes,)."""
        return self._predicting()[:, -1].copy()

    @property
    def converged_(self) -> bool:
        """True if the last epoch made no update."""
        return self._fitted().ledger.changed == 0

    @property
    def n_updates_(self) -> int:
        """The number of updates in all epochs, including those on correct predictions."""
        return self._fitted().ledger.n_changes

    @property
    def dual_coef_(self) -> Array:
        """The number of updates on each example of `fit`, with warm starts on the same data."""
        updates = self._fitted().ledger.updates
        if updates is None:
            raise AttributeError("dual_coef_ is known after fit only: a stream keeps no examples.")
        return updates.copy()

    @property
    def trace_(self) -> Any:
        """A record of every update, as a `novikoff.Trace`. Needs ``record=True``."""
        # the trace knows the learners, so they cannot know it when imported
        from novikoff.proofs.trace import trace_of

        if self._fitted().log is None:
            raise AttributeError("trace_ is kept with record=True only: set it, and fit again.")
        return trace_of(self)

    @property
    def radius_(self) -> float:
        """The length of the longest example, in the space of the run."""
        return self._fitted().ledger.length
