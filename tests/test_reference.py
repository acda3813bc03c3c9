"""The docstrings are the reference of the Python interface: here they are held against the
signatures.

The measure is `pipeline.__all__`. What is added there is looked at without a change of this file.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import pytest

import pipeline
from tests.conftest import ROOT

PAGE = (ROOT / "pipeline" / "help" / "api.md").read_text("utf-8")


def members(owner: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties of a class of this package, those of its bases too."""
    for name, value in inspect.getmembers_static(owner):
        home = next(base for base in owner.__mro__ if name in vars(base))
        if not name.startswith("_") and home.__module__.startswith("pipeline"):
            yield (
                name,
                value.__func__
                if isinstance(value, classmethod | staticmethod)
                else value,
            )


def described() -> dict[str, tuple[Any, str]]:
    """Return functions, methods and properties by their names, each with the docstrings that may
    explain it.
    """
    found: dict[str, tuple[Any, str]] = {}
    for name in pipeline.__all__:
        value = getattr(pipeline, name)
        if isinstance(value, FunctionType):
            found[name] = value, value.__doc__ or ""
        elif isinstance(value, type):
            found[name] = value, value.__doc__ or ""
            for member, of_class in members(value):
                if isinstance(of_class, FunctionType | property):
                    found[f"{name}.{member}"] = of_class, of_class.__doc__ or ""
    return found


DESCRIBED = described()


def test_what_is_looked_at_is_there() -> None:
    """By reading: else the tests below could pass because nothing was found."""
    assert {
        "evaluate",
        "run",
        "Result.score",
        "Result.to_pandas",
        "Evaluation.get",
        "Evaluation.plot",
    } <= set(DESCRIBED)


@pytest.mark.parametrize("name", DESCRIBED)
def test_everything_public_has_a_docstring_that_names_every_argument(
    name: str,
) -> None:
    value, text = DESCRIBED[name]
    assert text.strip(), f"{name} has no docstring"
    if isinstance(value, property):
        return
    values = (
        ""
        if isinstance(value, FunctionType)
        else f" {value.__init__.__doc__ or ''}"
    )
    fields = (
        " ".join(field.name for field in dataclasses.fields(value))
        if dataclasses.is_dataclass(value)
        else ""
    )
    of_class = (
        getattr(pipeline, name.partition(".")[0]).__doc__ or ""
        if "." in name
        else ""
    )
    known = f"{text}{values} {fields} {of_class}"
    arguments = [
        argument.name
        for argument in inspect.signature(value).parameters.values()
        if argument.name not in ("self", "cls")
        and not (isinstance(value, type) and name == "Evaluation")
    ]  # an Evaluation is made by evaluate, run and load alone
    assert [
        argument
        for argument in arguments
        if not re.search(rf"\b{argument}\b", known)
    ] == []


@pytest.mark.parametrize("name", DESCRIBED)
def test_everything_public_is_typed(name: str) -> None:
    value: Any = DESCRIBED[name][0]
    function: Any = value.fget if isinstance(value, property) else value
    if isinstance(value, property) and function.__name__ == "<lambda>":
        return  # an attribute of the score, whose fields are typed
    signature = inspect.signature(function)
    untyped = [
        argument.name
        for argument in signature.parameters.values()
        if argument.annotation is argument.empty
    ]
    assert untyped in ([], ["self"], ["cls"])
    assert (
        isinstance(value, type)
        or signature.return_annotation is not signature.empty
    )


def test_help_api_names_everything_public() -> None:
    """Each name as code: in a line of an example, or between `marks`."""
    code = "\n".join(
        [
            *re.findall(r"^ {4}.*$", PAGE, re.MULTILINE),
            *re.findall(r"`([^`]+)`", PAGE),
        ]
    )
    names = {name.rpartition(".")[2] for name in DESCRIBED} | set(
        pipeline.__all__
    )
    assert [
        name for name in sorted(names) if not re.search(rf"\b{name}\b", code)
    ] == []


def test_help_api_names_every_argument_of_the_functions() -> None:
    functions = [getattr(pipeline, name) for name in pipeline.__all__]
    arguments = {
        argument.name
        for function in functions
        if isinstance(function, FunctionType)
        for argument in inspect.signature(function).parameters.values()
    }
    assert [
        name
        for name in sorted(arguments)
        if not re.search(rf"\b{name}\b", PAGE)
    ] == []


def test_modules_in_the_public_names_have_a_docstring() -> None:
    modules = [getattr(pipeline, name) for name in pipeline.__all__]
    assert [
        m.__name__
        for m in modules
        if isinstance(m, ModuleType) and not m.__doc__
    ] == []
