"""Errors with messages for users. Each problem says where it is, what is wrong and what to do."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar, Self

MAX_PROBLEMS = 20
"""How many problems are printed at once. Of the rest, only the number is printed."""
MAX_MESSAGE = 10_000
"""The most characters of a message that are printed. Texts from files may be of any length."""
MAX_NAME = 200
"""The longest name, in characters, for which a near one is searched."""
MAX_WARNINGS = 100
"""The most warnings of a kind that are printed. Each of thousands of systems may have one."""
IDLE = "idle"
"""The kind of a problem with an option that has no effect beside other options of its metric."""


def printable(text: object) -> str:
    """Return text with control characters escaped, so that it is safe on a terminal."""
    characters = []
    for character in str(text):
        if character.isprintable() or character == "\n":
            characters.append(character)
        else:
            characters.append(character.encode("unicode_escape").decode())
    return "".join(characters)


def wrong_name(name: str, max_length: int) -> str | None:
    """Return why a text cannot be a name in tables, or None if it can."""
    hidden = next(
        (character for character in name if not character.isprintable()), None
    )
    if hidden:
        return f"it has the sign U+{ord(hidden):04X}, which does not print"
    if not name.strip():
        return "it is empty"
    if name != name.strip():
        return "it begins or ends with a blank"
    wrong = next(
        (character for character in name if character in "/\\{}"), None
    )
    if wrong or name in (".", "..") or name[0] == "-":
        return f"{wrong or name[:2]} means something else in paths and commands"
    if len(name) > max_length:
        return f"it has {len(name)} signs; {max_length} are allowed"
    return None


def did_you_mean(name: str, choices: Iterable[str]) -> str:
    """Return " (did you mean 'x'?)" for the choice nearest to a name, or an empty string."""
    if len(name) > MAX_NAME:
        return ""
    folded = {choice.lower(): choice for choice in choices}
    # here, because most runs have no use for it
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
    return f" (did you mean '{folded[near[0]]}'?)" if near else ""


def known_names(
    name: str, choices: Collection[str], introduction: str = "there are"
) -> str:
    """Return the end of a message about an unknown name: the nearest choice, and all choices."""
    return f"{did_you_mean(name, choices)}; {introduction} {', '.join(choices)}"


def listed(names: Sequence[str], limit: int = 10) -> str:
    """Return names as a sentence has them: up to the limit, and the number of all others."""
    words = list(names[:limit])
    if len(names) > limit:
        words.append(f"{len(names) - limit} more")
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def bounded(warnings: Sequence[str]) -> list[str]:
    """Return warnings, or the first of them with the number of the others."""
    more = len(warnings) - MAX_WARNINGS
    if more <= 1:
        return list(warnings)
    return [
        *warnings[:MAX_WARNINGS],
        f"... and {more:,} more warnings such as the last",
    ]


@dataclass(frozen=True)
class Problem:
    """A mistake in the input."""

    position: str
    """Where it is, such as "file:line:column"; it may be empty."""
    message: str
    """What is wrong, and what to do."""
    kind: str = field(default="", compare=False, repr=False)
    """A kind that some code treats in another way, such as IDLE; mostly empty."""
    location: tuple[str | int, ...] | None = None
    """The keys and indices in the config, until `position` is looked up there."""

    def __str__(self) -> str:
        text = (
            f"{self.position}: {self.message}"
            if self.position
            else self.message
        )
        if len(text) > MAX_MESSAGE:
            text = f"{text[: MAX_MESSAGE // 2]} ... {text[-200:]} ({len(text):,} signs)"
        return printable(text)


class PipelineError(Exception):
    """An error with a message for the user."""

    exit_code: ClassVar[int] = 2
    """What the command line returns."""


class InputError(PipelineError):
    """The input is wrong. `problems` has all mistakes, in the order of the files."""

    def __init__(self, problems: Iterable[Problem] | str) -> None:
        self.problems = (
            [Problem("", problems)]
            if isinstance(problems, str)
            else list(problems)
        )
        super().__init__(self.problems)

    @classmethod
    def at(cls, position: object, message: str) -> Self:
        """Return the error of a single problem at a position."""
        return cls([Problem(str(position), message)])

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems[:MAX_PROBLEMS]]
        if len(self.problems) > MAX_PROBLEMS:
            lines.append(
                f"... and {len(self.problems) - MAX_PROBLEMS} more problems"
            )
        return "\n".join(lines)


@contextmanager
def gathered(problems: list[Problem]) -> Iterator[None]:
    """Append the problems of an InputError instead of raising it, so that the rest is checked too."""
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
    """Bytes are not UTF-8.

    text, line and byte count from 0: in the list of texts, in the text, in the line.
    """

    def __init__(self, text: int, line: int, byte: int) -> None:
        self.text = text
        self.line = line
        self.byte = byte
        super().__init__(text, line, byte)  # what is pickled

    def __str__(self) -> str:
        return f"text {self.text}, line {self.line}: byte {self.byte} is not valid UTF-8"


class LongTextError(ValueError):
    """A line is too long for a function of the kernel.

    text (references first, then systems) and line count from 0.
    """

    def __init__(self, text: int, line: int, message: str) -> None:
        self.text = text
        self.line = line
        self.message = message
        super().__init__(text, line, message)  # what is pickled

    def __str__(self) -> str:
        return f"text {self.text}, line {self.line}: {self.message}"


class IncompleteError(PipelineError):
    """Work was cut short. Its results so far are stored, and the same command goes on from there."""

    exit_code = 3
