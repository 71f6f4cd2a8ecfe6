"""The page on the loopback address: static files, and three questions that it may ask.

What a browser can get is a fixed set of texts, read once from the package: no request names
a file. Nothing that is sent is kept or written.
"""

import asyncio
import errno
import json
import socket
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from threading import Lock, Thread

from novikoff.errors import NovikoffError, ParameterError
from novikoff.lab import sheet
from novikoff.lab.frames import Shown, of_state
from novikoff.lab.guard import TEXT, Guard, Reply
from novikoff.lab.link import from_link, to_link
from novikoff.lab.presets import NAMES, preset

PORT = 1962
"""The year of the theorem."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")
PATIENCE = 5.0
"""How many seconds a connection may stay open without a request."""

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
JSON = "application/json"

one_at_a_time = Lock()
"""Warnings are filtered while a learner runs, which is not safe in two threads at once."""


def run(state: str) -> Shown:
    """What a state shows."""
    with one_at_a_time:
        return of_state(from_link(state))


def columns(table: str) -> Shown:
    """What there is to choose from in a table."""
    return sheet.columns(sheet.parsed(table))


def choose(table: str, label: int, first: str, second: str, x: int, y: int) -> Shown:
    """The link of the points chosen from a table."""
    return {"link": to_link(sheet.chosen(sheet.parsed(table), label, first, second, x, y))}


Question = Callable[..., Shown]
QUESTIONS: dict[str, Question] = {
    "/api/run": run,
    "/api/columns": columns,
    "/api/choose": choose,
}


def asked(question: Question, told: object) -> Shown:
    """What a question is asked with: what it names, of the types it names, and no more."""
    kinds = {name: kind for name, kind in question.__annotations__.items() if name != "return"}
    if not isinstance(told, dict) or set(told) != set(kinds):
        raise ParameterError(f"The question must have the fields {', '.join(kinds)}.")
    for name, kind in kinds.items():
        if type(told[name]) is not kind:
            raise ParameterError(f"{name} must be of the type {kind.__name__}.")
    return told


def _not_a_number(word: str) -> None:
    raise ValueError(f"{word} is not a number")


def answer(question: Question, body: bytes) -> Reply:
    """The answer to a question."""
    try:
        told = json.loads(body, parse_constant=_not_a_number)
    except (ValueError, RecursionError):
        return 400, JSON, b'{"error": "The question is not JSON."}'
    try:
        text = json.dumps(question(**asked(question, told)), allow_nan=False, separators=(",", ":"))
    except NovikoffError as error:
        return 422, JSON, json.dumps({"error": str(error)}).encode()
    return 200, JSON, text.encode()


def application(hosts: frozenset[str] = frozenset(LOOPBACK), any_address: bool = False) -> Guard:
    """The lab as an ASGI application.

    Parameters
    ----------
    hosts : frozenset of str
        What it may be called in a request, without the port.
    any_address : bool, default=False
        May it be called by any numeric address?
    """
    begin = [{"name": name, "title": preset(name).title} for name in NAMES]
    told = json.dumps({"presets": begin}).encode()
    pages: dict[str, Reply] = {"/api/presets": (200, JSON, told)}
    for file in files("novikoff.lab").joinpath("static").iterdir():
        kind = KINDS.get(file.name[file.name.rfind(".") :])
        if kind:
            pages[f"/{file.name}"] = 200, kind, file.read_bytes()
    pages["/"] = pages["/index.html"]

    async def reply(method: str, path: str, body: bytes) -> Reply:
        page, question = pages.get(path), QUESTIONS.get(path)
        if page is not None and method != "POST":
            return page
        if question is not None and method == "POST":
            return await asyncio.to_thread(answer, question, body)
        known = page is not None or question is not None
        return (405, TEXT, b"Method Not Allowed") if known else (404, TEXT, b"Not Found")

    return Guard(reply, hosts, any_address)


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens at this address."""
    found = None
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
    except OSError as error:
        if found is not None:
            found.close()
        advice = {
            errno.EADDRINUSE: "Is it running already? Choose another --port (0 for any free one).",
            errno.EACCES: "Choose a --port of 1024 or more (0 for any that is free).",
        }
        raise ParameterError(
            f"The lab cannot listen at {host}, port {port}: {error.strerror or error}. "
            + advice.get(error.errno or 0, "Give an address of this machine as --host.")
        ) from error
    return found


def warm_up() -> None:
    """Compile, or load, what the first question will need."""
    for link in ("data=xor", "data=separable"):
        run(link)


def hurrying() -> type[asyncio.Protocol]:
    """The protocol of the server, which closes a connection that asks for nothing.

    Otherwise a few dozen of them, as a browser may leave behind, would keep everyone else out.
    """
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Hurrying(H11Protocol):
        def connection_made(  # type: ignore[override]  # as uvicorn has it
            self, transport: asyncio.Transport
        ) -> None:
            super().connection_made(transport)
            self.loop.call_later(PATIENCE, self.give_up)

        def give_up(self) -> None:
            if self.cycle is None:  # no request has come
                self.transport.close()

    return Hurrying


def serve(
    host: str = "127.0.0.1", port: int = PORT, ready: Callable[[str], None] = lambda url: None
) -> None:
    """Serve the lab until it is stopped.

    Parameters
    ----------
    host : str, default="127.0.0.1"
        The address to listen at. Only this machine can reach the default one.
    port : int, default=1962
        0 for any that is free.
    ready : function of a str, optional
        Is called with the address of the page once it can be opened.

    Raises
    ------
    ParameterError
        If the extra `lab` is not installed, or the address cannot be had.
    """
    try:
        import uvicorn
    except ModuleNotFoundError as error:
        raise ParameterError(
            "The lab needs uvicorn, which is not installed: pip install 'novikoff[lab]'."
        ) from error
    local = host in LOOPBACK
    names = LOOPBACK if local else (*LOOPBACK, host, socket.gethostname().lower())
    app = application(frozenset(names), any_address=not local)
    with bound(host, port) as listening:
        port = listening.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        config = uvicorn.Config(
            app,
            lifespan="off",
            log_level="warning",
            access_log=False,
            server_header=False,
            ws="none",
            http=hurrying(),
            limit_concurrency=64,
            timeout_graceful_shutdown=2,
        )
        listening.listen(64)
        Thread(target=warm_up, daemon=True).start()
        Thread(target=partial(ready, f"http://{shown}:{port}/"), daemon=True).start()
        uvicorn.Server(config).run(sockets=[listening])
