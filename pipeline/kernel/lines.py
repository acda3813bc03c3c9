"""What the kernel takes: the text of some lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray


class Lines(NamedTuple):
    """The text of some lines."""

    data: bytes
    """UTF-8, in which the lines are somewhere."""
    starts: NDArray[np.int64]
    """Where each line begins in data."""
    ends: NDArray[np.int64]
    """Where each line ends in data; the newline at its end is not part of it."""

    def own(self) -> Lines:
        """Return the same lines without the bytes that come before and behind all of them."""
        if not len(self.starts):
            return self
        first, last = int(self.starts.min()), int(self.ends.max())
        if (first, last) == (0, len(self.data)):
            return self
        return Lines(self.data[first:last], self.starts - first, self.ends - first)

    def __reduce__(self) -> tuple[type[Lines], tuple[bytes, NDArray[np.int64], NDArray[np.int64]]]:
        """Have only the bytes of these lines pickled, since data may be that of many more."""
        lines = self.own()
        return Lines, (lines.data, lines.starts, lines.ends)

    def texts(self) -> Iterator[bytes]:
        """Yield each line's bytes."""
        for start, end in zip(self.starts.tolist(), self.ends.tolist(), strict=True):
            yield self.data[start:end]


def join_lines(texts: Iterable[bytes]) -> Lines:
    """Return texts (which may hold newlines) as Lines."""
    pieces = list(texts)
    ends = np.cumsum(np.fromiter(map(len, pieces), np.int64, len(pieces)))
    return Lines(b"".join(pieces), np.concatenate((np.zeros(min(len(pieces), 1), np.int64), ends[:-1])), ends)
