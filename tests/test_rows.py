"""The primitives do what their formulas say, on every kind of row and at every scale."""

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from numba import typeof
from scipy import sparse

from novikoff.core import rows as primitives
from novikoff.core.jit import njit
from novikoff.core.products import dots
from novikoff.core.rows import CSR, SUM, Above, Gram, Unit, dot_and_sqnorm
from novikoff.inputs.arrays import (
    DAMAGED,
    DTYPES,
    IN_ORDER,
    OUT_OF_ORDER,
    REPEATED,
    as_rows,
    csr_state,
    weight_dtype,
)

# the primitives as they are, kept on disk: alone, they are called by tests only
dot, sqnorm, norm = (
    njit(getattr(primitives, name).py_func, cache=True, fastmath=SUM)
    for name in ("dot", "sqnorm", "norm")
)
add, scale, is_binary = (
    njit(getattr(primitives, name).py_func, cache=True) for name in ("add", "scale", "is_binary")
)

matrices = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 5), st.integers(1, 40)),
    elements=st.integers(-9, 9).map(float),
)


def kinds(X):
    """The same rows in every form that stores them."""
    return [X, as_rows(sparse.csr_array(X))]


def weights(X):
    return np.arange(1.0, X.shape[1] + 2)


@given(X=matrices)
def test_dot_add_and_norms(X):
    w = weights(X)
    for rows in kinds(X):
        for i, x in enumerate(X):
            assert dot(w, rows, i) == x @ w[:-1]
            assert sqnorm(w, rows, i) == x @ x
            assert norm(rows, i) == np.sqrt(x @ x)
            moved = w.copy()
            add(moved, -2.0, rows, i)
            np.testing.assert_array_equal(moved, w - 2 * np.append(x, 0))


@njit(cache=True)
def told_of(w, X, i, moved):
    """All that a kernel can ask of a row."""
    add(moved, -2.0, X, i)
    dots(moved.reshape((1, -1)), X, i, moved[-1:])
    return dot(w, X, i), sqnorm(w, X, i), norm(X, i), is_binary(X, i)


@pytest.mark.parametrize(
    ("dtype", "indices"), [*((dtype, np.int32) for dtype in DTYPES), (DTYPES[0], np.int64)], ids=str
)
@given(data=st.data())
def test_every_type_is_read_as_it_is(dtype, indices, data):
    """Also at the ends of its range: integers do not wrap."""
    if dtype.kind == "f":
        entries = st.integers(-9, 9)
    else:
        ends = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        entries = st.one_of(st.integers(*ends), st.sampled_from(ends))
    d = data.draw(st.integers(1, 40))
    X = np.array([data.draw(st.lists(entries, min_size=d, max_size=d))], dtype)
    csr = sparse.csr_array(X)
    csr.indices, csr.indptr = csr.indices.astype(indices), csr.indptr.astype(indices)
    w = weights(X).astype(weight_dtype(X))
    x = X[0].astype(w.dtype)
    for rows in (as_rows(X), as_rows(csr)):
        moved = w.copy()
        score, square, length, binary = told_of(w, rows, 0, moved)
        assert score == x @ w[:-1]
        assert square == x @ x
        assert length == np.sqrt(x @ x)
        assert binary == np.isin(x, [0, 1]).all()
        np.testing.assert_array_equal(moved[:-1], w[:-1] - 2 * x)
        assert moved[-1] == x @ moved[:-1]


@given(X=matrices, level=st.integers(-3, 3))
def test_above(X, level):
    w = weights(X)
    for rows in kinds(X)[: 2 if level >= 0 else 1]:
        above = Above(rows, float(level))
        for i, x in enumerate(X):
            assert dot(w, above, i) == (x > level) @ w[:-1]
            assert is_binary(above, i)
            assert is_binary(rows, i) == np.isin(x, [0, 1]).all()
            moved = w.copy()
            scale(moved, 0.5, 3.0, above, i)
            expected = np.where(x > level, np.maximum(w[:-1] / 2, 3.0), w[:-1])
            np.testing.assert_array_equal(moved[:-1], expected)
            assert moved[-1] == w[-1]


@given(X=matrices)
def test_unit(X):
    w = weights(X)
    for rows in kinds(X):
        for i, x in enumerate(X):
            length = np.sqrt(x @ x)
            unit = x / length if length else x
            assert dot(w, Unit(rows), i) == pytest.approx(unit @ w[:-1], rel=1e-13, abs=1e-13)
            moved = np.zeros_like(w)
            add(moved, 2.0, Unit(rows), i)
            np.testing.assert_allclose(moved[:-1], 2 * unit, rtol=1e-15)


