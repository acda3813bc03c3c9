"""dataclass(), whose classes are made in a thirtieth of the time: most are never used by the process that imports them.

`dataclasses.dataclass` writes and compiles up to six methods for each class, half a millisecond in all. With some fifty
classes that was a quarter of the time of a short command. Here the method __init__ is compiled when the first object is
made, and the others are not compiled at all.
"""

from __future__ import annotations

import dataclasses
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

_NEW = object()
"""Stands for a value that is made anew for each object."""

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass
else:

    def dataclass(class_: type | None = None, /, *, frozen: bool = False, kw_only: bool = False) -> Any:
        """Do what dataclasses.dataclass does, for classes without fields that are left out of __init__."""
        if class_ is None:
            return lambda own: dataclass(own, frozen=frozen, kw_only=kw_only)
        if any(dataclasses.is_dataclass(base) for base in class_.__mro__[1:]):
            return dataclasses.dataclass(class_, frozen=frozen, kw_only=kw_only)
        dataclasses.dataclass(class_, init=False, repr=False, eq=False, kw_only=kw_only)
        class_.__dataclass_params__.frozen = frozen
        own = dataclasses.fields(class_)
        methods = {"__init__": _first_init(class_, frozen), "__repr__": _repr(own), "__eq__": _equal(own)}
        if frozen:
            compared = [field for field in own if (field.compare if field.hash is None else field.hash)]
            methods |= {"__hash__": _hash(compared), **_refusing(class_, {field.name for field in own})}
        for name, method in methods.items():
            if name not in vars(class_) or (name == "__hash__" and vars(class_)[name] is None):
                method.__qualname__ = f"{class_.__qualname__}.{name}"
                setattr(class_, name, method)
        if not frozen and "__hash__" not in vars(class_):
            class_.__hash__ = None
        return class_


def _first_init(class_: Any, frozen: bool) -> Callable[..., None]:
    """Return the method __init__ of a new class, which compiles the one that takes its place, and calls that."""

    def __init__(self: object, /, *args: Any, **kwargs: Any) -> None:  # noqa: N807 (it is a method)
        compiled = _compiled_init(class_, frozen)
        if vars(class_)["__init__"] is __init__:
            class_.__init__ = compiled
        compiled(self, *args, **kwargs)

    return __init__


def _compiled_init(class_: Any, frozen: bool) -> Callable[..., None]:
    """Return the method __init__ for the fields of a class, which it compiles."""
    names: dict[str, Any] = {"_set": object.__setattr__, "_NEW": _NEW}
    positional, by_keyword, body = list[str](), list[str](), list[str]()
    for field in dataclasses.fields(class_):
        parameter, value = field.name, field.name
        if field.default_factory is not dataclasses.MISSING:
            names[f"_make_{field.name}"] = field.default_factory
            parameter, value = f"{parameter}=_NEW", f"_make_{field.name}() if {field.name} is _NEW else {field.name}"
        elif field.default is not dataclasses.MISSING:
            names[f"_default_{field.name}"] = field.default
            parameter = f"{parameter}=_default_{field.name}"
        (by_keyword if field.kw_only else positional).append(parameter)
        body.append(f"_set(self, {field.name!r}, {value})" if frozen else f"self.{field.name} = {value}")
    if hasattr(class_, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join(["self", *positional, *["*"] * bool(by_keyword), *by_keyword])
    exec(f"def __init__({parameters}):\n " + "\n ".join(body or ["pass"]), names)  # noqa: S102 (names of fields)
    compiled: Any = names["__init__"]
    compiled.__qualname__ = f"{class_.__qualname__}.__init__"
    compiled.__annotations__ = {field.name: field.type for field in dataclasses.fields(class_)} | {"return": None}
    return compiled  # type: ignore[no-any-return]


def _values(fields: list[Any]) -> Callable[[object], tuple[object, ...]]:
    """Return what gives the values of fields of an object."""
    names = [field.name for field in fields]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda item: tuple([getattr(item, name) for name in names])


def _repr(fields: Any) -> Callable[[object], str]:
    names = [field.name for field in fields if field.repr]

    def __repr__(self: object) -> str:  # noqa: N807
        return f"{type(self).__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in names])})"

    return recursive_repr()(__repr__)


def _equal(fields: Any) -> Callable[[object, object], bool]:
    values = _values([field for field in fields if field.compare])

    def __eq__(self: object, other: object) -> bool:  # noqa: N807
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(fields: list[Any]) -> Callable[[object], int]:
    values = _values(fields)

    def __hash__(self: object) -> int:  # noqa: N807
        return hash(values(self))

    return __hash__


def _refusing(class_: Any, names: set[str]) -> dict[str, Callable[..., None]]:
    """Return the methods that let nobody change an object."""

    def __setattr__(self: object, name: str, value: object) -> None:  # noqa: N807
        if type(self) is class_ or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(class_, self).__setattr__(name, value)

    def __delattr__(self: object, name: str) -> None:  # noqa: N807
        if type(self) is class_ or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(class_, self).__delattr__(name)

    return {"__setattr__": __setattr__, "__delattr__": __delattr__}
