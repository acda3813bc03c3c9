"""BERTScore (Zhang et al. 2020): each piece of a text with the most similar piece of the other one,
as vectors.
"""

import math
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from pipeline.data.dataset_cache import cache
from pipeline.errors import InputError
from pipeline.files.safe_files import write_atomic
from pipeline.metrics.functions.declare import Model, metric
from pipeline.metrics.functions.models import HUB, has_bytes, name_of

from .networks import AT_ONCE, Network, Pieces, WithModels, built_in

LAYERS = {
    "bert-base-uncased": 9,
    "roberta-base": 10,
    "roberta-large": 17,
    "bert-large-uncased": 18,
    "distilbert-base-uncased": 5,
    "xlm-roberta-large": 17,
    "bert-base-multilingual-cased": 9,
    "deberta-xlarge-mnli": 40,
}
"""The layers that bert-score takes, by the names of models without their owners."""
RELEASE = "0.3.13"
"""The release of bert-score that is followed."""
BASELINES = Path(__file__).with_name("baselines.csv")
"""The baselines for English that bert-score publishes, of known models: model, layer, P, R, F."""


def f_of(precision: float, recall: float) -> float:
    """Return the harmonic mean; 0 where it has no value."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


class WithPairs(WithModels):
    """Precision and recall of BERTScore of pairs of texts, for metrics that have these options."""

    model: Model
    layer: int | None
    prefix_space: Literal["true", "false"] | None
    idf: Any

    def told(self) -> dict[str, object]:
        """Return what signatures say of options that may be left out. Raises InputError for those
        that do not fit."""
        name, has_blank = name_of(self.model).rpartition("/")[2], has_bytes(self.model)
        if self.layer is None and name not in LAYERS:
            raise InputError(f"layer: give one; it is known of {', '.join(LAYERS)}, not of {name}")
        if self.layer is not None and self.layer < 0:
            raise InputError(
                f"layer: expected 0, which is before the first block, or more, found {self.layer}"
            )
        if self.prefix_space and not has_blank:
            raise InputError(
                "prefix_space has no effect: the pieces of this model are not of bytes; leave it out"
            )
        layer = LAYERS[name] if self.layer is None else self.layer
        return {
            "layer": layer,
            "prefix_space": (self.prefix_space or "true") if has_blank else None,
        }

    def with_references(self, references: Callable[[], list[str]]) -> dict[str, Any]:
        """Return the option idf for data with these references: a file in the folder of caches, a
        document a line."""
        if self.idf != "references":
            return {}
        data = "".join(f"{text}\n" for text in references()).encode()
        path = cache() / "documents" / f"{sha256(data).hexdigest()[:32]}.txt"
        if not path.is_file():
            write_atomic(path, data, f"-{os.getpid()}", durable=False)
        return {"idf": path}

    def load(self, device: str) -> None:
        """Load the model without the blocks above the layer, and the weights of pieces. Raises
        InputError."""
        if self.idf == "references":
            raise InputError(
                "idf: references is for pipeline.evaluate and runs, which have all references"
            )
        settings = self.told()
        self.at, self.blank = (
            int(str(settings["layer"])),
            " " * (settings["prefix_space"] == "true"),
        )
        config = {"num_hidden_layers": max(self.at, 1), "output_hidden_states": True}
        self.net = Network(self.model, "AutoModel", device, self._units, **config)
        limit = self.net.tokenizer.model_max_length
        self.longest = limit if limit < 1e29 else self.net.positions
        marks = {self.net.tokenizer.cls_token_id, self.net.tokenizer.sep_token_id}
        self.weight: Callable[[int], float] = lambda piece: float(piece not in marks)
        self.empty = len(self._pieces([""])[0]["input_ids"])
        self.numbers, self.known = dict[str, int](), dict[tuple[int, int], tuple[float, ...]]()
        if self.idf not in (None, "none"):
            texts = self.idf.read_bytes().decode().removesuffix("\n").split("\n")
            found = Counter(
                piece for text in self._pieces(texts) for piece in set(text["input_ids"])
            )
            self.weight = lambda piece: math.log((len(texts) + 1) / (found[piece] + 1))

    def _pieces(self, texts: Sequence[str]) -> list[Pieces]:
        return self.net.pieces(
            self.longest, [self.blank * bool(text.strip()) + text.strip() for text in texts]
        )

    def _units(self, out: Any, given: Any) -> list[Any]:
        """Return the hidden states of the layer, divided by their norms, of each text [pieces,
        units]."""
        units = out.hidden_states[self.at] / out.hidden_states[self.at].norm(dim=-1, keepdim=True)
        return [
            own[:size].clone()
            for own, size in zip(units, given["attention_mask"].sum(1).tolist(), strict=True)
        ]

    def pairs(self, outputs: Sequence[str], references: Sequence[str]) -> list[tuple[float, ...]]:
        """Return precision and recall of each pair. Pairs of equal pieces are compared once, and so
        have the same."""
        import torch

        pieces = self._pieces([*outputs, *references])
        numbers = [self.numbers.setdefault(repr(each), len(self.numbers)) for each in pieces]
        pairs = list(zip(numbers[: len(outputs)], numbers[len(outputs) :], strict=True))
        ids = {number: each["input_ids"] for number, each in zip(numbers, pieces, strict=True)}
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self.known]
        wanted = {number: {"input_ids": ids[number]} for pair in new for number in pair}
        units = dict(zip(wanted, self.net.values(list(wanted.values())), strict=True))
        weights = {
            number: torch.tensor([*map(self.weight, ids[number])]).to(units[number])
            for number in wanted
        }
        for pair in new:
            (one, two), (own, other) = (
                [each[number] for number in pair] for each in (units, weights)
            )
            similar = one @ two.T
            means = torch.stack(
                (similar.amax(1) @ own / own.sum(), similar.amax(0) @ other / other.sum())
            )
            is_empty = self.empty in (len(own), len(other))
            self.known[pair] = (0.0, 0.0) if is_empty else tuple(means.nan_to_num(0.0).tolist())
        return [self.known[pair] for pair in pairs]


@metric(
    name="bertscore",
    version="1",
    names=("precision", "recall"),
    each_reference=True,
    batch_size=AT_ONCE,
)
@dataclass(eq=False)
class Vectors(WithPairs):
    """Similarity of pieces as vectors of a model, with the best reference (Zhang et al. 2020), as
    bert-score.
    """

    model: Model = Model(Path("roberta-large"))  # noqa: RUF009 (a path, which nobody can change)
    layer: int | None = None
    score: Literal["f", "p", "r"] = "f"
    rescale: str = "false"
    baseline: Path | None = None
    idf: Path | Literal["none", "references"] = "none"
    prefix_space: Literal["true", "false"] | None = None
    late = ("score", "rescale", "baseline")

    def told(self) -> dict[str, object]:
        """Return what signatures say of options that mean more than their values. Raises
        InputError."""
        settings = super().told()
        below = self.baselines(settings["layer"])
        shown = f"sha.{sha256(repr(below).encode()).hexdigest()[:12]}" if any(below) else "false"
        return {**settings, "rescale": shown, "baseline": None}

    def baselines(self, layer: Any) -> list[float]:
        """Return what is subtracted from precision, recall and F: zeros without rescaling. Raises
        InputError."""
        if self.rescale not in ("true", "false"):
            raise InputError(f"rescale: expected true, false, found '{self.rescale}'")
        if self.rescale == "false":
            if self.baseline:
                raise InputError("baseline has no effect without rescale: true; leave it out")
            return [0.0, 0.0, 0.0]
        name = name_of(self.model).rpartition("/")[2]
        text = (self.baseline or BASELINES).read_text(encoding="utf-8").split()[1:]
        rows = (
            text
            if self.baseline
            else [row.removeprefix(f"{name},") for row in text if row.startswith(f"{name},")]
        )
        try:
            _, p, r, f = map(float, rows[layer].split(","))
        except (IndexError, ValueError):
            where = self.baseline or f"what bert-score publishes of {name}"
            wrong = f"rescale: no row LAYER,P,R,F for layer {layer} in {where}; `baseline: FILE` names another"
            raise InputError(wrong) from None
        return [p, r, f]

    def peer_signature(self) -> str:
        """Return the hash that bert-score prints."""
        from importlib.metadata import (
            version,
        )  # here, because it takes longer to load than this file

        idf = "no-idf" if self.idf == "none" else "idf"
        rescaled = (
            "" if self.rescale == "false" else "-custom-rescaled" if self.baseline else "-rescaled"
        )
        program = f"{RELEASE}(hug_trans={version('transformers')})"
        fast = "_fast-tokenizer" if self.prefix_space == "false" else ""
        return (
            f"{name_of(self.model)}_L{self.told()['layer']}_{idf}_version={program}{rescaled}{fast}"
        )

    __call__ = WithPairs.pairs

    def of_line(self, answers: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
        """Return the score of a line, precision, recall and F, each that of the reference where it
        is highest."""
        highest = (
            max(each) for each in zip(*((p, r, f_of(p, r)) for p, r in answers), strict=True)
        )
        p, r, f = (
            (x - b) / (1 - b)
            for x, b in zip(highest, self.baselines(super().told()["layer"]), strict=True)
        )
        return {"p": p, "r": r, "f": f}[self.score], p, r, f


GEC = {"model": f"{HUB}bert-base-uncased", "layer": "9", "rescale": "true"}
"""The settings of gec-metrics."""
BertScore = built_in(
    Vectors,
    ("bertscore", "precision", "recall", "f"),
    name_in_text="BERTScore",
    citations=("zhang-etal-2020-bertscore",),
    spellings={"GEC BERTScore": GEC},
)
