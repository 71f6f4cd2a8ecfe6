"""The command: from a file to a model, a prediction, a certificate, a picture.

A command is a file in `commands`, and a line in the table there. Results go to standard output,
everything else to standard error. Errors are sentences.
"""

import os
import sys
from collections.abc import Sequence
from errno import ENOSPC
from io import TextIOWrapper

from novikoff.cli.signals import Terminated, ending_at_sigterm
from novikoff.errors import NotSeparable, NovikoffError, ParameterError, WriteError

DONE, NO, USAGE, BAD_INPUT, CANNOT_WRITE, UNDECIDED = range(6)
STOPPED, TERMINATED = 130, 143

NOTHING, STDOUT = "nothing was written", "-"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, and return its exit status."""
    if sys.stdout is None or sys.stdin is None:
        return complain(OSError("Standard input and output must not be closed."), BAD_INPUT)
    printing = False
    try:
        with ending_at_sigterm():  # importing takes a second, in which Ctrl-C may come
            from novikoff.cli.parser import build

            parsed = build().parse_args(joined(sys.argv[1:] if arguments is None else arguments))
            into = getattr(parsed, "output", None)
            printing = parsed.command == "predict" and into in (None, STDOUT)
            if isinstance(sys.stdout, TextIOWrapper):  # labels of any language, to any terminal
                sys.stdout.reconfigure(errors="backslashreplace")
            status: int = parsed.run(parsed)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # whoever read our output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (KeyboardInterrupt, Terminated) as stop:
        nothing = "" if printing else f"; {str(stop) or NOTHING}"  # or a part of it may be out
        say(f"stopped{nothing}.")
        return TERMINATED if isinstance(stop, Terminated) else STOPPED
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


def joined(words: Sequence[str]) -> list[str]:
    """The words of a command line, with the weight of a class that begins with a minus told apart.

    The parser would take -1=2 for an option.
    """
    told: list[str] = []
    for word in words:
        if told and told[-1] == "--class-weight":
            told[-1] += f"={word}"
        else:
            told.append(word)
    return told


def say(text: str) -> None:
    """A sentence, to standard error."""
    print(f"novikoff: {text}", file=sys.stderr)


def complain(error: Exception, status: int) -> int:
    """Say what went wrong, without a traceback."""
    from novikoff.cli.options import option

    if isinstance(error, OSError) and error.strerror:
        say(f"{error.filename}: {error.strerror}" if error.filename else error.strerror)
    elif isinstance(error, NovikoffError):
        more = " (`novikoff certify` writes the proof.)" if isinstance(error, NotSeparable) else ""
        say(f"{error.spelled(option)}{more}")
    else:
        say(str(error))
    return status
