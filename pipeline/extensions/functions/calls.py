"""Calls of the code of users: imports and loads it, gives it batches of texts, and checks what it
returns.
"""

import contextlib
import math
import os
import re
import sys
import tempfile
import threading
import time
import traceback
import types
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from struct import pack
from typing import Any, NamedTuple

from pipeline.data.content_cache import SCORES, ContentCache
from pipeline.errors import ConfigError, InputError, PipelineError
from pipeline.files.small_tables import LARGEST_NUMBER
from pipeline.metrics.base.declared import Declared
from pipeline.metrics.f_score import precision_recall_f
from pipeline.parallel import starved

from .declare import CodeOrigin, Plugin, metric

Item = tuple[Any, ...]
"""The texts that one number is computed from: in the order of Declared.reads, each a text or a
tuple of texts.
"""
Answer = tuple[float, ...] | None
"""The numbers of an item, or None if there are none. A listwise item has those of all outputs, one
after the other.
"""
Task = tuple[int, list[list[Item]], list[list[bytes]]]
"""Work for a call: a number, the items of batches, and the cache keys of each batch if its answers
are to be stored at once.
"""

MODULE = "gec_pipeline_plugin_"
"""The prefix of the module names of imported files."""
LARGEST = 1 << 53
"""The largest count."""
MAX_ERROR_CHARS = 500
"""Characters of an error of the code that a message quotes."""
_OUT_OF_MEMORY = re.compile("OutOfMemory|MemoryError|out of memory", re.IGNORECASE)


class Failure(NamedTuple):
    """Why an item has no number."""

    message: str
    """Has {} for the position of the item, or else follows that position."""
    trace: str = ""

    def at(self, position: str) -> str:
        """Return the message for an item at this position."""
        if "{}" in self.message:
            return self.message.replace("{}", position, 1)
        return position + self.message


class TaskResult(NamedTuple):
    """The result of a task."""

    number: int
    """The number of the task."""
    answers: list[list[Any]]
    """For each batch an answer or a Failure for each item."""
    seconds: float
    notes: list[str]
    """Messages for the log."""
    package_versions: dict[str, str]
    """The versions of the packages that the code imported to load its model."""
    spent: dict[str, int]
    """What the code has used since the last call, such as requests to a server."""


def encoded_answer(answer: Answer) -> bytes:
    """Return an answer as the cache stores it."""
    numbers = answer or ()
    return pack(f"<{len(numbers)}d", *numbers)


def item_length(item: Item) -> int:
    """Return the number of characters of the texts of an item."""
    total = 0
    for text in item:
        total += len(text) if isinstance(text, str) else sum(map(len, text))
    return total


@dataclass(frozen=True)
class Call:
    """What a worker does with batches. In a process of its own, the code is imported there."""

    plugin: Plugin | None
    origin: Any
    """The CodeOrigin, or None for an object of Python."""
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
        """Return the answers of a task; raises InputError if the code cannot be made ready."""
        number, batches, keys = task
        try:
            with _building:
                function = _ready_function(self)
        except (Exception, SystemExit) as error:
            if isinstance(error, PipelineError) or starved(error):
                raise
            failure = self._failure(error)
            context = f"when {self.declared.name} was made ready"
            not_ready = InputError(failure.message.replace("{}", context))
            not_ready.add_note(failure.trace)
            raise not_ready from error
        started = time.monotonic()
        notes: list[str] = []
        answers = []
        cache = ContentCache(SCORES, self.database, notes.append, of=self.declared.name)
        for index, batch in enumerate(batches):
            with _stdout_to_stderr:
                batch_answers = self._answers(function, batch, notes)
            answers.append(batch_answers)
            if keys:
                encoded = {}
                for key, answer in zip(keys[index], batch_answers, strict=True):
                    if not isinstance(answer, Failure):
                        encoded[key] = encoded_answer(answer)
                cache.write(encoded)
        spent: dict[str, int] = {}
        if hasattr(function, "spent"):
            spent = function.spent()
        seconds = time.monotonic() - started
        return TaskResult(number, answers, seconds, notes, _package_versions, spent)

    def _answers(
        self, function: Callable[..., Any], batch: list[Item], notes: list[str]
    ) -> list[Any]:
        """Return an answer or a Failure for each item of a batch.

        A batch that fails is tried in halves until single items are left. A batch that is as large
        as one for which memory ran out is halved before it is tried.
        """
        half = len(batch) // 2
        size = len(batch) * max(map(item_length, batch))
        failure = None
        if not half or size < _out_of_memory_sizes.get(self, math.inf):
            columns = map(list, zip(*batch, strict=True))
            texts = dict(zip(self.declared.reads, columns, strict=True))
            items = None
            try:
                returned = function(**texts)
                if hasattr(returned, "tolist"):
                    returned = returned.tolist()
                is_scalar = isinstance(returned, str | bytes | dict)
                if isinstance(returned, Iterable) and not is_scalar:
                    items = list(returned)
            except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever the code of a user raises)
                failure = self._failure(error)
                if half and _OUT_OF_MEMORY.search(f"{type(error).__name__} {error}"):
                    _out_of_memory_sizes[self] = size
                    remedy = f"{len(batch)} texts are tried in halves from now on"
                    notes.append(f"{self.declared.name}: memory ran out; {remedy}")
            else:
                return self._checked_batch(items, batch, returned)
        if not half:
            return [failure]
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

    def _checked_batch(
        self, items: list[Any] | None, batch: list[Item], returned: object
    ) -> list[Any]:
        """Return an answer or a Failure for each item of a batch.

        `returned` is what the code has returned, and `items` its list, or None if it is none.
        """
        declared = self.declared
        if items is None:
            found = type(returned).__name__
            if returned is None:
                found = "None (is `return` missing?)"
            failure = Failure(
                f": {declared.name}: expected a list of numbers, found {found}"
            )
            return [failure] * len(batch)
        if len(items) != len(batch):
            counts = f"{len(items)} numbers for {len(batch)} texts"
            failure = Failure(f"{declared.name} returned {counts} (the first: {{}})")
            return [failure] * len(batch)
        if not declared.listwise:
            return [_checked(item, declared) for item in items]
        column = declared.reads.index("outputs")
        answers = []
        for item, texts in zip(items, batch, strict=True):
            answers.append(_checked_list(item, len(texts[column]), declared))
        return answers


