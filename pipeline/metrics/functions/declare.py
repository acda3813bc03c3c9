"""`pipeline.metric`: makes a metric of a function, or of a class, that scores batches of texts.

    @pipeline.metric(version="1")
    def kept(sources, outputs):
        return [...]                    # a number for each output

The positional parameters say which texts a call gets, and the keyword-only ones are the options of
the metric."""

import inspect
import re
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, NewType, Union, get_args, get_origin, get_type_hints

from ...errors import ConfigError, did_you_mean
from ...files.safe_files import digest
from ..base.declared import Declared, Parameter

NAME = re.compile(r"[a-z][a-z0-9_]{0,49}")
VERSION = re.compile(r"[A-Za-z0-9_.-]{1,30}")
TEXTS = ("sources", "outputs", "references")
"""What a call can get of a line."""
RESERVED = (
    "name",
    "level",
    "beta",
    "none",
    "version",
    "code",
    "among",
    "title",
    "nrefs",
    "v",
    "higher_is_better",
)
"""Names that options cannot have, since configs and signatures mean something else by them."""
SECRET = re.compile(r"key|token|secret|password")
"""Options stand in signatures, results and caches: a secret must not be one."""
Model = NewType("Model", Path)
"""The annotation of an option that is a model: a folder, or a name of the Hugging Face hub; see
`models.py`."""
KINDS: dict[Any, str] = {
    bool: "bool",
    int: "int",
    float: "float",
    str: "str",
    Path: "path",
    Model: "model",
}
FORMS = {
    "int": ("a whole number", r"-?[0-9]{1,18}"),
    "float": ("a number such as 0.5", r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,3})?"),
}
"""Options that are numbers: what they are called, and how they are written."""


class Place(NamedTuple):
    """Where code was imported from, so that another process can import it too."""

    kind: Literal["file", "module"]
    text: str
    """The path of a file, or the name of a module."""
    name: str
    """The name of the object in it."""
    sha256: str
    """The digest of the file, or of the files of the package; empty for the program itself."""
    told: str
    """What messages call it, such as kept.py or acme-metrics 1.4.0."""


@dataclass(frozen=True, eq=False)
class Plugin:
    """A metric of a user with its code. Calling it calls the code."""

    target: Callable[..., Any]
    """A function of batches, or a class whose objects are such functions."""
    declared: Declared
    batch_size: int = 32
    workers: int | None = None
    waits: bool = False
    place: Place | None = None
    """None: it was given as an object of Python."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the code."""
        return self.target(*arguments, **named)

    @property
    def has_load(self) -> bool:
        """Whether objects load a model, so that they have a process of their own."""
        return hasattr(self.target, "load")

    def at(self, place: Place, helpers: str = "") -> "Plugin":
        """Return it with the place that its code was found at. `helpers` is the digest of what the
        code imports.
        """
        code = "" if self.declared.version else digest((place.sha256 + helpers).encode(), size=6)
        return replace(self, place=place, declared=replace(self.declared, code=code))

    def made(self, options: Mapping[str, Any]) -> Any:
        """Return what is called with batches, for the values of the options."""
        parameters = {parameter.name: parameter for parameter in self.declared.parameters}
        values = {name: parameters[name].value(value) for name, value in options.items()}
        if inspect.isclass(self.target):
            return self.target(**values)
        return partial(self.target, **values) if values else self.target


