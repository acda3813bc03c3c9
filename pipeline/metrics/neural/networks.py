"""What metrics with neural models share: models are loaded from disk alone, and texts are computed in even batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..plugged.declare import Model, Place, Plugin, metric
from ..plugged.metric import Plugged, plugged_class

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


class Network:
    """A model with its tokenizer."""

    def __init__(self, model: Path, kind: str, device: str) -> None:
        """Load a model as a class of transformers, such as AutoModel; raises InputError where weights are missing."""
        import torch
        import transformers

        transformers.utils.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(model, use_fast=True, **local)
        net, told = getattr(transformers, kind).from_pretrained(model, output_loading_info=True, **local)
        if lacking := sorted(name for name in told["missing_keys"] if "pooler." not in name):
            raise InputError(f"{model} lacks weights of {kind}: {', '.join(lacking[:3])}")
        self.net, self.device = net.float().eval().to(device), device
        positions = getattr(net.config, "max_position_embeddings", None) or 1 << 30
        behind_padding = net.config.model_type in ("roberta", "xlm-roberta", "camembert")
        self.positions: int = positions - 2 * behind_padding

    def pieces(self, max_length: int, *texts: Sequence[str], **more: Any) -> list[Pieces]:
        """Return the pieces of texts, or of pairs of texts, of which longer ones are cut (0: none). Raises InputError.

        `more` has further arguments of the tokenizer.
        """
        cut = {"truncation": True, "max_length": max_length} if max_length else {}
        given = self.tokenizer(*map(list, texts), **cut, **more)
        names = ["input_ids", *(["token_type_ids"] if len(texts) > 1 and "token_type_ids" in given else [])]
        found = [dict(zip(names, each, strict=True)) for each in zip(*(given[name] for name in names), strict=True)]
        longest = max(len(text["input_ids"]) for text in found)
        if longest > self.positions:
            remedy = f"max_length: {self.positions} cuts longer texts"
            raise InputError(f"{longest} pieces, and the model has {self.positions} positions; {remedy}")
        return found

    def each(
        self, texts: Sequence[Pieces], work: Callable[[Any, Any], Any], batch: int = BATCH, **more: Any
    ) -> list[Any]:
        """Return what `work` makes of each text: it gets the model's output for a batch, and what the model was given.

        `batch` is the most pieces of a batch; `more` has further arguments of the model.
        """
        import torch

        order = sorted(range(len(texts)), key=lambda number: -len(texts[number]["input_ids"]))
        fill = {"input_ids": self.tokenizer.pad_token_id or 0, "token_type_ids": 0, "attention_mask": 0}
        results: list[Any] = [None] * len(texts)
        while order:
            longest = max(len(texts[order[0]]["input_ids"]), 1)
            part, order = order[: max(1, batch // longest)], order[max(1, batch // longest) :]
            rows = [texts[n] | {"attention_mask": [1] * len(texts[n]["input_ids"])} for n in part]
            given = {
                name: torch.tensor([row[name] + [fill[name]] * (longest - len(row[name])) for row in rows])
                for name in rows[0]
            }
            given = {name: tensor.to(self.device) for name, tensor in given.items()}
            with torch.inference_mode():
                values = work(self.net(**given, **more), given)
            for number, value in zip(part, values, strict=True):
                results[number] = value
        return results


class Kept(dict[tuple[int, ...], Any]):
    """Vectors of the texts that were computed last, by their pieces."""

    def of(self, texts: Sequence[Pieces], compute: Callable[[list[Pieces]], list[Any]]) -> list[Any]:
        """Return the vectors of texts; those that are not there are computed. Equal pieces have equal vectors."""
        if sum(vector.numel() for vector in self.values()) > ROOM:
            self.clear()
        keys = [tuple(text["input_ids"]) for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self}
        self.update(zip(new, compute(list(new.values())), strict=True))
        return [self[key] for key in keys]


@metric(name="neural_logit", version="1", batch_size=AT_ONCE, **EXTRA)
class Logit:
    """The only logit of a classifier for a text, or for a pair of texts."""

    def __init__(self, model: Model, max_length: int = 128) -> None:
        self.model, self.max_length = model, max_length

    def load(self, device: str) -> None:
        """Load the model."""
        self.net = Network(self.model, "AutoModelForSequenceClassification", device)

    def __call__(self, outputs: list[Any]) -> list[float]:
        """Return the logits; an item is a text, or a tuple of two."""
        texts = [outputs] if isinstance(outputs[0], str) else list(zip(*outputs, strict=True))
        logits: list[float] = self.net.each(
            self.net.pieces(self.max_length, *texts), lambda out, _: out.logits[:, 0].tolist()
        )
        return logits
