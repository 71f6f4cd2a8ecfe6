"""One column of a table, and the features that a plan makes of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class PlannedColumn:
    """How a `TablePlan` turns one column into features."""

    name: str | int
    """Its name, or its number if columns have no names."""
    kind: str
    """"number", "boolean", "date", "category", "hashed", "text" or "ignored"."""
    values: tuple[str, ...] = ()
    """The values of a category, in order; "" stands for a blank."""
    has_blanks: bool = False
    """For numbers: whether a second column marks blanks."""
    mean: float = 0.0
    """For numbers: the value that replaces a blank, and that `scale` subtracts."""
    spread: float = 0.0
    """For numbers: the divisor of `scale`; 0 if they are not scaled."""
    form: str = ""
    """The format of dates; "loose" for numbers with blanks or separators of thousands."""
    why: str = ""
    """Why a column is ignored, or that it may be an index."""

    @property
    def called(self) -> str:
        """Its name in messages."""
        return f"column {self.name!r}" if isinstance(self.name, str) else f"column {self.name}"

    @property
    def title(self) -> str:
        """The name that its features start with."""
        return self.name if isinstance(self.name, str) else f"x{self.name}"

    @property
    def is_number(self) -> bool:
        """Whether it becomes one number: a number, a boolean or a date."""
        return self.kind in ("number", "boolean", "date")

    @property
    def width(self) -> int:
        """The number of features that it becomes, without hashed ones."""
        return len(self.values) if self.kind == "category" else self.is_number + self.has_blanks

    @property
    def names(self) -> list[str]:
        """The names of these features."""
        if self.kind == "category":
            return [f"{self.title}={v}" if v else f"{self.title} is missing" for v in self.values]
        own = [self.title] * self.is_number
        return own + [f"{self.title} is missing"] * self.has_blanks


def each_of(wished: Any, names: Sequence[str | int] | None) -> list[str | int]:
    """The columns that somebody names, one by one or with commas between them."""
    if wished is None:
        return []
    found: list[str | int] = []
    for column in wished if isinstance(wished, list | tuple) else (wished,):
        if isinstance(column, str) and column not in (names or ()) and "," in column:
            parts = [part.strip() for part in column.split(",")]
            found += [int(p) if p.lstrip("-").isdigit() and names is None else p for p in parts]
        else:
            found.append(column)
    return found
