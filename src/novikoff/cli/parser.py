"""The parser of the command line.

It knows what the commands are called, and takes their options from their files as they are needed.
"""

import argparse
from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from itertools import takewhile
from typing import Any, NoReturn

from novikoff import __version__
from novikoff.cli.commands import COMMANDS, EXAMPLE, GROUPS
from novikoff.cli.help.pages import overview, page
from novikoff.cli.options import Kind
from novikoff.cli.paths import require_files

A_FILE = "a file, or - for standard input"
FILES = "files, folders, or - for stdin"
A_MODEL = f"the model: {A_FILE}"
SOME_DATA = f"examples: {FILES}"
EPILOG = """exit status:
  0    done; for verify: the certificate holds
  1    verify: the certificate does not hold; certify: undecided;
       separation: no finite estimate exists
  2    the command line makes no sense
  3    a file cannot be read, has a bad line, or cannot be learned from
  4    a file cannot be written
  5    separation: undecided
  130  stopped by Ctrl-C
  143  stopped by SIGTERM, which `kill` and batch systems send
"""


class Terse(argparse.ArgumentParser):
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


class Main(Terse):
    """The parser of `novikoff` itself."""

    def format_help(self) -> str:
        """The commands, what they are for, and how they end."""
        return overview(self.description or "", GROUPS, EPILOG, EXAMPLE)

    def parsers(self) -> "dict[str, Parser]":
        """The parsers of the commands."""
        found = next(a.choices for a in self._actions if isinstance(a.choices, dict))
        return dict(found)


class Parser(Terse):
    """The parser of a command."""

    command = ""
    """Whose options are still to be added."""

    def __init__(self, *args: Any, **how: Any) -> None:
        super().__init__(*args, **how | {"add_help": False})
        self._positionals.title = "arguments"
        self.at: argparse._ActionsContainer = self
        """Where options are added: the section of the help that is written."""
        self.read: dict[str, str] = {}
        self.written: dict[str, str] = {}
        """The options that name files, by what the command line calls them."""
        self.no_text: list[str] = []
        self.rare: set[str] = set()
        """The options that only `--help-all` lists."""
        self.examples: tuple[str, ...] = ()
        self.other_page: Callable[..., str | None] = lambda words, asked: None
        """What to print for some command lines; `asked` says whether they ask for help."""
        self.late: list[tuple[argparse._ActionsContainer, Callable[[Parser], None]]] = []
        """Sections whose options take long to import: help is quick without them."""

    def section(self, title: str, add: "Callable[[Parser], None] | None" = None) -> None:
        """Let the options that come have a title in the help; or those that `add` adds, later."""
        self.at = self.add_argument_group(title)
        if add is not None:
            self.late.append((self.at, add))

    def ask(
        self, names: str, told: str, kind: Kind | None = None, *, rare: bool = False, **how: Any
    ) -> str:
        """Add an option, or a word without a name, and return where its value will be."""
        if kind is not None:
            how = {"type": kind, "metavar": kind.metavar} | how
        if "metavar" not in how and how.get("choices"):
            how["metavar"] = "|".join(how["choices"])
        dest = self.at.add_argument(*names.split(), help=told, **how).dest
        self.rare |= {dest} if rare else set()
        return dest

    def reads(self, name: str, metavar: str, told: str = A_FILE, *, several: bool = False) -> None:
        """The same for a file to be read, - being standard input; or for several."""
        how: dict[str, Any] = {"nargs": "+", "action": Several} if several else {}
        word = name if name.startswith("-") else metavar
        self.read[word] = self.ask(name, told, metavar=metavar, **how)

    def writes(
        self, names: str, metavar: str, told: str, *, text: bool = False, **how: Any
    ) -> None:
        """The same for a file to be written, - being standard output."""
        word = names.split()[-1] if names.startswith("-") else metavar
        self.written[word] = self.ask(names, told, metavar=metavar, **how)
        self.no_text += [] if text else [word]

    def files(self) -> set[str]:
        """Where the names of files will be."""
        return {*self.read.values(), *self.written.values()}

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Help, wherever it is asked for; or else what was given, whose files must go together."""
        self.fill()
        words = [*takewhile(lambda word: word != "--", args or ())]
        self.tell(words)
        self.finish()
        found, unknown = super().parse_known_args(args, namespace)
        read, written = (
            {word: getattr(found, dest) for word, dest in named.items()}
            for named in (self.read, self.written)
        )
        require_files(read, written, self.no_text)
        return found, unknown

    def tell(self, words: list[str]) -> None:
        """Print the help that a command line asks for, if it does, and end."""
        everything = "--help-all" in words
        asked = everything or bool({"-h", "--help"} & {*words})
        text = None if everything else self.other_page(words, asked=asked)
        if text or asked:
            print(text or self.page(everything=everything), end="")
            self.exit()

    def page(self, *, everything: bool) -> str:
        """The help, with the options that most people need, or with all."""
        if everything:
            self.finish()
        return page(self, everything=everything)

    def fill(self) -> None:
        """Take the options from the file of the command, if this has not been done."""
        if self.command:
            module = import_module(f"novikoff.cli.commands.{self.command}")
            module.options(self)
            self.set_defaults(run=module.run)
            self.command = ""
            self.at = self
            self.ask("-h --help", "show this help", action=Help)
            if self.rare or self.late:
                self.ask("--help-all", "show all options", action=Help)

    def finish(self) -> None:
        """Add the sections that take long to import."""
        late, self.late = self.late, []
        for section, add in late:
            self.at = section
            add(self)


class Several(argparse.Action):
    """One word, or a list of several."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        """Keep them."""
        setattr(namespace, self.dest, values[0] if len(values) == 1 else values)


class Help(argparse.Action):
    """An option that prints help. (Most help is printed before: this is for abbreviations.)"""

    def __init__(self, option_strings: list[str], dest: str, **how: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, **how)

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        """Print it, and end."""
        parser.tell([option])


def build(*, complete: bool = False) -> Main:
    """The parser of the command line; if complete, with the options of all commands."""
    parser = Main(
        prog="novikoff",
        description="Perceptrons with proofs: from a file to a model, a prediction, a certificate.",
    )
    parser.add_argument(
        "--version",
        action="version",
        version=f"novikoff {__version__}",
        help="show the version",
    )
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=Parser
    )
    for name, text in COMMANDS.items():
        description = text[0].upper() + text[1:] + "."
        command = commands.add_parser(name, help=text, description=description)
        command.command = name
        if complete:
            command.fill()
            command.finish()
    return parser
