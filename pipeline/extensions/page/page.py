"""The report as one HTML file that needs no other: `assets/page.html`, filled in as `shell.py`
says.

The data of the scripts is JSON in which no character can end the element around it.
"""

import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from pipeline.extensions.edits.by_type import NONE, TIER, TIERS, Types, of_system, types_of
from pipeline.extensions.human.stages import human_data_of, human_ranking_of
from pipeline.extensions.human.tables import (
    AGREEMENT_TABLES,
    head_to_head_table,
    judged_table,
)
from pipeline.extensions.plots.plot_data import (
    curves_of,
    disagreement,
    forests,
    judged_rows,
    rank_rows,
    scatters,
)
from pipeline.extensions.published.report_tables import finding_tables
from pipeline.extensions.published.tables import expectation_table, misses
from pipeline.metrics.names import factor
from pipeline.report.console import by_order
from pipeline.report.context import ReportContext
from pipeline.report.overview import overviews, verdict_sentence
from pipeline.report.tables import shown_level, shown_role
from pipeline.report.tables.comparisons import (
    BETTER,
    WORSE,
    baseline_of,
    is_significant,
    pair_table,
    settings_line,
)
from pipeline.report.tables.extra_tables import means_tables
from pipeline.report.tables.ranked import Group, best_of, groups, notes_of, ranked_table, size
from pipeline.scoring.results import Results, Score, without_nan

from . import shell
from .explorer import explorer, pairs_data
from .shell import PageTable, Row
from .svg import Drawing, drawn, interval_axis, interval_bar, interval_scale

if TYPE_CHECKING:
    from pipeline.extensions.human.human_judgements import HumanRanking

UNTESTED, EQUAL, DIFFERENT = "-=*"
"""What the data says of a pair of systems: no test, a test that did not tell them apart, one that
did."""
DIRECTIONS = {BETTER: "better", WORSE: "worse"}
SHADES = 10
"""How many shades a map has beside that of 0."""


class Shade(NamedTuple):
    """A cell of a table in which shades say how high the numbers are."""

    text: str
    kind: str
    """The class of the style sheet: h0 for a score of 0, up to h10, or none."""
    title: str = ""
    """All numbers, which the pointer shows."""


def overview_part(
    results: Results, digits: int, judged: "HumanRanking | None" = None
) -> dict[str, Any]:
    """Return the overviews, the sentences of metrics by the names of their boards, and the data of
    `results.js`.

    The boards are called board-1, board-2 and so on, in the order of the results. An overview comes
    with the boards of its columns, and with the rows of its systems: name, kind or nothing, and a
    cell for each column. A cell has what the metric says, and whether that is significantly better
    or worse than the baseline."""
    own = groups(results)
    names = {
        (group.dataset, group.metric): f"board-{number}" for number, group in enumerate(own, 1)
    }
    tables = []
    for overview in overviews(results, digits):
        rows = []
        for name in overview.systems:
            entries = [column.entries.get(name) for column in overview.columns]
            cells = [
                {"entry": one, "direction": DIRECTIONS.get(one.mark, "") if one else ""}
                for one in entries
            ]
            rows.append((name, overview.kinds.get(name, ""), cells))
        metric_results = [
            names[c.group.dataset, c.group.metric] if c.is_score else "" for c in overview.columns
        ]
        titled = [(column.heads[0], column.group) for column in overview.columns if column.is_score]
        what = "metrics" if overview.about.startswith(f"{overview.name}: ") else "data sets"
        plots = drawn(
            f"Where {what} disagree",
            disagreement(titled, judged if what == "metrics" else None, what),
        )
        tables.append(
            {"overview": overview, "boards": metric_results, "rows": rows, "plots": plots}
        )
    data = {}
    for group in own:
        scores = without_nan([factor(group.metric) / 100 * score.score for score in group.scores])
        systems = [score.system for score in group.scores]
        metric_result = {
            "systems": systems,
            "scores": scores,
            "tests": _tests(results, group, systems),
        }
        data[names[group.dataset, group.metric]] = metric_result
    sentences = {
        names[group.dataset, group.metric]: verdict_sentence(results, group, digits)
        for group in own
    }
    return {"tables": tables, "sentences": sentences, "data": {"digits": digits, "boards": data}}


