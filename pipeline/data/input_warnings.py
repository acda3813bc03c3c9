"""Warnings about texts that can be scored but are probably not what was meant. They go into the
results.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..errors import listed
from .corpus import Corpus
from .inputs import TextReader
from .samples import FEW, Sample, Samples, mean
from .text_checks import EDITED, LOOKS, STYLES, Seen, expects, shift, stops
from .texts import ORDINARY, AnyText, MemoryText, same

ROLES = {
    "source": {"source", "src", "input", "orig", "original", "uncorrected"},
    "reference": {"ref", "refs", "reference", "references", "gold"},
    "output": {
        "hyp",
        "hyps",
        "hypothesis",
        "hypotheses",
        "out",
        "output",
        "outputs",
        "pred",
        "preds",
        "predictions",
    },
}
"""Words in names of files that tell what a file is."""
BASELINES = {
    *ROLES["source"],
    "baseline",
    "copy",
    "identity",
    "unchanged",
    "noop",
    "none",
    "nothing",
}
"""Words in names of systems that are the source on purpose."""
FARTHER = 0.05
"""How much farther outputs may be from a reference than from the source where the two seem to be
swapped."""
ENOUGH = 50
"""With fewer lines than this, nothing is said of the words that the source and a reference have,
and with fewer than twice as many nothing of outputs that are the source: a timid system left 30
lines of CoNLL-2014 as they were."""
RICHER = 1.2
"""How many more words of its own the uncorrected text has at least: each error is a word of its
own."""
SURELY = 2.0
"""How many standard deviations lie between the two numbers of words at least. Chance gave up to 1.6
in 50 lines."""
CHANGED = 50
"""With fewer changed lines than this, nothing is said of how many words are changed in each."""
TIMID = 1.4
"""Below this mean number of words in a changed line a reference is a suspect."""
BOLDER = 1.5
"""How many times as many words the outputs change in a line, at least, where they seem to be
swapped."""


def mistaken_texts(corpus: Corpus) -> list[str]:
    """Return the warnings about texts that seem to be something else than the data set says."""
    samples, warnings = corpus.samples, []
    short = samples.short
    outputs = short.others if short.references else []
    base = short.base.called if short.references else ""
    for sample in (
        short.all
    ):  # of each text the first that fits is told: other marks may come of the same mistake
        for look in LOOKS if sample in outputs else [look for look in LOOKS if not look.of_outputs]:
            seen = look.seen(sample, short)
            if seen.share >= look.least and seen.marks.count(True) >= look.lines:
                warnings.append(look.told.format(**_fields(sample, seen), base=base))
                break
    for number, one in enumerate(samples.references):
        for other in samples.references[
            :number
        ]:  # a few lines may be equal by chance, if not of one file
            if same(other.text, one.text) and (
                one.text.lines >= FEW or other.text.place == one.text.place
            ):
                warnings.append(
                    f"{one.called} is the same text as {other.called}; was another file meant?"
                )
                break
    warnings += _shifted(short)
    return [
        *warnings,
        *(_swapped_by_name(samples) or [*_swapped_by_words(samples), *_output_swapped(samples)]),
    ]


def _fields(sample: Sample, seen: Seen) -> dict[str, str]:
    """Return what a message can say of a text and what was seen in it."""
    line = sample.number(seen.marks.index(True)) if len(seen.marks) == len(sample.lines) else 0
    share = f"{100 * seen.share:.0f} %"
    return {
        "called": sample.called,
        "named": sample.named,
        "share": share,
        "line": f"{line:,}",
        "sign": seen.sign,
    }


def _shifted(samples: Samples) -> Iterator[str]:
    """Warn of texts that fit neighbouring lines of the first reference better than their own."""
    if not samples.references:
        return
    base = samples.base
    others = [sample for sample in samples.all if sample is not base]
    moves = [(sample.called, *shift(sample, base)) for sample in others]
    offsets = {offset for _, offset, _ in moves}
    other = base.called
    if (
        len(moves) > 1 and len(offsets) == 1 and 0 not in offsets
    ):  # then the first reference is the one that is wrong
        moves, other = [(base.called, -moves[0][1], moves[0][2])], "the other texts"
    for called, offset, low in moves:
        if offset:
            where = "before" if offset > 0 else "after"
            part = f" from line {base.text.number(low + 1)} on" if low else ""
            yield (
                f"{called} seems to be shifted by one line{part}: its lines fit the lines {where} theirs in {other} "
                "better; is a line missing or added?"
            )


def _role(sample: Sample) -> str:
    """Return what the name of a file says that it is, or an empty string."""
    if isinstance(sample.text, MemoryText):
        return ""
    words = _words(sample.text.name)
    roles = [role for role, names in ROLES.items() if words & names]
    return roles[0] if len(roles) == 1 else ""


def _words(*names: str) -> set[str]:
    return set(re.findall("[a-z]+", " ".join(names).lower()))


def _swapped_by_name(samples: Samples) -> list[str]:
    """Return the warnings about two texts that have names of each other's role."""
    warnings = []
    for reference in samples.references:
        if samples.source and (_role(samples.source), _role(reference)) == ("reference", "source"):
            warnings.append(
                f"{samples.source.called} and {reference.called} seem to be swapped, by their names"
            )
        for system in samples.systems:
            if (_role(system), _role(reference)) == ("reference", "output"):
                named = f"{system.called} ({system.text.name})"
                warnings.append(
                    f"{reference.called} and {named} seem to be swapped, by their names"
                )
    return warnings


