"""What commands print of results: systems by metrics, ranked tables, comparisons, agreement with
people.

On a terminal the best and what is significant stand out. In a pipe the tables are plain.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from ..errors import printable
from ..metrics.names import class_of, goodness
from ..scoring.results import Comparison, Results, Score
from ..scoring.significance_tests import with_samples
from .overview import Overview, overviews
from .tables import Table, ranked
from .tables.by_type import caption, of_system, side_by_side, types_of
from .tables.comparisons import BETTER, DOUBTED, WORSE, is_small, pair_table, settings_line, too_few
from .tables.extra_tables import ReportTable, extra_tables
from .tables.ranked import Group, groups, size
from .tables.series import best_sentences
from .terminal.printing import fits, print_square, print_table, print_text

BEST, ALONE, AHEAD, BEHIND, APART = "bold", "cyan", "green", "red", "dim"
"""How the best cell is drawn, with its colour where it has no other; those better and worse than
the baseline; and names that do not compete."""
COLOURS = {BETTER: AHEAD, WORSE: BEHIND}
LEAST = ("d", "better in", "p", "ties", "losses", "wins")
"""Titles of the columns of a comparison that a narrow terminal does without, in the order in which
they leave."""
TURNED = (
    "Wins and losses may point the other way than the difference: each sentence is one, long or short, and one in "
    "which nothing is to be changed is won by leaving it alone."
)
"""What is said under comparisons in which the score of the corpus and most of the sentences
disagree."""
ORDERED = re.compile("(.+)_([1-9][0-9]*)")
"""The name of an output of one order of n-grams."""
SHOWN = 5
"""How many names of a kind are shown of what a run replaces."""


def print_results(
    results: Results, digits: int, columns: Sequence[str] = (), *, metric_results: bool = True
) -> None:
    """Print a ranked table for each data set and metric to standard output, with all columns or
    only these.

    Unless there are to be `boards`, systems by metrics stand instead of these tables, where there
    are several metrics or data sets, or where `columns` name a metric. Where a data set has one
    metric, its ranked table stands there, which says more."""
    parts = [
        part for part in overviews(results, digits, columns) if not metric_results
    ]  # it knows the columns in any case
    alone = [part if columns or len(part.groups) > 1 else part.groups[0][1] for part in parts]
    for number, part in enumerate(alone or groups(results)):
        if number:
            print()
        if isinstance(part, Overview):
            print_overview(results, part, columns)
        else:
            print_board(results, part, digits, columns)
    if results.statistics:
        print_text(settings_line(results.statistics))
    if parts and not columns and results.statistics:
        print_text("(intervals, rank ranges and tests of each metric: --boards)")
    tables = extra_tables(results, digits)
    if tables and results.scores:
        print()
    print_extra_tables(tables, {group.metric for part in parts for _, group in part.groups})


def print_board(results: Results, group: Group, digits: int, columns: Sequence[str]) -> None:
    """Print the ranked table of a metric on a data set, and below it the intervals of all outputs,
    if there are any.

    A heading tells the metric from others of its name. A terminal has the columns that fit its
    width."""
    scores, about = group.scores, f"{group.dataset}: {size(results.datasets[group.dataset])}"
    print_text(f"{about}; {group.heading}" if group.heading else about)
    table = ranked.ranked_table(results, scores, digits, columns)
    table[0][2] = group.output
    best = ranked.best_of(results.datasets[group.dataset], group, digits)
    styles = {(n, 2): f"{BEST} {ALONE}" for n, score in enumerate(scores) if score.system in best}
    marked = [(n, c, cell[-1:]) for n, row in enumerate(table[1]) for c, cell in enumerate(row)]
    styles |= {(n, c): COLOURS[mark] for n, c, mark in marked if mark in COLOURS}
    print_table(
        *table, stay=(0, 1, 2), unwrapped=(1,), styles=styles, rules=ranked.cluster_ends(scores)
    )
    if any(score.intervals for score in scores):
        print()
        print_table(*ranked.interval_table(results, scores, digits), left=(0, 1))
    for sentence in best_sentences(results, group):
        print_text(sentence)
    print(group.metric)
    print_peer(scores[0], results.statistics, columns)
    for line in ranked.notes_of(scores):
        print_text(f"note: {line}")
    print_doubts(results, group.tests)


def print_peer(score: Score, statistics: dict[str, Any] | None, columns: Sequence[str]) -> None:
    """Print sacreBLEU's signature, if it has the metric, with the seed and number of samples.

    The samples are those of p-values if these are displayed, else those of intervals.
    """
    signature = score.peer_signature
    if not signature:
        return
    if statistics and "p" in columns:
        signature = with_samples(signature, statistics, statistics["test"])
    elif statistics:
        signature = with_samples(signature, statistics)
    print(printable(signature))


def print_overview(results: Results, overview: Overview, columns: Sequence[str]) -> None:
    """Print systems by metrics, the sentence of each metric, notes and signatures.

    All marks of a column stand in as many letters as the longest one has, so that scores stand
    below each other."""
    rows = [
        [f"{name} ({kind})" if (kind := overview.kinds.get(name)) else name]
        for name in overview.systems
    ]
    styles = {
        (row, 0): APART for row, name in enumerate(overview.systems) if name in overview.kinds
    }
    for number, column in enumerate(overview.columns, 1):
        room = max((len(entry.mark) for entry in column.entries.values()), default=0)
        for row, name in enumerate(overview.systems):
            entry = column.entries.get(name)
            text, mark = (entry.text, entry.mark) if entry else ("-", "")
            rows[row].append(f"{text} {mark}{' ' * (room - len(mark))}" if room else text)
            colour = COLOURS.get(mark, "")
            if style := f"{BEST} {colour or ALONE}" if entry and entry.best else colour:
                styles[row, number] = style
    print(printable(overview.about))
    print_square(["system", *(column.printed for column in overview.columns)], rows, styles=styles)
    for column in overview.columns:
        if column.verdict_sentence:
            print_text(f"{column.printed}: {column.verdict_sentence}")
    for label, group in overview.groups:
        for line in ranked.notes_of(group.scores):
            print_text(f"note: {label}: {line}")
    if overview.marks:
        print_text(overview.marks)
    for label, group in overview.groups:
        print(printable(f"{label} = {group.metric}"))
        print_peer(group.scores[0], results.statistics, columns)


def print_types(results: Results, digits: int, tier: int) -> None:
    """Print the scores by type: precision, recall and score of each system, or all numbers of a
    single one.

    A terminal that is too narrow for that has the score alone, in several tables where it needs
    them, or the columns of a single system that fit."""
    for number, types in enumerate(types_of(results, tier)):
        print(("\n" if number else "") + printable(caption(types)))
        if len(types.systems) > 1:
            table = side_by_side(types, digits, [*types.fractions[1:], *types.fractions[:1]])
            print_square(*(table if fits(*table) else side_by_side(types, digits)))
        else:
            header, rows = of_system(types, types.systems[0], digits)
            score = types.fractions[0]
            leaving = [
                *(title for title in reversed(header) if title != score and " " in title),
                *types.counts,
            ]
            print(printable(types.systems[0]))
            print_table(header, rows, left=(0,), first_out=leaving, stay=(0, header.index(score)))
        print(types.group.metric)


def print_comparisons(results: Results, digits: int, columns: Sequence[str] = ()) -> None:
    """Print a row for each pair of systems that were compared, by data set and metric, with all
    columns or these.
    """
    for group in groups(results):
        names = [score.system for score in group.scores]
        tests = sorted(group.tests, key=lambda t: (names.index(t.system), names.index(t.other)))
        if not tests:
            continue
        between = f"{group.heading}\n" if group.heading else ""
        print(printable(f"{group.dataset}  {between}{group.metric}"))
        print_peer(group.scores[0], results.statistics, ("p",))
        header, rows = pair_table(results, tests, digits)
        kept = [0, 1, *ranked.picked(header[2:], columns or ["*"], 2)]
        table: Table = [header[n] for n in kept], [[row[n] for n in kept] for row in rows]
        print_table(*table, left=(0, 1), first_out=() if columns else LEAST)
        print()
    if any(goodness(t.metric, t.difference) * (t.wins - t.losses) < 0 for t in results.tests):
        print_text(TURNED)
    print_doubts(results, results.tests)
    print_text(settings_line(results.statistics or {}))


def print_doubts(results: Results, tests: Iterable[Comparison]) -> None:
    """Say that some of these p-values are small though too few sentences differ, if there are any."""
    if any(too_few(test) and is_small(test, results) for test in tests):
        print_text(DOUBTED)


def by_order(score: Score, digits: int) -> Table:
    """Return a table with a row for each order, of the outputs that are named like match_1, match_2
    ...
    """
    metric, own = (
        class_of(score.metric),
        [one.groups() for one in map(ORDERED.fullmatch, score.outputs) if one],
    )
    stems, orders = (
        list(dict.fromkeys(stem for stem, _ in own)),
        sorted({int(order) for _, order in own}),
    )
    cells = {
        name: ranked.output_cell(value, name, metric, digits)
        for name, value in score.outputs.items()
    }
    return ["n", *stems], [[str(n), *(cells[f"{stem}_{n}"] for stem in stems)] for n in orders]


def print_extra_tables(tables: Sequence[ReportTable], known: Collection[str] = ()) -> None:
    """Print the tables below the scores, such as those of the agreement with people.

    The signatures of their metrics follow, unless they are known from above.
    """
    for number, table in enumerate(tables):
        if number:
            print()
        if table.title:
            print(printable(table.title))
        header, rows = table.table
        print_table(header, rows, left=table.text_columns, first_out=table.first_out)
        for line in table.items:
            print_text(line)
        is_last = number + 1 == len(tables)
        if table.signatures and (is_last or tables[number + 1].signatures != table.signatures):
            print()
            for signature, label in ranked.called(table.signatures).items():
                if signature != label and signature not in known:
                    print(printable(f"{label} = {signature}"))


# --- what a run replaces in its run directory, which is printed before it begins


def replacement_note(folder: object, scores: Sequence[Score], known: Sequence[str]) -> str | None:
    """Return what a run replaces in a folder, in a sentence, or None where nothing is lost.

    `scores` are those of the results there that the run does not make. `known` has the signatures
    of what it makes."""

    def listed(kind: str, names: Iterable[str]) -> str:
        own = list(dict.fromkeys(names))
        more = f" and {len(own) - SHOWN} more" if len(own) > SHOWN else ""
        return f"{kind}{'' if len(own) == 1 else 's'} {', '.join(own[:SHOWN])}{more}"

    if not scores:
        return None
    count, behind = (f"{len(scores):,} scores", "them") if len(scores) > 1 else ("1 score", "it")
    printed = ranked.called([*dict.fromkeys(score.metric for score in scores), *known])
    names = listed("system", (score.system for score in scores))
    metrics = listed("metric", (printed[score.metric] for score in scores))
    return (
        f"{folder}: the results there are replaced, of which this run does not make {count} ({names}; {metrics}); "
        f"the counts behind {behind} stay; --output DIR writes to another folder and keeps all"
    )
