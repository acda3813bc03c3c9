"""BERTScore (Zhang et al. 2020): each piece of a text with the most similar piece of the other one, as vectors."""

from __future__ import annotations

import csv
import math
import os
from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from ...errors import InputError
from ...io.dataset_cache import cache
from ...io.safe_files import write_atomic
from ..plugged.declare import Model, metric
from ..plugged.models import HUB, has_bytes, name_of
from .networks import AT_ONCE, EXTRA, Kept, Network, Pieces, built_in

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
ROBERTA = Model(Path("roberta-large"))
RELEASE = "0.3.13"
"""The release of bert-score that is followed."""
PAIRS = 64
"""Pairs of texts that are compared at once."""
BASELINES = Path(__file__).with_name("baselines.csv")
"""The baselines for English that bert-score publishes, of known models: model, layer, P, R, F."""


@metric(name="neural_bertscore", version="1", names=("precision", "recall", "pieces"), batch_size=AT_ONCE, **EXTRA)
class Pair:
    """Precision and recall of BERTScore of an output with one reference, and a number that equal pieces share."""

    def __init__(self, model: Model, layer: int, prefix_space: bool, idf: Path | None = None) -> None:
        self.model, self.layer, self.prefix_space, self.idf = model, layer, prefix_space, idf

    def cost(self, references: str, outputs: str) -> float:
        """Return what brings pairs of one reference together."""
        del outputs
        return float(len(references))

    def load(self, device: str) -> None:
        """Load the model without the blocks above the layer, and the weights of pieces."""
        import torch

        self.net, self.kept = Network(self.model, "AutoModel", device), Kept()
        number = self.net.net.config.num_hidden_layers
        if self.layer > number:
            raise InputError(f"layer {self.layer}: the model has {number}")
        for blocks in self.net.net.modules():
            if isinstance(blocks, torch.nn.ModuleList) and len(blocks) == number:
                del blocks[max(self.layer, 1) :]
                break
        limit = self.net.tokenizer.model_max_length
        self.longest = limit if limit < 1e29 else min(self.net.positions, 1 << 20)
        marks = {self.net.tokenizer.cls_token_id, self.net.tokenizer.sep_token_id}
        self.weight: Callable[[int], float] = lambda piece: float(piece not in marks)
        self.empty = len(self._pieces([""])[0]["input_ids"])
        if self.idf:
            texts = self.idf.read_bytes().decode().removesuffix("\n").split("\n")
            found = Counter(piece for text in self._pieces(texts) for piece in set(text["input_ids"]))
            self.weight = lambda piece: math.log((len(texts) + 1) / (found[piece] + 1))

    def _pieces(self, texts: Sequence[str]) -> list[Pieces]:
        stripped = (text.strip() for text in texts)
        return self.net.pieces(self.longest, [" " * (self.prefix_space and bool(text)) + text for text in stripped])

    def _unit(self, out: Any, given: dict[str, Any]) -> list[Any]:
        """Return the hidden states of the layer, divided by their norms, of each text [pieces, units]."""
        states = out.hidden_states[min(self.layer, len(out.hidden_states) - 1)]
        units = states / states.norm(dim=-1, keepdim=True)
        sizes = given["attention_mask"].sum(1).tolist()
        return [own[:size].clone() for own, size in zip(units, sizes, strict=True)]

    def __call__(self, references: list[str], outputs: list[str]) -> list[tuple[float, float, int]]:
        """Return precision, recall and the number of the output's pieces of each pair."""
        texts = list(dict.fromkeys([*references, *outputs]))
        pieces = self._pieces(texts)
        vectors = self.kept.of(pieces, lambda new: self.net.each(new, self._unit, output_hidden_states=True))
        ids = {text: each["input_ids"] for text, each in zip(texts, pieces, strict=True)}
        sides = {
            text: (vector, [self.weight(piece) for piece in ids[text]])
            for text, vector in zip(texts, vectors, strict=True)
        }
        order = sorted(range(len(outputs)), key=lambda n: (len(ids[references[n]]), len(ids[outputs[n]])))
        result: list[Any] = [None] * len(order)
        for start in range(0, len(order), PAIRS):
            part = order[start : start + PAIRS]
            both = _compared([sides[outputs[n]] for n in part], [sides[references[n]] for n in part])
            for number, precision, recall in zip(part, *both, strict=True):
                own, other = ids[outputs[number]], ids[references[number]]
                told = int.from_bytes(sha256(repr(own).encode()).digest()[:6], "big")
                is_empty = self.empty in (len(own), len(other))
                result[number] = (0.0, 0.0, told) if is_empty else (precision, recall, told)
        return result


def _compared(*sides: list[tuple[Any, list[float]]]) -> list[list[float]]:
    """Return the weighted means of the greatest similarities, of the outputs and of the references."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    with torch.inference_mode():
        vectors = [pad_sequence([each for each, _ in side], batch_first=True) for side in sides]
        there = [pad_sequence([torch.ones(len(own)) for _, own in side], batch_first=True).bool() for side in sides]
        one, two = (each.to(vectors[0].device) for each in there)
        similar = (vectors[0] @ vectors[1].mT).masked_fill(~(one[:, :, None] & two[:, None]), -math.inf)
        means = []
        for side, greatest in zip(sides, (similar.amax(2), similar.amax(1)), strict=True):
            weights = pad_sequence([torch.tensor(own) for _, own in side], batch_first=True).to(similar.device)
            sums = torch.where(weights > 0, greatest * weights, 0.0).sum(1)
            means.append((sums / weights.sum(1)).nan_to_num(0.0).tolist())
    return means


def f_of(precision: float, recall: float) -> float:
    """Return the harmonic mean; 0 where it has no value."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


