"""Which columns are counted for the categories of a data set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...metrics.base.capabilities import category_needs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...corpus.corpus import Corpus
    from ...metrics.base.metric import Metric, Needs


def breakdown_of(corpus: Corpus, metric: Metric) -> Needs | None:
    """Return the columns that count the categories of a data set, None where there are no categories."""
    categories = corpus.read_by(metric.needs).categories
    return category_needs(metric, categories)


def needs_of(corpus: Corpus, metrics: Sequence[Metric]) -> tuple[Needs, ...]:
    """Return the columns to count for a data set: those of the metrics, and of their categories."""
    apart = (breakdown_of(corpus, metric) for metric in metrics)
    return tuple(dict.fromkeys([*(metric.needs for metric in metrics), *filter(None, apart)]))
