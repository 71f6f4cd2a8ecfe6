r"""The perceptron for River: one example at a time, as a dictionary (extra `river`).

River's models learn from dictionaries of features, which may come and go. This is the perceptron
of `novikoff.learners.loop` for them: a feature that was never seen has the weight 0, a class
that was never seen takes part from its first example on, and what is learned is what
`novikoff.Perceptron` learns from the same examples in one pass.
"""

from functools import cache
from operator import mul
from struct import Struct
from typing import Any

import numpy as np
from river import base

Name = Any
Row = dict[Name, float]

WIDE = 64
"""From so many features on, the weights of a row are held together, as an array."""


class Machine:
    """Weights by name, and a bias. Those of the last wide row are held as an array."""

    __slots__ = ("bias", "names", "together", "w")

    def __init__(self) -> None:
        self.w: dict[Name, float] = {}
        self.bias = 0.0
        self.names: list[Name] = []
        self.together = np.zeros(0)

    def hold(self, names: list[Name]) -> None:
        """Hold the weights of these features together; those held so far go back to their names."""
        self.w.update(zip(self.names, self.together.tolist(), strict=True))
        self.names = names
        self.together = np.array([self.w.pop(name, 0.0) for name in names])

    def score(self, x: Row, wide: "Wide | None") -> float:
        r"""$\langle w, x\rangle + b$"""
        if wide is not None:
            if wide.names != self.names:
                self.hold(wide.names)
            return float(self.together.dot(wide.values)) + self.bias
        if self.names:
            self.hold([])
        try:
            return sum(map(mul, map(self.w.__getitem__, x), x.values()), self.bias)
        except KeyError:  # a feature that is new
            w = self.w
            return sum((w.get(name, 0.0) * value for name, value in x.items()), self.bias)

    def add(self, a: float, x: Row, wide: "Wide | None") -> None:
        r"""$w \leftarrow w + a x$, after `score` of the same row."""
        self.bias += a
        if wide is not None:
            self.together += a * wide.values
            return
        w = self.w
        for name, value in x.items():
            w[name] = w.get(name, 0.0) + a * value

    def weights(self) -> dict[Name, float]:
        """All weights by name."""
        return self.w | dict(zip(self.names, self.together.tolist(), strict=True))

    def negated(self) -> "Machine":
        """The same with all signs turned."""
        other = Machine()
        other.w = {name: -value for name, value in self.weights().items()}
        other.bias = -self.bias
        return other


@cache
def doubles(n: int) -> Struct:
    """What packs so many numbers: numpy's own ways take half as long again, or twice."""
    return Struct(f"{n}d")


class Wide:
    """A wide row: its names and its values."""

    __slots__ = ("names", "values")

    def __init__(self, x: Row) -> None:
        self.names = [*x]
        self.values = np.frombuffer(doubles(len(x)).pack(*x.values()))


