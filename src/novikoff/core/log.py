"""What happened, update by update: the log of a pass, and the record of a run.

The record is the logs of all passes since recording began, with the numbers of the examples in the
place of visits: some tens of bytes an update.
"""

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from novikoff.core.examples import Examples, steps_of
from novikoff.typing import Array, Matrix

UNSEEN = np.empty(0), np.empty(0, np.int64), np.empty(0)
NO_PATH = np.empty(0, np.int32)


class Log(NamedTuple):
    """What happened, update by update: room for it, or the updates themselves."""

    time: Array
    """When: the visit of the pass."""
    gained: Array
    """The class whose weights gained the example, -1 for none,"""
    lost: Array
    """and the class whose weights lost it."""
    step: Array
    """What the rule tells of its step: what the example was multiplied by, without its sign."""
    score: Array
    """The score of the machine before the update, or by how much the right class led its rival;"""
    mistakes: Array
    """how many mistakes there were by then;"""
    square: Array
    """and the squared length of the weights after it, of the machine's or of all. These three are
    empty if nobody asked for them."""
    path: Array = NO_PATH
    """Of sequences: the rival labels of each that was updated on, at its steps, and -1 past the
    end of a violation; else empty."""

    @classmethod
    def room(cls, n: int, *, recorded: bool = False, steps: int = 0) -> "Log":
        """Room for `n` updates, on sequences of so many steps in all."""
        whole, classes = np.empty(n, np.int64), np.empty((2, n), np.int32)
        seen = (np.empty(n), np.empty(n, np.int64), np.empty(n)) if recorded else UNSEEN
        score, mistakes, square = seen
        path = np.empty(steps, np.int32)
        gained, lost = classes
        return cls(whole, gained, lost, np.empty(n), score, mistakes, square, path)

    def some(self, low: int, high: int) -> "Log":
        """The updates from one number on, up to another."""
        return Log(*(column[low:high] for column in self[:-1]))._replace(path=self.path)


def columns(
    *, many: bool = False, counted: bool = False, dual: bool = False, chained: bool = False
) -> np.dtype[Any]:
    """What is kept of an update; `novikoff.proofs.trace.Trace` says what each is.

    Of many classes also which of them gained the example and which lost it; how many mistakes
    there were, if they are counted apart; and of a kernel machine, what all coefficients were
    multiplied by before, and whether the update was the first of a block. Of sequences how many
    steps the rival labels have, which come in an array of their own, and no label.
    """
    fields: list[tuple[str, type]] = [
        ("epoch", np.int32),
        *([] if chained else [("label", np.int32 if many else np.int8)]),
        ("position", np.int64),
        ("example", np.int64),
        ("step", np.float64),
        ("score", np.float64),
        ("square", np.float64),
    ]
    fields += [("gained", np.int32), ("lost", np.int32)] if many else []
    fields += [("mistakes", np.int64)] if counted else []
    fields += [("steps", np.int32)] if chained else []
    fields += [("carry", np.float64), ("first", np.bool_)] if dual else []
    return np.dtype(fields)


LARGEST = float(np.finfo(np.float64).max)
"""What a squared length past the range of doubles is recorded as."""


class Growth(NamedTuple):
    """More classes, in the middle of a stream."""

    at: int
    """How many updates there were by then."""
    places: tuple[int, ...]
    """Where the classes there were went to."""
    n_classes: int
    """How many classes there are since."""


