"""Metrics from names, signatures, mappings of a config and Python values.

A metric takes each default that has an effect on it and that it does not set itself.
"""

import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ..data.config import Node
from ..errors import IDLE, ConfigError, DataError, Problem, did_you_mean
from ..extension import missing_extension
from ..files import Remote, WrittenPath
from ..tokenizers import TOKENIZERS, tokenizer_of_pair
from .base import Metric
from .names import DEPENDENT_CACHES, Meaning, folded, meanings, named, spellings
from .options import Option, parse_signature, render_signature
from .sources import metric_source
from .table import METRICS

MetricArgument = str | Metric | Mapping[str, Any] | Callable[..., Any]
"""What functions for users of Python take as a metric."""
ELSEWHERE = {
    "XCOMET": "pip install unbabel-comet",
    "BLEURT": "pip install git+https://github.com/google-research/bleurt",
    "MoverScore": "pip install moverscore",
    "BARTScore": "its repository has a file to copy",
}
"""Well-known metrics that are not built in, each with how its own program is installed."""
BRING = "bring it with --plugin FILE.py, or give its numbers as `external`: gec-pipeline help plugins"
MAX_COMBINATIONS = 1000
"""How many metrics an entry of a config may ask for by lists of values."""


# --- names


def meaning_of(name: str) -> Meaning:
    """Return what a name stands for. Raises ConfigError if it is unknown or ambiguous."""
    choices = meanings(name)
    if len(choices) == 1:
        return choices[0]
    if choices:
        listed = "".join(
            f"\n  {choice}: {METRICS[choice.metric].summary}"
            for choice in choices
        )
        raise ConfigError(
            f"'{name}' may be one of these; write the one that you mean:{listed}"
        )
    # Installed packages are searched only for unknown names.
    if metric_source().find(name):
        return Meaning(name, {})
    missing = missing_extension("metrics", name)
    if missing:
        raise ConfigError(missing)
    for other, way in ELSEWHERE.items():
        if folded(other) == folded(name):
            raise ConfigError(f"{name} is not built in: {way}, {BRING}")
    hint = did_you_mean(
        name, [*METRICS, *(spelling for spelling, _ in spellings())]
    )
    known = ", ".join(METRICS)
    raise ConfigError(
        f"no metric is called '{name}'{hint}; known: {known}; own metrics: {BRING}"
    )


def metrics_called(text: str, metrics: Iterable[Metric]) -> list[Metric]:
    """Return those of the metrics that a text may mean, by name in any spelling and options.

    If the text has options, and one metric is what a config would get for the text, it means this
    one alone.
    """
    try:
        name, settings = parse_signature(text)
        exact = from_text(text) if settings else None
    except ConfigError:
        return []
    candidates = list(metrics)
    equal = [metric for metric in candidates if metric == exact]
    if equal:
        return equal
    matching = []
    for metric in candidates:
        for meaning in meanings(name):
            if meaning.metric == metric.name and _has(
                metric, {**meaning.implied, **settings}
            ):
                matching.append(metric)
                break
    return matching


def _has(metric: Metric, settings: Mapping[str, str]) -> bool:
    """Return whether a metric has these options with these values."""
    values = {
        metric.option_named(key): value for key, value in settings.items()
    }
    for option, value in values.items():
        if not option or getattr(metric, option.attribute) != option.read(
            value
        ):
            return False
    return True


# --- texts and values of Python


def from_text(text: str, more: Mapping[str, str] | None = None) -> Metric:
    """Return the metric of a text such as "gleu" or "gleu[n=3,refs=max]" or a signature.

    `more` has further options. Raises ConfigError.
    """
    problems: list[Problem] = []
    metric = resolve(node_of(text, more or {}), problems)
    if metric is None or problems:
        raise ConfigError(problems)
    return metric


def node_of(text: str, more: Mapping[str, str], path: str = "") -> Node:
    """Return the node of a metric's text with the options in `more`; `path` is for messages.

    Raises ConfigError for an option that is set twice.
    """
    name, settings = parse_signature(text)
    for key in more.keys() & settings.keys():
        raise ConfigError(
            f"'{text}': '{key}' is given a second time outside the text"
        )
    node = Node.from_plain({"name": name, **settings, **more}, "", path)
    children_of(node)["name"].path = path  # nobody has written a key here
    return node


