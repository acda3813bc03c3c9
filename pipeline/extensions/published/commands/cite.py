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
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

from pipeline.errors import InputError, did_you_mean
from pipeline.execution import folder_of
from pipeline.metrics import METRICS, Declared, from_text
from pipeline.metrics.base import Metric
from pipeline.report.tables import groups, shown_level
from pipeline.report.terminal import print_line
from pipeline.scoring import SIGNIFICANCE_TESTS, Results

HERE = Path(__file__).parent
CITED = yaml.safe_load((HERE / "cited.yaml").read_text(encoding="utf-8"))
"""The keys that `methods`, and data sets and judgements (`texts`) cite; see `cited.yaml`."""
ENTRY = re.compile(r"^@[a-z]+\{([^,\s]+),\n.*?^\}\n", re.MULTILINE | re.DOTALL)
"""A BibTeX entry and its key."""


class Use(NamedTuple):
    """Something that a run used."""

    text: str
    """A line of text, such as a metric with its signature."""
    keys: Sequence[str]
    """The keys to cite; empty if none is known."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        metavar="RUN|METRIC",
        help="a run directory, or a metric: its name or signature",
    )


def run(args: argparse.Namespace) -> None:
    """Print what a run used and its BibTeX, or the BibTeX of a metric."""
    if not Path(args.what).is_dir():
        metric = of_metric(args.what)
        if not metric.citations:
            _print_missing(metric.output, "cite where its numbers come from")
        declared = {metric.name: metric.declared} if metric.declared else {}
        entries = entries_of(declared)
        sys.stdout.write(bibtex(metric.citations, entries))
        return
    results = Results.read(folder_of(args.what) / "results.json")
    keys: list[str] = []
    for use in cited(results):
        if use.keys:
            keys += use.keys
            print_line(f"% {use.text} [{', '.join(use.keys)}]")
        else:
            _print_missing(use.text, "cite where it is from")
    entries = entries_of(results.declared)
    test = SIGNIFICANCE_TESTS.of(results)
    if test:
        # A test of an extension may bring an entry instead of a key.
        entries += [
            citation for citation in test.citations if citation.startswith("@")
        ]
    sys.stdout.write("\n" + bibtex(keys, entries))


def entries_of(declared: Mapping[str, Declared]) -> list[str]:
    """Return the BibTeX entries that metrics of users declare."""
    entries: list[str] = []
    for metric in declared.values():
        entries += metric.cite
    return entries


def _print_missing(text: str, advice: str) -> None:
    print_line(f"no entry for {text}: {advice}", sys.stderr)


def citations() -> dict[str, str]:
    """Return the BibTeX entries of citations.bib by their keys."""
    text = (HERE.parent / "citations.bib").read_text(encoding="utf-8")
    return {entry[1]: entry[0] for entry in ENTRY.finditer(text)}


def bibtex(keys: Sequence[str], more_entries: Iterable[str] = ()) -> str:
    """Return the BibTeX entries of these keys, each once, from citations.bib or else from
    `more_entries`. Raises InputError for a key that has no entry.
    """
    entries = {
        Declared.citation_key(entry): f"{entry.strip()}\n"
        for entry in more_entries
    }
    entries |= citations()
    for key in keys:
        if key not in entries:
            raise InputError(
                f"citations.bib has no entry '{key}'{did_you_mean(key, entries)}"
            )
    return "\n".join(entries[key] for key in dict.fromkeys(keys))


def keys_of_texts(digests: Iterable[str]) -> list[str]:
    """Return the keys of a data set, or of judgements, by the digests of the texts."""
    keys: dict[str, None] = {}
    for digest in digests:
        keys |= dict.fromkeys(CITED["texts"].get(digest, ()))
    return list(keys)


def cited(results: Results) -> list[Use]:
    """Return what a run used, in this order: data sets, metrics, intervals, tests, and human
    judgements, with the keys to cite. Methods without a key are left out.
    """
    uses: list[Use] = []
    for name, info in results.datasets.items():
        keys = keys_of_texts(info.digests.values())
        uses.append(Use(f"data set {name}", keys))
    uses += _metrics(results)
    statistics = results.statistics
    keys_of_methods = dict(CITED["methods"])

    def add_methods(section: str, names: Iterable[str]) -> None:
        """Add the methods of these names that have keys, used in a section of the results."""
        for name in names:
            if name in keys_of_methods:
                text = f"{section}: {name.replace('_', ' ')}"
                uses.append(Use(text, keys_of_methods[name]))

    if statistics:
        samples = (
            f"{statistics['resamples']:,} samples, seed {statistics['seed']}"
        )
        level = shown_level(results.level)
        add_methods(f"statistics ({level}, {samples})", ("bootstrap", "ranks"))
    if statistics and results.tests:
        section = "tests"
        names = [statistics["test"], statistics["correction"]]
        test = SIGNIFICANCE_TESTS.of(results)
        if test:
            keys_of_methods[statistics["test"]] = list(
                map(_citation_key, test.citations)
            )
            samples = test.printed_samples(statistics)
            if samples:
                section = f"tests ({samples})"
        # Tables with more than two systems, all compared with each other, have
        # letters for systems that do not differ.
        has_letters = any(len(group.scores) > 2 for group in groups(results))
        if results.baseline is None and has_letters:
            names.append("letters")
        add_methods(section, names)
    human = results.human or {}
    correlations = human.get("correlations", ())
    add_methods("human", dict.fromkeys(item["human"] for item in correlations))
    human_parts = ("correlations", "tests", "windows")
    add_methods("human", [part for part in human_parts if human.get(part)])
    for name, summary in (results.judgments or {}).items():
        computed = [key for key in summary if summary[key]]
        add_methods(f"judgments {name}", computed)
    if correlations:
        uses.append(Use("the human scores", keys_of_texts([human["digest"]])))
    return uses


def _metrics(results: Results) -> list[Use]:
    """Return the metrics of a run with their signatures, and sacreBLEU's signature if that has the
    metric.
    """
    uses = []
    peer_signatures = {
        score.metric: score.peer_signature for score in results.scores
    }
    for signature, peer in peer_signatures.items():
        metric = results.metric(signature)
        text = f"{metric.name_in_text}: {signature}"
        if peer and results.statistics:
            printed = SIGNIFICANCE_TESTS.signature(peer, results.statistics)
            text += f" (sacreBLEU's: {printed})"
        elif peer:
            text += f" (sacreBLEU's: {peer})"
        uses.append(Use(text, metric.citations))
    return uses


def _citation_key(citation: str) -> str:
    """Return the key of a citation: a key of citations.bib, or a BibTeX entry."""
    return (
        Declared.citation_key(citation)
        if citation.startswith("@")
        else citation
    )


def of_metric(text: str) -> Metric:
    """Return the metric of a name or signature; raises InputError if `text` is no metric."""
    if text in METRICS:
        # also if an option has no default, such as a model
        return METRICS[text]()
    try:
        return from_text(text)
    except InputError as error:
        raise InputError(
            f"cite {text}: neither a run directory nor a metric: {error.problems[0].message}"
        ) from None
