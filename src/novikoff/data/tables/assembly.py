"""Sparse rows from the columns of a table, entry by entry."""

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.core.jit import njit
from novikoff.core.rows import U
from novikoff.typing import Array


@njit(cache=True, nogil=True)
def count_entries(codes, hashes, n_numbers, indptr):
    """Where the entries of each row end, if all hashes of a row are different."""
    at = 0
    for i in range(len(indptr) - 1):
        at += n_numbers
        for c in range(len(codes)):
            at += codes[c, i] >= 0
        for h in range(len(hashes)):
            at += hashes[h, i] >= 0
        indptr[i + 1] = at


@njit(cache=True, nogil=True)
def assemble(firsts, kinds, numbers, codes, hashes, width, indptr, indices, data):
    """The entries of all rows, and where those of each end.

    Entry `e` is the number in row `kinds[e]` of `numbers`, in column `firsts[e]`; or if that is
    negative, a 1 in column `firsts[e]` + the code in row `-kinds[e] - 1` of `codes`.
    """
    k, most = U(0), np.int64(0)
    for i in range(len(indptr) - 1):
        for e in range(len(kinds)):
            if kinds[e] >= 0:
                indices[k], data[k] = firsts[e], numbers[kinds[e], i]
                k += U(1)
            elif codes[-kinds[e] - 1, i] >= 0:
                indices[k], data[k] = firsts[e] + codes[-kinds[e] - 1, i], 1.0
                k += U(1)
        start = k
        for h in range(len(hashes)):
            if hashes[h, i] >= 0:
                k = insert(indices, data, start, k, width + hashes[h, i])
        indptr[i + 1] = k
        most = max(most, np.int64(k))
    return most


@njit(forceinline=True)
def insert(indices, data, start, stop, column):
    """A 1 more in a column of a row, whose entries stay in order; where they end then."""
    at = stop
    while at > start and indices[at - U(1)] > column:
        at -= U(1)
    if at > start and indices[at - U(1)] == column:
        data[at - U(1)] += 1.0
        return stop
    p = stop
    while p > at:
        indices[p], data[p] = indices[p - U(1)], data[p - U(1)]
        p -= U(1)
    indices[at], data[at] = column, 1.0
    return stop + U(1)


def sparse_rows(
    entries: list[tuple[int, Array, bool]],
    hashes: list[Array],
    shape: tuple[int, int],
    width: int,
    dtype: npt.DTypeLike,
) -> sparse.csr_array:
    """Rows with these entries, and hashes from column `width` on.

    An entry is a column with its numbers; or with `True`, the first column of a category with its
    codes, -1 for none.
    """
    n, empty = shape[0], np.empty((0, shape[0]), np.int64)
    numbers = [own for _, own, coded in entries if not coded]
    codes = [own for _, own, coded in entries if coded]
    rows, seen = [], [0, 0]
    for _, _, coded in entries:
        rows.append(-seen[1] - 1 if coded else seen[0])
        seen[coded] += 1
    coded_rows = np.stack(codes) if codes else empty
    hash_rows = np.stack(hashes) if hashes else empty
    indptr = np.zeros(n + 1, np.int64)
    count_entries(coded_rows, hash_rows, len(numbers), indptr)
    wide = indptr[-1] > np.iinfo(np.int32).max
    indices = np.empty(indptr[-1], np.int64 if wide else np.int32)
    data = np.empty(indptr[-1], dtype)
    k = assemble(
        np.array([first for first, _, _ in entries], np.int64),
        np.array(rows, np.int64),
        np.stack(numbers) if numbers else np.empty((0, n)),
        coded_rows,
        hash_rows,
        width,
        indptr,
        indices,
        data,
    )
    return in_rows(data[:k], indices[:k], indptr.astype(indices.dtype), shape)


def in_rows(data: Array, indices: Array, indptr: Array, shape: tuple[int, int]) -> sparse.csr_array:
    """Sparse rows whose entries are in order, without looking at them all."""
    X = sparse.csr_array(shape, dtype=data.dtype)
    X.data, X.indices, X.indptr = data, indices, indptr
    X.has_canonical_format = True
    return X
