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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pipeline.errors import ConfigError, CorpusError
from pipeline.files import small_bytes
from pipeline.metrics import (
    METRICS,
    Declared,
    MetricSource,
    forget_names,
    from_text,
    named,
)
from pipeline.metrics.base import Metric, StatisticsSpec
from pipeline.parallel import prepare_workers

from . import external
from .code_files import (
    MODULE,
    CodeOrigin,
    code_position,
    module_from_bytes,
    package_digest,
)
from .declare import NAME, Plugin, metric
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


class FunctionSource(MetricSource):
    """Functions and classes of users: those of files and modules, of packages, and of Python."""

    def take_options(self, plugins: Sequence[str], *, download: bool) -> None:
        """Import what --plugin names, and allow downloads of models."""
        if download:
            allow_download()
        for argument in plugins:
            load(argument)

    def find(self, name: str) -> bool:
        """Import and register the metric of this name of an installed package."""
        point = entry_points().get(name) if NAME.fullmatch(name) else None
        if point is None:
            return False
        register_entry_point(point)
        return True

    def packages(self) -> dict[str, str]:
        """Return the packages of metrics by name, without importing any."""
        packages = {}
        for name, point in entry_points().items():
            packages[name] = package_of(point)
        return packages

    def name_of(self, function: Callable[..., Any]) -> str:
        """Register a function, class or Plugin of Python as a metric, and return its name.

        Raises ConfigError for an object that is no function.
        """
        is_function = isinstance(function, Plugin) or hasattr(
            function, "__name__"
        )
        if not is_function:
            kind = type(function).__name__
            remedy = f"give the class, and options in a mapping: {{'name': {kind}, ...}}"
            raise ConfigError(
                f"metrics: an object of {kind} was given; {remedy}"
            )
        plugin = _with_file_digest(metric(function))
        register(plugin)
        return plugin.declared.name

    def restored(
        self, declared: Mapping[str, Declared], signature: str
    ) -> Metric:
        """Return the metric of a signature in results; its code is not needed.

        `declared` has the declarations of all metrics of users in the results. Those whose code is
        not loaded are registered without code.
        """
        name = signature.partition("|")[0]
        if getattr(METRICS.get(name), "is_built_in", False):
            return from_text(signature)
        for declaration in declared.values():
            if declaration.name not in METRICS:
                metric_class = function_metric_class(declaration)
                METRICS.entries[declaration.name] = metric_class
                forget_names()
        return restored(declared[name], signature)

    def metrics_of_scores(
        self, metrics: Sequence[Metric], scores: Mapping[str, Mapping[str, Any]]
    ) -> list[Any]:
        """Return entries of `external` for arrays whose title no metric has."""
        return list(external.external_entries(metrics, scores))

    with_files = staticmethod(external.with_files)
    with_numbers = staticmethod(external.with_numbers)
    with_arrays = staticmethod(external.with_arrays)


SOURCE = FunctionSource()


# --- files and modules


def load(argument: str) -> None:
    """Import what --plugin names, a file or a module, and register its metrics.

    Raises ConfigError if the import fails, if there is no metric, and if a name is taken.
    """
    # import it; workers cannot import a file by the name of its module, so it is handed to them
    import_in_worker = None
    is_file = argument.endswith(".py") or "/" in argument or "\\" in argument
    if is_file:
        path = Path(argument)
        absolute = path.absolute()
        name, content = _new_file(path, argument)
        importing = partial(module_from_bytes, name, path, content)
        module = _run_user_code(f"--plugin {argument}", importing, path.name)
        content_digest = sha256(content).hexdigest()
        origin = CodeOrigin(
            "file", str(absolute), "", content_digest, path.name
        )
        import_in_worker = partial(module_from_bytes, name, absolute, content)
    else:
        importing = partial(import_module, argument)
        module = _run_user_code(f"--plugin {argument}", importing)
        package = package_digest(argument)
        origin = CodeOrigin("module", argument, "", package, argument)

    # register its functions, and its subclasses of Metric
    helper_digest = helpers(module)
    registered = 0
    for attribute, value in list(vars(module).items()):
        if isinstance(value, Plugin):
            plugin_origin = origin._replace(attribute=attribute)
            register(value.with_origin(plugin_origin, helper_digest))
            registered += 1
            continue
        if not _is_metric_class(value) or inspect.isabstract(value):
            continue
        if value.__module__ == module.__name__:  # not one that is imported
            if import_in_worker:
                prepare_workers(module.__name__, import_in_worker)
            _register_class(value.name, value, origin)
            registered += 1
    if not registered:
        remedy = "put @pipeline.metric before a function"
        raise ConfigError(f"--plugin {argument}: has no metric; {remedy}")


def _new_file(path: Path, argument: str) -> tuple[str, bytes]:
    """Return the module name and the content of a file; raises ConfigError if another has the name."""
    try:
        content = small_bytes(path, MAX_BYTES)
    except CorpusError as error:
        raise ConfigError(f"--plugin {error}") from None
    name = f"{MODULE}{path.stem}"
    absolute = path.absolute()
    first = _files.setdefault(name, absolute)
    if first != absolute:
        problem = f"{first} has the same name; rename one of them"
        raise ConfigError(f"--plugin {argument}: {problem}")
    return name, content


def _run_user_code(
    subject: str, action: Callable[[], Any], file: str = ""
) -> Any:
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
        message = f"{subject}: {position}{type(error).__name__}: {error}"
        raise ConfigError(message) from error


