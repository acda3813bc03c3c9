"""The edits of TER in words, for people to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...kernel.python.edit_rate import ADDED, CHANGED, EQUAL, path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def alignment(output: Sequence[str], references: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """Return the roles and texts of lines: the edits with the reference that needs fewest, the first of equals."""
    numbers: dict[str, int] = {}
    ids = [[numbers.setdefault(token, len(numbers)) for token in tokens] for tokens in (output, *references)]
    words = list(numbers)
    paths = [path(ids[0], reference) for reference in ids[1:]]
    number = min(range(len(paths)), key=lambda each: paths[each].edits)
    best, reference = paths[number], ids[number + 1]
    lines = [("", f"{_counted(best.edits, 'edit')} to reference {number}, of {_counted(len(reference), 'token')}:")]
    now = ids[0]
    for shift in best.shifts:
        block = " ".join(words[word] for word in now[shift.start : shift.start + shift.length])
        now = shift.of(now)
        lines.append(("shifted", f"{block}: to {' '.join(words[word] for word in now)}"))
    return lines + list(_steps(best.steps, [words[word] for word in best.words], [words[word] for word in reference]))


def _counted(count: int, name: str) -> str:
    return f"{count} {name}{'s' * (count != 1)}"


def _steps(steps: Sequence[str], output: Sequence[str], reference: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield a line for each role of words that the alignment has."""
    ours, theirs = iter(output), iter(reference)
    roles: dict[str, list[str]] = {"match": [], "wrong": [], "missing": []}
    for step in steps:
        if step == ADDED:
            roles["wrong"].append(next(ours))
        elif step in (EQUAL, CHANGED):
            own, other = next(ours), next(theirs)
            roles["match" if step == EQUAL else "wrong"].append(own if step == EQUAL else f"{own} → {other}")
        else:
            roles["missing"].append(next(theirs))
    yield from ((role, " · ".join(words)) for role, words in roles.items() if words)
