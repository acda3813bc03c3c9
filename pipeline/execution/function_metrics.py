"""Numbers that the code of users computes: once for each distinct text of all data sets and systems.

The numbers of all lines become texts, which are counted, sharded and stored like those of the
metric `external`.
"""

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

from ..data.content_cache import SCORES, ContentCache
from ..data.corpus import Corpus
from ..data.texts import AnyText, read_texts, text_in_memory
from ..errors import ConfigError, IncompleteError, InputError, did_you_mean
from ..metrics.base import Declared, Metric, computes_numbers
from ..metrics.base.capabilities import without_code
from ..metrics.functions.calls import (
    Answer,
    Call,
    Failure,
    Item,
    Task,
    TaskResult,
    devices_of,
    encoded_answer,
    item_length,
)
from ..metrics.functions.metric import Code, FunctionMetricSpec
from ..parallel import WorkerLostError, results
from .options import AUTO, SILENT, Listener, RunOptions

WAITING_CALLS = 16
"""Concurrent calls of code that waits for a network."""
TASK_SECONDS = 0.25
"""Seconds of work of a task of a function, and between two writings to the cache.

Each batch of a model, or of code that waits, is stored by its worker before the next one is begun.
"""
LOCAL_SECONDS = 1.0
"""Seconds for which a function works in this process, before workers are started for the rest."""
MAX_LISTED_LINES = 10
"""How many line numbers a warning lists."""
MAX_LEFT_OUT_SHARE = 0.05
"""The share of lines left out above which a warning doubts that the score is of the data set."""
TOLERANCE = 1e-4
"""How far numbers of a text may differ between calls, absolutely and relatively; batches change the
sixth digit.
"""


