"""Coefficients as tables: in text, HTML, LaTeX and pandas; names in sentences."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

MEANING = {
    "finite": "finite",
    "+inf": "diverges to +infinity",
    "-inf": "diverges to -infinity",
    "inf": "not determined: may diverge to either side, or stay finite",
    "aliased": "not identified: its column is a linear combination of others",
    "undecided": "undecided",
}


def as_text(coefficients: Mapping[str, str]) -> list[str]:
    """What becomes of each coefficient, in lines."""
    width = max([len("coefficient"), *map(len, coefficients)])
    lines = [f"{name:{width}}  {MEANING[kind]}" for name, kind in coefficients.items()]
    return [f"{'coefficient':{width}}  estimate", *lines]


def as_html(sentence: str, coefficients: Mapping[str, str]) -> str:
    """A sentence, and the coefficients below it."""
    left = "style='text-align:left'"
    rows = "".join(
        f"<tr><th {left}>{escape(name)}</th><td {left}>{escape(MEANING[kind])}</td></tr>"
        for name, kind in coefficients.items()
    )
    head = "<thead><tr><th>coefficient</th><th>estimate</th></tr></thead>"
    return f"<p>{escape(sentence)}</p><table>{head}<tbody>{rows}</tbody></table>"


def as_latex(coefficients: Mapping[str, str]) -> str:
    """The coefficients as a table in LaTeX."""
    signs = {"+inf": r"$+\infty$", "-inf": r"$-\infty$", "inf": r"$\pm\infty$"}
    rows = [
        f"{in_latex(name)} & {signs.get(kind, kind)} \\\\" for name, kind in coefficients.items()
    ]
    head = [r"\begin{tabular}{ll}", r"\hline", r"coefficient & estimate \\", r"\hline"]
    return "\n".join([*head, *rows, r"\hline", r"\end{tabular}"])


def as_frame(coefficients: Mapping[str, str]) -> "pd.DataFrame":
    """The coefficients as a DataFrame."""
    import pandas as pd

    index = pd.Index([*coefficients], name="coefficient")
    return pd.DataFrame({"estimate": [*coefficients.values()]}, index=index)


def infinite(coefficients: Mapping[str, str]) -> list[str]:
    """Which coefficients are infinite, or may be, in clauses."""
    clauses = []
    for kind, sign in (("+inf", "+"), ("-inf", "-")):
        clauses += are(named(coefficients, kind), f"infinite ({sign})")
    if open_ := named(coefficients, "inf"):
        clauses.append(f"{listed(open_)} may be infinite (sign open)")
    return clauses


def named(coefficients: Mapping[str, str], kind: str) -> list[str]:
    """The coefficients of a kind."""
    return [name for name, told in coefficients.items() if told == kind]


def listed(names: Sequence[object], most: int = 6) -> str:
    """Names in a sentence, the first few of many."""
    texts = [str(name) for name in names]
    if len(texts) > most:
        return f"{', '.join(texts[:most])} and {len(texts) - most:,} more"
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def are(names: list[str], what: str) -> list[str]:
    """That these are so, if there are any."""
    return [f"{listed(names)} {'is' if len(names) == 1 else 'are'} {what}"] if names else []


def in_latex(text: str) -> str:
    """A text with what LaTeX would take for commands escaped."""
    special: dict[str, Any] = {c: f"\\{c}" for c in "&%$#_{}"}
    special |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(c, c) for c in text)
