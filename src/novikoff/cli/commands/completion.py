"""`novikoff completion`."""

from argparse import Namespace

from novikoff.cli import DONE
from novikoff.cli.parser import Parser, build
from novikoff.errors import ParameterError


def options(parser: Parser) -> None:
    """What can be asked."""
    parser.ask("shell", "whose", choices=("bash", "zsh", "tcsh"))


def run(arguments: Namespace) -> int:
    """Print a completion script."""
    try:
        import shtab
    except ModuleNotFoundError:
        raise ParameterError(
            "Completions are written by shtab, which is not installed: "
            "pip install 'novikoff[completion]'."
        ) from None
    parser = build(complete=True)
    commands = next(a.choices for a in parser._actions if isinstance(a.choices, dict))
    for command in commands.values():
        for action in command._actions:
            if action.dest in {*command.read.values(), *command.written.values()}:
                action.complete = shtab.FILE
    print(shtab.complete(parser, shell=arguments.shell))
    return DONE
