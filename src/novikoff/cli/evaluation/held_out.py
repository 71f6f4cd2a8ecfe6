"""How good a model will be: others learn from some of its examples, and predict the rest.

The model itself learns from all. Which examples are held out depends on their numbers and on the
seed, and on nothing else.
"""

import warnings
from argparse import Namespace
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from novikoff.cli.conflicts import refuse
from novikoff.cli.evaluation.calibration import Calibrating, Calibration
from novikoff.cli.evaluation.score_report import Report
from novikoff.cli.model_file import Model
from novikoff.cli.progress import Bar
from novikoff.cli.text import counted
from novikoff.data.results import Data
from novikoff.errors import DataError, ParameterError
from novikoff.learners.base import MistakeDriven
from novikoff.passes import Passes
from novikoff.typing import Array

WINDOW = 100
"""Of so many examples in a row, the same number is held out."""
HELD_OUT = ("holdout", "cv")


class Folds(NamedTuple):
    """Which examples are held out."""

    window: int
    """Of so many examples in a row, which come in a random order,"""
    share: int
    """so many are in each fold."""
    n: int
    """How many folds there are."""
    seed: int

    @property
    def told(self) -> str:
        """The option that asked for it."""
        return f"--cv {self.n}" if self.n > 1 else f"--holdout {self.share / self.window:g}"

    def of(self, first: int, n: int) -> Array:
        """The folds of `n` examples, with so many before them; -1 for those in none."""
        low, high = first // self.window, -(-(first + n) // self.window)
        keys = mixed(np.arange(low * self.window, high * self.window), self.seed)
        places = keys.reshape(-1, self.window).argsort(1).argsort(1).ravel()
        fold = places[first - low * self.window :][:n] // self.share
        return np.where(fold < self.n, fold, -1)


def folds_of(arguments: Namespace) -> Folds | None:
    """What `--holdout` or `--cv` asks for, if one was given."""
    seed = arguments.seed or 0
    if arguments.holdout is not None and arguments.cv is not None:
        raise ParameterError("--holdout and --cv both measure the model: give only one of them.")
    if arguments.cv is not None:
        return Folds(arguments.cv, 1, arguments.cv, seed)
    if arguments.holdout is not None:
        return Folds(WINDOW, max(1, round(arguments.holdout * WINDOW)), 1, seed)
    return None


def refuse_held_out(arguments: Namespace, beside: str) -> None:
    """There is no estimate for some kinds of fits."""
    refuse(arguments, HELD_OUT, f"has no meaning beside {beside}: leave it out.")


def mixed(numbers: Array, seed: int) -> Array:
    """Random whole numbers, one for each number (Steele, Lea & Flood 2014, SplitMix64)."""
    with np.errstate(over="ignore"):
        z = numbers.astype(np.uint64) + np.uint64(seed + 1) * np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            z = (z ^ (z >> np.uint64(shift))) * np.uint64(factor)
    return z ^ (z >> np.uint64(31))


@dataclass
class Estimate:
    """How good a model will be."""

    folds: Folds
    report: Report
    """All held-out examples."""
    accuracies: list[float]
    """Of each fold."""
    calibration: Calibration

    def line(self) -> str:
        """A sentence."""
        right = f"{self.report.right / self.report.n:.2%}"
        how = ""
        if self.folds.n > 1:
            least, most = min(self.accuracies), max(self.accuracies)
            how = f" in {self.folds.n} folds ({least:.2%} to {most:.2%})"
        n = counted(self.report.n, "held-out example")
        return f"{right} of {n} right{how}; {self.report.rates()}"

    def as_json(self) -> dict[str, Any]:
        """The same as JSON has it."""
        return self.report.as_json() | {"folds": self.accuracies}

    def extra(self) -> dict[str, Any]:
        """What a model file keeps of it."""
        own = self.calibration
        told = {"slope": own.slope, "offsets": [*own.offsets], "examples": own.examples}
        return {"calibration": told}


# ------------------------------------------------------------- learning from the rest


def others_of(model: Model, folds: Folds) -> list[Any]:
    """A learner for each fold, like the model."""
    others = [clone(model) for _ in range(folds.n)]
    for other in others:
        if getattr(other, "record", False):
            other.record = False
    return others


def taken(block: Data, rows: Array) -> tuple[Any, ...]:
    """These rows of a block: examples, labels and weights."""
    weight = None if block.weight is None else block.weight[rows]
    return block.X[rows], block.y[rows], weight


def estimated_in_blocks(
    model: MistakeDriven,
    folds: Folds,
    epochs: int,
    seed: int,
    blocks: Callable[[], Iterable[Data]],
    *,
    hidden: bool,
) -> Estimate:
    """How good a learner will be that goes block by block, all folds in the same passes."""
    others = others_of(model, folds)
    passes = [Passes(other, seed, model.classes_) for other in others]
    learning = {*range(folds.n)}
    with Bar(hidden=hidden) as bar:
        bar.start(unit=" examples", unit_scale=True)
        done = 0
        for epoch in range(epochs):
            first = 0
            for number, block in enumerate(blocks()):
                fold = folds.of(first, len(block.y))
                for k in learning:
                    X, y, weight = taken(block, fold != k)
                    if len(y):
                        passes[k].learn(number, X, y, weight)
                first, done = first + len(block.y), done + len(block.y)
                bar.show(done, "", f"{folds.told}, epoch {epoch + 1}/{epochs}")
            require_learned(others, folds)
            learning -= {k for k in learning if passes[k].end() == 0}
            if not learning:
                break
        return compared(model, others, folds, blocks())


def estimated_whole(model: Model, folds: Folds, data: Data) -> Estimate:
    """The same for a learner that needs all examples at once."""
    others, fold = others_of(model, folds), folds.of(0, len(data.y))
    for k, other in enumerate(others):
        X, y, weight = taken(data, fold != k)
        if len(np.unique(y)) < len(model.classes_):
            raise too_few(folds)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            other.fit(X, y, **({} if weight is None else {"sample_weight": weight}))
    return compared(model, others, folds, [data])


def compared(model: Model, others: list[Any], folds: Folds, blocks: Iterable[Data]) -> Estimate:
    """What others predict of the examples that they did not learn from."""
    reports = [Report(model.classes_) for _ in others]
    every, calibrating = Report(model.classes_), Calibrating(len(model.classes_))
    first = 0
    for block in blocks:
        fold = folds.of(first, len(block.y))
        first += len(block.y)
        for k, other in enumerate(others):
            X, y, _ = taken(block, fold == k)
            if len(y):
                predicted, scores = other.predict(X), other.decision_function(X)
                for report in (reports[k], every):
                    report.add(y, predicted, scores if scores.ndim == 1 else None)
                own = np.searchsorted(model.classes_, y)
                calibrating.add(own, scores, model.decision_function(X))
    if not all(report.n for report in reports):
        raise too_few(folds)
    accuracies = [report.right / report.n for report in reports]
    return Estimate(folds, every, accuracies, calibrating.end())


def require_learned(others: list[Any], folds: Folds) -> None:
    """Every fold must leave something to learn from."""
    if not all(other._is_fitted() for other in others):
        raise too_few(folds)


def too_few(folds: Folds) -> DataError:
    """That there is nothing to learn from, or nothing to predict."""
    return DataError(
        f"There are too few examples for {folds.told}: a part has no examples, or none of one "
        f"class. Leave it out, or give {'a smaller --cv' if folds.n > 1 else 'another --holdout'}."
    )
