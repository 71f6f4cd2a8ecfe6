r"""The averaged perceptron (Freund & Schapire 1999; Collins 2002).

It makes the mistakes of the perceptron, and predicts with the mean of the weights after each of the
$T$ examples visited. If update $k$ adds $\delta_k$ at time $t_k$ (counted from 0), it is part of
the last $T - t_k$ of these weights. So, with the last weights $w$,

$$\bar w = \frac1T \sum_k (T - t_k)\,\delta_k = \frac{T w - u}{T},
  \qquad u = \sum_k t_k\,\delta_k.$$

To keep $u$ costs as much as one more update per mistake, and nothing for the other examples.
"""

import numpy as np

from novikoff.core.examples import Examples
from novikoff.core.log import Log
from novikoff.core.loops import replay
from novikoff.inputs.arrays import overflow
from novikoff.learners.additive import Additive
from novikoff.learners.state import Field, Space, State
from novikoff.typing import Array


def mean_weights(w: Array, u: Array, T: int) -> Array:
    r"""$\bar w$, in the precision of $w$."""
    mean: Array = ((T * w.astype(np.float64) - u) / max(1, T)).astype(w.dtype)
    return mean


class AveragedPerceptron(Additive):
    r"""The averaged perceptron: predict with the mean of all weights of the run.

    $$\bar w = \frac1T \sum_{t=1}^T w_t$$

    Here $w_t$ are the weights after visiting the $t$-th example, and $T$ is the number of visits in
    all epochs. While it learns, it makes the same mistakes as `Perceptron`. It usually generalises
    better, and it does not need separable data.

    Attributes
    ----------
    coef_, intercept_
        The averaged weights and bias.
    classes_, n_features_in_, feature_names_in_
        As for `Perceptron`.
    n_iter_, mistakes_, n_mistakes_, n_updates_, converged_, dual_coef_, radius_, trace_
        As for `Perceptron`. They describe the run, whose weights were averaged.

    Examples
    --------
    >>> from novikoff import AveragedPerceptron
    >>> model = AveragedPerceptron(shuffle=False).partial_fit([[2.0], [3.0]], [-1, 1])
    >>> model.n_mistakes_  # both: first the weights were -2 and -1, then 1 and 0
    2
    >>> model.coef_, model.intercept_
    (array([[-0.5]]), array([-0.5]))

    References
    ----------
    Freund, Y. & Schapire, R. E. (1999). Large margin classification using the perceptron
    algorithm. Machine Learning 37(3).
    Collins, M. (2002). Discriminative training methods for hidden Markov models. EMNLP,
    section 2.
    """

    def _declared(self, space: Space) -> dict[str, Field]:
        return {"tally": Field(("m", "d"), np.float64)}

    def _remember(self, run: State, D: Examples, log: Log) -> None:
        seen = run.stream.n_seen + int(log.time[-1]) + 1
        if not self._reach(run) * seen < np.finfo(np.float64).max / 4:
            raise overflow(np.float64)  # the sum of so many weights may leave the range
        steps, base = (run.stream.n_seen + log.time) * log.step, int(not run.many)
        told = D.rows_at(log.time), steps, log.gained, log.lost
        replay(run.extra["tally"], D.rows, *told, base, float(self.fit_intercept))

    def _predicting(self) -> Array:
        run = self._fitted()
        if run.mean is None:
            run.mean = mean_weights(run.weights, run.extra["tally"], run.stream.n_seen)
        return run.mean if run.stream.n_seen else run.weights
