"""What metrics with neural models share: models are loaded from disk alone, and texts are computed
in even batches.

The tokens here are those of a model's own tokenizer, which are parts of words.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from pipeline.errors import InputError
from pipeline.extensions.functions.code_files import CodeOrigin
from pipeline.extensions.functions.items import ItemWarning
from pipeline.extensions.functions.metric import (
    FunctionMetric,
    function_metric_class,
)
from pipeline.extensions.functions.models import TOKENIZER

TokenIds = dict[str, list[int]]
"""A text as a tokenizer returns it: input_ids, and of a pair perhaps token_type_ids."""

CALL_SIZE = 256
"""Texts of a call, which are put into batches by their number of tokens."""
MAX_BATCH_TOKENS = 8192
"""The most tokens of a batch, with those of its padding."""
MAX_CACHE_BYTES = 1 << 29
"""Bytes of values of texts that are kept in memory."""
MAX_ERROR_CHARS = 500
"""Characters of an error of a model that a message quotes."""


def built_in(
    plugin: Any,
    names: tuple[str, ...] = (),
    **members: Any,
) -> type[FunctionMetric]:
    """Return the metric class of a plug-in, a decorated function or class that scores texts, that is
    part of the program. `members` are further class attributes.

    `names` are the names of the numbers of a line, the score first, if the plug-in's method
    of_line() makes them from what a call returns."""
    target = plugin.target
    origin = CodeOrigin(
        "module",
        target.__module__,
        target.__name__,
        "",
        "gec-pipeline",
    )
    plugin = plugin.with_origin(origin)
    declared = plugin.declared
    if names:
        declared = replace(declared, names=names)
    metric_class = function_metric_class(declared, plugin)
    attributes = {"help_page": "neural", "is_built_in": True} | members
    for name, value in attributes.items():
        setattr(metric_class, name, value)
    return metric_class


class WithModels:
    """The checks of a metric with models before anything is computed."""

    modules: ClassVar[tuple[str, ...]] = ("torch", "transformers")
    requirement: ClassVar[str] = (
        "torch and transformers: pip install 'gec-pipeline[neural]'"
    )

    def lacks(self) -> str | None:
        """Return which packages are needed, with the command that installs them, if one is missing."""
        if all(map(find_spec, self.modules)):
            return None
        return f"needs {self.requirement}"

    def notes(self, **texts: Sequence[Any]) -> list[ItemWarning]:
        """Return a warning about items whose texts have special tokens of a model: a message, the
        indices of the items, and the share of items above which it is given.

        `texts` has the columns of texts, such as `outputs`, with a text for each item."""
        special: set[str] = set()
        for value in vars(self).values():
            if isinstance(value, Path) and value.is_dir():
                special |= special_tokens(value)
        affected = []
        for index, item in enumerate(zip(*texts.values(), strict=True)):
            joined = " ".join(map(str, item))
            if any(token in joined for token in special):
                affected.append(index)
        message = "texts have special pieces of the model, such as [SEP], which end or change them"
        return [(message, affected, 0.0)]


def name_of(folder: Path) -> str:
    """Return the name of a model: owner/name of the hub, or the name of its folder."""
    if folder.parent.name == "snapshots":
        return (
            folder.parents[1].name.removeprefix("models--").replace("--", "/")
        )
    return folder.name


@lru_cache(64)
def special_tokens(folder: Path) -> frozenset[str]:
    """Return the tokens of a model that stand for more than text, such as [SEP], from the tokenizer
    files in its folder.
    """
    special: set[str] = set()
    for name in TOKENIZER:
        for file in folder.rglob(name):
            settings = json.loads(file.read_text(encoding="utf-8"))
            # Both kinds of files list added tokens, of which some are special.
            added = [*settings.get("added_tokens", ())]
            added += settings.get("added_tokens_decoder", {}).values()
            tokens = [token for token in added if token.get("special")]
            # Others are named by their use, such as sep_token.
            for key, value in settings.items():
                if key.endswith("_token") and value:
                    tokens.append(value)
            for token in tokens:
                text = token["content"] if isinstance(token, dict) else token
                special.add(str(text))
    return frozenset(special)


@lru_cache(64)
def has_bytes(folder: Path) -> bool:
    """Return whether the tokens of a model are of bytes, so that the blank before a word belongs to
    it.
    """
    file = folder / TOKENIZER[0]
    if not file.is_file():
        return (folder / "merges.txt").is_file()
    return '"ByteLevel"' in file.read_text(encoding="utf-8")


class Network:
    """A model with its tokenizer. Values of texts are cached, so that equal tokens have equal
    values.
    """

    def __init__(
        self,
        model: Path,
        kind: str,
        device: str,
        work: Callable[[Any, Any], Any],
        **config: Any,
    ) -> None:
        """Load a model from a folder as a class of transformers (`kind`), such as AutoModel, onto a
        device. `config` are settings that replace the model's own.

        `work` returns a value for each text of a batch, from the output and the padded input of the
        model. Raises InputError if the model cannot be loaded or has no weights of this class."""
        import torch
        import transformers

        transformers.utils.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        local: dict[str, Any] = {
            "local_files_only": True,
            "trust_remote_code": False,
        }
        model_class = getattr(transformers, kind)
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                model,
                use_fast=True,
                **local,
            )
            net, report = model_class.from_pretrained(
                model,
                output_loading_info=True,
                **local,
                **config,
            )
        except Exception as error:
            reason = " ".join(str(error)[:MAX_ERROR_CHARS].split())
            raise InputError(
                f"{name_of(model)} cannot be loaded as {kind}: {reason}"
            ) from error
        tokenizer.padding_side = "right"
        tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
        # No metric uses the pooler, which some models come without.
        missing = sorted(
            name for name in report["missing_keys"] if "pooler." not in name
        )
        if missing:
            layers = ""
            if config:
                layers = f" with {config['num_hidden_layers']} layers"
            names = ", ".join(missing[:3])
            raise InputError(
                f"{name_of(model)} lacks weights of {kind}{layers}: {names}"
            )
        self.tokenizer = tokenizer
        self.net = net.float().eval().to(device)
        self.work = work
        self.cache: dict[str, Any] = {}
        self.positions: int = getattr(
            net.config, "max_position_embeddings", 1 << 20
        )
        if net.config.model_type in ("roberta", "xlm-roberta", "camembert"):
            self.positions -= 2  # their positions begin behind that of padding

    def token_ids(
        self,
        max_length: int | None,
        *texts: Sequence[str],
        **options: Any,
    ) -> list[TokenIds]:
        """Return the tokens of texts, or of pairs of texts if there are two lists. With `max_length`
        longer ones are truncated to so many tokens.

        `options` are further arguments of the tokenizer. Raises InputError for a maximal length
        that leaves no token, and for a text with more tokens than the model has positions."""
        is_pair = len(texts) > 1
        special = self.tokenizer.num_special_tokens_to_add(is_pair)
        # Nothing would be truncated to so few tokens.
        if max_length is not None and max_length <= special:
            expected = f"expected {special + 1} or more"
            raise InputError(f"max_length: {expected}, found {max_length}")
        lists = map(list, texts)
        encoded = self.tokenizer(
            *lists,
            truncation=bool(max_length),
            max_length=max_length,
            **options,
        )
        names = ["input_ids"]
        if is_pair and "token_type_ids" in encoded:
            names.append("token_type_ids")
        tokens_of_texts = []
        for ids in zip(*(encoded[name] for name in names), strict=True):
            tokens_of_texts.append(dict(zip(names, ids, strict=True)))
        longest = max(len(tokens["input_ids"]) for tokens in tokens_of_texts)
        if longest > self.positions:
            remedy = f"max_length: {self.positions} cuts them"
            raise InputError(
                f"{longest} pieces are too many for the model; {remedy}"
            )
        return tokens_of_texts

    def values(
        self,
        texts: Sequence[TokenIds],
        max_batch_tokens: int = MAX_BATCH_TOKENS,
    ) -> list[Any]:
        """Return what `work` returns for each text, given as tokens. Texts are computed once, in
        batches of about the same length that have `max_batch_tokens` with padding, or one text.
        """
        import torch

        sizes = [getattr(value, "nbytes", 8) for value in self.cache.values()]
        if sum(sizes) > MAX_CACHE_BYTES:
            self.cache.clear()
        keys = list(map(repr, texts))
        new: dict[str, TokenIds] = {}
        for key, text in zip(keys, texts, strict=True):
            if key not in self.cache:
                new[key] = text
        # Longest first: the first text of a batch is the length of all.
        longest_first = sorted(new, key=lambda key: -len(new[key]["input_ids"]))
        start = 0
        while start < len(longest_first):
            longest = len(new[longest_first[start]]["input_ids"])
            size = max(1, max_batch_tokens // longest)
            batch = longest_first[start : start + size]
            start += size
            tokens = [new[key] for key in batch]
            padded = self.tokenizer.pad(tokens, return_tensors="pt")
            padded = padded.to(self.net.device)
            with torch.inference_mode():
                values = self.work(self.net(**padded), padded)
                self.cache.update(zip(batch, values, strict=True))
        return [self.cache[key] for key in keys]


class Logits(Network):
    """The only logit of a classifier for a text, or for a pair of texts."""

    def __init__(self, model: Path, device: str) -> None:
        """Load the model."""
        kind = "AutoModelForSequenceClassification"
        super().__init__(
            model,
            kind,
            device,
            lambda output, _: output.logits[:, 0].tolist(),
        )
