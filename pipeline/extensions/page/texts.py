"""The texts of a page's sentences, each once, with their tokens if the browser could not find these
itself.
"""

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from pipeline.arrays import Ints
from pipeline.data import Corpus
from pipeline.metrics.base import Metric, Tokens, Verdict
from pipeline.report import AnnotatedEdits
from pipeline.scoring import MetricColumns, MetricResult

MAX_TEXT = 20_000
"""How many characters of a text are shown. The rest is cut off."""
LINES_AT_ONCE = 1024
"""How many lines are read at once."""
SAMPLE_TEXTS = 300
"""About how many texts are tried to choose a way of finding tokens."""


def _ascii_words(text: str) -> list[str]:
    lower = re.sub("[A-Z]", lambda letter: letter[0].lower(), text)
    return re.findall("[a-z0-9]+", lower)


WAYS: dict[str, Callable[[str], list[str]]] = {
    "words": lambda text: text.split(" ") if text else [],
    "runs": lambda text: [word for word in text.split(" ") if word],
    "characters": list,
    "spaceless": lambda text: list(re.sub("[ \\t-\\r]", "", text)),
    "ascii": _ascii_words,
}
"""The ways in which the browser finds tokens in a text; `assets/data.js` has the same ones."""
LETTERS = {Verdict.RIGHT: "r", Verdict.WRONG: "w", Verdict.MISSED: "m"}
"""The letter of a verdict behind the number of its edit."""
WHITE = re.compile(
    r"[\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+"
)
"""The white space of JavaScript."""
TextKey = tuple[str, int, int]
"""A text as a key: its beginning, its length, and the hash of all of it (0 if nothing is cut)."""


