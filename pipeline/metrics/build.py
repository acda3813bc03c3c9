"""Metrics from names, signatures, mappings of a config and Python values, and the names that people
write.

A metric takes each default that has an effect on it and that it does not set itself.
"""

import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ..data.config.tree import Node, base_of, from_plain, is_set
from ..errors import IDLE, ConfigError, DataError, Problem, did_you_mean
from ..files.remote import Remote, expanded, is_data, locate
from ..tokenizers import TOKENIZERS
from ..tokenizers.sacrebleu import tokenizer_of_pair
from . import METRICS
from .base.metric import Metric
from .base.options import Option, parse_signature, render_signature
from .names import CHANGES, Meaning, folded, meanings, named, spellings

Asked = str | Metric | Mapping[str, Any] | Callable[..., Any]
"""A metric as users of Python ask for it."""


ELSEWHERE = {
    "XCOMET": "pip install unbabel-comet",
    "BLEURT": "pip install git+https://github.com/google-research/bleurt",
    "MoverScore": "pip install moverscore",
    "BARTScore": "its repository has a file to copy",
}
"""Metrics that people ask for and that are not built in, each with how its own program is
installed."""
BRING = (
    "bring it with --plugin FILE.py, or give its numbers as `external`: gec-pipeline help plugins"
)


def meant(name: str) -> Meaning:
    """Return what a name stands for. Raises ConfigError where it is unknown, or may be one metric
    or another.
    """
    choices = meanings(name)
    if len(choices) == 1:
        return choices[0]
    if choices:
        listed = "".join(f"\n  {choice}: {METRICS[choice.metric].summary}" for choice in choices)
        raise ConfigError(f"'{name}' may be one of these; write the one that you mean:{listed}")
    from .functions.loading import (
        find,  # here, because installed packages are only looked at for unknown names
    )

    if find(name):
        return Meaning(name, {})
    elsewhere = next((how for known, how in ELSEWHERE.items() if folded(known) == folded(name)), "")
    if elsewhere:
        raise ConfigError(f"{name} is not built in: {elsewhere}, {BRING}")
    hint = did_you_mean(name, [*METRICS, *(spelling for spelling, _ in spellings())])
    raise ConfigError(
        f"no metric is called '{name}'{hint}; known: {', '.join(METRICS)}; own metrics: {BRING}"
    )


def metrics_called(text: str, metrics: Iterable[Metric]) -> list[Metric]:
    """Return those of the metrics that a text may mean: with a name, in any spelling, and the
    options that it says.

    Where it says options, and one metric is what a config would get for the text, it means this one
    alone."""
    try:
        name, settings = parse_signature(text)
        asked = from_text(text) if settings else None
    except ConfigError:
        return []
    said = [(choice.metric, {**choice.implied, **settings}) for choice in meanings(name)]
    listed = list(metrics)
    exactly = [metric for metric in listed if metric == asked]
    return exactly or [
        m for m in listed if any(m.name == kind and _has(m, options) for kind, options in said)
    ]


def _has(metric: Metric, said: Mapping[str, str]) -> bool:
    options = {option_of(type(metric), key): value for key, value in said.items()}
    return all(
        option and getattr(metric, option.attribute) == option.read(value)
        for option, value in options.items()
    )


MAX_COMBINATIONS = 1000
"""How many metrics an entry of a config may ask for by lists of values."""


def from_text(text: str, more: Mapping[str, str] | None = None) -> Metric:
    """Return the metric of a text such as "gleu" or "gleu[n=3,refs=max]" or a signature, with the
    options in `more`.

    Raises ConfigError.
    """
    problems: list[Problem] = []
    metric = resolve(node_of(text, more or {}), problems)
    if metric is None or problems:
        raise ConfigError(problems)
    return metric


def node_of(text: str, more: Mapping[str, str], path: str = "") -> Node:
    """Return the node of a metric's text, with the options in `more`, which messages find at
    `path`.

    Raises ConfigError for an option that is given twice.
    """
    name, settings = parse_signature(text)
    for key in more.keys() & settings.keys():
        raise ConfigError(f"'{text}': '{key}' is given a second time outside the text")
    node = from_plain({"name": name, **settings, **more}, "", path)
    children_of(node)["name"].path = path  # nobody has written a key here
    return node


