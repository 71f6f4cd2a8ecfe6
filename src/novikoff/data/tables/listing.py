"""The columns of a plan in words."""

from collections.abc import Sequence

from novikoff.data.tables.columns import PlannedColumn


def counted(n: int, what: str) -> str:
    """So many of something: 1 category, 2 categories."""
    several = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{n:,} {what if n == 1 else several}"


def joined(words: Sequence[str]) -> str:
    """1, 2 and 3; the first few of many."""
    shown = [*words] if len(words) <= 6 else [*words[:5], f"{len(words) - 5} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def numbers_told(what: str, group: list[PlannedColumn]) -> str:
    """Numbers, and how many of them have blanks."""
    blank = sum(column.has_blanks for column in group)
    told = counted(len(group), what)
    if not blank:
        return told
    return f"{told} (with blanks)" if blank == len(group) == 1 else f"{told} ({blank} with blanks)"


def categories_told(group: list[PlannedColumn]) -> str:
    """Categories, and how many values each has."""
    sizes = joined([f"{len(column.values):,}" for column in group])
    values = "value" if [len(c.values) for c in group] == [1] else "values"
    return f"{counted(len(group), 'category')} ({sizes} {values})"


def named_told(what: str, group: list[PlannedColumn]) -> str:
    """So many of a kind, with their names."""
    return f"{counted(len(group), what)} ({joined([column.title for column in group])})"


def ignored_told(group: list[PlannedColumn]) -> str:
    """What is ignored, and why."""
    each = [f"{column.title}, {column.why}" if column.why else column.title for column in group]
    return f"{len(group)} ignored: {'; '.join(each)}"


TOLD = {
    "number": lambda group: numbers_told("number", group),
    "boolean": lambda group: numbers_told("yes-or-no column", group),
    "date": lambda group: numbers_told("date", group),
    "category": categories_told,
    "hashed": lambda group: named_told("hashed category", group),
    "text": lambda group: named_told("text", group),
    "ignored": ignored_told,
}
