"""Print what to cite for a run: its data sets, metrics with their signatures, samples and tests,
and their BibTeX.

What was used stands in comments, each with the keys of its entries, so that all of it is a BibTeX
file. A data set is recognised by its content. A message says what has no BibTeX entry. If you name
a metric instead of a run, the BibTeX of the metric is printed.

examples:
  gec-pipeline cite runs/quickstart
  gec-pipeline cite runs/conll14 > evaluation.bib
  gec-pipeline cite "bleu[smoothing=floor]"
"""

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from ...data.catalogue import citations
from ...errors import InputError, did_you_mean, printable
from ...execution.store.run_directory import folder_of
from ...metrics import METRICS
from ...metrics.base.capabilities import declared_of
from ...metrics.base.declared import key_of
from ...metrics.base.metric import Metric
from ...metrics.build import from_text
from ...report.tables.comparisons import baseline_of, level_name
from ...report.tables.ranked import groups
from ...scoring.results import Results
from ...scoring.significance_tests import NO_TEST, SIGNIFICANCE_TESTS, with_samples


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what", metavar="RUN|METRIC", help="a run directory, or a metric: its name or signature"
    )


def run(args: argparse.Namespace) -> None:
    """Print what was used, and the BibTeX."""
    if not Path(args.what).is_dir():
        metric = of_metric(args.what)
        if not metric.citations:
            print(
                printable(f"no entry for {metric.output}: cite where its numbers come from"),
                file=sys.stderr,
            )
        own = declared_of([metric]).values()
        sys.stdout.write(bibtex(metric.citations, [entry for each in own for entry in each.cite]))
        return
    results = Results.read(folder_of(args.what) / "results.json")
    things = cited(results)
    for what, keys in things:
        if keys:
            print(printable(f"% {what} [{', '.join(keys)}]"))
        else:
            print(printable(f"no entry for {what}: cite where it is from"), file=sys.stderr)
    entries = [entry for each in results.declared.values() for entry in each.cite]
    test = SIGNIFICANCE_TESTS.get((results.statistics or {}).get("test", NO_TEST))
    if test:
        entries += [citation for citation in test.citations if citation.startswith("@")]
    sys.stdout.write("\n" + bibtex([key for _, keys in things for key in keys], entries))


CITED = yaml.safe_load(Path(__file__).with_name("cited.yaml").read_text(encoding="utf-8"))
"""The keys of what `methods` cite, and data sets and judgements (`texts`), as `cited.yaml` says."""


def keys_of_texts(digests: Iterable[str]) -> list[str]:
    """Return what a data set, or judgements, cite, by the digests of the texts."""
    return list(dict.fromkeys(key for digest in digests for key in CITED["texts"].get(digest, ())))


def bibtex(keys: Sequence[str], own: Iterable[str] = ()) -> str:
    """Return the entries of these keys, each once; `own` has entries of metrics of users.

    Raises InputError for a key that has no entry.
    """
    entries = {**{key_of(entry): f"{entry.strip()}\n" for entry in own}, **citations()}
    for key in keys:
        if key not in entries:
            raise InputError(f"citations.bib has no entry '{key}'{did_you_mean(key, entries)}")
    return "\n".join(entries[key] for key in dict.fromkeys(keys))


def cited(results: Results) -> list[tuple[str, Sequence[str]]]:
    """Return what a run used: data sets, metrics, samples and tests, and how people rank systems.

    Each is a line of text, such as a metric with its signature, and the keys to cite, none where
    nothing is known."""
    things: list[tuple[str, Sequence[str]]] = [
        (f"data set {name}", keys_of_texts(info.digests.values()))
        for name, info in results.datasets.items()
    ]
    for printed, theirs in {score.metric: score.peer_signature for score in results.scores}.items():
        metric = results.metric(printed)
        peer = with_samples(theirs, results.statistics) if theirs and results.statistics else theirs
        told = f"{metric.name_in_text}: {printed}" + (f" (sacreBLEU's: {peer})" if peer else "")
        things.append((told, metric.citations))
    methods: list[
        tuple[str, Iterable[str]]
    ] = []  # where methods were used, with names of these or others
    statistics, human = results.statistics, results.human or {}
    if statistics:
        drawn = f"{statistics['resamples']:,} samples, seed {statistics['seed']}"
        methods.append((f"statistics ({level_name(results)}, {drawn})", ("bootstrap", "ranks")))
    if statistics and results.tests:
        lettered = baseline_of(results) is None and any(
            len(group.scores) > 2 for group in groups(results)
        )
        used = (statistics["test"], statistics["correction"], *(["letters"] if lettered else []))
        methods.append((tests_heading(statistics), used))
    titles = dict.fromkeys(item["human"] for item in human.get("correlations", ()))
    methods.append(
        (
            "human",
            [*titles, *(part for part in ("correlations", "tests", "windows") if human.get(part))],
        )
    )
    for name, summary in (results.judgments or {}).items():
        methods.append((f"judgments {name}", [key for key in summary if summary[key]]))
    cited = dict(CITED["methods"])
    if statistics and statistics["test"] in SIGNIFICANCE_TESTS:
        citations_of_test = SIGNIFICANCE_TESTS[statistics["test"]].citations
        cited[statistics["test"]] = list(map(citation_key, citations_of_test))
    for where, names in methods:
        things += [
            (f"{where}: {name.replace('_', ' ')}", cited[name]) for name in names if name in cited
        ]
    if results.human and results.human.get("correlations"):
        things.append(("the human scores", keys_of_texts([results.human["digest"]])))
    return things


def tests_heading(statistics: Mapping[str, Any]) -> str:
    """Return "tests", with the number of random samples and the seed if the test draws samples."""
    test = SIGNIFICANCE_TESTS.get(statistics["test"])
    samples = test.printed_samples(statistics) if test else ""
    return f"tests ({samples})" if samples else "tests"


def citation_key(citation: str) -> str:
    """Return the key of a citation: a key of citations.bib, or a BibTeX entry."""
    return key_of(citation) if citation.startswith("@") else citation


def of_metric(text: str) -> Metric:
    """Return the metric of a name or signature; raises InputError if `text` is neither a metric nor
    a run.
    """
    if text in METRICS:
        return METRICS[text]()  # also where an option has no default, such as a model
    try:
        return from_text(text)
    except InputError as error:
        raise InputError(
            f"cite {text}: neither a run directory nor a metric: {error.problems[0].message}"
        ) from None
