"""More than two classes: equal to the slow twin, one pass, any cut of a stream, and the bound."""

import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_sample_weight

import naive
from laws.learners import ADDITIVE, assert_same, fitted
from novikoff import AveragedPerceptron, Perceptron, VotedPerceptron, novikoff_bound
from novikoff.core.examples import Examples
from novikoff.learners import epoch as work
from novikoff.learners.additive import TIES, Rule
from one_pass import one_pass
from worlds import World, conventions, worlds

EPOCHS = 3
kinds = st.sampled_from(["joint", "ovr"])


@st.composite
def many_worlds(draw, max_rows=10, max_classes=4):
    """Rows of three classes or more, whose names are not in the order of their numbers."""
    n = draw(st.integers(3, max_rows))
    d = draw(st.integers(1, 3))
    X = draw(hnp.arrays(np.float64, (n, d), elements=st.integers(-4, 4).map(float)))
    names = np.array(["pear", "fig", "apple", "quince"])[:max_classes]
    y = draw(st.lists(st.sampled_from(names.tolist()), min_size=n, max_size=n))
    y[:3] = draw(st.permutations(names.tolist()))[:3]
    return World(X, np.array(y))


def twin(world, options, kind, **more):
    options = dict(options)
    X, y = world.lists
    more = {"known": sorted(set(y)), "epochs": EPOCHS} | more
    return naive.many_classes(X, y, kind=kind, eta=options.pop("eta0"), **options, **more)


def as_rows(weights):
    return np.array([[float(v) for v in weights[c]] for c in sorted(weights)])


def assert_same_run(model, run):
    np.testing.assert_array_equal(model.mistakes_, run.mistakes)
    assert model.classes_.tolist() == sorted(run.w)


def learned(model):
    return np.hstack([model.coef_, model.intercept_[:, None]])


def assert_predicts_like_the_twin(model, run, X, kind, options):
    width = X.shape[1] + 1
    if type(model) is VotedPerceptron:
        conventions = {"fit_intercept": options["fit_intercept"], "tie": options["tie"]}
        votes = [naive.many_votes(run, x, kind=kind, **conventions) for x in X.tolist()]
        expected = np.array([[float(v[c]) for c in sorted(v)] for v in votes])
        np.testing.assert_array_equal(model.decision_function(X), expected)
        winners = [naive.best(v, options["tie"]) for v in votes]
    else:
        average = type(model) is AveragedPerceptron
        weights = naive.many_average(run) if average else {c: w[:width] for c, w in run.w.items()}
        np.testing.assert_array_equal(learned(model), as_rows(weights))
        if average:
            return  # means are rounded, and so are their scores
        scores = [{c: naive.inner(w, [*x, 1]) for c, w in weights.items()} for x in X.tolist()]
        winners = [naive.best(s, options["tie"]) for s in scores]
    np.testing.assert_array_equal(model.predict(X), winners)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("learner", ADDITIVE)
@given(world=many_worlds(), options=conventions, kind=kinds)
def test_a_run_is_the_twins(learner, form, world, options, kind):
    X = form(world.X)
    model = fitted(learner, X, world.y, shuffle=False, max_iter=EPOCHS, multi_class=kind, **options)
    run = twin(world, options, kind)
    assert_same_run(model, run)
    np.testing.assert_array_equal(model.dual_coef_, list(run.alpha.values()))
    assert_predicts_like_the_twin(model, run, world.X, kind, options)


@pytest.mark.parametrize("learner", ADDITIVE)
@given(data=st.data(), world=many_worlds(), options=conventions, kind=kinds)
def test_start_and_weights(learner, data, world, options, kind):
    (n, d), K = world.X.shape, len(set(world.y.tolist()))
    small = st.integers(-2, 2).map(float)
    w0 = data.draw(hnp.arrays(np.float64, (K, d), elements=small), label="w0")
    b0 = data.draw(hnp.arrays(np.float64, K, elements=small), label="b0")
    b0 *= options["fit_intercept"]
    halves = st.sampled_from([0.5, 1.0, 2.0])
    weight = data.draw(hnp.arrays(np.float64, n, elements=halves), label="weight")
    fit = {"coef_init": w0, "intercept_init": b0, "sample_weight": weight}
    start = {c: [*w, b] for c, w, b in zip(sorted(set(world.y.tolist())), w0, b0, strict=True)}
    model = fitted(
        learner, *world, fit=fit, shuffle=False, max_iter=EPOCHS, multi_class=kind, **options
    )
    run = twin(world, options, kind, start=start, weights=weight.tolist())
    assert_same_run(model, run)
    if options["fit_intercept"] or not b0.any():
        assert_predicts_like_the_twin(model, run, world.X, kind, options)


