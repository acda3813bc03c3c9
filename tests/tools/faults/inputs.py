"""Faults of what a run reads: pipes without a writer, servers, files that nobody may read or that are changed."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from .surroundings import unprivileged

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from pathlib import Path

    from .machine import Machine

PATIENT = {"io.remote.SILENCE": 1}
"""How long a server is waited for here: a second where the program waits for thirty."""
WAYS = ["silent", "headers", "trickle", "short", "reset", "error", "late", "gone", "good"]


@contextmanager
def replaced(path: Path) -> Iterator[None]:
    """Give a file back at the end, whatever has been put in its place."""
    kept = path.with_name(f"{path.name}.kept")
    shutil.copy2(path, kept)
    try:
        yield
    finally:
        if path.is_dir():
            path.rmdir()
        kept.replace(path)


def pipe(machine: Machine, rng: random.Random) -> str:
    """Have a pipe that nobody writes to in the place of a text, of the config, or of a file of the run directory."""
    own = [machine.run / name for name in ("run.json", "log.txt", "results.json", "run.lock")]
    path = rng.choice([*machine.texts(), machine.config, *own])
    if path in own:
        machine.run.mkdir()
        if path.name != "run.json":
            shutil.copy(machine.folder / "expected" / "run.json", machine.run)
        os.mkfifo(path)
        machine.start().wait()
        if path.is_fifo():
            path.unlink()
    else:
        with replaced(path):
            path.unlink()
            os.mkfifo(path)
            machine.start().wait()
    return f"{path.relative_to(machine.folder)} is a pipe without a writer"


def unreadable(machine: Machine, rng: random.Random) -> str:
    """Take away the permission to read a text or the config, or to write to the run directory."""
    path = rng.choice([*machine.texts(), machine.config, machine.folder / "d", machine.disk, machine.run])
    machine.run.mkdir()
    mode = path.stat().st_mode
    path.chmod(0o500 if path in (machine.disk, machine.run) else 0)
    try:
        machine.start(before=unprivileged()).wait()
    finally:
        path.chmod(mode)
    return f"{path.relative_to(machine.folder)} is closed"


def changed(machine: Machine, rng: random.Random) -> str:
    """Change, cut or delete a text, or the config, while it is used; it is then as before."""
    path = rng.choice([*machine.texts(), machine.config])
    way, moment = rng.choice(["changed", "cut", "deleted", "emptied"]), rng.uniform(0, machine.seconds)
    with replaced(path):
        process = machine.start()
        process.until(moment)
        data = path.read_bytes()
        if way == "deleted":
            path.unlink()
        else:
            place = rng.randrange(len(data))
            more = {"changed": bytes([data[place] ^ 1]) + data[place + 1 :], "cut": b"", "emptied": b""}[way]
            path.write_bytes((b"" if way == "emptied" else data[:place]) + more)
        process.wait()
    return f"{path.relative_to(machine.folder)} {way} after {moment:.2f} s"


def server(machine: Machine, rng: random.Random) -> str:
    """Have an output come from a server that stalls, trickles or breaks off; later it is a file again."""
    way = rng.choice(WAYS)
    content = json.loads(machine.config.read_text(encoding="utf-8"))
    with answers(machine.folder / "d" / "A", way, rng.randint(1, 2)) as address, replaced(machine.config):
        content["systems"]["A"] = {"d": address, "e": "e/A"}
        machine.config.write_text(json.dumps(content), encoding="utf-8")
        machine.start(settings=PATIENT).wait()
    return f"a server: {way}"


class _Handler(BaseHTTPRequestHandler):
    """Answers as a way says from a certain request on; before that, well."""

    def __init__(self, data: bytes, way: str, last: int, over: threading.Event, *given: object) -> None:
        self.data, self.way, self.last, self.over = data, way, last, over
        super().__init__(*given)  # type: ignore[arg-type]

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        """Answer a request of a range, or of all."""
        server = self.server
        assert isinstance(server, _Server)
        server.asked += 1
        way = self.way if server.asked >= self.last else "good"
        start, end = 0, len(self.data)
        if asked := self.headers.get("Range"):
            first, _, last = asked.removeprefix("bytes=").partition("-")
            start, end = int(first), min(int(last) + 1, end) if last else end
        if way == "silent":
            self.over.wait()
        if way == "late":
            self.over.wait(0.7)
        if way in ("silent", "reset"):
            return
        if way in ("error", "gone"):
            self.send_error(500 if way == "error" else 404)
            return
        self.send_response(206 if asked else 200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(end - start))
        if asked:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(self.data)}")
        self.end_headers()
        if self.command == "GET":
            self._send(self.data[start:end], way)

    def _send(self, data: bytes, way: str) -> None:
        """Send the body: whole, a part of it, or drop by drop."""
        if way == "headers":
            self.over.wait()
        elif way == "trickle":
            for byte in data:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                if self.over.wait(0.2):
                    return
        else:
            self.wfile.write(data[: len(data) // 2] if way == "short" else data)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    asked = 0
    """How many requests have come."""

    def handle_error(self, *_: object) -> None:
        """Print nothing where a client goes away."""


@contextmanager
def answers(path: Path, way: str, last: int) -> Iterator[str]:
    """Serve a file in a way, from the request number `last` on; yield its address."""
    over = threading.Event()
    server = _Server(("127.0.0.1", 0), partial(_Handler, path.read_bytes(), way, last, over))
    thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.02), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/{path.name}"
    finally:
        over.set()
        server.shutdown()
        server.server_close()
        thread.join()
        time.sleep(0)
