"""What a run should cite: BibTeX of its metrics, data sets and tests, and a paragraph that says how it was evaluated.

All entries are in `io/citations.bib`. To add one, write it there, and its key into a table of this file or into the
`citations` of a metric.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError, did_you_mean
from ..io.catalogue import citations
from ..metrics.base.declared import key_of
from ..metrics.base.options import with_samples
from ..metrics.build import from_text
from .latex import code, escape
from .tables.comparisons import baseline_of, level_name
from .tables.ranked import groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..metrics.base.metric import Metric
    from ..scoring.results import Results


TESTS = {
    "approximate_randomization": ("approximate randomisation", ("riezler-maxwell-2005-pitfalls",)),
    "paired_bootstrap": ("paired bootstrap", ("koehn-2004-statistical",)),
    "sign": ("the sign test", ("dixon-mood-1946-statistical",)),
}
"""What tests of significance are called, and what they cite."""
CORRECTIONS = {
    "holm": ("Holm's method", ("holm-1979-simple",)),
    "bonferroni": ("Bonferroni's correction", ("dunn-1961-multiple",)),
}
"""What corrections for many tests are called, and what they cite."""
BOOTSTRAP = ("koehn-2004-statistical",)
RANKS = ("bojar-etal-2013-findings",)
LETTERS = ("piepho-2004-algorithm",)
HUMAN = {
    "expected_wins": ("Expected Wins", ("bojar-etal-2013-findings", "koehn-2012-simulating")),
    "trueskill": ("TrueSkill", ("herbrich-etal-2006-trueskill", "sakaguchi-etal-2014-efficient")),
}
"""What the ways to rank systems by judgements are called, and what they cite."""
PAIRWISE = ("deutsch-etal-2023-ties",)
WILLIAMS = ("williams-1959-regression", "graham-baldwin-2014-testing")
WINDOWS = ("kobayashi-etal-2024-revisiting",)
DIGESTS = {
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
NAMES = (
    (re.compile("conll-?_?(20)?14", re.IGNORECASE), ("ng-etal-2014-conll",)),
    (re.compile("jfleg", re.IGNORECASE), ("napoles-etal-2017-jfleg",)),
    (re.compile("seeda", re.IGNORECASE), ("kobayashi-etal-2024-revisiting",)),
)
"""What data sets cite, by parts of their names. This is for texts that DIGESTS does not have."""


def keys_of_dataset(name: str, digests: Iterable[str]) -> list[str]:
    """Return what a data set cites, by the digests of its texts or else by its name."""
    by_text = [key for digest in digests for key in DIGESTS.get(digest, ())]
    by_name = [key for pattern, keys in NAMES if pattern.search(name) for key in keys]
    return list(dict.fromkeys(by_text or by_name))


class Text(NamedTuple):
    """How a paragraph is written, in plain text or LaTeX."""

    cite: Callable[[Sequence[str]], str]
    """Writes a citation of some keys."""
    plain: Callable[[str], str]
    """Writes words."""
    code: Callable[[str], str]
    """Writes a signature."""


PLAIN = Text(lambda keys: f" [{', '.join(keys)}]" if keys else "", str, str)
LATEX = Text(lambda keys: rf"~\cite{{{','.join(keys)}}}" if keys else "", escape, code)


def bibtex(keys: Sequence[str], own: Iterable[str] = ()) -> str:
    """Return the entries of these keys, each once; `own` has entries of metrics of users.

    Raises InputError for a key that has no entry.
    """
    entries = {**{key_of(entry): f"{entry.strip()}\n" for entry in own}, **citations()}
    for key in keys:
        if key not in entries:
            raise InputError(f"citations.bib has no entry '{key}'{did_you_mean(key, entries)}")
    return "\n".join(entries[key] for key in dict.fromkeys(keys))


def paragraph(results: Results, text: Text) -> tuple[str, list[str]]:
    """Return a paragraph that says how a run was evaluated, and the keys that it cites."""
    used: list[str] = []

    def cite(keys: Sequence[str]) -> str:
        used.extend(keys)
        return text.cite(keys)

    noting = text._replace(cite=cite)
    sentences = _scores(results, noting) if results.scores else []
    if results.statistics:
        sentences += _statistics(results, results.statistics, noting)
    if results.human:
        sentences += _human(results.human, noting)
    for name, summary in (results.judgments or {}).items():
        if ways := [f"{text.plain(title)}{cite(keys)}" for key, (title, keys) in HUMAN.items() if summary.get(key)]:
            judged = f"{_count(summary['total']['items'], 'judged item')} ({text.plain(name)})"
            sentences.append(f"The ranking by people is that of {_joined(ways)} on {judged}.")
    return " ".join(sentences), list(dict.fromkeys(used))


def _scores(results: Results, text: Text) -> list[str]:
    """Return what was scored, and by which metrics. Parsing a signature drops the version, so it is read here."""
    settings = [part.partition(":") for score in results.scores[:1] for part in score.metric.split("|")[1:]]
    version = next((value for key, _, value in settings if key == "v"), "")
    parts = []
    for name, info in results.datasets.items():
        systems = len({score.system for score in results.scores if score.dataset == name})
        size = f"{_count(systems, 'system')}, {_count(info.lines, 'line')}, {_count(info.references, 'reference')}"
        parts.append(f"{text.plain(name)}{text.cite(keys_of_dataset(name, info.digests.values()))} ({size})")
    sentences = [f"We scored {_joined(parts)} with gec-pipeline {text.plain(version)}."]
    for printed in dict.fromkeys(score.metric for score in results.scores):
        metric = results.metric(printed)
        score = next(score for score in results.scores if score.metric == printed)
        theirs = score.peer_signature or ""
        theirs = with_samples(theirs, results.statistics) if theirs and results.statistics else theirs
        peer = f"; sacreBLEU's: {text.code(theirs)}" if theirs else ""
        called = f"{text.plain(metric.name_in_text)}{text.cite(metric.citations)}"
        said = f"{called} has the signature {text.code(printed)}{peer}"
        if score.samples and score.samples.iterations > 1:
            said += (
                f" and is the mean over {score.samples.iterations:,} random choices of a reference for each sentence"
            )
        sentences.append(f"{said}.")
    return sentences


def _statistics(results: Results, statistics: dict[str, Any], text: Text) -> list[str]:
    """Return how intervals and ranks were computed, and how systems were compared."""
    samples = f"{statistics['resamples']:,} bootstrap samples of the sentences{text.cite(BOOTSTRAP)}"
    reselected = "reselected" in statistics.values() or "anew" in statistics.values()  # "anew": of version 0.1
    samples += ", in each of which annotators are chosen anew" if reselected else ""
    intervals = f"Intervals ({text.plain(level_name(results))}) are percentiles of {samples}"
    sentences = [f"{intervals}; rank ranges and clusters are made of the same samples{text.cite(RANKS)}."]
    if statistics["test"] not in TESTS or not results.tests:
        return sentences
    baseline = baseline_of(results)
    who = "All pairs of systems" if baseline is None else f"The systems and {text.plain(baseline)}"
    corrected = ""  # cited before the test, since BibTeX entries are printed in the order of citing
    if statistics["correction"] in CORRECTIONS:
        way, keys = CORRECTIONS[statistics["correction"]]
        corrected = f", p-values adjusted by {text.plain(way)}{text.cite(keys)}"
    name, keys = TESTS[statistics["test"]]
    trials = f" ({statistics['trials']:,} trials)" if statistics["test"] == "approximate_randomization" else ""
    compared = f"{who} were compared by {name}{text.cite(keys)}{trials}{corrected}"
    alpha = f"{1 - float(statistics['level']):g}"
    sentences.append(
        f"{compared}; differences with p below {alpha} are called significant (seed {statistics['seed']})."
    )
    if baseline is None and any(len(group.scores) > 2 for group in groups(results)):
        sentences.append(f"Letters mark groups without significant differences{text.cite(LETTERS)}.")
    return sentences


def _human(human: dict[str, Any], text: Text) -> list[str]:
    titles = list(dict.fromkeys(item["human"] for item in human.get("correlations", ())))
    named = []
    for title in titles:
        name, keys = HUMAN.get(title, (title.replace("_", " "), ()))
        named.append(f"{text.plain(name)}{text.cite(keys)}")
    if not named:
        return []
    judged = text.cite(keys_of_dataset("", [human.get("digest", "")]))
    settings = human["settings"]
    sentences = [
        f"The metrics were correlated with the scores that people gave{judged} ({_joined(named)}): Pearson, Spearman, "
        f"Kendall's tau-b and pairwise accuracy{text.cite(PAIRWISE)}, with intervals from "
        f"{settings.get('resamples', 0):,} bootstrap samples."
    ]
    if human.get("tests"):
        better = "Whether one metric correlates higher than another"
        sentences.append(f"{better} was tested by Williams' test{text.cite(WILLIAMS)}.")
    if human.get("windows"):
        sentences.append(
            f"Correlations in windows of {settings['window']} neighbours follow SEEDA{text.cite(WINDOWS)}."
        )
    return sentences


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def uncited(results: Results) -> list[str]:
    """Return the data sets, metrics and human scores of a run that have no entry."""
    datasets = [name for name, info in results.datasets.items() if not keys_of_dataset(name, info.digests.values())]
    metrics = [results.metric(printed) for printed in dict.fromkeys(score.metric for score in results.scores)]
    names = [f"data set {name}" for name in datasets]
    names += [f"metric {metric.output}" for metric in metrics if not metric.citations]
    human = results.human or {}
    return names + (["the human scores"] if human.get("correlations") and human["digest"] not in DIGESTS else [])


def of_metric(text: str) -> Metric:
    """Return the metric of a name or signature; raises InputError if `text` is neither a metric nor a run."""
    try:
        return from_text(text)
    except InputError as error:
        raise InputError(f"cite {text}: neither a run directory nor a metric: {error.problems[0].message}") from None
