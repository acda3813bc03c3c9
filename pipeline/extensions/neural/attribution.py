"""Which edits make the difference between a source and an output, by any metric that scores a
sentence.

Edits are the players of a game, in which some of them win the score of the source with these edits
and no others. Their Shapley values (Shapley 1953) share score(output) - score(source) out among
them."""

import math
import random
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pipeline.data.corpus import Corpus, corpus_in_memory
from pipeline.data.inputs import TEXTS
from pipeline.data.texts import AnyText, read_texts
from pipeline.errors import InputError
from pipeline.execution.count import PreparedCounts
from pipeline.execution.function_metrics import Computing, with_computed
from pipeline.extensions.edits.annotated_texts import corrected
from pipeline.extensions.edits.errant_annotator import annotator_named
from pipeline.extensions.edits.m2_files import NOOP, Edit
from pipeline.extensions.edits.m2_format import SPAN
from pipeline.extensions.edits.records import outputs_of
from pipeline.extensions.edits.view_names import GOLD, annotated_by, annotator_of
from pipeline.metrics.base.capabilities import computes_numbers, data_set_columns, reads_files
from pipeline.metrics.base.metric import Metric
from pipeline.scoring.sentences import LineScores

Output = tuple[str, int]
"""The name of a system, or a text in place of its output, and the line from 0."""
EXACT, ORDERS, SEED = 10, 100, 12345
"""Of up to EXACT edits all combinations are scored, of more those in which ORDERS orders make them
one by one."""
VARIANTS = "a text with some of the edits"
"""What errors call the texts that are scored."""
LINE = "A {} {}|||{}|||{}|||REQUIRED|||-NONE-|||{}"


class Effect(NamedTuple):
    """An edit, which replaces the tokens start <= i < end of the source, and what it does to the
    score, in fractions.

    `alone` is the score of the source with this edit, less that of the source; `left_out` the score
    of the output, less that of the output without it. `share` is its Shapley value: the mean of
    what it adds to the edits before it, over the orders of all edits. The type is empty where
    nobody has given one."""

    start: int
    end: int
    original: str
    correction: str
    type: str
    alone: float
    left_out: float
    share: float


class Attribution(NamedTuple):
    """The scores of source and output, the effects of the edits between them, and whose edits they
    are.
    """

    source: float
    output: float
    effects: list[Effect]
    by: str


