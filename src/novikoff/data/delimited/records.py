"""Records of delimited text, where a field in quotes may have delimiters and newlines in it.

A field that starts with a quote goes to the next quote that is not doubled. A quote elsewhere is
text. What stands between a closing quote and the next delimiter is an error.

References
----------
Y. Shafranovich, RFC 4180, 2005.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from novikoff.core.jit import njit
from novikoff.core.rows import U
from novikoff.data.lines import NEWLINE, RETURN
from novikoff.data.text_blocks import NEWLINES, Ends

QUOTE = np.uint8(ord('"'))


class Record(NamedTuple):
    """A record of a text."""

    start: int
    stop: int
    """After its newline."""
    fields: list[tuple[int, bytes]]
    """Where each starts, and what is in it."""
    fault: tuple[int, str] | None = None
    """Where it breaks the rules, and how."""


@cache
def patterns(delimiter: bytes) -> tuple["re.Pattern[bytes]", "re.Pattern[bytes]"]:
    """What a field in quotes is, and what a field without quotes."""
    d = re.escape(delimiter)
    return re.compile(rb'"((?:[^"]+|"")*)("?)'), re.compile(rb"[^\n" + d + rb"]*")


def records(text: bytes, delimiter: bytes, start: int = 0) -> Iterator[Record]:
    """The records of a text, the blank ones too."""
    quoted, plain = patterns(delimiter)
    at, n = start, len(text)
    while at < n:
        first, fields, fault = at, [], None
        while True:
            where = at
            if text[at : at + 1] == b'"' and (found := quoted.match(text, at)):
                word, at = found[1].replace(b'""', b'"'), found.end()
                rest = plain.match(text, at)
                assert rest is not None  # it may be empty
                if not found[2]:
                    fault = fault or (where, "found a quote that is never closed")
                elif rest[0] and not (rest[0] == b"\r" and ends(text, rest.end())):
                    fault = fault or (at, "found text after a closing quote")
                    word = text[where : rest.end()]
                at = rest.end()
            else:
                found = plain.match(text, at)
                assert found is not None
                word, at = found[0], found.end()
                if ends(text, at):
                    word = word.removesuffix(b"\r")
            fields.append((where, word))
            if ends(text, at):
                break
            at += 1
        at += 1
        yield Record(first, min(at, n), fields, fault)


def ends(text: bytes, at: int) -> bool:
    """Does a record end here?"""
    return at >= len(text) or text[at] == NEWLINE


@njit(cache=True, nogil=True)
def scan(text, delimiter, one):
    """Where the last whole record of a text ends, or the first if one will do; and is it regular?

    Arrow reads what is regular as we do.
    """
    end, regular, quoted, fresh = U(0), True, False, True
    p, n = U(0), U(len(text))
    while p < n and not (one and end > 0):
        c = text[p]
        p += U(1)
        if quoted:
            if c == QUOTE:
                if p < n and text[p] == QUOTE:
                    p += U(1)
                else:
                    quoted = False
                    if p < n and text[p] != delimiter and text[p] != NEWLINE and text[p] != RETURN:
                        regular = False
        elif c == QUOTE:
            regular = regular and fresh
            quoted = fresh
            fresh = False
        elif c == NEWLINE:
            end, fresh = p, True
        else:
            fresh = c == delimiter
    return end, regular and not quoted


def ends_of(delimiter: bytes) -> Ends:
    """Where records end."""

    def end(text: bytes | bytearray, one: bool) -> int:
        if b'"' not in text:
            return (NEWLINES.first if one else NEWLINES.last)(text)
        return int(scan(np.frombuffer(text, np.uint8), np.uint8(delimiter[0]), one)[0])

    return Ends(lambda text: end(text, True), lambda text: end(text, False))


def is_regular(block: bytes, delimiter: bytes) -> bool:
    """Does Arrow read a block as `records` does? Where it would not, that one decides."""
    if b"\0" in block or LONE_RETURN.search(block):
        return False
    if b'"' not in block:
        return True
    return bool(scan(np.frombuffer(block, np.uint8), np.uint8(delimiter[0]), False)[1])


LONE_RETURN = re.compile(rb"\r(?!\n|$)")
"""Arrow would end a line there."""
