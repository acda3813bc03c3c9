"""`pipeline.metric`: makes a metric of a function, or of a class, that scores batches of texts.

    @pipeline.metric(version="1")
    def kept(sources, outputs):
        return [...]                    # a number for each output

The positional parameters name the texts that a call gets, and the keyword-only ones are the options
of the metric.
"""

import inspect
import re
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import (
    Any,
    Literal,
    NewType,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from pipeline.errors import ConfigError, did_you_mean
from pipeline.files import digest
from pipeline.metrics import Declared, Parameter

from .code_files import CodeOrigin

NAME = re.compile(r"[a-z][a-z0-9_]{0,49}")
"""Names of metrics and of their numbers."""
VERSION = re.compile(r"[A-Za-z0-9_.-]{1,30}")
TEXTS = ("sources", "outputs", "references")
"""The parameters of a call."""
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
"""Names that options cannot have, since configs and signatures use them for something else."""
SECRET = re.compile(r"key|token|secret|password")
"""Names that options cannot have, since options are printed in signatures, results and caches."""
Model = NewType("Model", Path)
"""The annotation of an option that is a model: a folder, or a name of the Hugging Face hub; see
`models.py`.
"""
KINDS: dict[Any, str] = {
    bool: "bool",
    int: "int",
    float: "float",
    str: "str",
    Path: "path",
    Model: "model",
}
"""The kinds of options by their annotations."""
FORMS = {
    "int": ("a whole number", r"-?[0-9]{1,18}"),
    "float": (
        "a number such as 0.5",
        r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,3})?",
    ),
}
"""The kinds of options that are numbers: their description in messages, and their pattern."""


@dataclass(frozen=True, eq=False)
class Plugin:
    """A metric of a user with its code. Calling it calls the code."""

    target: Callable[..., Any]
    """A function of batches, or a class whose objects are such functions."""
    declared: Declared
    batch_size: int = 32
    workers: int | None = None
    waits: bool = False
    origin: CodeOrigin | None = None
    """None for an object of Python that no other process can import."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call the code."""
        return self.target(*arguments, **options)

    @property
    def has_load(self) -> bool:
        """Whether objects load a model, and therefore run in a process of their own."""
        return hasattr(self.target, "load")

    def with_origin(self, origin: CodeOrigin, helpers: str = "") -> "Plugin":
        """Return the plug-in with the origin of its code.

        `helpers` is the digest of the user's files that the code imports.
        """
        return replace(self.with_digest(origin.sha256 + helpers), origin=origin)

    def with_digest(self, files: str) -> "Plugin":
        """Return the plug-in with a digest of its code from those of its files; none with a version."""
        code = "" if self.declared.version else digest(files.encode(), size=6)
        return self.with_code(code)

    def with_code(self, code: str) -> "Plugin":
        """Return the plug-in with this digest of its code."""
        return replace(self, declared=replace(self.declared, code=code))

    def build(self, options: Mapping[str, Any]) -> Any:
        """Return the function of batches for these values of the options."""
        values = {}
        for parameter in self.declared.parameters:
            if parameter.name in options:
                value = options[parameter.name]
                values[parameter.name] = code_value(parameter, value)
        if inspect.isclass(self.target):
            return self.target(**values)
        return partial(self.target, **values) if values else self.target


def code_value(parameter: Parameter, text: Any) -> Any:
    """Return what the code gets for the value of an option."""
    if text == "" and parameter.kind != "bool":
        return None
    if text in parameter.choices:
        return text
    convert = {"int": int, "float": float, "path": Path, "model": Path}
    return convert.get(parameter.kind, _unchanged)(text)


