"""`novikoff lab`."""

import webbrowser
from argparse import Namespace
from contextlib import suppress

from novikoff.cli import DONE, say
from novikoff.cli.options import Kind, within
from novikoff.cli.parser import Parser

PORT = Kind("N", "a port from 1 to 65535, or 0 for any that is free", within(0, 2**16 - 1))


def options(parser: Parser) -> None:
    """What can be asked."""
    port = "port to listen on, or 0 for any free one (default: 1962, the year of the theorem)"
    parser.ask("--port", port, PORT, default=1962)
    host = "address to listen on (default: 127.0.0.1, this machine only)"
    parser.ask("--host", host, default="127.0.0.1")
    parser.ask("--no-browser", "only print the address", dest="browser", action="store_false")
    parser.examples = ("novikoff lab", "novikoff lab --port 8000 --no-browser")


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
