"""Mixing weights: as the fractions say, whatever travels sparse or dense, in one fixed tree."""

from fractions import Fraction

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from novikoff.cluster.mix import FAN, Mix, added, advanced, change_of, groups, shares


@st.composite
def epochs(draw):
    """The weights before an epoch, those of some shards after it, and what they summed up."""
    n, d, K = draw(st.integers(1, 11)), draw(st.integers(1, 6)), draw(st.integers(1, 3))
    shape = (d,) if K == 1 else (K, d)
    numbers = st.integers(-8, 8).map(float)
    before, u = (draw(hnp.arrays(np.float64, shape, elements=numbers)) for _ in range(2))
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    moves = draw(hnp.arrays(np.float64, (n, *shape), elements=st.sampled_from([0, 0, 0, 1, -2.5])))
    tallies = draw(hnp.arrays(np.float64, (n, *shape), elements=numbers)) * (moves != 0)
    visits = draw(st.lists(st.integers(1, 5), min_size=n, max_size=n))
    mistakes = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    return before.astype(dtype), u, before + moves, tallies, visits, mistakes


def up_the_tree(changes, width):
    while len(changes) > 1:
        changes = [added([changes[i] for i in group], width) for group in groups(len(changes))]
    return changes[0]


@given(epoch=epochs(), mixing=st.sampled_from(["uniform", "mistakes"]), seen=st.integers(0, 20))
def test_the_mix_is_that_of_the_fractions(epoch, mixing, seen):
    before, u, after, tallies, visits, mistakes = epoch
    own = mistakes if mixing == "mistakes" else [1] * len(after)
    changes = [
        change_of(before, after[i], tallies[i], float(own[i]), visits[i]) for i in range(len(after))
    ]
    found = advanced(Mix(before, u, seen), up_the_tree(changes, before.shape[-1]))
    assert found.n_seen == seen + sum(visits)
    if not sum(own):
        assert (found.w == before).all()
        return
    # a shard's tally is what it summed up of its visits, as the learner keeps it: sum w_t = n w - u
    for at in np.ndindex(before.shape):
        mu = [Fraction(a, sum(own)) for a in own]
        w = sum(m * Fraction(float(after[(i, *at)])) for i, m in enumerate(mu))
        assert np.isclose(float(found.w[at]), float(w), rtol=1e-6, atol=1e-6)
        before_sum = seen * Fraction(float(before[at])) - Fraction(float(u[at]))
        sums = sum(
            visits[i] * Fraction(float(after[(i, *at)])) - Fraction(float(tallies[(i, *at)]))
            for i in range(len(after))
        )
        total = found.n_seen * Fraction(float(found.w[at])) - Fraction(float(found.u[at]))
        assert np.isclose(float(total), float(before_sum + sums), rtol=1e-9, atol=1e-9)


@given(epoch=epochs())
def test_columns_that_did_not_change_do_not_travel(epoch):
    before, _, after, tallies, visits, _ = epoch
    for i in range(len(after)):
        change = change_of(before, after[i], tallies[i], 1.0, visits[i])
        moved = np.atleast_2d(after[i] != before).any(axis=0)
        if change.columns is not None:
            assert change.columns.tolist() == np.flatnonzero(moved).tolist()
            assert change.weights.shape[-1] == moved.sum()
        else:
            assert 2 * moved.sum() > len(moved)


@given(st.integers(1, 200))
def test_the_tree_has_every_shard_once_and_in_order(n):
    assert [i for group in groups(n) for i in group] == list(range(n))
    assert all(len(group) == FAN for group in groups(n)[:-1])


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=9), st.sampled_from(["uniform", "mistakes"])
)
def test_shares_make_a_whole(mistakes, mixing):
    mu = shares(mistakes, [True] * len(mistakes), mixing)
    assert all(m >= 0 for m in mu)
    assert sum(mu) == 0 if mixing == "mistakes" and not any(mistakes) else abs(sum(mu) - 1) < 1e-12
