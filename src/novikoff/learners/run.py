"""The state of a run, and how to undo a part of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.errors import ParameterError
from novikoff.inputs import weight_dtype
from novikoff.learners.updates import Updates

Array = npt.NDArray[Any]


class Like(NamedTuple):
    """The form of what a learner keeps beside its weights."""

    shape: tuple[int, ...]
    dtype: Any
    least: float = -np.inf
    """No number in it is smaller."""
    n_counts: int = 0
    """How many numbers there are beside it."""


@dataclass(slots=True, eq=False)
class Run:
    """What a learner did: enough to predict, and to go on."""

    w: Array
    """The weights, the bias last; of more than two classes, a row each."""
    space: dict[str, Any]
    """The options that the run cannot change on the way: they make the space it is in."""
    start: Array | None = None
    """The weights before the first example; None for zero."""
    memory: Any = None
    """What the learner keeps of the mistakes, if it keeps anything."""
    mistakes: list[int] = field(default_factory=list)
    """How many there were in each pass; all of `partial_fit` is one pass."""
    changes: list[int] | None = None
    """How many updates each pass made, if there are others than mistakes; None if not."""
    beside: Array | None = None
    """What the kernel keeps beside the weights, if it keeps anything: variances, a pocket."""
    counts: Array | None = None
    """Numbers that the learner keeps, if it keeps any; none is negative."""
    n_seen: int = 0
    """The `T` of the notes: examples seen, over all passes."""
    length: float = 0.0
    """The largest length of an example."""
    reach: float = 0.0
    """No weight was larger than this before the steps that `total` counts."""
    total: Any = 0.0
    """The sum of all steps, without their signs; with a machine for each class, of each."""
    least: Any = 0.0
    r"""The least $y_i s_i$ of the last pass; with a machine for each class, of each."""
    private: Any = 0.0
    """No less than the sum of the squares of what example `i` was updated by, over all `i`."""
    largest: float = 0.0
    """The largest step."""
    step_ratio: float = 1.0
    """How many times the least weight of an example of the last `fit` the largest is."""
    one_data_set: bool = True
    """Was every pass over the same examples?"""
    fingerprint: int | None = None
    """That of the data of the last `fit`, if a warm start may go on with it."""
    updates: Array | None = None
    """How often each example of `fit` was a mistake."""
    shares: Array | None = None
    """With slack and many classes: how often each class gained each example, or lost it (-)."""
    mean: Array | None = None
    """The averaged weights, while they are known."""
    brought: Array = field(default_factory=lambda: np.zeros(2))
    """How much of each class has come, for balancing a stream."""
    streaming: bool = False
    """Is the last pass one of `partial_fit`?"""
    recorded: Updates | None = None
    """What happened, update by update, if that is recorded."""
    team: Any = None
    """The threads that make its passes, while they do."""

    def begin_fit(self, n: int, fingerprint: int | None) -> tuple[bool, Array]:
        """A `fit` on `n` examples begins: are they those of the last one? And room for updates."""
        again = fingerprint is not None and fingerprint == self.fingerprint
        self.fingerprint, self.streaming = fingerprint, False
        if not again or self.updates is None:
            self.one_data_set = self.n_seen == 0
            self.updates, self.shares = np.zeros(n, np.int64), None
        return again, self.updates

    def begin_pass(self) -> None:
        """Count the mistakes from here on as those of one more pass."""
        self.mistakes.append(0)
        if self.changes is not None:
            self.changes.append(0)
        self.least = np.full(np.shape(self.least), np.inf) if np.ndim(self.least) else np.inf
        if self.recorded is not None:
            self.recorded.visited = 0

    @property
    def changed(self) -> int:
        """How many updates the last pass made."""
        return (self.mistakes if self.changes is None else self.changes)[-1]

    def count(self, k: int) -> None:
        """Count these updates of the last pass, which are mistakes unless others are counted."""
        made = self.mistakes if self.changes is None else self.changes
        made[-1] += k

    def copy(self) -> "Run":
        """A run that can go its own way."""
        return replace(
            self,
            w=self.w.copy(order="K"),
            memory=None if self.memory is None else self.memory.copy(),
            mistakes=list(self.mistakes),
            changes=None if self.changes is None else list(self.changes),
            beside=None if self.beside is None else self.beside.copy(),
            counts=None if self.counts is None else self.counts.copy(),
            updates=None if self.updates is None else self.updates.copy(),
            shares=None if self.shares is None else self.shares.copy(),
            recorded=None if self.recorded is None else self.recorded.copy(),
        )


class Undo:
    """What is needed to take back one pass over a block, at no more than the block's cost.

    The weights of the block's columns are copied, or all of them where an update can change others
    too (`everywhere`). Of what is kept beside them, the same columns are if it changes `by_column`,
    and otherwise all of it.
    """

    NUMBERS = ("n_seen", "length", "reach", "total", "least", "private", "largest", "one_data_set")

    def __init__(self, run: Run, X: Any, *, everywhere: bool, by_column: bool) -> None:
        self.run = run
        self.mistakes, self.streaming, self.mean = list(run.mistakes), run.streaming, run.mean
        self.numbers = [getattr(run, name) for name in self.NUMBERS]
        # updates are only ever added: the same table with the old count is the old record
        self.recorded = None if run.recorded is None else replace(run.recorded)
        self.touched: Any = slice(None)
        if not everywhere and sparse.issparse(X) and X.nnz < run.w.shape[-1]:
            self.touched = np.append(X.indices, run.w.shape[-1] - 1)
        self.values = run.w[..., self.touched].copy()
        self.memory: Any = None
        if isinstance(run.memory, np.ndarray):  # shaped like the weights, and changed with them
            self.memory = run.memory[..., self.touched].copy()
        elif run.memory is not None:
            self.memory = run.memory.mark()
        self.changes = None if run.changes is None else list(run.changes)
        self.counts = None if run.counts is None else run.counts.copy()
        self.places: Any = self.touched if by_column else slice(None)
        self.beside = None if run.beside is None else run.beside[..., self.places].copy()

    def __call__(self) -> None:
        """Put everything back as it was."""
        run = self.run
        run.w[..., self.touched] = self.values
        if run.beside is not None:
            run.beside[..., self.places] = self.beside
        if isinstance(run.memory, np.ndarray):
            run.memory[..., self.touched] = self.memory
        elif run.memory is not None:
            run.memory.back_to(self.memory)
        run.changes, run.counts = self.changes, self.counts
        run.mistakes, run.streaming, run.mean = self.mistakes, self.streaming, self.mean
        run.recorded = self.recorded
        for name, number in zip(self.NUMBERS, self.numbers, strict=True):
            setattr(run, name, number)


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


def first_weights(X: Any, n_classes: int, coef: Any, intercept: Any, bias: bool) -> Array:
    """The weights to start from, the bias last; of more than two classes, a row each."""
    d, dtype = X.shape[1], weight_dtype(X)
    n = n_classes if n_classes > 2 else 1
    w = np.zeros((n, d + 1), dtype)
    w[:, :-1] = starting_weights("coef_init", coef, n * d, dtype).reshape(n, d)
    w[:, -1] = starting_weights("intercept_init", intercept, n, dtype)
    if w[:, -1].any() and not bias:
        raise ParameterError(
            "intercept_init was given, but fit_intercept=False: the hyperplane goes through "
            "the origin. Leave one of them out."
        )
    return w if n > 1 else w[0]


def starting_weights(name: str, given: Any, n: int, dtype: Any) -> Array:
    """The numbers of `coef_init` or `intercept_init`, flat; zeros if not given."""
    if given is None:
        return np.zeros(n, dtype)
    start = np.asarray(given, np.float64)
    if start.size != n:
        raise ParameterError(
            f"{name} has shape {start.shape}, but it must hold {n} number{'s' * (n != 1)}."
        )
    if not (abs(start) <= np.finfo(dtype).max).all():
        raise ParameterError(f"{name} must hold finite numbers in the range of {np.dtype(dtype)}.")
    return start.ravel()
