"""`novikoff lab`."""

import webbrowser
from argparse import Namespace
from contextlib import suppress

from novikoff.cli import DONE, say
from novikoff.lab.server import serve


def lab(arguments: Namespace) -> int:
    """Serve the lab until it is stopped."""

    def ready(url: str) -> None:
        print(url, flush=True)
        say("the lab is open at this address. Ctrl-C closes it.")
        if arguments.browser:
            webbrowser.open(url)

    with suppress(KeyboardInterrupt):
        serve(arguments.host, arguments.port, ready)
    return DONE
