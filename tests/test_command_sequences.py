"""The command on sentences: tagging and chunking, from files to files."""

import gzip
import json
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st

import naive_chunks
import novikoff
from commands import command, done, killed, run, said, same_files
from forks import Popen
from novikoff import SequencePerceptron
from novikoff.data import read_conll
from novikoff.passes import Passes

TEMPLATE = "# words, and tags around\nU00:%x[0,0]\nU01:%x[-1,1]/%x[0,1]\n\nU02:%x[1,1]\nB\n"
WORDS = {
    "DT": ["the", "a", "ein"],
    "NN": ["dog", "cat", "Stra\N{LATIN SMALL LETTER SHARP S}e"],
    "VB": ["barks", "sleeps"],
}
NUMBER = {"DT": "B-NP", "NN": "I-NP", "VB": "B-VP", ".": "O"}


def sentences(n, seed=0):
    """Sentences of words, their tags and their chunks; a few labels are wrong."""
    random = np.random.default_rng(seed)
    for _ in range(n):
        tags = [*["DT", "NN", "VB"] * random.integers(1, 3), "."]
        tokens = [(random.choice(WORDS.get(tag, ["."])), tag, NUMBER[tag]) for tag in tags]
        if random.random() < 0.3:
            tokens[-2] = (*tokens[-2][:2], "O")
        yield tokens


def lines_of(tokens, between=" "):
    return "".join(f"{between.join(token)}\n" for token in tokens)


def conllu_of(tokens):
    """The same as CoNLL-U, with a comment, a multiword token and an empty node."""
    rows = [["1-2", tokens[0][0], *"________"]]
    for i, (word, tag, chunk) in enumerate(tokens, 1):
        rows.append([str(i), word, word.lower(), tag, chunk, *"_____"])
    rows.insert(3, ["2.1", "null", *"________"])
    return "# text = x\ty\n" + lines_of(rows, "\t")


