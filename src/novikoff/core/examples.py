"""Labelled examples, in the order a pass visits them: the `D` of the lecture notes."""

from typing import NamedTuple

import numpy as np

from novikoff.core.jit import njit, overload
from novikoff.core.prefetch import ask, is_late, locate, touch
from novikoff.core.rows import U, square_length
from novikoff.typing import Array, Rows


def constant(array: Array) -> Array:
    """A read-only view, so that one compiled form reads all arrays, memory maps included."""
    view = array.view()
    view.flags.writeable = False
    return view


LOOK_AHEAD = 32
"""How many visits before its own a row is asked for."""
ALL, ONE = np.empty(0, np.int64), constant(np.ones(1))


class Examples(NamedTuple):
    """What one pass learns from.

    All fields are arrays, and what they mean is decided when the loops run: so a loop is compiled
    once for all orders and weights.
    """

    rows: Rows
    """The examples, as `novikoff.core.rows` knows them."""
    y: Array
    """Their labels, -1 or +1, as 8-bit integers."""
    weight: Array = ONE
    """What each example's update is multiplied by, or one number for all."""
    order: Array = ALL
    """The rows to visit; empty for all of them, as they stand."""

    def weighted(self, weight: Array | None) -> "Examples":
        """With these weights, if there are any."""
        return self if weight is None else self._replace(weight=constant(weight))

    def visited(self, order: Array | None) -> "Examples":
        """In this order, if one is given; it may leave out some rows, or all."""
        if order is None:
            return self if self.order is ALL else self._replace(order=ALL)
        return self._replace(order=order) if len(order) else self._replace(y=self.y[:0], order=ALL)

    def visits(self) -> Array:
        """Which row is visited when."""
        return self.order if len(self.order) else np.arange(len(self.y))

    def rows_at(self, times: Array) -> Array:
        """Which rows are visited at these times."""
        return self.order[times] if len(self.order) else times

    def weights(self, rows: Array) -> Array:
        """The weights of these rows."""
        return self.weight[rows] if len(self.weight) > 1 else np.full(len(rows), self.weight[0])


def n_visits(D: Examples) -> int:
    """How many examples a pass visits."""
    return len(D.order) if len(D.order) > 0 else len(D.y)


@overload(n_visits)
def _n_visits(D):
    return lambda D: len(D.order) if len(D.order) > 0 else len(D.y)


@njit(forceinline=True)
def visit(D, t):
    """Which row is visited `t`-th."""
    return U(t) if len(D.order) == 0 else U(D.order[t])


@njit(forceinline=True)
def weight(D, i):
    """The weight of example `i`."""
    return D.weight[i] if len(D.weight) > 1 else D.weight[0]


@njit(forceinline=True)
def announce(D, t):
    """Ask for the row visited a little after `t`, if it would come late."""
    later, n = t + LOOK_AHEAD, len(D.order)
    if n > 0:
        if later + LOOK_AHEAD < n:
            locate(D.rows, D.order[later + LOOK_AHEAD])
        if later < n:
            ask(D.y, D.order[later])
            touch(D.rows, D.order[later])
    elif later < len(D.y) and is_late(D.rows):
        touch(D.rows, later)


@njit(nogil=True, cache=True)
def add_squares(D, total):
    """Add the squared lengths of all examples to a total, one after the other."""
    for t in range(n_visits(D)):
        total += square_length(D.rows, visit(D, t))
    return total


@njit(cache=True)
def shuffle(order, seed):
    """Put `order` into a random order (Fisher & Yates), by the generator splitmix64.

    Drawing a permutation from numpy took a sixth of a shuffled epoch over short rows;
    this takes a thirtieth.

    References
    ----------
    Steele, G. L., Lea, D. & Flood, C. H. (2014). Fast splittable pseudorandom number
    generators. OOPSLA, figure 17.
    """
    state = np.uint64(seed)
    for k in range(len(order) - 1, 0, -1):
        state += np.uint64(0x9E3779B97F4A7C15)
        z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
        j = int((z >> np.uint64(11)) * 2.0**-53 * (k + 1))
        order[k], order[j] = order[j], order[k]


def shuffled(rows: Array | None, n: int, random: np.random.RandomState) -> Array:
    """These rows, or all `n`, in a random order."""
    order = np.arange(n) if rows is None else rows.copy()
    with np.errstate(over="ignore"):  # uncompiled, the generator's overflow would warn
        shuffle(order, random.randint(2**63 - 1, dtype=np.int64))
    return order


def steps_of(starts: Array, which: Array) -> tuple[Array, Array]:
    """The steps of these sequences, one sequence after the other, and how many each has."""
    low, n = starts[which], starts[which + 1] - starts[which]
    return np.repeat(low - np.append(0, np.cumsum(n)[:-1]), n) + np.arange(n.sum()), n
