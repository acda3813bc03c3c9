"""What a config expects, against what was found: each entry's values selected, compared, and told with a verdict."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..config.models_published import SPECIAL
from ..config.resolved import select_lines
from ..errors import ConfigError, InputError
from ..human.meta_evaluation import metric_scores
from .sections import Finder, round_score
from .verdicts import Compared, Verdict, compare, is_worse, leaves, places, verdict_of, whole_verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..config.models_published import WrittenExpectation, WrittenPublished
    from ..human.trueskill import Progress
    from ..scoring.results import Results, Score
    from ..scoring.scored_columns import ScoredColumns
    from .open_sections import OpenedSections

LISTED = 300
"""Values of an entry that are kept one by one in the results; of more only those that are not equal."""


def with_published(
    wanted: WrittenPublished,
    sources: OpenedSections,
    measured: Sequence[ScoredColumns],
    results: Results,
    progress: Progress | None = None,
) -> Results:
    """Return the results with judgements, columns, correlations, agreements, and verdicts on what is expected."""
    finder = Finder(wanted, sources, measured, results.scores)
    results = replace(results, **finder.find(progress))
    results = replace(results, expectations=check_expectations(wanted, sources, finder, results))
    return replace(results, warnings=[*results.warnings, *finder.notes])


def check_expectations(
    wanted: WrittenPublished, sources: OpenedSections, finder: Finder, results: Results
) -> dict[str, Any] | None:
    """Return verdicts as mappings: of the whole, and of each entry with its values; None where nothing is expected.

    recorded: the verdict on record; missed: the numbers (from 1) of the entries that are worse than theirs.
    """
    if not wanted.expect:
        return None
    plain = results.plain()
    entries = [_Entry(number, entry, sources, finder, plain).checked() for number, entry in enumerate(wanted.expect)]
    whole = whole_verdict([(entry["verdict"], entry["published"]) for entry in entries])
    recorded = wanted.publication.verdict if wanted.publication else None
    missed = [number for number, entry in enumerate(entries, 1) if entry["missed"]]
    return {"verdict": whole, "recorded": recorded, "missed": missed, "entries": entries}


class _Entry:
    def __init__(
        self, number: int, entry: WrittenExpectation, sources: OpenedSections, finder: Finder, plain: dict[str, Any]
    ) -> None:
        self.number, self.entry, self.sources, self.finder, self.plain = number, entry, sources, finder, plain

    def checked(self) -> dict[str, Any]:
        """Return the entry's title, verdict and values."""
        entry, message = self.entry, ""
        try:
            compared = self.compared()
        except InputError as error:
            compared, message = [], str(error)
        verdict: Verdict = verdict_of(compared, entry.rounding)
        recorded: Verdict = entry.recorded or _asked(entry)
        differences = [abs(one.difference) for one in compared if one.difference is not None]
        shown = compared if len(compared) <= LISTED else [one for one in compared if one.verdict != "equal"][:LISTED]
        messages = [message, *(one.message for one in compared)]
        return {
            "title": entry.title or self.title(),
            "verdict": verdict,
            "recorded": recorded,
            "missed": is_worse(verdict, recorded),
            "published": entry.published,
            "values": len(compared),
            "equal": sum(one.verdict == "equal" for one in compared),
            "within_tolerance": sum(one.verdict == "tolerance" for one in compared),
            "largest_difference": max(differences, default=None),
            "rounding": entry.rounding,
            "tolerance": entry.tolerance,
            "why": entry.why,
            "message": next((text for text in messages if text), None),
            "compared": [_plain(one) for one in shown],
        }

    def title(self) -> str:
        """Return what the values are, from the keys of the entry."""
        entry = self.entry
        if entry.path is not None:
            return entry.path.replace("/", " ").replace("_", " ")
        metric = self.sources.metrics[entry.metric].name
        parts = [entry.dataset or "", metric, "" if entry.output == "score" else entry.output]
        if entry.order is not None:
            parts.append("order")
        if entry.sentences is not None:
            parts.append("sentences")
        if entry.mean is not None:
            parts.append("mean")
        return " ".join(part for part in parts if part)

    def compared(self) -> list[Compared]:
        """Return the comparisons of the values."""
        entry = self.entry
        if entry.same is not None:
            one, two = (_walk(self.plain, path) for path in (entry.path or "", entry.same))
            same: Literal["equal", "differs"] = "equal" if one == two else "differs"
            return [Compared(place=(), expected=entry.same, found=entry.path, verdict=same)]
        found = _walk(self.plain, entry.path) if entry.path is not None else self.scores()
        if entry.mean is not None:
            found = _mean(found, entry)
        if entry.order is not None:
            return places(entry.order, _numbers(found))
        expected = entry.values if entry.table is None else self.expected_table()
        scale = "1" if entry.mean is not None and entry.before is not None else entry.scale
        made = []
        for place, text, value, message in leaves(expected, found):
            if message:
                made.append(Compared(place=place, expected=text, found=None, verdict="differs", message=message))
            else:
                made.append(compare(place, text, value, scale, entry.rounding, entry.tolerance))
        return made

    def expected_table(self) -> dict[str, Any]:
        """Return the values of a file: {system: text}, or {system: [text of each sentence]}."""
        cells = self.sources.tables[self.number]
        if self.entry.table is None or self.entry.table.sentence is None:
            return {cell.system: cell.score for cell in cells}
        found: dict[str, dict[int, str]] = {}
        for cell in cells:
            if not (cell.sentence.isascii() and cell.sentence.isdigit()):
                raise InputError(f"{cell.place}: '{cell.sentence[:40]}' is no number of a sentence")
            found.setdefault(cell.system, {})[int(cell.sentence)] = cell.score
        return {system: [texts[number] for number in sorted(texts)] for system, texts in found.items()}

    def scores(self) -> dict[str, Any]:
        """Return what the entry selects of the scores: {system: value, or list of values}."""
        entry = self.entry
        measured = self.finder.one(entry.metric, entry.dataset)
        first = measured.scores[0]
        if entry.sentences is None:
            key = first.dataset, first.metric
            chosen = [s for s in self.finder.scores if (s.dataset, s.metric) == key]
            return {score.system: _output(score, entry.output) for score in chosen}
        made = metric_scores([measured])[0]
        if made.sentences is None:
            raise InputError(f"{made.metric} has no sentence scores")
        kept = _lines(entry.sentences, made.lines)
        table = made.sentences()[:, kept]
        return {name: row.tolist() for name, row in zip(made.systems, table, strict=True)}