def _swapped_by_words(samples: Samples) -> Iterator[str]:
    """Warn of a reference that has more different words than the source, as errors make, and is
    near to outputs.
    """
    source, outputs = samples.source, samples.others
    if source is None or not outputs or source.text.lines < ENOUGH:
        return
    for reference in samples.references:
        own, sources = (
            len(reference.vocabulary - source.vocabulary),
            len(source.vocabulary - reference.vocabulary),
        )
        is_richer = own > RICHER * sources and own - sources > SURELY * (own + sources) ** 0.5
        if not is_richer or not _edited(source, reference):
            continue
        nearer = [output.like(reference) - output.like(source) for output in outputs]
        if sum(nearer) > -FARTHER * len(outputs):
            yield (
                f"{source.called} and {reference.called} seem to be swapped: this reference has more different words "
                "than the source, as uncorrected texts have, and outputs are near to it"
            )


def _output_swapped(samples: Samples) -> Iterator[str]:
    """Warn of a reference that changes about one word in a line where every output changes several,
    and fewer lines.

    People mostly change several words of a line that they correct: between 2.3 and 4.2 on average
    in the references of CoNLL-2014, JFLEG and SEEDA. How many lines are changed tells nothing
    alone: that depends on how good the texts are."""
    source = samples.source
    outputs = samples.others
    if source is None or not outputs or source.text.lines < 2 * FEW:
        return
    for reference in samples.references:
        changes = reference.changes(source)
        if len(changes) < CHANGED or mean(changes) >= TIMID or not _edited(source, reference):
            continue
        others = [output.changes(source) for output in outputs]
        if min(map(len, others)) < CHANGED:
            continue
        bold = [mean(own) >= BOLDER * mean(changes) for own in others]
        like, unchanged = source.like(reference), reference.same_as(source)
        nearer = [like > o.like(source) > EDITED and unchanged > o.same_as(source) for o in outputs]
        if all(bold) and all(nearer):
            least = min(map(mean, others))
            yield (
                f"{reference.called} and the output seem to be swapped: "
                "in the lines that they change, this reference changes "
                f"{mean(changes):.1f} words and the output {least:.1f}; references mostly change more than outputs"
            )


def _edited(source: Sample, reference: Sample) -> bool:
    """Return whether a reference is an edited source, in words with blanks between them."""
    return not reference.spaceless and EDITED < source.like(reference) < 1


