"""The columns of an answer: what `novikoff predict` writes about the examples of a block.

Each comes from a small function; a new one has its place in `answer`.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from novikoff.cli.evaluation.calibration import Calibration
from novikoff.cli.model_file import Model
from novikoff.data.results import Data
from novikoff.errors import ParameterError
from novikoff.inputs.labels import as_written
from novikoff.typing import Array


class Column(NamedTuple):
    """A column of an answer."""

    name: str
    values: Any
    """A list, or an array of NumPy's or Arrow's."""
    kind: str | None = None
    """What Arrow calls the type of the values of a list."""


def answer(
    model: Model,
    block: Data,
    *,
    tagged: bool,
    scored: bool = False,
    calibration: Calibration | None = None,
) -> list[Column]:
    """All columns about a block: the kept ones first, then what the model says."""
    own = [*tags(block)] if tagged else []
    own.append(prediction(model, block))
    own += scores(model, block) if scored else []
    own += probabilities(model, block, calibration) if calibration else []
    copies = kept(block)
    require_names(copies, own)
    return copies + own


def kept(block: Data) -> list[Column]:
    """The columns of the table that are to be kept."""
    return [Column(name, values) for name, values in (block.kept or {}).items()]


def tags(block: Data) -> list[Column]:
    """The tags of Vowpal Wabbit text, "" for none."""
    return [Column("tag", block.tags or [""] * block.X.shape[0], "string")]


def prediction(model: Model, block: Data) -> Column:
    """The predicted labels; whole numbers without a point."""
    classes: list[Any] = model.classes_.tolist()
    labels = {label: as_number(label) for label in classes}
    values = [labels[label] for label in model.predict(block.X).tolist()]
    return Column("prediction", values, kind_of([*labels.values()]))


def scores(model: Model, block: Data) -> list[Column]:
    """The scores, by class."""
    return by_class("score", model.decision_function(block.X), model.classes_)


def probabilities(model: Model, block: Data, calibration: Calibration) -> list[Column]:
    """The probability of each class."""
    found = calibration.probabilities(model.decision_function(block.X))
    return by_class("probability", found, model.classes_)


def by_class(name: str, values: Array, classes: Sequence[Any] | Array) -> list[Column]:
    """One column, or if the values have one for each class, all of these."""
    if values.ndim == 1:
        return [Column(name, values)]
    return [Column(f"{name} {as_written(c)}", values[:, k]) for k, c in enumerate(classes)]


def as_number(label: Any) -> Any:
    """A label as people write it: 1 and not 1.0."""
    is_whole = isinstance(label, float) and as_written(label) != str(label)
    return int(label) if is_whole else label


def kind_of(labels: list[Any]) -> str:
    """What Arrow calls the type that all these labels have."""
    kinds = {bool: "bool", int: "int64", float: "double", str: "string"}
    found = {kinds[type(label)] for label in labels}
    return "double" if "double" in found else found.pop()


def require_names(copies: list[Column], own: list[Column]) -> None:
    """No kept column may be called as one of the answer's own."""
    names = {column.name for column in own}
    for column in copies:
        if column.name in names:
            raise ParameterError(
                "{keep=} was given, but the output has a column of that name: rename it in DATA, "
                "or leave it out.",
                keep=column.name,
            )
