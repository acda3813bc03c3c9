"""COMET (Rei et al. 2020): regression models that compare source, output and reference, by the
authors' package.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from pipeline.errors import InputError
from pipeline.extensions.functions.answers import Values
from pipeline.extensions.functions.declare import Model, metric
from pipeline.extensions.functions.models import HUB, located

from .networks import CALL_SIZE, WithModels, built_in, name_of

CLASSES = {"regression_metric": True, "referenceless_regression_metric": False}
"""The classes of models, and whether they read a reference."""
BATCH_LINES = 32
"""Lines of a batch of the model; those of a call are sorted by length first."""


class Checkpoint:
    """A model of COMET: its settings, and the folder of configuration and tokenizer of its encoder."""

    def __init__(self, model: Path) -> None:
        """Read the settings in the folder of a model, and find its encoder there or in the cache of
        the hub. Raises InputError if a file is missing or the model is of an unknown class.
        """
        name = name_of(model)
        settings_file = model / "hparams.yaml"
        self.weights = model / "checkpoints" / "model.ckpt"
        if not settings_file.is_file() or not self.weights.is_file():
            expected = "hparams.yaml and checkpoints/model.ckpt are expected"
            raise InputError(f"{model} is no checkpoint of COMET: {expected}")
        self.settings: dict[str, Any] = yaml.safe_load(
            settings_file.read_text(encoding="utf-8")
        )
        self.kind = self.settings.pop("class_identifier", None)
        if self.kind not in CLASSES:
            raise InputError(
                f"{name} is a {self.kind}; known: {', '.join(CLASSES)}"
            )
        self.reads_reference = CLASSES[self.kind]
        encoder = str(self.settings["pretrained_model"])
        if (model / encoder).is_dir():
            self.encoder: Path | None = model / encoder
        else:
            self.encoder = located(f"{HUB}{encoder}")
        if self.encoder is None:
            problem = f"the encoder {encoder} of {name} is not in the cache"
            raise InputError(f"{problem}; --download fetches it")

    def load(self) -> Any:
        """Return the model on the CPU, without running code of the checkpoint; raises InputError if
        it cannot be read so, or weights are missing.
        """
        import comet.models
        import torch

        settings = dict(self.settings)
        if settings.get("layer_transformation") == "sparsemax_patch":
            settings["layer_transformation"] = "softmax"
        settings["pretrained_model"] = str(self.encoder)
        # The checkpoint has the weights of the encoder too.
        settings["load_pretrained_weights"] = False
        settings["local_files_only"] = True
        model = comet.models.str2model[self.kind](**settings)
        try:
            content = torch.load(
                self.weights, map_location="cpu", weights_only=True
            )
            state = content["state_dict"]
        except Exception as error:  # noqa: BLE001 (whatever a file raises that is none)
            problem = "cannot be read without running code of it"
            raise InputError(f"{self.weights} {problem}: {error}") from None
        unset = model.load_state_dict(state, strict=False).missing_keys
        missing = [name for name in unset if "position_ids" not in name]
        if missing:
            raise InputError(
                f"{self.weights} lacks weights: {', '.join(missing[:3])}"
            )
        return model.float().eval()


@metric(
    name="comet",
    version="1",
    scale=0,
    each_reference=True,
    batch_size=CALL_SIZE,
)
@dataclass(eq=False)
class Estimate(WithModels):
    """Estimate of a trained model (Rei et al. 2020), by unbabel-comet; needs a source, and mostly a
    reference.
    """

    model: Model = Model(Path("Unbabel/wmt22-comet-da"))  # noqa: RUF009 (a path, which nobody can change)
    references: Literal["first", "mean", "max"] | None = None
    scale: Literal["0", "1"] | None = None
    comet: str | None = None
    late = ("references", "scale")
    modules = ("comet",)
    requirement = "unbabel-comet: pip install 'gec-pipeline[comet]'"

    def signature_options(self) -> dict[str, object]:
        """Return the options of signatures that have no fixed default, None for those left out, with
        the release of COMET. Raises InputError for another release than the option comet names.
        """
        # Here, because it takes longer to load than this file.
        from importlib import metadata

        reads_reference = Checkpoint(self.model).reads_reference
        release = metadata.version("unbabel-comet")
        if self.comet not in (None, release):
            raise InputError(
                f"expected unbabel-comet {self.comet}, found {release}"
            )
        references = self.references or "first"
        return {
            "references": references if reads_reference else None,
            "scale": "1" if self.scale == "1" else None,
            "comet": release,
        }

    def misfit(self, references: int) -> str | None:
        """Return why the model cannot score with so many references, or None if it can. With several
        the option `references` has to say which count.
        """
        if references == 1 or not Checkpoint(self.model).reads_reference:
            return None
        if references == 0:
            return f"comet: {name_of(self.model)} reads a reference; the data set has none"
        if self.references is not None:
            return None
        remedy = "give `references: first`, mean or max"
        return f"comet takes one reference, not {references}: {remedy}"

    def load(self, device: str) -> None:
        """Load the checkpoint."""
        self.checkpoint = Checkpoint(self.model)
        self.net = self.checkpoint.load().to(device)
        self.device = device

    def __call__(
        self,
        sources: list[str],
        outputs: list[str],
        references: Any = (),
    ) -> list[float]:
        """Return the model's estimate for each source, output and reference, one of each a line.
        Equal lines are computed once, in batches of about the same length.
        """
        import torch

        if not self.checkpoint.reads_reference:
            references = [""] * len(outputs)
        lines = list(zip(sources, outputs, references, strict=True))

        def length_first(line: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
            return sum(map(len, line)), line

        by_length = sorted(set(lines), key=length_first)
        scores: dict[Any, float] = {}
        for start in range(0, len(by_length), BATCH_LINES):
            batch = by_length[start : start + BATCH_LINES]
            rows = []
            for source, output, reference in batch:
                rows.append({"src": source, "mt": output, "ref": reference})
            prepared = self.net.prepare_sample(rows, stage="predict")
            tensors = {}
            for name, tensor in prepared.items():
                tensors[name] = tensor.to(self.device)
            with torch.inference_mode():
                batch_scores = self.net(**tensors).score.tolist()
            scores.update(zip(batch, batch_scores, strict=True))
        return [scores[line] for line in lines]

    def of_line(self, answers: Sequence[Values]) -> Values:
        """Return the estimate of a line from those with each reference: the first, mean or highest,
        as the option `references` says.
        """
        estimates = [estimate for (estimate,) in answers]
        estimate = estimates[0]
        if self.references == "mean":
            estimate = math.fsum(estimates) / len(estimates)
        elif self.references == "max":
            estimate = max(estimates)
        return (estimate,)


Comet = built_in(
    Estimate, name_in_text="COMET", citations=("rei-etal-2020-comet",)
)
