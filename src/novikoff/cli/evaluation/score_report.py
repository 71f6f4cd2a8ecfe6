"""How good predictions are: counted block by block, for people and for programs.

References
----------
J. A. Hanley and B. J. McNeil, "The meaning and use of the area under a receiver operating
characteristic (ROC) curve", Radiology 143(1), 1982.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from novikoff.inputs.labels import as_written
from novikoff.learners.sequences.chunks import Count
from novikoff.typing import Array, Matrix

WIDEST, LONGEST, MOST_CONFUSED = 78, 20, 5
"""How many columns of text a confusion matrix may take, how many classes are listed, and how many
mistakes of one kind where the matrix is too wide."""


class Ranking:
    """Scores of two classes, and how often each class had them.

    Up to `most` different scores are kept. Of more, neighbours are put together, so that no group
    has more than a millionth of the examples or so: the area under the curve keeps five digits.
    """

    def __init__(self, most: int = 2**21) -> None:
        self.most, self.n_new = most, 0
        self.new: list[tuple[Array, Array]] = []
        self.scores, self.counts = np.empty(0), np.zeros((0, 2), np.int64)
        """All scores in order, and how many examples of each class have each."""

    def add(self, scores: Array, second: Array) -> None:
        """More examples: their scores, and which are of the second class."""
        self.new.append((scores, second))
        self.n_new += len(scores)
        if self.n_new > self.most:
            self._merge()

    def _merge(self) -> None:
        every = [self.scores, *(scores for scores, _ in self.new)]
        each = [self.counts, *(np.stack([~own, own], 1).astype(np.int64) for _, own in self.new)]
        self.new, self.n_new = [], 0
        self.scores, group = np.unique(np.concatenate(every), return_inverse=True)
        self.counts = np.zeros((len(self.scores), 2), np.int64)
        np.add.at(self.counts, group, np.concatenate(each))
        if len(self.scores) > self.most:
            after = self.counts.sum(1).cumsum()
            group = (after - 1) * (self.most // 2) // after[-1]
            starts = np.flatnonzero(np.diff(group, prepend=-1))
            self.scores = self.scores[starts]
            self.counts = np.add.reduceat(self.counts, starts)

    def auc(self) -> float | None:
        """How often an example of the second class has the higher score of a pair; a tie is half.

        None if there is no pair.
        """
        self._merge()
        first, second = self.counts.T.astype(np.float64)
        if not first.sum() or not second.sum():
            return None
        below = first.cumsum() - first / 2
        return float(second @ below / (first.sum() * second.sum()))


class Report:
    """Predictions beside the right labels."""

    def __init__(self, classes: Array) -> None:
        self.classes = classes
        self.pairs: Counter[tuple[int, int]] = Counter()
        """How often each class was taken for each."""
        self.ranking = Ranking()

    def add(self, y: Array, predicted: Array, scores: Array | None) -> None:
        """More examples: right labels, which are classes, predicted ones, and scores of two."""
        own, told = (np.searchsorted(self.classes, labels) for labels in (y, predicted))
        found, times = np.unique(own * len(self.classes) + told, return_counts=True)
        for pair, n in zip(found.tolist(), times.tolist(), strict=True):
            self.pairs[divmod(pair, len(self.classes))] += n
        if scores is not None:
            self.ranking.add(scores, own == 1)

    @property
    def n(self) -> int:
        """How many examples there were."""
        return self.pairs.total()

    @property
    def right(self) -> int:
        """How many predictions were right."""
        return sum(n for (own, told), n in self.pairs.items() if own == told)

    def by_class(self) -> list[Count]:
        """The counts of each class."""
        there, predicted = Counter[int](), Counter[int]()
        for (own, told), n in self.pairs.items():
            there[own] += n
            predicted[told] += n
        return [Count(there[c], predicted[c], self.pairs[c, c]) for c in range(len(self.classes))]

    @property
    def balanced_accuracy(self) -> float:
        """The mean recall of the classes that there are."""
        return float(np.mean([count.recall for count in self.by_class() if count.there]))

    # ------------------------------------------------------ for people and for programs

    def rates(self) -> str:
        """Balanced accuracy, and the area under the curve of two classes."""
        auc = self.ranking.auc()
        return f"balanced accuracy {self.balanced_accuracy:.2%}" + (
            "" if auc is None else f", AUC {auc:.4f}"
        )

    def lines(self) -> list[str]:
        """All of it: rates, a confusion matrix, and the rates of each class."""
        words = [as_written(c) for c in self.classes.tolist()]
        wrong = self.n - self.right
        return [
            f"{self.right:,} of {self.n:,} right ({self.right / self.n:.2%}), {wrong:,} wrong",
            self.rates(),
            "",
            *self._confusion(words),
            "",
            *self._classes(words),
        ]

    def _confusion(self, words: list[str]) -> list[str]:
        classes = range(len(words) if len(words) <= LONGEST else 0)
        cells = [[f"{self.pairs[i, j]:,}" for j in classes] for i in classes]
        widths = [max(map(len, (words[j], *(row[j] for row in cells)))) for j in classes]
        left = max(map(len, words))
        if not cells or left + sum(widths) + 2 * len(widths) > WIDEST:
            return self._most_confused(words)

        def line(word: str, row: list[str]) -> str:
            right = "".join(f"  {cell:>{w}}" for cell, w in zip(row, widths, strict=True))
            return f"  {word:<{left}}{right}"

        told = [line("", words), *map(line, words, cells)]
        return ["rows: the right class; columns: the predicted class", *told]

    def _most_confused(self, words: list[str]) -> list[str]:
        wrong = Counter({pair: n for pair, n in self.pairs.items() if pair[0] != pair[1]})
        most = sorted(wrong.items(), key=lambda item: (-item[1], item[0]))[:MOST_CONFUSED]
        told = [f"  {words[i]} taken for {words[j]}: {n:,}" for (i, j), n in most]
        return ["most frequent mistakes", *(told or ["  none"])]

    def _classes(self, words: list[str]) -> list[str]:
        counts = dict(zip(words, self.by_class(), strict=True))
        if len(counts) <= LONGEST:
            return shares_told(counts, "examples")
        worst = sorted(counts, key=lambda word: counts[word].f1)[:LONGEST]
        return [
            f"the {LONGEST} classes with the lowest F1, of {len(counts):,} (--json has all)",
            *shares_told({word: counts[word] for word in worst}, "examples"),
        ]

    def as_json(self) -> dict[str, Any]:
        """The same as JSON has it."""
        words = [as_written(c) for c in self.classes.tolist()]
        pairs = sorted(self.pairs.items())
        return {
            "examples": self.n,
            "right": self.right,
            "accuracy": self.right / self.n,
            "balanced_accuracy": self.balanced_accuracy,
            "auc": self.ranking.auc(),  # null if there is none
            "classes": {
                word: figures(count)
                for word, count in zip(words, self.by_class(), strict=True)
            },
            "confusion": [
                {"right": words[i], "predicted": words[j], "examples": n} for (i, j), n in pairs
            ],
        }  # fmt: skip


def answers(model: Any, X: Matrix) -> tuple[Array, Array | None]:
    """The labels that a model predicts, and of two classes, the scores."""
    two = len(model.classes_) == 2
    return model.predict(X), model.decision_function(X) if two else None


def figures(count: Count) -> dict[str, Any]:
    """A count and what follows from it."""
    return {
        "precision": count.precision,
        "recall": count.recall,
        "f1": count.f1,
        "support": count.there,
        "predicted": count.predicted,
        "right": count.right,
    }


def shares_told(rows: Mapping[str, Count], what: str) -> list[str]:
    """A table with the precision, recall and F1 of each row, and how many there are."""
    wide = max(map(len, rows))
    lines = [f"  {'':{wide}}  precision   recall       F1   {what}"]
    for name, count in rows.items():
        shares = (count.precision, count.recall, count.f1)
        told = "  ".join(f"{share:7.2%}" for share in shares)
        lines.append(f"  {name:<{wide}}    {told}  {count.there:{len(what) + 1},}")
    return lines