def from_values(
    values: MetricArgument | Sequence[MetricArgument],
) -> tuple[Metric, ...]:
    """Return the metrics of names, signatures, mappings or metrics, in a list or alone.

    Raises ConfigError.
    """
    if isinstance(values, str | Metric | Mapping) or callable(values):
        values = [values]
    values = [_named_function(value) for value in values]
    for number, value in enumerate(values):
        if isinstance(value, Mapping) and callable(
            value.get("tokenizer", value.get("tok"))
        ):
            way = "tokenizer=function is an argument of evaluate, Scorer and sentence_scores"
            raise ConfigError(
                f"metrics[{number}].tokenizer: a function is no option of a metric; {way}"
            )
    if not values:
        raise ConfigError("metrics: there is none")
    distinct: dict[Metric, None] = {}
    problems: list[Problem] = []
    for number, value in enumerate(values):
        for metric in _metrics_of(value, number, problems):
            if metric in distinct:
                text = value
                if not isinstance(value, str):
                    text = render_signature(metric.name, metric.settings())
                message = f"'{text}' is asked for twice; each metric gives one result for a system"
                raise ConfigError(f"metrics[{number}]: {message}")
            distinct[metric] = None
    if problems:
        raise ConfigError(problems)
    return tuple(distinct)


def _metrics_of(
    value: Any, number: int, problems: list[Problem]
) -> list[Metric]:
    """Return the metrics of an entry of a list, and add what is wrong to problems."""
    if isinstance(value, Metric):
        return [value]
    if isinstance(value, str):
        cached = _known(value)
        if cached:
            return [cached]
    nodes = _combinations(
        Node.from_plain(value, "metrics", f"[{number}]"), problems
    )
    metrics = [resolve(node, problems) for node in nodes]
    return [metric for metric in metrics if metric]


def _named_function(value: Any) -> Any:
    """Return a value with the name of a metric in place of the metric's function."""
    if isinstance(value, Mapping) and callable(value.get("name")):
        return {**value, "name": _named_function(value["name"])}
    if isinstance(value, Metric) or not callable(value):
        return value
    return metric_source().name_of(value)


@lru_cache(256)
def _known(text: str) -> Metric | None:
    """Return the metric of a text; None if it is wrong or depends on more than the text."""
    problems: list[Problem] = []
    metric = resolve(Node.from_plain(text, "metrics", ""), problems)
    if metric is None or problems:
        return None
    for option in metric.options:
        if (option.path or option.resolved) and getattr(
            metric, option.attribute
        ):
            return None
    return metric


DEPENDENT_CACHES.append(_known.cache_clear)


# --- nodes of a config


def resolve(node: Node, problems: list[Problem]) -> Metric | None:
    """Return the metric of a node of a config; None if anything was added to problems."""
    try:
        metric, node = as_mapping(node)
    except ConfigError as error:
        problems.extend(
            node.problem(problem.message, ["name"])
            for problem in error.problems
        )
        return None
    problems_before = len(problems)
    written = _written_options(metric, node)
    values = _read_options(metric, node, written, problems)
    attributes = {}
    for option in metric.options:
        default = option.default_of(values)
        attributes[option.attribute] = values.get(option.name, default)
    result = metric(**attributes)
    for key, written_option in written.items():
        if not written_option or written_option.name not in values:
            continue  # unknown or unreadable: reported already
        if written_option.applies and not written_option.applies(result):
            message = f"has no effect here ({written_option.why}); leave it out"
            problems.append(node.problem(message, [key], IDLE))
    for name, message in result.conflicts():
        keys = []
        for key, written_option in written.items():
            if written_option and written_option.name == name:
                keys.append(key)
        problems.append(node.problem(message, keys[:1]))
    if len(problems) == problems_before:
        return result
    return None


def _written_options(
    metric: type[Metric], node: Node
) -> dict[str, Option | None]:
    """Return the options of a metric's mapping by their keys; None for an unknown option.

    Options that `--set` replaces are left out. It may name one in its other way, by name or by key.
    """
    children = children_of(node)
    replaced = {
        metric.option_named(key)
        for key, child in children.items()
        if child.is_set
    }
    options = {}
    for key, child in children.items():
        option = metric.option_named(key)
        if key != "name" and (
            child.is_set or not option or option not in replaced
        ):
            options[key] = option
    return options