def from_values(values: Asked | Sequence[Asked]) -> tuple[Metric, ...]:
    """Return the metrics of a list of names, signatures, mappings or metrics, or of one of these
    alone.

    Raises ConfigError.
    """
    if isinstance(values, str | Metric | Mapping) or callable(values):
        values = [values]
    values = list(map(_of_python, values))
    problems: list[Problem] = []
    for number, value in enumerate(values):
        if isinstance(value, Mapping) and callable(value.get("tokenizer", value.get("tok"))):
            way = "tokenizer=function is an argument of evaluate, Scorer and sentence_scores"
            raise ConfigError(
                f"metrics[{number}].tokenizer: a function is no option of a metric; {way}"
            )
    if not values:
        raise ConfigError("metrics: there is none")
    distinct: dict[Metric, None] = {}
    for number, value in enumerate(values):
        ready = (
            value
            if isinstance(value, Metric)
            else isinstance(value, str) and _known(value, len(CHANGES))
        )
        nodes = [] if ready else _each(from_plain(value, "metrics", f"[{number}]"), problems)
        for metric in filter(
            None, [ready] if ready else [resolve(node, problems) for node in nodes]
        ):
            if metric in distinct:
                named = (
                    value
                    if isinstance(value, str)
                    else render_signature(metric.name, metric.settings())
                )
                message = f"'{named}' is asked for twice; each metric gives one result for a system"
                raise ConfigError(f"metrics[{number}]: {message}")
            distinct[metric] = None
    if problems:
        raise ConfigError(problems)
    return tuple(distinct)


def _of_python(value: Any) -> Any:
    """Return what was asked for in Python with the names of metrics in place of functions."""
    if isinstance(value, Mapping) and callable(value.get("name")):
        return {**value, "name": _of_python(value["name"])}
    if not callable(value):
        return value
    from .functions.loading import of_values

    return of_values(value)


@lru_cache(256)
def _known(text: str, _changes: int) -> Metric | None:
    """Return the metric of a text; None where something is wrong, or where it depends on more than
    the text.
    """
    problems: list[Problem] = []
    metric = resolve(from_plain(text, "metrics", ""), problems)
    if metric is None or problems:
        return None
    elsewhere = (option.attribute for option in metric.options if option.path or option.resolved)
    return None if any(getattr(metric, attribute) for attribute in elsewhere) else metric


def resolve(node: Node, problems: list[Problem]) -> Metric | None:
    """Return the metric of a node of a config, or add what is wrong to problems and return None."""
    try:
        name, mapping = as_mapping(node)
    except ConfigError as error:
        problems.extend(node.problem(problem.message, ["name"]) for problem in error.problems)
        return None
    metric, before = METRICS[name], len(problems)
    children = {key: child for key, child in children_of(mapping).items() if key != "name"}
    # options that `--set` gives anew, under the same name or the other one, take the place of those
    # that are written
    anew = {option_of(metric, key) for key, child in children.items() if is_set(child)} - {None}
    kept = {
        key: child
        for key, child in children.items()
        if is_set(child) or option_of(metric, key) not in anew
    }
    node = replace(mapping, value=kept)
    given = _read_options(metric, node, problems)
    result = metric(**{o.attribute: given.get(o.name, o.default_of(given)) for o in metric.options})
    written = {key: option_of(metric, key) for key in kept}
    for key, option in written.items():
        if option and option.name in given and option.applies and not option.applies(result):
            problems.append(
                node.problem(f"has no effect here ({option.why}); leave it out", [key], IDLE)
            )
    for conflict, message in result.conflicts():
        blamed = [key for key, option in written.items() if option and option.name == conflict]
        problems.append(node.problem(message, blamed[:1]))
    return result if len(problems) == before else None


def as_mapping(node: Node) -> tuple[str, Node]:
    """Return the name of a metric's node, and the node as a mapping with this name. Raises
    ConfigError.

    If the name is written in another way, the options that it implies are added to the mapping.
    """
    mapping = _written_mapping(node)
    named = children_of(mapping)["name"]
    name, implied = meant(str(named.value))
    keys = {key: child for key, child in children_of(mapping).items() if key != "name"}
    for key, value in implied.items():
        again = next(
            (
                written
                for written in keys
                if option_of(METRICS[name], written) == option_of(METRICS[name], key)
            ),
            None,
        )
        if again:
            raise ConfigError(
                f"'{named.value}' means {key}: {value} already; leave '{again}' out, or write "
                f"{name}"
            )
    added = {key: replace(named, value=value) for key, value in {"name": name, **implied}.items()}
    return name, replace(
        mapping, value=added | keys, keys={**dict.fromkeys(implied, named.mark), **mapping.keys}
    )


