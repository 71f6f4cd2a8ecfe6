"""Verdicts in words; coefficients as tables: in text, HTML, LaTeX and pandas."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any

from novikoff.typing import Array

if TYPE_CHECKING:
    import pandas as pd

    from novikoff.certificates.certificate import Separability

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


SHOWN = 5
"""How many rows of a long table are shown at each end."""


def html_table(sentence: str, columns: Mapping[str, Sequence[Any] | Array]) -> str:
    """A sentence and a table below it, for notebooks; of a long table, both ends."""
    left, n = "style='text-align:left'", len(next(iter(columns.values())))
    numbers = range(n) if n <= 2 * SHOWN else (*range(SHOWN), *range(n - SHOWN, n))
    rows = []
    for i in numbers:
        first, *others = (escape(shown(column[i])) for column in columns.values())
        cells = "".join(f"<td {left}>{cell}</td>" for cell in others)
        rows.append(f"<tr><th {left}>{first}</th>{cells}</tr>")
    if n > 2 * SHOWN:
        gap = f"… {n - 2 * SHOWN:,} more …"
        rows.insert(SHOWN, f"<tr><td {left} colspan='{len(columns)}'>{gap}</td></tr>")
    head = "".join(f"<th {left}>{escape(name)}</th>" for name in columns)
    table = f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return f"<p>{escape(sentence)}</p><table>{table}</table>"


def shown(value: Any) -> str:
    """A cell of such a table."""
    value = getattr(value, "item", lambda: value)()
    if isinstance(value, bool):
        return "✓" if value else "✗"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def as_html(sentence: str, coefficients: Mapping[str, str]) -> str:
    """A sentence, and the coefficients below it."""
    estimates = [MEANING[kind] for kind in coefficients.values()]
    return html_table(sentence, {"coefficient": [*coefficients], "estimate": estimates})


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


# ------------------------------------------------------------- a separability verdict


def verdict_of(told: "Separability") -> str:
    """The verdict in a sentence, and what it means for logistic regression."""
    if told.verdict == "undecided":
        return "Whether the data is separable could not be decided: a larger budget may help."
    many, kinds = told.n_classes > 2, told.by_name
    lower, upper = (f"{end:.6g}" for end in told.margin)
    by = f"a margin of {lower}" if lower == upper else f"a margin between {lower} and {upper}"
    text = {
        "separable": f"The data is separable: a hyperplane separates the classes with {by}.",
        "quasi-separable": "The data is quasi-separable: a hyperplane can have no example on "
        "the wrong side, but some must lie on it.",
        "inseparable": "The data is not separable: every hyperplane has an example on the "
        "wrong side, unless all lie on it.",
    }
    if many:
        text = {
            "separable": "The data is separable: one weight vector per class gives every "
            f"example the highest score for its own class, with {by}.",
            "quasi-separable": "The data is quasi-separable: one weight vector per class can "
            "give no example a higher score for another class, but some must tie.",
            "inseparable": "The data is not separable: whatever the weight vectors, some "
            "example scores higher for another class, unless all tie.",
        }
    if not kinds or "undecided" in kinds.values():
        return text[told.verdict]
    has = "a finite estimate"
    if told.verdict != "inseparable":
        has = f"no finite estimate: {'; '.join(infinite(kinds))}"
    kind = "Multinomial logistic" if many else "Logistic"
    return f"{text[told.verdict]} {kind} regression has {has}."


def proof_of(told: "Separability") -> str:
    """What the rows of the proof are."""
    if not told.rows:
        return ""
    rows = told.rows if told.index is None else told.index[list(told.rows)].tolist()
    one = "Append a 1 to each for the intercept, " if told.fit_intercept else ""
    counts = f"{one}{'flip' if one else 'Flip'} the sign of those of the first class, multiply"
    counts += " and add them"
    if told.n_classes > 2:
        classes = told.classes or tuple(range(told.n_classes))
        pairs = zip(rows, told.rivals, strict=True)
        rows = [f"{row} (against {classes[rival]})" for row, rival in pairs]
        counts = "Each counts for its own class and against the one in brackets: multiply and"
        counts += " add them so"
    kind = "row" if told.index is None else "example"
    what = f"{kind}{'s' if len(rows) > 1 else ''} {listed(rows)}, with multipliers "
    what += f"{listed([short(p) for p in told.multipliers])}. {counts}"
    if told.verdict == "separable":
        return (
            f"Why the margin is no larger: {what}. The length of the sum is the upper end of "
            "the margin."
        )
    text = f"The proof: {what}. The sum is 0, so no weights have all of them strictly on the "
    text += "correct side."
    if told.verdict == "quasi-separable":
        return text
    return (
        f"{text} All other rows are linear combinations of these, so weights that have no row "
        "on the wrong side score every row 0."
    )


def short(f: Fraction) -> str:
    """A fraction to be read: a long one as a float."""
    return str(f) if f.denominator < 10**6 else f"{float(f):.6g}"
