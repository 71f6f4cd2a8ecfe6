"""What the first rows of a table say about each column.

A column of text is one of numbers, of dates, or of yes and no if at least nine in ten of its values
are, blanks aside; what else is in it is then an error. Any other is a category, unless more than
half of its values are different and they are more than a few.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow
import pyarrow.compute as pc

from novikoff.data.tables.columns import PlannedColumn
from novikoff.data.tables.dates import FORMS, ISO, days_of
from novikoff.data.tables.numerals import BLANKS, ENGLISH, SPACES, Numbers, mapped, numbers_of
from novikoff.data.tables.plan import TablePlan

if TYPE_CHECKING:
    from novikoff.typing import Array

NOTHING = "no values"
INDEX = "an index"
"""What is to be said of a column of numbers that may number the rows."""
DATES, TEXTS, VALUES = "dates", "texts", "values"
"""What is in columns that are ignored unless they are asked for."""
MOSTLY = 0.9
"""What share of the values must be of a kind."""
PAIRS = (("true", "false"), ("yes", "no"), ("t", "f"), ("y", "n"), ("on", "off"))
DAY = re.compile(r"[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}(?![0-9])")
"""How dates start."""
FEW = 20
"""So many different values a small table may have in a category."""
TALK = re.compile(r"\S\s+\S+\s+\S+\s+\S")
"""Four words or more."""


class Words(NamedTuple):
    """The values of a text column, without spaces around them."""

    every: "Counter[str]"
    """Those that have any text."""
    n_empty: int = 0
    has_spaces: bool = False
    """Do blanks have spaces around them?"""

    @property
    def n(self) -> int:
        """How many have any text."""
        return self.every.total()

    @property
    def filled(self) -> "Words":
        """Without those that stand for a missing value."""
        return Words(Counter({word: k for word, k in self.every.items() if word not in BLANKS}))

    def share(self, of_a_kind: Callable[[str], bool]) -> float:
        """What share of them is of a kind."""
        return sum(k for word, k in self.every.items() if of_a_kind(word)) / max(self.n, 1)


def words_of(column: Any) -> Words:
    """The values of a text column."""
    counts = pc.value_counts(column)
    every: Counter[str] = Counter()
    spaces = False
    for word, k in zip(counts.field(0).to_pylist(), counts.field(1).to_pylist(), strict=True):
        bare = (word or "").strip(SPACES)
        spaces |= bare in BLANKS and bare != (word or "")
        every[bare] += k
    return Words(every, every.pop("", 0), spaces)


def looked_at(
    plan: TablePlan,
    names: Sequence[str | int],
    columns: Sequence[Any],
    written: Numbers = ENGLISH,
) -> list[PlannedColumn]:
    """What becomes of each column, `written` saying how texts have numbers in them."""
    texts, categories = plan.named("text", names), plan.named("categories", names)
    found = []
    for name, column in zip(names, columns, strict=True):
        if name in texts:
            found.append(PlannedColumn(name, "text"))
        elif is_text(column.type):
            found.append(of_text(plan, name, column, written, forced=name in categories))
        elif name in categories:
            found.append(category(plan, name, words_of(column.cast(pyarrow.string())), forced=True))
        else:
            found.append(of_type(plan, name, column))
    return found


def is_text(kind: pyarrow.DataType) -> bool:
    """Is it a type of text?"""
    types = pyarrow.types
    if types.is_dictionary(kind):
        kind = kind.value_type
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def of_type(plan: TablePlan, name: str | int, column: Any) -> PlannedColumn:
    """What becomes of a column whose type says what it is."""
    types = pyarrow.types
    if types.is_date(column.type) or types.is_timestamp(column.type):
        if not plan.dates:
            return PlannedColumn(name, "ignored", why=DATES)
        return measured(plan, name, "date", days_of(column), form="stored")
    if types.is_boolean(column.type):
        return measured(plan, name, "boolean", as_doubles(column))
    numeric = types.is_integer(column.type) or types.is_floating(column.type)
    if numeric or types.is_decimal(column.type):
        return measured(plan, name, "number", as_doubles(column))
    if types.is_null(column.type):
        return PlannedColumn(name, "ignored", why=NOTHING)
    return PlannedColumn(name, "ignored", why=f"of type {column.type}")


def as_doubles(column: Any) -> "Array":
    """A column of numbers as doubles, NaN for a blank."""
    doubles: Array = column.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False)
    return doubles


def measured(
    plan: TablePlan, name: str | int, kind: str, values: "Array", form: str = ""
) -> PlannedColumn:
    """A column of numbers, with what blanks and scales need."""
    known = values[np.isfinite(values)]
    blank = bool(np.isnan(values).any())
    if not len(known):  # what is no blank is an error when it is read
        ignored = "ignored" if np.isnan(values).all() else kind
        return PlannedColumn(name, ignored, why=NOTHING * (ignored == "ignored"))
    with np.errstate(over="ignore"):
        mean, spread = float(np.mean(known)), float(np.std(known))
    mean = mean if np.isfinite(mean) else float(np.median(known))
    scaled = plan.scale and kind != "boolean" and np.isfinite(spread)
    return PlannedColumn(
        name,
        kind,
        has_blanks=blank and plan.missing == "indicator",
        mean=mean,
        spread=(spread or 1.0) if scaled else 0.0,
        form=form,
        why=INDEX * (kind == "number" and is_like_an_index(values)),
    )


def is_like_an_index(values: "Array") -> bool:
    """Are these whole numbers that increase from row to row?"""
    whole = np.isfinite(values).all() and (values == np.floor(values)).all()
    return bool(len(values) > FEW and whole and (np.diff(values) > 0).all())


def of_text(
    plan: TablePlan, name: str | int, column: Any, written: Numbers, *, forced: bool
) -> PlannedColumn:
    """What becomes of a column of text."""
    if pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if not forced and has_bare_numbers(column, written):
        return measured(plan, name, "number", numbers_of(column, written))
    words = words_of(column)
    known = words.filled
    if forced:
        return category(plan, name, words, forced=True)
    if not known.n:
        return PlannedColumn(name, "ignored", why=NOTHING)
    if known.share(written.allows) >= MOSTLY:
        loose = words.has_spaces or not all(map(written.is_bare, known.every))
        values = numbers_of(column, written)
        return measured(plan, name, "number", values, "loose" if loose else "")
    if is_yes_or_no(known.every):
        return measured(plan, name, "boolean", booleans_of(column))
    form = form_of_dates(plan, known)
    if form and plan.dates:
        return measured(plan, name, "date", days_of(column, form), form)
    if form:
        return PlannedColumn(name, "ignored", why=DATES)
    return category(plan, name, words, forced=False)


def has_bare_numbers(column: Any, written: Numbers) -> bool:
    """Are there numbers, and nothing else but blanks without spaces around them?"""
    blank = pc.is_in(column, value_set=pyarrow.array(sorted(BLANKS)))
    rest = column.filter(pc.invert(blank))
    return len(rest) > 0 and pc.all(pc.match_substring_regex(rest, written.pattern)).as_py()


def is_yes_or_no(words: "Counter[str]") -> bool:
    """Are these yes and no, in one of the ways there are?"""
    found = {word.lower() for word in words}
    pairs = (pair for pair in PAIRS if found <= {*pair})
    return any(len(pair[0]) > 1 or len(found) == 2 for pair in pairs)


def booleans_of(column: Any) -> "Array":
    """Yes and no as 1 and 0; NaN for a blank, infinity for what is neither."""
    if pyarrow.types.is_boolean(column.type):
        return as_doubles(column)
    table = {no: 0.0 for _, no in PAIRS} | {yes: 1.0 for yes, _ in PAIRS}
    table |= {"1": 1.0, "0": 0.0}
    return mapped(column, lambda w: np.nan if w in BLANKS else table.get(w.lower(), np.inf))


def form_of_dates(plan: TablePlan, words: Words) -> str:
    """How dates are written in a column; "" if it has none."""
    if isinstance(plan.dates, str):
        forms: tuple[str, ...] = (plan.dates,)
    elif words.share(lambda word: DAY.match(word) is not None) >= MOSTLY:
        forms = (ISO, *FORMS)
    else:
        return ""
    distinct = pyarrow.array([*words.every])
    counts = np.array([*words.every.values()])
    for form in forms:
        good = np.isfinite(days_of(distinct, form))
        if counts[good].sum() >= MOSTLY * words.n:
            return form
    return ""


def category(plan: TablePlan, name: str | int, words: Words, *, forced: bool) -> PlannedColumn:
    """A category, if it is one."""
    n_values = len(words.every)
    if not forced and n_values > FEW and 2 * n_values > words.n:
        return PlannedColumn(name, "ignored", why=too_different(words))
    if n_values > plan.one_hot:
        return PlannedColumn(name, "hashed")
    values = sorted(words.every) + [""] * (words.n_empty > 0)
    return PlannedColumn(name, "category", values=tuple(values))


def too_different(words: Words) -> str:
    """What is to be said of a column of too many different values."""
    talk = words.share(lambda word: TALK.search(word) is not None) > 1 / 2
    return f"{len(words.every):,} different {TEXTS if talk else VALUES}"