def as_mapping(node: Node) -> tuple[type[Metric], Node]:
    """Return the metric of a node, and the node as a mapping with the metric's name.

    If the name is written in another way, the options that it implies are added to the mapping.
    Raises ConfigError.
    """
    mapping = _written_mapping(node)
    settings = dict(children_of(mapping))
    name_node = settings.pop("name")
    name, implied = meaning_of(str(name_node.value))
    metric = METRICS[name]
    children = {"name": replace(name_node, value=name)}
    for key, value in implied.items():
        for written in settings:
            if metric.option_named(written) == metric.option_named(key):
                raise ConfigError(
                    f"'{name_node.value}' means {key}: {value} already; "
                    f"leave '{written}' out, or write {name}"
                )
        children[key] = replace(name_node, value=value)
    keys = {**dict.fromkeys(implied, name_node.mark), **mapping.keys}
    return metric, replace(mapping, value=children | settings, keys=keys)


def _written_mapping(node: Node) -> Node:
    """Return a metric's node as a mapping with the key name, as it is written there.

    Raises ConfigError.
    """
    if isinstance(node.value, str):
        name, settings = parse_signature(node.value)
        if "name" in settings:
            raise ConfigError(f"'{node.value}': 'name' is no option")
        prefix = f"{node.path}." if node.path else ""
        children = {}
        for key, value in {"name": name, **settings}.items():
            children[key] = Node(value, node.mark, f"{prefix}{key}")
        return Node(
            children, node.mark, node.path, dict.fromkeys(children, node.mark)
        )
    if not isinstance(node.value, dict):
        raise ConfigError(
            "expected a metric: a name, name[key=value,...] or a mapping with the key 'name'"
        )
    name_node = node.get("name")
    if name_node is None or not isinstance(name_node.value, str):
        raise ConfigError(
            f"the key 'name' is missing; known metrics: {', '.join(METRICS)}"
        )
    if "[" not in name_node.value and "|" not in name_node.value:
        return node
    # a text such as "gleu[n=3]" with options beside it, some of which --set may replace
    mapping = _written_mapping(replace(name_node, path=node.path))
    in_text = children_of(mapping)
    beside = dict(children_of(node))
    del beside["name"]
    for key, child in beside.items():
        if key in in_text and not child.is_set:
            raise ConfigError(
                f"'{name_node.value}': '{key}' is given a second time outside the text"
            )
    keys = {**mapping.keys, **node.keys}
    return replace(mapping, value={**in_text, **beside}, keys=keys)


def children_of(node: Node) -> dict[str, Node]:
    """Return the children of a mapping by their keys, or nothing if the node is no mapping."""
    if isinstance(node.value, dict):
        return node.value
    return {}


def _read_options(
    metric: type[Metric],
    node: Node,
    written: Mapping[str, Option | None],
    problems: list[Problem],
) -> dict[str, Any]:
    """Return the values of a node's options by name, and add what is wrong to problems."""
    values: dict[str, Any] = {}
    for key, option in written.items():
        message = ""
        if option is None:
            names = [option.name for option in metric.options]
            hint = did_you_mean(key, names) or f"; known: {', '.join(names)}"
            message = f"{metric.name} has no such option{hint}"
        elif option.name in values:
            message = f"is given twice: '{option.name}' and '{option.key}' are the same option"
        else:
            try:
                values[option.name] = _read_option(
                    option, children_of(node)[key]
                )
            except (ValueError, DataError, ConfigError) as error:
                message = str(error).removeprefix(f"{option.name}: ")
        if message:
            problems.append(node.problem(message, [key]))
    return values


def _read_option(option: Option, node: Node) -> str | int:
    """Return the value of an option; raises ValueError, DataError or ConfigError."""
    if option.inner and children_of(node).keys() == {option.inner}:
        node = children_of(node)[option.inner]
    if not isinstance(node.value, str):
        raise ValueError(f"expected {option.values()}")
    value = option.read(node.value)
    if option.resolved:
        value = option.resolved(str(value), node.folder)
    if option.path:
        return _path(node, node.value)
    return value