@pytest.mark.parametrize("learner", ADDITIVE)
@given(data=st.data(), world=many_worlds(max_rows=12), options=conventions, kind=kinds)
def test_a_class_takes_part_from_its_first_example_on(learner, data, world, options, kind):
    """However the stream is cut after its first block, whose classes are known from the start."""
    X, y = world
    head = data.draw(st.integers(1, len(y)), label="first block")
    cuts = data.draw(st.sets(st.integers(head, len(y))), label="cuts")
    model = learner(shuffle=False, multi_class=kind, **options)
    for block in np.split(np.arange(len(y)), sorted({head} | cuts)):
        if len(block):
            model.partial_fit(X[block], y[block])
    known = sorted(set(y[:head].tolist()))
    if options["tie"] != "mistake" and len(known) < 3 and kind == "ovr":
        return  # two classes are one machine, whose convention is not that of two
    run = twin(world, options, kind, known=known, epochs=1)
    if kind == "ovr" and len(known) < 3:
        # a machine for each of two classes errs where the one machine of both does
        assert model.n_mistakes_ <= sum(run.mistakes)
    else:
        assert_same_run(model, run)
    if type(model) is not VotedPerceptron:
        assert_predicts_like_the_twin(model, run, X, kind, options)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("learner", ADDITIVE)
@given(data=st.data(), world=many_worlds(max_rows=12), kind=kinds, seed=st.integers(0, 9))
def test_a_stream_with_its_classes_is_one_epoch(learner, form, data, world, kind, seed):
    """On rounded numbers too: the same additions in the same order."""
    X, y = world
    X = form(X * np.random.default_rng(seed).standard_normal(X.shape))
    cuts = data.draw(st.sets(st.integers(0, len(y))))
    options = data.draw(conventions)
    whole = fitted(learner, X, y, max_iter=1, shuffle=False, multi_class=kind, **options)
    model = learner(shuffle=False, multi_class=kind, **options)
    for block in np.split(np.arange(len(y)), sorted(cuts)):
        if len(block):
            model.partial_fit(X[block], y[block], classes=np.unique(y))
    assert_same(whole, model, rows=X)


