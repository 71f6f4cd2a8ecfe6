"""A completion script for fish, written from the parsers themselves: shtab writes none."""

from argparse import SUPPRESS, Action
from collections.abc import Iterable, Iterator

from novikoff.cli.commands import COMMANDS
from novikoff.cli.help.about import ABOUT
from novikoff.cli.help.pages import plain
from novikoff.cli.parser import Main, Parser

HEAD = """\
# Completions of novikoff for fish, written by `novikoff completion fish`.

function __novikoff_is -d "Is this the command that is given, or if none is named, is there none?"
    set -l words (commandline -opc)
    test "$words[2]" = "$argv[1]"
end

complete -c novikoff -e
complete -c novikoff -f
complete -c novikoff -n __novikoff_is -s h -l help -d 'show this help'
complete -c novikoff -n __novikoff_is -l version -d 'show the version'
"""


def script(parser: Main) -> str:
    """What fish reads."""
    lines = [
        f"complete -c novikoff -n __novikoff_is -a {name} -d {quoted(text)}"
        for name, text in COMMANDS.items()
    ]
    for name, command in parser.parsers().items():
        lines += ["", *of_command(name, command)]
    return "\n".join([HEAD, *lines]) + "\n"


def of_command(name: str, command: Parser) -> Iterator[str]:
    """A line for each option of a command, and one for what has no name."""
    here = f"complete -c novikoff -n '__novikoff_is {name}'"
    for action in command._actions:
        if action.help != SUPPRESS:
            takes = values(action, is_file=action.dest in command.files())
            for words in spelled(action):
                yield " ".join([here, *words, *takes, "-d", quoted(plain(action.help or ""))])


def spelled(action: Action) -> Iterator[list[str]]:
    """The names of an option, those of one meaning together: --shuffle apart from --no-shuffle."""
    names = action.option_strings
    no = [name for name in names if name.startswith("--no-") and len(names) > 1]
    for these in filter(None, ([name for name in names if name not in no], no)):
        yield [f"{'-l' if n.startswith('--') else '-s'} {n.lstrip('-')}" for n in these]
    if not names:
        yield []


def values(action: Action, *, is_file: bool) -> list[str]:
    """What may come after it: files, one of some words, anything, or nothing."""
    named = ["-r"] if action.option_strings and action.nargs != "?" else []
    if action.nargs == 0:
        return []
    if is_file or action.metavar == "FILE|NAME":
        return [*named, "-F"]
    if action.choices:
        return [*named, "-f", f"-a {quoted(listed(action.choices))}"]
    return [*named, "-f"]


def listed(words: Iterable[str]) -> str:
    """Some words, with what is said of those that are learners."""
    about = {word: ABOUT[word].line for word in words if word in ABOUT}
    return " ".join(f"{w}\\t{quoted(about[w])}" if w in about else w for w in words)


def quoted(text: str) -> str:
    """A word of fish."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
