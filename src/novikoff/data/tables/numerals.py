"""Numbers as tables write them: with a point or a comma, with blanks in many spellings."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute as pc

from novikoff.typing import Array

BLANKS = frozenset(
    ("", "?", "NA", "N/A", "#N/A", "n/a", "NaN", "nan", "-nan", "null", "NULL", "None", "<NA>")
)
"""What stands for a missing number. Of a category, all but the first are values."""
BARE = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
POINT, SPACES = r"\.", " \t"
GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?")
"""A number with separators of thousands. It does not begin with 0: `0,101` is no 101."""


@dataclass(frozen=True)
class Numbers:
    """How the numbers of a file are written."""

    decimal: str = "."

    @property
    def pattern(self) -> str:
        """What a number that Arrow reads looks like, a regular expression."""
        return f"^({BARE.pattern.replace(POINT, re.escape(self.decimal))})$"

    def as_english(self, word: str) -> str:
        """A number with a point for the decimals and commas between thousands."""
        if self.decimal == ".":
            return word
        return word.translate({ord(","): ".", ord("."): ","})

    def is_bare(self, word: str) -> bool:
        """Is it a number that Arrow reads?"""
        return BARE.fullmatch(self.as_english(word)) is not None

    def allows(self, word: str) -> bool:
        """Is it a number?"""
        own = self.as_english(word)
        return BARE.fullmatch(own) is not None or GROUPED.fullmatch(own) is not None

    def value(self, word: str) -> float:
        """The number; NaN for a blank, infinity for what is none."""
        bare = word.strip(SPACES)
        if bare in BLANKS:
            return np.nan
        return float(self.as_english(bare).replace(",", "")) if self.allows(bare) else np.inf


ENGLISH = Numbers()


def numbers_of(column: Any, written: Numbers) -> Array:
    """The numbers of a column of text: NaN for a blank, infinity for what is none."""
    text = pc.utf8_trim(column.cast(pyarrow.string()), SPACES)
    doubtful = pc.match_substring_regex(text, rf"[^0-9{re.escape(written.decimal)}eE+-]|^$")
    values = np.full(len(text), np.nan)
    rest = pc.fill_null(doubtful, False).to_numpy(zero_copy_only=False)
    there = pc.is_valid(text).to_numpy(zero_copy_only=False)
    plain = there & ~rest
    for i in np.flatnonzero(there & rest).tolist():
        values[i] = written.value(text[i].as_py())
    bare = text.filter(pyarrow.array(plain))
    if written.decimal != ".":
        bare = pc.replace_substring(bare, written.decimal, ".")
    try:
        values[plain] = bare.cast(pyarrow.float64()).to_numpy(zero_copy_only=False)
    except pyarrow.ArrowInvalid:
        values[plain] = [
            written.value(word) for word in text.filter(pyarrow.array(plain)).to_pylist()
        ]
    return values


def mapped(column: Any, value: Any) -> Array:
    """What a function says of each text, without spaces around it; it is asked once for each."""
    chunks = column.chunks if isinstance(column, pyarrow.ChunkedArray) else [column]
    parts = [np.empty(0)]
    for chunk in chunks:
        own = chunk if pyarrow.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
        of_word = [value((word or "").strip(SPACES)) for word in own.dictionary.to_pylist()]
        codes = pc.fill_null(own.indices, len(of_word)).to_numpy(zero_copy_only=False)
        parts.append(np.array([*of_word, value("")], np.float64)[codes])
    return np.concatenate(parts)
