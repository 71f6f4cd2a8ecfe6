"""A browser of a few lines: requests to an ASGI application, as they stand."""

import asyncio
import json
from typing import NamedTuple
from urllib.parse import unquote


class Reply(NamedTuple):
    status_code: int
    headers: dict
    content: bytes

    @property
    def text(self):
        return self.content.decode()

    def json(self):
        return json.loads(self.content)


class Client:
    """Sends these headers with every request, unless another value is given for one."""

    def __init__(self, app, **headers):
        self.app, self.headers = app, headers

    def get(self, path, headers=()):
        return self.request("GET", path, headers=headers)

    def post(self, path, told=None, *, content=None, headers=()):
        kind = {"content-type": "application/json"}
        content = json.dumps(told).encode() if content is None else content
        return self.request("POST", path, content, kind | dict(headers))

    def request(self, method, path, content=b"", headers=()):
        """`content` is bytes, or pieces of them, whose length is not announced then."""
        sent = self.headers | dict(headers)
        if isinstance(content, bytes):
            sent = {"content-length": str(len(content))} | sent
            content = [content]
        pieces, replies = list(content), []

        async def receive():
            piece = pieces.pop(0) if pieces else b""
            return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

        async def send(message):
            replies.append(message)

        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": "http",
            "method": method,
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [(n.encode(), v.encode()) for n, v in sent.items() if v is not None],
        }
        asyncio.run(self.app(scope, receive, send))
        start, *bodies = replies
        found = {name.decode(): value.decode() for name, value in start["headers"]}
        return Reply(start["status"], found, b"".join(body["body"] for body in bodies))
