"""A trace is what the twin did; it changes nothing, and from it the run comes back bit for bit."""

import copy
import gc
import pickle
import tracemalloc
import warnings
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import naive
import novikoff
from anatomy import anatomy
from laws.learners import ADDITIVE, RECORDED, assert_same, data_for, fitted, options_for
from novikoff import NotSeparable, Perceptron, Trace, Winnow, novikoff_bound
from novikoff.data import load
from novikoff.errors import DataError, ParameterError
from novikoff.learners.state import flat
from novikoff.proofs.proof import quantities
from worlds import conventions, planted, worlds

EPOCHS = 4
RUN = {"shuffle": False, "max_iter": EPOCHS, "record": True}
COLUMNS = ("epoch", "position", "example", "label", "score", "squared_norm", "mistakes", "step")


def assert_same_trace(one, other, besides=()):
    for name in {*COLUMNS, "start", "mistakes_per_epoch"} - {*besides}:
        np.testing.assert_array_equal(
            getattr(one, name), getattr(other, name), err_msg=name, strict=True
        )


def as_floats(fractions):
    return [float(f) for f in fractions]


# ------------------------------------------------------------- beside the twin


@pytest.mark.parametrize("learner", ADDITIVE)
@given(world=worlds(), options=conventions)
def test_a_trace_is_what_the_twin_did(learner, world, options):
    X, y = world.lists
    slack = Fraction(options["slack"])
    trace = fitted(learner, *world, **RUN, **options).trace_
    twin_options = options | {"eta": options["eta0"]}
    del twin_options["eta0"]
    run = naive.perceptron(X, y, epochs=EPOCHS, **twin_options)
    assert len(trace) == len(run.updated)
    np.testing.assert_array_equal(trace.example, [i for i, _, _ in run.updated])
    np.testing.assert_array_equal(trace.mistakes_per_epoch, run.mistakes)
    np.testing.assert_array_equal(trace.epoch, np.repeat(range(len(run.changes)), run.changes))
    np.testing.assert_array_equal(trace.position, trace.example)  # not shuffled
    np.testing.assert_array_equal(trace.label, [y[i] for i, _, _ in run.updated])
    private, eta = [Fraction(0)] * len(y), Fraction(options["eta0"])
    ends = [(w, b) for _, w, b in run.updated[1:]] + [(run.w, run.b)]
    for k, (i, w, b) in enumerate(run.updated):
        score = naive.inner(w, X[i]) + b + slack * private[i]
        assert trace.score[k] == score
        before = trace.mistakes[k - 1] if k else 0
        assert trace.mistakes[k] == before + naive.is_mistake(y[i], score, options["tie"])
        assert trace.step[k] == eta * y[i]
        private[i] += slack * eta * y[i]
        w, b = ends[k]
        assert trace.squared_norm[k] == naive.inner(w, w) + b * b + naive.inner(private, private)
        np.testing.assert_array_equal(trace.weights(k + 1), as_floats([*w, b]))
    np.testing.assert_array_equal(trace.weights(0), np.zeros(len(X[0]) + 1))


@given(world=worlds(entries=st.sampled_from([0, 1])), factor=st.sampled_from([2, 4]))
def test_winnows_trace_is_what_its_twin_did(world, factor):
    trace = fitted(Winnow, *world, **RUN, factor=factor).trace_
    X, y = world.lists
    w, made = [Fraction(1)] * len(X[0]), []
    for epoch in range(len(trace.mistakes_per_epoch)):
        for i, (x, label) in enumerate(zip(X, y, strict=True)):
            score = naive.inner(w, x) - len(x)
            if (score >= 0) != (label > 0):
                f = Fraction(factor) ** label
                w = [wj * f if xj else wj for wj, xj in zip(w, x, strict=True)]
                made.append((epoch, i, label, float(score), float(f)))
                expected = [*as_floats(w), -len(x)]
                np.testing.assert_array_equal(trace.weights(len(made)), expected)
                assert trace.squared_norm[len(made) - 1] == np.dot(expected, expected)
    columns = (trace.epoch, trace.example, trace.label, trace.score, trace.step)
    assert list(zip(*(c.tolist() for c in columns), strict=True)) == made


