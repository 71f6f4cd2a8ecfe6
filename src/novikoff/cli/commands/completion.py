"""`novikoff completion`."""

from argparse import ArgumentParser, Namespace

from novikoff.cli import DONE
from novikoff.errors import ParameterError

PATHS = (
    *("certificate", "checkpoint", "data", "model", "output"),
    *("plot", "save", "source", "target"),
)
"""What is completed by the names of files."""


def options(parser: ArgumentParser) -> None:
    """What can be asked."""
    parser.add_argument("shell", choices=("bash", "zsh", "tcsh"))


def run(arguments: Namespace) -> int:
    """Print a completion script."""
    from novikoff.cli.parser import build

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
            if action.dest in PATHS:
                action.complete = shtab.FILE
    print(shtab.complete(parser, shell=arguments.shell))
    return DONE
