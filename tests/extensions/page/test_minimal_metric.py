"""What the page shows of a metric that has only what a metric must have."""

from pathlib import Path

from pipeline import reopen
from pipeline.extensions.page.explorer import explorer
from tests.metrics.test_minimal import (  # noqa: F401 (fixtures)
    Hits,
    RuledHits,
    ToldHits,
    directory,
    kind,
)

FIELDS = {Hits: [], ToldHits: ["match"], RuledHits: []}
ROW_NAMES = {Hits: [], ToldHits: ["tokens"], RuledHits: ["1", "2"]}


def test_the_page_shows_a_minimal_metric(
    directory: Path,  # noqa: F811
    kind: type[Hits],  # noqa: F811
) -> None:
    data = explorer(reopen.revisit(directory))
    assert data
    metric = data["datasets"][0]["metrics"][0]
    assert metric["output"] == "hits"
    assert metric["apart"] == 2
    assert metric["bySystem"] is False
    assert [name for name, *_ in metric["fields"]] == FIELDS[kind]
    assert metric["rowNames"] == ROW_NAMES[kind]
    assert (metric["rule"] is None) == (kind is Hits)
