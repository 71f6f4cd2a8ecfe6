"""Progressive validation: every example is predicted before it is learned."""

from itertools import islice, repeat

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.linear_model import SGDClassifier

from laws.learners import ADDITIVE
from laws.test_many_classes import many_worlds
from novikoff import AveragedPerceptron, Perceptron, Progress, Winnow, progressive
from novikoff.data import stream, write
from novikoff.errors import BadRow, DataError, ParameterError
from novikoff.progressive_validation import _sparse_cutting, wilson


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("learner", ADDITIVE)
@given(data=st.data(), world=many_worlds())
def test_it_is_the_loop_of_single_examples(learner, form, data, world):
    """However the stream is cut: predict, then learn, and count."""
    X, y = world
    cuts = sorted(data.draw(st.sets(st.integers(1, len(y) - 1))))
    window, every = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5))
    blocks = [(form(X[b]), y[b]) for b in np.split(np.arange(len(y)), cuts)]
    told = list(progressive(learner(shuffle=False), blocks, window=window, every=every))
    model, wrong = learner(shuffle=False), []
    for i in range(len(y)):
        wrong.append(i == 0 or model.predict(X[i : i + 1])[0] != y[i])
        model.partial_fit(X[i : i + 1], y[i : i + 1])
    points = [*range(every, len(y) + 1, every)]
    points += [len(y)] if len(y) % every else []
    assert [p.examples for p in told] == points
    for progress in told:
        before = wrong[: progress.examples]
        assert progress.mistakes == sum(before)
        assert progress.window_examples == min(window, len(before))
        assert progress.window_mistakes == sum(before[-window:])


@pytest.mark.parametrize("chunk", [2, 7, 100])
def test_chunks_are_predicted_before_they_are_learned(chunk):
    random = np.random.default_rng(0)
    X, y = random.standard_normal((50, 3)), random.integers(0, 2, 50)
    told = list(progressive(Perceptron(shuffle=False), [(X, y)], chunk=chunk, every=50))
    model, wrong = Perceptron(shuffle=False), 0
    for low in range(0, 50, chunk):
        some = slice(low, low + chunk)
        wrong += len(y[some]) if low == 0 else int((model.predict(X[some]) != y[some]).sum())
        model.partial_fit(X[some], y[some])
    assert told[-1].mistakes == wrong


def test_an_endless_stream_with_a_break_in_it():
    """What was learned becomes wrong: the window sees it at once, the whole later."""
    random = np.random.default_rng(0)

    def endless():
        for t in range(10**9):
            X = random.standard_normal((100, 5))
            yield X, np.where((X[:, 0] > 0) != (t >= 40), 1, -1)

    told = list(islice(progressive(AveragedPerceptron(), endless(), window=500, every=500), 9))
    assert told[7].window_rate < 0.1 < 0.5 < told[8].window_rate
    assert told[8].rate < 0.25


def test_readers_weights_and_other_peoples_learners(tmp_path):
    random = np.random.default_rng(0)
    X, y = random.standard_normal((60, 3)), random.integers(0, 2, 60)
    write(tmp_path / "some.svm", X, y)
    told = list(progressive(Perceptron(), stream(tmp_path / "some.svm"), every=20))
    assert [p.examples for p in told] == [20, 40, 60]
    theirs = list(progressive(SGDClassifier(), [(X, y)], classes=[0, 1]))
    assert theirs[-1].examples == 60
    weight = np.ones(60)
    weight[1:] = 0
    only_one = Perceptron(shuffle=False)
    list(progressive(only_one, [(X, y, weight)], classes=[0, 1]))
    assert only_one.n_mistakes_ == 1


def drawn(n=40):
    random = np.random.default_rng(0)
    X = random.standard_normal((n, 3)).round(2)
    return X, np.where(X[:, 0] > 0, "yes", "no")


@pytest.mark.parametrize(
    "row",
    [np.asarray, list, lambda x: x[None], lambda x: sparse.csr_array(x[None]), sparse.coo_array],
)
@pytest.mark.parametrize("weighed", [False, True])
def test_single_examples(row, weighed):
    """An iterator of them is as good as a block."""
    X, y = drawn()
    weight = np.linspace(0.5, 1, len(y))
    singles = ((row(x), label, w)[: 2 + weighed] for x, label, w in zip(X, y, weight, strict=True))
    one, block = Perceptron(), Perceptron()
    told = list(progressive(one, singles, every=7))
    assert told == list(progressive(block, [(X, y, weight)[: 2 + weighed]], every=7))
    assert (one.coef_ == block.coef_).all()


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_frames_keep_their_names(kind):
    """Those of a model that has names, or gets them; one that has none is given none."""
    X, y = drawn()
    frame, plain = kind(dict(zip("abc", X.T, strict=True))), Perceptron()
    told = list(progressive(plain, [(X, y)], every=7))
    model = Perceptron()
    assert list(progressive(model, [(frame, y)], every=7, chunk=1)) == told
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert (model.coef_ == plain.coef_).all()
    model.predict(frame)
    list(progressive(model, [(frame, y)], chunk=3))
    list(progressive(plain, [(frame, y)]))
    with pytest.raises(ValueError, match="feature names"):
        list(progressive(model, [(frame[["b", "a", "c"]], y)]))


