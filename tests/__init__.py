"""Tests in the order of the rooms, their oracles, and programs that measure and fuzz (`python -m
tests.bench` ...).

`pytest tests/metrics` runs the tests of a room. Some run only when they are asked for:

- `pytest -m exhaustive`: the same questions in more surroundings, such as every code point; by
  hand, before a release.
- `pytest --hypothesis-profile long`: 25 times as many random cases; by hand, where the kernel or a
  formula changes.
- `PIPELINE_SLOW=1 pytest tests/extensions/published`: recipes with the TrueSkill of large campaigns, which
  take minutes.
- `PIPELINE_CLUSTER=1 pytest tests/extensions/clusters/test_cluster.py`: needs ray, pyspark, joblibspark and
  Java.
- `PIPELINE_S3=1 pytest tests/files/test_remote.py`: needs s3fs and moto[server].

Tests that read published data take the fixture `shared` and skip where the folder ../shared is not
beside the checkout. Tests of both kernels take the fixture `kernel`, or `each_kernel`; all others
use the one that PIPELINE_KERNEL names, and `.ci/run` runs those that count once more with
PIPELINE_KERNEL=python.

Tests of the core use no extension; a case that needs one is given by `with_extension`
(tests/support/extensions.py), and which tests of an extension need another one is said in
tests/extensions/conftest.py. `python -m tests.tools.alone` deletes extensions and runs what is left;
`python -m tests.tools.measure` prints how dense and how wordy each room is.

No test fails because a machine is slow: what may hang is given up after PATIENCE
(tests/conftest.py), and nothing else looks at a clock."""
