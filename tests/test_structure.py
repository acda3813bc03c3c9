"""The shape of the program: which file imports which, and what is not imported at all until it is
needed.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

import pipeline
from pipeline import kernel
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator


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

FLOORS = [
    ["_version.py", "errors.py", "arrays.py"],
    ["extension.py"],
    ["lookup.py"],
    ["backends.py", "parallel.py"],
    ["kernel", "files"],
    ["tokenizers"],
    ["data"],
    ["metrics/options"],
    ["metrics/base"],
    ["metrics"],
    ["execution"],
    ["scoring"],
    ["report/tables"],
    ["report/terminal"],
    ["report"],
    ["stage.py"],
    ["prepare.py"],
    ["stages.py", "reopen.py"],
    ["evaluation.py"],
    ["api.py"],
    ["compat"],
    ["scorers.py"],
    ["rewards.py"],
    ["cli"],
    ["extensions"],
    ["__init__.py", "__main__.py"],
]
"""The rooms of the package, from the ground up: a file imports from its own room and from lower
floors."""
FACES = {
    "data",
    "data/config",
    "execution",
    "files",
    "metrics",
    "metrics/base",
    "metrics/options",
    "report",
    "report/tables",
    "report/terminal",
    "scoring",
    "tokenizers",
}
"""The packages with a face: other rooms import the names of `__all__` in `__init__.py`, and nothing
else of them."""
MAX_FACE = 25
"""Names in a face."""
MOST = 20
"""Python files in a folder, but for that of the commands, where each is a file."""

FILES = {
    path.relative_to(PACKAGE).as_posix(): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


class Import(NamedTuple):
    """An import of one file of the package by another: the line, the file, whether only type
    checkers see it, and the name.
    """

    line: int
    file: str
    typing: bool
    name: str


def room(file: str) -> str:
    """Return the innermost room whose folder a file is in, or the file itself where it is one."""
    rooms = [room for floor in FLOORS for room in floor]
    own = [
        name for name in rooms if file == name or file.startswith(f"{name}/")
    ]
    assert own, f"{file} is in no room: see FLOORS"
    return max(own, key=len)


def floor(file: str) -> int:
    """Return the number of the floor of a file, from the ground up."""
    return next(
        number for number, rooms in enumerate(FLOORS) if room(file) in rooms
    )


def is_typing(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in (
        "TYPE_CHECKING",
        "typing.TYPE_CHECKING",
    )


def outside_functions(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports of a file, but for those inside functions and those that only type checkers
    see.
    """
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif not is_typing(child) and not isinstance(child, ast.FunctionDef):
            yield from outside_functions(child)


@cache
def parsed(name: str) -> ast.Module:
    """Return the tree of a file of the package."""
    return ast.parse(FILES[name].read_text(encoding="utf-8"))


@cache
def imported(name: str) -> list[Import]:
    """Return what a file imports of the package: at its top, inside functions and for type
    checkers.
    """
    package = list(Path(name).parent.parts)
    tree = parsed(name)
    typing = {
        id(node)
        for block in ast.walk(tree)
        if is_typing(block)
        for node in ast.walk(block)
    }
    files = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.Import):
            parts = [
                a.name.split(".")[1:]
                for a in node.names
                if a.name.split(".")[0] == "pipeline"
            ]
        elif node.level:
            base = package[: len(package) - node.level + 1] + (
                node.module.split(".") if node.module else []
            )
            parts = [[*base, alias.name] for alias in node.names]
        elif node.module and node.module.split(".")[0] == "pipeline":
            parts = [
                [*node.module.split(".")[1:], alias.name]
                for alias in node.names
            ]
        else:
            parts = []
        for one in parts:
            file = known(one)
            if file:
                is_typing_only = id(node) in typing
                name_of_import = one[-1] if one else ""
                files.append(
                    Import(node.lineno, file, is_typing_only, name_of_import)
                )
    return files


