r"""The updates of kernel machines, gone through once more and made again.

What an update changes are the coefficients $\alpha$ of the examples: it multiplies those of a
weight vector by a factor, which is 1 for the perceptron, and adds one more. The sums are those of
learning, where the coefficients of earlier blocks are multiplied once, at the end of a block.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.learners.updates import LARGEST, Updates, columns

Array = npt.NDArray[Any]


class Change(NamedTuple):
    """One update."""

    time: int
    """The row of the block."""
    gained: int
    """The class whose weights gained the example, -1 for none; 1 or 0 of two classes."""
    lost: int
    step: float
    """How much of it they gained or lost."""
    carry: float
    """What their coefficients were multiplied by before."""
    score: float
    square: float
    mistakes: int


def begin(outputs: int) -> Updates:
    """A record that begins with the run."""
    table = np.empty(0, columns(many=outputs > 1, counted=True, dual=True))
    return Updates(np.zeros(0), np.zeros(1), 0, table=table)


def note(made: Updates, epoch: int, places: Array, y: Array, changes: list[Change]) -> None:
    """Add the updates made on a block of these rows, of these classes."""
    if changes:
        new, names = made.room(len(changes)), made.table.dtype.names or ()
        found = {
            name: np.array(column)
            for name, column in zip(Change._fields, zip(*changes, strict=True), strict=True)
        }
        times, many = found["time"], "gained" in names
        own = y[times]
        new["epoch"], new["label"] = epoch, own if many else 2 * own - 1
        new["position"], new["example"] = made.visited + times, made.origin + places[times]
        new["step"] = (
            found["step"] if many else np.where(found["gained"] > 0, 1, -1) * found["step"]
        )
        new["square"] = np.fmin(found["square"], LARGEST)
        for name in ("score", "mistakes", "carry", *(("gained", "lost") if many else ())):
            new[name] = found[name]
        new["first"] = np.arange(len(changes)) == 0
    made.visited += len(places)


def classes_of(c: int, sign: float, outputs: int) -> tuple[int, int]:
    """The class that gains an example added to weight vector `c`, and the one that loses it."""
    if outputs == 1:
        return (1, 0) if sign > 0 else (0, 1)
    return (c, -1) if sign > 0 else (-1, c)


def of_perceptron(
    S: Array, G: Array, q: Array, delta: Array, joint: bool, mistakes: int
) -> list[Change]:
    """The updates on a block, from what they added, and the scores and squares before."""
    found = []
    for t in np.flatnonzero(delta.any(axis=1)).tolist():
        xx = float(G[t, t])
        if joint:
            y, r = int(delta[t].argmax()), int(delta[t].argmin())
            mistakes, score = mistakes + 1, float(S[t, y] - S[t, r])
            h = float(delta[t, y])
            q[y] += 2 * h * S[t, y] + h * h * xx
            q[r] += h * h * xx - 2 * h * S[t, r]
            S[:, y] += h * G[t].astype(np.float64)
            S[:, r] -= h * G[t].astype(np.float64)
            found.append(Change(t, y, r, h, 1.0, score, float(q.sum()), mistakes))
            continue
        for c in np.flatnonzero(delta[t]).tolist():
            a, score = float(delta[t, c]), float(S[t, c])
            mistakes += 1
            q[c] += 2 * a * score + a * a * xx
            S[:, c] += a * G[t].astype(np.float64)
            who = classes_of(c, a, S.shape[1])
            found.append(Change(t, *who, abs(a), 1.0, score, float(q[c]), mistakes))
    return found


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
