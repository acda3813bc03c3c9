"""The effects of the edits between a source and an output, by any metric that scores a sentence.

Edits are the players of a game. What a group of them wins, its worth, is the score of the source
with these edits and no others. Their Shapley values (Shapley 1953) divide score(output) -
score(source) among them.
"""

import math
import random
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pipeline.data import TEXTS, AnyText, Corpus
from pipeline.errors import InputError
from pipeline.execution import PreparedCounts, with_computed
from pipeline.extensions.edits.m2_files import NOOP, SPAN, Edit
from pipeline.extensions.edits.records import outputs_of
from pipeline.extensions.edits.view_names import GOLD, annotator_of
from pipeline.extensions.errant.annotated_texts import corrected
from pipeline.extensions.errant.errant_annotator import annotator_named
from pipeline.extensions.errant.view_names import annotated_by
from pipeline.metrics.base import Metric
from pipeline.scoring import SentenceScores

Output = tuple[str, int]
"""The name of a system, or a text in place of its output, and the line from 0."""
EXACT = 10
"""For up to so many edits all combinations are scored."""
ORDERS = 100
"""The number of orders in which more edits are applied one by one."""
SEED = 12345
"""The seed of these orders."""
VARIANTS = "a text with some of the edits"
"""The name in errors of the texts that are scored."""
M2_LINE = "A {} {}|||{}|||{}|||REQUIRED|||-NONE-|||{}"


class Effect(NamedTuple):
    """An edit, which replaces the tokens start <= i < end of the source, and its effect on the
    score, in fractions.
    """

    start: int
    end: int
    original: str
    correction: str
    type: str
    """Empty for edits of aligned words."""
    alone: float
    """The score of the source with this edit, less that of the source."""
    left_out: float
    """The score of the output, less that of the output without this edit."""
    share: float
    """The Shapley value: the mean of what the edit adds to the edits before it, over the orders of
    all edits.
    """


class Attribution(NamedTuple):
    """The scores of source and output, and the effects of the edits between them."""

    source: float
    output: float
    effects: list[Effect]
    by: str
    """Whose edits they are, in words."""


class Changes(NamedTuple):
    """What an edit changes; see Effect."""

    alone: float
    left_out: float
    share: float


class Step(NamedTuple):
    """An edit that is added to a combination of others, in some of the orders of all edits."""

    edit: int
    others: int
    """The combination: bit i is set if edit i is in it."""
    weight: float
    """The share of the orders in which exactly these edits come before this one."""


def changes(size: int, worth: Mapping[int, float]) -> list[Changes]:
    """Return what each of `size` edits changes, from the worth of each combination of edits: its
    score. Bit i of a combination is set if edit i is applied.

    Called with a defaultdict, `worth` has afterwards all combinations that are needed. The shares
    are exact for up to EXACT edits. Else they are estimates from orders that are the same for every
    sentence with as many edits: half of them are drawn, and the others are their reverses. In both
    cases they add up to the difference between all edits and none."""
    all_edits = (1 << size) - 1
    steps = _all_steps(size) if size <= EXACT else _drawn_steps(size)
    source_score = worth[0]
    output_score = worth[all_edits]
    shares = [0.0] * size
    for step in steps:
        with_edit = step.others | 1 << step.edit
        difference = worth[with_edit] - worth[step.others]
        shares[step.edit] += step.weight * difference
    result = []
    for edit, share in enumerate(shares):
        only_edit = 1 << edit
        change = Changes(
            alone=worth[only_edit] - source_score,
            left_out=output_score - worth[all_edits ^ only_edit],
            share=share,
        )
        result.append(change)
    return result


def _all_steps(size: int) -> Iterator[Step]:
    """Yield the steps of all orders of `size` edits: each edit after each combination of others,
    weighted by the share of orders that have this step.
    """
    all_edits = (1 << size) - 1
    for others in range(all_edits):
        # An edit comes at each place, and behind each set of that size, equally often.
        sets_of_size = math.comb(size - 1, others.bit_count())
        weight = 1 / (size * sets_of_size)
        for edit in range(size):
            if not others >> edit & 1:
                yield Step(edit, others, weight)


