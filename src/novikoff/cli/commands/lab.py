"""`novikoff lab`."""

import webbrowser
from argparse import ArgumentParser, Namespace
from contextlib import suppress

from novikoff.cli import DONE, say
from novikoff.cli.options import whole_number

port = whole_number("a port from 1 to 65535, or 0 for any that is free", 0, 2**16 - 1)


def options(parser: ArgumentParser) -> None:
    """What can be asked."""
    add = parser.add_argument
    add("--port", type=port, default=1962, help="[1962, the year of the theorem]")
    add(
        "--host",
        default="127.0.0.1",
        help="the address to listen at [127.0.0.1: this machine only]",
    )
    add("--no-browser", dest="browser", action="store_false", help="only print the address")


def run(arguments: Namespace) -> int:
    """Serve the lab until it is stopped."""
    from novikoff.lab.server import serve

    def ready(url: str) -> None:
        print(url, flush=True)
        say("the lab is open at this address. Ctrl-C closes it.")
        if arguments.browser:
            webbrowser.open(url)

    with suppress(KeyboardInterrupt):
        serve(arguments.host, arguments.port, ready)
    return DONE
