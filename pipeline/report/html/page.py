"""The report as one HTML file that needs no other: `assets/page.html`, filled in as `shell.py` says.

The data of the scripts is JSON in which no character can end the element around it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ..console import by_order
from ..tables.comparisons import Directions, baseline_of, marked_settings, pair_table, tests_of
from ..tables.people import finding_tables
from ..tables.plot_data import pair_matrix, precision_rows, rank_rows
from ..tables.ranked import best_of, groups, notes_of, ranked_table, size
from ..tables.reproduction import expectation_table, misses
from . import shell
from .explorer import explorer, pairs_data
from .sections import overview_part, people_part, type_maps
from .shell import PageTable, Row
from .svg import drawn, interval_axis, interval_bar, interval_scale

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ...scoring.results import Score
    from ..material import Material
    from ..tables.ranked import Group

ALWAYS = ("base.js", "results.js", "boxes.js", "copying.js")
"""The scripts that work without sentences too, in the order in which they run: the first before the page is drawn."""
SENTENCES = (
    "words.js",
    "data.js",
    "ngrams.js",
    "edits.js",
    "sentence.js",
    "example.js",
    "explorer.js",
    "compare.js",
    "keys.js",
)
"""The scripts of the sentences, in the order in which they run, after the others."""
SCRIPTS = (*ALWAYS, *SENTENCES)
STYLES = ("page.css", "sentences.css", "print.css")
"""The style sheets. Where two say something else, the later one holds."""
DESIGN = shell.Design("page.html", STYLES, SCRIPTS)


NAME = "report.html"
ESCAPES = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029\u007f"})
LARGEST = 14_500_000
"""A page of more bytes is made again with fewer sentences, unless their number was asked for."""


def html_files(material: Material) -> dict[str, str]:
    """Return report.html. Needs jinja2."""
    data = explorer(material, material.lines)
    text = render(material, data)
    while data and material.lines is None and (size := len(text.encode())) > LARGEST:
        most = max(len(dataset["numbers"]) for dataset in data["datasets"])
        if most == 1:
            break
        data = explorer(material, max(1, int(most * 0.9 * LARGEST / size)))
        text = render(material, data)
    return {NAME: text}


def render(material: Material, data: Mapping[str, Any] | None) -> str:
    """Return the page. `data` is what explorer() returned."""
    linked = {dataset["name"]: dataset["systems"] for dataset in data["datasets"]} if data else {}
    pairs = as_json(pairs_data(material.results, data, material.digits))
    more = {"data": as_json(data), "pairs": pairs, "sentences": bool(data)}
    return shell.render(DESIGN, {**content(material, linked), **more}, None if data else len(ALWAYS))


def as_json(data: object) -> str:
    """Return JSON for a script element: no character in it can end the element or a line of script."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate(ESCAPES)


def content(material: Material, linked: Mapping[str, Collection[str]]) -> dict[str, Any]:
    """Return the variables of the template. They depend on results, config and version alone.

    `linked` names the systems of each data set whose sentences the page has.
    """
    results = material.results
    findings = finding_tables(results, material.digits)
    config = material.config if isinstance(material.config, dict) else {}
    digests = [[name, *item] for name, info in results.datasets.items() for item in info.digests.items()]
    title, overview = config.get("description"), overview_part(results, material.digits)
    return {
        "title": title if isinstance(title, str) and title.strip() else listed(list(results.datasets)) or "Evaluation",
        "boards": [
            board(material, group, number, linked.get(group.dataset, ()))
            for number, group in enumerate(groups(results), 1)
        ],
        "overview": overview,
        "scores": as_json(overview["data"]),
        "types": type_maps(results, material.digits),
        "settings": marked_settings(results),
        "lettered": bool(results.tests) and baseline_of(results) is None,
        "human": people_part(material),
        "findings": {title: PageTable(*table, left=left) for title, table, left in findings},
        "expected": expected(results.expectations) if results.expectations else None,
        "warnings": [*results.warnings, *map(str, results.missing)],
        "digests": PageTable(["data set", "text", "digest of its lines (BLAKE2b, 128 bits)"], digests, left=(0, 1, 2)),
        "config": as_yaml(config) if config else "",
        "unread": bool(material.unread) or not material.corpora,
    }


