"""Slow, obvious twins of the text parsers: `str.split`, `float` and dictionaries.

Nothing here imports the library. A line is None (blank), `BAD`, or what it says.
"""

import math
import re

BAD = "bad"
NUMBER = re.compile(rb"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
MOST_INDEX = 2**63 - 2


class Bad(Exception):
    """Raised by a line that is no example."""


def number(word):
    """A finite number."""
    if not NUMBER.fullmatch(word):
        raise Bad(word)
    return finite(float(word))


def finite(x):
    if not math.isfinite(x):
        raise Bad(x)
    return x


def whole(word):
    """A whole number."""
    if not re.fullmatch(rb"[0-9]+", word) or int(word) > MOST_INDEX:
        raise Bad(word)
    return int(word)


def words_of(text):
    return [word for word in re.split(rb"[ \t]+", text) if word]


def lines_of(text):
    lines = text.split(b"\n")
    return [line.removesuffix(b"\r") for line in (lines[:-1] if lines[-1] == b"" else lines)]


def parsed(parse, text, *options):
    """What each line says."""
    found = []
    for line in lines_of(text):
        try:
            found.append(parse(line, *options))
        except Bad:
            found.append(BAD)
    return found


def svmlight_line(line, least=0, most=MOST_INDEX, unlabelled=False):
    """``(label, {index: value})``; the label is None if there is none."""
    words = words_of(line.partition(b"#")[0])
    if not words:
        return None
    label = None
    if not (unlabelled and re.match(rb"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?:", words[0])):
        label = number(words.pop(0))
    if words and words[0].startswith(b"qid:"):
        whole(words.pop(0)[4:])
    row, before = {}, -1
    for word in words:
        index, colon, value = word.partition(b":")
        if not colon or not before < whole(index) or not least <= whole(index) <= most:
            raise Bad(word)
        before = whole(index)
        row[before] = number(value)
    return label, row


def murmur3(key, seed):
    """MurmurHash3_x86_32, from its reference."""
    mask = 2**32 - 1

    def rotated(x, r):
        return ((x << r) | (x >> (32 - r))) & mask

    h = seed & mask
    whole_blocks = len(key) // 4 * 4
    for i in range(0, whole_blocks, 4):
        k = int.from_bytes(key[i : i + 4], "little") * 0xCC9E2D51 & mask
        h ^= rotated(k, 15) * 0x1B873593 & mask
        h = (rotated(h, 13) * 5 + 0xE6546B64) & mask
    if key[whole_blocks:]:
        k = int.from_bytes(key[whole_blocks:], "little") * 0xCC9E2D51 & mask
        h ^= rotated(k, 15) * 0x1B873593 & mask
    h ^= len(key)
    h = (h ^ (h >> 16)) * 0x85EBCA6B & mask
    h = (h ^ (h >> 13)) * 0xC2B2AE35 & mask
    return h ^ (h >> 16)


def vowpal_hash(name, seed):
    """A name of digits is a number; of any other, the murmur."""
    return int(name or b"0") + seed if re.fullmatch(rb"[0-9]*", name) else murmur3(name, seed)


def vowpal_line(line, bits=18, unlabelled=False):
    """``(label, weight, tag, {column: value})``; the label is None if there is none."""
    if not words_of(line):
        return None
    if any(c < 32 and c != 9 for c in line) or b"|" not in line:
        raise Bad(line)
    head, *namespaces = line.split(b"|")
    words, tag = words_of(head), b""
    if words and (head[-1:] not in b" \t" or words[-1].startswith(b"'")):
        tag = words.pop().removeprefix(b"'")
    if len(words) > 2 or not (words or unlabelled):
        raise Bad(line)
    label = number(words[0]) if words else None
    weight = number(words[1]) if len(words) == 2 else 1.0
    if weight < 0:
        raise Bad(line)
    row = {}
    for namespace in namespaces:
        features, seed, scale = words_of(namespace), 0, 1.0
        if namespace and namespace[:1] not in b" \t":
            name, scale = named(features.pop(0))
            seed = vowpal_hash(name, 0)
        for feature in features:
            name, value = named(feature)
            column = vowpal_hash(name, seed) % 2**bits
            value = finite(scale * value)
            row[column] = row[column] + value if column in row else value
    for value in row.values():
        finite(value)
    return label, weight, tag.decode("utf-8", "backslashreplace"), row


def named(word):
    """Name and value of ``name:value``; 1 without a value."""
    name, colon, value = word.partition(b":")
    if not name:
        raise Bad(word)
    return name, number(value) if colon else 1.0
