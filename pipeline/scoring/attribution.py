"""Which edits make the difference between a source and an output, by any metric that scores a sentence.

The edits of an output are the players of a game, in which some of them win the score of the source with these edits
and no others. Their Shapley values (Shapley 1953) share score(output) - score(source) out among them.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import repeat
from typing import Any, Literal, NamedTuple

import numpy as np

from ..annotation.annotate import AnnotationCache, annotate_all
from ..arrays import Floats, Ints
from ..corpus.annotated_texts import DETECTED, words_of
from ..corpus.corpus import Corpus
from ..corpus.edits.m2_files import NOOP, edit_of, read_lines
from ..corpus.formats.m2 import SPAN
from ..corpus.texts import AnyText, lines_of, read_texts, text_in_memory
from ..errors import ConfigError, InputError
from ..execution.count import PreparedCounts
from ..execution.plugged import Computing, with_computed
from ..metrics.base.capabilities import computes_numbers, data_set_columns, reads_files
from ..metrics.base.metric import Metric
from ..metrics.base.needs import GOLD, TEXTS, annotator_of
from .sentences import LineScores

Output = tuple[str, int]
"""The name of a system, and a line from 0."""

By = Literal["auto", "errant", "words"]
"""Who finds the edits of a text: ERRANT where it is installed (auto), ERRANT, or an alignment of words."""
OF_M2, OF_ERRANT, OF_WORDS = "those of its M2 file", "those of ERRANT", "those of an alignment of words"
EXACT = 10
"""Up to so many edits of a sentence, all of their combinations are scored."""
ORDERS = 100
"""In so many orders more edits than that are made one by one: half of them are drawn, and each of these is reversed."""
SEED = 12345
VARIANTS = "variants"
"""What messages call the system whose outputs are the source with some edits."""


class TextEdit(NamedTuple):
    """An edit of a sentence, which replaces the tokens start <= i < end of the source."""

    start: int
    end: int
    original: str
    """These tokens, with blanks between them."""
    correction: str
    type: str = ""
    """Empty where nobody has given it one."""
    line: str = ""
    """Its line in an M2 file, where metrics read that."""


class Effect(NamedTuple):
    """What an edit does to the score of its sentence, in fractions as all scores."""

    edit: TextEdit
    alone: float
    """The score of the source with this edit alone, less that of the source."""
    left_out: float
    """The score of the output, less that of the output without this edit."""
    share: float
    """Its Shapley value: the mean of what it adds to the edits before it, over the orders of all edits."""


class Attribution(NamedTuple):
    """The scores of source and output, and the edits between them, whose shares add up to the difference."""

    source: float
    output: float
    effects: list[Effect]
    by: str
    """Whose edits they are."""


def additions(size: int) -> list[tuple[int, int, float]]:
    """Return where each edit is added to others, with weights: its number, the others (bit i: edit i), and the weight.

    Weighted so, what an edit adds is its Shapley value for up to EXACT edits, else an estimate: then the edits are made
    in ORDERS orders, which are the same ones for every sentence with as many edits.
    """
    if size <= EXACT:
        weights = [1 / (size * math.comb(size - 1, before)) for before in range(size)]
        each = ((edit, made) for made in range(1 << size) for edit in range(size) if not made >> edit & 1)
        return [(edit, made, weights[made.bit_count()]) for edit, made in each]
    drawn, steps = random.Random(SEED), []  # noqa: S311 (nothing secret)
    half = [drawn.sample(range(size), size) for _ in range(ORDERS // 2)]
    for order in [*half, *(order[::-1] for order in half)]:
        made = 0
        for edit in order:
            steps.append((edit, made, 1 / ORDERS))
            made |= 1 << edit
    return steps


def coalitions(size: int) -> list[int]:
    """Return the combinations of edits that are scored, in rising order."""
    whole, seen = (1 << size) - 1, {made | 1 << edit for edit, made, _ in additions(size)}
    return sorted({0, *seen, *(1 << edit for edit in range(size)), *(whole ^ 1 << edit for edit in range(size))})


def shapley(size: int, worth: Mapping[int, float]) -> list[float]:
    """Return the share of each edit, given the score of each of coalitions(). They add up to the whole difference."""
    terms: list[list[float]] = [[] for _ in range(size)]
    for edit, made, weight in additions(size):
        terms[edit].append(weight * (worth[made | 1 << edit] - worth[made]))
    shares = [math.fsum(own) for own in terms]
    if shares and all(map(math.isfinite, shares)):  # what rounding has left goes to the largest one
        largest = max(range(size), key=lambda edit: abs(shares[edit]))
        shares[largest] += math.fsum([worth[max(worth)], -worth[0], *(-share for share in shares)])
    return shares


# --- edits


def applied(source: str, edits: Iterable[TextEdit]) -> str:
    """Return a source with edits in it; where several overlap, the first. White space that no edit touches stays."""
    tokens, gaps = source.split(), re.split(r"\S+", source)
    pieces, kept = list[str](), 0

    def add(words: Sequence[str], before: Iterable[str]) -> None:
        for word, gap in zip(words, before, strict=False):
            pieces.extend([gap or " ", word] if pieces else [word])

    for edit in sorted(edits, key=SPAN):
        if edit.start >= kept:
            add(tokens[kept : edit.start], gaps[kept:])
            add(edit.correction.split(), repeat(" "))
            kept = edit.end
    add(tokens[kept:], gaps[kept:])
    return "".join([gaps[0], *pieces, gaps[-1] if tokens else ""])


def _of_words(source: str, output: str) -> list[TextEdit]:
    """Return the edits of an alignment of words. Where only white space differs, it is a single edit of all words."""
    one, two = source.split(), output.split()
    codes = SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    spans = [(a, b, c, d) for kind, a, b, c, d in codes if kind != "equal"]
    spans = spans or [(0, len(one), 0, len(two))] * (source != output)
    return [TextEdit(a, b, " ".join(one[a:b]), " ".join(two[c:d])) for a, b, c, d in spans]


def _of_m2(source: str, lines: Iterable[str]) -> list[TextEdit]:
    """Return the edits of lines of an M2 file. One that only detects an error puts the same words in their place."""
    found, tokens = list[TextEdit](), source.split()
    for line in lines:
        start, end, name, *_ = edit = edit_of(line, "edit", 0)
        if not edit.is_noop:
            old = " ".join(tokens[start:end])
            found.append(TextEdit(start, end, old, old if name in DETECTED else " ".join(words_of(edit)), name, line))
    return found


def _of_texts(pairs: Sequence[tuple[str, str]], by: By) -> Iterator[tuple[list[TextEdit], str]]:
    """Yield the edits of pairs of texts, and whose they are; raises ConfigError where ERRANT is asked for and lacks."""
    annotations: Sequence[Sequence[str]] = [()] * len(pairs)
    try:
        annotations = annotations if by == "words" else annotate_all(pairs, cache=AnnotationCache()).annotations
    except ConfigError:
        if by == "errant":
            raise
    for (source, output), lines in zip(pairs, annotations, strict=True):
        own = _of_m2(source, [f"{line}0" for line in lines]) if "||" not in output else []  # which M2 files part at
        yield (own, OF_ERRANT) if own else (_of_words(source, output), OF_WORDS)


def _recorded(corpus: Corpus, metric: Metric, outputs: Iterable[Output]) -> Iterator[tuple[Output, Any]]:
    """Yield those outputs of which a data set has edits, with these and whose they are."""
    names = [name for name in (metric.needs.input, *corpus.views) if name not in (TEXTS, GOLD)]
    for system, line in outputs:
        name = next((name for name in names if system in corpus.views[name].systems), None)
        view = corpus.views[name] if name else None
        if name and view and view.source:
            source, record = (_texts(text, {line})[line] for text in (view.source, view.systems[system]))
            several = list(read_lines(tuple(record.split("\n"))).lines.values())
            if len(several) > 1:
                message = "has edits of several annotators; name a file with those of one"
                raise InputError(f"{system}, line {line + 1}: {message}")
            yield (system, line), (_of_m2(source, several[0]), OF_ERRANT if annotator_of(name) else OF_M2)


# --- scores


def unattributed(metric: Metric) -> str:
    """Return why the score of a sentence by a metric cannot be attributed to edits; an empty text: it can."""
    own = computes_numbers(metric)
    if reads_files(metric):
        return f"{metric.name} takes its numbers from files, not from text"
    if data_set_columns(metric).whole_sums:
        return f"{metric.name} weighs each edit by all sentences together, so that a sentence alone has no score"
    if getattr(own and own.declared, "listwise", False) or (metric.needs.survey and metric.needs.survey.of_systems):
        return f"{metric.name} scores all outputs of a line together, so that an output alone has no score"
    return ""


def attributed(
    metric: Metric, corpus: Corpus, outputs: Sequence[Output], how: Computing, by: By = "auto"
) -> dict[Output, Attribution]:
    """Return what the edits of some outputs do to their scores. All variants of all outputs are scored together.

    The edits are those that the data set has of an output, or else those that `by` says. `how` is about metrics of
    users. Raises InputError for a metric whose scores cannot be attributed, and where there is no source.
    """
    reason = unattributed(metric)
    if reason or corpus.source is None:
        raise InputError(reason or f"{corpus.name}: edits are those of the source, and there is none: add -s")
    pairs: dict[Output, tuple[str, str]] = {}
    sources = _texts(corpus.source, {line for _, line in outputs})
    for system in dict.fromkeys(system for system, _ in outputs):
        own_lines = _texts(corpus.systems[system], {line for name, line in outputs if name == system})
        pairs |= {(system, line): (sources[line], output) for line, output in own_lines.items()}
    edits_by = dict(_recorded(corpus, metric, pairs))
    left = [each for each in pairs if each not in edits_by]
    edits_by |= zip(left, _of_texts([pairs[each] for each in left], by) if left else (), strict=True)
    recorded = metric.needs.input not in (TEXTS, GOLD)
    variants: dict[tuple[int, str], int] = {}
    places: dict[Output, dict[int, int]] = {}
    for each, (edits, _) in edits_by.items():
        places[each] = {}
        for made in coalitions(len(edits)):
            chosen = [edit for number, edit in enumerate(edits) if made >> number & 1]
            text = pairs[each][1] if len(chosen) == len(edits) > 0 else applied(pairs[each][0], chosen)
            text = "\n".join(edit.line for edit in chosen) or NOOP if recorded else text
            places[each][made] = variants.setdefault((each[1], text), len(variants))
    scores = _scores(metric, corpus, list(variants), how).tolist()
    result = {}
    for each, (edits, whose) in edits_by.items():
        worth = {made: scores[place] for made, place in places[each].items()}
        first, last = worth[0], worth[whole := max(worth)]
        values = [(worth[1 << n] - first, last - worth[whole ^ 1 << n]) for n in range(len(edits))]
        shares = shapley(len(edits), worth)
        effects = [Effect(edit, *own, share) for edit, own, share in zip(edits, values, shares, strict=True)]
        result[each] = Attribution(first, last, sorted(effects, key=lambda effect: SPAN(effect.edit)), whose)
    return result


def _scores(metric: Metric, corpus: Corpus, variants: Sequence[tuple[int, str]], how: Computing) -> Floats:
    """Return the score of each variant of a line: float64 [variants], NaN where it has none."""
    rows, texts = np.array([line for line, _ in variants], np.int64), [text for _, text in variants]
    kept = np.ones(len(rows), bool)
    if not metric.needs.survey:  # else all lines say what a single one counts
        view, named = corpus.read_by(metric.needs), {VARIANTS: text_in_memory(VARIANTS, texts)}
        views = {} if view is corpus else {metric.needs.input: _taken(view, rows, named)}
        corpus, rows = replace(_taken(corpus, rows, named), views=views), np.arange(len(rows))
    if computes_numbers(metric):
        corpus = with_computed([corpus], [metric], how)[0]
        view = corpus.read_by(metric.needs)
        kept[list(view.left_out)] = False
        texts, rows = read_texts(view.systems[VARIANTS], 0, view.lines), np.arange(view.lines)
    scores = np.full(len(kept), np.nan)
    columns = PreparedCounts(corpus.read_by(metric.needs), metric.needs).columns(texts, rows)
    scores[kept] = LineScores(metric).of(columns, missing=True)
    return scores


def _taken(corpus: Corpus, rows: Ints, systems: Mapping[str, AnyText]) -> Corpus:
    """Return a data set of these lines, each as often as it stands there, with other systems."""

    def taken(text: AnyText, number: int | None = None) -> AnyText:
        lines = _texts(text, set(rows.tolist()))
        new = text_in_memory(text.place, [lines[line] for line in rows.tolist()])
        lacks = [number is not None and corpus.lacks(number, line + 1) for line in rows.tolist()]
        return replace(new, blanks=np.flatnonzero(lacks) + 1) if corpus.missing else new

    references = tuple(taken(text, number) for number, text in enumerate(corpus.references))
    source = taken(corpus.source) if corpus.source else None
    alone: dict[str, Any] = {"systems": systems, "kept": (), "ids": None, "views": {}, "external": {}}
    return replace(corpus, lines=len(rows), source=source, references=references, **alone)


def _texts(text: AnyText, lines: set[int]) -> dict[int, str]:
    """Return lines of a text by their numbers, from 0."""
    return dict(zip(sorted(lines), lines_of(text, np.array(sorted(lines), np.int64)), strict=True))
