"""`novikoff predict` and `score`."""

import json
import sys
from argparse import Namespace
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from typing import Any

from novikoff.cli import DONE
from novikoff.cli.paths import require_one_input
from novikoff.cli.reading import (
    Examples,
    as_trained,
    loaded,
    require_columns,
    require_known,
    tell_order,
    tell_skipped,
)
from novikoff.data.opener import Pipe
from novikoff.data.reader import stream
from novikoff.data.results import Data, Skipped
from novikoff.errors import BadRow
from novikoff.inputs.labels import as_written


def blocks_for(
    arguments: Namespace, *, eager: bool = False
) -> Generator[tuple[Any, Data, Examples], None, None]:
    """The model, with every block of the data; if eager, with the lines that have arrived."""
    require_one_input(model=arguments.model, data=arguments.data)
    model, extra, names = loaded(arguments.model)
    if arguments.n_jobs is not None and hasattr(model, "n_jobs"):
        model.n_jobs = arguments.n_jobs
    examples = as_trained(model, extra, arguments)
    if isinstance(examples.source, Pipe):
        examples.source.eager = eager
    skipped, told = Skipped(), False
    blocks: Any = stream(examples.source, **examples.reading)
    with closing(blocks):
        for block in blocks:
            skipped += block.skipped
            if block.X.shape[0]:
                require_columns(model, names, block, examples)
                if not told:
                    tell_order(names, block, examples)
                told = True
                yield model, block, examples
    tell_skipped(skipped)


def predict(arguments: Namespace) -> int:
    """Print labels, a line each, those of what comes through a pipe as soon as it comes."""
    with closing(blocks_for(arguments, eager=True)) as blocks:
        for model, block, examples in blocks:
            with blaming(block, examples):
                print_labels(model, block, scores=arguments.scores)
            sys.stdout.flush()
    return DONE


@contextmanager
def blaming(block: Data, examples: Examples) -> Iterator[None]:
    """Say at which line a row is that the model cannot take."""
    try:
        yield
    except BadRow as error:
        raise examples.blamed(block, error.row, error.what) from None


def print_labels(model: Any, block: Data, *, scores: bool) -> None:
    """Print the labels of a block, and the scores if asked."""
    words = {label: as_written(label) for label in model.classes_.tolist()}
    lines = [words[label] for label in model.predict(block.X).tolist()]
    if scores:
        s = model.decision_function(block.X).tolist()
        told = ["\t".join(map(repr, row)) if isinstance(row, list) else repr(row) for row in s]
        lines = [f"{word}\t{scores}" for word, scores in zip(lines, told, strict=True)]
    sys.stdout.write("\n".join(lines) + "\n")


def score(arguments: Namespace) -> int:
    """Print how many examples are right."""
    n = right = 0
    with closing(blocks_for(arguments)) as blocks:
        for model, block, examples in blocks:
            require_known(model, block, examples)
            n += len(block.y)
            with blaming(block, examples):
                right += int((model.predict(block.X) == block.y).sum())
    if arguments.json:
        print(json.dumps({"examples": n, "right": right, "accuracy": right / n}))
    else:
        print(f"{right:,} of {n:,} right ({right / n:.2%}), {n - right:,} wrong")
    return DONE
