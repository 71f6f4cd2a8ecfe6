"""Labelled examples, in the order a pass visits them: the `D` of the lecture notes."""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from novikoff.jit import njit
from novikoff.rows import touch

LOOK_AHEAD = 8


class Examples(NamedTuple):
    """What one pass learns from."""

    rows: Any
    """The examples, as `novikoff.rows` knows them."""
    y: Any
    """Their labels, -1 or +1, as 8-bit integers."""
    weight: Any = None
    """What each example's update is multiplied by; None for 1."""
    order: Any = None
    """The rows to visit; None for all of them, as they stand."""


def n_visits(D: Examples) -> int:
    """How many examples a pass visits."""
    return len(D.y) if D.order is None else len(D.order)


def visit(D: Examples, t: int) -> int:
    """Which row is visited `t`-th."""
    return t if D.order is None else int(D.order[t])


def weight(D: Examples, i: int) -> float:
    """The weight of example `i`."""
    return 1.0 if D.weight is None else float(D.weight[i])


def announce(D: Examples, t: int) -> None:
    """Ask for the row visited a little after `t`, where the order jumps about."""


def _is_none(D: Any, field: str) -> bool:
    return isinstance(D.types[D.fields.index(field)], types.NoneType)


@overload(n_visits)
def _n_visits(D):
    if _is_none(D, "order"):
        return lambda D: len(D.y)
    return lambda D: len(D.order)


@overload(visit)
def _visit(D, t):
    if _is_none(D, "order"):
        return lambda D, t: t
    return lambda D, t: D.order[t]


@overload(weight)
def _weight(D, i):
    if _is_none(D, "weight"):
        return lambda D, i: 1.0
    return lambda D, i: D.weight[i]


@overload(announce)
def _announce(D, t):
    if _is_none(D, "order"):
        return lambda D, t: None

    def jumping(D, t):
        if t + LOOK_AHEAD < len(D.order):
            touch(D.rows, D.order[t + LOOK_AHEAD])

    return jumping


@njit(cache=True)
def step(D, i, eta):
    r"""The signed step $\eta\,c_i\,y_i$ of an update on example $i$."""
    return eta * weight(D, i) * D.y[i]


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


def shuffled(rows: Any, n: int, random: np.random.RandomState) -> Any:
    """These rows, or all `n`, in a random order."""
    order = np.arange(n) if rows is None else rows.copy()
    with np.errstate(over="ignore"):  # uncompiled, the generator's overflow would warn
        shuffle(order, random.randint(2**63 - 1, dtype=np.int64))
    return order