@given(world=worlds(), options=conventions)
def test_two_classes_jointly_are_the_perceptron(world, options):
    """Kesler's construction for two classes: weights -w and w, and the same mistakes."""
    d = world.X.shape[1]
    rule = Rule(options["eta0"], float(options["fit_intercept"]), TIES[options["tie"]])
    w, W = np.zeros((1, d + 1)), np.zeros((2, d + 1))
    alone, _ = one_pass(w, Examples(world.X, world.y.astype(np.int8)), rule)
    jointly, _ = one_pass(W, Examples(world.X, (world.y + 1) // 2), rule)
    np.testing.assert_array_equal(jointly.time, alone.time)
    np.testing.assert_array_equal(jointly.gained == 1, alone.gained == 1)
    np.testing.assert_array_equal(W, [-w[0], w[0]])


@pytest.mark.parametrize("learner", [Perceptron, AveragedPerceptron])
@given(world=many_worlds(), options=conventions)
def test_one_vs_rest_is_a_perceptron_for_each_class(learner, world, options):
    X, y = world
    options = {"shuffle": False, "max_iter": 1, **options}
    model = fitted(learner, X, y, multi_class="ovr", **options)
    each = [fitted(learner, X, np.where(y == c, 1, -1), **options) for c in model.classes_]
    np.testing.assert_array_equal(model.coef_, np.vstack([one.coef_ for one in each]))
    np.testing.assert_array_equal(model.intercept_, [one.intercept_[0] for one in each])
    assert model.n_mistakes_ == sum(one.n_mistakes_ for one in each)


@pytest.mark.parametrize("learner", ADDITIVE)
@pytest.mark.parametrize("class_weight", ["balanced", {"fig": 3.0}, {"fig": 0.5, "pear": 2.0}])
@given(world=many_worlds(), kind=kinds)
def test_class_weights_are_sample_weights(learner, class_weight, world, kind):
    X, y = world
    if class_weight != "balanced" and not set(class_weight) <= set(y.tolist()):
        return
    weight = compute_sample_weight(class_weight, y)
    options = {"shuffle": False, "max_iter": EPOCHS, "multi_class": kind}
    one = fitted(learner, X, y, class_weight=class_weight, **options)
    other = fitted(learner, X, y, fit={"sample_weight": weight}, **options)
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.dual_coef_, other.dual_coef_)


@given(
    data=st.data(),
    world=many_worlds(max_rows=12),
    kind=kinds,
    slack=st.sampled_from([0.0, 0.7]),
)
def test_balance_does_not_depend_on_the_cut_of_a_stream(data, world, kind, slack):
    X, y = world
    head = data.draw(st.integers(1, len(y)))
    runs = []
    for cuts in ({head}, {head} | data.draw(st.sets(st.integers(head, len(y))))):
        options = {"class_weight": "balanced", "eta0": 0.1, "slack": slack}
        model = Perceptron(shuffle=False, multi_class=kind, **options)
        for block in np.split(np.arange(len(y)), sorted(cuts)):
            if len(block):
                model.partial_fit(X[block], y[block])
        runs.append(model)
    assert_same(*runs, rows=X)
    if len(runs[0].classes_) > 1:
        assert runs[0].margin_ == runs[1].margin_


@given(world=many_worlds(max_rows=8), kind=kinds, data=st.data())
def test_what_a_run_proves(world, kind, data):
    """Both ends of the margin, and the bound, against the run itself and a slack of 1."""
    X, y = world
    slack = data.draw(st.sampled_from([0.0, 1.0]))
    options = {"shuffle": False, "multi_class": kind, "slack": slack}
    model = fitted(Perceptron, X, y, max_iter=200, **options)
    low, high = model.margin_.lower, model.margin_.upper
    assert low <= high
    if model.converged_:
        assert model.n_mistakes_ <= model.mistake_bound_
        if low > 0 and kind == "joint":
            assert model.mistake_bound_ == novikoff_bound(model.radius_, low)
            R = np.sqrt(2 * ((X**2).sum(axis=1).max() + 1 + slack**2))
            assert model.radius_ == pytest.approx(R, rel=1e-12)
    if model.converged_ and kind == "joint" and not slack:
        s = model.decision_function(X)
        own = np.searchsorted(model.classes_, y)
        rest = np.where(np.arange(s.shape[1]) == own[:, None], -np.inf, s).max(axis=1)
        margin = (s[np.arange(len(y)), own] - rest).min() / np.linalg.norm(learned(model))
        assert low == pytest.approx(max(0.0, margin), abs=1e-9)


def test_planted_many_classes_keep_the_bound():
    """Unit vectors u_c at right angles: the margin is known, and no order breaks the bound."""
    random = np.random.default_rng(0)
    K, n = 5, 400
    y = random.integers(0, K, n)
    X = 0.3 * random.standard_normal((n, K))
    X[np.arange(n), y] += 3.0
    s = X / np.sqrt(K)  # u_c = e_c / sqrt(K)
    rest = np.where(np.arange(K) == y[:, None], -np.inf, s).max(axis=1)
    gamma = (s[np.arange(n), y] - rest).min()
    assert gamma > 0
    R = np.linalg.norm(X, axis=1).max()
    for seed in range(20):
        model = Perceptron(fit_intercept=False, random_state=seed, max_iter=1000).fit(X, y)
        assert model.converged_
        assert model.n_mistakes_ <= 2 * (R / gamma) ** 2
        assert gamma <= model.margin_.upper
        assert model.mistake_bound_ >= 2 * (R / model.margin_.upper) ** 2 * (1 - 1e-9)


@pytest.mark.parametrize("learner", ADDITIVE)
def test_a_stream_that_begins_with_one_class(learner):
    """Nothing to learn until there is another; then it is a run of two classes, then of three."""
    model = learner(shuffle=False)
    model.partial_fit([[1.0], [2.0]], ["b", "b"])
    assert model.classes_.tolist() == ["b"]
    assert model.n_mistakes_ == 0
    assert model.predict([[5.0]]).tolist() == ["b"]
    model.partial_fit([[1.0], [-2.0]], ["b", "a"])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.coef_.shape == (1, 1)
    assert model.n_mistakes_ == 1
    model.partial_fit([[0.0], [-9.0]], ["cherry", "cherry"])
    assert model.classes_.tolist() == ["a", "b", "cherry"]
    assert model.coef_.shape == (3, 1)


def test_pieces_of_a_pass_are_the_pass(monkeypatch):
    """One machine a class can make many updates a visit: a pass over many rows is cut."""
    random = np.random.default_rng(0)
    X, y = random.standard_normal((50, 3)), random.integers(0, 4, 50)
    options = {"multi_class": "ovr", "random_state": 0, "max_iter": 5, "slack": 1.0}
    whole = [fitted(learner, X, y, **options) for learner in ADDITIVE]
    monkeypatch.setattr(work, "ROOM", 28)
    for learner, model in zip(ADDITIVE, whole, strict=True):
        cut = fitted(learner, X, y, **options)
        assert_same(model, cut, rows=X)
        assert cut.margin_.upper == pytest.approx(model.margin_.upper, rel=1e-12)


@pytest.mark.parametrize("learner", ADDITIVE)
@pytest.mark.parametrize("kind", ["joint", "ovr"])
def test_a_block_that_fails_was_never_there(learner, kind):
    random = np.random.default_rng(0)
    X, y = random.standard_normal((30, 3)), random.integers(0, 3, 30)
    model, other = (learner(random_state=0, multi_class=kind) for _ in range(2))
    for one in (model, other):
        one.partial_fit(X, y)
    bad = X.copy()
    bad[7, 1] = np.nan
    for labels in (y, y + 1):  # the second brings a new class
        with pytest.raises(ValueError, match="row 7, column 1"):
            model.partial_fit(bad, labels)
    assert_same(model, other, rows=X)
    model.partial_fit(X, y + 1)
    other.partial_fit(X, y + 1)
    assert_same(model, other, rows=X)


def test_labels_that_do_not_belong():
    model = Perceptron().partial_fit([[1.0], [2.0], [3.0]], [0, 1, 2])
    with pytest.raises(ValueError, match="none of the classes, first in row 1: 7 is not among"):
        model.partial_fit([[1.0], [2.0]], [0, 7], classes=[0, 1, 2])
    with pytest.raises(ValueError, match="lacks 2, one of the classes of the earlier calls"):
        model.partial_fit([[1.0]], [0], classes=[0, 1])
    with pytest.raises(ValueError, match="give labels of one kind"):
        model.partial_fit([[1.0]], ["fig"])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.partial_fit([[1.0]], [0], classes=[0, 1, 2, 3]).classes_.tolist() == [0, 1, 2, 3]


def test_convergence_is_told_of_many_classes_too():
    X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]] * 2
    with pytest.warns(ConvergenceWarning, match="still made"):
        Perceptron(max_iter=5).fit(X, [0, 1, 1, 0, 2, 2, 0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Perceptron(max_iter=500, slack=1.0).fit(X, [0, 1, 1, 0, 2, 2, 0, 1])


@pytest.mark.parametrize("learner", [Perceptron, VotedPerceptron])
@given(world=many_worlds(), kind=kinds)
def test_a_parameter_set_after_fit_does_not_change_what_the_run_was(learner, world, kind):
    model = fitted(learner, *world, shuffle=False, max_iter=EPOCHS, multi_class=kind, record=True)
    before = model.margin_, model.mistake_bound_, model.radius_, model.trace_.squared_norm
    votes = model.decision_function(world.X)
    model.set_params(multi_class="ovr" if kind == "joint" else "joint")
    after = model.margin_, model.mistake_bound_, model.radius_, model.trace_.squared_norm
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(model.decision_function(world.X), votes)
