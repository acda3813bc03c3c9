"""What the modules here raise: InputErrors which are also the errors that the other packages raise there."""

from __future__ import annotations

from typing import NoReturn

from ..errors import InputError


class WrongTypeError(InputError, TypeError):
    """An argument is of another kind than the one that is expected."""


class WrongValueError(InputError, ValueError):
    """An argument cannot be used."""


class UnavailableError(InputError, NotImplementedError):
    """The other package has something that this program does not have."""


def unavailable(what: str, reason: str) -> NoReturn:
    """Raise UnavailableError for a name or an argument of another package."""
    raise UnavailableError(f"{what}: {reason} (`gec-pipeline help compat`)")
