"""The weights of a model of dictionaries: by name for narrow rows, by place for wide ones.

While all rows are narrow, weights are kept by name, and Python's own loops are the quickest. From
the first wide row on they are in arrays: a dictionary has the place of each name, looked up once
for all classes, and not at all where a row has the names of the one before.
"""

import struct
from collections.abc import Sequence
from functools import cache
from math import isfinite
from operator import mul
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from novikoff.inputs.arrays import overflow
from novikoff.river.dictionaries import Name, Row
from novikoff.typing import Array


class Weights(dict[Name, float]):
    """Weights by name. Asking for one that is not there does not add it."""

    def __missing__(self, name: Name) -> float:
        return 0.0


class Narrow:
    """A weight vector for narrow rows: weights by name, and a bias."""

    __slots__ = ("bias", "w")

    def __init__(self, w: Row, bias: float) -> None:
        self.w = Weights(w)
        self.bias = bias

    def score(self, x: Row) -> float:
        r"""$\langle w, x\rangle + b$"""
        return sum(map(mul, map(self.w.__getitem__, x), x.values()), self.bias)

    def moved(self, a: float, x: Row) -> list[float]:
        r"""$w + a x$ where the row has features."""
        w = self.w
        new = [w[name] + a * value for name, value in x.items()]
        if not isfinite(sum(new)) and not all(map(isfinite, new)):
            raise overflow(np.float64)
        return new

    def put(self, x: Row, w: list[float]) -> None:
        """Set the weights of the features of a row."""
        self.w.update(zip(x, w, strict=True))

    def taken(self, x: Row) -> Row:
        """The weights of the features of a row, but of those not seen yet."""
        return {name: self.w[name] for name in x if name in self.w}

    def put_back(self, x: Row, w: Row) -> None:
        """Make the features of a row what `taken` found."""
        for name in x:
            self.w.pop(name, None)
        self.w.update(w)

    def negated(self) -> "Narrow":
        """The same with all signs turned."""
        return Narrow({name: -w for name, w in self.w.items()}, -self.bias)


class Places(dict[Name, int]):
    """The place of every name; 0 for one that has none, which asking does not add."""

    def __init__(self, names: Sequence[Name] = ()) -> None:
        super().__init__(zip(names, range(1, 1 + len(names)), strict=True))
        self.forget()

    def __missing__(self, name: Name) -> int:
        return 0

    def forget(self) -> None:
        """Look the next names up, whatever they are."""
        self.names: list[Name] = []
        self.at: Array | slice = np.zeros(0, np.int64)

    def row(self, x: Row) -> "Wide":
        """A row as arrays."""
        names, (whole_numbers, doubles) = [*x], packing(len(x))
        if names != self.names:
            found = whole_numbers.pack(*map(self.__getitem__, names))
            self.at, self.names = in_one_piece(np.frombuffer(found, np.int64)), names
        return Wide(names, self.at, np.frombuffer(doubles.pack(*x.values())))

    def placed(self, x: "Wide") -> "Wide":
        """The row, with a place for each of its names."""
        if isinstance(x.at, slice) or np.count_nonzero(x.at) == len(x.at):
            return x
        at = x.at.copy()
        for k in np.flatnonzero(at == 0).tolist():
            at[k] = self[x.names[k]] = len(self) + 1
        self.at, self.names = in_one_piece(at), x.names
        return x._replace(at=self.at)

    def cut(self, n: int) -> None:
        """Take all places back but the first `n`."""
        while len(self) > n:
            self.popitem()
        self.forget()


@cache
def packing(n: int) -> tuple[struct.Struct, struct.Struct]:
    """What packs so many whole numbers, and doubles: numpy's own ways take half as long again."""
    return struct.Struct(f"{n}q"), struct.Struct(f"{n}d")


def in_one_piece(at: Array) -> Array | slice:
    """Places one after the other as a slice, which is quicker to read from and to write to."""
    n = len(at)
    if n > 0 and at[0] > 0 and at[-1] - at[0] == n - 1 and (np.diff(at) == 1).all():
        return slice(int(at[0]), int(at[0]) + n)
    return at


class Wide(NamedTuple):
    """A row as arrays: the places of its names, and its values."""

    names: list[Name]
    at: Array | slice
    values: Array


class Together:
    """A weight vector for wide rows: an array of weights by place, and a bias."""

    __slots__ = ("bias", "w")

    def __init__(self, w: Array, bias: float) -> None:
        self.w = w  # first the weight of all names that have no place
        self.bias = bias

    def score(self, x: Wide) -> float:
        r"""$\langle w, x\rangle + b$"""
        with np.errstate(all="ignore"):
            return float(self.w[x.at].dot(x.values)) + self.bias

    def moved(self, a: float, x: Wide) -> Array:
        r"""$w + a x$ where the row has features."""
        with np.errstate(all="ignore"):
            new: Array = self.w[x.at] + a * x.values
            sound = isfinite(new.dot(new)) or np.isfinite(new).all()
        if not sound:
            raise overflow(np.float64)
        return new

    def put(self, x: Wide, w: Array) -> None:
        """Set the weights of the features of a row."""
        self.w[x.at] = w

    def taken(self, x: Wide) -> Array:
        """The weights of the features of a row."""
        return self.w[x.at].copy()

    put_back = put

    def negated(self) -> "Together":
        """The same with all signs turned."""
        return Together(-self.w, -self.bias)

    def widen(self, n: int) -> None:
        """Make room for so many places."""
        if len(self.w) <= n:
            self.w = np.concatenate((self.w, np.zeros(n)))


Vector: TypeAlias = Any
"""A `Narrow` or a `Together`: those of a model are all of one kind, which no annotation can say;"""
Read: TypeAlias = Any
"""and so is a row as they read it: a `Row`, or a `Wide`."""


class Step(NamedTuple):
    """A weight vector that was changed, and the weights and the bias that it had."""

    vector: Vector
    row: Read
    w: Any
    bias: float
