"""Learning on shards: equal to its twin, within its bound, and the same bits whoever computes."""

import re
import warnings
from math import hypot
from types import SimpleNamespace

import numpy as np
import pytest
from distributed import Status, wait
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

import novikoff
from clusters import arrays, bits, fit, in_process
from naive_mixing import mixed_perceptron
from novikoff import (
    AveragedPerceptron,
    ClusterError,
    DataError,
    FileError,
    ParameterError,
    Perceptron,
    VotedPerceptron,
    separability,
)
from novikoff.cluster.scheduler import standings
from novikoff.cluster.tasks import Tasks
from novikoff.data import write
from worlds import labels, planted

pytestmark = pytest.mark.heavy  # `make quick` leaves it out

MIXINGS = ("uniform", "mistakes")
FEW = settings(max_examples=12)


@pytest.fixture(scope="module")
def client():
    with in_process() as client:
        yield client


@pytest.fixture(scope="module")
def three():
    with in_process(3) as client:
        yield client


@st.composite
def cut(draw, n, pieces=(1, 2, 4)):
    """Sizes of 1, 2 or 4 shards of at least one row."""
    k = draw(st.sampled_from([k for k in pieces if k <= n]))
    ends = sorted(draw(st.sets(st.integers(1, n - 1), min_size=k - 1, max_size=k - 1)))
    return np.diff([0, *ends, n]).tolist()


@st.composite
def shards(draw, n_classes=2):
    """Small whole numbers with any labels, in shards: all mixes are exact in doubles."""
    n, d = draw(st.integers(max(4, n_classes), 12)), draw(st.integers(1, 3))
    X = draw(hnp.arrays(np.float64, (n, d), elements=st.integers(-4, 4).map(float)))
    y = draw(labels(n)) if n_classes == 2 else None
    if y is None:
        some = st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n)
        y = draw(some.filter(lambda y: len(set(y)) == n_classes))
    return X, np.array(y), draw(cut(n))


def pieces(X, y, sizes):
    ends = np.cumsum(sizes)[:-1]
    parts = zip(np.split(X, ends), np.split(y, ends), strict=True)
    return [(a.tolist(), b.tolist()) for a, b in parts]


@FEW
@given(
    data=shards(),
    learner=st.sampled_from([Perceptron, AveragedPerceptron]),
    tie=st.sampled_from(["mistake", "negative", "positive"]),
    bias=st.booleans(),
)
def test_equals_its_twin(client, data, learner, tie, bias):
    X, y, sizes = data
    model = learner(max_iter=4, shuffle=False, tie=tie, fit_intercept=bias)
    fit(model, arrays(X, y, sizes), client)
    twin = mixed_perceptron(pieces(X, y, sizes), epochs=4, tie=tie, fit_intercept=bias)
    wanted = (twin.mean if learner is AveragedPerceptron else twin.w)[0]
    assert [e.mistakes for e in model.mixed_.epochs] == twin.mistakes
    found = [*model.coef_[0], *model.intercept_]
    if learner is Perceptron:
        assert found == [float(v) for v in wanted]
    assert np.allclose(found, [float(v) for v in wanted], rtol=1e-12, atol=1e-12)


@FEW
@given(
    data=shards(n_classes=3),
    learner=st.sampled_from([Perceptron, AveragedPerceptron]),
    kind=st.sampled_from(["joint", "ovr"]),
)
def test_equals_its_twin_on_many_classes(client, data, learner, kind):
    X, y, sizes = data
    model = fit(learner(max_iter=3, shuffle=False, multi_class=kind), arrays(X, y, sizes), client)
    twin = mixed_perceptron(pieces(X, y, sizes), epochs=3, classes=(0, 1, 2), kind=kind)
    wanted = twin.mean if learner is AveragedPerceptron else twin.w
    assert [e.mistakes for e in model.mixed_.epochs] == twin.mistakes
    for c in range(3):
        found = [*model.coef_[c], model.intercept_[c]]
        assert np.allclose(found, [float(v) for v in wanted[c]], rtol=1e-12, atol=1e-12)


