"""The texts of a page's sentences, each once, with their tokens where the browser could not find
these itself.
"""

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from pipeline.arrays import Ints
from pipeline.data.corpus import Corpus
from pipeline.data.texts import STEP, lines_of
from pipeline.metrics.base.capabilities import MISSED, RIGHT, WRONG, Tokens, Verdict, edit_judge
from pipeline.metrics.base.metric import Metric
from pipeline.scoring.metric_results import MetricResult
from pipeline.scoring.terms import annotators_of, chosen_references

MAX_TEXT = 20_000
"""How many characters of a text are shown. The rest is cut off."""
SAMPLE = 300
"""In about how many texts it is tried which way finds most tokens."""
WAYS: dict[str, Callable[[str], list[str]]] = {
    "words": lambda text: text.split(" ") if text else [],
    "runs": lambda text: [word for word in text.split(" ") if word],
    "characters": list,
    "spaceless": lambda text: list(re.sub("[ \\t-\\r]", "", text)),
    "ascii": lambda text: re.findall(
        "[a-z0-9]+", re.sub("[A-Z]", lambda letter: letter[0].lower(), text)
    ),
}
"""The ways in which the browser finds tokens in a text; `assets/data.js` has the same ones."""


class Texts:
    """Different texts, each with a number."""

    def __init__(self) -> None:
        self.numbers: dict[str | tuple[str, int, int], int] = {}
        self.shown: list[str] = []
        """The texts by their numbers, cut to MAX_TEXT characters."""
        self.cut: dict[int, int] = {}
        """The full lengths of texts that were cut, by their numbers."""
        self.alike: dict[int, int] = {}
        """Of texts that differ from an earlier one in their white space alone: the number of that
        one, by their own."""
        self._words: dict[tuple[str | int, ...], int] = {}

    def number(self, text: str) -> int:
        """Return the number of a text, which is a new one if the text is new."""
        key = text if len(text) <= MAX_TEXT else (text[:MAX_TEXT], len(text), hash(text))
        number = self.numbers.setdefault(key, len(self.shown))
        if number == len(self.shown):
            self.shown.append(text[:MAX_TEXT])
            if len(text) > MAX_TEXT:
                self.cut[number] = len(text)
            alike = self._words.setdefault(words_of(text), number)
            if alike != number:
                self.alike[number] = alike
        return number

    def tokens(self, tokenization: Tokens) -> dict[str, Any]:
        """Return in which way the browser finds the tokens of most texts, and forms of the texts
        where it does not.

        Texts that were cut are left out.
        """
        split = {
            n: tokenization.tokens(text) for n, text in enumerate(self.shown) if n not in self.cut
        }
        tried = list(split.items())[:: max(len(split) // SAMPLE, 1)]
        way = min(
            WAYS,
            key=lambda way: sum(
                _form(tokens, self.shown[n], way) is not None for n, tokens in tried
            ),
        )
        forms = {n: _form(tokens, self.shown[n], way) for n, tokens in split.items()}
        return {"way": way, "forms": {n: form for n, form in forms.items() if form is not None}}


def words_of(text: str) -> tuple[str | int, ...]:
    """Return what texts have in common that differ in the white space between words alone. Lines
    stay apart.
    """
    joined = "\n".join(" ".join(line.split()) for line in text.strip().split("\n"))
    return (joined,) if len(joined) <= MAX_TEXT else (joined[:MAX_TEXT], len(joined), hash(joined))


def _form(tokens: Sequence[str], text: str, way: str) -> str | list[str] | None:
    """Return a text in which a way finds these tokens, or else the tokens; None if `text` is such a
    text.
    """
    if WAYS[way](text) == tokens:
        return None
    joined = ("" if way in ("characters", "spaceless") else " ").join(tokens)
    return joined if WAYS[way](joined) == tokens else list(tokens)


LETTERS = {RIGHT: "r", WRONG: "w", MISSED: "m"}
"""What stands for a verdict behind the number of its edit."""
WHITE = re.compile(r"[\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+")
"""What JavaScript takes for white space."""


def number_of(thing: Hashable, numbers: dict[Any, int]) -> int:
    """Return the number of a thing. One that is not in `numbers` yet is put there, with the next
    number.
    """
    return numbers.setdefault(thing, len(numbers))


def edit_data(
    corpus: Corpus,
    measured: MetricResult,
    names: Sequence[str],
    lines: Ints,
    references: Ints | None,
) -> dict[str, Any] | None:
    """Return the edits of some lines for the systems in `names`; None for metrics without verdicts.

    `words` are corrections and types. `edits` has for each line the start, end, correction and type
    of each edit, one edit after the other. `marks` has for each line, system and annotator the
    numbers of edits with LETTERS behind them, or None where the annotator takes no part. `chosen`
    has for each line and system the annotator who counts. `tokens` has those of the source, by
    lines where the script would find others. `references` is what references_of() returns, None
    where the references of the columns are annotators."""
    metric, view = measured.metric, corpus.read_by(measured.metric.spec)
    if not edit_judge(metric) or view.source is None:
        return None
    own = dict(zip(measured.names, measured.columns, strict=False))
    chosen = []
    for name in names:
        counts = (
            np.concatenate(list(chosen_references(metric, own[name])))[lines]
            if name in own
            else 0 * lines
        )
        chosen.append(
            (counts if references is None else annotators_of(references, counts)).tolist()
        )
    words, edits, marks = dict[str, int](), list[list[int]](), list[list[list[str | None]]]()
    for row in _judged(corpus, metric, [name for name in names if name in own], lines):
        numbers: dict[tuple[int, int, str, str], int] = {}
        judged, nobody = iter(row), [None] * len(view.references)
        marks.append([_marks(next(judged) if name in own else nobody, numbers) for name in names])
        own_words = [
            (start, end, number_of(fix, words), number_of(kind, words))
            for start, end, fix, kind in numbers
        ]
        edits.append([item for edit in own_words for item in edit])
    return {
        "words": list(words),
        "edits": edits,
        "marks": marks,
        "chosen": list(zip(*chosen, strict=True)),
        "tokens": _tokens(corpus, metric, lines),
    }


def _tokens(corpus: Corpus, metric: Metric, lines: Ints) -> dict[int, list[str]]:
    """Return the tokens of the source that edits count, by the places of lines where the script
    finds others.
    """
    tokenization, view = metric.spec.tokenization, corpus.read_by(metric.spec)
    shown = lines_of(corpus.source, lines) if corpus.source else repeat("")
    tokens, sources = {}, lines_of(view.source, lines) if view.source else ()
    for place, (source, text) in enumerate(zip(sources, shown, strict=False)):
        own = tokenization.tokens(source) if tokenization else source.split()
        if len(source) <= MAX_TEXT and (
            not corpus.source or own != [word for word in WHITE.split(text) if word]
        ):
            tokens[place] = own
    return tokens


def _judged(
    corpus: Corpus, metric: Metric, names: Sequence[str], lines: Ints
) -> Iterator[tuple[list[list[Verdict] | None], ...]]:
    """Yield for each line what annotators say of the edits of the systems in `names`."""
    view, judge = corpus.read_by(metric.spec), edit_judge(metric)
    assert judge is not None  # noqa: S101 (see by_annotator())
    for low in range(0, len(lines), STEP):
        some = lines[low : low + STEP]
        read = (view.source, *view.references, *map(view.systems.get, names))
        source, *others = (list(lines_of(text, some)) for text in read if text)
        annotations, outputs = others[: len(view.references)], others[len(view.references) :]
        yield from zip(*judge.verdicts(source, outputs, annotations), strict=True)


def _marks(
    several: Sequence[list[Verdict] | None], numbers: dict[tuple[int, int, str, str], int]
) -> list[str | None]:
    def mark(said: Verdict) -> str:
        return f"{number_of((said.start, said.end, said.correction, said.type), numbers)}{LETTERS[said.verdict]}"

    return [None if own is None else "".join(map(mark, own)) for own in several]