def metric(
    object: Callable[..., Any] | None = None,  # noqa: A002 (positional only, and the plainest word)
    /,
    *,
    name: str | None = None,
    version: str | None = None,
    names: tuple[str, ...] | None = None,
    returns: Literal["score", "counts"] = "score",
    level: Literal["mean", "sum"] = "mean",
    each_reference: bool = False,
    listwise: bool = False,
    higher_is_better: bool = True,
    scale: float = 1,
    beta: float = 0.5,
    decimals: int = 0,
    beside: str = "",
    none: Literal["error", "skip"] | float = "error",
    batch_size: int = 32,
    workers: int | None = None,
    waits: bool = False,
    deterministic: bool = True,
    cite: tuple[str, ...] = (),
) -> Any:
    """Make a metric of a function of batches, or of a class whose objects are called with batches.

    The positional parameters of the function (of a class, those of `__call__`) say what a call
    gets: `sources`, `outputs` and `references`, lists of equal length. It returns a list with an
    item for each line. Keyword-only parameters (of a class, those of `__init__`) are the options of
    the metric; each needs an annotation.

    `object` is the function or class. `name` is that of the metric; the default is the name of the
    function. `version` says when numbers change; without it every change of the code makes all
    numbers new. `names` are the names of the numbers of a line, the score first. `returns` is score
    (a number, or a tuple as `names`) or counts (true positives, false positives, false negatives;
    F-beta is made of them, with the weight `beta` of recall and so many `decimals`). `level` is the
    mean or the sum over the lines. `higher_is_better` False: ranks and tests go by the lowest
    score. `each_reference`: a call gets one reference for each output, and the best counts.
    `listwise`: a call gets, for each line, the tuple of its distinct outputs. `scale` is the number
    that is shown as 100; 0 means that numbers are shown as they are. `beside` is a regular
    expression of further names that are columns of tables. `none` is what None means: error, skip
    (the line is left out for all systems), or a number that stands for it. `batch_size` is the most
    lines that a call gets, `workers` the most calls at once. `waits`: calls wait for a network.
    `deterministic` False: the same texts may give other numbers, and the first ones are kept.
    `cite` has BibTeX entries.

    Raises ConfigError, with file and line, for what is wrong with the declaration.
    """
    given = {key: value for key, value in locals().items() if key != "object"}
    if object is None:
        return lambda target: metric(target, **given)
    if isinstance(object, Plugin):
        return object
    check = _Check(object)
    between_words = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
    title = name or re.sub(between_words, "_", getattr(object, "__name__", "")).lower()
    if title == "<lambda>":
        check.fail('a lambda has no name; give one: pipeline.metric(function, name="short")')
    if not NAME.fullmatch(title):
        check.fail(
            f"'{title}' cannot be the name of a metric: small letters, digits and _, at most 50"
        )
    if version is not None and not VERSION.fullmatch(version):
        check.fail(f"version: expected at most 30 letters, digits and . _ -, found {version!r}")
    texts, parameters = check.parameters()
    if each_reference and ("references" not in texts or listwise):
        check.fail(
            "each_reference needs the parameter references"
            if not listwise
            else "listwise has no each_reference"
        )
    outputs = (names,) if isinstance(names, str) else tuple(names or (title,))
    for wrong in (each for each in outputs if not NAME.fullmatch(each)):
        check.fail(f"names: '{wrong}' cannot be a name: small letters, digits and _, at most 50")
    for what, value, known in (
        ("returns", returns, ("score", "counts")),
        ("level", level, ("mean", "sum")),
    ):
        if value not in known:
            check.fail(f"{what}: expected {' or '.join(known)}, found {value!r}")
    if returns == "counts" and (names or level != "mean" or none == "skip"):
        check.fail(
            'returns="counts" has the outputs precision and recall: it takes no names, level or none="skip"'
        )
    if not (isinstance(none, int | float) and not isinstance(none, bool)) and none not in (
        "error",
        "skip",
    ):
        check.fail(f"none: expected error, skip or a number, found {none!r}")
    if batch_size < 1 or not 0 <= decimals <= 9 or scale < 0 or beta <= 0:
        check.fail(
            "batch_size is at least 1, decimals are 0 to 9, scale is at least 0, beta is above 0"
        )
    return Plugin(
        object,
        Declared(
            name=title,
            summary=_summary(object),
            version=version or "",
            code="" if version else code_digest(object),
            names=outputs,
            returns=returns,
            level="corpus" if returns == "counts" else level,
            reads=texts,
            optional=check.optional,
            each_reference=each_reference,
            listwise=listwise,
            higher_is_better=higher_is_better,
            scale=scale,
            beta=beta,
            decimals=decimals,
            beside=beside,
            none=none if isinstance(none, str) else repr(float(none)),
            deterministic=deterministic,
            cite=(cite,) if isinstance(cite, str) else tuple(cite),
            parameters=parameters,
        ),
        batch_size=batch_size,
        workers=workers,
        waits=waits,
    )


