"""`novikoff completion`."""

from argparse import Namespace

from novikoff.cli import DONE
from novikoff.cli.parser import Main, Parser, build
from novikoff.errors import ParameterError

SHELLS = ("bash", "zsh", "fish", "tcsh")


def options(parser: Parser) -> None:
    """What can be asked."""
    parser.ask("shell", "your shell", choices=SHELLS)
    parser.examples = (
        "source <(novikoff completion bash)",
        "novikoff completion fish > ~/.config/fish/completions/novikoff.fish",
    )


def run(arguments: Namespace) -> int:
    """Print a completion script."""
    parser = build(complete=True)
    if arguments.shell == "fish":
        from novikoff.cli.help.fish import script

        print(script(parser), end="")
    else:
        print(by_shtab(parser, arguments.shell))
    return DONE


def by_shtab(parser: Main, shell: str) -> str:
    """The script for a shell that shtab knows."""
    try:
        import shtab
    except ModuleNotFoundError:
        raise ParameterError(
            f"Completions for {shell} are written by shtab, which is not installed: "
            "pip install 'novikoff[completion]'."
        ) from None
    for command in parser.parsers().values():
        for action in command._actions:
            if action.dest in command.files():
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    return str(shtab.complete(parser, shell=shell))
