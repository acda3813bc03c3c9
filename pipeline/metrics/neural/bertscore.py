"""BERTScore (Zhang et al. 2020): each piece of a text with the most similar piece of the other one, as vectors."""

from __future__ import annotations

import csv
import math
import os
from collections import Counter
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ...errors import InputError
from ...io.dataset_cache import cache
from ...io.safe_files import write_atomic
from ..plugged.declare import Model, metric
from ..plugged.models import name_of
from .networks import AT_ONCE, EXTRA, Kept, Tokenized, built_in, files_of, special_notes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .networks import Pieces

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
PAIRS = 64
"""Pairs of texts that are compared at once."""
BASELINES = Path(__file__).with_name("baselines.csv")
"""The baselines for English that bert-score publishes, of known models: model, layer, P, R, F."""


@metric(name="neural_bertscore", version="1", names=("precision", "recall", "pieces"), batch_size=AT_ONCE, **EXTRA)
class Similarity:
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

        self.net, self.kept = Tokenized(self.model, "AutoModel", device), Kept()
        blocks = [each for each in self.net.net.modules() if isinstance(each, torch.nn.ModuleList)]
        own = next((each for each in blocks if len(each) == self.net.net.config.num_hidden_layers), None)
        if self.layer > self.net.net.config.num_hidden_layers:
            raise InputError(f"layer {self.layer}: the model has {self.net.net.config.num_hidden_layers}")
        if own is not None:
            del own[max(self.layer, 1) :]
        limit = self.net.tokenizer.model_max_length
        self.longest = min(limit, self.net.positions) if limit > 1e29 else limit
        marks = {self.net.tokenizer.cls_token_id, self.net.tokenizer.sep_token_id}
        self.weights: Callable[[int], float] = lambda piece: float(piece not in marks)
        self.empty = len(self._pieces([""])[0]["input_ids"])
        if self.idf:
            texts = self.idf.read_bytes().decode().removesuffix("\n").split("\n")
            found = Counter(piece for text in self._pieces(texts) for piece in set(text["input_ids"]))
            self.weights = lambda piece: math.log((len(texts) + 1) / (found[piece] + 1))

    def _pieces(self, texts: Sequence[str]) -> list[Pieces]:
        stripped = (text.strip() for text in texts)
        given = [" " * (self.prefix_space and bool(text)) + text for text in stripped]
        return self.net.pieces(given, truncation=True, max_length=self.longest)

    def _vectors(self, texts: list[Pieces]) -> list[Any]:
        import torch

        def unit(out: Any, given: dict[str, Any]) -> Any:
            states = out.hidden_states[min(self.layer, len(out.hidden_states) - 1)]
            states = states / torch.linalg.vector_norm(states, dim=-1, keepdim=True)
            return [
                own[:size].clone() for own, size in zip(states, given["attention_mask"].sum(1).tolist(), strict=True)
            ]

        return self.net.each(texts, unit, output_hidden_states=True)

    def __call__(self, references: list[str], outputs: list[str]) -> list[tuple[float, float, int]]:
        """Return precision, recall and the number of the output's pieces of each pair."""
        texts = list(dict.fromkeys([*references, *outputs]))
        pieces = dict(zip(texts, self._pieces(texts), strict=True))
        vectors = dict(zip(texts, self.kept.of(list(pieces.values()), self._vectors), strict=True))
        weights = {text: [self.weights(piece) for piece in own["input_ids"]] for text, own in pieces.items()}
        order = sorted(range(len(outputs)), key=lambda n: (len(weights[references[n]]), len(weights[outputs[n]])))
        result: list[Any] = [None] * len(order)
        for start in range(0, len(order), PAIRS):
            part = order[start : start + PAIRS]
            own, other = ([each[n] for n in part] for each in (outputs, references))
            both = self._compared([[(vectors[text], weights[text]) for text in side] for side in (own, other)])
            for number, precision, recall in zip(part, *both, strict=True):
                ids = pieces[outputs[number]]["input_ids"]
                bare = self.empty in (len(ids), len(pieces[references[number]]["input_ids"]))
                told = int.from_bytes(sha256(repr(ids).encode()).digest()[:6], "big")
                result[number] = (0.0, 0.0, told) if bare else (precision, recall, told)
        return result

    def _compared(self, sides: list[list[tuple[Any, list[float]]]]) -> list[list[float]]:
        """Return the weighted means of the greatest similarities, of the outputs and of the references."""
        import torch
        from torch.nn.utils.rnn import pad_sequence

        with torch.inference_mode():
            filled = [pad_sequence([vectors for vectors, _ in side], batch_first=True) for side in sides]
            sizes = [torch.tensor([len(own) for _, own in side], device=self.net.device) for side in sides]
            there = [
                torch.arange(each.shape[1], device=self.net.device) < size[:, None]
                for each, size in zip(filled, sizes, strict=True)
            ]
            similar = filled[0] @ filled[1].transpose(1, 2)
            similar = similar.masked_fill(~(there[0][:, :, None] & there[1][:, None, :]), -math.inf)
            means = []
            for side, greatest in zip(sides, (similar.amax(2), similar.amax(1)), strict=True):
                weights = pad_sequence([torch.tensor(own) for _, own in side], batch_first=True).to(self.net.device)
                found = torch.where(weights > 0, greatest, 0.0)
                means.append(((found * weights).sum(1) / weights.sum(1)).nan_to_num(0.0).tolist())
        return means


