"""The pages that `--help` prints: usage, options in sections, examples, within 80 columns."""

from argparse import SUPPRESS, Action, BooleanOptionalAction
from collections.abc import Iterable, Mapping
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from novikoff.cli.parser import Parser

WIDTH, LEFT = 80, 26


def page(parser: "Parser", *, everything: bool) -> str:
    """The help of a command: the options that most people need, or all."""
    lines = [usage(parser), "", *paragraph(parser.description or "")]
    for group in parser._action_groups:
        rows = [
            (invocation(action), action.help or "")
            for action in group._group_actions
            if action.help != SUPPRESS and (everything or action.dest not in parser.rare)
        ]
        lines += section(group.title or "", rows)
    return "\n".join([*lines, *examples(parser.examples)]) + "\n"


def overview(
    description: str, groups: Mapping[str, Mapping[str, str]], epilog: str, shown: str
) -> str:
    """The help of `novikoff`: its commands by what they are for, and an example."""
    lines = ["usage: novikoff COMMAND [options]", "", *paragraph(description)]
    for title, commands in groups.items():
        lines += section(title, commands.items(), left=14)
    more = [("-h, --help", "show this help"), ("--version", "show the version")]
    lines += section("options", more, left=14)
    lines += ["", "`novikoff COMMAND --help` describes a command.", *examples([shown])]
    return "\n".join(lines) + f"\n\n{epilog}"


def usage(parser: "Parser") -> str:
    """The usage, in one line: what must be given, and that there are options."""
    words = [invocation(a) for a in parser._actions if not a.option_strings]
    words += [
        f"{a.option_strings[0]} {a.metavar}"
        for a in parser._actions
        if a.option_strings and a.required
    ]
    return " ".join(["usage:", parser.prog, *map(str, words), "[options]"])


def invocation(action: Action) -> str:
    """An option as help lists it: -o, --output MODEL, or --[no-]shuffle."""
    if isinstance(action, BooleanOptionalAction):
        return action.option_strings[0].replace("--", "--[no-]", 1)
    value = "" if action.nargs == 0 else str(action.metavar or action.dest.upper())
    value = {"+": f"{value}...", "?": f"[{value}]"}.get(str(action.nargs), value)
    return " ".join(filter(None, [", ".join(action.option_strings), value]))


def section(title: str, rows: Iterable[tuple[str, str]], left: int = LEFT) -> list[str]:
    """A title and what it is the title of, if there is any."""
    lines = [line for name, told in rows for line in row(name, told, left)]
    return ["", f"{title}:", *lines] if lines else []


def row(name: str, told: str, left: int = LEFT) -> list[str]:
    """A name on the left, and what is said of it on the right."""
    lines = wrap(plain(told), screen() - left, break_long_words=False, break_on_hyphens=False)
    beside = len(name) + 4 <= left and lines
    head = f"  {name:<{left - 2}}{lines[0]}" if beside else f"  {name}"
    return [head, *(" " * left + line for line in lines[1 if beside else 0 :])]


def plain(told: str) -> str:
    """The help of an option, in which argparse wants the percent sign twice."""
    return told.replace("%%", "%")


def paragraph(text: str) -> list[str]:
    """A text, in lines."""
    return wrap(text, screen(), break_long_words=False, break_on_hyphens=False)


def examples(shown: Iterable[str]) -> list[str]:
    """Examples, under a title."""
    lines = [f"  {line}" for line in shown]
    return ["", "example:" if len(lines) == 1 else "examples:", *lines] if lines else []


def screen() -> int:
    """How wide a page is: as wide as the terminal, up to 80 columns."""
    return max(50, min(WIDTH, get_terminal_size().columns))
