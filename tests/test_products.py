"""The products of a row with many weight vectors: each as it is alone."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from novikoff.core.jit import njit
from novikoff.core.products import dots, dots_and_sqnorm, suited
from novikoff.core.rows import Unit, dot, sqnorm
from novikoff.inputs.arrays import as_rows


@njit(cache=True)
def all_ways(W, X, n, alone, together, measured):
    """Products one by one, all together, and together with the square of the length."""
    for i in range(n):
        for c in range(len(W)):
            alone[0, i, c] = dot(W[c], X, i)
        alone[1, i, 0] = sqnorm(W[0], X, i)
        dots(W, X, i, together[i])
        measured[1, i, 0] = dots_and_sqnorm(W, X, i, measured[0, i])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
@pytest.mark.parametrize("form", ["dense", "unit", "sparse"])
@given(
    d=st.integers(1, 200),
    K=st.integers(1, 6),
    seed=st.integers(0, 99),
)
def test_together_as_alone(dtype, form, d, K, seed):
    """On numbers that round: bit for bit on plain dense rows, to rounding on others."""
    random = np.random.default_rng(seed)
    X = (10 * random.standard_normal((3, d))).astype(dtype)
    of = np.float32 if dtype == np.float32 else np.float64
    W = random.standard_normal((K, d + 1)).astype(of)
    rows = as_rows(sparse.csr_array(X) if form == "sparse" else X)
    rows = Unit(rows) if form == "unit" else rows
    alone, measured = np.zeros((2, 3, K), of), np.zeros((2, 3, K), of)
    together = np.zeros((3, K), of)
    all_ways(suited(W, rows), rows, 3, alone, together, measured)
    np.testing.assert_array_equal(together, measured[0])
    np.testing.assert_array_equal(alone[1], measured[1])
    if form == "dense":
        np.testing.assert_array_equal(together, alone[0])
    size = np.abs(X).astype(float) @ np.abs(W[:, :-1]).T.astype(float)
    assert (abs(together - alone[0]) <= 4 * d * np.finfo(of).eps * size).all()
