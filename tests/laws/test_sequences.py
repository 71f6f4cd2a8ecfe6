"""The perceptron for sequences is its twin, and one step of it is the joint perceptron."""

import pickle
import re
import warnings
from itertools import pairwise, product
from math import inf

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

import naive_sequences
from laws.learners import fitted
from novikoff import DataError, Perceptron, SequencePerceptron
from novikoff.learners.sequences.schemes import SCHEMES
from novikoff.parallel import pool as teams

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@st.composite
def corpora(draw, max_steps=3, max_labels=3, max_sequences=5):
    """Sequences of small whole numbers, and their labels, all of which occur."""
    K, d = draw(st.integers(2, max_labels)), draw(st.integers(1, 3))
    lengths = draw(st.lists(st.integers(1, max_steps), min_size=2, max_size=max_sequences))
    value = st.integers(-2, 2)
    X = [[[draw(value) for _ in range(d)] for _ in range(n)] for n in lengths]
    Y = [[draw(st.integers(0, K - 1)) for _ in range(n)] for n in lengths]
    flat = [c for y in Y for c in y]
    if len({*flat}) < 2:
        Y[0][0] = (Y[-1][-1] + 1) % K if len(Y) > 1 or len(Y[0]) > 1 else Y[0][0]
    present = sorted({c for y in Y for c in y})
    if len(present) < 2:
        Y[-1][-1] = (present[0] + 1) % K
        present = sorted({c for y in Y for c in y})
    return X, [[present.index(c) for c in y] for y in Y], len(present)


def rows(X):
    return [np.array(xs, float) for xs in X]


def learner(**options):
    return SequencePerceptron(**{"shuffle": False, "max_iter": 3} | options)


