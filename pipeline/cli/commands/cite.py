"""Print what to cite for a run: data sets, metrics with signatures, samples and tests, and BibTeX.

The output is a BibTeX file: comments list what was used, with the keys of the entries. A data set
is recognised by its content. A message names what has no BibTeX entry. If you name a metric instead
of a run, the BibTeX of the metric is printed.

examples:
  gec-pipeline cite runs/quickstart
  gec-pipeline cite runs/conll14 > evaluation.bib
  gec-pipeline cite "bleu[smoothing=floor]"
"""

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ...data.catalogue import citations
from ...errors import InputError, did_you_mean, printable
from ...execution.store.run_directory import folder_of
from ...metrics import METRICS, from_text
from ...metrics.base import Declared, Metric
from ...metrics.base.capabilities import declared_of
from ...metrics.base.declared import key_of
from ...report.tables.comparisons import baseline_of, level_name
from ...report.tables.ranked import groups
from ...scoring.results import Results
from ...scoring.significance_tests import NO_TEST, SIGNIFICANCE_TESTS, with_samples


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        metavar="RUN|METRIC",
        help="a run directory, or a metric: its name or signature",
    )


def run(args: argparse.Namespace) -> None:
    """Print what was used, and the BibTeX."""
    if not Path(args.what).is_dir():
        metric = of_metric(args.what)
        if not metric.citations:
            print(
                printable(
                    f"no entry for {metric.output}: cite where its numbers come from"
                ),
                file=sys.stderr,
            )
        sys.stdout.write(bibtex(metric.citations, _own_entries(declared_of([metric]))))
        return
    results = Results.read(folder_of(args.what) / "results.json")
    keys: list[str] = []
    for use in cited(results):
        if use.keys:
            keys += use.keys
            print(printable(f"% {use.text} [{', '.join(use.keys)}]"))
        else:
            print(
                printable(f"no entry for {use.text}: cite where it is from"),
                file=sys.stderr,
            )
    entries = _own_entries(results.declared)
    test = SIGNIFICANCE_TESTS.get((results.statistics or {}).get("test", NO_TEST))
    if test:
        entries += [citation for citation in test.citations if citation.startswith("@")]
    sys.stdout.write("\n" + bibtex(keys, entries))


def _own_entries(metrics: Mapping[str, Declared]) -> list[str]:
    """Return the BibTeX entries that metrics of users declare."""
    entries: list[str] = []
    for declared in metrics.values():
        entries += declared.cite
    return entries


CITED = yaml.safe_load(
    Path(__file__).with_name("cited.yaml").read_text(encoding="utf-8")
)
"""The keys that `methods`, and data sets and judgements (`texts`) cite; see `cited.yaml`."""


class Use(NamedTuple):
    """Something that a run used."""

    text: str
    """A line of text, such as a metric with its signature."""
    keys: Sequence[str]
    """The keys to cite; empty if none is known."""


def keys_of_texts(digests: Iterable[str]) -> list[str]:
    """Return the keys of a data set, or of judgements, by the digests of the texts."""
    keys: dict[str, None] = {}
    for digest in digests:
        keys |= dict.fromkeys(CITED["texts"].get(digest, ()))
    return list(keys)


def bibtex(keys: Sequence[str], more_entries: Iterable[str] = ()) -> str:
    """Return the entries of these keys, each once, from citations.bib or `more_entries`.

    Raises InputError for a key that has no entry.
    """
    entries = {key_of(entry): f"{entry.strip()}\n" for entry in more_entries}
    entries |= citations()
    for key in keys:
        if key not in entries:
            raise InputError(
                f"citations.bib has no entry '{key}'{did_you_mean(key, entries)}"
            )
    return "\n".join(entries[key] for key in dict.fromkeys(keys))


def cited(results: Results) -> list[Use]:
    """Return what a run used: data sets, metrics, samples and tests, and human rankings."""
    uses: list[Use] = []
    for name, info in results.datasets.items():
        uses.append(Use(f"data set {name}", keys_of_texts(info.digests.values())))
    peer_signatures = {score.metric: score.peer_signature for score in results.scores}
    for signature, peer_signature in peer_signatures.items():
        metric = results.metric(signature)
        text = f"{metric.name_in_text}: {signature}"
        if peer_signature:
            peer = peer_signature
            if results.statistics:
                peer = with_samples(peer, results.statistics)
            text += f" (sacreBLEU's: {peer})"
        uses.append(Use(text, metric.citations))

    statistics = results.statistics
    methods = dict(CITED["methods"])
    if statistics and statistics["test"] in SIGNIFICANCE_TESTS:
        test = SIGNIFICANCE_TESTS[statistics["test"]]
        methods[statistics["test"]] = list(map(citation_key, test.citations))

    def add_methods(part: str, names: Iterable[str]) -> None:
        """Add the methods among names that a part of the results has."""
        for name in names:
            if name in methods:
                uses.append(Use(f"{part}: {name.replace('_', ' ')}", methods[name]))

    if statistics:
        samples = f"{statistics['resamples']:,} samples, seed {statistics['seed']}"
        add_methods(
            f"statistics ({level_name(results)}, {samples})", ("bootstrap", "ranks")
        )
    if statistics and results.tests:
        names = [statistics["test"], statistics["correction"]]
        if baseline_of(results) is None and any(
            len(g.scores) > 2 for g in groups(results)
        ):
            names.append("letters")
        add_methods(tests_heading(statistics), names)
    human = results.human or {}
    correlations = human.get("correlations", ())
    add_methods("human", dict.fromkeys(item["human"] for item in correlations))
    add_methods(
        "human",
        [part for part in ("correlations", "tests", "windows") if human.get(part)],
    )
    for name, summary in (results.judgments or {}).items():
        add_methods(f"judgments {name}", [key for key in summary if summary[key]])
    if correlations:
        uses.append(Use("the human scores", keys_of_texts([human["digest"]])))
    return uses


def tests_heading(statistics: Mapping[str, Any]) -> str:
    """Return "tests", with the number of random samples and the seed if the test draws samples."""
    test = SIGNIFICANCE_TESTS.get(statistics["test"])
    samples = test.printed_samples(statistics) if test else ""
    return f"tests ({samples})" if samples else "tests"


def citation_key(citation: str) -> str:
    """Return the key of a citation: a key of citations.bib, or a BibTeX entry."""
    return key_of(citation) if citation.startswith("@") else citation


def of_metric(text: str) -> Metric:
    """Return the metric of a name or signature; raises InputError if `text` is no metric."""
    if text in METRICS:
        return METRICS[text]()  # also if an option has no default, such as a model
    try:
        return from_text(text)
    except InputError as error:
        raise InputError(
            f"cite {text}: neither a run directory nor a metric: {error.problems[0].message}"
        ) from None
