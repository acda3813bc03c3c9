"""Items that a thread makes ahead, while others work on those before."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")

WAITING = 2
"""So many items wait, or are under way."""
_END: Any = object()


def ahead(items: Iterator[T]) -> Iterator[T]:
    """Yield the items, of which another thread makes the next ones; where there is none, this one makes them."""
    from concurrent.futures import ThreadPoolExecutor  # here, because small runs need no thread

    with ThreadPoolExecutor(1) as pool:
        try:
            made = deque(pool.submit(next, items, _END) for _ in range(WAITING))
        except (RuntimeError, MemoryError):  # the first call starts the thread
            made = deque()
        while made:
            item = made.popleft().result()
            if item is _END:
                return
            made.append(pool.submit(next, items, _END))
            yield item
    yield from items
