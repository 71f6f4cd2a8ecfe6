r"""The features of tokens by templates: which column each template has at each token.

A token has a code for everything that templates may ask of it (an *atom*: its word, its ending, its
tag). A template asks for some atoms at some distances, and what it finds is a feature, which has a
column of its own, found by open addressing; or, if features are hashed, the column that the codes
are hashed to.
"""

from typing import NamedTuple

import numpy as np

from novikoff.core.jit import njit
from novikoff.core.prefetch import ask
from novikoff.core.rows import U
from novikoff.typing import Array

UNKNOWN = -1
"""The code of what was never seen."""
FULL, MISSING = -2, -1


class Plan(NamedTuple):
    """What templates ask for, one after the other."""

    starts: Array
    """Where the parts of each begin, and where those of the last end."""
    atoms: Array
    """Which atom each part is,"""
    distances: Array
    """and how far after the token."""
    groups: Array
    """Which templates make the same features: those of one number."""
    seeds: Array
    """What hashes begin with."""
    n_columns: int
    """How many columns features are hashed to; 0 if each has its own."""


class Table(NamedTuple):
    """The features that have columns, in the order of these."""

    slots: Array
    """Open addressing: the column of a feature whose hash leads here, or -1."""
    features: Array
    """The group of each feature, and its codes; and room for more."""
    size: Array
    """One number: how many features there are."""


@njit(forceinline=True)
def code_at(codes, atom, j, low, high):
    """The code of an atom at token `j`, which may lie before or after its sequence."""
    if j < low:
        return np.int64(-2 * (low - j))
    if j >= high:
        return np.int64(-2 * (j - high) - 3)
    return codes[atom, j]


@njit(forceinline=True)
def mixed(h, code):
    """A hash with one more code in it (the finalizer of splitmix64)."""
    h = (h ^ np.uint64(code)) * np.uint64(0x9E3779B97F4A7C15)
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> np.uint64(29))


@njit
def ask_for_slot(table, h):
    """Ask for the slot that a hash leads to, ahead of its use."""
    ask(table.slots, U(h) & U(len(table.slots) - 1))


@njit
def ask_for_feature(table, h):
    """Ask for the feature that is there."""
    f = table.slots[U(h) & U(len(table.slots) - 1)]
    if f >= 0:
        ask(table.features[f], 0)


@njit
def column_of(table, h, feature, grow):
    """The column of a feature; `MISSING` if it has none, `FULL` if there is no room for it."""
    slots, last = table.slots, U(len(table.slots) - 1)
    at = U(h) & last
    while slots[at] >= 0:
        f = U(slots[at])
        same = True
        for p in range(U(0), U(len(feature))):
            same &= table.features[f, p] == feature[p]
        if same:
            return np.int64(f)
        at = (at + U(1)) & last
    if not grow:
        return np.int64(MISSING)
    new = table.size[0]
    if new == len(table.features) or 2 * new >= len(slots):
        return np.int64(FULL)
    for p in range(len(feature)):
        table.features[new, p] = feature[p]
    table.size[0] += 1
    slots[at] = new
    return new


@njit(cache=True)
def hash_features(table, plan):
    """Put all features into the slots, which are empty."""
    last = U(len(table.slots) - 1)
    for f in range(table.size[0]):
        h = plan.seeds[table.features[f, 0]]
        for p in range(1, table.features.shape[1]):
            h = mixed(h, table.features[f, p])
        at = U(h) & last
        while table.slots[at] >= 0:
            at = (at + U(1)) & last
        table.slots[at] = f


@njit
def find_features(plan, codes, j, low, high, features, hashes):
    """The features of token `j` of a sequence, one for each template, and their hashes.

    The group of a feature with an unknown part is `UNKNOWN`.
    """
    for t in range(U(0), U(len(plan.groups))):
        feature, group, first = features[t], plan.groups[t], plan.starts[t]
        h, known = plan.seeds[group], True
        for p in range(U(0), U(len(feature) - 1)):
            part, c = U(first) + p, np.int64(0)
            if part < U(plan.starts[t + U(1)]):
                c = code_at(codes, U(plan.atoms[part]), j + plan.distances[part], low, high)
            feature[p + U(1)] = c
            known &= c != UNKNOWN
            h = mixed(h, c)
        feature[0] = group if known else UNKNOWN
        hashes[t] = h


@njit(forceinline=True)
def is_counted(column, columns, times, begin, k):
    """If a column is there already, count it once more."""
    for at in range(begin, k):
        if columns[at] == column:
            times[at] += 1.0
            return True
    times[k] = 1.0
    return False


@njit(cache=True)
def expand(plan, table, codes, starts, low, grow, out):
    """Write the columns of all features of the sequences from `low` on.

    `out` has the columns, where those of each token end, how often each occurs (or nothing, if
    none can occur twice), and room for the features of a token. Returns the sequence for which
    there was no more room in the table, or how many there are.
    """
    columns, ends, times, features, hashes = out
    hashed = plan.n_columns > 0
    for i in range(low, len(starts) - 1):
        first, stop = starts[i], starts[i + 1]
        k = ends[first]
        for j in range(first, stop):
            begin = k
            find_features(plan, codes, j, first, stop, features, hashes)
            if not hashed:  # what they need is far apart in memory: ask for all of it at once
                for t in range(len(hashes)):
                    ask_for_slot(table, hashes[t])
                for t in range(len(hashes)):
                    ask_for_feature(table, hashes[t])
            for t in range(len(hashes)):
                if hashed:
                    column = np.int64(hashes[t] % np.uint64(plan.n_columns))
                elif features[t, 0] == UNKNOWN:
                    continue
                else:
                    column = column_of(table, hashes[t], features[t], grow)
                    if column == FULL:
                        return i
                    if column == MISSING:
                        continue
                if len(times) > 0 and is_counted(column, columns, times, begin, k):
                    continue
                columns[k] = column
                k += 1
            ends[j + 1] = k
    return len(starts) - 1
