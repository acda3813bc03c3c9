"""Publications by name: short citations, and recipes in groups of one publication each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...reproduction.recipe import Outcome, Recipe

NOBODY = "in no publication"
_YEAR = re.compile(r"(.+?),? ((?:19|20)[0-9]{2})")


def short_citation(publication: Mapping[str, Any]) -> str:
    """Return authors and year, such as "Ng et al. 2014"; what stands before the first colon where there is no year."""
    named = _YEAR.fullmatch(_before_colon(publication))
    return f"{authors(publication)} {named[2]}" if named else authors(publication)


def authors(publication: Mapping[str, Any]) -> str:
    """Return who wrote a publication, such as "Ng et al."."""
    text = _before_colon(publication)
    named = _YEAR.fullmatch(text)
    if not named:
        return text or NOBODY
    people = re.split(r", | and ", named[1])
    return people[0] if len(people) == 1 else " and ".join(people) if len(people) == 2 else f"{people[0]} et al."


def _before_colon(publication: Mapping[str, Any]) -> str:
    return " ".join(publication.get("cite", "").split()).partition(":")[0]


def by_publication(outcomes: list[Outcome]) -> list[tuple[str, list[Outcome]]]:
    """Return the citations, the oldest first, each with its outcomes; those without a year and a citation come last."""
    cited: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        cited.setdefault(" ".join(outcome.recipe.publication.get("cite", "").split()), []).append(outcome)
    return sorted(cited.items(), key=lambda item: _place(item[0], item[1][0].recipe))


def _place(cite: str, recipe: Recipe) -> tuple[bool, int, str]:
    return not cite, recipe.year or 9999, cite
