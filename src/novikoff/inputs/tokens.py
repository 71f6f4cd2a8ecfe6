"""Tokens as users have them, and the columns of the features that a template makes of them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice, repeat
from operator import itemgetter
from typing import Any

import numpy as np
from scipy import sparse

from novikoff.core.expansion import SPAN, UNKNOWN, Table, expand, place_features
from novikoff.errors import DataError
from novikoff.inputs.templates import Atom, Template, hashed
from novikoff.typing import Array, Matrix

FIRST_SLOTS = 1 << 12


class Numbers(dict[str, int]):
    """The numbers of texts; one that is asked for has the next."""

    def __missing__(self, key: str) -> int:
        self[key] = number = len(self)
        return number


class Tokens:
    """The features of tokens by a template, and their columns.

    What is in a column has a number, in the order it came, and what an atom makes of it has one
    too; a feature is known by the numbers of its atoms.
    """

    numeric = False

    def __init__(self, text: str, n_columns: int | None = None) -> None:
        self.text, self.n_columns = text, n_columns
        self.template = Template(text, n_columns)
        self.words = {atom.column: Numbers() for atom in self.template.atoms}
        self.values = [Numbers() if atom.functions else None for atom in self.template.atoms]
        self.codes = [np.empty(1, np.int64) for _ in self.template.atoms]
        """Of each atom, its number for each word of its column; and room for more."""
        self._make(np.zeros((0, self.template.width), np.int32))

    def _make(self, features: Array, more: int = 0) -> None:
        """Have these features, and room for as many more, at least so many."""
        n, width = features.shape
        slots = max(FIRST_SLOTS, 1 << (2 * max(2 * n, n + more)).bit_length())
        table = np.empty((slots // 2, width), np.int32)
        table[:n] = features
        single, beyond = self.template.singles >= 0, self.template.farthest
        self.rooms = np.where(single, 2 * self._sizes(), 0)
        ends = np.cumsum(np.where(single, beyond + self.rooms, 0))
        columns = np.full(int(ends[-1]), -1, np.int32)
        places = np.where(single, ends - self.rooms, -1)
        self.table = Table(columns, places, np.full(slots, -1, np.int32), table, np.array([n]))
        place_features(self.table, self.template.plan)

    def _sizes(self) -> Array:
        """How many codes the features of each group have, if they have one each; else 0."""
        sizes = [0 if k < 0 else len(self._known(k)) for k in self.template.singles.tolist()]
        return np.array(sizes, np.int64)

    def _known(self, k: int) -> Numbers:
        """The numbers of what an atom makes of words."""
        values = self.values[k]
        return self.words[self.template.atoms[k].column] if values is None else values

    @property
    def features_in(self) -> Array:
        """The features that have columns: the group of each, and its codes."""
        known: Array = self.table.features[: self.table.size[0]]
        return known

    def __getstate__(self) -> tuple[Any, ...]:
        words = {column: list(own) for column, own in self.words.items()}
        values = [None if own is None else list(own) for own in self.values]
        codes = [
            own[: len(self.words[atom.column])].copy()
            for own, atom in zip(self.codes, self.template.atoms, strict=True)
        ]
        return self.text, self.n_columns, words, values, codes, self.features_in.copy()

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        text, n_columns, words, values, codes, features = state
        self.__init__(text, n_columns)  # type: ignore[misc]
        self.words = {column: numbered(own) for column, own in words.items()}
        self.values = [None if own is None else numbered(own) for own in values]
        # not made again: another Python may take other characters for capitals
        self.codes = [np.append(own, UNKNOWN) for own in codes]
        self._make(features)

    @contextmanager
    def unlearned_on_error(self) -> Iterator[None]:
        """What fails inside leaves no new features behind."""
        tables = [*self.words.values(), *(own for own in self.values if own is not None)]
        sizes, count = [len(own) for own in tables], len(self.features_in)
        try:
            yield
        except BaseException:
            for own, size in zip(tables, sizes, strict=True):
                while len(own) > size:
                    own.popitem()
            self._make(self.features_in[:count].copy())
            raise

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.features_in) if self.n_columns is None else self.n_columns

    def features(self) -> list[str]:
        """The features in the order of their columns, as CRF++ writes them."""
        known = {atom: list(self._known(k)) for k, atom in enumerate(self.template.atoms)}
        skeletons, found = list(self.template.skeletons), []
        for group, *codes in self.features_in.tolist():
            left, parts = iter(codes), []
            for part in skeletons[group]:
                if isinstance(part, Atom):
                    code = next(left)
                    part = known[part][code] if code >= 0 else beyond(code)
                parts.append(part)
            found.append("".join(parts))
        return found

    # ------------------------------------------------------ reading

    def read(self, sequences: Sequence[Any], starts: Array, *, grow: bool) -> Matrix:
        """The features of all tokens, as rows."""
        columns = as_columns(sequences, self.template.n_tokens)
        with self.unlearned_on_error():
            codes = np.empty((len(self.template.atoms), int(starts[-1])), np.int64)
            for column in self.words:
                self._encode(column, columns[column], codes, grow=grow)
            return self._expanded(codes, starts, grow=grow)

    def _encode(self, column: int, words: list[str], codes: Array, *, grow: bool) -> None:
        """The codes of all atoms of a column."""
        own = [k for k, atom in enumerate(self.template.atoms) if atom.column == column]
        if self.n_columns is not None:
            every = Numbers()  # nothing is kept
            places = np.fromiter(map(every.__getitem__, words), np.int64, len(words))
            for k in own:
                atom = self.template.atoms[k]
                codes[k] = np.array([*map(hashed, atom.of(every))], np.int64)[places]
            return
        known, before = self.words[column], len(self.words[column])
        if grow:
            places = np.fromiter(map(known.__getitem__, words), np.int64, len(words))
            new = list(islice(reversed(known), len(known) - before))[::-1]
            for k in own:
                self.codes[k] = enlarged(self.codes[k], len(known))
                self.codes[k][before : len(known)] = self._codes(k, new, grow=True)
                codes[k] = self.codes[k][places]
            return
        places = np.fromiter(map(known.get, words, repeat(UNKNOWN)), np.int64, len(words))
        others, away = Numbers(), np.flatnonzero(places < 0)
        rest = np.array([others[words[j]] for j in away.tolist()], np.int64)
        for k in own:
            codes[k] = self.codes[k][places]
            codes[k, away] = self._codes(k, list(others), grow=False)[rest]

    def _codes(self, k: int, words: list[str], *, grow: bool) -> Array:
        """What an atom's numbers are for these words; `UNKNOWN` if there is none."""
        known, made = self._known(k), self.template.atoms[k].of(words)
        found = map(known.__getitem__, made) if grow else map(known.get, made, repeat(UNKNOWN))
        return np.fromiter(found, np.int64, len(words))

    def _expanded(self, codes: Array, starts: Array, *, grow: bool) -> Matrix:
        """The rows of features, from codes."""
        template, n = self.template, int(starts[-1])
        found = np.empty((n, template.n_lines), np.int32)
        columns, ends = found.ravel(), np.zeros(n + 1, np.int64)
        times = np.empty(found.size if template.repeats else 0)
        room = np.empty((SPAN, template.width), np.int64)
        out = found, columns, ends, times, room, np.empty(SPAN, np.uint64)
        if grow and (self._sizes() > self.rooms).any():
            self._make(self.features_in.copy())
        at = 0
        while at < len(starts) - 1:
            at = expand(template.plan, self.table, codes, starts, at, grow, out)
            if at < len(starts) - 1:
                more = template.n_lines * int(starts[at + 1] - starts[at])
                self._make(self.features_in.copy(), more)
        k = int(ends[-1])
        data = times[:k] if template.repeats else np.ones(k, np.uint8)
        kind = np.int32 if k < 2**31 else np.int64
        parts = data, columns[:k], ends.astype(kind)
        return sparse.csr_array(parts, shape=(n, self.width))