@FEW
@given(data=shards(), learner=st.sampled_from([Perceptron, AveragedPerceptron]))
def test_one_shard_is_fit(client, data, learner):
    X, y, _ = data
    alone = learner(max_iter=5, shuffle=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone.fit(X, y)
    model = fit(learner(max_iter=5, shuffle=False), arrays(X, y, [len(y)]), client)
    assert (model.mistakes_ == alone.mistakes_).all()
    assert np.allclose(model.coef_, alone.coef_, rtol=1e-12, atol=1e-12)
    assert model.radius_ == alone.radius_
    assert model.margin_.lower == pytest.approx(alone.margin_.lower)
    assert model.margin_.upper == pytest.approx(alone.margin_.upper)


@FEW
@given(world=planted(), mixing=st.sampled_from(MIXINGS), data=st.data())
def test_weighted_mistakes_stay_within_the_bound(client, world, mixing, data):
    (X, y), u, b = world
    sizes = data.draw(cut(len(y), (1, 2, 3)))
    model = fit(Perceptron(max_iter=3000), arrays(X, y, sizes), client, mixing=mixing)
    assert model.converged_
    assert model.score(X, y) == 1
    scale = hypot(*u, b)
    gamma = float((y * (X @ u + b)).min()) / scale
    R = np.sqrt((X**2).sum(axis=1).max() + 1)
    mixed = model.mixed_
    assert mixed.weighted_mistakes <= (R / gamma) ** 2 * (1 + 1e-9)
    assert mixed.weighted_mistakes <= mixed.bound
    true = separability(np.column_stack([X, np.ones(len(y))]), y, fit_intercept=False).margin
    assert mixed.margin.lower <= true.upper
    assert mixed.margin.upper >= true.lower


# ------------------------------------------------------------- McDonald, Hall & Mann, theorem 2

FOUR = np.array([[1.0, 1, 0], [0, 0, 1], [0, 1, 1], [1, 0, 0]])
SIGNS = np.array([-1, 1, -1, 1])


@pytest.mark.parametrize("mixing", MIXINGS)
def test_mixing_once_fails_on_four_examples_and_iterating_does_not(client, mixing):
    options = {"tie": "positive", "fit_intercept": False, "shuffle": False}
    for half in (slice(0, 2), slice(2, 4)):  # one epoch is all that each shard needs
        alone = Perceptron(**options).fit(FOUR[half], SIGNS[half])
        assert alone.mistakes_.tolist() == [1, 0]
    two = arrays(FOUR, SIGNS, [2, 2])
    once = fit(Perceptron(max_iter=1, **options), two, client, mixing=mixing)
    assert once.coef_.tolist() == [[-0.5, -1.0, -0.5]]
    assert once.score(FOUR, SIGNS) == 0.5
    assert not once.converged_
    again = fit(Perceptron(**options), two, client, mixing=mixing)
    assert again.converged_
    assert again.score(FOUR, SIGNS) == 1
    gamma = 1 / np.sqrt(6)  # of (1, -2, 1), which is the widest
    assert again.mixed_.weighted_mistakes <= 2 / gamma**2
    assert again.mixed_.margin.lower <= gamma <= again.mixed_.margin.upper


# ------------------------------------------------------------- the same bits


def files(folder, n_shards=6, n=60, d=30, seed=0, n_classes=2):
    """Sparse rows with a plane between them, nearly, in so many files."""
    random = np.random.default_rng(seed)
    W = random.normal(size=(d, n_classes))
    for i in range(n_shards):
        X = np.where(random.random((n, d)) < 0.2, random.normal(size=(n, d)).round(2), 0)
        y = (X @ W + random.normal(size=(n, n_classes))).argmax(axis=1)
        write(folder / f"{i:02}.svm", X, y)
    return str(folder / "*.svm")


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("learner", [Perceptron, AveragedPerceptron])
def test_the_bits_depend_on_no_worker(tmp_path, client, three, learner, n_classes):
    source = files(tmp_path, n_classes=n_classes)
    one, other, read = (
        fit(learner(max_iter=4, random_state=3), source, where, hold=hold)
        for where, hold in ((client, True), (three, True), (three, False))
    )
    assert bits(one) == bits(other) == bits(read)
    assert bits(fit(learner(max_iter=4, random_state=4), source, client)) != bits(one)


class Stop(Exception):
    pass


@pytest.mark.parametrize("after", [1, 2, 3])
@pytest.mark.parametrize("learner", [Perceptron, AveragedPerceptron])
@pytest.mark.parametrize("random_state", [0, None])
def test_a_run_goes_on_to_the_same_bits(tmp_path, client, learner, after, random_state):
    source, path = files(tmp_path, n_classes=3), tmp_path / "checkpoint"

    def stop(moment):
        if moment.epoch == after + 1 and moment.shard == 3:
            raise Stop

    model = learner(max_iter=4, random_state=random_state)
    with pytest.raises(Stop):
        fit(model, source, client, checkpoint=path, watch=stop)
    assert not hasattr(model, "classes_")
    fit(model, source, client, checkpoint=path, resume=True)
    if random_state is not None:
        assert bits(model) == bits(fit(learner(max_iter=4, random_state=0), source, client))
    assert len(model.mixed_.epochs) == 4
    ended = fit(learner(max_iter=4, random_state=random_state), source, client,
                checkpoint=path, resume=True)  # fmt: skip
    assert bits(ended) == bits(model)


def test_a_checkpoint_of_another_run_is_refused(tmp_path, client):
    source, path = files(tmp_path), tmp_path / "checkpoint"
    fit(Perceptron(max_iter=2, random_state=0), source, client, checkpoint=path)
    for model, options, what in (
        (Perceptron(max_iter=2, random_state=1), {}, "random_state 0"),
        (AveragedPerceptron(max_iter=2, random_state=0), {}, "learner Perceptron"),
        (Perceptron(max_iter=2, random_state=0), {"mixing": "mistakes"}, "mixing uniform"),
        (Perceptron(max_iter=2, random_state=0), {"shard_bytes": 1000}, "shards 6"),
    ):
        with pytest.raises(ParameterError, match=rf"checkpoint was written by a run with {what}"):
            fit(model, source, client, checkpoint=path, resume=True, **options)
    line = (tmp_path / "00.svm").read_text()
    (tmp_path / "00.svm").write_text(line.replace(":0.", ":1.", 1))
    with pytest.raises(ParameterError, match="written by a run with data"):
        fit(Perceptron(max_iter=2, random_state=0), source, client, checkpoint=path, resume=True)
    Perceptron().fit([[0], [1]], [0, 1]).save(path)
    with pytest.raises(ParameterError, match="is no checkpoint of a run on shards"):
        fit(Perceptron(max_iter=2), source, client, checkpoint=path, resume=True)


# ------------------------------------------------------------- what is learned is a model


def test_a_model_predicts_saves_and_goes_on(tmp_path, client):
    source = files(tmp_path, n_classes=3)
    model = fit(AveragedPerceptron(max_iter=3, random_state=0), source, client)
    model.save(tmp_path / "model")
    X = np.random.default_rng(0).normal(size=(20, 30))
    again = novikoff.load(tmp_path / "model")
    assert (again.predict(X) == model.predict(X)).all()
    again.partial_fit(X[:3], [0.0, 1.0, 2.0])
    assert "AveragedPerceptron" in novikoff.describe(model)


def test_frames_bring_their_names(client):
    import dask.dataframe as dd
    import pandas as pd

    X, species, names = novikoff.data.load("iris")
    frame = pd.DataFrame(X, columns=names).assign(kind=species).sample(frac=1, random_state=0)
    source = dd.from_pandas(frame, npartitions=3, sort=False)
    model = fit(AveragedPerceptron(random_state=0, max_iter=30), source, client, label="kind")
    assert model.feature_names_in_.tolist() == list(names)
    assert model.score(frame.drop(columns="kind"), frame["kind"]) > 0.9


def test_weights_weigh(client):
    X, y = np.arange(1.0, 21.0).reshape(10, 2) - 10, np.array([0, 0, 0, 1, 0, 1, 1, 1, 1, 1])
    weight = np.tile([1.0, 2.0], 5)
    sizes = [4, 6]
    total = [weight[y == c].sum() for c in (0, 1)]
    explicit = {c: weight.sum() / (2 * total[c]) for c in (0, 1)}
    options = {"max_iter": 3, "shuffle": False}
    balanced, told, plain = (
        fit(Perceptron(class_weight=w, **options), arrays(X, y, sizes, weight), client)
        for w in ("balanced", explicit, None)
    )
    assert (balanced.coef_ == told.coef_).all()
    assert (plain.coef_ != told.coef_).any()
    assert plain.mixed_.bound == np.inf
    with pytest.raises(DataError, match="weight of every example is zero"):
        fit(Perceptron(**options), arrays(X, y, sizes, 0 * weight), client)


# ------------------------------------------------------------- what is wrong is said


@pytest.mark.parametrize("hold", [True, False])
def test_a_bad_line_in_shard_17_is_told_with_its_place(tmp_path, three, hold):
    source = files(tmp_path, n_shards=20, n=10)
    for shard in (17, 19):
        path = tmp_path / f"{shard}.svm"
        lines = path.read_text().splitlines()
        lines[6] = "1 1:2 2:oops"
        path.write_text("\n".join(lines))
    model = Perceptron()
    checkpoint = tmp_path / "checkpoint"
    with pytest.raises(FileError, match=r"17\.svm:7:9: found 'oops', expected a finite number"):
        fit(model, source, three, hold=hold, checkpoint=checkpoint)
    assert not hasattr(model, "classes_")
    assert not checkpoint.exists()


def test_a_scheduler_that_does_not_answer_is_lost():
    """Dask is still trying to reconnect when it is asked how the workers are."""

    def run(*args, **kwargs):
        raise OSError("Timed out trying to connect to tcp://10.0.0.1:8786 after 30 s")

    tasks = Tasks.__new__(Tasks)
    tasks.client = SimpleNamespace(
        run=run, scheduler=SimpleNamespace(address="tcp://10.0.0.1:8786")
    )
    with (
        pytest.raises(
            ClusterError, match=r"tcp://10.0.0.1:8786 was lost in epoch 3 .* Start again"
        ),
        tasks.told_plainly("epoch 3", "Start again."),
    ):
        standings(tasks.client)


def test_workers_that_sleep_after_an_error_are_not_waited_for(monkeypatch):
    """Whether an earlier shard is bad too cannot be found out; it is said why."""
    monkeypatch.setattr("novikoff.cluster.tasks.LOOK_EVERY", 0.2)
    tasks = Tasks.__new__(Tasks)
    with in_process() as client:
        tasks.client = client
        bad = client.submit(int, "no number", key="bad")
        wait(bad)
        client.run(lambda dask_worker: setattr(dask_worker, "status", Status.paused))
        good = client.submit(int, "1", key="good")
        with pytest.raises(ClusterError, match="take no work: they use nearly all the memory"):
            tasks.gathered([good, bad])
        client.run(lambda dask_worker: setattr(dask_worker, "status", Status.running))


def test_what_has_no_meaning_is_said(tmp_path, client):
    source = files(tmp_path, n_shards=2)
    for model, options, what in (
        (VotedPerceptron(), {}, "VotedPerceptron was given, but shards are mixed for Perceptron"),
        (Perceptron(slack=1.0), {}, "slack=1.0 gives every example a weight of its own"),
        (Perceptron(record=True), {}, "record=True keeps one run"),
        (Perceptron(warm_start=True), {}, "warm_start=True is for fit"),
        (
            Perceptron(),
            {"mixing": "median"},
            "mixing='median' was given, but it must be",
        ),
        (Perceptron(class_weight={7: 2}), {}, "class_weight has 7, but the classes are"),
    ):
        with pytest.raises(ParameterError, match=re.escape(what)):
            fit(model, source, client, **options)
    with pytest.raises(FileError, match=r"00\.svm:\d+: found the label 1, expected 0 or 5"):
        fit(Perceptron(), source, client, classes=[0, 5])
    (tmp_path / "a.svm").write_text("1 1:1\n")
    with pytest.raises(FileError, match="found only one label, 1"):
        fit(Perceptron(), str(tmp_path / "a.svm"), client)
    X = np.array([[1.0], [np.nan], [2.0], [3.0]])
    with pytest.raises(DataError, match=r"partition 0 of 2: Input X contains NaN, first in row 1"):
        fit(Perceptron(), arrays(X, np.array([0, 1, 0, 1]), [2, 2]), client)


def test_the_watcher_sees_every_shard(tmp_path, client):
    seen = []
    source = files(tmp_path, n_shards=3)
    model = fit(Perceptron(max_iter=3), source, client, watch=seen.append)
    assert [(m.epoch, m.shard) for m in seen[:6]] == [(e, s) for e in (0, 1) for s in (1, 2, 3)]
    by_epoch = {m.epoch: m.mistakes for m in seen if m.epoch}
    assert list(by_epoch.values()) == model.mistakes_.tolist()
