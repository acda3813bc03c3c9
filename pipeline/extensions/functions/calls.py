"""Calls of the code of users, which is imported and loaded once in each process."""

import contextlib
import math
import os
import re
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.errors import InputError, PipelineError
from pipeline.metrics import Declared
from pipeline.parallel import starved

from .answers import (
    Failure,
    Item,
    WrongAnswerError,
    checked_answers,
    encoded_answer,
    item_length,
)
from .code_files import CodeOrigin, code_position
from .content_cache import ContentCache
from .declare import Plugin, metric

MAX_ERROR_CHARS = 500
"""Characters of an error of the code that a message quotes."""
_OUT_OF_MEMORY = re.compile(
    "OutOfMemory|MemoryError|out of memory", re.IGNORECASE
)


class Task(NamedTuple):
    """Work for a call."""

    number: int
    batches: list[list[Item]]
    keys: Sequence[list[bytes]] = ()
    """The keys in the cache for the answers of each batch; empty if the call stores none."""


class TaskResult(NamedTuple):
    """The result of a task."""

    number: int
    """The number of the task."""
    answers: list[list[Any]]
    """For each batch an answer or a Failure for each item."""
    notes: list[str]
    """Messages for the log."""
    package_versions: dict[str, str]
    """The versions of the packages that the code imported to load its model."""
    spent: dict[str, int]
    """What the code has used since the last call, such as requests to a server."""


@dataclass(frozen=True)
class Call:
    """What a worker does with batches. In a process of its own, the code is imported there."""

    plugin: Plugin | None
    origin: CodeOrigin | None
    """None for an object of Python."""
    values: tuple[tuple[str, Any], ...]
    """The values of the options."""
    declared: Declared
    devices: tuple[str, ...] = ()
    threads: int = 1
    parent: int = 0
    """The process of the run; 0 outside a run."""
    database: Path | None = None
    """Where answers are cached; None for the folder of caches."""

    def __call__(self, task: Task) -> TaskResult:
        """Return the answers of a task, and cache them if the task has keys.

        Raises InputError if the code cannot be made ready.
        """
        function = self._ready_function()
        notes: list[str] = []
        answers = []
        cache = ContentCache(
            ContentCache.SCORES,
            self.database,
            notes.append,
            of=self.declared.name,
        )
        for index, batch in enumerate(task.batches):
            with _stdout_to_stderr:
                batch_answers = self._answers(function, batch, notes)
            answers.append(batch_answers)
            if task.keys:
                encoded = {}
                for key, answer in zip(
                    task.keys[index], batch_answers, strict=True
                ):
                    if not isinstance(answer, Failure):
                        encoded[key] = encoded_answer(answer)
                cache.write(encoded)
        spent = function.spent() if hasattr(function, "spent") else {}
        return TaskResult(task.number, answers, notes, _package_versions, spent)

    def _ready_function(self) -> Any:
        """Return the function of batches, imported and loaded once in this process."""
        try:
            with _building:
                if self not in _ready_functions:
                    if self.parent:
                        _close_functions()
                    _ready_functions[self] = self._built_function()
                return _ready_functions[self]
        except (Exception, SystemExit) as error:
            if isinstance(error, PipelineError) or starved(error):
                raise
            failure = self._failure(error)
            context = f"when {self.declared.name} was made ready"
            not_ready = InputError(failure.message.replace("{}", context))
            not_ready.add_note(failure.trace)
            raise not_ready from error

    def _built_function(self) -> Any:
        """Return a new function of batches, whose model is loaded."""
        plugin = self.plugin
        if plugin is None:
            assert self.origin  # noqa: S101 (only code with an origin is sent without plug-in)
            plugin = metric(self.origin.imported())
        function: Any = plugin.build(dict(self.values))
        if plugin.has_load:
            function.load(self._device())
            _package_versions.update(_new_packages())
            torch = sys.modules.get("torch")
            if torch:
                torch.set_num_threads(self.threads)
        return function

    def _device(self) -> str:
        """Return the device of this process: one that no other living process has.

        A process claims a device by a temporary file with its number. Claims of processes that have
        ended are deleted. If all devices are claimed, the first is shared.
        """
        if not self.devices:
            return "cpu"
        if len(self.devices) == 1:
            return self.devices[0]
        folder = Path(tempfile.gettempdir())
        for device in self.devices:
            name = (
                f"gec-pipeline-device-{self.parent}-{device.replace(':', '-')}"
            )
            claim = folder / name
            with contextlib.suppress(OSError, ValueError):
                process = int(claim.read_text())
                if not Path(f"/proc/{process}").exists():
                    claim.unlink()
            try:
                with claim.open("x") as file:
                    file.write(str(os.getpid()))
            except FileExistsError:
                continue
            return device
        return self.devices[0]

    def _answers(
        self, function: Callable[..., Any], batch: list[Item], notes: list[str]
    ) -> list[Any]:
        """Return an answer or a Failure for each item of a batch; add to `notes` for the log.

        A batch that fails is tried in halves until single items are left. A batch that is as large
        as one for which memory ran out is halved before it is tried.
        """
        half = len(batch) // 2
        size = len(batch) * max(map(item_length, batch))
        if not half or size < _out_of_memory_sizes.get(self, math.inf):
            # the texts of all items by parameter, such as outputs
            columns = map(list, zip(*batch, strict=True))
            texts = dict(zip(self.declared.reads, columns, strict=True))
            try:
                return checked_answers(function(**texts), batch, self.declared)
            except WrongAnswerError as error:
                return [Failure(str(error))] * len(batch)
            except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever the code of a user raises)
                if not half:
                    return [self._failure(error)]
                if _OUT_OF_MEMORY.search(f"{type(error).__name__} {error}"):
                    _out_of_memory_sizes[self] = size
                    remedy = (
                        f"{len(batch)} texts are tried in halves from now on"
                    )
                    notes.append(
                        f"{self.declared.name}: memory ran out; {remedy}"
                    )
        torch = sys.modules.get("torch")
        if torch and torch.cuda.is_available():
            torch.cuda.empty_cache()  # here, because an error keeps the values of its frames
        first = self._answers(function, batch[:half], notes)
        return first + self._answers(function, batch[half:], notes)

    def _failure(self, error: BaseException) -> Failure:
        """Return the failure of an error of the code."""
        if isinstance(error, InputError):
            return Failure(f": {self.declared.name}: {error}")
        file = ""
        if self.origin and self.origin.kind == "file":
            file = Path(self.origin.location).name
        text = str(error)[:MAX_ERROR_CHARS].replace("{}", "{ }")
        reason = " ".join(text.split())
        message = f"{code_position(error, file)}{type(error).__name__}: {reason} ({{}})"
        return Failure(message, "".join(traceback.format_exception(error)))


