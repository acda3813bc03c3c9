"""The atlas as one HTML file: every publication with its values beside ours, leader boards, timelines."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from ...io.dataset_cache import cache
from ...io.remote import PREFIX
from ...reproduction.verdicts import ORDER, VERDICTS
from ..html.shell import Design, PageTable, render
from ..tables.reproduction import summary
from ..tables.verdicts import misses
from .boards import board_part
from .citing import NOBODY, by_publication, short_citation
from .timelines import NOT_RUN, Told, kind_of, timeline
from .values import value_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...reproduction.published import Outcome
    from .boards import ScoredBoard
    from .values import ValueTable

PACKAGE = "pipeline.report.atlas"
ATLAS = Design(
    "atlas.html", ("page.css", "atlas.css", "copying.css"), ("theme.js", "sort.js", "copying.js", "atlas.js"), PACKAGE
)
TITLE = "Published rankings, reproduced"


class ResultPart(NamedTuple):
    """A published result as the page shows it."""

    name: str
    what: str
    verdict: str
    """The verdict, or "not run"."""
    kind: str
    recorded: str
    """The verdict on record."""
    equal: str
    difference: str
    message: str
    """Why it was not run, or an empty text."""
    missed: Sequence[str]
    """What is worse than on record."""
    about: Sequence[tuple[str, Sequence[str]]]
    """Titles with their texts: how the numbers come about, what was tried, and more."""
    signatures: Sequence[str]
    warnings: Sequence[str]
    tables: Sequence[ValueTable]
    href: str
    """The address of the explorer of the run, or an empty text."""


class PublicationPart(NamedTuple):
    """A publication as the page shows it."""

    name: str
    """The name of its element, for links."""
    short: str
    cite: str
    urls: Sequence[str]
    """Its addresses. All begin with http."""
    results: Sequence[ResultPart]


def atlas(outcomes: Sequence[Outcome], boards: Sequence[ScoredBoard], explorer: Callable[[str], str]) -> str:
    """Return the page. `explorer` returns the address of the report.html of a run directory's name, or "".

    Needs jinja2. It depends on the outcomes alone: no time and no path is on it, but for the addresses.
    """
    publications = [
        _publication(cite, own, number, explorer) for number, (cite, own) in enumerate(by_publication(list(outcomes)))
    ]
    content = {
        "title": TITLE,
        "publications": publications,
        "boards": [board_part(board, explorer(board.board.folder)) for board in boards],
        "timeline": timeline(_told(outcomes)),
        "counts": _counts(outcomes),
        "values_equal": _values(outcomes)[0],
        "values_all": _values(outcomes)[1],
        "verdicts": [(verdict, kind_of(verdict), VERDICTS[verdict]) for verdict in (*ORDER, "not published")],
        "not_run": PageTable(
            ["result", "why"], [[one.recipe.name, one.message] for one in outcomes if one.message], left=(0, 1)
        ),
    }
    return render(ATLAS, content)


def _publication(
    cite: str, outcomes: Sequence[Outcome], number: int, explorer: Callable[[str], str]
) -> PublicationPart:
    urls = dict.fromkeys(outcome.recipe.publication.get("url") or "" for outcome in outcomes)
    return PublicationPart(
        name=f"publication-{number}",
        short=short_citation(outcomes[0].recipe.publication),
        cite=cite or NOBODY,
        urls=[url for url in urls if url.startswith(("https://", "http://"))],
        results=[_result(outcome, explorer(outcome.recipe.name)) for outcome in outcomes],
    )


def _result(outcome: Outcome, href: str) -> ResultPart:
    publication, expectations = outcome.recipe.publication, outcome.expectations
    equal, largest, verdict = summary(outcome)
    titles = {"recipe": "How", "note": "Note", "tried": "What was tried", "not_compared": "Not compared"}
    about = [(title, _texts(publication.get(key))) for key, title in titles.items()]
    return ResultPart(
        name=outcome.recipe.name,
        what=publication["what"],
        verdict=verdict,
        kind=kind_of(verdict),
        recorded=publication["verdict"],
        equal=equal,
        difference=largest,
        message=outcome.message,
        missed=list(misses(expectations)) if expectations and outcome.worse else [],
        about=[(title, texts) for title, texts in about if texts],
        signatures=outcome.signatures,
        warnings=[text.replace(f"{cache()}{os.sep}", PREFIX) for text in outcome.warnings],
        tables=value_tables(outcome.recipe.expected, expectations),
        href=href if expectations else "",
    )


def _texts(value: Any) -> list[str]:
    return [str(text) for text in value] if isinstance(value, list) else [str(value)] if value else []


def _told(outcomes: Sequence[Outcome]) -> list[Told]:
    """Return the publications that have a year, with the verdicts on their results."""
    dated = [outcome for outcome in outcomes if outcome.recipe.year]
    return [
        Told(
            short_citation(own[0].recipe.publication),
            own[0].recipe.year or 0,
            [(outcome.recipe.name, _verdict(outcome)) for outcome in own],
        )
        for _, own in by_publication(dated)
    ]


def _verdict(outcome: Outcome) -> str:
    return outcome.expectations["verdict"] if outcome.expectations else NOT_RUN


def _counts(outcomes: Sequence[Outcome]) -> list[tuple[str, str, int]]:
    """Return each verdict that there is, with its class and how many results have it."""
    own = [_verdict(outcome) for outcome in outcomes]
    return [
        (verdict, kind_of(verdict), own.count(verdict))
        for verdict in dict.fromkeys((*VERDICTS, NOT_RUN))
        if verdict in own
    ]


def _values(outcomes: Sequence[Outcome]) -> tuple[int, int]:
    """Return how many published values are equal to ours, and how many there are."""
    entries = [e for one in outcomes for e in (one.expectations or {}).get("entries", ()) if e["published"]]
    return sum(entry["equal"] for entry in entries), sum(entry["values"] for entry in entries)
