"""What help says of the learners: what each is, when to take it, and how many mistakes it makes.

The bounds are those of the table in docs/learners.md, in words that a terminal can show.
"""

import re
from argparse import Action, ArgumentError, ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any, NamedTuple

from novikoff.cli.help.pages import examples, paragraph, row, section
from novikoff.cli.options import flag

LIST = "list"
"""Given as a learner, the word that asks which there are."""
R = "R is the length of the longest example."


class About(NamedTuple):
    """What is said of a learner beside what it says of itself."""

    line: str
    """What it is, and when to take it."""
    bound: str = ""
    """Its mistakes, at most."""
    example: str = ""
    """Options to try with it."""


ABOUT = {
    "perceptron": About(
        "the classic; to study mistakes and their bounds",
        "(R/margin)^2 if separable, ((R + D)/margin)^2 always (novikoff_bound, "
        f"freund_schapire_bound). {R} D^2 sums the squares of what examples lack to the margin.",
        "--epochs 100",
    ),
    "averaged": About(
        "mean of all weights; the default, and the first to try",
        f"(R/margin)^2 if separable, as the perceptron's. {R}",
        "--margin 1",
    ),
    "voted": About(
        "all hyperplanes vote; for small data (slow to predict)",
        f"(R/margin)^2 if separable, as the perceptron's. {R}",
        "--epochs 5",
    ),
    "pocket": About(
        "keeps the weights with the fewest errors; for noisy data",
        f"(R/margin)^2 if separable, as the perceptron's. {R}",
        "--checks 5",
    ),
    "winnow": About(
        "multiplies weights; if few of many 0/1 features matter",
        "2 + 3r(1 + lg n) for a disjunction of r of n variables (winnow_bound)",
        "--binarize 0.5",
    ),
    "balanced-winnow": About(
        "winnow for any numbers; if few of many features matter",
        "2 S^2 ln(2n)/margin^2 for n features of size at most S (1 or more), a margin of weights "
        "whose sizes add up to 1, and ln(factor) = margin/S (balanced_winnow_bound)",
        "--factor 1.1",
    ),
    "passive-aggressive": About(
        "takes the smallest step that fixes a loss; for streams",
        "max(R^2, 1/C) (|u|^2 + 2C times the losses of u), for any weights u "
        f"(passive_aggressive_bound). {R}",
        "--C 0.01",
    ),
    "second-order": About(
        "uses correlations; for few, correlated features",
        "(D + sqrt((a + |Xu|^2) ln det(I + X'X/a)))/margin, for any unit vector u, where X has the "
        "examples erred on, and D sums what they lack to that margin (second_order_bound)",
        "--a 10",
    ),
    "arow": About(
        "a step size per feature; for text and noisy labels",
        "sqrt(r|u|^2 + |Xu|^2) sqrt(ln det(I + X'X/r) + U) + the losses of u - U, for any weights "
        "u, where X has the examples of the updates, U of them predicted correctly; with "
        "--covariance full (arow_bound)",
        "--r 10",
    ),
    "scw": About(
        "like arow, with a confidence level; for text, tune --C",
        "none is known",
        "--C 0.1 --eta 0.95",
    ),
    "kernel": About(
        "a perceptron with a kernel; for curved boundaries",
        "(R/margin)^2 in the feature space; 2(R/margin)^2 for a joint margin of several classes; "
        f"with --budget, forgetron_bound. {R}",
        "--kernel poly --degree 2",
    ),
    "romma": About(
        "approaches the widest margin, online; takes kernels",
        f"(R/margin)^2 if separable. {R}",
        "--kernel linear",
    ),
    "max-margin": About(
        "the widest margin, with a certificate; for two classes",
        example="--C 10 --budget 60",
    ),
    "--sequences": About(
        "labels the words of sentences: tagging and chunking",
        "(R/margin)^2 mistaken sequences, if labels can be told apart by that margin (Collins "
        f"2002). {R}",
        "--template tagging",
    ),
}
"""By the words of `novikoff.cli.learners.BY_WORD`."""