def known(parts: list[str]) -> str | None:
    """Return the file that an import of parts reads: a module, or the package or module that a name
    is in.

    None for compiled modules, which are no files of Python, and for extensions that are deleted.
    """
    for end in (parts, parts[:-1]):
        for name in ("/".join(end) + ".py", "/".join([*end, "__init__.py"])):
            if name in FILES:
                return name
    if parts[0] == "extensions" and not PACKAGE.joinpath(*parts[:2]).is_dir():
        return None  # the extension is deleted
    sources = [
        PACKAGE.joinpath(*end).with_suffix(".pyx")
        for end in (parts, parts[:-1])
        if end
    ]
    assert any(source.is_file() for source in sources), (
        f"import of {'.'.join(parts)}, which is no file of the package"
    )
    return None


def test_the_reader_of_imports_sees_what_is_known_to_be_there() -> None:
    """By reading: else the tests below could pass because nothing was found."""
    of_stages = {item.file for item in imported("stages.py")}
    assert {
        "prepare.py",
        "stage.py",
        "execution/__init__.py",
        "scoring/__init__.py",
        "kernel/__init__.py",
    } <= of_stages
    # inside a function
    assert "stages.py" in {
        item.file for item in imported("cli/commands/run.py")
    }
    assert any(item.typing for item in imported("kernel/__init__.py"))


def test_files_import_from_their_own_room_and_from_lower_floors() -> None:
    wrong = [
        f"pipeline/{name}:{item.line} imports {item.file}, of {room(item.file)}"
        for name in FILES
        for item in imported(name)
        if room(item.file) != room(name) and floor(item.file) >= floor(name)
    ]
    assert wrong == []


def face(package: str) -> set[str]:
    """Return the names in `__all__` of a package."""
    for node in parsed(f"{package}/__init__.py").body:
        if (
            isinstance(node, ast.Assign)
            and ast.unparse(node.targets[0]) == "__all__"
        ):
            return set(ast.literal_eval(node.value))
    raise AssertionError(f"{package} has no __all__")


@pytest.mark.parametrize("package", sorted(FACES))
def test_a_face_has_few_names_which_are_all_there(package: str) -> None:
    names = face(package)
    assert len(names) <= MAX_FACE
    module = import_module(f"pipeline.{package.replace('/', '.')}")
    assert [name for name in sorted(names) if not hasattr(module, name)] == []


def test_rooms_with_a_face_are_imported_through_it() -> None:
    wrong = []
    for name in FILES:
        for item in imported(name):
            package = str(Path(item.file).parent)
            rooms = [
                one for one in FACES if f"{package}/".startswith(f"{one}/")
            ]
            if not rooms or name.split("/")[0] == item.file.split("/")[0]:
                continue
            is_face = item.file == f"{package}/__init__.py" and package in FACES
            if not is_face or item.name not in face(package):
                wrong.append(
                    f"pipeline/{name}:{item.line} imports {item.name} of {item.file}"
                )
    assert wrong == []


def test_there_are_no_circles() -> None:
    """Imports for type checkers counted: files that name each other have to be understood together."""
    graph = {
        name: {item.file for item in imported(name) if item.file != name}
        for name in FILES
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"imports go round: {' -> '.join(error.args[1])}")


def test_no_folder_has_more_files_than_can_be_seen_at_a_glance() -> None:
    counted = Counter(
        str(Path(name).parent)
        for name in FILES
        if not name.endswith("__init__.py")
    )
    assert {
        folder: count
        for folder, count in counted.items()
        if count > MOST and folder != "cli/commands"
    } == {}


VAGUE = {"found", "made", "told", "some"}
"""Words that do not say what a thing is: no names for what a reader has to remember."""


