"""The record of the run of a kernel learner, update by update."""

from collections.abc import Iterator
from typing import Never

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from novikoff.errors import ParameterError
from novikoff.learners.kernels.coefficients import DualReplay
from novikoff.learners.kernels.machine import DualLearner
from novikoff.learners.replay import told
from novikoff.proofs.record import Record
from novikoff.typing import Array


class DualTrace(Record):
    r"""The record of the run of a kernel learner: one entry per update, of some tens of bytes.

    A kernel learner that was fitted with ``record=True`` has one as `trace_`. Its weights
    $w = \sum_i \alpha_i\phi(x_i)$ are in the feature space of the kernel, so `weights` returns the
    coefficients $\alpha_i$ of all examples, in the order they were given. This needs no data. The
    coefficients are those of the run, to the last bit. With ``kernel="linear"``, `Romma` keeps
    weights and no coefficients; the weights are $\sum_i \alpha_i x_i$ up to rounding.

    Parameters
    ----------
    model : KernelPerceptron or Romma
        Fitted with ``record=True``.

    Attributes
    ----------
    epoch, position, example, label, score, squared_norm, mistakes, gained, lost
        As for `Trace`, with scores and squared norms in the feature space. With a budget, the norm
        is measured after examples were dropped.
    step : ndarray of float
        The coefficient that the update gave the example; with two classes, signed.
    start : ndarray of shape (n_examples,), or (n_classes, n_examples) for more than two classes
        The coefficients before the first update: 0.
    mistakes_per_epoch : ndarray of int
        The number of mistakes in every epoch of the run.

    Examples
    --------
    >>> from novikoff import KernelPerceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> xor = KernelPerceptron(kernel="poly", gamma=1, degree=2, shuffle=False, record=True)
    >>> trace = xor.fit(X, y).trace_
    >>> trace
    <Trace of a KernelPerceptron: 21 updates in 8 epochs>
    >>> trace.weights(3)  # the coefficients of the four examples after three updates
    array([-1.,  1.,  1.,  0.])
    """

    def __init__(self, model: object) -> None:
        if not isinstance(model, DualLearner) or (log := model._fitted().log) is None:
            raise ParameterError(
                f"{model!r} has no record of its run: give a kernel machine fitted with "
                "{record=}.",
                record=True,
            )
        run, self._learner, self._made = model._state, clone(model), log.copy()
        self._n_classes = len(model.classes_)
        self._budget = getattr(run.history, "budget", None)
        rows = (self._n_classes,) if self._n_classes > 2 else ()
        self.start = np.broadcast_to(0.0, (*rows, self._made.n_given))
        apart = model._apart(run.outputs)
        table, _ = told(self._made, apart, (1.0, 1.0) if apart else (2.0, 2.0))
        self.mistakes_per_epoch = model.mistakes_
        self._fill(table, 0)

    def _replayed(self, ks: Array) -> Iterator[Array]:
        for alpha in DualReplay(self._made, self._n_classes, self._budget).weights(ks):
            yield alpha.T.reshape(self.start.shape) if alpha.size else self.start

    def proof(self, u: ArrayLike | None = None) -> Never:
        """Not available: the proof needs explicit weights.

        Parameters
        ----------
        u : array, optional

        Raises
        ------
        ParameterError
            Always. The message says what to use instead.
        """
        raise ParameterError(
            f"{type(self._learner).__name__} has its weights in the feature space of a kernel, and "
            "the four quantities are of weights that are written down.",
            hint="Of a KernelPerceptron, margin_ and mistake_bound_ say what the run proves; with "
            "a linear kernel, Perceptron(fit_intercept=False) makes the same mistakes and has the "
            "proof.",
        )
