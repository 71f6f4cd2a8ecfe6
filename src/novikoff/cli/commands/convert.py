"""`novikoff convert`."""

import os
import sys
from argparse import Namespace
from io import BufferedReader
from typing import TYPE_CHECKING, cast

import novikoff
from novikoff.cli import DONE
from novikoff.cli.conflicts import refuse
from novikoff.cli.options import READING, ask_reading
from novikoff.cli.parser import Parser
from novikoff.cli.paths import require_no_terminal
from novikoff.cli.text import tell_columns, tell_skipped
from novikoff.data.formats import FORMATS, WRITTEN, by_suffix
from novikoff.errors import ParameterError

if TYPE_CHECKING:
    from novikoff.data.results import Data
    from novikoff.typing import Array

KINDS = (*WRITTEN, "onnx")
MAGIC_LENGTH = 9


def options(parser: Parser) -> None:
    """What can be asked."""
    source = "a model or examples: a file, a pattern or a folder, or - for standard input"
    parser.reads("source", "MODEL|DATA", source)
    parser.writes("target", "FILE", "file to write, or - for standard output", text=True)
    kinds = f"{', '.join(KINDS[:-1])} or {KINDS[-1]} (default: by the ending of FILE)"
    parser.ask("--to", kinds, choices=KINDS, metavar="FORMAT")
    ask_reading(parser, title="reading DATA", plan=True)
    parser.examples = (
        "novikoff convert my.model my.onnx",
        "novikoff convert train.csv train.parquet",
        "novikoff convert train.svm - --to csv",
    )


def run(arguments: Namespace) -> int:
    """Write a model or data as something else."""
    from novikoff.cli.data_file import DataFile

    kind = target_kind(arguments.target, arguments.to)
    if kind == "onnx" or not FORMATS[kind].is_text:
        require_no_terminal("FILE", arguments.target)
    if is_model(arguments.source):
        return convert_model(arguments, kind)
    if kind == "onnx":
        raise ParameterError(f"{arguments.source} is no model, and only models become .onnx.")
    file = DataFile.opened(arguments, arguments.source)
    data = file._replace(reading=file.reading | {"labels": "optional"}).read()
    tell_columns(file.called, data.plan, if_changed=True)
    novikoff.data.write(
        arguments.target,
        data.X,
        labels_of(data, kind),
        format=kind,
        weight=data.weight,
        names=data.names,
        tags=data.tags,
        zero_based=file.reading["format"] == "svmlight" and data.base == 0,
    )
    tell_skipped(data.skipped)
    return DONE


def convert_model(arguments: Namespace, kind: str) -> int:
    """Write a model as something else."""
    import numpy as np

    from novikoff.cli.model_file import ModelFile
    from novikoff.store import to_csv, to_onnx

    refuse(arguments, READING, f"has no meaning here: {arguments.source} is a model.")
    writers = {"onnx": to_onnx, "csv": to_csv}
    if kind not in writers:
        raise ParameterError(f"A model can become .onnx or .csv, and not {kind}.")
    trained = ModelFile.load(arguments.source)
    if trained.names is not None:
        trained.model.feature_names_in_ = np.array(trained.names, dtype=object)
    writers[kind](trained.model, arguments.target)
    return DONE


def target_kind(path: str, told: str | None) -> str:
    """What will be written, by the ending of its name or as told."""
    by_name = by_suffix(path)
    named = by_name.name if by_name else "onnx" if path.lower().endswith(".onnx") else None
    if told and named and told != named:
        raise ParameterError(f"--to {told} and the ending of {path} contradict each other.")
    kind = told or named
    if kind is None or kind not in KINDS:
        raise ParameterError(
            f"cannot tell the format from {path}: give --to, one of {', '.join(KINDS)}."
        )
    return kind


def labels_of(data: "Data", kind: str) -> "Array | None":
    """The labels, NaN for none; of tables without any, none at all."""
    import numpy as np

    if data.y is None:
        return np.full(data.X.shape[0], np.nan) if kind == "svmlight" else None
    y: Array = data.y
    none = y.dtype.kind == "f" and np.isnan(y).all()
    return None if none and kind != "svmlight" else y


def is_model(path: str) -> bool:
    """Does a file begin as model files do: a length, then JSON?"""
    if path == "-":
        head = cast(BufferedReader, sys.stdin.buffer).peek(MAGIC_LENGTH)[:MAGIC_LENGTH]
    elif not os.path.isfile(path):  # what can be read only once has examples
        return False
    else:
        with open(path, "rb") as file:
            head = file.read(MAGIC_LENGTH)
    return len(head) == MAGIC_LENGTH and head[8:] == b"{" and head[4:8] == b"\0\0\0\0"
