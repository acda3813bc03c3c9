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
    settings_of: dict[str, Settings] = {}
    labelled: dict[str, str] = {}
    by_name: dict[str, list[str]] = {}
    for signature in dict.fromkeys(metrics):
        metric, *parts = signature.split("|")
        settings: Settings = {}
        for part in parts:
            key, _, value = part.partition(":")
            settings[key] = value
        title = unescape(settings.get("title", ""))
        name = title or _short_name(signature, metric, parts)
        for key in NEVER:
            settings.pop(key, None)
        settings_of[signature] = settings
        labelled[signature] = name
        by_name.setdefault(name, []).append(signature)
    for name, signatures in by_name.items():
        # metrics with the same settings, as on several data sets, have one label
        distinct: list[Settings] = []
        for signature in signatures:
            if settings_of[signature] not in distinct:
                distinct.append(settings_of[signature])
        if len(distinct) > 1:
            differences = _differences(name, distinct)
            for signature in signatures:
                number = distinct.index(settings_of[signature])
                labelled[signature] = f"{name} ({differences[number]})"
    return labelled


def _short_name(text: str, name: str, parts: Sequence[str]) -> str:
    """Return the short name of a metric with certain settings, or its name."""
    for setting, short_name in class_of(text).short_names.items():
        if setting in parts:
            return short_name
    return name


def rivalry(metric: str, label: str) -> str:
    """Return the settings in a label, such as " (refs:max)", with which several metrics of a name
    are told apart; empty if the label is the name alone.
    """
    if not label.startswith(metric.partition("|")[0]):
        return ""
    return label.removeprefix(labels([metric])[metric])


def called(metrics: Iterable[str]) -> dict[str, str]:
    """Return the name of each signature's metric in papers, such as GLEU+.

    If several share a name, the settings in which they differ follow, as in labels().
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


def _differences(name: str, metrics: Sequence[Settings]) -> list[str]:
    """Return for each metric of a name the settings in which it differs from the others.

    `metrics` are the settings in their signatures. A signature leaves out some settings with their
    default values, which are added if they are needed.
    """
    defaults = {}
    if name in METRICS:
        for option in METRICS[name].options:
            defaults[option.key] = str(option.default_of({})).lower() or "none"
    always = {key: defaults[key] for key in ALWAYS if key in defaults}
    texts = _distinguishing_settings([always | metric for metric in metrics])
    if not texts[0].isdigit():
        return texts
    # only numbers tell them apart so far: compare all settings that any of them has
    written = {}
    for metric in metrics:
        for key in metric:
            if key in defaults:
                written[key] = defaults[key]
    completed = []
    for metric in metrics:
        completed.append(
            {key: metric.get(key, written[key]) for key in written}
        )
    return _distinguishing_settings(completed)


def _distinguishing_settings(metrics: Sequence[Settings]) -> list[str]:
    """Return for each metric of a name as few settings as tell it from the others.

    If no settings do, they are numbered: "1", "2" and so on.
    """

    def distinct_values(keys: Sequence[str]) -> int:
        return len({tuple(map(metric.get, keys)) for metric in metrics})

    all_keys: Settings = {}
    for metric in metrics:
        all_keys |= metric
    differing = [key for key in all_keys if distinct_values([key]) > 1]
    shared = set(all_keys).intersection(*metrics)
    everywhere = [key for key in differing if key in shared]
    chosen = [key for key in ALWAYS if key in everywhere]
    if distinct_values(chosen) < len(metrics):
        # one setting that tells all of them apart
        for key in everywhere:
            if distinct_values([key]) == len(metrics):
                chosen.append(key)
                break
    if distinct_values(chosen) < len(metrics):
        # else each setting that tells more of them apart
        for key in [*everywhere, *differing]:
            if distinct_values([*chosen, key]) > distinct_values(chosen):
                chosen.append(key)
    texts = []
    for metric in metrics:
        settings = [f"{key}:{metric[key]}" for key in chosen if key in metric]
        texts.append(" ".join(settings))
    if all(texts) and len(set(texts)) == len(texts):
        return texts
    return [str(number) for number in range(1, len(texts) + 1)]
