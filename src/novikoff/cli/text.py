"""Numbers, names and lists in sentences."""

from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import TYPE_CHECKING

from novikoff.cli import say
from novikoff.cli.options import option

if TYPE_CHECKING:
    from collections import Counter

    from novikoff.certificates.bracket import Bracket
    from novikoff.data.results import Skipped
    from novikoff.data.tables.plan import TablePlan


def counted(n: int, what: str) -> str:
    """So many of something: 1 feature, 2 features."""
    return f"{n:,} {what}{'s' * (n != 1)}"


def listed(names: list[str], most: int = 5) -> str:
    """The first few names."""
    more = f", and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def named_classes(classes: Iterable[object]) -> str:
    """The classes of a model, the first few of many."""
    from novikoff.inputs.labels import as_written

    words = [as_written(c) for c in classes]
    if len(words) <= 2:
        return " and ".join(words)
    return f"{len(words):,} classes ({', '.join(words[:5])}{', ...' * (len(words) > 5)})"


def named_feature(names: list[str] | None, base: int, j: int) -> str:
    """What a column is called: its name, or else its number in the file."""
    return names[j] if names is not None else f"feature {j + base}"


def outward(ends: "Bracket") -> tuple[str, str]:
    """Both ends of a bracket to nine digits, rounded so that they stay true."""
    rounded = []
    for end, rounding in ((ends.lower, ROUND_FLOOR), (ends.upper, ROUND_CEILING)):
        digits = Context(prec=9, rounding=rounding).create_decimal(Decimal(end))
        rounded.append(f"{digits.normalize():g}" if digits.is_finite() else str(end))
    return rounded[0], rounded[1]


def tell_skipped(skipped: "Skipped") -> None:
    """Say which lines were left out."""
    if skipped.n_lines:
        lines = "line was" if skipped.n_lines == 1 else "lines were"
        first = "".join(f"\n  {message}" for message in skipped.messages)
        say(f"{skipped.n_lines:,} bad {lines} left out; the first:{first}")


def tell_columns(called: str, plan: "TablePlan | None", *, if_changed: bool = False) -> None:
    """Say what becomes of the columns of a table; or only if some are not taken as they are."""
    from novikoff.data.tables.look import DATES, INDEX, TEXTS, VALUES

    if plan is None or (
        if_changed and all(c.kind == "number" and not c.why for c in plan.columns_)
    ):
        return
    ways = {"text": TEXTS, "categories": VALUES, "dates": DATES}
    ignored = {
        name: [c.title for c in plan.columns_ if c.why.endswith(what)]
        for name, what in ways.items()
    }
    hints = [
        option(name, True if name == "dates" else columns)
        for name, columns in ignored.items()
        if columns
    ]
    learn = f" To use them, give {' or '.join(hints)}." if hints else ""
    say(f"{called}: {plan.summary()}.{learn}")
    for index in (c.title for c in plan.columns_ if c.why == INDEX):
        say(
            f"{index} increases from row to row, as an index does: if it is one, leave it out "
            f"({option('ignore', index)})."
        )


def tell_unseen(unseen: "Counter[str]") -> None:
    """Say how many values of a table its plan does not know."""
    if unseen:
        columns = listed([f"{name} {n:,}" for name, n in unseen.most_common()])
        say(
            f"{counted(unseen.total(), 'value')} that the plan does not know ({columns}): unknown "
            "categories are ignored, and blanks are replaced by the mean."
        )
