"""One column of a table, and what becomes of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class PlannedColumn:
    """What becomes of one column."""

    name: str | int
    """Its name, or its number where columns have no names."""
    kind: str
    """"number", "boolean", "date", "category", "hashed", "text" or "ignored"."""
    values: tuple[str, ...] = ()
    """Of a category, in order; "" stands for a blank."""
    has_blanks: bool = False
    """Of numbers: does a blank set an indicator?"""
    mean: float = 0.0
    """Of numbers: what a blank is replaced by, and what is taken off with `scale`."""
    spread: float = 0.0
    """Of numbers: what they are divided by; 0 if they are not scaled."""
    form: str = ""
    """How dates are written; of numbers, "loose" if blanks or thousands call for a closer look."""
    why: str = ""
    """What is to be said of a column that is ignored, or of one that may be an index."""

    @property
    def called(self) -> str:
        """What messages call it."""
        return f"column {self.name!r}" if isinstance(self.name, str) else f"column {self.name}"

    @property
    def title(self) -> str:
        """What its features are named after."""
        return self.name if isinstance(self.name, str) else f"x{self.name}"

    @property
    def is_number(self) -> bool:
        """Is it one number, whatever it was written as?"""
        return self.kind in ("number", "boolean", "date")

    @property
    def width(self) -> int:
        """How many columns of its own it becomes."""
        return len(self.values) if self.kind == "category" else self.is_number + self.has_blanks

    @property
    def names(self) -> list[str]:
        """What these are called."""
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