def _checked_list(items: Any, expected: int, declared: Declared) -> Any:
    """Return the numbers of all outputs of a line, one after the other, with NaN for None.

    Returns a Failure for anything else than a list with numbers for each output.
    """
    if hasattr(items, "tolist"):
        items = items.tolist()
    has_length = hasattr(items, "__len__")
    is_list = has_length and not isinstance(items, str | bytes | dict)
    if not is_list or len(items) != expected:
        found = f"{len(items)} items" if has_length else type(items).__name__
        form = f"a list with a number for each of {expected} outputs"
        return Failure(f": {declared.name}: expected {form}, found {found}")
    missing = (math.nan,) * len(declared.numbers)
    numbers: list[float] = []
    answers = [_checked(item, declared) for item in items]
    for answer in answers:
        if isinstance(answer, Failure):
            return answer
        numbers += answer or missing
    return tuple(numbers)


def _checked(item: Any, declared: Declared) -> Any:
    """Return the numbers of an item as a tuple, None if it has none, or a Failure."""
    name = declared.name
    names = declared.numbers
    if hasattr(item, "tolist"):
        item = item.tolist()
    if item is None:
        if declared.none != "error":
            return None
        remedy = 'metric(none="skip") or a number says what that means'
        return Failure(f": {name} has no score; {remedy}")
    is_list = isinstance(item, tuple | list)
    if not is_list and len(names) == 1:
        item = (item,)
    elif not is_list or len(item) != len(names):
        found = (
            str(len(item)) if is_list else f"{str(item)[:50]!r} ({type(item).__name__})"
        )
        expected = f"{len(names)} numbers ({', '.join(names)})"
        return Failure(f": {name}: expected {expected}, found {found}")
    numbers = []
    for title, value in zip(names, item, strict=True):
        number = _checked_number(value, title, declared)
        if isinstance(number, Failure):
            return number
        numbers.append(number)
    return tuple(numbers)


def _checked_number(value: Any, title: str, declared: Declared) -> Any:
    """Return a number of an item, or a Failure. Counts are whole multiples of 10**-decimals."""
    name = declared.name
    if isinstance(value, str | bytes) or not hasattr(value, "__float__"):
        found = f"{str(value)[:50]!r} ({type(value).__name__})"
        return Failure(f": {name}: expected a number, found {found}")
    try:
        number = float(value)
    except Exception as error:  # noqa: BLE001 (an int that is too large, or an object of the user)
        return Failure(f": {name}: {title} is no number ({str(error)[:100]})")
    if not abs(number) <= LARGEST_NUMBER:
        subject = name if len(declared.numbers) == 1 else f"{name}: {title}"
        return Failure(f": {subject} is {number}")
    if not declared.counts:
        return number
    scaled = Decimal(repr(number)).scaleb(declared.decimals)
    count = scaled.to_integral_value(ROUND_HALF_EVEN)
    if not 0 <= count <= LARGEST:
        return Failure(f": {name}: {title} is {value}")
    if not declared.decimals and count != scaled:
        remedy = "counts are whole numbers, unless `decimals` says how many"
        return Failure(f": {name}: {title} is {value}; {remedy}")
    return int(count)


