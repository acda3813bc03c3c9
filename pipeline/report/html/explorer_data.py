"""The data of a report's sentence explorer: texts once, scores and counts of each different output of a line.

What is too much is left out before it is read: lines are chosen from their counts (`telling.py`), then their texts
are read. The script `assets/data.js` reads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...corpus.spans import Span, read_span
from ..tables.digits import round_half_up
from ..tables.labels import labels
from .chosen_lines import RULE, telling
from .line_counts import line_counts, line_scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from ...arrays import Floats, Ints
    from ...corpus.corpus import Corpus
    from ...corpus.texts import AnyText
    from ...metrics.base.columns import Columns
    from ...metrics.base.metric import Metric
    from ...metrics.base.ngram_roles import Rule
    from ...scoring.scored_columns import ScoredColumns
    from ...tokenizers.tokenization import Tokenization
    from ..material import Material

BUDGET = 10_000_000
"""Bytes that the sentences of a report may take, about, unless it is asked for more of them."""
MAX_TEXT = 20_000
"""Characters of a text that are shown; the rest is cut off."""
STEP = 1024
"""Lines read at once."""
NUMBER = 2.0
"""Bytes that a number takes, about; some outputs are equal, and share theirs."""


class Texts:
    """Different texts, numbered; long ones are cut, and `cut` tells their lengths."""

    def __init__(self) -> None:
        self.numbers: dict[str | tuple[str, int, int], int] = {}
        self.shown: list[str] = []
        self.cut: dict[int, int] = {}
        self.forms: dict[Tokenization, dict[int, str | list[str]]] = {}

    def number(self, text: str) -> int:
        """Return the number of a text."""
        key = text if len(text) <= MAX_TEXT else (text[:MAX_TEXT], len(text), hash(text))
        found = self.numbers.setdefault(key, len(self.shown))
        if found == len(self.shown):
            self.shown.append(text[:MAX_TEXT])
            if len(text) > MAX_TEXT:
                self.cut[found] = len(text)
        return found

    def tokenize(self, tokenization: Tokenization) -> None:
        """Note the tokens of every text that has others than the browser would take it to have."""
        forms = self.forms.setdefault(tokenization, {})
        for number, text in enumerate(self.shown):
            if number in self.cut:
                continue
            form = _form(tokenization.tokens(text), text, is_character(tokenization))
            if form is not None:
                forms[number] = form


def is_character(tokenization: Tokenization) -> bool:
    """Whether tokens are code points."""
    return tokenization.tokenizer in ("char", "nonspace")


def _form(tokens: Sequence[str], text: str, characters: bool) -> str | list[str] | None:
    """Return a text with these tokens between single blanks (or, as characters), else the tokens; None: it is one."""
    joined = ("" if characters else " ").join(tokens)
    if joined == text and _tokens(text, characters) == list(tokens):
        return None
    return joined if _tokens(joined, characters) == list(tokens) else list(tokens)


def _tokens(text: str, characters: bool) -> list[str]:
    """Return the tokens that the browser takes a text to have."""
    return list(text) if characters else text.split(" ") if text else []


def explorer(material: Material, lines: int | None = None) -> dict[str, Any] | None:
    """Return all that the explorer shows, None where there are no texts or no columns.

    lines: how many of each data set, None for as many as take BUDGET bytes.
    """
    found = {name: [m for m in material.measured if m.scores[0].dataset == name] for name in material.corpora}
    found = {name: measured for name, measured in found.items() if any(m.columns for m in measured)}
    if not found or lines == 0:
        return None
    wanted = _affordable(material, found) if lines is None else dict.fromkeys(found, lines)
    texts = Texts()
    named = labels(score.metric for score in material.results.scores)
    datasets = [
        _dataset(material.corpora[name], measured, wanted[name], material.digits, texts)
        for name, measured in found.items()
    ]
    rules = dict.fromkeys(r.tokenization for ms in found.values() for m in ms if (r := m.metric.ngram_rule()))
    for tokenization in rules:
        texts.tokenize(tokenization)
    forms = [{"characters": is_character(t), "forms": texts.forms[t]} for t in rules]
    places = {tokenization: number for number, tokenization in enumerate(rules)}
    for dataset, measured in zip(datasets, found.values(), strict=True):
        for entry, one in zip(dataset["metrics"], (m for m in measured if m.columns), strict=True):
            entry |= {"rule": _rule(one.metric.ngram_rule(), places), "label": named[entry["signature"]]}
    whole = {"texts": texts.shown, "cut": texts.cut, "maxText": MAX_TEXT, "tokens": forms, "digits": material.digits}
    return {**whole, "datasets": datasets, "rule": RULE}


def _rule(rule: Rule | None, places: Mapping[Tokenization, int]) -> dict[str, Any] | None:
    """Return a rule as the page's script knows it."""
    if rule is None:
        return None
    about = {"name": rule.name, "first": rule.first, "last": rule.last, "merged": rule.merged}
    return {**about, "tokens": places[rule.tokenization]}


