"""Results as commands print them: systems by metrics, ranked tables, comparisons, and the tables
of extensions.

On a terminal the best and significant cells are in colour. In a pipe the tables are plain.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from ..metrics import goodness
from ..scoring import SIGNIFICANCE_TESTS, Comparison, Results, Score
from .overview import Overview, overviews
from .tables import (
    BETTER,
    WORSE,
    ColumnPatterns,
    Group,
    ReportTable,
    Types,
    called,
    columns_of,
    extra_tables,
    groups,
    settings_line,
)
from .terminal import fits, print_line, print_square, print_table, print_text

DOUBTED = (
    f"A small p without {BETTER} or {WORSE} says nothing: the systems differ on fewer than "
    f"{Comparison.MIN_DIFFERING} sentences, and the interval of their difference holds 0."
)
"""The note on comparisons with a small p-value that are not significant."""
BEST = "bold"
"""The style of the best cell of a column."""
BEST_COLOUR = "cyan"
"""The colour of the best cell if it has no other."""
APART = "dim"
"""The style of names that do not compete."""
COLOURS = {BETTER: "green", WORSE: "red"}
"""The colours of cells that are better or worse than the baseline."""
LEAST_IMPORTANT = ("d", "better in", "p", "ties", "losses", "wins")
"""Titles of the columns of a comparison that a narrow terminal leaves out, in this order."""
TURNED = (
    "Wins and losses may point the other way than the difference: each sentence is one, long or "
    "short, and one in which nothing is to be changed is won by leaving it alone."
)
"""The note on comparisons in which the score of the corpus and most of the sentences disagree."""


def print_results(
    results: Results,
    digits: int,
    columns: Sequence[str] = (),
    *,
    boards: bool = True,
) -> None:
    """Print a ranked table for each data set and metric to standard output, with all columns or
    only these.

    Without `boards`, systems by metrics are printed instead of these tables if there are several
    metrics or data sets, or if `columns` name a metric. For a data set with one metric this is its
    ranked table, which has more columns.
    """
    # it raises an error for unknown columns
    parts = overviews(results, digits, columns)
    if boards:
        parts = []
    metrics: set[str] = set()
    tables: list[Overview | Group] = []
    for part in parts:
        metrics.update(group.metric for _, group in part.groups)
        _, first_group = part.groups[0]
        is_table = columns or len(part.groups) > 1
        tables.append(part if is_table else first_group)
    for number, table in enumerate(tables or groups(results)):
        if number:
            print()
        if isinstance(table, Overview):
            print_overview(results, table, columns)
        else:
            print_board(table, digits, columns)
    if results.statistics:
        print_text(settings_line(results))
    if parts and not columns and results.statistics:
        print_text(
            "(intervals, rank ranges and tests of each metric: --boards)"
        )
    more_tables = extra_tables(results, digits)
    if more_tables and results.scores:
        print()
    print_extra_tables(more_tables, metrics)


SCORE = 2
"""The column of a ranked table that has the score."""


def print_board(group: Group, digits: int, columns: Sequence[str]) -> None:
    """Print the ranked table of a metric on a data set, its signature and notes.

    If several metrics share a name, the first line says how this one differs. Intervals of all
    outputs are a table of their own. A terminal has the columns that fit its width.
    """
    scores = group.scores
    about = f"{group.dataset}: {group.info.size}"
    if group.heading:
        about += f"; {group.heading}"
    print_text(about)
    header, rows = group.ranked_table(digits, columns)
    # the name of the score in papers, such as M² F₀.₅
    header[SCORE] = group.output
    best = group.best(digits)
    styles = {}
    for row, (score, cells) in enumerate(zip(scores, rows, strict=True)):
        if score.system in best:
            styles[row, SCORE] = f"{BEST} {BEST_COLOUR}"
        for column, cell in enumerate(cells):
            # ↑ or ↓: significantly better or worse than the baseline
            mark = cell[-1:]
            if mark in COLOURS:
                styles[row, column] = COLOURS[mark]
    print_table(
        header,
        rows,
        stay=(0, 1, 2),
        unwrapped=(1,),
        styles=styles,
        rules=group.cluster_ends,
    )
    if any(score.intervals for score in scores):
        print()
        print_table(*group.interval_table(digits), left=(0, 1))
    for sentence in group.best_sentences:
        print_text(sentence)
    print(group.metric)  # the signature
    print_sacrebleu_signature(scores[0], group.results.statistics, columns)
    for line in group.notes:
        print_text(f"note: {line}")
    print_small_p_note(group.results, group.tests)


def print_sacrebleu_signature(
    score: Score, statistics: dict[str, Any] | None, columns: Sequence[str]
) -> None:
    """Print sacreBLEU's signature, if it has the metric, with the seed and number of samples.

    The samples are those of p-values if these are displayed, else those of intervals.
    """
    signature = score.peer_signature
    if signature and statistics:
        test = SIGNIFICANCE_TESTS.INTERVALS
        if "p" in columns:
            test = statistics["test"]
        signature = SIGNIFICANCE_TESTS.signature(signature, statistics, test)
    if signature:
        print_line(signature)


def print_overview(
    results: Results, overview: Overview, columns: Sequence[str]
) -> None:
    """Print systems by metrics, the sentence of each metric, notes and signatures.

    All marks of a column are as wide as the longest one, so that scores are below each other.
    """
    rows = []
    styles = {}
    for row, name in enumerate(overview.systems):
        kind = overview.kinds.get(name)
        rows.append([f"{name} ({kind})" if kind else name])
        if kind:
            styles[row, 0] = APART
    for number, column in enumerate(overview.columns, 1):
        mark_width = max(
            (len(entry.mark) for entry in column.entries.values()), default=0
        )
        for row, name in enumerate(overview.systems):
            entry = column.entries.get(name)
            text = "-"
            mark = ""
            if entry:
                text = entry.text
                mark = entry.mark
            if mark_width:
                text += f" {mark.ljust(mark_width)}"
            rows[row].append(text)
            style = COLOURS.get(mark, "")
            if entry and entry.best:
                style = f"{BEST} {style or BEST_COLOUR}"
            if style:
                styles[row, number] = style
    print_line(overview.about)
    titles = [column.printed for column in overview.columns]
    print_square(["system", *titles], rows, styles=styles)
    for column in overview.columns:
        if column.verdict_sentence:
            print_text(f"{column.printed}: {column.verdict_sentence}")
    for label, group in overview.groups:
        for line in group.notes:
            print_text(f"note: {label}: {line}")
    if overview.marks:
        print_text(overview.marks)
    for label, group in overview.groups:
        print_line(f"{label} = {group.metric}")
        print_sacrebleu_signature(group.scores[0], results.statistics, columns)


def print_types(results: Results, digits: int, tier: int) -> None:
    """Print the scores by type: precision, recall and score of each system, or all numbers of a
    single one.

    A terminal that is too narrow for that has the score alone, in several tables if it needs them,
    or the columns of a single system that fit.
    """
    for number, types in enumerate(Types.of(results, tier)):
        if number:
            print()
        print_line(types.caption)
        score, *fractions = types.fractions
        if len(types.systems) > 1:
            table = types.side_by_side(digits, [*fractions, score])
            if not fits(*table):
                table = types.side_by_side(digits)
            print_square(*table)
        else:
            system = types.systems[0]
            header, rows = types.of_system(system, digits)
            intervals = [
                title
                for title in reversed(header)
                if title != score and " " in title
            ]
            print_line(system)
            print_table(
                header,
                rows,
                left=(0,),
                first_out=[*intervals, *types.counts],
                stay=(0, header.index(score)),
            )
        print(types.group.metric)


def print_comparisons(
    results: Results, digits: int, columns: Sequence[str] = ()
) -> None:
    """Print a row for each pair of systems that were compared, by data set and metric, with all
    columns or these.
    """
    for group in groups(results):
        if not group.tests:
            continue
        heading = f"{group.heading}\n" if group.heading else ""
        print_line(f"{group.dataset}  {heading}{group.metric}")
        print_sacrebleu_signature(group.scores[0], results.statistics, ("p",))
        header, rows = group.pair_table(digits, ranked=True)
        patterns = ColumnPatterns(columns or ["*"])
        chosen = [0, 1, *patterns.numbers(header[2:], 2)]
        print_table(
            *columns_of((header, rows), chosen),
            left=(0, 1),
            first_out=() if columns else LEAST_IMPORTANT,
        )
        print()
    for test in results.tests:
        gain = goodness(test.metric, test.difference)
        if gain * (test.wins - test.losses) < 0:
            print_text(TURNED)
            break
    print_small_p_note(results, results.tests)
    print_text(settings_line(results))


def print_small_p_note(results: Results, tests: Iterable[Comparison]) -> None:
    """Print a note if some of these p-values are small although too few sentences differ."""
    for test in tests:
        if test.differ_too_rarely and results.is_small_p(test):
            print_text(DOUBTED)
            return


def print_extra_tables(
    tables: Sequence[ReportTable], known: Collection[str] = ()
) -> None:
    """Print the tables below the scores, such as those of the agreement with people.

    The signatures of their metrics follow, unless they are known from above.
    """
    for number, table in enumerate(tables):
        if number:
            print()
        if table.title:
            print_line(table.title)
        header, rows = table.table
        print_table(
            header, rows, left=table.text_columns, first_out=table.first_out
        )
        for line in table.items:
            print_text(line)
        is_last = number + 1 == len(tables)
        if table.signatures and (
            is_last or tables[number + 1].signatures != table.signatures
        ):
            print()
            for signature, label in called(table.signatures).items():
                if signature != label and signature not in known:
                    print_line(f"{label} = {signature}")
