"""What all learners share: reading the input, epochs, streaming, and telling what happened.

A learner supplies the kernel of a pass and, if it predicts from more than the last
weights, what it keeps of the mistakes. Everything a fitted model knows is in its `Run`.
"""

import warnings
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from numba import njit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from novikoff.errors import DataError, ParameterError
from novikoff.examples import Examples, n_visits, shuffled
from novikoff.inputs import overflow, read, require_sound
from novikoff.labels import as_labels, classes_of_stream, signs, two_classes
from novikoff.learners import parameters
from novikoff.learners.run import Run, Undo, undone_on_error
from novikoff.learners.telling import Telling
from novikoff.learners.updates import LARGEST, Retraced, Updates
from novikoff.learners.weights import class_counts, example_weights
from novikoff.rows import dot
from novikoff.saving import Saved

Array = npt.NDArray[Any]


@njit(cache=True)
def scores(w, X, out):
    r"""$\langle w, x_i\rangle + b$ for every row; the first row without a finite one, or -1."""
    for i in range(len(out)):
        out[i] = dot(w, X, i) + w[-1]
        if not np.isfinite(out[i]):
            return i
    return -1


class MistakeDriven(Telling, Saved, ClassifierMixin, BaseEstimator, ABC):
    """A two-class linear learner that changes only when it errs (abstract)."""

    max_iter: int
    shuffle: bool
    random_state: Any
    warm_start: bool
    class_weight: Any = None
    record: bool = False
    classes_: Array

    # ------------------------------------------------------ what a learner supplies

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise a `ParameterError` for an option without a meaning."""

    @abstractmethod
    def _space(self) -> dict[str, Any]:
        """The options that a run cannot change on the way."""

    @abstractmethod
    def _begin(self, X: Any, coef: Any, intercept: Any) -> Run:
        """A run that has seen nothing yet."""

    @abstractmethod
    def _epoch(
        self, run: Run, updates: Array, mistakes: Array, D: Examples, measure: bool
    ) -> tuple[int, float, int]:
        """One pass; returns what the kernel does."""

    @abstractmethod
    def _retrace(self, w: Array, alpha: Array, times: Array, D: Examples, out: Retraced) -> None:
        """Make the updates of these times of a pass once more, and write down what is seen.

        `w` and `alpha` are as they were before it; `out.squares[0]` is the squared length of `w`.
        """

    @abstractmethod
    def _redo(self, w: Array, rows: Any, made: tuple[Array, Array], space: dict[str, Any]) -> None:
        """Make these updates, examples and steps, on `w`: with the sums there were in learning."""

    @abstractmethod
    def _on_line(self) -> int:
        """The class, -1 or +1, predicted where the decision function is 0."""

    @abstractmethod
    def _advice(self) -> str:
        """What to try when a run did not converge."""

    @abstractmethod
    def _rows(self, X: Any, space: dict[str, Any]) -> Any:
        """The rows the loop sees."""

    def _require_sound(self, X: Any, space: dict[str, Any]) -> None:
        """Raise what is wrong with the first bad row of `X`, if there is one."""
        require_sound(X)

    def _stride(self, D: Examples, length: float) -> float:
        """How far one update can move a weight."""
        return 0.0

    def _account(self, run: Run, D: Examples, times: Array) -> None:
        """Add these mistakes up for what the run proves."""

    def _remember(self, run: Run, D: Examples, times: Array) -> None:
        """Keep what prediction needs of the mistakes made at these times of a pass."""

    def _settle(self, run: Run, X: Any) -> None:
        """Called after the last pass over `X`, which may then go away."""

    # ------------------------------------------------------ fitting

    def _fit(
        self, X: Any, y: Any, coef: Any = None, intercept: Any = None, sample_weight: Any = None
    ) -> Self:
        self._check_common()
        with undone_on_error(self):
            X = read(self, X, reset=True)
            y = as_labels(y)
            check_consistent_length(X, y)
            classes, y = two_classes(y)
            weight = example_weights(y, classes, self.class_weight, sample_weight)
            if weight is not None and not weight.any():
                raise DataError(
                    "The weight of every example is zero, so there is nothing to learn from: "
                    "give a positive sample_weight or class_weight to some."
                )
            if self._going_on(coef, intercept) and not np.array_equal(classes, self.classes_):
                raise DataError(
                    "warm_start=True goes on from a model of the classes "
                    f"{self.classes_.tolist()}, but y has {classes.tolist()}: keep the classes, "
                    "or set warm_start=False."
                )
            run = self._train(X, y, weight, coef, intercept)
            self._count(run, y, sample_weight)
            self.classes_ = classes
            self._run = run
        if run.mistakes[-1]:
            self._warn(run, len(y))
        return self

    def _train(self, X: Any, y: Array, weight: Array | None, coef: Any, intercept: Any) -> Run:
        going_on = self._going_on(coef, intercept)
        run = self._resumed(X) if going_on else self._begin(X, coef, intercept)
        run.streaming = False
        self._watch(run)
        updates = run.updates
        if run.recorded is not None:
            run.recorded.begin_fit(X, y, same=updates is not None and len(updates) == len(y))
        if updates is None or len(updates) != len(y):
            run.one_data_set = run.n_seen == 0
            run.updates = updates = np.zeros(len(y), np.int64)
        keep = self._visited(X, weight, run.space)
        random = check_random_state(self.random_state)
        rows, mistakes = self._rows(X, run.space), np.empty(len(y), np.int64)
        for epoch in range(self.max_iter):
            D = Examples(rows, y, weight, self._order(keep, len(y), random))
            run.begin_pass()
            self._pass(run, updates, mistakes, X, D, measure=epoch == 0)
            if run.mistakes[-1] == 0:
                break
        self._settle(run, X)
        return run

    def _going_on(self, coef: Any, intercept: Any) -> bool:
        return self.warm_start and coef is None and intercept is None and self._is_fitted()

    def _same_space(self) -> None:
        """A run goes on in the space it began in."""
        for name, before in self._run.space.items():
            if getattr(self, name) != before:
                raise ParameterError(
                    f"{name} was {before!r} when the run began and is {getattr(self, name)!r} now: "
                    "set it back, or start anew with fit and warm_start=False."
                )

    def _resumed(self, X: Any) -> Run:
        self._same_space()
        width = len(self._run.w) - 1
        if X.shape[1] != width:
            raise DataError(
                f"warm_start=True goes on from a model of {width} features, but X has "
                f"{X.shape[1]}: give data of that width, or set warm_start=False."
            )
        return self._run.copy()

    def _visited(self, X: Any, weight: Array | None, space: dict[str, Any]) -> Array | None:
        """The rows of positive weight; None for all. The others must be sound all the same."""
        if weight is None or weight.all():
            return None
        self._require_sound(X, space)
        return np.flatnonzero(weight)

    def _order(self, keep: Array | None, n: int, random: np.random.RandomState) -> Array | None:
        return shuffled(keep, n, random) if self.shuffle else keep

    def _pass(
        self, run: Run, updates: Array, mistakes: Array, X: Any, D: Examples, *, measure: bool
    ) -> None:
        """Let the kernel pass over `D` once, and bring the run up to date."""
        before = None if run.recorded is None else (run.w.copy(), updates.copy())
        k, length, stopped = self._epoch(run, updates, mistakes, D, measure)
        if stopped >= 0:
            self._require_sound(X, run.space)
            raise overflow(run.w.dtype)
        run.length = max(run.length, length)
        n = n_visits(D)
        if k:
            run.reach += k * self._stride(D, run.length)
            safe = run.reach < float(np.finfo(run.w.dtype).max) / 4
            if not safe and not np.isfinite(run.w).all():
                raise overflow(run.w.dtype)
            self._account(run, D, mistakes[:k])
            self._remember(run, D, mistakes[:k])
            if run.recorded is not None and before is not None:
                out = run.recorded.room_for(k)
                self._retrace(*before, mistakes[:k], D, out)
                run.recorded.append(len(run.mistakes) - 1, D, mistakes[:k], out)
        if run.recorded is not None:
            run.recorded.visited += n
        run.mean = None
        run.n_seen += n
        run.mistakes[-1] += k

    def _watch(self, run: Run) -> None:
        """Record from here on, or record no more."""
        if not self.record:
            run.recorded = None
        elif run.recorded is None:
            private = run.private * float(run.space.get("slack", 0.0)) ** 2
            with np.errstate(over="ignore"):
                square = float((run.w.astype(np.float64) ** 2).sum()) + private
            run.recorded = Updates(run.w.copy(), min(square, LARGEST), sum(run.mistakes))

    def _count(self, run: Run, y: Array, sample_weight: Any) -> None:
        if self.class_weight is not None:
            run.brought = class_counts(y, sample_weight, run.brought)

    # ------------------------------------------------------ streaming

    def _partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        self._check_common()
        if self._is_fitted():
            self._same_space()
            self._learn_block(self._run, X, y, classes, sample_weight)
        else:
            with undone_on_error(self):
                self._learn_block(None, X, y, classes, sample_weight)
        return self

    def _learn_block(
        self, run: Run | None, X: Any, y: Any, classes: Any, sample_weight: Any
    ) -> None:
        X = read(self, X, reset=run is None)
        y = as_labels(y)
        if len(y) != X.shape[0]:
            check_consistent_length(X, y)
        classes = classes_of_stream(y, classes, None if run is None else self.classes_)
        y = signs(y, classes)
        if run is None:
            run = self._begin(X, None, None)
        weight = example_weights(y, classes, self.class_weight, sample_weight, run.brought)
        self._stream(run, X, y, weight)
        self._count(run, y, sample_weight)
        self.classes_ = classes
        self._run = run

    def _stream(self, run: Run, X: Any, y: Array, weight: Array | None) -> None:
        order = self._visited(X, weight, run.space)
        with undone_on_error(self, Undo(run, X)):
            if self.shuffle and len(y) > 1:
                order = self._order(order, len(y), check_random_state(self.random_state))
            self._watch(run)
            if not run.streaming:
                run.begin_pass()
                run.streaming = True
            if run.recorded is not None:
                run.recorded.begin_block(len(y))
            updates, mistakes = np.zeros(len(y), np.int64), np.empty(len(y), np.int64)
            D = Examples(self._rows(X, run.space), y, weight, order)
            self._pass(run, updates, mistakes, X, D, measure=True)
        self._settle(run, X)

    # ------------------------------------------------------ predicting

    def _predicting(self) -> Array:
        """The weights that predict, the bias last."""
        return self._fitted().w

    def decision_function(self, X: Any) -> Array:
        r"""The score $\langle w, x\rangle + b$ of each row: its side of the hyperplane.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive on the side of `classes_[1]`, negative on that of `classes_[0]`.
        """
        self._fitted()
        return self._scores(read(self, X, reset=False))

    def _scores(self, X: Any) -> Array:
        w, space = self._predicting(), self._run.space
        out = np.empty(X.shape[0], w.dtype)
        if scores(w, self._rows(X, space), out) >= 0:
            self._require_sound(X, space)
            raise overflow(w.dtype)
        return out

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
        positive = s >= 0 if self._on_line() > 0 else s > 0
        labels: Array = self.classes_[positive.view(np.int8)]
        return labels

    # ------------------------------------------------------ what a fitted model tells

    @property
    def coef_(self) -> Array:
        """The weights, of shape (1, n_features)."""
        return self._predicting()[:-1].reshape(1, -1).copy()

    @property
    def intercept_(self) -> Array:
        """The bias, of shape (1,)."""
        return self._predicting()[-1:].copy()

    # ------------------------------------------------------ scikit-learn's side of it

    def __sklearn_is_fitted__(self) -> bool:
        return self._is_fitted()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags

    def _check_common(self) -> None:
        parameters.count("max_iter", self.max_iter)
        parameters.flag("shuffle", self.shuffle)
        parameters.flag("warm_start", self.warm_start)
        parameters.flag("record", self.record)
        self._check_parameters()

    def _warn(self, run: Run, n: int) -> None:
        last = run.mistakes[-1]
        warnings.warn(
            f"{type(self).__name__} stopped at max_iter={self.max_iter} epochs: the last one still "
            f"made {last} mistake{'s' * (last != 1)} on {n} examples. {self._advice()}",
            ConvergenceWarning,
            stacklevel=4,
        )
