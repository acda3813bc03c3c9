"""Warnings about texts that can be scored but are probably not what was meant. They go into the results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..tokenizers import tokenizer_called
from .samples import FEW, shifted
from .texts import ORDINARY, MemoryText, same

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .corpus import Corpus
    from .samples import Sample, Samples
    from .texts import AnyText


ROLES = {
    "source": {"source", "src", "input", "orig", "original", "uncorrected"},
    "reference": {"ref", "refs", "reference", "references", "gold"},
    "output": {"hyp", "hyps", "hypothesis", "hypotheses", "out", "output", "outputs", "pred", "preds", "predictions"},
}
"""Words in names of files that tell what a file is."""
_RECORD = re.compile(r'\{\s*".*\}$')
EDITED = 0.5
"""Above this likeness to the source a text is an edited source, as corrections are and translations are not."""
FARTHER = 0.05
"""How much farther outputs may be from a reference than from the source where the two seem to be swapped."""
ENOUGH = 50
"""With fewer lines than this, nothing is said of the words that the source and a reference have."""
RICHER = 1.2
"""How many more words of its own the uncorrected text has at least: each error is a word of its own."""
SURELY = 2.0
"""How many standard deviations lie between the two numbers of words at least. Chance gave up to 1.6 in 50 lines."""
CHANGED = 50
"""With fewer changed lines than this, nothing is said of how many words are changed in each."""
TIMID = 1.4
"""Below this mean number of words in a changed line a reference is a suspect."""
BOLDER = 1.5
"""How many times as many words the outputs change in a line, at least, where they seem to be swapped."""
TOKENISED, WRITTEN = 0.8, 0.2
"""The shares of full stops and commas with white space before them that tokenised and other texts have."""


def mistaken_texts(corpus: Corpus) -> list[str]:
    """Return the warnings about texts that seem to be something else than the data set says."""
    samples = corpus.samples
    if corpus.lines >= FEW:
        samples.encode()
    warnings = []
    for called, sample in samples.named:
        records = [line for line in sample.lines if "{" in line and _RECORD.match(line.strip())]
        if records and len(records) >= 0.9 * sum(not line.isspace() for line in sample.lines if line):
            warnings.append(f"{called} looks like JSON objects, not texts; take the text out of each")
    texts = [sample.text for sample in samples.references]
    for number, text in enumerate(texts):
        for first, other in enumerate(texts[:number]):  # a few lines may be equal by chance, if not of one file
            if same(other, text) and (text.lines >= FEW or other.place == text.place):
                twin = f"reference {first} ({other.name})"
                warnings.append(f"reference {number} ({text.name}) is the same text as {twin}; was another file meant?")
                break
    warnings += _shifted(samples)
    return [*warnings, *(_swapped_by_name(samples) or [*_swapped_by_words(samples), *_output_swapped(samples)])]


def _shifted(samples: Samples) -> Iterator[str]:
    """Warn of texts that fit neighbouring lines of the first reference better than their own."""
    if not samples.references:
        return
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


def _swapped_by_words(samples: Samples) -> Iterator[str]:
    """Warn of a reference that has more different words than the source, and that outputs are not far from.

    Corrections make different words fewer, because an error is mostly a word that the text has nowhere else.
    """
    source, outputs = samples.source, samples.others
    if source is None or not outputs or source.text.lines < ENOUGH:
        return
    for number, reference in enumerate(samples.references):
        own, sources = reference.vocabulary(source), source.vocabulary(reference)
        is_edited = EDITED < source.like(reference) < 1
        if not is_edited or own <= RICHER * sources or own - sources <= SURELY * (own + sources) ** 0.5:
            continue
        nearer = [output.like(reference) - output.like(source) for output in outputs]
        if sum(nearer) > -FARTHER * len(outputs):
            yield (
                f"the source ({source.text.name}) and reference {number} ({reference.text.name}) seem to be swapped: "
                "this reference has more different words than the source, as uncorrected texts have, and outputs are "
                "near to it"
            )


def _output_swapped(samples: Samples) -> Iterator[str]:
    """Warn of a reference that changes about one word in a line where every output changes several, and fewer lines.

    People mostly change several words of a line that they correct: between 2.3 and 4.2 on average in the references of
    CoNLL-2014, JFLEG and SEEDA. How many lines are changed tells nothing alone: that depends on how good the texts are.
    """
    source = samples.source
    outputs = samples.others
    if source is None or not outputs or source.text.lines < 2 * FEW:
        return
    for number, reference in enumerate(samples.references):
        like = source.like(reference)
        if not EDITED < like < 1:
            continue
        unchanged, changes = reference.same_as(source), reference.changes(source)
        others = [output.changes(source) for output in outputs]
        if min(map(len, [changes, *others])) < CHANGED or _mean(changes) >= TIMID:
            continue
        bold = [_mean(own) >= BOLDER * _mean(changes) for own in others]
        nearer = [like > o.like(source) > EDITED and unchanged > o.same_as(source) for o in outputs]
        if all(bold) and all(nearer):
            least = min(map(_mean, others))
            yield (
                f"reference {number} ({reference.text.name}) and the output seem to be swapped: "
                "in the lines that they change, this reference changes "
                f"{_mean(changes):.1f} words and the output {least:.1f}; references mostly change more than outputs"
            )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(len(values), 1)


def misspaced(corpus: Corpus, tokenizers: Iterable[str], *, source: bool) -> list[str]:
    """Return the warnings about a data set for these tokenisers. `source` says that the source is tokenised too."""
    tokenizers = list(dict.fromkeys(tokenizers))
    splitting = [name for name in tokenizers if tokenizer_called(name).expects == "tokens"]
    parting = [name for name in tokenizers if tokenizer_called(name).expects == "text"]
    if not (splitting or parting) or all(map(_has_few_stops, corpus.texts())):
        return []
    samples = corpus.samples
    read = [(called, s.spaced) for called, s in samples.named if source or s is not samples.source]
    apart = [called for called, share in read if share is not None and share >= TOKENISED]
    joined = [called for called, share in read if share is not None and share <= WRITTEN]
    warnings = []
    if splitting and apart and joined:
        warnings.append(
            f"full stops and commas are tokens of their own in {_listed(apart)}, and belong to the word before in "
            f"{_listed(joined)}: with the tokenizer {splitting[0]} they do not match; tokenise all texts alike"
        )
    outputs = [called for called in apart if called.startswith("system ")]
    if parting and outputs:
        warnings.append(
            f"{_listed(outputs)} {'is' if len(outputs) == 1 else 'are'} tokenised already, and the tokenizer "
            f"{parting[0]} is for texts as people write them; score detokenised texts, or set `tokenizer: whitespace`"
        )
    return [f"{corpus.name}: {text}" for text in warnings]


def _has_few_stops(text: AnyText) -> bool:
    """Return whether a text in memory has so few full stops and commas that nothing can be told by them."""
    return isinstance(text, MemoryText) and text.data.count(b".") + text.data.count(b",") < FEW


def _listed(names: Sequence[str]) -> str:
    more = len(names) - 2
    shown = [*names[:2], f"{more} more"] if more > 0 else names
    return " and ".join(shown) if len(shown) < 3 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def suspicions(corpus: Corpus, *, references: bool = True) -> list[str]:
    """Return the warnings about a data set, each with its name.

    `references` says whether the texts of the references are read. Metrics of edits do not read them.
    """
    if _ordinary(corpus):  # equal texts are all that can be told
        texts = [text.strings for text in corpus.texts() if isinstance(text, MemoryText)]
        if len({*texts}) == len(texts):
            return []
        warnings = [*(_references(corpus) if references else []), *_systems(corpus)]
    else:
        warnings = [*corpus.notes, *_odd_files(corpus), *(_references(corpus) if references else []), *_systems(corpus)]
        warnings += mistaken_texts(corpus) if references else []
    return [f"{corpus.name}: {text}" for text in warnings]


def _ordinary(corpus: Corpus) -> bool:
    """Return whether a glance tells that a corpus has a few texts in memory with nothing odd in any of them."""
    if corpus.lines >= FEW or corpus.missing or corpus.notes:
        return False
    texts = corpus.texts()
    for text in texts:
        if not isinstance(text, MemoryText) or text.odd is not ORDINARY or len(text.blanks) or b"{" in text.data:
            return False
    return len({text.name for text in texts}) == len(texts)


def _odd_files(corpus: Corpus) -> Iterator[str]:
    files: dict[str, AnyText] = {}
    for file in corpus.texts():
        files.setdefault(file.place, file)
    for file in files.values():
        if file.has_bom:
            yield f"{file.name}: begins with a byte order mark, which is left out"
        if file.odd.nuls:
            count = "1 NUL character" if file.odd.nuls == 1 else f"{file.odd.nuls} NUL characters"
            yield f"{file.name}: holds {count}; is it UTF-8 text?"
        if file.odd.long and not isinstance(file, MemoryText):
            size = f"line {file.number(file.odd.long):,} has {file.odd.size:,} bytes"
            yield f"{file.name}: {size}, which takes time and memory; are line ends missing?"
    if corpus.source and corpus.source.blank * 2 > corpus.lines:
        yield f"source: {corpus.source.blank} of {corpus.lines} lines are empty"


def _references(corpus: Corpus) -> Iterator[str]:
    for number, reference in enumerate(corpus.references):
        if corpus.source and same(reference, corpus.source):
            yield f"reference {number} ({reference.name}) is the same text as the source"
        empty = len(corpus.kept[number]) if corpus.kept else reference.blank
        if empty and (corpus.kept or not corpus.missing):
            first = corpus.kept[number][0] if corpus.kept else reference.first_blank
            lines = (
                f"{empty} empty lines, the first is line {first}: each" if empty > 1 else f"an empty line, {first}: it"
            )
            yield f"reference {number} ({reference.name}) has {lines} counts as a sentence of length 0"


def _systems(corpus: Corpus) -> Iterator[str]:
    seen = [(reference, f"reference {number}") for number, reference in enumerate(corpus.references)]
    given = [*([corpus.source] if corpus.source else []), *corpus.references]
    expected = corpus.own_tokens or any(text.odd.subwords for text in given)
    for name, file in corpus.systems.items():
        if name in corpus.references_as_systems:
            continue
        twin = next((called for text, called in seen if same(file, text)), None)
        if twin:
            yield f"system {name} is the same text as {twin}"
        seen.append((file, f"system {name}"))
        if file.blank * 2 > file.lines:
            yield f"system {name}: {file.blank} of {file.lines} lines are empty"
        if file.odd.subwords and not expected:
            times = "once" if file.odd.subwords == 1 else f"{file.odd.subwords} times"
            yield f"system {name} has subword pieces ('@@ ' or '\u2581', {times}); join them before scoring"
