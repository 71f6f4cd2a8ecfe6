"""What separation means for a model, to be read by people and programs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.certificates.report import (
    are,
    as_frame,
    as_html,
    as_latex,
    as_text,
    infinite,
    listed,
    named,
)
from novikoff.regression.contraction import Contracted
from novikoff.regression.recession import Recession
from novikoff.regression.two_factors import Potentials
from novikoff.typing import Array

if TYPE_CHECKING:
    import pandas as pd

MOST = 10
"""How many observations are listed."""
ADVICE = (
    "Drop the separated observations: the finite estimates stay the same.",
    "Or merge levels of a factor that one outcome never occurs in.",
    "Or penalise: Firth's method (R: logistf, brglm2), or a ridge (scikit-learn's "
    "LogisticRegression, statsmodels' fit_regularized).",
)


@dataclass(frozen=True, eq=False)
class Separation:
    """Whether a regression model has a finite estimate, and if not, why.

    Returned by `separation`, verified.

    Parameters
    ----------
    family : str
    exists : bool or None
        Is there a finite maximum-likelihood estimate? None if that could not be decided in time.
    separated : ndarray of bool
        For each observation, in the order of the data: is it predicted perfectly in the limit?
    partly_separated : ndarray of bool
        For each observation with more than two possible outcomes: are some of the others ruled out
        in the limit, but not all?
    coefficients : dict of str
        For each coefficient: "finite", "+inf", "-inf", "inf" (infinite, and the data leaves the
        sign open), "aliased" or "undecided".
    estimable : tuple of str
        The coefficients that have an estimate of their own if the separated observations are
        dropped. Those that are finite keep their value.
    index : ndarray
        What the observations are called.
    certificate : Recession, Potentials, Contracted or None
        The proof.

    Examples
    --------
    >>> from novikoff import separation
    >>> result = separation([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> result.exists, result.coefficients
    (False, {'Intercept': '-inf', 'x1': '+inf'})
    """

    family: str
    exists: bool | None
    separated: Array
    partly_separated: Array
    coefficients: Mapping[str, str]
    estimable: tuple[str, ...]
    index: Array
    certificate: Recession | Potentials | Contracted | None
    model: Any

    def verify(self) -> bool:
        """Check the certificate against the data again, in exact arithmetic."""
        return self.certificate is not None and self.certificate.verify(self.model)

    @property
    def sentence(self) -> str:
        """The answer in a sentence."""
        if self.exists is None:
            return "Whether a finite estimate exists could not be decided: give a larger budget."
        aliased = are(named(self.coefficients, "aliased"), "aliased")
        if self.exists:
            told = "A finite estimate exists: no observation is separated"
            return f"{'; '.join([told, *aliased])}."
        perfect, partly = (
            int(np.count_nonzero(mask)) for mask in (self.separated, self.partly_separated)
        )
        verb = "is" if perfect == 1 else "are"
        told = f"{perfect:,} of {len(self.separated):,} observations {verb} predicted perfectly"
        told += f", and {partly:,} in part" if partly else ""
        return f"No finite estimate exists: {'; '.join([*infinite(self.coefficients), told])}."

    def summary(self) -> str:
        """The answer, the coefficients, the separated observations, and what to do."""
        lines = [self.sentence, "", *as_text(self.coefficients)]
        if self.exists is False:
            some = [str(label) for label in self.index[self.separated][:MOST]]
            more = int(np.count_nonzero(self.separated)) - len(some)
            if some:
                rest = f", and {more:,} more" if more else ""
                lines += ["", f"separated observations: {', '.join(some)}{rest}"]
            lines += ["", "What to do:", *(f"- {line}" for line in ADVICE)]
            kept = listed(self.estimable) or "nothing"
            lines += ["", f"Without the separated observations there is an estimate for: {kept}."]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<Separation, {self.family}: {self.sentence}>"

    def _repr_html_(self) -> str:
        return as_html(self.sentence, self.coefficients)

    def to_frame(self) -> "pd.DataFrame":
        """The coefficients as a DataFrame of pandas: what each is, and whether it is estimable."""
        kept = [name in self.estimable for name in self.coefficients]
        return as_frame(self.coefficients, estimable=kept)

    def to_latex(self) -> str:
        """The coefficients as a table in LaTeX."""
        return as_latex(self.coefficients)