def devices_of(requested: Sequence[str]) -> list[str]:
    """Return the devices that are requested.

    auto is every CUDA device that torch finds, or else the processor.
    """
    if requested and tuple(requested) != ("auto",):
        return list(requested)
    devices = []
    if any(Path("/dev").glob("nvidia[0-9]*")):
        with contextlib.suppress(ImportError):
            import torch  # type: ignore[import-not-found,unused-ignore]

            devices = [
                f"cuda:{number}" for number in range(torch.cuda.device_count())
            ]
    return devices or ["cpu"]


# --- state of the process


_out_of_memory_sizes: dict[Call, float] = {}
"""The size of the smallest batch for which memory ran out: the number of its texts times the length
of the longest.
"""
_building = threading.Lock()
"""Threads that call the same code wait until one of them has made it ready."""
_package_versions: dict[str, str] = {}
"""The versions of packages that code has imported in this process to load a model."""
_INITIAL_MODULES = frozenset(sys.modules)
"""The modules that this process had imported before it imported code."""
_ready_functions: dict[Call, Callable[..., Any]] = {}
"""The code that this process has made ready: in runs one at a time, in a Scorer all that it needs.
"""


def _close_functions() -> None:
    """Let go of the code that this process has made ready."""
    for function in _ready_functions.values():
        if hasattr(function, "close"):
            function.close()
    _ready_functions.clear()


def _new_packages() -> dict[str, str]:
    """Return the versions of packages whose modules were imported since this process began."""
    from importlib.metadata import packages_distributions, version

    new_modules = set()
    for name in sys.modules.keys() - _INITIAL_MODULES:
        new_modules.add(name.partition(".")[0])
    packages: set[str] = set()
    for module, distributions in packages_distributions().items():
        if module in new_modules:
            packages.update(distributions)
    return {name: version(name) for name in sorted(packages)}


class _StdoutToStderr:
    """Sends what the code of users prints to standard error, also if several threads call it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.stdout = sys.stdout

    def __enter__(self) -> None:
        with self.lock:
            if not self.users:
                self.stdout = sys.stdout
                sys.stdout = sys.stderr
            self.users += 1

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.users -= 1
            if not self.users:
                sys.stdout = self.stdout


_stdout_to_stderr = _StdoutToStderr()
