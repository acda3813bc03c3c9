"""The report as one HTML file that needs no other: `assets/page.html`, filled in by `shell.py`.

The data of the scripts is JSON in which no character can end the element around it.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any
from urllib.parse import quote

from pipeline.extension import installed
from pipeline.metrics import class_of, factor
from pipeline.report import Overview, ReportContext, overviews, verdict_sentence
from pipeline.report.tables import (
    BETTER,
    WORSE,
    Group,
    groups,
    means_tables,
    output_cell,
    settings_line,
    shown_role,
)
from pipeline.scoring import Results, Score, without_nan

from . import shell
from .explorer import explorer, pairs_data
from .sections import section
from .shell import PageTable, Row
from .svg import interval_axis, interval_bar, interval_scale
from .type_maps import type_maps

UNTESTED = "-"
EQUAL = "="
DIFFERENT = "*"
"""How the data marks a pair of systems: no test, a test that did not tell them apart, one that
did."""
DIRECTIONS = {BETTER: "better", WORSE: "worse"}
ALWAYS = ("base", "results", "boxes", "copying")
"""The scripts that work without sentences too, in the order in which they run: the first before the
page is drawn."""
SENTENCES = (
    "words",
    "data",
    "ngrams",
    "edits",
    "sentence",
    "example",
    "explorer",
    "compare",
    "finding",
    "keys",
)
"""The scripts of the sentences, in the order in which they run, after the others."""
SCRIPTS = tuple(f"{name}.js" for name in (*ALWAYS, *SENTENCES))
STYLES = ("page.css", "sentences.css", "print.css")
"""The style sheets. If two differ, the later one holds."""
DESIGN = shell.Design("page.html", STYLES, SCRIPTS)

NAME = "report.html"
ESCAPES = str.maketrans(
    {c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029\u007f"}
)
FOLDERS = re.compile(
    r"(?m)(?<=[:-] )(?:/|[A-Z]:[/\\])[^\n]*[/\\](?=[^/\\\n]+[/\\][^/\\\n]+$)"
)
"""The folders at the beginning of an absolute path in a config, except for the last one. Readers do
not need them."""
MAX_PAGE_BYTES = 14_500_000
"""A larger page is made again with fewer sentences, unless their number was requested."""
OF_ORDER = re.compile("(.+)_([1-9][0-9]*)")
"""The name of an output of one order of n-grams."""
MAX_TITLE_NAMES = 3
"""How many data sets the title of a page without a description names."""


def html_files(context: ReportContext) -> dict[str, str]:
    """Return {file name: the HTML report}. Unless the number of sentences was requested, a page that
    is too large is made again with fewer. Needs jinja2.
    """
    data = explorer(context, context.lines)
    text = render(context, data)
    while data and context.lines is None:
        page_bytes = len(text.encode())
        most_lines = max(
            len(dataset["numbers"]) for dataset in data["datasets"]
        )
        if page_bytes <= MAX_PAGE_BYTES or most_lines == 1:
            break
        fewer_lines = int(most_lines * 0.9 * MAX_PAGE_BYTES / page_bytes)
        data = explorer(context, max(1, fewer_lines))
        text = render(context, data)
    return {NAME: text}


def render(
    context: ReportContext, data: Mapping[str, Any] | None, **variables: Any
) -> str:
    """Return the page as HTML. `data` are the sentences, as explorer() returns them, or None for a
    page without; `variables` of the template replace those of content().
    """
    linked = {}
    used_scripts = len(ALWAYS)
    if data:
        used_scripts = len(SCRIPTS)
        for dataset in data["datasets"]:
            linked[dataset["name"]] = dataset["systems"]
    template_variables = {
        **content(context, linked),
        **variables,
        "data": as_json(data),
        "pairs": as_json(pairs_data(context.results, data, context.digits)),
        "sentences": bool(data),
    }
    return shell.render(DESIGN, template_variables, used_scripts)


def as_json(data: object) -> str:
    """Return JSON for a script element: no character in it can end the element or a line of script."""
    text = json.dumps(
        data,
        ensure_ascii=False,
        separators=(",", ":"),
        allow_nan=False,
    )
    return text.translate(ESCAPES)


def content(
    context: ReportContext, linked: Mapping[str, Collection[str]]
) -> dict[str, Any]:
    """Return the variables of the template but for the sentences: leader boards, overviews, tables
    of extensions, warnings, digests and the config.

    `linked` are the systems, by data set, whose sentences the page has: boards link to them."""
    results = context.results
    config = context.config if isinstance(context.config, dict) else {}
    boards = []
    for number, group in enumerate(groups(results), 1):
        systems = linked.get(group.dataset, ())
        boards.append(board(context, group, number, systems))
    overview = overview_part(context)
    digests = []
    for name, info in results.datasets.items():
        for role, digest in info.digests.items():
            digests.append([name, shown_role(role), digest])
    digest_header = [
        "data set",
        "text",
        "digest of its lines (BLAKE2b, 128 bits)",
    ]
    findings = {}
    report_tables = means_tables(results, context.digits)
    report_tables += section("findings", (), context)
    for table in report_tables:
        header, rows = table.table
        findings[table.title] = PageTable(header, rows, left=table.text_columns)
    config_text = ""
    if config:
        config_text = FOLDERS.sub("…/", as_yaml(config))
    return {
        "title": _title(config, list(results.datasets)),
        "boards": boards,
        "overview": overview,
        "scores": as_json(overview["data"]),
        "types": type_maps(results, context.digits),
        "settings": settings_line(results),
        "lettered": bool(results.tests) and results.baseline is None,
        "human": section("human", None, context),
        "findings": findings,
        "expected": section("expected", None, context),
        "warnings": [*results.warnings, *map(str, results.missing)],
        "digests": PageTable(digest_header, digests, left=(0, 1, 2)),
        "config": config_text,
        "unread": bool(context.unread) or not context.corpora,
    }


def _title(config: Mapping[str, Any], datasets: list[str]) -> str:
    title = config.get("description")
    if isinstance(title, str) and title.strip():
        return title
    names = datasets[:MAX_TITLE_NAMES]
    if len(datasets) > MAX_TITLE_NAMES:
        names.append(f"{len(datasets) - MAX_TITLE_NAMES} more")
    return ", ".join(names) or "Evaluation"


def as_yaml(config: Mapping[str, Any]) -> str:
    """Return a config, whose scalars are all texts, as YAML. Texts such as 0.5 and true get no
    quotes, so that they stand as the user wrote them.
    """
    import yaml

    # The dumper quotes a text that would be read as another type: here that is
    # only null. The patterns of types are stored by the first character.
    resolvers = {}
    for character, tagged in yaml.SafeDumper.yaml_implicit_resolvers.items():
        resolvers[character] = [
            (tag, pattern) for tag, pattern in tagged if tag.endswith(":null")
        ]

    class Plain(yaml.SafeDumper):
        yaml_implicit_resolvers = resolvers

        def ignore_aliases(self, data: Any) -> bool:
            return True

    return yaml.dump(
        config,
        Dumper=Plain,
        sort_keys=False,
        allow_unicode=True,
        width=100,
    )


# --- systems by metrics


def board_names(results: Results) -> dict[tuple[str, str], str]:
    """Return the names of the boards by data set and metric: board-1, board-2 and so on."""
    names = {}
    for number, group in enumerate(groups(results), 1):
        names[group.dataset, group.metric] = f"board-{number}"
    return names


def overview_part(context: ReportContext) -> dict[str, Any]:
    """Return what shows all metrics together: `tables` of systems by metrics, and by the names of
    leader boards (see board_names()) `sentences`, the verdict on the best systems, and `data` for
    the script results.js.

    The data of a board are the systems, their scores as displayed, and their tests, see _tests()."""
    results = context.results
    names = board_names(results)
    tables = []
    for overview in overviews(results, context.digits):
        tables.append(_overview_table(context, overview, names))
    boards = {}
    sentences = {}
    for group in groups(results):
        name = names[group.dataset, group.metric]
        # The script multiplies scores by 100.
        unit = factor(group.metric) / 100
        systems = [score.system for score in group.scores]
        scores = [unit * score.score for score in group.scores]
        boards[name] = {
            "systems": systems,
            "scores": without_nan(scores),
            "tests": _tests(group, systems),
        }
        sentences[name] = verdict_sentence(group, context.digits)
    return {
        "tables": tables,
        "sentences": sentences,
        "data": {"digits": context.digits, "boards": boards},
    }


def _overview_table(
    context: ReportContext,
    overview: Overview,
    names: Mapping[tuple[str, str], str],
) -> dict[str, Any]:
    """Return an overview, a table of systems by metrics or data sets, for the template.

    `boards` has the name of each column's leader board, or "" for a column without scores. A row is
    the system, its kind (such as a reference) or "", and a cell for each column: the entry, and
    whether it is significantly better or worse than the baseline. `plots` has the chart of where
    the columns disagree. `names` are those of board_names()."""
    rows = []
    for system in overview.systems:
        cells = []
        for column in overview.columns:
            entry = column.entries.get(system)
            direction = ""
            if entry:
                direction = DIRECTIONS.get(entry.mark, "")
            cells.append({"entry": entry, "direction": direction})
        rows.append((system, overview.kinds.get(system, ""), cells))
    boards = []
    titled_groups = []
    for column in overview.columns:
        if column.is_score:
            boards.append(names[column.group.dataset, column.group.metric])
            titled_groups.append((column.heads[0], column.group))
        else:
            boards.append("")
    plots = {}
    if has_charts():
        from .charts import disagreement_chart

        # An overview is of the metrics on a data set, or of a metric on all of them.
        if overview.about.startswith(f"{overview.name}: "):
            rankings = section("rankings", (), context)
            plots = disagreement_chart(titled_groups, rankings, "metrics")
        else:
            plots = disagreement_chart(titled_groups, (), "data sets")
    return {
        "overview": overview,
        "boards": boards,
        "rows": rows,
        "plots": plots,
    }


def has_charts() -> bool:
    """Return whether the extension is installed that describes charts."""
    return "plots" in installed()


def _tests(group: Group, systems: Sequence[str]) -> str:
    """Return a sign for each two systems (UNTESTED, EQUAL or DIFFERENT): those of the first with all
    later ones, then of the second, and so on. "" if there is no test.
    """
    if not group.tests:
        return ""
    sign_of_pair = {}
    for test in group.tests:
        sign = DIFFERENT if group.results.is_significant(test) else EQUAL
        sign_of_pair[frozenset((test.system, test.other))] = sign
    signs = ""
    for pair in combinations(systems, 2):
        signs += sign_of_pair.get(frozenset(pair), UNTESTED)
    return signs


# --- leader boards


def board(
    context: ReportContext,
    group: Group,
    number: int,
    linked: Collection[str],
) -> dict[str, Any]:
    """Return the leader board of a metric on a data set for the template, with notes, charts and
    tables. The boards count from 1 (`number`).

    The systems in `linked` get links to their sentences on the page."""
    scores = group.scores
    digits = context.digits
    axis = interval_scale(scores)
    header, table_rows = group.ranked_table(digits, context.columns)
    best = group.best(digits)
    sentences = f"#dataset={quote(group.dataset)}&metric={quote(group.label)}"
    rows = []
    for score, cells in zip(scores, table_rows, strict=True):
        href = ""
        if score.system in linked:
            href = f"{sentences}&a={quote(score.system)}&sort=worst"
        # The first cells are rank, system and score.
        row = Row(
            rank=str(score.rank),
            system=score.system,
            score=cells[2],
            bar=interval_bar(score, axis),
            cells=cells[3:],
            best=score.system in best,
            href=href,
        )
        rows.append(row)
    plots = {}
    if has_charts():
        from .charts import board_charts

        plots = board_charts(group)
    pairs = None
    if group.tests:
        pair_header, pair_rows = group.pair_table(digits)
        pairs = PageTable(pair_header, pair_rows, left=(0, 1))
    return {
        "group": group,
        "called": group.called,
        "score": group.output,
        "name": f"board-{number}",
        "facts": group.info.size,
        "rows": rows,
        "axis": interval_axis(axis),
        "titles": header[3:],
        "notes": group.notes,
        "peer": scores[0].peer_signature or "",
        "plots": list(plots.items()),
        "orders": orders(scores, digits),
        "pairs": pairs,
    }


def orders(scores: Sequence[Score], digits: int) -> PageTable | None:
    """Return a table of the outputs of a metric that have a value for each order of n-grams, such as
    match_1, match_2 ...: a row for each system and order, and a column for `match`. None if there
    are none.
    """
    header: list[str] = []
    rows: list[list[str]] = []
    for score in scores:
        metric = class_of(score.metric)
        columns: dict[str, dict[int, str]] = {}
        all_orders: set[int] = set()
        for output, value in score.outputs.items():
            match = OF_ORDER.fullmatch(output)
            if match:
                order = int(match[2])
                all_orders.add(order)
                cell = output_cell(value, output, metric, digits)
                columns.setdefault(match[1], {})[order] = cell
        header = header or ["system", "n", *columns]
        for order in sorted(all_orders):
            cells = [column[order] for column in columns.values()]
            rows.append([score.system, str(order), *cells])
    return PageTable(header, rows) if rows else None
