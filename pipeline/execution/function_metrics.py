"""Numbers that the code of users computes: each distinct text once, whatever the data sets and
systems are.

The numbers of all lines become texts, which are counted, sharded and kept like those of the metric
`external`."""

import json
import math
import os
import platform
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from struct import pack
from typing import Any, NamedTuple

import numpy as np

from ..data.corpus import Corpus
from ..data.texts import AnyText, read_texts, text_in_memory
from ..errors import ConfigError, IncompleteError, InputError, did_you_mean
from ..files.content_cache import SCORES, ContentCache
from ..metrics.base.capabilities import computes_numbers, without_code
from ..metrics.base.declared import Declared
from ..metrics.base.metric import Metric
from ..metrics.functions.calls import Answer, Call, Done, Item, Wrong, devices_of, length, written
from ..metrics.functions.metric import Code, PluggedSpec
from ..parallel import WorkerLostError, results
from .options import AUTO, SILENT, Listener, RunOptions

WAITING = 16
"""Calls at once of code that waits for a network."""
OFTEN = 0.25
"""Seconds of work that a worker of a function gets at once, and between two writings to the cache.

Each batch of a model, or of code that waits, is kept where it is computed, before the next one is
begun. """
SOON = 1.0
"""Seconds for which a function works in this process, before workers are started for the rest."""
MOST_LINES = 10
"""How many line numbers a warning lists."""
UNTOLD = 0.05
"""The share of lines left out from which a warning says that the score is not of the data set any
more."""
AGREES = 1e-4
"""How far numbers of a text may differ between calls, absolutely and of their size; batches move
the sixth digit."""


