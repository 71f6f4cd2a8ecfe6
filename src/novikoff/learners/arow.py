r"""AROW, adaptive regularization of weight vectors (Crammer, Kulesza & Dredze 2009).

The weights are a Gaussian of mean $\mu$ and covariance $\Sigma$, at the start 0 and the identity.
With the bias as one more weight whose input is always 1, on an example of margin
$m = y\langle\mu, x\rangle < 1$ and variance $v = x^\top\Sigma x$:

$$\mu \leftarrow \mu + (1 - m)\,\beta\,y\,\Sigma x, \qquad
  \Sigma \leftarrow \Sigma - \beta\,\Sigma xx^\top\Sigma, \qquad \beta = \frac1{v + r}.$$

So $\Sigma^{-1}$ gains $xx^\top/r$: what has been seen often moves little. With the full matrix, for
any $u$, over the examples $A$ with an update, of which $U$ were right answers,

$$M \le \sqrt{r\|u\|^2 + u^\top X_A u}\;\sqrt{\ln\det(I + X_A/r) + U}
  + \sum_{t \in A}\ell^*_t - U, \qquad X_A = \sum_{t \in A} x_t x_t^\top,$$

with the hinge losses $\ell^*_t$ of $u$ (`novikoff.arow_bound`). And $\mu = (rI + X_A)^{-1}
\sum_{t \in A} y_t x_t$ at all times: AROW is ridge regression of the labels on the examples that it
found wanting. Both are proved in `docs/theorems.md`, theorem 10.
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
    r"""AROW: steps that adapt to how often each feature has been seen, and stand noise well.

    $$\mu \leftarrow \mu + \frac{\max(0, 1 - m)}{v + r}\,y\,\Sigma x, \qquad
      \Sigma \leftarrow \Sigma - \frac{\Sigma xx^\top\Sigma}{v + r}, \qquad
      m = y\langle\mu, x\rangle, \quad v = x^\top\Sigma x$$

    More than two classes have a machine each, against the rest; all learn in the same pass.

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
    NIPS 22, figure 1 and the mistake bound of its section 4, which is theorem 10 of
    `docs/theorems.md`. Machine Learning 91 (2013).
    """

    _other_proof = "chooses its steps, and its bound has another proof (novikoff.arow_bound)"

    r: float = number(
        default=1.0,
        above=0.0,
        short="regularization: larger values take smaller steps",
        text="""How little one example is trusted: steps shrink as it grows. An example of weight
        $c$ has $r/c$.""",
    )

    def _rule(self, run: State) -> Adaptive:
        return Adaptive(float(self.r), float(run.space["fit_intercept"]))
