"""`novikoff completion`."""

from argparse import Namespace

from novikoff.cli import DONE
from novikoff.cli.parser import build
from novikoff.errors import ParameterError


def completion(arguments: Namespace) -> int:
    """Print a completion script."""
    try:
        import shtab
    except ModuleNotFoundError:
        raise ParameterError(
            "Completions are written by shtab, which is not installed: "
            "pip install 'novikoff[completion]'."
        ) from None
    print(shtab.complete(build(), shell=arguments.shell))
    return DONE
