"""What a fitted kernel machine predicts."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from novikoff.inputs.arrays import overflow
from novikoff.learners.kernels import gram
from novikoff.learners.kernels.gram import Block
from novikoff.learners.kernels.run import DualState, DualTelling
from novikoff.typing import Array, Matrix, MatrixLike

WATCHED = np.errstate(over="ignore", invalid="ignore")
"""Every score is looked at: one that is not finite is an error with advice."""


class DualPredicting(DualTelling, ABC):
    """A kernel machine that predicts (abstract)."""

    @abstractmethod
    def _read(self, X: MatrixLike, *, reset: bool) -> Any:
        """The rows of `X`, checked."""

    @abstractmethod
    def _blocks(self, order: Array) -> Iterator[Array]:
        """The rows of an order, some at a time."""

    def _predicted(self, run: DualState, A: Block) -> tuple[Array, Any]:
        """The scores of a block, and how far each is from the true one, all but surely."""
        return run.support.scores(run.kernel, A), run.support.size() * self._scatter(run, A)

    def _scatter(self, run: DualState, A: Block) -> float:
        """How far the kernel values of a block are from the true ones; 0 where none are rounded
        otherwise in other company: sparse rows are multiplied one by one.
        """
        if run.kernel.name == "precomputed" or sparse.issparse(A.rows):
            return 0.0
        longest, largest = max(run.ledger.longest, float(A.squares.max())), run.ledger.largest
        if run.kernel.function is None:
            largest = max(largest, float(gram.diagonal(run.kernel, A).max()))
        return gram.scatter(
            run.kernel, run.width, longest, largest, float(np.finfo(A.rows.dtype).eps)
        )

    def _scored(self, run: DualState, X: Matrix, places: Array, dtype: Any) -> tuple[Array, Array]:
        """The scores of these rows in this precision, and which of them are in doubt."""
        S, unclear = np.zeros((len(places), run.outputs)), np.zeros(len(places), np.bool_)
        for some in self._blocks(np.arange(len(places))):
            A = gram.block(run.kernel, X, places[some], run.dtype)
            A = A._replace(rows=A.rows.astype(dtype, copy=False))
            S[some], doubt = self._predicted(run, A)
            unclear[some] = (_lead(S[some]) <= 4 * doubt) & (doubt > 0)  # two scores, two batches
        return S, unclear

    def _on_line(self) -> int:
        return -1

    @WATCHED
    def decision_function(self, X: MatrixLike) -> Array:
        """The score of each row.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            With ``kernel="precomputed"``, the kernel matrix of these rows with the rows of `fit`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, one score, positive for `classes_[1]`; with more, a score for each
            class. The last digits of a score may depend on the other rows of the batch, but the
            predicted class does not: where it could, the row is scored again in double precision,
            and then alone.
        """
        run = self._fitted()
        X = self._read(X, reset=False)
        S, unclear = self._scored(run, X, np.arange(X.shape[0]), run.dtype)
        again = np.flatnonzero(unclear)
        if len(again) and run.dtype != np.float64:
            S[again], unclear = self._scored(run, X, again, np.float64)
            again = again[unclear]
        for i in again:
            S[i], _ = self._scored(run, X, np.array([i]), np.float64)
        if not np.isfinite(S).all():
            raise overflow(run.dtype)
        return S if S.shape[1] > 1 else S.sum(axis=1)


def _lead(S: Array) -> Array:
    """By how much the largest score of each row is ahead of the next, or of its opposite."""
    if S.shape[1] < 2:
        opposite: Array = 2 * abs(S).sum(axis=1)
        return opposite
    best = np.partition(S, -2, axis=1)
    lead: Array = best[:, -1] - best[:, -2]
    return lead