@dataclass(slots=True, eq=False)
class Updates:
    """The updates of a run since recording began, in order."""

    start: Array
    """The weights before the first of them, the bias last; of the classes known by then."""
    square: Array
    """Their squared length: one number, or of each machine if every class has its own."""
    before: int
    """How many mistakes the run had made by then."""
    table: Array = field(default_factory=lambda: np.empty(0, columns()))
    """The updates, and room for more. Classes have the numbers they had when it was made."""
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
    """The examples of `fit` and their classes, by reference; None once others have come."""
    extra: Array | None = None
    """What was kept beside the weights at the start, if updates change it."""
    now: Array = field(default_factory=lambda: np.zeros(1))
    """The squared length by now, as `square` has it for the start."""
    growths: tuple[Growth, ...] = ()
    """The classes that came on the way."""
    rules: tuple[tuple[int, tuple[Any, ...]], ...] = ()
    """From which update on the learner had which rule, as numbers; of learners that need one."""
    rivals: Array = field(default_factory=lambda: NO_PATH)
    """Of sequences: the rival labels of each update, one update after the other; and room."""
    n_rivals: int = 0
    """How many of them there are."""

    def copy(self) -> "Updates":
        """The same updates, to add others to."""
        return replace(self, **self._filled())

    def _filled(self) -> dict[str, Any]:
        """The updates without the room for more."""
        rivals = self.rivals[: self.n_rivals].copy()
        return {"table": self.table[: self.n].copy(), "rivals": rivals}

    def __getstate__(self) -> tuple[Any, ...]:
        """All but the data and the room: a pickled model does not take its data along."""
        others = self._filled() | {"data": None}
        return tuple(others.get(name, getattr(self, name)) for name in self.__slots__)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        for name, value in zip(self.__slots__, state, strict=True):
            setattr(self, name, value)

    def begin_fit(self, X: Matrix, y: Array, *, same: bool) -> None:
        """The data of a `fit` comes; is it that of the last one?"""
        if self.fitted_at is None or not same:
            self.fitted_at, self.n_given = self.n_given, self.n_given + len(y)
        self.origin = self.fitted_at
        self.data = (X, y) if self.n_given == len(y) else None

    def begin_block(self, n: int) -> None:
        """A block of a stream comes."""
        self.origin, self.n_given = self.n_given, self.n_given + n
        self.data = None

    def follow(self, rule: tuple[Any, ...]) -> None:
        """The updates from here on are made by this rule."""
        if rule and (not self.rules or self.rules[-1][1] != rule):
            self.rules = (*self.rules, (self.n, rule))

    def append(self, epoch: int, D: Examples, log: Log, now: Array, *, signed: bool) -> None:
        """Add the updates that one pass over `D` made, after which squared lengths are `now`.

        Of two classes, are steps to be told with the sign of the label?
        """
        rows, names = D.rows_at(log.time), self.table.dtype.names or ()
        new = self.room(len(rows))
        new["epoch"] = epoch
        if "steps" in names:
            new["steps"] = self._add_rivals(log.path, *steps_of(D.rows.starts, rows))
        else:
            new["label"] = D.y[rows] if "gained" in names else 2 * D.y[rows] - 1
        new["position"], new["example"] = self.visited + log.time, self.origin + rows
        new["step"], new["score"] = log.step, log.score
        if signed and "gained" not in names:
            new["step"] *= np.where(log.gained >= 0, 1.0, -1.0)
        # a NaN, from inf - inf, is out of range too
        new["square"], self.now = np.fmin(log.square, LARGEST), np.fmin(now, LARGEST)
        for name in ("gained", "lost", "mistakes"):
            if name in names:
                new[name] = getattr(log, name)

    def _add_rivals(self, path: Array, steps: Array, lengths: Array) -> Array:
        """Add the rival labels of these sequences; how many steps each has."""
        labels = path[steps]
        there = labels >= 0
        before, self.n_rivals = self.n_rivals, self.n_rivals + int(there.sum())
        self.rivals = with_room(self.rivals, before, self.n_rivals)
        self.rivals[before : self.n_rivals] = labels[there]
        return np.add.reduceat(there, np.append(0, np.cumsum(lengths)[:-1]), dtype=np.int32)

    def room(self, n: int) -> Array:
        """Room for `n` more updates."""
        before, self.n = self.n, self.n + n
        self.table = with_room(self.table, before, self.n)
        return self.table[before : self.n]

    def grow(self, places: Array, n_classes: int, now: Array) -> None:
        """More classes come: those there were go to these places, and squared lengths are `now`."""
        names = self.table.dtype.names or ()
        if (
            "label" in names and "gained" not in names
        ):  # so far there were two classes, and one weight vector for both
            old = self.table[: self.n]
            also = {"counted": "mistakes" in names, "dual": "carry" in names}
            self.table = np.empty(self.n, columns(many=True, **also))
            for name in names:
                self.table[name] = old[name]
            second = old["label"] > 0
            self.table["label"] = self.table["gained"] = second
            self.table["lost"], self.table["step"] = ~second, abs(old["step"])
        at = Growth(self.n, tuple(places.tolist()), n_classes)
        self.growths, self.now, self.data = (*self.growths, at), now, None


def with_room(array: Array, filled: int, n: int) -> Array:
    """The same array, or a larger one with what it is filled with, and room for `n` in all."""
    if n <= len(array):
        return array
    room = np.empty(max(n, filled + filled // 2), array.dtype)
    room[:filled] = array[:filled]
    return room
