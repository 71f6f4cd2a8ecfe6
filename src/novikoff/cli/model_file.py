"""A model from a file, and examples that are read as those it was trained on."""

from argparse import Namespace
from collections import Counter
from contextlib import closing
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np

from novikoff.cli import say
from novikoff.cli.data_file import DataFile
from novikoff.cli.evaluation.calibration import Calibration
from novikoff.cli.options import OF_FORMATS, PLANNED
from novikoff.cli.text import counted, listed, tell_skipped, tell_unseen
from novikoff.data.formats import FORMATS
from novikoff.data.locations import third_label
from novikoff.data.opener import Pipe
from novikoff.data.results import Blocks, Data, Skipped
from novikoff.data.tables.plan import TablePlan
from novikoff.errors import FileError, ModelFileError, ParameterError
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
        plan = header["extra"].get("reading", {}).get("plan")
        if names is None and plan is not None and not TablePlan.from_dict(plan).is_plain:
            names = TablePlan.from_dict(plan).get_feature_names_out()
        return cls(model, header, None if names is None else [str(n) for n in names])

    def calibration(self) -> Calibration:
        """What its scores say about probabilities."""
        told = self.header["extra"].get("calibration")
        if told is None:
            raise ParameterError(
                "--probability needs a model whose scores were compared to held-out labels: give "
                "--holdout 0.2 or --cv 5 to `novikoff fit`."
            )
        found = Calibration.read(told, len(self.model.classes_))
        if found is None:
            raise ModelFileError("The calibration in the model file is damaged: fit it anew.")
        return found

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
        if "text_labels" in FORMATS[kind].options:
            kept["text_labels"] = self.model.classes_.dtype.kind not in "biuf"
        if kind in PLANNED:
            kept["plan"] = self._plan(told)
        return file._replace(reading=kept | file.reading | {"labels": "optional"})

    def _plan(self, told: dict[str, Any]) -> TablePlan:
        """What became of the columns of a table; before there were plans, all were numbers."""
        if "plan" in told:
            return TablePlan.from_dict(told["plan"])
        return TablePlan.of_numbers(self.names or range(self.model.n_features_in_))

    def read(self, file: DataFile) -> Data:
        """All examples of a file, which must have the columns of the model."""
        data = file.read()
        tell_skipped(data.skipped)
        tell_unseen(data.unseen)
        self._require_columns(data, file)
        self._tell_order(data, file)
        return data

    def stream(self, file: DataFile, *, eager: bool = False) -> Blocks:
        """The same, block by block; if eager, the lines that have arrived."""
        if isinstance(file.source, Pipe):
            file.source.eager = eager
        skipped, told = Skipped(), False
        unseen: Counter[str] = Counter()
        with closing(file.stream()) as blocks:
            for block in blocks:
                skipped, unseen = skipped + block.skipped, unseen + block.unseen
                if block.X.shape[0]:
                    self._require_columns(block, file)
                    if not told:
                        self._tell_order(block, file)
                    told = True
                    yield block
        tell_skipped(skipped)
        tell_unseen(unseen)

    def require_known(self, block: Data, file: DataFile) -> None:
        """Every example must have a label, and one of the model's."""
        if block.y is None:
            raise FileError(file.called, "it has no labels, so there is nothing to compare.")
        is_number = block.y.dtype.kind in "biuf"
        missing = np.isnan(block.y) if is_number else block.y == ""
        if missing.any():
            row = int(missing.argmax())
            raise file.blamed(block, row, "found no label, expected one to compare")
        unknown = ~np.isin(block.y, self.model.classes_)
        if unknown.any():
            row = int(unknown.argmax())
            what = third_label(block.y[row], self.model.classes_.tolist())
            raise file.blamed(block, row, f"{what}, the labels of the model")

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
        n, known = data.X.shape[1], self.model.n_features_in_
        if n != known:
            numbered = isinstance(file.reading.get("label"), int) and n == known - 1
            advice = " Give --unlabelled if no column has the labels." if numbered else ""
            raise FileError(
                file.called,
                f"it has {counted(n, 'feature')}, but the model was trained on {known:,}.{advice}",
            )

    def _tell_order(self, data: Data, file: DataFile) -> None:
        """Say what columns are taken for, and which are not used."""
        unused = [repr(name) for name in data.unused if name not in (data.kept or ())]
        if unused:
            say(f"{file.called}: the model does not use {listed(unused)}.")
        if self.names is not None and data.names is None:
            plan = file.reading.get("plan")
            names = self.names if plan is None else [str(c.name) for c in plan.columns_]
            say(f"{file.called} has no column names, so they are taken to be {listed(names)}.")


def the_model(arguments: Namespace) -> ModelFile:
    """The model that was named, to be used by as many threads as were asked for."""
    trained = ModelFile.load(arguments.model)
    if arguments.n_jobs is not None and hasattr(trained.model, "n_jobs"):
        trained.model.n_jobs = arguments.n_jobs
    return trained