@given(corpus=corpora(), bias=st.booleans(), weighed=st.booleans(), averaged=st.booleans())
def test_a_run_is_the_twins(corpus, bias, weighed, averaged):
    X, Y, K = corpus
    weights = [(k % 3) / 2 + 0.5 for k in range(len(X))] if weighed else None
    run = naive_sequences.Run(len(X[0][0]), K, bias=bias).fit(X, Y, 3, weights)
    model = learner(fit_intercept=bias, averaged=averaged).fit(rows(X), Y, sample_weight=weights)
    assert model.mistakes_.tolist() == run.mistakes
    assert model.n_updates_ == run.updates
    W, T = run.mean() if averaged else (run.W, run.T)
    learned = np.column_stack([model.coef_, model.intercept_])
    np.testing.assert_allclose(learned, np.array(W, float), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(model.transition_, np.array(T, float), rtol=1e-12, atol=1e-12)
    if not averaged:
        assert model.predict(rows(X)) == [list(run.predict(xs)) for xs in X]


beams = st.sampled_from([None, 1, 2, 3])


@given(corpus=corpora(max_labels=4), beam=beams, early=st.booleans())
def test_a_beam_finds_what_the_twins_does(corpus, beam, early):
    X, Y, K = corpus
    run = naive_sequences.Run(len(X[0][0]), K, beam=beam, early=early).fit(X, Y, 3)
    update = "early" if early else "max-violation"
    model = learner(averaged=False, beam=beam, update=update).fit(rows(X), Y)
    same_run(model, run)
    assert model.predict(rows(X)) == [list(run.predict(xs)) for xs in X]


@given(data=st.data(), scheme=st.sampled_from([*SCHEMES]), beam=beams, early=st.booleans())
def test_constraints_leave_valid_labels_only(data, scheme, beam, early):
    names = ["O", *(f"{tag}-{kind}" for tag in SCHEMES[scheme].tags for kind in "XY")]
    X, _, _ = data.draw(corpora(max_sequences=4))
    words = [data.draw(st.sampled_from([*valid_labels(scheme, names, len(xs))])) for xs in X]
    classes = sorted({name for own in words for name in own})
    assume(len(classes) > 1)
    Y = [[classes.index(name) for name in own] for own in words]

    def valid(z, whole):
        return is_valid(scheme, [classes[c] for c in z], whole=whole)

    twin = naive_sequences.Run(len(X[0][0]), len(classes), beam=beam, early=early, valid=valid)
    run = twin.fit(X, Y, 3)
    update = "early" if early else "max-violation"
    model = learner(averaged=False, beam=beam, update=update, constraints=scheme)
    same_run(model.fit(rows(X), words), run)
    for told, n in zip(model.predict(rows(X)), map(len, X), strict=True):
        assert is_valid(scheme, told, whole=True)
        assert len(told) == n
    if beam is None:
        assert model.predict(rows(X)) == [[classes[c] for c in run.predict(xs)] for xs in X]


def same_run(model, run):
    """Whole numbers, so that there is no rounding."""
    assert model.mistakes_.tolist() == run.mistakes
    assert model.n_updates_ == run.updates
    learned = np.column_stack([model.coef_, model.intercept_])
    np.testing.assert_array_equal(learned, np.array(run.W, float))
    np.testing.assert_array_equal(model.transition_, np.array(run.T, float))


VALID = {  # what comes before each tag, and what after: "." is neither end nor the same kind
    "iob1": r"(O|I-(.)( I-\2)*( B-\2( I-\2)*)*)( O| I-(.)( I-\7)*( B-\7( I-\7)*)*)*",
    "iob2": r"(O|B-(.)( I-\2)*)( O| B-(.)( I-\5)*)*",
    "bioes": r"(O|S-.|B-(.)( I-\2)* E-\2)( O| S-.| B-(.)( I-\5)* E-\5)*",
}


def is_valid(scheme, labels, *, whole):
    """Do labels keep to a scheme, or can they if they go on?"""
    if whole or scheme != "bioes":
        return bool(re.fullmatch(VALID[scheme], " ".join(labels)))
    tag, _, kind = labels[-1].partition("-")
    return is_valid(scheme, [*labels, f"E-{kind}"] if tag in "BI" else labels, whole=True)


def valid_labels(scheme, names, n):
    """All labels of `n` steps that keep to a scheme."""
    return [z for z in product(names, repeat=n) if is_valid(scheme, z, whole=True)]


@given(corpus=corpora(max_labels=4), early=st.booleans(), margin=st.sampled_from([0.0, 1.0]))
def test_a_wide_beam_is_exact(corpus, early, margin):
    X, Y, K = corpus
    exact = learner(margin=margin).fit(rows(X), Y)
    update = "early" if early else "max-violation"
    wide = learner(margin=margin, beam=K + 1, update=update).fit(rows(X), Y)
    if early:
        assert wide.coef_.tobytes() == exact.coef_.tobytes()
        assert wide.transition_.tobytes() == exact.transition_.tobytes()
    told = exact.predict(rows(X))
    assert exact.set_params(beam=K).predict(rows(X)) == told


@given(corpus=corpora(), tau=st.sampled_from([0.5, 1.0, 3.0]))
def test_with_a_margin_too(corpus, tau):
    """By the mean squared length of the sequences, which is known from the second epoch on."""
    X, Y, K = corpus
    model = learner(margin=tau, averaged=False, max_iter=1).fit(rows(X), Y)
    run = naive_sequences.Run(len(X[0][0]), K)
    total = n = mean = 0
    for xs, y in zip(X, Y, strict=True):
        run.least = 2 * tau * (mean + 1) if n else 0
        run.visit(xs, y)
        n, total = n + 1, total + sum(v * v for x in xs for v in x)
        mean = total / n if n & (n - 1) == 0 else mean
    assert model.n_updates_ == run.updates
    learned = np.column_stack([model.coef_, model.intercept_])
    np.testing.assert_allclose(learned, np.array(run.W, float), rtol=1e-12, atol=1e-12)


@given(
    corpus=corpora(max_steps=1, max_labels=4, max_sequences=9), margin=st.sampled_from([0.0, 1.0])
)
def test_one_step_is_the_joint_perceptron(corpus, margin):
    X, Y, K = corpus
    table, y = np.array([xs[0] for xs in X], float), np.array([labels[0] for labels in Y])
    assume(K > 2)
    options = {"shuffle": True, "random_state": 3, "max_iter": 4, "margin": margin}
    one = fitted(Perceptron, sparse.csr_array(table), y, **options)
    other = learner(**options, averaged=False).fit(rows(X), Y)
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
    np.testing.assert_array_equal(one.mistakes_, other.mistakes_)
    assert not other.transition_.any()
    assert other.radius_ == pytest.approx(one.radius_)
    assert other.margin_.lower == pytest.approx(one.margin_.lower)
    assert other.margin_.upper == pytest.approx(one.margin_.upper)
    assert [z[0] for z in other.predict(rows(X))] == one.predict(table).tolist()


def planted(random, n_sequences=30, K=4, d=6, weights=None):
    """Sequences whose labels some weights and transitions tell apart."""
    W, T = weights or (random.normal(size=(K, d)), random.normal(size=(K, K)))
    d = W.shape[1]
    X = [random.normal(size=(int(random.integers(1, 6)), d)) for _ in range(n_sequences)]
    labels = []
    for xs in X:
        best, back = xs[0] @ W.T, []
        for x in xs[1:]:
            reached = best[:, None] + T
            back.append(reached.argmax(axis=0))
            best = reached.max(axis=0) + W @ x
        z = [int(best.argmax())]
        for came in reversed(back):
            z.append(int(came[z[-1]]))
        labels.append(z[::-1])
    return X, labels


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("margin", [0.0, 0.5])
def test_the_theorem_holds(seed, margin):
    """What a finished run proves about the margin bounds what any order can force."""
    X, Y = planted(np.random.default_rng(seed))
    model = SequencePerceptron(max_iter=5000, random_state=0, margin=margin).fit(X, Y)
    assert model.converged_
    assert model.n_mistakes_ <= model.mistake_bound_ < inf
    assert model.n_updates_ <= model.update_bound_ < inf
    assert 0 < model.margin_.lower <= model.margin_.upper
    for order in range(3):
        other = SequencePerceptron(max_iter=5000, random_state=order, margin=margin).fit(X, Y)
        assert other.n_mistakes_ <= model.mistake_bound_
        assert other.margin_.lower <= model.margin_.upper
    last = model.set_params(averaged=False)
    with pytest.raises(ValueError, match="averaged"):
        last.partial_fit(X, Y)


def apart_all_the_way(X, Y, W, T):
    """The margin of these weights over all prefixes, of the sequences where it is above a tenth."""
    length, kept, least = np.sqrt((W**2).sum() + (T**2).sum()), [], np.inf
    for xs, y in zip(X, Y, strict=True):
        margin = np.inf
        for t in range(1, len(y) + 1):
            steps = xs[:t] @ W.T
            scores = {
                z: sum(steps[range(t), z]) + sum(T[q, c] for q, c in pairwise(z))
                for z in product(range(len(W)), repeat=t)
            }
            right = scores.pop(tuple(y[:t]))
            margin = min(margin, (right - max(scores.values())) / length)
        if margin > 0.1:
            kept.append((xs, y))
            least = min(least, margin)
    return *zip(*kept, strict=True), least


@pytest.mark.parametrize("update", ["early", "max-violation"])
@pytest.mark.parametrize("beam", [1, 2])
@pytest.mark.parametrize("seed", range(2))
def test_the_theorem_holds_for_beams(seed, beam, update):
    """Where all prefixes are told apart, violations are no more than the theorem says."""
    random = np.random.default_rng(seed)
    W, T = random.normal(size=(3, 6)), random.normal(size=(3, 3))
    X, Y = planted(random, n_sequences=80, weights=(W, T))
    X, Y, delta = apart_all_the_way(X, Y, W, T)
    assert len(X) > 10
    model = learner(beam=beam, update=update, fit_intercept=False, max_iter=5000).fit(X, Y)
    assert model.converged_
    assert 0 < model.n_updates_ <= (model.radius_ / delta) ** 2
    assert model.margin_.lower == 0  # a search that may miss the best proves no margin
    assert model.margin_.upper >= delta
    last = learner(beam=beam, update=update, fit_intercept=False, max_iter=5000, averaged=False)
    assert last.fit(X, Y).predict(X) == list(Y)  # the search of a run that ended errs no more


@given(corpus=corpora(max_sequences=6), cut=st.integers(1, 4))
def test_a_chain_of_blocks_is_one_epoch(corpus, cut):
    X, Y, K = corpus
    whole = learner(max_iter=1).fit(rows(X), Y)
    model = learner()
    for low in range(0, len(X), cut):
        model.partial_fit(rows(X[low : low + cut]), Y[low : low + cut], classes=range(K))
    np.testing.assert_array_equal(whole.coef_, model.coef_)
    np.testing.assert_array_equal(whole.transition_, model.transition_)
    np.testing.assert_array_equal(whole.mistakes_, model.mistakes_)


def texts(X):
    """The same steps as dictionaries, as strings, and as arrays of all features there are."""
    names = [[{f"f{j}": str(v) for j, v in enumerate(x)} for x in xs] for xs in X]
    return names, [[[f"{k}:{v}" for k, v in step.items()] for step in xs] for xs in names]


@given(corpus=corpora())
def test_names_are_columns(corpus):
    X, Y, _ = corpus
    names, strings = texts(X)
    one, other = learner().fit(names, Y), learner().fit(strings, Y)
    assert one.feature_names_ == other.feature_names_
    np.testing.assert_array_equal(one.coef_, other.coef_)
    columns = {name: j for j, name in enumerate(one.feature_names_)}
    table = [np.zeros((len(xs), len(columns))) for xs in strings]
    for own, xs in zip(table, strings, strict=True):
        for row, step in zip(own, xs, strict=True):
            row[[columns[name] for name in step]] = 1.0
    third = learner().fit(table, Y)
    np.testing.assert_array_equal(one.coef_, third.coef_)
    assert one.predict(names) == other.predict(strings) == third.predict(table)
    assert one.score(names, Y) == third.score(table, Y)
    hashed = learner(n_features=2**20).fit(names, Y)
    assert hashed.predict(names) == one.predict(names)


@given(corpus=corpora(max_labels=3, max_sequences=6))
def test_labels_and_features_may_come_at_any_time(corpus):
    """A label takes part from the first sequence that has it; a feature has weights of 0 before."""
    X, Y, _ = corpus
    names, _ = texts(X)
    model = learner(averaged=False)
    for xs, y in zip(names, Y, strict=True):
        model.partial_fit([xs], [y])
    assert set(model.classes_) == {c for y in Y for c in y}
    run, seen = None, set()
    columns = {name: j for j, name in enumerate(model.feature_names_)}
    for xs, y in zip(names, Y, strict=True):
        seen |= {*y}
        order = sorted(seen)
        new = naive_sequences.Run(len(columns), len(order))
        if run is not None:
            for c, old in enumerate(run.order):
                new.W[order.index(old)] = run.W[c]
                for q, other in enumerate(run.order):
                    new.T[order.index(old)][order.index(other)] = run.T[c][q]
        new.order, run = order, new
        steps = [[0] * len(columns) for _ in xs]
        for row, step in zip(steps, xs, strict=True):
            for name, text in step.items():
                row[columns[f"{name}:{text}"]] = 1
        if len(order) > 1:
            run.visit(steps, [order.index(c) for c in y])
    np.testing.assert_array_equal(model.coef_, np.array(run.W, float)[:, :-1])
    np.testing.assert_array_equal(model.transition_, np.array(run.T, float))


class Eager(teams.Team):
    """A team that always works together."""

    def size(self):
        self.seconds = self.seconds or 1e-7
        return self.most


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(3))
def test_every_number_of_threads_gives_the_same_model(seed, monkeypatch):
    monkeypatch.setattr(teams, "Team", Eager)
    X, Y = planted(np.random.default_rng(seed), n_sequences=60)
    one, several = (
        SequencePerceptron(max_iter=3, random_state=1, n_jobs=n).fit(X, Y) for n in (None, 3)
    )
    assert one.coef_.tobytes() == several.coef_.tobytes()
    assert one.transition_.tobytes() == several.transition_.tobytes()
    assert one.predict(X) == several.predict(X)
    again = pickle.loads(pickle.dumps(several))
    assert again.predict(X) == one.predict(X)


