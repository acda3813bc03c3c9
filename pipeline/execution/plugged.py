"""Numbers that the code of users computes: each distinct text once, whatever the data sets and systems are.

The numbers of all lines become texts, which are counted, sharded and kept like those of the metric `external`.
"""

from __future__ import annotations

import json
import math
import os
import time
from dataclasses import dataclass, field, replace
from hashlib import sha256
from struct import pack
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..corpus.corpus import Corpus
from ..corpus.texts import read_texts, text_in_memory
from ..errors import ConfigError, IncompleteError, InputError
from ..io.content_cache import SCORES, ContentCache
from ..io.workers import WorkerLostError, results
from ..metrics.base.capabilities import computes_numbers
from ..metrics.plugged.calls import Call, Wrong, best, devices_of
from .options import AUTO, SILENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ..corpus.texts import AnyText
    from ..metrics.base.metric import Metric
    from ..metrics.plugged.calls import Answer, Item
    from ..metrics.plugged.declare import Declared
    from ..metrics.plugged.metric import Code, PluggedNeeds
    from .options import Listener, RunOptions

WAITING = 16
"""Calls at once of code that waits for a network."""
OFTEN = 0.25
"""Seconds of work that a worker of a function gets at once, and between two writings to the cache."""
SOON = 1.0
"""Seconds for which a function works in this process, before workers are started for the rest."""
MOST_LINES = 10
"""How many line numbers a warning lists."""
UNTOLD = 0.05
"""The share of lines left out from which a warning says that the score is not of the data set any more."""


