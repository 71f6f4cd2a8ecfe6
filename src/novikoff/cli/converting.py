"""`novikoff convert`."""

import os
import sys
from argparse import Namespace
from typing import Any

import numpy as np

from novikoff.cli import DONE
from novikoff.cli.meaning import require_no_reading
from novikoff.cli.options import CONVERTED
from novikoff.cli.paths import require_different, require_one_output, require_place
from novikoff.cli.reading import loaded, opened, tell_skipped
from novikoff.data.formats import FORMATS, by_suffix
from novikoff.data.results import Data
from novikoff.data.writer import write
from novikoff.errors import FileError, ParameterError

MAGIC_LENGTH = 9


def convert(arguments: Namespace) -> int:
    """Write a model or data as something else."""
    require_different(arguments.source, arguments.target)
    require_place(arguments.target)
    kind = target_kind(arguments.target, arguments.to)
    if kind == "onnx" or not FORMATS[kind].is_text:
        require_one_output(target=arguments.target)
    if is_model(arguments.source):
        return convert_model(arguments, kind)
    if kind == "onnx":
        raise ParameterError(f"{arguments.source} is no model, and only models become .onnx.")
    examples = opened(arguments, arguments.source)
    examples = examples._replace(reading=examples.reading | {"labels": "optional"})
    data = examples.read()
    if kind in ("svmlight", "vw") and data.y is not None and data.y.dtype.kind not in "biuf":
        raise FileError(
            examples.called,
            f"its labels are words, which {kind} text has no place for: use a table.",
        )
    write(
        arguments.target,
        data.X,
        labels_of(data, kind),
        format=kind,
        weight=data.weight,
        names=data.names,
        tags=data.tags,
        zero_based=examples.reading["format"] == "svmlight" and data.base == 0,
    )
    tell_skipped(data.skipped)
    return DONE


def convert_model(arguments: Namespace, kind: str) -> int:
    """Write a model as something else."""
    from novikoff.store import to_csv, to_onnx

    require_no_reading(arguments, f"{arguments.source} is a model.")
    writers = {"onnx": to_onnx, "csv": to_csv}
    if kind not in writers:
        raise ParameterError(f"A model can become .onnx or .csv, and not {kind}.")
    model, _, names = loaded(arguments.source)
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    writers[kind](model, arguments.target)
    return DONE


def target_kind(path: str, told: str | None) -> str:
    """What will be written, by the ending of its name or as told."""
    by_name = by_suffix(path)
    named = by_name.name if by_name else "onnx" if path.lower().endswith(".onnx") else None
    if told and named and told != named:
        raise ParameterError(f"--to {told} and the ending of {path} contradict each other.")
    kind = told or named
    if kind is None or kind not in CONVERTED:
        raise ParameterError(
            f"{path} does not say what it will be: give --to, one of {', '.join(CONVERTED)}."
        )
    return kind


def labels_of(data: Data, kind: str) -> Any:
    """The labels, NaN for none; of tables without any, none at all."""
    if data.y is None:
        return np.full(data.X.shape[0], np.nan) if kind == "svmlight" else None
    none = data.y.dtype.kind == "f" and np.isnan(data.y).all()
    return None if none and kind != "svmlight" else data.y


def is_model(path: str) -> bool:
    """Does a file begin as model files do: a length, then JSON?"""
    if path == "-":
        waiting: Any = sys.stdin.buffer
        head = waiting.peek(MAGIC_LENGTH)[:MAGIC_LENGTH]
    elif not os.path.isfile(path):  # what can be read only once has examples
        return False
    else:
        with open(path, "rb") as file:
            head = file.read(MAGIC_LENGTH)
    return len(head) == MAGIC_LENGTH and head[8:] == b"{" and head[4:8] == b"\0\0\0\0"
