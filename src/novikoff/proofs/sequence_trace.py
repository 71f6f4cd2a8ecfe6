"""The record of a run over sequences of labels, update by update, and the proof on it."""

from collections.abc import Iterator
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from novikoff.core.chains import least_lead, redo
from novikoff.core.loops import Chained
from novikoff.core.viterbi import room_to_decode
from novikoff.errors import DataError, ParameterError
from novikoff.inputs.labels import as_labels
from novikoff.inputs.sequences import Sequences, read_labels, read_sequences
from novikoff.learners.sequences.perceptron import SequencePerceptron
from novikoff.learners.sequences.rivals import as_of_now
from novikoff.learners.sequences.schemes import labelled
from novikoff.proofs.proof import Proof, quantities
from novikoff.proofs.record import Record
from novikoff.typing import Array


class SequenceTrace(Record):
    r"""The record of a run over sequences of labels: one entry per update.

    A `SequencePerceptron` that was fitted with ``record=True`` has one as `trace_`. After `fit`,
    the trace holds a reference to the data. A stream keeps no examples: give them again with
    `with_data`.

    Parameters
    ----------
    model : SequencePerceptron
        Fitted with ``record=True``.

    Attributes
    ----------
    epoch, position, example, squared_norm, mistakes, step, mistakes_per_epoch
        As for `Trace`, counted in sequences; the norm is that of all weights.
    score : ndarray of float
        The score of the right labels minus that of `rivals`; not above 0 on a mistake.
    rivals : list of ndarrays of labels
        The best wrong labels of each sequence, which the update subtracts. With a beam, only up to
        the step of the violation.
    classes_ : ndarray of labels
        The labels, in the order of the rows of weights.
    start : ndarray of shape (n_classes, n_features + 1 + n_classes)
        The weights before the first update. Each label has a row: the weights of the features, the
        bias, and the weights of following each label.

    Examples
    --------
    >>> from novikoff import SequencePerceptron
    >>> X, y = [[{"word": "dogs"}, {"word": "bark"}]], [["NOUN", "VERB"]]
    >>> trace = SequencePerceptron(record=True).fit(X, y).trace_
    >>> trace
    <Trace of a SequencePerceptron: 2 updates in 3 epochs>
    >>> trace.rivals[0].tolist()
    ['NOUN', 'NOUN']
    >>> trace.weights(1)[0]  # NOUN: dogs, bark, the bias, after NOUN, after VERB
    array([ 0., -1., -1., -1.,  0.])
    >>> trace.proof().holds
    True
    """

    _learner: SequencePerceptron

    def __init__(self, model: object) -> None:
        if not isinstance(model, SequencePerceptron) or (log := model._fitted().log) is None:
            raise ParameterError(
                f"{model!r} has no record of its run: give a SequencePerceptron fitted with "
                "{record=}.",
                record=True,
            )
        self._learner, self._space, self._made = clone(model), model._state.space, log.copy()
        self.classes_, self._vocabulary = model.classes_, model._vocabulary
        self._radius, self._ended = model.radius_, model.converged_
        self._width, self.mistakes_per_epoch = model.n_features_in_, model.mistakes_
        self._recorded = as_of_now(self._made, len(self.classes_), self._width)
        self._data: Sequences | None = None if self._made.data is None else self._made.data[0]
        self._square = self._made.square
        self.start = whole(self._recorded.W, self._recorded.T)
        self._fill(self._made.table, self._made.before)
        rivals = self.classes_[self._recorded.rivals]
        self.rivals = np.split(rivals, self._recorded.begin[1:-1]) if len(self) else []

    def with_data(self, X: Any, y: Any) -> "SequenceTrace":
        """The same trace, with the data to replay it on.

        Parameters
        ----------
        X, y : lists of sequences
            All sequences since recording began, in the same order.

        Returns
        -------
        SequenceTrace
        """
        read = read_sequences(X, self._vocabulary, grow=False, width=self._width)
        if read.shape[0] != self._made.n_given:
            raise DataError(
                f"X has {read.shape[0]:,} sequences, but the run was given "
                f"{self._made.n_given:,}: give all of them, in order."
            )
        labels = as_labels(read_labels(y, read.starts))
        data = labelled(read, labels, self.classes_, self._learner.constraints)
        trace = copy(self)
        trace._data = data
        return trace

    @property
    def data(self) -> Sequences:
        """The sequences, as rows of features and indices of labels."""
        if self._data is None:
            raise DataError(
                "The trace of a stream, or from a file, does not know the data: "
                "trace.with_data(X, y) takes it."
            )
        return self._data

    def _replayed(self, ks: Array) -> Iterator[Array]:
        made, at = self._recorded, 0
        W, T = made.W.copy(order="K"), made.T.copy()
        if len(self):
            chain = self._learner._rows(self.data, self._space)
            path, bias = np.empty(len(chain.labels), np.int32), float(self._learner.fit_intercept)
        for k in ks.tolist():
            if k > at:
                updates = self.example[at:k], self.step[at:k], made.rivals, made.begin[at : k + 1]
                redo(W, T, chain, updates, path, bias, np.empty(0))
                at = k
            yield whole(W, T)
        if at:
            self._require_same_squares(float((W**2).sum() + (T**2).sum()), at, W.size)

    def proof(self, u: ArrayLike | None = None) -> Proof:
        r"""The quantities of Collins' theorem at every update, and whether its lemmas hold.

        Parameters
        ----------
        u : array of the shape of `start`, optional
            Any direction; it is scaled to unit length. None: the direction of the last weights, if
            the run has converged.

        Returns
        -------
        Proof
            Its `margin` is the smallest difference, under $u$, between the score of the right
            labels of a sequence and that of any others. For a run with a beam, this covers
            the beginnings of sequences up to any step.
        """
        if u is None:
            if not self._ended:
                raise ParameterError(
                    "The run has not ended, so its last weights separate nothing: give a direction "
                    "u, or more epochs ({max_iter}).",
                    max_iter=None,
                )
            u = self.weights(len(self))
        v = np.asarray(u, np.float64)
        if v.shape != self.start.shape or not np.isfinite(v).all() or not v.any():
            raise ParameterError(
                f"u must have shape {self.start.shape}, as `start` has, finite and not all 0; its "
                f"shape is {v.shape}."
            )
        v = v / np.linalg.norm(v)
        return quantities(self, v, self._margin_of(v), self._radius)

    def _margin_of(self, u: Array) -> float:
        chain = self._learner._rows(self.data, self._space)
        W, T = np.asfortranarray(u[:, : self._width + 1]), u[:, self._width + 1 :].T.copy()
        room = np.empty(room_to_decode(int(np.diff(chain.starts).max()), len(W)))
        return float(least_lead(W, T, chain, Chained(), room, self._learner.beam is not None))


def whole(W: Array, T: Array) -> Array:
    """All weights, a row for each label: of features, the bias, and the labels before."""
    return np.hstack([W, T.T])
