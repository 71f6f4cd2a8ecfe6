r"""Examples in shards, wherever they are.

A question (`questions.py`) goes to every shard together with some numbers of its rows: those that
whoever asks has already, or those that are asked for. The answer has a few numbers in it and a few
rows, never all. Questions and answers can be pickled; an answer depends on the shard and the
question alone, so that it does not matter where or how often it is found.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils.validation import check_consistent_length

from novikoff.certificates.geometry import in_columns, in_rows, of_some_weight
from novikoff.certificates.kesler import ManyClasses, examples
from novikoff.certificates.two_classes import TwoClasses
from novikoff.certificates.widest import unit
from novikoff.errors import DataError
from novikoff.inputs.arrays import require_sound
from novikoff.inputs.labels import as_labels, codes, known_by
from novikoff.typing import Array, Matrix, MatrixLike


class Piece(NamedTuple):
    """The examples of a shard; those of weight 0 are not there."""

    X: Matrix
    y: Array
    """Their labels."""
    numbers: Array
    """Of the rows, as the shard counts them: those of weight 0 have one too. They increase."""
    n: int
    """How many rows the shard counts."""

    def unknown(self, numbers: Array) -> Array:
        """Which rows are not among those that have these numbers."""
        others = np.ones(len(self.numbers), bool)
        others[np.searchsorted(self.numbers, numbers)] = False
        return others


def piece(name: str, X: MatrixLike, y: ArrayLike, weight: ArrayLike | None = None) -> Piece:
    """Examples as a shard keeps them; `name` is what the shard is called if they are wrong."""
    try:
        X = in_rows(X, least=0)
        require_sound(X)
        check_consistent_length(X, y)
        n = X.shape[0]
        labels = as_labels(y) if n else np.zeros(0)
        return Piece(*of_some_weight(X, labels, weight), n)
    except ValueError as error:
        raise DataError(f"{name}: {error}") from None


class Problem(NamedTuple):
    """What all shards have to know."""

    classes: Array
    bias: bool
    width: int
    """How many columns there are."""

    @property
    def many(self) -> bool:
        """Are there more than two classes?"""
        return len(self.classes) > 2

    @property
    def free(self) -> bool:
        """Has the bias no part in the length of the weights?"""
        return self.bias and not self.many

    def examples(self, X: Matrix, y: Array) -> TwoClasses | ManyClasses:
        """Examples with their signs, or the numbers of their classes."""
        return examples(X, y, len(self.classes), self.bias)

    def scaled(self, W: Array) -> Array:
        """Weights of two classes divided by about their length, exactly; others as they are."""
        return W if self.many else unit(W)


class Given(NamedTuple):
    """Some rows of a shard."""

    rows: Array
    """Their numbers there."""
    X: Matrix
    y: Array
    """Their signs, or numbers of classes."""


Answer = TypeVar("Answer")
Question = Callable[[Piece, Array], Answer]
"""A function of a shard and of numbers of its rows."""


class Shards(Protocol):
    """Shards, wherever they are."""

    @property
    def count(self) -> int:
        """How many there are."""

    def ask(self, question: Question[Answer], numbers: Sequence[Array]) -> list[Answer]:
        """The answers of all of them, in their order."""


class Here:
    """Shards in the memory of this process."""

    def __init__(self, examples: Sequence[tuple[Any, ...]]) -> None:
        """`examples` has (X, y) or (X, y, sample_weight) for every shard."""
        self.pieces = [piece(f"In shard {k:,}", *one) for k, one in enumerate(examples)]

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.pieces)

    def ask(self, question: Question[Answer], numbers: Sequence[Array]) -> list[Answer]:
        """The answers of all of them, in their order."""
        return [question(p, some) for p, some in zip(self.pieces, numbers, strict=True)]


# ------------------------------------------------------------- getting at rows and columns


def seen(problem: Problem, used: Array | None, shard: Piece) -> TwoClasses | ManyClasses:
    """The examples in some columns, which are sorted; None for all."""
    X = in_columns(in_all_columns(shard.X, problem.width), used)
    return problem.examples(X, coded(shard.y, problem))


def in_all_columns(X: Matrix, width: int) -> Matrix:
    """The rows in all columns: sparse ones may not have heard of the last."""
    if not sparse.issparse(X) or X.shape[1] == width:
        return X
    return sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], width))


def coded(y: Array, problem: Problem) -> Array:
    """Signs, or numbers of classes."""
    return known_by(codes(y, problem.classes), problem.classes)


def given(problem: Problem, shard: Piece, rows: Array) -> Given:
    """The rows at these places of a shard."""
    X, y = in_all_columns(shard.X, problem.width)[rows], coded(shard.y[rows], problem)
    return Given(shard.numbers[rows], X, y)
