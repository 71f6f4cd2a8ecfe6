r"""What happened, update by update, and Novikoff's proof carried out on it.

A perceptron's run is the list of its mistakes. With the data, everything else can be had from
that list: the weights after any update, exactly as they were, and the race between

$$k\gamma \;\le\; \langle w_k, u\rangle \;\le\; \|w_k\| \;\le\; \sqrt k\,R$$

that ends it (note 003, "Convergence of Perceptron"; note 004, theorem 1).
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
    r"""What happened in a run, one record per update, in some tens of bytes each.

    A fitted learner with ``record=True`` has one as `trace_`. From the record and the data
    the run can be replayed: `weights` gives the weights $w_k$ after any update, bit for bit,
    and `proof` the quantities of Novikoff's theorem at every one.

    After `fit` the trace knows the data by reference (a pickle or a model file does not
    take it along). A stream keeps no examples: `with_data` takes them again.

    Parameters
    ----------
    model : a learner of `novikoff.learners.LEARNERS`
        Fitted with ``record=True``.

    Attributes
    ----------
    epoch : ndarray of int
        In which pass it was, counted from 0; all of `partial_fit` is one pass.
    position : ndarray of int
        How many examples the pass had visited before.
    example : ndarray of int
        Which example it was on: its row in the data of `fit`. In a stream, its place among all
        rows that came since recording began, however they were cut into blocks.
    label : ndarray of int
        The $y_i$ of that example: -1 for the first class, +1 for the second. Of more than two
        classes, the number of its class in `classes_`.
    score : ndarray of float
        $\langle w, x_i\rangle + b$ before the update; with `slack`, what the example's own
        feature adds is counted in. Of many classes learned jointly, by how much the right class
        led the best other; with a machine for each, the score of the machine.
    squared_norm : ndarray of float
        $\|(w, b)\|^2$ after it, in the space of the run (private features counted in). Of many
        classes the sum over all; with a machine for each, that of the machine.
    mistakes : ndarray of int
        How many mistakes there had been, this one counted in if it is one: some learners also
        update on right answers.
    step : ndarray of float
        The signed step $\eta\,c_i\,y_i$ of a perceptron; of more than two classes without a sign.
        For Winnow what weights were multiplied by. Other learners choose their steps: here
        is $c_i\,y_i$, the weight of the example.
    gained, lost : ndarrays of int, or None
        Of more than two classes: the class whose weights gained the example, the right one, and
        the class whose weights lost it, its rival; -1 for none. With a machine for each class, one
        of them is the machine's; while a stream had two classes, one machine stood for both.
    start : ndarray of shape (n_features + 1,), or (n_classes, n_features + 1)
        The weights before the first update, the bias last.
    mistakes_per_epoch : ndarray of int
        For all passes of the run, the last of which may have none.

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
            All examples that were given since recording began, in that order, and of the same
            type: for a stream, its blocks one below the other.
        y : array of shape (n_samples,)

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
        """The examples, and their labels: -1 and +1, or the numbers of more than two classes."""
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
        """The trace of one machine of many: of a class against the rest, as of two classes.

        Parameters
        ----------
        label : a label of `classes_`

        Returns
        -------
        Trace
            Its weights, its proof and its pictures are those of two classes, of which this is the
            second. Its mistakes are counted since recording began.

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
        r"""The quantities of Novikoff's theorem at every update, and whether its lemmas held.

        In the space of the run: with a bias, examples and $u$ have one more coordinate, which
        is 1 on every example; with `normalize`, examples have unit length; with `slack`,
        each has a coordinate of its own. All examples of the data count, also such as had a weight
        of 0 and were never visited.

        Many classes that are learned jointly are in Kesler's space, where the weights of all are
        one vector, and an update adds one that has $x_i$ in the place of the right class and $-x_i$
        in that of the other: its length is at most $\sqrt2$ times that of the longest example.
        If each class has a machine of its own, each has a proof of its own: that of
        ``trace.machine(label)``.

        Parameters
        ----------
        u : array of shape (n_features,) or (n_features + 1,), optional
            Any direction; it is scaled to unit length. With a bias, its last entry is that of
            the bias, 0 if left out. Of many classes, a row each. None for the direction of the
            widest margin, whose $\gamma$ is certified (`MaxMargin`, `separability`).

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
        """The run as a picture that moves: step by step, in a notebook (extra `notebook`).

        Every example visited is a step; where the order of visits is not known (``shuffle=True``
        without a seed), every update is.

        Returns
        -------
        anywidget.AnyWidget
            For Jupyter, marimo and VS Code. Its `step` says how many steps are made, and can be
            set. The run must be on two features.
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
