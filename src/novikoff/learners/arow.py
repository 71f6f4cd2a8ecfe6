r"""AROW, adaptive regularization of weight vectors (Crammer, Kulesza & Dredze 2009).

The weights are a Gaussian with mean $\mu$ and covariance $\Sigma$, which start at 0 and the
identity. The bias is the weight of one more feature, which is always 1. An example $x$ with the
label $y$ of -1 or +1 has the margin $m = y\langle\mu, x\rangle$ and the variance
$v = x^\top\Sigma x$. If $m < 1$:

$$\mu \leftarrow \mu + (1 - m)\,\beta\,y\,\Sigma x, \qquad
  \Sigma \leftarrow \Sigma - \beta\,\Sigma xx^\top\Sigma, \qquad \beta = \frac1{v + r}.$$

So $\Sigma^{-1}$ grows by $xx^\top/r$, and the weights of frequent features soon change little. Let
$A$ be the examples with an update, and $U$ the number of them that were predicted correctly. With
the full matrix, the number of mistakes $M$ has the bound, for any $u$ with hinge losses $\ell^*_t$,

$$M \le \sqrt{r\|u\|^2 + u^\top X_A u}\;\sqrt{\ln\det(I + X_A/r) + U}
  + \sum_{t \in A}\ell^*_t - U, \qquad X_A = \sum_{t \in A} x_t x_t^\top$$

(`novikoff.arow_bound`). At all times, $\mu = (rI + X_A)^{-1}\sum_{t \in A} y_t x_t$: AROW is the
ridge regression of the labels on the examples with an update. `docs/theorems.md`, theorem 10,
proves both.
"""

from typing import NamedTuple

from novikoff.core import rules
from novikoff.core.examples import weight
from novikoff.core.rules import of
from novikoff.learners import margin
from novikoff.learners.covariance import Confident, room_beside, shift, variance, without
from novikoff.learners.state import State
from novikoff.parameters import number


class Adaptive(NamedTuple):
    """The rule of AROW."""

    r: float
    bias: float
    """The bias input: 1, or 0 for a hyperplane through the origin."""


@of(rules.content, Adaptive)
def content(rule, m, y, D, i):
    """Is there no loss?"""
    return m >= 1.0


@of(rules.learn, Adaptive, allocates=True)
def learn(rule, mu, Sigma, y, m, D, i):
    r"""$\mu \leftarrow \mu + (1 - m)\,\beta\,y\,\Sigma x$, and $\Sigma$ with it"""
    Sx = room_beside(Sigma)
    v = variance(Sigma, D.rows, i, rule.bias, Sx)
    if not v < margin.INF:
        return margin.OUT_OF_RANGE
    if v < margin.TINY:
        return without(Sigma, D.rows, i)
    beta = 1.0 / (v + rule.r / weight(D, i))
    shift(mu, Sigma, (1.0 - m) * beta * y, beta, D.rows, i, rule.bias, Sx)
    return margin.told(mu, D, i)


class AROW(Confident):
    r"""AROW: step sizes that adapt to how often each feature was seen; robust to label noise.

    The weights are a Gaussian with mean $\mu$ and covariance $\Sigma$, which start at 0 and the
    identity matrix. On an example $x$ with the label $y$ of -1 or +1:

    $$\mu \leftarrow \mu + \frac{\max(0, 1 - m)}{v + r}\,y\,\Sigma x, \qquad
      \Sigma \leftarrow \Sigma - \frac{\Sigma xx^\top\Sigma}{v + r}, \qquad
      m = y\langle\mu, x\rangle, \quad v = x^\top\Sigma x.$$

    Both change only if the margin $m$ is below 1. The model predicts with $\mu$; $r$ is the
    parameter `r`. With more than two classes, there is one binary classifier for each class against
    the rest, and all of them learn in the same pass.

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_, feature_names_in_, n_iter_
        As for `Perceptron`.
    mistakes_, n_mistakes_, n_updates_, converged_, dual_coef_, radius_, trace_
        As for `PassiveAggressive`.

    Examples
    --------
    >>> from novikoff import AROW
    >>> X, y = [[2.0, 0.0], [0.0, 2.0]], ["no", "yes"]
    >>> model = AROW(fit_intercept=False, shuffle=False).partial_fit(X, y)
    >>> model.coef_
    array([[-0.4,  0.4]])
    >>> model.n_mistakes_, model.n_updates_
    (2, 2)

    References
    ----------
    Crammer, K., Kulesza, A. & Dredze, M. (2009). Adaptive regularization of weight vectors.
    NIPS 22, figure 1 and section 4 (the mistake bound, theorem 10 of `docs/theorems.md`).
    Journal version: Machine Learning 91 (2013).
    """

    _other_proof = "chooses its steps, and its bound has another proof (novikoff.arow_bound)"

    r: float = number(
        default=1.0,
        above=0.0,
        short="regularization: larger values take smaller steps",
        text="""The regularization: the larger $r$, the smaller the steps. For an example of weight
        $c$, it is $r/c$.""",
    )

    def _rule(self, run: State) -> Adaptive:
        return Adaptive(float(self.r), float(run.space["fit_intercept"]))
