"""Sequences as users have them: steps of features by name, of strings, or of numbers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from itertools import chain, repeat
from numbers import Real
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias
from zlib import crc32

import numpy as np
from scipy import sparse

from novikoff.core.grammar import Grammar
from novikoff.errors import DataError
from novikoff.inputs.arrays import in_csr
from novikoff.inputs.tokens import Tokens
from novikoff.typing import Array, Matrix

LARGEST = float(np.finfo(np.float64).max)
EMPTY: Mapping[Any, int] = MappingProxyType({})


class Sequences(NamedTuple):
    """Sequences of rows, one after the other."""

    rows: Matrix
    """The steps of all sequences, as CSR."""
    starts: Array
    """Where each sequence begins, and where the last one ends."""
    labels: Array = np.empty(0, np.int32)
    """The class of every step, if that is known."""
    grammar: Grammar = Grammar()
    """Which classes may follow each other."""

    @property
    def shape(self) -> tuple[int, int]:
        """How many sequences and features there are."""
        return len(self.starts) - 1, int(self.rows.shape[1])

    @property
    def unlabelled(self) -> Array:
        """A class for each sequence: none has one of its own."""
        return np.zeros(len(self.starts) - 1, np.int32)


Feature: TypeAlias = str | tuple[str, str]
"""The name of a feature, or a name with a text."""


class Columns(dict[str, int]):
    """The columns of names, or of the texts of one; one that is asked for has the next."""

    def __init__(self, count: list[int], known: Mapping[str, int] = EMPTY) -> None:
        super().__init__(known)
        self.count = count

    def __missing__(self, key: str) -> int:
        self[key] = column = self.count[0]
        self.count[0] += 1
        return column


class Tables(dict[str, Columns]):
    """The columns of texts, by the name they come with."""

    def __init__(self, count: list[int]) -> None:
        self.count = count

    def __missing__(self, name: str) -> Columns:
        self[name] = table = Columns(self.count)
        return table


class Vocabulary:
    """The columns of features. With `n_columns` a column is a hash, and nothing is kept."""

    def __init__(self, n_columns: int | None = None) -> None:
        self.n_columns, self.count = n_columns, [0]
        self.numeric: bool | None = None
        """Are steps rows of numbers? None before the first has come."""
        self.names, self.texts = Columns(self.count), Tables(self.count)

    def __getstate__(self) -> tuple[Any, ...]:
        texts = {name: dict(table) for name, table in self.texts.items()}
        return self.n_columns, self.count[0], self.numeric, dict(self.names), texts

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        n_columns, count, numeric, names, texts = state
        self.__init__(n_columns)  # type: ignore[misc]
        self.count[0], self.numeric = count, numeric
        self.names.update(names)
        self.texts.update({name: Columns(self.count, table) for name, table in texts.items()})

    @contextmanager
    def unlearned_on_error(self) -> Iterator[None]:
        """What fails inside leaves no new features behind."""
        before = self.count[0]
        try:
            yield
        except BaseException:
            for table in (self.names, *self.texts.values()):
                while table and table[next(reversed(table))] >= before:
                    table.popitem()
            for name in [name for name, table in self.texts.items() if not table]:
                del self.texts[name]
            self.count[0] = before
            raise

    def __getitem__(self, feature: Feature) -> int:
        if self.n_columns is not None:
            return crc32(written(feature).encode("utf-8", "surrogatepass")) % self.n_columns
        return (
            self.names[feature] if isinstance(feature, str) else self.texts[feature[0]][feature[1]]
        )

    def get(self, feature: Feature) -> int:
        """The column of a feature; -1 if it has none."""
        if isinstance(feature, str):
            return self.names.get(feature, -1)
        return self.texts.get(feature[0], EMPTY).get(feature[1], -1)

    def of_texts(self, steps: list[dict[str, str]], *, grow: bool) -> Iterable[int]:
        """The columns of all texts that dictionaries hold, by Python's own loops."""
        names, texts = chain.from_iterable(steps), chain.from_iterable(map(dict.values, steps))
        if grow:
            return map(dict.__getitem__, map(self.texts.__getitem__, names), texts)
        return map(dict.get, map(self.texts.get, names, repeat({})), texts, repeat(-1))

    @property
    def width(self) -> int:
        """How many columns there are."""
        return self.count[0] if self.n_columns is None else self.n_columns

    def features(self) -> list[str]:
        """The features in the order of their columns."""
        found = [""] * self.count[0]
        for name, j in self.names.items():
            found[j] = name
        for name, table in self.texts.items():
            for text, j in table.items():
                found[j] = written((name, text))
        return found


