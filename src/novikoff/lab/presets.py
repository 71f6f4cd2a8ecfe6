"""Data sets to begin with, by name."""

from functools import cache
from typing import NamedTuple

from novikoff.data import load

Point = tuple[float, float, int]
"""Two coordinates, and the class: -1 or +1."""


class Points(NamedTuple):
    """Points of the plane, and what to call their axes and classes."""

    title: str
    points: tuple[Point, ...]
    names: tuple[str, str] = ("x1", "x2")
    classes: tuple[str, str] = ("-1", "+1")


def _from(text: str) -> tuple[Point, ...]:
    """Points written as "x y sign, x y sign"."""
    words = [point.split() for point in text.split(",")]
    return tuple((float(x), float(y), int(sign)) for x, y, sign in words)


DRAWN = {
    "separable": (
        "separable",
        "2.5 0.8 1, 0.5 2.9 1, -0.6 0.8 -1, 1.8 2.4 1, 2.4 1.6 1, 0.7 2.1 1, 2.9 0.3 1,"
        "-0.1 0.2 -1, 1.7 -0.3 -1, 1.3 2.4 1, -0.6 0.2 -1, 0.1 2.3 1, 0.4 -0.3 -1, -0.8 2.7 1",
    ),
    "barely": (
        "barely separable",
        "0.5 1.1 1, 1.4 1.9 -1, 1.1 1.7 1, 0.3 0.6 -1, 2.0 2.7 1, 2.3 2.7 -1, -0.6 0.1 1,"
        "-0.9 -0.6 -1, 0.9 1.7 1, 1.9 2.2 -1, -1.4 -0.8 1, 0.8 1.0 -1",
    ),
    "xor": ("XOR", "0 0 -1, 0 1 1, 1 0 1, 1 1 -1"),
    "and": ("AND", "0 0 -1, 0 1 -1, 1 0 -1, 1 1 1"),
    "or": ("OR", "0 0 -1, 0 1 1, 1 0 1, 1 1 1"),
    "outlier": (
        "one outlier",
        "1.2 0.9 1, -1.1 -0.7 -1, 1.8 1.5 1, -1.7 -1.3 -1, 0.8 1.9 1, -0.6 -1.8 -1, 2.2 0.6 1,"
        "-2.1 -0.5 -1, 1.4 2.3 1, -1.3 -2.2 -1, -1.4 -1.2 1",
    ),
    "touching": ("touching a line", "1 1 1, 2 0 1, 0 2 1, 0 0 -1, 1 0 -1, 1 1 -1"),
}

IRIS = (("setosa", "versicolor"), ("setosa", "virginica"), ("versicolor", "virginica"))

NAMES = (*DRAWN, *(f"iris-{first}-{second}" for first, second in IRIS))
"""What presets are called in a link."""


@cache
def preset(name: str) -> Points:
    """The points of one of `NAMES`."""
    if name in DRAWN:
        title, text = DRAWN[name]
        return Points(title, _from(text))
    _, first, second = name.split("-")
    X, species, names = load("iris")
    both = zip(X[species == first], X[species == second], strict=True)  # a flower of each in turn
    points = tuple(
        (float(row[2]), float(row[3]), sign)
        for pair in both
        for row, sign in zip(pair, (-1, 1), strict=True)
    )
    axes = (names[2].replace("_", " "), names[3].replace("_", " "))
    return Points(f"iris: {first}, {second}", points, axes, (first, second))
