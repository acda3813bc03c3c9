"""A server of files on the loopback that does what a test says: ranges or none, wrong answers,
silence.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar, NamedTuple
from urllib.parse import unquote

from tests.conftest import PATIENCE

Answer = tuple[int, dict[str, str], bytes]
"""Status, headers and body. The header X-Stall says that the connection then stays open."""


class Request(NamedTuple):
    """A request as it came: the path without its first slash, and the range of bytes that is asked
    for.
    """

    method: str
    path: str
    range: str | None


class Server(ThreadingHTTPServer):
    """Serves what is in `files`; `answers` has those for single files that are another."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.release = threading.Event()
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.files: dict[str, bytes] = {}
        self.answers: dict[str, Callable[[], Answer]] = {}
        self.heard: list[Request] = []
        self.ranges = True
        self.tags = True
        self.fail = 0
        """Whether parts are sent; whether files have an ETag; how many of the next requests fail.
        """

    def url(self, name: str = "") -> str:
        """Return the address of a file."""
        return f"http://127.0.0.1:{self.server_port}/{name}"

    def handle_error(self, *_: object) -> None:
        """Print nothing where a client goes away, or an answer ends the connection."""

    @property
    def got(self) -> list[Request]:
        """The requests with GET."""
        return [request for request in self.heard if request.method == "GET"]


class Handler(BaseHTTPRequestHandler):
    """GET and HEAD, single ranges, ETag."""

    server: Server
    protocol_version: ClassVar[str] = "HTTP/1.1"  # type: ignore[misc]

    def do_GET(self) -> None:
        self.answer()

    def do_HEAD(self) -> None:
        self.answer()

    def answer(self) -> None:
        request = Request(self.command, self.path[1:], self.headers["Range"])
        self.server.heard.append(request)
        name = unquote(request.path.partition("?")[0])
        data = self.server.files.get(name)
        status, body = (404, b"") if data is None else (200, data)
        headers: dict[str, str] = {}
        if name in self.server.answers:
            status, headers, body = self.server.answers[name]()
        elif self.command == "GET" and self.server.fail:
            self.server.fail -= 1
            status = 503
            body = b""
        if status == 200 and request.range and self.server.ranges:
            low, high = map(int, re.findall("[0-9]+", request.range))
            headers = {
                "Content-Range": f"bytes {low}-{min(high, len(body) - 1)}/{len(body)}"
            }
            status, body = 206, body[low : high + 1]
        self.send_response(status)
        tags = (
            {"ETag": f'"{hash(data)}"'}
            if self.server.tags and data is not None
            else {}
        )
        for key, value in {
            "Content-Length": str(len(body)),
            **tags,
            **headers,
        }.items():
            self.send_header(key, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)
        if "X-Stall" in headers:  # the rest never comes
            self.wfile.flush()
            self.server.release.wait(PATIENCE)
        if len(body) < int(headers.get("Content-Length", "0")):
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[Server]:
    """Run a server in a thread."""
    with Server() as server:
        thread = threading.Thread(
            target=server.serve_forever,
            args=(0.01,),
            daemon=True,
        )
        thread.start()
        yield server
        server.release.set()
        server.shutdown()
        thread.join()
