"""M2 files at an address."""

from pathlib import Path

import pytest

from tests.config_files import write
from tests.files.test_remote import running, server  # noqa: F401 (fixtures)
from tests.support.in_process import run_command
from tests.support.web import Server


def test_m2_files_are_read(
    server: Server,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    server.files["a.m2"] = b"S a b\nA 0 1|||R|||c|||REQUIRED|||-NONE-|||0\n\n"
    config = f"""\
datasets: {{d: {{m2: '{server.url("a.m2")}'}}}}
systems: {{A: b.txt}}
metrics: [gleu]
"""
    write({"b.txt": "c b\n", "c.yaml": config})
    run_command(f"run c.yaml --output {tmp_path / 'run'} -q")
