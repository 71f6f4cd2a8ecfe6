"""A table of one's own: two of its columns, or its two principal directions, as points.

The page sends the text of a CSV file; no file is opened here.
"""

import csv
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from novikoff.errors import DataError, ParameterError
from novikoff.lab.link import FARTHEST, MOST_POINTS, State, plain
from novikoff.typing import Array

MOST_COLUMNS = 200
LARGEST = 1e100
"""Squares of what is larger leave the range of floats, and a projection needs them."""
PROJECTED = -1
"""The "column" that stands for the two principal directions of all numbers."""


class Sheet(NamedTuple):
    """The rows of a table, as text."""

    header: list[str]
    rows: list[list[str]]
    numeric: list[int]
    """Which columns have numbers in all rows."""


def parsed(text: str) -> Sheet:
    """The table in a text of lines with commas, semicolons or tabs."""
    rows = [row for row in _read(text) if any(word.strip() for word in row)]
    if not rows:
        raise DataError("The table is empty: give one with a column of labels and two of numbers.")
    width = len(rows[0])
    if not 3 <= width <= MOST_COLUMNS:
        raise DataError(
            f"The table has {width:,} column{'s' * (width != 1)}, but 3 to {MOST_COLUMNS} are "
            "needed: labels, and two or more of numbers, with commas, semicolons or tabs between."
        )
    for place, row in enumerate(rows, 1):
        if len(row) != width:
            raise DataError(f"Row {place} has {len(row)} values, but the first has {width}.")
    header = [f"column {j + 1}" for j in range(width)]
    if not any(_is_number(word) for word in rows[0]):
        header = [word.strip() or f"column {j + 1}" for j, word in enumerate(rows[0])]
        rows = rows[1:]
    numeric = [j for j in range(width) if rows and all(_is_number(row[j]) for row in rows)]
    if len(rows) < 2 or len(numeric) < 2:
        raise DataError(
            f"The table has {len(rows)} row{'s' * (len(rows) != 1)} and {len(numeric)} "
            f"column{'s' * (len(numeric) != 1)} of finite numbers, but two of each are needed."
        )
    return Sheet(header, rows, numeric)


def _read(text: str) -> Iterator[list[str]]:
    lines = text.removeprefix("\ufeff").splitlines()
    first = lines[0] if lines else ""
    comma = max(",;\t", key=first.count)
    try:
        yield from csv.reader(lines, delimiter=comma, strict=True)
    except csv.Error as error:
        raise DataError(f"The table cannot be read: {error}.") from error


def _is_number(word: str) -> bool:
    try:
        return bool(abs(float(word)) < np.inf)
    except ValueError:
        return False


def columns(sheet: Sheet) -> dict[str, object]:
    """What there is to choose from: columns of numbers, and of labels with their two classes."""
    classes = {j: {row[j].strip() for row in sheet.rows} for j in range(len(sheet.header))}
    labels = {j: sorted(found) for j, found in classes.items() if 2 <= len(found) <= 50}
    if not labels:
        raise DataError("No column has between 2 and 50 different values to be taken for labels.")
    return {
        "header": sheet.header,
        "rows": len(sheet.rows),
        "numeric": sheet.numeric,
        "labels": [{"column": j, "classes": found} for j, found in labels.items()],
        # labels are most often words, and most often last
        "label": max(labels, key=lambda j: (j not in sheet.numeric, j)),
    }


def chosen(sheet: Sheet, label: int, first: str, second: str, x: int, y: int) -> State:
    """The points of two classes: two columns, or `PROJECTED`.

    A projection is onto the two directions in which the numbers vary most, each column first
    brought to mean 0 and standard deviation 1.
    """
    if not 0 <= label < len(sheet.header):
        raise ParameterError(f"There is no column {label}: the table has {len(sheet.header)}.")
    signs = {first: -1, second: 1}
    rows = [(signs[row[label].strip()], row) for row in sheet.rows if row[label].strip() in signs]
    if {sign for sign, _ in rows} != {-1, 1}:
        raise ParameterError(
            f"The classes {first!r} and {second!r} must be two different labels in the table."
        )
    if len(rows) > MOST_POINTS:
        raise DataError(
            f"The table has {len(rows):,} rows of these classes, but the lab takes "
            f"{MOST_POINTS} points at the most: leave some out."
        )
    used = [j for j in sheet.numeric if j != label] if x == PROJECTED else [x, y]
    if x == PROJECTED and len(used) < 2:
        raise DataError("A projection needs two columns of numbers beside the labels.")
    if x != PROJECTED and (x == y or not {x, y} <= set(sheet.numeric)):
        raise ParameterError(f"Columns {x} and {y} must be two different columns of numbers.")
    plane = np.array([[float(row[j]) for j in used] for _, row in rows])
    names = (plain(sheet.header[used[0]]) or "x1", plain(sheet.header[used[1]]) or "x2")
    if x == PROJECTED:
        names = ("1st principal direction", "2nd principal direction")
        for j, largest in zip(used, abs(plane).max(axis=0), strict=True):
            if largest > LARGEST:
                raise DataError(
                    f"The column {sheet.header[j]} goes to {largest:g}, but a projection takes "
                    f"numbers up to {LARGEST:g}: scale it, or leave it out."
                )
        plane = projected(plane)
    if abs(plane).max() > FARTHEST:
        raise DataError(f"The points go to {abs(plane).max():g}, past {FARTHEST:g}: scale them.")
    shown = (plain(first) or "-1", plain(second) or "+1")
    return State(
        points=tuple((a, b, sign) for (a, b), (sign, _) in zip(plane.tolist(), rows, strict=True)),
        names=names if names[0] != names[1] else ("x1", "x2"),
        classes=shown if shown[0] != shown[1] else ("-1", "+1"),
    )


def projected(X: Array) -> Array:
    """The rows in the plane of their two principal directions, to three decimals."""
    deviation = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    _, _, directions = np.linalg.svd(Z, full_matrices=False)
    directions = directions[:2]
    # a direction and its opposite are as good: let the largest entry be positive
    largest = np.take_along_axis(directions, abs(directions).argmax(axis=1)[:, None], axis=1)
    plane: Array = np.round(Z @ (directions * np.sign(largest)).T, 3) + 0.0
    return plane