def _unchanged(text: Any) -> Any:
    return text


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

    The positional parameters of the function (of a class, those of `__call__`) name what a call
    gets: `sources`, `outputs` and `references`, lists of equal length. It returns a list with an
    item for each line. Keyword-only parameters (of a class, those of `__init__`) are the options of
    the metric; each needs an annotation.

    `object` is the function or class. `name` is that of the metric; the default is the name of the
    function. `version` changes when numbers change; without it every change of the code makes all
    numbers new. `names` are the names of the numbers of a line, the score first. `returns` is score
    (a number, or a tuple as `names`) or counts (true positives, false positives, false negatives,
    from which F-beta is computed, with the weight `beta` of recall and so many `decimals`). `level`
    is the mean or the sum over the lines. `higher_is_better` False: ranks and tests go by the
    lowest score. `each_reference`: a call gets one reference for each output, and the best counts.
    `listwise`: a call gets, for each line, the tuple of its distinct outputs. `scale` is the number
    that is printed as 100; 0 prints numbers unchanged. `beside` is a regular expression of further
    names that are columns of tables. `none` is the meaning of None: error, skip (the line is left
    out for all systems), or a number in its place. `batch_size` is the maximum number of lines of a
    call, `workers` that of concurrent calls. `waits`: calls wait for a network. `deterministic`
    False: the same texts may give other numbers, and the first ones are stored. `cite` has BibTeX
    entries.

    Raises ConfigError, with file and line, for a wrong declaration.
    """
    settings = {
        key: value for key, value in locals().items() if key != "object"
    }
    if object is None:
        return lambda target: metric(target, **settings)
    if isinstance(object, Plugin):
        return object
    reader = _SignatureReader(object)
    metric_name = name or reader.name()
    _check_values(reader.fail, **(settings | {"name": metric_name}))
    reads, parameters = reader.parameters()
    if each_reference and listwise:
        reader.fail("listwise has no each_reference")
    if each_reference and "references" not in reads:
        reader.fail("each_reference needs the parameter references")
    documentation = inspect.getdoc(object) or "a metric of your own"
    first_paragraph = documentation.partition("\n\n")[0]
    declared = Declared(
        name=metric_name,
        summary=" ".join(first_paragraph.split()).rstrip(". "),
        version=version or "",
        code="" if version else code_digest(object),
        names=_texts(names) or (metric_name,),
        returns=returns,
        level="corpus" if returns == "counts" else level,
        reads=reads,
        optional=reader.optional,
        each_reference=each_reference,
        listwise=listwise,
        higher_is_better=higher_is_better,
        scale=scale,
        beta=beta,
        decimals=decimals,
        beside=beside,
        none=none if isinstance(none, str) else repr(float(none)),
        deterministic=deterministic,
        cite=_texts(cite),
        parameters=parameters,
    )
    return Plugin(
        object, declared, batch_size=batch_size, workers=workers, waits=waits
    )


def _texts(value: Any) -> tuple[str, ...]:
    """Return a text, or several, as a tuple."""
    return (value,) if isinstance(value, str) else tuple(value or ())


def _check_values(
    fail: Callable[[str], None],
    *,
    name: str,
    version: str | None,
    names: Any,
    returns: str,
    level: str,
    none: Any,
    batch_size: int,
    decimals: int,
    scale: float,
    beta: float,
    **_: Any,
) -> None:
    """Call `fail` for arguments of metric() that are out of range or do not go together."""
    if name == "<lambda>":
        fail(
            'a lambda has no name; give one: pipeline.metric(function, name="short")'
        )
    name_form = "small letters, digits and _, at most 50"
    if not NAME.fullmatch(name):
        fail(f"'{name}' cannot be the name of a metric: {name_form}")
    if version is not None and not VERSION.fullmatch(version):
        form = "at most 30 letters, digits and . _ -"
        fail(f"version: expected {form}, found {version!r}")
    for number_name in _texts(names):
        if not NAME.fullmatch(number_name):
            fail(f"names: '{number_name}' cannot be a name: {name_form}")
    if returns not in ("score", "counts"):
        fail(f"returns: expected score or counts, found {returns!r}")
    if level not in ("mean", "sum"):
        fail(f"level: expected mean or sum, found {level!r}")
    if returns == "counts" and (names or level != "mean" or none == "skip"):
        takes = 'it takes no names, level or none="skip"'
        fail(f'returns="counts" has the outputs precision and recall: {takes}')
    is_number = isinstance(none, int | float) and not isinstance(none, bool)
    if not is_number and none not in ("error", "skip"):
        fail(f"none: expected error, skip or a number, found {none!r}")
    if batch_size < 1 or not 0 <= decimals <= 9 or scale < 0 or beta <= 0:
        limits = (
            "batch_size is at least 1, decimals are 0 to 9, scale is at least 0"
        )
        fail(f"{limits}, beta is above 0")


class _SignatureReader:
    """Reads the parameters of a function or class; errors have the file and line of its code."""

    def __init__(self, target: Any) -> None:
        """Take a function or a class; raises ConfigError for anything else."""
        self.target = target
        self.optional: tuple[str, ...] = ()
        self.is_class = inspect.isclass(target)
        self.call = target
        is_callable = callable(target)
        if self.is_class:
            self.call = target.__call__
            is_callable = any(
                "__call__" in vars(base) for base in target.__mro__[:-1]
            )
        if not is_callable:
            expected = (
                "expected a function, or a class with the method __call__"
            )
            self.fail(f"{expected}, found {type(target).__name__}")

    def fail(self, message: str) -> None:
        """Raise ConfigError with the file and line of the declaration."""
        code = getattr(inspect.unwrap(self.call), "__code__", None)
        position = ""
        if code:
            position = f"{Path(code.co_filename).name}:{code.co_firstlineno}: "
        raise ConfigError(f"{position}{message}")

    def name(self) -> str:
        """Return the name of the function or class, in small letters with underscores."""
        between_words = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
        name = getattr(self.target, "__name__", "")
        return re.sub(between_words, "_", name).lower()

    def parameters(self) -> tuple[tuple[str, ...], tuple[Parameter, ...]]:
        """Return the names of the texts that a call gets, and the options of the metric.

        The options of a function are its keyword-only parameters, those of a class are the
        parameters of `__init__`. Sets `optional`. Raises ConfigError for wrong parameters.
        """
        # sort the parameters
        option_parameters = []
        text_parameters = []
        all_parameters = list(inspect.signature(self.call).parameters.values())
        initializer = self.target
        if self.is_class:
            text_parameters = all_parameters[1:]  # without self
            initializer = self.target.__init__
            if initializer is not object.__init__:
                signature = inspect.signature(initializer)
                option_parameters = list(signature.parameters.values())[1:]
        else:
            for parameter in all_parameters:
                if parameter.kind is parameter.KEYWORD_ONLY:
                    option_parameters.append(parameter)
                else:
                    text_parameters.append(parameter)

        # the texts
        texts = []
        for parameter in text_parameters:
            self._check_text(parameter)
            texts.append(parameter.name)
            if parameter.default is not parameter.empty:
                self.optional = (*self.optional, parameter.name)
        if "outputs" not in texts:
            self.fail("the parameter outputs is missing")

        # the options, by their annotations
        hints: dict[str, Any] = {}
        if option_parameters:
            try:
                hints = get_type_hints(initializer)
            except Exception as error:  # noqa: BLE001 (whatever a text of the user's raises)
                self.fail(f"the annotations cannot be read: {error}")
        options = []
        for parameter in option_parameters:
            options.append(self._option(parameter, hints.get(parameter.name)))
        return tuple(texts), tuple(options)

    def _check_text(self, parameter: inspect.Parameter) -> None:
        """Raise ConfigError for a positional parameter that is not named as the texts of a line."""
        is_positional = parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        if parameter.name in TEXTS and is_positional:
            return
        wrong = f"'{parameter.name}' is no text of a line"
        if parameter.default is not parameter.empty:
            self.fail(
                f"{wrong}; options stand behind a *: def f(outputs, *, ...)"
            )
        hint = did_you_mean(parameter.name, TEXTS)
        self.fail(f"{wrong}{hint}; parameters are sources, outputs, references")

    def _option(self, parameter: inspect.Parameter, hint: Any) -> Parameter:
        """Return the option of a parameter; raises ConfigError for its name or annotation.

        `hint` is the annotation. A parameter whose default is None, and whose annotation allows
        None, has an empty default: it need not be given.
        """
        name = parameter.name
        refused = f"'{name}' cannot be an option:"
        if name in RESERVED or name.startswith("_"):
            self.fail(
                f"{refused} it means something else in configs and signatures"
            )
        if SECRET.search(name):
            reason = "options stand in results and caches; read secrets from os.environ"
            self.fail(f"{refused} {reason}")

        # in a union, take off None (X | None) and words beside a path (Literal["a"] | Path)
        members = get_args(hint)
        optional = False
        choices: tuple[str, ...] = ()
        if get_origin(hint) in (types.UnionType, Union):
            types_but_none = [
                member for member in members if member is not type(None)
            ]
            literals = [
                member
                for member in types_but_none
                if get_origin(member) is Literal
            ]
            has_none = len(types_but_none) < len(members)
            optional = has_none and parameter.default is None
            if len(types_but_none) == 1:
                hint = types_but_none[0]
            elif literals and {*types_but_none} - {*literals} == {Path}:
                hint = Path
                choices = tuple(map(str, get_args(literals[0])))
                optional = parameter.default is None

        # the kind
        if get_origin(hint) is Literal:
            kind = "choice"
            choices = tuple(map(str, get_args(hint)))
        else:
            kind = KINDS.get(hint, "")
        if not kind:
            allowed = "bool, int, float, str, Literal[...], Path"
            known = f"{allowed}, or one of these with `| None = None`"
            self.fail(f"the option {name} needs an annotation: {known}")

        # the default
        if optional:
            return Parameter(name, kind, choices, "")
        default = parameter.default
        if default is None or default is parameter.empty:
            no_default = "False" if kind == "bool" else None
            return Parameter(name, kind, choices, no_default)
        text = repr(float(default)) if kind == "float" else str(default)
        return Parameter(name, kind, choices, text)


def code_digest(target: Any) -> str:
    """Return a digest of the code of a function or class that is in no file."""
    if inspect.isclass(target):
        methods = [
            value
            for value in vars(target).values()
            if inspect.isfunction(value)
        ]
        return digest(
            *(code_digest(method).encode() for method in methods), size=6
        )
    code = getattr(inspect.unwrap(target), "__code__", None)
    content = code_text(code) if code else repr(type(target))
    return digest(content.encode(), size=6)


def code_text(code: types.CodeType) -> str:
    """Return what a code object does: its instructions, names and constants."""
    constants = []
    for constant in code.co_consts:
        is_code = isinstance(constant, types.CodeType)
        constants.append(code_text(constant) if is_code else repr(constant))
    return (
        f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {constants}"
    )
