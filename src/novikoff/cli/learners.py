"""The learners and their parameters, under the names that the command has for them.

Both are what the learners declare: a new one has its word and its options here at once.
"""

import re
from argparse import BooleanOptionalAction, Namespace
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from novikoff.cli.conflicts import as_given
from novikoff.cli.model_file import Model
from novikoff.cli.options import flag
from novikoff.cli.parser import Parser
from novikoff.errors import ParameterError
from novikoff.learners import DUALS, LEARNERS
from novikoff.learners.sequences.perceptron import SequencePerceptron
from novikoff.max_margin.estimator import MaxMargin
from novikoff.parameters import CLASS_WEIGHT, WHOLE, Parameter


def word_for(learner: str) -> str:
    """What the command calls a class: AveragedPerceptron is averaged, MaxMargin max-margin."""
    short = learner.removesuffix("Perceptron") or learner
    return re.sub("(?<=[a-z])(?=[A-Z])", "-", short).lower()


BY_WORD: dict[str, type[Model]] = {
    word_for(learner.__name__): learner for learner in (*LEARNERS, *DUALS, MaxMargin)
}
SEQUENCES = "--sequences"
"""The option that stands in the place of a word for the learner of sentences."""
ALL: dict[str, type[Model]] = BY_WORD | {SEQUENCES: SequencePerceptron}
"""Both kinds."""
NO_OPTIONS = ("max_iter", "random_state", "warm_start", "n_jobs", "n_features", "template")
"""Parameters for which there are options of the command itself."""
NOT_OF_FILES = ("precomputed",)
"""Words for what a file of examples does not have."""


def table() -> dict[str, dict[str, Parameter]]:
    """For every parameter that is an option, what it is for each learner that has it."""
    found: dict[str, dict[str, Parameter]] = {}
    for word in ALL:
        for name, parameter in options_of(word).items():
            found.setdefault(name, {})[word] = parameter
    return found


def options_of(word: str) -> dict[str, Parameter]:
    """The parameters of a learner that are options."""
    return {name: p for name, p in ALL[word]._parameters.items() if name not in NO_OPTIONS}


def ask_parameters(parser: Parser) -> None:
    """An option for every parameter, of which only the learner knows what it may be.

    Those that most people need have theirs already, and are only told of in full here.
    """
    for name, having in table().items():
        if asked := parser._option_string_actions.get(flag(name)):
            asked.help = told_of(having)
            continue
        parameter = next(iter(having.values()))
        if parameter.kind.is_flag:
            parser.ask(flag(name), told_of(having), action=BooleanOptionalAction, rare=True)
        else:
            choices = [*dict.fromkeys(word for p in having.values() for word in choices_of(p))]
            more = {"choices": choices} if choices else {"metavar": metavar(parameter)}
            parser.ask(flag(name), told_of(having), rare=True, **more)


def told_of(having: dict[str, Parameter]) -> str:
    """What a parameter is for the learners that have it."""
    found: dict[str, dict[str, list[str]]] = {}
    for word, parameter in having.items():
        by_default = found.setdefault(parameter.short, {})
        by_default.setdefault(default_of(parameter), []).append(word)
    return "; ".join(
        short + ",".join(f"{default} [{some_of(words)}]" for default, words in by_default.items())
        for short, by_default in found.items()
    )


def some_of(words: list[str]) -> str:
    """Some learners, or all but the others if these are fewer."""
    others = [word for word in (*BY_WORD, SEQUENCES) if word not in words]
    return ", ".join(words) if len(words) <= len(others) else f"all but {', '.join(others)}"


def default_of(parameter: Parameter) -> str:
    """What a parameter is if it is not given, unless its help says that."""
    value = parameter.default
    if value is None or "default:" in parameter.short:
        return ""
    told = {True: "yes", False: "no"}[value] if parameter.kind.is_flag else value
    return f" (default: {f'{told:g}' if isinstance(told, float) else told})"


def choices_of(parameter: Parameter) -> list[str]:
    """The words that a parameter may be, if it is one of some words."""
    return [word for word in parameter.kind.choices or () if word not in NOT_OF_FILES]


def metavar(parameter: Parameter) -> str:
    """What help calls the value of a parameter: a number, or one of its words."""
    number = "N" if parameter.kind is WHOLE else "NUMBER"
    return "|".join([number, *(word for word in parameter.words if word)])


def nearest(word: str) -> str | None:
    """The learner that may have been meant by a word that is none."""
    known = {learner.__name__.lower(): known for known, learner in BY_WORD.items()}
    known |= {known: known for known in BY_WORD}
    near = get_close_matches(word.lower(), known, 1)
    return known[near[0]] if near else None


def require_learner(word: str) -> str:
    """The word of a learner, or an error that names the nearest."""
    if word not in BY_WORD:
        near = nearest(word)
        meant = f" Did you mean {near}?" if near else ""
        raise ParameterError(
            f"{{learner=}} was given, but there is no such learner.{meant} `novikoff fit --learner "
            "list` lists the learners.",
            learner=word,
        )
    return word


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