@dataclass
class Computing:
    """How numbers are computed. Nothing of it changes a number."""

    options: RunOptions = AUTO
    listener: Listener = SILENT
    told: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What run.json says of each metric: texts that were new and kept, seconds, devices, versions."""


def with_computed(corpora: Sequence[Corpus], metrics: Iterable[Metric], how: Computing) -> list[Corpus]:
    """Return data sets with the numbers of all metrics that code of users computes.

    Models are loaded one after the other. Raises InputError, with the place of the first text that has no number, and
    IncompleteError where a process dies. What was computed before is kept.
    """
    needed: dict[PluggedNeeds, Metric] = {metric.needs: metric for metric in metrics if computes_numbers(metric)}  # type: ignore[misc]
    for needs in needed:
        if needs.code is None:
            raise InputError(f"{needs.title}: its code is not at hand; name it with --plugin, or install its package")
        how.listener.stage(needs.title)
        corpora = _Computed(needs, needs.code, how).added(corpora)
    return list(corpora)


def texts_to_compute(
    corpora: Sequence[Corpus], metrics: Iterable[Metric], how: Computing
) -> dict[str, tuple[int, int]]:
    """Return for each metric of users how many distinct texts there are, and how many of them are kept already."""
    found: dict[str, tuple[int, int]] = {}
    for metric in metrics:
        needs: Any = metric.needs
        if computes_numbers(metric) and needs.code:
            items = _Computed(needs, needs.code, how)
            for corpus in corpora:
                items.gather(corpus)
            found[metric.name] = len(items.distinct), len(items.kept())
    return found


class _Place(NamedTuple):
    """Where a text stands first."""

    corpus: Corpus
    system: str
    line: int

    def __str__(self) -> str:
        text = self.corpus.systems[self.system]
        number = text.number(self.line + 1) if hasattr(text, "number") else self.line + 1
        return f"{self.corpus.name}, {self.system}, line {number}"


class _Computed:
    """The distinct items of all data sets for one metric, and their numbers."""

    def __init__(self, needs: PluggedNeeds, code: Code, how: Computing) -> None:
        self.needs, self.code, self.how = needs, code, how
        self.declared: Declared = code.plugin.declared
        self.distinct: dict[Item, int] = {}
        self.places: list[_Place] = []
        self.answers: dict[int, Answer] = {}
        self.begun = time.monotonic()
        on_disk = how.options.cache and (code.plugin.place is not None or self.declared.version)
        self.cache = ContentCache(SCORES, tell=how.listener.tell, of=self.declared.name) if on_disk else None

    # --- which items there are

    def gather(self, corpus: Corpus) -> dict[str, list[Any]]:
        """Take the items of a data set; return for each system what each line has: the number of an item or several."""
        declared, lines = self.declared, corpus.lines
        if "sources" in declared.reads and corpus.source is None:
            raise ConfigError(f"{corpus.name}: {declared.name} reads the source; the data set has none")
        if "references" in declared.reads and not corpus.references:
            raise ConfigError(f"{corpus.name}: {declared.name} reads references; the data set has none")
        read: dict[str, Sequence[Any]] = {}
        if "sources" in declared.reads and corpus.source is not None:
            read["sources"] = _lines(corpus.source)
        if "references" in declared.reads:
            read["references"] = list(zip(*_references(corpus), strict=True))
            if not corpus.missing:
                present = read["references"]
            else:
                present = [tuple(text for text in own if text is not None) for own in read["references"]]
            read["references"] = present
        own = [name for name in corpus.systems if name not in corpus.references_as_systems]
        outputs = {name: _lines(corpus.systems[name]) for name in own}
        if declared.listwise:
            shared = [tuple(sorted(set(texts))) for texts in zip(*outputs.values(), strict=True)]
            orders = [{text: place for place, text in enumerate(texts)} for texts in shared]
        found: dict[str, list[Any]] = {}
        for name, texts in outputs.items():
            rows: list[Any] = []
            for line in range(lines):
                where = (corpus, name, line)
                if declared.listwise:
                    rows.append((self._number(self._item(read, line, shared[line]), where), orders[line][texts[line]]))
                elif declared.each_reference:
                    each = read["references"][line]
                    rows.append([self._number(self._item(read, line, texts[line], one), where) for one in each])
                else:
                    rows.append(self._number(self._item(read, line, texts[line]), where))
            found[name] = rows
        return found

    def _item(self, read: Mapping[str, Sequence[Any]], line: int, output: Any, reference: Any = None) -> Item:
        return tuple(
            output
            if name == "outputs"
            else reference
            if reference is not None and name == "references"
            else read[name][line]
            for name in self.declared.reads
        )

    def _number(self, item: Item, where: tuple[Corpus, str, int]) -> int:
        number = self.distinct.setdefault(item, len(self.distinct))
        if number == len(self.places):
            self.places.append(_Place(*where))
        return number

    # --- what is kept

    def keys(self) -> dict[bytes, int]:
        """Return the key of each item in the cache."""
        declared = self.declared
        form = "each_reference" if declared.each_reference else "listwise" if declared.listwise else "plain"
        files = json.dumps(self.code.files, sort_keys=True) if self.code.files else ""
        fixed = (
            "1",
            self.needs.told,
            str(self.needs.decimals),
            files,
            self.code.identity,
            form,
            "|".join(self.needs.names),
        )
        begin = sha256(b"".join(map(_field, (*fixed, "|".join(declared.reads)))))

        def key(item: Item) -> bytes:
            hashed = begin.copy()
            for text in item:
                if isinstance(text, str):
                    hashed.update(_field(text))
                else:
                    hashed.update(pack(">Q", len(text)) + b"".join(map(_field, text)))
            return hashed.digest()

        return {key(item): number for item, number in self.distinct.items()}

    def kept(self) -> dict[int, Answer]:
        """Return the numbers that the cache has."""
        if self.cache is None or self.declared.name in self.how.options.recompute:
            return {}
        keys = self.keys()
        if not self.declared.code:
            self._tell_changed_code()
        return {keys[key]: _opened(value) for key, value in self.cache.read(list(keys)).items()}

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
            self.how.listener.tell(
                f"{place.told} has changed since numbers of version {self.declared.version} were kept; they are used. "
                f"--recompute {self.declared.name} computes them anew"
            )

    # --- what is computed

    def added(self, corpora: Sequence[Corpus]) -> list[Corpus]:
        """Return data sets with the numbers of the metric."""
        rows = [self.gather(corpus) for corpus in corpora]
        self.answers = self.kept()
        items = list(self.distinct)
        todo = [number for number in range(len(items)) if number not in self.answers]
        listener, whole, kept = self.how.listener, len(items), len(self.answers)
        if kept:
            told = f"{self.declared.name}: {kept:,} of {whole:,} texts were kept; {len(todo):,} to compute"
            (listener.tell if todo else listener.note)(told)
        devices: list[str] = []
        if todo:
            devices = self._compute(items, todo)
        self.how.told[self.declared.name] = {
            "texts": {"new": len(todo), "kept": kept},
            "seconds": round(time.monotonic() - self.begun, 3),
            **({"devices": devices} if devices else {}),
        }
        return [self._with_numbers(corpus, own) for corpus, own in zip(corpora, rows, strict=True)]

    def _compute(self, items: Sequence[Item], todo: list[int]) -> list[str]:
        plugin, declared, how = self.code.plugin, self.declared, self.how
        cost = self._cost()
        todo.sort(key=lambda number: (-cost(items[number]), items[number]))
        size = how.options.batch_size or plugin.batch_size
        batches = [todo[start : start + size] for start in range(0, len(todo), size)]
        own_process = plugin.place is not None and not plugin.waits
        devices = devices_of(how.options.devices) if plugin.has_load else []
        usual = 1 if not own_process else len(devices)
        number = plugin.workers or (WAITING if plugin.waits else usual if plugin.has_load else how.options.threads)
        processes = own_process and (plugin.has_load or (number > 1 and len(batches) > 1))
        call = Call(plugin if not processes else None, plugin.place, self.code.options, declared)
        call = replace(call, devices=tuple(devices), threads=how.options.threads, parent=os.getpid())
        work = _Batches(self, call, items, batches, min(number, len(batches)), processes=processes)
        keys = {number: key for key, number in self.keys().items()} if self.cache else {}
        waiting: dict[bytes, bytes] = {}
        written = time.monotonic()
        wrong: dict[int, Wrong] = {}
        try:
            for numbers, answers in work.done():
                for number, answer in zip(numbers, answers, strict=True):
                    if isinstance(answer, Wrong):
                        wrong[number] = answer
                        continue
                    self.answers[number] = answer
                    if self.cache:
                        waiting[keys[number]] = _closed(answer)
                if self.cache and time.monotonic() - written > OFTEN:
                    self.cache.write(waiting)
                    waiting, written = {}, time.monotonic()
                how.listener.progress(len(self.answers), len(items))
                if wrong:
                    break
        finally:
            if self.cache:
                self.cache.write(waiting)
        if wrong:
            first = min(wrong)
            how.listener.note(wrong[first].trace)
            place, message = str(self.places[first]), wrong[first].message
            raise InputError(message.replace("{}", place, 1) if "{}" in message else f"{place}{message}")
        return devices

    def _cost(self) -> Callable[[Item], float]:
        own = getattr(self.code.plugin.target, "cost", None)
        if own is not None:
            made = self.code.plugin.made(dict(self.code.options))
            return lambda item: float(made.cost(*item))
        return lambda item: sum(len(text) if isinstance(text, str) else sum(map(len, text)) for text in item)

    # --- numbers of lines

    def _with_numbers(self, corpus: Corpus, rows: Mapping[str, list[Any]]) -> Corpus:
        """Return a data set with a text of numbers for each system."""
        table = {name: [self._of_line(row) for row in own] for name, own in rows.items()}
        lacking = sorted({line for own in table.values() for line, answer in enumerate(own) if answer is None})
        notes = corpus.notes
        if lacking and self.declared.none not in ("error", "skip"):
            width = len(self.needs.names)
            stands = tuple([float(self.declared.none)] * width)
            table = {name: [stands if answer is None else answer for answer in own] for name, own in table.items()}
            lacking = []
        if lacking:
            notes = (*notes, self._told_lacking(corpus, lacking))
            if len(lacking) == corpus.lines:
                raise InputError(f"{corpus.name}: {self.declared.name} has no score for any line that all systems have")
        if not self.declared.deterministic:
            notes = (
                *notes,
                f"{corpus.name}: {self.declared.name} may give other numbers for the same texts; the first are kept",
            )
        left_out = set(lacking)
        systems: dict[str, AnyText] = {}
        for name, own in table.items():
            kept = [answer for line, answer in enumerate(own) if line not in left_out and answer is not None]
            form = repr if self.needs.decimals is None else lambda number: str(int(number))
            lines = [" ".join(map(form, answer)) for answer in kept]
            systems[name] = text_in_memory(f"{self.declared.name} of {name}", lines)
        numbers = Corpus(
            name=corpus.name,
            lines=corpus.lines - len(lacking),
            source=None,
            references=corpus.references if "references" in self.declared.reads else (),
            systems=systems,
            computed=True,
            left_out=tuple(lacking),
        )
        return replace(corpus, external={**corpus.external, self.needs.key: numbers}, notes=notes)

    def _of_line(self, row: Any) -> Answer:
        """Return the numbers of a line: of several references those of the best one."""
        if isinstance(row, int):
            return self.answers[row]
        if isinstance(row, tuple):
            number, place = row
            answer, width = self.answers[number], len(self.needs.names)
            own = answer[place * width : (place + 1) * width] if answer else None
            return None if own is None or math.isnan(own[0]) else own
        given = [answer for answer in map(self.answers.__getitem__, row) if answer is not None]
        if len(given) < len(row):
            return None
        return best(given, self.declared)

    def _told_lacking(self, corpus: Corpus, lacking: list[int]) -> str:
        text = next(iter(corpus.systems.values()))
        numbers = [text.number(line + 1) if hasattr(text, "number") else line + 1 for line in lacking]
        listed = ", ".join(map(str, numbers[:MOST_LINES])) + (" ..." if len(numbers) > MOST_LINES else "")
        message = (
            f"{corpus.name}: {self.declared.name} has no score for {len(lacking)} of {corpus.lines} lines ({listed}); "
            "they are left out for all systems"
        )
        if len(lacking) > UNTOLD * corpus.lines:
            message += "; these are so many that the score is not of the data set any more"
        return message


def _lines(text: AnyText) -> list[str]:
    return read_texts(text, 0, text.lines)


def _references(corpus: Corpus) -> list[list[str | None]]:
    """Return the texts of each reference, with None for those that are missing."""
    sets: list[list[str | None]] = []
    for number, reference in enumerate(corpus.references):
        texts: list[str | None] = [*_lines(reference)]
        if corpus.missing:
            there = set(corpus.kept[number].tolist()) if number < len(corpus.kept) else set()
            for line in reference.blanks.tolist():
                if line not in there:
                    texts[line - 1] = None
        sets.append(texts)
    return sets


def _field(text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    return pack(">Q", len(data)) + data


def _closed(answer: Answer) -> bytes:
    return np.array(answer or (), "<f8").tobytes()


def _opened(value: bytes) -> Answer:
    numbers = np.frombuffer(value, "<f8").tolist()
    return tuple(numbers) if numbers else None


class _Batches:
    """Batches that workers do, in any order. What a worker was lost with is tried alone, then in halves."""

    def __init__(
        self,
        computed: _Computed,
        call: Call,
        items: Sequence[Item],
        batches: list[list[int]],
        number: int,
        *,
        processes: bool,
    ) -> None:
        self.computed, self.call, self.items, self.batches = computed, call, items, batches
        self.here = replace(call, plugin=computed.code.plugin)
        self.number, self.processes = number, processes
        self.at_once = 1
        self.adapts = not computed.code.plugin.has_load and not computed.code.plugin.waits
        self.given: dict[int, list[list[int]]] = {}

    def _tasks(self, batches: list[list[int]]) -> Iterator[tuple[int, list[list[Item]]]]:
        start = 0
        while start < len(batches):
            part = batches[start : start + self.at_once]
            number = start
            self.given[number] = part
            start += len(part)
            yield number, [[self.items[index] for index in batch] for batch in part]

    def done(self) -> Iterator[tuple[list[int], list[Any]]]:
        """Yield the numbers of items with their answers. A function begins here, since processes take time to start."""
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
            patience, tell = self.computed.how.options.patience, self.computed.how.listener.tell
            try:
                for answer in results(
                    self.call, self._tasks(left), self.number, processes=self.processes, tell=tell, patience=patience
                ):
                    yield from self._of(answer)
                return
            except WorkerLostError as lost:
                suspects = [batch for part in self.given.values() for batch in part]
                under_way = {index for batch in suspects for index in batch}
                tell(f"{self.computed.declared.name}: {lost.reason}; what it was doing is tried again")
                open_ = [batch for batch in left if not set(batch) <= self.computed.answers.keys()]
                left = [batch for batch in open_ if not set(batch) & under_way]
                for batch in suspects:
                    yield from self._alone(batch)

    def _alone(self, batch: list[int]) -> Iterator[tuple[list[int], list[Any]]]:
        """Yield the answers of a batch that a worker may have been lost with."""
        task = 0, [[self.items[index] for index in batch]]
        self.given = {0: [batch]}
        try:
            for answer in results(self.call, [task], 1, processes=True, patience=self.computed.how.options.patience):
                yield from self._of(answer)
        except WorkerLostError as lost:
            if len(batch) == 1:
                place = self.computed.places[batch[0]]
                raise IncompleteError(f"{place}: {self.computed.declared.name}: {lost.reason}") from None
            half = len(batch) // 2
            yield from self._alone(batch[:half])
            yield from self._alone(batch[half:])

    def _of(self, answer: tuple[int, list[list[Any]], float]) -> Iterator[tuple[list[int], list[Any]]]:
        number, answers, seconds = answer
        part = self.given.pop(number)
        if self.adapts and seconds < OFTEN / 2 and len(part) == self.at_once:
            self.at_once *= 2
        elif seconds > OFTEN and self.at_once > 1:
            self.at_once //= 2
        yield from zip(part, answers, strict=True)