def _path(node: Node, text: str) -> str:
    """Return a path of an option, which starts at the folder of its config.

    {name} in it is that of a system.
    """
    base = node.folder
    written = WrittenPath(text.replace("{name}", "{system}"))
    path = written.expanded(base).located(base)
    if WrittenPath(text).is_data or isinstance(path, Remote):
        return text
    return str(path)


def from_nodes(
    nodes: Sequence[Node], root: Node | None, problems: list[Problem]
) -> tuple[Metric, ...]:
    """Return the metrics of a config, each with the values of defaults.metrics that it uses.

    Adds to problems what is wrong, such as a default that no metric takes, because none has the
    option or it would change nothing. `root` is the config.
    """
    section = root.get("defaults") if root else None
    common = section.get("metrics") if section else None
    if common is not None and isinstance(common.value, dict):
        nodes = _with_common(nodes, common, "default", problems)
    return resolve_all(nodes, problems)


def resolve_all(
    nodes: Sequence[Node], problems: list[Problem]
) -> tuple[Metric, ...]:
    """Return the metrics of a config in order.

    Adds to problems what is wrong, and metrics that are asked for twice.
    """
    metrics: list[Metric] = []
    for entry in nodes:
        for node in _combinations(entry, problems):
            metric = resolve(node, problems)
            if metric is None:
                continue
            if metric in metrics:
                message = (
                    "the same metric with the same settings is asked for twice"
                )
                problems.append(node.problem(message))
            else:
                metrics.append(metric)
    return tuple(metrics)


def _combinations(node: Node, problems: list[Problem]) -> list[Node]:
    """Return a metric's node once for each combination of options written as lists of values."""
    if not isinstance(node.value, dict):
        return [node]
    lists = {}
    for key, child in node.value.items():
        if isinstance(child.value, list) and child.value:
            lists[key] = child.value
    count = math.prod(len(values) for values in lists.values())
    if count > MAX_COMBINATIONS:
        message = f"these lists ask for {count:,} metrics; at most {MAX_COMBINATIONS:,} are allowed"
        problems.append(node.problem(message))
        return []
    nodes = []
    for values in itertools.product(*lists.values()):
        settings = {**node.value, **dict(zip(lists, values, strict=True))}
        nodes.append(replace(node, value=settings))
    return nodes


# --- defaults


def from_texts(
    texts: Sequence[str], options: Mapping[str, str], pair: str = ""
) -> tuple[Metric, ...]:
    """Return the metrics of texts such as "BLEU" and "gleu[n=3]", each with the options it uses.

    A single metric has to take all of them. An option named "chrf.lowercase" is for the metric
    chrf alone. `pair` is a pair of languages, such as en-ja: metrics that split texts as people
    write them by default, such as bleu, do it as suits the second one. Raises ConfigError, also
    if no metric takes an option or the pair.
    """
    kinds = [named(parse_signature(text)[0]) for text in texts]
    common: dict[str, str] = {}
    of_metrics: list[dict[str, str]] = [{} for _ in kinds]
    for key, value in options.items():
        kind, dot, name = key.partition(".")
        if not dot:
            common[key] = value
            continue
        if kind not in kinds:
            flag = re.sub("[._]", "-", key)
            requested = ", ".join(kinds)
            raise ConfigError(
                f"--{flag}: is for {kind} alone, and only {requested} is asked for"
            )
        for other, settings in zip(kinds, of_metrics, strict=True):
            if other == kind:
                settings[name] = value
    if pair:
        _choose_tokenizers(texts, common, of_metrics, pair)
    if len(texts) == 1:
        return (from_text(texts[0], common | of_metrics[0]),)
    problems: list[Problem] = []
    nodes = [
        node_of(text, more, text)
        for text, more in zip(texts, of_metrics, strict=True)
    ]
    filled = _with_common(
        nodes, Node.from_plain(common, "", ""), "option", problems
    )
    metrics = resolve_all(filled, problems)
    if problems:
        raise ConfigError(dict.fromkeys(problems))
    return metrics


