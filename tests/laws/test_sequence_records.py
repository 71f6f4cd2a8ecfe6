"""A run over sequences, update by update: as the twin had it, and Collins' proof on it."""

import pickle

import matplotlib
import numpy as np
import pytest
from hypothesis import given, strategies as st
from matplotlib import pyplot

import naive_sequences
from laws.test_sequences import beams, corpora, learner, planted, rows, texts
from novikoff import DataError, ParameterError, SequencePerceptron
from novikoff.plots import LatticeDisplay, ProofDisplay

matplotlib.use("Agg")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def together(W, T):
    return np.hstack([np.array(W, float), np.array(T, float).T])


@given(corpus=corpora(), beam=beams, early=st.booleans(), least=st.sampled_from([0, 2]))
def test_a_record_is_the_twins(corpus, beam, early, least):
    X, Y, K = corpus
    options = {"averaged": False, "beam": beam, "update": "early" if early else "max-violation"}
    twin = naive_sequences.Run(len(X[0][0]), K, beam=beam, early=early)
    run = twin.fit(X, Y, 3)
    plain = learner(**options).fit(rows(X), Y)
    model = learner(record=True, **options).fit(rows(X), Y)
    assert model.coef_.tobytes() == plain.coef_.tobytes()
    assert model.transition_.tobytes() == plain.transition_.tobytes()
    trace = model.trace_
    assert len(trace) == run.updates
    assert [tuple(z.tolist()) for z in trace.rivals] == [z for z, *_ in run.record]
    np.testing.assert_array_equal(trace.score, [float(lead) for _, lead, *_ in run.record])
    squares = [(together(W, T) ** 2).sum() for *_, W, T in run.record]
    np.testing.assert_array_equal(trace.squared_norm, squares)
    assert not trace.weights(0).any()
    every = trace.weights(range(1, len(trace) + 1))
    for w, (*_, W, T) in zip(every, run.record, strict=True):
        np.testing.assert_array_equal(w, together(W, T))
    again = pickle.loads(pickle.dumps(model)).trace_.with_data(rows(X), Y)
    np.testing.assert_array_equal(again.weights(len(trace)), trace.weights(len(trace)))
    assert list(trace.to_pandas()) == [
        *("epoch", "position", "example", "score", "squared_norm", "mistakes", "step")
    ]


@given(corpus=corpora(max_sequences=6))
def test_labels_and_features_that_come_later_were_there_with_weights_of_0(corpus):
    X, Y, _ = corpus
    names, _ = texts(X)
    model = learner(averaged=False, record=True)
    for xs, y in zip(names, Y, strict=True):
        model.partial_fit([xs], [y])
    trace = model.trace_.with_data(names, Y)
    last = np.column_stack([model.coef_, model.intercept_, model.transition_.T])
    np.testing.assert_array_equal(trace.weights(len(trace)), last)
    for i, rival in zip(trace.example, trace.rivals, strict=True):
        assert len(rival) == len(Y[i])
        assert rival.tolist() != Y[i]


@pytest.mark.parametrize("options", [{}, {"margin": 0.5}, {"beam": 2}, {"n_jobs": 2}])
def test_the_lemmas_hold_at_every_update(options):
    X, Y = planted(np.random.default_rng(1), n_sequences=12)
    model = SequencePerceptron(max_iter=3000, random_state=0, record=True, **options).fit(X, Y)
    assert model.converged_
    trace = model.trace_
    proof = trace.proof()
    assert proof.holds
    assert len(proof.length) == model.n_updates_
    np.testing.assert_allclose(proof.progress[-1], proof.length[-1])  # u is along the last weights
    if not options:
        assert 0 < model.margin_.lower <= proof.margin * (1 + 1e-12)
        assert len(trace) <= proof.bound
        random = np.random.default_rng(0).normal(size=trace.start.shape)
        assert trace.proof(random).holds  # whatever the direction
    ProofDisplay.from_trace(trace)


@given(corpus=corpora(), beam=beams)
def test_a_lattice_adds_up(corpus, beam):
    """What the picture of an update says of the two paths is by how much one led the other."""
    X, Y, _ = corpus
    trace = learner(record=True, beam=beam, max_iter=1).fit(rows(X), Y).trace_
    for k in range(1, len(trace) + 1):
        drawn = LatticeDisplay.from_trace(trace, k)
        m = len(drawn.rival)
        assert drawn._score(drawn.right[:m]) - drawn._score(drawn.rival) == trace.score[k - 1]
        assert f"Update {k}" in drawn.ax_.get_title()
        pyplot.close("all")
    with pytest.raises(ParameterError, match="updates are numbered 1 to"):
        LatticeDisplay.from_trace(trace, len(trace) + 1)
    with pytest.raises(DataError, match="give one for each"):
        LatticeDisplay.from_trace(trace, 1, steps=["a", "b", "c", "d"])


def test_what_a_trace_cannot_do_it_says():
    X, Y = [[{"w": "a"}], [{"w": "a"}]], [["X"], ["Y"]]
    model = SequencePerceptron(max_iter=2, record=True).fit(X, Y)
    with pytest.raises(ParameterError, match="has not ended"):
        model.trace_.proof()
    with pytest.raises(ParameterError, match=r"u must have shape \(2, 4\)"):
        model.trace_.proof([1.0])
    with pytest.raises(DataError, match="X has 1 sequences, but the run was given 2"):
        model.trace_.with_data(X[:1], Y[:1])
    stream = SequencePerceptron(record=True).partial_fit(X, Y)
    with pytest.raises(DataError, match="does not know the data"):
        stream.trace_.weights(1)
    other = SequencePerceptron(record=True).partial_fit([[{"w": "a"}, {"w": "b"}]], [["X", "Y"]])
    with pytest.raises(DataError, match="not what the run learned from"):
        other.trace_.with_data([[{"w": "c"}, {"w": "c"}]], [["X", "Y"]]).weights(1)
    with pytest.raises(AttributeError, match="record=True"):
        _ = SequencePerceptron().fit(X, Y).trace_