class Words:
    """The words that `--learner` takes, for completions: importing the learners takes long."""

    def __iter__(self) -> Iterator[str]:
        from novikoff.cli.learners import BY_WORD

        return iter((*BY_WORD, LIST))

    def __contains__(self, word: object) -> bool:
        """The parser need not look: `Choose` does, and its errors say more."""
        return True


class Choose(Action):
    """The option for the learner: it must be one."""

    def __call__(
        self, parser: ArgumentParser, namespace: Namespace, word: Any, option: str | None = None
    ) -> None:
        """Keep the learner."""
        from novikoff.cli.learners import require_learner

        setattr(namespace, self.dest, require_learner(word))


def listed() -> str:
    """The learners, a line each."""
    rows = [line for word, about in ABOUT.items() for line in row(word, about.line, 22)]
    end = paragraph("`novikoff fit --learner LEARNER --help` describes a learner and its options.")
    return "\n".join(["learners:", *rows, "", *end]) + "\n"


def page_of(words: list[str], *, asked: bool) -> str | None:
    """The list of learners, or if help is asked for, that of the one that a command line names."""
    named = ArgumentParser(add_help=False, exit_on_error=False)
    named.add_argument("--learner", nargs="?")
    named.add_argument("--sequences", action="store_const", const="--sequences", dest="learner")
    try:
        word = named.parse_known_args(words)[0].learner
    except ArgumentError:  # which the parser of the command reports
        return None
    if word == LIST:
        return listed()
    return page(word) if word and asked else None


def page(word: str) -> str:
    """What a learner is, its options, its bound and an example."""
    from novikoff.cli import learners

    sequences = word == learners.SEQUENCES
    if not sequences:
        learners.require_learner(word)
    learner = learners.ALL[word]
    chosen = word if sequences else f"--learner {word}"
    about, doc = ABOUT[word], (learner.__doc__ or "").splitlines()[0]
    train = "TRAIN" if sequences else "TRAIN..."
    lines = [f"usage: novikoff fit {train} -o MODEL {chosen} [options]", ""]
    lines += paragraph(re.sub(r"\$\\?(\w+)\$", r"\1", doc))
    if about.bound:
        lines += paragraph(f"Mistake bound: {about.bound.removesuffix('.')}.")
    rows = [option_of(name, p) for name, p in learners.options_of(word).items()]
    lines += section("parameters", rows)
    lines += ["", "`novikoff fit --help-all` lists the other options."]
    source = "train.conllu" if sequences else "train.csv"
    shown = f"novikoff fit {source} -o my.model {chosen} {about.example}"
    return "\n".join([*lines, *examples([shown])]) + "\n"


def option_of(name: str, parameter: Any) -> tuple[str, str]:
    """A parameter of one learner: its option, what it is, what it may be, and its default."""
    from novikoff.cli.learners import choices_of, default_of, metavar
    from novikoff.cli.options import LABEL_WEIGHT
    from novikoff.parameters import CLASS_WEIGHT

    told = parameter.short + default_of(parameter)
    if bounds := bounds_of(parameter):
        told = told.replace("(default:", f"({bounds}; default:")
    if parameter.kind.is_flag:
        return f"--[no-]{flag(name)[2:]}", told
    if parameter.kind is CLASS_WEIGHT:
        return f"{flag(name)} {LABEL_WEIGHT.metavar}", told
    value = "|".join(choices_of(parameter)) or metavar(parameter)
    return f"{flag(name)} {value}", told


def bounds_of(parameter: Any) -> str:
    """The least and the most that a number may be."""
    bounds = parameter.kind.expected.partition("number")[2].lstrip(" ,")
    return re.sub(r"of at least (\S+)", r"\1 or more", bounds)
