"""The perceptron as a River classifier."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from math import isfinite
from typing import Any

import numpy as np
from river import base

from novikoff.errors import DataError
from novikoff.inputs.arrays import overflow
from novikoff.learners.state import NO_LENGTHS
from novikoff.parameters import real, require
from novikoff.river.dictionaries import Label, Name, Row, in_order, rows_of, sound
from novikoff.river.vectors import Narrow, Places, Read, Step, Together, Vector, Wide

WIDE = 128
"""From so many features on, a row and the weights of a model that meets it are arrays."""

UNFIT = (TypeError, OverflowError, struct.error)
"""What arithmetic on something other than numbers ends in."""


def square(value: float) -> float:
    """A number times itself, as floats: whole numbers have no bounds."""
    value = float(value)
    return value * value


class RiverPerceptron(base.MiniBatchClassifier):
    r"""The perceptron as a River classifier, for any number of classes.

    Each class $c$ has weights $w_c$ and a score $\langle w_c, x\rangle$, and the class with the
    largest score is predicted. On an example $x$ of class $y$ whose score is not above all others,
    let $r$ be the class with the largest other score:
    $w_y \leftarrow w_y + \eta x$ and $w_r \leftarrow w_r - \eta x$. Two classes share one weight
    vector, positive for the second in the order of the labels.

    Parameters
    ----------
    eta
        The step size $\eta$.
    fit_intercept
        Learn a bias.
    margin
        Also learn from correct predictions, unless they are correct by more than `margin` times
        what one update on an example of mean squared length adds, as `novikoff.Perceptron` does.

    Attributes
    ----------
    classes
        The labels seen so far, sorted.
    n_mistakes
        The number of mistakes.
    n_updates
        The number of updates. With ``margin=0``, every update is a mistake.

    Examples
    --------
    >>> from novikoff.river import RiverPerceptron
    >>> model = RiverPerceptron()
    >>> for x, y in [({"a": 1.0}, True), ({"a": -1.0, "b": 0.5}, False), ({"b": 2.0}, False)]:
    ...     model.learn_one(x, y)
    >>> model.predict_one({"a": 3.0, "c": 1.0}), model.n_mistakes
    (True, 1)
    """

    def __init__(self, eta: float = 1.0, fit_intercept: bool = True, margin: float = 0.0) -> None:
        require("eta", eta, real(above=0.0))
        require("margin", margin, real(least=0.0))
        self.eta = eta
        self.fit_intercept = fit_intercept
        self.margin = margin
        self.classes: list[Label] = []
        self.n_mistakes = self.n_updates = 0
        self._lengths = NO_LENGTHS
        self._vectors: list[Vector] = []
        self._places: Places | None = None

    @property
    def _multiclass(self) -> bool:
        return True

    def predict_one(self, x: Row, **kwargs: Any) -> Any:
        """Predict the label of an example; None before the first example.

        Parameters
        ----------
        x
            A dictionary from features to numbers. A missing value (NaN, None) is ignored.
        """
        classes = self.classes
        if len(classes) < 2:
            return classes[0] if classes else None
        _, scores = self._scored(x)
        if len(scores) == 1:
            return classes[scores[0] > 0.0]
        return classes[scores.index(max(scores))]

    def learn_one(self, x: Row, y: Any) -> None:
        """Learn from one example.

        Parameters
        ----------
        x
            A dictionary from features to numbers. A missing value (NaN, None) is ignored.
        y
            Its label.
        """
        self._learn(x, y, None)

    def _scored(self, x: Row) -> tuple[Read, list[float]]:
        """The row as the vectors read it, and their scores, which are finite floats."""
        try:
            row = x if self._places is None and len(x) < WIDE else self._wide(x)
            vectors = self._vectors
            if len(vectors) == 1:
                scores = [total := vectors[0].score(row)]
            else:
                scores = [vector.score(row) for vector in vectors]
                total = sum(scores)
            if type(total) is float and total - total == 0.0:
                return row, scores
        except UNFIT:
            pass
        return self._scored_with_care(sound(x))

    def _scored_with_care(self, x: Row) -> tuple[Read, list[float]]:
        """The same of a row of finite floats only."""
        row = x if self._places is None and len(x) < WIDE else self._wide(x)
        scores = [vector.score(row) for vector in self._vectors]
        if not all(map(isfinite, scores)):
            raise overflow(np.float64)
        return row, scores

    def _wide(self, x: Row) -> Wide | Row:
        """A row as arrays; from the first wide one on, the weights are as well."""
        if self._places is None:
            x = sound(x)  # what is missing does not count
            if len(x) < WIDE:
                return x
            names = [*dict.fromkeys(chain.from_iterable(m.w for m in self._vectors))]
            self._places = Places(names)
            self._vectors = [
                Together(np.array([0.0, *map(m.w.__getitem__, names)]), m.bias)
                for m in self._vectors
            ]
        return self._places.row(x)

    def _learn(self, x: Row, y: Label, done: list[Step] | None) -> None:
        """Learn from an example, and note what was changed if there is a list for it."""
        try:
            known = y in self.classes
        except TypeError:  # pandas' NA is neither in a list nor not
            known = False
        if known and len(self.classes) > 1:
            self._step(x, y, done)
            return
        with self._undone_on_error():
            x = sound(x)
            if not known:
                self._join(y)
            if len(self.classes) > 1:
                self._step(x, y, done)
            elif self.margin:
                self._lengths = self._lengths.after_one(sum(map(square, x.values())))

    def _least(self) -> float:
        """What the margin of an example must be above."""
        many, lengths = len(self.classes) > 2, self._lengths
        known = lengths.mean + self.fit_intercept if lengths.n else 0.0
        return self.margin * self.eta * known * (1 + many)

    def _step(self, x: Row, y: Label, done: list[Step] | None) -> None:
        """Learn from an example of a known class."""
        row, scores = self._scored(x)
        classes, vectors, eta = self.classes, self._vectors, self.eta
        if len(scores) == 1:
            sign = 1.0 if y == classes[1] else -1.0
            m, moves = sign * scores[0], [(vectors[0], sign * eta)]
        else:
            own = classes.index(y)
            rival = max((c for c in range(len(classes)) if c != own), key=lambda c: (scores[c], -c))
            m, moves = scores[own] - scores[rival], [(vectors[own], eta), (vectors[rival], -eta)]
        least, lengths = 0.0, self._lengths
        if self.margin:
            values = row.values if isinstance(row, Wide) else row.values()
            least, lengths = self._least(), lengths.after_one(sum(map(square, values)))
        if m <= least:
            self._move(row, moves, done)
            self.n_updates += 1
            self.n_mistakes += m <= 0.0
        self._lengths = lengths

    def _move(self, row: Read, moves: list[tuple[Vector, float]], done: list[Step] | None) -> None:
        """Add multiples of a row to vectors: to all of them, or if one cannot be, to none."""
        new = []
        for vector, a in moves:
            bias = vector.bias + a if self.fit_intercept else vector.bias
            if not isfinite(bias):
                raise overflow(np.float64)
            new.append((vector.moved(a, row), bias))
        if self._places is not None:
            row = self._places.placed(row)
            for vector in self._vectors:
                vector.widen(len(self._places))
        for (vector, _), (w, bias) in zip(moves, new, strict=True):
            if done is not None:
                done.append(Step(vector, row, vector.taken(row), vector.bias))
            vector.put(row, w)
            vector.bias = bias

    @contextmanager
    def _undone_on_error(self) -> Iterator[list[Step]]:
        """Take back what was done within, of which a list is kept, if it ends in an error."""
        before = self.classes, self._vectors, self._places, self.n_mistakes, self.n_updates
        lengths = self._lengths
        n, done = len(self._places or ()), list[Step]()
        try:
            yield done
        except BaseException:
            for vector, row, w, bias in reversed(done):
                vector.put_back(row, w)
                vector.bias = bias
            self.classes, self._vectors, self._places, self.n_mistakes, self.n_updates = before
            self._lengths = lengths
            if self._places is not None:
                self._places.cut(n)
            raise

    def _join(self, y: Label) -> None:
        """A class that was never seen takes part from here on."""
        y = y.item() if isinstance(y, np.generic) else y
        classes, vectors = in_order([*self.classes, y]), list(self._vectors)
        if len(classes) == 3:
            vectors = [vectors[0].negated(), vectors[0]]
        if len(classes) > 1:
            vectors.insert(classes.index(y) if len(classes) > 2 else 0, self._blank())
        self.classes, self._vectors = classes, vectors

    def _blank(self) -> Vector:
        """A vector that has learned nothing."""
        return (
            Narrow({}, 0.0)
            if self._places is None
            else Together(np.zeros(len(self._places) + 1), 0.0)
        )

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn from the rows of a data frame, one by one, exactly as `learn_one` does.

        Parameters
        ----------
        X
            A data frame of numbers. Missing values are ignored.
        y
            Their labels.
        """
        labels = list(y)
        if len(labels) != len(X):
            raise DataError(f"X has {len(X)} rows, but y has {len(labels)} labels: give one each.")
        with self._undone_on_error() as done:
            for i, (x, label) in enumerate(zip(rows_of(X), labels, strict=True)):
                try:
                    self._learn(x, label, done)
                except DataError as error:
                    raise error.about(f"In row {i} of X") from None

    def predict_many(self, X: Any) -> Any:
        """Predict the labels of the rows of a data frame.

        Parameters
        ----------
        X
            A data frame of numbers.
        """
        import pandas as pd

        return pd.Series([self.predict_one(x) for x in rows_of(X)], index=X.index)

    @property
    def weights(self) -> dict[Name, float] | dict[Label, dict[Name, float]]:
        """The weights by feature; with more than two classes, one such dictionary per class."""
        all_of = [self._by_name(vector) for vector in self._vectors]
        if len(all_of) <= 1:
            return all_of[0] if all_of else {}
        return dict(zip(self.classes, all_of, strict=True))

    def _by_name(self, vector: Vector) -> dict[Name, float]:
        if self._places is None:
            return dict(vector.w)
        return dict(zip(self._places, vector.w[1:].tolist(), strict=False))  # there is more room

    @property
    def intercept(self) -> float | dict[Label, float]:
        """The bias; with more than two classes, one per class."""
        biases = [vector.bias for vector in self._vectors]
        if len(biases) <= 1:
            return biases[0] if biases else 0.0
        return dict(zip(self.classes, biases, strict=True))
