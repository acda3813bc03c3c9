"""BERTScore (Zhang et al. 2020): each token of a text with the most similar token of the other one,
as vectors.
"""

import math
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from pipeline.data import DatasetCache
from pipeline.errors import InputError
from pipeline.extensions.functions.answers import Values
from pipeline.extensions.functions.declare import Model, metric
from pipeline.extensions.functions.models import HUB
from pipeline.files import write_atomic

from .networks import (
    CALL_SIZE,
    Network,
    TokenIds,
    WithModels,
    built_in,
    has_bytes,
    name_of,
)

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
    """Return the harmonic mean, or 0 if it is undefined."""
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


class WithPairs(WithModels):
    """Precision and recall of BERTScore of pairs of texts, for metrics that have these options."""

    model: Model
    layer: int | None
    prefix_space: Literal["true", "false"] | None
    idf: Any

    def signature_options(self) -> dict[str, object]:
        """Return the options of signatures whose default depends on the model: the layer that
        bert-score takes, and whether texts get a blank before them (None unless tokens are of
        bytes).

        Raises InputError for a wrong or unknown layer, or an option without effect."""
        name = name_of(self.model).rpartition("/")[2]
        layer = self.layer
        if layer is None:
            if name not in LAYERS:
                known = ", ".join(LAYERS)
                raise InputError(
                    f"layer: give one; it is known of {known}, not of {name}"
                )
            layer = LAYERS[name]
        if layer < 0:
            expected = "expected 0, which is before the first block, or more"
            raise InputError(f"layer: {expected}, found {layer}")
        prefix_space = None
        if has_bytes(self.model):
            prefix_space = self.prefix_space or "true"
        elif self.prefix_space:
            reason = "the pieces of this model are not of bytes"
            raise InputError(
                f"prefix_space has no effect: {reason}; leave it out"
            )
        return {"layer": layer, "prefix_space": prefix_space}

    def with_references(
        self, references: Callable[[], list[str]]
    ) -> dict[str, Any]:
        """Return {"idf": file} if token weights are to be computed from a run's references, else {}.
        The file has a reference a line; it is written into the folder of caches.
        """
        if self.idf != "references":
            return {}
        data = "".join(f"{text}\n" for text in references()).encode()
        path = (
            DatasetCache().folder
            / "documents"
            / f"{sha256(data).hexdigest()[:32]}.txt"
        )
        if not path.is_file():
            write_atomic(path, data, f"-{os.getpid()}", durable=False)
        return {"idf": path}

    def load(self, device: str) -> None:
        """Load the model onto a device, without the blocks above the layer, and make the function
        `weight` of a token: its inverse document frequency in the idf file, or without one 1, and 0
        for the marks around a text.

        Raises InputError if idf needs all references, which a Scorer does not have."""
        if self.idf == "references":
            users = "pipeline.evaluate and runs, which have all references"
            raise InputError(f"idf: references is for {users}")
        settings = self.signature_options()
        self.layer_number = int(str(settings["layer"]))
        self.prefix = " " if settings["prefix_space"] == "true" else ""
        config = {
            "num_hidden_layers": max(self.layer_number, 1),
            "output_hidden_states": True,
        }
        self.net = Network(
            self.model,
            "AutoModel",
            device,
            self._unit_vectors,
            **config,
        )
        tokenizer = self.net.tokenizer
        self.max_length = tokenizer.model_max_length
        if self.max_length >= 1e29:  # the tokenizer has no limit
            self.max_length = self.net.positions
        self.empty_length = len(self._token_ids([""])[0]["input_ids"])
        # Texts are numbered by their tokens; pairs of numbers have scores.
        self.numbers: dict[str, int] = {}
        self.scores: dict[tuple[int, int], Values] = {}
        if self.idf in (None, "none"):
            marks = {tokenizer.cls_token_id, tokenizer.sep_token_id}
            self.weight: Callable[[int], float] = lambda token: (
                token not in marks
            )
            return
        content = self.idf.read_bytes().decode()
        documents = content.removesuffix("\n").split("\n")
        frequencies = Counter[int]()
        for text in self._token_ids(documents):
            frequencies.update(set(text["input_ids"]))
        smoothed_count = len(documents) + 1
        self.weight = lambda token: math.log(
            smoothed_count / (frequencies[token] + 1)
        )

    def _token_ids(self, texts: Sequence[str]) -> list[TokenIds]:
        stripped = [text.strip() for text in texts]
        prefixed = [self.prefix + text if text else "" for text in stripped]
        return self.net.token_ids(self.max_length, prefixed)

    def _unit_vectors(self, output: Any, padded: Any) -> list[Any]:
        """Return for each text of a batch the hidden states of the layer, divided by their norms:
        [tokens, units], without padding.
        """
        states = output.hidden_states[self.layer_number]
        units = states / states.norm(dim=-1, keepdim=True)
        lengths = padded["attention_mask"].sum(1).tolist()
        return [
            units[row, :length].clone() for row, length in enumerate(lengths)
        ]

    def pairs(
        self,
        outputs: Sequence[str],
        references: Sequence[str],
    ) -> list[Values]:
        """Return precision and recall of BERTScore for each output with its reference; zeros if one
        of both has no tokens. Pairs with equal tokens are compared once, so that they have equal
        scores.
        """
        import torch

        # Texts with equal tokens have one number.
        numbers = []
        ids: dict[int, list[int]] = {}
        for text in self._token_ids([*outputs, *references]):
            number = self.numbers.setdefault(repr(text), len(self.numbers))
            numbers.append(number)
            ids[number] = text["input_ids"]
        output_numbers = numbers[: len(outputs)]
        reference_numbers = numbers[len(outputs) :]
        pairs = list(zip(output_numbers, reference_numbers, strict=True))
        new_pairs = [
            pair for pair in dict.fromkeys(pairs) if pair not in self.scores
        ]
        new_numbers = list(dict.fromkeys(chain.from_iterable(new_pairs)))
        new_texts = [{"input_ids": ids[number]} for number in new_numbers]
        # Unit vectors [tokens, units] and weights [tokens] of each text.
        vectors = dict(
            zip(new_numbers, self.net.values(new_texts), strict=True)
        )
        weights = {}
        for number in new_numbers:
            token_weights = [float(self.weight(token)) for token in ids[number]]
            weights[number] = torch.tensor(token_weights).to(vectors[number])
        for pair in new_pairs:
            output, reference = pair
            if self.empty_length in (len(ids[output]), len(ids[reference])):
                self.scores[pair] = (0.0, 0.0)
                continue
            # Cosines [tokens of the output, tokens of the reference].
            similarities = vectors[output] @ vectors[reference].T
            means = []
            for number, other_axis in ((output, 1), (reference, 0)):
                best = similarities.amax(other_axis)
                means.append(best @ weights[number] / weights[number].sum())
            precision_and_recall = torch.stack(means).nan_to_num(0.0)
            self.scores[pair] = tuple(precision_and_recall.tolist())
        return [self.scores[pair] for pair in pairs]


