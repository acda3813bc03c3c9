"""Expected or published values and ours as tables, Markdown and JSON: formatting only."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.extensions.human.json_objects import JsonObject
from pipeline.report.tables import Table

from .verdicts import VERDICTS

if TYPE_CHECKING:
    from .recipe import Outcome, Recipe

MAX_MISSED = 10
"""Missed values of an entry that have a line each."""
HEADER = ["result", "equal", "difference", "verdict", "on record", "seconds"]
SHORT = HEADER[:4]
"""The titles of the table in `gec-pipeline help reproduce`."""
LEFT = (0, 3, 4)
WIDTH = 78
"""Columns of paragraphs; commands indent them a little."""
MAX_SUBJECT = 60
"""Characters of what a recipe reproduces, in the list of all."""


def expectation_table(expectations: JsonObject) -> Table:
    """Return a row for each entry of `expect`: its number and title, how many values are equal, the
    largest difference and the verdict. `expectations` is the section of results.json.
    """
    rows = []
    for number, entry in enumerate(expectations["entries"], 1):
        verdict = VERDICTS[entry["verdict"]]
        if entry["missed"]:
            verdict += " MISSED"
        elif entry["verdict"] == entry["recorded"] == "differs":
            verdict += " (as recorded)"
        largest = difference(entry["largest_difference"])
        equal = counted(entry)
        rows.append([str(number), entry["title"], equal, largest, verdict])
    return ["", "expected", "equal", "largest difference", "verdict"], rows


def counted(entry: Mapping[str, Any]) -> str:
    """Return how many of the values of an entry are equal, such as "9 of 10"."""
    return f"{entry['equal']:,} of {entry['values']:,}"


def difference(value: float | None) -> str:
    """Return a difference with two significant digits."""
    if value is None:
        return "-"
    return "0" if value == 0 else f"{value:.2g}"


def misses(expectations: JsonObject) -> Iterator[str]:
    """Yield lines about the entries of `expect` whose verdict is worse than on record: one for each
    value that differs (MAX_MISSED at most), or what else makes the verdict worse.

    `expectations` is the section of results.json; entries count from 1."""
    for number in expectations["missed"]:
        entry = expectations["entries"][number - 1]
        differing = [
            item for item in entry["compared"] if item["verdict"] == "differs"
        ]
        reasons = []
        messages = set()
        for item in differing[:MAX_MISSED]:
            reasons.append(_miss(item))
            messages.add(item.get("message"))
        if len(differing) > MAX_MISSED:
            reasons.append(f"and {len(differing) - MAX_MISSED} more")
        if entry["message"] and entry["message"] not in messages:
            reasons.append(entry["message"])
        if not reasons:
            verdict = VERDICTS[entry["verdict"]]
            recorded = VERDICTS[entry["recorded"]]
            reasons.append(f"{verdict}; on record is: {recorded}")
        for text in reasons:
            yield f"{number}. {entry['title']}: {text}"


def _miss(item: JsonObject) -> str:
    """Return how a value differs."""
    label = f"{item['place']}: " if item["place"] else ""
    if item.get("message"):
        return f"{label}expected {item['expected']}: {item['message']}"
    ours = "no number" if item["found"] is None else item["found"]
    return f"{label}expected {item['expected']}, found {ours}"


def list_table(recipes: Sequence[Recipe]) -> Table:
    """Return a row for each file, which may have several recipes: the verdicts on record (with
    "slow"), how many files of data sets are missing, and what the publication is.
    """
    recipes_of_file: dict[Path, list[Recipe]] = {}
    for recipe in recipes:
        recipes_of_file.setdefault(recipe.path, []).append(recipe)
    rows = []
    for family in recipes_of_file.values():
        first = family[0]
        missing = set()
        labels: dict[str, None] = {}
        for recipe in family:
            missing.update(recipe.missing_files())
            labels[recipe.publication["verdict"]] = None
        if any(recipe.slow for recipe in family):
            labels["slow"] = None
        subject = first.publication["what"]
        if first.family:
            subject = f"{len(family)} results: {subject}"
        rows.append(
            [
                first.family or first.name,
                ", ".join(labels),
                f"{len(missing)} to fetch" if missing else "here",
                textwrap.shorten(subject, MAX_SUBJECT, placeholder=" ..."),
            ]
        )
    return ["result", "on record", "data", "publication"], rows


def summary_table(outcomes: Sequence[Outcome]) -> Table:
    """Return a row for each recipe that ran, or should have run: how many values are equal, the
    largest difference, the verdict and that on record, and the seconds that the run took.
    """
    rows = []
    for outcome in outcomes:
        equal, largest, verdict = summary(outcome)
        if outcome.worse:
            verdict += " WORSE"
        seconds = f"{outcome.seconds:.1f}" if outcome.expectations else "-"
        recorded = outcome.recipe.publication["verdict"]
        name = outcome.recipe.name
        rows.append([name, equal, largest, verdict, recorded, seconds])
    return HEADER, rows


class Summary(NamedTuple):
    """An outcome in three texts; the first two are dashes if the recipe did not run."""

    equal: str
    """How many values are equal."""
    difference: str
    """The largest difference."""
    verdict: str


def summary(outcome: Outcome) -> Summary:
    """Return the summary of an outcome over all entries of `expect`. The verdict is "not run" if the
    recipe did not run.
    """
    if outcome.expectations is None:
        return Summary("-", "-", "not run")
    totals = Counter[str]()
    differences = []
    for entry in outcome.expectations["entries"]:
        totals.update(equal=entry["equal"], values=entry["values"])
        if entry["largest_difference"] is not None:
            differences.append(entry["largest_difference"])
    largest = max(differences, default=None)
    verdict = outcome.expectations["verdict"]
    return Summary(counted(totals), difference(largest), verdict)


def notes_of(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield lines below the table: why recipes were not run, and what is worse than on record."""
    for outcome in outcomes:
        if outcome.message:
            yield f"{outcome.recipe.name}: not run: {outcome.message}"
        elif outcome.worse and outcome.expectations:
            for line in misses(outcome.expectations):
                yield f"{outcome.recipe.name}: missed: {line}"
            if not outcome.expectations["missed"]:
                verdict = outcome.expectations["verdict"]
                recorded = outcome.recipe.publication["verdict"]
                yield (
                    f"{outcome.recipe.name}: missed: the verdict is {verdict}, "
                    f"on record is {recorded}"
                )


