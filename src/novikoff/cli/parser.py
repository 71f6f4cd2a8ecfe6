"""The parser of the command line.

It knows what the commands are called, and takes their options from their files as they are needed.
"""

import argparse
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NoReturn

from novikoff import __version__
from novikoff.cli.commands import COMMANDS
from novikoff.cli.options import Kind
from novikoff.cli.paths import require_files

A_FILE = "a file, or - for standard input"
EPILOG = """exit status:
  0    done; for verify: the certificate holds
  1    verify: the certificate does not hold; certify: undecided;
       separation: no finite estimate exists
  2    the command line has no meaning
  3    a file cannot be read, or has a bad line, or cannot be learned from
  4    a file cannot be written
  5    separation: undecided
  130  stopped by Ctrl-C
  143  stopped by SIGTERM, as `kill` and batch systems send it
"""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are a sentence, and not a page."""

    command = ""
    """Whose options are still to be added."""

    def __init__(self, *args: Any, **how: Any) -> None:
        super().__init__(*args, **how)
        self.at: argparse._ActionsContainer = self
        """Where options are added: the section of the help that is written."""
        self.read: dict[str, str] = {}
        self.written: dict[str, str] = {}
        """The options that name files, by what the command line calls them."""
        self.no_text: list[str] = []

    def section(self, title: str) -> None:
        """Let the options that come have a title in the help."""
        self.at = self.add_argument_group(title)

    def ask(self, names: str, told: str, kind: Kind | None = None, **how: Any) -> str:
        """Add an option, or a word without a name, and return where its value will be."""
        if kind is not None:
            how = {"type": kind, "metavar": kind.metavar} | how
        return self.at.add_argument(*names.split(), help=told, **how).dest

    def reads(self, name: str, metavar: str, told: str = A_FILE) -> None:
        """The same for a file to be read, - being standard input."""
        self.read[name if name.startswith("-") else metavar] = self.ask(name, told, metavar=metavar)

    def writes(
        self, names: str, metavar: str, told: str, *, text: bool = False, **how: Any
    ) -> None:
        """The same for a file to be written, - being standard output."""
        word = names.split()[-1] if names.startswith("-") else metavar
        self.written[word] = self.ask(names, told, metavar=metavar, **how)
        self.no_text += [] if text else [word]

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and where the options are listed."""
        end = "" if message.endswith("?") else "."
        self.exit(2, f"novikoff: {message}{end} (`{self.prog} --help` lists the options.)\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Refuse what is not known here, where it is known which options there are."""
        self.fill()
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._near(unknown)}")
        read, written = (
            {word: getattr(found, dest) for word, dest in named.items()}
            for named in (self.read, self.written)
        )
        require_files(read, written, self.no_text)
        return found, unknown

    def fill(self) -> None:
        """Take the options from the file of the command, if this is one and has not yet."""
        if self.command:
            module = import_module(f"novikoff.cli.commands.{self.command}")
            module.options(self)
            self.set_defaults(run=module.run)
            self.command = ""

    def _near(self, unknown: list[str]) -> str:
        """The option that may have been meant by the first that there is not."""
        words = [word.partition("=")[0] for word in unknown if word.startswith("--")]
        options = [option for action in self._actions for option in action.option_strings]
        near = get_close_matches(words[0], options, 1) if words else []
        return f". Did you mean {near[0]}?" if near else ""


def build(*, complete: bool = False) -> Parser:
    """The parser of the command line; if complete, with the options of all commands."""
    parser = Parser(
        prog="novikoff",
        description="Perceptrons with proofs: from a file to a model, a prediction, a certificate.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"novikoff {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        description = text[0].upper() + text[1:] + "."
        command = commands.add_parser(name, help=text, description=description)
        command.command = name
        if complete:
            command.fill()
    return parser
