"""Published data that has edits, in every place that names a file."""

import json
from pathlib import Path

from tests.config_files import prepare, problems
from tests.data.test_datasets import here, nothing  # noqa: F401 (fixtures)
from tests.support.extensions import needs


def test_every_way_to_name_a_file(here: Path) -> None:  # noqa: F811
    job = prepare(
        """
datasets:
  conll14: data
  other: data:conll14
  kept: {data: conll14, drop: "data:reassess-gec/merged_ids"}
  by-hand: {source: "data:conll14/INPUT", references: ["data:conll14/NUCLE[AB]"], keep: 1-10}
  annotated: {m2: "data:conll14/official-2014.combined.m2", missing_annotator: first}
systems:
  AMU: "data:conll14/AMU"
  RAC: "data:conll14/RA?"
  CAMB: "data:conll14/{system}"
  Own: {annotated: own.txt, kept: "data:conll14/UMC"}
metrics: ['gleu[iter=2]']
human: {file: "data:conll14-judgements/judgments.xml", dataset: conll14}
""".replace("own.txt", json.dumps(str(here / "conll14" / "PKU")))
    )
    lines = {corpus.name: corpus.lines for corpus in job.corpora}
    # 1312 lines; merged_ids has 34 entries.
    assert lines == {
        "conll14": 1312,
        "other": 1312,
        "kept": 1278,
        "by-hand": 10,
        "annotated": 1312,
    }
    digests = {
        corpus.name: [text.digest for text in corpus.references]
        for corpus in job.corpora
    }
    assert digests["conll14"] == digests["other"]
    assert len(digests["by-hand"]) == 2
    assert set(job.opened["correlating"].systems) >= {"AMU", "RAC"}


@needs("human")
def test_what_is_not_here_is_told_once_with_the_command_that_fetches_it(
    nothing: Path,  # noqa: F811
) -> None:
    note = problems("""\
datasets:
  conll14: data
  d: {m2: "data:conll14/official-2014.combined.m2", drop: "data:reassess-gec/merged_ids"}
systems: {AMU: "data:conll14/AMU", all: "data:seeda/outputs/all/B*.txt"}
metrics: ['gleu[iter=2]']
human: {file: "data:gec-ranking/all_judgments.xml", dataset: d}
""")
    short = [
        problem.replace(f" not in {nothing}", "").replace(
            "gec-pipeline data fetch ", ""
        )
        for problem in note
    ]
    assert short == [
        "c.yaml:2:12: datasets.conll14: conll14/INPUT, conll14/NUCLEA, conll14/NUCLEB are; fetch them: conll14",
        "c.yaml:3:7: datasets.d.m2: conll14/official-2014.combined.m2 is; fetch it: conll14",
        "c.yaml:3:53: datasets.d.drop: reassess-gec/merged_ids is; fetch it: reassess-gec",
        "c.yaml:4:11: systems.AMU: conll14/AMU is; fetch it: conll14",
        "c.yaml:4:36: systems.all: seeda/outputs/all/BART.txt, seeda/outputs/all/BERT-fuse.txt are; fetch them: seeda",
        "c.yaml:4:36: systems.all: 2 files match 'data:seeda/outputs/all/B*.txt'; a system has one",
        "c.yaml:6:9: human.file: gec-ranking/all_judgments.xml is; fetch it: gec-ranking",
    ]
