r"""Soft confidence-weighted learning, SCW-I and SCW-II (Wang, Zhao & Hoi 2012).

The weights are a Gaussian with mean $\mu$ and covariance $\Sigma$, which start at 0 and the
identity. The bias is the weight of one more feature, which is always 1. Let $\Phi$ be the normal
distribution function, and $\phi = \Phi^{-1}(\eta)$. The loss of an example $x$ with the label $y$
of -1 or +1 is 0 if it is predicted correctly with probability $\eta$ or more:

$$\ell^\phi = \max(0, \phi\sqrt v - m), \qquad m = y\langle\mu, x\rangle, \quad
  v = x^\top\Sigma x.$$

An update moves to the Gaussian that minimises the divergence from the last one plus $C\ell^\phi$
(variant I) or $C(\ell^\phi)^2$ (variant II):

$$\mu \leftarrow \mu + \alpha\,y\,\Sigma x, \qquad
  \Sigma \leftarrow \Sigma - \beta\,\Sigma xx^\top\Sigma,$$
$$\alpha = \min\Big(C,
  \max\Big(0, \frac{-m\psi + \sqrt{m^2\phi^4/4 + v\phi^2\zeta}}{v\zeta}\Big)\Big) \text{ (I)},$$
$$\alpha = \max\Big(0, \frac{-(2mn + \phi^2mv) + \gamma}{2(n^2 + nv\phi^2)}\Big), \quad
  \gamma = \phi\sqrt{\phi^2m^2v^2 + 4nv(n + v\phi^2)}, \quad n = v + \frac1{2C} \text{ (II)},$$
$$\psi = 1 + \phi^2/2, \quad \zeta = 1 + \phi^2, \quad
  \beta = \frac{\alpha\phi}{\sqrt u + v\alpha\phi}, \quad
  \sqrt u = \tfrac12\big(-\alpha v\phi + \sqrt{\alpha^2v^2\phi^2 + 4v}\big).$$

The paper proves that these are the minima (propositions 1 and 2). It has no bound on the number of
mistakes. `tests/laws/test_online_bounds.py` checks the minima.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from novikoff.core import rules
from novikoff.core.examples import weight
from novikoff.core.jit import njit
from novikoff.core.rules import of
from novikoff.learners import margin
from novikoff.learners.covariance import Confident, room_beside, shift, variance, without
from novikoff.learners.state import State
from novikoff.parameters import choice, number

VARIANTS = {"I": 1, "II": 2}


class Soft(NamedTuple):
    """The rule of SCW."""

    variant: int
    C: float
    phi: float
    bias: float
    """The bias input: 1, or 0 for a hyperplane through the origin."""
    least: float
    """A loss of up to this is none: it is what rounding leaves of an update."""


@njit
def step(rule, C, m, v):
    r"""$\alpha$"""
    phi = rule.phi
    if rule.variant == 1:
        psi, zeta = 1.0 + phi**2 / 2.0, 1.0 + phi**2
        root = np.sqrt(m * m * phi**4 / 4.0 + v * phi**2 * zeta)
        return min(C, max(0.0, (-m * psi + root) / (v * zeta)))
    n = v + 0.5 / C
    gamma = phi * np.sqrt(phi**2 * m * m * v * v + 4.0 * n * v * (n + v * phi**2))
    return max(0.0, (gamma - (2.0 * m * n + phi**2 * m * v)) / (2.0 * (n * n + n * v * phi**2)))


@of(rules.learn, Soft, allocates=True)
def learn(rule, mu, Sigma, y, m, D, i):
    r"""$\mu \leftarrow \mu + \alpha\,y\,\Sigma x$, and $\Sigma$ with it"""
    Sx = room_beside(Sigma)
    v = variance(Sigma, D.rows, i, rule.bias, Sx)
    if not v < margin.INF:
        return margin.OUT_OF_RANGE
    if v < margin.TINY:
        return without(Sigma, D.rows, i)
    if m > 0.0 and not rule.phi * np.sqrt(v) - m > rule.least:
        return 0.0
    alpha = step(rule, rule.C * weight(D, i), m, v)
    if not alpha < margin.INF:
        return margin.OUT_OF_RANGE
    if alpha == 0.0:
        return 0.0
    avf = alpha * v * rule.phi
    root_u = 0.5 * (-avf + np.sqrt(avf * avf + 4.0 * v))
    beta = alpha * rule.phi / (root_u + avf)
    shift(mu, Sigma, alpha * y, beta, D.rows, i, rule.bias, Sx)
    return margin.told(mu, D, i)


class SCW(Confident):
    r"""Soft confidence-weighted learning: aim for correct predictions with probability $\eta$.

    The weights are a Gaussian $N(\mu, \Sigma)$, which starts with the mean $\mu = 0$ and the
    identity as covariance $\Sigma$. On an example $x$ with the label $y$ of -1 or +1, it moves to
    the Gaussian $N(\mu', \Sigma')$ of

    $$\min_{\mu', \Sigma'} D_{KL}\big(N(\mu', \Sigma')\,\|\,N(\mu, \Sigma)\big) + C\,\ell^\phi,
      \qquad \ell^\phi = \max\big(0, \phi\sqrt{x^\top\Sigma'x} - y\langle\mu', x\rangle\big),$$

    where $D_{KL}$ is the Kullback-Leibler divergence and $\phi = \Phi^{-1}(\eta)$ a quantile of the
    normal distribution: there is no loss if the example is predicted correctly with probability
    $\eta$ or more. The model predicts with $\mu$. With more than two classes, there is one binary
    classifier for each class against the rest, and all of them learn in the same pass.

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_, feature_names_in_, n_iter_
        As for `Perceptron`.
    mistakes_, n_mistakes_, n_updates_, converged_, dual_coef_, radius_, trace_
        As for `PassiveAggressive`.

    Examples
    --------
    >>> from novikoff import SCW
    >>> X, y = [[2.0, 0.0], [0.0, 2.0]], ["no", "yes"]
    >>> model = SCW(fit_intercept=False, shuffle=False).partial_fit(X, y)
    >>> model.coef_.round(3)
    array([[-0.788,  0.788]])
    >>> model.n_mistakes_, model.n_updates_
    (2, 2)

    References
    ----------
    Wang, J., Zhao, P. & Hoi, S. C. H. (2012). Exact soft confidence-weighted learning. ICML,
    propositions 1 and 2.
    """

    _other_proof = "chooses its steps, and no bound on its mistakes is known"

    C: float = number(
        default=1.0,
        above=0.0,
        short="aggressiveness: larger values take larger steps",
        text="The price of a loss. For an example of weight $c$, it is $cC$.",
    )
    eta: float = number(
        default=0.9,
        above=0.5,
        below=1.0,
        short="probability of a correct prediction to aim for",
        text="""The probability of a correct prediction that updates aim for, above 1/2 and below
        1.""",
    )
    variant: str = choice(
        default="I",
        choices=tuple(VARIANTS),
        short="variant of the algorithm",
        text='Penalise the loss ("I") or its square ("II").',
    )

    def _rule(self, run: State) -> Soft:
        least = float(np.finfo(run.weights.dtype).eps) ** 0.75
        bias, phi = float(run.space["fit_intercept"]), float(ndtri(float(self.eta)))
        return Soft(VARIANTS[self.variant], float(self.C), phi, bias, least)
