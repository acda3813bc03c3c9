"""Where the code of a metric of a user comes from: a file or module that is named, an installed
package, or Python.

Nothing that a config, a run directory or a variable says is ever imported; see `gec-pipeline help
plugins`."""

import ast
import contextlib
import inspect
import sys
import sysconfig
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ...errors import ConfigError, CorpusError
from ...files.plain_files import small_bytes
from ...files.safe_files import digest
from ...parallel import prepare_workers
from .. import METRICS
from ..base.declared import Declared
from ..base.metric import Metric
from ..base.statistics_spec import StatisticsSpec
from ..names import forget_names, named
from .calls import MODULE, from_bytes, package_digest, place_of
from .declare import NAME, Place, Plugin
from .declare import metric as declared_metric
from .metric import Plugged, plugged_class

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "gec_pipeline.metrics"
"""The group of entry points."""
_files: dict[str, Path] = {}
"""The files that were imported, by the names of their modules."""
_code: dict[str, bytes] = {}
"""What was in these files."""


MAX_BYTES = 1 << 24
"""The most bytes that a file of code may have."""


def load(argument: str) -> list[str]:
    """Import what --plugin names, a file or a module, and make its metrics known; return their
    names.

    Raises ConfigError where the import fails, where it has no metric, and where a name is taken.
    """
    module, place = _imported(argument)
    names, others = [], helpers(module)
    for attribute, value in list(vars(module).items()):
        if isinstance(value, Plugin):
            names.append(register(value.at(place._replace(name=attribute), others)))
        elif (
            _is_metric(value)
            and value.__module__ == module.__name__
            and not inspect.isabstract(value)
        ):
            names.append(_add_whole(value.name, value, place))
    if not names:
        raise ConfigError(
            f"--plugin {argument}: has no metric; put @pipeline.metric before a function"
        )
    return names


def helpers(module: ModuleType) -> str:
    """Return a digest of the user's own files that a module imports, directly or not; empty where
    there are none.

    Installed packages and Python's own modules have versions, and do not count.
    """
    installed = {Path(folder).resolve() for folder in sysconfig.get_paths().values()} | {
        Path(__file__).parents[2]
    }
    digests: dict[Path, str] = {}
    left = [module]
    while left:
        with contextlib.suppress(OSError, SyntaxError, ValueError):
            tree = ast.parse(Path(str(left.pop().__file__)).read_bytes())
            for node in (
                node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)
            ):
                above = [str(node.module)] if isinstance(node, ast.ImportFrom) else []
                names = [".".join([*above, each.name]) for each in node.names]
                for found in filter(None, map(sys.modules.get, [*above, *names])):
                    path = Path(str(getattr(found, "__file__", None))).resolve()
                    if (
                        path.suffix == ".py"
                        and path not in digests
                        and not installed & {*path.parents}
                    ):
                        digests[path] = sha256(path.read_bytes()).hexdigest()
                        left.append(found)
    return "".join(sorted(digests.values()))


def _add_whole(name: str, metric: type[Metric], place: Place) -> str:
    """Make a whole subclass of Metric known. Worker processes import its file when they start;
    needs say whose they are.

    What they count is kept under the metric's `version`, or under the digest of the code where it
    has none."""
    module = sys.modules[metric.__module__]
    if place.kind == "file":
        module_name = module.__name__
        code = _code[module_name]
        prepare_workers(module_name, partial(from_bytes, module_name, Path(place.text), code))
    known: Any = METRICS.entries.get(name)
    if (
        inspect.isclass(known)
        and issubclass(known, Metric)
        and (known.__module__, known.origin.get("from"))
        == (
            metric.__module__,
            place.told,
        )
    ):
        _forget(name)  # the same file again
    own = [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, StatisticsSpec)
    ]
    for spec in own:
        if spec.__module__ == module.__name__:
            spec.owner = f"plugin:{name}:{getattr(metric, 'version', '') or place.sha256[:12]}"
    return _add(name, metric, place.told, place.sha256)


def _is_metric(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, Metric)


def _imported(argument: str) -> tuple[ModuleType, Place]:
    if not argument.endswith(".py") and "/" not in argument and "\\" not in argument:
        module = _told(f"--plugin {argument}", lambda: import_module(argument), "")
        return module, Place("module", argument, "", package_digest(argument), argument)
    path = Path(argument)
    try:
        data = small_bytes(path, MAX_BYTES)
    except CorpusError as error:
        raise ConfigError(f"--plugin {error}") from None
    name = f"{MODULE}{path.stem}"
    if _files.setdefault(name, path.absolute()) != path.absolute():
        raise ConfigError(
            f"--plugin {argument}: {_files[name]} has the same name; rename one of them"
        )
    _code[name] = data
    place = Place("file", str(path.absolute()), "", sha256(data).hexdigest(), path.name)
    return _told(f"--plugin {argument}", lambda: from_bytes(name, path, data), path.name), place


def _told(where: str, work: Callable[[], Any], file: str) -> Any:
    """Return what work returns. What it prints goes to standard error; raises ConfigError with the
    line of an error.
    """
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return work()
    except Exception as error:
        if isinstance(error, ConfigError):
            raise ConfigError(f"{where}: {error}") from None
        raise ConfigError(
            f"{where}: {place_of(error, file)}{type(error).__name__}: {error}"
        ) from error


