"""Scores by data set and metric: short names of metrics, the best systems, and ranked tables with
their columns.
"""

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple
from unicodedata import normalize

from ...errors import InputError, known_names
from ...metrics import METRICS, class_of, factor, from_text
from ...metrics.base import Metric
from ...metrics.base import options as signature
from ...scoring.results import (
    REFERENCES_ROW,
    Comparison,
    DatasetInfo,
    Results,
    Score,
    grouped,
)
from . import Table, percent, round_half_up
from .comparisons import EXTRA, bootstrap_columns, level_name, shown_interval

LEFT_OUT = "|refs:leave_one_out|"
"""A part of signatures: the metric scores references as systems too."""
REFERENCE = re.compile(rf"reference[0-9]+|{REFERENCES_ROW}")
"""Names of references that are scored as systems."""
ALWAYS = ("flavour", "level")
"""Settings that labels name whenever metrics of a name differ in them, since such scores cannot be
compared."""
SOURCE = "source"
"""The kind of a system that left every line as it was. It does not compete."""
HUMAN = "reference"
"""The kind of a system whose lines are those of a reference. It does not compete."""
ALWAYS_SHOWN = frozenset({"standard_error"})
"""Outputs that the table always has beside the score. A metric adds its own by `table_outputs`."""


# --- scores by data set and metric


class Group(NamedTuple):
    """The scores of one metric on one data set."""

    dataset: str
    metric: str
    """The signature of the metric."""
    label: str
    """A short name of the metric."""
    scores: list[Score]
    """The best comes first."""
    tests: list[Comparison]
    """The comparisons of its systems."""
    called: str
    """The name of the metric in papers, with what tells it from others of its name."""

    @property
    def output(self) -> str:
        """The name of the score in papers, such as M² F₀.₅."""
        first_output = next(iter(self.scores[0].outputs), "")
        return " ".join(part for part in in_text(self.metric, first_output) if part)

    @property
    def axis(self) -> str:
        """The title of the axis of a plot of its scores."""
        return f"{self.output} (percent)" if factor(self.metric) != 1 else self.output

    @property
    def heading(self) -> str:
        """The name of the metric if several share it, with their differences; else nothing."""
        return self.called if rivalry(self.metric, self.label) else ""


def groups(results: Results) -> list[Group]:
    """Return the scores by data set and metric, in the order of the results.

    This is the only function that finds rows of the same metric by its signature.
    """
    scores = grouped(sorted(results.scores, key=lambda score: score.rank))
    tests = grouped(results.tests)
    signatures = [score.metric for score in results.scores]
    short_names = labels(signatures)
    paper_names = called(signatures)
    all_groups = []
    for key in grouped(results.scores):  # in the order of the results
        dataset, metric = key
        group = Group(
            dataset=dataset,
            metric=metric,
            label=short_names[metric],
            scores=scores[key],
            tests=tests.get(key, []),
            called=paper_names[metric],
        )
        all_groups.append(group)
    return all_groups


def best_of(info: DatasetInfo, group: Group, digits: int) -> set[str]:
    """Return the systems whose scores are equal to the best as they are printed; none if the best
    is NaN.

    References and the unchanged source do not compete.
    """
    apart = kinds(info, group)
    texts = {}
    for score in group.scores:
        if score.system not in apart:
            texts[score.system] = percent(score.score, digits, group.metric)
    best = next(iter(texts.values()), "-")
    return {system for system, text in texts.items() if text == best != "-"}


def kinds(info: DatasetInfo, group: Group) -> dict[str, str]:
    """Return the kinds of the systems of a group that do not compete, by name: SOURCE or HUMAN.

    SOURCE is a system whose every line equals the source. HUMAN is one whose every line equals a
    reference, or a reference that is scored as a system (`references: leave_one_out`).
    """
    references = {
        digest for role, digest in info.digests.items() if role.startswith("reference ")
    }
    digests: dict[str, set[str]] = {}
    for role, digest in info.digests.items():
        _, prefix, name = role.partition("system ")
        if prefix:
            digests.setdefault(name, set()).add(digest)
    apart = {}
    for score in group.scores:
        name = score.system
        system_digests = digests.get(name, set())
        if LEFT_OUT in group.metric and REFERENCE.fullmatch(name):
            apart[name] = HUMAN
        elif info.digests.get("source") in system_digests:
            apart[name] = SOURCE
        elif system_digests & references:
            apart[name] = HUMAN
    return apart


def cluster_ends(scores: Sequence[Score]) -> list[int]:
    """Return the numbers of the rows at which a cluster ends and another follows."""
    clusters = [score.bootstrap.cluster if score.bootstrap else 0 for score in scores]
    return [
        row for row in range(len(clusters) - 1) if clusters[row] != clusters[row + 1]
    ]


def size(info: DatasetInfo) -> str:
    """Return the numbers of lines and references of a data set in words."""
    lines = "line" if info.lines == 1 else "lines"
    references = "reference" if info.references == 1 else "references"
    return f"{info.lines:,} {lines}, {info.references} {references}"