def listed(names: Sequence[str]) -> str:
    """Return names as the title of a page: at most three, and how many more there are."""
    return ", ".join([*names[:3], *([f"{len(names) - 3} more"] if len(names) > 3 else [])])


def as_yaml(config: Mapping[str, Any]) -> str:
    """Return a config as YAML with its scalars as they were written. They are text, and get no quotes."""
    import yaml

    class Plain(yaml.SafeDumper):
        yaml_implicit_resolvers = {  # noqa: RUF012 (PyYAML wants it so)
            first: [(tag, pattern) for tag, pattern in resolvers if tag.endswith(":null")]
            for first, resolvers in yaml.SafeDumper.yaml_implicit_resolvers.items()
        }

        def ignore_aliases(self, data: Any) -> bool:
            del data
            return True

    text: str = yaml.dump(config, Dumper=Plain, sort_keys=False, allow_unicode=True, width=100)
    return text


def board(material: Material, group: Group, number: int, linked: Collection[str]) -> dict[str, Any]:
    """Return the leader board of a metric, with notes, plots and tables. The systems in `linked` get links."""
    scores, results, digits = group.scores, material.results, material.digits
    where = interval_scale(scores)
    tests = tests_of(results, scores[0])
    marks = Directions(tests)
    header, cells = ranked_table(results, scores, digits, material.columns)
    best = best_of(results.datasets[group.dataset], group, digits)
    rows = [
        Row(
            str(score.rank),
            score.system,
            cell[2],
            interval_bar(score, where),
            marks.marked(cell[3:], score.system, baseline_of(results)),
            score.system in best,
            _sentences(group, score.system) if score.system in linked else "",
        )
        for score, cell in zip(scores, cells, strict=True)
    ]
    ranges, precisions = rank_rows(scores), precision_rows(results, scores)
    plots = {
        **(drawn("Rank ranges", ranges) if ranges and len(ranges.names) > 1 else {}),
        **(
            drawn("Precision of each order", precisions)
            if precisions and min(len(rows), len(precisions.columns)) > 1
            else {}
        ),
        **drawn("p-values of pairs", pair_matrix(results, scores, digits)),
    }
    titles, compared = pair_table(results, tests, digits)
    pairs = PageTable(titles, marks.pairs(compared), left=(0, 1)) if tests else None
    return {
        "group": group,
        "name": f"board-{number}",
        "facts": size(results.datasets[group.dataset]),
        "rows": rows,
        "axis": interval_axis(where),
        "titles": header[3:],
        "notes": notes_of(scores),
        "peer": scores[0].peer_signature or "",
        "plots": list(plots.items()),
        "orders": orders(scores, digits),
        "pairs": pairs,
    }


def _sentences(group: Group, system: str) -> str:
    """Return the address of the sentences of a system on this page, the worst first."""
    return f"#dataset={quote(group.dataset)}&metric={quote(group.label)}&a={quote(system)}&sort=worst"


def orders(scores: Sequence[Score], digits: int) -> PageTable | None:
    """Return all outputs that have a value for each order, with a row for each system and order."""
    tables = {score.system: by_order(score, digits) for score in scores}
    header, rows = tables[scores[0].system]
    if not rows:
        return None
    return PageTable(["system", *header], [[name, *row] for name, (_, own) in tables.items() for row in own])


def expected(expectations: dict[str, Any]) -> dict[str, Any]:
    """Return the verdicts on what was expected, and what was missed."""
    return {
        "table": PageTable(*expectation_table(expectations), left=(1, 4)),
        "entries": len(expectations["entries"]),
        "missed": len(expectations["missed"]),
        "misses": list(misses(expectations)),
    }
