r"""Examples in shards, wherever they are.

A question (`questions.py`) goes to every shard together with some numbers of its rows: those that
whoever asks has already, or those that are asked for. The answer has a few numbers in it and a few
rows, never all. Questions and answers can be pickled; an answer depends on the shard and the
question alone, so that it does not matter where or how often it is found.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import check_consistent_length

from novikoff.errors import DataError
from novikoff.inputs import require_sound
from novikoff.labels import as_labels, codes
from novikoff.separation.geometry import in_rows

Array = npt.NDArray[Any]


class Piece(NamedTuple):
    """The examples of a shard."""

    X: Any
    y: Array
    """Their labels."""
    wrong: str | None = None
    """What is wrong with them, if anything."""


def piece(X: Any, y: Any, weight: Array | None = None) -> Piece:
    """Examples as a shard keeps them. What is wrong with them is told when it is surveyed."""
    try:
        if weight is not None and not weight.all():
            raise DataError(
                "Examples of weight 0 cannot be left out of a certificate of shards: leave them "
                "out of the data."
            )
        X = in_rows(X, least=0)
        require_sound(X)
        check_consistent_length(X, y)
        y = as_labels(y) if len(y) else np.zeros(0)
    except ValueError as error:
        return Piece(sparse.csr_array((0, 1)), np.zeros(0), str(error))
    return Piece(X, y)


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


class Given(NamedTuple):
    """Some rows of a shard."""

    rows: Array
    """Their numbers there."""
    X: Any
    y: Array
    """Their signs, or numbers of classes."""


class Question(Protocol):
    """A function of a shard and of numbers of its rows."""

    def __call__(self, shard: Piece, numbers: Array) -> Any:
        """The answer."""


class Shards(Protocol):
    """Shards, wherever they are."""

    @property
    def count(self) -> int:
        """How many there are."""

    def ask(self, question: Question, numbers: Sequence[Array]) -> list[Any]:
        """The answers of all of them, in their order."""


class Here:
    """Shards in the memory of this process."""

    def __init__(self, examples: Sequence[tuple[Any, Any]]) -> None:
        self.pieces = [piece(X, y) for X, y in examples]

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.pieces)

    def ask(self, question: Question, numbers: Sequence[Array]) -> list[Any]:
        """The answers of all of them, in their order."""
        return [question(p, some) for p, some in zip(self.pieces, numbers, strict=True)]


# ------------------------------------------------------------- getting at rows and columns


def seen(shard: Piece, problem: Problem, used: Array | None) -> tuple[Any, Array]:
    """The rows in some columns, which are sorted; None for all. And their signs or numbers."""
    return in_columns(widened(shard.X, problem), used), coded(shard.y, problem)


def widened(X: Any, problem: Problem) -> Any:
    """The rows in all columns: sparse ones may not have heard of the last."""
    if not sparse.issparse(X) or X.shape[1] == problem.width:
        return X
    return sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], problem.width))


def coded(y: Array, problem: Problem) -> Array:
    """Signs, or numbers of classes."""
    return codes(y, problem.classes) if len(y) else np.zeros(0, np.int8)


def in_columns(X: Any, used: Array | None) -> Any:
    """The rows in some columns."""
    if used is None:
        return X
    if not sparse.issparse(X):
        return np.ascontiguousarray(X[:, used])
    places = np.minimum(np.searchsorted(used, X.indices), len(used) - 1)
    kept = used[places] == X.indices
    starts = np.append(0, np.cumsum(kept))[X.indptr]
    parts = X.data[kept], places[kept].astype(np.int32), starts
    return sparse.csr_array(parts, shape=(X.shape[0], len(used)))


def reaching_beyond(X: Any, used: Array | None) -> Array:
    """Which rows have an entry in another column."""
    if used is None:
        return np.zeros(X.shape[0], bool)
    if not sparse.issparse(X):
        other = np.setdiff1d(np.arange(X.shape[1]), used)
        beyond: Array = X[:, other].any(axis=1)
        return beyond
    other = (X.data != 0) & ~np.isin(X.indices, used)
    counts: Array = np.diff(np.append(0, np.cumsum(other))[X.indptr])
    return counts > 0


def given(shard: Piece, problem: Problem, rows: Array) -> Given:
    """These rows of a shard."""
    return Given(rows, widened(shard.X, problem)[rows], coded(shard.y[rows], problem))
