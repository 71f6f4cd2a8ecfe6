"""Files of sentences: what is read is what the formats mean, and every fault has its place."""

import gzip
import io
import lzma
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

import naive_conll
from novikoff import FileError, ParameterError
from novikoff.data import Place, read_conll, stream_conll

SHARED = Path(__file__).parent.parent.parent / "shared" / "data"
IDS = st.sampled_from(["1", "2", "3", "1-2", "2-3", "0.1", "1.1", "x", "-1", "01"])
WORDS = st.sampled_from(
    ["a", "Bc", "\N{LATIN SMALL LETTER U WITH DIAERESIS}", "#", "# x", "-", "\xa0"]
)


@st.composite
def texts(draw):
    """Lines of columns, most of them as they should be."""
    n, between = draw(st.integers(1, 3)), draw(st.sampled_from([" ", "\t", "  "]))
    line = st.one_of(
        st.lists(WORDS, min_size=n, max_size=n).map(between.join),
        st.sampled_from(["", " ", "\t", " \t "]),
        st.lists(WORDS, min_size=1, max_size=4).map("\t".join)
        if draw(st.booleans())
        else st.just(""),
    )
    end = draw(st.sampled_from(["\n", "\r\n"]))
    text = end.join(draw(st.lists(line, max_size=8)))
    return draw(st.sampled_from(["", "\ufeff"])) + text + draw(st.sampled_from(["", end]))


@st.composite
def conllu_texts(draw):
    """Lines of ten columns, with IDs that are mostly in order."""
    lines, last = [], 0
    for kind in draw(st.lists(st.sampled_from("wwwwmebc?"), max_size=8)):
        if kind in "bc":
            lines.append("" if kind == "b" else "# text = x\ty")
            last = last if kind == "c" else 0
            continue
        last += kind == "w"
        own = {"w": str(last), "m": f"{last + 1}-{last + 2}", "e": f"{last}.1"}
        word = own[kind] if kind in own else draw(IDS)
        lines.append("\t".join([word, draw(WORDS), "_", draw(WORDS), *"______"]))
    return "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n"]))


def checked(text, conllu):
    """What the reader says of a text must be what the twin says."""
    wanted = naive_conll.read(text, conllu=conllu)
    options = {"format": "conllu" if conllu else "conll", "label": None}
    if not wanted:
        with pytest.raises(FileError) as caught:
            read_conll(io.BytesIO(text.encode()), **options)
        assert wanted is None or "no sentences" in str(caught.value)
        return None
    found = read_conll(io.BytesIO(text.encode()), **options)
    first = 1 if conllu else 0
    assert [[tuple(token[first:]) for token in tokens] for tokens in wanted] == found.X
    assert found.y is None
    tokens = [token for sentence in found.X for token in sentence]
    for token, at in zip(tokens, found.token_lines, strict=True):
        assert all(column in found.lines[at] for column in token)
    return found


@given(text=texts())
@example("a b\r\n\r\n\r\nc d")
@example("a\tb\n c \tb\n")
def test_the_reader_is_its_twin(text):
    checked(text, conllu=False)


@given(text=conllu_texts())
@example("1-2\ta\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n")
def test_the_reader_of_conllu_is_its_twin(text):
    checked(text, conllu=True)


@given(text=st.one_of(texts(), conllu_texts()), size=st.integers(1, 60), conllu=st.booleans())
def test_blocks_are_the_whole(text, size, conllu, tmp_path_factory):
    whole = checked(text, conllu)
    if whole is None:
        return
    options = {"block_bytes": size, "format": "conllu" if conllu else "conll", "label": None}
    path = tmp_path_factory.mktemp("blocks") / "file"
    path.write_bytes(text.encode())
    for source in (lambda: io.BytesIO(text.encode()), lambda: path):
        blocks = list(stream_conll(source(), **options))
        assert [sentence for block in blocks for sentence in block.X] == whole.X
        assert [line for block in blocks for line in block.lines] == whole.lines
        for k, block in enumerate(blocks):
            rest = list(stream_conll(source(), start=block.next, **options))
            assert rest == blocks[k + 1 :]
        assert blocks[0].start == Place()


def test_labels_are_a_column():
    text = b"a\tX\tB\nb\tY\tI\n"
    assert read_conll(io.BytesIO(text)).y == [["B", "I"]]
    assert read_conll(io.BytesIO(text), label=1).y == [["X", "Y"]]
    assert read_conll(io.BytesIO(text), label=-2) == read_conll(io.BytesIO(text), label=1)
    assert read_conll(io.BytesIO(text), label=0).X == [[("X", "B"), ("Y", "I")]]
    assert read_conll(io.BytesIO(text), label=None).X == [[("a", "X", "B"), ("b", "Y", "I")]]


TOKEN = "1\tDogs\tdog\tNOUN\tNNS\t_\t0\troot\t_\t_\n"