WORDS = [[{"w": "a"}, {"w": "b"}], [{"w": "b"}]]
TAGS = [["X", "Y"], ["Y"]]


def test_values_of_features():
    """Numbers, booleans, sets and dictionaries, as CRFsuite reads them."""
    step = {"n": 2.5, "yes": True, "no": False, "s": {"p"}, "d": {"e": "f", "g": 3}, "t": "u"}
    model = learner().fit([[step, {"n": 1}]], [["X", "Y"]])
    assert model.feature_names_ == ["n", "yes", "s:p", "d:e:f", "d:g", "t:u"]
    np.testing.assert_array_equal(
        model.decision_function([[{"unseen": "v"}]])[0], model.intercept_[None]
    )
    several = learner().fit([[{"s": {"r", "p", "q"}}, {}]], [["X", "Y"]])
    assert several.feature_names_ == ["s:p", "s:q", "s:r"]
    numbered = learner().fit([[{1: "a"}, {1: "b"}]], [["X", "Y"]])
    assert numbered.feature_names_ == ["1:a", "1:b"]
    mixed = numbered.decision_function([[{1: "a"}, {1: "b", 2: 1.0}]])
    np.testing.assert_array_equal(mixed, numbered.decision_function([[{1: "a"}, {1: "b"}]]))


