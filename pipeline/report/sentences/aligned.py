"""The edits of one output of a run by an alignment of words, and which references make them too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...corpus.texts import read_texts
from ...metrics.base.capabilities import edit_judge
from ..sentence import makers, verdict_table
from .word_edits import verdicts_of, words_of

if TYPE_CHECKING:
    from ..material import Material
    from ..tables import Table

SUMMARY = 2.5
"""A source of so many times the words of an output is not aligned with it: the output is a summary."""


def aligned_edits(material: Material, dataset: str, line: int, system: str) -> tuple[Table, str] | None:
    """Return a table of the edits of an output with what each reference says of them, and their numbers in words.

    Lines count from 1. There is None where a metric of the run judges edits itself, where a text is not at hand, and
    where edits against the source say nothing, as for summaries.
    """
    corpus = material.corpora.get(dataset)
    own = [measured for measured in material.measured if measured.scores[0].dataset == dataset]
    if not corpus or not corpus.source or system not in corpus.systems or any(edit_judge(m.metric) for m in own):
        return None
    texts = (corpus.source, corpus.systems[system], *corpus.references)
    source, output, *references = (read_texts(text, line - 1, line)[0] for text in texts)
    if not references or len(words_of(source)) > SUMMARY * max(len(words_of(output)), 1):
        return None
    several = verdicts_of(source, output, references)
    if not any(several):
        return None
    judge = next(number for number, said in enumerate(several) if said is not None)
    return verdict_table(several, "reference"), makers(several, judge, "references")