def _choose_tokenizers(
    texts: Sequence[str],
    common: Mapping[str, str],
    of_metrics: Sequence[dict[str, str]],
    pair: str,
) -> None:
    """Add the tokeniser of a pair of languages to the options of the metrics that take one.

    Raises ConfigError if none does.
    """
    tokenizer = tokenizer_of_pair(pair)
    takers = []
    for text, settings in zip(texts, of_metrics, strict=True):
        if _splits(text, {**common, **settings}):
            takers.append(settings)
    if not takers:
        why = "bleu does, unless it has one already"
        if {"tokenizer", "tok"} & common.keys():
            why = "it is given already"
        raise ConfigError(
            f"-l {pair}: no metric takes a tokenizer from it: {why}"
        )
    for settings in takers:
        settings["tokenizer"] = tokenizer


def _splits(text: str, options: Mapping[str, str]) -> bool:
    """Return whether a metric has a default tokeniser for texts as people write them."""
    name, settings = parse_signature(text)
    kind, implied = meaning_of(name)
    metric = METRICS[kind]
    written = {}
    for key, value in {**implied, **options, **settings}.items():
        written[metric.option_named(key)] = value
    choices = {}
    for option, value in written.items():
        if option and option.choices and value in option.choices:
            choices[option.name] = value
    tokenizer_option = metric.option_named("tokenizer")
    if not tokenizer_option or tokenizer_option in written:
        return False
    tokenizer = TOKENIZERS.get(str(tokenizer_option.default_of(choices)))
    return tokenizer is not None and tokenizer.expects == "text"


def _with_common(
    nodes: Sequence[Node],
    common: Node,
    kind: str,
    problems: list[Problem],
) -> tuple[Node, ...]:
    """Return the metrics' nodes with common values merged into them; `kind` is for messages."""
    filled = [_filled(node, common) for node in nodes]
    if not filled:
        return ()
    for key, child in children_of(common).items():
        if any(children_of(node).get(key) is child for node in filled):
            continue
        message = f"no metric takes this {kind}: none has a use for it"
        if any(_sets(node, key) for node in filled):
            message = (
                f"no metric takes this {kind}: every metric sets it itself"
            )
        known = _names_of_options()
        if key not in known:
            message += f"; there is no such option, known: {', '.join(known)}"
        problems.append(common.problem(message, [key]))
    return tuple(filled)


def _names_of_options() -> dict[str, None]:
    """Return the names of all metrics' options, then their keys in signatures."""
    names: dict[str, None] = {}
    keys: dict[str, None] = {}
    for metric in METRICS.values():
        for option in metric.options:
            names[option.name] = None
            keys[option.key] = None
    return names | keys


def _filled(node: Node, common: Node) -> Node:
    """Return a metric's node with the common values that it uses."""
    try:
        metric, mapping = as_mapping(node)
    except ConfigError:
        return node
    keys = []
    for key in children_of(common):
        if metric.option_named(key) and not _sets(mapping, key):
            keys.append(key)
    filled = _with_effective(mapping, keys, common)
    if filled is mapping:
        return node
    return filled


def _with_effective(node: Node, keys: Sequence[str], common: Node) -> Node:
    """Return a metric's node with the defaults that have an effect.

    None of them may leave another option without effect. Some have an effect only beside another
    that is taken later, so the rest is tried again after each round in which one was taken.
    """
    while True:
        postponed = []
        idle = _idle(node)
        for key in keys:
            options = {**children_of(node), key: children_of(common)[key]}
            marks = {**node.keys, key: common.keys[key]}
            candidate = replace(node, value=options, keys=marks)
            idle_now = _idle(candidate)
            if idle_now <= idle:
                node = candidate
                idle = idle_now
            else:
                postponed.append(key)
        if len(postponed) == len(keys):
            return node
        keys = postponed


def _idle(node: Node) -> set[Problem]:
    """Return the problems about options of a metric that have no effect."""
    problems: list[Problem] = []
    resolve(node, problems)
    return {problem for problem in problems if problem.kind == IDLE}


def _sets(node: Node, key: str) -> bool:
    """Return whether a metric's node sets an option, by name or by key in signatures."""
    try:
        metric, mapping = as_mapping(node)
    except ConfigError:
        return False
    option = metric.option_named(key)
    spellings_of_option = {option.name, option.key} if option else {key}
    return not spellings_of_option.isdisjoint(children_of(mapping))
