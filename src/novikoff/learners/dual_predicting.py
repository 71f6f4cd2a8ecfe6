"""What a fitted kernel machine predicts."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from novikoff.inputs import overflow
from novikoff.learners import gram
from novikoff.learners.dual_run import Array, DualRun, DualTelling
from novikoff.learners.gram import Block

WATCHED = np.errstate(over="ignore", invalid="ignore")
"""Every score is looked at: one that is not finite is an error with advice."""


class DualPredicting(DualTelling, ABC):
    """A kernel machine that predicts (abstract)."""

    classes_: Array

    @abstractmethod
    def _read(self, X: Any, *, reset: bool) -> Any:
        """The rows of `X`, checked."""

    @abstractmethod
    def _blocks(self, order: Array) -> Iterator[Array]:
        """The rows of an order, some at a time."""

    def _predicted(self, run: DualRun, A: Block) -> Array:
        """The scores of a block."""
        S: Array = run.support.scores(run.kernel, A)
        return S

    def _last_wins(self) -> bool:
        """Among classes of the same score, is it the last that is predicted?"""
        return False

    @WATCHED
    def decision_function(self, X: Any) -> Array:
        """The score of each row.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            For ``kernel="precomputed"`` the table of the kernel of these rows with those of `fit`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes one score, positive for `classes_[1]`; for more, a score for each.
        """
        run = self._fitted()
        X = self._read(X, reset=False)
        S = np.zeros((X.shape[0], len(run.squares)))
        for places in self._blocks(np.arange(X.shape[0])):
            S[places] = self._predicted(run, gram.block(run.kernel, X, places, run.dtype))
        if not np.isfinite(S).all():
            raise overflow(run.dtype)
        return S if S.shape[1] > 1 else S.sum(axis=1)

    def predict(self, X: Any) -> Array:
        """The class of each row; among equal scores, what the conventions say.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        s, last = self.decision_function(X), self._last_wins()
        if len(self.classes_) == 1:
            return np.repeat(self.classes_, len(s))
        if s.ndim == 1:
            best = (s >= 0 if last else s > 0).astype(np.intp)
        else:
            best = s.shape[1] - 1 - s[:, ::-1].argmax(axis=1) if last else s.argmax(axis=1)
        labels: Array = self.classes_[best]
        return labels
