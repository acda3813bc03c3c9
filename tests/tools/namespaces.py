"""A run over two network namespaces, as over two machines that share a disk: `python -m tests.tools.namespaces`.

The program and a dask scheduler are in one namespace, the worker in the other; only a veth pair joins them, and the
worker has a temporary folder of its own. The files must have the bytes of a run of one process, and once more with a
worker killed in the middle. Not run by pytest: needs root and `ip` (iproute2), and dask.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conftest import ROOT, tree, write_run

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD, WORKER = "gecpipe-head", "gecpipe-worker"
ADDRESSES = {HEAD: "10.213.7.1", WORKER: "10.213.7.2"}
PORT = 8786
LINES = 40_000


def ip(*arguments: str) -> None:
    """Run ip."""
    subprocess.run(["ip", *arguments], check=True)


@contextlib.contextmanager
def namespaces() -> Iterator[None]:
    """Two namespaces with a cable between them."""
    with contextlib.ExitStack() as stack:
        for name in ADDRESSES:
            ip("netns", "add", name)
            stack.callback(ip, "netns", "del", name)
        ends = {HEAD: "gecpipe0", WORKER: "gecpipe1"}
        ip("link", "add", ends[HEAD], "netns", HEAD, "type", "veth", "peer", "name", ends[WORKER], "netns", WORKER)
        for name, end in ends.items():
            ip("-n", name, "addr", "add", f"{ADDRESSES[name]}/24", "dev", end)
            ip("-n", name, "link", "set", end, "up")
            ip("-n", name, "link", "set", "lo", "up")
        yield


def start(namespace: str, folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a Python module in a namespace."""
    own = folder / namespace
    own.mkdir(exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(own)}
    command = ["ip", "netns", "exec", namespace, sys.executable, "-m", *arguments]
    with (own / "log").open("ab") as log:
        return subprocess.Popen(command, env=environment, cwd=own, stdout=log, stderr=log)


def worker(folder: Path) -> subprocess.Popen[bytes]:
    """Start a worker that nothing starts again."""
    scheduler = f"tcp://{ADDRESSES[HEAD]}:{PORT}"
    return start(WORKER, folder, "dask", "worker", scheduler, "--nthreads", "1", "--no-nanny", "--no-dashboard")


def main() -> None:
    """Run, compare, and say what was found."""
    with tempfile.TemporaryDirectory() as temporary, contextlib.ExitStack() as stack:
        folder = Path(temporary)
        config = write_run(folder, LINES, systems="AB", chosen=["gleu[iter=20]", "bleu"])
        (folder / "d" / "B.gz").write_bytes(gzip.compress((folder / "d" / "B").read_bytes()))
        config.write_text(config.read_text(encoding="utf-8").replace("{dataset}/B", "{dataset}/B.gz"), encoding="utf-8")
        command = ["pipeline", "run", str(config), "-q", "--output"]
        one = start_here(folder, [*command, str(folder / "one"), "--backend", "serial"])
        stack.enter_context(namespaces())
        started = [start(HEAD, folder, "dask", "scheduler", "--host", ADDRESSES[HEAD], "--no-dashboard")]
        stack.callback(end, started)
        started.append(worker(folder))
        address = ["--backend", "dask", "--address", f"tcp://{ADDRESSES[HEAD]}:{PORT}"]
        time.sleep(3)
        for kind in ("whole", "killed"):
            begin = time.monotonic()
            process = start(HEAD, folder, *command, str(folder / kind), *address)
            if kind == "killed":
                wait_for_part(folder / kind, process)
                started[-1].send_signal(signal.SIGKILL)
                started.append(worker(folder))
            if process.wait() != 0:
                raise SystemExit((folder / HEAD / "log").read_text(encoding="utf-8"))
            if tree(folder / kind) != tree(folder / "one"):
                raise SystemExit(f"{kind}: the files are not those of one process")
            print(
                f"{kind}: {LINES:,} lines in {time.monotonic() - begin:.1f} s (one process: {one:.1f} s), equal files"
            )


def start_here(folder: Path, command: list[str]) -> float:
    """Run in no namespace, without workers; return the seconds."""
    begin = time.monotonic()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-m", *command], check=True, env=environment, cwd=folder, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def wait_for_part(run: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait until a shard is counted."""
    while process.poll() is None and not list((run / "unfinished").glob("*.part")):
        time.sleep(0.005)


def end(started: list[subprocess.Popen[bytes]]) -> None:
    """End the processes."""
    for process in reversed(started):
        process.terminate()
        process.wait()


if __name__ == "__main__":
    main()
