"""Defaults of metrics: a metric takes each default that has an effect on it and that it does not set itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..config.tree import Node, from_plain
from ..errors import IDLE, ConfigError, Problem
from ..tokenizers import TOKENIZERS
from ..tokenizers.sacrebleu import tokenizer_of_pair
from . import METRICS
from .base.metric import Metric
from .base.options import parse_signature
from .build import as_mapping, children_of, from_text, meant, node_of, option_of, resolve, resolve_all
from .names import named


def with_defaults(nodes: Sequence[Node], root: Node | None, problems: list[Problem]) -> tuple[Node, ...]:
    """Return the metrics' nodes with defaults.metrics merged into them.

    A default that no metric takes, because none has the option or it would change nothing, is added to problems.
    """
    section = root.get("defaults") if root else None
    common = section.get("metrics") if section else None
    if common is None or not isinstance(common.value, dict):
        return tuple(nodes)
    return _with_common(nodes, common, "default", problems)


def from_texts(texts: Sequence[str], options: Mapping[str, str], pair: str = "") -> tuple[Metric, ...]:
    """Return the metrics of texts such as "BLEU" and "gleu[n=3]". Each takes the options that it has a use for.

    A single metric has to take all of them. An option called "chrf.lowercase" is for the metric chrf alone. `pair` is a
    pair of languages, such as en-ja: metrics that split texts as people write them by default, such as bleu, do it as
    suits the second one. Raises ConfigError, also where no metric takes an option or the pair.
    """
    common = {key: value for key, value in options.items() if "." not in key}
    kinds = [named(parse_signature(text)[0]) for text in texts]
    own = [{key[len(kind) + 1 :]: options[key] for key in options if key.startswith(f"{kind}.")} for kind in kinds]
    lost = next((key for key in options if "." in key and key.partition(".")[0] not in kinds), None)
    if lost:
        flag, name = re.sub("[._]", "-", lost), lost.partition(".")[0]
        raise ConfigError(f"--{flag}: is for {name} alone, and only {', '.join(kinds)} is asked for")
    if pair:
        chosen = tokenizer_of_pair(pair)
        taking = [more for text, more in zip(texts, own, strict=True) if _splits(text, common | more)]
        if not taking:
            given = {"tokenizer", "tok"} & common.keys()
            why = "it is given already" if given else "bleu does, unless it has one already"
            raise ConfigError(f"-l {pair}: no metric takes a tokenizer from it: {why}")
        for more in taking:
            more["tokenizer"] = chosen
    if len(texts) == 1:
        return (from_text(texts[0], common | own[0]),)
    problems: list[Problem] = []
    nodes = [node_of(text, more, text) for text, more in zip(texts, own, strict=True)]
    filled = _with_common(nodes, from_plain(common, "", ""), "option", problems)
    metrics = resolve_all(filled, problems)
    if problems:
        raise ConfigError(dict.fromkeys(problems))
    return metrics


def _splits(text: str, options: Mapping[str, str]) -> bool:
    """Return whether a metric with these options has a tokeniser for texts as people write them that was not given."""
    name, settings = parse_signature(text)
    kind, implied = meant(name)
    metric = METRICS[kind]
    written = {option_of(metric, key): value for key, value in {**implied, **options, **settings}.items()}
    given = {option.name: value for option, value in written.items() if option and value in (option.choices or ())}
    split = option_of(metric, "tokenizer")
    own = split and split not in written and TOKENIZERS.get(str(split.default_of(given)))
    return bool(own and own.expects == "text")


def _with_common(nodes: Sequence[Node], common: Node, kind: str, problems: list[Problem]) -> tuple[Node, ...]:
    """Return the metrics' nodes with common values merged into them. `kind` is what messages call such a value."""
    filled = [_filled(node, common) for node in nodes]
    used = {key for key, child in children_of(common).items() for node in filled if children_of(node).get(key) is child}
    for key in children_of(common):
        if key not in used and filled:
            options = [option for metric in METRICS.values() for option in metric.options]
            names = dict.fromkeys([*(option.name for option in options), *(option.key for option in options)])
            given = any(_gives(node, key) for node in filled)
            why = "every metric sets it itself" if given else "none has a use for it"
            hint = "" if key in names else f"; there is no such option, known: {', '.join(names)}"
            problems.append(common.problem(f"no metric takes this {kind}: {why}{hint}", [key]))
    return tuple(filled)


def _filled(node: Node, common: Node) -> Node:
    """Return a metric's node with the defaults that it takes."""
    current = _mapping(node)
    if current is None:
        return node
    waiting = [key for key in children_of(common) if _spellings(current, key) and not _gives(current, key)]
    filled = _taken(current, waiting, common)
    return node if filled is current else filled


def _taken(node: Node, keys: Sequence[str], common: Node) -> Node:
    """Return a metric's node with the defaults that have an effect and leave no other option without effect.

    Some defaults have an effect only beside another that is taken later. So the rest is tried again after each round in
    which one was taken.
    """
    left, idle = [], _idle(node)
    for key in keys:
        options = {**children_of(node), key: children_of(common)[key]}
        tried = replace(node, value=options, keys={**node.keys, key: common.keys[key]})
        idle_now = _idle(tried)
        if idle_now <= idle:
            node, idle = tried, idle_now
        else:
            left.append(key)
    return node if len(left) == len(keys) else _taken(node, left, common)


def _idle(node: Node) -> set[Problem]:
    """Return the problems about options of a metric that have no effect."""
    problems: list[Problem] = []
    resolve(node, problems)
    return {problem for problem in problems if problem.kind == IDLE}


def _mapping(node: Node) -> Node | None:
    """Return a metric's node as a mapping, or None if it cannot be read."""
    try:
        return as_mapping(node)[1]
    except ConfigError:
        return None


def _spellings(node: Node, key: str) -> set[str]:
    """Return the name and the key of a metric's option, or nothing if the metric does not have it."""
    name = node.get("name")
    metric = METRICS.get(str(name.value)) if name else None
    option = option_of(metric, key) if metric else None
    return {option.name, option.key} if option else set()


def _gives(node: Node, key: str) -> bool:
    """Return whether a metric's node sets the option that a key names."""
    mapping = _mapping(node)
    return mapping is not None and bool((_spellings(mapping, key) | {key}) & set(children_of(mapping)))
