"""What separation means for a model, to be read by people and programs."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.regression.recession import Recession
from novikoff.regression.two_factors import Potentials
from novikoff.typing import Array

if TYPE_CHECKING:
    import pandas as pd

MEANING = {
    "finite": "finite",
    "+inf": "diverges to +infinity",
    "-inf": "diverges to -infinity",
    "inf": "diverges; the data leaves the sign open",
    "aliased": "no estimate of its own: depends on coefficients before it",
    "undecided": "not decided within the budget",
}
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
    certificate : Recession, Potentials or None
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
    certificate: Recession | Potentials | None
    model: Any

    def verify(self) -> bool:
        """Check the certificate against the data again, in exact arithmetic."""
        return self.certificate is not None and self.certificate.verify(self.model)

    @property
    def sentence(self) -> str:
        """The answer in a sentence."""
        if self.exists is None:
            return "Whether a finite estimate exists could not be decided: give a larger budget."
        aliased = are(self._named("aliased"), "aliased")
        if self.exists:
            told = "A finite estimate exists: no observation is separated"
            return f"{'; '.join([told, *aliased])}."
        parts = []
        for kind, sign in (("+inf", "+"), ("-inf", "-"), ("inf", "sign open")):
            parts += are(self._named(kind), f"infinite ({sign})")
        perfect, partly = (
            int(np.count_nonzero(mask)) for mask in (self.separated, self.partly_separated)
        )
        verb = "is" if perfect == 1 else "are"
        told = f"{perfect:,} of {len(self.separated):,} observations {verb} predicted perfectly"
        told += f", and {partly:,} in part" if partly else ""
        return f"No finite estimate exists: {'; '.join([*parts, told])}."

    def _named(self, kind: str) -> list[str]:
        return [name for name, told in self.coefficients.items() if told == kind]

    def summary(self) -> str:
        """The answer, the coefficients, the separated observations, and what to do."""
        width = max([len("coefficient"), *map(len, self.coefficients)])
        lines = [self.sentence, "", f"{'coefficient':{width}}  estimate"]
        lines += [f"{name:{width}}  {MEANING[kind]}" for name, kind in self.coefficients.items()]
        if self.exists is False:
            some = [str(label) for label in self.index[self.separated][:MOST]]
            more = int(np.count_nonzero(self.separated)) - len(some)
            if some:
                rest = f", and {more:,} more" if more else ""
                lines += ["", f"separated observations: {', '.join(some)}{rest}"]
            lines += ["", "What to do:", *(f"- {line}" for line in ADVICE)]
            kept = listed(list(self.estimable)) or "nothing"
            lines += ["", f"Without the separated observations there is an estimate for: {kept}."]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<Separation, {self.family}: {self.sentence}>"

    def _repr_html_(self) -> str:
        left = "style='text-align:left'"
        rows = "".join(
            f"<tr><th {left}>{escape(name)}</th><td {left}>{escape(MEANING[kind])}</td></tr>"
            for name, kind in self.coefficients.items()
        )
        head = "<thead><tr><th>coefficient</th><th>estimate</th></tr></thead>"
        return f"<p>{escape(self.sentence)}</p><table>{head}<tbody>{rows}</tbody></table>"

    def to_frame(self) -> "pd.DataFrame":
        """The coefficients as a DataFrame of pandas: what each is, and whether it is estimable."""
        import pandas as pd

        kinds = list(self.coefficients.values())
        kept = [name in self.estimable for name in self.coefficients]
        columns = {"estimate": kinds, "estimable": kept}
        return pd.DataFrame(columns, index=pd.Index([*self.coefficients], name="coefficient"))

    def to_latex(self) -> str:
        """The coefficients as a table in LaTeX."""
        signs = {"+inf": r"$+\infty$", "-inf": r"$-\infty$", "inf": r"$\pm\infty$"}
        rows = [
            f"{in_latex(name)} & {signs.get(kind, kind)} \\\\"
            for name, kind in self.coefficients.items()
        ]
        head = [r"\begin{tabular}{ll}", r"\hline", r"coefficient & estimate \\", r"\hline"]
        return "\n".join([*head, *rows, r"\hline", r"\end{tabular}"])


def listed(names: list[str], most: int = 6) -> str:
    """Names in a sentence, the first few of many."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most:,} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def are(names: list[str], what: str) -> list[str]:
    """That these are so, if there are any."""
    return [f"{listed(names)} {'is' if len(names) == 1 else 'are'} {what}"] if names else []


def in_latex(text: str) -> str:
    """A text with what LaTeX would take for commands escaped."""
    special: dict[str, Any] = {c: f"\\{c}" for c in "&%$#_{}"}
    special |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(c, c) for c in text)
