"""What metrics with neural models share: models are loaded from disk alone, and texts are computed in even batches."""

from __future__ import annotations

import json
from collections import OrderedDict
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import InputError
from ..plugged.declare import Model, Place, Plugin, metric
from ..plugged.metric import Plugged, plugged_class

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    Pieces = dict[str, list[int]]
    """A text as a tokenizer has it: input_ids, and perhaps token_type_ids."""

EXTRA: dict[str, Any] = {"packages": ("torch", "transformers"), "install": "gec-pipeline[neural]"}
"""What all but COMET need."""
AT_ONCE = 256
"""Texts of a call, which are put into batches by their number of pieces."""
BATCH = 8192
"""The most pieces of a batch, with those that fill it up."""
ROOM = 1 << 27
"""Numbers of vectors that are kept in memory: half a gigabyte."""


def built_in(plugin: Plugin, **members: Any) -> type[Plugged]:
    """Return the metric of a plug-in that is part of the program, with members of its own, such as spellings."""
    module, name = plugin.target.__module__, plugin.target.__name__
    own = plugin.at(Place("module", module, name, "", "gec-pipeline"))
    made = plugged_class(own.declared, own)
    for member, value in {"help_page": "neural", "is_built_in": True, **members}.items():
        setattr(made, member, value)
    return made


