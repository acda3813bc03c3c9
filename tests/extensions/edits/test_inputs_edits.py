"""Gold edits and texts as inputs of one data set."""

from tests.config_files import dataset, problems
from tests.data.test_inputs import _here  # noqa: F401 (a fixture)


def test_references_may_be_of_any_form() -> None:
    text = dataset("{source: s.txt, references: [r.txt, {}]}")
    (problem,) = problems(text)
    assert problem.startswith(
        "c.yaml:1:51: datasets.d.references[1]: expected a path, or a mapping with one of the keys "
        "jsonl, csv, tsv, parquet, arrow, m2"
    )
    assert problem.endswith(", found a mapping")
