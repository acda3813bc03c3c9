"""The page of a run whose texts are joined by ids."""

from pathlib import Path

import pipeline
from pipeline.extensions.page.explorer import explorer
from pipeline.reopen import revisit
from tests.config_files import write
from tests.data.test_shapes import IDS, JOINED, _here  # noqa: F401 (a fixture)


def test_the_page_has_the_ids_of_lines() -> None:
    write({"c.yaml": JOINED})
    pipeline.run("c.yaml")
    displayed = explorer(revisit(Path("out")))
    assert displayed
    assert displayed["datasets"][0]["ids"] == IDS
