"""Calls of the code of users: it is imported and loaded, gets batches of texts, and what it returns
is checked.
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

from ...errors import ConfigError, InputError, PipelineError
from ...files.content_cache import SCORES, ContentCache
from ...files.small_tables import LARGEST_NUMBER
from ...parallel import starved
from ..base.declared import Declared
from ..f_score import precision_recall_f
from .declare import Plugin, metric

Item = tuple[Any, ...]
"""The texts that one number is computed of: in the order of Declared.reads, each a text or a tuple
of texts."""
Answer = tuple[float, ...] | None
"""The numbers of an item; of a listwise one, those of all outputs, one after the other. None: there
is none."""

MODULE = "gec_pipeline_plugin_"
"""How the names of modules begin that files are imported as."""
LARGEST = 1 << 53
"""The largest count."""


class Wrong(NamedTuple):
    """Why an item has no number."""

    message: str
    """With {} for the place of the item, or else behind that place."""
    trace: str = ""


def written(answer: Answer) -> bytes:
    """Return an answer as it is kept."""
    return pack(f"<{len(answer or ())}d", *(answer or ()))


class Done(NamedTuple):
    """What a worker has done."""

    number: int
    """The number of the task."""
    answers: list[list[Any]]
    """The answers of its batches."""
    seconds: float
    notes: list[str]
    """What the log should have."""
    made_with: dict[str, str]
    """The versions of the packages that the code has imported to load its model."""
    spent: dict[str, int]
    """What the code says it has used since it was asked last, such as requests to a server."""


@dataclass(frozen=True)
class Call:
    """What a worker does with batches. In a process of its own, the code is imported there."""

    plugin: Plugin | None
    place: Any
    values: tuple[tuple[str, Any], ...]
    declared: Declared
    devices: tuple[str, ...] = ()
    threads: int = 1
    parent: int = 0
    database: Path | None = None
    """Where answers are kept; None: in the folder of caches."""

    def __call__(self, task: tuple[int, list[list[Item]], list[list[bytes]]]) -> Done:
        """Return what became of a task: its number, the texts of batches, and keys where each batch
        is kept at once.
        """
        number, batches, keys = task
        try:
            with _making:
                ready = _ready(self)
        except (Exception, SystemExit) as error:
            if isinstance(error, PipelineError) or starved(error):
                raise
            message, trace = self._told(error)
            stopped = InputError(message.replace("{}", f"when {self.declared.name} was made ready"))
            stopped.add_note(trace)
            raise stopped from error
        begun = time.monotonic()
        notes: list[str] = []
        answers = []
        cache = ContentCache(SCORES, self.database, notes.append, of=self.declared.name)
        for place, batch in enumerate(batches):
            with _aside:
                answers.append(self._answers(ready, batch, notes))
            if keys:
                pairs = zip(keys[place], answers[-1], strict=True)
                cache.write(
                    {key: written(answer) for key, answer in pairs if not isinstance(answer, Wrong)}
                )
        spent = getattr(ready, "spent", dict[str, int])()
        return Done(number, answers, time.monotonic() - begun, notes, _made_with, spent)

    def _answers(self, ready: Callable[..., Any], batch: list[Item], notes: list[str]) -> list[Any]:
        """Return the answers of a batch. One that fails is tried in halves until single texts are
        left.

        One that is as large as one for which memory ran out is halved before it is tried.
        """
        declared, half, size = self.declared, len(batch) // 2, len(batch) * max(map(length, batch))
        texts = dict(zip(declared.reads, map(list, zip(*batch, strict=True)), strict=True))
        wrong, items = None, None
        if not half or size < _full.get(self, math.inf):
            try:
                given = ready(**texts)
                given = given.tolist() if hasattr(given, "tolist") else given
                plain = isinstance(given, str | bytes | dict) or not isinstance(given, Iterable)
                items = None if plain else list(given)
            except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever the code of a user raises)
                wrong = self._told(error)
                if half and _OUT_OF_MEMORY.search(f"{type(error).__name__} {error}"):
                    _full[self] = size
                    notes.append(
                        f"{declared.name}: memory ran out; {len(batch)} texts are tried in halves from now on"
                    )
            if not wrong:
                return self._each(items, batch, given)
        if not half:
            return [wrong]
        if "torch" in sys.modules and sys.modules["torch"].cuda.is_available():
            sys.modules[
                "torch"
            ].cuda.empty_cache()  # here, because an error keeps what it was raised with
        return [
            *self._answers(ready, batch[:half], notes),
            *self._answers(ready, batch[half:], notes),
        ]

    def _told(self, error: BaseException) -> Wrong:
        if isinstance(error, InputError):
            return Wrong(f": {self.declared.name}: {error}")
        file = Path(self.place.text).name if self.place and self.place.kind == "file" else ""
        said = " ".join(str(error)[:500].replace("{}", "{ }").split())
        message = f"{place_of(error, file)}{type(error).__name__}: {said} ({{}})"
        return Wrong(message, "".join(traceback.format_exception(error)))

    def _each(self, items: list[Any] | None, batch: list[Item], given: object) -> list[Any]:
        """Return the answer of each text of a batch, checked. `given` is what the code has
        returned, `items` a list.
        """
        declared = self.declared
        if items is None:
            found = "None (is `return` missing?)" if given is None else type(given).__name__
            return [Wrong(f": {declared.name}: expected a list of numbers, found {found}")] * len(
                batch
            )
        if len(items) != len(batch):
            message = f"{declared.name} returned {len(items)} numbers for {len(batch)} texts (the first: {{}})"
            return [Wrong(message)] * len(batch)
        if not declared.listwise:
            return [_checked(item, declared) for item in items]
        place = declared.reads.index("outputs")
        return [
            _checked_list(item, len(texts[place]), declared)
            for item, texts in zip(items, batch, strict=True)
        ]


def _checked_list(items: Any, expected: int, declared: Declared) -> Any:
    """Return the numbers of all outputs of a line, one after the other; NaN stands for None."""
    items = items.tolist() if hasattr(items, "tolist") else items
    if (
        isinstance(items, str | bytes | dict)
        or not hasattr(items, "__len__")
        or len(items) != expected
    ):
        found = f"{len(items)} items" if hasattr(items, "__len__") else type(items).__name__
        return Wrong(
            f": {declared.name}: expected a list with a number for each of {expected} outputs, found {found}"
        )
    answers = [_checked(item, declared) for item in items]
    wrong = next((answer for answer in answers if isinstance(answer, Wrong)), None)
    if wrong:
        return wrong
    width = len(declared.numbers)
    return tuple(number for answer in answers for number in (answer or (math.nan,) * width))


def _checked(item: Any, declared: Declared) -> Any:  # noqa: PLR0911 (each row of the table of errors is one)
    """Return the numbers of an item as a tuple, None where it has none, or what is wrong."""
    name, names = declared.name, declared.numbers
    item = item.tolist() if hasattr(item, "tolist") else item
    if item is None:
        if declared.none == "error":
            return Wrong(
                f': {name} has no score; metric(none="skip") or a number says what that means'
            )
        return None
    many = isinstance(item, tuple | list)
    if not many and len(names) == 1:
        item = (item,)
    elif not many or len(item) != len(names):
        found = str(len(item)) if many else f"{str(item)[:50]!r} ({type(item).__name__})"
        return Wrong(f": {name}: expected {len(names)} numbers ({', '.join(names)}), found {found}")
    numbers = []
    for title, value in zip(names, item, strict=True):
        if isinstance(value, str | bytes) or not hasattr(value, "__float__"):
            return Wrong(
                f": {name}: expected a number, found {str(value)[:50]!r} ({type(value).__name__})"
            )
        try:
            number = float(value)
        except Exception as error:  # noqa: BLE001 (an int that is too large, or an object of the user)
            return Wrong(f": {name}: {title} is no number ({str(error)[:100]})")
        if not abs(number) <= LARGEST_NUMBER:
            return Wrong(
                f": {name} is {number}" if len(names) == 1 else f": {name}: {title} is {number}"
            )
        if declared.counts:
            scaled = Decimal(repr(number)).scaleb(declared.decimals)
            whole = scaled.to_integral_value(ROUND_HALF_EVEN)
            if not 0 <= whole <= LARGEST:
                return Wrong(f": {name}: {title} is {value}")
            if not declared.decimals and whole != scaled:
                return Wrong(
                    f": {name}: {title} is {value}; counts are whole numbers, unless `decimals` says how many"
                )
            number = int(whole)
        numbers.append(number)
    return tuple(numbers)


_full: dict[Call, float] = {}
"""The size of the smallest batch for which memory ran out: the number of its texts times the length
of the longest."""
_OUT_OF_MEMORY = re.compile("OutOfMemory|MemoryError|out of memory", re.IGNORECASE)


def length(item: Item) -> int:
    """Return how many characters the texts of an item have."""
    return sum(len(text) if isinstance(text, str) else sum(map(len, text)) for text in item)


class _Aside:
    """Sends what the code of users prints to standard error, also where threads call it at once."""

    def __init__(self) -> None:
        self.lock, self.inside, self.before = threading.Lock(), 0, sys.stdout

    def __enter__(self) -> None:
        with self.lock:
            if not self.inside:
                self.before, sys.stdout = sys.stdout, sys.stderr
            self.inside += 1

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.inside -= 1
            if not self.inside:
                sys.stdout = self.before


_aside = _Aside()
_making = threading.Lock()
"""Threads that call the same code wait until one of them has made it ready."""
_made_with: dict[str, str] = {}
"""The versions of packages that code has imported in this process to load a model."""
_OWN = frozenset(sys.modules)
"""What this process had imported before."""
_made: dict[Call, Callable[..., Any]] = {}
"""The code that this process has made ready: in runs one at a time, in a Scorer all that it needs.
"""


def _ready(call: Call) -> Callable[..., Any]:
    if call not in _made:
        for old in _made.values() if call.parent else ():
            getattr(old, "close", lambda: None)()
        if call.parent:
            _made.clear()
        plugin = call.plugin or _imported(call)
        made = plugin.made(dict(call.values))
        if plugin.has_load:
            made.load(_device(call))
            _made_with.update(_versions())
            if "torch" in sys.modules:
                sys.modules["torch"].set_num_threads(call.threads)
        _made[call] = made
    return _made[call]


def _versions() -> dict[str, str]:
    """Return the versions of packages whose modules were imported since this process began."""
    from importlib.metadata import packages_distributions, version

    new = {name.partition(".")[0] for name in sys.modules.keys() - _OWN}
    names = {
        name for module, own in packages_distributions().items() if module in new for name in own
    }
    return {name: version(name) for name in sorted(names)}


def _imported(call: Call) -> Plugin:
    """Import the code in this process; raises ConfigError where it is not what the first process
    has.
    """
    place, name = call.place, f"{MODULE}{Path(call.place.text).stem}"
    if place.kind == "file":
        data = Path(place.text).read_bytes()
        if sha256(data).hexdigest() != place.sha256:
            raise ConfigError(f"{place.told} was changed meanwhile; run the same command again")
        module = sys.modules.get(name) or from_bytes(name, Path(place.text), data)
    else:
        module = import_module(place.text)
        if place.sha256 and package_digest(place.text) != place.sha256:
            raise ConfigError(f"{place.told} is another here than where the command runs")
    return metric(getattr(module, place.name))  # type: ignore[no-any-return]


def _device(call: Call) -> str:
    """Return the device of this process: one that no other living process has."""
    if len(call.devices) < 2:
        return call.devices[0] if call.devices else "cpu"
    folder = Path(tempfile.gettempdir())
    for device in call.devices:
        claim = folder / f"gec-pipeline-device-{call.parent}-{device.replace(':', '-')}"
        with contextlib.suppress(OSError, ValueError):
            if not Path(f"/proc/{int(claim.read_text())}").exists():
                claim.unlink()
        try:
            with claim.open("x") as file:
                file.write(str(os.getpid()))
        except FileExistsError:
            continue
        return device
    return call.devices[0]


def devices_of(asked: Sequence[str]) -> list[str]:
    """Return the devices that are meant; auto is every CUDA device that torch shows, else the
    processor.
    """
    if asked and tuple(asked) != ("auto",):
        return list(asked)
    if any(Path("/dev").glob("nvidia[0-9]*")):
        with contextlib.suppress(ImportError):
            import torch  # type: ignore[import-not-found,unused-ignore]

            return [f"cuda:{number}" for number in range(torch.cuda.device_count())] or ["cpu"]
    return ["cpu"]


def best(answers: Sequence[tuple[float, ...]], declared: Declared) -> tuple[float, ...]:
    """Return the best of the numbers of several references, the first of equals: of counts that
    with the best F.
    """

    def goodness(answer: tuple[float, ...]) -> float:
        if not declared.counts:
            return answer[0] if declared.higher_is_better else -answer[0]
        tp, fp, fn = answer
        return precision_recall_f(tp, fp, fn, declared.beta)[2]

    return max(answers, key=goodness) if len(answers) > 1 else answers[0]


# --- code


def from_bytes(name: str, path: Path, data: bytes) -> types.ModuleType:
    """Import a file of which these are the bytes."""
    module = types.ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    try:
        exec(compile(data, str(path), "exec"), module.__dict__)  # noqa: S102 (the user has named the file)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def place_of(error: BaseException, file: str) -> str:
    """Return file and line of an error in the code of a user, with a colon behind; empty where it
    is not there.
    """
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"{Path(error.filename).name}:{error.lineno}: "
    own = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).name == file]
    own = (
        own
        or [f for f in traceback.extract_tb(error.__traceback__) if "/pipeline/" not in f.filename][
            -1:
        ]
    )
    return f"{Path(own[-1].filename).name}:{own[-1].lineno}: " if own else ""


def package_digest(module: str) -> str:
    """Return the SHA-256 of the Python files of a package, with their names in order, or of the
    file of a module.
    """
    top = find_spec(module.partition(".")[0])
    folder = Path(next(iter(top.submodule_search_locations or ()), "")) if top else Path()
    files = sorted(folder.rglob("*.py")) if top and top.submodule_search_locations else []
    if not files and top and top.origin:
        files, folder = [Path(top.origin)], Path(top.origin).parent
    hashed = sha256()
    for path in files:
        with contextlib.suppress(OSError):
            hashed.update(
                f"{path.relative_to(folder).as_posix()}\n{sha256(path.read_bytes()).hexdigest()}\n".encode()
            )
    return hashed.hexdigest()
