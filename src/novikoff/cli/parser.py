"""The parser of the command line.

It knows what the commands are called, and takes their options from their files as they are needed.
"""

import argparse
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NoReturn

from novikoff import __version__
from novikoff.cli.commands import COMMANDS

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

    command = ""
    """Whose options are still to be added."""

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
