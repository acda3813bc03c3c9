"""How metrics rank the outputs of each sentence, as judgements that `gec-pipeline human` and `correlate` read."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

import numpy as np

from ..corpus.texts import read_texts
from ..human.score_files import metric_scores
from .tables.ranked import labels

if TYPE_CHECKING:
    from .material import Material


def ranking_files(material: Material) -> dict[str, str]:
    """Return an XML file for each data set, in which each metric is a judge, and sentences count from 1.

    Systems with the same output and score stand together. Sentences that have no score for a system are left out.
    """
    named = labels(board.signature for board in material.measured)
    items: dict[str, list[str]] = {}
    for metric in metric_scores(board for board in material.measured if board.columns):
        corpus, scores = material.corpora.get(metric.dataset), metric.sentences_of(metric.systems, "rankings")
        own = [
            read_texts(corpus.systems[name], 0, metric.lines) if corpus else [name] * metric.lines
            for name in metric.systems
        ]
        for number, (good, outputs) in enumerate(zip(scores.T.tolist(), zip(*own, strict=True), strict=True), 1):
            groups: dict[tuple[float, str], list[str]] = {}
            for name, *key in zip(metric.systems, good, outputs, strict=True):
                groups.setdefault((key[0], key[1]), []).append(name)
            ranks = sorted({score for score, _ in groups}, reverse=True)
            lines = [
                f'  <translation system="{" ".join(names)}" rank="{ranks.index(score) + 1}"/>'
                for (score, _), names in groups.items()
            ]
            head = f'<ranking-item src-id="{number}" user={quoteattr(named[metric.metric])}>'
            if not np.isnan(good).any():
                items.setdefault(metric.dataset, []).extend([head, *lines, "</ranking-item>"])
    return {f"rankings/{name}.xml": "\n".join(["<rankings>", *own, "</rankings>", ""]) for name, own in items.items()}