@given(X=matrices)
def test_gram(X):
    K = Gram(X @ X.T)
    w = np.arange(1.0, X.shape[1] + 1)
    scores = np.append(X @ w, 0.0)
    for i, x in enumerate(X):
        assert dot(scores, K, i) == x @ w
        assert norm(K, i) == np.sqrt(x @ x)
        assert measured(scores, K, i) == (x @ w, x @ x)
        moved = scores.copy()
        add(moved, 3.0, K, i)
        np.testing.assert_array_equal(moved, np.append(X @ (w + 3.0 * x), 0.0))


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
@pytest.mark.parametrize("form", ["dense", "csr", "unit"])
def test_the_score_while_learning_is_the_score_when_predicting(dtype, form):
    """Measuring a row on the way must not change a bit of its score."""
    random = np.random.default_rng(0)
    for d in [*range(1, 70), 127, 784, 1000]:
        X = (100 * random.standard_normal((4, d))).astype(dtype)
        rows = as_rows(sparse.csr_array(X)) if form == "csr" else X
        rows = Unit(rows) if form == "unit" else rows
        w = random.standard_normal(d + 1)
        w = w.astype(np.float32) if dtype == np.float32 else w
        for i in range(len(X)):
            s, q = measured(w, rows, i)
            assert s == dot(w, rows, i)
            assert q == pytest.approx(float(norm(rows, i)) ** 2, rel=1e-5)


@njit(cache=True)
def measured(w, rows, i):
    return dot_and_sqnorm(w, rows, i)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@given(j=st.integers(0, 33), w=st.sampled_from([0.0, 1.0, -2.0]))
def test_what_is_not_finite_never_has_a_finite_score(dtype, bad, j, w):
    X = np.ones((1, 34), dtype)
    X[0, j] = bad
    weight = np.full(35, w, dtype)
    for rows in (X, as_rows(sparse.csr_array(X)), Unit(X), Above(X, 0.5)):
        assert not np.isfinite(dot(weight, rows, 0))
    for rows in (X, as_rows(sparse.csr_array(X))):
        assert not norm(rows, 0) < np.inf
        assert not is_binary(rows, 0)


@pytest.mark.parametrize("exponent", [-308, -200, -150, 0, 150, 200, 307])
def test_lengths_at_every_scale(exponent):
    x = np.array([[3.0, -4.0]]) * 10.0**exponent
    assert norm(x, 0) == pytest.approx(5.0 * 10.0**exponent, rel=1e-15, abs=0)
    assert norm(np.zeros((1, 3)), 0) == 0


def brute_force_state(indices, indptr, width):
    if indptr[0] != 0 or (np.diff(indptr) < 0).any() or indptr[-1] > len(indices):
        return DAMAGED
    used = indices[: indptr[-1]]
    if ((used < 0) | (used >= width)).any():
        return DAMAGED
    rows = [used[a:b] for a, b in pairwise(indptr)]
    least = min((np.diff(r).min() for r in rows if len(r) > 1), default=1)
    return IN_ORDER if least > 0 else REPEATED if least == 0 else OUT_OF_ORDER


@given(data=st.data(), dtype=st.sampled_from([np.int32, np.int64]))
def test_the_state_of_a_csr_matrix(data, dtype):
    width = data.draw(st.integers(1, 6))
    indices = data.draw(hnp.arrays(dtype, st.integers(0, 12), elements=st.integers(-1, width)))
    cuts = data.draw(st.lists(st.integers(0, len(indices) + 1), max_size=6))
    if data.draw(st.booleans()):
        cuts = sorted(cuts)
    indptr = np.array([0, *cuts, len(indices)], dtype)
    state = csr_state(indices.view(f"u{indices.itemsize}"), indptr, width)
    assert state == brute_force_state(indices, indptr, width)


def test_the_state_of_many_rows():
    """More rows than are looked at together, with a fault in the last one."""
    X = sparse.random_array((1000, 50), density=0.1, format="csr", rng=0)
    X.sort_indices()
    indices = X.indices.astype(np.int32)
    assert csr_state(indices.view("u4"), X.indptr, 50) == IN_ORDER
    indices[-1] = indices[-2]
    assert csr_state(indices.view("u4"), X.indptr, 50) == REPEATED
    indices[-1] -= 1
    assert csr_state(indices.view("u4"), X.indptr, 50) == OUT_OF_ORDER
    indices[-1] = 50
    assert csr_state(indices.view("u4"), X.indptr, 50) == DAMAGED


@pytest.mark.heavy
def test_compiled_is_interpreted():
    """All of it runs uncompiled, and says the same: `interpreted.py` compares the two."""
    script = Path(__file__).parent / "interpreted.py"
    told = {}
    for disabled in ("0", "1"):
        env = os.environ | {"NUMBA_DISABLE_JIT": disabled}
        run = subprocess.run([sys.executable, script], env=env, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        told[disabled] = run.stdout
    assert len(told["0"].splitlines()) > 100
    assert told["0"] == told["1"]


def test_csr_is_a_view():
    X = sparse.csr_array(np.eye(3))
    rows = as_rows(X)
    assert isinstance(rows, CSR)
    for name in ("data", "indices", "indptr"):
        assert np.shares_memory(getattr(rows, name), getattr(X, name))


def test_rows_are_not_to_be_written_to():
    """Whether the user's own may be or not: so one compiled form serves both."""
    for X in (np.eye(3), sparse.csr_array(np.eye(3))):
        frozen = X.copy()
        (frozen.data if sparse.issparse(X) else frozen).flags.writeable = False
        assert typeof(as_rows(X)) == typeof(as_rows(frozen))
        own = X.data if sparse.issparse(X) else X
        assert own.flags.writeable
