r"""The averaged perceptron (Freund & Schapire 1999; Collins 2002).

The mistakes are the perceptron's; the weights that predict are the mean of those after
each of the $T$ examples seen. An update $\delta_k$ at time $t_k$ (counted from 0) is part
of the last $T - t_k$ of them, so

$$\bar w = \frac1T \sum_k (T - t_k)\,\delta_k = \frac{T w - u}{T},
  \qquad u = \sum_k t_k\,\delta_k,$$

which costs the nonzeros of one example per mistake, and nothing per example.
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
    r"""The averaged perceptron: predict with the mean of all weights on the way.

    $$\bar w = \frac1T \sum_{t=1}^T w_t$$

    over the weights after each of the $T$ examples seen, all epochs counted. It errs on
    the same examples as `Perceptron` while it learns, generalises better, and does not
    need the data to be separable.

    Attributes
    ----------
    coef_, intercept_
        The averaged weights and bias.
    classes_, n_features_in_, feature_names_in_
        As for `Perceptron`.
    n_iter_, mistakes_, n_mistakes_, n_updates_, converged_, dual_coef_, radius_, trace_
        As for `Perceptron`; they tell of the run that was averaged.

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