class Tokenized:
    """A model with its tokenizer."""

    tokenizer: Any
    net: Any
    device: str

    def __init__(self, model: Path, kind: str, device: str) -> None:
        """Load a model as a class of transformers, such as AutoModel; raises InputError where weights are missing."""
        import torch
        import transformers

        transformers.utils.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(model, use_fast=True, **local)
        load = getattr(transformers, kind).from_pretrained
        self.net, told = load(model, output_loading_info=True, **local)
        lacking = sorted(name for name in told["missing_keys"] if "pooler." not in name)
        if lacking:
            raise InputError(f"{model} lacks weights of {kind}: {', '.join(lacking[:3])}")
        self.net, self.device = self.net.float().eval().to(device), device
        positions = getattr(self.net.config, "max_position_embeddings", None)
        padded = self.net.config.model_type in ("roberta", "xlm-roberta", "camembert")  # positions begin behind padding
        self.positions: int = positions - 2 * padded if positions else 1 << 30

    def pieces(self, texts: Sequence[str], pairs: Sequence[str] | None = None, **more: Any) -> list[Pieces]:
        """Return the pieces of texts, or of pairs of texts."""
        given = self.tokenizer(list(texts), list(pairs) if pairs else None, **more)
        names = [name for name in ("input_ids", "token_type_ids") if name in given]
        return [dict(zip(names, each, strict=True)) for each in zip(*(given[name] for name in names), strict=True)]

    def check_length(self, max_length: int) -> None:
        """Raise InputError where texts may be longer than the model has positions."""
        if max_length > self.positions:
            raise InputError(f"max_length {max_length}: the model has {self.positions} positions")

    def each(
        self, texts: Sequence[Pieces], work: Callable[[Any, Any], Any], batch: int = BATCH, **more: Any
    ) -> list[Any]:
        """Return what `work` makes of each text: it gets the model's output for a batch, and what the model was given.

        `batch` is the most pieces of a batch; `more` has further arguments of the model.
        """
        import torch

        order = sorted(range(len(texts)), key=lambda number: -len(texts[number]["input_ids"]))
        found: list[Any] = [None] * len(texts)
        start = 0
        while start < len(order):
            longest = len(texts[order[start]]["input_ids"])
            part = order[start : start + max(1, batch // max(longest, 1))]
            start += len(part)
            sizes = torch.tensor([len(texts[number]["input_ids"]) for number in part])
            mask = (torch.arange(longest) < sizes[:, None]).long().to(self.device)
            fill = {"input_ids": self.tokenizer.pad_token_id or 0, "token_type_ids": 0}
            given = {
                name: torch.tensor([texts[n][name] + [fill[name]] * (longest - len(texts[n][name])) for n in part])
                for name in texts[part[0]]
            }
            with torch.inference_mode():
                given = {name: rows.to(self.device) for name, rows in given.items()} | {"attention_mask": mask}
                values = work(self.net(**given, **more), given)
            for number, value in zip(part, values, strict=True):
                found[number] = value
        return found


class Kept:
    """Vectors of texts that were computed last, as many as there is room for."""

    def __init__(self) -> None:
        self.vectors: OrderedDict[tuple[int, ...], Any] = OrderedDict()
        self.size = 0

    def of(self, texts: Sequence[Pieces], compute: Callable[[list[Pieces]], list[Any]]) -> list[Any]:
        """Return the vectors of texts; those that are not there are computed. Equal pieces have equal vectors."""
        keys = [tuple(text["input_ids"]) for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self.vectors}
        for key, vector in zip(new, compute(list(new.values())), strict=True):
            self.vectors[key] = vector
            self.size += vector.numel()
        found = [self.vectors[key] for key in keys]
        while self.size > ROOM and len(self.vectors) > 1:
            self.size -= self.vectors.popitem(last=False)[1].numel()
        return found


@metric(name="neural_logit", version="1", batch_size=AT_ONCE, **EXTRA)
class Logit:
    """The only logit of a classifier for a text, or for a pair of texts."""

    def __init__(self, model: Model, max_length: int = 128) -> None:
        self.model, self.max_length = model, max_length

    def load(self, device: str) -> None:
        """Load the model."""
        self.net = Tokenized(self.model, "AutoModelForSequenceClassification", device)
        self.net.check_length(self.max_length)
        if self.net.net.config.num_labels != 1:
            raise InputError(f"{self.model} has {self.net.net.config.num_labels} labels; expected one, of a regression")

    def __call__(self, outputs: list[Any]) -> list[float]:
        """Return the logits; an item is a text, or a tuple of two."""
        ones = [text if isinstance(text, str) else text[0] for text in outputs]
        twos = None if isinstance(outputs[0], str) else [text[1] for text in outputs]
        pieces = self.net.pieces(ones, twos, truncation=True, max_length=self.max_length)
        logits: list[float] = self.net.each(pieces, lambda out, _: out.logits[:, 0].tolist())
        return logits


# --- what the files of a model say, without loading it


class Files(NamedTuple):
    """What is known of a tokenizer from its files."""

    special: frozenset[str]
    """The pieces that mean more than text, such as [SEP]."""
    byte_level: bool
    """Whether pieces are of bytes, so that a blank in front belongs to a word."""


@lru_cache(64)
def files_of(model: Path) -> Files:
    """Return what the files of a tokenizer say."""
    special: set[str] = set()
    whole = ""
    for name in ("special_tokens_map.json", "tokenizer_config.json", "tokenizer.json"):
        if not (model / name).is_file():
            continue
        text = (model / name).read_text(encoding="utf-8")
        given = json.loads(text)
        whole = text if name == "tokenizer.json" else whole
        added = given.get("added_tokens", []) + list(given.get("added_tokens_decoder", {}).values())
        special.update(each["content"] for each in added if each.get("special"))
        values = [value for key, value in given.items() if key.endswith("_token")]
        special.update(each["content"] if isinstance(each, dict) else each for each in values if each)
    return Files(frozenset(special), '"ByteLevel"' in whole if whole else (model / "merges.txt").is_file())


def special_notes(models: Iterable[Path], lines: Sequence[Iterable[str]]) -> list[tuple[str, list[int], float]]:
    """Return the warning about lines whose texts have special pieces, as the method `notes` of a plug-in does."""
    marks = frozenset[str]().union(*(files_of(model).special for model in models))
    found = [number for number, texts in enumerate(lines) if any(mark in text for text in texts for mark in marks)]
    return [("texts have special pieces of the model, such as [SEP], which end or change them", found, 0.0)]


def decimals(text: str, name: str) -> float:
    """Return the number of an option that is written in decimals; raises InputError."""
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{name}: expected a number such as 0.9, found '{text}'") from None
