r"""The theorems about learners that heed margins, each as a function.

All of them compare a run with any fixed weights $u$ (the bias included, whose input is 1), by
the losses of $u$ on the same sequence of examples: one that is visited in three
passes counts three times.
"""

from math import inf, sqrt

from novikoff.errors import ParameterError
from novikoff.margins.bounds import _require


def passive_aggressive_bound(
    radius: float, norm: float, loss: float = 0.0, *, C: float = 1.0, variant: str = "PA-I"
) -> float:
    r"""The most mistakes a passive-aggressive learner can make (Crammer et al. 2006).

    On any sequence of examples with $\|x_t\| \le R$, for any $u$ with hinge losses
    $\ell^*_t = \max(0, 1 - y_t\langle u, x_t\rangle)$, from a start at 0:

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
        $\|u\|$, bias included.
    loss : float, default=0.0
        $L$: the losses of $u$ added up, for PA and PA-II their squares.
    C : float, default=1.0
        That of the learner.
    variant : {"PA", "PA-I", "PA-II"}, default="PA-I"
        Of PA there is a bound with a loss for examples of length 1 only.

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
    passive-aggressive algorithms. JMLR 7, theorems 2 to 5.
    """
    _require(radius=radius, norm=norm, loss=loss)
    if variant not in ("PA", "PA-I", "PA-II"):
        raise ParameterError(f"variant={variant!r} must be one of 'PA', 'PA-I', 'PA-II'.")
    if not 0.0 < C < inf:
        raise ParameterError(f"C={C!r} was given, but it must be a finite number above 0.")
    if variant == "PA-I":
        return max(radius**2, 1 / C) * (norm**2 + 2 * C * loss)
    if variant == "PA-II":
        return (radius**2 + 1 / (2 * C)) * (norm**2 + 2 * C * loss)
    if loss == 0.0:
        return (radius * norm) ** 2
    if radius != 1.0:
        raise ParameterError(
            f"radius={radius!r} and loss={loss!r} were given, but PA has a bound with a loss only "
            "where every example has length 1: scale them, or use PA-I or PA-II."
        )
    return (norm + 2 * sqrt(loss)) ** 2