class RiverPerceptron(base.MiniBatchClassifier):
    r"""The perceptron as a River classifier, for any number of classes.

    On an example of class $y$ that is not ahead of all others, with $r$ the best of them:
    $w_y \leftarrow w_y + \eta x$ and $w_r \leftarrow w_r - \eta x$. Two classes have one weight
    vector, for the second against the first, in the order of the labels.

    Parameters
    ----------
    eta
        The step.
    fit_intercept
        Learn a bias.

    Attributes
    ----------
    classes
        The labels seen so far, sorted.
    n_mistakes
        How many examples were mistakes, and so updates.

    Examples
    --------
    >>> from novikoff.river import RiverPerceptron
    >>> model = RiverPerceptron()
    >>> for x, y in [({"a": 1.0}, True), ({"a": -1.0, "b": 0.5}, False), ({"b": 2.0}, False)]:
    ...     model.learn_one(x, y)
    >>> model.predict_one({"a": 3.0, "c": 1.0}), model.n_mistakes
    (True, 1)
    """

    def __init__(self, eta: float = 1.0, fit_intercept: bool = True) -> None:
        self.eta = eta
        self.fit_intercept = fit_intercept
        self.classes: list[Any] = []
        self.n_mistakes = 0
        self._machines: list[Machine] = []

    @property
    def _multiclass(self) -> bool:
        return True

    def predict_one(self, x: Row, **kwargs: Any) -> Any:
        """The label of an example; None if nothing was learned yet.

        Parameters
        ----------
        x
            A dictionary of numbers.
        """
        classes = self.classes
        if len(classes) < 2:
            return classes[0] if classes else None
        wide = Wide(x) if len(x) >= WIDE else None
        if len(classes) == 2:
            return classes[self._machines[0].score(x, wide) > 0.0]
        scores = [machine.score(x, wide) for machine in self._machines]
        return classes[scores.index(max(scores))]

    def learn_one(self, x: Row, y: Any) -> None:
        """Learn from an example.

        Parameters
        ----------
        x
            A dictionary of numbers.
        y
            Its label.
        """
        if y not in self.classes:
            self._join(y)
        classes = self.classes
        if len(classes) < 2:
            return
        wide = Wide(x) if len(x) >= WIDE else None
        if len(classes) == 2:
            sign = 1.0 if y == classes[1] else -1.0
            machine = self._machines[0]
            if sign * machine.score(x, wide) <= 0.0:
                self.n_mistakes += 1
                self._move(machine, sign * self.eta, x, wide)
            return
        scores = [machine.score(x, wide) for machine in self._machines]
        own = classes.index(y)
        rival = max((c for c in range(len(classes)) if c != own), key=lambda c: (scores[c], -c))
        if scores[own] <= scores[rival]:
            self.n_mistakes += 1
            self._move(self._machines[own], self.eta, x, wide)
            self._move(self._machines[rival], -self.eta, x, wide)

    def _move(self, machine: Machine, a: float, x: Row, wide: Wide | None) -> None:
        bias = machine.bias
        machine.add(a, x, wide)
        if not self.fit_intercept:
            machine.bias = bias

    def _join(self, y: Any) -> None:
        """A class that was never seen takes part from here on."""
        y = y.item() if isinstance(y, np.generic) else y
        before = self.classes
        self.classes = sorted([*before, y])
        if len(self.classes) == 2:
            self._machines = [Machine()]
            return
        if len(self.classes) == 3:
            positive = self._machines[0]
            self._machines = [positive.negated(), positive]
        if len(self.classes) > 2:
            self._machines.insert(self.classes.index(y), Machine())

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn from the rows of a frame, one after the other: exactly as `learn_one` does.

        Parameters
        ----------
        X
            A frame of numbers; a missing one is a feature that the example does not have.
        y
            Their labels.
        """
        for x, label in zip(_rows(X), y, strict=True):
            self.learn_one(x, label)

    def predict_many(self, X: Any) -> Any:
        """The labels of the rows of a frame.

        Parameters
        ----------
        X
            A frame of numbers.
        """
        import pandas as pd

        return pd.Series([self.predict_one(x) for x in _rows(X)], index=X.index)

    @property
    def weights(self) -> dict[Name, float] | dict[Any, dict[Name, float]]:
        """The weights by the names of the features; of more than two classes, for each of them."""
        machines = [machine.weights() for machine in self._machines]
        if len(machines) <= 1:
            return machines[0] if machines else {}
        return dict(zip(self.classes, machines, strict=True))

    @property
    def intercept(self) -> float | dict[Any, float]:
        """The bias; of more than two classes, of each of them."""
        biases = [machine.bias for machine in self._machines]
        if len(biases) <= 1:
            return biases[0] if biases else 0.0
        return dict(zip(self.classes, biases, strict=True))


def _rows(X: Any) -> Any:
    """The rows of a frame as dictionaries, without what is missing."""
    names = list(X.columns)
    whole = not X.isna().to_numpy().any()
    for values in X.to_numpy().tolist():
        row = dict(zip(names, values, strict=True))
        yield row if whole else {n: v for n, v in row.items() if v == v}
