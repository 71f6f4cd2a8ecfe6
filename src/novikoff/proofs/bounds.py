r"""The mistake bounds, one function per theorem.

All bounds count mistakes or updates, never epochs. Radius and margin are measured in the space of
the run: with a bias, every example has one more coordinate, which is 1, and the margin is that of
the unit vector along $(u, b)$.
"""

from math import inf, log, log2, sqrt
from typing import Literal

from novikoff import parameters
from novikoff.errors import ParameterError

Count = Literal["updates", "mistakes"]


def novikoff_bound(
    radius: float,
    margin: float,
    *,
    start_norm: float = 0.0,
    start_progress: float | None = None,
    eta0: float = 1.0,
    step_ratio: float = 1.0,
    update_margin: float = 0.0,
    count: Count = "updates",
) -> float:
    r"""The most mistakes a perceptron can make on separable data (Block & Novikoff 1962).

    If a unit vector $u$ has $y_i\langle u, x_i\rangle \ge \gamma > 0$ and $\|x_i\| \le R$
    for all examples $x_i$ with labels $y_i$ of -1 or +1, a run from 0 makes at most

    $$(R/\gamma)^2$$

    mistakes, in any order and in any number of epochs. From other weights $w_0$, with step size
    $\eta$, the number $k$ of mistakes is at most the larger root of

    $$k\gamma + \langle w_0/\eta, u\rangle = \sqrt{\|w_0/\eta\|^2 + kR^2}.$$

    If the step sizes differ, as they do with sample weights, the bound is multiplied by $\rho$, the
    ratio of the largest to the smallest step, and $\eta$ is the largest.

    A perceptron with the parameter `margin`, $\tau$, also updates on correct predictions whose
    margin is at most $\tau\eta R^2$. It makes at most

    $$(1 + 2\tau)(R/\gamma)^2$$

    updates (Krauth & Mézard 1987). At most $(R/\gamma)^2$ of them are mistakes if
    $\tau \le 1/2$, and at most $\frac{(1 + 2\tau)^2}{8\tau}(R/\gamma)^2$ if $\tau$ is larger.

    Parameters
    ----------
    radius : float
        $R$ (`radius_` of a fitted learner).
    margin : float
        $\gamma$.
    start_norm : float, default=0.0
        $\|w_0\|$, including the bias.
    start_progress : float, optional
        $\langle w_0, u\rangle$. If omitted, the worst case, $-\|w_0\|$.
    eta0 : float, default=1.0
        $\eta$. It matters only for a start other than 0.
    step_ratio : float, default=1.0
        $\rho$: the ratio of the largest to the smallest step.
    update_margin : float, default=0.0
        $\tau$ (`margin` of a learner).
    count : {"updates", "mistakes"}, default="updates"
        What to count. The two differ only if $\tau > 0$. For a start other than 0, both give the
        bound on updates.

    Returns
    -------
    float
        Infinite for a margin of 0.

    Examples
    --------
    >>> from novikoff import novikoff_bound
    >>> novikoff_bound(radius=1.0, margin=0.125)
    64.0
    >>> novikoff_bound(radius=1.0, margin=0.125, start_norm=1.0) > 64.0
    True
    >>> novikoff_bound(radius=1.0, margin=0.125, update_margin=1.0)
    192.0
    >>> novikoff_bound(radius=1.0, margin=0.125, update_margin=1.0, count="mistakes")
    72.0

    References
    ----------
    Novikoff, A. B. J. (1962). On convergence proofs on perceptrons. Symposium on the
    Mathematical Theory of Automata, 12.
    Block, H. D. (1962). The perceptron: a model for brain functioning. Reviews of Modern Physics
    34. The same proof covers other starts and steps (`docs/theorems.md`, theorem 1). `Trace.proof`
    carries it out on a run.
    Krauth, W. & Mézard, M. (1987). Learning algorithms with optimal stability in neural networks.
    Journal of Physics A 20(11). The bound on mistakes is in `docs/theorems.md`, theorem 13.
    """
    require(radius=radius, margin=margin, start_norm=start_norm)
    parameters.require("eta0", eta0, parameters.real(above=0.0))
    parameters.require("update_margin", update_margin, parameters.real(least=0.0))
    parameters.require("count", count, parameters.one_of("updates", "mistakes"))
    if not step_ratio >= 1.0:
        raise ParameterError.of("step_ratio", step_ratio, "at least 1")
    progress = -start_norm if start_progress is None else start_progress
    if not abs(progress) <= start_norm * (1 + 1e-12):
        raise ParameterError(
            "{start_progress=} was given, but an inner product with a unit vector cannot exceed "
            "{start_norm=} in size.",
            start_progress=start_progress,
            start_norm=start_norm,
        )
    if margin == 0.0:
        return inf
    if count == "mistakes" and start_norm == 0.0:
        stretch = 1.0
        if update_margin > 0.5:
            stretch = 0.5 + update_margin / 2 + 1 / (8 * update_margin)
    else:
        stretch = 1 + 2 * update_margin
    # In units of the margin: k + a = sqrt(s^2 + k stretch r^2).
    r, s, a = radius / margin, start_norm / eta0 / margin, progress / eta0 / margin
    half = stretch * (r * r) / 2 - a
    most = half + sqrt(max(0.0, half * half - a * a + s * s))
    return step_ratio * most if most else 0.0