def _tests(results: Results, group: Group, names: Sequence[str]) -> str:
    """Return a sign for each pair of systems, row by row of the part above the diagonal; "" where
    there is no test.
    """
    signs = {
        frozenset((test.system, test.other)): DIFFERENT if is_significant(test, results) else EQUAL
        for test in group.tests
    }
    return (
        "".join(signs.get(frozenset(pair), UNTESTED) for pair in combinations(names, 2))
        if signs
        else ""
    )


def type_maps(results: Results, digits: int) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return the maps of each data set and metric that has scores by type, the tier that is open
    before others.

    A map has a row for each type, a column for each system, and a table of all numbers. Tiers that
    have no types of their own are left out."""
    maps: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for tier in sorted(TIERS, key=lambda tier: (tier != TIER, tier)):
        for types in types_of(results, tier):
            own = maps.setdefault((types.group.dataset, types.group.metric), [])
            if types.tier == tier or not own:
                rows = [
                    (name, [_shade(types, one, name, digits) for one in types.systems])
                    for name in types.names
                ]
                tables = {system: of_system(types, system, digits) for system in types.systems}
                header = next(iter(tables.values()))[0]
                numbers = [
                    [row[0], system, *row[1:]]
                    for system, table in tables.items()
                    for row in table[1]
                ]
                numbers.sort(key=lambda row: types.names.index(row[0]))
                whole = PageTable([header[0], "system", *header[1:]], numbers, left=(0, 1))
                title = f"By type: {TIERS[types.tier]}"
                own.append(
                    {
                        "title": title,
                        "is_open": not own,
                        "names": types.systems,
                        "rows": rows,
                        "numbers": whole,
                    }
                )
    return maps


def _shade(types: Types, system: str, name: str, digits: int) -> Shade:
    cell = types.cells.get((system, name))
    if cell is None:
        return Shade(NONE, "none", f"{system}, {name}: does not occur")
    texts = [
        f"{output} {types.shown(system, name, output, digits)}"
        for output in (*types.fractions, *types.counts)
    ]
    texts[0] += f" ({types.level}: {types.interval(system, name, digits)})" if types.level else ""
    shown, number = (
        types.shown(system, name, types.fractions[0], digits),
        max(1, round(cell.score * SHADES)),
    )
    return Shade(
        shown, f"h{number if cell.score > 0 else 0}", f"{system}, {name}: {', '.join(texts)}"
    )


def people_part(context: ReportContext, judged: "HumanRanking | None") -> dict[str, Any] | None:
    """Return tables and plots of how people rank the systems, and of how the metrics agree with
    them.
    """
    results = context.results
    if not results.human or not results.human.get("correlations"):
        return None
    shown = judged and ranking(judged, results.human["settings"])
    return {
        "ranking": shown,
        "unread": not judged and human_data_of(context) is None,
        **agreement(results),
    }


def ranking(judged: "HumanRanking", settings: dict[str, Any]) -> dict[str, Any]:
    """Return how people rank the systems; `settings` are those of the section `human`."""
    from pipeline.extensions.human.judgment_summary import ranked_by_name

    order, shares = judged.ranked.order, judged.pairs.share
    header, rows = head_to_head_table(judged.pairs, judged.systems, order)
    shaded = []
    for row, line in zip(rows, order, strict=True):
        own = [float(shares[column, line]) for column in order]
        kinds = ["none" if math.isnan(share) else f"h{round(share * SHADES)}" for share in own]
        shaded.append((row[0], [Shade(*cell) for cell in zip(row[1:], kinds, strict=True)]))
    note = (
        f"Expected Wins of all systems that people judged. Rank ranges are those of {settings['resamples']:,} "
        f"bootstrap samples of the judgements, at {shown_level(settings['level'])}; the ranges of different clusters "
        "do not overlap."
    )
    scores = ranked_by_name(judged.ranked, judged.systems)
    return {
        "note": note,
        "plots": drawn("Ranks by people", judged_rows(judged)),
        "table": PageTable(*judged_table(scores, "Expected Wins", digits=3), left=(1,)),
        "pairs": {"names": header[1:], "rows": shaded},
    }


def agreement(results: Results) -> dict[str, Any]:
    """Return tables and plots of how the metrics agree with people."""
    human = results.human or {}
    plots: dict[str, Drawing] = {}
    for _, _, what, rows in forests(results):
        plots |= drawn(what.capitalize(), rows)
    for group, name, what, points in scatters(results):
        plots |= drawn(f"{group.called} and {name.replace('_', ' ')}: {what}", points)
    made = (
        (one.title, PageTable(*one.table(human), left=range(one.texts))) for one in AGREEMENT_TABLES
    )
    tables = {title[0].upper() + title[1:]: table for title, table in made if table.rows}
    return {"plots": list(plots.items()), "tables": tables}


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
"""The style sheets. Where two say something else, the later one holds."""
DESIGN = shell.Design("page.html", STYLES, SCRIPTS)

NAME = "report.html"
ESCAPES = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029\u007f"})
FOLDERS = re.compile(r"(?m)(?<=[:-] )(?:/|[A-Z]:[/\\])[^\n]*[/\\](?=[^/\\\n]+[/\\][^/\\\n]+$)")
"""The folders at the beginning of an absolute path in a config, but for the last one: they tell
readers nothing."""
LARGEST = 14_500_000
"""A page of more bytes is made again with fewer sentences, unless their number was asked for."""


def html_files(context: ReportContext) -> dict[str, str]:
    """Return report.html. StatisticsSpec jinja2."""
    data = explorer(context, context.lines)
    text = render(context, data)
    while data and context.lines is None and (size := len(text.encode())) > LARGEST:
        most = max(len(dataset["numbers"]) for dataset in data["datasets"])
        if most == 1:
            break
        data = explorer(context, max(1, int(most * 0.9 * LARGEST / size)))
        text = render(context, data)
    return {NAME: text}


def render(context: ReportContext, data: Mapping[str, Any] | None, **told: Any) -> str:
    """Return the page. `data` is what explorer() returned; `told` takes the place of variables of
    content().
    """
    linked = {dataset["name"]: dataset["systems"] for dataset in data["datasets"]} if data else {}
    pairs = as_json(pairs_data(context.results, data, context.digits))
    more = {"data": as_json(data), "pairs": pairs, "sentences": bool(data)}
    return shell.render(
        DESIGN, {**content(context, linked), **told, **more}, None if data else len(ALWAYS)
    )


def as_json(data: object) -> str:
    """Return JSON for a script element: no character in it can end the element or a line of script."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(
        ESCAPES
    )


