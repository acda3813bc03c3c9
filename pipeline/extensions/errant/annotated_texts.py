"""Texts that are annotated for metrics of edits: outputs, and references without an M2 file.

The edits are those of the M2 file that `m2 annotate` writes of the same texts. All texts of a data
set are annotated together, so that a sentence that several of them have is annotated once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from pipeline.data import AnyText, Corpus, Listener, MemoryText
from pipeline.errors import CorpusError, Problem
from pipeline.extensions.edits.m2_files import (
    FIELD_SEPARATOR,
    FIELDS,
    MAX_ANNOTATORS,
    NOOP,
    SPAN,
    Edit,
    edit_of,
)
from pipeline.extensions.edits.m2_format import first_alternative
from pipeline.extensions.edits.records import (
    annotation_of,
    outputs_of,
    records_of,
)
from pipeline.extensions.edits.view_names import annotator_of

if TYPE_CHECKING:
    from pipeline.data import Opener

    from .errant_annotator import Annotation


MIN_PAIRS_OF_NOTE = 2000
"""From this many pairs of sentences on, a note warns that annotating takes a while."""


class Annotating(NamedTuple):
    """How texts are annotated. Nothing of it changes an edit."""

    n_jobs: int
    listener: Listener
    opener: Opener | None = None
    """Writes the edits to its temporary files. Without it they are in memory."""


def with_annotated(
    corpus: Corpus, views: Collection[str], how: Annotating
) -> Corpus:
    """Return a data set with all those of its views in which texts are annotated.

    A view of the data set may have edits of M2 files already, which stay. Nothing is done without a
    source. All views have the same categories, those of all edits. Raises ConfigError if the
    annotator is not installed, CorpusError if there are too many annotators, and IncompleteError if
    a worker dies.
    """
    # annotate the texts of each view
    annotating_views: list[str] = []
    if corpus.source:
        annotating_views = sorted(filter(annotator_of, views))
    for name in annotating_views:
        from_files = corpus.views.get(name)
        if from_files is None:
            from_files = replace(corpus, references=(), systems={})
        completed, notes = _completed(corpus, from_files, name, how)
        new_notes = [note for note in notes if note not in corpus.notes]
        corpus = replace(
            corpus,
            views={**corpus.views, name: completed},
            notes=(*corpus.notes, *new_notes),
        )
    if not corpus.views:
        return corpus

    # give all views the same categories
    categories: set[str] = set()
    for view in corpus.views.values():
        categories.update(view.categories)
    sorted_categories = tuple(sorted(categories))
    views_with_categories = {}
    for name, view in corpus.views.items():
        views_with_categories[name] = replace(
            view, categories=sorted_categories
        )
    return replace(corpus, views=views_with_categories)


class _Reference(NamedTuple):
    """A text that is annotated as the edits of an annotator."""

    text: AnyText
    """The text, or the records of the edits that make it."""
    lines: list[str]
    """The text, with the source in place of sentences that it lacks."""
    lines_beside: dict[int, list[str]]
    """The lines of M2 that stand beside the edits of the text, for sentences without a noop.

    These sentences, from 0, are those that the annotator lacks, or that were edited already."""

    def edits(self, line: int, annotation: Annotation) -> Sequence[str]:
        """Return the lines of a sentence, without the number of the annotator.

        `annotation` are those of its text.
        """
        if line not in self.lines_beside:
            return annotation
        edits = [edit for edit in annotation if _type_of(edit) != "noop"]
        lines = [*self.lines_beside[line], *edits]
        return sorted(
            lines, key=lambda edit: edit_of(f"{edit}0", "edit", 0)[:2]
        )


def _type_of(line: str) -> str:
    """Return the type of an edit, given as a line of an M2 file."""
    return line.split(FIELD_SEPARATOR)[1]


def _completed(
    corpus: Corpus,
    from_files: Corpus,
    view: str,
    how: Annotating,
) -> tuple[Corpus, list[str]]:
    """Return a view of a data set with the edits of all texts, and warnings.

    `from_files` is the view with the edits of M2 files, so far. Its gold stays, but gold with other
    types than ERRANT's is annotated anew. Without gold, the references of the data set are
    annotated.
    """
    # find the texts to annotate
    annotator = annotator_of(view)
    source = corpus.source.read() if corpus.source else []
    references: list[_Reference] = []
    if from_files.references and from_files.foreign:
        references = [_of_gold(source, text) for text in from_files.references]
    elif not from_files.references:
        references = [
            _of_text(source, text, corpus) for text in corpus.references
        ]
    outputs: dict[str, AnyText] = {}
    for name, text in corpus.systems.items():
        if name not in from_files.systems:
            outputs[name] = text
    texts = [reference.lines for reference in references]
    texts += [text.read() for text in outputs.values()]

    # annotate them: for each text, an annotation of each line
    progress = _Progress(how.listener, corpus.name, annotator)
    annotations = _annotations(source, texts, annotator, how, progress)
    annotated = [reference.text for reference in references]
    annotated += outputs.values()
    problems: list[Problem] = []
    for text, edits in zip(annotated, annotations, strict=True):
        problems += _unwritable(text, edits)
    if problems:
        raise CorpusError(problems)
    of_references = annotations[: len(references)]
    of_outputs = annotations[len(references) :]

    # store their edits as records
    records = dict(from_files.systems)
    for (name, text), edits in zip(outputs.items(), of_outputs, strict=True):
        records[name] = _stored(text, map(_output_record, edits), how)
    systems = {name: records[name] for name in corpus.systems}
    gold_records: Iterable[AnyText] = from_files.references
    if references:
        gold_records = _reference_texts(
            corpus, from_files, references, of_references, how
        )

    # make the view
    types = set(from_files.categories)
    for edits in annotations:
        for annotation in edits:
            types.update(map(_type_of, annotation))
    completed = replace(
        corpus,
        references=tuple(gold_records),
        systems=systems,
        annotated=bool(references) and not from_files.references,
        categories=tuple(sorted(types - {"noop"})),
        missing=False,
        empty_references=(),
        notes=(),
        views={},
    )
    notes = [*_gold_notes(from_files, annotator), *_empty_notes(corpus, source)]
    if len(references) > 1:
        notes += _unchanged_notes(source, references, of_references)
    return completed, notes


def _of_text(
    source: Sequence[str], text: AnyText, corpus: Corpus
) -> _Reference:
    """Return a reference that is given as a text; the source replaces sentences that it lacks."""
    lines = text.read()
    lines_beside: dict[int, list[str]] = {}
    if corpus.missing:
        for number in text.blanks:
            line = int(number) - 1
            lines[line] = source[line]
            lines_beside[line] = []
    return _Reference(text, lines, lines_beside)


DETECTED = ("Um", "UNK")
"""The types of edits that detect an error and do not correct it."""


def _of_gold(source: Sequence[str], gold: AnyText) -> _Reference:
    """Return the text that the edits of an annotator make, as a reference to annotate anew.

    `gold` has the records of the annotator. Edits that only detect an error stand beside the text.
    It is as `errant_m2 -auto` makes it, but of alternatives (a||b) the first is taken, and -NONE-
    deletes words.
    """
    lines: list[str] = []
    lines_beside: dict[int, list[str]] = {}
    sentences = zip(source, _records(gold), strict=True)
    for line, (sentence, record) in enumerate(sentences):
        annotation = annotation_of(record)
        source_tokens = sentence.split()
        tokens = list(source_tokens)
        edits: list[Edit] = []
        if annotation:
            edits = [edit for edit in annotation.edits if not edit.is_noop]
            edits.sort(key=SPAN)
        shift = 0  # how many tokens the edits before have added
        for edit in edits:
            correction = corrected(edit, source_tokens)
            tokens[edit.start + shift : edit.end + shift] = correction
            shift += len(correction) - (edit.end - edit.start)
        lines.append(" ".join(tokens))
        if edits or not annotation:
            detecting = [edit for edit in edits if edit.type in DETECTED]
            lines_beside[line] = [_detecting_line(edit) for edit in detecting]
    return _Reference(gold, lines, lines_beside)


def _detecting_line(edit: Edit) -> str:
    """Return the line of an edit that only detects an error, without the annotator's number."""
    text = " ".join(first_alternative(edit.correction).split())
    return f"A {edit.start} {edit.end}|||UNK|||{text}|||REQUIRED|||-NONE-|||"