def best(answers: Sequence[tuple[float, ...]], declared: Declared) -> tuple[float, ...]:
    """Return the best of the answers of several references, the first of equals.

    The best counts are those with the highest F-beta.
    """
    if len(answers) == 1:
        return answers[0]

    def f_score(counts: tuple[float, ...]) -> float:
        tp, fp, fn = counts
        return precision_recall_f(tp, fp, fn, declared.beta)[2]

    if declared.counts:
        return max(answers, key=f_score)
    if declared.higher_is_better:
        return max(answers, key=lambda answer: answer[0])
    return min(answers, key=lambda answer: answer[0])


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


def _ready_function(call: Call) -> Callable[..., Any]:
    """Return the function of batches of a call, imported and loaded once in this process."""
    if call in _ready_functions:
        return _ready_functions[call]
    if call.parent:
        for previous in _ready_functions.values():
            if hasattr(previous, "close"):
                previous.close()
        _ready_functions.clear()
    plugin = call.plugin or _imported(call)
    function: Any = plugin.build(dict(call.values))
    if plugin.has_load:
        function.load(_device(call))
        _package_versions.update(_new_packages())
        torch = sys.modules.get("torch")
        if torch:
            torch.set_num_threads(call.threads)
    _ready_functions[call] = function
    return _ready_functions[call]


def _new_packages() -> dict[str, str]:
    """Return the versions of packages whose modules were imported since this process began."""
    from importlib.metadata import packages_distributions, version

    new_modules = {
        name.partition(".")[0] for name in sys.modules.keys() - _INITIAL_MODULES
    }
    packages: set[str] = set()
    for module, distributions in packages_distributions().items():
        if module in new_modules:
            packages.update(distributions)
    return {name: version(name) for name in sorted(packages)}


def _imported(call: Call) -> Plugin:
    """Import the code in this process; raises ConfigError if it is not that of the first process."""
    origin: CodeOrigin = call.origin
    if origin.kind == "file":
        path = Path(origin.location)
        data = path.read_bytes()
        if sha256(data).hexdigest() != origin.sha256:
            raise ConfigError(
                f"{origin.label} was changed meanwhile; run the same command again"
            )
        name = f"{MODULE}{path.stem}"
        module = sys.modules.get(name) or module_from_bytes(name, path, data)
    else:
        module = import_module(origin.location)
        if origin.sha256 and package_digest(origin.location) != origin.sha256:
            raise ConfigError(
                f"{origin.label} is another here than where the command runs"
            )
    return metric(getattr(module, origin.attribute))  # type: ignore[no-any-return]


def _device(call: Call) -> str:
    """Return the device of this process: one that no other living process has."""
    if not call.devices:
        return "cpu"
    if len(call.devices) == 1:
        return call.devices[0]
    folder = Path(tempfile.gettempdir())
    for device in call.devices:
        claim = folder / f"gec-pipeline-device-{call.parent}-{device.replace(':', '-')}"
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
    return call.devices[0]


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

            devices = [f"cuda:{number}" for number in range(torch.cuda.device_count())]
    return devices or ["cpu"]


# --- code


def module_from_bytes(name: str, path: Path, data: bytes) -> types.ModuleType:
    """Import a file with these bytes as a module of this name."""
    module = types.ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    try:
        exec(compile(data, str(path), "exec"), module.__dict__)  # noqa: S102 (the user has named the file)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def code_position(error: BaseException, file: str) -> str:
    """Return "FILE:LINE: " of an error in the code of a user, or an empty text.

    The line is the last one in the file of this name, or else the last one outside this package.
    """
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"{Path(error.filename).name}:{error.lineno}: "
    frames = traceback.extract_tb(error.__traceback__)
    in_file = [frame for frame in frames if Path(frame.filename).name == file]
    outside = [frame for frame in frames if "/pipeline/" not in frame.filename]
    candidates = in_file or outside
    if not candidates:
        return ""
    frame = candidates[-1]
    return f"{Path(frame.filename).name}:{frame.lineno}: "


def package_digest(module: str) -> str:
    """Return the SHA-256 of the Python files of a package with their names, in order.

    Of a module that is no package it is that of its file.
    """
    spec = find_spec(module.partition(".")[0])
    files: list[Path] = []
    folder = Path()
    if spec and spec.submodule_search_locations:
        folder = Path(next(iter(spec.submodule_search_locations)))
        files = sorted(folder.rglob("*.py"))
    if spec and not files and spec.origin:
        files = [Path(spec.origin)]
        folder = files[0].parent
    hashed = sha256()
    for path in files:
        with contextlib.suppress(OSError):
            content = sha256(path.read_bytes()).hexdigest()
            hashed.update(
                f"{path.relative_to(folder).as_posix()}\n{content}\n".encode()
            )
    return hashed.hexdigest()
