"""What a run should cite: BibTeX of its metrics, data sets and tests, and a paragraph that says how it was evaluated.

All entries are in `io/citations.bib`. To add one, write it there, and its key into a table of `citation_keys.py` or
into the `citations` of a metric.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError, did_you_mean
from ..io.catalogue import citations
from ..metrics.base.signature import with_samples
from ..metrics.build import from_text
from .citation_keys import (
    BOOTSTRAP,
    CORRECTIONS,
    DIGESTS,
    HUMAN,
    LETTERS,
    PAIRWISE,
    RANKS,
    TESTS,
    WILLIAMS,
    WINDOWS,
    keys_of_dataset,
)
from .latex import escape
from .tables.comparisons import baseline_of, level_name
from .tables.labels import groups

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..metrics.base.metric import Metric
    from ..scoring.results import Results

    Cite = Callable[[Sequence[str]], str]


class Text(NamedTuple):
    """How a paragraph is written, in plain text or LaTeX."""

    cite: Callable[[Sequence[str]], str]
    """Writes a citation of some keys."""
    plain: Callable[[str], str]
    """Writes words."""
    code: Callable[[str], str]
    """Writes a signature."""


PLAIN = Text(lambda keys: f" [{', '.join(keys)}]" if keys else "", str, str)
LATEX = Text(
    lambda keys: rf"~\cite{{{','.join(keys)}}}" if keys else "",
    escape,
    lambda text: rf"\texttt{{{escape(text)}}}".replace(r"\textbar{}", r"\textbar\allowbreak{}"),
)


def bibtex(keys: Sequence[str]) -> str:
    """Return the entries of these keys, each once. Raises InputError for a key that has no entry."""
    entries = citations()
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

    sentences = [_data(results, text, cite), *_metrics(results, text, cite)] if results.scores else []
    if results.statistics:
        sentences += _statistics(results, text, cite)
    if results.human:
        sentences += _human(results.human, text, cite)
    for name, summary in (results.judgments or {}).items():
        sentences += _judgments(name, summary, text, cite)
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
        theirs = scores[0].peer_signature or ""
        theirs = with_samples(theirs, results.statistics) if theirs and results.statistics else theirs
        peer = f"; sacreBLEU's: {text.code(theirs)}" if theirs else ""
        said = f"{text.plain(metric.name_in_text)}{cite(metric.citations)} has the signature {text.code(printed)}{peer}"
        samples = scores[0].samples
        if samples and samples.iterations > 1:
            said += f" and is the mean over {samples.iterations:,} random choices of a reference for each sentence"
        sentences.append(f"{said}.")
    return sentences


def _statistics(results: Results, text: Text, cite: Cite) -> list[str]:
    """Return how intervals and ranks were computed, and how systems were compared."""
    statistics = results.statistics or {}
    samples = f"{statistics['resamples']:,} bootstrap samples of the sentences{cite(BOOTSTRAP)}"
    reselected = "reselected" in statistics.values() or "anew" in statistics.values()  # "anew": of version 0.1
    samples += ", in each of which annotators are chosen anew" if reselected else ""
    intervals = f"Intervals ({text.plain(level_name(results))}) are percentiles of {samples}"
    sentences = [f"{intervals}; ranges of ranks and clusters are made of the same samples{cite(RANKS)}."]
    if statistics["test"] in TESTS and results.tests:
        sentences.append(_tests(results, statistics, text, cite))
        if baseline_of(results) is None and any(len(group.scores) > 2 for group in groups(results)):
            sentences.append(f"Letters mark groups without significant differences{cite(LETTERS)}.")
    return sentences


def _tests(results: Results, statistics: dict[str, Any], text: Text, cite: Cite) -> str:
    baseline = baseline_of(results)
    who = "All pairs of systems" if baseline is None else f"The systems and {text.plain(baseline)}"
    corrected = ""  # cited before the test, since BibTeX entries are printed in the order of citing
    if statistics["correction"] in CORRECTIONS:
        way, keys = CORRECTIONS[statistics["correction"]]
        corrected = f", p-values adjusted by {text.plain(way)}{cite(keys)}"
    name, keys = TESTS[statistics["test"]]
    trials = f" ({statistics['trials']:,} trials)" if statistics["test"] == "approximate_randomization" else ""
    compared = f"{who} were compared by {name}{cite(keys)}{trials}{corrected}"
    alpha = f"{1 - float(statistics['level']):g}"
    return f"{compared}; differences with p below {alpha} are called significant (seed {statistics['seed']})."


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
        better = "Whether one metric correlates higher than another"
        sentences.append(f"{better} was tested by Williams' test{cite(WILLIAMS)}.")
    if human.get("windows"):
        sentences.append(f"Correlations in windows of {settings['window']} neighbours follow SEEDA{cite(WINDOWS)}.")
    return sentences


def _judgments(name: str, summary: dict[str, Any], text: Text, cite: Cite) -> list[str]:
    """Return how systems were ranked by judgements of people."""
    ways = [f"{text.plain(title)}{cite(keys)}" for key, (title, keys) in HUMAN.items() if summary.get(key)]
    judged = f"{_count(summary['total']['items'], 'judged item')} ({text.plain(name)})"
    return [f"The ranking by people is that of {_joined(ways)} on {judged}."] if ways else []


def _setting(printed: str, key: str) -> str:
    """Return a part of a signature by its key, "" where there is none; parsing a signature drops parts like `v`."""
    return dict(part.partition(":")[::2] for part in printed.split("|")[1:]).get(key, "")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def uncited(results: Results) -> list[str]:
    """Return the data sets, metrics and human scores of a run that have no entry."""
    datasets = [name for name, info in results.datasets.items() if not keys_of_dataset(name, info.digests.values())]
    metrics = [from_text(printed) for printed in dict.fromkeys(score.metric for score in results.scores)]
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
