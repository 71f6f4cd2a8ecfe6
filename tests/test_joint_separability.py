"""Whether many classes can be separated jointly: Kesler's construction, which is never built."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from novikoff import Bracket, Perceptron, Separability, separability
from novikoff.data import load
from novikoff.errors import DataError


@st.composite
def worlds(draw, max_rows=9):
    n, d = draw(st.integers(3, max_rows)), draw(st.integers(1, 3))
    X = draw(hnp.arrays(np.float64, (n, d), elements=st.integers(-3, 3).map(float)))
    y = draw(hnp.arrays(np.int64, n, elements=st.integers(0, 3)))
    y[:3] = [2, 0, 1]
    return X, y


def built(X, y, bias):
    """All vectors of the construction, every other one turned, to be two classes."""
    X = np.hstack([X, np.ones((len(X), 1))]) if bias else X
    classes = np.unique(y).tolist()
    rows = []
    for x, label in zip(X, y.tolist(), strict=True):
        for r in classes:
            if r != label:
                z = np.zeros((len(classes), X.shape[1]))
                z[classes.index(label)], z[classes.index(r)] = x, -x
                rows.append(z.ravel())
    sides = np.where(np.arange(len(rows)) % 2, -1, 1)
    return np.array(rows) * sides[:, None], sides


def script_in_the_docs():
    """What the page on certificates checks them with: it trusts nothing of ours."""
    page = (Path(__file__).parent.parent / "docs" / "certificates.md").read_text()
    names = {}
    for mark in ("<!-- checker -->", "<!-- joint checker -->"):
        exec(page.split(mark)[1].split("```python\n")[1].split("```")[0], names)  # it is ours
    return names["holds_jointly"]


HOLDS = script_in_the_docs()


@settings(deadline=None)
@given(world=worlds(), bias=st.booleans(), form=st.sampled_from([np.asarray, sparse.csr_array]))
def test_the_verdict_is_that_on_the_construction(world, bias, form):
    X, y = world
    result = separability(form(X), y, fit_intercept=bias)
    expected = separability(*built(X, y, bias), fit_intercept=False)
    assert result.verdict == expected.verdict
    assert result.margin.lower <= expected.margin.upper
    assert expected.margin.lower <= result.margin.upper
    assert result.margin.gap <= 2e-6 * result.margin.upper
    assert result.verify(X, y)
    assert HOLDS(result.to_json(), X.tolist(), np.unique(y, return_inverse=True)[1].tolist())
    assert Separability.from_json(result.to_json()).verify(form(X), y)
    if result.verdict == "separable":
        model = Perceptron(fit_intercept=bias, max_iter=10_000, random_state=0).fit(X, y)
        assert model.converged_
        assert model.n_mistakes_ <= result.novikoff
        assert model.margin_.lower <= result.margin.upper
        assert result.margin.lower <= model.margin_.upper
    else:
        assert result.novikoff == np.inf


@settings(deadline=None)
@given(world=worlds(max_rows=6), bias=st.booleans(), data=st.data())
def test_no_certificate_survives_tampering(world, bias, data):
    X, y = world
    result = separability(X, y, fit_intercept=bias)
    if result.verdict == "separable":
        assert not replace(
            result, margin=Bracket(result.margin.lower, 0.9 * result.margin.upper)
        ).verify(X, y)
        assert not replace(result, margin=Bracket(1.1 * result.margin.upper, 9e9)).verify(X, y)
        assert not replace(result, coef=-result.coef, intercept=-result.intercept).verify(X, y)
    k = data.draw(st.integers(0, len(result.rows) - 1))
    p = list(result.multipliers)
    p[k] *= 2
    assert not replace(result, multipliers=tuple(p)).verify(X, y)
    total = sum(p)
    if result.verdict != "separable" and len(p) > 1:
        scaled = replace(result, multipliers=tuple(q / total for q in p))
        assert not scaled.verify(X, y)
        assert not HOLDS(
            scaled.to_json(), X.tolist(), np.unique(y, return_inverse=True)[1].tolist()
        )
    rivals = list(result.rivals)
    rivals[k] = int(np.searchsorted(np.unique(y), y[result.rows[k]]))
    assert not replace(result, rivals=tuple(rivals)).verify(X, y)
    for other in {"separable", "quasi-separable", "inseparable"} - {result.verdict}:
        assert not replace(result, verdict=other).verify(X, y)
    assert not replace(result, n_classes=result.n_classes + 1).verify(X, y)
    assert not replace(result, n_classes=2, rivals=()).verify(X, y)


def test_the_three_kinds_of_iris():
    """Setosa leaves the others, which overlap: no estimate in multinomial logistic regression."""
    X, species, _ = load("iris")
    result = separability(X, species)
    assert result.verdict == "quasi-separable"
    assert result.verify(X, species)
    assert set(species[list(result.rows)].tolist()) <= {"versicolor", "virginica"}


def test_three_classes_on_a_line_with_the_middle_one_spread():
    """Nothing lies between: the middle class is on both sides of the others."""
    X = np.array([[-2.0], [2.0], [-1.0], [1.0], [0.0]])
    y = ["a", "a", "b", "b", "c"]
    result = separability(X, y)
    assert result.verdict == "inseparable"
    assert sum(result.multipliers) == Fraction(1)
    assert result.verify(X, y)


@pytest.mark.parametrize("K", [3, 5])
def test_unit_vectors_have_a_margin_that_is_known(K):
    """x_c = e_c: weights e_c - 1/K, all leads 1, so the margin is 1 over their length."""
    X, y = np.eye(K), np.arange(K)
    result = separability(X, y, fit_intercept=False)
    gamma = 1 / np.sqrt(K - 1)
    assert result.margin.lower <= gamma <= result.margin.upper
    assert result.margin.gap <= 1e-6 * gamma
    assert result.novikoff == pytest.approx(2 / gamma**2, rel=1e-5)


def test_a_certificate_of_two_classes_says_nothing_of_three():
    X = np.array([[0.0], [1.0], [2.0]])
    two = separability(X, [0, 0, 1])
    assert not two.verify(X, [0, 1, 2])
    three = separability(X, [0, 1, 2])
    assert three.verify(X, [0, 1, 2])
    assert not three.verify(X, [0, 0, 1])
    text = three.to_json()
    with pytest.raises(DataError, match="not a separability certificate"):
        Separability.from_json(text.replace('"rivals"', '"friends"'))


@settings(deadline=None)
@given(world=worlds(), bias=st.booleans(), form=st.sampled_from([np.asarray, sparse.csr_array]))
def test_columns_that_no_example_uses_change_no_proof(world, bias, form):
    X, y = world
    wide = np.zeros((len(X), 300))
    wide[:, 7 : 7 + X.shape[1]] = X / 7  # sevenths, so that sums are rounded
    result = separability(form(wide), y, fit_intercept=bias)
    assert result.verdict != "undecided"
    assert result.verify(form(wide), y)


def test_out_of_time_is_undecided():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((300, 20)), random.integers(0, 4, 300)
    result = separability(X, y, budget=1e-9)
    assert result.verdict == "undecided"
    assert result.n_classes == 4
    assert not result.verify(X, y)
