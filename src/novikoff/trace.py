r"""What happened, update by update, and Novikoff's proof carried out on it.

A perceptron's run is the list of its mistakes. With the data, everything else can be had from
that list: the weights after any update, exactly as they were, and the race between

$$k\gamma \;\le\; \langle w_k, u\rangle \;\le\; \|w_k\| \;\le\; \sqrt k\,R$$

that ends it (note 003, "Convergence of Perceptron"; note 004, theorem 1).
"""

from collections.abc import Iterator
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.validation import check_consistent_length

from novikoff.errors import DataError, ParameterError
from novikoff.inputs import as_rows
from novikoff.labels import as_labels, signs
from novikoff.learners.additive import Additive
from novikoff.learners.base import MistakeDriven
from novikoff.margins.bounds import novikoff_bound
from novikoff.margins.geometry import as_examples, longest
from novikoff.theorem import Proof, as_in_run, direction, widest

Array = npt.NDArray[Any]


class Trace:
    r"""What happened in a run, one record per update, in some tens of bytes each.

    A fitted learner with ``record=True`` has one as `trace_`. From the record and the data
    the run can be replayed: `weights` gives the weights $w_k$ after any update, bit for bit,
    and `proof` the quantities of Novikoff's theorem at every one.

    After `fit` the trace knows the data by reference (a pickle or a model file does not
    take it along). A stream keeps no examples: `with_data` takes them again.

    Parameters
    ----------
    model : Perceptron, AveragedPerceptron, VotedPerceptron or Winnow
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
        The $y_i$ of that example: -1 for the first class, +1 for the second.
    score : ndarray of float
        $\langle w, x_i\rangle + b$ before the update; with `slack`, what the example's own
        feature adds is counted in.
    squared_norm : ndarray of float
        $\|(w, b)\|^2$ after it, in the space of the run (private features counted in).
    mistakes : ndarray of int
        How many mistakes there had been, this one counted in.
    step : ndarray of float
        The signed step $\eta\,c_i\,y_i$. For Winnow what weights were multiplied by.
    start : ndarray of shape (n_features + 1,)
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

    def __init__(self, model: Any) -> None:
        run = model._fitted() if isinstance(model, MistakeDriven) else None
        if run is None or run.recorded is None:
            raise ParameterError(
                f"{model!r} has no record of its run: give a learner fitted with record=True."
            )
        made, self._space, self._classes = run.recorded, run.space, model.classes_
        self._learner: MistakeDriven = clone(model)
        table, self._data = made.table[: made.n], made.data
        self._square, self._n_given, self._visited = made.square, made.n_given, made.visited
        self.start = made.start.copy()
        self.mistakes_per_epoch = np.array(run.mistakes, np.int64)
        self.mistakes = made.before + 1 + np.arange(made.n)
        self.epoch, self.position, self.example, self.label, self.step, self.score = (
            table[name].copy()
            for name in ("epoch", "position", "example", "label", "step", "score")
        )
        self.squared_norm = table["square"].copy()

    def __len__(self) -> int:
        return len(self.step)

    def __repr__(self) -> str:
        n, epochs = len(self), len(self.mistakes_per_epoch)
        return (
            f"<Trace of a {type(self._learner).__name__}: {n:,} update{'s' * (n != 1)} in "
            f"{epochs:,} epoch{'s' * (epochs != 1)}>"
        )

    # ------------------------------------------------------ the data

    def with_data(self, X: Any, y: Any) -> "Trace":
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
        if X.shape != (self._n_given, len(self.start) - 1):
            raise DataError(
                f"X has shape {X.shape}, but the run was given {self._n_given} examples of "
                f"{len(self.start) - 1} features: give all of them, in order."
            )
        y = signs(y, self._classes)
        if not np.array_equal(y[self.example], self.label):
            raise DataError("y has other labels than the run met: give its own data, in order.")
        trace = object.__new__(Trace)
        trace.__dict__ |= self.__dict__ | {"_data": (X, y)}
        return trace

    @property
    def data(self) -> tuple[Any, Array]:
        """The examples, and their labels as -1 and +1."""
        if self._data is None:
            raise DataError(
                "The trace of a stream, or from a file, does not know the data: "
                "trace.with_data(X, y) takes it."
            )
        return self._data

    # ------------------------------------------------------ replaying

    def weights(self, k: Any) -> Array:
        """The weights after update `k`, the bias last: bit for bit as they were.

        Parameters
        ----------
        k : int or sequence of int
            From 0, the start, to the number of updates.

        Returns
        -------
        ndarray of shape (n_features + 1,), or (len(k), n_features + 1) for a sequence
        """
        ks = np.asarray(k)
        if ks.dtype.kind not in "iu" or ks.ndim > 1 or not ((ks >= 0) & (ks <= len(self))).all():
            raise ParameterError(f"k={k!r} was given, but updates are numbered 0 to {len(self)}.")
        order = np.argsort(ks, axis=None)
        W = np.empty((ks.size, len(self.start)), self.start.dtype)
        for place, w in zip(order, self._replayed(ks.ravel()[order]), strict=True):
            W[place] = w
        return W.reshape(*ks.shape, -1)

    def _replayed(self, ks: Array) -> Iterator[Array]:
        """The weights after each of these updates, in increasing order; the next overwrites it."""
        w, at = self.start.copy(), 0
        rows = self._learner._rows(self.data[0], self._space) if len(self) else None
        for k in ks.tolist():
            if k > at:
                made = self.example[at:k], self.step[at:k]
                self._learner._redo(w, rows, made, self._space)
                at = k
            yield w
        self._require_same_run(w, at)

    def _require_same_run(self, w: Array, k: int) -> None:
        """Other data would have led elsewhere: the squared length after `k` updates tells."""
        if not k or self._space.get("slack"):
            return
        expected = float(self.squared_norm[k - 1])
        with np.errstate(over="ignore"):
            found = float((w.astype(np.float64) ** 2).sum())
        scale = max(expected, float(self.squared_norm[:k].max()), self._square)
        if np.isfinite(found) and abs(found - expected) > 1e-9 * (k + len(w)) * scale:
            raise DataError(
                "The data is not what the run learned from: replayed, it leads to "
                "other weights. trace.with_data(X, y) takes the right one."
            )

    # ------------------------------------------------------ the theorem

    def proof(self, u: Any = None) -> Proof:
        r"""The quantities of Novikoff's theorem at every update, and whether its lemmas held.

        In the space of the run: with a bias, examples and $u$ have one more coordinate, which
        is 1 on every example; with `normalize`, examples have unit length; with `slack`,
        each has a coordinate of its own. All examples of the data count, also such as had a weight
        of 0 and were never visited.

        Parameters
        ----------
        u : array of shape (n_features,) or (n_features + 1,), optional
            Any direction; it is scaled to unit length. With a bias, its last entry is that of
            the bias, 0 if left out. None for the direction of the widest margin, whose
            $\gamma$ is certified (`MaxMargin`).

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
        if not isinstance(self._learner, Additive):
            raise ParameterError(
                f"{type(self._learner).__name__} multiplies its weights, and its bound has another "
                "proof (novikoff.winnow_bound): the four quantities are those of perceptrons."
            )
        X, y = self.data
        Z = as_in_run(X, self._space)
        if u is None:
            u, gamma = widest(Z, y)
        else:
            u = direction(u, X.shape[1], Z.shape[1], self._space["fit_intercept"])
            gamma = float((y * (Z @ u)).min())
        return self._carried_out(u, gamma, float(longest(as_rows(Z), Z.shape[0])))

    def _carried_out(self, u: Array, gamma: float, R: float) -> Proof:
        width = len(self.start)
        own = self.step * float(self._space["slack"])
        private = np.cumsum(own * u[width + self.example]) if len(u) > width else 0.0
        a, every = abs(self.step), np.arange(len(self) + 1)
        progress = np.array([np.vdot(w, u[:width]) for w in self._replayed(every)])
        progress[1:] += private
        square = np.append(self._square, self.squared_norm)
        length = np.sqrt(square)
        # rounding: of the weights when they were learned, and of the sums here
        doubt = 8 * (width + 8) * float(np.finfo(self.start.dtype).eps)
        doubts = doubt * (length[1:] + length[:-1] + a * R)
        return Proof(
            u=u,
            margin=gamma,
            radius=R,
            bound=self._bound(gamma, R, float(length[0]), float(progress[0])),
            mistakes=self.mistakes,
            least=progress[0] + gamma * np.cumsum(a),
            progress=progress[1:],
            length=length[1:],
            most=np.sqrt(square[0] + R * R * np.cumsum(a * a)),
            progress_grew=np.diff(progress) >= a * gamma - doubts,
            length_held=np.diff(square)
            <= (a * R) ** 2 + doubts * (length[1:] + length[:-1] + a * R),
            start=(float(progress[0]), float(length[0])),
            steps=a,
        )

    def _bound(self, gamma: float, R: float, length: float, progress: float) -> float:
        if not gamma > 0 or not np.isfinite(length):
            return inf
        a = abs(self.step) if len(self) else np.ones(1)
        # with unequal steps, the least of them for progress and the largest for growth
        progress = min(length, max(-length, progress))
        most = novikoff_bound(
            R * float(a.max()), gamma * float(a.min()), start_norm=length, start_progress=progress
        )
        return float(self.mistakes[0] - 1 if len(self) else 0) + most

    # ------------------------------------------------------ to look at

    def player(self) -> Any:
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

    # ------------------------------------------------------ tables

    def _columns(self) -> dict[str, Array]:
        names = (
            "epoch",
            "position",
            "example",
            "label",
            "score",
            "squared_norm",
            "mistakes",
            "step",
        )
        return {name: getattr(self, name) for name in names}

    def to_pandas(self) -> Any:
        """The updates as a pandas frame, a row each.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas as pd

        return pd.DataFrame(self._columns())

    def to_arrow(self) -> Any:
        """The updates as an Arrow table, a row each.

        Returns
        -------
        pyarrow.Table
        """
        import pyarrow as pa

        return pa.table(self._columns())
