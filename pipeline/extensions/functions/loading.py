"""Where the code of a metric of a user comes from: a file or module that --plugin names, an
installed package, or Python.

Nothing that a config, a run directory or a variable names is ever imported; see `gec-pipeline help
plugins`.
"""

import ast
import contextlib
import inspect
import sys
import sysconfig
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pipeline.errors import ConfigError, CorpusError
from pipeline.files.plain_files import small_bytes
from pipeline.files.safe_files import digest
from pipeline.metrics.base.declared import Declared
from pipeline.metrics.base.metric import Metric
from pipeline.metrics.base.statistics_spec import StatisticsSpec
from pipeline.metrics.build import from_text
from pipeline.metrics.names import forget_names, named
from pipeline.metrics.sources import MetricSource
from pipeline.metrics.table import METRICS
from pipeline.parallel import prepare_workers

from .calls import MODULE, code_position, module_from_bytes, package_digest
from .declare import NAME, CodeOrigin, Plugin
from .declare import metric as declared_metric
from .external import external_entries
from .metric import FunctionMetric, function_metric_class, restored
from .models import allow_download

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "gec_pipeline.metrics"
"""The group of entry points."""
MAX_BYTES = 1 << 24
"""The largest size of a file of code."""
_files: dict[str, Path] = {}
"""The imported files by the names of their modules."""
_contents: dict[str, bytes] = {}
"""The contents of these files when they were imported."""


def load(argument: str) -> list[str]:
    """Import what --plugin names, a file or a module, and register its metrics; return their names.

    Raises ConfigError if the import fails, if there is no metric, and if a name is taken.
    """
    module, origin = _imported(argument)
    helper_digest = helpers(module)
    names = []
    for attribute, value in list(vars(module).items()):
        if isinstance(value, Plugin):
            found_at = origin._replace(attribute=attribute)
            names.append(register(value.with_origin(found_at, helper_digest)))
            continue
        defined_here = getattr(value, "__module__", "") == module.__name__
        if defined_here and _is_metric_class(value) and not inspect.isabstract(value):
            names.append(_register_class(value.name, value, origin))
    if not names:
        remedy = "put @pipeline.metric before a function"
        raise ConfigError(f"--plugin {argument}: has no metric; {remedy}")
    return names


def helpers(module: ModuleType) -> str:
    """Return a digest of the user's own files that a module imports, directly or not.

    It is empty if there are none. Installed packages and Python's own modules have versions, and do
    not count.
    """
    installed_folders = {
        Path(folder).resolve() for folder in sysconfig.get_paths().values()
    }
    installed_folders.add(Path(__file__).parents[2])
    digests: dict[Path, str] = {}
    queue = [module]
    while queue:
        for imported in _imports_of(queue.pop()):
            path = Path(str(getattr(imported, "__file__", None))).resolve()
            is_installed = bool(installed_folders & {*path.parents})
            if path.suffix == ".py" and path not in digests and not is_installed:
                with contextlib.suppress(OSError):
                    digests[path] = sha256(path.read_bytes()).hexdigest()
                    queue.append(imported)
    return "".join(sorted(digests.values()))


