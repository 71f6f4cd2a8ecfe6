"""The small real data sets that come with the library."""

import csv
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.errors import ParameterError

BUNDLED = ("iris", "sonar", "wdbc", "wine")
"""Their names; `bundled/README.md` lists the sources."""


class DataSet(NamedTuple):
    """A labelled data set."""

    X: npt.NDArray[np.float64]
    """One row per example."""
    y: npt.NDArray[np.str_]
    """The class of each example, by name."""
    feature_names: list[str]
    """The names of the columns."""


def load(name: str) -> DataSet:
    """Load a small data set that comes with the library: "iris", "sonar", "wdbc" or "wine".

    Parameters
    ----------
    name : {"iris", "sonar", "wdbc", "wine"}

    Returns
    -------
    DataSet
        `X`, `y` and `feature_names`.

    Examples
    --------
    >>> from novikoff.data import load
    >>> X, y, names = load("iris")
    >>> X.shape, sorted(set(y.tolist())), names[0]
    ((150, 4), ['setosa', 'versicolor', 'virginica'], 'sepal_length')

    References
    ----------
    Fisher (1936); Forina et al. (1991); Wolberg et al. (1995); Gorman & Sejnowski (1988).
    """
    if name not in BUNDLED:
        raise ParameterError(f"There is no bundled data set {name!r}: choose from {BUNDLED}.")
    text = files("novikoff.data").joinpath("bundled", f"{name}.csv").read_text("utf-8")
    header, *rows = csv.reader(text.splitlines())
    X = np.array([row[:-1] for row in rows], np.float64)
    return DataSet(X, np.array([row[-1] for row in rows]), header[:-1])
