"""Distances, margins and losses against exact arithmetic, and the invariances they have."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

import naive
from novikoff import (
    Perceptron,
    distance,
    freund_schapire_bound,
    margin,
    novikoff_bound,
    perceptron_loss,
    perceptron_subgradient,
)
from novikoff.data import BUNDLED, load, planted
from worlds import worlds

weights = hnp.arrays(np.float64, 4, elements=st.integers(-5, 5).map(float)).filter(
    lambda w: w[:-1].any()
)
scales = st.sampled_from([2.0**-10, 0.5, 1.0, 8.0, 2.0**20])  # exact


@st.composite
def scenes(draw):
    X, y = draw(worlds(max_columns=3).filter(lambda world: world.X.shape[1] == 3))
    w = draw(weights)
    return X, y, w[:-1], w[-1]


@given(scene=scenes(), scale=scales)
def test_distance_is_that_of_the_nearest_point(scene, scale):
    X, _, w, b = scene
    d = distance(X, scale * w, scale * b)
    exact = [abs(naive.inner(w, x) + Fraction(b)) ** 2 / naive.inner(w, w) for x in X.tolist()]
    np.testing.assert_allclose(d**2, [float(e) for e in exact], rtol=1e-12)
    foot = X - np.outer((X @ w + b) / (w @ w), w)  # note 004: x - h is along w
    np.testing.assert_allclose(np.linalg.norm(X - foot, axis=1), d, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(foot @ w + b, 0, atol=1e-9)


@given(scene=scenes(), scale=scales)
def test_margin_is_the_least_distance_or_minus_infinity(scene, scale):
    X, y, w, b = scene
    separated = all(
        yi * (naive.inner(w, x) + Fraction(b)) > 0 for x, yi in zip(X.tolist(), y, strict=True)
    )
    m = margin(X, y, scale * w, scale * b)
    assert m == pytest.approx(distance(X, w, b).min()) if separated else m == -np.inf
    assert m == pytest.approx(margin(sparse.csr_array(X), y, [scale * w], [scale * b]))
    assert m == pytest.approx(margin(X, np.where(y > 0, "yes", "no"), scale * w, scale * b))


@given(scene=scenes())
def test_loss_takes_labels_of_any_kind(scene):
    X, y, w, b = scene
    expected = perceptron_loss(X, y, w, b)
    g, g0 = perceptron_subgradient(X, y, w, b)
    for labels in (y > 0, np.where(y > 0, 2, 1), np.where(y > 0, "b", "a").astype(object)):
        assert perceptron_loss(X, labels, w, b) == expected
        other, other0 = perceptron_subgradient(sparse.csr_array(X), labels, w, b)
        np.testing.assert_array_equal(other, g)
        assert other0 == g0
    assert perceptron_loss(X, y, 0 * w, 0) == 0.0


@given(scene=scenes(), k=st.sampled_from([-1.0, -0.25, 0.0]))
def test_only_the_kink_depends_on_k(scene, k):
    X, y, w, b = scene
    g, g0 = perceptron_subgradient(X, y, w, b, k=k)
    s = X @ w + b
    contribution = np.where(s == 0, k * y, np.where(y * s < 0, -y, 0))
    np.testing.assert_array_equal(g, contribution @ X)
    assert g0 == contribution.sum()


def test_bounds_at_the_edge():
    assert novikoff_bound(2.0, 0.0) == np.inf
    assert freund_schapire_bound(2.0, 0.0, 1.0) == np.inf
    assert freund_schapire_bound(2.0, 0.5, 0.0) == novikoff_bound(2.0, 0.5) == 16.0
    assert novikoff_bound(1.0, 1.0, start_norm=3.0, start_progress=3.0) < 1e-9  # already there


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_planted_margins_are_there(dtype):
    X, y, u = planted(2000, 30, margin=0.1, dtype=dtype, seed=1)
    assert X.dtype == dtype
    assert set(y.tolist()) == {-1, 1}
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1, rtol=1e-5)
    gamma = margin(X, y, u)
    assert gamma == pytest.approx(0.1, rel=0.02)
    model = Perceptron(fit_intercept=False, max_iter=1000, random_state=0).fit(X, y)
    assert model.n_mistakes_ <= novikoff_bound(model.radius_, gamma)


def test_bundled_sets_are_complete():
    shapes = {"iris": (150, 4), "sonar": (208, 60), "wdbc": (569, 30), "wine": (178, 13)}
    assert tuple(sorted(shapes)) == BUNDLED
    for name, shape in shapes.items():
        X, y, names = load(name)
        assert X.shape == shape == (len(y), len(names))
        assert np.isfinite(X).all()
    from sklearn.datasets import load_breast_cancer, load_iris, load_wine

    for name, loader in (("iris", load_iris), ("wine", load_wine), ("wdbc", load_breast_cancer)):
        theirs = loader()
        X, y, _ = load(name)
        np.testing.assert_array_equal(X, theirs.data)
        np.testing.assert_array_equal(y, theirs.target_names[theirs.target])
