"""What all tables have in common: which column is what, and rows that are no examples."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.data.reader_options import Column, Options
from novikoff.data.results import MESSAGES_KEPT, Data, Place, Skipped
from novikoff.errors import FileError, ParameterError
from novikoff.typing import Array, Matrix

INDEX = re.compile(r"__index_level_\d+__")
SEPARATORS = {b"\t": "tabs", b";": "semicolons"}
LABEL = "label"
"""What the column of the labels is called, unless told."""


class Layout(NamedTuple):
    """Which columns of a table are what."""

    names: list[str] | None
    n_columns: int
    label: int | None
    weight: int | None
    ignored: frozenset[int] = frozenset()

    @property
    def features(self) -> list[int]:
        """The numbers of the other columns."""
        others = {self.label, self.weight, *self.ignored}
        return [j for j in range(self.n_columns) if j not in others]

    @property
    def feature_names(self) -> list[str] | None:
        """Their names, if there are names."""
        return None if self.names is None else [self.names[j] for j in self.features]


def layout_of(names: list[str] | None, n_columns: int, options: Options, name: str) -> Layout:
    """Which columns are what, as the options say."""
    if options.labels == "optional" and names is not None:  # and so are columns of these names
        label, weight = (
            None if isinstance(column, str) and column not in names else column
            for column in (options.label, options.weight)
        )
        there = [c for c in options.ignored if not isinstance(c, str) or c in names]
        options = replace(options, label=label, weight=weight, ignore=there)
    place = place_of(options.label, names, n_columns, name, "label")
    if options.label is None and names is not None and LABEL in names:
        place = names.index(LABEL)
    if place is None and options.labels == "required":
        raise FileError(
            name,
            f"found no column called {LABEL!r}{listed(names)}, expected labels: say which column "
            "has them, by {label}: its name, or its number (-1 is the last)",
            hint="(Or give labels='optional'.)",
            label=None,
        )
    weight = place_of(options.weight, names, n_columns, name, "weight")
    ignored = {place_of(c, names, n_columns, name, "ignore"): c for c in options.ignored}
    for what, used in (("labels", place), ("weights", weight)):
        if used is not None and used in ignored:
            raise ParameterError(
                f"{{ignore=}} was given, but that column has the {what}: name others.",
                ignore=ignored[used],
            )
    left_out = frozenset(j for j in ignored if j is not None)
    layout = Layout(names, n_columns, place, weight, left_out)
    require_names(layout, name)
    return layout


def require_names(layout: Layout, name: str) -> None:
    """Raise an error for columns that nobody can have meant as features."""
    found: dict[str, int] = {}
    for j, called in zip(layout.features, layout.feature_names or [], strict=False):
        if called == "":
            raise FileError(
                name,
                f"found column {j} without a name, which is how pandas saves an index: leave it "
                "out ({ignore=}), or give it a name",
                ignore=j,
            )
        if INDEX.fullmatch(called):
            raise FileError(
                name,
                f"found column {called!r}, the index of a pandas frame, expected features: leave "
                "it out ({ignore=}), or save the frame with index=False",
                ignore=called,
            )
        if called in found:
            raise FileError(
                name,
                f"found two columns called {called!r}, with the numbers {found[called]} and {j}: "
                "rename one, or leave one out ({ignore=})",
                ignore=j,
            )
        found[called] = j


def place_of(
    column: Column, names: list[str] | None, n_columns: int, name: str, what: str
) -> int | None:
    """The number of a column given by name or number."""
    if column is None:
        return None
    if isinstance(column, str):
        if names is None or column not in names:
            raise FileError(name, f"found no column called {column!r}{listed(names)}")
        if names.count(column) > 1:
            raise FileError(name, f"found more than one column called {column!r}: give its number")
        return names.index(column)
    if not isinstance(column, int | np.integer):
        raise ParameterError.of(what, column, "the name or the number of a column")
    if not -n_columns <= column < n_columns:
        raise FileError(name, f"found {n_columns} columns, expected one with number {column}")
    return int(column) % n_columns


def listed(names: list[str] | None) -> str:
    """The names there are, for a message."""
    if names is None:
        return ""
    more = ", ..." if len(names) > 8 else ""
    return f" among {', '.join(map(repr, names[:8]))}{more}"


def examples_of(
    column: Callable[[int], Array],
    n_rows: int,
    layout: Layout,
    options: Options,
    name: str,
    start: Place,
) -> Data:
    """The examples of a table whose columns are given by number."""
    X = np.empty((n_rows, len(layout.features)), options.float_type)
    with np.errstate(over="ignore"):
        for k, j in enumerate(layout.features):
            X[:, k] = column(j)
    y, weight = (None if j is None else column(j) for j in (layout.label, layout.weight))
    return sound(X, y, weight, layout, options, name, start)


def sound(
    X: Matrix,
    y: Array | None,
    weight: npt.NDArray[np.float64] | None,
    layout: Layout,
    options: Options,
    name: str,
    start: Place,
) -> Data:
    """The rows that are examples; the others are errors, or skipped."""
    bad_y, bad_weight = bad_labels(y, options), bad_weights(weight)
    bad = bad_rows(X) | bad_y | bad_weight
    messages = []
    for i in np.flatnonzero(bad)[:MESSAGES_KEPT].tolist():
        column: int | None
        row = X[[i]].toarray()[0] if sparse.issparse(X) else X[i]
        if not np.isfinite(row).all():
            j = int(np.flatnonzero(~np.isfinite(row))[0])
            column, found, wanted = layout.features[j], row[j], "a finite number"
        elif y is not None and np.broadcast_to(bad_y, bad.shape)[i]:
            column, found, wanted = layout.label, y[i], "a label"
        elif weight is not None:
            column, found, wanted = layout.weight, weight[i], "a weight, a finite number from 0 on"
        # the labels and weights of a .npz file are no columns
        where = "" if column is None else f" in column {title(layout, column)}"
        fault = FileError(
            name,
            f"found {said(found)}{where}, expected {wanted}",
            line=start.line + i,
            column=None if column is None else column + 1,
        )
        if options.bad_lines == "error":
            raise fault
        messages.append(str(fault))
    if bad.any():
        X, y, weight = (part if part is None else part[~bad] for part in (X, y, weight))
    if weight is not None and (weight == 1).all():
        weight = None
    stop = Place(start.offset + len(bad), start.line + len(bad))
    skipped = Skipped(int(bad.sum()), tuple(messages))
    return Data(X, y, weight, layout.feature_names, None, skipped, start, stop)


def bad_rows(X: Matrix) -> npt.NDArray[np.bool_]:
    """Which rows have values that are not finite."""
    if sparse.issparse(X):
        bad = np.zeros(X.shape[0], bool)
        places = np.flatnonzero(~np.isfinite(X.data))
        bad[np.searchsorted(X.indptr, places, "right") - 1] = True
        return bad
    finite = np.isfinite(X)
    return np.zeros(len(X), bool) if finite.all() else ~finite.all(axis=1)


def bad_labels(y: Array | None, options: Options) -> npt.NDArray[np.bool_] | bool:
    """Which labels are missing, or not finite."""
    if y is None or y.dtype.kind in "biu":
        return False
    missing: npt.NDArray[np.bool_] = np.isnan(y) if y.dtype.kind == "f" else y == ""
    if options.labels == "optional":
        missing = np.zeros_like(missing)
    return missing | np.isinf(y) if y.dtype.kind == "f" else missing


def bad_weights(weight: npt.NDArray[np.float64] | None) -> npt.NDArray[np.bool_] | bool:
    """Which weights are below 0, or not finite."""
    return False if weight is None else ~((weight >= 0) & (weight < np.inf))


def title(layout: Layout, column: int) -> str:
    """What a column is called."""
    return str(column) if layout.names is None else repr(layout.names[column])


def said(value: str | float) -> str:
    """A value that is no good, for a message."""
    if isinstance(value, str):
        return "no label" if value == "" else repr(str(value))
    return "NaN or nothing" if np.isnan(value) else str(value)


def joined(parts: Iterable[Data]) -> Data:
    """Blocks as one."""
    blocks = list(parts)
    if len(blocks) == 1:
        return blocks[0]
    first = blocks[0]
    weight = None
    if any(block.weight is not None for block in blocks):
        weight = np.concatenate(
            [np.ones(len(b.X)) if b.weight is None else b.weight for b in blocks]
        )
    skipped = sum((block.skipped for block in blocks), Skipped())
    return first._replace(
        X=np.concatenate([block.X for block in blocks]),
        y=None if first.y is None else np.concatenate([block.y for block in blocks]),
        weight=weight,
        skipped=skipped,
        next=blocks[-1].next,
    )


def require_table(shape: tuple[int, ...], dtype: np.dtype[np.generic], name: str) -> None:
    """Raise an error unless this is a table of numbers."""
    if len(shape) != 2 or dtype.kind not in "biuf":
        raise FileError(
            name, f"found an array of shape {shape} and type {dtype}, expected a table of numbers"
        )


def as_asked(X: Matrix, options: Options) -> Matrix:
    """`X` in the type that was asked for."""
    with np.errstate(over="ignore"):
        return X if options.dtype is None else X.astype(options.float_type, copy=False)


def other_separator(line: bytes) -> str | None:
    """What to say of a line whose fields are parted by something else than commas, if they are."""
    for byte, name in SEPARATORS.items():
        if byte in line.strip():
            return f"found fields parted by {name}, expected commas: write it as CSV with commas"
    return None
