"""An M2 file as gold beside texts that are in memory, or beside the M2 files of outputs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pipeline.data.config.resolved import Column, Dataset, System
from pipeline.data.corpus import ONE, Corpus, corpus_in_memory
from pipeline.data.inputs import EDITS, GOLD, annotator_of
from pipeline.data.opener import open_corpus, other_source
from pipeline.data.texts import AnyText, read_texts, text_in_memory
from pipeline.errors import CorpusError, InputError, Problem
from pipeline.files.remote import locate

from .m2_files import BAR, FIELDS, MAX_ANNOTATORS, NOOP, Edit, edit_of
from .m2_format import SPAN, first_alternative
from .records import annotation_of, outputs_of, records_of

if TYPE_CHECKING:
    from pipeline.data.input_files import Opener

    from .errant_annotator import Annotation


# Texts that are annotated for metrics of edits: outputs, and references where no M2 file has the
# edits of annotators.
#
# The edits are those of the M2 file that `m2 annotate` writes of the same texts. All texts of a
# data set are annotated together, so that a sentence that several of them have is annotated once.


MANY = 2000
"""From so many pairs of sentences on a user is told that annotating takes a while."""


class Told(Protocol):
    """Who is told how far annotating has come."""

    def stage(self, name: str) -> None:
        """Take the name of the work that begins."""

    def progress(self, done: int, whole: int) -> None:
        """Take the numbers of pairs of sentences."""

    def warn(self, text: str) -> None:
        """Take what a user should know at once."""


class Annotating(NamedTuple):
    """How texts are annotated. Nothing of it changes an edit."""

    n_jobs: int
    told: Told
    opener: Opener | None = None
    """Writes the edits to its temporary files. Without it they are kept in memory."""


def with_annotated(corpus: Corpus, views: Collection[str], how: Annotating) -> Corpus:
    """Return a data set with all those of its views in which texts are annotated.

    What a view of the data set already has are edits of M2 files, which stay. Nothing is done
    without a source. All views have the same categories, those of all edits. Raises ConfigError
    where the annotator is not installed, CorpusError where there are too many annotators, and
    IncompleteError where a worker dies."""
    for view in sorted(views) if corpus.source else ():
        if annotator_of(view):
            given = corpus.views.get(view) or replace(corpus, references=(), systems={})
            complete, notes = _View(corpus, given, view, how).complete()
            new = tuple(note for note in notes if note not in corpus.notes)
            corpus = replace(
                corpus, views={**corpus.views, view: complete}, notes=(*corpus.notes, *new)
            )
    if not corpus.views:
        return corpus
    every = tuple(sorted({name for view in corpus.views.values() for name in view.categories}))
    return replace(
        corpus, views={name: replace(view, categories=every) for name, view in corpus.views.items()}
    )


class _View:
    """A view whose texts are annotated; `given` has the edits of M2 files."""

    def __init__(self, corpus: Corpus, given: Corpus, view: str, how: Annotating) -> None:
        self.corpus, self.given, self.annotator, self.how = corpus, given, annotator_of(view), how
        self.source = read_texts(corpus.source) if corpus.source else []
        texts = given.references if given.foreign and given.references else corpus.references
        self.texts = () if given.references and not given.foreign else texts
        """The texts that are annotated as those of annotators, or the records of the edits that
        make such texts."""
        self.references = [
            _of_gold(self.source, text) if given.references else self._of_text(text)
            for text in self.texts
        ]
        own = {name: text for name, text in corpus.systems.items() if name not in given.systems}
        self.outputs = {name: read_texts(text) for name, text in own.items()}
        self._begun = False

    def complete(self) -> tuple[Corpus, list[str]]:
        """Return the view with the edits of all texts, and what the user should know."""
        edits = iter(self._annotated())
        references = [[next(edits) for _ in self.source] for _ in self.references]
        outputs = {name: [next(edits) for _ in self.source] for name in self.outputs}
        texts = [*self.texts, *(self.corpus.systems[name] for name in outputs)]
        if problems := [*filter(None, map(_unwritable, texts, [*references, *outputs.values()]))]:
            raise CorpusError(problems)
        systems = {}
        for name, own in outputs.items():
            records = (
                "\n".join([f"{edit}0" for edit in annotation] or [NOOP]).encode()
                for annotation in own
            )
            systems[name] = self._kept(self.corpus.systems[name], records)
        pairs = self._reference_texts(references) if references else self.given.references
        named = {
            name: systems.get(name) or self.given.systems[name] for name in self.corpus.systems
        }
        annotated = chain.from_iterable([*references, *outputs.values()])
        types = {edit.split(BAR)[1] for annotation in annotated for edit in annotation}
        view = replace(
            self.corpus,
            references=tuple(pairs),
            systems=named,
            annotated=bool(references) and not self.given.references,
            categories=tuple(sorted({*self.given.categories, *types} - {"noop"})),
            missing=False,
            kept=(),
            notes=(),
            views={},
        )
        return view, [*self._notes(references)]

    def _of_text(self, text: AnyText) -> _Reference:
        """Return a reference that is given as a text, with the source in place of sentences that it
        lacks.
        """
        lines, lacks = (
            read_texts(text),
            [int(line) - 1 for line in text.blanks] if self.corpus.missing else [],
        )
        for line in lacks:
            lines[line] = self.source[line]
        return _Reference(lines, {line: [] for line in lacks})

    def _annotated(self) -> list[Annotation]:
        """Return the edits of all sentences of references and outputs, in this order."""
        from .annotate import AnnotationCache, annotate_all
        from .errant_annotator import model_of

        model, told = model_of(self.annotator), self.how.told
        told.stage("annotating")
        texts = [*(reference.lines for reference in self.references), *self.outputs.values()]
        return annotate_all(
            (pair for text in texts for pair in zip(self.source, text, strict=True)),
            model=model,
            n_jobs=self.how.n_jobs,
            cache=AnnotationCache(warn=told.warn),
            progress=self._progress,
        ).annotations

    def _progress(self, done: int, whole: int) -> None:
        """Pass it on. At the beginning, say it where there is much to do."""
        told, left = self.how.told, whole - done
        if left >= MANY and not self._begun:
            told.warn(
                f"{self.corpus.name}: {left:,} pairs of sentences are being annotated with {self.annotator}, which "
                "takes a while; their edits are kept on this computer"
            )
        self._begun = True
        told.progress(done, whole)

    def _reference_texts(self, references: Sequence[Sequence[Annotation]]) -> Iterator[AnyText]:
        """Yield the edits of each reference, once for each annotator that an output has at most."""
        records_of_outputs = chain.from_iterable(map(_records, self.given.systems.values()))
        most = max((len(outputs_of(record)) for record in records_of_outputs), default=1)
        if most * len(references) > MAX_ANNOTATORS:
            message = f"has {most * len(references)} pairs of annotators; at most {MAX_ANNOTATORS} are supported"
            raise CorpusError([Problem(self.corpus.name, message)])
        # The lines of each reference for a sentence, as an M2 file has them.
        sentences: list[dict[int, list[str]]] = []
        for line, edits in enumerate(zip(*references, strict=True)):
            each = enumerate(zip(self.references, edits, strict=True))
            every = {
                n: [f"{edit}{n}" for edit in reference.edits(line, own)]
                for n, (reference, own) in each
            }
            sentences.append({n: lines for n, lines in every.items() if lines} or {0: [NOOP]})
        for output in range(most):
            for number, text in enumerate(self.texts):
                yield self._kept(text, records_of(sentences, number, output))

    def _kept(self, text: AnyText, records: Iterable[bytes]) -> AnyText:
        """Return records of the edits of a text."""
        opener, name = self.how.opener, f"{text.place}, annotated"
        if opener is None:
            return text_in_memory(name, [record.decode() for record in records])
        return opener.index_records(name, records)

    def _notes(self, references: Sequence[Sequence[Annotation]]) -> Iterator[str]:
        """Yield what of gold is not compared, and which sentences have no edits or no lines of a
        reference.
        """
        if self.given.foreign:
            texts = (
                "the texts that its edits make"
                if self.given.references
                else "the references of the data set"
            )
            keep = "`gold: keep` among the options of the metric (--gold-edits keep) compares its edits as they are"
            yield f"{self.given.foreign}: {texts} are annotated with {self.annotator} in its place; {keep}"
        empty = [number for number, line in enumerate(self.source, 1) if not line.strip()]
        if empty and self.corpus.source:
            first, count = self.corpus.source.number(empty[0]), len(empty)
            lines = f"{count} empty lines of the source, the first is line {first}, have"
            lines = lines if count > 1 else f"the empty line {first} of the source has"
            yield f"{lines} no edits, whatever stands in the other texts: errant annotates no empty sentence"
        for number, edits in enumerate(references if len(references) > 1 else ()):
            rows = enumerate(zip(self.source, edits, strict=True))
            beside = self.references[number].beside
            bare = [
                line
                for line, (text, own) in rows
                if text.strip() and not own and line not in beside
            ]
            if bare:
                text = self.texts[number]
                where = f"{len(bare)} sentences, the first is line {text.number(bare[0] + 1)}"
                yield (
                    f"reference {number + 1} ({text.name}) differs from the source in blanks alone in {where}: errant "
                    "has no line for these, so that this reference does not take part there"
                )


class _Reference(NamedTuple):
    """A text that is annotated as the edits of an annotator."""

    lines: list[str]
    """The text, with the source in place of sentences that it lacks."""
    beside: dict[int, list[str]]
    """Of sentences, from 0, of which a noop says nothing: the lines that stand beside the edits of
    the text.

    These are the sentences that the annotator lacks, and those that were edited already."""

    def edits(self, line: int, found: Annotation) -> Sequence[str]:
        """Return the lines of a sentence, without the number of the annotator, where `found` are
        those of its text.
        """
        if line not in self.beside:
            return found
        every = [*self.beside[line], *(edit for edit in found if edit.split(BAR)[1] != "noop")]
        return sorted(every, key=lambda edit: edit_of(f"{edit}0", "edit", 0)[:2])


DETECTED = ("Um", "UNK")
"""The types of edits that detect an error and do not correct it."""


def _of_gold(source: Sequence[str], gold: AnyText) -> _Reference:
    """Return the text that the edits of an annotator make, with the edits that only detect an error
    beside it.
    """
    # As `errant_m2 -auto` makes it, but of alternatives (a||b) the first is taken, and -NONE-
    # deletes words.
    lines, beside = list[str](), dict[int, list[str]]()
    for number, (sentence, record) in enumerate(zip(source, _records(gold), strict=True)):
        annotation, tokens, longer = annotation_of(record), sentence.split(), 0
        edits = (
            sorted((edit for edit in annotation.edits if not edit.is_noop), key=SPAN)
            if annotation
            else []
        )
        words = list(tokens)
        for edit in edits:
            new = corrected(edit, tokens)
            words[edit.start + longer : edit.end + longer] = new
            longer += len(new) - (edit.end - edit.start)
        if edits or not annotation:
            only = [
                (e, " ".join(first_alternative(e.correction).split()))
                for e in edits
                if e.type in DETECTED
            ]
            beside[number] = [
                f"A {e.start} {e.end}|||UNK|||{text}|||REQUIRED|||-NONE-|||" for e, text in only
            ]
        lines.append(" ".join(words))
    return _Reference(lines, beside)


def corrected(edit: Edit, tokens: list[str]) -> list[str]:
    """Return what an edit puts in the place of tokens: the same ones where it only detects an
    error.
    """
    if edit.type in DETECTED:
        return tokens[edit.start : edit.end]
    words = (
        first_alternative(edit.correction) if edit.type else edit.correction
    )  # without a type it is of words alone
    return words.split()


def _unwritable(text: AnyText, edits: Sequence[Annotation]) -> Problem | None:
    """Return the problem of the first sentence of which an edit cannot be read again: a word has
    bars in it.
    """
    for line, annotation in enumerate(edits, 1):
        if any(edit.count(BAR) != FIELDS - 1 for edit in annotation):
            message = f"a word with '{BAR}' cannot be annotated: an M2 file has this between the fields of an edit"
            return Problem(text.at(line), message)
    return None


def _records(text: AnyText) -> Iterator[bytes]:
    return (record.encode() for record in read_texts(text))


MEMORY = "memory"


def corpus_with_gold(
    gold: object, hypotheses: Any, references: Any, sources: Any, views: Collection[str]
) -> Corpus:
    """Return texts in memory with the annotations of an M2 file, from which those come that are
    None.

    Where the outputs are M2 files too, the corpus is theirs. There may be no outputs. Raises
    InputError for what is no path, and where texts and files do not fit. Raises CorpusError where
    files cannot be read or do not fit together."""
    outputs = hypotheses if isinstance(hypotheses, Mapping) else {ONE: hypotheses}
    if not isinstance(gold, str | PathLike):
        raise InputError(f"gold: expected the path of an M2 file, found {type(gold).__name__}")
    files = [name for name, output in outputs.items() if isinstance(output, str | PathLike)]
    if files and len(files) < len(outputs):
        raise InputError("hypotheses: expected lists of texts, or M2 files, found both")
    for name, given in [("gold", gold), *(("hypotheses", output) for output in outputs.values())]:
        if isinstance(given, str) and "\n" in given:
            raise InputError(
                f"{name}: expected the path of an M2 file, found a text of several lines"
            )
        if (
            isinstance(given, str)
            and "/" not in given
            and ":" not in given
            and not Path(given).exists()
        ):
            raise InputError(f"{name}: expected the path of an M2 file; there is no file '{given}'")
    if EDITS in views and not files:
        example = "such as {'system': 'output.m2'}, or texts with annotator=auto among the options of the metric"
        raise InputError(
            f"hypotheses: metrics that compare the edits of outputs take M2 files, {example}; found texts"
        )
    systems = [
        System(
            name, {MEMORY: Column(kind="m2", path=locate(Path(), fspath(outputs[name])), column="")}
        )
        for name in files
    ]
    problems: list[Problem] = []
    path = locate(Path(), fspath(gold))
    dataset = Dataset(name=MEMORY, source=None, references=(), m2=path, gold=(path,))
    annotated = open_corpus(dataset, systems, problems, views=views)
    if annotated is None:
        raise CorpusError(list(dict.fromkeys(problems)))
    if annotated.systems:
        if references is not None or sources is not None:
            raise InputError(
                "references, sources: beside M2 files they come from gold; leave them out"
            )
        return annotated
    if sources is None and annotated.source is not None:
        sources = read_texts(annotated.source)
    texts = [*map(read_texts, annotated.references)] if references is None else references
    corpus = corpus_in_memory(hypotheses, texts, sources)
    problems = other_source(corpus.source, annotated.source) if annotated.source else []
    if problems:
        raise CorpusError(problems)
    views = {
        name: replace(
            corpus,
            references=view.references if references is None or not view.foreign else (),
            systems=corpus.systems if name == GOLD else {},
            foreign=view.foreign,
            missing=False,
            kept=(),
            notes=(),
        )
        for name, view in annotated.views.items()
    }
    return replace(corpus, notes=(*corpus.notes, *annotated.notes), views=views)
