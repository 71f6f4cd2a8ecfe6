"""Texts as counts of words, and large categories, in columns that their hashes choose.

A word is a run of letters, digits and underscores, in lower case. Its column is the one that
Vowpal Wabbit would choose, the name of the table's column being the namespace
(`novikoff.data.feature_index`).
"""

from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute as pc
from scipy import sparse

from novikoff.core.jit import njit
from novikoff.core.rows import U
from novikoff.data.feature_hash import hash_of, hashed
from novikoff.data.tables.numerals import SPACES
from novikoff.typing import Array


@njit(forceinline=True)
def is_of_word(c):
    """Is a byte of UTF-8 part of a word?"""
    digit = (c >= np.uint8(48)) & (c <= np.uint8(57))
    letter = ((c | np.uint8(32)) >= np.uint8(97)) & ((c | np.uint8(32)) <= np.uint8(122))
    return digit | letter | (c == np.uint8(95)) | (c >= np.uint8(128))


@njit(cache=True, nogil=True)
def count_words(text, starts, lengths):
    """How many words each text has."""
    for i in range(len(lengths)):
        n, within = 0, False
        for p in range(U(starts[i]), U(starts[i + 1])):
            part = is_of_word(text[p])
            n += part and not within
            within = part
        lengths[i] = n


@njit(cache=True, nogil=True)
def hash_words(text, starts, seed, columns):
    """The hash of each word of each text, one after the other."""
    k = U(0)
    for i in range(len(starts) - 1):
        p, end = U(starts[i]), U(starts[i + 1])
        while p < end:
            q = p
            while q < end and is_of_word(text[q]):
                q += U(1)
            if q > p:
                columns[k] = hashed(text, p, q, seed)
                k += U(1)
            p = q + U(1)


@njit(cache=True, nogil=True)
def hash_texts(text, starts, seed, columns):
    """The hash of each text."""
    for i in range(len(columns)):
        columns[i] = hashed(text, U(starts[i]), U(starts[i + 1]), seed)


def seed_of(title: str) -> np.uint64:
    """What the hashes of a column start from."""
    name = np.frombuffer(bytearray(title.encode()), np.uint8)
    return np.uint64(hash_of(name, np.uint64(0)))


def bytes_of(texts: Any) -> tuple[Array, Array]:
    """All texts of an array as bytes, and where each starts and the last one ends."""
    filled = pc.fill_null(texts.cast(pyarrow.large_string()), "")
    whole = filled.combine_chunks() if isinstance(filled, pyarrow.ChunkedArray) else filled
    _, starts, data = whole.buffers()
    starts = np.frombuffer(starts, np.int64)[whole.offset : whole.offset + len(whole) + 1]
    text = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    return text, starts if len(starts) else np.zeros(1, np.int64)


def in_columns(hashes: Array, lengths: Array, bits: int) -> sparse.csr_array:
    """Rows with so many hashes each, counted by column."""
    indices = (hashes & np.uint64((1 << bits) - 1)).astype(np.int32)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    shape = len(lengths), 1 << bits
    X = sparse.csr_array((np.ones(len(indices)), indices, indptr), shape=shape)
    X.sum_duplicates()
    return X


def hashed_words(texts: Any, title: str, bits: int) -> sparse.csr_array:
    """How often each word is in each text."""
    text, starts = bytes_of(pc.utf8_lower(texts.cast(pyarrow.large_string())))
    lengths = np.zeros(len(starts) - 1, np.int64)
    count_words(text, starts, lengths)
    columns = np.empty(int(lengths.sum()), np.uint64)
    with np.errstate(over="ignore"):  # uncompiled, hashes would warn
        hash_words(text, starts, seed_of(title), columns)
    return in_columns(columns, lengths, bits)


def hashed_values(texts: Any, title: str, bits: int) -> Array:
    """The column of each value, without spaces around it; -1 for a blank.

    Values may be hashed already, -1 standing for a blank.
    """
    mask = np.int64((1 << bits) - 1)
    if isinstance(texts, np.ndarray):
        return np.where(texts < 0, texts, texts & mask)
    chunks = texts.chunks if isinstance(texts, pyarrow.ChunkedArray) else [texts]
    found = [np.empty(0, np.int64)]
    for chunk in chunks:
        own = chunk if pyarrow.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
        values = pc.utf8_trim(own.dictionary.cast(pyarrow.large_string()), SPACES)
        text, starts = bytes_of(values)
        hashes = np.empty(len(values) + 1, np.uint64)
        with np.errstate(over="ignore"):
            hash_texts(text, starts, seed_of(title), hashes[:-1])
        columns = np.where(
            np.append(np.diff(starts) > 0, False),  # the last one stands for a blank
            (hashes & np.uint64(mask)).astype(np.int64),
            -1,
        )
        codes = pc.fill_null(own.indices, len(values)).to_numpy(zero_copy_only=False)
        found.append(columns[codes])
    return np.concatenate(found)