def _drawn_steps(size: int) -> Iterator[Step]:
    """Yield the steps of ORDERS random orders of `size` edits, half of them reverses of the others."""
    generator = random.Random(SEED)  # noqa: S311 (nothing secret)
    orders = []
    for _ in range(ORDERS // 2):
        orders.append(generator.sample(range(size), size))
    orders += [order[::-1] for order in orders]
    for order in orders:
        others = 0
        for edit in order:
            yield Step(edit, others, 1 / ORDERS)
            others |= 1 << edit


# --- edits


def applied(source: str, edits: Iterable[Edit]) -> str:
    """Return a source with edits of its tokens applied, of overlapping ones the first. White space
    between tokens that stay is kept; corrections come with single blanks.
    """
    tokens = source.split()
    # The white space before each token, and behind the last.
    gaps = re.split(r"\S+", source)
    parts: list[str] = []
    position = 0
    # An edit of nothing at the end, so that the last tokens are copied.
    sentence_end = Edit(len(tokens), len(tokens), "", "", 0)
    for edit in [*sorted(edits, key=SPAN), sentence_end]:
        if edit.start < position:
            continue
        for index in range(position, edit.start):
            parts.append((gaps[index] or " ") + tokens[index])
        parts += [f" {word}" for word in corrected(edit, tokens)]
        position = edit.end
    end = gaps[-1] if tokens else ""
    return gaps[0] + "".join(parts).lstrip() + end


def edits_of(
    metric: Metric, corpus: Corpus, output: Output
) -> tuple[list[Edit], str]:
    """Return the edits between the source and an output, and in words whose they are.

    They are those that the metric reads, or that the data set has (from an M2 file of the system or
    by ERRANT), else those of aligned words. Raises InputError for edits of several annotators."""
    system, line = output
    # The views of a data set have edits of outputs, but for these two.
    for name in (metric.spec.input, *corpus.views):
        if name in (TEXTS, GOLD):
            continue
        records = corpus.views[name].systems.get(system)
        if not records:
            continue
        annotations = outputs_of(_line(records, line).encode())
        if len(annotations) > 1:
            problem = "has edits of several annotators; name a file of one"
            raise InputError(f"{system}, line {line + 1}: {problem}")
        edits = [edit for edit in annotations[0] if not edit.is_noop]
        edits.sort(key=SPAN)
        if edits or name == metric.spec.input:
            annotator = "ERRANT" if annotator_of(name) else "its M2 file"
            return edits, f"those of {annotator}"
    source_text = _line(corpus.source, line) if corpus.source else ""
    output_text = _line(corpus.systems[system], line)
    return _aligned_edits(source_text, output_text), "those of aligned words"


def _aligned_edits(source: str, output: str) -> list[Edit]:
    """Return the edits between two texts by an alignment of their words. If only white space differs,
    that is an edit of all words.
    """
    source_words = source.split()
    output_words = output.split()
    matcher = SequenceMatcher(None, source_words, output_words, autojunk=False)
    edits = []
    for kind, start, end, output_start, output_end in matcher.get_opcodes():
        if kind != "equal":
            correction = " ".join(output_words[output_start:output_end])
            edits.append(Edit(start, end, "", correction, 0))
    if not edits and source != output:
        correction = " ".join(output_words)
        edits.append(Edit(0, len(source_words), "", correction, 0))
    return edits


def view_of_edits(annotator: str) -> str:
    """Return the view with the edits that errant finds with a spaCy pipeline; raises ConfigError."""
    return annotated_by(annotator_named(annotator, Path()))


# --- scores


def is_attributed(metric: Metric) -> bool:
    """Return whether a metric's score of an output depends on its sentence alone: on no other output
    or sentence, and no file with scores.
    """
    if metric.reads_files or metric.corpus_sums:
        return False
    corpus_pass = metric.spec.corpus_pass
    if corpus_pass and corpus_pass.of_systems:
        return False
    return not (metric.declared and metric.declared.listwise)


class _Game(NamedTuple):
    """The edits of an output, and the texts whose scores say what they do."""

    edits: list[Edit]
    by: str
    """Whose edits they are, in words."""
    variants: dict[int, str]
    """The source with each combination of edits that is scored; the bits of a key are the edits
    applied."""


def attributed(
    metric: Metric,
    corpus: Corpus,
    outputs: Sequence[Output],
) -> dict[Output, Attribution]:
    """Return the effects of the edits of each output on its score. The source with each needed
    combination of edits is scored, for all outputs together.

    Raises InputError without a source, and for a metric whose scores cannot be attributed: see
    is_attributed()."""
    if corpus.source is None or not is_attributed(metric):
        reason = "there is no source: add -s"
        if corpus.source:
            reason = "scores depend on files, other outputs or sentences"
        raise InputError(
            f"{metric.name} cannot say what an edit does: {reason}"
        )
    games = {output: _game(metric, corpus, output) for output in outputs}
    variants = []
    for (_, line), game in games.items():
        variants += [(text, line) for text in game.variants.values()]
    scores = iter(_scores(metric, corpus, variants))
    attributions = {}
    for output, game in games.items():
        worth = {}
        for combination in game.variants:
            worth[combination] = next(scores)
        _, line = output
        tokens = _line(corpus.source, line).split()
        effects = []
        changes_of_edits = changes(len(game.edits), worth)
        for edit, change in zip(game.edits, changes_of_edits, strict=True):
            original = " ".join(tokens[edit.start : edit.end])
            correction = " ".join(corrected(edit, tokens))
            effect = Effect(
                start=edit.start,
                end=edit.end,
                original=original,
                correction=correction,
                type=edit.type,
                alone=change.alone,
                left_out=change.left_out,
                share=change.share,
            )
            effects.append(effect)
        attributions[output] = Attribution(
            source=worth[0],
            output=worth[max(worth)],
            effects=effects,
            by=game.by,
        )
    return attributions


def _game(metric: Metric, corpus: Corpus, output: Output) -> _Game:
    """Return the edits of an output, and the variants of the source that have to be scored: texts,
    or for a metric that reads edits the lines of an M2 file.
    """
    assert corpus.source is not None  # noqa: S101 (attributed() has checked)
    system, line = output
    edits, by = edits_of(metric, corpus, output)
    # The combinations that changes() looks up.
    needed = defaultdict[int, float](float)
    changes(len(edits), needed)
    reads_texts = metric.spec.input in (TEXTS, GOLD)
    source = _line(corpus.source, line)
    variants = {}
    for combination in needed:
        chosen = []
        for index, edit in enumerate(edits):
            if combination >> index & 1:
                chosen.append(edit)
        if reads_texts:
            variants[combination] = applied(source, chosen)
        else:
            m2_lines = [M2_LINE.format(*edit) for edit in chosen]
            variants[combination] = "\n".join(m2_lines) or NOOP
    # With all edits, the output itself: its white space may differ.
    if reads_texts and edits:
        variants[max(needed)] = _line(corpus.systems[system], line)
    return _Game(edits, by, variants)


def _scores(
    metric: Metric, corpus: Corpus, variants: Sequence[Output]
) -> list[float]:
    """Return the score of each variant, a text (or edits) and the line of the data set that it is a
    variant of; NaN for undefined scores.
    """
    texts: Sequence[str] = [text for text, _ in variants]
    rows = np.array([line for _, line in variants])
    has_score = np.arange(len(variants))
    # A metric with a pass over the corpus, such as for document frequencies,
    # needs the whole data set; any other is given the variants alone.
    if not metric.spec.corpus_pass:
        corpus = _with_variants(variants, corpus, metric.spec.input)
        rows = np.arange(len(variants))
    if metric.computes_numbers:
        # A function of Python scores the texts; its numbers are then counted.
        (corpus,) = with_computed([corpus], [metric])
        numbers = corpus.read_by(metric.spec)
        texts = numbers.systems[VARIANTS].read(0, numbers.lines)
        rows = np.arange(numbers.lines)
        has_score = np.delete(has_score, numbers.left_out)
    counts = PreparedCounts(corpus.read_by(metric.spec), metric.spec)
    columns = counts.columns(texts, rows)
    scores = np.full(len(variants), np.nan)
    scores[has_score] = SentenceScores(metric).of_lines(columns, missing=True)
    return scores.tolist()


def _with_variants(
    variants: Sequence[Output],
    corpus: Corpus,
    view: str = "",
) -> Corpus:
    """Return a data set in memory whose only system has the texts of variants, with the source and
    the references of their lines, and one of the views of the data set.
    """
    lines = {line for _, line in variants}

    def repeated(text: AnyText, missing: Collection[int] = ()) -> list[Any]:
        texts: dict[int, str | None] = dict.fromkeys(missing)
        for line in lines.difference(missing):
            texts[line] = _line(text, line)
        return [texts[line] for _, line in variants]

    references = []
    for number, reference in enumerate(corpus.references):
        missing = [line for line in lines if corpus.lacks(number, line + 1)]
        references.append(repeated(reference, missing))
    outputs = {VARIANTS: [text for text, _ in variants]}
    source = repeated(corpus.source) if corpus.source else None
    data = Corpus.in_memory(
        outputs,
        references or None,
        source,
        references_by="annotator",
    )
    views = {}
    if view in corpus.views:
        views[view] = _with_variants(variants, corpus.views[view])
    return replace(data, name=corpus.name, views=views)


def _line(text: AnyText, line: int) -> str:
    return text.read(line, line + 1)[0]
