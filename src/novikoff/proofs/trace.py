r"""The record of a run, update by update, and Novikoff's proof on it.

The run of a perceptron is the list of its mistakes. With the data, everything else follows from
this list: the weights $w_k$ after any update, exactly as they were, and the inequalities

$$k\gamma \;\le\; \langle w_k, u\rangle \;\le\; \|w_k\| \;\le\; \sqrt k\,R,$$

which bound the number $k$ of updates (note 003, "Convergence of Perceptron"; note 004, theorem 1).
"""

from collections.abc import Iterator
from copy import copy
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_consistent_length

from novikoff.certificates.geometry import as_examples
from novikoff.core.log import Updates
from novikoff.errors import DataError, ParameterError
from novikoff.inputs.labels import as_labels, as_signs, codes, known_by
from novikoff.learners.base import MistakeDriven
from novikoff.learners.replay import Replay, of_machine, pair_of, recorder_of, told
from novikoff.learners.sequences.perceptron import SequencePerceptron
from novikoff.learners.state import flat
from novikoff.proofs.proof import Proof, proof_of
from novikoff.proofs.record import Record
from novikoff.proofs.sequence_trace import SequenceTrace
from novikoff.typing import Array, Matrix, MatrixLike

if TYPE_CHECKING:
    from anywidget import AnyWidget


