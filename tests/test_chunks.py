"""Chunks are counted as conlleval counts them."""

from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

import naive_chunks
from novikoff.data import read_conll
from novikoff.learners.sequences.chunks import ChunkCounts, Count, are_chunked, chunks

TEST = Path(__file__).parent.parent.parent / "shared" / "data" / "conll2000" / "test.txt.xz"
LABELS = st.sampled_from(["O", *(f"{tag}-{kind}" for tag in "BIES" for kind in "XY"), "B", "I"])
PAIRS = st.lists(st.tuples(LABELS, LABELS), max_size=12)


def counted(y, predicted):
    counts = ChunkCounts()
    counts.add(y, predicted)
    return counts


def halves(sentences):
    return [[[pair[k] for pair in pairs] for pairs in sentences] for k in (0, 1)]


@given(sentences=st.lists(PAIRS, max_size=4))
@example([[("I-X", "B-X"), ("I-X", "I-X")]])
@example([[("B-X", "B-X"), ("I-X", "I-Y")]])
@example([[("E-X", "S-X"), ("I-X", "I-X"), ("E-X", "E-X")]])
@example([[("B-X", "B-X")], [("I-X", "I-X")]])  # a sentence ends every chunk
def test_the_counts_are_those_of_conlleval(sentences):
    y, predicted = halves(sentences)
    counts = counted(y, predicted)
    assert counts.by_kind() == naive_chunks.counts(y, predicted)
    assert counts.all() == tuple(map(sum, zip((0, 0, 0), *counts.by_kind().values(), strict=True)))


@given(sentences=st.lists(PAIRS, max_size=4))
def test_counts_are_what_they_count(sentences):
    """The chunks of a sentence do not overlap, and are right if they are its own."""
    y, predicted = halves(sentences)
    for labels in y:
        inside = [t for start, stop, _ in chunks(labels) for t in range(start, stop)]
        assert inside == [t for t, label in enumerate(labels) if label != "O"]
        assert all(
            label.partition("-")[2] == kind
            for start, stop, kind in chunks(labels)
            for label in labels[start:stop]
        )
    there, told, right = counted(y, predicted).all()
    assert (there, told) == (sum(map(len, map(chunks, y))), sum(map(len, map(chunks, predicted))))
    own = counted(y, y).all()
    assert own == (there, there, there)
    assert counted(predicted, y).all() == (told, there, right)
    both = counted(y, predicted)
    both.add(y, predicted)
    assert both.all() == (2 * there, 2 * told, 2 * right)


def test_the_example_of_the_shared_task():
    """He reckons the current account deficit will narrow to only # 1.8 billion in September."""
    labels = "B-NP B-VP B-NP I-NP I-NP I-NP B-VP I-VP B-PP B-NP I-NP I-NP I-NP B-PP B-NP O"
    kinds = [kind for _, _, kind in chunks(labels.split())]
    assert kinds == ["NP", "VP", "NP", "VP", "PP", "NP", "PP", "NP"]


@pytest.mark.skipif(not TEST.exists(), reason="the data of CoNLL-2000 is not there")
def test_the_chunks_of_conll_2000():
    """As many as its scorer counts in the test sentences (Tjong Kim Sang & Buchholz 2000)."""
    y = read_conll(TEST).y
    counts = counted(y, y)
    assert counts.all() == (23852, 23852, 23852)
    assert counts.by_kind()["NP"].there == 12422
    assert counts.by_kind() == naive_chunks.counts(y, y)


def test_figures():
    count = Count(there=4, predicted=3, right=2)
    assert (count.precision, count.recall) == (pytest.approx(2 / 3), 0.5)
    assert count.f1 == pytest.approx(2 * (2 / 3 * 0.5) / (2 / 3 + 0.5))
    nothing = Count(0, 0, 0)
    assert (nothing.precision, nothing.recall, nothing.f1) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (["O", "B-NP", "I-NP"], True),
        (["O", "I-NP"], True),
        (["S-A", "E-B-C"], True),
        (["B", "I", "O"], True),
        (["O"], False),
        ([], False),
        (["NOUN", "O"], False),
        (["B-NP", "NN"], False),
        (["b-NP"], False),
        (["B-"], False),
        (["X-NP", "B-NP"], False),
    ],
)
def test_which_labels_are_those_of_chunks(labels, told):
    assert are_chunked(labels) is told