def mixed_styles(corpus: Corpus, metrics: Sequence[TextReader]) -> list[str]:
    """Return the warnings about texts of a data set that are not written alike, where that matters
    to the metrics.
    """
    if corpus.lines < FEW:
        return []
    warnings, short = [], corpus.samples.short
    reads_source = any(metric.spec.source for metric in metrics)
    for style in STYLES:
        samples = corpus.samples if style.rare else short
        minding = next(filter(style.minds, metrics), None)
        texts = (
            samples.all
            if style.of_source and reads_source
            else [*samples.references, *samples.systems]
        )
        found = [(sample, style.seen(sample)) for sample in texts] if minding else []
        high = [
            (sample, seen)
            for sample, seen in found
            if seen.known >= FEW and seen.share >= style.least
        ]
        low = [
            sample.called
            for sample, seen in found
            if seen.known >= FEW and seen.share <= style.most
        ]
        if minding and high and low:
            named = {
                "low": listed(low, 2),
                "high": listed([sample.called for sample, _ in high], 2),
            }
            tokenization = minding.spec.tokenization
            tok = tokenization.tokenizer if tokenization else ""
            warnings.append(style.told.format(**_fields(*high[0]), **named, tok=tok))
    parting = next(
        (metric.spec.tokenization for metric in metrics if expects(metric) == "text"), None
    )
    seen = [(sample.called, stops(sample)) for sample in short.systems] if parting else []
    outputs = [called for called, own in seen if own.known >= FEW and own.share >= STYLES[0].least]
    if parting and outputs:
        warnings.append(
            f"{listed(outputs, 2)} {'is' if len(outputs) == 1 else 'are'} tokenised already, and the tokenizer "
            f"{parting.tokenizer} is for texts as people write them; score detokenised texts, or set "
            "`tokenizer: whitespace`"
        )
    return [f"{corpus.name}: {text}" for text in warnings]


def suspicions(corpus: Corpus, *, references: bool = True) -> list[str]:
    """Return the warnings about a data set, each with its name.

    `references` says whether the texts of the references are read. Metrics of edits do so where
    they annotate them."""
    references = references or any(view.annotated for view in corpus.views.values())
    if _ordinary(corpus):  # equal texts are all that can be told
        texts = [text.strings for text in corpus.texts() if isinstance(text, MemoryText)]
        if len({*texts}) == len(texts):
            return []
        warnings = [*(_references(corpus) if references else []), *_systems(corpus)]
    else:
        warnings = [
            *corpus.notes,
            *_odd_files(corpus),
            *(_references(corpus) if references else []),
            *_systems(corpus),
        ]
        warnings += mistaken_texts(corpus if references else replace(corpus, references=()))
    return [f"{corpus.name}: {text}" for text in warnings]


def _ordinary(corpus: Corpus) -> bool:
    """Return whether a glance tells that a corpus has a few texts in memory with nothing odd in any
    of them.
    """
    if corpus.lines >= FEW or corpus.missing or corpus.notes:
        return False
    texts = corpus.texts()
    for text in texts:
        if (
            not isinstance(text, MemoryText)
            or text.odd is not ORDINARY
            or len(text.blanks)
            or b"{" in text.data
        ):
            return False
    return len({text.name for text in texts}) == len(texts)


def _odd_files(corpus: Corpus) -> Iterator[str]:
    files: dict[str, AnyText] = {}
    for file in corpus.texts():
        files.setdefault(file.place, file)
    for file in files.values():
        if file.has_bom:
            yield f"{file.name}: begins with a byte order mark, which is left out; see `bom: keep` (--bom keep)"
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
            yield f"reference {number + 1} ({reference.name}) is the same text as the source"
        empty = len(corpus.kept[number]) if corpus.kept else reference.blank
        if empty and (corpus.kept or not corpus.missing):
            first = corpus.kept[number][0] if corpus.kept else reference.first_blank
            lines = f"an empty line, {first}: it"
            if empty > 1:
                lines = f"{empty} empty lines, the first is line {first}: each"
            yield f"reference {number + 1} ({reference.name}) has {lines} counts as a sentence of length 0"


def _systems(corpus: Corpus) -> Iterator[str]:
    seen = [
        (reference, f"reference {number}") for number, reference in enumerate(corpus.references, 1)
    ]
    given = [*([corpus.source] if corpus.source else []), *corpus.references]
    expected = corpus.own_tokens or any(text.odd.subwords for text in given)
    for name, file in corpus.systems.items():
        if name in corpus.references_as_systems:
            continue
        twin = next((called for text, called in seen if same(file, text)), None)
        if twin:
            yield f"system {name} is the same text as {twin}"
        is_source = (
            corpus.source and file.lines >= 2 * ENOUGH and same(file, corpus.source)
        )  # a few: by chance
        if is_source and _words(name, file.name).isdisjoint(BASELINES):
            yield f"system {name} is the same text as the source; were its outputs meant? Call a baseline `unchanged`"
        seen.append((file, f"system {name}"))
        if file.blank * 2 > file.lines:
            yield f"system {name}: {file.blank} of {file.lines} lines are empty"
        if file.odd.subwords and not expected:
            times = "once" if file.odd.subwords == 1 else f"{file.odd.subwords} times"
            yield f"system {name} has subword pieces ('@@ ' or '\u2581', {times}); join them before scoring"