def content(context: ReportContext, linked: Mapping[str, Collection[str]]) -> dict[str, Any]:
    """Return the variables of the template. They depend on results, config and version alone.

    `linked` names the systems of each data set whose sentences the page has.
    """
    results = context.results
    findings = [*means_tables(results, context.digits), *finding_tables(results)]
    config = context.config if isinstance(context.config, dict) else {}
    texts = [
        (name, *item) for name, info in results.datasets.items() for item in info.digests.items()
    ]
    digests = [[name, shown_role(role), digest] for name, role, digest in texts]
    judged = human_ranking_of(context)
    title, overview = config.get("description"), overview_part(results, context.digits, judged)
    names = list(results.datasets)
    more = [f"{len(names) - 3} more"] if len(names) > 3 else []
    return {
        "title": title
        if isinstance(title, str) and title.strip()
        else ", ".join([*names[:3], *more]) or "Evaluation",
        "boards": [
            metric_result(context, group, number, linked.get(group.dataset, ()))
            for number, group in enumerate(groups(results), 1)
        ],
        "overview": overview,
        "scores": as_json(overview["data"]),
        "types": type_maps(results, context.digits),
        "settings": settings_line(results.statistics) if results.statistics else "",
        "lettered": bool(results.tests) and baseline_of(results) is None,
        "human": people_part(context, judged),
        "findings": {one.title: PageTable(*one.table, left=one.text_columns) for one in findings},
        "expected": results.expectations
        and {
            "table": PageTable(*expectation_table(results.expectations), left=(1, 4)),
            "entries": len(results.expectations["entries"]),
            "missed": len(results.expectations["missed"]),
            "misses": list(misses(results.expectations)),
        },
        "warnings": [*results.warnings, *map(str, results.missing)],
        "digests": PageTable(
            ["data set", "text", "digest of its lines (BLAKE2b, 128 bits)"], digests, left=(0, 1, 2)
        ),
        "config": FOLDERS.sub("…/", as_yaml(config)) if config else "",
        "unread": bool(context.unread) or not context.corpora,
    }