def helpers(module: ModuleType) -> str:
    """Return a digest of the user's own files that a module imports, directly or not.

    It is empty if there are none. Installed packages and Python's own modules have versions, and do
    not count.
    """
    installed_folders = {Path(__file__).parents[2]}
    for folder in sysconfig.get_paths().values():
        installed_folders.add(Path(folder).resolve())
    digests: dict[Path, str] = {}
    queue = [module]
    while queue:
        for imported in _imports_of(queue.pop()):
            path = Path(str(getattr(imported, "__file__", None))).resolve()
            is_installed = not installed_folders.isdisjoint(path.parents)
            if path.suffix != ".py" or path in digests or is_installed:
                continue
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
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append(str(node.module))
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return [sys.modules[name] for name in names if sys.modules.get(name)]


# --- installed packages


def entry_points() -> "dict[str, EntryPoint]":
    """Return the entry points of installed packages by name; nothing is imported.

    Raises ConfigError if two packages have the same name.
    """
    from importlib import metadata  # here, because most runs have no use for it

    points: dict[str, EntryPoint] = {}
    for point in metadata.entry_points(group=GROUP):
        other = points.setdefault(point.name, point)
        if other.value != point.value:
            packages = f"{package_of(other)}, {package_of(point)}"
            raise ConfigError(
                f"the metric '{point.name}' is in two packages: {packages}"
            )
    return points


def package_of(point: "EntryPoint") -> str:
    """Return name and version of the package of an entry point."""
    return (
        f"{point.dist.name} {point.dist.version}" if point.dist else point.value
    )


def register_entry_point(point: "EntryPoint") -> None:
    """Import the metric of an installed package, and register it under the name of its entry point.

    It is a subclass of Metric, or a function or class as metric() takes it. Raises ConfigError if
    its code fails.
    """
    name = point.name
    package = package_of(point)
    value = _run_user_code(f"the metric '{name}' of {package}", point.load)
    code_digest = package_digest(point.module)
    origin = CodeOrigin(
        "module", point.module, point.attr, code_digest, package
    )
    if _is_metric_class(value):
        _register_class(name, value, origin)
        return
    plugin = _run_user_code(f"'{name}' of {package}", lambda: metric(value))
    declared = replace(plugin.declared, name=name)
    if declared.names == (plugin.declared.name,):
        declared = replace(declared, names=(name,))
    register(replace(plugin, declared=declared).with_origin(origin))


# --- Python


def _with_file_digest(plugin: Plugin) -> Plugin:
    """Return a plug-in of Python with the digest that --plugin gives it, if its module has a file.

    Its numbers are then computed anew if the file, or one that it imports, changes. A program that
    is run, and a notebook, change often; there the digest of the code of the function is used.
    """
    known: Any = METRICS.entries.get(plugin.declared.name)
    known_plugin = known.plugin if _is_function_metric(known) else None
    if known_plugin and known_plugin.target is plugin.target:
        return plugin.with_code(known.declared.code)
    module = sys.modules.get(plugin.target.__module__)
    path = getattr(module, "__file__", None)
    if plugin.declared.version or not module or not path:
        return plugin
    if module.__name__ == "__main__":
        return plugin
    for value in vars(module).values():
        target = value.target if isinstance(value, Plugin) else value
        if target is plugin.target:
            file_digest = sha256(Path(path).read_bytes()).hexdigest()
            return plugin.with_digest(file_digest + helpers(module))
    return plugin


# --- registered metrics


def register(plugin: Plugin) -> None:
    """Register a metric under its name; raises ConfigError if another metric has the name.

    A metric of the same file, or of Python again, replaces the one before.
    """
    name = plugin.declared.name
    known: Any = METRICS.entries.get(name)
    if _is_function_metric(known):
        known_plugin = known.plugin
        if known_plugin is None:  # a metric of results
            _forget(name)
        elif (
            known.declared == plugin.declared
            and known_plugin.target is plugin.target
        ):
            return
        elif _location(known_plugin) == _location(plugin):
            _forget(name)  # the same file, or a cell of a notebook, again
    origin = {"from": "python", "sha256": ""}
    if plugin.origin:
        origin = plugin.origin.record
    _add(name, function_metric_class(plugin.declared, plugin), origin)


def _register_class(
    name: str, metric_class: type[Metric], origin: CodeOrigin
) -> None:
    """Register a subclass of Metric.

    Counts are stored under its `version`, or under the digest of its code if it has none.
    """
    known: Any = METRICS.entries.get(name)
    if _is_metric_class(known):
        same_module = known.__module__ == metric_class.__module__
        if same_module and known.origin.get("from") == origin.label:
            _forget(name)  # the same file again
    version = getattr(metric_class, "version", "") or origin.sha256[:12]
    module = sys.modules[metric_class.__module__]
    for value in vars(module).values():
        is_spec = inspect.isclass(value) and issubclass(value, StatisticsSpec)
        if is_spec and value.__module__ == module.__name__:
            value.owner = f"plugin:{name}:{version}"
    _add(name, metric_class, origin.record)


def _is_metric_class(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, Metric)


def _is_function_metric(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, FunctionMetric)


def _location(plugin: Plugin) -> str | None:
    return plugin.origin.location if plugin.origin else None


def _forget(name: str) -> None:
    del METRICS.entries[name]
    forget_names()


def _add(name: str, metric_class: type[Metric], origin: dict[str, str]) -> None:
    """Add a metric to METRICS; raises ConfigError if the name, in any spelling, is taken."""
    if METRICS.entries.get(name) is metric_class:
        return
    taken = named(name)
    if taken:
        owner = METRICS[taken].origin.get("from", "this program")
        taken_by = f"the name '{name}' is taken: {owner} has the metric {taken}"
        raise ConfigError(f"{origin['from']}: {taken_by}; choose another name")
    METRICS.entries[name] = metric_class
    metric_class.origin = origin
    forget_names()
