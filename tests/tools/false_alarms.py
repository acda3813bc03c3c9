"""How often warnings about texts come where all is right, and where not: `python -m tests.tools.false_alarms`.

All real data beside the checkout is read: CoNLL-2014, JFLEG, SEEDA, and the samples that ship in `data/`. Each right
data set is tried whole, in parts, with mostly correct lines, written as people write, and without its source, with
every metric of METRICS. Then the texts are mistaken for each other on purpose. Tries and warnings are counted.

Right warnings are counted apart: that tokenised text meets a tokenizer for other text, and facts such as empty lines.
References of SEEDA and JFLEG are outputs too, as in the papers, so every pair of people is tried in both orders.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from itertools import permutations
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from pipeline.corpus.in_memory import corpus_in_memory
from pipeline.metrics.build import from_text
from pipeline.prepare import text_warnings
from pipeline.scoring.board import tasks_of
from tests.conftest import ROOT, SHARED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

METRICS: tuple[str, ...] = ("bleu", "bleu[tok=intl]", "bleu[tok=whitespace]", "bleu[tok=char]", "rouge", "chrf")
METRICS += ("gleu", "gleu[tok=13a]", "gleu[unit=char]", "google_gleu", "green")
TOKENISED = "for texts as people write them"
"""Part of the warning that tokenised text meets a tokenizer for other text."""
FACTS = re.compile("empty lines?, |is the same text as|lines are empty")
"""Parts of warnings that say what is so, in these data sets too, and do not guess."""
SHARES = (0.4, 0.6, 0.8)
"""Shares of lines that a reference leaves as they are, in data sets that are made so."""


class Texts(NamedTuple):
    """The lines of a data set."""

    name: str
    source: list[str] | None
    references: list[list[str]]
    systems: dict[str, list[str]]

    def map(self, change: Callable[[list[str]], list[str]], name: str) -> Texts:
        """Return the data set with every text changed."""
        source = change(self.source) if self.source is not None else None
        systems = {key: change(lines) for key, lines in self.systems.items()}
        return Texts(f"{self.name}, {name}", source, [change(lines) for lines in self.references], systems)

    def warnings(self, *metrics: str) -> Iterator[tuple[str, list[str]]]:
        """Yield each metric with the warnings about the data set with it."""
        corpus = corpus_in_memory(self.systems, self.references, self.source)
        for metric in metrics:
            yield metric, text_warnings(tasks_of([from_text(metric)], [corpus]))


def read(path: Path) -> list[str]:
    """Return the lines of a file."""
    return path.read_text(encoding="utf-8").splitlines()


def folders() -> Iterator[tuple[str, list[str], dict[str, list[str]], dict[str, list[str]]]]:
    """Yield name, source, references and outputs of each collection that is here."""
    data = ROOT / "data"
    for folder, source in ((data, "source"), (data / "summaries", "documents")):
        systems = {path.stem: read(path) for path in sorted((folder / "systems").iterdir())}
        references = {name: read(folder / f"{name}.txt") for name in ("reference0", "reference1")}
        yield folder.name, read(folder / f"{source}.txt"), references, systems
    conll = {path.name: read(path) for path in sorted((SHARED / "conll14").glob("*"))}
    if conll:
        references = {name: conll.pop(name) for name in ("REF0", "REF1")}
        yield "conll14", conll.pop("INPUT"), references, conll
    for folder in SHARED.glob("mirror/tmu-nlp/SEEDA/*/outputs/subset"):
        texts = {path.stem: read(path) for path in sorted(folder.iterdir())}
        references = {name: texts.pop(name) for name in ("REF-F", "REF-M")}
        yield "seeda", texts.pop("INPUT"), references, texts
    if (SHARED / "jfleg").exists():
        texts = {path.name: read(path) for path in sorted((SHARED / "jfleg").iterdir())}
        yield "jfleg", texts.pop("dev.src"), texts, {}


def right() -> Iterator[Texts]:
    """Yield every right data set: one reference or all, with one system or all; people as systems too."""
    for name, source, references, systems in folders():
        if systems:
            yield Texts(name, source, [*references.values()], systems)
        for key, reference in references.items():
            for system, lines in systems.items():
                yield Texts(f"{name} {key} {system}", source, [reference], {system: lines})
            if systems:
                yield Texts(f"{name} {key}", source, [reference], systems)
        for (one, reference), (two, output) in permutations(references.items(), 2):
            yield Texts(f"{name} {one} {two}", source, [reference], {two: output})


def written(lines: list[str]) -> list[str]:
    """Return lines with punctuation beside words, as people write it."""
    return [re.sub(r" (n't|'\w+\b|[.,;:!?%)])", r"\1", line).replace("( ", "(") for line in lines]


def mostly_correct(texts: Texts, share: float) -> Texts | None:
    """Return the lines of a data set of which the first reference leaves a share as it is, or None if there are few."""
    source, reference = texts.source or [], texts.references[0]
    same = [number for number, line in enumerate(source) if line.split() == reference[number].split()]
    other = sorted({*range(len(source))} - {*same})
    changed = min(len(other), round(len(same) * (1 - share) / share))
    kept = min(len(same), round(changed * share / (1 - share)))
    if kept + changed < 20:
        return None
    rng = random.Random(1)
    numbers = sorted(rng.sample(same, kept) + rng.sample(other, changed))
    return texts.map(lambda lines: [lines[number] for number in numbers], f"{share:.0%} correct")


def variants(texts: Texts) -> Iterator[Texts]:
    """Yield a data set whole, without its source, as people write it, in parts, and with mostly correct lines."""
    yield texts
    yield texts._replace(name=f"{texts.name}, no source", source=None)
    yield texts.map(written, "as written")
    lines = len(texts.references[0])
    for size in (5, 20, 50, 100, 300):
        for low in range(0, max(lines - size, 0) + 1, max(size, lines // 4)):
            part = slice(low, low + size)
            yield texts.map(itemgetter(part), f"lines {low} to {low + size}")
    for share in SHARES:
        correct = mostly_correct(texts, share)
        if correct:
            yield correct


def first(texts: Texts) -> list[str]:
    """Return the first output."""
    return next(iter(texts.systems.values()))


def records(lines: list[str]) -> list[str]:
    """Return lines as JSON lines."""
    return [json.dumps({"text": line}) for line in lines]


MISTAKES: dict[str, tuple[str, str, Callable[[Texts], Texts]]] = {
    "source and reference swapped": (
        "gleu",
        "seem to be swapped",
        lambda t: t._replace(source=t.references[0], references=[t.source or []]),
    ),
    "reference and output swapped": (
        "gleu",
        "the output seem to be swapped",
        lambda t: t._replace(references=[first(t)], systems={"reference": t.references[0]}),
    ),
    "output shifted by a line": (
        "gleu",
        "seems to be shifted by one line",
        lambda t: t._replace(systems={"shifted": [*first(t)[1:], ""]}),
    ),
    "output as written, the rest tokenised": (
        "gleu",
        "tokenise all texts alike",
        lambda t: t._replace(systems={"written": written(first(t))}),
    ),
    "tokenised text with 13a": ("bleu", TOKENISED, lambda t: t),
    "JSON lines": ("gleu", "looks like JSON lines", lambda t: t._replace(systems={"json": records(first(t))})),
    "the same reference twice": (
        "gleu",
        "is the same text as reference 0",
        lambda t: t._replace(references=[t.references[0]] * 2),
    ),
}
"""What is mistaken, with the metric that is tried, part of the warning, and how the mistake is made."""


def alarms(cases: Iterable[Texts]) -> tuple[Counter[str], list[str]]:
    """Return tries, warnings by kind, and each false alarm with its data set."""
    counts: Counter[str] = Counter()
    counts["false alarms"] = 0
    told: dict[str, None] = {}
    for texts in cases:
        for metric, warnings in texts.warnings(*METRICS):
            counts["tries"] += 1
            for warning in warnings:
                if FACTS.search(warning):
                    counts["facts, such as empty lines"] += 1
                elif TOKENISED in warning and ", as written" not in texts.name:
                    counts["tokenised text, rightly"] += 1
                else:
                    counts["false alarms"] += 1
                    told[f"{texts.name}: {metric}: {warning}"] = None
    return counts, list(told)


def noticed(cases: Iterable[Texts]) -> dict[str, tuple[int, int]]:
    """Return for each mistake how often it was noticed, and in how many tries."""
    counts = dict.fromkeys(MISTAKES, (0, 0))
    for texts in cases:
        for mistake, (metric, part, make) in MISTAKES.items():
            seen, tries = counts[mistake]
            warnings = [warning for _, told in make(texts).warnings(metric) for warning in told]
            counts[mistake] = (seen + any(part in warning for warning in warnings), tries + 1)
    return counts


def main() -> None:
    """Print what was counted."""
    cases = [*right()]
    counts, told = alarms(variant for texts in cases for variant in variants(texts))
    print("\n".join(told))
    print("\n".join(f"{number:7,}  {what}" for what, number in counts.items()))
    people = {"REF-F", "REF-M", "reference0", "reference1", "dev.ref0", "dev.ref1", "dev.ref2", "dev.ref3"}
    people |= {"REF0", "REF1", "unchanged"}
    single = [t for t in cases if len(t.systems) == 1 and not people & {*t.systems} and "summaries" not in t.name]
    for mistake, (seen, tries) in noticed(single).items():
        print(f"noticed {seen} of {tries}: {mistake}")


if __name__ == "__main__":
    main()
