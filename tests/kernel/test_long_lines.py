"""Very long lines, which are counted with little memory: the counts are those of the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pipeline import kernel as chosen_kernel
from pipeline.kernel import long_lines
from pipeline.kernel.lines import join_lines
from pipeline.metrics.base.needs import OverlapNeeds, Text
from pipeline.tokenizers.tokenization import Tokenization
from tests.tools.fuzz.kernels import outcome, shard_of

if TYPE_CHECKING:
    from pipeline.kernel.common import Encoded


def of_shard(number: int) -> tuple[Any, ...] | None:
    """Return the arguments of overlap() for a random shard; None where it has no text that can be encoded."""
    shard = shard_of(29, number)
    try:
        texts: list[Encoded] = chosen_kernel.encode(shard.texts, shard.split)
    except Exception:  # noqa: BLE001 (what is no UTF-8, and a split that does not exist)
        return None
    source = texts.pop(0) if shard.has_source else None
    return source, texts[: shard.references], texts[shard.references :], shard.order, shard.kinds


@pytest.mark.parametrize("room", [0, 1 << 22])
@pytest.mark.parametrize("long", [0, 100])
def test_counts_are_those_of_the_kernel(kernel: str, monkeypatch: pytest.MonkeyPatch, long: int, room: int) -> None:
    """With 0 every line with a token is long, with 100 only some are; without room each output is numbered alone."""
    assert kernel
    monkeypatch.setattr(long_lines, "LONG", long)
    monkeypatch.setattr(long_lines, "ROOM", room)
    calls = [call for call in map(of_shard, range(25)) if call]
    assert len(calls) > 12
    for call in calls:
        assert outcome(long_lines.overlap, *call) == outcome(chosen_kernel.overlap, *call)


def test_the_kernel_gets_no_long_line(monkeypatch: pytest.MonkeyPatch, kernel: str) -> None:
    """Its tables would grow by a hundred bytes for each n-gram."""
    lengths: list[int] = []
    overlap = chosen_kernel.overlap

    def watched(source: Encoded, references: list[Encoded], systems: list[Encoded], *rest: Any) -> Any:
        lengths.extend(int(text.offsets[-1]) for text in (source, *references, *systems))
        return overlap(source, references, systems, *rest)

    assert kernel
    long = [b" ".join(b"%d" % number for number in range(size)) for size in (30, 30, 40)]
    texts = [join_lines([b"a b", line, b"d"]) for line in long]
    monkeypatch.setattr(long_lines, "LONG", 80)
    monkeypatch.setattr(chosen_kernel, "overlap", watched, raising=False)
    counts = OverlapNeeds(Tokenization(), 2, ("match", "penalty"), source=True).count(
        Text(texts[0], texts[1:2], texts[2:], {})
    )
    assert lengths == [3, 3, 3]
    assert counts[0]["match"][:, 0].tolist() == [[2, 1], [30, 29], [1, 0]]  # of each order, by hand
