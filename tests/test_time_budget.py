"""A budget of seconds is for the work, and every loop keeps to it."""

from fractions import Fraction
from itertools import count

import numpy as np
import pytest
from hypothesis import given, strategies as st

from novikoff import MaxMargin, OutOfTime, separability
from novikoff.certificates import exact_hull
from novikoff.certificates.exact import Whole
from novikoff.core import clock
from novikoff.max_margin import estimator
from worlds import worlds


def test_compiling_is_not_counted(monkeypatch):
    """Kernels within kernels count once; the clock then goes on from where it stood."""
    compiling, time = clock.Compiling(), [10.0]
    monkeypatch.setattr(clock, "COMPILING", compiling)
    monkeypatch.setattr(clock, "monotonic", lambda: time[0])
    for time[0], told in ((11.0, "start"), (12.0, "start"), (14.0, "end"), (15.0, "end")):
        getattr(compiling, f"on_{told}")(None)
    assert (compiling.kernels, compiling.seconds) == (1, 4.0)
    time[0] = 20.0
    assert clock.now() == 16.0


@pytest.mark.parametrize("late", range(12))
def test_the_exact_search_looks_at_the_clock_all_the_time(monkeypatch, late):
    """On a clock that goes a second a look, it is never more than a step late."""
    random = np.random.default_rng(0)
    P = random.integers(-9, 9, (3 * exact_hull.BLOCK, 6)).tolist()
    looks = count()
    monkeypatch.setattr(exact_hull, "now", lambda: float(next(looks)))
    with pytest.raises(TimeoutError):
        exact_hull.nearest_difference(P, [[0] * 6], [(0, 0)], float(late))
    assert next(looks) <= late + 4
    with pytest.raises(TimeoutError):
        exact_hull.products(Whole(P * 8, [1] * 6), P[:6], next(looks) + late)


def test_a_step_that_would_be_late_is_not_begun(monkeypatch):
    time = [0.0]
    monkeypatch.setattr(exact_hull, "now", lambda: time[0])
    patience = exact_hull.Patience(10.0)
    patience.begin()
    time[0] = 6.0
    patience.end()
    with pytest.raises(TimeoutError):
        patience.begin()


def test_who_has_time_left_does_not_blame_the_budget(monkeypatch):
    X, y = [[0.0], [1.0]], [0, 1]
    undecided = separability(X, y, budget=1e-9)
    assert undecided.verdict == "undecided"
    monkeypatch.setattr(estimator, "separability", lambda *_, **__: undecided)
    monkeypatch.setattr(MaxMargin, "_narrow", lambda *_: None)
    with pytest.raises(OutOfTime, match="more time would not help: scale the features"):
        MaxMargin().fit(X, y)
    with pytest.raises(OutOfTime, match="Within budget=1e-09 seconds"):
        MaxMargin(budget=1e-9).fit(X, y)


@given(world=worlds(), exponent=st.integers(-1070, 1021), bias=st.booleans())
def test_verdicts_do_not_depend_on_the_scale(world, exponent, bias):
    """To the ends of the range, where sums of rows would be past it."""
    X, y = world
    here = separability(X, y, fit_intercept=bias)
    there = separability(np.ldexp(X, exponent), y, fit_intercept=bias)
    assert there.verdict == here.verdict
    assert there.infinite == here.infinite


def test_rows_whose_sum_is_past_the_range():
    found = separability([[0.0], [0.0], [1e308], [1e308]], [1, 0, 0, 0])
    assert found.verdict == "quasi-separable"
    assert found.infinite == (-1, 0)
    assert found.multipliers == (Fraction(1, 2), Fraction(1, 2))
