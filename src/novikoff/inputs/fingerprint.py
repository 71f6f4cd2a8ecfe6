"""A number that a data set is known by, so that a warm start can tell whether it comes again."""

from hashlib import blake2b

import numpy as np
from scipy import sparse

from novikoff.core.jit import njit
from novikoff.typing import Array, Matrix

LANES = 8
ODD = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)


@njit(cache=True)
def mix(words, h):
    """Mix these words into the lanes, one after the other: about as fast as memory is read."""
    for k in range(0, len(words) - LANES + 1, LANES):
        for lane in range(LANES):
            h[lane] = (h[lane] ^ words[k + lane]) * ODD
            h[lane] ^= h[lane] >> HALF
    for k in range(len(words) // LANES * LANES, len(words)):
        h[k % LANES] = (h[k % LANES] ^ words[k]) * ODD
        h[k % LANES] ^= h[k % LANES] >> HALF


def fingerprint(X: Matrix, *others: Array | None) -> int:
    """Of these rows, and of labels or weights beside them, by their bytes as they are stored.

    Other data has another one, but for one chance in $2^{64}$; so has the same data in another
    type or layout.
    """
    arrays = [X.data, X.indices, X.indptr] if sparse.issparse(X) else [X]
    told, h = [X.shape], np.zeros(LANES, np.uint64)
    for a in [*arrays, *others]:
        told.append((None,) if a is None else (a.dtype.str, a.shape, a.strides))
        if a is not None:
            _add(a, h)
    digest = blake2b(h.tobytes() + repr(told).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _add(a: Array, h: Array) -> None:
    contiguous = a if a.flags.c_contiguous or a.flags.f_contiguous else np.ascontiguousarray(a)
    data = contiguous.ravel(order="K").view(np.uint8)
    n = len(data) // 8 * 8
    mix(data[:n].view(np.uint64), h)
    mix(np.frombuffer(data[n:].tobytes().ljust(8, b"\0"), np.uint64), h)