def notes_of(scores: Sequence[Score]) -> list[str]:
    """Return each note on scores once, after the names of its systems unless it is on all of them."""
    systems: dict[str, list[str]] = {}
    for score in scores:
        for note in score.notes:
            systems.setdefault(note, []).append(score.system)
    notes = []
    for note, names in systems.items():
        if len(names) == len(scores):
            notes.append(note)
        else:
            notes.append(f"{', '.join(names)}: {note}")
    return notes


# --- names of metrics


def labels(metrics: Iterable[str]) -> dict[str, str]:
    """Return a short label for each signature.

    This is the name of the metric. If several share a name, the settings in which they differ
    follow, such as `gleu (refs:max)`, or a number if they differ in none. The number of references
    and the version do not count as differences, so that a metric has the same label on every data
    set. Numbers from files have their title as a name.
    """
    names: dict[str, str] = {}
    settings: dict[str, dict[str, str]] = {}
    for text in metrics:
        name, *parts = text.split("|")
        own_settings = {}
        for part in parts:
            key, _, value = part.partition(":")
            own_settings[key] = value
        title = signature.unescape(own_settings.get("title", ""))
        names[text] = title or _short_name(text, name, parts)
        own_settings.pop("nrefs", None)
        own_settings.pop("v", None)
        settings[text] = own_settings
    texts_of_name: dict[str, list[str]] = {}
    for text, name in names.items():
        texts_of_name.setdefault(name, []).append(text)
    labelled = {}
    for text, name in names.items():
        rivals: list[dict[str, str]] = []
        for other in texts_of_name[name]:
            if settings[other] not in rivals:
                rivals.append(settings[other])
        labelled[text] = name
        if len(rivals) > 1:
            differences = _differences(name, rivals)[rivals.index(settings[text])]
            labelled[text] = f"{name} ({differences})"
    return labelled


def _short_name(text: str, name: str, parts: Sequence[str]) -> str:
    """Return the short name of a metric with certain settings, or its name."""
    for setting, short_name in class_of(text).short_names.items():
        if setting in parts:
            return short_name
    return name


def rivalry(metric: str, label: str) -> str:
    """Return the part of a label after the name: in what the metric differs from others of its
    name.
    """
    if not label.startswith(metric.partition("|")[0]):
        return ""
    return label.removeprefix(labels([metric])[metric])


def called(metrics: Iterable[str]) -> dict[str, str]:
    """Return the name of each signature's metric in papers, with what tells it from others of its
    name.
    """
    names = {}
    for text, label in labels(metrics).items():
        name, _ = in_text(text, "")
        names[text] = name + rivalry(text, label)
    return names


def in_text(metric: str, output: str) -> tuple[str, str]:
    """Return how papers head an output of the metric of a signature: see Metric.in_text(). No
    output is the score.

    For a metric that this version does not have, they are its own names.
    """
    try:
        known_metric = from_text(metric)
    except InputError:
        label = labels([metric])[metric]
        return label, "" if output in (label, metric.partition("|")[0]) else output
    return known_metric.in_text(output or known_metric.output)


def _differences(name: str, rivals: Sequence[dict[str, str]]) -> list[str]:
    """Return for each metric of a name in what it differs, with defaults that signatures leave
    out.
    """
    defaults = {}
    if name in METRICS:
        for option in METRICS[name].options:
            defaults[option.key] = str(option.default_of({})).lower() or "none"
    completed = []
    for rival in rivals:
        added = {
            key: rival.get(key, defaults[key]) for key in ALWAYS if key in defaults
        }
        completed.append({**rival, **added})
    texts = _distinguishing_settings(completed)
    if not texts[0].isdigit():
        return texts
    keys: dict[str, None] = {}
    for rival in rivals:
        keys.update(dict.fromkeys(key for key in rival if key in defaults))
    completed = []
    for rival in rivals:
        completed.append({key: rival.get(key, defaults[key]) for key in keys})
    return _distinguishing_settings(completed)


def _distinguishing_settings(rivals: Sequence[dict[str, str]]) -> list[str]:
    """Return for each metric of a name the few settings in which it differs from the others, or
    else a number.
    """

    def combinations(keys: Sequence[str]) -> int:
        return len({tuple(map(rival.get, keys)) for rival in rivals})

    all_keys: dict[str, None] = {}
    for rival in rivals:
        all_keys.update(dict.fromkeys(rival))
    keys = [key for key in all_keys if combinations([key]) > 1]
    everywhere = [key for key in keys if all(key in rival for rival in rivals)]
    chosen = [key for key in ALWAYS if key in everywhere]
    if combinations(chosen) < len(rivals):
        sufficient = [key for key in everywhere if combinations([key]) == len(rivals)]
        chosen += sufficient[:1]
    if combinations(chosen) < len(rivals):
        for key in [*everywhere, *keys]:
            if combinations([*chosen, key]) > combinations(chosen):
                chosen.append(key)
    texts = []
    for rival in rivals:
        texts.append(" ".join(f"{key}:{rival[key]}" for key in chosen if key in rival))
    if all(texts) and len(set(texts)) == len(texts):
        return texts
    return [str(number) for number in range(1, len(texts) + 1)]


# --- tables


