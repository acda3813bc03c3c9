"""Threads for short work on many items; where the system gives no thread, the calling one does the work."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")
R = TypeVar("R")


class Shared(Protocol):
    """A function like map() that returns a list."""

    def __call__(self, call: Callable[[T], R], items: Iterable[T], /) -> list[R]:
        """Return what the function returns for each item, in order."""


def alone(call: Callable[[T], R], items: Iterable[T], /) -> list[R]:
    """Do what a Shared does, in the calling thread."""
    return list(map(call, items))


def in_batches(shared: Shared, call: Callable[[T], R], items: Iterable[T], size: int) -> Iterator[R]:
    """Yield what a function returns for each item, in order. So many items are taken and shared at once."""
    left = iter(items)
    while batch := list(islice(left, size)):
        yield from shared(call, batch)


@contextmanager
def threads(number: int) -> Iterator[Shared]:
    """Yield a function like map() whose calls are shared by a number of threads; it returns a list.

    Where no thread can be started, items that a thread has already begun are done again: calls must allow that.
    One thread is the calling one.
    """
    if number == 1:
        yield alone
        return
    from concurrent.futures import ThreadPoolExecutor  # here, because small runs need no thread

    with ThreadPoolExecutor(number) as pool:

        def shared(call: Callable[[T], R], items: Iterable[T], /) -> list[R]:
            given = list(items)
            try:
                futures = [pool.submit(call, item) for item in given]
            except (RuntimeError, MemoryError):
                return list(map(call, given))
            return [future.result() for future in futures]

        yield shared


@contextmanager
def beside(call: Callable[[], R]) -> Iterator[Callable[[], R]]:
    """Have a function called in a thread of its own; what is yielded waits for its end, and returns what it returned.

    Where no thread can be started, it is called by who asks.
    """
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        try:
            future = pool.submit(call)
        except (RuntimeError, MemoryError):
            yield call
        else:
            yield partial(future.result)
