"""Every learner records its updates, of two classes and of more, and gives its weights back."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import novikoff
from anatomy import anatomy
from laws.learners import ADDITIVE, OPTIONS, ZERO_ONE, assert_same, fitted
from laws.test_many_classes import many_worlds
from novikoff import (
    AveragedPerceptron,
    NotSeparable,
    PassiveAggressive,
    Perceptron,
    Pocket,
    VotedPerceptron,
    Winnow,
    novikoff_bound,
)
from novikoff.errors import DataError, ParameterError
from novikoff.learners import LEARNERS
from novikoff.learners.state import WEIGHTS, flat
from novikoff.proofs.proof import quantities
from worlds import conventions

FORMS = {"dense": np.asarray, "sparse": sparse.csr_array}
LABELS = np.array(["d", "a", "c", "b"])
CHANGES = {"C": 2.0, "r": 3.0, "eta": 0.7, "eta0": 0.5}
"""Parameters that may change in the middle of a run."""


def options_for(learner, draw):
    options = dict(draw(OPTIONS.get(learner, conventions)))
    if "multi_class" in learner().get_params():
        options["multi_class"] = draw(st.sampled_from(["joint", "ovr"]))
    return options


def data_for(learner, form, draw, n=14):
    """Numbers that round, of two classes or of four; and weights."""
    random = np.random.default_rng(draw(st.integers(0, 99)))
    X = random.standard_normal((n, 3))
    if learner in ZERO_ONE:
        X = (X > 0).astype(float)
    X[random.random(X.shape) < 0.3] = 0.0
    K = 2 if not learner._takes_many_classes else draw(st.sampled_from([2, 4]))
    y = LABELS[random.integers(0, K, n)]
    y[:K] = LABELS[:K]
    weight = random.choice([0.3, 1.0, 1.7], n) if learner is not Winnow else None
    single = form == "sparse" and learner is AveragedPerceptron  # in single precision: one for all
    X = FORMS[form](X.astype(np.float32 if single else np.float64))
    return X, y, {} if weight is None else {"sample_weight": weight}


def machine_of(trace, k):
    """The weights that an update was made on."""
    w = trace.weights(k).astype(np.float64)
    return w[max(trace.gained[k - 1], trace.lost[k - 1])] if trace._apart else w


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("learner", LEARNERS)
@given(data=st.data())
def test_recording_changes_nothing_and_gives_the_weights_back(
    learner, form, data, tmp_path_factory
):
    X, y, fit = data_for(learner, form, data.draw)
    options = options_for(learner, data.draw) | {"random_state": 0, "max_iter": 3}
    plain = fitted(learner, X, y, fit=fit, **options)
    model = fitted(learner, X, y, fit=fit, record=True, **options)
    assert_same(plain, model, rows=X)
    assert anatomy(plain)["_state"] | {"log": 0} == anatomy(model)["_state"] | {"log": 0}
    trace = model.trace_
    np.testing.assert_array_equal(
        trace.weights(len(trace)), flat(model._state.weights), strict=True
    )
    np.testing.assert_array_equal(np.bincount(trace.example, minlength=len(y)), model.dual_coef_)
    assert (np.diff(trace.mistakes) >= 0).all()
    assert trace.mistakes[-1] <= model.n_mistakes_
    if not options.get("slack"):
        for k in (1, len(trace) // 2, len(trace)):
            square = (machine_of(trace, k) ** 2).sum()
            assert trace.squared_norm[k - 1] == pytest.approx(square, rel=1e-4, abs=1e-4)
    path = tmp_path_factory.getbasetemp() / f"{learner.__name__}-{form}.safetensors"
    model.save(path)
    loaded = novikoff.load(path)
    for other in (loaded, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert anatomy(other) == anatomy(model)
    every = range(len(trace) + 1)
    replayed = loaded.trace_.with_data(X, y).weights(every)
    np.testing.assert_array_equal(replayed, trace.weights(every), strict=True)
    for one in (model, loaded):
        one.partial_fit(X, y)
    assert anatomy(loaded) == anatomy(model)
    model.set_params(record=False).save(path)
    assert not hasattr(novikoff.load(path), "trace_")


def in_final_form(model, w, classes, final):
    """Weights of the classes known at a time, as those of all classes there would be."""
    if len(final) == 2 or len(classes) == len(final):
        return w
    half = 2 if w.ndim == 1 and getattr(model, "multi_class", "") == "joint" else 1
    half = half if isinstance(model, PassiveAggressive) else 1
    every, w = np.zeros((len(final), w.shape[-1]), w.dtype), np.atleast_2d(w)
    WEIGHTS.spread(w, every, np.searchsorted(final, classes))
    return every / half


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("learner", LEARNERS)
@given(data=st.data())
def test_weights_on_the_way_are_those_of_a_run_that_stopped_there(learner, form, data):
    """However a stream is cut; classes come when they come, and parameters may change."""
    X, y, fit = data_for(learner, form, data.draw)
    options = options_for(learner, data.draw) | {"shuffle": False}
    cuts = sorted(data.draw(st.sets(st.integers(1, len(y) - 1))))
    told = {"classes": np.unique(y)} if not learner._takes_many_classes else {}
    change = {k: v for k, v in CHANGES.items() if k in options}
    change_at = data.draw(st.integers(0, len(cuts)))
    plain, model, seen = learner(**options), learner(record=True, **options), []
    for number, block in enumerate(np.split(np.arange(len(y)), cuts)):
        for one in (plain, model):
            if number == change_at:
                one.set_params(**change)
            weights = {name: w[block] for name, w in fit.items()}
            one.partial_fit(X[block], y[block], **told, **weights)
        seen.append((len(model.trace_), flat(model._state.weights).copy(), model.classes_))
    np.testing.assert_array_equal(plain._state.weights, model._state.weights)
    trace = model.trace_.with_data(X, y)
    assert trace.position.tolist() == trace.example.tolist()
    if trace.gained is None:
        np.testing.assert_array_equal(
            trace.label, np.where(y == model.classes_[1], 1, -1)[trace.example]
        )
    else:
        np.testing.assert_array_equal(model.classes_[trace.label], y[trace.example])
        one, other = trace.gained, trace.lost
        assert ((one == trace.label) | ((one < 0) & trace._apart)).all()
        assert (other != trace.label).all()
    for k, w, classes in seen:
        expected = in_final_form(model, w, classes, model.classes_)
        np.testing.assert_array_equal(trace.weights(k), expected, strict=True)
        if k and not options.get("slack"):
            square = (machine_of(trace, k) ** 2).sum()
            assert trace.squared_norm[k - 1] == pytest.approx(square, rel=1e-4, abs=1e-4)


# ------------------------------------------------------------- the theorem of many classes


@st.composite
def planted_classes(draw):
    """Rows whose classes some weights tell apart by a margin, and these weights."""
    K, d = draw(st.integers(3, 4)), draw(st.integers(2, 3))
    random = np.random.default_rng(draw(st.integers(0, 999)))
    U = random.integers(-3, 4, (K, d)).astype(float)
    X = np.vstack([random.integers(-4, 5, (20, d)).astype(float), 3 * U])
    scores = np.sort(X @ U.T, axis=1)
    X = X[scores[:, -1] - scores[:, -2] > 1]
    y = (X @ U.T).argmax(axis=1)
    return X, y, U


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("learner", [*ADDITIVE, Pocket])
@given(
    world=planted_classes().filter(lambda w: len(set(w[1].tolist())) == len(w[2])), data=st.data()
)
def test_the_lemmas_hold_in_keslers_space(learner, form, world, data):
    X, y, U = world
    options = dict(data.draw(conventions)) | {"max_iter": 30, "random_state": 0}
    weight = np.random.default_rng(0).choice([0.5, 1.0, 2.0], len(y))
    fit = {"sample_weight": weight} if data.draw(st.booleans()) else {}
    model = fitted(learner, form(X), y, fit=fit, record=True, **options)
    trace = model.trace_
    for proof in (trace.proof(), trace.proof(U)):
        assert proof.holds
        assert proof.margin > 0
        assert proof.radius == pytest.approx(model.radius_)
        assert np.linalg.norm(proof.u) == pytest.approx(1)
        assert (proof.least <= proof.progress + 1e-9 * (1 + abs(proof.progress))).all()
        assert (proof.progress <= proof.length * (1 + 1e-9) + 1e-9).all()
        assert (proof.length <= proof.most * (1 + 1e-9) + 1e-9).all()
        assert len(trace) <= proof.bound * (1 + 1e-9)
    assert trace.proof().margin >= proof.margin * (1 - 1e-5)
    if not fit:
        k, a, tau = 1 + np.arange(len(trace)), options["eta0"], options["margin"]
        np.testing.assert_allclose(proof.least, k * a * proof.margin)
        most = novikoff_bound(proof.radius, proof.margin, update_margin=tau)
        assert proof.bound == pytest.approx(most)
    lie = quantities(trace, proof.u, 2 * float(proof.most[-1]) + 1, proof.radius)
    assert not lie.progress_grew.any()
    lie = quantities(trace, proof.u, proof.margin, 1e-3)
    assert not lie.length_held[0]  # from 0 the first update adds all its length


@given(data=st.data(), world=many_worlds())
def test_the_lemmas_hold_where_classes_came_on_the_way(data, world):
    X, y = world
    cuts = sorted(data.draw(st.sets(st.integers(1, len(y) - 1))))
    model = Perceptron(record=True, shuffle=False, slack=0.0)
    for block in np.split(np.arange(len(y)), cuts):
        model.partial_fit(X[block], y[block])
    trace = model.trace_.with_data(X, y)
    proof = trace.proof(np.random.default_rng(0).standard_normal((len(model.classes_), X.shape[1])))
    assert proof.holds
    assert (
        proof.length[-1] == pytest.approx(np.linalg.norm(model._state.weights))
        if len(trace)
        else True
    )


@pytest.mark.parametrize("learner", ADDITIVE)
@given(world=many_worlds(), options=conventions)
def test_a_machine_of_many_is_a_perceptron_of_two(learner, world, options):
    X, y = world
    options = dict(options) | {"shuffle": False, "max_iter": 4, "record": True}
    trace = fitted(learner, X, y, multi_class="ovr", **options).trace_
    for label in np.unique(y).tolist():
        alone, machine = fitted(learner, X, y == label, **options).trace_, trace.machine(label)
        for name in ("epoch", "position", "example", "label", "score", "squared_norm", "step"):
            np.testing.assert_array_equal(getattr(machine, name), getattr(alone, name), name)
        np.testing.assert_array_equal(machine.mistakes, alone.mistakes)
        epochs = len(alone.mistakes_per_epoch)
        np.testing.assert_array_equal(machine.mistakes_per_epoch[:epochs], alone.mistakes_per_epoch)
        every = range(len(alone) + 1)
        np.testing.assert_array_equal(machine.weights(every), alone.weights(every))
        u = np.ones(X.shape[1])
        np.testing.assert_array_equal(machine.proof(u).progress, alone.proof(u).progress)
        np.testing.assert_array_equal(machine.with_data(X, y).weights(0), alone.weights(0))


@pytest.mark.parametrize("learner", [x for x in LEARNERS if x._takes_many_classes])
def test_the_machines_of_a_stream_whose_classes_came_on_the_way(learner):
    if learner is Pocket:
        return  # it decides jointly
    random = np.random.default_rng(0)
    X, y = (
        random.random((40, 3)),
        LABELS[np.minimum(np.arange(40) // 10, random.integers(0, 4, 40))],
    )
    options = {"multi_class": "ovr"} if "multi_class" in learner().get_params() else {}
    model = learner(record=True, shuffle=False, **options)
    for row, label in zip(X, y, strict=True):
        model.partial_fit(row[None], [label])
    trace = model.trace_.with_data(X, y)
    assert len(model._state.log.growths) == 2
    for c, label in enumerate(model.classes_.tolist()):
        machine = trace.machine(label).with_data(X, y)
        np.testing.assert_array_equal(machine.weights(len(machine)), model._state.weights[c])


# ------------------------------------------------------------- what is said


X4, Y4 = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.2, 0.1]]), np.array([0, 1, 2, 1])


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_the_hyperplanes_of_a_voted_perceptron_are_those_of_its_trace(form, data):
    options = options_for(VotedPerceptron, data.draw)
    X, y, weights = data_for(VotedPerceptron, form, data.draw)
    model = VotedPerceptron(record=True, max_iter=3, **options).fit(X, y, **weights)
    planes, counts = model.hyperplanes_, model.survival_counts_
    assert len(planes) == len(counts) == model.n_updates_ + 1
    assert counts.sum() == model.n_iter_ * len(y)
    assert (counts >= 0).all()
    assert np.array_equal(planes, model.trace_.weights(range(len(planes))))
    assert np.array_equal(planes[-1], np.c_[model.coef_, model.intercept_].reshape(planes[0].shape))
    ends = np.cumsum(counts)[:-1]
    assert np.array_equal(ends, model.trace_.epoch * len(y) + model.trace_.position)


@pytest.mark.parametrize("learner", [x for x in LEARNERS if x not in (*ADDITIVE, Pocket)])
def test_another_proof_is_named(learner):
    trace = fitted(learner, np.eye(2), [0, 1], record=True).trace_
    match = "no bound" if learner.__name__ == "SCW" else r"another proof|bound another proof"
    with pytest.raises(ParameterError, match=match) as raised:
        trace.proof()
    if match != "no bound":
        name = str(raised.value).split("novikoff.")[1].split(")")[0]
        assert callable(getattr(novikoff, name))


def test_what_is_asked_of_many_classes_must_make_sense():
    joint, apart = (
        fitted(Perceptron, X4, Y4, record=True, multi_class=kind, shuffle=False).trace_
        for kind in ("joint", "ovr")
    )
    with pytest.raises(ParameterError, match=r"trace.machine\(label\).proof\(\)"):
        apart.proof()
    with pytest.raises(ParameterError, match="the classes are"):
        apart.machine(7)
    with pytest.raises(ParameterError, match="a machine for each"):
        joint.machine(0)
    for u in ([1.0, 2.0], np.ones((2, 2)), np.zeros((3, 2)), np.ones((3, 5))):
        with pytest.raises(ParameterError, match="u must have 3 rows of 2 entries, or 3 with"):
            joint.proof(u)
    with pytest.raises(DataError, match="none of the model's 3 classes, first in row 1: 9"):
        joint.with_data(X4, [0, 9, 2, 1])
    with pytest.raises(DataError, match="other labels"):
        joint.with_data(X4, Y4[::-1])
    with pytest.raises(DataError, match="not what the run learned from"):
        joint.with_data(3 * X4, Y4).weights(len(joint))
    with pytest.raises(NotSeparable, match="in the space of the run"):
        fitted(Perceptron, X4[[0, 0, 1]], [0, 1, 2], record=True).trace_.proof()
    frame, table = joint.to_pandas(), apart.to_arrow()
    assert frame.columns.tolist() == table.column_names
    assert frame.columns.tolist()[-2:] == ["gained", "lost"]
    np.testing.assert_array_equal(frame["gained"], joint.label)
    assert joint._made.table.dtype.itemsize == 56