def vague_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and name of parameters and variables of functions that are called so and live over
    ten lines.
    """
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            uses: dict[str, list[int]] = {}
            for node in ast.walk(function):
                if isinstance(node, ast.arg | ast.Name):
                    uses.setdefault(
                        node.arg if isinstance(node, ast.arg) else node.id, []
                    ).append(node.lineno)
            for name in sorted(VAGUE & uses.keys()):
                if max(uses[name]) - min(uses[name]) > 10:
                    yield min(uses[name]), name


def test_names_that_live_long_say_what_they_are() -> None:
    assert {
        name: wrong
        for name in FILES
        if (wrong := list(vague_names(parsed(name))))
    } == {}


def test_vague_names_are_seen() -> None:
    """By hand: found lives from line 1 to line 13, made two lines."""
    filler = "    pass\n" * 10
    text = f"def f(found):\n    made = 1\n    print(made)\n{filler}    return found\n"
    assert list(vague_names(ast.parse(text))) == [(1, "found")]


def test_many_fields_are_given_by_keyword() -> None:
    """A dataclass with more than five fields, or a NamedTuple made so often, cannot be read by
    position.
    """
    wrong = []
    for name in FILES:
        for node in ast.walk(parsed(name)):
            if not isinstance(node, ast.ClassDef):
                continue
            decorators = [
                ast.unparse(decorator) for decorator in node.decorator_list
            ]
            fields = [
                child
                for child in node.body
                if isinstance(child, ast.AnnAssign)
                and not is_class_variable(child)
            ]
            if (
                any(
                    "dataclass(" in text and "kw_only" not in text
                    for text in decorators
                )
                and len(fields) > 5
            ):
                wrong.append(
                    f"{name}:{node.lineno} {node.name}: {len(fields)} fields"
                )
    assert [
        text
        for text in wrong
        if "metrics/" not in text and "extensions/" not in text
    ] == []


def is_class_variable(node: ast.AnnAssign) -> bool:
    return ast.unparse(node.annotation).startswith("ClassVar")


def test_the_guide_names_every_room() -> None:
    guide = (PACKAGE / "help" / "extending.md").read_text(encoding="utf-8")
    text = guide.partition("## The rooms")[2].partition("\n## ")[0]
    tops = {name.split("/")[0] for rooms in FLOORS for name in rooms}
    tops -= {"__init__.py", "__main__.py"}
    assert [
        name
        for name in sorted(tops)
        if f"`{name}`" not in text and f"`{name}/`" not in text
    ] == []


def test_peers_and_optional_packages_are_not_imported_when_a_file_is() -> None:
    found = set()
    for name in FILES:
        for node in outside_functions(parsed(name)):
            modules = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
            )
            absolute = isinstance(node, ast.Import) or not node.level
            found |= {
                (name, module.split(".")[0]) for module in modules if absolute
            }
    assert [(name, module) for name, module in found if module in PEERS] == []
    assert ("kernel/python/draws.py", "numpy") in found


NATIVE = "pipeline.kernel.native"


def loaded(code: str, names: list[str]) -> list[str]:
    """Run code in a Python of its own; return which of the modules it has imported."""
    end = f"\nimport sys; print(*[n for n in {names!r} if n in sys.modules], file=sys.stderr)"
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(str(pipeline.__file__)).parents[1]),
    }
    done = subprocess.run(
        [sys.executable, "-c", code + end],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
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
    assert loaded(
        "import pipeline.data.config.load, pipeline.stages", HEAVY
    ) == [
        "numpy",
        "pydantic",
        "yaml",
    ]


def test_scoring_without_a_config_costs_none() -> None:
    """Nor is the kernel chosen before it is asked for, as an annotation such as `kernel.Drawer`
    would have it.
    """
    code, names = (
        "import pipeline.api, pipeline.cli.commands.score",
        [*HEAVY, NATIVE],
    )
    assert loaded(code, names) == ["numpy"]
    assert loaded(f"{code}; pipeline.kernel.name()", [NATIVE]) == [NATIVE] * (
        kernel.name() == "native"
    )


def test_joblib_is_imported_only_for_workers(tmp_path: Path) -> None:
    config = ROOT / "configs" / "quickstart.yaml"
    code = f"from pipeline.cli import main; main(['run', {str(config)!r}, '-q', '--output', {str(tmp_path / 'run')!r}])"
    assert loaded(code, ["joblib", *sorted(PEERS)]) == []


def test_every_command_is_listed_and_has_its_file() -> None:
    from pipeline.cli.dispatch import CORE_COMMANDS

    assert set(CORE_COMMANDS) == {
        path.stem for path in (PACKAGE / "cli" / "commands").glob("*.py")
    } - {"__init__"}
