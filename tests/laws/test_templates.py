"""Templates make the features that CRF++'s documentation says they make."""

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import naive_sequences
from novikoff import DataError, ParameterError, SequencePerceptron
from novikoff.inputs.sequences import read_sequences
from novikoff.inputs.templates import BUILT_IN
from novikoff.inputs.tokens import Tokens

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

WORDS = st.text("aBc1-\N{LATIN SMALL LETTER U WITH DIAERESIS}", min_size=1, max_size=6)
PARTS = st.builds(
    "%x[{},{}{}]".format,
    st.integers(-3, 3),
    st.integers(0, 1),
    st.sampled_from(["", ",lower", ",shape", ",lower,suffix2", ",prefix3", ", suffix1"]),
)
LINES = st.lists(st.lists(PARTS, max_size=3), min_size=1, max_size=5)
CORPORA = st.lists(
    st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4), min_size=1, max_size=4
)


@st.composite
def templates(draw):
    """Lines of macros; those without a number of their own share features."""
    lines = ["# a comment", ""]
    for k, parts in enumerate(draw(LINES)):
        name = f"U{k}:" if draw(st.booleans()) else "U:"
        lines.append(name + "/".join(parts))
    return "\n".join([*lines, "B"])


def counted(rows, names):
    """The features of each row by name, and how often it has each."""
    rows = rows.tocsr()
    return [
        {names[j]: v for j, v in zip(row.indices, row.data, strict=True)}
        for row in (rows[[i]] for i in range(rows.shape[0]))
    ]


def by_twin(template, corpus):
    found = []
    for tokens in corpus:
        for t in range(len(tokens)):
            own = naive_sequences.expanded(template, tokens, t)
            found.append({name: own.count(name) for name in own})
    return found


@given(template=templates(), corpus=CORPORA, others=CORPORA)
def test_features_are_the_twins(template, corpus, others):
    tokens = Tokens(template)
    learned = read_sequences(corpus, tokens, grow=True, width=0).rows
    names = tokens.features()
    assert len({*names}) == len(names) == tokens.width
    assert counted(learned, names) == by_twin(template, corpus)
    known = {*names}
    found = read_sequences(others, tokens, grow=False, width=0).rows
    wanted = [{k: v for k, v in own.items() if k in known} for own in by_twin(template, others)]
    assert counted(found, names) == wanted
    assert tokens.features() == names
    again = pickle.loads(pickle.dumps(tokens))
    same = read_sequences(others, again, grow=False, width=0).rows
    assert (same != found).nnz == 0
    assert again.features() == names


@given(template=templates(), corpus=CORPORA, cut=st.integers(1, 3))
def test_blocks_are_the_whole(template, corpus, cut):
    whole, parts = Tokens(template), Tokens(template)
    read_sequences(corpus, whole, grow=True, width=0)
    for low in range(0, len(corpus), cut):
        read_sequences(corpus[low : low + cut], parts, grow=True, width=0)
        parts = pickle.loads(pickle.dumps(parts))
    assert {*parts.features()} == {*whole.features()}


@given(template=templates(), corpus=CORPORA)
def test_hashed_features_are_those_with_names(template, corpus):
    """Where no two have one column: the same rows but for the order of columns."""
    names, hashes = Tokens(template), Tokens(template, 2**30)
    one = read_sequences(corpus, names, grow=True, width=0).rows.tocsc()
    other = read_sequences(corpus, hashes, grow=False, width=0).rows
    used, places = np.unique(other.indices, return_inverse=True)
    assert len(used) == one.shape[1]
    shape = other.shape[0], len(used)
    table = sparse.csr_array((other.data, places, other.indptr), shape=shape).toarray()
    assert sorted(map(tuple, table.T)) == sorted(map(tuple, one.toarray().T))


SENTENCES = [["The", "dog", "barks"], ["a", "Cat", "sleeps"], ["Rome", "sleeps"]]
TAGS = [["D", "N", "V"], ["D", "N", "V"], ["N", "V"]]


