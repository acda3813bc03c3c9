"""Errors with messages for users. Each problem says where it is, what is wrong and what to do."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar, Self

MAX_SHOWN = 20
"""How many problems are printed at once. Of the rest, only the number is printed."""
MAX_SIGNS = 10_000
"""Signs of a message that are printed. Texts from files may be of any length."""
MAX_NAME = 200
"""Signs of a name for which a near one is looked for."""
MAX_NOTES = 100
"""How many warnings of a kind there are. Each of thousands of systems may have one."""
IDLE = "idle"
"""The kind of a problem with an option that has no effect beside the other options of its metric.
"""


def printable(text: object) -> str:
    """Return text with control characters escaped, so that it is safe on a terminal."""
    return "".join(
        c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode()
        for c in str(text)
    )


def wrong_name(name: str, most: int) -> str | None:
    """Return why a text with these signs cannot be the name of something in tables, or None."""
    hidden = next((sign for sign in name if not sign.isprintable()), None)
    if hidden:
        return f"it has the sign U+{ord(hidden):04X}, which does not print"
    if not name or name != name.strip():
        return "it begins or ends with a blank" if name.strip() else "it is empty"
    wrong = next((sign for sign in name if sign in "/\\{}"), None)
    if wrong or name in (".", "..") or name[0] == "-":
        return f"{wrong or name[:2]} means something else in paths and commands"
    return f"it has {len(name)} signs; {most} are allowed" if len(name) > most else None


def did_you_mean(name: str, choices: Iterable[str]) -> str:
    """Return " (did you mean 'x'?)" for the choice nearest to name; an empty string where none is
    near.
    """
    if len(name) > MAX_NAME:
        return ""
    folded = {choice.lower(): choice for choice in choices}
    from difflib import get_close_matches  # here, because most runs have no use for it

    near = get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
    return f" (did you mean '{folded[near[0]]}'?)" if near else ""


def known_names(name: str, choices: Collection[str], told: str = "there are") -> str:
    """Return the end of a message about a name that is none of the choices: the nearest of them,
    and all of them.
    """
    return f"{did_you_mean(name, choices)}; {told} {', '.join(choices)}"


def listed(names: Sequence[str], most: int = 10) -> str:
    """Return names as a sentence has them. Of very many the first are named and the others counted."""
    shown = [*names[:most], *([f"{len(names) - most} more"] if len(names) > most else [])]
    return " and ".join([", ".join(shown[:-1]), *shown[-1:]]) if len(shown) > 1 else "".join(shown)


def bounded(notes: Sequence[str]) -> list[str]:
    """Return notes, or the first of them with the number of the others."""
    more = len(notes) - MAX_NOTES
    return (
        [*notes[:MAX_NOTES], f"... and {more:,} more warnings such as the last"]
        if more > 1
        else list(notes)
    )


@dataclass(frozen=True)
class Problem:
    """One thing that the user has to mend."""

    position: str
    """Where it is, such as "file:line:column"; it may be empty."""
    message: str
    """What is wrong, and what to do."""
    kind: str = field(default="", compare=False, repr=False)
    """What sort of problem it is, such as IDLE, for code that treats this sort differently. Mostly
    empty."""

    def __str__(self) -> str:
        text = f"{self.position}: {self.message}" if self.position else self.message
        if len(text) > MAX_SIGNS:
            text = f"{text[: MAX_SIGNS // 2]} ... {text[-200:]} ({len(text):,} signs)"
        return printable(text)


class PipelineError(Exception):
    """An error with a message for the user."""

    exit_code: ClassVar[int] = 2
    """What the command line returns."""


class InputError(PipelineError):
    """Something that the user gave is wrong. `problems` has all that is wrong, in the order of the
    files.
    """

    def __init__(self, problems: Iterable[Problem] | str) -> None:
        self.problems = [Problem("", problems)] if isinstance(problems, str) else list(problems)
        super().__init__(self.problems)

    @classmethod
    def at(cls, position: object, message: str) -> Self:
        """Return the error of a single problem at a position."""
        return cls([Problem(str(position), message)])

    def __str__(self) -> str:
        shown = [str(problem) for problem in self.problems[:MAX_SHOWN]]
        if len(self.problems) > MAX_SHOWN:
            shown.append(f"... and {len(self.problems) - MAX_SHOWN} more problems")
        return "\n".join(shown)


@contextmanager
def gathered(problems: list[Problem]) -> Iterator[None]:
    """Append what is wrong to problems, in place of raising an InputError, so that the rest is
    checked too.
    """
    try:
        yield
    except InputError as error:
        problems += error.problems


class ConfigError(InputError):
    """The YAML file, or a setting, is wrong."""


class CorpusError(InputError):
    """A text file is missing, unreadable or does not fit its partners."""


class UnreadableError(CorpusError):
    """A worker cannot read a text, or the text has changed since it was checked."""


class StoreError(InputError):
    """A run directory cannot be used."""


class DataError(InputError):
    """A published data set is unknown, is not on this computer, or cannot be fetched."""


class InvalidTextError(ValueError):
    """Bytes are not UTF-8. text, line and byte count from 0: in the list of texts, in the text, in
    the line.
    """

    def __init__(self, text: int, line: int, byte: int) -> None:
        self.text, self.line, self.byte = text, line, byte
        super().__init__(text, line, byte)  # what is pickled

    def __str__(self) -> str:
        return f"text {self.text}, line {self.line}: byte {self.byte} is not valid UTF-8"


class LongTextError(ValueError):
    """A line is too long for what is asked. text (references first, then systems) and line count
    from 0.
    """

    def __init__(self, text: int, line: int, message: str) -> None:
        self.text, self.line, self.message = text, line, message
        super().__init__(text, line, message)  # what is pickled

    def __str__(self) -> str:
        return f"text {self.text}, line {self.line}: {self.message}"


class IncompleteError(PipelineError):
    """Work was cut short. What is finished is kept, and the same command goes on from there."""

    exit_code = 3