def _affordable(material: Material, found: Mapping[str, Sequence[ScoredColumns]]) -> dict[str, int]:
    """Return how many lines of each data set BUDGET has room for: the same share of each."""
    cost, lines = {}, {name: measured[0].lines for name, measured in found.items()}
    for name, measured in found.items():
        text = sum(text.size for text in material.corpora[name].texts()) / max(lines[name], 1)
        numbers = sum(len(m.columns) * (4 + m.metric.needs.schema(m.references).width) for m in measured)
        cost[name] = text * 1.1 + numbers * NUMBER
    share = BUDGET / max(sum(lines[name] * cost[name] for name in found), 1.0)
    return {name: lines[name] if share >= 1 else max(1, int(lines[name] * share)) for name in found}


def _dataset(
    corpus: Corpus, measured: Sequence[ScoredColumns], wanted: int, digits: int, texts: Texts
) -> dict[str, Any]:
    """Return one data set: its lines, who has which output, and the metrics with their numbers."""
    with_columns = [m for m in measured if m.columns]
    lines = telling(with_columns[0], wanted)
    first = corpus.source or corpus.references[0]
    names = list(dict.fromkeys(name for m in with_columns for name in m.names[: len(m.columns)]))
    outputs = np.array([[texts.number(text) for text in chosen(corpus.systems[name], lines)] for name in names])
    outputs = outputs.reshape(len(names), len(lines))
    variants = Variants(outputs)
    return {
        "name": corpus.name,
        "total": corpus.lines,
        "numbers": [first.number(line + 1) for line in lines.tolist()],
        "source": [texts.number(text) for text in chosen(corpus.source, lines)] if corpus.source else None,
        "references": [[texts.number(text) for text in chosen(file, lines)] for file in corpus.references],
        "missing": corpus.missing,
        "systems": names,
        "outputs": variants.texts.tolist(),
        "starts": variants.starts.tolist(),
        "who": variants.who.ravel().tolist(),
        "metrics": [_metric(m, names, lines, variants, digits) for m in with_columns],
    }


class Variants:
    """The different outputs of each line, in the order of the systems that have them first.

    texts: their numbers, line after line; starts: where each line's begin, int64 [lines + 1]; who: which of its
    line's each system has, int64 [lines, systems]; first: the system that has it first.
    """

    def __init__(self, outputs: Ints) -> None:
        """Find them. outputs: numbers of texts, int64 [systems, lines]."""
        texts: list[int] = []
        starts, who, first, self.line = [0], [], list[int](), list[int]()
        for line, row in enumerate(outputs.T.tolist()):
            known = {text: number for number, text in enumerate(dict.fromkeys(row))}
            texts += known
            first += [row.index(text) for text in known]
            self.line += [line] * len(known)
            who.append([known[text] for text in row])
            starts.append(len(texts))
        self.texts, self.starts = np.array(texts, np.int64), np.array(starts, np.int64)
        self.who = np.array(who, np.int64).reshape(len(who), len(outputs))
        self.first = np.array(first, np.int64)

    def holders(self, has: Sequence[bool]) -> Ints:
        """Return for each output the first system that has it, of those that a metric has scored; -1: none."""
        if all(has):
            return self.first
        found = np.full(len(self.texts), -1)
        for system in reversed(np.flatnonzero(has).tolist()):
            found[self.starts[:-1] + self.who[:, system]] = system
        return found