def test_rows_of_frames():
    X, y = drawn()
    frame, model = pd.DataFrame(X, columns=[*"abc"]), Perceptron()
    singles = ((x, label) for (_, x), label in zip(frame.iterrows(), y, strict=True))
    assert list(progressive(model, singles)) == list(progressive(Perceptron(), [(X, y)]))
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("chunk", [1, 4])
def test_a_bad_row_is_named_by_its_place_in_the_stream(form, chunk):
    X, y = drawn()
    X[33, 1] = np.nan
    blocks = [(form(X[some]), y[some]) for some in (slice(25), slice(25, None))]
    with pytest.raises(DataError, match="in row 33 of the stream, column 1"):
        list(progressive(Perceptron(), blocks, chunk=chunk))
    ones = (X > 0) * 1.0
    ones[35, 2] = 2
    blocks = [(form(ones[some]), y[some]) for some in (slice(25), slice(25, None))]
    with pytest.raises(BadRow, match="in row 35 of the stream, column 2") as caught:
        list(progressive(Winnow(), blocks, chunk=chunk, classes=["no", "yes"]))
    assert caught.value.row == 35


@given(data=st.data())
def test_rows_of_sparse_blocks(data):
    """What is cut out is what scipy cuts out: also of rows that are empty, or out of order."""
    n, d = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 5))
    entries = [data.draw(st.lists(st.integers(0, d - 1), max_size=6)) for _ in range(n)]
    indptr = np.cumsum([0, *map(len, entries)])
    columns = np.array([j for row in entries for j in row], np.int32)
    X = sparse.csr_array((np.arange(1.0, len(columns) + 1), columns, indptr), shape=(n, d))
    for cut, k in ((_sparse_cutting(X), 1), (_sparse_cutting(X), 2)):
        for low in range(n - k + 1):
            rows = cut(low, low + k)
            assert rows.shape == (k, d)
            assert rows.has_sorted_indices == X[low : low + k].has_sorted_indices
            assert (rows.toarray() == X[low : low + k].toarray()).all()


def test_options_of_numpy():
    X, y = drawn()
    told = list(progressive(Perceptron(shuffle=False), [(X, y)], window=5, every=3, chunk=2))
    options = {"window": np.int64(5), "every": np.int32(3), "chunk": np.uint8(2)}
    assert list(progressive(Perceptron(shuffle=False), [(X, y)], **options)) == told


@given(n=st.integers(1, 300), data=st.data())
def test_the_interval_is_wilsons(n, data):
    k = data.draw(st.integers(0, n))
    for confidence, z in ((0.95, 1.959963984540054), (0.99, 2.5758293035489004)):
        low, high = wilson(k, n, confidence)
        assert 0 <= low <= k / n <= high <= 1
        for end in (low, high):  # the ends solve |k/n - p| = z sqrt(p (1 - p) / n)
            if 1e-12 < end < 1 - 1e-12:
                assert abs(k / n - end) == pytest.approx(z * np.sqrt(end * (1 - end) / n), abs=1e-9)


def test_the_interval_covers():
    random = np.random.default_rng(0)
    for p in (0.02, 0.3):
        covered = 0
        for _ in range(2000):
            low, high = Progress(400, random.binomial(400, p), 1, 0).interval
            covered += low <= p <= high
        assert 0.93 < covered / 2000 < 0.975


def test_in_words():
    assert str(Progress(1000, 100, 200, 10)) == (
        "1,000 examples, 10.00% wrong (8.29% to 12.02%); of the last 200, 5.00% (2.74% to 8.96%)"
    )


def test_bad_input():
    X, y = np.eye(2), [0, 1]
    for options in ({"window": 0}, {"every": 1.5}, {"chunk": -1}, {"confidence": 1.0}):
        with pytest.raises(ParameterError, match=next(iter(options))):
            progressive(Perceptron(), [(X, y)], **options)
    with pytest.raises(DataError, match="no examples"):
        list(progressive(Perceptron(), []))
    with pytest.raises(DataError, match="must have tuples"):
        list(progressive(Perceptron(), [X]))
    with pytest.raises(DataError, match="2 rows, but 1 labels"):
        list(progressive(Perceptron(), [(X, [0])]))
    with pytest.raises(DataError, match="0 rows, but 2 labels"):
        list(progressive(Perceptron(), [(1.0, y)]))
    with pytest.raises(DataError, match="0 rows, but 1 labels"):
        list(progressive(Perceptron(), [(1.0, 0)]))
    with pytest.raises(DataError, match="DictVectorizer"):
        list(progressive(Perceptron(), [({"a": 1.0}, 0)]))
    with pytest.raises(DataError, match="has no labels"):
        list(progressive(Perceptron(), [(X, None)]))
    with pytest.raises(DataError, match="0/1 features"):
        list(progressive(Winnow(), repeat((X * 2, y)), classes=[0, 1]))
