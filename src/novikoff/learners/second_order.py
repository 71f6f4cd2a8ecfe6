r"""The second-order perceptron (Cesa-Bianchi, Conconi & Gentile 2005).

The weights are $w = A^{-1}v$, where $v = \sum y\,x$ and $A = aI + \sum xx^\top$ are sums over the
mistakes so far: examples $x$ with the label $y$ of -1 or +1. The bias is the weight of one more
feature, which is always 1. (The paper adds the current example to $A$ before it predicts, which
does not change the sign of the score.) On a mistake, $y\langle w, x\rangle \le 0$:

$$v \leftarrow v + y\,x, \qquad A \leftarrow A + xx^\top.$$

With $S = A^{-1}$ and $q = x^\top S x$, by the Sherman-Morrison formula,

$$w \leftarrow w + \frac{1 - m}{1 + q}\,y\,Sx, \qquad S \leftarrow S - \frac{Sxx^\top S}{1 + q},
  \qquad m = y\langle w, x\rangle.$$

This is the update of AROW with $r = 1$, on mistakes only. For any $u$ of length 1 and any
$\gamma > 0$, the number $M$ of mistakes has the bound

$$M \le \frac{D_\gamma}\gamma + \frac1\gamma\sqrt{(a + u^\top X u)\sum_i \ln(1 + \lambda_i/a)},$$

where $D_\gamma = \sum_t \max(0, \gamma - y_t\langle u, x_t\rangle)$, and $\lambda_i$ are the
eigenvalues of $X = \sum xx^\top$ over the mistakes (theorem 3.1; `novikoff.second_order_bound`).
With the diagonal of $A$ only, $w_j = v_j/A_{jj}$.
"""

from typing import NamedTuple

import numpy as np

from novikoff.core import rules
from novikoff.core.examples import weight
from novikoff.core.jit import njit
from novikoff.core.rows import column, first, last, value
from novikoff.core.rules import is_right, of
from novikoff.learners import margin
from novikoff.learners.covariance import Confident, room_beside, shift, variance, without
from novikoff.learners.state import Field, Space, State
from novikoff.parameters import again, number


class Whitening(NamedTuple):
    """The rule of the second-order perceptron."""

    bias: float
    """The bias input: 1, or 0 for a hyperplane through the origin."""


@njit
def divided_anew(w, A, a, x):
    r"""$(w A + a\,x)/(A + |a|\,x^2)$ for one weight, and the new $A$"""
    more = A + abs(a) * x * x
    return (w * A + a * x) / more, more


@njit
def divide_anew(w, A, a, X, i, bias):
    """The same for all weights under row `i`, where `A` is the diagonal."""
    total = 0.0
    for k in range(first(X, i), last(X, i)):
        j, x = column(X, k), np.float64(value(X, i, k))
        if x != 0.0:
            w[j], A[j] = divided_anew(w[j], A[j], a, x)
            total += A[j]
    if bias > 0.0:
        w[-1], A[-1] = divided_anew(w[-1], A[-1], a, bias)
        total += A[-1]
    if not total < margin.INF:
        return margin.OUT_OF_RANGE
    return abs(a) if total > 0.0 else 0.0


@of(rules.content, Whitening)
def content(rule, m, y, D, i):
    """Is the answer right?"""
    return is_right(m, y, 0)


@of(rules.learn, Whitening, allocates=True)
def learn(rule, w, S, y, m, D, i):
    r"""$w \leftarrow (A + xx^\top)^{-1}(v + y\,x)$, where $w = A^{-1}v$"""
    c = weight(D, i)
    if S.ndim == 1:
        a = divide_anew(w, S, c * y, D.rows, i, rule.bias)
        return a if a != a or a == 0.0 else margin.told(w, D, i)
    Sx = room_beside(S)
    q = variance(S, D.rows, i, rule.bias, Sx)
    if not q < margin.INF:
        return margin.OUT_OF_RANGE
    if q < margin.TINY:
        return without(S, D.rows, i)
    beta = 1.0 / (q + 1.0 / c)
    shift(w, S, (1.0 - m) * beta * y, beta, D.rows, i, rule.bias, Sx)
    return margin.told(w, D, i)


class SecondOrderPerceptron(Confident):
    r"""The second-order perceptron: a perceptron on features that are decorrelated and rescaled.

    $$w = \Big(aI + \sum xx^\top\Big)^{-1}\sum y\,x$$

    Both sums are over the mistakes so far: examples $x$ with the label $y$ of -1 or +1; $a$ is the
    parameter `a`. If the examples vary much more in some directions than in others, it makes fewer
    mistakes than a perceptron. With more than two classes, there is one binary classifier for each
    class against the rest, and all of them learn in the same pass.

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_, feature_names_in_, n_iter_
        As for `Perceptron`.
    mistakes_, n_mistakes_, n_updates_, converged_, dual_coef_, radius_, trace_
        As for `PassiveAggressive`. All updates are on mistakes.

    Examples
    --------
    >>> from novikoff import SecondOrderPerceptron
    >>> X, y = [[2.0, 0.0], [0.0, 2.0]], ["no", "yes"]
    >>> model = SecondOrderPerceptron(fit_intercept=False, shuffle=False).fit(X, y)
    >>> model.coef_
    array([[-0.4,  0.4]])
    >>> model.n_mistakes_, model.converged_
    (2, True)

    References
    ----------
    Cesa-Bianchi, N., Conconi, A. & Gentile, C. (2005). A second-order perceptron algorithm. SIAM
    Journal on Computing 34(3), figure 3.1 and theorem 3.1.
    """

    _other_proof = (
        "has a matrix beside its weights, and its bound another proof (novikoff.second_order_bound)"
    )

    a: float = number(
        default=1.0,
        above=0.0,
        short="regularization: larger values whiten less",
        text="""The weight of the identity matrix: the larger it is, the closer the learner is to
        the perceptron.""",
        space=True,
    )
    covariance = again(
        Confident._parameters["covariance"],
        default="full",
        text="""Keep the full matrix, or only its diagonal. With $d$ features, the full matrix takes
        $(d + 1)^2$ numbers, and an update takes as many operations. The mistake bound holds for
        the full matrix only.""",
    )

    def _start(self) -> float:
        return float(self.a) if self.covariance == "diagonal" else 1.0 / float(self.a)

    def _declared(self, space: Space) -> dict[str, Field]:
        declared = super()._declared(space)["covariance"]
        if space["covariance"] == "diagonal":
            declared = declared._replace(least=float(np.finfo(np.float64).tiny))
        return {"covariance": declared}

    def _rule(self, run: State) -> Whitening:
        return Whitening(float(run.space["fit_intercept"]))