def numbered(texts: list[str]) -> Numbers:
    """These texts, numbered as they stand."""
    return Numbers(zip(texts, range(len(texts)), strict=True))


def enlarged(array: Array, n: int) -> Array:
    """The same with room for `n` numbers, and more."""
    if n < len(array):
        return array
    larger = np.empty(2 * n, array.dtype)
    larger[: len(array)] = array
    return larger


def beyond(code: int) -> str:
    """What CRF++ calls a place before or after the sequence."""
    return f"_B-{-code // 2}" if code % 2 == 0 else f"_B+{(-code - 1) // 2}"


def as_columns(sequences: Sequence[Any], needed: int) -> list[list[str]]:
    """What is in each column, token after token: tokens are texts, or rows of them."""
    own = (s.tolist() if isinstance(s, np.ndarray) else s for s in sequences)
    tokens: list[Any] = list(chain.from_iterable(own))
    kinds = {*map(type, tokens)}
    if kinds <= {str}:
        columns: list[list[str]] = [tokens]
    elif kinds <= {tuple, list}:
        sizes = {*map(len, tokens)}
        if len(sizes) > 1:
            raise DataError(
                f"Tokens have {min(sizes)} columns here and {max(sizes)} there: give all the same."
            )
        columns = [[*map(itemgetter(j), tokens)] for j in range(min(needed, *sizes))]
        if {kind for column in columns for kind in {*map(type, column)}} != {str}:
            raise strange_token(sequences)
    else:
        raise strange_token(sequences)
    if len(columns) < needed:
        has = "one column" if len(columns) == 1 else f"{len(columns)} columns"
        raise DataError(
            f"The template asks for column {needed - 1}, but tokens have {has}, counted from 0: "
            "give tokens as tuples, (word, tag) say, or another {template}.",
            template="",
        )
    return columns


def strange_token(sequences: Sequence[Any]) -> DataError:
    """What to say of the first token that is not one."""
    i, t, token = next(
        (i, t, token)
        for i, sequence in enumerate(sequences)
        for t, token in enumerate(sequence)
        if not is_token(token) or type(token) is not type(sequences[0][0])
    )
    return DataError(
        f"Token {t} of sequence {i} is {token!r:.60}, but with a {{template}} a token is a text, "
        "or a tuple of texts, as many as all others have.",
        template="",
    )


def is_token(token: Any) -> bool:
    """Is it a text, or a row of texts?"""
    texts = [token] if isinstance(token, str) else token
    return isinstance(texts, list | tuple) and all(isinstance(text, str) for text in texts)
