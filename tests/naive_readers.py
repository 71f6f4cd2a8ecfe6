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


def begins_like_an_entry(word):
    """Does it begin with a number, or nothing, and a colon?"""
    before, colon, _ = word.partition(b":")
    return bool(colon) and (before == b"" or NUMBER.fullmatch(before) is not None)


def label_of(word):
    """A label of text."""
    if any(c < 32 for c in word) or begins_like_an_entry(word):
        raise Bad(word)
    try:
        text = word.decode()
    except UnicodeDecodeError:
        raise Bad(word) from None
    if "\ufeff" in text:
        raise Bad(word)
    return text


def is_number(word):
    """Is it read as a number, perhaps an infinite one, or none at all?"""
    bare = word.removeprefix("\ufeff".encode()).lower()
    return bool(NUMBER.fullmatch(bare) or re.fullmatch(rb"[+-]?(nan|inf|infinity)", bare))


def svmlight_has_text_labels(text):
    """Is the first label no number? A label stands before an entry, or alone."""
    for line in text.split(b"\n"):
        bare, _, _ = line.removesuffix(b"\r").partition(b"#")
        words = words_of(bare)
        if not words or begins_like_an_entry(words[0]) or words[0].startswith(b"qid:"):
            continue
        if b"\r" not in words[0] and (len(words) == 1 or b":" in words[1].partition(b"\r")[0]):
            return not is_number(words[0])
    return False


def vowpal_has_text_labels(text):
    """Is the first label no number? It is the first word of a line that has a bar later on."""
    for line in text.split(b"\n"):
        head, bar, _ = line.partition(b"|")
        words = re.findall(rb"\S+", head)
        found = re.match(rb"[ \t]*(\S+)[ \t]", head)
        if bar and found and not words[0].startswith(b"'") and not begins_like_an_entry(words[0]):
            return not is_number(words[0])
    return False


def svmlight_line(line, least=0, most=MOST_INDEX, unlabelled=False, text_labels=False):
    """``(label, {index: value})``; the label is None if there is none."""
    words = words_of(line.partition(b"#")[0])
    if not words:
        return None
    label = None
    if not (unlabelled and re.match(rb"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?:", words[0])):
        word = words.pop(0)
        if text_labels and word.startswith(b"qid:"):
            raise Bad(word)
        label = label_of(word) if text_labels else number(word)
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


def vowpal_line(line, bits=18, unlabelled=False, text_labels=False):
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
    if text_labels and words and words[0].startswith(b"'"):
        raise Bad(line)
    label = (label_of if text_labels else number)(words[0]) if words else None
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
