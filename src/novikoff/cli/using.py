"""`novikoff predict`, `score`, `show` and `convert`."""

import json
import os
import sys
from argparse import Namespace
from collections.abc import Generator
from contextlib import closing
from typing import Any

import numpy as np

from novikoff.cli import DONE
from novikoff.cli.reading import (
    as_trained,
    asked,
    loaded,
    require_columns,
    require_different,
    require_labels,
    require_place,
    shown,
    tell_skipped,
)
from novikoff.data.options import Data, Skipped
from novikoff.data.reader import read, stream
from novikoff.data.writing import write
from novikoff.errors import FileError, ParameterError

MAGIC_LENGTH = 9


def blocks_for(arguments: Namespace) -> Generator[tuple[Any, Data], None, None]:
    """The model, with every block of the data."""
    model, extra, names = loaded(arguments.model)
    skipped = Skipped()
    blocks: Any = stream(arguments.data, **as_trained(model, extra, arguments))
    with closing(blocks):
        for block in blocks:
            skipped += block.skipped
            if block.X.shape[0]:
                require_columns(model, names, block, arguments.data)
                yield model, block
    tell_skipped(skipped)


def predict(arguments: Namespace) -> int:
    """Print labels, a line each."""
    with closing(blocks_for(arguments)) as blocks:
        for model, block in blocks:
            print_labels(model, block, scores=arguments.scores)
    return DONE


def print_labels(model: Any, block: Data, *, scores: bool) -> None:
    """Print the labels of a block, and the scores if asked."""
    words = {label: shown(label) for label in model.classes_.tolist()}
    lines = [words[label] for label in model.predict(block.X).tolist()]
    if scores:
        s = model.decision_function(block.X).tolist()
        lines = [f"{word}\t{score!r}" for word, score in zip(lines, s, strict=True)]
    sys.stdout.write("\n".join(lines) + "\n")


def score(arguments: Namespace) -> int:
    """Print how many examples are right."""
    n = right = 0
    with closing(blocks_for(arguments)) as blocks:
        for model, block in blocks:
            require_known(model, block, arguments.data)
            n += len(block.y)
            right += int((model.predict(block.X) == block.y).sum())
    if arguments.json:
        print(json.dumps({"examples": n, "right": right, "accuracy": right / n}))
    else:
        print(f"{right:,} of {n:,} right ({right / n:.2%}), {n - right:,} wrong")
    return DONE


def require_known(model: Any, block: Data, path: str) -> None:
    """Every example must have one of the model's labels."""
    require_labels(block, path)
    unknown = np.setdiff1d(block.y, model.classes_)
    if len(unknown):
        raise FileError(
            path,
            f"it has the label {shown(unknown[0])}, but the model knows "
            f"{' and '.join(shown(c) for c in model.classes_)} only.",
        )


def show(arguments: Namespace) -> int:
    """Print what a model is."""
    from novikoff.store import describe

    told = describe(arguments.model)
    model, extra, names = loaded(arguments.model)
    if arguments.json:
        print(json.dumps(told, indent=2, default=str))
        return DONE
    print(f"{told['learner']} of {' and '.join(shown(c) for c in model.classes_)}")
    print(f"written by novikoff {told['library_version']}")
    options = ", ".join(f"{k}={v!r}" for k, v in told["parameters"].items() if v is not None)
    print(f"parameters   {options}")
    for name, value in told["summary"].items():
        print(f"{name.replace('_', ' '):<12} {value}")
    if told["extra"].get("bad_lines"):
        print(f"bad lines    {told['extra']['bad_lines']} were left out")
    print(f"bias         {float(model.intercept_[0])!r}")
    w = model.coef_[0]
    order = np.argsort(-abs(w), kind="stable")[: arguments.top]
    order = order[w[order] != 0]
    print(f"weights      {np.count_nonzero(w):,} of {len(w):,} are not 0; the largest:")
    base = int(extra.get("reading", {}).get("zero_based") is False)  # as in the file
    called = [names[j] if names else f"feature {j + base}" for j in order]
    wide = max(map(len, called), default=0)
    for name, j in zip(called, order.tolist(), strict=True):
        print(f"  {name:<{wide}}  {float(w[j]):+.6g}")
    return DONE


def convert(arguments: Namespace) -> int:
    """Write a model or data as something else."""
    ending = os.path.splitext(arguments.target)[1].lower()
    require_different(arguments.source, arguments.target)
    require_place(arguments.target)
    if is_model(arguments.source):
        from novikoff.store import load, to_csv, to_onnx

        writers = {".onnx": to_onnx, ".csv": to_csv}
        if ending not in writers:
            raise ParameterError(f"A model can become .onnx or .csv, and not {ending or 'that'}.")
        writers[ending](load(arguments.source), arguments.target)
        return DONE
    data = read(arguments.source, **asked(arguments), labels="optional")
    write(arguments.target, data.X, data.y, weight=data.weight, names=data.names, tags=data.tags)
    tell_skipped(data.skipped)
    return DONE


def is_model(path: str) -> bool:
    """Does a file begin as model files do: a length, then JSON?"""
    if path == "-":
        return False
    with open(path, "rb") as file:
        head = file.read(MAGIC_LENGTH)
    return len(head) == MAGIC_LENGTH and head[8:] == b"{" and head[4:8] == b"\0\0\0\0"
