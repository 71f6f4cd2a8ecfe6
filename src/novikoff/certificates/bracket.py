r"""An interval that contains a margin.

$$\gamma^\star = \max_{\|w\| \le 1}\min_i y_i\langle w, x_i\rangle
             = \min_{\lambda \in \Delta}\Bigl\|\sum_i \lambda_i y_i x_i\Bigr\|$$

Here $\Delta$ is the set of non-negative weights that sum to 1. Any $w$ gives a lower end, and any
$\lambda$ an upper end, however it was found.
"""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Bracket:
    """An interval that is proved to contain a margin.

    Parameters
    ----------
    lower, upper : float
        Bounds on the margin, rounded outward.

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
        """The width of the interval, `upper` minus `lower`."""
        return self.upper - self.lower

    @property
    def separable(self) -> bool:
        """Whether the margin is proved to be positive."""
        return self.lower > 0.0

    def _repr_html_(self) -> str:
        low, high = f"{self.lower:.9g}", f"{self.upper:.9g}"
        return f"<p>The margin is proved to be between {low} and {high}.</p>"