def changes(size: int, worth: Mapping[int, float]) -> list[tuple[float, float, float]]:
    """Return what each edit changes alone, left out, and by its share, given the score of each
    combination of edits.

    Bit i of a combination says whether edit i is made. A defaultdict has afterwards all that are
    needed. The shares are exact for up to EXACT edits; else they are estimates from orders that are
    the same ones for every sentence with as many edits: half of them are drawn, and the others are
    their reverses. They add up to the whole difference."""
    first, last, whole, shares = worth[0], worth[(1 << size) - 1], (1 << size) - 1, [0.0] * size
    if size <= EXACT:
        each = (
            (edit, made)
            for made in range(1 << size)
            for edit in range(size)
            if not made >> edit & 1
        )
        steps = [
            (edit, made, 1 / (size * math.comb(size - 1, made.bit_count()))) for edit, made in each
        ]
    else:
        drawn = random.Random(SEED)  # noqa: S311 (nothing secret)
        half = [drawn.sample(range(size), size) for _ in range(ORDERS // 2)]
        orders = [*half, *(order[::-1] for order in half)]
        before = ((edit, order[:place]) for order in orders for place, edit in enumerate(order))
        steps = [(edit, sum(1 << other for other in others), 1 / ORDERS) for edit, others in before]
    for edit, made, weight in steps:
        shares[edit] += weight * (worth[made | 1 << edit] - worth[made])
    return [
        (worth[1 << n] - first, last - worth[whole ^ 1 << n], share)
        for n, share in enumerate(shares)
    ]


# --- edits


def applied(source: str, edits: Iterable[Edit]) -> str:
    """Return a source with edits in it; where several overlap, the first. White space that no edit
    touches stays.
    """
    tokens, gaps = source.split(), re.split(r"\S+", source)
    pieces, behind = list[str](), 0
    for edit in [*sorted(edits, key=SPAN), Edit(len(tokens), len(tokens), "", "", 0)]:
        if edit.start >= behind:
            pieces += ((gaps[n] or " ") + tokens[n] for n in range(behind, edit.start))
            pieces += (f" {word}" for word in corrected(edit, tokens))
            behind = edit.end
    return gaps[0] + "".join(pieces).lstrip() + (gaps[-1] if tokens else "")


def edits_of(metric: Metric, corpus: Corpus, output: Output) -> tuple[list[Edit], str]:
    """Return the edits of an output, and whose they are: of the data set where it has some, else of
    aligned words.

    Where only white space differs, that is an edit of all words. Raises InputError for edits of
    several annotators."""
    system, line = output
    for name in (metric.spec.input, *corpus.views):
        if name not in (TEXTS, GOLD) and (records := corpus.views[name].systems.get(system)):
            own, *others = outputs_of(_line(records, line).encode())
            if others:
                raise InputError(
                    f"{system}, line {line + 1}: has edits of several annotators; name a file of one"
                )
            edits = sorted((edit for edit in own if not edit.is_noop), key=SPAN)
            if edits or name == metric.spec.input:
                return edits, "those of ERRANT" if annotator_of(name) else "those of its M2 file"
    texts = [_line(text, line) for text in (corpus.source, corpus.systems[system]) if text]
    one, two = map(str.split, texts)
    codes = SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    spans = [span for kind, *span in codes if kind != "equal"] or [[0, len(one), 0, len(two)]] * (
        len({*texts}) > 1
    )
    return [Edit(a, b, "", " ".join(two[c:d]), 0) for a, b, c, d in spans], "those of aligned words"


def view_of_edits(annotator: str) -> str:
    """Return the view with the edits that errant finds with a spaCy pipeline; raises ConfigError."""
    return annotated_by(annotator_named(annotator, Path()))


# --- scores


def is_attributed(metric: Metric) -> bool:
    """Return whether the score of an output depends on no other output, no other sentence, and no
    file.
    """
    code, corpus_pass = computes_numbers(metric), metric.spec.corpus_pass
    together = (code and code.declared and code.declared.listwise) or (
        corpus_pass and corpus_pass.of_systems
    )
    return not (together or reads_files(metric) or data_set_columns(metric).whole_sums)


def attributed(
    metric: Metric, corpus: Corpus, outputs: Sequence[Output]
) -> dict[Output, Attribution]:
    """Return what the edits of some outputs do to their scores. All variants of all outputs are
    scored together.

    Raises InputError for a metric whose scores cannot be attributed, and where there is no source.
    """
    if corpus.source is None or not is_attributed(metric):
        why = (
            "scores depend on files, other outputs or sentences"
            if corpus.source
            else "there is no source: add -s"
        )
        raise InputError(f"{metric.name} cannot say what an edit does: {why}")
    games = dict[Output, tuple[list[Edit], str, dict[int, Output]]]()
    for system, line in outputs:
        edits, whose = edits_of(metric, corpus, (system, line))
        source, needed = _line(corpus.source, line), defaultdict[int, float](float)
        changes(len(edits), needed)
        chosen = {
            made: [edit for number, edit in enumerate(edits) if made >> number & 1]
            for made in needed
        }
        if metric.spec.input in (TEXTS, GOLD):
            texts = {made: applied(source, own) for made, own in chosen.items()}
            texts |= {max(needed): _line(corpus.systems[system], line)} if edits else {}
        else:
            texts = {
                made: "\n".join(LINE.format(*edit) for edit in own) or NOOP
                for made, own in chosen.items()
            }
        games[system, line] = edits, whose, {made: (text, line) for made, text in texts.items()}
    scores = iter(
        _scores(metric, corpus, [each for *_, own in games.values() for each in own.values()])
    )
    found = {}
    for (system, line), (edits, whose, variants) in games.items():
        worth, tokens, effects = (
            {made: next(scores) for made in variants},
            _line(corpus.source, line).split(),
            [],
        )
        for edit, change in zip(edits, changes(len(edits), worth), strict=True):
            words = " ".join(tokens[edit.start : edit.end]), " ".join(corrected(edit, tokens))
            effects.append(Effect(edit.start, edit.end, *words, edit.type, *change))
        found[system, line] = Attribution(worth[0], worth[max(worth)], effects, whose)
    return found


def _scores(metric: Metric, corpus: Corpus, variants: Sequence[Output]) -> list[float]:
    """Return the score of each variant, a text and its line; NaN where it has none."""
    texts, rows = [text for text, _ in variants], np.array([line for _, line in variants])
    scores, kept = np.full(len(variants), np.nan), np.arange(len(variants))
    if not metric.spec.corpus_pass:  # else all lines say what a single one counts
        corpus, rows = _beside(variants, corpus, metric.spec.input), kept
    if computes_numbers(metric):
        (corpus,) = with_computed([corpus], [metric], Computing())
        numbers = corpus.read_by(metric.spec)
        texts, rows = (
            read_texts(numbers.systems[VARIANTS], 0, numbers.lines),
            np.arange(numbers.lines),
        )
        kept = np.delete(kept, numbers.left_out)
    columns = PreparedCounts(corpus.read_by(metric.spec), metric.spec).columns(texts, rows)
    scores[kept] = LineScores(metric).of(columns, missing=True)
    return scores.tolist()


def _beside(variants: Sequence[Output], corpus: Corpus, view: str = "") -> Corpus:
    """Return a data set whose only system has variants, beside the source and the references of
    their lines.
    """
    lines = {line for _, line in variants}

    def taken(text: AnyText, lacking: Collection[int] = ()) -> list[Any]:
        texts = {line: None if line in lacking else _line(text, line) for line in lines}
        return [texts[line] for _, line in variants]

    lacking = [
        {line for line in lines if corpus.lacks(n, line + 1)} for n in range(len(corpus.references))
    ]
    references = list(map(taken, corpus.references, lacking)) or None
    outputs, source = (
        {VARIANTS: [text for text, _ in variants]},
        taken(corpus.source) if corpus.source else None,
    )
    made = corpus_in_memory(outputs, references, source, references_by="annotator")
    views = {view: _beside(variants, corpus.views[view])} if view in corpus.views else {}
    return replace(made, name=corpus.name, views=views)


def _line(text: AnyText, line: int) -> str:
    return read_texts(text, line, line + 1)[0]