def vocabulary_of(template: str | None, n_columns: int | None) -> Vocabulary | Tokens:
    """No features yet, by name or by a template."""
    return Vocabulary(n_columns) if template is None else Tokens(template, n_columns)


def written(feature: Feature) -> str:
    """A feature as CRFsuite writes it."""
    return feature if isinstance(feature, str) else ":".join(feature)


def read_sequences(X: Any, vocabulary: Vocabulary | Tokens, *, grow: bool, width: int) -> Sequences:
    """Sequences of steps: dictionaries, lists of strings, or rows of numbers; or tokens.

    Rows of numbers must have `width` columns, unless that is 0.
    """
    if isinstance(X, str | bytes | Mapping) or not isinstance(X, Iterable) or sparse.issparse(X):
        raise DataError(
            f"X is a {type(X).__name__}, but sequences are needed: give a list with one sequence "
            "for each example, each a list of steps."
        )
    sequences = list(X)
    if not {*map(type, sequences)} <= {list}:
        sequences = [as_sequence(sequence, i) for i, sequence in enumerate(sequences)]
    if not sequences:
        raise DataError("X has no sequence: give at least one.")
    lengths = [s.shape[0] if sparse.issparse(s) else len(s) for s in sequences]
    if 0 in lengths:
        raise DataError(f"Sequence {lengths.index(0)} has no steps: leave it out.")
    starts = np.append(0, np.cumsum(lengths))
    if isinstance(vocabulary, Tokens):
        return Sequences(vocabulary.read(sequences, starts, grow=grow), starts)
    numeric = is_numeric(sequences[0])
    if vocabulary.numeric not in (None, numeric):
        fitted, given = ("rows of numbers", "features by name")[:: 1 if vocabulary.numeric else -1]
        raise DataError(f"X has {given}, but the model was fitted on {fitted}: give {fitted}.")
    if numeric and vocabulary.n_columns is not None:
        raise DataError(
            "{n_features} is for features by name, but X has rows of numbers: leave it out.",
            n_features=vocabulary.n_columns,
        )
    read = (
        numbers(sequences, width) if numeric else named_features(sequences, vocabulary, grow=grow)
    )
    if grow:
        vocabulary.numeric = numeric
    return Sequences(read, starts)


def numbers(sequences: list[Any], width: int) -> Matrix:
    """The rows of steps that are rows of numbers."""
    parts = []
    for i, sequence in enumerate(sequences):
        try:
            own = sparse.csr_array(
                sequence if sparse.issparse(sequence) else np.asarray(sequence, np.float64)
            )
            if own.ndim != 2:
                raise ValueError(own.ndim)
        except (TypeError, ValueError):
            raise DataError(
                f"Sequence {i} is no table of numbers, as sequence 0 is: give every step as many "
                "numbers, or all steps as dictionaries."
            ) from None
        parts.append(own.astype(np.float64))
    widths = {int(part.shape[1]) for part in parts} | ({width} if width else set())
    if len(widths) > 1:
        raise DataError(
            f"Steps have {min(widths)} features here and {max(widths)} there: give all the same."
        )
    if widths == {0}:
        raise DataError("Steps have no features: give at least one number for each.")
    return in_csr(sparse.csr_array(sparse.vstack(parts, format="csr")))


def as_sequence(sequence: Any, i: int) -> Any:
    """A sequence that has a length and a first step."""
    if sparse.issparse(sequence):
        return sparse.csr_array(sequence)
    if hasattr(sequence, "iloc"):
        return sequence.to_numpy() if sequence.ndim == 2 else sequence.tolist()
    if isinstance(sequence, np.ndarray) or (
        isinstance(sequence, Sequence) and not isinstance(sequence, str | bytes)
    ):
        return sequence
    raise DataError(
        f"Sequence {i} is a {type(sequence).__name__}, but a sequence is a list of steps: give "
        "a list of dictionaries, of lists of strings, or of rows of numbers."
    )


def first_step(sequence: Any) -> Any:
    """The first step of a sequence."""
    return sequence[[0]] if sparse.issparse(sequence) else sequence[0]


def strange(step: Any) -> DataError:
    """What to say of a step that is none."""
    return DataError(
        f"A step is a {type(step).__name__}, but it must be a dictionary of features, a list of "
        "strings, or a row of numbers."
    )


def is_numeric(sequence: Any) -> bool:
    """Are the steps rows of numbers?"""
    step = first_step(sequence)
    if sparse.issparse(sequence) or isinstance(step, np.ndarray):
        return not isinstance(step, np.ndarray) or step.dtype.kind in "biuf"
    return isinstance(step, Sequence) and len(step) > 0 and isinstance(step[0], Real)