@dataclass
class Computing:
    """How numbers are computed. Nothing of it changes a number."""

    options: RunOptions = AUTO
    listener: Listener = SILENT
    told: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What run.json says of each metric: texts that were new and kept, seconds, devices, versions.
    """


def with_computed(
    corpora: Sequence[Corpus], metrics: Iterable[Metric], how: Computing
) -> list[Corpus]:
    """Return data sets with the numbers of all metrics that code of users computes.

    Models are loaded one after the other. Raises InputError, with the place of the first text that
    has no number, and IncompleteError where a process dies. What was computed before is kept."""
    for computed in _needed(metrics, how):
        how.listener.stage(computed.spec.title)
        corpora = computed.added(corpora)
    return list(corpora)


def texts_to_compute(
    corpora: Sequence[Corpus], metrics: Iterable[Metric], how: Computing
) -> Iterator[str]:
    """Yield for each metric of users how many distinct texts there are, and how many of them would
    be computed.
    """
    for computed in _needed(metrics, how, corpora):
        whole, kept = len(computed.distinct), computed.kept()
        new = f"{whole - len(kept):,} of {whole:,} distinct texts would be computed"
        about = computed.about(number for number in range(whole) if number not in kept)
        yield f"{computed.spec.told}: {new}{about}; {len(kept):,} are kept"


def tried(corpora: Sequence[Corpus], metrics: Iterable[Metric], how: Computing) -> Iterator[str]:
    """Yield for each metric of users whether the numbers of two texts are the same in several
    calls.

    A text of middle length and the longest one are computed in one call, in another one, in another
    order, and each alone. Models are loaded in this process. Raises InputError where a text has no
    number, or another one later."""
    for computed in _needed(metrics, how, corpora):
        items, cost, code = list(computed.distinct), computed.cost(), computed.code
        devices = tuple(devices_of(how.options.devices))[:1] if code.plugin.has_load else ()
        call = Call(
            code.plugin,
            code.plugin.place,
            code.values,
            computed.declared,
            devices,
            how.options.threads,
        )
        order = sorted(range(len(items)), key=lambda number: cost(items[number]))
        pair, seen = list(dict.fromkeys((order[len(order) // 2], order[-1]))), dict[int, Any]()
        for numbers in (pair, pair, pair[::-1], *([number] for number in pair)):
            (answers,) = call((0, [[items[number] for number in numbers]], [])).answers
            for number, answer in zip(numbers, answers, strict=True):
                if isinstance(answer, Wrong):
                    raise computed.error(number, answer)
                first = seen.setdefault(number, answer)
                if not np.allclose(
                    first or (), answer or (), rtol=AGREES, atol=AGREES, equal_nan=True
                ):
                    told = f": {computed.declared.name} is {_shown(first)} in one call and {_shown(answer)} in another"
                    remedy = "the number of a text must depend on that text alone, not on its batch or on calls before"
                    raise computed.error(number, Wrong(f"{told}: {remedy}"))
        yield f"{computed.spec.told}: {len(pair)} texts have the same numbers in {2 + len(pair) + 1} calls"


def _shown(answer: Answer) -> str:
    return ", ".join(f"{number:.6g}" for number in answer) if answer else "none"


def _needed(
    metrics: Iterable[Metric], how: Computing, corpora: Sequence[Corpus] = ()
) -> "Iterator[_Computed]":
    """Yield what computes the numbers of metrics, one for all that share them, with the items of
    some data sets.

    Raises InputError where code lacks, and where numbers of another metric are to be computed anew.
    """
    needed: dict[PluggedSpec, Metric] = {
        metric.spec: metric  # type: ignore[misc]
        for metric in metrics
        if computes_numbers(metric)
    }
    names = {metric.name: metric for metric in needed.values()}
    if wrong := next((name for name in how.options.recompute if name not in names), None):
        raise InputError(
            f"--recompute {wrong}: expected one of {', '.join(names)}{did_you_mean(wrong, names)}"
        )
    for spec in needed:
        if spec.code is None:
            raise InputError(without_code(spec.title))
        computed = _Computed(spec, spec.code, how)
        for corpus in corpora:
            computed.gather(corpus)
        yield computed


class _Place(NamedTuple):
    """Where a text stands first."""

    corpus: Corpus
    system: str
    line: int

    def __str__(self) -> str:
        number = self.corpus.systems[self.system].number(self.line + 1)
        return f"{self.corpus.name}, {self.system}, line {number}"


class _Row(NamedTuple):
    """What a line of a system has."""

    items: list[int]
    """The numbers of its items: several where each reference is one."""
    place: int | None
    """The place of its output in a list of several, whose numbers are those of the item."""


class _Computed:
    """The distinct items of all data sets for one metric, and their numbers."""

    def __init__(self, spec: PluggedSpec, code: Code, how: Computing) -> None:
        self.spec, self.code, self.how = spec, code, how
        self.declared: Declared = code.plugin.declared
        self.distinct: dict[Item, int] = {}
        self.places: list[_Place] = []
        self.answers: dict[int, Answer] = {}
        self.made_with: dict[str, str] = {}
        self.spent = Counter[str]()
        self.warnings: list[tuple[str, list[int], float]] = []
        """What the method `notes` of the code says of items; see `help plugins`."""
        self.begun = time.monotonic()
        on_disk = how.options.cache and (code.plugin.place is not None or self.declared.version)
        self.cache = (
            ContentCache(SCORES, warn=how.listener.warn, of=self.declared.name) if on_disk else None
        )

    # --- which items there are

    def gather(self, corpus: Corpus) -> dict[str, list[_Row]]:
        """Take the items of a data set; return for each system what each line has."""
        declared, lines = self.declared, corpus.lines
        read: dict[str, Sequence[Any]] = {}
        if "sources" in declared.reads:
            if corpus.source is None:
                raise ConfigError(
                    f"{corpus.name}: {declared.name} reads the source; the data set has none"
                )
            read["sources"] = read_texts(corpus.source)
        if {"references"} & set(declared.reads) - set(declared.optional) and not corpus.references:
            raise ConfigError(
                f"{corpus.name}: {declared.name} reads references; the data set has none"
            )
        if "references" in declared.reads:
            every = zip(*_references(corpus), strict=True) if corpus.references else [()] * lines
            read["references"] = [tuple(text for text in own if text is not None) for own in every]
        view = corpus.views.get(self.spec.input, corpus)
        if (
            view is not corpus
        ):  # records of edits, of annotators with their texts where the data set has these
            records = zip(*map(read_texts, view.references), strict=True)
            read["references"] = [
                tuple(zip(own, texts, strict=True) if len(own) == len(texts) else zip(own))
                for own, texts in zip(records, read["references"], strict=True)
            ]
        own = [name for name in view.systems if name not in corpus.references_as_systems]
        outputs = {name: read_texts(view.systems[name]) for name in own}
        if declared.listwise:
            shared = [tuple(sorted(set(texts))) for texts in zip(*outputs.values(), strict=True)]
            orders = [{text: place for place, text in enumerate(texts)} for texts in shared]
        numbers_of: dict[str, list[_Row]] = {}
        for name, texts in outputs.items():
            rows: list[_Row] = []
            for line, text in enumerate(texts):
                each = (
                    (read["references"][line] or ("",)) if declared.each_reference else ("",)
                )  # "": none is needed
                items = [
                    self._item(read, line, shared[line] if declared.listwise else text, one)
                    for one in each
                ]
                place = orders[line][text] if declared.listwise else None
                rows.append(
                    _Row([self._number(item, (corpus, name, line)) for item in items], place)
                )
            numbers_of[name] = rows
        return numbers_of

    def _item(
        self, read: Mapping[str, Sequence[Any]], line: int, output: Any, reference: Any
    ) -> Item:
        given = {"outputs": output} | (
            {"references": reference} if self.declared.each_reference else {}
        )
        return tuple(
            given[name] if name in given else read[name][line] for name in self.declared.reads
        )

    def _number(self, item: Item, where: tuple[Corpus, str, int]) -> int:
        number = self.distinct.setdefault(item, len(self.distinct))
        if number == len(self.places):
            self.places.append(_Place(*where))
        return number

    # --- what is kept

    @cached_property
    def keys(self) -> list[bytes]:
        """The key of each item in the cache."""
        declared = self.declared
        form = (
            "each_reference"
            if declared.each_reference
            else "listwise"
            if declared.listwise
            else "plain"
        )
        files = json.dumps(self.code.files, sort_keys=True) if self.code.files else ""
        of_code = (
            "1",
            self.spec.computed_by,
            str(self.spec.decimals),
            files,
            self.code.identity,
            form,
        )
        begin = sha256(
            b"".join(map(_field, (*of_code, "|".join(declared.numbers), "|".join(declared.reads))))
        )

        def key(item: Item) -> bytes:
            hashed = begin.copy()
            for text in item:
                if isinstance(text, str):
                    hashed.update(_field(text))
                else:
                    hashed.update(pack(">Q", len(text)) + b"".join(map(_field, text)))
            return hashed.digest()

        return list(map(key, self.distinct))

    def kept(self) -> dict[int, Answer]:
        """Return the numbers that the cache has."""
        if self.cache is None or self.declared.name in self.how.options.recompute:
            return {}
        kept = self.cache.read(self.keys)
        numbers = {key: tuple(np.frombuffer(value, "<f8").tolist()) for key, value in kept.items()}
        return {number: numbers[key] or None for number, key in enumerate(self.keys) if key in kept}

    def _tell_changed_code(self) -> None:
        """Say where the code of a version is another than when its numbers were kept."""
        place = self.code.plugin.place
        key = sha256(b"code" + _field(self.declared.name) + _field(self.declared.version)).digest()
        if place is None or self.cache is None:
            return
        before = self.cache.read([key]).get(key)
        if before is None:
            self.cache.write({key: place.sha256.encode()})
        elif before != place.sha256.encode():
            self.how.listener.warn(
                f"{place.told} has changed since numbers of version {self.declared.version} were kept; they are used. "
                f"--recompute {self.declared.name} computes them anew"
            )

    # --- what is computed

    def added(self, corpora: Sequence[Corpus]) -> list[Corpus]:
        """Return data sets with the numbers of the metric."""
        rows = [self.gather(corpus) for corpus in corpora]
        self.compute()
        texts = zip(self.declared.reads, map(list, zip(*self.distinct, strict=True)), strict=True)
        self.warnings = self.code.says("notes", **dict(texts)) or []
        return [self._with_numbers(corpus, own) for corpus, own in zip(corpora, rows, strict=True)]

    def compute(self) -> None:
        """Compute the numbers that are not kept."""
        self.answers = self.kept()
        if not self.declared.code and self.declared.name not in self.how.options.recompute:
            self._tell_changed_code()
        items = list(self.distinct)
        todo = [number for number in range(len(items)) if number not in self.answers]
        listener, whole, kept = self.how.listener, len(items), len(self.answers)
        if (about := self.about(todo)) or kept:
            told = f"{self.declared.name}: {kept:,} of {whole:,} texts were kept; {len(todo):,} to compute{about}"
            (listener.warn if todo else listener.note)(told)
        devices = self._compute(items, todo) if todo else []
        seconds, device = time.monotonic() - self.begun, ", ".join(devices or ["cpu"])
        if todo and self.code.plugin.has_load:
            rate = f"{len(todo) / max(seconds, 1e-9):,.0f} a second, model and all"
            texts = "text" if len(todo) == 1 else "texts"
            listener.warn(
                f"{self.declared.name}: {len(todo):,} {texts} computed on {device}, {rate}"
            )
        self.how.told[self.declared.name] = {
            "texts": {"new": len(todo), "kept": kept},
            "seconds": round(seconds, 3),
            "files": self.code.files,
            **({"models": self.code.models} if self.code.models else {}),
            **({"spent": dict(self.spent)} if self.spent else {}),
            "made_with": {"python": platform.python_version(), **self.made_with, "device": device},
        }

    def _compute(self, items: Sequence[Item], todo: list[int]) -> list[str]:
        plugin, declared, how = self.code.plugin, self.declared, self.how
        cost = self.cost()
        todo.sort(key=lambda number: (-cost(items[number]), items[number]))
        size = how.options.batch_size or plugin.batch_size
        batches = [todo[start : start + size] for start in range(0, len(todo), size)]
        own_process = plugin.place is not None and not plugin.waits
        devices = devices_of(how.options.devices) if plugin.has_load else []
        usual = 1 if not own_process else len(devices)
        number = plugin.workers or (
            WAITING if plugin.waits else usual if plugin.has_load else how.options.threads
        )
        processes = own_process and (plugin.has_load or (number > 1 and len(batches) > 1))
        call = Call(plugin if not processes else None, plugin.place, self.code.values, declared)
        database = self.cache.path if self.cache else None
        call = replace(
            call,
            devices=tuple(devices),
            threads=how.options.threads,
            parent=os.getpid(),
            database=database,
        )
        work = _Batches(self, call, batches, min(number, len(batches)), processes=processes)
        cache = self.cache if work.adapts else None
        waiting: dict[bytes, bytes] = {}
        last = time.monotonic()
        wrong: dict[int, Wrong] = {}
        try:
            for numbers, answers in work.done():
                for number, answer in zip(numbers, answers, strict=True):
                    if isinstance(answer, Wrong):
                        wrong[number] = answer
                        continue
                    self.answers[number] = answer
                    if cache:
                        waiting[self.keys[number]] = written(answer)
                if cache and time.monotonic() - last > OFTEN:
                    cache.write(waiting)
                    waiting, last = {}, time.monotonic()
                how.listener.progress(len(self.answers), len(items))
                if wrong:
                    break
        finally:
            if cache:
                cache.write(waiting)
            if self.spent:
                used = ", ".join(
                    f"{name.replace('_', ' ')} {count:,}"
                    for name, count in sorted(self.spent.items())
                )
                how.listener.warn(f"{declared.name}: {used}")
        if wrong:
            raise self.error(min(wrong), wrong[min(wrong)])
        return devices

    def error(self, number: int, wrong: Wrong) -> InputError:
        """Return what is raised for an item without numbers."""
        self.how.listener.note(wrong.trace)
        place, message = str(self.places[number]), wrong.message
        return InputError(
            message.replace("{}", place, 1) if "{}" in message else f"{place}{message}"
        )

    def cost(self) -> Callable[[Item], float]:
        """Return what says how much work an item is."""
        own = getattr(self.code.plugin.target, "cost", None)
        if own is not None:
            made = self.code.plugin.made(dict(self.code.values))
            return lambda item: float(made.cost(*item))
        return length

    def about(self, numbers: Iterable[int]) -> str:
        """Return how much work some items are, where the code says in which `unit` its cost is;
        else an empty text.
        """
        unit, cost, items = (
            getattr(self.code.plugin.target, "unit", ""),
            self.cost(),
            list(self.distinct),
        )
        whole = sum(cost(items[number]) for number in numbers) if unit else 0
        return f", about {whole:,.0f} {unit}" if whole else ""

    # --- numbers of lines

    def _with_numbers(self, corpus: Corpus, rows: Mapping[str, list[_Row]]) -> Corpus:
        """Return a data set with a text of numbers for each system."""
        table = {name: [self._of_line(row) for row in own] for name, own in rows.items()}
        lacking = sorted(
            {line for own in table.values() for line, answer in enumerate(own) if answer is None}
        )
        notes = corpus.notes
        if lacking and self.declared.none not in ("error", "skip"):
            stands = (float(self.declared.none),) * len(self.spec.names)
            table = {
                name: [stands if answer is None else answer for answer in own]
                for name, own in table.items()
            }
            lacking = []
        if lacking:
            message = f"has no score for {self._listed(corpus, lacking)}; they are left out for all systems"
            if len(lacking) > UNTOLD * corpus.lines:
                message += "; these are so many that the score is not of the data set any more"
            notes = (*notes, f"{self.declared.name} {message}")
            if len(lacking) == corpus.lines:
                hint = (
                    f"; --recompute {self.declared.name} asks again for what is kept"
                    if self.cache
                    else ""
                )
                raise InputError(
                    f"{corpus.name}: {self.declared.name} has no score for any line that all systems have{hint}"
                )
        if not self.declared.deterministic:
            message = "may give other numbers for the same texts; the first are kept"
            notes = (*notes, f"{self.declared.name} {message}")
        for message, items, share in self.warnings:
            of_lines = [
                {item for row in each for item in row.items}
                for each in zip(*rows.values(), strict=True)
            ]
            odd = [line for line, own in enumerate(of_lines) if not own.isdisjoint(items)]
            if len(odd) > share * corpus.lines:
                notes = (*notes, f"{self.declared.name}: {message}: {self._listed(corpus, odd)}")
        left_out = set(lacking)
        form = repr if self.spec.decimals is None else lambda number: str(int(number))
        systems: dict[str, AnyText] = {}
        for name, own in table.items():
            kept = [
                answer
                for line, answer in enumerate(own)
                if line not in left_out and answer is not None
            ]
            lines = [" ".join(map(form, answer)) for answer in kept]
            systems[name] = text_in_memory(f"{self.declared.name} of {name}", lines)
        view = corpus.views.get(self.spec.input, corpus)
        numbers = Corpus(
            name=corpus.name,
            lines=corpus.lines - len(lacking),
            source=None,
            references=view.references if "references" in self.declared.reads else (),
            systems=systems,
            computed=True,
            left_out=tuple(lacking),
        )
        return replace(corpus, external={**corpus.external, self.spec.key: numbers}, notes=notes)

    def _of_line(self, row: _Row) -> Answer:
        """Return the numbers of a line, of one reference or several."""
        given = [
            answer for answer in map(self.answers.__getitem__, row.items) if answer is not None
        ]
        if len(given) < len(row.items):
            return None
        if row.place is None:
            return self.code.of_line(given)
        width = len(self.spec.names)
        own = given[0][row.place * width : (row.place + 1) * width]
        return None if not own or math.isnan(own[0]) else own

    def _listed(self, corpus: Corpus, lines: list[int]) -> str:
        """Return how many lines of a data set these are, and the numbers of the first ones."""
        text = next(iter(corpus.systems.values()))
        numbers = ", ".join(str(text.number(line + 1)) for line in lines[:MOST_LINES])
        return f"{len(lines)} of {corpus.lines} lines ({numbers}{' ...' if len(lines) > MOST_LINES else ''})"


def _references(corpus: Corpus) -> list[list[str | None]]:
    """Return the texts of each reference, with None for those that are missing."""
    sets: list[list[str | None]] = []
    for reference in corpus.references:
        texts: list[str | None] = [*read_texts(reference)]
        for line in reference.blanks.tolist() if corpus.missing else ():
            texts[line - 1] = None
        sets.append(texts)
    return sets


def all_references(corpora: Iterable[Corpus]) -> list[str]:
    """Return all references of data sets, each as often as it is there, but for those that are
    missing.
    """
    return [
        text
        for corpus in corpora
        for each in _references(corpus)
        for text in each
        if text is not None
    ]


def _field(text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    return pack(">Q", len(data)) + data


class _Batches:
    """Batches that workers do, in any order. What a worker was lost with is tried alone, then in
    halves.
    """

    def __init__(
        self,
        computed: _Computed,
        call: Call,
        batches: list[list[int]],
        number: int,
        *,
        processes: bool,
    ) -> None:
        self.computed, self.call, self.items, self.batches = (
            computed,
            call,
            list(computed.distinct),
            batches,
        )
        self.here = replace(call, plugin=computed.code.plugin)
        self.number, self.processes = number, processes
        self.at_once = 1
        self.adapts = not computed.code.plugin.has_load and not computed.code.plugin.waits
        self.given: dict[int, list[list[int]]] = {}

    def _tasks(
        self, batches: list[list[int]]
    ) -> Iterator[tuple[int, list[list[Item]], list[list[bytes]]]]:
        start = 0
        while start < len(batches):
            part = self.given[start] = batches[start : start + self.at_once]
            yield start, *self._texts(part)
            start += len(part)

    def _texts(self, part: list[list[int]]) -> tuple[list[list[Item]], list[list[bytes]]]:
        """Return the texts of batches, and their keys, where each batch is kept at once."""
        keys = [] if self.adapts or not self.computed.cache else self.computed.keys
        texts = [[self.items[index] for index in batch] for batch in part]
        return texts, [[keys[index] for index in batch] for batch in part] if keys else []

    def done(self) -> Iterator[tuple[list[int], list[Any]]]:
        """Yield the numbers of items with their answers. A function begins here, since processes
        take time to start.
        """
        left = self.batches
        alone = self.number <= 1 and not self.processes
        if alone or self.adapts:
            begun = time.monotonic()
            for task in self._tasks(left):
                yield from self._of(self.here(task))
                if not alone and time.monotonic() - begun > SOON:
                    break
            left = [batch for batch in left if batch[0] not in self.computed.answers]
        while left:
            self.given = {}
            patience, warn = self.computed.how.options.patience, self.computed.how.listener.warn
            try:
                for answer in results(
                    self.call,
                    self._tasks(left),
                    self.number,
                    processes=self.processes,
                    patience=patience,
                ):
                    yield from self._of(answer)
                return
            except WorkerLostError as lost:
                suspects = [batch for part in self.given.values() for batch in part]
                under_way = {index for batch in suspects for index in batch}
                warn(
                    f"{self.computed.declared.name}: {lost.reason}; what it was doing is tried again"
                )
                open_ = [batch for batch in left if not set(batch) <= self.computed.answers.keys()]
                left = [batch for batch in open_ if not set(batch) & under_way]
                for batch in suspects:
                    yield from self._alone(batch)

    def _alone(self, batch: list[int]) -> Iterator[tuple[list[int], list[Any]]]:
        """Yield the answers of a batch that a worker may have been lost with."""
        task = (0, *self._texts([batch]))
        self.given = {0: [batch]}
        try:
            for answer in results(
                self.call, [task], 1, processes=True, patience=self.computed.how.options.patience
            ):
                yield from self._of(answer)
        except WorkerLostError as lost:
            if len(batch) == 1:
                place = self.computed.places[batch[0]]
                raise IncompleteError(
                    f"{place}: {self.computed.declared.name}: {lost.reason}"
                ) from None
            half = len(batch) // 2
            yield from self._alone(batch[:half])
            yield from self._alone(batch[half:])

    def _of(self, done: Done) -> Iterator[tuple[list[int], list[Any]]]:
        number, answers, seconds, notes, made_with, spent = done
        self.computed.made_with |= made_with
        self.computed.spent.update(spent)
        for note in notes:
            self.computed.how.listener.note(note)
        part = self.given.pop(number)
        if self.adapts and seconds < OFTEN / 2 and len(part) == self.at_once:
            self.at_once *= 2
        elif seconds > OFTEN and self.at_once > 1:
            self.at_once //= 2
        yield from zip(part, answers, strict=True)