def test_as_many_labels_as_columns():
    """Transitions are square, and stay so where the weights are square too."""
    model = learner().partial_fit([[{"w": "a"}, {"w": "b"}]], [["A", "B"]])
    model.partial_fit([[{"w": "a"}, {"w": "b"}]], [["B", "A"]])
    before = model.transition_
    model.partial_fit([[{"w": "a"}]], [["C"]], sample_weight=[0])
    assert model.coef_.shape == (3, 2)
    np.testing.assert_array_equal(model.transition_[:2, :2], before)
    assert not model.transition_[2].any()
    assert not model.transition_[:, 2].any()


def test_names_and_numbers_do_not_mix():
    table, tags = [np.eye(2)], [["X", "Y"]]
    for options in ({}, {"n_features": 16}):
        named = learner(**options).fit(WORDS, TAGS)
        for call in (named.predict, named.decision_function):
            with pytest.raises(DataError, match="has rows of numbers, but the model was fitted on"):
                call(table)
    numbers = learner().fit(table, tags)
    with pytest.raises(DataError, match="has features by name, but the model was fitted on rows"):
        numbers.predict(WORDS)
    with pytest.raises(DataError, match="has features by name, but the model was fitted on rows"):
        numbers.partial_fit(WORDS, TAGS)
    assert numbers.predict(table) == [["X", "Y"]]
    with pytest.raises(DataError, match="n_features"):
        learner(n_features=16).fit(table, tags)