class Trace(Record):
    r"""The record of a run: one entry per update, of some tens of bytes.

    A learner that was fitted with ``record=True`` has one as `trace_`. From the record and the
    data, the run can be replayed: `weights` returns the weights $w_k$ after any update, to the last
    bit, and `proof` returns the quantities of Novikoff's theorem after every update.

    After `fit`, the trace holds a reference to the data (a pickle or a model file does not contain
    it). A stream keeps no examples: give them again with `with_data`.

    Parameters
    ----------
    model : any linear learner of novikoff
        Fitted with ``record=True``.

    Attributes
    ----------
    epoch : ndarray of int
        The epoch of the update, from 0 on. All calls of `partial_fit` count as one epoch.
    position : ndarray of int
        The number of examples that the epoch had visited before.
    example : ndarray of int
        The example of the update: its row in the data of `fit`. In a stream, its number among all
        rows since recording began, however they were divided into blocks.
    label : ndarray of int
        The label $y_i$ of that example: -1 for the first class, +1 for the second. With more than
        two classes, the index of its class in `classes_`.
    score : ndarray of float
        $\langle w, x_i\rangle + b$ before the update, including the private feature if there is a
        `slack`. With more than two classes learned jointly, the score of the right class minus the
        best other score; with one binary classifier per class, the score of that classifier.
    squared_norm : ndarray of float
        $\|(w, b)\|^2$ after the update, in the space of the run (including private features). With
        more than two classes, the sum over all; with one binary classifier per class, that of the
        classifier.
    mistakes : ndarray of int
        The number of mistakes so far, including this update if it is one. Some learners also update
        on correct predictions.
    step : ndarray of float
        For a perceptron, the signed step $\eta\,c_i\,y_i$; with more than two classes, without the
        sign. For Winnow, the factor of the weights. For learners that compute their own step sizes,
        $c_i\,y_i$, where $c_i$ is the weight of the example.
    gained, lost : ndarrays of int, or None
        With more than two classes: the class whose weights the example was added to (its own), and
        the class whose weights it was subtracted from; -1 for none. With one binary classifier per
        class, one of the two is that of the classifier; as long as a stream had two classes, one
        classifier served both.
    start : ndarray of shape (n_features + 1,), or (n_classes, n_features + 1)
        The weights before the first update, bias last.
    mistakes_per_epoch : ndarray of int
        The number of mistakes in every epoch of the run; the last may have none.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> trace = Perceptron(shuffle=False, record=True).fit(X, y).trace_
    >>> trace
    <Trace of a Perceptron: 18 updates in 9 epochs>
    >>> trace.example[:4], trace.score[:4]
    (array([0, 3, 0, 1]), array([ 0., -1.,  0.,  0.]))
    >>> trace.weights(2)  # after the second update; the bias last
    array([1., 1., 0.])
    >>> trace.proof().holds
    True
    """

    _learner: MistakeDriven

    def __init__(self, model: object) -> None:
        if not isinstance(model, MistakeDriven) or (log := model._fitted().log) is None:
            raise ParameterError(
                f"{model!r} has no record of its run: give a learner fitted with {{record=}}.",
                record=True,
            )
        self._learner, self._space = clone(model), model._state.space
        self._classes, self.mistakes_per_epoch = model.classes_, model.mistakes_
        X, y = log.data or (None, None)
        self._data = None if y is None else (X, known_by(y, model.classes_))
        self._positive: object = None
        self._put(log.copy())

    def _put(self, made: Updates) -> None:
        """Make these updates the record."""
        self._made, self._n_given = made, made.n_given
        table, self._square = self._table()
        self.start = flat(self._replay().complete().weights).copy()
        self._fill(table, made.before)

    def _table(self) -> tuple[Array, Array]:
        """The updates, and the squared length of the start, as of all the classes there are."""
        apart, pair = recorder_of(self._made, self._learner, self._space).apart, (1.0, 1.0)
        if self._made.growths:  # a learner of two classes has none
            pair = pair_of(self._learner, self._space, apart)
        return told(self._made, apart, pair)

    def _replay(self, X: Matrix = None) -> Replay:
        """The run, to be made again from its start; without examples, to look at the start."""
        return Replay(self._learner, self._made, self._space, X)

    # ------------------------------------------------------ the data

    def with_data(self, X: MatrixLike, y: ArrayLike) -> "Trace":
        """The same trace, with the data to replay it on.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            All examples since recording began, in the same order and of the same type. For a
            stream, stack its blocks.
        y : array of shape (n_samples,)
            Their labels.

        Returns
        -------
        Trace

        Examples
        --------
        >>> from novikoff import Perceptron
        >>> model = Perceptron(record=True, shuffle=False)
        >>> model = model.partial_fit([[1.0]], [1], classes=[0, 1]).partial_fit([[0.5]], [0])
        >>> model.trace_.with_data([[1.0], [0.5]], [1, 0]).weights(2)
        array([0.5, 0. ])
        """
        X, y = as_examples(X), as_labels(y)
        check_consistent_length(X, y)
        width = self.start.shape[-1] - 1
        if X.shape != (self._n_given, width):
            raise DataError(
                f"X has shape {X.shape}, but the run was given {self._n_given} examples of "
                f"{width} features: give all of them, in order."
            )
        y = self._numbered(y)
        if not np.array_equal(y[self.example], self.label):
            raise DataError("y has other labels than the run met: give its own data, in order.")
        return self._with(_data=(X, y))

    def _with(self, **others: object) -> "Trace":
        trace = copy(self)
        trace.__dict__ |= others
        return trace

    def _numbered(self, y: Array) -> Array:
        """The signs of labels, or their numbers, as the run knew them."""
        if self._positive is not None:
            return as_signs(y == self._positive)
        return as_known(y, self._classes, "Give the data of the run, in order.")

    @property
    def data(self) -> tuple[Matrix, Array]:
        """The examples and their labels: -1 and +1, or with more than two classes, indices."""
        if self._data is None:
            raise DataError(
                "The trace of a stream, or from a file, does not know the data: "
                "trace.with_data(X, y) takes it."
            )
        return self._data

    # ------------------------------------------------------ replaying

    def _replayed(self, ks: Array) -> Iterator[Array]:
        w = self.start
        for w in self._replay(self.data[0] if len(self) else None).weights(ks):
            w = flat(w)
            yield w
        self._require_same_run(w, int(ks[-1]) if len(ks) else 0)

    def _require_same_run(self, w: Array, k: int) -> None:
        """Other data would have led elsewhere: the squared length after `k` updates tells."""
        if not k or self._space.get("slack"):
            return
        if self._apart:
            w = w[self._machine_of(k)]
        with np.errstate(over="ignore"):
            found = float((w.astype(np.float64) ** 2).sum())
        self._require_same_squares(found, k, w.size)

    # ------------------------------------------------------ machines

    @property
    def _apart(self) -> bool:
        """Has each of many classes a machine of its own?"""
        many = self.gained is not None
        return many and recorder_of(self._made, self._learner, self._space).apart

    def _machine_of(self, k: int) -> int:
        assert self.gained is not None
        assert self.lost is not None
        return max(int(self.gained[k - 1]), int(self.lost[k - 1]))

    def machine(self, label: object) -> "Trace":
        """The trace of one binary classifier: of a class against the rest.

        Parameters
        ----------
        label : a label of `classes_`

        Returns
        -------
        Trace
            Its weights, proof and pictures are those of a run on two classes, the second of which
            is `label`. It counts mistakes since recording began.

        Examples
        --------
        >>> from novikoff import Perceptron
        >>> X, y = [[0.0, 1.0], [1.0, 0.0], [-1.0, -1.0]], ["a", "b", "c"]
        >>> trace = Perceptron(multi_class="ovr", shuffle=False, record=True).fit(X, y).trace_
        >>> trace.machine("b")
        <Trace of a Perceptron: 3 updates in 2 epochs>
        >>> trace.machine("b").proof().holds
        True
        """
        if not self._apart:
            raise ParameterError(
                "Only a run of more than two classes with a machine for each has machines "
                "({multi_class=}): this trace is one as it is.",
                multi_class="ovr",
            )
        found = np.flatnonzero(self._classes == label)
        if not len(found):
            told = f"{{label=}} was given, but the classes are {self._classes.tolist()}."
            raise ParameterError(told, label=label)
        c = int(found[0])
        own = of_machine(self._made, self._replay(), c, *self._table())
        data = None if self._data is None else (self._data[0], as_signs(self._data[1] == c))
        names = np.array([f"not {label}", label], object)
        trace = self._with(_data=data, _positive=self._classes[c], _classes=names)
        trace._put(own)
        erred = np.diff(trace.mistakes, prepend=0)
        trace.mistakes_per_epoch = np.bincount(
            trace.epoch, erred, len(self.mistakes_per_epoch)
        ).astype(np.int64)
        return trace

    # ------------------------------------------------------ the theorem

    def proof(self, u: ArrayLike | None = None) -> Proof:
        r"""The quantities of Novikoff's theorem at every update, and whether its lemmas hold.

        They are computed in the space of the run: with a bias, examples and $u$ have one more
        coordinate, which is 1 for every example; with `normalize`, examples have unit length; with
        `slack`, each example has a private coordinate. All examples of the data count, including
        examples of weight 0, which the run never visits.

        More than two classes that are learned jointly are in Kesler's space, where the weights of
        all classes are one vector. An update adds a vector with $x_i$ in the block of the right
        class and $-x_i$ in that of the other: its length is at most $\sqrt2$ times that of the
        longest example. With one binary classifier per class, each has a proof of its own: call
        ``trace.machine(label).proof()``.

        Parameters
        ----------
        u : array of shape (n_features,) or (n_features + 1,), optional
            Any direction; it is scaled to unit length. With a bias, the last entry is that of the
            bias, 0 if left out. With more than two classes, one row per class. None: the direction
            of the widest margin, whose $\gamma$ is certified (`MaxMargin`, `separability`).

        Returns
        -------
        Proof

        Raises
        ------
        NotSeparable
            If `u` is not given and no hyperplane separates the data.

        Examples
        --------
        >>> from novikoff import Perceptron
        >>> model = Perceptron(shuffle=False, record=True)
        >>> proof = model.fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]).trace_.proof()
        >>> f"{proof.mistakes[-1]} mistakes, and never more than {proof.bound:.0f}"
        '18 mistakes, and never more than 51'
        """
        return proof_of(self, u)

    # ------------------------------------------------------ to look at

    def player(self) -> "AnyWidget":
        """An animation of the run, step by step, for notebooks. Needs the extra `notebook`.

        Every visit of an example is a step. If the order of the visits is not known
        (``shuffle=True`` without a seed), every update is a step.

        Returns
        -------
        anywidget.AnyWidget
            For Jupyter, marimo and VS Code. Its `step` is the number of steps made so far, and can
            be set. The data must have two features.
        """
        # the lab knows the trace, so the trace cannot know it when imported
        from novikoff.lab.notebook import player

        return player(self)


def as_known(y: Array, classes: Array, advice: str) -> Array:
    """The signs of labels of two classes, the numbers of those of more."""
    if len(classes) > 2 and not (known := np.isin(y, classes)).all():
        i = int(known.argmin())
        raise DataError(
            f"y has a label that is none of the model's {len(classes)} classes, first in row {i}: "
            f"{y[i : i + 1].tolist()[0]!r}. {advice}"
        )
    return known_by(codes(y, classes), classes)


def trace_of(model: object) -> Trace | SequenceTrace:
    """The trace of a fitted learner that has a record of its run."""
    return SequenceTrace(model) if isinstance(model, SequencePerceptron) else Trace(model)