def written(folder, name, made, form=lines_of):
    path = folder / name
    path.write_text("\n".join(map(form, made)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Sentences to learn from and others, and a model."""
    folder = tmp_path_factory.mktemp("sentences")
    written(folder, "train.txt", sentences(200))
    written(folder, "test.txt", sentences(60, 1))
    written(folder, "bare.txt", [[t[:2] for t in s] for s in sentences(60, 1)])
    written(folder, "train.conllu", sentences(200), conllu_of)
    written(folder, "test.conllu", sentences(60, 1), conllu_of)
    (folder / "chunk.tpl").write_text(TEMPLATE)
    done("fit", "--sequences", folder / "train.txt", "-o", folder / "model", "--quiet")
    done("fit", "--sequences", folder / "train.conllu", "-o", folder / "tagger", "--quiet")
    return folder


def fitted(X, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the labels contradict each other
        return SequencePerceptron(random_state=0, **options).fit(X, y)


def same_models(one, other):
    assert one.classes_.tolist() == other.classes_.tolist()
    assert one.feature_names_ == other.feature_names_
    for name in ("coef_", "intercept_", "transition_", "mistakes_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


# ------------------------------------------------------------- fit


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ((), {"template": "chunking"}),
        (("--template", "tagging", "--epochs", 3), {"template": "tagging", "max_iter": 3}),
        (
            ("--template", "chunk.tpl", "--no-averaged", "--margin", 0.5, "--eta0", 2),
            {"template": TEMPLATE, "averaged": False, "margin": 0.5, "eta0": 2.0},
        ),
        (
            ("--beam", 2, "--update", "max-violation", "--no-shuffle"),
            {"template": "chunking", "beam": 2, "update": "max-violation", "shuffle": False},
        ),
        (("--seed", 0, "--n-jobs", 2), {"template": "chunking"}),
        (("--n-features", 512), {"template": "chunking", "n_features": 512}),
        (("--label", 2), {"template": "chunking"}),
        (
            ("--epochs", 1, "--no-shuffle"),
            {"template": "chunking", "max_iter": 1, "shuffle": False},
        ),
    ],
)
def test_the_model_is_that_of_the_library(folder, tmp_path, words, options):
    done("fit", "--sequences", "train.txt", "-o", tmp_path / "m", *words, cwd=folder)
    data = read_conll(folder / "train.txt")
    ours, same = novikoff.load(tmp_path / "m"), fitted(data.X, data.y, **options)
    same_models(ours, same)
    test = read_conll(folder / "test.txt")
    assert ours.predict(test.X) == same.predict(test.X)
    right = same.score(test.X, test.y)
    told = json.loads(done("score", tmp_path / "m", folder / "test.txt", "--json"))
    assert told["accuracy"] == right > 0.8


def test_another_column_can_have_the_labels(folder, tmp_path):
    done("fit", "--sequences", folder / "train.txt", "-o", tmp_path / "m", "--label", "-2")
    data = read_conll(folder / "train.txt", label=1)
    same_models(novikoff.load(tmp_path / "m"), fitted(data.X, data.y, template="chunking"))
    printed = done("predict", tmp_path / "m", folder / "test.txt").split("\n")
    tags = [line.split()[1:4:2] for line in printed if line]
    assert sum(a == b for a, b in tags) > 0.9 * len(tags)
    fit = ("fit", "--sequences", folder / "train.conllu", "-o", tmp_path / "m", "--quiet")
    for label in ("XPOS", 4, -6):
        done(*fit, "--label", label)
        reading = json.loads(done("show", tmp_path / "m", "--json"))["extra"]["reading"]
        assert (reading["format"], reading["label"]) == ("conllu", "XPOS")
    assert "chunks" in done("score", tmp_path / "m", folder / "test.conllu")


@pytest.mark.parametrize("more", [("--epochs", 1), ("--epochs", 3, "--memory", "1K")])
def test_blocks_are_learned_one_by_one(folder, tmp_path, more):
    """As by `partial_fit`, epoch after epoch; kept in memory between these, or read again."""
    words = ("fit", "--sequences", folder / "train.txt", "--block-bytes", 500, *more, "--quiet")
    done(*words, "-o", tmp_path / "m")
    same = SequencePerceptron(template="chunking", random_state=0)
    blocks = [*novikoff.data.stream_conll(folder / "train.txt", block_bytes=500)]
    assert len(blocks) > 10
    passes = Passes(same, 0, None, complete=False)
    for _ in range(more[1]):
        for number, block in enumerate(blocks):
            passes.learn(number, block.X, block.y, None)
        passes.end()
    same_models(novikoff.load(tmp_path / "m"), same)
    done(*words, "-o", tmp_path / "n", "--memory", "1G", "--n-jobs", 2)
    assert same_files(tmp_path / "m", tmp_path / "n")


def test_the_model_depends_on_the_sentences_alone(folder, tmp_path):
    fit = ("fit", "--sequences", "--quiet", "-o")
    packed = tmp_path / "train.txt.gz"
    packed.write_bytes(gzip.compress((folder / "train.txt").read_bytes()))
    done(*fit, tmp_path / "packed", packed)
    with (folder / "train.txt").open("rb") as file:
        done(*fit, tmp_path / "piped", "-", stdin=file)
    done(*fit, tmp_path / "threads", folder / "train.txt", "--n-jobs", 2)
    for name in ("packed", "piped", "threads"):
        assert same_files(tmp_path / name, folder / "model")
    done(*fit, tmp_path / "seed", folder / "train.txt", "--seed", 1)
    assert not same_files(tmp_path / "seed", folder / "model")
    (tmp_path / "x.conllu.gz").write_bytes(gzip.compress((folder / "train.conllu").read_bytes()))
    done(*fit, tmp_path / "u", tmp_path / "x.conllu.gz")
    with (folder / "train.conllu").open("rb") as file:
        done(*fit, tmp_path / "v", "-", "--format", "conllu", stdin=file)
    assert same_files(tmp_path / "u", folder / "tagger")
    assert same_files(tmp_path / "v", folder / "tagger")


def test_what_a_run_came_to_is_said(folder, tmp_path):
    fit = ("fit", "--sequences", folder / "train.txt", "-o", tmp_path / "m")
    err = run(*fit).stderr.splitlines()
    assert err[0] == "novikoff: --template chunking is taken, for 2 columns beside the labels."
    assert err[1].startswith("SequencePerceptron of 4 classes (B-NP, B-VP, I-NP, O), ")
    assert " sentences wrong in 10 epochs, " in err[2]
    assert len(err) == 3
    err = run(*fit, "--no-averaged", "--template", "chunking").stderr.splitlines()
    assert err[2] == "more --epochs will get all sentences right, if any weights do"
    written(tmp_path, "clean.txt", [s for s in sentences(60) if ("O" in s[-2]) < 1])
    finished = run("fit", "--sequences", tmp_path / "clean.txt", "-o", tmp_path / "m")
    assert "none in the last; no order of these examples can force more than" in finished.stderr
    written(tmp_path, "words.txt", [[t[::2] for t in s] for s in sentences(60)])
    finished = run("fit", "--sequences", tmp_path / "words.txt", "-o", tmp_path / "m")
    assert "--template tagging is taken, for 1 column beside the labels" in finished.stderr
    finished = run("fit", "--sequences", folder / "train.conllu", "-o", tmp_path / "m")
    assert "--template tagging is taken, which looks at the words." in finished.stderr
    assert run(*fit, "--quiet").stderr == ""


# ------------------------------------------------------------- predict


def columns_of(text):
    return [line.split() for line in text.split("\n")]


def test_predictions_are_one_more_column(folder):
    text = (folder / "test.txt").read_text()
    printed = done("predict", folder / "model", folder / "test.txt")
    assert "".join(f"{line.rpartition(' ')[0]}\n" for line in printed.splitlines()) == text
    model, test = novikoff.load(folder / "model"), read_conll(folder / "test.txt")
    labels = [label for own in model.predict(test.X) for label in own]
    assert [words[3] for words in columns_of(printed) if words] == labels
    bare = done("predict", folder / "model", folder / "bare.txt")
    assert [words[2] for words in columns_of(bare) if words] == labels
    assert done("predict", folder / "model", "-", input=text) == printed
    assert done("predict", folder / "model", folder / "test.txt", "--n-jobs", 2) == printed


def test_predictions_fill_the_column_of_conllu(folder):
    text = (folder / "test.conllu").read_text()
    printed = done("predict", folder / "tagger", folder / "test.conllu")
    before, after = text.split("\n"), printed.split("\n")
    test = read_conll(folder / "test.conllu")
    model = novikoff.load(folder / "tagger")
    labels = [label for own in model.predict(test.X) for label in own]
    assert len(set(labels)) > 2
    for at, label in zip(test.token_lines, labels, strict=True):
        words = before[at].split("\t")
        words[3] = label
        before[at] = "\t".join(words)
    assert before == after
    empty = text.replace("\tDT\t", "\t_\t").replace("\tNN\t", "\t_\t")
    assert done("predict", folder / "tagger", "-", input=empty) == printed


@st.composite
def texts(draw):
    """Sentences with all that may stand between and around tokens."""
    between = draw(st.sampled_from([" ", "\t", "   "]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    word = st.sampled_from(["the", "dog", "\N{GREEK SMALL LETTER PI}", "#", "NN", "\xa0", "\x85"])
    n = draw(st.sampled_from([2, 3]))
    token = st.lists(word, min_size=n, max_size=n).map(between.join)
    blank = st.sampled_from(["", " ", "\t"])
    lines = draw(st.lists(st.one_of(token, token, blank), max_size=12))
    lines.insert(draw(st.integers(0, len(lines))), draw(token))
    if between != "\t" and draw(st.booleans()):
        lines = [f" {line} " for line in lines]
    last = draw(st.sampled_from(["", end]))
    return draw(st.sampled_from(["", "\ufeff"])) + end.join(lines) + last


@given(text=texts())
def test_lines_are_as_they_were(folder, text):
    printed = done("predict", folder / "model", "-", input=text)
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n")
    before, after = plain.split("\n"), printed.removesuffix("\n").split("\n")
    assert len(before) == len(after)
    labels = {"B-NP", "I-NP", "B-VP", "O"}
    filled = next(line for line in before if line.strip(" \t"))
    between = "\t" if "\t" in filled else " "
    for one, other in zip(before, after, strict=True):
        if one.strip(" \t"):
            kept, _, label = other.rpartition(between)
            assert label in labels
            assert kept == (one if between == "\t" else one.rstrip(" \t"))
        else:
            assert one == other


def test_models_made_in_python_label_files(folder, tmp_path):
    data = read_conll(folder / "train.txt")
    fitted(data.X, data.y, template="chunking").save(tmp_path / "m")
    for name in ("test.txt", "bare.txt"):
        ours = done("predict", tmp_path / "m", folder / name)
        assert ours == done("predict", folder / "model", folder / name)
    data = read_conll(folder / "train.conllu")
    fitted(data.X, data.y, template="tagging").save(tmp_path / "m")
    ours = done("predict", tmp_path / "m", folder / "test.conllu")
    assert ours == done("predict", folder / "tagger", folder / "test.conllu")
    steps = [[{"word": token[0]} for token in tokens] for tokens in data.X]
    fitted(steps, data.y).save(tmp_path / "m")
    status, out, err = said("predict", tmp_path / "m", folder / "test.txt")
    assert (status, out) == (2, "")
    assert f"{tmp_path / 'm'} has no template: its features were made in Python" in err
    shown = done("show", tmp_path / "m")
    assert "template     none: features were made in Python" in shown
    assert "word:dog" in shown


# ------------------------------------------------------------- score and show


def test_scores_are_counted(folder, tmp_path):
    model, test = novikoff.load(folder / "model"), read_conll(folder / "test.txt")
    told = model.predict(test.X)
    pairs = [*zip(test.y, told, strict=True)]
    right = sum(a == b for y, z in pairs for a, b in zip(y, z, strict=True))
    whole, n = sum(y == z for y, z in pairs), sum(map(len, test.y))
    found = json.loads(done("score", folder / "model", folder / "test.txt", "--json"))
    chunks = found.pop("chunks")
    assert found == {
        "tokens": n,
        "right": right,
        "accuracy": right / n,
        "sentences": 60,
        "sentences_right": whole,
    }
    counts = naive_chunks.counts(test.y, told)
    kinds = chunks.pop("kinds")
    for kind, (there, predicted, good) in counts.items():
        assert kinds[kind] == {
            "support": there,
            "predicted": predicted,
            "right": good,
            "precision": good / predicted,
            "recall": good / there,
            "f1": 2 * good / (predicted + there),
        }
    printed = done("score", folder / "model", folder / "test.txt").splitlines()
    assert printed[0] == f"tokens     {right:,} of {n:,} right ({right / n:.2%})"
    assert printed[1] == f"sentences  {whole:,} of 60 right ({whole / 60:.2%})"
    assert printed[2].startswith(f"chunks     {chunks['right']:,} of {chunks['support']:,} right, ")
    assert [line.split()[0] for line in printed[5:]] == [*counts, "all"]
    shares = [f"{chunks[name]:.2%}" for name in ("precision", "recall", "f1")]
    assert printed[-1].split() == ["all", *shares, f"{chunks['support']:,}"]
    tags = done("score", folder / "tagger", folder / "test.conllu").splitlines()
    assert [line.split()[0] for line in tags] == ["tokens", "sentences"]


def test_a_label_that_a_model_does_not_know_is_never_right(folder, tmp_path):
    text = (folder / "test.txt").read_text()
    (tmp_path / "other.txt").write_text(text.replace(" B-VP\n", " B-ADJP\n"))
    before, after = (
        json.loads(done("score", folder / "model", path, "--json"))
        for path in (folder / "test.txt", tmp_path / "other.txt")
    )
    assert after["right"] < before["right"]
    assert after["chunks"]["kinds"]["ADJP"]["recall"] == 0.0
    assert after["chunks"]["kinds"]["VP"]["support"] == 0


def test_what_a_model_has_learned_is_shown(folder, tmp_path):
    done(
        "fit",
        "--sequences",
        folder / "train.txt",
        "-o",
        tmp_path / "m",
        "--template",
        "chunk.tpl",
        "--quiet",
        cwd=folder,
    )
    shown = done("show", tmp_path / "m", "--top", 2)
    model = novikoff.load(tmp_path / "m")
    lines = shown.splitlines()
    assert lines[0] == "SequencePerceptron of 4 classes (B-NP, B-VP, I-NP, O)"
    assert "labels       4" in lines
    assert f"features     {model.n_features_in_:,}" in lines
    at = lines.index("template     ")
    assert [line.strip() for line in lines[at + 1 :][: len(TEMPLATE.splitlines())]] == [
        *map(str.strip, TEMPLATE.splitlines())
    ]
    assert "U00" not in next(line for line in lines if line.startswith("parameters"))
    names, labels = model.feature_names_, model.classes_.tolist()
    i, j = np.unravel_index(model.transition_.argmax(), (4, 4))
    assert f"{labels[j]} after {labels[i]}" in lines[lines.index("transitions") + 1]
    for label, w in zip(labels, model.coef_, strict=True):
        first = next(k for k, line in enumerate(lines) if line.startswith(f"{label}, bias "))
        most, least = (f"{w[k]:+10.6g}  {names[k]}" for k in (w.argmax(), w.argmin()))
        assert lines[first + 1].startswith(f"  {most}")
        assert lines[first + 1].endswith(f"  {least}")
    assert "template     chunking\n  U00:%x[-2,0]" in done("show", folder / "model")
    done("fit", "--sequences", folder / "train.txt", "-o", tmp_path / "h", "--n-features", 64)
    assert "  column " in done("show", tmp_path / "h")


# ------------------------------------------------------------- what is wrong is said


GOOD = "a X B-NP\nb Y I-NP\n\nc Z O\nd W I-NP\n"
ONE_BLOCK = ("--epochs", 1)


@pytest.mark.parametrize("more", [(), ONE_BLOCK])
@pytest.mark.parametrize(
    ("text", "words", "status", "told"),
    [
        ("a X B-NP\nb Y\n", (), 3, "x.txt:2:4: found 2 columns separated by spaces, expected 3"),
        (GOOD, ("--constraints", "iob2"), 3, "x.txt:5:5: found the label 'I-NP' after 'O', which"),
        (
            "a\tX\tB-NP\n\tb\tI-NP\n",
            (),
            3,
            "x.txt:2:1: found nothing in column 0, expected a text",
        ),
        (
            "\n\N{GREEK SMALL LETTER PI}  X   Q\nb Y O\n",
            ("--constraints", "bioes"),
            3,
            "x.txt:2:9: found the label 'Q', which is none of --constraints bioes: correct it",
        ),
        ("a\tO\nb\tI-NP\n", ("--constraints", "iob2"), 3, "x.txt:2:3: found the label 'I-NP'"),
        ("a\nb\n", (), 3, "x.txt:1: found 1 column, expected tokens and labels."),
        ("a O\nb O\n", (), 3, "found only one label, O: a classifier needs examples of two"),
        ("", (), 3, "x.txt: found no sentences, expected at least one"),
        (GOOD, ("--label", 7), 2, "--label 7 was given, but x.txt has 3 columns"),
        (GOOD, ("--label", "UPOS"), 2, "--label UPOS was given, but it must be a column number"),
        (GOOD, ("--format", "csv"), 2, "it must be one of 'conll', 'conllu'."),
        (GOOD, ("--format", "conllu"), 3, "expected 10, as CoNLL-U has"),
        (GOOD, ("--template", "none"), 3, "none: cannot be opened: No such file or directory. Bui"),
        (
            GOOD,
            ("--template", "bad"),
            3,
            "The template bad cannot be read: line 2, 'X:%x[0,1]': a line starts with U, B or #.",
        ),
        (GOOD, ("--template", "word"), 3, "The template word cannot be read: line 1, 'chunking'"),
        (GOOD, ("--template", "bytes"), 3, "bytes: it is no template: its text is not in UTF-8."),
        (GOOD, ("--template", "far"), 3, "2 columns beside the label, but --template asks for co"),
        (GOOD, ("--template", "x.txt"), 2, "is named twice"),
    ],
)
def test_what_cannot_be_learned_from(tmp_path, monkeypatch, text, words, status, told, more):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.txt").write_text(text, encoding="utf-8")
    (tmp_path / "bad").write_text("U0:%x[0,0]\nX:%x[0,1]\nB\n")
    (tmp_path / "word").write_text("chunking")
    (tmp_path / "bytes").write_bytes(b"U0:\xff\nB\n")
    (tmp_path / "far").write_text("U0:%x[0,2]\nB\n")
    before = sorted(tmp_path.iterdir())
    found, out, err = said("fit", "--sequences", "x.txt", "-o", "m", *words, *more)
    assert (found, out) == (status, ""), err
    assert told in err
    assert "None" not in err
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--sequences --learner voted", "--learner has no meaning beside --sequences"),
        ("--sequences --classes a b", "--classes has no meaning beside --sequences"),
        ("--sequences --progressive", "--progressive has no meaning beside --sequences"),
        ("--sequences --plot p.png", "--plot has no meaning beside --sequences"),
        ("--sequences --weight w", "--weight has no meaning beside --sequences"),
        ("--sequences --bits 3", "--bits has no meaning beside --sequences"),
        ("--sequences --no-zero-based", "--no-zero-based has no meaning beside --sequences"),
        ("--sequences --bad-lines skip", "--bad-lines has no meaning beside --sequences"),
        ("--sequences --cluster local", "--cluster has no meaning beside --sequences"),
        ("--sequences --mixing uniform", "--mixing has no meaning beside --sequences"),
        ("--sequences --C 3", "not of --sequences: leave it out."),
        ("--sequences --slack 1", "not of --sequences: leave it out."),
        ("--sequences --class-weight balanced", "not of --sequences: leave it out."),
        ("--sequences --beam 0", "--beam 0 was given, but it must be a whole number, 1 or more"),
        ("--sequences --update early", "--update is about searches by a --beam: give it too."),
        ("--sequences --eta0 -1", "--eta0 -1 was given, but it must be"),
        ("--sequences --checkpoint c", "give --block-bytes too, as 4M, or --epochs 1"),
        ("--sequences --epochs 2 --resume", "--resume is for runs that go block by block"),
        ("--sequences --memory 1G", "--memory is for runs that go block by block"),
        ("--sequences --every 3", "give --checkpoint too"),
        ("--sequences --no-shuffle --seed 3", "--seed is that of the random order"),
        ("--template tagging", "--template is an option of --sequences: give it too"),
        (
            "--beam 3",
            "--beam is an option of --sequences, and not of averaged: leave it out, or gi",
        ),
        ("--no-averaged", "--no-averaged is an option of --sequences"),
        ("--format conll", "--format conll is that of sentences"),
    ],
)
def test_options_without_a_meaning(folder, tmp_path, words, told):
    status, out, err = said("fit", folder / "train.txt", "-o", tmp_path / "m", *words.split())
    assert (status, out) == (2, ""), err
    assert told in err
    assert not list(tmp_path.iterdir())


def test_models_take_what_they_are_for(folder, tmp_path):
    (tmp_path / "x.csv").write_text("a,label\n1,u\n2,v\n")
    done("fit", tmp_path / "x.csv", "-o", tmp_path / "rows", "--quiet")
    model, tagger, test = folder / "model", folder / "tagger", folder / "test.txt"
    four = written(tmp_path, "four.txt", [[(*t, "x") for t in s] for s in sentences(2)])
    for words, status, told in (
        (("predict", tmp_path / "rows", test), 3, "need a model of `novikoff fit --sequences`"),
        (("score", tmp_path / "rows", test), 3, "need a model of `novikoff fit --sequences`"),
        (("fit", test, "-o", tmp_path / "m"), 3, "or --sequences if it has sentences"),
        (("predict", tmp_path / "rows", test, "--format", "conll"), 2, "is that of sentences"),
        (("predict", model, tmp_path / "x.csv"), 3, "found 1 column, expected 3 as in the file"),
        (("predict", model, four), 3, "found 4 columns separated by spaces, expected 3 as in"),
        (("predict", model, folder / "bare.txt", "--label", 0), 3, "found 2 columns separated"),
        (("predict", model, folder / "test.conllu"), 3, "was trained on conll: give such a file"),
        (("predict", tagger, test), 3, "expected 10, as CoNLL-U has"),
        (("predict", tagger, test, "--format", "conll"), 3, "was trained on conllu"),
        (("score", model, folder / "bare.txt"), 3, "it has no labels, so there is nothing to com"),
        (("predict", model, test, "--scores"), 2, "--scores has no meaning for sentences"),
        (("predict", model, test, "--unlabelled"), 2, "--unlabelled has no meaning for"),
        (("score", model, test, "--n-features", 3), 2, "--n-features has no meaning for"),
        (("show", model, "--data", test), 2, "--data has no meaning here"),
        (("plot", model, test, "-o", tmp_path / "x.png"), 2, "and `plot` does not"),
        (("predict", model, folder / "nowhere"), 3, "nowhere: cannot be opened"),
        (("convert", model, tmp_path / "y.csv"), 2, "the labels of a sequence depend on each ot"),
        (("convert", model, tmp_path / "x.onnx"), 2, "the labels of a sequence depend on each o"),
    ):
        found, out, err = said(*words)
        assert (found, out) == (status, ""), err
        assert told in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["four.txt", "rows", "x.csv"]
    assert (tmp_path / "x.csv").read_text() == "a,label\n1,u\n2,v\n"


def test_a_bad_line_ends_predictions_at_its_line(folder, tmp_path):
    (tmp_path / "bad.txt").write_text((folder / "test.txt").read_text() + "\nthe DT O\ncat NN\n")
    n = len((tmp_path / "bad.txt").read_text().splitlines())
    for words in ("predict", "score"):
        status, _, err = said(words, folder / "model", tmp_path / "bad.txt")
        assert status == 3
        assert f"bad.txt:{n}:7: found 2 columns separated by spaces, expected 3" in err


# ------------------------------------------------------------- long runs


BLOCKS = ("--block-bytes", "1K", "--quiet")


@pytest.mark.heavy
@pytest.mark.parametrize("more", [("--epochs", 1), ("--epochs", 4, "--no-averaged")])
def test_killed_within_a_write_and_gone_on_with(folder, tmp_path, more):
    """Also where the checkpoint was written before all labels and features had come."""
    fit = ("fit", "--sequences", folder / "train.txt", *BLOCKS, *more)
    done(*fit, "-o", tmp_path / "undisturbed")
    model, checkpoint = tmp_path / "model", tmp_path / "checkpoint"
    often = ("-o", model, "--checkpoint", checkpoint, "--every", 0)
    for place, times in (("fsync", 4), ("replace", 2), ("fsync", 5)):
        finished = killed(place, times, *fit, *often, "--resume")
        assert finished.returncode == -signal.SIGKILL, finished.stderr
        assert not model.exists()
    status, _, err = said("predict", checkpoint, folder / "test.txt")
    assert status == 2
    assert "is a checkpoint of a run that has not ended" in err
    for other, then in (
        (("--eta0", "2.0"), "--eta0 1.0"),
        (("--seed", "5"), "--seed 0"),
        (("--template", "tagging"), "another --template"),
        (("--label", "1"), "--label 2"),
        (("--beam", "4"), "no --beam"),
    ):
        status, _, err = said(*fit, *often, "--resume", *other)
        assert status == 2
        assert f"was written by a run with {then}" in err
    done(*fit, *often, "--resume")
    assert same_files(model, tmp_path / "undisturbed")
    assert not checkpoint.exists()


@pytest.mark.heavy
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_between_blocks_and_says_how_to_go_on(folder, tmp_path, sent, status):
    fit = ("fit", "--sequences", folder / "train.txt", "--epochs", 200, *BLOCKS)
    model, checkpoint = tmp_path / "model", tmp_path / "model.checkpoint"
    words = (*fit, "-o", model)
    often = ("--checkpoint", checkpoint, "--every", 0.05)
    started = Popen(command(*words, *often), stderr=subprocess.PIPE, text=True)
    while not checkpoint.exists():
        assert started.poll() is None
        time.sleep(0.01)
    started.send_signal(sent)
    _, err = started.communicate(timeout=120)
    assert started.returncode == status
    assert "stopped in epoch" in err
    assert "--resume" in err
    assert not model.exists()
    done(*words, "--resume")
    done(*fit, "-o", tmp_path / "undisturbed")
    assert same_files(model, tmp_path / "undisturbed")


@pytest.mark.heavy
def test_a_stream_that_is_stopped_leaves_a_model(folder, tmp_path):
    text = (folder / "train.txt").read_bytes()
    words = ("fit", "--sequences", "-", "-o", tmp_path / "m", "--epochs", 1, *BLOCKS)
    for later in range(20):  # until it is not too early
        started = Popen(command(*words), stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        started.stdin.write(text[: len(text) // 2])
        started.stdin.flush()
        time.sleep(2.0 + later)
        started.send_signal(signal.SIGINT)
        started.wait(120)
        err = started.stderr.read().decode()
        started.communicate()
        if "stopped after" in err:
            break
    assert started.returncode == 130
    assert f"the model so far is in {tmp_path / 'm'}." in err
    assert [path.name for path in tmp_path.iterdir()] == ["m"]
    assert "chunks" in done("score", tmp_path / "m", folder / "test.txt")


@pytest.mark.heavy
def test_labels_come_while_the_sentences_do(folder):
    said = done("predict", folder / "model", folder / "test.txt")
    text = (folder / "test.txt").read_text().split("\n\n")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    process = Popen(command("predict", folder / "model", "-"), **pipes)
    printed = ""
    for sentence in text[:3]:
        process.stdin.write(f"{sentence}\n\n")
        process.stdin.flush()
        while not printed.endswith("\n\n"):
            printed += process.stdout.readline()
        printed, done_with = "", printed
        assert said.startswith(done_with)
        said = said[len(done_with) :]
    rest, _ = process.communicate("\n\n".join(text[3:]))
    assert process.returncode == 0
    assert rest == said


@pytest.mark.heavy
@pytest.mark.parametrize("verb", ["fit", "predict", "score"])
def test_a_file_of_any_size_takes_the_memory_of_a_block(folder, tmp_path, verb):
    text = (folder / "train.txt").read_text() + "\n"
    for name, times in (("small.txt", 30), ("large.txt", 150)):
        (tmp_path / name).write_text(text * times)
    assert (tmp_path / "large.txt").stat().st_size > 1.5e6
    program = (
        "import resource, sys\nfrom novikoff.cli import main, tagger\ntagger.AT_ONCE = 2**16\n"
        "status = main(sys.argv[1:])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)\n"
        "sys.exit(status)"
    )

    def peak(data):
        fit = (
            "fit",
            "--sequences",
            data,
            "-o",
            tmp_path / "m",
            *ONE_BLOCK,
            "--block-bytes",
            "64K",
        )
        words = (*fit, "--quiet") if verb == "fit" else (verb, folder / "model", data)
        program_of = [sys.executable, "-c", program, *map(str, words)]
        pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        out = subprocess.run(program_of, **pipes, text=True, check=True)
        return int(out.stderr.split()[-1]) * 1024

    assert peak(tmp_path / "large.txt") - peak(tmp_path / "small.txt") < 20e6
