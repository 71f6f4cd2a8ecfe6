"""Who asks the shards, and keeps the rows that they sent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, inf, nan

import numpy as np
from scipy import sparse

from novikoff.certificates.exact import Exact
from novikoff.certificates.kesler import margin_of_lowest
from novikoff.certificates.sharded.protocol import Answer, Given, Problem, Question, Shards
from novikoff.certificates.sharded.questions import (
    Spanned,
    Surveyed,
    exact_margin,
    fetched,
    margins,
    sides,
    span,
    survey,
)
from novikoff.core.clock import now
from novikoff.errors import DataError
from novikoff.inputs.arrays import DTYPES
from novikoff.inputs.labels import numbered
from novikoff.typing import Array, Matrix

FEW, MANY = 100, 500
"""How many rows become active at a time, at the least, and for how many columns two more each."""
EACH = 4
"""How many rows a shard may send at a time, at the least."""


@dataclass
class Travel:
    """The amount of data that moved between machines."""

    rows: int = 0
    """The number of rows that all shards together have sent."""
    passes: int = 0
    """The number of questions that went to every shard."""
    n_examples: int = 0
    """The number of rows, without those of weight 0."""


class Coordinator:
    """Who asks the shards, and keeps the active rows."""

    def __init__(
        self, shards: Shards, bias: bool, report: Callable[[Travel], None] | None = None
    ) -> None:
        self.shards, self.travel, self.report = shards, Travel(), report
        self.deadline = inf
        """When to give up; what time the shards take to answer is added to it."""
        self.known = [np.zeros(0, np.int64) for _ in range(shards.count)]
        surveyed = self.answers(survey, self.known)
        self.problem = problem_of(surveyed, bias)
        self.travel.n_examples = sum(told.n for told in surveyed)
        self.starts = np.cumsum([0, *(told.n_rows for told in surveyed[:-1])])
        """The number of the first row of every shard; rows of weight 0 have one too."""
        self.longest = max(told.longest for told in surveyed)
        self.columns = columns_of(surveyed)
        """Those that are used; None if they are many."""
        self.X: Matrix = None
        self.y = np.zeros(0, np.int8)
        self.numbers = np.zeros(0, np.int64)
        """Of the active rows, among all."""

    def ask(
        self, question: Callable[..., Answer], *about: object, **options: object
    ) -> list[Answer]:
        """The answers of all shards to a question about this."""
        return self.answers(partial(question, self.problem, *about, **options), self.known)

    def answers(self, question: Question[Answer], numbers: Sequence[Array]) -> list[Answer]:
        """The answers of all shards, given numbers of their rows."""
        started = now()
        answers = self.shards.ask(question, numbers)
        self.deadline += now() - started
        self.travel.passes += 1
        if self.report is not None:
            self.report(self.travel)
        return answers

    def most(self) -> int:
        """How many rows a shard may send at a time."""
        some = max(FEW + 2 * min(self.problem.width, MANY), len(self.numbers) // 2)
        return max(EACH, ceil(2 * some / self.shards.count))

    def take(self, sent: list[Given]) -> int:
        """Let rows that were sent be active; how many they are."""
        for k, new in enumerate(sent):
            self.known[k] = np.concatenate([self.known[k], new.rows])
        X, y, numbers = gathered(sent, self.starts)
        self.travel.rows += len(y)
        if len(y):
            self.X = X if self.X is None else stacked([self.X, X])
            self.y = np.concatenate([self.y, y])
            self.numbers = np.concatenate([self.numbers, numbers])
        return len(y)

    def fetch(self, numbers: Array) -> tuple[Matrix, Array, Array]:
        """The examples with these numbers, their signs or classes, and which numbers those are."""
        parts = np.split(numbers, np.searchsorted(numbers, self.starts[1:]))
        there = [part - start for part, start in zip(parts, self.starts, strict=True)]
        found = gathered(self.answers(partial(fetched, self.problem), there), self.starts)
        self.travel.rows += len(found[1])
        return found

    def measure(self, *about: object, **options: object) -> tuple[Array, bool, int]:
        """The lowest scores or leads, whether all rows are in front, how many new rows came."""
        answers = self.ask(margins, *about, **options)
        low = np.min([a.low for a in answers], axis=0)
        return low, all(a.strict for a in answers), self.take([a.given for a in answers])

    def span(self, used: Array, basis: list[Exact], most: int) -> list[Spanned]:
        """What shards answer about rows that do not vanish on these; none if all must."""
        every = np.arange(self.problem.width) if self.columns is None else self.columns
        if not basis and not len(np.setdiff1d(every, used, assume_unique=True)):
            return []
        return self.ask(span, used, basis, most)

    # ------------------------------------------------------ what a certificate says of all rows

    def least_margin(self, W: Array) -> float:
        """A margin that these weights are certain to have; NaN unless they separate, exactly."""
        W, free = self.problem.scaled(W), self.problem.free
        low, strict, _ = self.measure(None, W, -inf, 0, with_bias=not free, doubts=1.0)
        return margin_of_lowest(low, W, self.problem.bias) if strict else nan

    def least_exact_margin(self, W: Exact) -> float:
        """The same of exact weights."""
        return float(np.min(self.ask(exact_margin, W)))

    def supports(self, W: Exact) -> bool:
        """Are the weights nowhere on the wrong side, and somewhere on the right one?"""
        answers = self.ask(sides, None, W, 0)
        return all(a.lowest >= 0 for a in answers) and any(a.highest > 0 for a in answers)

    def vanishes(self, used: Array, basis: list[Exact]) -> bool:
        """Are all rows 0 outside of these columns, and on all of these weights for them?"""
        return not any(a.beyond or a.met.any() for a in self.span(used, basis, 0))


def problem_of(surveyed: list[Surveyed], bias: bool) -> Problem:
    """What all shards have to know, if they can be one set of examples."""
    filled = [told for told in surveyed if told.n_rows]
    if not any(told.n for told in surveyed):
        raise DataError("The shards have no examples, or none of a weight above 0: give some.")
    kinds = {told.labels.dtype.kind in "US" for told in filled}
    if len(kinds) > 1:
        raise DataError(
            "Some shards have labels that are words, others numbers: make them of one kind."
        )
    width = max(told.width for told in filled)
    for k, told in enumerate(surveyed):
        if told.n_rows and told.width != width and not told.sparse:
            raise DataError(
                f"Shard {k:,} has {told.width:,} columns, and another one {width:,}: all must have "
                "the same."
            )
    labels = np.unique(np.concatenate([told.labels for told in filled]))
    return Problem(numbered(np.tile(labels, 3))[0], bias, width)


def columns_of(surveyed: list[Surveyed]) -> Array | None:
    """The columns that some row has an entry in, one at the least; None if they are many."""
    each = [told.columns for told in surveyed if told.columns is not None]
    if len(each) < len(surveyed):
        return None
    columns = np.unique(np.concatenate(each)).astype(np.int64)
    return columns if len(columns) else np.zeros(1, np.int64)


def gathered(sent: list[Given], starts: Array) -> tuple[Matrix, Array, Array]:
    """Rows from all shards, their signs or classes, and their numbers among all."""
    numbers = [new.rows + start for new, start in zip(sent, starts, strict=True)]
    full = [new for new in sent if len(new.rows)] or sent[:1]
    y = np.concatenate([new.y for new in full])
    return stacked([new.X for new in full]), y, np.concatenate(numbers).astype(np.int64)


def stacked(parts: list[Matrix]) -> Matrix:
    """Rows one below the other."""
    if any(sparse.issparse(part) for part in parts):
        X = sparse.csr_array(sparse.vstack([sparse.csr_array(part) for part in parts]))
    else:
        X = np.vstack(parts)
    return X if X.dtype in DTYPES else X.astype(np.float64)
