r"""The mistake bounds of learners that do not need separable data, one function per theorem.

Each compares a run with any fixed weights $u$ (including the bias, whose feature is 1), by the
losses of $u$ on the same sequence of examples. An example that is visited in three epochs counts
three times.
"""

from math import inf, log, log1p, sqrt

import numpy as np
from numpy.typing import ArrayLike

from novikoff import parameters
from novikoff.errors import ParameterError
from novikoff.proofs.bounds import require
from novikoff.typing import Array


def passive_aggressive_bound(
    radius: float, norm: float, loss: float = 0.0, *, C: float = 1.0, variant: str = "PA-I"
) -> float:
    r"""The most mistakes a passive-aggressive learner can make (Crammer et al. 2006).

    On any sequence of examples $x_t$ with labels $y_t$ of -1 or +1 and $\|x_t\| \le R$, let
    $\ell_t$ be the hinge losses of the learner, from a start at 0, and
    $\ell^*_t = \max(0, 1 - y_t\langle u, x_t\rangle)$ those of any fixed $u$. The number of
    mistakes $M$ satisfies

    $$M \le \max(R^2, 1/C)\,(\|u\|^2 + 2CL), \quad L = \sum_t \ell^*_t \quad\text{(PA-I)},$$
    $$M \le \sum_t \ell_t^2 \le \Big(R^2 + \frac1{2C}\Big)(\|u\|^2 + 2CL), \quad
      L = \sum_t {\ell^*_t}^2 \quad\text{(PA-II)},$$
    $$M \le \sum_t \ell_t^2 \le R^2\|u\|^2 \text{ if } L = 0, \qquad
      M \le \sum_t \ell_t^2 \le (\|u\| + 2\sqrt L)^2 \text{ if all } \|x_t\| = 1,
      \quad L = \sum_t {\ell^*_t}^2 \quad\text{(PA)}.$$

    Parameters
    ----------
    radius : float
        $R$ (`radius_` of a fitted learner).
    norm : float
        $\|u\|$, including the bias.
    loss : float, default=0.0
        $L$: the sum of the losses of $u$; for PA and PA-II, of their squares.
    C : float, default=1.0
        The parameter `C` of the learner.
    variant : {"PA", "PA-I", "PA-II"}, default="PA-I"
        For PA with a loss above 0, there is a bound only if all examples have length 1.

    Returns
    -------
    float

    Examples
    --------
    >>> from novikoff import passive_aggressive_bound
    >>> passive_aggressive_bound(radius=2.0, norm=3.0, variant="PA")
    36.0
    >>> passive_aggressive_bound(radius=2.0, norm=3.0, loss=5.0, C=0.5)
    56.0

    References
    ----------
    Crammer, K., Dekel, O., Keshet, J., Shalev-Shwartz, S. & Singer, Y. (2006). Online
    passive-aggressive algorithms. JMLR 7: theorems 2 (PA, no loss), 3 (PA, examples of length 1),
    4 (PA-I) and 5 (PA-II).
    """
    require(radius=radius, norm=norm, loss=loss)
    if variant not in ("PA", "PA-I", "PA-II"):
        raise ParameterError.of("variant", variant, "one of 'PA', 'PA-I', 'PA-II'")
    parameters.require("C", C, parameters.real(above=0.0))
    if variant == "PA-I":
        return max(radius**2, 1 / C) * (norm**2 + 2 * C * loss)
    if variant == "PA-II":
        return (radius**2 + 1 / (2 * C)) * (norm**2 + 2 * C * loss)
    if loss == 0.0:
        return (radius * norm) ** 2
    if radius != 1.0:
        raise ParameterError(
            "{radius=} and {loss=} were given, but PA has a bound with a loss only where every "
            "example has length 1: scale them, or use PA-I or PA-II.",
            radius=radius,
            loss=loss,
        )
    return (norm + 2 * sqrt(loss)) ** 2


def arow_bound(
    X: ArrayLike, u: ArrayLike, loss: float = 0.0, *, right: int = 0, r: float = 1.0
) -> float:
    r"""The most mistakes AROW can make with a full matrix (Crammer, Kulesza & Dredze 2009).

    Let $X$ have the examples with an update as its rows, $U$ of which were predicted correctly. For
    any $u$ with the hinge losses $\ell^*_t$ on them, the number of mistakes is

    $$M \le \sqrt{r\|u\|^2 + u^\top X^\top X u}\;\sqrt{\ln\det(I + X^\top X/r) + U}
      + \sum_t \ell^*_t - U.$$

    Parameters
    ----------
    X : array of shape (n_updates, n_weights)
        The examples with an update, each repeated for every update; with a last column of ones if
        there is a bias.
    u : array of shape (n_weights,)
    loss : float, default=0.0
        The sum of the $\ell^*_t$ over the rows of `X`.
    right : int, default=0
        $U$: the number of updates on correct predictions (with two classes, `n_updates_` minus
        `n_mistakes_`).
    r : float, default=1.0
        The parameter `r` of the learner.

    Returns
    -------
    float

    Examples
    --------
    >>> from novikoff import arow_bound
    >>> round(arow_bound([[1.0, 0.0], [0.0, 1.0]], [1.0, 1.0]), 3)
    2.355

    References
    ----------
    Crammer, K., Kulesza, A. & Dredze, M. (2009). Adaptive regularization of weight vectors.
    NIPS 22, section 4. `docs/theorems.md` has a proof (theorem 10).
    """
    X, u = _matrix(X, u)
    require(loss=loss, right=right)
    parameters.require("r", r, parameters.real(above=0.0))
    size = r * float(u @ u) + float(((X @ u) ** 2).sum())
    return sqrt(size) * sqrt(_log_det(X, r) + right) + loss - right


