"""How the laws use the kernel machines: on which data, with which kernels, beside which twin."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import naive_kernels
from laws.learners import fitted as fitted
from novikoff.learners.kernels import blocks as dual_blocks

EPOCHS = {"max_iter": 3, "shuffle": False}


class Crowd(NamedTuple):
    """Labelled examples of several classes, all of which occur."""

    X: np.ndarray
    y: np.ndarray


@st.composite
def crowds(draw, max_rows=9, max_columns=3, classes=4):
    """Any labels on a few rows; entries so small that fourth powers are exact."""
    k = draw(st.integers(2, classes))
    n = draw(st.integers(k, max(k, max_rows)))
    d = draw(st.integers(1, max_columns))
    X = draw(hnp.arrays(np.float64, (n, d), elements=st.integers(-2, 2).map(float)))
    y = draw(
        st.permutations(
            [*range(k), *draw(st.lists(st.integers(0, k - 1), min_size=n - k, max_size=n - k))]
        )
    )
    return Crowd(X, np.array(y))


class Given(NamedTuple):
    """A kernel for the library, and the same for a twin."""

    options: dict
    exactly: object


@st.composite
def kernels(draw):
    """A kernel that is exact on small integers."""
    if draw(st.booleans()):
        return Given({"kernel": "linear"}, naive_kernels.linear)
    gamma = draw(st.sampled_from([0.5, 1.0, 2.0]))
    degree, coef0 = draw(st.integers(1, 4)), draw(st.sampled_from([0.0, 1.0, 2.0]))
    options = {"kernel": "poly", "gamma": gamma, "degree": degree, "coef0": coef0}
    return Given(options, naive_kernels.poly(gamma, degree, coef0))


conventions = st.fixed_dictionaries(
    {
        "tie": st.sampled_from(["mistake", "negative", "positive"]),
        "multi_class": st.sampled_from(["joint", "ovr"]),
        "margin": st.sampled_from([0.0, 0.0, 0.5, 2.0]),
    }
)


def in_blocks_of(rows):
    """Let the kernel machines visit so many rows with one product."""

    class Set:
        def __enter__(self):
            self.before = dual_blocks.BLOCK
            dual_blocks.BLOCK = rows

        def __exit__(self, *_):
            dual_blocks.BLOCK = self.before

    return Set()


TOLD = (
    *("mistakes_", "dual_coef_", "support_", "support_vectors_", "radius_", "classes_"),
    *("n_iter_", "converged_", "n_mistakes_"),
)


def assert_same(one, other, rows=None, but=()):
    """Two machines told the same, to the last bit, and predict the same."""
    for name in TOLD:
        if name not in but:
            a, b = (getattr(m, name) for m in (one, other))
            a, b = (v.toarray() if hasattr(v, "toarray") else np.asarray(v) for v in (a, b))
            np.testing.assert_array_equal(a, b, err_msg=name)
    if rows is not None:
        np.testing.assert_array_equal(one.decision_function(rows), other.decision_function(rows))
