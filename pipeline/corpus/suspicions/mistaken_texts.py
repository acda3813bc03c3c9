"""Warnings about texts in the place of others: what was probably meant, told by a sample of their lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..texts import MemoryText, same
from .sample import FEW, shifted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..corpus import Corpus
    from .sample import Sample, Samples

ROLES = {
    "source": {"source", "src", "input", "orig", "original", "uncorrected"},
    "reference": {"ref", "refs", "reference", "references", "gold"},
    "output": {"hyp", "hyps", "hypothesis", "hypotheses", "out", "output", "outputs", "pred", "preds", "predictions"},
}
"""Words in names of files that tell what a file is."""
_RECORD = re.compile(r'\{\s*".*\}$')


def mistaken_texts(corpus: Corpus) -> list[str]:
    """Return the warnings about texts that seem to be something else than the data set says."""
    samples = corpus.samples
    if corpus.lines >= FEW:
        samples.encode()
    warnings = [*_records(samples), *_twice(samples), *_shifted(samples)]
    return [*warnings, *(_swapped_by_name(samples) or [*_source_swapped(samples), *_output_swapped(samples)])]


def _records(samples: Samples) -> Iterator[str]:
    for called, sample in samples.named:
        if not sample.braces:
            continue
        lines = [line.strip() for line in sample.lines if line.strip()]
        if lines and sum(bool(_RECORD.match(line)) for line in lines) >= 0.9 * len(lines):
            wanted = f"{{jsonl: {sample.text.name}, column: NAME}}"
            yield f"{called} looks like JSON lines that are read as plain text; to score one field, write {wanted}"


def _twice(samples: Samples) -> Iterator[str]:
    """Warn of references that are one file, or have the same lines where these are not so few that they may agree."""
    texts = [sample.text for sample in samples.references]
    for number, text in enumerate(texts):
        equal = [
            n for n in range(number) if same(texts[n], text) and (text.lines >= FEW or texts[n].place == text.place)
        ]
        first = equal[0] if equal else None
        if first is not None:
            yield (
                f"reference {number} ({text.name}) is the same text as reference {first} ({texts[first].name}); "
                "was another file meant?"
            )


def _shifted(samples: Samples) -> Iterator[str]:
    """Warn of texts that fit neighbouring lines of the first reference better than their own."""
    base = samples.references[0]
    if base.text.lines < FEW:
        return
    named = [(called, sample) for called, sample in samples.named if sample is not base]
    moves = [(called, *_shift(sample, base)) for called, sample in named]
    offsets = {offset for _, offset, _ in moves}
    if len(named) > 1 and len(offsets) == 1 and 0 not in offsets:  # then the first reference is the one that is wrong
        moves = [(f"reference 0 ({base.text.name})", -moves[0][1], moves[0][2])]
        other = "the other texts"
    else:
        other = f"reference 0 ({base.text.name})"
    for called, offset, low in moves:
        if offset:
            where = "before" if offset > 0 else "after"
            part = f" from line {base.text.number(low + 1)} on" if low else ""
            yield (
                f"{called} seems to be shifted by one line{part}: its lines fit the lines {where} theirs in {other} "
                "better; is a line missing or added?"
            )


def _shift(sample: Sample, base: Sample) -> tuple[int, int]:
    """Return by how many lines a text is shifted, and the first line of the first stretch where it is, from 0."""
    begin = 0
    for low, high in base.stretches:
        end = begin + high - low
        offset = shifted(sample, base, begin, end)
        if offset:
            return offset, low
        begin = end
    return 0, 0


def _role(sample: Sample | None) -> str:
    """Return what the name of a file says that it is, or an empty string."""
    if sample is None or isinstance(sample.text, MemoryText):
        return ""
    words = set(re.findall("[a-z]+", sample.text.name.lower()))
    roles = [role for role, names in ROLES.items() if words & names]
    return roles[0] if len(roles) == 1 else ""


def _swapped_by_name(samples: Samples) -> list[str]:
    """Return the warnings about two texts that have names of each other's role."""
    warnings = []
    for number, reference in enumerate(samples.references):
        called = f"reference {number} ({reference.text.name})"
        if samples.source and (_role(samples.source), _role(reference)) == ("reference", "source"):
            warnings.append(f"the source ({samples.source.text.name}) and {called} seem to be swapped, by their names")
        for name, system in samples.systems.items():
            if (_role(system), _role(reference)) == ("reference", "output"):
                warnings.append(f"{called} and system {name} ({system.text.name}) seem to be swapped, by their names")
    return warnings


