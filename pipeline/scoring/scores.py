"""Counts to scores: every metric on every data set, ranked, signed, and with what there is to say of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .reduce import reduce
from .references import POLICIES
from .references.base import mean_of
from .results import REFERENCES_ROW, DatasetInfo, Score, ranks
from .scored_columns import signed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..corpus.corpus import Corpus
    from ..execution.count import Counted
    from ..metrics.base.metric import Metric


def score(
    corpora: Sequence[Corpus], chosen: Sequence[Metric], statistics: Mapping[str, Counted], threads: int = 1
) -> list[Score]:
    """Reduce statistics to the scores of every data set, metric and system, ranked."""
    scores = []
    for corpus in corpora:
        least, most = corpus.present()
        for metric in chosen:
            references = len(corpus.references)
            rows = POLICIES[metric.policy].rows(references)
            names = [name for name in corpus.systems if name in rows or name not in corpus.references_as_systems]
            columns = [statistics[corpus.name][name, metric.needs] for name in names]
            own = [rows.get(name) for name in names]
            reduced = reduce(metric, columns, corpus.lines, references, threads, own)
            if rows and rows.keys() <= set(names):  # none is lost
                names.append(REFERENCES_ROW)
                humans = [item for item, number in zip(reduced, own, strict=True) if number is not None]
                reduced.append(mean_of(humans))
            printed, peer = signed(metric, references), metric.peer_signature(most, missing=least < most)
            places = ranks([item.score for item in reduced])
            for name, item, place in zip(names, reduced, places, strict=True):
                notes = tuple(metric.notes(item.outputs))
                found = Score(
                    dataset=corpus.name,
                    system=name,
                    metric=printed,
                    score=item.score,
                    outputs=item.outputs,
                    samples=item.samples,
                    rank=place,
                    notes=notes,
                    peer_signature=peer,
                )
                scores.append(found)
    return scores


def remarks(corpora: Sequence[Corpus], chosen: Sequence[Metric], statistics: Mapping[str, Counted]) -> list[str]:
    """Return what the metrics have to say of their counts, each with the place it is about."""
    found: dict[str, None] = {}
    for corpus in corpora:
        for metric in chosen:
            counted = {name: statistics[corpus.name][name, metric.needs].blocks() for name in corpus.systems}
            for note in metric.remarks(counted):
                place = ""  # names, no paths: results do not tell where files were
                if note.reference is not None:
                    text = corpus.references[note.reference]
                    place = f"reference {note.reference} ({text.name}), line {text.number(note.line)} "
                elif note.system is not None:
                    place = f"system {note.system}, line {corpus.systems[note.system].number(note.line)} "
                found[f"{corpus.name}: {place}{note.message}"] = None
    return list(found)


def describe(corpus: Corpus) -> DatasetInfo:
    """Return what results.json tells of a data set."""
    digests = {"source": corpus.source.digest} if corpus.source else {}
    digests |= {f"reference {number}": file.digest for number, file in enumerate(corpus.references)}
    digests |= {f"system {name}": file.digest for name, file in corpus.systems.items()}
    for key, files in corpus.external.items():
        digests |= {f"{key} {name}": file.digest for name, file in files.systems.items()}
    return DatasetInfo(corpus.lines, len(corpus.references), digests)
