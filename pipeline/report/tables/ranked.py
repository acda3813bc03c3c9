"""Scores by data set and metric: short names of metrics, the best systems, and ranked tables with
their columns.
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from typing import NamedTuple
from unicodedata import normalize

from ...errors import InputError, known_names
from ...metrics import METRICS
from ...metrics.base import options as signature
from ...metrics.base.metric import Metric
from ...metrics.build import from_text
from ...metrics.names import class_of, factor
from ...scoring.results import REFERENCES_ROW, Comparison, DatasetInfo, Results, Score, grouped
from . import Table, percent, round_half_up
from .comparisons import EXTRA, bootstrap_columns, level_name, shown_interval

LEFT_OUT = "|refs:leave_one_out|"
"""A part of signatures: the metric scores references as systems too."""
REFERENCE = re.compile(rf"reference[0-9]+|{REFERENCES_ROW}")
"""Names of references that are scored as systems."""

ALWAYS = ("flavour", "level")
"""Settings that labels name wherever metrics of a name differ in them, since scores of the two are
no rivals."""
SOURCE, HUMAN = "source", "reference"
"""Kinds of rows that do not compete: a system that left every line as it was, and what people
wrote."""


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
    """What papers call the metric, with what tells it from others of its name."""

    @property
    def output(self) -> str:
        """What papers call the score, such as M² F₀.₅."""
        return " ".join(filter(None, in_text(self.metric, next(iter(self.scores[0].outputs), ""))))

    @property
    def axis(self) -> str:
        """What the axis of a plot of its scores is called."""
        return f"{self.output} (percent)" if factor(self.metric) != 1 else self.output

    @property
    def heading(self) -> str:
        """What the metric is called, where several share the name and it says in what they differ;
        else nothing.
        """
        return self.called if rivalry(self.metric, self.label) else ""


def groups(results: Results) -> list[Group]:
    """Return the scores by data set and metric, in the order of the results.

    This is the one place where tables find rows that belong together by the signature of their
    metric."""
    scores, tests = (
        grouped(sorted(results.scores, key=lambda score: score.rank)),
        grouped(results.tests),
    )
    named, printed = (function([s.metric for s in results.scores]) for function in (labels, called))
    keys = grouped(results.scores)  # in the order of the results
    return [
        Group(*key, named[key[1]], scores[key], tests.get(key, []), printed[key[1]]) for key in keys
    ]


def best_of(info: DatasetInfo, group: Group, digits: int) -> set[str]:
    """Return the systems whose scores are equal to the best as they are printed; none if the best
    is NaN.

    References show what people reach, and the unchanged source what doing nothing does: they do not
    compete."""
    apart = kinds(info, group)
    own = [score for score in group.scores if score.system not in apart]
    best = percent(own[0].score, digits, group.metric) if own else "-"
    return {
        score.system for score in own if percent(score.score, digits, group.metric) == best != "-"
    }


def kinds(info: DatasetInfo, group: Group) -> dict[str, str]:
    """Return what the rows of a group are that do not compete, by name: SOURCE or HUMAN.

    SOURCE is a system whose every line equals the source. HUMAN is one whose every line equals a
    reference, or a reference that is scored as a system (`references: leave_one_out`)."""
    references = {digest for role, digest in info.digests.items() if role.startswith("reference ")}
    apart = {}
    for name in (score.system for score in group.scores):
        own = {
            digest
            for role, digest in info.digests.items()
            if role.partition("system ")[1:] == ("system ", name)
        }
        if LEFT_OUT in group.metric and REFERENCE.fullmatch(name):
            apart[name] = HUMAN
        elif info.digests.get("source") in own:
            apart[name] = SOURCE
        elif own & references:
            apart[name] = HUMAN
    return apart


def cluster_ends(scores: Sequence[Score]) -> list[int]:
    """Return the numbers of the rows at which a cluster ends and another follows."""
    clusters = [score.bootstrap.cluster if score.bootstrap else 0 for score in scores]
    return [row for row in range(len(clusters) - 1) if clusters[row] != clusters[row + 1]]


def size(info: DatasetInfo) -> str:
    """Return the numbers of lines and references of a data set in words."""
    lines, references = (
        "line" if info.lines == 1 else "lines",
        "reference" if info.references == 1 else "references",
    )
    return f"{info.lines:,} {lines}, {info.references} {references}"


def notes_of(scores: Sequence[Score]) -> list[str]:
    """Return each note on scores once, after the names of its systems unless it is on all of them."""
    noted: dict[str, list[str]] = {}
    for score in scores:
        for note in score.notes:
            noted.setdefault(note, []).append(score.system)
    return [
        note if len(of) == len(scores) else f"{', '.join(of)}: {note}" for note, of in noted.items()
    ]


def labels(metrics: Iterable[str]) -> dict[str, str]:
    """Return a short label for each signature.

    This is the name of the metric. Where several share a name, the settings in which they differ
    follow, such as `gleu (refs:max)`, or a number if they differ in none. The number of references
    and the version do not count as differences, so that a metric has the same label on every data
    set. Numbers from files have their title as a name."""
    split: dict[str, tuple[str, dict[str, str]]] = {}
    for text in metrics:
        name, *parts = text.split("|")
        settings = dict(part.partition(":")[::2] for part in parts)
        title = signature.unescape(settings.get("title", ""))
        called = next(
            (short for set_so, short in class_of(text).short_names.items() if set_so in parts), name
        )
        split[text] = (
            title or called,
            {key: value for key, value in settings.items() if key not in ("nrefs", "v")},
        )
    named: dict[str, str] = {}
    for text, (name, own) in split.items():
        rivals = list(
            {repr(other): other for called, other in split.values() if called == name}.values()
        )
        named[text] = (
            name
            if len(rivals) == 1
            else f"{name} ({_differences(name, rivals)[rivals.index(own)]})"
        )
    return named


def rivalry(printed: str, label: str) -> str:
    """Return what the label of a signature has after the name: in what the metric differs from
    others of its name.
    """
    return (
        label.removeprefix(labels([printed])[printed])
        if label.startswith(printed.partition("|")[0])
        else ""
    )


def called(metrics: Iterable[str]) -> dict[str, str]:
    """Return what papers call the metric of each signature, with what tells it from others of its
    name.
    """
    return {
        text: in_text(text, "")[0] + rivalry(text, label) for text, label in labels(metrics).items()
    }


def in_text(printed: str, output: str) -> tuple[str, str]:
    """Return how papers head an output of the metric of a signature: see Metric.in_text(). No
    output is the score.

    Of a metric that this version does not have, they are its own names.
    """
    try:
        metric = from_text(printed)
    except InputError:
        label = labels([printed])[printed]
        return label, "" if output in (label, printed.partition("|")[0]) else output
    return metric.in_text(output or metric.output)


def _differences(name: str, rivals: Sequence[dict[str, str]]) -> list[str]:
    """Return for each metric of a name in what it differs, with defaults where signatures leave
    them out.
    """
    usual = {}
    if name in METRICS:
        usual = {
            option.key: str(option.default_of({})).lower() or "none"
            for option in METRICS[name].options
        }
    texts = _apart(
        [
            {**own, **{key: own.get(key, usual[key]) for key in ALWAYS if key in usual}}
            for own in rivals
        ]
    )
    if not texts[0].isdigit():
        return texts
    keys = dict.fromkeys(key for own in rivals for key in own if key in usual)
    return _apart([{key: own.get(key, usual[key]) for key in keys} for own in rivals])


def _apart(rivals: Sequence[dict[str, str]]) -> list[str]:
    """Return for each metric of a name the few settings in which it differs from the others, or
    else a number.
    """

    def combinations(keys: Sequence[str]) -> int:
        return len({tuple(own.get(key) for key in keys) for own in rivals})

    keys = [
        key
        for key in dict.fromkeys(key for own in rivals for key in own)
        if combinations([key]) > 1
    ]
    everywhere = [key for key in keys if all(key in own for own in rivals)]
    picked = [key for key in ALWAYS if key in everywhere]
    if combinations(picked) < len(rivals):
        picked += [key for key in everywhere if combinations([key]) == len(rivals)][:1]
    for key in [*everywhere, *keys] if combinations(picked) < len(rivals) else ():
        if combinations([*picked, key]) > combinations(picked):
            picked.append(key)
    texts = [" ".join(f"{key}:{own[key]}" for key in picked if key in own) for own in rivals]
    return (
        texts
        if len(set(texts)) == len(texts) and all(texts)
        else [str(n) for n in range(1, len(texts) + 1)]
    )


SHOWN = frozenset({"standard_error"})
"""Outputs that the table always has beside the score. A metric adds its own by `table_outputs`."""


def ranked_table(
    results: Results, scores: Sequence[Score], digits: int, columns: Sequence[str] = ()
) -> Table:
    """Return a row for each score, in their order: rank, system, score, interval, comparisons,
    ranks, spread of draws.

    With `columns`, names or patterns, it has those of these columns, also of EXTRA, and of all
    outputs that they name."""
    printed, outputs = scores[0].metric, list(scores[0].outputs)
    metric = class_of(printed)
    own = [
        key
        for key in outputs[1:]
        if "@" in key or key in SHOWN or re.fullmatch(metric.table_outputs, key)
    ]
    more = [key for key in outputs[1:] if key not in own]
    titles, compared = bootstrap_columns(results, scores, digits)
    drawn = ["std of draws", "95% of draws"] if any(score.samples for score in scores) else []
    header = ["rank", "system", outputs[0], *own, *titles, *drawn, *more]
    rows = []
    for score, cells in zip(scores, compared, strict=True):
        row = [str(score.rank), score.system, percent(score.score, digits, printed)]
        row += [
            output_cell(score.outputs[key], key, metric, digits + 2 * (key == "standard_error"))
            for key in own
        ]
        row += cells
        if score.samples:
            spread = shown_interval(score.samples.shown, digits, printed)
            row += [percent(score.samples.std, digits + 1, printed), spread.replace("- to -", "-")]
        elif drawn:
            row += ["-", "-"]
        rows.append([*row, *(output_cell(score.outputs[key], key, metric, digits) for key in more)])
    kept = [
        n for n, title in enumerate(header[: len(header) - len(more)]) if not EXTRA.fullmatch(title)
    ]
    written: dict[str, str] = {}
    with suppress(
        InputError
    ):  # of another version; else how papers write outputs, such as P for precision
        made = results.metric(printed)
        written = {normalize("NFKC", made.in_text(name)[1]): name for name in outputs}
    kept = (
        [0, 1, 2, *picked(header[3:], [written.get(c, c) for c in columns], 3)] if columns else kept
    )
    return [header[n] for n in kept], [[row[n] for n in kept] for row in rows]


def output_cell(value: float, name: str, metric: type[Metric], digits: int) -> str:
    """Return an output as a cell: counts, means of counts, and what is no fraction as they are,
    others in percent.
    """
    if re.sub("_[0-9]+$", "", name) in metric.counts:  # a number of n-grams or tokens
        return f"{value:.0f}" if value.is_integer() else round_half_up(value, digits)
    return round_half_up(100 * value if metric.in_percent else value, digits)


def interval_table(results: Results, scores: Sequence[Score], digits: int) -> Table:
    """Return a row for each output of each score that has an interval of its own."""
    header = ["system", "output", "value", "std of samples", f"{level_name(results)} interval"]
    rows = []
    for score in scores:
        for name, spread in score.intervals.items():
            numbers = (
                percent(score.outputs[name], digits, score.metric),
                percent(spread.std, digits + 1, score.metric),
            )
            rows.append(
                [
                    score.system,
                    name,
                    *numbers,
                    shown_interval(spread.interval, digits, score.metric),
                ]
            )
    return header, rows


def picked(titles: Sequence[str], patterns: Sequence[str], first: int = 0) -> list[int]:
    """Return the numbers of the titles that patterns name, counted from `first`.

    A pattern names a title, or else every title that it matches, or of which it matches a word.
    """

    def same(title: str) -> str:
        return re.sub("[ _-]", "_", title.lower() if len(title) > 1 else title)  # P is no p

    kept: set[int] = set()
    for pattern in patterns:
        ways = (
            [n for n, title in enumerate(titles, first) if same(title) == same(pattern)],
            [n for n, title in enumerate(titles, first) if fnmatchcase(same(title), same(pattern))],
            [
                n
                for n, title in enumerate(titles, first)
                if any(fnmatchcase(w, pattern) for w in title.split())
            ],
        )
        kept |= set(next(filter(None, ways), []))
    return sorted(kept)


def check_picked(titles: Sequence[str], patterns: Sequence[str]) -> None:
    """Raise InputError for the first pattern that names none of the titles."""
    for pattern in patterns:
        if not picked(titles, [pattern]):
            raise InputError(
                f"--columns {pattern}: there is no such column{known_names(pattern, titles)}"
            )
