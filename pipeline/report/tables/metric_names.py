"""Names of metrics in tables: short labels, and names as papers write them."""

from collections.abc import Iterable, Sequence

from ...errors import InputError
from ...metrics import METRICS, class_of, from_text
from ...metrics.options import unescape

ALWAYS = ("flavour", "level")
"""Settings that labels name whenever metrics of a name differ in them, since such scores cannot be
compared."""
NEVER = ("nrefs", "v")
"""Settings that labels never name, so that a metric has the same label on every data set."""
Settings = dict[str, str]
"""The settings of a signature by their keys."""


def labels(metrics: Iterable[str]) -> dict[str, str]:
    """Return a short label for each signature.

    This is the name of the metric. If several share a name, the settings in which they differ
    follow, such as `gleu (refs:max)`, or a number if they differ in none. The number of references
    and the version do not count as differences. Numbers from files have their title as a name.
    """
    settings: dict[str, Settings] = {}
    labelled: dict[str, str] = {}
    by_name: dict[str, list[str]] = {}
    for text in dict.fromkeys(metrics):
        metric, *parts = text.split("|")
        settings[text] = {}
        for part in parts:
            key, _, value = part.partition(":")
            settings[text][key] = value
        title = unescape(settings[text].get("title", ""))
        labelled[text] = title or _short_name(text, metric, parts)
        by_name.setdefault(labelled[text], []).append(text)
        for key in NEVER:
            settings[text].pop(key, None)
    for name, texts in by_name.items():
        rivals: list[Settings] = []
        for text in texts:
            if settings[text] not in rivals:
                rivals.append(settings[text])
        if len(rivals) > 1:
            differences = _differences(name, rivals)
            for text in texts:
                difference = differences[rivals.index(settings[text])]
                labelled[text] = f"{name} ({difference})"
    return labelled


def _short_name(text: str, name: str, parts: Sequence[str]) -> str:
    """Return the short name of a metric with certain settings, or its name."""
    for setting, short_name in class_of(text).short_names.items():
        if setting in parts:
            return short_name
    return name


def rivalry(metric: str, label: str) -> str:
    """Return the part of a label after the name: in what the metric differs from others of its
    name.
    """
    if not label.startswith(metric.partition("|")[0]):
        return ""
    return label.removeprefix(labels([metric])[metric])


def called(metrics: Iterable[str]) -> dict[str, str]:
    """Return the name in papers of each signature's metric, with its differences from others of
    this name.
    """
    names = {}
    for text, label in labels(metrics).items():
        name, _ = in_text(text, "")
        names[text] = name + rivalry(text, label)
    return names


def in_text(metric: str, output: str) -> tuple[str, str]:
    """Return how papers head an output of the metric of a signature: see Metric.in_text(). No
    output is the score.

    For a metric that this version does not have, they are its own names.
    """
    try:
        known_metric = from_text(metric)
    except InputError:
        label = labels([metric])[metric]
        if output in (label, metric.partition("|")[0]):
            output = ""
        return label, output
    return known_metric.in_text(output or known_metric.output)


def _differences(name: str, rivals: Sequence[Settings]) -> list[str]:
    """Return for each metric of a name in what it differs, with defaults that signatures leave
    out.
    """
    defaults = {}
    if name in METRICS:
        for option in METRICS[name].options:
            defaults[option.key] = str(option.default_of({})).lower() or "none"
    always = {key: defaults[key] for key in ALWAYS if key in defaults}
    completed = [always | rival for rival in rivals]
    texts = _distinguishing_settings(completed)
    if not texts[0].isdigit():
        return texts
    compared: Settings = {}
    for rival in rivals:
        for key in rival:
            if key in defaults:
                compared[key] = defaults[key]
    completed = []
    for rival in rivals:
        completed.append(
            {key: rival.get(key, compared[key]) for key in compared}
        )
    return _distinguishing_settings(completed)


def _distinguishing_settings(rivals: Sequence[Settings]) -> list[str]:
    """Return for each metric of a name the few settings in which it differs from the others, or
    else a number.
    """

    def combinations(keys: Sequence[str]) -> int:
        return len({tuple(map(rival.get, keys)) for rival in rivals})

    all_keys: Settings = {}
    for rival in rivals:
        all_keys |= rival
    keys = [key for key in all_keys if combinations([key]) > 1]
    shared = set(all_keys).intersection(*rivals)
    everywhere = [key for key in keys if key in shared]
    chosen = [key for key in ALWAYS if key in everywhere]
    if combinations(chosen) < len(rivals):
        sufficient = [
            key for key in everywhere if combinations([key]) == len(rivals)
        ]
        chosen += sufficient[:1]
    if combinations(chosen) < len(rivals):
        for key in [*everywhere, *keys]:
            if combinations([*chosen, key]) > combinations(chosen):
                chosen.append(key)
    texts = []
    for rival in rivals:
        settings = [f"{key}:{rival[key]}" for key in chosen if key in rival]
        texts.append(" ".join(settings))
    if all(texts) and len(set(texts)) == len(texts):
        return texts
    return [str(number) for number in range(1, len(texts) + 1)]
