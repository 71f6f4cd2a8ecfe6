"""Data for the laws, made by hypothesis.

Entries are small integers or multiples of 1/8, so that every sum a learner makes is exact in single
precision too: what the kernels return can then be compared to the fractions of
`naive.py` for equality.
"""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp


class World(NamedTuple):
    """Labelled examples; labels are -1 and +1 and both occur."""

    X: np.ndarray
    y: np.ndarray

    @property
    def lists(self):
        return self.X.tolist(), self.y.tolist()


def labels(n):
    """Labels of both kinds."""
    return st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n).filter(
        lambda y: len(set(y)) == 2
    )


@st.composite
def worlds(draw, max_rows=10, max_columns=4, entries=None):
    """Any labels on a few rows; separable or not."""
    n = draw(st.integers(2, max_rows))
    d = draw(st.integers(1, max_columns))
    entries = st.integers(-4, 4) if entries is None else entries
    X = draw(hnp.arrays(np.float64, (n, d), elements=entries.map(float)))
    return World(X, np.array(draw(labels(n))))


@st.composite
def planted(draw, max_rows=12, max_columns=4, fit_intercept=True):
    """Rows strictly separated by a drawn hyperplane `(u, b)`, which is returned too."""
    d = draw(st.integers(1, max_columns))
    u = draw(hnp.arrays(np.float64, d, elements=st.integers(-3, 3).map(float)).filter(np.any))
    b = float(draw(st.integers(-2, 2))) if fit_intercept else 0.0
    n = draw(st.integers(2, max_rows))
    X = draw(hnp.arrays(np.float64, (n, d), elements=st.integers(-4, 4).map(float)))
    s = X @ u + b
    X, s = X[s != 0], s[s != 0]
    y = np.where(s > 0, 1, -1)
    if len(set(y.tolist())) < 2:  # add what is missing, far along u
        far = 8.0 * u
        X = np.vstack([X, far, -far])
        y = np.append(y, [1, -1])
    return World(X, y), u, b


@st.composite
def disjunctions(draw, max_rows=20, max_columns=12):
    """0/1 rows labelled by a disjunction of `r` of the variables, and `r`."""
    d = draw(st.integers(2, max_columns))
    chosen = draw(st.sets(st.integers(0, d - 1), min_size=1, max_size=min(4, d)))
    n = draw(st.integers(2, max_rows))
    X = draw(hnp.arrays(np.float64, (n, d), elements=st.sampled_from([0.0, 1.0])))
    X = np.vstack([X, np.zeros(d), np.ones(d)])  # one of each class
    y = np.where(X[:, sorted(chosen)].any(axis=1), 1, -1)
    return World(X, y), len(chosen)


conventions = st.fixed_dictionaries(
    {
        "fit_intercept": st.booleans(),
        "tie": st.sampled_from(["mistake", "negative", "positive"]),
        "eta0": st.sampled_from([0.5, 1.0, 2.0]),
        "slack": st.sampled_from([0.0, 0.0, 0.5, 1.0]),
        "margin": st.sampled_from([0.0, 0.0, 0.5, 2.0]),
    }
)
