r"""A checked interval around a margin.

$$\gamma^\star = \max_{\|w\| \le 1}\min_i y_i\langle w, x_i\rangle
             = \min_{\lambda \in \Delta}\Bigl\|\sum_i \lambda_i y_i x_i\Bigr\|$$

Any $w$ gives a lower end, any $\lambda$ an upper end; neither depends on how it was found.
"""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Bracket:
    """An interval that is known to contain a margin.

    Parameters
    ----------
    lower, upper : float
        Both are true bounds, rounded outward.

    Examples
    --------
    >>> from novikoff import Bracket
    >>> Bracket(0.5, 0.75).gap
    0.25
    >>> lower, upper = Bracket(0.5, 0.75)
    """

    lower: float
    upper: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "lower", float(self.lower))  # and not one of NumPy's
        object.__setattr__(self, "upper", float(self.upper))

    def __iter__(self) -> Iterator[float]:
        return iter((self.lower, self.upper))

    @property
    def gap(self) -> float:
        """How far the ends are apart."""
        return self.upper - self.lower

    @property
    def separable(self) -> bool:
        """Is the margin known to be positive?"""
        return self.lower > 0.0