def _written_mapping(node: Node) -> Node:
    """Return a metric's node as a mapping with the key name, as it is written there. Raises
    ConfigError.
    """
    if isinstance(node.value, str):
        name, settings = parse_signature(node.value)
        if "name" in settings:
            raise ConfigError(f"'{node.value}': 'name' is no option")
        prefix = f"{node.path}." if node.path else ""
        children = {
            key: Node(value, node.mark, f"{prefix}{key}")
            for key, value in {"name": name, **settings}.items()
        }
        return Node(children, node.mark, node.path, dict.fromkeys(children, node.mark))
    if not isinstance(node.value, dict):
        raise ConfigError(
            "expected a metric: a name, name[key=value,...] or a mapping with the key 'name'"
        )
    named = node.get("name")
    if named is None or not isinstance(named.value, str):
        raise ConfigError(f"the key 'name' is missing; known metrics: {', '.join(METRICS)}")
    if "[" not in named.value and "|" not in named.value:
        return node
    # a text such as "gleu[n=3]" with options beside it, of which --set may give some anew
    mapping = _written_mapping(replace(named, path=node.path))
    added = {key: child for key, child in children_of(node).items() if key != "name"}
    twice = [
        key for key, child in added.items() if key in children_of(mapping) and not is_set(child)
    ]
    if twice:
        raise ConfigError(f"'{named.value}': '{twice[0]}' is given a second time outside the text")
    return replace(
        mapping, value={**children_of(mapping), **added}, keys={**mapping.keys, **node.keys}
    )


def children_of(node: Node) -> dict[str, Node]:
    """Return the children of a mapping by their keys, or nothing if the node is no mapping."""
    return node.value if isinstance(node.value, dict) else {}


def option_of(metric: type[Metric], key: str) -> Option | None:
    """Return the option that a key of a config or of a signature names."""
    return next((option for option in metric.options if key in (option.name, option.key)), None)


