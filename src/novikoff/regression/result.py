"""The result of `separation`: which coefficients and observations are affected, and the proof."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
LOGISTIC = "Firth's method (R: logistf, brglm2), or a ridge (scikit-learn's LogisticRegression)"
PENALTIES = {
    "counts": "R's brglm2, or a ridge (scikit-learn's PoissonRegressor)",
    "multinomial": "R's brglm2 (brmultinom), or a ridge (scikit-learn's LogisticRegression)",
    "ordered": "R's ordinalNet",
    "log-binomial": "R's brglm2",
}
"""What there is for other models than those of two outcomes."""


@dataclass(frozen=True, eq=False)
class Separation:
    """The result of `separation`: whether a finite estimate exists, and if not, why.

    It is already verified.

    Parameters
    ----------
    family : str
        The kind of model, as for `separation`.
    exists : bool or None
        Whether there is a finite maximum-likelihood estimate. None if this could not be decided in
        time.
    separated : ndarray of bool
        For each observation, in the order of the data: whether it is predicted perfectly in the
        limit.
    partly_separated : ndarray of bool
        For each observation with more than two possible outcomes: whether some of the other
        outcomes, but not all, are ruled out in the limit.
    coefficients : dict of str
        For each coefficient: "finite", "+inf", "-inf", "inf" (it may diverge to either side, or
        stay finite), "aliased" or "undecided".
    index : ndarray
        The names of the observations.
    certificate : Recession, Potentials, Contracted or None
        The proof.
    n_observations : int
        The number of observations with a weight above 0.

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
    index: Array
    certificate: Recession | Potentials | Contracted | None
    model: Any
    n_observations: int

    def verify(self) -> bool:
        """Check the certificate against the data again, in exact arithmetic."""
        return self.certificate is not None and self.certificate.verify(self.model)

    @property
    def estimable(self) -> tuple[str, ...]:
        """The coefficients that have a finite estimate.

        They keep it if you drop the separated observations. The other coefficients are then no
        longer identified.
        """
        return tuple(named(self.coefficients, "finite"))

    @property
    def sentence(self) -> str:
        """The answer in a sentence or two."""
        if self.exists is None:
            return (
                "Whether a finite estimate exists could not be decided: a larger budget may help."
            )
        aliased = are(named(self.coefficients, "aliased"), "aliased")
        unique = f" It is not unique: {aliased[0]}, so leave it out." if aliased else ""
        if self.exists:
            return f"A finite estimate exists: no observation is separated.{unique}"
        clauses = infinite(self.coefficients)
        effects = "" if clauses else " for some fixed effects"
        n, perfect, partly = self.n_observations, self.separated.sum(), self.partly_separated.sum()
        if perfect or not partly:
            verb = "is" if perfect == 1 else "are"
            clauses += [f"{perfect:,} of {n:,} observations {verb} predicted perfectly"]
        if partly:
            clauses += [f"for {partly:,} of {n:,} observations some outcomes are ruled out"]
        text = f"No finite estimate exists{effects}: {'; '.join(clauses)}."
        return text + (f" {aliased[0][0].upper()}{aliased[0][1:]}." if aliased else "")

    def summary(self) -> str:
        """A report: the answer, the coefficients, the separated observations, and what to do."""
        lines = [self.sentence]
        if self.coefficients:
            lines += ["", *as_text(self.coefficients)]
        if self.exists is False:
            some = [str(label) for label in self.index[self.separated][:MOST]]
            more = int(self.separated.sum()) - len(some)
            if some:
                rest = f", and {more:,} more" if more else ""
                lines += ["", f"separated observations: {', '.join(some)}{rest}"]
            lines += ["", "What to do:", *(f"- {line}" for line in self._advice())]
        return "\n".join(lines)

    def _advice(self) -> list[str]:
        """What to do about it."""
        kind = kind_of(self.family)
        penalty = PENALTIES.get(kind, LOGISTIC)
        if self.partly_separated.any():
            return [
                "Merge outcomes, or levels of a factor: dropping observations does not help.",
                f"Or penalise: {penalty}.",
            ]
        if self.separated.sum() == self.n_observations:
            return [
                f"Penalise: {penalty}.",
                "All observations are separated: dropping them would leave no data.",
            ]
        lost = [name for name in self.coefficients if name not in self.estimable]
        also = f" and {listed(lost)}" if lost else ""
        kept = f"estimates of {listed(self.estimable)}" if self.estimable else "other estimates"
        only = "whose outcomes are all 0" if kind == "counts" else "that has only one outcome"
        return [
            f"To get the {kept}, drop the separated observations{also}: they stay the same.",
            f"Or merge each factor level {only} with another level.",
            f"Or penalise: {penalty}.",
        ]

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<Separation, {self.family}: {self.sentence}>"

    def _repr_html_(self) -> str:
        return as_html(self.sentence, self.coefficients)

    def to_frame(self) -> "pd.DataFrame":
        """The kind of estimate of each coefficient, as a pandas DataFrame."""
        return as_frame(self.coefficients)

    def to_latex(self) -> str:
        """The kind of estimate of each coefficient, as a LaTeX table."""
        return as_latex(self.coefficients)


def kind_of(family: str) -> str:
    """What kind of outcome a family has, as far as advice goes."""
    if family in ("poisson", "ppml", "negative-binomial"):
        return "counts"
    return "ordered" if family in ("cumulative", "ordered", "adjacent", "sequential") else family
