"""The learners and their parameters, under the names that the command has for them.

Both are what the learners declare: a new one has its word and its options here at once.
"""

import re
from argparse import BooleanOptionalAction, Namespace
from collections.abc import Iterable
from typing import Any

from novikoff.cli.conflicts import as_given
from novikoff.cli.model_file import Model
from novikoff.cli.options import Kind, flag
from novikoff.cli.parser import Parser
from novikoff.errors import ParameterError
from novikoff.learners import DUALS, LEARNERS
from novikoff.learners.sequences.perceptron import SequencePerceptron
from novikoff.max_margin.estimator import MaxMargin
from novikoff.parameters import CLASS_WEIGHT, Parameter


def word_for(learner: str) -> str:
    """What the command calls a class: AveragedPerceptron is averaged, MaxMargin max-margin."""
    short = learner.removesuffix("Perceptron") or learner
    return re.sub("(?<=[a-z])(?=[A-Z])", "-", short).lower()


BY_WORD: dict[str, type[Model]] = {
    word_for(learner.__name__): learner for learner in (*LEARNERS, *DUALS, MaxMargin)
}
SEQUENCES = "--sequences"
"""The option that stands in the place of a word for the learner of sentences."""
NO_OPTIONS = ("max_iter", "random_state", "warm_start", "n_jobs", "n_features", "template")
"""Parameters for which there are options of the command itself."""
NOT_OF_FILES = ("precomputed",)
"""Words for what a file of examples does not have."""


def table() -> dict[str, dict[str, Parameter]]:
    """For every parameter that is an option, what it is for each learner that has it."""
    found: dict[str, dict[str, Parameter]] = {}
    for word, learner in (BY_WORD | {SEQUENCES: SequencePerceptron}).items():
        for name, parameter in learner._parameters.items():
            if name not in NO_OPTIONS:
                found.setdefault(name, {})[word] = parameter
    return found


def ask_parameters(parser: Parser) -> None:
    """An option for every parameter, of which only the learner knows what it may be."""
    parser.section("parameters of the learner (see the library's documentation)")
    for name, having in table().items():
        by_help: dict[str, list[str]] = {}
        for word, parameter in having.items():
            by_help.setdefault(parameter.short, []).append(word)
        told = "; ".join(f"{short} ({', '.join(words)})" for short, words in by_help.items())
        words = dict.fromkeys(word for p in having.values() for word in p.kind.choices or ())
        if parameter.kind.is_flag:
            parser.ask(flag(name), told, action=BooleanOptionalAction)
        elif parameter.kind is CLASS_WEIGHT:
            parser.ask(flag(name), told, LABEL_WEIGHT, action="append")
        else:
            choices = [word for word in words if word not in NOT_OF_FILES]
            parser.ask(flag(name), told, choices=choices or None)


def class_weight(text: str) -> tuple[str, float]:
    """The word `balanced`, or a label and its weight."""
    label, equals, weight = text.rpartition("=")
    if not equals and text == "balanced":
        return text, 1.0
    value = float(weight)
    if not label or not 0 <= value < float("inf"):
        raise ValueError
    return label, value


LABEL_WEIGHT = Kind(
    "LABEL=WEIGHT", "balanced, or LABEL=WEIGHT with a weight from 0 on", class_weight
)


def given(arguments: Namespace) -> dict[str, Any]:
    """The parameters that were given, as the learner takes them; each must be one of its own.

    Weights of classes are left out: only the data says which labels there are.
    """
    found = {}
    for name, having in table().items():
        value = getattr(arguments, name)
        if value is None:
            continue
        if arguments.learner not in having:
            raise ParameterError(
                f"{as_given(arguments, name)} is an option of {', '.join(having)}, and not of "
                f"{arguments.learner}: {advice_on(having, arguments.learner)}."
            )
        parameter = having[arguments.learner]
        if parameter.kind is not CLASS_WEIGHT:
            found[name] = value if parameter.kind.is_flag else read(name, parameter, value)
    return found


def advice_on(having: Iterable[str], word: str) -> str:
    """What to do about a parameter that a learner lacks, and these have."""
    if word == SEQUENCES:
        return "leave it out"
    only = [*having] == [SEQUENCES]
    return f"leave it out, or {f'give {SEQUENCES}' if only else 'choose another --learner'}"


def read(name: str, parameter: Parameter, text: str) -> object:
    """The value of a parameter, if it may be that."""
    if text in parameter.words:
        return text
    try:
        value: object = parameter.read(text)
        fine = parameter.kind.allows(value)
    except ValueError:
        fine = False
    if not fine:
        words = [repr(word) for word in parameter.words if word is not None]
        raise ParameterError.of(name, text, ", or ".join([parameter.kind.expected, *words]))
    return value
