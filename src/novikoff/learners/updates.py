r"""What happened, update by update: some tens of bytes each.

The training loop knows nothing of this. After a pass its updates are gone through once
more, from the weights the pass began with, and with the same sums: so a run that is recorded
is the run it would have been, and one that is not costs nothing.
"""

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from novikoff.examples import Examples
from novikoff.rows import SUM, column, first, last

Array = npt.NDArray[Any]

UPDATE = np.dtype(
    [
        ("epoch", np.int32),
        ("label", np.int8),
        ("position", np.int64),
        ("example", np.int64),
        ("step", np.float64),
        ("score", np.float64),
        ("square", np.float64),
    ]
)
"""What is kept of an update; `novikoff.trace.Trace` says what each is."""

LARGEST = float(np.finfo(np.float64).max)
"""What a squared length past the range of doubles is recorded as."""


@njit(fastmath=SUM)
def square_under(w, X, i):
    r"""$b^2 + \sum_j w_j^2$ over the columns that row `i` has entries in."""
    q = np.float64(w[-1]) * np.float64(w[-1])
    for k in range(first(X, i), last(X, i)):
        v = np.float64(w[column(X, k)])
        q += v * v
    return q


class Retraced(NamedTuple):
    """What is found out about some updates by going through them again."""

    steps: Array
    scores: Array
    squares: Array


@dataclass(slots=True, eq=False)
class Updates:
    """The updates of a run since recording began, in order."""

    start: Array
    """The weights before the first of them, the bias last."""
    square: float
    """Their squared length."""
    before: int
    """How many mistakes the run had made by then."""
    table: Array = field(default_factory=lambda: np.empty(0, UPDATE))
    """The updates, and room for more."""
    n: int = 0
    """How many updates there are."""
    n_given: int = 0
    """How many examples were given since recording began; the next block's numbers go on."""
    origin: int = 0
    """The number of the first example of the data at hand."""
    fitted_at: int | None = None
    """The number of the first example of the last `fit`, if there was one."""
    visited: int = 0
    """How many examples the last pass has visited."""
    data: tuple[Any, Array] | None = None
    """The examples of `fit` and their signs, by reference; None once others have come."""

    def copy(self) -> "Updates":
        """The same updates, to add others to."""
        return replace(self, table=self.table[: self.n].copy())

    def __getstate__(self) -> tuple[Any, ...]:
        """All but the data and the room: a pickled model does not take its data along."""
        return tuple(
            {"table": self.table[: self.n].copy(), "data": None}.get(name, getattr(self, name))
            for name in self.__slots__
        )

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        for name, value in zip(self.__slots__, state, strict=True):
            setattr(self, name, value)

    def begin_fit(self, X: Any, y: Array, *, same: bool) -> None:
        """The data of a `fit` comes; is it that of the last one?"""
        if self.fitted_at is None or not same:
            self.fitted_at, self.n_given = self.n_given, self.n_given + len(y)
        self.origin = self.fitted_at
        self.data = (X, y) if self.n_given == len(y) else None

    def begin_block(self, n: int) -> None:
        """A block of a stream comes."""
        self.origin, self.n_given = self.n_given, self.n_given + n
        self.data = None

    def room_for(self, n: int) -> Retraced:
        """Arrays for what retracing `n` updates finds out; the first square is the last so far."""
        squares = np.empty(n)
        squares[0] = self.table["square"][self.n - 1] if self.n else self.square
        return Retraced(np.empty(n), np.empty(n), squares)

    def append(self, epoch: int, D: Examples, times: Array, found: Retraced) -> None:
        """Add the updates that one pass over `D` made at these times."""
        n = self.n + len(times)
        if n > len(self.table):
            room = np.empty(max(n, self.n + self.n // 2), UPDATE)
            room[: self.n] = self.table[: self.n]
            self.table = room
        rows = times if D.order is None else D.order[times]
        new = self.table[self.n : n]
        new["epoch"], new["label"] = epoch, D.y[rows]
        new["position"], new["example"] = self.visited + times, self.origin + rows
        new["step"], new["score"] = found.steps, found.scores
        new["square"] = np.fmin(
            found.squares, LARGEST
        )  # a NaN, from inf - inf, is out of range too
        self.n = n
