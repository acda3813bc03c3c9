"""An M2 file as gold beside texts in memory, or beside the M2 files of outputs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from pipeline.data import Corpus, open_corpus
from pipeline.data.config import Column, Dataset, System
from pipeline.errors import CorpusError, InputError, Problem
from pipeline.files import WrittenPath

from .edit_views import other_source
from .view_names import EDITS, GOLD

MEMORY = "memory"
"""The name of a data set in memory."""


def corpus_with_gold(
    gold: object,
    hypotheses: Any,
    references: Any,
    sources: Any,
    views: Collection[str],
) -> Corpus:
    """Return texts in memory with the edits of an M2 file, as a data set.

    `gold` is the path of the M2 file. `hypotheses` are the texts of an output, or of several by the
    name of their system, or the paths of M2 files with the edits of outputs; then the data set is
    that of the files. `references` and `sources` are texts, or None: then they are made of the M2
    file. `views` are what the metrics read. Raises InputError for what is no path, and if texts and
    files do not fit. Raises CorpusError if files cannot be read or do not fit together.
    """
    # check the paths
    is_mapping = isinstance(hypotheses, Mapping)
    outputs = hypotheses if is_mapping else {Corpus.SINGLE_SYSTEM: hypotheses}
    if not isinstance(gold, str | PathLike):
        raise InputError(
            f"gold: expected the path of an M2 file, found {type(gold).__name__}"
        )
    files = [
        name
        for name, output in outputs.items()
        if isinstance(output, str | PathLike)
    ]
    if files and len(files) < len(outputs):
        raise InputError(
            "hypotheses: expected lists of texts, or M2 files, found both"
        )
    _check_path("gold", gold)
    for name in files:
        _check_path("hypotheses", outputs[name])
    if EDITS in views and not files:
        raise InputError(
            "hypotheses: metrics that compare the edits of outputs take M2 files, such as "
            "{'system': 'output.m2'}, or texts with annotator=auto among the options of the "
            "metric; found texts"
        )

    # open the files
    systems = []
    for name in files:
        path = WrittenPath(fspath(outputs[name])).located()
        column = Column(kind="m2", path=path, column="")
        systems.append(System(name, {MEMORY: column}))
    problems: list[Problem] = []
    gold_path = WrittenPath(fspath(gold)).located()
    dataset = Dataset(
        name=MEMORY, source=None, references=(), m2=gold_path, gold=(gold_path,)
    )
    annotated = open_corpus(dataset, systems, problems, views=views)
    if annotated is None:
        raise CorpusError(list(dict.fromkeys(problems)))
    if annotated.systems:
        if references is not None or sources is not None:
            message = "references, sources: beside M2 files they come from gold; leave them out"
            raise InputError(message)
        return annotated

    # put the texts beside gold
    if sources is None and annotated.source is not None:
        sources = annotated.source.read()
    reference_texts = references
    if references is None:
        reference_texts = [text.read() for text in annotated.references]
    corpus = Corpus.in_memory(hypotheses, reference_texts, sources)
    if annotated.source:
        problems = other_source(corpus.source, annotated.source)
    if problems:
        raise CorpusError(problems)
    views_of_texts = {}
    for name, view in annotated.views.items():
        # a foreign view compares with the references, which are the caller's if there are any
        uses_gold = references is None or not view.foreign
        views_of_texts[name] = replace(
            corpus,
            references=view.references if uses_gold else (),
            systems=corpus.systems if name == GOLD else {},
            foreign=view.foreign,
            missing=False,
            empty_references=(),
            notes=(),
        )
    return replace(
        corpus, notes=(*corpus.notes, *annotated.notes), views=views_of_texts
    )


def _check_path(name: str, path: object) -> None:
    """Raise InputError for a text in place of the path of an M2 file."""
    if not isinstance(path, str):
        return
    if "\n" in path:
        message = (
            "expected the path of an M2 file, found a text of several lines"
        )
        raise InputError(f"{name}: {message}")
    if "/" not in path and ":" not in path and not Path(path).exists():
        raise InputError(
            f"{name}: expected the path of an M2 file; there is no file '{path}'"
        )