def test_scikit_learn_searches():
    X, Y = planted(np.random.default_rng(0), n_sequences=12)
    search = GridSearchCV(learner(), {"margin": [0.0, 1.0]}, cv=3).fit(X, Y)
    assert search.best_estimator_.score(X, Y) > 0.5


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ("ab", TAGS, "X is a str, but sequences are needed"),
        ([], [], "X has no sequence"),
        ([[]], [[]], "Sequence 0 has no steps"),
        (["ab"], [["X", "Y"]], "Sequence 0 is a str"),
        ([{"w": "a"}], [["X"]], "Sequence 0 is a dict"),
        (WORDS, TAGS[:1], "X has 2 sequences, but y has 1"),
        (WORDS, [["X"], ["Y"]], "Sequence 0 has 1 labels for 2 steps"),
        (WORDS, ["XY", "Y"], "The labels of sequence 0 are 'XY'"),
        (WORDS, None, "y is a NoneType"),
        (WORDS, [["X", "X"], ["X"]], "All labels are 'X'"),
        ([[3, 4]], [["X", "Y"]], "A step is a int"),
        ([3], [["X"]], "Sequence 0 is a int"),
        ([{"a", "b"}], [["X", "Y"]], "Sequence 0 is a set"),
        (sparse.csr_array(np.eye(2)), [["X", "Y"]], "X is a csr_array"),
        ([[[1, 2], [3]], [[1, 2]]], [["X", "Y"], ["X"]], "Sequence 0 is no table of numbers"),
        ([[[1, 2]], [{"w": "a"}]], [["X"], ["Y"]], "Sequence 1 is no table of numbers"),
        ([[{"n": 10**400}, {}]], [["X", "Y"]], "Feature 'n' is 1000"),
        ([[{"n": np.nan}, {}]], [["X", "Y"]], "Feature 'n' is nan"),
        ([[{"n": None}, {}]], [["X", "Y"]], "Feature 'n' is a NoneType"),
        ([np.ones((1, 2)), np.ones((1, 3))], [["X"], ["Y"]], "2 features here and 3 there"),
        ([np.array([[np.nan]]), np.ones((1, 1))], [["X"], ["Y"]], "NaN"),
    ],
)
def test_bad_sequences_are_refused(X, y, message):
    with pytest.raises(DataError, match=message):
        learner().fit(X, y)
    model = learner().fit(WORDS, TAGS)
    before = pickle.dumps(model)
    with pytest.raises(DataError, match=message):
        model.fit(X, y)
    assert pickle.dumps(model) == before


