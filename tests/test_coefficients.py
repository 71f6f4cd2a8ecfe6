"""What becomes of each coefficient of separated data is the truth, and is proved."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import naive
import naive_cones
from novikoff import Separability, separability
from novikoff.certificates.simplex import Inside, in_cone
from worlds import worlds

DIVERGING = {"+inf": 1, "-inf": -1}
TABLES = worlds(max_rows=8, max_columns=3, entries=st.integers(0, 2))


def signed(X, y, bias):
    """The rows with their labels, as whole numbers, a bias last."""
    return [[int(t) * int(v) for v in ([*x, 1] if bias else x)] for x, t in zip(X, y, strict=True)]


def bias_first(d, bias):
    return [d, *range(d)] if bias else [*range(d)]


@pytest.mark.parametrize("bias", [True, False])
@given(world=TABLES, form=st.sampled_from([np.asarray, sparse.csr_array]))
def test_coefficients_are_those_of_the_cone(bias, world, form):
    X, y = world
    result = separability(form(X), y, fit_intercept=bias)
    twin = naive_cones.separation(signed(X, y, bias), [], bias_first(X.shape[1], bias))[1]
    assert result.coefficients == tuple(twin)
    assert result.verify(form(X), y)
    again = Separability.from_json(result.to_json())
    assert again == result
    assert again.verify(form(X), y)


def test_all_three_diverge():
    X, y = [[1, 0], [0, 1], [1, 1], [1, 1], [1, 0], [0, 0]], [1, 0, 0, 0, 0, 1]
    result = separability(X, y)
    assert result.coefficients == ("-inf", "-inf", "+inf")
    assert result.infinite == (-1, -1, 1)


@pytest.mark.parametrize("bias", [True, False])
@given(world=worlds(max_rows=6, max_columns=1, entries=st.integers(0, 3)), data=st.data())
def test_of_many_classes_too(bias, world, data):
    """Those of every class but the first, in Kesler's construction."""
    X, d = world.X, 1
    y = np.array([data.draw(st.integers(0, 2)) for _ in world.y])
    if len(set(y.tolist())) < 3:
        return
    width, rows = d + bias, []
    for x, c in zip(X.tolist(), y.tolist(), strict=True):
        for r in {0, 1, 2} - {c}:
            blocks = {c: [*x, 1][:width], r: [-v for v in [*x, 1][:width]]}
            rows.append([v for k in (1, 2) for v in blocks.get(k, [0] * width)])
    order = [1, 0, 3, 2] if bias else [0, 1]
    twin = naive_cones.separation(rows, [], order)[1]
    result = separability(X, y, fit_intercept=bias)
    assert result.coefficients == tuple(twin)
    assert result.verify(X, y)


def ridge_estimate(Z, penalty):
    """Newton's method for the logistic likelihood with a penalty, halving steps that overshoot."""
    beta = np.zeros(Z.shape[1])

    def cost(b):
        return np.logaddexp(0, -Z @ b).sum() + penalty * b @ b / 2

    for _ in range(500):
        p = 1 / (1 + np.exp(np.clip(Z @ beta, -700, 700)))
        gradient = -Z.T @ p + penalty * beta
        step = np.linalg.solve((Z.T * (p * (1 - p))) @ Z + penalty * np.eye(len(beta)), gradient)
        size = 1.0
        while cost(beta - size * step) > cost(beta) and size > 1e-12:
            size /= 2
        beta = beta - size * step
        if abs(size * step).max() < 1e-10 * (1 + abs(beta).max()):
            break
    return beta


@given(world=TABLES)
def test_a_vanishing_ridge_goes_where_they_go(world):
    """Estimates with less and less of a penalty converge, or run away to the side that is told."""
    result = separability(world.X, world.y)
    kept = [j for j, kind in enumerate(result.coefficients) if kind != "aliased"]
    Z = np.array(signed(world.X, world.y, True), float)[:, kept]
    far, farther = ridge_estimate(Z, 1e-6), ridge_estimate(Z, 1e-9)
    for place, j in enumerate(kept):
        kind = result.coefficients[j]
        if kind == "finite":
            assert abs(farther[place] - far[place]) < 0.05
        elif kind in DIVERGING:
            assert DIVERGING[kind] * (farther[place] - far[place]) > 0.5


