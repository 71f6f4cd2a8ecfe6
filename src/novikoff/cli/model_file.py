"""A model from a file, and examples that are read as those it was trained on."""

from argparse import Namespace
from contextlib import closing
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np

from novikoff.cli import say
from novikoff.cli.data_file import DataFile
from novikoff.cli.options import OF_FORMATS
from novikoff.cli.text import counted, listed, tell_skipped
from novikoff.data.locations import third_label
from novikoff.data.opener import Pipe
from novikoff.data.results import Blocks, Data, Skipped
from novikoff.errors import FileError, ParameterError
from novikoff.learners.base import MistakeDriven
from novikoff.learners.kernels.machine import DualLearner
from novikoff.learners.sequences.perceptron import SequencePerceptron
from novikoff.max_margin.estimator import MaxMargin
from novikoff.store import load_with_header

Model: TypeAlias = MistakeDriven | DualLearner | MaxMargin


class ModelFile(NamedTuple):
    """A model, what its file says of it, and the names of its features."""

    model: Model
    header: dict[str, Any]
    names: list[str] | None

    @classmethod
    def load(cls, path: str) -> Self:
        """The model at a path; a checkpoint is none."""
        model, header = load_with_header(path)
        names = getattr(model, "feature_names_in_", None)
        if names is not None:
            del model.feature_names_in_  # files come as arrays, which have no names to compare
        if "checkpoint" in header["extra"]:
            raise ParameterError(
                f"{path} is a checkpoint of a run that has not ended: go on with it by "
                "`novikoff fit ... --resume`."
            )
        return cls(model, header, None if names is None else [str(n) for n in names])

    def data(self, arguments: Namespace) -> DataFile:
        """The examples that were named, read as the model's own where nothing was given."""
        if isinstance(self.model, SequencePerceptron):
            raise ParameterError(
                f"{arguments.model} labels sequences: `novikoff predict`, `score` and `show` take "
                f"it, and `{arguments.command}` does not."
            )
        file = DataFile.opened(arguments, arguments.data)
        kind, told = file.reading["format"], self.header["extra"].get("reading", {})
        self._require_same_features(told, file)
        names = ("label", "weight", "ignore", "zero_based")
        kept = {name: told[name] for name in names if name in told}
        kept["n_features"] = int(self.model.n_features_in_)
        kept |= getattr(self.model, "feature_hash_", {})
        if getattr(arguments, "unlabelled", None):
            kept.pop("label", None)
        kept = {name: value for name, value in kept.items() if kind in OF_FORMATS.get(name, ())}
        return file._replace(reading=kept | file.reading | {"labels": "optional"})

    def read(self, file: DataFile) -> Data:
        """All examples of a file, which must have the columns of the model."""
        data = file.read()
        tell_skipped(data.skipped)
        self._require_columns(data, file)
        self._tell_order(data, file)
        return data

    def stream(self, file: DataFile, *, eager: bool = False) -> Blocks:
        """The same, block by block; if eager, the lines that have arrived."""
        if isinstance(file.source, Pipe):
            file.source.eager = eager
        skipped, told = Skipped(), False
        with closing(file.stream()) as blocks:
            for block in blocks:
                skipped += block.skipped
                if block.X.shape[0]:
                    self._require_columns(block, file)
                    if not told:
                        self._tell_order(block, file)
                    told = True
                    yield block
        tell_skipped(skipped)

    def require_known(self, block: Data, file: DataFile) -> None:
        """Every example must have a label, and one of the model's."""
        if block.y is None:
            raise FileError(file.called, "it has no labels, so there is nothing to compare.")
        if block.y.dtype.kind == "f" and np.isnan(block.y).any():
            row = int(np.isnan(block.y).argmax())
            raise file.blamed(block, row, "found no label, expected one to compare")
        unknown = ~np.isin(block.y, self.model.classes_)
        if unknown.any():
            row = int(unknown.argmax())
            what = third_label(block.y[row], self.model.classes_.tolist())
            raise file.blamed(block, row, f"{what}, which the model knows")

    def _require_same_features(self, told: dict[str, Any], file: DataFile) -> None:
        """Hashed names are no numbers, nor the names of columns."""
        kind, hashed = file.reading["format"], hasattr(self.model, "feature_hash_")
        if hashed and kind != "vw":
            raise FileError(
                file.called,
                f"it is {kind}, but the model was trained on Vowpal Wabbit text, whose features "
                "are known by the hashes of their names: give such text.",
            )
        if kind == "vw" and not hashed and "format" in told:
            raise FileError(
                file.called,
                "it is Vowpal Wabbit text, whose features are hashed names, but the model was "
                f"trained on {told['format']}: give that.",
            )

    def _require_columns(self, data: Data, file: DataFile) -> None:
        """A table must have the columns the model was trained on, in their order."""
        names, n, known = self.names, data.X.shape[1], self.model.n_features_in_
        if names is not None and data.names is not None and names != list(data.names):
            advice = difference(names, data.names)
            if not {*names} & {*data.names}:
                advice += (
                    " If its first line has no names and no column the labels, give --unlabelled."
                )
            raise FileError(file.called, f"its columns are not those of the model: {advice}")
        if n != known:
            numbered = isinstance(file.reading.get("label"), int) and n == known - 1
            advice = " Give --unlabelled if no column has the labels." if numbered else ""
            raise FileError(
                file.called,
                f"it has {counted(n, 'feature')}, but the model was trained on {known:,}.{advice}",
            )

    def _tell_order(self, data: Data, file: DataFile) -> None:
        """Say that columns without names are taken for those of the model."""
        if self.names is not None and data.names is None:
            say(
                f"{file.called} has no names for its columns: they are taken to be "
                f"{listed(self.names)}, in this order."
            )


def the_model(arguments: Namespace) -> ModelFile:
    """The model that was named, to be used by as many threads as were asked for."""
    trained = ModelFile.load(arguments.model)
    if arguments.n_jobs is not None and hasattr(trained.model, "n_jobs"):
        trained.model.n_jobs = arguments.n_jobs
    return trained


def difference(wanted: list[str], found: list[str]) -> str:
    """In what the columns of a table are not those of a model, and what to do."""
    lacking = [repr(name) for name in wanted if name not in found]
    besides = [repr(name) for name in found if name not in wanted]
    if not (lacking or besides):
        return f"it has them in another order. Rearrange them: {listed(wanted)}."
    lacks = [f"lacks {listed(lacking)}"] if lacking else []
    has = [f"has {listed(besides)} besides"] if besides else []
    add, leave = ["add what it lacks"] * bool(lacking), ["leave out the others"] * bool(besides)
    todo = " and ".join(add + leave)
    return f"it {' and '.join(lacks + has)}: {todo}."