# ------------------------------------------------------------- off is on


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("learner", RECORDED)
@given(data=st.data(), seed=st.integers(0, 9), single=st.booleans())
def test_recording_changes_nothing_and_gives_the_weights_back(learner, form, data, seed, single):
    """On numbers that round, shuffled, in both precisions: weights bit for bit."""
    X, y = data.draw(data_for(learner))
    if learner is not Winnow:
        X = X * np.random.default_rng(seed).standard_normal(X.shape)
    X = form(X.astype(np.float32 if single else np.float64))
    options = data.draw(options_for(learner)) | {"random_state": seed, "max_iter": EPOCHS}
    plain = fitted(learner, X, y, **options)
    model = fitted(learner, X, y, record=True, **options)
    assert_same(plain, model, rows=X)
    assert anatomy(plain)["_state"] | {"log": 0} == anatomy(model)["_state"] | {"log": 0}
    trace = model.trace_
    np.testing.assert_array_equal(trace.weights(len(trace)), model._state.weights[0], strict=True)
    np.testing.assert_array_equal(np.bincount(trace.example, minlength=len(y)), model.dual_coef_)
    one_by_one = learner(**options | {"shuffle": False, "record": True})
    for i in range(len(y)):
        one_by_one.partial_fit(X[i : i + 1], y[i : i + 1], classes=[-1, 1])
        replayed = one_by_one.trace_.with_data(X[: i + 1], y[: i + 1])
        now = replayed.weights(len(replayed))
        np.testing.assert_array_equal(now, one_by_one._state.weights[0], strict=True)
    for k, w in enumerate(replayed.weights(range(len(replayed) + 1))):
        np.testing.assert_array_equal(w, replayed.weights(k))


@pytest.mark.parametrize("learner", RECORDED)
@given(data=st.data())
def test_dense_is_sparse(learner, data):
    X, y = data.draw(data_for(learner))
    options = data.draw(options_for(learner)) | RUN
    dense = fitted(learner, X, y, **options).trace_
    csr = fitted(learner, sparse.csr_array(X), y, **options).trace_
    # Winnow's weights are not all dyadic, so sums of them are met to rounding
    assert_same_trace(dense, csr, besides=["score", "squared_norm"])
    np.testing.assert_allclose(dense.score, csr.score, rtol=0, atol=1e-13)
    np.testing.assert_allclose(dense.squared_norm, csr.squared_norm, rtol=1e-13)
    every = range(len(dense) + 1)
    np.testing.assert_array_equal(dense.weights(every), csr.weights(every))


@pytest.mark.parametrize("learner", RECORDED)
@given(data=st.data())
def test_a_stream_has_the_trace_of_one_epoch(learner, data):
    X, y = data.draw(data_for(learner))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(y)))))
    options = data.draw(options_for(learner)) | {"shuffle": False, "record": True}
    if learner is not Winnow:
        options["slack"] = 0.0
    whole = fitted(learner, X, y, max_iter=1, **options).trace_
    model = learner(**options)
    for block in np.split(np.arange(len(y)), cuts):
        if len(block):
            model.partial_fit(X[block], y[block], classes=[-1, 1])
    assert_same_trace(model.trace_, whole)
    with pytest.raises(DataError, match="with_data"):
        model.trace_.data  # noqa: B018
    every = range(len(whole) + 1)
    replayed = model.trace_.with_data(X, y)
    np.testing.assert_array_equal(replayed.weights(every), whole.weights(every))


@pytest.mark.parametrize("learner", RECORDED)
@given(data=st.data())
def test_a_warm_start_goes_on_recording(learner, data):
    X, y = data.draw(data_for(learner))
    options = data.draw(options_for(learner)) | {"shuffle": False, "record": True}
    whole = fitted(learner, X, y, max_iter=4, **options)
    model = fitted(learner, X, y, max_iter=2, warm_start=True, **options)
    if not model.converged_:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y)
    assert_same_trace(model.trace_, whole.trace_)