def test_the_name_of_a_file_says_its_format(tmp_path):
    for name in ("x.conllu", "X.CONLLU.gz", "x.conllu.xz"):
        pack = {".gz": gzip.compress, ".xz": lzma.compress}.get(name[-3:], bytes)
        (tmp_path / name).write_bytes(pack(TOKEN.encode()))
        assert read_conll(tmp_path / name).y == [["NOUN"]]
        assert read_conll(str(tmp_path / name), label="XPOS").y == [["NNS"]]
        assert read_conll(tmp_path / name, label=7).y == [["root"]]
    (tmp_path / "x.txt").write_text(TOKEN)
    assert read_conll(tmp_path / "x.txt").y == [["_"]]


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (b"", {}, "<file>: found no sentences, expected at least one"),
        (b"\n \n\t\n", {}, "<file>: found no sentences, expected at least one"),
        (
            b"a b\nc\n",
            {},
            "<file>:2:2: found 1 column separated by spaces, expected 2, as line 1 has",
        ),
        (
            b"\na b\nc d e\n",
            {},
            "<file>:3:6: found 3 columns separated by spaces, expected 2, as line 2",
        ),
        (b"a\tb\nc\td\te\n", {}, "<file>:2:5: found 3 columns separated by tabs, expected 2"),
        (b"a\tb\n\td\n", {}, "<file>:2:1: found nothing in column 0, expected a text"),
        (b"a\tb\nc\t\n", {}, "<file>:2:3: found nothing in column 1, expected a text"),
        (b"a b\n\xc3\xbc \xff\n", {}, "<file>:2:4: found the byte 0xff, expected text in UTF-8"),
        (b"a b\nc\n\xff\n", {}, "<file>:2:2: found 1 column"),
        (b"# x\na b c\n", {}, "give format conllu if lines that start with # are comments"),
        (
            b"a\nb\n",
            {},
            "<file>:1: found 1 column, expected tokens and labels. If there are no labels, give",
        ),
        (b"a\nb\n", {"label": 0}, "expected tokens and labels"),
        (
            b"a b\n",
            {"label": 2},
            "label=2 was given, but <file> has 2 columns: give a number from -2 to 1",
        ),
        (b"a b\n", {"label": "UPOS"}, "a column number (-1 is the last), or None"),
        (b"a b\n", {"label": True}, "a column number (-1 is the last), or None"),
        (b"a b\n", {"format": "conllu", "label": 0}, "a column of CoNLL-U (FORM, LEMMA, UPOS"),
        (b"a b\n", {"format": "conlly"}, "format='conlly'"),
        (
            b"1\ta\n",
            {"format": "conllu"},
            "found 2 columns separated by tabs, expected 10, as CoNLL-U has",
        ),
        (
            TOKEN.encode() + TOKEN.encode(),
            {"format": "conllu"},
            "<file>:2:1: found the ID '1', expected 2, the number of the next word",
        ),
        (
            TOKEN.replace("1\t", "2-3\t").encode(),
            {"format": "conllu"},
            "<file>:1:1: found the ID '2-3', expected a range of words that starts with 1",
        ),
        (
            TOKEN.replace("1\t", "3.1\t").encode(),
            {"format": "conllu"},
            "<file>:1:1: found the ID '3.1', expected 0. and a number",
        ),
    ],
)
def test_every_fault_has_its_place(text, options, said):
    with pytest.raises((FileError, ParameterError)) as caught:
        read_conll(io.BytesIO(text), **options)
    assert said in str(caught.value)


def test_a_fault_in_a_later_block_has_its_line():
    blocks = stream_conll(io.BytesIO(b"a b\nc d\n\n" * 1000 + b"e\n"), block_bytes=100)
    good = [next(blocks) for _ in range(80)]
    assert {len(block.X) for block in good} == {11}
    with pytest.raises(FileError, match="^<file>:3001:2: found 1 column"):
        list(blocks)


def test_a_sentence_that_never_ends(monkeypatch):
    monkeypatch.setattr("novikoff.data.sentence_blocks.LONGEST", 10_000)
    monkeypatch.setattr("novikoff.data.sentence_blocks.LOOK", 1000)
    blocks = stream_conll(io.BytesIO(b"a b\n\n" + b"c d\n" * 9000), block_bytes=100)
    with pytest.raises(FileError, match="more than 10,000 bytes, which begins at byte 5"):
        list(blocks)


SIZES = {
    "conll2000/test.txt.xz": (2012, 47377),
    "ud_english_ewt/en_ewt-ud-test.conllu.xz": (2077, 25094),
}


@pytest.mark.parametrize("name", [name for name in SIZES if (SHARED / name).exists()])
def test_real_files_have_the_sizes_that_are_published(name):
    found = read_conll(SHARED / name)
    assert (len(found.X), len(found.token_lines)) == SIZES[name]
    with lzma.open(SHARED / name, "rt", encoding="utf-8") as file:
        own = naive_conll.read(file.read(), conllu=".conllu" in name)
    label = 3 if ".conllu" in name else 2
    assert found.y == [[token[label] for token in tokens] for tokens in own]
