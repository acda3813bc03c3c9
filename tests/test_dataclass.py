"""The package's own dataclass(): by comparison with the one of Python, whose meaning it has."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, asdict, astuple, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from pipeline.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

Decorate = Any

SETTINGS = [{}, {"frozen": True}, {"kw_only": True}, {"frozen": True, "kw_only": True}]


def classes(decorate: Decorate, **settings: bool) -> dict[str, Any]:
    """Return classes of all kinds, made by a decorator."""

    @decorate(**settings)
    class Plain:
        """Fields of all kinds."""

        first: int
        second: str = "two"
        third: list[int] = field(default_factory=list)
        hidden: float = field(default=0.5, repr=False, compare=False)
        unhashed: tuple[int, ...] = field(default=(), hash=False)
        shared: ClassVar[int] = 7

    @decorate(**settings)
    class One:
        """A single field, and what a class may define itself."""

        only: float

        def __post_init__(self) -> None:
            assert self.only == self.only or self.only is NAN

        def __repr__(self) -> str:
            return "one"

    @decorate(**settings)
    class Nothing:
        """No field."""

    @decorate(**settings)
    class Unequal:
        """Its own idea of what is equal."""

        item: int

        def __eq__(self, other: object) -> bool:
            return False

        def __hash__(self) -> int:
            return 1

    @decorate(**settings)
    class Below(Plain):
        """More fields than the class above."""

        fourth: int = 4

    return {"Plain": Plain, "One": One, "Nothing": Nothing, "Unequal": Unequal, "Below": Below}


NAN = float("nan")
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Plain", (), {}),
    ("Plain", (1,), {}),
    ("Plain", (), {"first": 1}),
    ("Plain", (), {"first": 1, "second": "2", "third": [3], "hidden": 4.0, "unhashed": (5,)}),
    ("Plain", (1, "2", [3], 4.0, (5,)), {}),
    ("Plain", (1, "2", [3], 4.0, (5,), 6), {}),
    ("Plain", (1,), {"first": 2}),
    ("Plain", (1,), {"other": 2}),
    ("One", (), {"only": NAN}),
    ("One", (), {"only": 1.0}),
    ("Nothing", (), {}),
    ("Nothing", (1,), {}),
    ("Unequal", (), {"item": 1}),
    ("Below", (), {"first": 1, "fourth": 5}),
    ("Below", (1, "2", [3], 4.0, (5,), 6), {}),
]


def outcome(function: Callable[[], object]) -> object:
    """Return what a function returns, or the error that it raises."""
    try:
        return function()
    except (TypeError, AttributeError) as error:
        return type(error).__name__, str(error)


def said(item: Any) -> list[object]:
    """Return what an object says of itself, and does."""
    twin = copy.copy(item)
    return [
        outcome(lambda: repr(item)),
        outcome(lambda: item == twin),
        outcome(lambda: item == 1),
        outcome(lambda: hash(item)),
        outcome(lambda: hash(item) == hash(twin)),
        outcome(lambda: asdict(item)),
        outcome(lambda: astuple(item)),
        outcome(lambda: repr(replace(item))),
        outcome(lambda: setattr(twin, "first", 9)),
        outcome(lambda: setattr(twin, "another", 9)),
        outcome(lambda: delattr(twin, "first")),
        outcome(lambda: repr(sorted(vars(twin).items()))),
        outcome(lambda: twin == item),
    ]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize(("name", "positional", "named"), CALLS)
def test_classes_are_those_of_python(
    settings: dict[str, bool], name: str, positional: tuple[Any, ...], named: dict[str, Any]
) -> None:
    own = classes(dataclass, **settings)[name]
    other = classes(dataclasses.dataclass, **settings)[name]
    one, two = outcome(lambda: own(*positional, **named)), outcome(lambda: other(*positional, **named))
    if isinstance(two, tuple):
        assert one == two
    else:
        assert said(one) == said(two)
        assert said(own(*positional, **named)) == said(two)  # __init__ is the compiled one now


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_descriptions_of_classes_are_those_of_python(settings: dict[str, bool]) -> None:
    own, other = classes(dataclass, **settings), classes(dataclasses.dataclass, **settings)
    for name, class_ in own.items():
        expected = other[name]
        assert [repr(item) for item in fields(class_)] == [repr(item) for item in fields(expected)]
        assert getattr(class_, "__match_args__") == getattr(expected, "__match_args__")  # noqa: B009
        assert (class_.__hash__ is None) == (expected.__hash__ is None)
        assert class_.__dataclass_params__.frozen == expected.__dataclass_params__.frozen
        assert class_.__init__.__qualname__ == expected.__init__.__qualname__
        assert (getattr(class_, "second", None), getattr(class_, "third", None)) == (
            getattr(expected, "second", None),
            None,
        )


@dataclass(frozen=True)
class Sent:
    """A class that can be pickled."""

    item: int
    others: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True)
class Further(Sent):
    """A class of Python's own decorator below one of ours."""

    more: int = 3


def test_objects_travel_before_the_first_is_made_here() -> None:
    """A worker gets objects of classes of which it has made none."""
    data = pickle.dumps(Sent(1, (2,)))
    back = pickle.loads(data)  # noqa: S301 (our own)

    @dataclass(frozen=True)
    class Fresh:
        item: int
        others: tuple[int, ...] = ()

    fresh = object.__new__(Fresh)
    vars(fresh).update(vars(back))
    assert repr(fresh).endswith("Fresh(item=1, others=(2,))")
    assert (fresh, hash(fresh)) == (Fresh(1, (2,)), hash(Fresh(1, (2,))))
    assert back == Sent(1, (2,))


def test_classes_below_are_frozen_too() -> None:
    item = Further(1)
    assert (item.item, item.others, item.more, item) == (1, (), 3, replace(item))
    with pytest.raises(FrozenInstanceError):
        item.more = 4  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        item.item = 4  # type: ignore[misc]


def test_an_object_may_hold_itself() -> None:
    @dataclass
    class Ring:
        inner: object = None

    ring = Ring()
    ring.inner = ring
    assert repr(ring).endswith("Ring(inner=...)")


def test_threads_may_make_the_first_objects_together() -> None:
    for _ in range(20):

        @dataclass(frozen=True)
        class Shared:
            item: int

        with ThreadPoolExecutor(8) as pool:
            assert [item.item for item in pool.map(Shared, range(8))] == list(range(8))