def named_features(sequences: list[Any], vocabulary: Vocabulary, *, grow: bool) -> Matrix:
    """The rows of steps that have features by name."""
    steps = list(chain.from_iterable(sequences))
    values: Array | None = None
    hashed = vocabulary.n_columns is not None
    plain = (
        {*map(type, steps)} == {dict}
        and are_texts(chain.from_iterable(steps))
        and are_texts(chain.from_iterable(map(dict.values, steps)))
    )
    if plain and not hashed:  # as usual
        sizes, found = [*map(len, steps)], vocabulary.of_texts(steps, grow=grow)
    else:
        entries = [features_of(step) for step in steps]
        sizes, values = [*map(len, entries)], np.array([n for own in entries for _, n in own])
        find = vocabulary.__getitem__ if grow or hashed else vocabulary.get
        found = (find(feature) for own in entries for feature, _ in own)
    columns, starts = np.fromiter(found, np.int64, sum(sizes)), np.append(0, np.cumsum(sizes))
    there = columns >= 0
    if not there.all():
        starts = np.append(0, np.cumsum(there))[starts]
        columns, values = columns[there], None if values is None else values[there]
    ones = values is None or bool((values == 1.0).all())
    kind = np.int32 if len(columns) < 2**31 else np.int64
    data = np.ones(len(columns), np.uint8) if ones else values
    parts = data, columns.astype(kind), starts.astype(kind)
    X = sparse.csr_array(parts, shape=(len(steps), vocabulary.width))
    return X if values is None and not hashed else in_csr(added(X))


def are_texts(values: Iterable[Any]) -> bool:
    """Are these texts, and nothing else?"""
    return {*map(type, values)} <= {str}


def added(X: Matrix) -> Matrix:
    """The same with entries of one column added up."""
    X = X.astype(np.float64) if X.dtype == np.uint8 else X
    X.sum_duplicates()
    return X


def features_of(step: Any) -> list[tuple[Feature, float]]:
    """The features of a step that are not 0, and their values."""
    if isinstance(step, Mapping):
        every = [one for name, value in step.items() for one in features_named(str(name), value)]
        return [one for one in every if one[1]]
    if isinstance(step, Iterable) and not isinstance(step, str | bytes):
        names = list(step)
        if all(isinstance(name, str) for name in names):
            return [(name, 1.0) for name in names]
    raise strange(step)


def features_named(name: str, value: Any) -> list[tuple[Feature, float]]:
    """The features that an entry of a dictionary stands for, and their values."""
    if isinstance(value, str):
        return [((name, value), 1.0)]
    if isinstance(value, Real | np.bool_):
        size: Any = abs(value)
        if not size <= LARGEST:
            raise DataError(
                f"Feature {name!r} is {value!s:.20}: leave it out, or give a finite number."
            )
        return [(name, float(value))]
    if isinstance(value, Mapping):
        inner = ((f"{name}:{own}", more) for own, more in value.items())
        return [one for own, more in inner for one in features_named(own, more)]
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        texts = sorted(map(str, value)) if isinstance(value, Set) else map(str, value)
        return [((name, text), 1.0) for text in texts]
    raise DataError(
        f"Feature {name!r} is a {type(value).__name__}: give a text, a number, a boolean, or a set "
        "of texts."
    )


def read_labels(y: Any, starts: Array) -> list[Any]:
    """The labels of all steps, one sequence after the other."""
    if y is None or isinstance(y, str | bytes) or not isinstance(y, Iterable):
        raise DataError(
            f"y is a {type(y).__name__}, but sequences of labels are needed: give a list with one "
            "list of labels for each sequence of X."
        )
    labels = list(y)
    if len(labels) != len(starts) - 1:
        raise DataError(
            f"X has {len(starts) - 1:,} sequences, but y has {len(labels):,}: give one list of "
            "labels for each sequence."
        )
    found: list[Any] = []
    for i, (own, n) in enumerate(zip(labels, np.diff(starts).tolist(), strict=True)):
        if isinstance(own, str | bytes) or not isinstance(own, Iterable):
            raise DataError(f"The labels of sequence {i} are {own!r}: give a list, one for a step.")
        own = own.tolist() if isinstance(own, np.ndarray) else list(own)
        if len(own) != n:
            raise DataError(
                f"Sequence {i} has {len(own):,} labels for {n:,} step{'s' * (n != 1)}: give one "
                "for each step."
            )
        found += own
    return found