def corrected(edit: Edit, tokens: list[str]) -> list[str]:
    """Return the tokens of an edit's correction; its own tokens if it only detects an error."""
    if edit.type in DETECTED:
        return tokens[edit.start : edit.end]
    if not edit.type:  # without a type it is of words alone
        return edit.correction.split()
    return first_alternative(edit.correction).split()


@dataclass
class _Progress:
    """Passes progress on, with a note at the beginning if there is much to do."""

    listener: Listener
    dataset: str
    annotator: str
    begun: bool = field(default=False, init=False)

    def report(self, done: int, total: int) -> None:
        """Take how many pairs of sentences are annotated, and how many there are."""
        remaining = total - done
        if remaining >= MIN_PAIRS_OF_NOTE and not self.begun:
            self.listener.warn(
                f"{self.dataset}: {remaining:,} pairs of sentences are being annotated with "
                f"{self.annotator}, which takes a while; their edits are kept on this computer"
            )
        self.begun = True
        self.listener.progress(done, total)


def _annotations(
    source: Sequence[str],
    texts: Sequence[Sequence[str]],
    annotator: str,
    how: Annotating,
    progress: _Progress,
) -> list[list[Annotation]]:
    """Return the edits of each text: an annotation for each line of the source.

    All texts are annotated together, so that a pair of sentences that several have is annotated
    once.
    """
    from .annotate import AnnotationCache, annotate_all
    from .errant_annotator import model_of

    model = model_of(annotator)
    how.listener.stage("annotating")
    pairs: list[tuple[str, str]] = []
    for text in texts:
        pairs += zip(source, text, strict=True)
    annotations = annotate_all(
        pairs,
        model=model,
        n_jobs=how.n_jobs,
        cache=AnnotationCache(warn=how.listener.warn),
        progress=progress.report,
    ).annotations
    by_text = []
    for text_index in range(len(texts)):
        first = text_index * len(source)
        by_text.append(annotations[first : first + len(source)])
    return by_text


