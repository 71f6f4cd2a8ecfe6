"""The words of the command: built without importing what does the work, so that help is quick."""

import argparse
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn, TypeVar

from novikoff import __version__
from novikoff.cli.options import CONVERTED, FORMATS, KINDS, LEARNERS, PARAMETERS, PICTURES, flag

T = TypeVar("T")

EPILOG = """exit status:
  0    done; for verify: the certificate holds
  1    verify: the certificate does not hold; certify: undecided
  2    the command line has no meaning
  3    a file cannot be read, or has a bad line, or cannot be learned from
  4    a file cannot be written
  130  stopped by Ctrl-C
  143  stopped by SIGTERM, as `kill` and batch systems send it
"""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are a sentence, and not a page."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and where the options are listed."""
        end = "" if message.endswith("?") else "."
        self.exit(2, f"novikoff: {message}{end} (`{self.prog} --help` lists the options.)\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Refuse what is not known here, where it is known which options there are."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._near(unknown)}")
        return found, unknown

    def _near(self, unknown: list[str]) -> str:
        """The option that may have been meant by the first that there is not."""
        words = [word.partition("=")[0] for word in unknown if word.startswith("--")]
        options = [option for action in self._actions for option in action.option_strings]
        near = get_close_matches(words[0], options, 1) if words else []
        return f". Did you mean {near[0]}?" if near else ""


