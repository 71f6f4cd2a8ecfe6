"""Sequences of labels, from files of sentences: what `fit`, `predict`, `score` and `show` do."""

import json
import sys
import warnings
from argparse import Namespace
from collections.abc import Sequence
from contextlib import closing
from io import TextIOWrapper
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from novikoff.cli import DONE, say
from novikoff.cli.conflicts import refuse, require_one_file
from novikoff.cli.evaluation.score_report import figures, shares_told
from novikoff.cli.learners import SEQUENCES, given
from novikoff.cli.paths import require_different
from novikoff.cli.sentence_file import SentenceFile, columns
from novikoff.cli.summary import finish
from novikoff.data.opener import Pipe
from novikoff.data.results import Skipped
from novikoff.errors import DataError, FileError, ParameterError
from novikoff.inputs.templates import BUILT_IN, Template
from novikoff.learners.sequences.chunks import ChunkCounts, are_chunked
from novikoff.learners.sequences.perceptron import SequencePerceptron

if TYPE_CHECKING:
    from novikoff.cli.data_file import Reading
    from novikoff.cli.model_file import ModelFile
    from novikoff.data.token_lines import Sentences
    from novikoff.typing import Array

BLOCK_BYTES, AT_ONCE = 2**22, 2**20
OF_ROWS = ("weight", "ignore", "keep", "zero_based", "bits", "bad_lines")
"""Options of readers that have no meaning for sentences."""
NOT_BESIDE = (
    *("learner", "classes", "progressive", "window", "plot", *OF_ROWS),
    *("cluster", "shard_bytes", "workers", "mixing"),
)
IN_BLOCKS = ("memory", "checkpoint", "every", "resume")


# ------------------------------------------------------------- fit


def fit_sequences(arguments: Namespace) -> int:
    """Learn to label the tokens of sentences, and write the model."""
    from novikoff.cli.checkpoint import checkpoint_of
    from novikoff.cli.commands.fit import EPOCHS
    from novikoff.cli.fitting import fit_in_blocks, require_sense

    refuse(arguments, NOT_BESIDE, "has no meaning beside --sequences: leave it out.")
    require_sense(arguments)
    if arguments.beam is None:
        refuse(arguments, ("update",), "is about searches by a --beam: give it too.")
    require_one_file(arguments)
    arguments.learner = SEQUENCES
    epochs = arguments.epochs or EPOCHS
    in_blocks = epochs == 1 or arguments.block_bytes is not None
    if not in_blocks:
        why = "is for runs that go block by block: give --block-bytes too, as 4M, or --epochs 1."
        refuse(arguments, IN_BLOCKS, why)
    else:
        checkpoint_of(arguments, once=arguments.data == "-")
    parameters = given(arguments) | {"max_iter": epochs, "random_state": arguments.seed or 0}
    for name in ("n_features", "n_jobs"):
        if (value := getattr(arguments, name)) is not None:
            parameters[name] = value
    model = SequencePerceptron(**parameters)
    model._check_parameters()
    text = None if arguments.template is None else template_text(arguments)
    file = SentenceFile.to_learn_from(arguments)
    model.template = default_template(file, arguments) if text is None else text
    require_columns(model.template, file)
    if in_blocks:
        arguments.block_bytes = arguments.block_bytes or BLOCK_BYTES
        return fit_in_blocks(model, epochs, None, arguments, file)
    data = file.read()
    file.require_two(np.unique(file.labels_of(data)), Skipped())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the summary says so
        model.fit(data.X, data.y)
    finish(model, None, file.reading, Skipped(), len(data.y), arguments)
    return DONE


def template_text(arguments: Namespace) -> str:
    """The template that was named: a built-in one, or that in a file."""
    path: str = arguments.template
    if path in BUILT_IN:
        return path
    require_different(arguments.data, path, arguments.output, arguments.checkpoint)
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = f"{file.read().rstrip()}\n"
    except UnicodeDecodeError:
        raise FileError(path, "it is no template: its text is not in UTF-8.") from None
    except OSError as error:
        told = (
            f"cannot be opened: {error.strerror}. Built-in templates are {' and '.join(BUILT_IN)}"
        )
        raise FileError(path, told) from error
    try:
        Template(text)
    except ParameterError as error:
        raise DataError(error.spelled(lambda name, *value: f"template {path}")) from None
    return text


def default_template(file: SentenceFile, arguments: Namespace) -> str:
    """The built-in template for files with as many columns, which is said."""
    is_conllu = file.reading["format"] == "conllu"
    name = "chunking" if file.n_features > 1 and not is_conllu else "tagging"
    if not arguments.quiet:
        why = "which looks at the words" if is_conllu else f"for {columns(file.n_features)}"
        say(f"--template {name} is taken, {why}{' beside the labels' * (not is_conllu)}.")
    return name


def require_columns(template: str, file: SentenceFile) -> None:
    """The columns that a template asks for must be there."""
    if (needed := Template(template).n_tokens) > file.n_features:
        has = columns(file.n_features)
        raise FileError(
            file.called,
            f"found {has} beside the label, but {{template}} asks for column {needed - 1}, "
            "counted from 0: correct it, or give another file",
            template=template,
        )


# ------------------------------------------------------------- predict and score


def is_tagger(trained: "ModelFile") -> bool:
    """Does a model label sequences?"""
    return isinstance(trained.model, SequencePerceptron)


def sentences_to_label(trained: "ModelFile", arguments: Namespace) -> SentenceFile:
    """The sentences that were named, read as those that the model learned from."""
    refuse(arguments, (*OF_ROWS, "n_features"), "has no meaning for sentences: leave it out.")
    require_one_file(arguments)
    template = trained.model.template
    if template is None:
        raise ParameterError(
            f"{arguments.model} has no template: its features were made in Python, so that it "
            "cannot label the tokens of a file."
        )
    told = trained.header["extra"].get("reading") or reading_of_python(template, arguments)
    return SentenceFile.to_label(arguments, told, arguments.model)