def _metric(
    measured: ScoredColumns, names: Sequence[str], lines: Ints, variants: Variants, digits: int
) -> dict[str, Any]:
    """Return a metric: how its numbers lie in `rows`, a row for each output (or, of numbers from files, system)."""
    metric, own = measured.metric, measured.names[: len(measured.columns)]
    made = [table(metric, picked(columns.blocks(), lines), digits) for columns in measured.columns]
    fields, width = made[0][1], made[0][0].shape[1]
    tables = np.full((len(names), len(lines), width), np.nan)
    for name, (rows, _) in zip(own, made, strict=True):
        tables[names.index(name)] = rows
    if metric.reads_files:
        rows = tables.transpose(1, 0, 2).reshape(-1, width)
    else:
        holders = variants.holders([name in own for name in names])
        rows = np.where(holders[:, None] < 0, np.nan, tables[holders, np.array(variants.line, np.int64)])
    return {
        "signature": measured.scores[0].metric,
        "output": metric.output,
        "scores": {score.system: [score.rank, _plain(score.score, digits)] for score in measured.scores},
        "apart": measured.references if metric.by_reference else 0,
        "bySystem": metric.reads_files,
        "rowNames": metric.row_names(),
        "fields": fields,
        "width": width,
        "rows": _numbers(rows),
    }


def table(metric: Metric, columns: Columns, digits: int) -> tuple[Floats, list[list[Any]]]:
    """Return numbers of lines, float64 [lines, width], and fields: name, place, whether per reference, orders.

    Scores are whole numbers of 10**-digits percent, rounded half up, the first the metric's own, then one for each
    reference, and the number of the best; then the counts. What is not there is NaN.
    """
    scores = line_scores(metric, columns)
    parts = [scaled(scores.whole, digits)[:, None]]
    if scores.apart is not None and scores.best is not None:
        parts += [scaled(scores.apart, digits), scores.best[:, None].astype(np.float64)]
    fields: list[list[Any]] = []
    for count in line_counts(metric, columns):
        values = count.values.reshape(len(count.values), -1).astype(np.float64)
        orders = count.values.shape[-1] if count.orders else 0
        fields.append([count.name, sum(part.shape[1] for part in parts), count.per_reference, orders])
        parts.append(values)
    return np.concatenate(parts, axis=1), fields


def scaled(values: Floats, digits: int) -> Floats:
    """Return fractions as whole numbers of 10**-digits percent, rounded half up as they are printed; NaN stays."""
    with np.errstate(invalid="ignore", over="ignore"):
        exact = values * 10.0 ** (digits + 2)
        found = np.floor(exact + 0.5)
        near = np.abs(exact - np.floor(exact) - 0.5) < 1e-3 + 1e-15 * np.abs(
            exact
        )  # which way a half goes, its decimal form says
    for place in zip(*np.nonzero(near), strict=True):
        found[place] = float(round_half_up(100 * float(values[place]), digits).replace(".", ""))
    return np.where(np.isfinite(found), found, np.nan)


def _plain(value: float, digits: int) -> float | None:
    found = float(scaled(np.array([value]), digits)[0])
    return None if np.isnan(found) else int(found)


def _numbers(rows: Floats) -> list[float | None]:
    """Return numbers one after the other, whole ones as such, None for what is not there."""
    flat = rows.ravel()
    if np.isfinite(flat).all() and (flat == np.floor(flat)).all():
        return [*flat.astype(np.int64).tolist()]
    return [None if value != value else int(value) if value.is_integer() else value for value in flat.tolist()]  # noqa: PLR0124


def picked(blocks: Iterable[Columns], lines: Ints) -> dict[str, NDArray[Any]]:
    """Return the columns of some lines, which rise, from blocks of all."""
    found: list[Columns] = []
    first = 0
    for columns in blocks:
        size = len(next(iter(columns.values())))
        low, high = np.searchsorted(lines, (first, first + size))
        found.append({name: values[lines[low:high] - first] for name, values in columns.items()})
        first += size
    return {name: np.concatenate([columns[name] for columns in found]) for name in found[0]}


def chosen(text: AnyText, lines: Ints) -> Iterator[str]:
    """Yield some lines, from 0, rising, of a text; no more than STEP of it are in memory."""
    for low in range(0, text.lines, STEP):
        first, last = np.searchsorted(lines, (low, low + STEP))
        if first == last:
            continue
        span = text.span(low, min(low + STEP, text.lines))
        found = read_span(span) if isinstance(span, Span) else span
        for line in (lines[first:last] - low).tolist():
            yield found.data[int(found.starts[line]) : int(found.ends[line])].decode()
