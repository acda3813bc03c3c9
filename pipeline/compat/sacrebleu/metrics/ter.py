"""TER, which is not among the names here."""

from __future__ import annotations

from typing import NoReturn

from ...problems import unavailable


def no_ter() -> NoReturn:
    """Raise UnavailableError."""
    unavailable("TER", "is not among the names here; import it from the package sacrebleu")


class TER:
    """Something that cannot be made, so that importing the name is no error."""

    def __init__(self, *_: object, **__: object) -> None:
        """Raise UnavailableError."""
        no_ter()
