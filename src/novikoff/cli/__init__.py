"""The command: `novikoff fit`, `predict`, `score`, `certify`, `verify`, `show`, `convert`, `lab`.

Results go to standard output, everything else to standard error. Errors are sentences.
"""

import os
import sys
from collections.abc import Sequence
from errno import ENOSPC
from importlib import import_module
from io import TextIOWrapper

DONE, NO, USAGE, BAD_INPUT, CANNOT_WRITE, STOPPED = 0, 1, 2, 3, 4, 130

HOMES = {
    "fit": "fitting",
    "predict": "using",
    "score": "using",
    "show": "using",
    "convert": "using",
    "certify": "proving",
    "verify": "proving",
    "completion": "completing",
    "lab": "lab",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, and return its exit status."""
    from novikoff.cli.parser import build

    parsed = build().parse_args(arguments)
    module = import_module(f"novikoff.cli.{HOMES[parsed.command]}")
    from novikoff.errors import NovikoffError, ParameterError, WriteError

    if sys.stdout is None or sys.stdin is None:
        return complain(OSError("Standard input and output must not be closed."), BAD_INPUT)
    if isinstance(sys.stdout, TextIOWrapper):  # labels of any language, to any terminal
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status: int = getattr(module, parsed.command)(parsed)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # whoever read our output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        say("Stopped; nothing was written.")
        return STOPPED
    except WriteError as error:
        return complain(error, CANNOT_WRITE)
    except ParameterError as error:
        return complain(error, USAGE)
    except (MemoryError, OverflowError) as error:
        told = f"A number in it is too large for this machine: {error}"
        return complain(ValueError(told), BAD_INPUT)
    except (NovikoffError, OSError, ValueError) as error:
        lost = isinstance(error, OSError) and error.filename is None and error.errno == ENOSPC
        return complain(error, CANNOT_WRITE if lost else BAD_INPUT)


def say(text: str) -> None:
    """A sentence, to standard error."""
    print(f"novikoff: {text}", file=sys.stderr)


def complain(error: Exception, status: int) -> int:
    """Say what went wrong, without a traceback."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        say(f"{error.filename}: {error.strerror}")
    else:
        say(str(error))
    return status