def _output_record(annotation: Annotation) -> bytes:
    """Return the record of an annotated sentence of an output."""
    lines = [f"{edit}0" for edit in annotation]
    return "\n".join(lines or [NOOP]).encode()


def _reference_texts(
    corpus: Corpus,
    from_files: Corpus,
    references: Sequence[_Reference],
    annotations: Sequence[Sequence[Annotation]],
    how: Annotating,
) -> Iterator[AnyText]:
    """Yield the records of the edits of each reference.

    If outputs in M2 files have several annotators, at most k in a sentence, the records of all
    references come k times, for each pair of annotators. `annotations` has the edits of each
    reference, line by line. Raises CorpusError if there are more than MAX_ANNOTATORS pairs.
    """
    output_annotators = 1
    for text in from_files.systems.values():
        for record in _records(text):
            output_annotators = max(output_annotators, len(outputs_of(record)))
    pairs = output_annotators * len(references)
    if pairs > MAX_ANNOTATORS:
        message = f"has {pairs} pairs of annotators; at most {MAX_ANNOTATORS} are supported"
        raise CorpusError([Problem(corpus.name, message)])

    # the lines of each sentence by reference, as an M2 file would have them
    sentences: list[dict[int, list[str]]] = []
    for line, annotations_of_line in enumerate(zip(*annotations, strict=True)):
        by_annotator = {}
        for annotator, reference in enumerate(references):
            edits = reference.edits(line, annotations_of_line[annotator])
            if edits:
                by_annotator[annotator] = [
                    f"{edit}{annotator}" for edit in edits
                ]
        sentences.append(by_annotator or {0: [NOOP]})

    for output_annotator in range(output_annotators):
        for annotator, reference in enumerate(references):
            records = records_of(sentences, annotator, output_annotator)
            yield _stored(reference.text, records, how)


def _stored(
    text: AnyText, records: Iterable[bytes], how: Annotating
) -> AnyText:
    """Return records of the edits of a text as a text."""
    name = f"{text.display_name}, annotated"
    if how.opener is None:
        return MemoryText.of(name, [record.decode() for record in records])
    return how.opener.index_records(name, records)


def _gold_notes(from_files: Corpus, annotator: str) -> Iterator[str]:
    """Yield a warning that edits of gold are not compared."""
    if from_files.foreign:
        texts = "the references of the data set"
        if from_files.references:
            texts = "the texts that its edits make"
        yield (
            f"{from_files.foreign}: {texts} are annotated with {annotator} in its place; "
            "`gold: keep` among the options of the metric (--gold-edits keep) compares its edits "
            "as they are"
        )


def _empty_notes(corpus: Corpus, source: Sequence[str]) -> Iterator[str]:
    """Yield a warning about sentences of the source that are empty."""
    empty = [
        number for number, line in enumerate(source, 1) if not line.strip()
    ]
    if empty and corpus.source:
        first = corpus.source.number(empty[0])
        lines = f"the empty line {first} of the source has"
        if len(empty) > 1:
            lines = f"{len(empty)} empty lines of the source, the first is line {first}, have"
        yield (
            f"{lines} no edits, whatever stands in the other texts: "
            "errant annotates no empty sentence"
        )


def _unchanged_notes(
    source: Sequence[str],
    references: Sequence[_Reference],
    annotations: Sequence[Sequence[Annotation]],
) -> Iterator[str]:
    """Yield a warning for each reference that ERRANT has no line for in some sentences.

    These are sentences in which the reference differs from the source in blanks alone.
    `annotations` has the edits of each reference, line by line.
    """
    annotated = zip(references, annotations, strict=True)
    for number, (reference, reference_annotations) in enumerate(annotated, 1):
        unchanged = []
        lines = zip(source, reference_annotations, strict=True)
        for line, (sentence, annotation) in enumerate(lines):
            has_lines = annotation or line in reference.lines_beside
            if sentence.strip() and not has_lines:
                unchanged.append(line)
        if unchanged:
            first = reference.text.number(unchanged[0] + 1)
            yield (
                f"reference {number} ({reference.text.name}) differs from the source in blanks "
                f"alone in {len(unchanged)} sentences, the first is line {first}: errant has no "
                "line for these, so that this reference does not take part there"
            )


def _unwritable(text: AnyText, edits: Sequence[Annotation]) -> list[Problem]:
    """Return the problem of the first sentence with an edit that cannot be read again, or [].

    A word of such an edit has the separator of fields in it. `edits` has the annotation of each
    sentence.
    """
    for line, annotation in enumerate(edits, 1):
        for edit in annotation:
            if edit.count(FIELD_SEPARATOR) != FIELDS - 1:
                message = (
                    f"a word with '{FIELD_SEPARATOR}' cannot be annotated: "
                    "an M2 file has this between the fields of an edit"
                )
                return [Problem(text.at(line), message)]
    return []


def _records(text: AnyText) -> Iterator[bytes]:
    return (record.encode() for record in text.read())