@dataclass
class Computing:
    """How numbers are computed. Nothing of it changes a number."""

    options: RunOptions = AUTO
    listener: Listener = SILENT
    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What run.json has of each metric: new and cached texts, seconds, devices, versions."""


def with_computed(
    corpora: Sequence[Corpus], metrics: Iterable[Metric], how: Computing
) -> list[Corpus]:
    """Return data sets with the numbers of all metrics that code of users computes.

    Models are loaded one after the other. Raises InputError, with the position of the first text
    that has no number, and IncompleteError if a process dies. Numbers computed before are cached.
    """
    for computation in _computations(metrics, how):
        how.listener.stage(computation.spec.title)
        corpora = computation.added(corpora)
    return list(corpora)


def texts_to_compute(
    corpora: Sequence[Corpus], metrics: Iterable[Metric], how: Computing
) -> Iterator[str]:
    """Yield for each metric of users how many distinct texts there are, and how many of them would
    be computed.
    """
    for computation in _computations(metrics, how, corpora):
        total = len(computation.items)
        cached = computation.cached_answers()
        todo = [number for number in range(total) if number not in cached]
        new = f"{len(todo):,} of {total:,} distinct texts would be computed"
        cost = computation.total_cost(todo)
        yield f"{computation.spec.signature}: {new}{cost}; {len(cached):,} are kept"


def tried(
    corpora: Sequence[Corpus], metrics: Iterable[Metric], how: Computing
) -> Iterator[str]:
    """Yield for each metric of users whether the numbers of two texts are the same in several
    calls.

    A text of middle length and the longest one are computed in one call, in another one, in another
    order, and each alone. Models are loaded in this process. Raises InputError if a text has no
    number, or another one later.
    """
    for computation in _computations(metrics, how, corpora):
        calls = _try_one(computation)
        texts = calls - 3
        signature = computation.spec.signature
        yield f"{signature}: {texts} texts have the same numbers in {calls} calls"


def _try_one(computation: "_Computation") -> int:
    """Compute two texts several times and return the number of calls; raises InputError."""
    code = computation.code
    name = computation.declared.name
    options = computation.how.options
    devices = devices_of(options.devices)[:1] if code.plugin.has_load else []
    call = Call(
        code.plugin,
        code.plugin.origin,
        code.values,
        computation.declared,
        tuple(devices),
        options.threads,
    )
    items = computation.items
    cost = computation.cost()
    order = sorted(range(len(items)), key=lambda number: cost(items[number]))
    pair = list(dict.fromkeys((order[len(order) // 2], order[-1])))
    batches = [pair, pair, pair[::-1], *([number] for number in pair)]
    first_answers: dict[int, Any] = {}
    for batch in batches:
        (answers,) = call((0, [[items[number] for number in batch]], [])).answers
        for number, answer in zip(batch, answers, strict=True):
            if isinstance(answer, Failure):
                raise computation.error(number, answer)
            first = first_answers.setdefault(number, answer)
            tolerance: Any = {"rtol": TOLERANCE, "atol": TOLERANCE, "equal_nan": True}
            if not np.allclose(first or (), answer or (), **tolerance):
                values = (
                    f"{_as_text(first)} in one call and {_as_text(answer)} in another"
                )
                remedy = "the number of a text must depend on that text alone"
                not_on = "not on its batch or on calls before"
                failure = Failure(f": {name} is {values}: {remedy}, {not_on}")
                raise computation.error(number, failure)
    return len(batches)


def _as_text(answer: Answer) -> str:
    return ", ".join(f"{number:.6g}" for number in answer) if answer else "none"


def _computations(
    metrics: Iterable[Metric], how: Computing, corpora: Sequence[Corpus] = ()
) -> "Iterator[_Computation]":
    """Yield the computations of metrics, one for all that share numbers, with the items of data
    sets.

    Raises InputError if code is missing, and if --recompute names another metric.
    """
    names_by_spec: dict[FunctionMetricSpec, str] = {}
    for metric in metrics:
        if computes_numbers(metric):
            names_by_spec[metric.spec] = metric.name  # type: ignore[index]
    names = dict.fromkeys(names_by_spec.values())
    for name in how.options.recompute:
        if name not in names:
            hint = did_you_mean(name, names)
            raise InputError(
                f"--recompute {name}: expected one of {', '.join(names)}{hint}"
            )
    for spec in names_by_spec:
        if spec.code is None:
            raise InputError(without_code(spec.title))
        computation = _Computation(spec, spec.code, how)
        for corpus in corpora:
            computation.gather(corpus)
        yield computation


class _Position(NamedTuple):
    """Where a text occurs first."""

    corpus: Corpus
    system: str
    line: int

    def __str__(self) -> str:
        number = self.corpus.systems[self.system].number(self.line + 1)
        return f"{self.corpus.name}, {self.system}, line {number}"


class _LineItems(NamedTuple):
    """The items of a line of a system."""

    numbers: list[int]
    """The numbers of the items: several if each reference is one."""
    output: int | None
    """The index of the output among those of a listwise item, which has the numbers of all."""


class _Computation:
    """The distinct items of all data sets for one metric, and their numbers."""

    def __init__(self, spec: FunctionMetricSpec, code: Code, how: Computing) -> None:
        self.spec = spec
        self.code = code
        self.how = how
        self.declared: Declared = code.plugin.declared
        self.items: list[Item] = []
        self.numbers: dict[Item, int] = {}
        self.positions: list[_Position] = []
        self.answers: dict[int, Answer] = {}
        self.package_versions: dict[str, str] = {}
        self.spent = Counter[str]()
        self.started = time.monotonic()
        self.cache: ContentCache | None = None
        if how.options.cache and (
            code.plugin.origin is not None or self.declared.version
        ):
            self.cache = ContentCache(
                SCORES, warn=how.listener.warn, of=self.declared.name
            )

    # --- items

    def gather(self, corpus: Corpus) -> dict[str, list[_LineItems]]:
        """Take the items of a data set; return the items of each line of each system."""
        columns = self._columns(corpus)
        view = corpus.views.get(self.spec.input, corpus)
        outputs = {}
        for name, text in view.systems.items():
            if name not in corpus.references_as_systems:
                outputs[name] = read_texts(text)
        listwise = self.declared.listwise
        indexes: list[dict[str, int]] = []
        if listwise:
            columns["outputs"] = []
            for texts_of_line in zip(*outputs.values(), strict=True):
                distinct = tuple(sorted(set(texts_of_line)))
                columns["outputs"].append(distinct)
                indexes.append({text: index for index, text in enumerate(distinct)})
        lines_of_systems = {}
        for name, texts in outputs.items():
            if not listwise:
                columns["outputs"] = texts
            lines = []
            inputs = [columns[text] for text in self.declared.reads]
            for line, item in enumerate(zip(*inputs, strict=True)):
                position = _Position(corpus, name, line)
                numbers = [
                    self._number(each, position) for each in self._by_reference(item)
                ]
                lines.append(
                    _LineItems(
                        numbers, indexes[line][texts[line]] if listwise else None
                    )
                )
            lines_of_systems[name] = lines
        return lines_of_systems

    def _columns(self, corpus: Corpus) -> dict[str, Any]:
        """Return the sources and references that the code reads; raises ConfigError if they are
        missing.
        """
        declared = self.declared
        columns: dict[str, Any] = {}
        if "sources" in declared.reads:
            if corpus.source is None:
                problem = f"{declared.name} reads the source; the data set has none"
                raise ConfigError(f"{corpus.name}: {problem}")
            columns["sources"] = read_texts(corpus.source)
        if "references" not in declared.reads:
            return columns
        references: list[tuple[Any, ...]] = [()] * corpus.lines
        if corpus.references:
            references = []
            for texts in zip(*_references(corpus), strict=True):
                references.append(tuple(text for text in texts if text is not None))
        elif "references" not in declared.optional:
            problem = f"{declared.name} reads references; the data set has none"
            raise ConfigError(f"{corpus.name}: {problem}")
        view = corpus.views.get(self.spec.input, corpus)
        if view is not corpus:
            # records of edits, of annotators with their texts if the data set has these
            records = zip(*map(read_texts, view.references), strict=True)
            with_texts: list[tuple[Any, ...]] = []
            for line_records, texts in zip(records, references, strict=True):
                if len(line_records) == len(texts):
                    with_texts.append(tuple(zip(line_records, texts, strict=True)))
                else:
                    with_texts.append(tuple((record,) for record in line_records))
            references = with_texts
        columns["references"] = references
        return columns

    def _by_reference(self, item: Item) -> list[Item]:
        """Return the items with one reference each, if the code is called for each reference."""
        if not self.declared.each_reference:
            return [item]
        column = self.declared.reads.index("references")
        references = item[column] or ("",)
        return [
            (*item[:column], reference, *item[column + 1 :]) for reference in references
        ]

    def _number(self, item: Item, position: _Position) -> int:
        """Return the number of an item, which may be new."""
        number = self.numbers.setdefault(item, len(self.items))
        if number == len(self.items):
            self.items.append(item)
            self.positions.append(position)
        return number

    # --- the cache

    @cached_property
    def keys(self) -> list[bytes]:
        """The key of each item in the cache."""
        declared = self.declared
        form = "plain"
        if declared.each_reference:
            form = "each_reference"
        elif declared.listwise:
            form = "listwise"
        files = json.dumps(self.code.files, sort_keys=True) if self.code.files else ""
        common = (
            "1",
            self.spec.computed_by,
            str(self.spec.decimals),
            files,
            self.code.identity,
            form,
            "|".join(declared.numbers),
            "|".join(declared.reads),
        )
        prefix = sha256(b"".join(map(_with_length, common)))
        keys = []
        for item in self.items:
            hashed = prefix.copy()
            for text in item:
                if isinstance(text, str):
                    hashed.update(_with_length(text))
                else:
                    hashed.update(
                        pack(">Q", len(text)) + b"".join(map(_with_length, text))
                    )
            keys.append(hashed.digest())
        return keys

    def cached_answers(self) -> dict[int, Answer]:
        """Return the answers in the cache, by the numbers of items."""
        if self.cache is None or self.declared.name in self.how.options.recompute:
            return {}
        cached = self.cache.read(self.keys)
        answers: dict[int, Answer] = {}
        for number, key in enumerate(self.keys):
            if key in cached:
                answers[number] = (
                    tuple(np.frombuffer(cached[key], "<f8").tolist()) or None
                )
        return answers

    def _warn_of_changed_code(self) -> None:
        """Warn if the code differs from that which computed the cached numbers of its version."""
        origin = self.code.plugin.origin
        if origin is None or self.cache is None:
            return
        name = self.declared.name
        version = self.declared.version
        key = sha256(b"code" + _with_length(name) + _with_length(version)).digest()
        digest = origin.sha256.encode()
        cached = self.cache.read([key]).get(key)
        if cached is None:
            self.cache.write({key: digest})
        elif cached != digest:
            change = f"{origin.label} has changed since numbers of version {version} were kept"
            remedy = f"--recompute {name} computes them anew"
            self.how.listener.warn(f"{change}; they are used. {remedy}")

    # --- computing

    def added(self, corpora: Sequence[Corpus]) -> list[Corpus]:
        """Return data sets with the numbers of the metric."""
        gathered = [self.gather(corpus) for corpus in corpora]
        self.compute()
        columns = map(list, zip(*self.items, strict=True))
        texts = dict(zip(self.declared.reads, columns, strict=True))
        warnings = self.code.hook("notes", **texts) or []
        pairs = zip(corpora, gathered, strict=True)
        return [self._with_numbers(corpus, lines, warnings) for corpus, lines in pairs]

    def compute(self) -> None:
        """Compute the numbers that are not cached."""
        name = self.declared.name
        listener = self.how.listener
        self.answers = self.cached_answers()
        if not self.declared.code and name not in self.how.options.recompute:
            self._warn_of_changed_code()
        total = len(self.items)
        cached = len(self.answers)
        todo = [number for number in range(total) if number not in self.answers]
        cost = self.total_cost(todo)
        if cost or cached:
            report = listener.warn if todo else listener.note
            counts = (
                f"{cached:,} of {total:,} texts were kept; {len(todo):,} to compute"
            )
            report(f"{name}: {counts}{cost}")
        devices = self._compute(todo) if todo else []
        seconds = time.monotonic() - self.started
        device = ", ".join(devices or ["cpu"])
        if todo and self.code.plugin.has_load:
            rate = f"{len(todo) / max(seconds, 1e-9):,.0f} a second, model and all"
            texts = "text" if len(todo) == 1 else "texts"
            listener.warn(f"{name}: {len(todo):,} {texts} computed on {device}, {rate}")
        record: dict[str, Any] = {
            "texts": {"new": len(todo), "kept": cached},
            "seconds": round(seconds, 3),
            "files": self.code.files,
        }
        if self.code.models:
            record["models"] = self.code.models
        if self.spent:
            record["spent"] = dict(self.spent)
        python = {"python": platform.python_version()}
        record["made_with"] = python | self.package_versions | {"device": device}
        self.how.records[name] = record

    def _compute(self, todo: list[int]) -> list[str]:
        """Compute the numbers of items; return the devices of the code."""
        listener = self.how.listener
        # the most costly items come first
        cost = self.cost()
        todo.sort(key=lambda number: (-cost(self.items[number]), self.items[number]))
        runner = _BatchRunner(self, todo)
        cache = None if runner.workers_store else self.cache
        unwritten: dict[bytes, bytes] = {}
        last_write = time.monotonic()
        failures: dict[int, Failure] = {}
        try:
            for numbers, answers in runner.run():
                for number, answer in zip(numbers, answers, strict=True):
                    if isinstance(answer, Failure):
                        failures[number] = answer
                        continue
                    self.answers[number] = answer
                    if cache:
                        unwritten[self.keys[number]] = encoded_answer(answer)
                if cache and time.monotonic() - last_write > TASK_SECONDS:
                    cache.write(unwritten)
                    unwritten = {}
                    last_write = time.monotonic()
                listener.progress(len(self.answers), len(self.items))
                if failures:
                    break
        finally:
            if cache:
                cache.write(unwritten)
            if self.spent:
                used = []
                for name, count in sorted(self.spent.items()):
                    used.append(f"{name.replace('_', ' ')} {count:,}")
                listener.warn(f"{self.declared.name}: {', '.join(used)}")
        if failures:
            first = min(failures)
            raise self.error(first, failures[first])
        return runner.devices

    def error(self, number: int, failure: Failure) -> InputError:
        """Return the error of an item without numbers."""
        self.how.listener.note(failure.trace)
        return InputError(failure.at(str(self.positions[number])))

    def cost(self) -> Callable[[Item], float]:
        """Return the function that estimates how much work an item is."""
        if not hasattr(self.code.plugin.target, "cost"):
            return item_length
        function = self.code.plugin.build(dict(self.code.values))
        return lambda item: float(function.cost(*item))

    def total_cost(self, numbers: Iterable[int]) -> str:
        """Return how much work items are, if the code has a `unit` for its cost, or an empty text."""
        unit = getattr(self.code.plugin.target, "unit", "")
        if not unit:
            return ""
        cost = self.cost()
        total = sum(cost(self.items[number]) for number in numbers)
        return f", about {total:,.0f} {unit}" if total else ""

    # --- numbers of lines

    def _with_numbers(
        self,
        corpus: Corpus,
        lines_of_systems: Mapping[str, list[_LineItems]],
        warnings: Iterable[tuple[str, list[int], float]],
    ) -> Corpus:
        """Return a data set with a text of numbers for each system.

        `warnings` are those of the method `notes` of the code: a message, the numbers of items, and
        the share of lines above which there is a warning.
        """
        name = self.declared.name
        notes = list(corpus.notes)
        # the numbers of each line, and the lines without
        substitute: Answer = None
        if self.declared.none not in ("error", "skip"):
            substitute = (float(self.declared.none),) * len(self.spec.names)
        answers_of_systems = {}
        left_out: set[int] = set()
        for system, lines in lines_of_systems.items():
            answers = []
            for line, items in enumerate(lines):
                answer = self._line_answer(items) or substitute
                answers.append(answer)
                if answer is None:
                    left_out.add(line)
            answers_of_systems[system] = answers
        if left_out:
            listed = self._listed(corpus, sorted(left_out))
            message = (
                f"{name} has no score for {listed}; they are left out for all systems"
            )
            if len(left_out) > MAX_LEFT_OUT_SHARE * corpus.lines:
                message += (
                    "; these are so many that the score is not of the data set any more"
                )
            notes.append(message)
            if len(left_out) == corpus.lines:
                hint = (
                    f"; --recompute {name} asks again for what is kept"
                    if self.cache
                    else ""
                )
                problem = f"{name} has no score for any line that all systems have"
                raise InputError(f"{corpus.name}: {problem}{hint}")
        # warnings
        if not self.declared.deterministic:
            message = "may give other numbers for the same texts; the first are kept"
            notes.append(f"{name} {message}")
        for message, numbers, share in warnings:
            affected = _lines_with(set(numbers), lines_of_systems)
            if len(affected) > share * corpus.lines:
                notes.append(f"{name}: {message}: {self._listed(corpus, affected)}")
        # the texts
        systems: dict[str, AnyText] = {}
        for system, answers in answers_of_systems.items():
            texts = []
            for line, answer in enumerate(answers):
                if line not in left_out and answer is not None:
                    if self.spec.decimals is None:
                        texts.append(" ".join(map(repr, answer)))
                    else:
                        texts.append(" ".join(map(str, map(int, answer))))
            systems[system] = text_in_memory(f"{name} of {system}", texts)
        view = corpus.views.get(self.spec.input, corpus)
        numbers_of_corpus = Corpus(
            name=corpus.name,
            lines=corpus.lines - len(left_out),
            source=None,
            references=view.references if "references" in self.declared.reads else (),
            systems=systems,
            computed=True,
            left_out=tuple(sorted(left_out)),
        )
        external = {**corpus.external, self.spec.key: numbers_of_corpus}
        return replace(corpus, external=external, notes=tuple(notes))

    def _line_answer(self, items: _LineItems) -> Answer:
        """Return the numbers of a line, from its answers, or None."""
        answers = []
        for number in items.numbers:
            answer = self.answers[number]
            if answer is None:
                return None
            answers.append(answer)
        if items.output is None:
            return self.code.line_numbers(answers)
        width = len(self.spec.names)
        start = items.output * width
        numbers = answers[0][start : start + width]
        return None if not numbers or math.isnan(numbers[0]) else numbers

    def _listed(self, corpus: Corpus, lines: list[int]) -> str:
        """Return how many lines of a data set these are, and the numbers of the first ones."""
        text = next(iter(corpus.systems.values()))
        numbers = ", ".join(
            str(text.number(line + 1)) for line in lines[:MAX_LISTED_LINES]
        )
        more = " ..." if len(lines) > MAX_LISTED_LINES else ""
        return f"{len(lines)} of {corpus.lines} lines ({numbers}{more})"


def _lines_with(
    numbers: set[int], lines_of_systems: Mapping[str, list[_LineItems]]
) -> list[int]:
    """Return the lines that have one of these items in some system."""
    found = set()
    for lines in lines_of_systems.values():
        for line, items in enumerate(lines):
            if not numbers.isdisjoint(items.numbers):
                found.add(line)
    return sorted(found)


def _references(corpus: Corpus) -> list[list[str | None]]:
    """Return the texts of each reference, with None for those that are missing."""
    references: list[list[str | None]] = []
    for reference in corpus.references:
        texts: list[str | None] = [*read_texts(reference)]
        if corpus.missing:
            for line in reference.blanks.tolist():
                texts[line - 1] = None
        references.append(texts)
    return references


def all_references(corpora: Iterable[Corpus]) -> list[str]:
    """Return all references of data sets, with repetitions, without missing ones."""
    texts: list[str] = []
    for corpus in corpora:
        for reference in _references(corpus):
            texts += [text for text in reference if text is not None]
    return texts


def _with_length(text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    return pack(">Q", len(data)) + data


class _BatchRunner:
    """Runs batches in workers, in any order.

    A batch that a worker may have died of is tried alone, then in halves.
    """

    def __init__(self, computation: _Computation, todo: list[int]) -> None:
        self.computation = computation
        plugin = computation.code.plugin
        options = computation.how.options
        size = options.batch_size or plugin.batch_size
        self.batches = [
            todo[start : start + size] for start in range(0, len(todo), size)
        ]
        self.devices = devices_of(options.devices) if plugin.has_load else []
        own_process = plugin.origin is not None and not plugin.waits
        if plugin.workers:
            workers = plugin.workers
        elif plugin.waits:
            workers = WAITING_CALLS
        elif not plugin.has_load:
            workers = options.threads
        elif own_process:
            workers = len(self.devices)
        else:
            workers = 1
        in_parallel = workers > 1 and len(self.batches) > 1
        self.processes = own_process and (plugin.has_load or in_parallel)
        self.workers = min(workers, len(self.batches))
        self.local_call = Call(
            plugin,
            plugin.origin,
            computation.code.values,
            computation.declared,
            devices=tuple(self.devices),
            threads=options.threads,
            parent=os.getpid(),
            database=computation.cache.path if computation.cache else None,
        )
        self.call = self.local_call
        if self.processes:
            self.call = replace(self.local_call, plugin=None)
        self.workers_store = plugin.has_load or plugin.waits
        """Whether workers store each batch, and therefore get one at a time."""
        self.task_size = 1
        """The number of batches of a task."""
        self.in_progress: dict[int, list[list[int]]] = {}
        """The batches of each task that is not done."""

    def run(self) -> Iterator[tuple[list[int], list[Any]]]:
        """Yield the numbers of items with their answers, batch by batch.

        A function begins in this process, since processes take time to start.
        """
        computation = self.computation
        remaining = self.batches
        only_here = self.workers <= 1 and not self.processes
        if only_here or not self.workers_store:
            started = time.monotonic()
            for task in self._tasks(remaining):
                yield from self._finished(self.local_call(task))
                if not only_here and time.monotonic() - started > LOCAL_SECONDS:
                    break
            remaining = [
                batch for batch in remaining if batch[0] not in computation.answers
            ]
        warn = computation.how.listener.warn
        while remaining:
            self.in_progress = {}
            try:
                for result in results(
                    self.call,
                    self._tasks(remaining),
                    self.workers,
                    processes=self.processes,
                    patience=computation.how.options.patience,
                ):
                    yield from self._finished(result)
                return
            except WorkerLostError as lost:
                suspects = [
                    batch for task in self.in_progress.values() for batch in task
                ]
                name = computation.declared.name
                warn(f"{name}: {lost.reason}; what it was doing is tried again")
                not_done = []
                for batch in remaining:
                    done = set(batch) <= computation.answers.keys()
                    if not done and batch not in suspects:
                        not_done.append(batch)
                remaining = not_done
                for batch in suspects:
                    yield from self._run_alone(batch)

    def _tasks(self, batches: list[list[int]]) -> Iterator[Task]:
        """Yield tasks of so many batches as then is the size of tasks."""
        start = 0
        while start < len(batches):
            batches_of_task = batches[start : start + self.task_size]
            self.in_progress[start] = batches_of_task
            yield self._task(start, batches_of_task)
            start += len(batches_of_task)

    def _task(self, number: int, batches: list[list[int]]) -> Task:
        """Return a task; it has the keys of its items if workers store their answers."""
        items = self.computation.items
        batches_of_items = [list(map(items.__getitem__, batch)) for batch in batches]
        batches_of_keys: list[list[bytes]] = []
        if self.workers_store and self.computation.cache:
            keys = self.computation.keys
            batches_of_keys = [list(map(keys.__getitem__, batch)) for batch in batches]
        return number, batches_of_items, batches_of_keys

    def _run_alone(self, batch: list[int]) -> Iterator[tuple[list[int], list[Any]]]:
        """Yield the answers of a batch that a worker may have died of."""
        computation = self.computation
        self.in_progress = {0: [batch]}
        task = self._task(0, [batch])
        patience = computation.how.options.patience
        try:
            for result in results(
                self.call, [task], 1, processes=True, patience=patience
            ):
                yield from self._finished(result)
        except WorkerLostError as lost:
            if len(batch) == 1:
                position = computation.positions[batch[0]]
                problem = f"{computation.declared.name}: {lost.reason}"
                raise IncompleteError(f"{position}: {problem}") from None
            half = len(batch) // 2
            yield from self._run_alone(batch[:half])
            yield from self._run_alone(batch[half:])

    def _finished(self, result: TaskResult) -> Iterator[tuple[list[int], list[Any]]]:
        """Yield the batches of a task with their answers, and adapt the size of tasks."""
        self.computation.package_versions |= result.package_versions
        self.computation.spent.update(result.spent)
        for note in result.notes:
            self.computation.how.listener.note(note)
        batches = self.in_progress.pop(result.number)
        if not self.workers_store:
            is_short = result.seconds < TASK_SECONDS / 2
            if is_short and len(batches) == self.task_size:
                self.task_size *= 2
        if result.seconds > TASK_SECONDS and self.task_size > 1:
            self.task_size //= 2
        yield from zip(batches, result.answers, strict=True)