def _asked(entry: WrittenExpectation) -> Verdict:
    if entry.tolerance is not None:
        return "tolerance"
    return "rounding" if entry.rounding else "exact"


def _plain(one: Compared) -> dict[str, Any]:
    found: dict[str, Any] = {"place": "/".join(one.place), "expected": one.expected, "found": one.found}
    found |= {"verdict": one.verdict, "difference": one.difference}
    return found | ({"message": one.message} if one.message else {})


def _lines(sentences: Any, lines: int) -> Any:
    """Return the places, from 0, of the sentences that an entry names: "all", or numbers and ranges from 1."""
    if sentences == "all":
        return np.arange(lines)
    items = sentences if isinstance(sentences, list) else [sentences]
    try:
        ranges = select_lines(True, [(str(item), "sentences") for item in items]).numbers(lines)
    except ConfigError as error:
        raise InputError(error.problems) from None
    return np.concatenate([np.arange(low, high) for low, high in ranges])


def _output(score: Score, output: str) -> Any:
    """Return an output of a score, or what else there is of it."""
    if output in ("score", "rank"):
        return getattr(score, output)
    if output in SPECIAL:
        owner, _, name = output.partition(".")
        part = getattr(score, owner)
        return None if part is None else getattr(part, name)
    if output not in score.outputs:
        listed = ", ".join([*score.outputs, *SPECIAL])
        raise InputError(f"{score.metric.partition('|')[0]} has no output '{output}'; there are {listed}")
    return score.outputs[output]


def _walk(content: Any, path: str) -> Any:
    """Return what is at a path of keys and numbers (from 1); raises InputError where there is nothing."""
    done: list[str] = []
    for step in path.split("/"):
        if isinstance(content, dict) and step in content:
            content = content[step]
        elif isinstance(content, list) and step.isdigit() and 0 < int(step) <= len(content):
            content = content[int(step) - 1]
        else:
            there = f"; there are {', '.join(map(str, list(content)[:20]))}" if isinstance(content, dict) else ""
            raise InputError(f"there is no '{step}' in '{'/'.join(done) or 'results.json'}'{there}")
        done.append(step)
    return content


def _numbers(found: Any) -> dict[str, float]:
    if isinstance(found, list):  # an order already
        return {str(name): float(-number) for number, name in enumerate(found)}
    if not isinstance(found, dict) or not all(isinstance(v, int | float) or v is None for v in found.values()):
        raise InputError("an order needs a number for each system")
    return {name: math.nan if value is None else float(value) for name, value in found.items()}


def _mean(found: Any, entry: WrittenExpectation) -> float:
    """Return the mean of some systems' values, each rounded before as said; in the entry's scale where that is said."""
    values = _numbers(found)
    lacking = [name for name in entry.mean or [] if name not in values]
    if lacking:
        raise InputError(f"there is no score of {lacking[0]}; there are {', '.join(values)}")
    if entry.before is None:
        return math.fsum(values[name] for name in entry.mean or []) / len(entry.mean or [])
    parts = [round_score(values[name], entry.before, entry.scale) for name in entry.mean or []]
    return float(statistics.mean(Decimal(str(part)) for part in parts))
