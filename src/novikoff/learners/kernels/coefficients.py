r"""The updates of kernel machines, gone through once more and made again.

What an update changes are the coefficients $\alpha$ of the examples: it multiplies those of a
weight vector by a factor, which is 1 for the perceptron, and adds one more. The sums are those of
learning, where the coefficients of earlier blocks are multiplied once, at the end of a block.
"""

from collections.abc import Iterator

import numpy as np

from novikoff.core.log import LARGEST, Log, Updates, columns
from novikoff.typing import Array


def begin(outputs: int) -> Updates:
    """A record that begins with the run."""
    table = np.empty(0, columns(many=outputs > 1, counted=True, dual=True))
    return Updates(np.zeros(0), np.zeros(1), 0, table=table)


def note(made: Updates, epoch: int, places: Array, y: Array, log: Log, factors: Array) -> None:
    """Add the updates made on a block of these rows, of these classes.

    `factors` are what each update multiplied its weights by, or one number for all.
    """
    new, times = made.room(len(log.time)), log.time
    many = "gained" in (made.table.dtype.names or ())
    new["epoch"], new["label"] = epoch, y[times] if many else 2 * y[times] - 1
    new["position"], new["example"] = made.visited + times, made.origin + places[times]
    new["step"] = log.step if many else np.where(log.gained > 0, log.step, -log.step)
    new["square"], new["carry"] = np.fmin(log.square, LARGEST), factors
    new["score"], new["mistakes"] = log.score, log.mistakes
    if many:
        new["gained"], new["lost"] = log.gained, log.lost
    new["first"] = np.arange(len(times)) == 0
    made.visited += len(places)


# ------------------------------------------------------------- made again


def mixing(places: tuple[int, ...], n_classes: int) -> Array:
    """How the weight vectors of some classes make those of more, at whose places they are."""
    n = len(places)
    M = np.zeros((n if n > 2 else n - 1, n_classes if n_classes > 2 else n_classes - 1))
    if n == 2:
        M[0, list(places)] = [-1.0, 1.0]
    elif n > 2:
        M[np.arange(n), list(places)] = 1.0
    return M


class DualReplay:
    """Coefficients on their way through the updates, of which `budget` rows are kept if it is one.

    A row for every example, a column for every weight vector.
    """

    def __init__(self, made: Updates, n_classes: int, budget: int | None) -> None:
        self.made, self.growths, self.at = made, list(made.growths), 0
        first = len(made.growths[0].places) if made.growths else n_classes
        K = first if first > 2 else first - 1
        self.kept = np.zeros((made.n_given if budget is None else budget, K))
        self.numbers: Array | None = None if budget is None else np.full(budget, -1)
        """With a budget: which examples the rows are of."""
        self.next = 0
        self.rows: list[int] = []
        self.carry, self.added = np.ones(K), np.zeros((0, K))
        """Of the block at hand: the factor of all before, and what was added to which rows."""

    def weights(self, ks: Array) -> Iterator[Array]:
        """The coefficients after each of these updates, in increasing order."""
        for k in ks.tolist():
            while self.growths and self.growths[0].at <= k:
                growth = self.growths.pop(0)
                self._redo(growth.at)
                self._commit()
                M = mixing(growth.places, growth.n_classes)
                self.kept = self.kept @ M
                self.carry, self.added = np.ones(M.shape[1]), np.zeros((0, M.shape[1]))
            self._redo(k)
            yield self._by_example()

    def _by_example(self) -> Array:
        alpha = self.kept * self.carry if (self.carry != 1.0).any() else self.kept.copy()
        if self.numbers is None:
            alpha[self.rows] += self.added
        else:
            by_row, alpha = alpha, np.zeros((self.made.n_given, alpha.shape[1]))
            known = self.numbers >= 0
            np.add.at(alpha, self.numbers[known], by_row[known])
        for growth in self.growths:
            alpha = alpha @ mixing(growth.places, growth.n_classes)
        return alpha

    def _commit(self) -> None:
        """The block is over."""
        if (self.carry != 1.0).any():
            self.kept *= self.carry
        self.kept[self.rows] += self.added
        self.carry[:] = 1.0
        self.rows, self.added = [], self.added[:0]

    def _redo(self, k: int) -> None:
        many = "gained" in (self.made.table.dtype.names or ())
        for change in self.made.table[self.at : k]:
            v, step = np.zeros(self.kept.shape[1]), abs(change["step"])
            outputs = [0]
            if len(v) == 1:
                second = change["gained"] == 1 if many else change["label"] > 0
                v[0] = step if second else -step
            else:
                outputs = [change[name] for name in ("gained", "lost") if change[name] >= 0]
                v[outputs] = [step if c == change["gained"] else -step for c in outputs]
            if self.numbers is None:
                if change["first"]:
                    self._commit()
                self._add(int(change["example"]), outputs, v, float(change["carry"]))
            else:
                self.kept *= change["carry"]
                self.kept[self.next], self.numbers[self.next] = v, change["example"]
                self.next = (self.next + 1) % len(self.numbers)
        self.at = k

    def _add(self, example: int, outputs: list[int], v: Array, carry: float) -> None:
        if carry != 1.0:
            self.carry[outputs] *= carry
            self.added[:, outputs] *= carry
        if example not in self.rows:
            self.rows.append(example)
            self.added = np.vstack([self.added, np.zeros_like(v)])
        self.added[self.rows.index(example), outputs] = v[outputs]