def test_examples_are_numbered_through_all_that_was_given():
    X, y = np.array([[1.0], [-1.0]]), np.array([0, 1])
    model = Perceptron(record=True, warm_start=True, shuffle=False).fit(X, y)
    n = len(model.trace_)
    model.partial_fit(-X, y)  # numbers 2 and 3
    model.fit(X, y)  # as many as the first: 0 and 1 again
    model.fit(-np.vstack([X, X, X]), np.tile(y, 3))  # 4 to 9
    trace = model.trace_
    assert set(trace.example[n:]) <= set(range(10))
    assert trace.example.max() >= 4
    stacked = np.vstack([X, -X, -X, -X, -X]), np.tile(y, 5)
    np.testing.assert_array_equal(
        trace.with_data(*stacked).weights(len(trace)), model._state.weights[0]
    )


def test_recording_may_begin_and_end_on_the_way():
    X, y = np.array([[1.0, 0.0], [0.5, 1.0], [0.0, 0.3]]), np.array([0, 1, 0])
    model = Perceptron(shuffle=False).partial_fit(X, y)
    before = model._state.weights[0].copy()
    model.set_params(record=True).partial_fit(X[::-1], y[::-1])
    trace = model.trace_.with_data(X[::-1], y[::-1])
    np.testing.assert_array_equal(trace.start, before)
    np.testing.assert_array_equal(trace.weights(len(trace)), flat(model._state.weights))
    assert trace.mistakes[-1] == model.n_mistakes_ > len(trace) > 0
    model.set_params(record=False).partial_fit(X, y)
    assert not hasattr(model, "trace_")


@pytest.mark.parametrize("learner", RECORDED)
def test_a_failed_block_was_never_recorded(learner):
    X, y = np.eye(3), np.array([0, 1, 0])
    model = learner(record=True, shuffle=False).partial_fit(X, y)
    before = anatomy(model)
    for bad in (np.full((3, 3), np.nan), np.vstack([X[:2] * 0, [[np.inf] * 3]])):
        with pytest.raises(DataError):
            model.partial_fit(bad, 1 - y)
        assert anatomy(model) == before
    fresh = learner(record=True)
    with pytest.raises(DataError):
        fresh.partial_fit(np.full((3, 3), np.nan), y)
    assert vars(fresh) == vars(learner(record=True))


def test_a_trace_does_not_change_when_the_run_goes_on():
    X, y = np.array([[1.0], [-1.0]]), np.array([0, 1])
    model = Perceptron(record=True, shuffle=False).partial_fit(X, y)
    trace = model.trace_
    n, scores = len(trace), trace.score.copy()
    for _ in range(20):
        model.partial_fit(-X, y).partial_fit(X, y)
    assert len(trace) == n < len(model.trace_)
    np.testing.assert_array_equal(trace.score, scores)


# ------------------------------------------------------------- size


@pytest.mark.parametrize("learner", RECORDED)
def test_tens_of_bytes_an_update(learner):
    random = np.random.default_rng(0)
    X, y = (random.random((2000, 30)) < 0.5).astype(float), random.integers(0, 2, 2000)
    model = fitted(learner, X, y, record=True, max_iter=5)
    made = model._state.log
    assert made.n == model.n_mistakes_ > 3000
    assert made.table.nbytes / made.n < 70
    assert len(pickle.dumps(made)) / made.n < 46  # and the data is not in it


@pytest.mark.heavy
def test_a_stream_of_rows_takes_tens_of_bytes_an_update():
    model = Perceptron(record=True)
    x = np.ones((1, 50))
    model.partial_fit(x, [0], classes=[0, 1])
    tracemalloc.start()
    for k in range(4000):
        model.partial_fit(x, [k % 2])
    gc.collect()  # freed tuples stay with the interpreter until then, and are no part of a record
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held / model.n_mistakes_ < 100


