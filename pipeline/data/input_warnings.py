"""Warnings about texts that can be scored but are probably not what was meant.

They go into the results. Tables of what is checked are in `text_checks.py`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..errors import bounded, listed
from .corpus import Corpus
from .input_readers import InputReader
from .inputs import TEXTS, TextReader
from .samples import FEW
from .text_checks import (
    DATA_SET_CHECKS,
    ENOUGH_LINES,
    ROLE_WORDS,
    STYLE_CHECKS,
    TOKENISED_SHARE,
    StyleCheck,
    expects,
    message_fields,
    separate_stops,
    text_warning,
    words_of_name,
)
from .texts import ORDINARY, AnyText, MemoryText

BASELINES = {
    *ROLE_WORDS["source"].split(),
    "baseline",
    "copy",
    "identity",
    "unchanged",
    "noop",
    "none",
    "nothing",
}
"""Words in names of systems that are the source on purpose."""


def text_warnings(corpus: Corpus, metrics: Sequence[TextReader]) -> list[str]:
    """Return the warnings about a data set that these metrics score."""
    reads_references = False
    warnings_of_records: dict[str, None] = {}
    for metric in metrics:
        view = corpus.read_by(metric.spec)
        if metric.spec.input == TEXTS or view.annotated:
            reads_references = True
        for warning in InputReader.of(metric.spec.input).warnings(metric, view):
            warnings_of_records[f"{corpus.name}: {warning}"] = None
    warnings = suspicions(corpus, references=reads_references)
    compared = corpus if reads_references else replace(corpus, references=())
    warnings += mixed_styles(compared, metrics)
    return [*bounded(warnings), *bounded(list(warnings_of_records))]


def suspicions(corpus: Corpus, *, references: bool = True) -> list[str]:
    """Return the warnings about a data set, each with its name.

    `references` says whether the texts of the references are read. Metrics of edits do so where
    they annotate them.
    """
    references = references or any(
        view.annotated for view in corpus.views.values()
    )
    warnings: list[str] = []
    is_ordinary = _is_ordinary(corpus)
    if is_ordinary and len({text.identity for text in corpus.texts}) == len(
        corpus.texts
    ):
        return []
    if not is_ordinary:
        warnings += corpus.notes
        warnings += _file_warnings(corpus)
    if references:
        warnings += _reference_warnings(corpus)
    warnings += _system_warnings(corpus)
    if not is_ordinary:
        warnings += mistaken_texts(
            corpus if references else replace(corpus, references=())
        )
    return [f"{corpus.name}: {text}" for text in warnings]


def _is_ordinary(corpus: Corpus) -> bool:
    """Return whether a glance tells that equal texts are all that there can be a warning of.

    That is so for a few lines in memory with nothing suspicious in them. This makes `evaluate` of
    one pair of texts several times as fast.
    """
    if corpus.lines >= FEW or corpus.missing or corpus.notes:
        return False
    names = set()
    for text in corpus.texts:
        if not isinstance(text, MemoryText) or text.suspicious is not ORDINARY:
            return False
        if len(text.blanks) or b"{" in text.data or text.name in names:
            return False
        names.add(text.name)
    return True


def _file_warnings(corpus: Corpus) -> Iterator[str]:
    """Warn of byte order marks, NUL characters and very long lines, and of an empty source."""
    files: dict[str, AnyText] = {}  # a file may have several roles
    for text in corpus.texts:
        files.setdefault(text.display_name, text)
    for file in files.values():
        if file.has_bom:
            yield (
                f"{file.name}: begins with a byte order mark, which is left out; see `bom: keep` "
                "(--bom keep)"
            )
        if file.suspicious.nuls:
            plural = "s" if file.suspicious.nuls > 1 else ""
            count = f"{file.suspicious.nuls} NUL character{plural}"
            yield f"{file.name}: holds {count}; is it UTF-8 text?"
        line = file.suspicious.long_line
        if line:
            size = file.suspicious.long_line_bytes
            yield (
                f"{file.name}: line {file.number(line):,} has {size:,} bytes, which takes time and "
                "memory; are line ends missing?"
            )
    if corpus.source and corpus.source.blank * 2 > corpus.lines:
        yield f"source: {corpus.source.blank} of {corpus.lines} lines are empty"


def _reference_warnings(corpus: Corpus) -> Iterator[str]:
    """Warn of references that are the source, and of their empty lines."""
    for number, reference in enumerate(corpus.references):
        called = f"reference {number + 1} ({reference.name})"
        if corpus.source and reference.identity == corpus.source.identity:
            yield f"{called} is the same text as the source"
        if corpus.empty_references:
            count = len(corpus.empty_references[number])
            first = corpus.empty_references[number][0] if count else 0
        elif corpus.missing:
            count = 0
            first = 0
        else:
            count = reference.blank
            first = reference.first_blank
        if count == 1:
            yield f"{called} has an empty line, {first}: it counts as a sentence of length 0"
        if count > 1:
            lines = f"{count} empty lines, the first is line {first}"
            yield f"{called} has {lines}: each counts as a sentence of length 0"


def _system_warnings(corpus: Corpus) -> Iterator[str]:
    """Warn of outputs that are another text of the data set, half empty, or cut into subwords."""
    before: list[tuple[str, AnyText]] = []
    for number, reference in enumerate(corpus.references, 1):
        before.append((f"reference {number}", reference))
    may_have_subwords = any(
        text.suspicious.subwords for text in corpus.references
    )
    if corpus.source and corpus.source.suspicious.subwords:
        may_have_subwords = True
    for name, file in corpus.systems.items():
        if name in corpus.references_as_systems:
            continue
        for called, text in before:
            if file.identity == text.identity:
                yield f"system {name} is the same text as {called}"
                break
        if _is_source(corpus, name, file):
            yield (
                f"system {name} is the same text as the source; were its outputs meant? Call a "
                "baseline `unchanged`"
            )
        before.append((f"system {name}", file))
        if file.blank * 2 > file.lines:
            yield f"system {name}: {file.blank} of {file.lines} lines are empty"
        if (
            file.suspicious.subwords
            and not may_have_subwords
            and not corpus.own_tokens
        ):
            times = f"{file.suspicious.subwords} times"
            if file.suspicious.subwords == 1:
                times = "once"
            yield (
                f"system {name} has subword pieces ('@@ ' or '\u2581', {times}); join them before "
                "scoring"
            )


def _is_source(corpus: Corpus, name: str, file: AnyText) -> bool:
    """Return whether outputs are the source, and neither on purpose nor, as a few lines, by chance."""
    if (
        corpus.source is None
        or file.lines < 2 * ENOUGH_LINES
        or file.identity != corpus.source.identity
    ):
        return False
    return words_of_name(f"{name} {file.name}").isdisjoint(BASELINES)


def mistaken_texts(corpus: Corpus) -> list[str]:
    """Return the warnings about texts that seem to be something else than the data set says."""
    samples = corpus.samples
    warnings = [
        text_warning(sample, samples.short) for sample in samples.short.all
    ]
    warnings = list(filter(None, warnings))
    for check in DATA_SET_CHECKS:
        warnings += check(samples)
    return warnings


def mixed_styles(corpus: Corpus, metrics: Sequence[TextReader]) -> list[str]:
    """Return the warnings about texts written in different styles, if that matters to a metric."""
    if corpus.lines < FEW:
        return []
    warnings = [
        _style_warning(check, corpus, metrics) for check in STYLE_CHECKS
    ]
    warnings.append(_tokenised_warning(corpus, metrics))
    return [f"{corpus.name}: {text}" for text in warnings if text]


def _style_warning(
    check: StyleCheck,
    corpus: Corpus,
    metrics: Sequence[TextReader],
) -> str:
    """Return the warning of a check of styles, or an empty string."""
    metric = next(filter(check.applies, metrics), None)
    if metric is None:
        return ""
    samples = corpus.samples if check.rare else corpus.samples.short
    texts = [*samples.references, *samples.systems]
    if check.of_source and any(metric.spec.source for metric in metrics):
        texts = samples.all
    high = []
    low = []
    for sample in texts:
        found = check.find(sample)
        if found.known < FEW:
            continue
        if found.share >= check.min_share:
            high.append((sample, found))
        if found.share <= check.max_share:
            low.append(sample.called)
    if not high or not low:
        return ""
    tokenization = metric.spec.tokenization
    fields = message_fields(*high[0])
    fields["high"] = listed([sample.called for sample, _ in high], 2)
    fields["low"] = listed(low, 2)
    fields["tok"] = tokenization.tokenizer if tokenization else ""
    return check.message.format(**fields)


def _tokenised_warning(corpus: Corpus, metrics: Sequence[TextReader]) -> str:
    """Return the warning of tokenised outputs with a tokeniser for other texts, or an empty string."""
    tokenizers = []
    for metric in metrics:
        if metric.spec.tokenization and expects(metric) == "text":
            tokenizers.append(metric.spec.tokenization.tokenizer)
    if not tokenizers:
        return ""
    outputs = []
    for sample in corpus.samples.short.systems:
        found = separate_stops(sample)
        if found.known >= FEW and found.share >= TOKENISED_SHARE:
            outputs.append(sample.called)
    if not outputs:
        return ""
    return (
        f"{listed(outputs, 2)} {'is' if len(outputs) == 1 else 'are'} tokenised already, and the "
        f"tokenizer {tokenizers[0]} is for texts as people write them; score detokenised texts, or "
        "set `tokenizer: whitespace`"
    )
