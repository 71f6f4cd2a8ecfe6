"""What the command's options are called, which must be known before anything is imported.

`tests/test_cli.py` sees to it that this table says of the learners what they say themselves.
"""

from typing import Any, NamedTuple

LEARNERS = {
    "perceptron": "Perceptron",
    "averaged": "AveragedPerceptron",
    "voted": "VotedPerceptron",
    "winnow": "Winnow",
    "max-margin": "MaxMargin",
}

ADDITIVE = ("perceptron", "averaged", "voted")


class Parameter(NamedTuple):
    """An option of `novikoff fit` that is a parameter of some learners."""

    name: str
    kind: type
    learners: tuple[str, ...]
    help: str
    choices: tuple[str, ...] | None = None


PARAMETERS = (
    Parameter("fit_intercept", bool, (*ADDITIVE, "max-margin"), "have a bias"),
    Parameter("normalize", bool, ADDITIVE, "scale every example to length 1"),
    Parameter("tie", str, ADDITIVE, "what a score of 0 means", ("mistake", "negative", "positive")),
    Parameter("eta0", float, ADDITIVE, "the step of an update"),
    Parameter("slack", float, ADDITIVE, "the size of a private feature for every example"),
    Parameter("class_weight", dict, ADDITIVE, "balanced, or LABEL=WEIGHT (once a label)"),
    Parameter("multi_class", str, ADDITIVE, "how many classes are learned", ("joint", "ovr")),
    Parameter("shuffle", bool, (*ADDITIVE, "winnow"), "visit the rows of a block in random order"),
    Parameter("record", bool, (*ADDITIVE, "winnow"), "keep every update in the model, to be drawn"),
    Parameter("threshold", float, ("winnow",), "what a positive score must reach"),
    Parameter("factor", float, ("winnow",), "what an update multiplies or divides by"),
    Parameter("binarize", float, ("winnow",), "the level above which a value counts as 1"),
    Parameter("C", float, ("max-margin",), "the cost of being inside the margin"),
    Parameter("tol", float, ("max-margin",), "the duality gap to stop at"),
    Parameter("budget", float, ("max-margin",), "seconds after which to stop in any case"),
)

NOT_HERE = {
    "max_iter": "--epochs",
    "random_state": "--seed",
    "warm_start": "--resume",
}
"""Parameters that the command has another word for."""

FORMATS = ("svmlight", "vw", "csv", "parquet", "arrow", "npy", "npz")
TABLES = ("csv", "parquet", "arrow", "npy")

OF_FORMATS = {
    "label": TABLES,
    "weight": TABLES,
    "unlabelled": TABLES,
    "n_features": ("svmlight",),
    "zero_based": ("svmlight",),
    "bits": ("vw",),
}
"""Options of readers that have a meaning for some formats only."""

PICTURES = ("png", "svg", "pdf")
KINDS = ("boundary", "update", "proof", "progress", "comparison")
WRITTEN = ("svmlight", "vw", "csv", "parquet", "arrow", "npz", "onnx")


def flag(name: str) -> str:
    """The option for a parameter."""
    return "--" + name.replace("_", "-")


def given(arguments: Any) -> dict[str, Any]:
    """The parameters that were given on the command line, for the learner that was."""
    found = {p.name: getattr(arguments, p.name) for p in PARAMETERS if p.name != "class_weight"}
    return {name: value for name, value in found.items() if value is not None}
