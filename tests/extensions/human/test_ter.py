"""Agreement with people of a metric whose lowest score is the best."""

from pathlib import Path

from tests.metrics.test_ter import lower_run  # noqa: F401 (a fixture)
from tests.support.in_process import Call


def test_correlations_with_people_are_those_of_the_negated_score(
    lower_run: Path,  # noqa: F811 (the fixture)
    tmp_path: Path,
    call: Call,
) -> None:
    (tmp_path / "human.tsv").write_text(
        "system\tscore\ngood\t3\nmiddle\t2\nbad\t1\n"
    )
    rows = [
        line.split()
        for line in call(
            f"correlate {lower_run} --human {tmp_path / 'human.tsv'}"
        ).out.splitlines()
        if line.strip().startswith(("ter", "bleu"))
    ]
    assert all(row[row.index("1.000") :] for row in rows[:2])
