"""Who may talk to the lab: this machine's own page, and nobody else.

Any web page that is open in the same browser can send requests to the loopback address. So
every request must be to a host that the lab is known by (a page whose name was bound anew to
127.0.0.1 sends its own name), what asks for work must come from the lab's own page, and no
request may be larger than the lab has use for.
"""

import re
from collections.abc import Awaitable, Callable, MutableMapping
from ipaddress import ip_address
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Reply = tuple[int, str, bytes]
"""A status, the type of the content, and the content."""
Answer = Callable[[str, str, bytes], Awaitable[Reply]]
"""What is replied to a method, a path and a body."""

TEXT = "text/plain; charset=utf-8"

HOST = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::[0-9]{1,5})?")
"""A name or a number, and a port."""

LARGEST = 2**21
"""Bytes in the body of a request."""
TOO_LARGE = f"A request may have {LARGEST:,} bytes at the most."

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """The lab behind its door, as an ASGI application.

    Parameters
    ----------
    answer : function of a method, a path and a body
    hosts : frozenset of str
        The names that a request may be to, without the port.
    any_address : bool
        May it be to any numeric address as well? Only where the lab was asked to be reached from
        other machines; a name that someone else chose is no number.
    """

    def __init__(self, answer: Answer, hosts: frozenset[str], any_address: bool = False) -> None:
        self.answer, self.hosts, self.any_address = answer, hosts, any_address

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] != "http":
            return
        complaint = self._complaint(scope)
        body = await _body(receive) if complaint is None else None
        if complaint is not None:
            await _send(send, complaint[0], TEXT, complaint[1].encode(), connection="close")
        elif body is None:
            await _send(send, 413, TEXT, TOO_LARGE.encode(), connection="close")
        else:
            try:
                reply = await self.answer(scope["method"], scope["path"], body)
            except Exception:
                await _send(send, 500, TEXT, b"The lab made a mistake of its own.")
                raise
            await _send(send, *reply)

    def _complaint(self, scope: Message) -> tuple[int, str] | None:
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        hosts = headers.get("host", [])
        if len(hosts) != 1 or not self.knows(hosts[0]):
            told = hosts[0][:80] if hosts else ""
            return 421, f"The lab is not {told!r}: open it by the address that it printed."
        length = headers.get("content-length", ["0"])[-1]
        # Python calls a raised 2 a digit, and reads no number of thousands of them
        if not length.isdecimal() or len(length) > 20 or int(length) > LARGEST:
            return 413, TOO_LARGE
        if scope["method"] in ("GET", "HEAD"):
            return None
        if scope["method"] != "POST":
            return 405, "The lab knows GET and POST."
        own = headers.get("origin", []) == [f"http://{hosts[0]}"]
        if not own or headers.get("sec-fetch-site", ["same-origin"]) != ["same-origin"]:
            return 403, "Only the lab's own page may ask for this."
        kind = headers.get("content-type", [""])[-1].split(";")[0].strip().lower()
        if kind != "application/json":
            return 415, "What is asked for must be JSON, of type application/json."
        return None

    def knows(self, host: str) -> bool:
        """Is this one of the lab's own names?"""
        found = HOST.fullmatch(host.lower())
        if found is None:
            return False
        name = found["address"] or found["name"]
        if name in self.hosts or not self.any_address:
            return name in self.hosts
        try:
            ip_address(name)
        except ValueError:
            return False
        return True


async def _body(receive: Receive) -> bytes | None:
    """The whole body; None if it is too large."""
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b""
        part = message.get("body", b"")
        size += len(part)
        if size > LARGEST:
            return None
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


async def _send(send: Send, status: int, kind: str, content: bytes, **more: str) -> None:
    headers = HEADERS | {"content-type": kind, "content-length": str(len(content))} | more
    encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": content})
