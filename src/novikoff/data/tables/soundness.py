"""Examples from the columns of a table; the rows that are none are errors, or skipped."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.data.reader_options import Options
from novikoff.data.results import MESSAGES_KEPT, Data, Place, Skipped
from novikoff.data.tables.layout import Layout, Table, said, title
from novikoff.data.tables.plan import expected
from novikoff.errors import FileError
from novikoff.typing import Array, Matrix

if TYPE_CHECKING:
    from novikoff.data.tables.encode import Encoded

Found = tuple[int | None, Any, str]
"""Which column a fault is in, what was found, and what was expected."""


def examples_of(
    made: "Encoded",
    own: Callable[[int], Array],
    table: Table,
    options: Options,
    name: str,
    start: Place,
    kept: dict[str, Any] | None = None,
) -> Data:
    """The examples of a table, given the rows that its plan makes, and its other columns by number.

    The kept columns lose the rows that are no examples.
    """
    layout = table.layout
    y, weight = (None if j is None else own(j) for j in (layout.label, layout.weight))
    faults: dict[int, Found] = {}
    for row, k, found in made.faults:
        faults.setdefault(row, (table.places[k], found, expected(table.plan.columns_[k])))
    data = sound(made.X, y, weight, layout, options, name, start, made.bad, faults.get, kept)
    data = data._replace(names=table.names, plan=table.plan)
    return data._replace(unseen=made.unseen, unused=table.unused)


def sound(
    X: Matrix,
    y: Array | None,
    weight: npt.NDArray[np.float64] | None,
    layout: Layout,
    options: Options,
    name: str,
    start: Place,
    bad_x: npt.NDArray[np.bool_] | None = None,
    blamed: Callable[[int], Found | None] | None = None,
    kept: dict[str, Any] | None = None,
) -> Data:
    """The rows that are examples; the others are errors, or skipped."""
    bad_y, bad_weight = bad_labels(y, options), bad_weights(weight)
    bad = (bad_rows(X) if bad_x is None else bad_x) | bad_y | bad_weight
    messages = []
    for i in np.flatnonzero(bad)[:MESSAGES_KEPT].tolist():
        column: int | None
        wrong = blamed(i) if blamed else in_row(X, i, layout)
        if wrong is not None:
            column, found, wanted = wrong
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
        if y is not None and y.dtype.kind == "O":  # booleans, some of which were missing?
            y = np.array(y.tolist(), None if len(y) else bool)
        good = np.flatnonzero(~bad)
        kept = kept and {called: column.take(good) for called, column in kept.items()}
    if weight is not None and (weight == 1).all():
        weight = None
    stop = Place(start.offset + len(bad), start.line + len(bad))
    skipped = Skipped(int(bad.sum()), tuple(messages))
    return Data(X, y, weight, layout.feature_names, None, skipped, start, stop, kept=kept)


def in_row(X: Matrix, i: int, layout: Layout) -> Found | None:
    """What is wrong with the values of a row, if anything is."""
    row = X[[i]].toarray()[0] if sparse.issparse(X) else X[i]
    wrong = np.flatnonzero(~np.isfinite(row))
    if not len(wrong):
        return None
    return layout.features[wrong[0]], row[wrong[0]], "a finite number"


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
    missing = np.zeros(len(y), bool) if options.labels == "optional" else are_missing(y)
    return missing | np.isinf(y) if y.dtype.kind == "f" else missing


def are_missing(y: Array) -> npt.NDArray[np.bool_]:
    """Which labels are missing: NaN, a text without a letter, or nothing among other objects."""
    missing: npt.NDArray[np.bool_]
    if y.dtype.kind == "f":
        missing = np.isnan(y)
    elif y.dtype.kind == "U":  # look at first letters: quicker than to compare texts
        missing = np.ascontiguousarray(y).view(np.uint32)[:: y.itemsize // 4] == 0
    else:
        missing = np.array([label is None for label in y.tolist()], bool)
    return missing


def bad_weights(weight: npt.NDArray[np.float64] | None) -> npt.NDArray[np.bool_] | bool:
    """Which weights are below 0, or not finite."""
    return False if weight is None else ~((weight >= 0) & (weight < np.inf))


def joined(parts: Iterable[Data]) -> Data:
    """Blocks as one."""
    blocks = list(parts)
    if len(blocks) == 1:
        return blocks[0]
    first = blocks[0]
    weight = None
    if any(block.weight is not None for block in blocks):
        weight = np.concatenate(
            [np.ones(b.X.shape[0]) if b.weight is None else b.weight for b in blocks]
        )
    skipped = sum((block.skipped for block in blocks), Skipped())
    unseen: Counter[str] = sum((block.unseen for block in blocks), Counter())
    copies: dict[str, list[Any]] = {}
    for block in blocks:
        for called, column in (block.kept or {}).items():
            copies.setdefault(called, []).append(column)
    kept = {called: end_to_end(columns) for called, columns in copies.items()} or None
    tags = None
    if any(block.tags is not None for block in blocks):
        tags = [tag for b in blocks for tag in b.tags or [""] * b.X.shape[0]]
    return first._replace(
        X=stacked([block.X for block in blocks]),
        y=None if first.y is None else np.concatenate([block.y for block in blocks]),
        weight=weight,
        tags=tags,
        skipped=skipped,
        unseen=unseen,
        unused=tuple(dict.fromkeys(name for block in blocks for name in block.unused)),
        next=blocks[-1].next,
        kept=kept,
    )


def end_to_end(parts: list[Any]) -> Any:
    """The parts of a column, of NumPy's or Arrow's, as one."""
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    import pyarrow  # which made them

    return pyarrow.concat_arrays(parts)


def require_alike(block: Data, path: str, leader: Data, its_path: str) -> None:
    """Blocks of several files must have the same columns, and labels of one kind, or none."""
    for found, wanted in zip(kind_of(block), kind_of(leader), strict=True):
        if found != wanted:
            raise FileError(path, f"found {found}, expected {wanted} as in {its_path}")


def kind_of(block: Data) -> tuple[str, ...]:
    """What blocks that are joined have in common."""
    n, is_text = block.X.shape[1], block.y is not None and block.y.dtype.kind == "U"
    return (
        f"{n:,} feature{'s' * (n != 1)}",
        "no labels" if block.y is None else f"labels that are {'words' if is_text else 'numbers'}",
        f"a {'sparse' if sparse.issparse(block.X) else 'dense'} matrix",
        f"features called {block.names}" if block.names else "features without names",
    )


def stacked(parts: list[Matrix]) -> Matrix:
    """Matrices below each other."""
    if not sparse.issparse(parts[0]):
        return np.concatenate(parts)
    X = sparse.csr_array(sparse.vstack(parts, format="csr"))
    X.has_canonical_format = True
    return X


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
