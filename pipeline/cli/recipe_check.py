"""What is missing or wrong in a recipe that somebody writes: everything at once, each thing with its line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ConfigError, Problem, wrong_name
from ..io.remote import is_data
from ..reproduction.verdicts import ORDER, is_worse, whole_verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..config.tree import Node
    from ..reproduction.verdicts import Verdict


ABSENT = re.compile(r": ([\w.+-]+)/\S+ .*?\b(?:not in|changed in) .*(?:gec-pipeline data fetch|--data) ")
"""A problem that says that files of a data set are not on this computer: NAME/FILE is not in FOLDER, get it so."""
SAYS = {
    "what": "where the numbers stand, such as 'Table 2'",
    "verdict": f"one of {', '.join(ORDER)}, not published",
    "cite": "the publication, such as 'Ng and Wu 2014: The title. CoNLL'",
    "url": "its address",
    "recipe": "how the numbers come about, in words",
}
"""The keys of `publication` that a recipe has, with what each says."""
TEXTS = ("source", "references", "gold", "m2")
MAX_NAME = 60


class Checked(NamedTuple):
    """What a check says of a recipe."""

    problems: list[Problem]
    """What is wrong, or missing. The recipe does not hold with it."""
    absent: list[str]
    """The data sets of which files are not on this computer."""
    notes: list[str]
    """What its author should know."""


def check(file: str) -> Checked:
    """Return all that is to be said of a recipe. Raises ConfigError where the file is not a mapping of YAML at all."""
    from .. import stages
    from ..config.compose import compose

    root, _ = compose(file)
    if not isinstance(root.value, dict):
        raise ConfigError([root.problem("expected a mapping: a config with the sections publication and expect")])
    problems: list[Problem] = []
    try:
        stages.prepare(file)
    except ConfigError as error:
        problems += error.problems
    files = {str(Path(file).parent / text): keys for keys, text in _paths(root.plain())}
    problems = [
        root.problem(f"{one.position}: {one.message}", files[one.position]) if one.position in files else one
        for one in problems
    ]
    absent = dict.fromkeys(match[1] for one in problems if (match := ABSENT.search(one.message)))
    problems = [one for one in problems if not ABSENT.search(one.message)]
    plain = root.plain()
    problems += [one for one in _publication(root, plain) if one not in problems]
    problems += _expectations(root, plain)
    problems += _name(file)
    notes = [str(note) for note in _notes(root, plain)]
    lines = {one: re.search(r":(\d+):\d+$", one.position) for one in problems}
    problems.sort(key=lambda one: int(line[1]) if (line := lines[one]) else 1 << 30)  # those of other files come last
    return Checked(problems, list(absent), notes)


def _name(file: str) -> Iterator[Problem]:
    from ..reproduction.recipe import recipes

    name = Path(file).stem
    if reason := wrong_name(name, MAX_NAME):
        yield Problem(file, f"'{name}' cannot be the name of a result: {reason}")
    known = recipes().get(name)
    if known and known.path.resolve() != Path(file).resolve():
        yield Problem(file, f"another result is called {name} already: gec-pipeline reproduce --show {name}")


def _publication(root: Node, plain: dict[str, Any]) -> Iterator[Problem]:
    """Yield what lacks in the section `publication`. Values that are in no publication need neither cite nor url."""
    publication = plain.get("publication")
    if publication is None:
        listed = "; ".join(f"{key}: {text}" for key, text in SAYS.items())
        yield root.problem(f"the key 'publication' is missing: it says where the values stand ({listed})")
    elif isinstance(publication, dict):
        needless = ("cite", "url") if publication.get("verdict") == "not published" else ()
        for key, text in SAYS.items():
            if not publication.get(key) and key not in needless:
                more = "" if key in ("what", "verdict") else f": {text}"
                yield root.problem(f"the key '{key}' is missing{more}", ("publication",))


def _expectations(root: Node, plain: dict[str, Any]) -> Iterator[Problem]:
    """Yield a problem where no value is expected, or the verdict on record is better than the entries allow."""
    entries = plain.get("expect")
    if entries is None:
        yield root.problem("the key 'expect' is missing: it has the published values, with all printed digits")
    elif isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries):
        published = [entry for entry in entries if entry.get("published", "true") == "true"]
        publication, where = plain.get("publication"), ("publication", "verdict")
        verdict = publication.get("verdict") if isinstance(publication, dict) else None
        if not published and verdict in ORDER:
            yield root.problem(f"'{verdict}', but no entry of expect is published; expected 'not published'", where)
        elif published and verdict == "not published":
            yield root.problem("'not published', but entries of expect are; say `published: false` there", where)
        verdicts: list[tuple[Verdict, bool]] = []
        for entry in entries:
            recorded, rounding = entry.get("recorded"), entry.get("rounding")
            highest: Verdict = recorded if recorded in ORDER else "rounding" if rounding else "exact"
            verdicts.append((highest, entry in published))
        best = whole_verdict(verdicts)
        if published and verdict in ORDER and is_worse(best, verdict):
            message = f"'{verdict}', but with `rounding`, `tolerance` or `recorded` the entries give '{best}' at best"
            yield root.problem(message, where)


def _notes(root: Node, plain: dict[str, Any]) -> Iterator[Problem]:
    """Yield what is no mistake: files that others do not have, and a publication without a year."""
    publication = plain.get("publication")
    cite = publication.get("cite") if isinstance(publication, dict) else None
    if isinstance(cite, str) and not re.search(r"\b(?:19|20)[0-9]{2}\b", cite):
        yield root.problem("names no year, so it comes last in the reproduction report", ("publication", "cite"))
    own = [where for where, text in _paths(plain) if not is_data(text) and not text.startswith(("http", "s3:"))]
    if own:
        more = f" and {len(own) - 1} more" if len(own) > 1 else ""
        message = f"is a file of this computer{more}; a recipe for others names files of data sets, as data:NAME/FILE"
        yield root.problem(message, own[0])


def _paths(plain: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield where each text of a data set or system is named, and how."""
    datasets, systems = plain.get("datasets"), plain.get("systems")
    for name, dataset in (datasets if isinstance(datasets, dict) else {}).items():
        for key in TEXTS if isinstance(dataset, dict) else ():
            yield from _leaves(dataset.get(key), ("datasets", name, key))
    if isinstance(systems, dict):
        yield from _leaves(systems, ("systems",))


def _leaves(value: Any, keys: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if isinstance(value, str):
        yield keys, value
    elif isinstance(value, dict | list):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(child, (*keys, key))