# --- installed packages


def entry_points() -> "dict[str, EntryPoint]":
    """Return the entry points of installed packages by name. Nothing is imported. Raises
    ConfigError for twins.
    """
    from importlib.metadata import (
        entry_points as found,
    )  # here, because most runs have no use for it

    points: dict[str, EntryPoint] = {}
    for point in found(group=GROUP):
        if point.name in points and points[point.name].value != point.value:
            raise ConfigError(
                f"the metric '{point.name}' is in two packages: {_dist(points[point.name])}, {_dist(point)}"
            )
        points[point.name] = point
    return points


def _dist(point: "EntryPoint") -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.value


def installed() -> dict[str, str]:
    """Return the package of each metric of an installed package, by name, without importing any."""
    return {name: _dist(point) for name, point in entry_points().items()}


def find(name: str) -> bool:
    """Import the metric of this name of an installed package, where there is one; return whether
    there is.
    """
    point = entry_points().get(name) if NAME.fullmatch(name) else None
    if point is None:
        return False
    told = _dist(point)
    value = _told(f"the metric '{name}' of {told}", point.load, "")
    if _is_metric(value):
        _add_whole(
            name,
            value,
            Place("module", point.module, point.attr, package_digest(point.module), told),
        )
        return True
    plugin = (
        value
        if isinstance(value, Plugin)
        else _told(f"'{name}' of {told}", lambda: declared_metric(value), "")
    )
    own = plugin.declared
    renamed = replace(own, name=name, names=(name,) if own.names == (own.name,) else own.names)
    place = Place("module", point.module, point.attr, package_digest(point.module), told)
    register(replace(plugin, declared=renamed).at(place))
    return True


# --- metrics that are known


def register(plugin: Plugin) -> str:
    """Make a metric known by its name, and return the name. Raises ConfigError where another one
    has it.
    """
    known = METRICS.entries.get(plugin.declared.name)
    if isinstance(known, type) and issubclass(known, Plugged):
        before = known.plugin
        if before and known.declared == plugin.declared and before.target is plugin.target:
            return plugin.declared.name
        # the same file, or a cell of a notebook, again
        if before is None or (before.place and before.place.text) == (
            plugin.place and plugin.place.text
        ):
            _forget(plugin.declared.name)
    told, sha256 = (plugin.place.told, plugin.place.sha256) if plugin.place else ("python", "")
    return _add(plugin.declared.name, plugged_class(plugin.declared, plugin), told, sha256)


def _forget(name: str) -> None:
    del METRICS.entries[name]
    forget_names()


def _add(name: str, metric: type[Metric], told: str, sha256: str = "") -> str:
    if METRICS.entries.get(name) is metric:
        return name
    taken = named(name)
    if taken:
        by = METRICS[taken].origin.get("from", "this program")
        raise ConfigError(
            f"{told}: the name '{name}' is taken: {by} has the metric {taken}; choose another name"
        )
    METRICS.entries[name] = metric
    metric.origin = {"from": told, "sha256": sha256}
    forget_names()
    return name


def remember(declared: Iterable[Declared]) -> None:
    """Make the names of metrics known whose results are read, but whose code is not at hand."""
    for each in declared:
        if each.name not in METRICS:
            METRICS.entries[each.name] = plugged_class(each)
            forget_names()


def of_values(value: Any) -> Any:
    """Return a metric as configs name it, for a function, a class or a Plugin of Python; other
    values unchanged.
    """
    if (
        not isinstance(value, Plugin | Metric)
        and callable(value)
        and not hasattr(value, "__name__")
    ):
        kind = type(value).__name__
        message = f"an object of {kind} was given; give the class, and options in a mapping: {{'name': {kind}, ...}}"
        raise ConfigError(f"metrics: {message}")
    if isinstance(value, Plugin) or (callable(value) and not isinstance(value, Metric)):
        return register(_as_in_file(declared_metric(value)))
    return value


def _as_in_file(plugin: Plugin) -> Plugin:
    """Return a plug-in of Python with the digest that --plugin gives it, where it is a name of a
    module with a file.

    So its numbers are made new where the file, or one that it imports, changes. A program that is
    run, and a notebook, change often; the code of the function alone counts there."""
    known = METRICS.entries.get(plugin.declared.name)
    if (
        isinstance(known, type)
        and issubclass(known, Plugged)
        and known.plugin
        and known.plugin.target is plugin.target
    ):
        code = known.declared.code
    else:
        module = sys.modules.get(plugin.target.__module__)
        path = getattr(module, "__file__", None)
        others = vars(module).values() if module and path and module.__name__ != "__main__" else ()
        is_own = any(
            plugin.target is (value.target if isinstance(value, Plugin) else value)
            for value in others
        )
        if plugin.declared.version or not is_own or not module:
            return plugin
        code = digest(
            (sha256(Path(str(path)).read_bytes()).hexdigest() + helpers(module)).encode(), size=6
        )
    return replace(plugin, declared=replace(plugin.declared, code=code))