def f_of(precision: float, recall: float) -> float:
    """Return the harmonic mean; 0 where it has no value."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def known_layer(model: Path, layer: int | None) -> int:
    """Return the layer, which is known of some models. Raises InputError."""
    name = name_of(model).rpartition("/")[2]
    if layer is None and name not in LAYERS:
        raise InputError(f"layer: give one; it is known of {', '.join(LAYERS)}, not of {name_of(model)}")
    return LAYERS[name] if layer is None else layer


def has_prefix(model: Path, prefix_space: str | None) -> bool:
    """Return whether a blank is put before texts: by default where pieces are of bytes. Raises InputError."""
    byte_level = files_of(model).byte_level
    if prefix_space and not byte_level:
        raise InputError("prefix_space has no effect: the pieces of this model are not of bytes; leave it out")
    return byte_level and prefix_space != "false"


def similarity_options(model: Path, layer: int | None, prefix_space: str | None, idf: Any) -> dict[str, Any]:
    """Return the options of Similarity. Raises InputError."""
    if idf == "references":
        raise InputError("idf: references is for pipeline.evaluate and runs, which have all references")
    own = {"layer": known_layer(model, layer), "prefix_space": has_prefix(model, prefix_space)}
    return {"model": model, **own, **({} if idf in (None, "none") else {"idf": idf})}


def documents(texts: list[str]) -> Path:
    """Write texts into a file of the folder of caches, named by its content, a document a line; return it."""
    data = "".join(f"{text}\n" for text in texts).encode()
    path = cache() / "documents" / f"{sha256(data).hexdigest()[:32]}.txt"
    if not path.is_file():
        write_atomic(path, data, f"-{os.getpid()}", durable=False)
    return path


@metric(name="bertscore", version="1", names=("bertscore", "precision", "recall", "f"), **EXTRA)
class Vectors:
    """Similarity of pieces as vectors of a model, with the best reference (Zhang et al. 2020), as bert-score."""

    def __init__(
        self,
        model: Model = Model("roberta-large"),  # type: ignore[arg-type]  # noqa: B008
        layer: int | None = None,
        score: Literal["f", "p", "r"] = "f",
        rescale: str = "false",
        baseline: Path | None = None,
        idf: Path | Literal["none", "references"] = "none",
        prefix_space: Literal["true", "false"] | None = None,
    ) -> None:
        self.model, self.layer, self.score, self.rescale = model, layer, score, rescale
        self.baseline, self.idf, self.prefix_space = baseline, idf, prefix_space

    def check(self) -> None:
        """Raise InputError for options that do not go together."""
        known_layer(self.model, self.layer)
        has_prefix(self.model, self.prefix_space)
        if self.rescale not in ("true", "false"):
            raise InputError(f"rescale: expected true, false, found '{self.rescale}'")
        if self.baseline and self.rescale == "false":
            raise InputError("baseline has no effect without rescale: true; leave it out")
        self.baselines()

    def with_references(self, references: Callable[[], list[str]]) -> dict[str, Any]:
        """Return the option idf for data with these references."""
        return {"idf": documents(references())} if self.idf == "references" else {}

    def told(self) -> dict[str, object]:
        """Return what signatures say of options whose values mean something else here."""
        numbers = self.baselines()
        shown = f"sha.{sha256(repr(numbers).encode()).hexdigest()[:12]}" if numbers else "false"
        prefix = str(has_prefix(self.model, self.prefix_space)).lower() if files_of(self.model).byte_level else None
        layer = known_layer(self.model, self.layer)
        return {"layer": layer, "rescale": shown, "baseline": None, "prefix_space": prefix}

    def baselines(self) -> tuple[float, ...]:
        """Return what is subtracted from precision, recall and F; nothing without rescaling. Raises InputError."""
        if self.rescale == "false":
            return ()
        layer, name = known_layer(self.model, self.layer), name_of(self.model).rpartition("/")[2]
        if self.baseline:
            rows = list(csv.reader(self.baseline.read_text(encoding="utf-8").splitlines()))[1:]
        else:
            rows = _published().get(name, [])
        if layer >= len(rows):
            what = str(self.baseline) if self.baseline else "nothing is published for this model and layer"
            raise InputError(f"rescale: there is no baseline for layer {layer} ({what}); `baseline: FILE` names one")
        try:
            _, *numbers = map(float, rows[layer])
            precision, recall, f = numbers
        except ValueError:
            raise InputError(f"{self.baseline}, row {layer + 2}: expected LAYER,P,R,F, found {rows[layer]}") from None
        return precision, recall, f

    def peer_signature(self) -> str | None:
        """Return the hash that bert-score prints."""
        try:
            release = version("transformers")
        except PackageNotFoundError:
            return None
        idf = "no-idf" if self.idf == "none" else "idf"
        rescaled = "" if self.rescale == "false" else "-custom-rescaled" if self.baseline else "-rescaled"
        fast = "_fast-tokenizer" if self.prefix_space == "false" else ""
        layer = known_layer(self.model, self.layer)
        return f"{name_of(self.model)}_L{layer}_{idf}_version={RELEASE}(hug_trans={release}){rescaled}{fast}"

    def notes(self, outputs: list[str], references: list[tuple[str, ...]]) -> Any:
        """Warn of special pieces."""
        return special_notes([self.model], [(own, *others) for own, others in zip(outputs, references, strict=True)])

    def __call__(self, outputs: list[str], references: list[tuple[str, ...]], ask: Callable[..., Any]) -> list[Any]:
        """Return the score of each line, precision, recall and F, each that of the reference where it is highest."""
        wanted = [[(one, own) for one in each] for own, each in zip(outputs, references, strict=True)]
        found = ask(Similarity, wanted, **similarity_options(self.model, self.layer, self.prefix_space, self.idf))
        below = self.baselines() or (0.0, 0.0, 0.0)
        result = []
        for answers in found:
            highest = (
                max(p for p, _, _ in answers),
                max(r for _, r, _ in answers),
                max(f_of(p, r) for p, r, _ in answers),
            )
            precision, recall, f = ((x - b) / (1 - b) for x, b in zip(highest, below, strict=True))
            result.append(({"p": precision, "r": recall, "f": f}[self.score], precision, recall, f))
        return result


@lru_cache(1)
def _published() -> dict[str, list[list[str]]]:
    """Return the rows of the published baselines of each model, from layer 0."""
    tables: dict[str, list[list[str]]] = {}
    for name, *row in list(csv.reader(BASELINES.read_text(encoding="utf-8").splitlines()))[1:]:
        tables.setdefault(name, []).append(row)
    return tables


GEC = {"model": "bert-base-uncased", "layer": "9", "rescale": "true"}
"""The settings of gec-metrics."""
BertScore = built_in(
    Vectors, name_in_text="BERTScore", citations=("zhang-etal-2020-bertscore",), spellings={"GEC BERTScore": GEC}
)
