"""An M2 file as gold beside texts that are in memory, or beside the M2 files of outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...config.resolved import Column, Dataset, System
from ...errors import CorpusError, InputError
from ...io.remote import locate
from ...metrics.base.views import EDITS, GOLD
from ..in_memory import ONE, corpus_in_memory
from ..opener import open_corpus, other_source
from ..texts import read_texts

if TYPE_CHECKING:
    from collections.abc import Collection

    from ...errors import Problem
    from ..corpus import Corpus
    from ..texts import AnyText

MEMORY = "memory"


def corpus_with_gold(
    gold: object,
    hypotheses: Any,
    references: Any,
    sources: Any,
    views: Collection[str],
    *,
    systems_later: bool = False,
) -> Corpus:
    """Return texts in memory with the annotations of an M2 file, from which those come that are None.

    Where the outputs are M2 files too, the corpus is theirs. With `systems_later` there may be no outputs. Raises
    InputError where texts and files do not fit.
    """
    outputs = hypotheses if isinstance(hypotheses, Mapping) else {ONE: hypotheses}
    annotated = _open_gold(gold, outputs, views)
    if annotated.systems:
        if references is not None or sources is not None:
            raise InputError("references, sources: beside M2 files they come from gold; leave them out")
        return annotated
    if sources is None and annotated.source is not None:
        sources = _all_texts(annotated.source)
    references = [*map(_all_texts, annotated.references)] if references is None else references
    return _beside(corpus_in_memory(hypotheses, references, sources, systems_later=systems_later), annotated)


def _all_texts(text: AnyText) -> list[str]:
    return read_texts(text, 0, text.lines)


def _open_gold(gold: object, outputs: Mapping[str, Any], views: Collection[str]) -> Corpus:
    """Open an M2 file as source, references and edits of a data set; `outputs` that are paths become its systems.

    Raises InputError for what is no path, and where texts and paths stand side by side. Raises CorpusError where the
    files cannot be read or do not fit together.
    """
    if not isinstance(gold, str | PathLike):
        raise InputError(f"gold: expected the path of an M2 file, found {type(gold).__name__}")
    files = [name for name, output in outputs.items() if isinstance(output, str | PathLike)]
    if files and len(files) < len(outputs):
        raise InputError("hypotheses: expected lists of texts, or M2 files, found both")
    for name, given in [("gold", gold), *(("hypotheses", output) for output in outputs.values())]:
        if isinstance(given, str) and "\n" in given:
            raise InputError(f"{name}: expected the path of an M2 file, found a text of several lines")
        if isinstance(given, str) and "/" not in given and ":" not in given and not Path(given).exists():
            raise InputError(f"{name}: expected the path of an M2 file; there is no file '{given}'")
    if EDITS in views and not files:
        example = "such as {'system': 'output.m2'}, or texts with annotator=auto among the options of the metric"
        raise InputError(f"hypotheses: metrics that compare the edits of outputs take M2 files, {example}; found texts")
    systems = [
        System(name, {MEMORY: Column(kind="m2", path=locate(Path(), fspath(outputs[name])), column="")})
        for name in files
    ]
    problems: list[Problem] = []
    path = locate(Path(), fspath(gold))
    dataset = Dataset(name=MEMORY, source=None, references=(), m2=path, gold=(path,))
    corpus = open_corpus(dataset, systems, problems, views=views)
    if corpus is None:
        raise CorpusError(list(dict.fromkeys(problems)))
    return corpus


def _beside(corpus: Corpus, gold: Corpus) -> Corpus:
    """Return texts in memory with the edits of a data set; raises CorpusError where the source is not the same."""
    problems = other_source(corpus.source, gold.source) if gold.source else []
    if problems:
        raise CorpusError(problems)
    noted = replace(corpus, notes=(*corpus.notes, *gold.notes))
    views = {
        name: replace(
            corpus,
            references=view.references,
            systems=corpus.systems if name == GOLD else {},
            missing=False,
            kept=(),
            notes=(),
        )
        for name, view in gold.views.items()
    }
    return replace(noted, views=views)