def kind_of(what: str) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Let a reader of words say what it expects of one that it cannot read."""

    def telling(reader: Callable[[str], T]) -> Callable[[str], T]:
        def told(text: str) -> T:
            try:
                return reader(text)
            except ValueError:
                raise argparse.ArgumentTypeError(f"found {text}, expected {what}") from None

        return told

    return telling


real = kind_of("a number")(float)


def number_or(words: Sequence[str]) -> Callable[[str], str | float]:
    """A number, or one of these words."""
    what = kind_of(f"a number, {' or '.join(map(repr, words))}")
    return what(lambda text: text if text in words else float(text))


@kind_of("a size from 1 on, as 65536, 64K, 16M or 1G")
def megabytes(text: str) -> int:
    """A number of bytes."""
    units = {"k": 10, "m": 20, "g": 30}
    shift = units.get(text[-1:].lower(), 0)
    number = int(text[:-1] if shift else text)
    if number < 1:
        raise ValueError
    return number << shift


def column(text: str) -> str | int:
    """The name of a column, or its number."""
    try:
        return int(text)
    except ValueError:
        return text


@kind_of("a whole number of at least 1")
def count(text: str) -> int:
    """How many."""
    number = int(text)
    if not 1 <= number < 2**62:
        raise ValueError
    return number


@kind_of("a whole number from 0 to 4294967295")
def seed(text: str) -> int:
    """A whole number that random generators take."""
    number = int(text)
    if not 0 <= number < 2**32:
        raise ValueError
    return number


@kind_of("balanced, or LABEL=WEIGHT with a weight from 0 on")
def class_weight(text: str) -> tuple[str, float]:
    """The word `balanced`, or a label and its weight."""
    label, equals, weight = text.rpartition("=")
    if not equals and text == "balanced":
        return text, 1.0
    value = float(weight)
    if not label or not 0 <= value < float("inf"):
        raise ValueError
    return label, value


@kind_of("a port from 1 to 65535, or 0 for any that is free")
def port(text: str) -> int:
    """A port."""
    number = int(text)
    if not 0 <= number < 2**16:
        raise ValueError
    return number


def add_reading(parser: argparse.ArgumentParser) -> None:
    """The options of a command that reads examples."""
    group = parser.add_argument_group("reading")
    add = group.add_argument
    add("--format", choices=FORMATS, help="what the file is [by its name, then by its content]")
    add("--label", type=column, metavar="COLUMN", help="of a table, the column of labels [label]")
    add("--weight", type=column, metavar="COLUMN", help="of a table, the column of weights")
    add(
        "--ignore",
        type=column,
        action="append",
        metavar="COLUMN",
        help="of a table, a column to leave out (once each)",
    )
    add("--n-features", type=count, metavar="N", help="of svmlight text, the number of features")
    add(
        "--zero-based",
        action=argparse.BooleanOptionalAction,
        help="of svmlight text, whether indices start at 0 [if one is 0]",
    )
    add("--bits", type=count, metavar="B", help="of VW text: hash names into 2^B columns [18]")
    add(
        "--bad-lines",
        choices=("error", "skip"),
        help="what to do about a line that cannot be read [error: end, and write nothing]",
    )
    add(
        "--n-jobs",
        type=kind_of("a whole number")(int),
        metavar="N",
        help="threads that parse and certify [all cores], learn and predict [one]",
    )


def build() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = Parser(
        prog="novikoff",
        description="Perceptrons with proofs: from a file to a model, a prediction, a certificate.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"novikoff {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def command(name: str, text: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")

    add_fit(command("fit", "train a model on a file, in one pass or several"))
    predict = command("predict", "print the predicted label of every example")
    predict.add_argument("model", metavar="MODEL", help="a file, or - for standard input")
    predict.add_argument("data", metavar="DATA", help="a file, or - for standard input")
    predict.add_argument("--unlabelled", action="store_true", help="a table has no label column")
    predict.add_argument("--scores", action="store_true", help="print the score as well")
    add_reading(predict)

    score = command("score", "count how many examples of a file a model gets right")
    score.add_argument("model", metavar="MODEL")
    score.add_argument("data", metavar="DATA")
    score.add_argument("--json", action="store_true", help="print JSON")
    add_reading(score)

    add_certify(command("certify", "say whether data is separable, by how much, and prove it"))
    verify = command("verify", "check a certificate against the data, in exact arithmetic")
    verify.add_argument("certificate", metavar="CERT", help="a file, or - for standard input")
    verify.add_argument("data", metavar="DATA", help="a file, or - for standard input")
    add_reading(verify)
    add_shards(verify)

    show = command("show", "say what a model is, how it was trained, and its largest weights")
    show.add_argument("model", metavar="MODEL", help="a file, or - for standard input")
    show.add_argument("--top", type=count, metavar="N", help="how many weights [10]")
    show.add_argument("--json", action="store_true", help="print JSON")
    show.add_argument(
        "--data", metavar="FILE", help="say what a standard deviation of these examples does"
    )
    add_reading(show)

    convert = command("convert", "write a model as .onnx or .csv, or examples in another format")
    convert.add_argument("source", metavar="MODEL|DATA", help="a file, or - for standard input")
    convert.add_argument(
        "target", metavar="FILE", help="its ending says what it will be; - is standard output"
    )
    convert.add_argument("--to", choices=CONVERTED, help="what it will be, if its ending does not")
    add_reading(convert)

    add_plot(command("plot", "draw a model on data: its boundary, its run, its proof"))
    add_lab(command("lab", "open a page on this machine that shows a perceptron learn"))

    completion = command("completion", "print what makes a shell complete this command")
    completion.add_argument("shell", choices=("bash", "zsh", "tcsh"))
    return parser


def add_certify(certify: argparse.ArgumentParser) -> None:
    """The options of `novikoff certify`."""
    certify.add_argument("data", metavar="DATA", help="a file, or - for standard input")
    certify.add_argument("--json", action="store_true", help="print the certificate itself")
    certify.add_argument(
        "--save",
        metavar="CERT",
        help="write the certificate to a file; or, as -, to standard output instead of the words",
    )
    certify.add_argument(
        "--fit-intercept",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="may the hyperplane have a bias? [yes]",
    )
    certify.add_argument(
        "--tol", type=real, default=1e-6, help="how far to close the margin [1e-6]"
    )
    certify.add_argument("--budget", type=real, default=60.0, help="seconds to try [60]")
    add_reading(certify)
    add_shards(certify)


def add_shards(parser: argparse.ArgumentParser) -> None:
    """The options of a command that asks the workers of a cluster."""
    group = parser.add_argument_group("data in shards")
    group.add_argument(
        "--cluster",
        metavar="local|ADDRESS",
        help="DATA are files, as 'shards/*.svm', for workers of a dask cluster: here, or at the "
        "address of its scheduler",
    )
    group.add_argument(
        "--shard-bytes",
        type=megabytes,
        metavar="SIZE",
        help="with --cluster, cut plain text files larger than this into shards [64M]",
    )
    group.add_argument(
        "--workers", type=count, metavar="N", help="of --cluster local, how many [all cores]"
    )


def add_lab(lab: argparse.ArgumentParser) -> None:
    """The options of `novikoff lab`."""
    lab.add_argument("--port", type=port, default=1962, help="[1962, the year of the theorem]")
    lab.add_argument(
        "--host",
        default="127.0.0.1",
        help="the address to listen at [127.0.0.1: this machine only]",
    )
    lab.add_argument(
        "--no-browser", dest="browser", action="store_false", help="only print the address"
    )


def add_plot(plot: argparse.ArgumentParser) -> None:
    """The options of `novikoff plot`."""
    plot.add_argument("model", metavar="MODEL", help="a file, or - for standard input")
    plot.add_argument("data", metavar="DATA", help="what it was trained on, or for a boundary any")
    plot.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="PICTURE",
        help="where to draw it: .png, .svg or .pdf; - is standard output",
    )
    plot.add_argument("--to", choices=PICTURES, help="what it will be, if its ending does not say")
    plot.add_argument(
        "--kind",
        choices=KINDS,
        default="boundary",
        help="what to draw; update, proof and progress need a model of fit --record [boundary]",
    )
    plot.add_argument("--update", type=count, metavar="K", help="of --kind update, which [last]")
    add_reading(plot)


def add_fit(fit: argparse.ArgumentParser) -> None:
    """The options of `novikoff fit`."""
    fit.add_argument(
        "data",
        metavar="TRAIN",
        help="a file of examples, or - for standard input; for --cluster, 'shards/*.svm' as well",
    )
    fit.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="MODEL",
        help="where to write it; - is standard output",
    )
    fit.add_argument("--learner", choices=tuple(LEARNERS), default="averaged", help="[averaged]")
    fit.add_argument(
        "--epochs",
        type=count,
        metavar="N",
        help="passes over the file at the most; fewer if one is free of mistakes [10]",
    )
    fit.add_argument("--seed", type=seed, help="of the random order [0]")
    fit.add_argument(
        "--classes",
        nargs="+",
        metavar="LABEL",
        help="all labels there are; without this, any label that comes is a class",
    )
    fit.add_argument(
        "--progressive",
        action="store_true",
        help="one pass: predict every example, then learn it, and print how well that goes",
    )
    fit.add_argument(
        "--window",
        type=count,
        metavar="N",
        help="of --progressive, how many examples to tell of at a time [1000]",
    )
    fit.add_argument(
        "--plot",
        metavar="PICTURE",
        help="draw the proof of the run, or if the data has no separator, its progress",
    )
    group = fit.add_argument_group("parameters of the learner (see the library's documentation)")
    for p in PARAMETERS:
        options: dict[str, Any] = {"dest": p.name, "help": f"{p.help} ({', '.join(p.learners)})"}
        if p.kind is bool:
            options["action"] = argparse.BooleanOptionalAction
        elif p.kind is dict:
            options |= {"type": class_weight, "action": "append", "metavar": "LABEL=WEIGHT"}
        else:
            options |= {"type": real if p.kind is float else p.kind, "choices": p.choices}
        if p.words:
            options["type"] = number_or(p.words)
        group.add_argument(flag(p.name), **options)
    add_reading(fit)
    group = fit.add_argument_group("large files and long runs")
    add = group.add_argument
    add(
        "--block-bytes",
        type=megabytes,
        metavar="SIZE",
        help="how much of the file to take at a time [16M]",
    )
    add(
        "--memory",
        type=megabytes,
        metavar="SIZE",
        help="keep a file that takes no more than this in memory between epochs [1G]",
    )
    add("--checkpoint", metavar="PATH", help="write down where the run is, to go on from there")
    add("--every", type=real, metavar="SECONDS", help="how often [60]")
    add("--resume", action="store_true", help="go on from the checkpoint, if there is one")
    add("--quiet", action="store_true", help="no summary and no progress on standard error")
    group = fit.add_argument_group("more than one machine (perceptron, averaged)")
    add = group.add_argument
    add(
        "--cluster",
        metavar="local|ADDRESS",
        help="learn on shards, by workers on this machine or those of a dask scheduler",
    )
    add("--workers", type=count, metavar="N", help="of --cluster local, how many [all cores]")
    add(
        "--mixing",
        choices=("uniform", "mistakes"),
        help="what the share of a shard in the mixed weights goes by [uniform]",
    )
    add(
        "--shard-bytes",
        type=megabytes,
        metavar="SIZE",
        help="cut plain text files larger than this into shards [64M]",
    )