class _Check:
    """Reads the parameters of a function or class; what is wrong is told with file and line."""

    def __init__(self, target: Any) -> None:
        self.target = target
        self.optional: tuple[str, ...] = ()
        self.call = target.__call__ if inspect.isclass(target) else target
        bases = target.__mro__[:-1] if inspect.isclass(target) else ()
        if not callable(target) or (bases and not any("__call__" in vars(base) for base in bases)):
            self.fail(
                f"expected a function, or a class with the method __call__, found {type(target).__name__}"
            )

    def fail(self, message: str) -> None:
        """Raise ConfigError with the place of the declaration."""
        code = getattr(inspect.unwrap(self.call), "__code__", None)
        where = f"{Path(code.co_filename).name}:{code.co_firstlineno}: " if code else ""
        raise ConfigError(f"{where}{message}")

    def parameters(self) -> tuple[tuple[str, ...], tuple[Parameter, ...]]:
        """Return the texts that a call gets, and the options."""
        is_class = inspect.isclass(self.target)
        own = list(inspect.signature(self.call).parameters.values())[1 if is_class else 0 :]
        texts = []
        for parameter in own:
            if parameter.kind is parameter.KEYWORD_ONLY and not is_class:
                continue
            if parameter.name not in TEXTS or parameter.kind is not parameter.POSITIONAL_OR_KEYWORD:
                if parameter.default is not parameter.empty:
                    self.fail(
                        f"'{parameter.name}' is no text of a line; options stand behind a *: def f(outputs, *, ...)"
                    )
                hint = did_you_mean(parameter.name, TEXTS)
                known = "parameters are sources, outputs, references"
                self.fail(f"'{parameter.name}' is no text of a line{hint}; {known}")
            texts.append(parameter.name)
            self.optional += (parameter.name,) * (parameter.default is not parameter.empty)
        if "outputs" not in texts:
            self.fail("the parameter outputs is missing")
        make = self.target.__init__ if is_class else self.target
        options = []
        if is_class and make is not object.__init__:
            options = list(inspect.signature(make).parameters.values())[1:]
        elif not is_class:
            options = [parameter for parameter in own if parameter.kind is parameter.KEYWORD_ONLY]
        try:
            hints = get_type_hints(make) if options else {}
        except Exception as error:  # noqa: BLE001 (whatever a text of the user's raises)
            self.fail(f"the annotations cannot be read: {error}")
        return tuple(texts), tuple(
            self._option(parameter, hints.get(parameter.name)) for parameter in options
        )

    def _option(self, parameter: inspect.Parameter, hint: Any) -> Parameter:
        name = parameter.name
        if name in RESERVED or name.startswith("_"):
            self.fail(
                f"'{name}' cannot be an option: it means something else in configs and signatures"
            )
        if SECRET.search(name):
            self.fail(
                f"'{name}' cannot be an option: options stand in results and caches; read secrets from os.environ"
            )
        given = None if parameter.default is parameter.empty else parameter.default
        optional = False
        if get_origin(hint) in (types.UnionType, Union) and type(None) in get_args(hint):
            others = [each for each in get_args(hint) if each is not type(None)]
            hint, optional = others[0] if len(others) == 1 else hint, parameter.default is None
        words = [each for each in get_args(hint) if get_origin(each) is Literal]
        if words and {*get_args(hint)} - {*words, type(None)} == {Path}:
            hint, optional = Path, parameter.default is None
        kind: str = KINDS.get(hint, "")
        choices = tuple(map(str, get_args(words[0]))) if words else ()
        if get_origin(hint) is Literal:
            kind, choices = "choice", tuple(map(str, get_args(hint)))
        if not kind:
            allowed = (
                "bool, int, float, str, Literal[...], Path, or one of these with `| None = None`"
            )
            self.fail(f"the option {name} needs an annotation: {allowed}")
        if optional:
            return Parameter(name, kind, choices, "")
        if kind == "bool" and given is None:
            given = False
        default = None if given is None else repr(float(given)) if kind == "float" else str(given)
        return Parameter(name, kind, choices, default)


def code_digest(target: Any) -> str:
    """Return a digest of the code of a function or class that is in no file."""
    if inspect.isclass(target):
        own = [value for value in vars(target).values() if inspect.isfunction(value)]
        return digest(*(code_digest(each).encode() for each in own), size=6)

    def told(code: types.CodeType) -> str:
        constants = [
            told(each) if isinstance(each, types.CodeType) else repr(each)
            for each in code.co_consts
        ]
        return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {constants}"

    code = getattr(inspect.unwrap(target), "__code__", None)
    return digest((told(code) if code else repr(type(target))).encode(), size=6)


def _summary(declared: Any) -> str:
    """Return the first paragraph of a docstring as one line, without the last full stop."""
    paragraph = (inspect.getdoc(declared) or "a metric of your own").partition("\n\n")[0]
    return " ".join(paragraph.split()).rstrip(". ")
