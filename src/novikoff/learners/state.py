"""The state of a run, in named parts: enough to predict, to prove bounds, and to resume.

Every array is declared once, by a `Field`: its shape, its type and its bounds. Copying, undoing,
adding classes, saving and loading all use these declarations.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

from novikoff.core.examples import Examples, add_squares
from novikoff.core.log import Updates
from novikoff.errors import ParameterError
from novikoff.inputs.arrays import overflow, weight_dtype
from novikoff.typing import Array, Given, Matrix

Space: TypeAlias = dict[str, Any]
"""The parameters that make the space of a run, by name."""


class Field(NamedTuple):
    """An array of a state."""

    shape: tuple[str | int, ...]
    """"m" for the machines or classes, "d" for the features and the bias, or a number."""
    dtype: Any = None
    """None for that of the weights."""
    least: float = -np.inf
    most: float = np.inf
    opposite: bool = True
    """Where the one machine for two classes becomes two: is the other its negative, or the same?"""
    by_column: bool = True
    """Does an update change the columns of its example only?"""

    def like(self, weights: Array) -> tuple[tuple[int, ...], np.dtype[Any]]:
        """Its shape and its type, beside these weights."""
        m, d = weights.shape
        sizes = {"m": m, "d": d, "d+1": d + 1}
        shape = tuple(n if isinstance(n, int) else sizes[n] for n in self.shape)
        return shape, np.dtype(weights.dtype if self.dtype is None else self.dtype)

    def spread(self, old: Array, new: Array, places: Array) -> None:
        """Put what there was of each machine at its place among more."""
        if self.shape == ("m", "m"):
            new[np.ix_(places, places)] = old
            return
        if len(places) > 1 and self.shape[0] == "m":
            new[places] = old
            if len(old) == 1 and self.opposite:
                new[places[0]] = -old[0]


WEIGHTS = Field(("m", "d"))


class Lengths(NamedTuple):
    """What a margin is measured by: a mean squared length of the examples that have come.

    It changes when their number is a power of two, so that it does not depend on how a stream is
    cut, and a pass has few parts in which it is one number.
    """

    n: int = 0
    """How many examples have come,"""
    total: float = 0.0
    """and the sum of their squared lengths."""
    mean: float = 0.0
    """That of the first $2^k$ of them; of all, from the second pass over them on."""
    known: bool = False
    """Have all come? Then it changes no more."""

    def left(self) -> int:
        """How many examples come before it changes."""
        return (1 << self.n.bit_length()) - self.n

    def after(self, D: Examples) -> "Lengths":
        """When these have come."""
        (n, total, mean, _), visits = self, D.visits()
        while len(visits):
            some, visits = np.split(visits, [Lengths(n).left()])
            n, total = n + len(some), float(add_squares(D.visited(some), total))
            mean = total / n if n & (n - 1) == 0 else mean
        return Lengths(n, total, mean).in_range()

    def after_one(self, square: float) -> "Lengths":
        """When one more has come, of this squared length."""
        n, total = self.n + 1, self.total + square
        return Lengths(n, total, total / n if n & (n - 1) == 0 else self.mean).in_range()

    def in_range(self) -> "Lengths":
        """The same, or an error if the squares of lengths are no floats."""
        if not self.total < np.inf:
            raise overflow(np.float64)
        return self

    def of_all(self) -> "Lengths":
        """When all have come."""
        if self.known or not self.n:
            return self
        return Lengths(self.n, self.total, self.total / self.n, True)


NO_LENGTHS = Lengths()


@dataclass(slots=True, eq=False)
class Ledger:
    """What a run proves. Its arrays have a number for each machine, or one for all classes."""

    total: Array = field(default_factory=lambda: np.zeros(1))
    """The sum of all steps, without their signs."""
    least: Array = field(default_factory=lambda: np.zeros(1))
    r"""The least $y_i s_i$ of the last pass."""
    own_squares: Array = field(default_factory=lambda: np.zeros(1))
    """No less than the sum of the squares of what example `i` was updated by, over all `i`."""
    mistakes: list[int] = field(default_factory=list)
    """How many there were in each pass; all of `partial_fit` is one pass."""
    changes: list[int] | None = None
    """How many updates each pass made, if there are others than mistakes; None if not."""
    start: Array | None = None
    """The weights before the first example; None for zero."""
    length: float = 0.0
    """The largest length of an example."""
    reach: float = 0.0
    """No weight was larger than this before the steps that `total` counts."""
    largest: float = 0.0
    """The largest step."""
    step_ratio: float = 1.0
    """How many times the least weight of an example of the last `fit` the largest is."""
    lengths: Lengths = NO_LENGTHS
    """Of a learner that asks for a margin: what that is measured by."""
    updates: Array | None = None
    """How often each example of `fit` was a mistake."""
    shares: Array | None = None
    """With slack and many classes: how often each class gained each example, or lost it (-)."""

    @property
    def changed(self) -> int:
        """How many updates the last pass made."""
        return (self.mistakes if self.changes is None else self.changes)[-1]

    @property
    def n_changes(self) -> int:
        """How many updates all passes made."""
        return sum(self.mistakes if self.changes is None else self.changes)

    def count(self, k: int) -> None:
        """Count these updates of the last pass, which are mistakes unless others are counted."""
        made = self.mistakes if self.changes is None else self.changes
        made[-1] += k


@dataclass(slots=True, eq=False)
class Stream:
    """What has come."""

    class_totals: Array = field(default_factory=lambda: np.zeros(2))
    """How much of each class, for balancing."""
    n_seen: int = 0
    """The `T` of the notes: examples seen, over all passes."""
    is_open: bool = False
    """Is the last pass one of `partial_fit`?"""
    one_data_set: bool = True
    """Was every pass over the same examples?"""
    fingerprint: int | None = None
    """That of the data of the last `fit`, if a warm start may resume with it."""


@dataclass(slots=True, eq=False)
class State:
    """What a learner knows after a run."""

    space: Space
    """The options that the run cannot change on the way: they make the space it is in."""
    weights: Array
    """A row for the one machine of two classes, or for each of more; the bias last."""
    extra: dict[str, Array] = field(default_factory=dict)
    """What the learner keeps beside them, by name."""
    declared: dict[str, Field] = field(default_factory=dict)
    """How that is declared."""
    ledger: Ledger = field(default_factory=Ledger)
    stream: Stream = field(default_factory=Stream)
    log: Updates | None = None
    """What happened, update by update, if that is recorded."""
    history: Any = None
    """The mistakes with their examples, if the learner predicts from them."""
    mean: Array | None = None
    """The averaged weights, while they are known."""

    @property
    def many(self) -> bool:
        """Are there more than two classes?"""
        return len(self.weights) > 1

    def require_space(self, now: Space) -> None:
        """A run goes on in the space it began in."""
        for name, before in self.space.items():
            if now[name] != before:
                raise ParameterError(
                    f"{{{name}}} was {before!r} when the run began and is {now[name]!r} now: set "
                    "it back, or start anew with fit, without {warm_start}.",
                    **{name: before},
                    warm_start=True,
                )

    def begin_fit(self, n: int, fingerprint: int | None) -> bool:
        """A `fit` on `n` examples begins: are they those of the last one?"""
        stream, ledger = self.stream, self.ledger
        again = fingerprint is not None and fingerprint == stream.fingerprint
        stream.fingerprint, stream.is_open = fingerprint, False
        if not again or ledger.updates is None:
            stream.one_data_set = stream.n_seen == 0
            ledger.updates, ledger.shares = np.zeros(n, np.int64), None
        return again

    def begin_pass(self) -> None:
        """Count the mistakes from here on as those of one more pass."""
        self.ledger.mistakes.append(0)
        if self.ledger.changes is not None:
            self.ledger.changes.append(0)
        self.ledger.least = np.full(len(self.ledger.least), np.inf)
        if self.log is not None:
            self.log.visited = 0

    def copy(self) -> "State":
        """A state that can go its own way."""
        return State(*(copied(getattr(self, part.name)) for part in fields(self)))

    def put(self, weights: Array, extra: dict[str, Array], places: Array) -> None:
        """Go on with these weights of more classes, and what is kept beside them at the start;
        what there was goes to these places.
        """
        WEIGHTS.spread(self.weights, weights, places)
        for name, one in self.declared.items():
            if one.shape[0] == "m":
                one.spread(self.extra[name], extra[name], places)
                self.extra[name] = extra[name]
        self.weights = weights


def flat(weights: Array) -> Array:
    """The weights as users and files know them: those of the one machine of two classes alone."""
    return weights[0] if len(weights) == 1 else weights


def copied(part: Any) -> Any:
    """A copy of a part of a state, however deep; what is never changed is not copied."""
    if isinstance(part, Ledger | Stream):
        return type(part)(*(copied(getattr(part, inner.name)) for inner in fields(part)))
    if isinstance(part, np.ndarray):
        return part.copy(order="K")
    if isinstance(part, dict):
        return {name: copied(value) for name, value in part.items()}
    if isinstance(part, list):
        return list(part)
    return part.copy() if hasattr(part, "copy") else part


# what dataclasses.replace does, in a tenth of the time: it is done for every block of a stream
OF_LEDGER, OF_STREAM = (
    attrgetter(*(part.name for part in fields(one))) for one in (Ledger, Stream)
)


class Undo:
    """What is needed to take back one pass over a block, at no more than the block's cost.

    The weights of the block's columns are copied, or all of them where an update can change others
    too (`everywhere`). Of what is kept beside them, the same columns are if it changes by column,
    and otherwise all of it.
    """

    def __init__(self, state: State, X: Matrix, *, everywhere: bool) -> None:
        self.state, self.mean = state, state.mean
        # their arrays are never changed in a stream, but replaced
        self.ledger, self.stream = (
            Ledger(*OF_LEDGER(state.ledger)),
            Stream(*OF_STREAM(state.stream)),
        )
        self.ledger.mistakes = list(self.ledger.mistakes)
        if self.ledger.changes is not None:
            self.ledger.changes = list(self.ledger.changes)
        # updates are only ever added: the same table with the old count is the old record
        self.log = None if state.log is None else replace(state.log)
        touched: Any = slice(None)
        X = getattr(X, "rows", X)  # those of sequences
        if not everywhere and sparse.issparse(X) and X.nnz < state.weights.shape[1]:
            touched = np.append(X.indices, state.weights.shape[1] - 1)
        self.touched, self.weights = touched, state.weights[:, touched].copy()
        self.extra = []
        for name, array in state.extra.items():
            some = touched if state.declared[name].by_column else slice(None)
            self.extra.append((array, some, array[..., some].copy()))
        self.history = None if state.history is None else state.history.mark()

    def __call__(self) -> None:
        """Put everything back as it was."""
        state = self.state
        state.weights[:, self.touched] = self.weights
        for array, some, values in self.extra:
            array[..., some] = values
        if state.history is not None:
            state.history.back_to(self.history)
        state.ledger, state.stream = self.ledger, self.stream
        state.log, state.mean = self.log, self.mean


@contextmanager
def undone_on_error(estimator: Any, undo: Undo | None = None) -> Iterator[None]:
    """Whatever fails inside leaves the estimator, and its random numbers, as they were."""
    random = estimator.random_state
    drawn = random.get_state() if isinstance(random, np.random.RandomState) else None
    before = estimator.__dict__.copy() if undo is None else None
    try:
        yield
    except BaseException:
        if undo is not None:
            undo()
        if before is not None:
            estimator.__dict__.clear()
            estimator.__dict__.update(before)
        if drawn is not None:
            random.set_state(drawn)
        raise


def first_weights(X: Matrix, n_classes: int, coef: Given, intercept: Given, bias: bool) -> Array:
    """The weights to start from: a row for two classes, or for each of more; the bias last."""
    d, dtype = X.shape[1], weight_dtype(X)
    n = n_classes if n_classes > 2 else 1
    w = np.zeros((n, d + 1), dtype)
    w[:, :-1] = starting_weights("coef_init", coef, n * d, dtype).reshape(n, d)
    w[:, -1] = starting_weights("intercept_init", intercept, n, dtype)
    if w[:, -1].any() and not bias:
        raise ParameterError(
            "{intercept_init} was given, but {fit_intercept=}: the hyperplane goes through the "
            "origin. Leave one of them out.",
            intercept_init=intercept,
            fit_intercept=False,
        )
    return w


def starting_weights(name: str, given: Any, n: int, dtype: Any) -> Array:
    """The numbers of `coef_init` or `intercept_init`, flat; zeros if not given."""
    if given is None:
        return np.zeros(n, dtype)
    start = np.asarray(given, np.float64)
    if start.size != n:
        raise ParameterError(
            f"{{{name}}} has shape {start.shape}, but it must hold {n} number{'s' * (n != 1)}.",
            **{name: given},
        )
    if not (abs(start) <= np.finfo(dtype).max).all():
        raise ParameterError(
            f"{{{name}}} must hold finite numbers in the range of {np.dtype(dtype)}.",
            **{name: given},
        )
    return start.ravel()
