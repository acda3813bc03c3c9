"""The stage that computes the sections `judgments` to `agreements`, and compares with `expect`."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.errors import printable
from pipeline.stage import Preparation, Scored, Stage

if TYPE_CHECKING:
    from .published_sections import Published

CONSEQUENCES = re.compile("which metric[?]|config has no metric")
"""Problems that follow from a metric that is wrong, and say nothing new beside that."""


def _open(preparation: Preparation) -> "Published | None":
    """Return the files that the sections of this extension name, read and checked; None if there
    are no such sections, or in a run of some metrics or systems only.

    What is wrong is added to the problems of the preparation."""
    from .models import published_config
    from .published_sections import Opener

    written = published_config(preparation.config)
    if preparation.partial:
        if written.expect:
            preparation.warnings.append(
                "nothing is compared with what is expected where --only chooses"
            )
        return None
    if not written.has_computations:
        return None
    problems = preparation.problems
    opened = Opener(preparation.config, preparation.metrics, problems).open()
    # A metric that is wrong makes all sections wrong that name it.
    if any(problem.message.startswith("metrics") for problem in problems):
        problems[:] = [
            item for item in problems if not CONSEQUENCES.search(item.message)
        ]
    return opened


def _compare(scored: Scored, opened: "Published") -> Scored:
    """Return the run with the computed sections and the comparison with published values; only with
    a warning if not all lines were scored.
    """
    from .expected_values import with_published
    from .models import published_config

    if scored.results.missing:
        return scored.with_warnings(
            "nothing is compared: lines could not be counted"
        )
    results = with_published(
        published_config(scored.job.config),
        opened,
        scored.metric_results,
        scored.results,
        scored.listener.testing,
    )
    return replace(scored, results=results)


def _describe(opened: "Published") -> Iterator[str]:
    """Yield the sizes of judgements and the number of entries of `expect`."""
    for name, judgments in opened.judgments.items():
        judges = len(judgments.judges)
        plural = "" if judges == 1 else "s"
        pairs = len(judgments.expanded.first)
        yield printable(
            f"judgments {name}: {len(judgments.systems)} systems, "
            f"{judges} judge{plural}, {pairs:,} pairs of systems"
        )
    if opened.written.expect:
        yield f"entries of expect: {len(opened.written.expect)}"


COMPARING = Stage(
    name="comparing", prepare=_open, add=_compare, describe=_describe
)
