"""The form the data comes in changes nothing: not the type, the layout, or the labels' names."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from laws.learners import ADDITIVE, EXACT, LEARNERS, assert_same, data_for, fitted, options_for
from novikoff import AveragedPerceptron, Perceptron, Winnow
from novikoff.core.examples import Examples
from novikoff.core.rows import Gram
from novikoff.inputs import arrays
from novikoff.learners.additive import TIES, Rule
from one_pass import one_pass
from worlds import worlds

FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"]
EPOCHS = {"max_iter": 4, "shuffle": False}


@pytest.mark.parametrize("learner", EXACT)
@given(data=st.data())
def test_dense_is_sparse(learner, data):
    X, y = data.draw(data_for(learner))
    options = data.draw(options_for(learner))
    dense = fitted(learner, X, y, **EPOCHS, **options)
    csr = fitted(learner, sparse.csr_array(X), y, **EPOCHS, **options)
    assert_same(dense, csr)
    np.testing.assert_array_equal(dense.dual_coef_, csr.dual_coef_)
    # a mean is not a dyadic number, so its scores are met to rounding
    np.testing.assert_allclose(
        dense.decision_function(X),
        csr.decision_function(sparse.csr_array(X)),
        rtol=1e-14,
        atol=1e-14,
    )


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("learner", EXACT)
def test_every_sparse_format(learner, kind):
    random = np.random.default_rng(0)
    X = (random.random((40, 7)) < 0.4).astype(float)
    y = X[:, 0] > 0
    expected = fitted(learner, X, y, **EPOCHS)
    for name in FORMATS:
        rows = kind(X).asformat(name)
        assert_same(expected, fitted(learner, rows, y, **EPOCHS), rows=X)
        np.testing.assert_array_equal(expected.predict(X), expected.predict(rows))


@pytest.mark.parametrize("worth_compiling", [0, arrays.WORTH_COMPILING])
def test_wide_sparse_indices(worth_compiling, monkeypatch):
    """For one learner: all read through `rows`, whose laws are over all types."""
    monkeypatch.setattr(arrays, "WORTH_COMPILING", worth_compiling)
    X = sparse.csr_array(np.tril(np.ones((6, 6))))
    y = np.arange(6) % 2
    expected = fitted(Perceptron, X, y, **EPOCHS)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    assert X.indices.dtype == np.int64
    narrow = np.int32 if worth_compiling else np.int64
    assert arrays.in_canonical_order(X).indices.dtype == narrow
    assert_same(expected, fitted(Perceptron, X, y, **EPOCHS), rows=X)


@pytest.mark.parametrize("learner", EXACT)
@given(data=st.data())
def test_columns_out_of_order_and_repeated(learner, data):
    """A CSR matrix may list its columns in any order, and one of them in several parts."""
    X, y = data.draw(data_for(learner))
    n, d = X.shape
    half = X / 2
    columns = np.arange(d)[::-1]
    parts = np.concatenate([half[:, columns], half[:, columns]], axis=1)
    indices = np.tile(np.concatenate([columns, columns]), n).astype(np.int32)
    messy = sparse.csr_array(
        (parts.ravel(), indices, np.arange(0, 2 * n * d + 1, 2 * d)), shape=(n, d)
    )
    before = messy.indices.copy()
    model = fitted(learner, messy, y, **EPOCHS)
    assert_same(fitted(learner, X, y, **EPOCHS), model)
    clear = abs(model.decision_function(X)) > 1e-12  # a mean's score of 0 is met to rounding
    np.testing.assert_array_equal(model.predict(X)[clear], model.predict(messy)[clear])
    np.testing.assert_array_equal(messy.indices, before)  # the user's matrix is left alone
    stream = learner(shuffle=False).partial_fit(messy, y, classes=[-1, 1])
    assert_same(fitted(learner, X, y, max_iter=1, shuffle=False), stream)


@given(world=worlds(), options=options_for(ADDITIVE[0]))
def test_gram_rows_make_the_same_mistakes(world, options):
    X, y = world.X, world.y.astype(np.int8)
    n, d = X.shape
    rule = Rule(options["eta0"], float(options["fit_intercept"]), TIES[options["tie"]])
    if options["slack"]:
        rule = rule._replace(slack=options["slack"])
    K = X @ X.T
    primal, dual = np.zeros((1, d + 1)), np.zeros((1, n + 1))
    shares, shares_dual = np.zeros((n, 2), np.int32), np.zeros((n, 2), np.int32)
    for _ in range(4):
        one, R = one_pass(primal, Examples(X, y), rule, shares)
        other, R_dual = one_pass(dual, Examples(Gram(K), y), rule, shares_dual)
        for column, column_dual in zip(one, other, strict=True):
            np.testing.assert_array_equal(column, column_dual)
        assert pytest.approx(R_dual) == R
        np.testing.assert_array_equal(shares, shares_dual)
    np.testing.assert_array_equal(dual[0, :-1], X @ primal[0, :-1])
    assert dual[0, -1] == primal[0, -1]


TYPES = ("float64", "float32", "bool", "int8", "uint8", "int16", "uint16")
ALL_TYPES = [(AveragedPerceptron, dtype) for dtype in TYPES]


@pytest.mark.parametrize(("learner", "dtype"), [*ALL_TYPES, *((one, "float32") for one in EXACT)])
@given(data=st.data())
def test_types_are_read_as_they_are(learner, dtype, data):
    """All of them by one learner: `test_rows.py` has the law that the rows give what they are."""
    X, y = data.draw(worlds(entries=st.sampled_from([0, 1]), max_rows=6))
    expected = fitted(learner, X, y, **EPOCHS)
    model = fitted(learner, X.astype(dtype), y, **EPOCHS)
    weights = np.float32 if dtype == "float32" else np.float64
    assert model.coef_.dtype == model.intercept_.dtype == weights
    np.testing.assert_array_equal(model.coef_, expected.coef_.astype(weights))
    np.testing.assert_array_equal(model.mistakes_, expected.mistakes_)
    clear = abs(expected.decision_function(X)) > 1e-6  # a mean's score of 0 is met to rounding
    labels = expected.predict(X)[clear]
    np.testing.assert_array_equal(model.predict(X.astype(dtype))[clear], labels)
    np.testing.assert_array_equal(model.predict(X)[clear], labels)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16"])
def test_integers_do_not_wrap(dtype):
    info = np.iinfo(dtype)
    X = np.array([[info.max, info.min], [info.min, info.max], [info.max, info.max]], dtype)
    y = [0, 1, 0]
    model = fitted(AveragedPerceptron, X, y, **EPOCHS)
    assert_same(fitted(AveragedPerceptron, X.astype(float), y, **EPOCHS), model, rows=X)
    assert_same(fitted(AveragedPerceptron, sparse.csr_array(X), y, **EPOCHS), model, rows=X)


@pytest.mark.parametrize("learner", EXACT)
@given(data=st.data())
def test_permuting_features_permutes_weights(learner, data):
    X, y = data.draw(data_for(learner))
    order = np.array(data.draw(st.permutations(range(X.shape[1]))))
    options = data.draw(options_for(learner))
    one = fitted(learner, X, y, **EPOCHS, **options)
    other = fitted(learner, X[:, order], y, **EPOCHS, **options)
    np.testing.assert_array_equal(one.coef_[:, order], other.coef_)
    np.testing.assert_array_equal(one.dual_coef_, other.dual_coef_)
    np.testing.assert_allclose(
        one.decision_function(X), other.decision_function(X[:, order]), rtol=0, atol=1e-13
    )


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(
    "names",
    [(0, 1), (1, 2), ("no", "yes"), (False, True), (-3.0, 8.0), (np.uint8(3), np.uint8(250))],
)
def test_any_two_labels(learner, names):
    X = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
    y = np.array([1, -1, 1, -1])
    expected = fitted(learner, X, y, **EPOCHS)
    named = np.where(y > 0, names[1], names[0])
    model = fitted(learner, X, named, **EPOCHS)
    np.testing.assert_array_equal(model.classes_, names)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    np.testing.assert_array_equal(
        model.predict(X), np.where(expected.predict(X) > 0, names[1], names[0])
    )
    as_objects = fitted(learner, X, pd.Series(named, dtype=object), **EPOCHS)
    np.testing.assert_array_equal(as_objects.coef_, expected.coef_)


@pytest.mark.parametrize("learner", LEARNERS)
def test_frames(learner):
    X = np.array([[1.0, 0], [0, 1], [1, 1], [0, 0]])
    y = np.array(["a", "b", "a", "b"])
    expected = fitted(learner, X, y, **EPOCHS)
    columns = ["long", "wide"]
    pandas, polars = pd.DataFrame(X, columns=columns), pl.DataFrame(X, schema=columns)
    for frame, target in (
        (pandas, pd.Series(y)),
        (polars, pl.Series(y)),
        (pandas, pd.Categorical(y)),
    ):
        model = fitted(learner, frame, target, **EPOCHS)
        assert list(model.feature_names_in_) == columns
        np.testing.assert_array_equal(model.coef_, expected.coef_)
        np.testing.assert_array_equal(model.predict(frame), expected.predict(X))
        with pytest.raises(ValueError, match="feature names"):
            model.predict(pandas[["wide", "long"]])
    assert not hasattr(expected, "feature_names_in_")


@pytest.mark.parametrize("learner", LEARNERS)
def test_layouts(learner):
    X = np.array([[1.0, 0], [0, 1], [1, 1], [0, 0]])
    y = [1, 0, 1, 0]
    expected = fitted(learner, X, y, **EPOCHS)
    frozen = X.copy()
    frozen.flags.writeable = False
    for form in (
        np.asfortranarray(X),
        np.repeat(X, 2, axis=0)[::2],
        frozen,
        X.astype(">f8"),
        X.tolist(),
    ):
        assert_same(expected, fitted(learner, form, y, **EPOCHS), rows=form)


@given(data=st.data(), level=st.sampled_from([-1.0, 0.0, 0.5, 2.0]))
def test_binarize_is_binarizing_first(data, level):
    X, y = data.draw(worlds())
    first = fitted(Winnow, (level < X).astype(float), y, **EPOCHS)
    model = fitted(Winnow, X, y, binarize=level, **EPOCHS)
    np.testing.assert_array_equal(model.coef_, first.coef_)
    np.testing.assert_array_equal(model.predict(X), first.predict((level < X).astype(float)))
    if level >= 0:
        assert_same(model, fitted(Winnow, sparse.csr_array(X), y, binarize=level, **EPOCHS))


@pytest.mark.parametrize("learner", ADDITIVE)
@given(data=st.data())
def test_normalize_is_normalizing_first(learner, data):
    """Rows whose lengths are powers of two, so that scaling is exact."""
    axis = st.sampled_from([(0.0, 0.0), (4.0, 0.0), (0.0, -2.0), (-0.25, 0.0), (0.0, 8.0)])
    X = np.array(data.draw(st.lists(axis, min_size=2, max_size=8)))
    y = np.arange(len(X)) % 2
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    unit = X / np.where(lengths == 0, 1.0, lengths)
    model = fitted(learner, X, y, normalize=True, **EPOCHS)
    assert_same(fitted(learner, unit, y, **EPOCHS), model)
    np.testing.assert_array_equal(
        model.decision_function(X), fitted(learner, unit, y, **EPOCHS).decision_function(unit)
    )
    assert_same(model, fitted(learner, sparse.csr_array(X), y, normalize=True, **EPOCHS), rows=X)
