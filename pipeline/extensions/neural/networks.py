"""What metrics with neural models share: models are loaded from disk alone, and texts are computed
in even batches.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from pipeline.errors import InputError
from pipeline.metrics.functions.declare import CodeOrigin
from pipeline.metrics.functions.metric import FunctionMetric, function_metric_class
from pipeline.metrics.functions.models import name_of, special_pieces

Pieces = dict[str, list[int]]
"""A text as a tokenizer has it: input_ids, and of a pair perhaps token_type_ids."""

AT_ONCE = 256
"""Texts of a call, which are put into batches by their number of pieces."""
BATCH = 8192
"""The most pieces of a batch, with those that fill it up."""
ROOM = 1 << 29
"""Bytes of what models make of texts that are kept in memory."""


def built_in(plugin: Any, names: tuple[str, ...] = (), **members: Any) -> type[FunctionMetric]:
    """Return the metric of a plug-in that is part of the program, with members of its own, such as
    spellings.

    `names` are the numbers of a line, the score first, where the method of_line() makes them of
    what a call returns."""
    module, name = plugin.target.__module__, plugin.target.__name__
    own = plugin.with_origin(CodeOrigin("module", module, name, "", "gec-pipeline"))
    made = function_metric_class(replace(own.declared, names=names or own.declared.names), own)
    for member, value in {"help_page": "neural", "is_built_in": True, **members}.items():
        setattr(made, member, value)
    return made


class WithModels:
    """What is said of metrics with models before anything is computed."""

    modules: ClassVar[tuple[str, ...]] = ("torch", "transformers")
    spec: ClassVar[str] = "torch and transformers: pip install 'gec-pipeline[neural]'"

    def lacks(self) -> str | None:
        """Return which packages are needed, with the command that installs them, where one is
        missing.
        """
        return None if all(map(find_spec, self.modules)) else f"needs {self.spec}"

    def notes(self, **texts: Sequence[Any]) -> list[tuple[str, list[int], float]]:
        """Return what is odd in texts: a message, the numbers of items, and above which share of
        lines it is told.
        """
        folders = [
            value for value in vars(self).values() if isinstance(value, Path) and value.is_dir()
        ]
        marks = frozenset[str]().union(*map(special_pieces, folders))
        lines = (" ".join(str(text) for text in line) for line in zip(*texts.values(), strict=True))
        odd = [number for number, line in enumerate(lines) if any(mark in line for mark in marks)]
        return [
            (
                "texts have special pieces of the model, such as [SEP], which end or change them",
                odd,
                0.0,
            )
        ]


class Network:
    """A model with its tokenizer. What it makes of a text is kept, so that equal pieces have equal
    values.
    """

    def __init__(
        self, model: Path, kind: str, device: str, work: Callable[[Any, Any], Any], **config: Any
    ) -> None:
        """Load a model as a class of transformers, such as AutoModel; raises InputError where
        weights are missing.

        `work` returns a value for each text of a batch: it gets what the model returns, and what
        the model was given."""
        import torch
        import transformers

        transformers.utils.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        make = getattr(transformers, kind).from_pretrained
        try:
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(
                model, use_fast=True, **local
            )
            net, told = make(model, output_loading_info=True, **local, **config)
        except Exception as error:
            said = " ".join(str(error)[:500].split())
            raise InputError(f"{name_of(model)} cannot be loaded as {kind}: {said}") from error
        self.tokenizer.padding_side = "right"
        self.tokenizer.pad_token = self.tokenizer.pad_token or self.tokenizer.eos_token
        if lacking := sorted(name for name in told["missing_keys"] if "pooler." not in name):
            layers = f" with {config['num_hidden_layers']} layers" if config else ""
            raise InputError(
                f"{name_of(model)} lacks weights of {kind}{layers}: {', '.join(lacking[:3])}"
            )
        self.net, self.work, self.kept = net.float().eval().to(device), work, dict[str, Any]()
        behind_padding = net.config.model_type in ("roberta", "xlm-roberta", "camembert")
        self.positions: int = (
            getattr(net.config, "max_position_embeddings", 1 << 20) - 2 * behind_padding
        )

    def pieces(self, max_length: int | None, *texts: Sequence[str], **more: Any) -> list[Pieces]:
        """Return the pieces of texts, or of pairs of texts, of which longer ones are cut. Raises
        InputError.

        `more` has further arguments of the tokenizer.
        """
        least = (
            self.tokenizer.num_special_tokens_to_add(len(texts) > 1) + 1
        )  # with fewer nothing would be cut
        if max_length is not None and max_length < least:
            raise InputError(f"max_length: expected {least} or more, found {max_length}")
        given = self.tokenizer(
            *map(list, texts), truncation=bool(max_length), max_length=max_length, **more
        )
        names = [
            "input_ids",
            *(["token_type_ids"] if len(texts) > 1 and "token_type_ids" in given else []),
        ]
        found = [
            dict(zip(names, each, strict=True))
            for each in zip(*(given[name] for name in names), strict=True)
        ]
        if (longest := max(len(text["input_ids"]) for text in found)) > self.positions:
            raise InputError(
                f"{longest} pieces are too many for the model; max_length: {self.positions} cuts them"
            )
        return found

    def values(self, texts: Sequence[Pieces], most: int = BATCH) -> list[Any]:
        """Return what `work` makes of each text, in batches of texts of about one length: `most`
        pieces at most.
        """
        import torch

        if sum(getattr(value, "nbytes", 8) for value in self.kept.values()) > ROOM:
            self.kept.clear()
        keys = list(map(repr, texts))
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self.kept}
        order = sorted(new, key=lambda key: -len(new[key]["input_ids"]))
        while order:
            size = max(1, most // len(new[order[0]]["input_ids"]))
            part, order = order[:size], order[size:]
            given = self.tokenizer.pad([new[key] for key in part], return_tensors="pt").to(
                self.net.device
            )
            with torch.inference_mode():
                self.kept.update(zip(part, self.work(self.net(**given), given), strict=True))
        return [self.kept[key] for key in keys]


class Logits(Network):
    """The only logit of a classifier for a text, or for a pair of texts."""

    def __init__(self, model: Path, device: str) -> None:
        """Load the model."""
        kind = "AutoModelForSequenceClassification"
        super().__init__(model, kind, device, lambda out, _: out.logits[:, 0].tolist())
