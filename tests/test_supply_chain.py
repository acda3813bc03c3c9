"""What is installed to build and test releases, and what the workflow runs, is pinned."""

from __future__ import annotations

import re
import tomllib

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT

DATE = "1577836800"
"""The date of the files in a wheel (SOURCE_DATE_EPOCH)."""
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def pinned() -> dict[str, str]:
    """Return the version of each package in the constraints."""
    text = (ROOT / ".github" / "constraints.txt").read_text("utf-8")
    rows = [
        line for line in text.splitlines() if line and not line.startswith("#")
    ]
    pairs = [
        re.fullmatch(r"([A-Za-z0-9._-]+)==([A-Za-z0-9.]+)", row) for row in rows
    ]
    assert None not in pairs, "a line is no NAME==VERSION"
    return {canonicalize_name(pair[1]): pair[2] for pair in pairs if pair}


def test_actions_are_pinned_by_commit() -> None:
    used = [
        line
        for path in WORKFLOWS
        for line in path.read_text("utf-8").splitlines()
        if "uses:" in line
    ]
    assert len(used) > 3
    right = r" *- uses: [a-z]+/[a-z-]+@[0-9a-f]{40}  # v[0-9]+\.[0-9]+\.[0-9]+"
    assert [line for line in used if not re.fullmatch(right, line)] == []


def test_the_constraints_fit_what_is_required() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    texts = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *project["project"]["optional-dependencies"]["test"],
    ]
    versions = pinned()
    for requirement in map(Requirement, texts):
        version = versions[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), (
            f"{requirement} is pinned to {version}"
        )


def test_the_workflow_builds_with_the_constraints_and_the_date() -> None:
    text = (ROOT / ".github" / "workflows" / "wheels.yml").read_text("utf-8")
    assert text.count("/.github/constraints.txt") == 2
    assert text.count(f"SOURCE_DATE_EPOCH={DATE}") == 2
    commands = re.findall(r"pipx run (\S+)", text)
    assert commands
    assert [name for name in commands if "==" not in name] == []
