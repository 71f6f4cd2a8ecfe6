"""Chunks in sequences of labels, counted as by conlleval, the scorer of the CoNLL shared tasks.

A label is `O`, outside all chunks, or a tag with the kind of its chunk, as in `B-NP`. The tags B
(begin), I (inside), E (end) and S (single) may be used in any way. A chunk begins at a label that
is not `O` where

- the tag is B or S,
- or the label before is `O`, or of another kind, or has the tag E or S.

It ends before the next chunk, or before the next `O`. So I after `O` begins a chunk. A predicted
chunk is right if the sentence has one of the same kind with the same tokens.

References
----------
Tjong Kim Sang, E. F. & Buchholz, S. (2000). Introduction to the CoNLL-2000 shared task: chunking.
CoNLL-2000.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

LABEL = re.compile("O|[BIES](-.+)?", re.DOTALL)
FIRST, LAST = {"B", "S"}, {"E", "S", "O"}
Chunk = tuple[int, int, str]
"""Its first token, the token after its last, and its kind."""


def are_chunked(labels: Iterable[str]) -> bool:
    """Do labels mark chunks? All are `O`, or B, I, E or S with a kind, and some are not `O`."""
    each = set(labels)
    return all(map(LABEL.fullmatch, each)) and bool(each - {"O"})


def chunks(labels: Sequence[str]) -> list[Chunk]:
    """The chunks of a sentence.

    Examples
    --------
    >>> chunks(["B-NP", "I-NP", "B-NP", "O", "I-VP", "I-NP"])
    [(0, 2, 'NP'), (2, 3, 'NP'), (4, 5, 'VP'), (5, 6, 'NP')]
    """
    found, start, before, kind = [], None, "O", ""
    for t, label in enumerate([*labels, "O"]):
        tag, _, own = label.partition("-")
        begins = tag != "O" and (tag in FIRST or before in LAST or own != kind)
        if start is not None and (begins or tag == "O"):
            found.append((start, t, kind))
            start = None
        start, before, kind = t if begins else start, tag, own
    return found


class Count(NamedTuple):
    """How many chunks, or examples, of a kind there are, were predicted, and are right of these."""

    there: int
    predicted: int
    right: int

    @property
    def precision(self) -> float:
        """The share of the predicted ones that are right; 0 if there are none."""
        return self.right / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of those there are that were found; 0 if there are none."""
        return self.right / self.there if self.there else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 if nothing is right."""
        return 2 * self.right / (self.there + self.predicted) if self.right else 0.0


class ChunkCounts:
    """The chunks of sentences, counted by kind, as they come.

    Examples
    --------
    >>> counts = ChunkCounts()
    >>> counts.add([["B-NP", "I-NP", "B-VP"]], [["B-NP", "B-NP", "B-VP"]])
    >>> counts.by_kind()
    {'NP': Count(there=1, predicted=2, right=0), 'VP': Count(there=1, predicted=1, right=1)}
    >>> counts.all()
    Count(there=2, predicted=3, right=1)
    """

    def __init__(self) -> None:
        self._there, self._predicted, self._right = (Counter[str]() for _ in range(3))

    def add(self, y: Iterable[Sequence[str]], predicted: Iterable[Sequence[str]]) -> None:
        """Count those of more sentences, by their right labels and the predicted ones."""
        for truth, told in zip(y, predicted, strict=True):
            own, ours = set(chunks(truth)), set(chunks(told))
            for counts, some in (
                (self._there, own),
                (self._predicted, ours),
                (self._right, own & ours),
            ):
                counts.update(kind for _, _, kind in some)

    def by_kind(self) -> dict[str, Count]:
        """The counts of each kind, in the order of the alphabet."""
        kinds = sorted({*self._there, *self._predicted})
        return {
            kind: Count(self._there[kind], self._predicted[kind], self._right[kind])
            for kind in kinds
        }

    def all(self) -> Count:
        """The counts of all kinds together."""
        return Count(self._there.total(), self._predicted.total(), self._right.total())