def _related(samples: Samples) -> list[tuple[str, Sample, float]]:
    """Return the references that are edited sources, each with its name in warnings and its likeness to the source."""
    if samples.source is None or samples.source.text.lines < 2 * FEW:
        return []
    likeness = [samples.source.like(reference) for reference in samples.references]
    named = zip(samples.references, likeness, strict=True)
    each = enumerate(named)
    return [(f"reference {number} ({ref.text.name})", ref, like) for number, (ref, like) in each if EDITED < like < 1]


EDITED = 0.5
"""Above this likeness to the source a text is an edited source, as corrections are and translations are not."""
NEARER = 0.02
"""How much nearer to the source a text must be than another one to be called nearer."""
FARTHER = 0.05
"""How much farther outputs may be from a reference than from the source where the two seem to be swapped."""
ENOUGH = 50
"""With fewer lines than this, nothing is said of the words that the source and a reference have."""
RICHER = 1.2
"""How many more words of its own the uncorrected text has at least: each error is a word of its own."""
SURELY = 2.0
"""How many standard deviations lie between the two numbers of words at least. Chance gave up to 1.6 in 50 lines."""


def _source_swapped(samples: Samples) -> Iterator[str]:
    """Warn of a reference that has more different words than the source, and that outputs are not far from.

    Corrections make different words fewer, because an error is mostly a word that the text has nowhere else.
    """
    source = samples.source
    for called, reference, _ in _related(samples):
        outputs = samples.others
        if source is None or not outputs or source.text.lines < ENOUGH:
            return
        own, sources = reference.vocabulary(source), source.vocabulary(reference)
        if own <= RICHER * sources or own - sources <= SURELY * (own + sources) ** 0.5:
            continue
        if _mean([output.like(reference) - output.like(source) for output in outputs]) > -FARTHER:
            yield (
                f"the source ({source.text.name}) and {called} seem to be swapped: this reference has more "
                "different words than the source, as uncorrected texts have, and outputs are near to it"
            )


def _output_swapped(samples: Samples) -> Iterator[str]:
    """Warn of a reference that changes about one word in a line where every output changes several, and fewer lines.

    People mostly change several words of a line that they correct: between 2.3 and 4.2 on average in the references of
    CoNLL-2014, JFLEG and SEEDA. How many lines are changed tells nothing alone: that depends on how good the texts are.
    """
    source = samples.source
    for called, reference, like in _related(samples):
        outputs = samples.others
        if source is None or not outputs:
            return
        unchanged, changes = reference.same_as(source), reference.changes(source)
        others = [output.changes(source) for output in outputs]
        if min(map(len, [changes, *others])) < CHANGED or _mean(changes) >= TIMID:
            continue
        bold = [_mean(own) >= BOLDER * _mean(changes) for own in others]
        nearer = [like > o.like(source) > EDITED and unchanged > o.same_as(source) for o in outputs]
        if all(bold) and all(nearer):
            least = min(map(_mean, others))
            yield (
                f"{called} and the output seem to be swapped: in the lines that they change, this reference changes "
                f"{_mean(changes):.1f} words and the output {least:.1f}; references mostly change more than outputs"
            )


CHANGED = 50
"""With fewer changed lines than this, nothing is said of how many words are changed in each."""
TIMID = 1.4
"""Below this mean number of words in a changed line a reference is a suspect."""
BOLDER = 1.5
"""How many times as many words the outputs change in a line, at least, where they seem to be swapped."""


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(len(values), 1)