# ------------------------------------------------------------- the theorem


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("learner", ADDITIVE)
@given(world=planted(), options=conventions, data=st.data())
def test_the_lemmas_hold_at_every_update(learner, form, world, options, data):
    """For the planted direction and for the widest; from any start, with any weights."""
    (X, y), u, b = world
    small = st.integers(-5, 5)
    if not options["fit_intercept"]:
        side = np.where(X @ u > 0, 1, -1)
        X, y = np.vstack([X[X @ u != 0], u, -u]), np.append(side[X @ u != 0], [1, -1])
    # unit lengths keep the sides of a hyperplane through the origin only
    unit = not options["fit_intercept"] and data.draw(st.booleans())
    options = options | {"max_iter": 50, "normalize": unit}
    fit = {
        "coef_init": data.draw(st.lists(small, min_size=len(u), max_size=len(u))),
        "sample_weight": data.draw(
            st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=len(y), max_size=len(y))
        ),
    }
    model = fitted(learner, form(X), y, fit=fit, record=True, random_state=0, **options)
    trace = model.trace_
    for proof in (trace.proof(), trace.proof(np.append(u, b) if options["fit_intercept"] else u)):
        assert proof.holds
        assert proof.radius == pytest.approx(model.radius_)
        chain = [proof.least, proof.progress, proof.length, proof.most]
        for low, high in pairwise(chain):
            assert (low <= high + 1e-9 * (1 + abs(high))).all()
        if proof.margin > 0:
            assert len(trace) <= proof.bound * (1 + 1e-9) + 1e-9
        assert np.linalg.norm(proof.u) == pytest.approx(1)
    assert trace.proof().margin > 0


@given(world=planted())
def test_from_zero_with_steps_of_one_it_is_the_theorem(world):
    (X, y), u, b = world
    trace = Perceptron(record=True, max_iter=1000, shuffle=False).fit(X, y).trace_
    proof, k = trace.proof(np.append(u, b)), trace.mistakes
    np.testing.assert_allclose(proof.least, k * proof.margin)
    np.testing.assert_allclose(proof.most, np.sqrt(k) * proof.radius)
    assert proof.bound == pytest.approx(novikoff_bound(proof.radius, proof.margin))
    assert trace.proof().bound <= proof.bound * (1 + 1e-5)


def test_a_lemma_that_fails_is_told():
    """For a margin and a radius that are not those of the data."""
    X, y = np.array([[1.0, 0.0], [1.0, 2.0]]), np.array([1, 0])
    trace = Perceptron(fit_intercept=False, record=True, shuffle=False).fit(X, y).trace_
    proof = trace.proof([0.0, 1.0])
    assert proof.margin == -2.0
    assert proof.bound == np.inf
    assert proof.holds  # with that margin
    wrong = quantities(trace, proof.u, 0.5, 1.0)
    assert not wrong.holds
    assert wrong.progress_grew.tolist() == [False, False, False]
    assert wrong.length_held.tolist() == [True, False, True]


def test_data_without_a_margin():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    trace = fitted(Perceptron, X, y, record=True, max_iter=5).trace_
    with pytest.raises(NotSeparable, match="inseparable in the space of the run. Learn with slack"):
        trace.proof()
    assert trace.proof(u=[1.0, 1.0]).bound == np.inf
    assert fitted(Perceptron, X, y, record=True, slack=1.0).trace_.proof().holds


# ------------------------------------------------------------- files, tables, errors


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("learner", RECORDED)
@given(data=st.data())
def test_a_trace_is_saved_with_its_model(learner, form, tmp_path_factory, data):
    X, y = data.draw(data_for(learner))
    X = form(X.astype(data.draw(st.sampled_from([np.float32, np.float64]))))
    path = tmp_path_factory.getbasetemp() / f"{learner.__name__}.safetensors"
    options = data.draw(options_for(learner)) | {"random_state": 0, "record": True, "max_iter": 2}
    model = fitted(learner, X, y, **options)
    model.save(path)
    loaded = novikoff.load(path)
    assert anatomy(loaded) == anatomy(model)
    assert_same_trace(loaded.trace_, model.trace_)
    every = range(len(model.trace_) + 1)
    replayed = loaded.trace_.with_data(X, y).weights(every)
    np.testing.assert_array_equal(replayed, model.trace_.weights(every))
    for one in (model, loaded):
        one.partial_fit(X, y)
    assert_same_trace(loaded.trace_, model.trace_)
    model.set_params(record=False).save(path)
    assert not hasattr(novikoff.load(path), "trace_")


@pytest.mark.parametrize("learner", RECORDED)
def test_copies_and_pickles(learner):
    X, y = np.eye(3), [0, 1, 0]
    model = fitted(learner, X, y, record=True)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert_same_trace(other.trace_, model.trace_)
        assert anatomy(other) == anatomy(model)