def freund_schapire_bound(radius: float, margin: float, deviation: float) -> float:
    r"""The most mistakes a perceptron can make on any data (Freund & Schapire 1999).

    On any sequence of examples $x_i$ with labels $y_i$ of -1 or +1 and $\|x_i\| \le R$, for any
    unit vector $u$ and any $\gamma > 0$, a run from 0 makes $k$ mistakes, where

    $$k \le \left(\frac{R + D}{\gamma}\right)^2, \qquad D = \sqrt{\sum_i d_i^2}, \quad
      d_i = \max(0, \gamma - y_i\langle u, x_i\rangle).$$

    The sum is over the sequence of visits: an example visited in three epochs counts three times.

    Parameters
    ----------
    radius : float
        $R$.
    margin : float
        $\gamma$, any positive number.
    deviation : float
        $D$.

    Returns
    -------
    float

    Examples
    --------
    >>> from novikoff import freund_schapire_bound
    >>> freund_schapire_bound(radius=1.0, margin=0.5, deviation=1.0)
    16.0

    References
    ----------
    Freund, Y. & Schapire, R. E. (1999). Large margin classification using the perceptron
    algorithm. Machine Learning 37(3), theorem 2.
    """
    require(radius=radius, margin=margin, deviation=deviation)
    if margin == 0.0:
        return inf
    ratio = (radius + deviation) / margin
    return ratio * ratio


def forgetron_bound(radius: float, margin: float, budget: int, *, hinge_loss: float = 0.0) -> float:
    r"""The most mistakes a kernel perceptron with a budget can make (the Forgetron).

    Let it keep at most $B \ge 83$ examples. On any sequence of examples $x_t$ with labels $y_t$ of
    -1 or +1 and $\|x_t\| \le R$, for any unit vector $u$ and any $\gamma$ with
    $R/\gamma \le \frac14\sqrt{(B+1)/\ln(B+1)}$, the number of mistakes is

    $$M \le 2\,(R/\gamma)^2 + 4 \sum_t \max(0, 1 - y_t\langle u, x_t\rangle/\gamma).$$

    No learner that keeps $B$ examples can compete with every $u$: if $R/\gamma > \sqrt{B+1}$, there
    is a sequence on which it is always wrong.

    Parameters
    ----------
    radius : float
        $R$, in the feature space. The learner must know it from the first mistake on.
    margin : float
        $\gamma$, any positive number.
    budget : int
        $B$.
    hinge_loss : float, default=0.0
        The sum over the sequence. It is 0 if $u$ separates the examples with margin $\gamma$.

    Returns
    -------
    float
        Infinite where the theorem does not apply: with a budget below 83, or too small a margin.

    Examples
    --------
    >>> from novikoff import forgetron_bound
    >>> forgetron_bound(radius=1.0, margin=0.5, budget=500, hinge_loss=3.0)
    20.0
    >>> forgetron_bound(radius=1.0, margin=0.5, budget=100)  # too few for such a margin
    inf

    References
    ----------
    Dekel, O., Shalev-Shwartz, S. & Singer, Y. (2008). The Forgetron: a kernel-based perceptron on a
    budget. SIAM Journal on Computing 37(5); first in NIPS 18, 2005. The proof, for the shrinking
    that is used here, is written out at the top of `novikoff/learners/kernels/forgetron.py`.
    """
    require(radius=radius, margin=margin, hinge_loss=hinge_loss)
    if not budget >= 1 or budget != int(budget):
        raise ParameterError.of("budget", budget, "a whole number, 1 or more")
    n = budget + 1
    if budget < 83 or margin == 0.0 or radius / margin > 0.25 * sqrt(n / log(n)):
        return inf
    return 2 * (radius / margin) * (radius / margin) + 4 * hinge_loss


def winnow_bound(r: int, n: int) -> float:
    r"""The most mistakes Winnow can make on a disjunction: $2 + 3r(1 + \lg n)$.

    The labels must be a disjunction of `r` of `n` features. The threshold is `n` and the factor is
    2. The logarithm $\lg$ is to base 2.

    Parameters
    ----------
    r : int
        The number of features in the disjunction.
    n : int
        The number of features.

    Returns
    -------
    float

    Examples
    --------
    >>> from novikoff import winnow_bound
    >>> winnow_bound(r=3, n=1024)
    101.0

    References
    ----------
    Littlestone, N. (1988). Learning quickly when irrelevant attributes abound. Machine
    Learning 2(4); lecture note 001, theorem 5.
    """
    if not 1 <= r <= n or r != int(r) or n != int(n):
        raise ParameterError("{r=} of {n=} variables: give whole numbers, 1 <= r <= n.", r=r, n=n)
    return 2 + 3 * r * (1 + log2(n))


def require(**numbers: float) -> None:
    """Require finite numbers, none of them negative."""
    for name, given in numbers.items():
        parameters.require(name, given, parameters.real(least=0.0))