def ranked_table(
    results: Results,
    scores: Sequence[Score],
    digits: int,
    columns: Sequence[str] = (),
) -> Table:
    """Return a row for each score, in their order: rank, system, score, interval, comparisons,
    ranks, spread of draws.

    With `columns`, names or patterns, it has those of these columns, also of EXTRA, and of all
    outputs that they name.
    """
    signature_text = scores[0].metric
    metric = class_of(signature_text)
    score_name, *outputs = scores[0].outputs
    usual = [name for name in outputs if _is_usual(name, metric)]
    more = [name for name in outputs if name not in usual]
    titles, compared_cells = bootstrap_columns(results, scores, digits)
    draw_titles = []
    if any(score.samples for score in scores):
        draw_titles = ["std of draws", "95% of draws"]
    header = ["rank", "system", score_name, *usual, *titles, *draw_titles, *more]
    rows = []
    for score, cells in zip(scores, compared_cells, strict=True):
        row = [
            str(score.rank),
            score.system,
            percent(score.score, digits, signature_text),
        ]
        for name in usual:
            more_digits = 2 if name == "standard_error" else 0
            row.append(
                output_cell(score.outputs[name], name, metric, digits + more_digits)
            )
        row += cells
        if score.samples:
            spread = shown_interval(
                score.samples.clipped_interval, digits, signature_text
            )
            row.append(percent(score.samples.std, digits + 1, signature_text))
            row.append(spread.replace("- to -", "-"))
        elif draw_titles:
            row += ["-", "-"]
        row += [output_cell(score.outputs[name], name, metric, digits) for name in more]
        rows.append(row)
    if columns:
        names = _names_of_printed_outputs(results, scores[0])
        patterns = [names.get(pattern, pattern) for pattern in columns]
        chosen = [0, 1, 2, *picked(header[3:], patterns, 3)]
    else:
        shown_columns = range(len(header) - len(more))
        chosen = [
            number for number in shown_columns if not EXTRA.fullmatch(header[number])
        ]
    return [header[number] for number in chosen], [_cells(row, chosen) for row in rows]


def _cells(row: Sequence[str], columns: Sequence[int]) -> list[str]:
    return [row[number] for number in columns]


def _is_usual(output: str, metric: type[Metric]) -> bool:
    """Return whether a table has an output without being asked."""
    if "@" in output or output in ALWAYS_SHOWN:
        return True
    return bool(re.fullmatch(metric.table_outputs, output))


def _names_of_printed_outputs(results: Results, score: Score) -> dict[str, str]:
    """Return the names of outputs by how papers write them, such as P for precision; none for a
    metric of another version.
    """
    try:
        metric = results.metric(score.metric)
    except InputError:
        return {}
    names = {}
    for name in score.outputs:
        _, below = metric.in_text(name)
        names[normalize("NFKC", below)] = name
    return names


def output_cell(
    value: float,
    name: str,
    metric: type[Metric],
    digits: int,
) -> str:
    """Return an output as a cell: counts, means of counts, and other numbers that are no fractions
    as they are, fractions in percent.
    """
    if re.sub("_[0-9]+$", "", name) in metric.counts:  # a number of n-grams or tokens
        return f"{value:.0f}" if value.is_integer() else round_half_up(value, digits)
    return round_half_up(100 * value if metric.in_percent else value, digits)


def interval_table(results: Results, scores: Sequence[Score], digits: int) -> Table:
    """Return a row for each output of each score that has an interval of its own."""
    header = [
        "system",
        "output",
        "value",
        "std of samples",
        f"{level_name(results)} interval",
    ]
    rows = []
    for score in scores:
        for name, spread in score.intervals.items():
            row = [
                score.system,
                name,
                percent(score.outputs[name], digits, score.metric),
                percent(spread.std, digits + 1, score.metric),
                shown_interval(spread.interval, digits, score.metric),
            ]
            rows.append(row)
    return header, rows


# --- columns by patterns


def picked(titles: Sequence[str], patterns: Sequence[str], first: int = 0) -> list[int]:
    """Return the numbers of the titles that patterns name, counted from `first`.

    A pattern names a title, or else every title that it matches, or of which it matches a word.
    """
    chosen: set[int] = set()
    for pattern in patterns:
        folded = _folded(pattern)
        equal = []
        matching = []
        with_word = []
        for number, title in enumerate(titles, first):
            if _folded(title) == folded:
                equal.append(number)
            if fnmatchcase(_folded(title), folded):
                matching.append(number)
            if any(fnmatchcase(word, pattern) for word in title.split()):
                with_word.append(number)
        chosen.update(equal or matching or with_word)
    return sorted(chosen)


def _folded(title: str) -> str:
    """Return a title for comparison, in lower case unless it is one letter: P is not p."""
    return re.sub("[ _-]", "_", title.lower() if len(title) > 1 else title)


def check_picked(titles: Sequence[str], patterns: Sequence[str]) -> None:
    """Raise InputError for the first pattern that names none of the titles."""
    for pattern in patterns:
        if not picked(titles, [pattern]):
            hint = known_names(pattern, titles)
            raise InputError(f"--columns {pattern}: there is no such column{hint}")