def as_yaml(config: Mapping[str, Any]) -> str:
    """Return a config as YAML with its scalars as they were written. They are text, and get no
    quotes.
    """
    import yaml

    class Plain(yaml.SafeDumper):
        yaml_implicit_resolvers = {  # noqa: RUF012 (PyYAML wants it so)
            first: [(tag, pattern) for tag, pattern in resolvers if tag.endswith(":null")]
            for first, resolvers in yaml.SafeDumper.yaml_implicit_resolvers.items()
        }

        def ignore_aliases(self, data: Any) -> bool:
            return True

    return yaml.dump(config, Dumper=Plain, sort_keys=False, allow_unicode=True, width=100)


def metric_result(
    context: ReportContext, group: Group, number: int, linked: Collection[str]
) -> dict[str, Any]:
    """Return the leader board of a metric, with notes, plots and tables. The systems in `linked`
    get links.
    """
    scores, results, digits = group.scores, context.results, context.digits
    where = interval_scale(scores)
    header, cells = ranked_table(results, scores, digits, context.columns)
    best = best_of(results.datasets[group.dataset], group, digits)
    sentences = (
        f"#dataset={quote(group.dataset)}&metric={quote(group.label)}"  # their address on this page
    )
    rows = [
        Row(
            str(score.rank),
            score.system,
            cell[2],
            interval_bar(score, where),
            cell[3:],
            score.system in best,
            f"{sentences}&a={quote(score.system)}&sort=worst" if score.system in linked else "",
        )
        for score, cell in zip(scores, cells, strict=True)
    ]
    plots: dict[str, Drawing] = {}
    for curves in curves_of([("", results, group)]):
        plots |= drawn(f"Scores by {curves.x_axis}", curves)
    plots |= (
        drawn("Rank ranges", ranges)
        if (ranges := rank_rows(scores)) and len(ranges.names) > 1
        else {}
    )
    return {
        "group": group,
        "called": group.called,
        "score": group.output,
        "name": f"board-{number}",
        "facts": size(results.datasets[group.dataset]),
        "rows": rows,
        "axis": interval_axis(where),
        "titles": header[3:],
        "notes": notes_of(scores),
        "peer": scores[0].peer_signature or "",
        "plots": list(plots.items()),
        "orders": orders(scores, digits),
        "pairs": PageTable(*pair_table(results, group.tests, digits), left=(0, 1))
        if group.tests
        else None,
    }


def orders(scores: Sequence[Score], digits: int) -> PageTable | None:
    """Return all outputs that have a value for each order, with a row for each system and order."""
    tables = {score.system: by_order(score, digits) for score in scores}
    header, rows = tables[scores[0].system]
    if not rows:
        return None
    return PageTable(
        ["system", *header], [[name, *row] for name, (_, own) in tables.items() for row in own]
    )
