"""Print what to cite for a run: its data sets, metrics with their signatures, samples and tests, and their BibTeX.

What was used stands in comments, each with the keys of its entries, so that all of it is a BibTeX file. A data set is
recognised by its content. A message says what has no BibTeX entry. If you name a metric instead of
a run, the BibTeX of the metric is printed.

examples:
  gec-pipeline cite runs/quickstart
  gec-pipeline cite runs/conll14 > evaluation.bib
  gec-pipeline cite "bleu[smoothing=floor]"
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from ...errors import InputError, did_you_mean, printable
from ...execution.store.run_directory import folder_of
from ...io.catalogue import citations
from ...metrics import METRICS
from ...metrics.base.capabilities import declared_of
from ...metrics.base.declared import key_of
from ...metrics.base.metric import Metric
from ...metrics.base.options import with_samples
from ...metrics.build import from_text
from ...report.tables.comparisons import baseline_of, level_name
from ...report.tables.ranked import groups
from ...scoring.results import Results


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="RUN|METRIC", help="a run directory, or a metric: its name or signature")


def run(args: argparse.Namespace) -> None:
    """Print what was used, and the BibTeX."""
    if not Path(args.what).is_dir():
        metric = of_metric(args.what)
        if not metric.citations:
            print(printable(f"no entry for {metric.output}: cite where its numbers come from"), file=sys.stderr)
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
    sys.stdout.write("\n" + bibtex([key for _, keys in things for key in keys], entries))


METHODS = {
    "bootstrap": ("koehn-2004-statistical",),
    "ranks": ("bojar-etal-2013-findings",),
    "approximate_randomization": ("riezler-maxwell-2005-pitfalls",),
    "paired_bootstrap": ("koehn-2004-statistical",),
    "sign": ("dixon-mood-1946-statistical",),
    "holm": ("holm-1979-simple",),
    "bonferroni": ("dunn-1961-multiple",),
    "letters": ("piepho-2004-algorithm",),
    "expected_wins": ("bojar-etal-2013-findings", "koehn-2012-simulating"),
    "trueskill": ("herbrich-etal-2006-trueskill", "sakaguchi-etal-2014-efficient"),
    "correlations": ("deutsch-etal-2023-ties",),
    "tests": ("williams-1959-regression", "graham-baldwin-2014-testing"),
    "windows": ("kobayashi-etal-2024-revisiting",),
}
"""What methods cite, by the names that settings and parts of results.json have."""
DIGESTS = {
    "blake3:c690ab620132f78cd44345d17b282c2e": ("ng-etal-2014-conll",),  # sources, then as earlier versions had them
    "blake3:a59e4eebf3bf26d364661748bc1c943e": ("ng-etal-2014-conll",),
    "blake3:33ef11a8e2443ff183bd34596628ebbd": ("napoles-etal-2017-jfleg",),
    "blake3:e1e217b525cdcfe9a23c9fd0532844d2": ("kobayashi-etal-2024-revisiting", "ng-etal-2014-conll"),
    "96ce02eaed3f96e27487ccbd0ca24583": ("ng-etal-2014-conll",),  # source, and its twin without blanks at line ends
    "3a8d236d682cf99deef2e245e08ff2da": ("ng-etal-2014-conll",),
    "58df43ab51437d935ec779d6ee6c1293": ("napoles-etal-2017-jfleg",),
    "780bac619555cbbf2702b89ba00fadcd": ("kobayashi-etal-2024-revisiting", "ng-etal-2014-conll"),
    "cb1f7e090b4ad1ee77cabf86a4db53c7": ("napoles-etal-2015-ground",),
    "c931115d3ad9ada8b8033fc38a2e3dc0": ("napoles-etal-2015-ground",),
    "ad37bbd6d49262281b551ead28d5ecbf": ("grundkiewicz-etal-2015-human",),
    "4f4053508cceca677a5bda3fe2d66fe6": ("kobayashi-etal-2024-revisiting",),
    "bd3e43347192c368827550d796c29aec": ("kobayashi-etal-2024-revisiting",),
}
"""What data sets and judgements cite, by the digests in results.json of their sources and files."""


def keys_of_texts(digests: Iterable[str]) -> list[str]:
    """Return what a data set, or judgements, cite, by the digests of the texts."""
    return list(dict.fromkeys(key for digest in digests for key in DIGESTS.get(digest, ())))


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

    Each is a line of text, such as a metric with its signature, and the keys to cite, none where nothing is known.
    """
    things: list[tuple[str, Sequence[str]]] = [
        (f"data set {name}", keys_of_texts(info.digests.values())) for name, info in results.datasets.items()
    ]
    for printed, theirs in {score.metric: score.peer_signature for score in results.scores}.items():
        metric = results.metric(printed)
        peer = with_samples(theirs, results.statistics) if theirs and results.statistics else theirs
        told = f"{metric.name_in_text}: {printed}" + (f" (sacreBLEU's: {peer})" if peer else "")
        things.append((told, metric.citations))
    methods: list[tuple[str, Iterable[str]]] = []  # where methods were used, with names of these or others
    statistics, human = results.statistics, results.human or {}
    if statistics:
        drawn = f"{statistics['resamples']:,} samples, seed {statistics['seed']}"
        methods.append((f"statistics ({level_name(results)}, {drawn})", ("bootstrap", "ranks")))
    if statistics and results.tests:
        lettered = baseline_of(results) is None and any(len(group.scores) > 2 for group in groups(results))
        used = (statistics["test"], statistics["correction"], *(["letters"] if lettered else []))
        methods.append((f"tests ({statistics['trials']:,} trials, seed {statistics['seed']})", used))
    titles = dict.fromkeys(item["human"] for item in human.get("correlations", ()))
    methods.append(("human", [*titles, *(part for part in ("correlations", "tests", "windows") if human.get(part))]))
    for name, summary in (results.judgments or {}).items():
        methods.append((f"judgments {name}", [key for key in summary if summary[key]]))
    for where, names in methods:
        things += [(f"{where}: {name.replace('_', ' ')}", METHODS[name]) for name in names if name in METHODS]
    if results.human and results.human.get("correlations"):
        things.append(("the human scores", keys_of_texts([results.human["digest"]])))
    return things


def of_metric(text: str) -> Metric:
    """Return the metric of a name or signature; raises InputError if `text` is neither a metric nor a run."""
    if text in METRICS:
        return METRICS[text]()  # also where an option has no default, such as a model
    try:
        return from_text(text)
    except InputError as error:
        raise InputError(f"cite {text}: neither a run directory nor a metric: {error.problems[0].message}") from None
