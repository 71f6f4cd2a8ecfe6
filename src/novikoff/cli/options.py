"""What the command's options are called, which must be known before anything is imported.

`tests/test_cli.py` sees to it that this table says of the learners what they say themselves.
"""

from typing import Any, NamedTuple

from novikoff.data.formats import FORMATS as READ, WRITTEN

LEARNERS = {
    "perceptron": "Perceptron",
    "averaged": "AveragedPerceptron",
    "voted": "VotedPerceptron",
    "pocket": "Pocket",
    "winnow": "Winnow",
    "balanced-winnow": "BalancedWinnow",
    "passive-aggressive": "PassiveAggressive",
    "second-order": "SecondOrderPerceptron",
    "arow": "AROW",
    "scw": "SCW",
    "kernel": "KernelPerceptron",
    "romma": "Romma",
    "max-margin": "MaxMargin",
}

KERNELS = ("kernel", "romma")
WHOLE = ("pocket", *KERNELS, "max-margin")
"""Learners that need all examples at once."""

EITHER = ("perceptron", "averaged", "voted")
"""Perceptrons that learn many classes jointly, or with a machine each."""
ADDITIVE = (*EITHER, "pocket")
CONFIDENT = ("second-order", "arow", "scw")
MARGINAL = ("passive-aggressive", *CONFIDENT)
ALL = (*ADDITIVE, "balanced-winnow", *MARGINAL)


class Parameter(NamedTuple):
    """An option of `novikoff fit` that is a parameter of some learners."""

    name: str
    kind: type
    learners: tuple[str, ...]
    help: str
    choices: tuple[str, ...] | None = None
    words: tuple[str, ...] = ()
    """What may be given in the place of a number."""


PARAMETERS = (
    Parameter("fit_intercept", bool, (*ALL, "max-margin"), "have a bias"),
    Parameter("normalize", bool, ADDITIVE, "scale every example to length 1"),
    Parameter(
        "tie",
        str,
        (*ADDITIVE, "kernel"),
        "what a score of 0 means",
        ("mistake", "negative", "positive"),
    ),
    Parameter("eta0", float, ADDITIVE, "the step of an update"),
    Parameter("slack", float, ADDITIVE, "the size of a private feature for every example"),
    Parameter("checks", int, ("pocket",), "how many times a pass may count errors on all data"),
    Parameter("class_weight", dict, (*ALL, "kernel"), "balanced, or LABEL=WEIGHT (once a label)"),
    Parameter(
        "multi_class",
        str,
        (*EITHER, "passive-aggressive", "kernel"),
        "how more than two classes are learned",
        ("joint", "ovr"),
    ),
    Parameter("shuffle", bool, (*ALL, "winnow", *KERNELS), "visit rows in random order"),
    Parameter(
        "record",
        bool,
        (*ALL, "winnow", *KERNELS),
        "keep every update in the model, to be drawn",
    ),
    Parameter("threshold", float, ("winnow",), "what a positive score must reach"),
    Parameter("factor", float, ("winnow", "balanced-winnow"), "what an update multiplies by"),
    Parameter("binarize", float, ("winnow",), "the level above which a value counts as 1"),
    Parameter("clip", bool, ("balanced-winnow",), "cut values off at 0 and 1"),
    Parameter(
        "variant",
        str,
        ("passive-aggressive", "scw"),
        "which of its algorithms",
        ("PA", "PA-I", "PA-II", "I", "II"),
    ),
    Parameter("covariance", str, CONFIDENT, "what is kept of it", ("diagonal", "full")),
    Parameter("a", float, ("second-order",), "the weight of no correlation"),
    Parameter("r", float, ("arow",), "how much an update is held back"),
    Parameter("eta", float, ("scw",), "the probability to be right with"),
    Parameter(
        "C", float, ("passive-aggressive", "scw", "max-margin"), "the cost of too small a margin"
    ),
    Parameter("kernel", str, KERNELS, "the inner product", ("rbf", "poly", "linear")),
    Parameter("gamma", float, KERNELS, "what rbf and poly multiply by", words=("scale", "auto")),
    Parameter("degree", int, KERNELS, "the power of poly"),
    Parameter("coef0", float, KERNELS, "what poly adds"),
    Parameter(
        "predict_with",
        str,
        ("kernel",),
        "the last weights, their mean or their votes",
        ("last", "averaged", "voted"),
    ),
    Parameter("update_on", str, ("romma",), "what is learned from", ("mistake", "margin")),
    Parameter("tol", float, ("max-margin",), "the duality gap to stop at"),
    Parameter(
        "budget",
        float,
        ("kernel", "max-margin"),
        "the most rows to keep, or for max-margin the seconds after which to stop in any case",
    ),
)

NOT_HERE = {
    "max_iter": "--epochs",
    "random_state": "--seed",
    "warm_start": "--resume",
    "n_jobs": "--n-jobs",
}
"""Parameters that the command has another word for."""

FORMATS = tuple(READ)
OF_FORMATS = {
    name: tuple(f.name for f in READ.values() if name.replace("unlabelled", "label") in f.options)
    for name in ("label", "weight", "ignore", "unlabelled", "n_features", "zero_based", "bits")
}
"""Options of readers that have a meaning for some formats only."""

PICTURES = ("png", "svg", "pdf")
KINDS = ("boundary", "update", "proof", "progress", "comparison")
CONVERTED = (*WRITTEN, "onnx")


def flag(name: str) -> str:
    """The option for a parameter."""
    return "--" + name.replace("_", "-")


def given(arguments: Any) -> dict[str, Any]:
    """The parameters that were given on the command line, for the learner that was."""
    found = {p.name: getattr(arguments, p.name) for p in PARAMETERS if p.name != "class_weight"}
    found = {name: value for name, value in found.items() if value is not None}
    if arguments.learner == "kernel" and found.get("budget", 0.5).is_integer():
        found["budget"] = int(found["budget"])
    return found
