"""The values that a config expects, compared with the results: one verdict on each entry of `expect` and one on all."""

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
from ..human.agreement.metric_scores import metric_scores
from ..metrics.base.views import annotator_of
from .sections import Sections, output_of, round_score
from .verbose_reports import counted
from .verdicts import Compared, Verdict, compare, compare_order, is_worse, leaves, listed, verdict_of, whole_verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..config.models_published import ExpectationConfig, PublishedConfig
    from ..human.trueskill import Progress
    from ..scoring.board import Board
    from ..scoring.results import Results, Score
    from .open_sections import OpenedSections

LISTED = 300
"""The most values of an entry that results.json lists; of more values only those that are not equal are listed."""


def with_published(
    written: PublishedConfig,
    opened: OpenedSections,
    scored: Sequence[Board],
    results: Results,
    progress: Progress | None = None,
) -> Results:
    """Return the results with the sections judgments, columns, correlations and agreements, and with the verdicts."""
    sections = Sections(written, opened, scored, results.scores)
    results = replace(results, **sections.compute(progress))
    results = replace(results, expectations=_expectations(sections, results.plain()) if written.expect else None)
    notes = [*sections.notes, *_other_annotators(written, opened)]
    return replace(results, warnings=[*results.warnings, *notes])


def _other_annotators(written: PublishedConfig, opened: OpenedSections) -> Iterator[str]:
    """Yield a warning for each entry whose texts are annotated here by other versions than those of the publication."""
    for number, entry in enumerate(written.expect, 1):
        metric = opened.metrics.get(entry.metric) if entry.path is None else None
        ours = annotator_of(metric.needs.input) if metric else ""
        if entry.annotator and not ours:
            yield f"expect {number}: 'annotator' has no effect, because no text is annotated here"
        elif ours and entry.published and entry.annotator != ours:
            theirs = (
                f"were with {entry.annotator}" if entry.annotator else "may have been with others (key `annotator`)"
            )
            yield (
                f"expect {number}: texts are annotated with {ours}, and those of the published values {theirs}: other "
                "versions give other edits and other scores"
            )


def _expectations(sections: Sections, plain: dict[str, Any]) -> dict[str, Any]:
    """Return the verdict on the whole and the verdict on record, and the entries with their verdicts and values.

    `missed` has the numbers, from 1, of the entries whose verdict is worse than the one on record.
    """
    written = sections.written
    entries = [_Entry(number, entry, sections, plain).checked() for number, entry in enumerate(written.expect)]
    whole = whole_verdict([(entry["verdict"], entry["published"]) for entry in entries])
    recorded = written.publication.verdict if written.publication else None
    missed = [number for number, entry in enumerate(entries, 1) if entry["missed"]]
    return {"verdict": whole, "recorded": recorded, "missed": missed, "entries": entries}