def test_a_failed_block_changes_nothing():
    model = learner().fit(WORDS, TAGS)
    before = pickle.dumps(model)
    with pytest.raises(DataError, match="has 2 labels for 1 step: "):
        model.partial_fit([[{"w": "new", "v": "w", "n": 2}], [{"w": "c"}]], [["Z"], ["X", "Y"]])
    assert model.feature_names_ == ["w:a", "w:b"]
    with pytest.raises(DataError, match="features by name"):
        model.partial_fit([np.ones((1, 2))], [["X"]])
    assert pickle.dumps(model) == before


def test_a_run_without_an_end_warns_only_if_it_needs_one():
    X, Y = [[{"w": "a"}], [{"w": "a"}]], [["X"], ["Y"]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SequencePerceptron(max_iter=2).fit(X, Y)
    with pytest.warns(ConvergenceWarning, match="averaged=True needs no end"):
        SequencePerceptron(max_iter=2, averaged=False).fit(X, Y)


def test_a_model_says_what_it_learned():
    model = SequencePerceptron(random_state=0).fit(WORDS, TAGS)
    assert model.classes_.tolist() == ["X", "Y"]
    assert model.score(WORDS, TAGS) == 1.0
    assert model.score(WORDS, [["Y", "Y"], ["Y"]], sample_weight=[1, 3]) == 0.8
    assert model.coef_.shape == (2, 2)
    assert model.transition_.shape == (2, 2)
    assert [s.shape for s in model.decision_function(WORDS)] == [(2, 2), (1, 2)]
    assert model.get_params()["margin"] == 0.0
