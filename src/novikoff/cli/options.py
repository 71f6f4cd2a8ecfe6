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
    Parameter("class_weight", str, ADDITIVE, "'balanced' weighs classes equally", ("balanced",)),
    Parameter("shuffle", bool, (*ADDITIVE, "winnow"), "visit the rows of a block in random order"),
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
    "record": "",
}
"""Parameters that the command has another word for, or no use."""


def flag(name: str) -> str:
    """The option for a parameter."""
    return "--" + name.replace("_", "-")


def given(arguments: Any) -> dict[str, Any]:
    """The parameters that were given on the command line, for the learner that was."""
    found = {p.name: getattr(arguments, p.name) for p in PARAMETERS}
    return {name: value for name, value in found.items() if value is not None}


def misplaced(arguments: Any) -> str | None:
    """A complaint about an option that the learner does not have, if there is one."""
    for p in PARAMETERS:
        if getattr(arguments, p.name) is not None and arguments.learner not in p.learners:
            return (
                f"{flag(p.name)} is an option of {', '.join(p.learners)}, and not of "
                f"{arguments.learner}: leave it out, or choose another --learner."
            )
    return None