class _Entry:
    """An entry of the section `expect`, with the results that it is compared with."""

    def __init__(self, number: int, entry: ExpectationConfig, sections: Sections, plain: dict[str, Any]) -> None:
        self.number, self.entry, self.sections, self.plain = number, entry, sections, plain

    def checked(self) -> dict[str, Any]:
        """Return the title, the verdict and the compared values of the entry, as in results.json."""
        entry, compared, messages = self.entry, list[Compared](), list[str]()
        try:
            compared = self.compared()
        except InputError as error:
            messages = [str(error)]
        verdict: Verdict = verdict_of(compared, entry.rounding)
        recorded = self.recorded()
        differences = [abs(value.difference) for value in compared if value.difference is not None]
        shown = compared
        if len(compared) > LISTED:
            shown = [value for value in compared if value.verdict != "equal"][:LISTED]
        messages += [value.message for value in compared if value.message]
        return {
            "title": entry.title or self.title(),
            "verdict": verdict,
            "recorded": recorded,
            "missed": is_worse(verdict, recorded),
            "published": entry.published,
            "values": len(compared),
            "equal": sum(value.verdict == "equal" for value in compared),
            "within_tolerance": sum(value.verdict == "tolerance" for value in compared),
            "largest_difference": max(differences, default=None),
            "rounding": entry.rounding,
            "tolerance": entry.tolerance,
            "why": entry.why,
            "message": messages[0] if messages else None,
            "compared": [value.plain() for value in shown],
        }

    def recorded(self) -> Verdict:
        """Return the verdict on record, below which the entry is missed."""
        entry, publication = self.entry, self.sections.written.publication
        if entry.recorded:
            return entry.recorded
        if publication is not None and publication.verdict == "not run":
            return "not run"
        return "tolerance" if entry.tolerance is not None else "rounding" if entry.rounding else "exact"

    def title(self) -> str:
        """Return a title made of the keys of the entry."""
        entry = self.entry
        if entry.path is not None:
            return entry.path.replace("/", " ").replace("_", " ")
        metric = self.sections.opened.metrics[entry.metric].name
        parts = [entry.dataset or "", metric, "" if entry.output == "score" else entry.output]
        parts += [key for key in ("order", "sentences", "mean", "reports") if getattr(entry, key) is not None]
        return " ".join(part for part in parts if part)

    def compared(self) -> list[Compared]:
        """Return the comparison of each value. Raises InputError where the results do not have what is expected."""
        entry = self.entry
        if entry.same is not None:
            one, two = (_at_path(self.plain, path) for path in (entry.path or "", entry.same))
            same: Literal["equal", "differs"] = "equal" if one == two else "differs"
            return [Compared(place=(), expected=entry.same, found=entry.path, verdict=same)]
        ours = _at_path(self.plain, entry.path) if entry.path is not None else self.ours()
        if entry.mean is not None:
            ours = _mean(ours, entry)
        if entry.order is not None:
            return compare_order(entry.order, _numbers(ours))
        expected = entry.values if entry.table is None else self.expected_table()
        if entry.reports is not None:
            expected = self.sections.opened.expected_reports[self.number]
        scale = "1" if entry.mean is not None and entry.before is not None else entry.scale
        return [
            Compared(place=place, expected=text, found=None, verdict="differs", message=message)
            if message
            else compare(place, text, value, scale, entry.rounding, entry.tolerance)
            for place, text, value, message in leaves(expected, ours)
        ]

    def expected_table(self) -> dict[str, Any]:
        """Return the values of a file: {system: text}, or {system: [text of each sentence]}."""
        cells = self.sections.opened.expected_tables[self.number]
        if self.entry.table is None or self.entry.table.sentence is None:
            return {cell.system: cell.score for cell in cells}
        systems: dict[str, dict[int, str]] = {}
        for cell in cells:
            if not (cell.sentence.isascii() and cell.sentence.isdigit()):
                raise InputError(f"{cell.position}: '{cell.sentence[:40]}' is no number of a sentence")
            systems.setdefault(cell.system, {})[int(cell.sentence)] = cell.score
        return {system: [texts[number] for number in sorted(texts)] for system, texts in systems.items()}

    def ours(self) -> dict[str, Any]:
        """Return the scores, or the counts of each sentence, that the entry names: {system: ...}."""
        if self.entry.reports is not None:
            return counted(self.sections.scored_by(self.entry.metric, self.entry.dataset))
        return self.scores()

    def scores(self) -> dict[str, Any]:
        """Return the outputs or sentence scores that the entry names: {system: value, or list of values}."""
        entry = self.entry
        scored = self.sections.scored_by(entry.metric, entry.dataset)
        first = scored.scores[0]
        if entry.sentences is None:
            key = first.dataset, first.metric
            scores = [score for score in self.sections.scores if (score.dataset, score.metric) == key]
            return {score.system: _output(score, entry.output) for score in scores}
        metric = metric_scores([scored])[0]
        if metric.sentences is None:
            raise InputError(f"{metric.metric} has no sentence scores")
        table = metric.sentences()[:, _lines(entry.sentences, metric.lines)]
        return {name: row.tolist() for name, row in zip(metric.systems, table, strict=True)}


def _lines(sentences: Any, lines: int) -> Any:
    """Return the numbers, from 0, of the lines that an entry names: "all", or numbers and ranges from 1."""
    if sentences == "all":
        return np.arange(lines)
    items = sentences if isinstance(sentences, list) else [sentences]
    try:
        ranges = select_lines(True, [(str(item), "sentences") for item in items]).numbers(lines)
    except ConfigError as error:
        raise InputError(error.problems) from None
    return np.concatenate([np.arange(low, high) for low, high in ranges])


def _output(score: Score, output: str) -> Any:
    """Return an output of a score, its rank, or a number of its section `samples` or `bootstrap`."""
    if output == "rank":
        return score.rank
    if output in SPECIAL and output != "score":
        owner, _, name = output.partition(".")
        section = getattr(score, owner)
        return None if section is None else getattr(section, name)
    return output_of(score, output, SPECIAL)


def _at_path(content: Any, path: str) -> Any:
    """Return what stands at a path of keys and of numbers from 1. Raises InputError where there is nothing."""
    done: list[str] = []
    for step in path.split("/"):
        if isinstance(content, dict) and step in content:
            content = content[step]
        elif isinstance(content, list) and step.isdigit() and 0 < int(step) <= len(content):
            content = content[int(step) - 1]
        else:
            raise InputError(f"there is no '{step}' in '{'/'.join(done) or 'results.json'}'{listed(content)}")
        done.append(step)
    return content


def _numbers(values: Any) -> dict[str, float]:
    """Return a number for each system, so that the highest number is the best system."""
    if isinstance(values, list):  # an order already
        return {str(name): float(-number) for number, name in enumerate(values)}
    if not isinstance(values, dict) or not all(isinstance(v, int | float) or v is None for v in values.values()):
        raise InputError("an order needs a number for each system")
    return {name: math.nan if value is None else float(value) for name, value in values.items()}


def _mean(ours: Any, entry: ExpectationConfig) -> float:
    """Return the mean of the values of some systems.

    Where the entry says `before`, each value is scaled and rounded first.
    """
    values, names = _numbers(ours), entry.mean or []
    lacking = next((name for name in names if name not in values), None)
    if lacking is not None:
        raise InputError(f"there is no score of {lacking}; there are {', '.join(values)}")
    if entry.before is None:
        return math.fsum(values[name] for name in names) / len(names)
    parts = [round_score(values[name], entry.before, entry.scale) for name in names]
    return float(statistics.mean(Decimal(str(part)) for part in parts))
