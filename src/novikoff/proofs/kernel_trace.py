"""What happened in the run of a kernel machine, update by update."""

from typing import Any

import numpy as np
from sklearn.base import clone

from novikoff.errors import ParameterError
from novikoff.learners.kernels.coefficients import DualReplay
from novikoff.learners.kernels.machine import DualLearner
from novikoff.learners.replay import told
from novikoff.proofs.record import Record
from novikoff.typing import Array


class DualTrace(Record):
    r"""What happened in the run of a kernel machine, one record per update, in tens of bytes each.

    A fitted kernel machine with ``record=True`` has one as `trace_`. Its weights live in the
    feature space of a kernel, as $w = \sum_i \alpha_i\phi(x_i)$: what is replayed are the
    $\alpha_i$, and for that no data is needed.

    Parameters
    ----------
    model : KernelPerceptron or Romma
        Fitted with ``record=True``.

    Attributes
    ----------
    epoch, position, example, label, score, squared_norm, mistakes, gained, lost
        As for `Trace`; scores and squared norms are of the feature space. With a budget the norm is
        what is left after rows were forgotten.
    step : ndarray of float
        The coefficient that the example got; of two classes, signed.
    mistakes_per_epoch : ndarray of int
        For all passes of the run.

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

    def __init__(self, model: Any) -> None:
        run = model._fitted() if isinstance(model, DualLearner) else None
        if run is None or run.log is None:
            raise ParameterError(
                f"{model!r} has no record of its run: give a kernel machine fitted with "
                "{record=}.",
                record=True,
            )
        self._learner, self._made = clone(model), run.log.copy()
        self._n_classes = len(model.classes_)
        self._budget = getattr(run.history, "budget", None)
        apart = model._apart(run.outputs)
        table, _ = told(self._made, apart, (1.0, 1.0) if apart else (2.0, 2.0))
        self.mistakes_per_epoch = np.array(run.ledger.mistakes, np.int64)
        self._tell(table, 0)

    def weights(self, k: Any) -> Array:
        r"""The coefficients $\alpha$ of all examples after update `k`.

        As learning had them, bit for bit; with ``kernel="linear"`` `Romma` keeps weights and no
        coefficients, which are $\sum_i \alpha_i x_i$ up to rounding.

        Parameters
        ----------
        k : int or sequence of int
            From 0, the start, to the number of updates.

        Returns
        -------
        ndarray of shape (n_examples,), or (n_classes, n_examples) for more than two classes
            Of all examples that were given, in that order. With (len(k), ...) for a sequence.
        """
        ks = np.asarray(k)
        if ks.dtype.kind not in "iu" or ks.ndim > 1 or not ((ks >= 0) & (ks <= len(self))).all():
            told = f"{{k=}} was given, but updates are numbered 0 to {len(self)}."
            raise ParameterError(told, k=k)
        order = np.argsort(ks, axis=None)
        replay = DualReplay(self._made, self._n_classes, self._budget)
        rows = (self._n_classes,) if self._n_classes > 2 else ()
        shape = (*rows, self._made.n_given)
        found = np.zeros((ks.size, *shape))
        for place, alpha in zip(order, replay.weights(ks.ravel()[order]), strict=True):
            found[place] = alpha.T.reshape(shape) if alpha.size else 0.0
        return found.reshape(*ks.shape, *shape)

    def proof(self, u: Any = None) -> Any:
        """There is none here: the four quantities are of weights that are written down.

        Parameters
        ----------
        u : array, optional

        Raises
        ------
        ParameterError
            Always; it says what tells of the run of a kernel machine.
        """
        raise ParameterError(
            f"{type(self._learner).__name__} has its weights in the feature space of a kernel, and "
            "the four quantities are of weights that are written down.",
            hint="Of a KernelPerceptron, margin_ and mistake_bound_ say what the run proves; with "
            "a linear kernel, Perceptron(fit_intercept=False) makes the same mistakes and has the "
            "proof.",
        )
