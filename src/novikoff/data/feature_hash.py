"""Hash feature names to columns, as Vowpal Wabbit does.

A name is hashed with MurmurHash3 (x86, 32 bits), with the hash of its namespace as the seed. A name
of digits is that number plus the hash of its namespace. The column is the last `bits` bits of the
result. A namespace is hashed in the same way, with the seed 0; the empty namespace has the hash 0.

References
----------
A. Appleby, MurmurHash3, https://github.com/aappleby/smhasher, `MurmurHash3_x86_32`.
Vowpal Wabbit, https://github.com/VowpalWabbit/vowpal_wabbit, `hashstring`.
K. Weinberger et al., "Feature hashing for large scale multitask learning", ICML 2009.
"""

import numpy as np

from novikoff.core.jit import njit
from novikoff.core.rows import U
from novikoff.data.numbers import TEN, digit
from novikoff.data.reader_options import require_bits

_32 = np.uint64(2**32 - 1)


@njit(forceinline=True)
def rotated(x, r):
    """The 32 bits of `x`, turned left by `r`."""
    return ((x << np.uint64(r)) | (x >> np.uint64(32 - r))) & _32


@njit(forceinline=True)
def mixed(x):
    """Four bytes of the name, ready to go into the hash."""
    return (rotated((x * np.uint64(0xCC9E2D51)) & _32, 15) * np.uint64(0x1B873593)) & _32


@njit
def murmur3(text, start, stop, seed):
    """MurmurHash3 of the bytes from `start` to `stop`."""
    h = np.uint64(seed) & _32
    p = start
    while p + U(4) <= stop:
        x = np.uint64(0)
        for i in range(4):
            x |= np.uint64(text[p + U(i)]) << np.uint64(8 * i)
        h = (rotated(h ^ mixed(x), 13) * np.uint64(5) + np.uint64(0xE6546B64)) & _32
        p += U(4)
    if p < stop:
        x = np.uint64(0)
        for i in range(stop - p):
            x |= np.uint64(text[p + U(i)]) << np.uint64(8 * i)
        h ^= mixed(x)
    h ^= np.uint64(stop - start)
    h = ((h ^ (h >> np.uint64(16))) * np.uint64(0x85EBCA6B)) & _32
    h = ((h ^ (h >> np.uint64(13))) * np.uint64(0xC2B2AE35)) & _32
    return h ^ (h >> np.uint64(16))


@njit(forceinline=True)
def hashed(text, start, stop, seed):
    """The hash of a name: a number stands for itself."""
    n = np.uint64(0)
    for p in range(start, stop):
        if digit(text, p) >= TEN:
            return murmur3(text, start, stop, seed)
        n = n * TEN + digit(text, p)
    return n + np.uint64(seed)


@njit(cache=True)
def hash_of(name, seed):
    """`hashed`, of a whole array of bytes."""
    return hashed(name, U(0), U(len(name)), np.uint64(seed))


def feature_index(name: str, namespace: str = "", *, bits: int = 18) -> int:
    """The column that `read` gives a feature of Vowpal Wabbit text.

    Parameters
    ----------
    name : str
        The name of the feature.
    namespace : str, default=""
        The namespace of the feature.
    bits : int, default=18
        There are $2^{bits}$ columns.

    Returns
    -------
    int

    Examples
    --------
    >>> from novikoff.data import feature_index
    >>> feature_index("wings"), feature_index("wings", "animal"), feature_index("7")
    (108117, 240114, 7)
    """
    require_bits(bits)
    seed = 0
    for part in (namespace, name):
        text = np.frombuffer(bytearray(part.encode()), np.uint8)
        with np.errstate(over="ignore"):  # uncompiled, long numbers would warn
            seed = int(hash_of(text, np.uint64(seed)))
    return int(seed & (2**bits - 1))
