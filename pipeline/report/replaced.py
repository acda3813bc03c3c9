"""What a run replaces in its run directory, in a sentence that is printed before it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .tables.labels import labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..scoring.results import Score

SHOWN = 5
"""How many names of a kind are shown."""


def replacement_note(
    folder: object, scores: Sequence[Score], known: Sequence[str], outdated: Mapping[str, Sequence[str]]
) -> str | None:
    """Return what a run replaces in a folder, or None where nothing is lost.

    `scores` are those of the results there that the run does not make. `known` has the signatures of what it makes.
    `outdated` has the systems, by data set, whose counts are of other texts than now, once for each file of counts.
    """
    parts = []
    if scores:
        count, behind = (f"{len(scores):,} scores", "them") if len(scores) > 1 else ("1 score", "it")
        parts.append(
            f"the results there are replaced, of which this run does not make {count} ({_about(scores, known)}); "
            f"the counts behind {behind} stay"
        )
    for dataset, systems in outdated.items():
        if systems:
            counts = f"{len(systems):,} files of counts are" if len(systems) > 1 else "1 file of counts is"
            parts.append(f"{counts} replaced, because {dataset} has other texts now ({_listed('system', systems)})")
    return f"{folder}: {'; '.join(parts)}; --output DIR writes to another folder and keeps all" if parts else None


def _about(scores: Sequence[Score], known: Sequence[str]) -> str:
    """Return the systems and metrics of scores in words."""
    called = labels([*dict.fromkeys(score.metric for score in scores), *known])
    metrics = [called[score.metric] for score in scores]
    return f"{_listed('system', (score.system for score in scores))}; {_listed('metric', metrics)}"


def _listed(kind: str, names: Iterable[str]) -> str:
    own = list(dict.fromkeys(names))
    more = f" and {len(own) - SHOWN} more" if len(own) > SHOWN else ""
    return f"{kind}{'' if len(own) == 1 else 's'} {', '.join(own[:SHOWN])}{more}"