def _imports_of(module: ModuleType) -> list[ModuleType]:
    """Return the modules that the file of a module imports; none if it cannot be read."""
    try:
        tree = ast.parse(Path(str(module.__file__)).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return []
    imported = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        parents = [str(node.module)] if isinstance(node, ast.ImportFrom) else []
        names = [".".join([*parents, alias.name]) for alias in node.names]
        for name in (*parents, *names):
            if sys.modules.get(name):
                imported.append(sys.modules[name])
    return imported


def _register_class(name: str, metric: type[Metric], origin: CodeOrigin) -> str:
    """Register a subclass of Metric, and return its name.

    Worker processes import its file when they start. Counts are stored under the metric's
    `version`, or under the digest of its code if it has none.
    """
    module = sys.modules[metric.__module__]
    if origin.kind == "file":
        module_name = module.__name__
        path = Path(origin.location)
        import_file = partial(
            module_from_bytes, module_name, path, _contents[module_name]
        )
        prepare_workers(module_name, import_file)
    known: Any = METRICS.entries.get(name)
    if inspect.isclass(known) and issubclass(known, Metric):
        same_module = known.__module__ == metric.__module__
        if same_module and known.origin.get("from") == origin.label:
            _forget(name)  # the same file again
    for value in vars(module).values():
        is_spec = inspect.isclass(value) and issubclass(value, StatisticsSpec)
        if is_spec and value.__module__ == module.__name__:
            version = getattr(metric, "version", "") or origin.sha256[:12]
            value.owner = f"plugin:{name}:{version}"
    return _add(name, metric, origin.label, origin.sha256)


def _is_metric_class(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, Metric)


def _imported(argument: str) -> tuple[ModuleType, CodeOrigin]:
    """Import what --plugin names; return the module and its origin. Raises ConfigError."""
    subject = f"--plugin {argument}"
    if not argument.endswith(".py") and "/" not in argument and "\\" not in argument:
        module = _run_user_code(subject, lambda: import_module(argument))
        return module, CodeOrigin(
            "module", argument, "", package_digest(argument), argument
        )
    path = Path(argument)
    try:
        data = small_bytes(path, MAX_BYTES)
    except CorpusError as error:
        raise ConfigError(f"--plugin {error}") from None
    name = f"{MODULE}{path.stem}"
    absolute = path.absolute()
    if _files.setdefault(name, absolute) != absolute:
        raise ConfigError(
            f"{subject}: {_files[name]} has the same name; rename one of them"
        )
    _contents[name] = data
    origin = CodeOrigin("file", str(absolute), "", sha256(data).hexdigest(), path.name)
    module = _run_user_code(
        subject, lambda: module_from_bytes(name, path, data), path.name
    )
    return module, origin


def _run_user_code(subject: str, action: Callable[[], Any], file: str = "") -> Any:
    """Return what an action of the code of a user returns; its output goes to standard error.

    Raises ConfigError with the line of an error in the file of this name.
    """
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return action()
    except ConfigError as error:
        raise ConfigError(f"{subject}: {error}") from None
    except Exception as error:
        position = code_position(error, file)
        raise ConfigError(
            f"{subject}: {position}{type(error).__name__}: {error}"
        ) from error


# --- installed packages


def entry_points() -> "dict[str, EntryPoint]":
    """Return the entry points of installed packages by name; nothing is imported.

    Raises ConfigError if two packages have the same name.
    """
    from importlib import metadata  # here, because most runs have no use for it

    points: dict[str, EntryPoint] = {}
    for point in metadata.entry_points(group=GROUP):
        other = points.get(point.name)
        if other and other.value != point.value:
            packages = f"{_package(other)}, {_package(point)}"
            raise ConfigError(
                f"the metric '{point.name}' is in two packages: {packages}"
            )
        points[point.name] = point
    return points


def _package(point: "EntryPoint") -> str:
    """Return name and version of the package of an entry point."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.value


def installed() -> dict[str, str]:
    """Return the package of each metric of an installed package, by name, without importing any."""
    return {name: _package(point) for name, point in entry_points().items()}


def find(name: str) -> bool:
    """Import and register the metric of this name of an installed package, if there is one.

    Returns whether there is.
    """
    if not NAME.fullmatch(name):
        return False
    point = entry_points().get(name)
    if point is None:
        return False
    package = _package(point)
    value = _run_user_code(f"the metric '{name}' of {package}", point.load)
    code_digest = package_digest(point.module)
    origin = CodeOrigin("module", point.module, point.attr, code_digest, package)
    if _is_metric_class(value):
        _register_class(name, value, origin)
        return True
    plugin = _run_user_code(f"'{name}' of {package}", lambda: declared_metric(value))
    declared = replace(plugin.declared, name=name)
    if declared.names == (plugin.declared.name,):
        declared = replace(declared, names=(name,))
    register(replace(plugin, declared=declared).with_origin(origin))
    return True


# --- registered metrics


def register(plugin: Plugin) -> str:
    """Register a metric under its name, and return the name.

    Raises ConfigError if another metric has the name.
    """
    name = plugin.declared.name
    known = METRICS.entries.get(name)
    if isinstance(known, type) and issubclass(known, FunctionMetric):
        known_plugin = known.plugin
        if known_plugin is None:  # a metric of results
            _forget(name)
        elif known.declared == plugin.declared and known_plugin.target is plugin.target:
            return name
        elif _location(known_plugin) == _location(plugin):
            _forget(name)  # the same file, or a cell of a notebook, again
    label = "python"
    code_digest = ""
    if plugin.origin:
        label = plugin.origin.label
        code_digest = plugin.origin.sha256
    return _add(
        name, function_metric_class(plugin.declared, plugin), label, code_digest
    )


def _location(plugin: Plugin) -> str | None:
    return plugin.origin.location if plugin.origin else None


def _forget(name: str) -> None:
    del METRICS.entries[name]
    forget_names()


def _add(name: str, metric: type[Metric], label: str, code_digest: str) -> str:
    """Register a metric; raises ConfigError if the name, in any spelling, is taken."""
    if METRICS.entries.get(name) is metric:
        return name
    taken = named(name)
    if taken:
        owner = METRICS[taken].origin.get("from", "this program")
        taken_by = f"the name '{name}' is taken: {owner} has the metric {taken}"
        raise ConfigError(f"{label}: {taken_by}; choose another name")
    METRICS.entries[name] = metric
    metric.origin = {"from": label, "sha256": code_digest}
    forget_names()
    return name


def remember(declared: Iterable[Declared]) -> None:
    """Register metrics of results whose code is not available."""
    for each in declared:
        if each.name not in METRICS:
            METRICS.entries[each.name] = function_metric_class(each)
            forget_names()


def of_function(function: Callable[..., Any]) -> str:
    """Register a function, class or Plugin of Python as a metric, and return its name.

    Raises ConfigError for an object that is no function.
    """
    if not isinstance(function, Plugin) and not hasattr(function, "__name__"):
        kind = type(function).__name__
        remedy = f"give the class, and options in a mapping: {{'name': {kind}, ...}}"
        raise ConfigError(f"metrics: an object of {kind} was given; {remedy}")
    return register(_with_file_digest(declared_metric(function)))


def _with_file_digest(plugin: Plugin) -> Plugin:
    """Return a plug-in of Python with the digest that --plugin gives it, if a module with a file
    has it.

    Its numbers are then computed anew if the file, or one that it imports, changes. A program that
    is run, and a notebook, change often; there the digest of the code of the function is used.
    """
    known: Any = METRICS.entries.get(plugin.declared.name)
    is_function_metric = isinstance(known, type) and issubclass(known, FunctionMetric)
    if is_function_metric and known.plugin and known.plugin.target is plugin.target:
        return replace(
            plugin, declared=replace(plugin.declared, code=known.declared.code)
        )
    module = sys.modules.get(plugin.target.__module__)
    path = getattr(module, "__file__", None)
    if (
        plugin.declared.version
        or not module
        or not path
        or module.__name__ == "__main__"
    ):
        return plugin
    for value in vars(module).values():
        target = value.target if isinstance(value, Plugin) else value
        if target is plugin.target:
            file_digest = sha256(Path(str(path)).read_bytes()).hexdigest()
            code = digest((file_digest + helpers(module)).encode(), size=6)
            return replace(plugin, declared=replace(plugin.declared, code=code))
    return plugin


class FunctionSource(MetricSource):
    """Functions and classes of users: those of files and modules, of packages, and of Python."""

    def take_options(self, plugins: Sequence[str], *, download: bool) -> None:
        """Import what --plugin names; allow downloads of models."""
        if download:
            allow_download()
        for argument in plugins:
            load(argument)

    def find(self, name: str) -> bool:
        """Import and register the metric of an installed package."""
        return find(name)

    def packages(self) -> Mapping[str, str]:
        """Return the packages of metrics by name, without importing any."""
        return installed()

    def name_of(self, function: Callable[..., Any]) -> str:
        """Register a function or class of Python, and return its name."""
        return of_function(function)

    def restored(self, declared: Mapping[str, Declared], signature: str) -> Metric:
        """Return the metric of a signature in results; its code is not needed."""
        name = signature.partition("|")[0]
        if getattr(METRICS.get(name), "is_built_in", False):
            return from_text(signature)
        remember(declared.values())
        return restored(declared[name], signature)

    def metrics_of_scores(
        self, metrics: Sequence[Metric], scores: Mapping[str, Mapping[str, Any]]
    ) -> list[Any]:
        """Return entries of `external` for arrays whose title no metric has."""
        return list(external_entries(metrics, scores))


SOURCE = FunctionSource()
