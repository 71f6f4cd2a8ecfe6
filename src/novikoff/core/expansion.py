r"""The features of tokens by templates: which column each template has at each token.

A token has a code for everything that templates may ask of it (an *atom*: its word, its ending, its
tag). A template asks for some atoms at some distances, and what it finds is a feature, which has a
column of its own; or, if features are hashed, the column that the codes are hashed to. A feature
with one code, which most are, is found by it; one with several by open addressing.
"""

from typing import NamedTuple

import numpy as np

from novikoff.core.jit import njit
from novikoff.core.prefetch import ask
from novikoff.core.rows import U
from novikoff.typing import Array

UNKNOWN = -1
"""The code of what was never seen."""
MISSING = -1
"""The column of a feature that has none."""
SPAN = 64
"""How many tokens to handle at a time, so that what they need can be asked for ahead."""


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

    columns: Array
    """The columns of features of one code, -1 where there is none: group after group."""
    places: Array
    """Where that of code 0 of each group is in `columns`; -1 if its features have not one code."""
    slots: Array
    """Open addressing: the column of another feature whose hash leads here, or -1."""
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
def new_column(table, feature):
    """The next column, for a new feature."""
    new = table.size[0]
    for p in range(len(feature)):
        table.features[new, p] = feature[p]
    table.size[0] += 1
    return new


@njit
def slot_of(table, feature, h):
    """The slot of a feature, or the empty one where it belongs."""
    slots, last = table.slots, U(len(table.slots) - 1)
    at = U(h) & last
    while slots[at] >= 0:
        same = True
        for p in range(U(0), U(len(feature))):
            same &= table.features[U(slots[at]), p] == feature[p]
        if same:
            break
        at = (at + U(1)) & last
    return at


@njit(cache=True)
def place_features(table, plan):
    """Say where all features are, in a table that does not know yet."""
    for f in range(table.size[0]):
        feature = table.features[f]
        place = table.places[feature[0]]
        if place >= 0:
            table.columns[place + feature[1]] = f
            continue
        h = plan.seeds[feature[0]]
        for p in range(1, len(feature)):
            h = mixed(h, feature[p])
        table.slots[slot_of(table, feature, h)] = f


@njit
def find_singles(plan, table, codes, t, span, sequence, grow, feature, found):
    """The columns of template `t`, whose features have one code, for a span of tokens."""
    (low, high), (begin, end) = span, sequence
    part, group = plan.starts[t], plan.groups[t]
    atom, distance, place = plan.atoms[part], plan.distances[part], table.places[group]
    for j in range(low, high):
        c = code_at(codes, atom, j + distance, begin, end)
        column = table.columns[place + c]
        if grow and column < 0:
            feature[0], feature[1] = group, c
            for p in range(2, len(feature)):
                feature[p] = 0
            table.columns[place + c] = column = new_column(table, feature)
        found[j, t] = column


@njit
def find_codes(plan, codes, t, j, sequence, feature):
    """The feature that template `t` makes of token `j`, and its hash."""
    first, n = U(plan.starts[t]), U(plan.starts[t + 1] - plan.starts[t])
    feature[0] = plan.groups[t]
    h = plan.seeds[plan.groups[t]]
    for p in range(U(0), U(len(feature) - 1)):
        c = np.int64(0)
        if p < n:
            atom, distance = U(plan.atoms[first + p]), plan.distances[first + p]
            c = code_at(codes, atom, j + distance, sequence[0], sequence[1])
        feature[p + U(1)] = c
        h = mixed(h, c)
    return h


@njit
def has_unknown(feature):
    """Has any part never been seen?"""
    unknown = False
    for p in range(U(1), U(len(feature))):
        unknown |= feature[p] == UNKNOWN
    return unknown


@njit
def find_others(plan, table, codes, t, span, sequence, grow, features, hashes, found):
    """The columns of any other template `t`, for a span of tokens."""
    low, high = span
    last = U(len(table.slots) - 1)
    for j in range(low, high):
        h = find_codes(plan, codes, t, j, sequence, features[j - low])
        hashes[j - low] = h
        ask(table.slots, U(h) & last)
    for j in range(low, high):
        if table.slots[U(hashes[j - low]) & last] >= 0:
            ask(table.features[U(table.slots[U(hashes[j - low]) & last])], 0)
    for j in range(low, high):
        feature = features[j - low]
        column = MISSING
        if not has_unknown(feature):
            at = slot_of(table, feature, hashes[j - low])
            if grow and table.slots[at] < 0:
                table.slots[at] = new_column(table, feature)
            column = table.slots[at]
        found[j, t] = column


@njit
def hash_all(plan, codes, t, span, sequence, feature, found):
    """The columns that the features of template `t` are hashed to, for a span of tokens."""
    low, high = span
    for j in range(low, high):
        h = find_codes(plan, codes, t, j, sequence, feature)
        found[j, t] = h % np.uint64(plan.n_columns)


@njit(forceinline=True)
def is_counted(column, columns, times, begin, k):
    """If a column is there already, count it once more."""
    for at in range(begin, k):
        if columns[at] == column:
            times[at] += 1.0
            return True
    times[k] = 1.0
    return False


@njit
def close_up(found, low, high, columns, ends, times):
    """Move the columns of these tokens together, without those that are missing."""
    k = ends[low]
    for j in range(low, high):
        begin = k
        for t in range(U(0), U(found.shape[1])):
            column = found[j, t]
            if len(times) > 0 and column >= 0 and is_counted(column, columns, times, begin, k):
                continue
            columns[k] = column
            k += column >= 0
        ends[j + 1] = k


@njit(cache=True)
def expand(plan, table, codes, starts, low, grow, out):
    """Write the columns of all features of the sequences from `low` on.

    `out` has the columns of each token and template, which are then moved together to its
    beginning; the same as one row; where those of each token end; how often each occurs, or
    nothing, if none can occur twice; and room for the features of a span. Returns the sequence for
    which the table may not have room, or how many there are.
    """
    found, columns, ends, times, features, hashes = out
    for i in range(low, len(starts) - 1):
        sequence = starts[i], starts[i + 1]
        if grow and table.size[0] + found.shape[1] * (starts[i + 1] - starts[i]) > len(
            table.features
        ):
            return i
        for first in range(starts[i], starts[i + 1], SPAN):
            span = first, min(first + SPAN, starts[i + 1])
            for t in range(found.shape[1]):
                if plan.n_columns > 0:
                    hash_all(plan, codes, t, span, sequence, features[0], found)
                elif table.places[plan.groups[t]] >= 0:
                    find_singles(plan, table, codes, t, span, sequence, grow, features[0], found)
                else:
                    find_others(
                        plan, table, codes, t, span, sequence, grow, features, hashes, found
                    )
            close_up(found, span[0], span[1], columns, ends, times)
    return len(starts) - 1
