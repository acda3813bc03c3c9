"""COMET (Rei et al. 2020): regression models that compare source, output and reference, by the package of the authors."""

from __future__ import annotations

import math
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import yaml

from ...errors import InputError
from ..plugged.declare import Model, metric
from ..plugged.models import HUB, located, name_of
from .networks import AT_ONCE, built_in, special_notes

if TYPE_CHECKING:
    from collections.abc import Callable

EXTRA: dict[str, Any] = {"packages": ("comet",), "install": "gec-pipeline[comet]"}
CLASSES = {"regression_metric": True, "referenceless_regression_metric": False}
"""The classes of models, and whether they read a reference."""
SMALL = 32
"""Segments that the model gets at once; those of a call are sorted by their length before."""


def _settings(model: Path) -> dict[str, Any]:
    """Return what a checkpoint says of itself. Raises InputError where it cannot be used."""
    file = model / "hparams.yaml"
    if not file.is_file() or not (model / "checkpoints" / "model.ckpt").is_file():
        raise InputError(f"{model} is no checkpoint of COMET: hparams.yaml and checkpoints/model.ckpt are expected")
    settings: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    kind = settings.get("class_identifier")
    if kind not in CLASSES:
        raise InputError(f"{name_of(model)} is a {kind}; known: {', '.join(CLASSES)}")
    return settings


def _encoder(model: Path, settings: dict[str, Any]) -> Path:
    """Return the folder of configuration and tokenizer of the encoder. Raises InputError where it is not there."""
    name = str(settings["pretrained_model"])
    found = model / name if (model / name).is_dir() else located(f"{HUB}{name}")
    if found is None:
        raise InputError(f"the encoder {name} of {name_of(model)} is not in the cache; --download fetches it")
    return found


@metric(name="neural_comet", version="1", batch_size=AT_ONCE, **EXTRA)
class Segment:
    """The number of a model of COMET for a source, an output and a reference, which is empty where none is read."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def load(self, device: str) -> None:
        """Load the checkpoint, without anything in it that could run."""
        import comet.models
        import torch

        settings = _settings(self.model)
        kind = settings.pop("class_identifier")
        self.device, self.reads_reference = device, CLASSES[kind]
        patched = settings.get("layer_transformation") == "sparsemax_patch"
        settings |= {"layer_transformation": "softmax"} if patched else {}
        encoder = str(_encoder(self.model, settings))
        more = {"pretrained_model": encoder, "load_pretrained_weights": False, "local_files_only": True}
        made = comet.models.str2model[kind](**{**settings, **more})
        try:
            path = self.model / "checkpoints" / "model.ckpt"
            state = torch.load(path, map_location="cpu", weights_only=True)["state_dict"]
        except Exception as error:
            raise InputError(f"{path} cannot be read without running code of it: {str(error)[:200]}") from None
        missing = [
            name for name in made.load_state_dict(state, strict=False).missing_keys if "position_ids" not in name
        ]
        if missing:
            raise InputError(f"{path} lacks weights: {', '.join(missing[:3])}")
        self.net = made.float().eval().to(device)

    def __call__(self, sources: list[str], outputs: list[str], references: list[str]) -> list[float]:
        """Return the number of each segment."""
        import torch

        order = sorted(range(len(outputs)), key=lambda n: len(sources[n]) + len(outputs[n]) + len(references[n]))
        result = [0.0] * len(order)
        for start in range(0, len(order), SMALL):
            part = order[start : start + SMALL]
            rows = [{"src": sources[n], "mt": outputs[n]} for n in part]
            if self.reads_reference:
                rows = [{**row, "ref": references[n]} for row, n in zip(rows, part, strict=True)]
            given = self.net.prepare_sample(rows, stage="predict")
            with torch.inference_mode():
                scores = self.net(**{name: each.to(self.device) for name, each in given.items()}).score
            for number, score in zip(part, scores.tolist(), strict=True):
                result[number] = score
        return result


@metric(name="comet", version="1", scale=0, **EXTRA)
class Regression:
    """Estimate of a trained model (Rei et al. 2020), by unbabel-comet; needs a source, and mostly a reference."""

    def __init__(
        self,
        model: Model = Model("Unbabel/wmt22-comet-da"),  # type: ignore[arg-type]  # noqa: B008
        references: Literal["first", "mean", "max"] | None = None,
        scale: Literal["0", "1"] | None = None,
        comet: str | None = None,
    ) -> None:
        self.model, self.references, self.scale, self.comet = model, references, scale, comet

    def check(self) -> None:
        """Raise InputError for a checkpoint that cannot be used, and another release than was asked for."""
        _encoder(self.model, _settings(self.model))
        if self.comet and self.comet != _release():
            raise InputError(f"comet: expected unbabel-comet {self.comet}, found {_release()}")

    def told(self) -> dict[str, object]:
        """Return what signatures say of options whose values mean something else here."""
        reads = CLASSES[_settings(self.model)["class_identifier"]]
        scale = {} if self.scale == "1" else {"scale": None}
        return {"references": (self.references or "first") if reads else None, **scale, "comet": _release()}

    def notes(self, sources: list[str], outputs: list[str], references: list[tuple[str, ...]]) -> Any:
        """Warn of special pieces."""
        lines = [(one, two, *more) for one, two, more in zip(sources, outputs, references, strict=True)]
        return special_notes([_encoder(self.model, _settings(self.model))], lines)

    def __call__(
        self, sources: list[str], outputs: list[str], ask: Callable[..., Any], references: Any = ()
    ) -> list[float]:
        """Return the number of each line; of several references as the option says."""
        if not CLASSES[_settings(self.model)["class_identifier"]]:
            references = [("",)] * len(outputs)
        most = max(map(len, references))
        if most == 0:
            raise InputError(f"comet: {name_of(self.model)} reads a reference; the data set has none")
        if most > 1 and self.references is None:
            said = "give `references: first`, mean or max"
            raise InputError(f"comet takes one reference, and lines have up to {most}: {said}")
        pairs = zip(sources, outputs, references, strict=True)
        first = self.references in (None, "first")
        found = ask(Segment, [[(s, o, r) for r in (rs[:1] if first else rs)] for s, o, rs in pairs], model=self.model)
        join = max if self.references == "max" else lambda each: math.fsum(each) / len(each)
        return [join([number for (number,) in answers]) for answers in found]


def _release() -> str:
    try:
        return version("unbabel-comet")
    except PackageNotFoundError:
        return "unknown"


Comet = built_in(Regression, name_in_text="COMET", citations=("rei-etal-2020-comet",))