def _read_options(metric: type[Metric], node: Node, problems: list[Problem]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for key, child in children_of(node).items():
        option = option_of(metric, key)
        value = child
        if option and option.inner and children_of(child).keys() == {option.inner}:
            value = children_of(child)[option.inner]
        if option is None:
            names = [option.name for option in metric.options]
            hint = did_you_mean(key, names) or f"; known: {', '.join(names)}"
            problems.append(node.problem(f"{metric.name} has no such option{hint}", [key]))
        elif option.name in given:
            message = f"is given twice: '{option.name}' and '{option.key}' are the same option"
            problems.append(node.problem(message, [key]))
        elif not isinstance(value.value, str):
            problems.append(node.problem(f"expected {option.values()}", [key]))
        else:
            try:
                read = option.read(value.value)
                if option.resolved:
                    read = option.resolved(str(read), base_of(value))
                given[option.name] = _path(value, value.value) if option.path else read
            except (ValueError, DataError, ConfigError) as error:
                problems.append(node.problem(str(error).removeprefix(f"{option.name}: "), [key]))
    return given


def _path(node: Node, text: str) -> str:
    """Return a path of an option: against the folder of the config that wrote it. In it {name} is
    that of a system.
    """
    base = base_of(node)
    path = locate(base, expanded(text.replace("{name}", "{system}"), base))
    return text if is_data(text) or isinstance(path, Remote) else str(path)


def resolve_all(nodes: Sequence[Node], problems: list[Problem]) -> tuple[Metric, ...]:
    """Return the metrics of a config in order, and add what is wrong or asked for twice to
    problems.
    """
    metrics: list[Metric] = []
    for written in nodes:
        for node in _each(written, problems):
            metric = resolve(node, problems)
            if metric in metrics:
                problems.append(
                    node.problem("the same metric with the same settings is asked for twice")
                )
            elif metric:
                metrics.append(metric)
    return tuple(metrics)


def _each(node: Node, problems: list[Problem]) -> list[Node]:
    """Return a metric's node once for every combination of the options that are written as lists of
    values.
    """
    if not isinstance(node.value, dict):
        return [node]
    lists = {
        key: child.value
        for key, child in node.value.items()
        if isinstance(child.value, list) and child.value
    }
    count = math.prod(len(values) for values in lists.values())
    if count > MAX_COMBINATIONS:
        message = f"these lists ask for {count:,} metrics; at most {MAX_COMBINATIONS:,} are allowed"
        problems.append(node.problem(message))
        return []
    combinations = itertools.product(*lists.values())
    return [
        replace(node, value={**node.value, **dict(zip(lists, values, strict=True))})
        for values in combinations
    ]


# --- defaults


def with_defaults(
    nodes: Sequence[Node], root: Node | None, problems: list[Problem]
) -> tuple[Node, ...]:
    """Return the metrics' nodes with defaults.metrics merged into them.

    A default that no metric takes, because none has the option or it would change nothing, is added
    to problems."""
    section = root.get("defaults") if root else None
    common = section.get("metrics") if section else None
    if common is None or not isinstance(common.value, dict):
        return tuple(nodes)
    return _with_common(nodes, common, "default", problems)


def from_texts(
    texts: Sequence[str], options: Mapping[str, str], pair: str = ""
) -> tuple[Metric, ...]:
    """Return the metrics of texts such as "BLEU" and "gleu[n=3]". Each takes the options that it
    has a use for.

    A single metric has to take all of them. An option called "chrf.lowercase" is for the metric
    chrf alone. `pair` is a pair of languages, such as en-ja: metrics that split texts as people
    write them by default, such as bleu, do it as suits the second one. Raises ConfigError, also
    where no metric takes an option or the pair."""
    common = {key: value for key, value in options.items() if "." not in key}
    kinds = [named(parse_signature(text)[0]) for text in texts]
    own = [
        {key[len(kind) + 1 :]: options[key] for key in options if key.startswith(f"{kind}.")}
        for kind in kinds
    ]
    lost = next((key for key in options if "." in key and key.partition(".")[0] not in kinds), None)
    if lost:
        flag, name = re.sub("[._]", "-", lost), lost.partition(".")[0]
        raise ConfigError(
            f"--{flag}: is for {name} alone, and only {', '.join(kinds)} is asked for"
        )
    if pair:
        chosen = tokenizer_of_pair(pair)
        taking = [
            more for text, more in zip(texts, own, strict=True) if _splits(text, common | more)
        ]
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
    """Return whether a metric with these options has a tokeniser for texts as people write them
    that was not given.
    """
    name, settings = parse_signature(text)
    kind, implied = meant(name)
    metric = METRICS[kind]
    written = {
        option_of(metric, key): value for key, value in {**implied, **options, **settings}.items()
    }
    given = {
        option.name: value
        for option, value in written.items()
        if option and value in (option.choices or ())
    }
    split = option_of(metric, "tokenizer")
    own = split and split not in written and TOKENIZERS.get(str(split.default_of(given)))
    return bool(own and own.expects == "text")


def _with_common(
    nodes: Sequence[Node], common: Node, kind: str, problems: list[Problem]
) -> tuple[Node, ...]:
    """Return the metrics' nodes with common values merged into them. `kind` is what messages call
    such a value.
    """
    filled = [_filled(node, common) for node in nodes]
    used = {
        key
        for key, child in children_of(common).items()
        for node in filled
        if children_of(node).get(key) is child
    }
    for key in children_of(common):
        if key not in used and filled:
            options = [option for metric in METRICS.values() for option in metric.options]
            names = dict.fromkeys(
                [*(option.name for option in options), *(option.key for option in options)]
            )
            given = any(_gives(node, key) for node in filled)
            why = "every metric sets it itself" if given else "none has a use for it"
            hint = "" if key in names else f"; there is no such option, known: {', '.join(names)}"
            problems.append(common.problem(f"no metric takes this {kind}: {why}{hint}", [key]))
    return tuple(filled)


def _filled(node: Node, common: Node) -> Node:
    current = _mapping(node)
    if current is None:
        return node
    waiting = [
        key for key in children_of(common) if _spellings(current, key) and not _gives(current, key)
    ]
    filled = _taken(current, waiting, common)
    return node if filled is current else filled


def _taken(node: Node, keys: Sequence[str], common: Node) -> Node:
    """Return a metric's node with the defaults that have an effect and leave no other option
    without effect.

    Some defaults have an effect only beside another that is taken later. So the rest is tried again
    after each round in which one was taken."""
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
    mapping = _mapping(node)
    return mapping is not None and bool(
        (_spellings(mapping, key) | {key}) & set(children_of(mapping))
    )