@pytest.mark.parametrize("n_features", [None, 2**12])
def test_a_tagger_of_words(n_features):
    model = SequencePerceptron(template="tagging", random_state=0, n_features=n_features)
    model.fit(SENTENCES, TAGS)
    assert model.predict(SENTENCES) == TAGS
    assert model.predict([np.array(["the", "Cat", "barks"])]) == [["D", "N", "V"]]
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(SENTENCES) == TAGS
    stream = SequencePerceptron(template="tagging", n_features=n_features, shuffle=False)
    for words, tags in zip(SENTENCES, TAGS, strict=True):
        stream.partial_fit([words], [tags])
    whole = SequencePerceptron(template="tagging", n_features=n_features, shuffle=False, max_iter=1)
    whole.fit(SENTENCES, TAGS)
    assert stream.n_mistakes_ == whole.n_mistakes_
    if n_features is None:
        assert "U20:eeps" in whole.feature_names_
        assert {*stream.feature_names_} == {*whole.feature_names_}


@given(corpus=CORPORA, data=st.data())
def test_a_template_is_its_features_as_strings(corpus, data):
    """The model is the one that learns from what the twin writes."""
    template = BUILT_IN["chunking"]
    labels = [[data.draw(st.sampled_from("XYZ")) for _ in tokens] for tokens in corpus]
    labels[0][0], labels[-1][-1] = "X", "Y"
    if sum(map(len, labels)) < 2:
        return
    features = [
        [naive_sequences.expanded(template, tokens, t) for t in range(len(tokens))]
        for tokens in corpus
    ]
    options = {"random_state": 0, "max_iter": 3}
    one = SequencePerceptron(template="chunking", **options).fit(corpus, labels)
    other = SequencePerceptron(**options).fit(features, labels)
    names = sorted(one.feature_names_)
    assert names == sorted(other.feature_names_)
    mine, its = ([model.feature_names_.index(name) for name in names] for model in (one, other))
    np.testing.assert_array_equal(one.coef_[:, mine], other.coef_[:, its])
    assert one.predict(corpus) == other.predict(features)


def test_nothing_is_left_of_a_failed_block():
    model = SequencePerceptron(template="tagging", shuffle=False).partial_fit(SENTENCES, TAGS)
    before = pickle.dumps(model)
    with pytest.raises(DataError, match="labels for 2 steps"):
        model.partial_fit([["new", "words"]], [["D"]])
    with pytest.raises(DataError, match="Token 1 of sequence 0 is 3"):
        model.partial_fit([["new", 3]], [["D", "D"]])
    assert pickle.dumps(model) == before
    model.partial_fit([["new", "words"]], [["D", "N"]])
    again = SequencePerceptron(template="tagging", shuffle=False)
    again.partial_fit(SENTENCES, TAGS).partial_fit([["new", "words"]], [["D", "N"]])
    np.testing.assert_array_equal(model.coef_, again.coef_)
    assert model.feature_names_ == again.feature_names_


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("chunks", "one of 'tagging', 'chunking', or the text of a template"),
        ("U00:%x[0,0]\n", "no line B: add one"),
        ("# nothing\nB\n", "no line that starts with U"),
        ("U00:%x[0,0]\nB01:%x[0,0]\n", "line 2, 'B01:%x[0,0]': features of two labels at once"),
        ("U00:%x[0,0,upper]\nB\n", "'upper' is no function; there are lower, shape"),
        ("U00:%t[0,0]\nB\n", "after % must come x[row,column]"),
        ("U00:%x[0]\nB\n", "after % must come x[row,column]"),
        ("\n*:%x[0,0]\nB\n", "line 2, '*:%x[0,0]': a line starts with U, B or #"),
    ],
)
def test_templates_that_cannot_be_read(template, said):
    with pytest.raises(ParameterError) as error:
        SequencePerceptron(template=template).fit(SENTENCES, TAGS)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("X", "said"),
    [
        ([[("the", "D"), "dog"]], "Token 1 of sequence 0|columns here and"),
        ([[("the", "D"), ("dog",)]], "2 there"),
        ([["the", "dog"]], "asks for column 1, but tokens have one column"),
        ([[{"w": "the"}, {"w": "dog"}]], "Token 0 of sequence 0 is {'w': 'the'}"),
        ([[("the", 1), ("dog", 2)]], r"Token 0 of sequence 0 is \('the', 1\)"),
        ("the dog", "sequences are needed"),
    ],
)
def test_tokens_that_cannot_be_read(X, said):
    with pytest.raises(DataError, match=said):
        SequencePerceptron(template="chunking").fit(X, [["X", "Y"]])