class WithPairs:
    """The options of metrics that ask for pairs."""

    model: Path
    layer: int | None
    prefix_space: str | None
    idf: Any

    def pair_options(self) -> dict[str, Any]:
        """Return the options of Pair. Raises InputError where they do not go together."""
        name, has_blank = name_of(self.model).rpartition("/")[2], has_bytes(self.model)
        if self.layer is None and name not in LAYERS:
            raise InputError(f"layer: give one; it is known of {', '.join(LAYERS)}, not of {name}")
        if self.prefix_space and not has_blank:
            raise InputError("prefix_space has no effect: the pieces of this model are not of bytes; leave it out")
        layer = LAYERS[name] if self.layer is None else self.layer
        idf = {} if self.idf in (None, "none") else {"idf": self.idf}
        return {"model": self.model, "layer": layer, "prefix_space": has_blank and self.prefix_space != "false", **idf}

    def told(self) -> dict[str, object]:
        """Return what signatures say of options that may be left out. Raises InputError as pair_options() does."""
        own = self.pair_options()
        prefix = str(own["prefix_space"]).lower() if has_bytes(self.model) else None
        return {"layer": own["layer"], "prefix_space": prefix}

    def with_references(self, references: Callable[[], list[str]]) -> dict[str, Any]:
        """Return the option idf for data with these references: a file in the folder of caches, a document a line."""
        if self.idf != "references":
            return {}
        data = "".join(f"{text}\n" for text in references()).encode()
        path = cache() / "documents" / f"{sha256(data).hexdigest()[:32]}.txt"
        if not path.is_file():
            write_atomic(path, data, f"-{os.getpid()}", durable=False)
        return {"idf": path}

    def pairs(self, ask: Callable[..., Any], wanted: list[list[tuple[str, str]]]) -> Any:
        """Return precision, recall and the number of the pieces of pairs of reference and text."""
        if self.idf == "references":
            raise InputError("idf: references is for pipeline.evaluate and runs, which have all references")
        return ask(Pair, wanted, **self.pair_options())


@metric(name="bertscore", version="1", names=("bertscore", "precision", "recall", "f"), **EXTRA)
class Vectors(WithPairs):
    """Similarity of pieces as vectors of a model, with the best reference (Zhang et al. 2020), as bert-score."""

    def __init__(
        self,
        model: Model = ROBERTA,
        layer: int | None = None,
        score: Literal["f", "p", "r"] = "f",
        rescale: str = "false",
        baseline: Path | None = None,
        idf: Path | Literal["none", "references"] = "none",
        prefix_space: Literal["true", "false"] | None = None,
    ) -> None:
        self.model, self.layer, self.score, self.rescale = model, layer, score, rescale
        self.baseline, self.idf, self.prefix_space = baseline, idf, prefix_space

    def told(self) -> dict[str, object]:
        """Return what signatures say of options that mean more than their values. Raises InputError."""
        below = self.baselines()
        shown = f"sha.{sha256(repr(below).encode()).hexdigest()[:12]}" if below else "false"
        return {**super().told(), "rescale": shown, "baseline": None}

    def baselines(self) -> list[float]:
        """Return what is subtracted from precision, recall and F; nothing without rescaling. Raises InputError."""
        layer, name = self.pair_options()["layer"], name_of(self.model).rpartition("/")[2]
        if self.rescale not in ("true", "false"):
            raise InputError(f"rescale: expected true, false, found '{self.rescale}'")
        if self.rescale == "false":
            if self.baseline:
                raise InputError("baseline has no effect without rescale: true; leave it out")
            return []
        rows = list(csv.reader((self.baseline or BASELINES).read_text(encoding="utf-8").splitlines()))[1:]
        rows = rows if self.baseline else [row[1:] for row in rows if row[0] == name]
        try:
            numbers = list(map(float, rows[layer]))
        except (IndexError, ValueError):
            numbers = []
        if len(numbers) != 4:
            where = self.baseline or f"what bert-score publishes of {name}"
            raise InputError(
                f"rescale: no row LAYER,P,R,F for layer {layer} in {where}; `baseline: FILE` names another"
            )
        return numbers[1:]

    def peer_signature(self) -> str:
        """Return the hash that bert-score prints."""
        idf = "no-idf" if self.idf == "none" else "idf"
        rescaled = "" if self.rescale == "false" else "-custom-rescaled" if self.baseline else "-rescaled"
        program = f"{RELEASE}(hug_trans={version('transformers')})"
        fast = "_fast-tokenizer" if self.prefix_space == "false" else ""
        return f"{name_of(self.model)}_L{self.pair_options()['layer']}_{idf}_version={program}{rescaled}{fast}"

    def __call__(self, outputs: list[str], references: list[tuple[str, ...]], ask: Callable[..., Any]) -> list[Any]:
        """Return the score of each line, precision, recall and F, each that of the reference where it is highest."""
        wanted = [[(one, own) for one in each] for own, each in zip(outputs, references, strict=True)]
        below = self.baselines() or [0.0, 0.0, 0.0]
        result = []
        for answers in self.pairs(ask, wanted):
            highest = (max(each) for each in zip(*((p, r, f_of(p, r)) for p, r, _ in answers), strict=True))
            p, r, f = ((x - b) / (1 - b) for x, b in zip(highest, below, strict=True))
            result.append(({"p": p, "r": r, "f": f}[self.score], p, r, f))
        return result


GEC = {"model": f"{HUB}bert-base-uncased", "layer": "9", "rescale": "true"}
"""The settings of gec-metrics."""
BertScore = built_in(
    Vectors, name_in_text="BERTScore", citations=("zhang-etal-2020-bertscore",), spellings={"GEC BERTScore": GEC}
)