def second_order_bound(
    X: ArrayLike, u: ArrayLike, margin: float, loss: float = 0.0, *, a: float = 1.0
) -> float:
    r"""The most mistakes a second-order perceptron can make (Cesa-Bianchi et al. 2005).

    Let $X$ have the mistakes $x_t$, with labels $y_t$ of -1 or +1, as its rows. For any $u$ of
    length 1 and any $\gamma > 0$, with
    $D_\gamma = \sum_t\max(0, \gamma - y_t\langle u, x_t\rangle)$,

    $$M \le \frac1\gamma\Big(D_\gamma
      + \sqrt{(a + \|Xu\|^2)\,\ln\det(I + X^\top X/a)}\Big).$$

    Parameters
    ----------
    X : array of shape (n_mistakes, n_weights)
        The mistakes, each example repeated for every mistake on it; with a last column of ones if
        there is a bias.
    u : array of shape (n_weights,)
        Any direction. It is scaled to length 1.
    margin : float
        $\gamma$.
    loss : float, default=0.0
        $D_\gamma$, over the rows of `X` or over all examples.
    a : float, default=1.0
        The parameter `a` of the learner.

    Returns
    -------
    float
        Infinite for a margin of 0.

    Examples
    --------
    >>> from novikoff import second_order_bound
    >>> round(second_order_bound([[1.0, 0.0], [0.0, 1.0]], [1.0, 1.0], margin=0.5), 3)
    3.33

    References
    ----------
    Cesa-Bianchi, N., Conconi, A. & Gentile, C. (2005). A second-order perceptron algorithm. SIAM
    Journal on Computing 34(3), theorem 3.1.
    """
    X, u = _matrix(X, u)
    require(margin=margin, loss=loss)
    parameters.require("a", a, parameters.real(above=0.0))
    if not u.any():
        raise ParameterError("u is 0, but it must have a direction.")
    if margin == 0.0:
        return inf
    u = u / np.linalg.norm(u)
    size = a + float(((X @ u) ** 2).sum())
    return (loss + sqrt(size * _log_det(X, a))) / margin


def balanced_winnow_bound(
    n: int, margin: float, loss: float = 0.0, *, factor: float = 1.5, largest: float = 1.0
) -> float:
    r"""The most mistakes balanced Winnow can make.

    On any sequence of examples $x_t$ with labels $y_t$ of -1 or +1 and features
    $|x_{tj}| \le S$, $S \ge 1$, for any $u$ over $n$ weights with $\sum_j|u_j| = 1$, with
    $\eta = \ln f$ and $D = \sum_t\max(0, \gamma - y_t\langle u, x_t\rangle)$,

    $$M \le \frac{\ln 2n + \eta D}{\eta\gamma/S - \eta^2/2} \quad\text{if } \eta < 2\gamma/S.$$

    Parameters
    ----------
    n : int
        The number of weights, including the bias.
    margin : float
        $\gamma$.
    loss : float, default=0.0
        $D$, over all visits of examples.
    factor : float, default=1.5
        $f$, the parameter `factor` of the learner.
    largest : float, default=1.0
        The largest $|x_{tj}|$ (``abs(X).max()``). $S$ is this, or 1 if it is smaller.

    Returns
    -------
    float
        Infinite if the factor is too large for the margin.

    Examples
    --------
    >>> from math import exp
    >>> from novikoff import balanced_winnow_bound
    >>> round(balanced_winnow_bound(1000, margin=0.25, factor=exp(0.25)), 2)
    243.23
    >>> balanced_winnow_bound(1000, margin=0.25, factor=2.0)
    inf
    >>> round(balanced_winnow_bound(1000, margin=1.0, factor=exp(0.25), largest=4.0), 2)
    243.23

    References
    ----------
    Littlestone, N. (1989). Mistake bounds and logarithmic linear-threshold learning algorithms.
    PhD thesis, University of California, Santa Cruz. `docs/theorems.md` has a proof of the bound
    in this form (theorem 7).
    Kivinen, J. & Warmuth, M. K. (1997). Exponentiated gradient versus gradient descent for linear
    predictors. Information and Computation 132(1) (EG±, features of both signs).
    """
    require(margin=margin, loss=loss, largest=largest)
    if n < 1 or n != int(n):
        raise ParameterError.of("n", n, "a whole number, 1 or more")
    if not 1.0 < factor < inf:
        raise ParameterError.of("factor", factor, "finite and above 1")
    eta = log(factor)
    gain = eta * margin / max(1.0, largest) - eta * eta / 2
    return (log(2 * n) + eta * loss) / gain if gain > 0 else inf


def _matrix(X: ArrayLike, u: ArrayLike) -> tuple[Array, Array]:
    X, u = np.atleast_2d(np.asarray(X, np.float64)), np.asarray(u, np.float64)
    if u.ndim != 1 or X.ndim != 2 or X.shape[1] != len(u):
        raise ParameterError(
            f"X has shape {X.shape} and u has shape {u.shape}, but u must have a weight for every "
            "column of X."
        )
    return X, u


def _log_det(X: Array, a: float) -> float:
    r"""$\ln\det(I + X^\top X/a)$"""
    if not X.size:
        return 0.0
    return sum(log1p(s * s / a) for s in np.linalg.svd(X, compute_uv=False).tolist())
