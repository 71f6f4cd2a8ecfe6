"""Labels of text in svmlight and Vowpal Wabbit files: found, read and checked before writing.

If the first label of a file is no number, all its labels are text. The kernels note where in
the text each label stands; here these places become strings.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.core.jit import njit
from novikoff.core.rows import U
from novikoff.data.feature_hash import murmur3
from novikoff.data.lines import SPACE
from novikoff.data.opener import Bytes, Opened
from novikoff.data.reader_options import Options
from novikoff.errors import ParameterError
from novikoff.typing import Array

MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"  # the byte order mark, if a text begins with it
BARE = rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
NUMBER = re.compile(rb"(?:" + MARK.encode() + rb")?(?:" + BARE + rb"|[+-]?(?i:nan|inf|infinity))")
"""What is read as a number, finite or not, and never as the first label of text."""
NO_ENTRY = rb"(?!(?:" + BARE + rb")?:)"
"""What a label must not begin with: an index and a colon."""
EXAMPLE = re.compile(rb"(?m)^[ \t]*[^\s#][^\n]*\n")
LOOK = 2**20
"""Within so many bytes the first label is looked for."""


class Spelling(NamedTuple):
    """How a format writes labels of text."""

    format: str
    first: re.Pattern[bytes]
    """Finds the first label of a file, number or not, as its first group."""
    needs: str
    """What a label must be, for a message."""


def settle(spelling: Spelling, source: Opened, options: Options) -> Options:
    """The options, with the kind of labels as the first of them says.

    What somebody is still writing to is not waited for longer than its first block takes.
    """
    if options.text_labels is not None:
        return options
    look = min(LOOK, options.block_bytes) if source.may_wait else LOOK

    def is_enough(head: bytes) -> bool:
        """Is the first label there, or a whole block without any?"""
        has_block = len(head) >= look and EXAMPLE.search(head) is not None
        return has_block or spelling.first.search(head) is not None

    head = source.peek_until(is_enough, LOOK)
    found = spelling.first.search(head if len(head) == LOOK else head + b"\n")
    is_text = found is not None and not NUMBER.fullmatch(found[1])
    leader = options.leader and options.leader._replace(has_rows=found is not None)
    return replace(options, text_labels=is_text, leader=leader)


# ------------------------------------------------------------- reading


@njit
def letter(text, at):
    """How many bytes the letter at a place has in UTF-8; 0 if it is none, or a byte order mark."""
    c, second = text[at], text[at + U(1)]
    if c < 0x80:
        return U(1)
    low, high = 0xA0 if c == 0xE0 else 0x90 if c == 0xF0 else 0x80, 0xBF
    if c in (0xED, 0xF4):
        high = 0x9F if c == 0xED else 0x8F
    if c < 0xC2 or c > 0xF4 or second < low or second > high:
        return U(0)
    n = U(2) + U(c >= 0xE0) + U(c >= 0xF0)
    for i in range(U(2), n):
        if text[at + U(i)] & 0xC0 != 0x80:
            return U(0)
    is_mark = c == 0xEF and second == 0xBB and text[at + U(2)] == 0xBF
    return U(0) if is_mark else n


@njit
def past_letters(text, at, mark):
    """The place after the letters from a place on: a space, a mark, or what is no letter."""
    while text[at] > SPACE and text[at] != mark:
        n = letter(text, at)
        if n == U(0):
            break
        at += n
    return at


@njit
def are_same(text, one, other):
    """Do two places have the same word?"""
    n, i = one[1] - one[0], 0
    while n == other[1] - other[0] and i < n and text[U(one[0] + i)] == text[U(other[0] + i)]:
        i += 1
    return n == other[1] - other[0] and i == n


@njit(cache=True, nogil=True)
def number_words(text, places, slots, first, codes):
    """Number the words at places as they come; the first place of each, and how many there are.

    `slots` are those of a hash table, a power of two; -1 for an empty one.
    """
    n, last = 0, U(len(slots) - 1)
    for i in range(len(places)):
        slot = murmur3(text, U(places[i, 0]), U(places[i, 1]), np.uint64(0)) & last
        while slots[slot] >= 0 and not are_same(text, places[first[slots[slot]]], places[i]):
            slot = (slot + U(1)) & last
        if slots[slot] < 0:
            slots[slot], first[n] = n, i
            n += 1
        codes[i] = slots[slot]
    return n


def words_at(window: Bytes, places: npt.NDArray[np.int64]) -> Array:
    """The words at places of a text, as strings; a few that come often are made once."""
    n = len(places)
    slots = np.full(2 ** (2 * n).bit_length(), -1, np.int32)
    first, codes = np.empty(n, np.int32), np.empty(n, np.int32)
    n_words = number_words(window, places, slots, first, codes)
    words = [window[i:j].tobytes().decode() for i, j in places[first[:n_words]].tolist()]
    return np.array(words, str)[codes]


# ------------------------------------------------------------- writing


def words_of(y: Sequence[object] | Array) -> list[object] | None:
    """Labels of text as a list; None for numbers."""
    if np.asarray(y).dtype.kind in "biuf":
        return None
    words: list[object] = np.asarray(y, object).tolist()
    return words if any(isinstance(word, str) for word in words) else None


def require_readable(words: list[object], spelling: Spelling) -> None:
    """Raise an error for labels that a file would give back as others, or not at all."""
    known: set[str] = set()
    for i, word in enumerate(words):
        if word in known:
            continue
        told = f"The label of row {i} is {word!r}"
        if not isinstance(word, str):
            raise ParameterError(f"{told}, but others are text: make all of them text or numbers.")
        if not is_readable(word, spelling):
            raise ParameterError(
                f"{told}, which {spelling.format} text would not give back: {spelling.needs}."
            )
        known.add(word)
    if words and NUMBER.fullmatch(str(words[0]).encode()):
        raise ParameterError(
            f"The label of row 0 is {words[0]!r}, text that {spelling.format} text would give back "
            "as a number: give labels that are numbers, or begin with another label."
        )


def is_readable(word: str, spelling: Spelling) -> bool:
    """Is a word read back as it is?"""
    try:
        text = word.encode()
    except UnicodeEncodeError:
        return False
    found = spelling.first.match(text + b" 1:1|")
    is_clean = MARK not in word and all(c > " " for c in word)
    return is_clean and found is not None and found[1] == text