def about(recipe: Recipe) -> Iterator[str]:
    """Yield wrapped lines about the publication of a recipe, with the keys of its section: what it
    is, where, how its numbers come about, what was tried, and the verdict on record.
    """
    publication = recipe.publication
    facts = []
    for key in ("what", "cite", "url", "recipe", "note"):
        if publication.get(key):
            facts.append((key, publication[key]))
    for key in ("tried", "not_compared"):
        for text in publication.get(key, ()):
            facts.append((key.replace("_", " "), text))
    verdict = publication["verdict"]
    facts.append(("on record", f"{verdict} ({VERDICTS[verdict]})"))
    for key, text in facts:
        yield from textwrap.wrap(
            text,
            WIDTH,
            initial_indent=f"{key + ':':<14}",
            subsequent_indent=" " * 14,
            break_long_words=False,
        )


def legend() -> str:
    """Return the meanings of the verdicts and of the difference in summary_table(), as wrapped
    lines.
    """
    meanings = [f"{name}: {meaning}" for name, meaning in VERDICTS.items()]
    text = "; ".join(meanings)
    text += ". difference: the largest, in units of the values."
    return "\n".join(textwrap.wrap(text, WIDTH))


def values_table(entry: JsonObject) -> Table:
    """Return a row for each listed value of an entry of the results' `expectations`: its keys, the
    published value, ours, their difference, and whether it is equal.
    """
    rows = []
    for item in entry["compared"]:
        verdict = item["verdict"]
        if verdict == "tolerance":
            verdict = "within the tolerance"
        rows.append(
            [
                item["place"],
                item["expected"],
                item["found"] or "-",
                difference(item["difference"]),
                verdict,
            ]
        )
    title = "published" if entry["published"] else "expected"
    return ["", title, "ours", "difference", ""], rows


def to_markdown(outcomes: Sequence[Outcome]) -> str:
    """Return the table that `gec-pipeline help reproduce` has, a row for each recipe that ran, and
    below it which recipes were not run and which are worse than on record.
    """
    rows = []
    for outcome in outcomes:
        if outcome.expectations:
            rows.append([outcome.recipe.name, *summary(outcome)])
    return "\n".join(markdown_lines(SHORT, rows, notes_of(outcomes))) + "\n"


def markdown_lines(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    notes: Iterable[str] = (),
) -> list[str]:
    """Return the lines of a table in Markdown, and notes below it as a list."""
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    for row in rows:
        lines.append(f"| {' | '.join(map(_escaped, row))} |")
    items = [f"- {_escaped(note)}" for note in notes]
    if items:
        lines += ["", *items]
    return lines


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


def plain(outcomes: Sequence[Outcome]) -> JsonObject:
    """Return all outcomes as mappings and lists, for --format json. A recipe that did not run has
    the verdict None and no entries.
    """
    results = []
    for outcome in outcomes:
        expectations = outcome.expectations or {}
        results.append(
            {
                "name": outcome.recipe.name,
                "publication": outcome.recipe.publication,
                "recorded": outcome.recipe.publication["verdict"],
                "verdict": expectations.get("verdict"),
                "worse": outcome.worse,
                "message": outcome.message or None,
                "signatures": outcome.signatures,
                "seconds": round(outcome.seconds, 3),
                "entries": expectations.get("entries", []),
                "warnings": outcome.warnings,
            }
        )
    return {"schema": 1, "results": results}
