"""What a run is to cite: BibTeX of its metrics, data sets and tests, and a paragraph that says how it was evaluated.

The entries are in `citations.bib`, those of fetched data sets too; here is which of them something needs.
To add one: the entry there, and its key in the table of its kind here, or among the `citations` of a metric.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError
from ..io.catalogue import citations
from ..metrics.build import from_text
from .latex import escape
from .tables.comparisons import level_name
from .tables.labels import groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..metrics.base.metric import Metric
    from ..scoring.results import Results

    Cite = Callable[[Sequence[str]], str]

TESTS = {
    "approximate_randomization": ("approximate randomisation", ("riezler-maxwell-2005-pitfalls",)),
    "paired_bootstrap": ("paired bootstrap", ("koehn-2004-statistical",)),
    "sign": ("the sign test", ("dixon-mood-1946-statistical",)),
}
CORRECTIONS = {
    "holm": ("Holm's method", ("holm-1979-simple",)),
    "bonferroni": ("Bonferroni's correction", ("dunn-1961-multiple",)),
}
BOOTSTRAP = ("koehn-2004-statistical",)
RANKS = ("bojar-etal-2013-findings",)
LETTERS = ("piepho-2004-algorithm",)
HUMAN = {
    "expected_wins": ("Expected Wins", ("bojar-etal-2013-findings", "koehn-2012-simulating")),
    "trueskill": ("TrueSkill", ("herbrich-etal-2006-trueskill", "sakaguchi-etal-2014-efficient")),
}
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
"""Sources of data sets, and files of human judgements, by the digests that results.json has of them."""
NAMES = (
    (re.compile("conll-?_?(20)?14", re.IGNORECASE), ("ng-etal-2014-conll",)),
    (re.compile("jfleg", re.IGNORECASE), ("napoles-etal-2017-jfleg",)),
    (re.compile("seeda", re.IGNORECASE), ("kobayashi-etal-2024-revisiting",)),
)
"""Data sets by parts of their names, where their texts are not known."""


class Text(NamedTuple):
    """How a paragraph is written: citations, words, and signatures."""

    cite: Callable[[Sequence[str]], str]
    plain: Callable[[str], str]
    code: Callable[[str], str]


PLAIN = Text(lambda keys: f" [{', '.join(keys)}]" if keys else "", str, str)
LATEX = Text(
    lambda keys: rf"~\cite{{{','.join(keys)}}}" if keys else "",
    escape,
    lambda text: rf"\texttt{{{escape(text)}}}".replace(r"\textbar{}", r"\textbar\allowbreak{}"),
)


def bibtex(keys: Iterable[str]) -> str:
    """Return the entries of these keys, each once."""
    known = citations()
    return "\n".join(known[key] for key in dict.fromkeys(keys))


def keys_of_dataset(name: str, digests: Iterable[str]) -> list[str]:
    """Return what a data set cites: known by its texts, else by its name."""
    known = [key for digest in digests for key in DIGESTS.get(digest, ())]
    guessed = [key for pattern, keys in NAMES if pattern.search(name) for key in keys]
    return list(dict.fromkeys(known or guessed))


def paragraph(results: Results, text: Text) -> tuple[str, list[str]]:
    """Return a paragraph that says how a run was evaluated, and the keys that it cites."""
    used: list[str] = []

    def cite(keys: Sequence[str]) -> str:
        used.extend(keys)
        return text.cite(keys)

    sentences = [_data(results, text, cite), *_metrics(results, text, cite)] if results.scores else []
    if results.statistics:
        sentences += _statistics(results, text, cite)
    if results.human:
        sentences += _human(results.human, text, cite)
    for name, found in (results.judgments or {}).items():
        sentences += _judgments(name, found, text, cite)
    return " ".join(sentences), list(dict.fromkeys(used))


def _data(results: Results, text: Text, cite: Cite) -> str:
    version = next((_setting(score.metric, "v") for score in results.scores), "")
    parts = []
    for name, info in results.datasets.items():
        systems = len({score.system for score in results.scores if score.dataset == name})
        size = f"{_count(systems, 'system')}, {_count(info.lines, 'line')}, {_count(info.references, 'reference')}"
        parts.append(f"{text.plain(name)}{cite(keys_of_dataset(name, info.digests.values()))} ({size})")
    return f"We scored {_joined(parts)} with gec-pipeline {text.plain(version)}."


def _metrics(results: Results, text: Text, cite: Cite) -> list[str]:
    sentences = []
    for printed in dict.fromkeys(score.metric for score in results.scores):
        metric = from_text(printed)
        scores = [score for score in results.scores if score.metric == printed]
        peer = f"; sacreBLEU's: {text.code(scores[0].peer_signature)}" if scores[0].peer_signature else ""
        said = f"{text.plain(metric.name_in_text)}{cite(metric.citations)} has the signature {text.code(printed)}{peer}"
        samples = scores[0].samples
        if samples and samples.iterations > 1:
            said += f" and is the mean over {samples.iterations:,} random choices of a reference for each sentence"
        sentences.append(f"{said}.")
    return sentences


def _statistics(results: Results, text: Text, cite: Cite) -> list[str]:
    settings = results.statistics or {}
    made = f"{settings['resamples']:,} bootstrap samples of the sentences{cite(BOOTSTRAP)}"
    intervals = f"Intervals ({text.plain(level_name(results))}) are percentiles of {made}; ranges of ranks and clusters"
    sentences = [f"{intervals} are made of the same samples{cite(RANKS)}."]
    if settings["test"] in TESTS and results.tests:
        name, keys = TESTS[settings["test"]]
        trials = f" ({settings['trials']:,} trials)" if settings["test"] == "approximate_randomization" else ""
        baseline = settings.get("baseline")
        who = "All pairs of systems" if baseline is None else f"The systems and {text.plain(baseline)}"
        corrected = ""
        if settings["correction"] in CORRECTIONS:
            way, more = CORRECTIONS[settings["correction"]]
            corrected = f", p-values adjusted by {text.plain(way)}{cite(more)}"
        alpha = f"{1 - float(settings['level']):g}"
        sentences.append(
            f"{who} were compared by {name}{cite(keys)}{trials}{corrected}; differences with p below {alpha} are "
            f"called significant (seed {settings['seed']})."
        )
        if baseline is None and any(_count_systems(group.scores) > 2 for group in groups(results)):
            sentences.append(f"Letters mark groups without significant differences{cite(LETTERS)}.")
    return sentences


def _human(human: dict[str, Any], text: Text, cite: Cite) -> list[str]:
    titles = list(dict.fromkeys(item["human"] for item in human.get("correlations", ())))
    named = []
    for title in titles:
        name, keys = HUMAN.get(title, (title.replace("_", " "), ()))
        named.append(f"{text.plain(name)}{cite(keys)}")
    if not named:
        return []
    judged = cite(keys_of_dataset("", [human.get("digest", "")]))
    settings = human["settings"]
    sentences = [
        f"The metrics were correlated with the scores that people gave{judged} ({_joined(named)}): Pearson, Spearman, "
        f"Kendall's tau-b and pairwise accuracy{cite(PAIRWISE)}, with intervals from "
        f"{settings.get('resamples', 0):,} bootstrap samples."
    ]
    if human.get("tests"):
        sentences.append(
            f"Whether one metric correlates higher than another was tested by Williams' test{cite(WILLIAMS)}."
        )
    if human.get("windows"):
        sentences.append(f"Correlations in windows of {settings['window']} neighbours follow SEEDA{cite(WINDOWS)}.")
    return sentences


def _judgments(name: str, found: dict[str, Any], text: Text, cite: Cite) -> list[str]:
    """Return how systems were ranked by judgements of people."""
    ways = [f"{text.plain(title)}{cite(keys)}" for key, (title, keys) in HUMAN.items() if found.get(key)]
    judged = f"{_count(found['total']['items'], 'judged item')} ({text.plain(name)})"
    return [f"The ranking by people is that of {_joined(ways)} on {judged}."] if ways else []


def _count_systems(scores: Sequence[Any]) -> int:
    return len({score.system for score in scores})


def _setting(printed: str, key: str) -> str:
    """Return a setting that a signature has, also one that parsing leaves out."""
    return dict(part.partition(":")[::2] for part in printed.split("|")[1:]).get(key, "")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def uncited(results: Results) -> list[str]:
    """Return the names of data sets and metrics that there is no entry for."""
    found = [
        f"data set {name}" for name, i in results.datasets.items() if not keys_of_dataset(name, i.digests.values())
    ]
    chosen = [from_text(printed) for printed in dict.fromkeys(score.metric for score in results.scores)]
    found += [f"metric {metric.output}" for metric in chosen if not metric.citations]
    human = results.human or {}
    return found + (["the human scores"] if human.get("correlations") and human["digest"] not in DIGESTS else [])


def of_metric(text: str) -> Metric:
    """Return the metric of a name or signature; raises InputError that tells what else could be cited."""
    try:
        return from_text(text)
    except InputError as error:
        raise InputError(f"cite {text}: neither a run directory nor a metric: {error.problems[0].message}") from None