def reading_of_python(template: str, arguments: Namespace) -> "Reading":
    """What to expect of files for a model that was made in Python: the columns of its template."""
    if arguments.format == "conllu" or arguments.data.lower().endswith(".conllu"):
        return {"format": "conllu", "columns": 10, "label": "UPOS"}
    n = Template(template).n_tokens
    return {"format": "conll", "columns": n + 1, "label": n}


def predict_sequences(trained: "ModelFile", arguments: Namespace) -> int:
    """Print the sentences of a file with their labels, a block of what has come at a time."""
    no_rows = ("unlabelled", "scores", "to", "output")
    refuse(arguments, no_rows, "has no meaning for sentences: leave it out.")
    file = sentences_to_label(trained, arguments)
    if isinstance(file.source, Pipe):
        file.source.eager = True
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # as the file is
    with closing(file.sentences(AT_ONCE)) as blocks:
        for block in blocks:
            sys.stdout.write(file.with_labels(block, predicted(trained.model, block)))
            sys.stdout.flush()
    return DONE


def predicted(model: Any, block: "Sentences") -> list[list[str]]:
    """The labels of all tokens of a block."""
    labels: list[list[str]] = model.predict(block.X) if block.X else []
    return labels


def score_sequences(trained: "ModelFile", arguments: Namespace) -> int:
    """Print how many labels and sentences are right, and how many chunks if there are any."""
    file = sentences_to_label(trained, arguments)
    if file.label is None:
        raise FileError(
            file.called, "it has no labels, so there is nothing to compare: give a file with them."
        )
    tokens = right = sentences = whole = 0
    counts = ChunkCounts() if are_chunked(trained.model.classes_.tolist()) else None
    with closing(file.sentences(AT_ONCE)) as blocks:
        for block in blocks:
            told, y = predicted(trained.model, block), block.y or []
            same = [sum(map(str.__eq__, *pair)) for pair in zip(y, told, strict=True)]
            tokens, right = tokens + len(block.token_lines), right + sum(same)
            sentences, whole = sentences + len(y), whole + sum(map(int.__eq__, same, map(len, y)))
            if counts is not None:
                counts.add(y, told)
    if arguments.json:
        print(json.dumps(as_json(tokens, right, sentences, whole, counts)))
        return DONE
    print(f"tokens     {right:,} of {tokens:,} right ({right / tokens:.2%})")
    print(f"sentences  {whole:,} of {sentences:,} right ({whole / sentences:.2%})")
    if counts is not None:
        tell_chunks(counts)
    return DONE


def as_json(
    tokens: int, right: int, sentences: int, whole: int, counts: ChunkCounts | None
) -> dict[str, Any]:
    """What was counted, for programs."""
    told: dict[str, Any] = {
        "tokens": tokens,
        "right": right,
        "accuracy": right / tokens,
        "sentences": sentences,
        "sentences_right": whole,
    }
    if counts is not None:
        kinds = {kind: figures(count) for kind, count in counts.by_kind().items()}
        told["chunks"] = figures(counts.all()) | {"kinds": kinds}
    return told


def tell_chunks(counts: ChunkCounts) -> None:
    """Print a table of the kinds of chunks."""
    every = counts.all()
    right = f"{every.right:,} of {every.there:,} right"
    print(f"chunks     {right}, {every.predicted:,} predicted; as conlleval counts them:")
    kinds = counts.by_kind()
    rows = {kind or "-": count for kind, count in kinds.items()} if len(kinds) > 1 else {}
    rows["all"] = every
    print("", *shares_told(rows, "chunks"), sep="\n")


# ------------------------------------------------------------- show


def show_sequences(model: Any, top: int) -> None:
    """Print a template, the heaviest transitions, and the heaviest features of each label."""
    labels, names = model.classes_.tolist(), feature_names(model)
    print(f"labels       {len(labels):,}")
    print(f"features     {model.n_features_in_:,}")
    print(f"template     {template_lines(model.template)}")
    print("\ntransitions")
    pairs = [f"{label} after {before}" for before in labels for label in labels]
    tell_heaviest(model.transition_.ravel(), pairs, top)
    for label, w, bias in zip(labels, model.coef_, model.intercept_.tolist(), strict=True):
        print(f"\n{label}, bias {bias:+.6g}")
        tell_heaviest(w, names, top)


def template_lines(template: str | None) -> str:
    """The lines of a template, and its name if it has one."""
    if template is None:
        return "none: features were made in Python"
    lines = BUILT_IN.get(template, template).strip().splitlines()
    return "\n  ".join([template if template in BUILT_IN else "", *lines])


def feature_names(model: Any) -> Sequence[str]:
    """What the columns are called."""
    names: list[str] = [] if model.n_features else model.feature_names_
    return names or [f"column {j}" for j in range(model.n_features_in_)]


def tell_heaviest(w: "Array", names: Sequence[str], top: int) -> None:
    """Print the largest weights, and beside them the smallest ones."""
    largest, smallest = (np.argsort(v, kind="stable")[:top].tolist() for v in (-w, w))
    most = [cell(w, names, j) for j in largest if w[j] > 0]
    least = [cell(w, names, j) for j in smallest if w[j] < 0]
    wide = max(map(len, most), default=0)
    for one, other in zip_longest(most, least, fillvalue=""):
        print(f"  {one:<{wide}}  {other}".rstrip())


def cell(w: "Array", names: Sequence[str], j: int) -> str:
    """A weight and what it is called."""
    return f"{w[j]:+10.6g}  {names[j]}"