def test_tables():
    X, y, _ = load("iris")
    trace = Perceptron(record=True, random_state=0).fit(X, y == "setosa").trace_
    frame, table = trace.to_pandas(), trace.to_arrow()
    assert tuple(frame.columns) == tuple(table.column_names) == COLUMNS
    for name in COLUMNS:
        np.testing.assert_array_equal(frame[name], getattr(trace, name))
        np.testing.assert_array_equal(table[name], getattr(trace, name))
    assert repr(trace) == f"<Trace of a Perceptron: {len(trace)} updates in 2 epochs>"
    told = trace.proof().to_pandas()
    assert len(told) == len(trace)
    assert told.progress_grew.all()
    assert told.length_held.all()


def test_no_mistakes_at_all():
    X, y = [[1.0], [-1.0]], [1, 0]
    model = Perceptron(record=True, shuffle=False).fit(X, y, coef_init=[5.0])
    trace = model.trace_
    assert repr(trace) == "<Trace of a Perceptron: 0 updates in 1 epoch>"
    np.testing.assert_array_equal(trace.weights(0), [5.0, 0.0])
    proof = trace.proof()
    assert len(proof.most) == 0
    assert proof.holds
    assert len(trace.to_pandas()) == 0


def test_a_stream_of_one_class_takes_its_data():
    trace = Perceptron(record=True).partial_fit([[1.0]], ["a"]).trace_.with_data([[1.0]], ["a"])
    np.testing.assert_array_equal(trace.weights(0), [0.0, 0.0])


def test_what_is_asked_of_a_trace_must_make_sense():
    X, y = np.array([[1.0, 2.0], [-1.0, 0.5]]), np.array([0, 1])
    model = Perceptron(record=True, shuffle=False).fit(X, y)
    trace = model.trace_
    for k in (-1, len(trace) + 1, 0.5, [[0]], "x"):
        with pytest.raises(ParameterError, match="updates are numbered 0 to"):
            trace.weights(k)
    for u in ([1.0], [0.0, 0.0], [np.nan, 1.0], [1.0] * 4):
        with pytest.raises(ParameterError, match="u must have 2 entries, or 3"):
            trace.proof(u)
    with pytest.raises(DataError, match=r"was given 2 examples of 2 features"):
        trace.with_data(X[:1], y[:1])
    with pytest.raises(DataError, match="other labels"):
        trace.with_data(X, 1 - y)
    with pytest.raises(DataError, match="not what the run learned from"):
        trace.with_data(2 * X, y).weights(len(trace))
    with pytest.raises(ParameterError, match="Winnow multiplies its weights"):
        fitted(Winnow, np.eye(2), y, record=True).trace_.proof()
    for other in (Perceptron().fit(X, y), "model"):
        with pytest.raises(ParameterError, match="fitted with record=True"):
            Trace(other)
    with pytest.raises(AttributeError, match="with record=True only"):
        Perceptron().fit(X, y).trace_  # noqa: B018
    with pytest.raises(ParameterError, match="record='yes'"):
        Perceptron(record="yes").fit(X, y)


def test_weights_at_the_end_of_their_range(tmp_path):
    model = Perceptron(shuffle=False, record=True)
    model.fit([[1.3e154, 0.0], [0.0, -1.3e154]], [0, 1])
    trace = model.trace_
    np.testing.assert_array_equal(trace.weights(len(trace)), flat(model._state.weights))
    assert np.isfinite(trace.squared_norm).all()
    model.save(tmp_path / "model")


def test_notebooks_show_tables():
    """Both ends of a long run, all of a short one, and no more than fits."""
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]
    model = Perceptron(shuffle=False, record=True).fit(X, y)
    trace, proof = model.trace_, model.trace_.proof()
    for shown in (trace, proof):
        table = shown._repr_html_()
        assert table.count("<tr>") == 1 + 5 + 1 + 5
        assert "… 8 more …" in table
    assert "The proof holds: the run made 18 mistakes, and no more than 51 are possible." in (
        proof._repr_html_()
    )
    short = Perceptron(shuffle=False, record=True).fit([[1.0], [-1.0]], ["<b>", "a"]).trace_
    assert short._repr_html_().count("<tr>") == 1 + len(short)
    low, high = model.margin_
    assert f"between {low:.9g} and {high:.9g}" in model.margin_._repr_html_()
