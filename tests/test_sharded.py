"""The verdict over shards is the one on all rows, whatever the cuts, and few rows travel."""

import json
import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

import naive
from novikoff import Bracket, DataError, ParameterError, margin, separability
from novikoff.certificates.sharded import coordinator
from novikoff.certificates.sharded.certify import certify
from novikoff.certificates.sharded.protocol import Given, Here, piece
from novikoff.certificates.sharded.verify import measure, verify
from novikoff.data import load, planted
from worlds import planted as planted_worlds, worlds

FORMS = {"dense": np.asarray, "sparse": sparse.csr_array, "single": np.float32}


class Wires(Here):
    """Shards that are far away: what goes there and back is pickled, and rows are counted."""

    def __init__(self, examples):
        super().__init__(examples)
        self.sent = []
        """Shard and number of every row that was sent."""

    def ask(self, question, numbers):
        question = pickle.loads(pickle.dumps(question))
        answers = super().ask(question, [np.asarray(n).copy() for n in numbers])
        for shard, answer in enumerate(answers):
            rows = answer if isinstance(answer, Given) else getattr(answer, "given", None)
            self.sent.extend((shard, int(r)) for r in ([] if rows is None else rows.rows))
        return pickle.loads(pickle.dumps(answers))


@pytest.fixture(scope="module", params=[True, False], ids=["one by one", "by the hundred"])
def in_rounds(request):
    """Rows become active one by one, or as many at once as the tests have."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param:
            patch.setattr(coordinator, "FEW", 1)
            patch.setattr(coordinator, "MANY", 0)
            patch.setattr(coordinator, "EACH", 1)
        yield request.param


def cut(X, y, places, *weight):
    """The rows between these places, each a shard; with their weights, if there are any."""
    ends = [0, *sorted(places), len(y)]
    return [tuple(part[a:b] for part in (X, y, *weight)) for a, b in pairwise(ends)]


def evenly(X, y, k):
    """So many shards of about one size."""
    return cut(X, y, [len(y) * i // k for i in range(1, k)])


def cuts(n):
    """Where to cut; shards may be empty."""
    return st.lists(st.integers(0, n), max_size=4)


@st.composite
def many_worlds(draw):
    """Three classes and perhaps a fourth."""
    n, d = draw(st.integers(3, 9)), draw(st.integers(1, 3))
    X = draw(hnp.arrays(np.float64, (n, d), elements=st.integers(-3, 3).map(float)))
    y = draw(hnp.arrays(np.int64, n, elements=st.integers(0, 3)))
    y[:3] = [2, 0, 1]
    return X, y


def agree(X, y, shards, weight=None, **options):
    """Ask the shards and the whole; the answers must be the same, and the proof hold for all."""
    result, travel = certify(shards, **options)
    assert travel.rows == len(shards.sent) == len(set(shards.sent))  # and no row twice
    whole = separability(X, y, sample_weight=weight, **options)
    assert result.verdict == whole.verdict
    assert result.n_classes == whole.n_classes
    assert result.verify(X, y, weight)
    assert verify(result, shards)[0]
    assert verify(whole, shards)[0]
    assert result.margin.lower <= whole.margin.upper
    assert whole.margin.lower <= result.margin.upper
    tol = options.get("tol", 1e-6)
    assert result.margin.gap <= tol * result.margin.upper
    assert result.novikoff == pytest.approx(whole.novikoff, rel=5 * tol)
    assert list(result.rows) == sorted(result.rows)
    assert [np.shape(result.coef), np.shape(result.intercept)] == [
        np.shape(whole.coef),
        np.shape(whole.intercept),
    ]
    return result, whole


# ------------------------------------------------------------- the law


@pytest.mark.parametrize("bias", [True, False])
@settings(deadline=None)
@given(
    world=worlds(max_rows=8, max_columns=3, entries=st.integers(-2, 2)),
    form=st.sampled_from(sorted(FORMS)),
    data=st.data(),
)
def test_the_verdict_is_that_on_all_rows(in_rounds, bias, world, form, data):
    X, y = FORMS[form](world.X), world.y
    shards = Wires(cut(X, y, data.draw(cuts(len(y)))))
    result, whole = agree(X, y, shards, fit_intercept=bias)
    assert result.verdict == naive.verdict(*world.lists, bias)
    assert naive.check_certificate(json.loads(result.to_json()), *world.lists)
    assert result.coefficients == whole.coefficients
    assert (result.verdict == "inseparable") == (not any(result.infinite))


@pytest.mark.parametrize("bias", [True, False])
@settings(deadline=None)
@given(world=many_worlds(), form=st.sampled_from(["dense", "sparse"]), data=st.data())
def test_the_verdict_on_many_classes_is_that_on_all_rows(in_rounds, bias, world, form, data):
    X, y = world
    X = FORMS[form](X)
    agree(X, y, Wires(cut(X, y, data.draw(cuts(len(y))))), fit_intercept=bias)


@pytest.mark.parametrize("bias", [True, False])
@settings(deadline=None)
@given(
    world=worlds(max_rows=8, max_columns=3, entries=st.integers(-2, 2)) | many_worlds(),
    form=st.sampled_from(sorted(FORMS)),
    data=st.data(),
)
def test_an_example_of_weight_0_is_not_there(in_rounds, bias, world, form, data):
    """The certificate is that of the other examples, to the bit; rows have their numbers in all."""
    X, y = FORMS[form](world[0]), world[1]
    weight = data.draw(hnp.arrays(np.float64, len(y), elements=st.sampled_from([0.0, 1.0, 1.0])))
    places = data.draw(cuts(len(y)))
    shards, kept = Wires(cut(X, y, places, weight)), np.flatnonzero(weight)
    if len(set(y[kept].tolist())) < 2:
        with pytest.raises(DataError, match="one class only|no examples"):
            certify(shards)
        return
    result, _ = agree(X, y, shards, weight, fit_intercept=bias)
    some = [(part[w > 0], labels[w > 0]) for part, labels, w in cut(X, y, places, weight)]
    without, _ = certify(Here(some), fit_intercept=bias)
    assert result == without.with_numbers(dict(enumerate(kept.tolist())))
    weight[data.draw(st.sampled_from(result.rows))] = 0.0
    if len(set(y[weight > 0].tolist())) == result.n_classes:
        assert not verify(result, Here(cut(X, y, places, weight)))[0]
        assert not result.verify(X, y, weight)


def test_what_weights_leave_out():
    """Classes that no example of weight 1 has are not there; columns are, and so is a shard."""
    X = [sparse.csr_array(np.eye(2)), sparse.csr_array(np.eye(3)), sparse.csr_array(np.eye(2))]
    labels, weights = [["a", "b"], ["b", "c", "c"], ["a", "b"]], [[1, 1], [0, 0, 0], [0.5, 0]]
    shards = Here(list(zip(X, labels, weights, strict=True)))
    found, travel = certify(shards)
    assert (found.verdict, found.n_classes, len(found.coef)) == ("separable", 2, 3)
    assert travel.rows == travel.n_examples == 3
    assert set(found.rows) <= {0, 1, 5}
    assert measure(shards, found.coef, found.intercept).n_rows == 3


@settings(deadline=None)
@given(world=planted_worlds(), data=st.data())
def test_the_bracket_holds_the_margin_of_every_separator(in_rounds, world, data):
    (X, y), u, b = world
    result, _ = agree(X, y, Wires(cut(X, y, data.draw(cuts(len(y))))))
    assert result.verdict == "separable"
    assert margin(X, y, u, b) <= result.margin.upper
    assert margin(X, y, result.coef, result.intercept) == pytest.approx(
        result.margin.lower, rel=1e-5
    )


@settings(deadline=None)
@given(world=worlds(max_rows=8, max_columns=2, entries=st.integers(0, 1)), data=st.data())
def test_columns_that_few_or_none_use(in_rounds, world, data):
    """Sparse shards need not have heard of the columns of others."""
    X, y = world
    own = np.eye(len(y)) * data.draw(hnp.arrays(np.float64, len(y), elements=st.integers(0, 1)))
    X = sparse.csr_array(np.hstack([X, np.zeros((len(y), 3)), own, np.zeros((len(y), 1200))]))
    shards = []
    for part, labels in cut(X, y, data.draw(cuts(len(y)))):
        width = int(part.indices.max(initial=0)) + 1
        parts = part.data, part.indices, part.indptr
        shards.append((sparse.csr_array(parts, shape=(len(labels), width)), labels))
    shards.append((X[:0], y[:0]))  # one knows how many there are
    wires = Wires(shards)
    wires.pieces[-1] = piece("the last", X[:1], y[:1])
    X, y = sparse.vstack([X, X[:1]], format="csr"), np.append(y, y[0])
    result, whole = agree(X, y, wires)
    unused = np.setdiff1d(np.arange(X.shape[1]), X.indices)
    assert not np.array(result.infinite)[unused].any()
    assert (result.coef is None) == (whole.coef is None)


@settings(deadline=None)
@given(world=worlds(max_rows=8, max_columns=2, entries=st.integers(-2, 2)), data=st.data())
def test_no_certificate_survives_tampering(world, data):
    X, y = world
    shards = Here(cut(X, y, data.draw(cuts(len(y)))))
    told, _ = certify(shards)
    k = data.draw(st.integers(0, len(told.rows) - 1))
    p = list(told.multipliers)
    p[k] *= 2
    lies = [
        replace(told, multipliers=tuple(p)),
        replace(told, rows=(*told.rows[:-1], len(y))),
        replace(told, rows=(*told.rows[:-1], -1)),
        replace(told, rows=(*told.rows[:-1], told.rows[0])) if len(p) > 1 else None,
        replace(told, rows=(), multipliers=()),
        replace(told, verdict="undecided"),
        replace(told, n_classes=3, rivals=(0,) * len(p)),
        *(
            replace(told, verdict=other)
            for other in {"separable", "quasi-separable", "inseparable"} - {told.verdict}
        ),
    ]
    if told.verdict == "separable":
        lower, upper = told.margin.lower, told.margin.upper
        lies += [
            replace(told, margin=Bracket(1.1 * upper, 2 * upper)),
            replace(told, margin=Bracket(lower, 0.9 * upper)),
            replace(told, coef=-told.coef, intercept=-told.intercept),
            replace(told, coef=np.append(told.coef, 0.0)),
        ]
    if told.verdict == "quasi-separable":
        flipped = tuple(-f for f in told.witness)
        lies += [
            replace(told, witness=flipped, coef=-told.coef, intercept=-told.intercept),
            replace(told, intercept=told.intercept + 1.0),
        ]
    for lie in filter(None, lies):
        assert not verify(lie, shards)[0]
        assert not lie.verify(X, y)


@settings(deadline=None)
@given(
    world=worlds(max_rows=8, max_columns=2, entries=st.integers(-2, 2)),
    u=hnp.arrays(np.float64, 3, elements=st.integers(-3, 3).map(float)),
    data=st.data(),
)
def test_a_hyperplane_is_measured_over_shards(world, u, data):
    X, y = world
    shards = Here(cut(X, y, data.draw(cuts(len(y)))))
    w, b = np.append(u[: X.shape[1] - 1], 1.0), u[-1]
    found = measure(shards, w, b)
    assert found.n_rows == len(y)
    assert found.radius == np.linalg.norm(X, axis=1).max()
    scores = y * (X @ w + b)
    assert found.margin == pytest.approx(scores.min() / np.linalg.norm(w), abs=1e-12)
    assert found.separates == bool((scores > 0).all())
    if found.separates:
        assert found.margin <= separability(X, y).margin.upper


# ------------------------------------------------------------- known data


@pytest.mark.parametrize("k", [1, 5, 40])
@pytest.mark.parametrize("name", ["iris", "sonar", "wdbc", "wine"])
def test_bundled_sets(name, k):
    X, y, _ = load(name)
    result, whole = agree(X, y, Wires(evenly(X, y, k)))
    assert result.n_classes > 2 or result.coefficients == whole.coefficients


@pytest.mark.heavy
@pytest.mark.parametrize("k", [4, 50])
def test_few_rows_travel(k):
    """Of 100,000, the few that are near the margin, and those to begin with."""
    X, y, _ = planted(100_000, 20, margin=0.05, seed=1)
    shards = Wires(evenly(X, y, k))
    agree(X, y, shards)
    assert len(shards.sent) < 3_000
    noise = np.random.default_rng(0).integers(0, 2, len(y))
    shards = Wires(evenly(X, noise, k))
    result, _ = agree(X, noise, shards)
    assert result.verdict == "inseparable"
    assert len(shards.sent) < 600


def test_the_same_shards_give_the_same_bits():
    X, y, _ = planted(5_000, 10, margin=0.02, seed=3)
    texts = {certify(Here(evenly(X, y, 7)))[0].to_json() for _ in range(3)}
    assert len(texts) == 1


def test_shards_of_one_class_each_and_one_with_a_class_of_its_own():
    X, species, _ = load("iris")
    shards = [(X[species == name], species[species == name]) for name in sorted(set(species))]
    agree(X, species, Wires(shards))
    agree(X, species, Wires([*shards[:2], (X[:0], species[:0]), shards[2]]))


def test_dense_and_sparse_shards_together():
    X, species, _ = load("iris")
    y = species == "setosa"
    first, *rest = evenly(X, y, 3)
    agree(X, y, Wires([first, *((sparse.csr_array(part), labels) for part, labels in rest)]))


def test_out_of_time_is_undecided():
    X, y, _ = planted(3_000, 30, margin=0.01, seed=0)
    for labels in (y, np.arange(len(y)) % 4):
        result, _ = certify(Here(evenly(X, labels, 3)), budget=1e-9)
        assert result.verdict == "undecided"
        assert result.margin.lower == 0 < result.margin.upper
        assert result.n_classes == len(set(labels.tolist()))


# ------------------------------------------------------------- what cannot be


def test_what_is_wrong_with_a_shard():
    good = (np.eye(2), ["a", "b"])
    with pytest.raises(DataError, match=r"In shard 1: .*NaN.*row 0, column 1"):
        certify(Here([good, ([[1.0, np.nan]], ["a"])]))
    with pytest.raises(DataError, match=r"In shard 2: .*missing label"):
        certify(Here([good, good, ([[1.0, 2.0]], [None])]))
    with pytest.raises(DataError, match=r"In shard 0: .*inconsistent numbers"):
        certify(Here([(np.eye(2), ["a"]), good]))
    with pytest.raises(DataError, match=r"Shard 1 has 1 columns, and another one 2"):
        certify(Here([good, ([[1.0]], ["a"])]))
    with pytest.raises(DataError, match=r"words, others numbers"):
        certify(Here([good, (np.eye(2), [0, 1])]))
    with pytest.raises(DataError, match=r"one class only, 'a'"):
        certify(Here([(np.eye(2), ["a", "a"])] * 2))
    with pytest.raises(DataError, match=r"no examples"):
        certify(Here([(np.zeros((0, 2)), [])] * 2))
    with pytest.raises(DataError, match=r"no examples, or none of a weight above 0"):
        certify(Here([(*good, [0, 0])]))
    with pytest.raises(DataError, match=r"In shard 1: sample_weight .* entry 1 is -1"):
        certify(Here([good, (*good, [1, -1])]))
    with pytest.raises(ValueError, match=r"Unknown label type: continuous"):
        certify(Here([(np.eye(2), [0.5, 1.0])]))
    with pytest.raises(ParameterError, match=r"budget=0 was given, but it must be"):
        certify(Here([good]), budget=0)
    with pytest.raises(DataError, match=r"1 times 2 weights"):
        measure(Here([good]), [1.0])
    with pytest.raises(DataError, match=r"one of them not 0"):
        measure(Here([good]), [0.0, 0.0])