@given(world=TABLES)
def test_another_word_for_a_coefficient_is_not_proved(world):
    result = separability(world.X, world.y)
    for j, kind in enumerate(result.coefficients):
        for other in {"finite", "+inf", "-inf", "inf", "aliased"} - {kind}:
            kinds = (*result.coefficients[:j], other, *result.coefficients[j + 1 :])
            bad = replace(result, estimates=replace(result.estimates, kinds=kinds))
            assert not bad.verify(world.X, world.y), (j, kind, other)


def test_a_proof_that_was_tampered_with_fails():
    X, y = [[1, 0], [0, 1], [1, 1], [1, 1], [1, 0], [0, 0]], [1, 0, 0, 0, 0, 1]
    result = separability(X, y)
    told = result.estimates
    push = told.pushes[0]
    more = push._replace(multipliers=tuple(2 * p for p in push.multipliers))
    elsewhere = push._replace(rows=(1,) * len(push.rows))
    for pushes in [(), told.pushes[1:], (more, *told.pushes[1:]), (elsewhere, *told.pushes[1:])]:
        bad = replace(result, estimates=replace(told, pushes=pushes))
        assert not bad.verify(X, y)
    for spanning in [(), told.spanning[1:], (99,)]:
        assert not replace(result, estimates=replace(told, spanning=spanning)).verify(X, y)
    back = ((0, Fraction(1)), (1, Fraction(1)), (2, Fraction(-1)))
    assert not replace(result, estimates=replace(told, directions=(back,))).verify(X, y)


def test_a_certificate_of_the_first_format_says_nothing_of_coefficients():
    X, y = [[0.0], [1.0], [1.0]], [0, 0, 1]
    told = json.loads(separability(X, y).to_json())
    for key in ("coefficients", "spanning", "directions", "pushes"):
        del told[key]
    old = Separability.from_json(json.dumps(told | {"format": "novikoff-separability-1"}))
    assert old.coefficients == old.infinite == ()
    assert old.verify(X, y)


# ------------------------------------------------------------- never undecided


def hard_columns(kind, whole, exponent):
    """Numbers that floats have a hard time with, made from small whole numbers."""
    if kind == "far away":
        return 1.7e15 + whole
    if kind == "near one":
        return 1 + whole * 2.0 ** -min(52, 20 + exponent)
    if kind == "denormal":
        return whole * 5e-324
    if kind == "huge":
        return whole * 1e307
    return whole * 2.0 ** (40 * exponent - 600)


@pytest.mark.parametrize("kind", ["far away", "near one", "denormal", "huge", "one scale each"])
@given(world=worlds(max_rows=7, max_columns=2, entries=st.integers(0, 3)), data=st.data())
def test_small_data_is_always_decided(kind, world, data):
    """By what it would be for the whole numbers it was made from."""
    X = np.column_stack(
        [hard_columns(kind, column, data.draw(st.integers(0, 32))) for column in world.X.T]
    )
    result = separability(X, world.y)
    assert result.verdict == naive.verdict(X.tolist(), world.y.tolist(), True)
    assert "undecided" not in result.coefficients
    assert result.verify(X, world.y)
    assert naive.check_certificate(json.loads(result.to_json()), X.tolist(), world.y.tolist())


def test_the_next_float_is_another():
    result = separability([[1.0], [1 + 2**-50]], [0, 1])
    assert result.verdict == "separable"
    assert result.margin.lower == pytest.approx(2**-51)


vectors = st.lists(st.integers(-3, 3), min_size=3, max_size=3)


@given(given_vectors=st.lists(vectors, min_size=1, max_size=7), f=vectors, data=st.data())
def test_farkas(given_vectors, f, data):
    """A vector is in the cone or on the other side of a hyperplane, and that is shown."""
    start = data.draw(st.lists(st.integers(0, len(given_vectors) - 1), max_size=3))
    found = in_cone(given_vectors, f, start)
    if isinstance(found, Inside):
        assert all(p > 0 for p in found.multipliers)
        total = [
            sum(p * given_vectors[k][j] for k, p in zip(*found, strict=True)) for j in range(3)
        ]
        assert total == f
    else:
        assert all(naive_cones.dot(found.normal, u) >= 0 for u in given_vectors)
        assert naive_cones.dot(found.normal, f) < 0