class Texts:
    """Different texts, each with a number."""

    def __init__(self) -> None:
        self.numbers: dict[TextKey, int] = {}
        self.cut_texts: list[str] = []
        """The texts by their numbers, cut to MAX_TEXT characters."""
        self.full_lengths: dict[int, int] = {}
        """The full lengths of texts that were cut, by their numbers."""
        self.alike: dict[int, int] = {}
        """For texts that differ from an earlier one in their white space alone: the number of that
        one, by their numbers."""
        self._words: dict[TextKey, int] = {}

    def number(self, text: str) -> int:
        """Return the number of a text, from 0. A new text gets the next number and is stored, cut to
        MAX_TEXT characters.
        """
        number = self.numbers.setdefault(_key(text), len(self.cut_texts))
        if number == len(self.cut_texts):
            self.cut_texts.append(text[:MAX_TEXT])
            if len(text) > MAX_TEXT:
                self.full_lengths[number] = len(text)
            first = self._words.setdefault(words_key(text), number)
            if first != number:
                self.alike[number] = first
        return number

    def tokens(self, tokenization: Tokens) -> dict[str, Any]:
        """Return how the browser finds the tokens of the texts under a tokenisation: `way` (see WAYS)
        fits most texts of a sample, and `forms` has, by the numbers of the texts that this way
        would split otherwise, what to split instead.

        Texts that were cut are left out."""
        tokens_of_text = {}
        for number, text in enumerate(self.cut_texts):
            if number not in self.full_lengths:
                tokens_of_text[number] = tokenization.tokens(text)
        step = max(len(tokens_of_text) // SAMPLE_TEXTS, 1)
        sample = list(tokens_of_text)[::step]
        failures = {}
        for way in WAYS:
            failures[way] = 0
            for number in sample:
                text = self.cut_texts[number]
                if _form(tokens_of_text[number], text, way) is not None:
                    failures[way] += 1
        best = min(WAYS, key=failures.__getitem__)
        forms = {}
        for number, tokens in tokens_of_text.items():
            form = _form(tokens, self.cut_texts[number], best)
            if form is not None:
                forms[number] = form
        return {"way": best, "forms": forms}


def _key(text: str) -> TextKey:
    if len(text) <= MAX_TEXT:
        return text, len(text), 0
    return text[:MAX_TEXT], len(text), hash(text)


def words_key(text: str) -> TextKey:
    """Return a key that is the same for texts that differ only in the white space between words.
    Lines stay apart.
    """
    lines = []
    for line in text.strip().split("\n"):
        words = line.split()
        lines.append(" ".join(words))
    return _key("\n".join(lines))


def _form(tokens: Sequence[str], text: str, way: str) -> str | list[str] | None:
    """Return what a way of splitting has to be given so that it finds these tokens: None if that is
    `text` itself, else another text, or if there is none the list of tokens.
    """
    if WAYS[way](text) == tokens:
        return None
    separator = "" if way in ("characters", "spaceless") else " "
    joined = separator.join(tokens)
    if WAYS[way](joined) == tokens:
        return joined
    return list(tokens)


def number_of(thing: Hashable, numbers: dict[Any, int]) -> int:
    """Return the number of a thing. A new one is added to `numbers`, with the next number."""
    return numbers.setdefault(thing, len(numbers))


class _Edit(NamedTuple):
    """An edit of the source: its tokens from start to before end, the correction and the type."""

    start: int
    end: int
    correction: str
    type: str


def edit_data(
    corpus: Corpus,
    metric_result: MetricResult,
    names: Sequence[str],
    lines: Ints,
    references: Ints | None,
) -> dict[str, Any] | None:
    """Return the edits of some lines by the systems in `names` and by the annotators of gold edits,
    with a verdict on each; None for metrics without verdicts on edits.

    `lines`, int64, are numbers from 0. `words` are corrections and types. `edits` has for each line
    the start, end, correction and type of each different edit, one after the other; corrections and
    types are indices into `words`. `marks` has for each line, system and annotator a text with the
    numbers of edits, each with its verdict (see LETTERS) behind it, or None if the annotator takes
    no part. `chosen` has for each line and system the annotator whose edits count. `tokens` has
    those of the source, for lines whose tokens the script would not find. `references` is what
    references_of() returns, or None if the references of the columns are annotators."""
    metric = metric_result.metric
    view = corpus.read_by(metric.spec)
    if not metric.has_verdicts or view.source is None:
        return None
    columns = metric_result.by_system
    chosen_by_system = []
    for name in names:
        chosen = np.zeros_like(lines)
        if name in columns:
            blocks = MetricColumns(metric).chosen_references(columns[name])
            chosen = np.concatenate(list(blocks))[lines]
        if references is not None:
            chosen = AnnotatedEdits.annotators(references, chosen)
        chosen_by_system.append(chosen.tolist())
    judged_names = [name for name in names if name in columns]
    words: dict[str, int] = {}
    edits: list[list[int]] = []
    marks: list[list[list[str | None]]] = []
    for verdicts_by_system in _verdicts(corpus, metric, judged_names, lines):
        verdicts_of = dict(zip(judged_names, verdicts_by_system, strict=True))
        edit_numbers: dict[_Edit, int] = {}
        line_marks: list[list[str | None]] = []
        for name in names:
            system_marks: list[str | None] = [None] * len(view.references)
            if name in verdicts_of:
                system_marks = [
                    _mark(verdicts, edit_numbers)
                    for verdicts in verdicts_of[name]
                ]
            line_marks.append(system_marks)
        marks.append(line_marks)
        line_edits: list[int] = []
        for edit in edit_numbers:
            correction = number_of(edit.correction, words)
            edit_type = number_of(edit.type, words)
            line_edits += [edit.start, edit.end, correction, edit_type]
        edits.append(line_edits)
    return {
        "words": list(words),
        "edits": edits,
        "marks": marks,
        "chosen": list(zip(*chosen_by_system, strict=True)),
        "tokens": _source_tokens(corpus, metric, lines),
    }


def _source_tokens(
    corpus: Corpus, metric: Metric, lines: Ints
) -> dict[int, list[str]]:
    """Return the tokens of the source by which edits are numbered, only for lines where the script
    would not find them in the displayed source: by the index of the line in `lines`. Sources that
    are cut on the page are left out.
    """
    tokenization = metric.spec.tokenization
    view = corpus.read_by(metric.spec)
    if not view.source:
        return {}
    texts = corpus.source.lines_at(lines) if corpus.source else repeat("")
    tokens = {}
    sources = view.source.lines_at(lines)
    for index, (source, text) in enumerate(zip(sources, texts, strict=False)):
        if len(source) > MAX_TEXT:
            continue
        if tokenization:
            source_tokens = tokenization.tokens(source)
        else:
            source_tokens = source.split()
        found_by_script = [word for word in WHITE.split(text) if word]
        if not corpus.source or source_tokens != found_by_script:
            tokens[index] = source_tokens
    return tokens


def _verdicts(
    corpus: Corpus,
    metric: Metric,
    names: Sequence[str],
    lines: Ints,
) -> Iterator[tuple[list[list[Verdict] | None], ...]]:
    """Yield for each line a list for each system in `names`: by annotator, the verdicts on its edits,
    or None if the annotator takes no part.
    """
    view = corpus.read_by(metric.spec)
    assert view.source is not None  # noqa: S101 (see edit_data())
    systems = [view.systems[name] for name in names]
    for start in range(0, len(lines), LINES_AT_ONCE):
        some_lines = lines[start : start + LINES_AT_ONCE]
        source = list(view.source.lines_at(some_lines))
        annotations = [
            list(text.lines_at(some_lines)) for text in view.references
        ]
        outputs = [list(text.lines_at(some_lines)) for text in systems]
        # By system and line; wanted by line and system.
        verdicts = metric.verdicts(source, outputs, annotations)
        yield from zip(*verdicts, strict=True)


def _mark(
    verdicts: Sequence[Verdict] | None, numbers: dict[_Edit, int]
) -> str | None:
    """Return verdicts as a text such as "0r2w": the number of each edit, and the letter of its
    verdict. None for None. `numbers` has the numbers of a line's edits; new edits are added.
    """
    if verdicts is None:
        return None
    marks = []
    for verdict in verdicts:
        edit = _Edit(
            verdict.start, verdict.end, verdict.correction, verdict.type
        )
        marks.append(f"{number_of(edit, numbers)}{LETTERS[verdict.verdict]}")
    return "".join(marks)
