"""The edits of a page's sentences: which are right, wrong or missed. The script `assets/edits.js` reads them."""

from __future__ import annotations

import re
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from ...metrics.base.capabilities import MISSED, RIGHT, WRONG, edit_judge
from ...scoring.column_blocks import annotators_of, chosen_references
from .texts import MAX_TEXT, STEP, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...arrays import Ints
    from ...corpus.corpus import Corpus
    from ...metrics.base.capabilities import Verdict
    from ...metrics.base.metric import Metric
    from ...scoring.scored_columns import ScoredColumns


LETTERS = {RIGHT: "r", WRONG: "w", MISSED: "m"}
"""What stands for a verdict behind the number of its edit."""
WHITE = re.compile(r"[\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+")
"""What JavaScript takes for white space."""


class Numbered:
    """Things with numbers, in the order in which they came first."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}

    def __call__(self, thing: object) -> int:
        """Return the number of a thing."""
        return self.numbers.setdefault(thing, len(self.numbers))


def references_of(corpus: Corpus, metric: Metric, lines: Ints) -> Ints:
    """Return for some lines which reference of the columns is that of each annotator: int64 [lines, annotators]."""
    view, judge = corpus.read_by(metric.needs), edit_judge(metric)
    assert judge is not None  # noqa: S101 (see by_annotator())
    texts = [lines_of(text, lines) for text in (view.source, *view.references) if text]
    numbers = [judge.references_of(source, own) for source, *own in zip(*texts, strict=True)]
    return np.array(numbers, np.int64).reshape(len(lines), len(view.references))


def edit_data(
    corpus: Corpus, measured: ScoredColumns, names: Sequence[str], lines: Ints, references: Ints | None
) -> dict[str, Any] | None:
    """Return the edits of some lines for the systems in `names`; None for metrics without verdicts.

    `words` are corrections and types. `edits` has for each line the start, end, correction and type of each edit, one
    edit after the other. `marks` has for each line, system and annotator the numbers of edits with LETTERS behind them,
    or None where the annotator takes no part. `chosen` has for each line and system the annotator who counts.
    `tokens` has those of the source, by lines where the script would find others. `references` is what references_of()
    returns, None where the references of the columns are annotators.
    """
    metric, view = measured.metric, corpus.read_by(measured.metric.needs)
    if not edit_judge(metric) or view.source is None:
        return None
    own = dict(zip(measured.names, measured.columns, strict=False))
    chosen = []
    for name in names:
        counts = np.concatenate(list(chosen_references(metric, own[name])))[lines] if name in own else 0 * lines
        chosen.append((counts if references is None else annotators_of(references, counts)).tolist())
    words, edits, marks = Numbered(), list[list[int]](), list[list[list[str | None]]]()
    for row in _judged(corpus, metric, [name for name in names if name in own], lines):
        numbers = Numbered()
        judged = iter(row)
        nothing: list[str | None] = [None] * len(view.references)
        marks.append([_marks(next(judged), numbers) if name in own else nothing for name in names])
        edits.append(
            [item for start, end, fix, kind in numbers.numbers for item in (start, end, words(fix), words(kind))]
        )
    return {
        "words": list(words.numbers),
        "edits": edits,
        "marks": marks,
        "chosen": list(zip(*chosen, strict=True)),
        "tokens": _tokens(corpus, metric, lines),
    }


def _tokens(corpus: Corpus, metric: Metric, lines: Ints) -> dict[int, list[str]]:
    """Return the tokens of the source that edits count, by the places of lines where the script finds others."""
    tokenization, view = metric.needs.tokenization, corpus.read_by(metric.needs)
    shown = lines_of(corpus.source, lines) if corpus.source else repeat("")
    tokens = {}
    for place, (source, text) in enumerate(
        zip(lines_of(view.source, lines) if view.source else (), shown, strict=False)
    ):
        own = tokenization.tokens(source) if tokenization else source.split()
        if len(source) <= MAX_TEXT and (not corpus.source or own != [word for word in WHITE.split(text) if word]):
            tokens[place] = own
    return tokens


def _judged(
    corpus: Corpus, metric: Metric, names: Sequence[str], lines: Ints
) -> Iterator[tuple[list[list[Verdict] | None], ...]]:
    """Yield for each line what annotators say of the edits of the systems in `names`."""
    view, judge = corpus.read_by(metric.needs), edit_judge(metric)
    assert judge is not None  # noqa: S101 (edit_data() asks)
    for low in range(0, len(lines), STEP):
        some = lines[low : low + STEP]
        source, *others = (
            list(lines_of(text, some))
            for text in (view.source, *view.references, *map(view.systems.get, names))
            if text
        )
        annotations, outputs = others[: len(view.references)], others[len(view.references) :]
        yield from zip(*judge.verdicts(source, outputs, annotations), strict=True)


def _marks(several: Sequence[list[Verdict] | None], numbers: Numbered) -> list[str | None]:
    """Return what each annotator says of the edits of an output."""
    return [None if own is None else "".join(_mark(verdict, numbers) for verdict in own) for own in several]


def _mark(verdict: Verdict, numbers: Numbered) -> str:
    edit = (verdict.start, verdict.end, verdict.correction, verdict.type)
    return f"{numbers(edit)}{LETTERS[verdict.verdict]}"