@metric(
    name="bertscore",
    version="1",
    names=("precision", "recall"),
    each_reference=True,
    batch_size=CALL_SIZE,
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

    def signature_options(self) -> dict[str, object]:
        """Return the options of signatures whose default depends on others, with the digest of the
        baselines for `rescale`. Raises InputError for wrong options.
        """
        settings = super().signature_options()
        baselines = self.baselines(settings["layer"])
        rescale = "false"
        if any(baselines):
            rescale = f"sha.{sha256(repr(baselines).encode()).hexdigest()[:12]}"
        return {**settings, "rescale": rescale, "baseline": None}

    def baselines(self, layer: Any) -> list[float]:
        """Return the baselines of precision, recall and F for the model and a layer, from the file
        of the option or that of bert-score; zeros without rescaling.

        Raises InputError if there are none for this layer, or an option is wrong."""
        if self.rescale not in ("true", "false"):
            raise InputError(
                f"rescale: expected true, false, found '{self.rescale}'"
            )
        if self.rescale == "false":
            if self.baseline:
                raise InputError(
                    "baseline has no effect without rescale: true; leave it out"
                )
            return [0.0, 0.0, 0.0]
        name = name_of(self.model).rpartition("/")[2]
        file = self.baseline or BASELINES
        rows = file.read_text(encoding="utf-8").split()[1:]
        if not self.baseline:
            prefix = f"{name},"
            rows = [
                row.removeprefix(prefix)
                for row in rows
                if row.startswith(prefix)
            ]
        try:
            _, precision, recall, f = map(float, rows[layer].split(","))
        except (IndexError, ValueError):
            source = self.baseline or f"what bert-score publishes of {name}"
            problem = (
                f"rescale: no row LAYER,P,R,F for layer {layer} in {source}"
            )
            raise InputError(
                f"{problem}; `baseline: FILE` names another"
            ) from None
        return [precision, recall, f]

    def peer_signature(self) -> str:
        """Return the hash that bert-score prints."""
        # Here, because it takes longer to load than this file.
        from importlib import metadata

        transformers = metadata.version("transformers")
        idf = "no-idf" if self.idf == "none" else "idf"
        signature = (
            f"{name_of(self.model)}_L{self.signature_options()['layer']}_{idf}"
        )
        signature += f"_version={RELEASE}(hug_trans={transformers})"
        if self.rescale != "false":
            signature += "-custom-rescaled" if self.baseline else "-rescaled"
        if self.prefix_space == "false":
            signature += "_fast-tokenizer"
        return signature

    __call__ = WithPairs.pairs

    def of_line(self, answers: Sequence[Values]) -> Values:
        """Return the score of a line (the option `score`), precision, recall and F, rescaled. Each is
        the highest over references, whose precision and recall are the answers.
        """
        with_f = [(p, r, f_of(p, r)) for p, r in answers]
        highest = map(max, zip(*with_f, strict=True))
        baselines = self.baselines(super().signature_options()["layer"])
        rescaled = []
        for value, baseline in zip(highest, baselines, strict=True):
            rescaled.append((value - baseline) / (1 - baseline))
        return rescaled["prf".index(self.score)], *rescaled


GEC = {"model": f"{HUB}bert-base-uncased", "layer": "9", "rescale": "true"}
"""The settings of gec-metrics."""
BertScore = built_in(
    Vectors,
    ("bertscore", "precision", "recall", "f"),
    name_in_text="BERTScore",
    citations=("zhang-etal-2020-bertscore",),
    spellings={"GEC BERTScore": GEC},
)
