"""Which examples are held out."""

from collections.abc import Iterable, Iterator
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import check_cv

from novikoff.errors import DataError, ParameterError
from novikoff.parameters import Kind, is_whole
from novikoff.typing import Array, Matrix

ENOUGH = 2000
"""How many held-out examples are enough to choose by."""
REPEATS = 10
"""How many times examples are held out, at most."""
SPLITTER = Kind(
    "int, splitter or iterable",
    "a number of folds (2 or more), a scikit-learn splitter, or a list of pairs (rows to learn "
    "from, rows to hold out)",
    lambda cv: is_whole(cv, 2) or hasattr(cv, "split") or isinstance(cv, Iterable),
)


class Fold(NamedTuple):
    """A way to hold examples out."""

    learned: Array
    """Which rows are learned from, as flags,"""
    held: Array
    """and which are held out."""


def folds(cv: Any, X: Matrix, labels: Array, there: Array, random_splits: Any) -> Iterator[Fold]:
    """The ways in which examples are held out; only the rows that are `there` are looked at.

    Without `cv`, `random_splits` are taken.
    """
    n, n_folds = len(labels), 0
    if cv is None:
        splits = random_splits
    elif is_whole(cv) or hasattr(cv, "split"):
        parts = check_cv(cv, labels[there], classifier=True).split(X[there], labels[there])
        splits = ((there[learned], there[held]) for learned, held in parts)
    else:
        splits = given_splits(cv, n)
    for learned, held in splits:
        fold, n_folds = Fold(np.zeros(n, np.bool_), np.intersect1d(held, there)), n_folds + 1
        fold.learned[np.intersect1d(learned, there)] = True
        if not (fold.learned.any() and len(fold.held)):
            raise DataError(
                "A fold needs examples of positive weight on both sides, but this one has "
                f"{fold.learned.sum()} to learn from and {len(fold.held)} held out. Give more "
                "examples, or another {cv}.",
                cv=cv,
            )
        yield fold
    if not n_folds:
        raise ParameterError(
            "{cv} has no folds. An iterator can be used only once: give a list.", cv=cv
        )


def held_out(
    y: Array, rows: Array, fraction: float, most: int, random: np.random.RandomState
) -> Iterator[tuple[Array, Array]]:
    """Rows to learn from and rows to hold out, until enough have been, stratified by class.

    In the order of their classes, every tenth row is held out, say, and then those after them.
    """
    n = len(rows)
    mixed = random.permutation(rows)
    by_class = mixed[np.argsort(y[mixed], kind="stable")]
    fraction = max(fraction, 1 / n)
    whole = 1 << 32
    step = ceil(fraction * whole)
    for k in range(min(most, int(1 / fraction), ceil(ENOUGH / (fraction * n)))):
        held = (np.arange(k, n + k) * step) % whole >= whole - step
        yield by_class[~held], by_class[held]


def given_splits(cv: Iterable[Any], n: int) -> Iterator[tuple[Array, Array]]:
    """Pairs of row numbers, or of flags, as row numbers from 0 on."""
    rows = np.arange(n)
    for pair in cv:
        try:
            learned, held = (rows[np.asarray(part)] for part in pair)
        except (TypeError, ValueError, IndexError):
            shown = f"{pair!r:.60}"
            raise ParameterError(
                f"{{cv}} has {shown}, but it must have pairs (rows to learn from, rows to hold "
                f"out), with row numbers below {n}.",
                cv=cv,
            ) from None
        if len(np.unique(learned)) < len(learned):
            raise ParameterError(
                "{cv} has a row to learn from twice. Give it once, with a sample_weight of 2.",
                cv=cv,
            )
        yield learned, held
