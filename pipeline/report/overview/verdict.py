"""What a metric says of the systems on a data set, in one sentence. It says no more than was computed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...metrics.build import class_of
from ..tables.comparisons import baseline_of, is_significant, tests_of
from ..tables.digits import percent
from ..tables.labels import SOURCE, kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...scoring.results import Results, Score
    from ..tables.labels import Group

NAMED = 4
"""As many systems share a place by name; of more, the first three are named and the others counted."""


def verdict(results: Results, group: Group, digits: int) -> str:
    """Return a sentence: who is first, how surely, and how the others stand to the baseline and to the source.

    Systems share the first place if a test of all pairs did not tell them from the first, or, without such a test, if
    their ranges of ranks reach as high. Without either, the sentence has the distance of the second and says that
    there was no test. It is empty where no system has a score.
    """
    apart = kinds(results.datasets[group.dataset], group)
    own = [score for score in group.scores if score.system not in apart and not math.isnan(score.score)]
    if not own:
        return ""
    parts = [_first(results, own, digits), _baseline(results, own[0]), _source(group, apart, own[0], digits)]
    if len(own) > 1 and not tests_of(results, own[0]):
        parts.append("no test was made")
    return f"{'; '.join(filter(None, parts))}." if any(parts) else ""


def _first(results: Results, own: Sequence[Score], digits: int) -> str:
    """Return who is first, or who share the first place; "" of a system that has no rival."""
    first, *others = own
    tests = [test for test in tests_of(results, first) if first.system in (test.system, test.other)]
    if not others:
        return ""
    if tests and baseline_of(results) is None:
        different = {name for t in tests if is_significant(t, results) for name in (t.system, t.other)}
        names = [score.system for score in others if score.system not in different]
        count = len(different - {first.system})
        who = _of(count, len(tests)) if count else f"none of {len(tests)}"
        return f"{_place([first.system, *names])}; {who} {_verb(count or 1, 'differ')} from {first.system}"
    if first.bootstrap:
        highest = min(score.bootstrap.ranks[0] for score in own if score.bootstrap)
        names = [s.system for s in others if s.bootstrap and s.bootstrap.ranks[0] <= highest]
        return f"{_place([first.system, *names])} by the ranges of ranks"
    equal = [score.system for score in own if percent(score.score, digits) == percent(first.score, digits)]
    if len(equal) > 1:
        return f"{_place(equal)} with {percent(first.score, digits)}"
    return f"{first.system} is first, {_distance(first, others[0], digits)} before {others[0].system}"


def _baseline(results: Results, score: Score) -> str:
    """Return how many systems are better and worse than the baseline; "" where all pairs were compared, or none."""
    baseline, tests = baseline_of(results), tests_of(results, score)
    if baseline is None or not tests:
        return ""
    different = [test for test in tests if is_significant(test, results)]
    ahead = sum(class_of(test.metric).goodness(test.difference) > 0 for test in different)
    behind = len(different) - ahead
    if not different:
        return f"none of {len(tests)} differs from {baseline}"
    count, word = (ahead, "better") if ahead else (behind, "worse")
    rest = f", {behind} worse" if ahead and behind else ""
    return f"{_of(count, len(tests))} {_verb(count, 'be')} {word} than {baseline}{rest}"


def _source(group: Group, apart: dict[str, str], first: Score, digits: int) -> str:
    """Return that the unchanged source is before the first system, where it is."""
    for score in group.scores:
        if apart.get(score.system) == SOURCE and score.rank < first.rank:
            return f"{score.system}, the unchanged source, is {_distance(score, first, digits)} before {first.system}"
    return ""


def _distance(one: Score, two: Score, digits: int) -> str:
    """Return how far two scores are apart, as they are printed."""
    text = percent(abs(one.score - two.score), digits)
    return text if text.strip("0.") else f"less than {text[:-1]}1"


def _place(names: Sequence[str]) -> str:
    """Return that a system is first, or that several share the first place."""
    if len(names) == 1:
        return f"{names[0]} is first"
    if len(names) > NAMED:
        return f"{', '.join(names[: NAMED - 1])} and {len(names) - NAMED + 1} more share the first place"
    return f"{', '.join(names[:-1])} and {names[-1]} share the first place"


def _of(count: int, whole: int) -> str:
    return f"all {whole}" if count == whole > 1 else f"{count} of {whole}"


def _verb(count: int, verb: str) -> str:
    """Return the verb that follows after a count."""
    return {"be": "is" if count == 1 else "are", "differ": "differs" if count == 1 else "differ"}[verb]
