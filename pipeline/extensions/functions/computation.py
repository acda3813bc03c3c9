"""Numbers that the code of users computes: once for each distinct text of all data sets and systems.

The numbers of all lines become texts, which are counted, sharded and stored like those of the
metric `external`.
"""

import math
import platform
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from pipeline.data import AnyText, Corpus, MemoryText
from pipeline.errors import InputError, did_you_mean
from pipeline.execution import Computation, Listener, RunOptions

from .answer_cache import AnswerCache
from .answers import Answer, Failure, Item, encoded_answer
from .batches import TASK_SECONDS, BatchRunner
from .calls import Task, devices_of
from .function_spec import Code, FunctionMetricSpec
from .items import ItemTable, ItemWarning, LineItems, LinesOfSystems

MAX_LISTED_LINES = 10
"""How many line numbers a warning lists."""
MAX_LEFT_OUT_SHARE = 0.05
"""The share of lines left out above which a warning doubts that the score is of the data set."""
TOLERANCE = 1e-4
"""How far numbers of a text may differ between calls, absolutely and relatively; batches change the
sixth digit.
"""


class ComputedByCode:
    """The part of a metric whose specification is a FunctionMetricSpec."""

    name: ClassVar[str]
    computes_numbers: ClassVar[bool] = True

    is_built_in: ClassVar[bool] = False
    """Whether the metric is part of the program, so that every reader of results has it."""
    spec: Any

    def computation(self) -> type["FunctionComputation"]:
        """Return the class that computes the numbers."""
        return FunctionComputation

    @property
    def missing_code(self) -> str:
        """The message for a metric without its code, or an empty text."""
        return "" if self.spec.code else without_code(self.name)


def without_code(name: str) -> str:
    """Return the message for a metric that needs its code, which is missing."""
    ways = "name it with --plugin, or install its package"
    reading = "(where results are there, 'show' and 'report' need none)"
    return f"{name}: its code is not at hand; {ways} {reading}"


class FunctionComputation(Computation):
    """Computes the numbers of metrics by code of users.

    Models are loaded one after the other. Numbers computed before are cached on this computer.
    """

    def with_numbers(self, corpora: Sequence[Corpus]) -> list[Corpus]:
        """Return data sets with the numbers of all metrics.

        Raises InputError, with the position of the first text that has no number, and
        IncompleteError if a process dies.
        """
        for numbers in self._code_numbers():
            self.listener.stage(numbers.spec.title)
            corpora = numbers.added(corpora)
            self.records[numbers.declared.name] = numbers.record
        return list(corpora)

    def planned(self, corpora: Sequence[Corpus]) -> Iterator[str]:
        """Yield how many distinct texts there are, and how many of them would be computed."""
        for numbers in self._code_numbers():
            numbers.gather(corpora)
            todo = numbers.read_cache()
            total = len(numbers.table.items)
            new = f"{len(todo):,} of {total:,} distinct texts would be computed"
            cost = numbers.total_cost(todo)
            yield f"{numbers.spec.signature}: {new}{cost}; {len(numbers.answers):,} are kept"

    def tried(self, corpora: Sequence[Corpus]) -> Iterator[str]:
        """Yield whether the numbers of two texts are the same in several calls.

        A text of middle length and the longest one are computed in one call, in another one, in
        another order, and each alone. Models are loaded in this process. Raises InputError if a
        text has no number, or another one later.
        """
        for numbers in self._code_numbers():
            numbers.gather(corpora)
            pair = numbers.middle_and_longest()
            calls = [pair, pair, pair[::-1]]
            calls += [[number] for number in pair]
            numbers.compare_calls(calls)
            same = (
                f"{len(pair)} texts have the same numbers in {len(calls)} calls"
            )
            yield f"{numbers.spec.signature}: {same}"

    def _code_numbers(self) -> "Iterator[CodeNumbers]":
        """Yield the numbers of each specification, which metrics may share.

        Raises InputError if code is missing, and if --recompute names another metric.
        """
        names: dict[FunctionMetricSpec, str] = {}
        for metric in self.metrics:
            names[metric.spec] = metric.name  # type: ignore[index]
        for name in self.options.recompute:
            if name not in names.values():
                expected = ", ".join(dict.fromkeys(names.values()))
                hint = did_you_mean(name, names.values())
                raise InputError(
                    f"--recompute {name}: expected one of {expected}{hint}"
                )
        for spec in names:
            if spec.code is None:
                raise InputError(without_code(spec.title))
            yield CodeNumbers(spec, spec.code, self.options, self.listener)


class CodeNumbers:
    """The numbers of all data sets for one specification."""

    def __init__(
        self,
        spec: FunctionMetricSpec,
        code: Code,
        options: RunOptions,
        listener: Listener,
    ) -> None:
        """Take a specification, its code, and options and listener of the run."""
        self.started = time.monotonic()
        self.spec = spec
        self.code = code
        self.options = options
        self.listener = listener
        self.declared = code.plugin.declared
        self.table = ItemTable(self.declared, spec.input)
        self.cache = AnswerCache(spec, code, options, listener.warn)
        self.answers: dict[int, Answer] = {}
        """The answers of items, by their numbers."""
        self.record: dict[str, Any] = {}
        """What run.json has of the metric: texts, seconds, devices, versions."""

    def added(self, corpora: Sequence[Corpus]) -> list[Corpus]:
        """Return data sets with the numbers of the metric."""
        gathered = self.gather(corpora)
        self.compute()
        columns = map(list, zip(*self.table.items, strict=True))
        texts = dict(zip(self.declared.reads, columns, strict=True))
        warnings = self.code.hook("notes", **texts) or []
        with_numbers = []
        for corpus, lines in zip(corpora, gathered, strict=True):
            with_numbers.append(self._with_numbers(corpus, lines, warnings))
        return with_numbers

    def gather(self, corpora: Sequence[Corpus]) -> list[LinesOfSystems]:
        """Take the items of data sets; return those of each line, by data set and system."""
        return [self.table.gather(corpus) for corpus in corpora]

    # --- computing

    def read_cache(self) -> list[int]:
        """Take the answers that are cached, and return the items without answers."""
        self.answers = self.cache.read(self.table.items)
        total = len(self.table.items)
        return [number for number in range(total) if number not in self.answers]

    def compute(self) -> None:
        """Compute the numbers that are not cached, and set `answers` and `record`.

        Raises InputError for an item without a number, and IncompleteError if workers die of one.
        """
        name = self.declared.name
        todo = self.read_cache()
        cached = len(self.answers)
        self.cache.warn_of_changed_code()
        cost = self.total_cost(todo)
        if cost or cached:
            report = self.listener.warn if todo else self.listener.note
            total = len(self.table.items)
            counts = f"{cached:,} of {total:,} texts were kept"
            report(f"{name}: {counts}; {len(todo):,} to compute{cost}")
        self.record = {"texts": {"new": len(todo), "kept": cached}}
        runner = None
        device = "cpu"
        if todo:
            runner = BatchRunner(
                self.code, self.table, self.cache, self.options, self.listener
            )
            self._run(runner, todo)
            device = ", ".join(runner.devices) or device
        # what run.json has of the metric
        seconds = time.monotonic() - self.started
        if todo and self.code.plugin.has_load:
            rate = (
                f"{len(todo) / max(seconds, 1e-9):,.0f} a second, model and all"
            )
            texts = "text" if len(todo) == 1 else "texts"
            computed = f"{len(todo):,} {texts} computed on {device}, {rate}"
            self.listener.warn(f"{name}: {computed}")
        self.record["seconds"] = round(seconds, 3)
        self.record["files"] = self.code.files
        if self.code.models:
            self.record["models"] = self.code.models
        made_with = {"python": platform.python_version()}
        if runner:
            if runner.spent:
                self.record["spent"] = dict(runner.spent)
            made_with |= runner.package_versions
        self.record["made_with"] = made_with | {"device": device}

    def _run(self, runner: BatchRunner, todo: list[int]) -> None:
        """Compute the numbers of items, the most costly ones first.

        `todo` has the indices of the items, and is sorted. Answers are cached as they come. Raises
        InputError for the first item that has no number, after the batches that are done.
        """
        items = self.table.items
        keys = self.cache.keys
        cost = self.code.cost

        def most_costly_first(number: int) -> tuple[float, Item]:
            return -cost(items[number]), items[number]

        todo.sort(key=most_costly_first)
        unwritten: dict[bytes, bytes] = {}
        last_write = time.monotonic()
        failures: dict[int, Failure] = {}
        try:
            for batch, answers in runner.run(todo):
                for number, answer in zip(batch, answers, strict=True):
                    if isinstance(answer, Failure):
                        failures[number] = answer
                        continue
                    self.answers[number] = answer
                    if keys and not runner.workers_store:
                        unwritten[keys[number]] = encoded_answer(answer)
                if time.monotonic() - last_write > TASK_SECONDS:
                    self.cache.write(unwritten)
                    unwritten = {}
                    last_write = time.monotonic()
                self.listener.progress(len(self.answers), len(items))
                if failures:
                    break
        finally:
            self.cache.write(unwritten)
            used = []
            for name, count in sorted(runner.spent.items()):
                used.append(f"{name.replace('_', ' ')} {count:,}")
            if used:
                self.listener.warn(f"{self.declared.name}: {', '.join(used)}")
        if failures:
            first = min(failures)
            raise self.error(first, failures[first])

    def middle_and_longest(self) -> list[int]:
        """Return the item of middle cost and the most costly one; one item if they are the same."""
        items = self.table.items
        cost = self.code.cost
        numbers = range(len(items))
        order = sorted(numbers, key=lambda number: cost(items[number]))
        middle = order[len(order) // 2]
        longest = order[-1]
        return [middle] if middle == longest else [middle, longest]

    def compare_calls(self, batches: list[list[int]]) -> None:
        """Compute batches of items, given by their indices, in this process.

        Raises InputError if the numbers of an item differ from those in an earlier batch by more
        than TOLERANCE, or if an item has no number.
        """
        devices = []
        if self.code.plugin.has_load:
            devices = devices_of(self.options.devices)[:1]
        threads = self.options.threads
        call = self.code.call(devices=tuple(devices), threads=threads)
        tolerance: Any = {
            "rtol": TOLERANCE,
            "atol": TOLERANCE,
            "equal_nan": True,
        }
        first_answers: dict[int, Any] = {}
        for batch in batches:
            items = [self.table.items[number] for number in batch]
            (answers,) = call(Task(0, [items])).answers
            for number, answer in zip(batch, answers, strict=True):
                if isinstance(answer, Failure):
                    raise self.error(number, answer)
                first = first_answers.setdefault(number, answer)
                if not np.allclose(first or (), answer or (), **tolerance):
                    one = f"{_as_text(first)} in one call"
                    other = f"{_as_text(answer)} in another"
                    remedy = (
                        "the number of a text must depend on that text alone"
                    )
                    not_on = "not on its batch or on calls before"
                    values = f"{self.declared.name} is {one} and {other}"
                    failure = Failure(f": {values}: {remedy}, {not_on}")
                    raise self.error(number, failure)

    def error(self, number: int, failure: Failure) -> InputError:
        """Return the error of an item without numbers."""
        self.listener.note(failure.trace)
        return InputError(failure.at(str(self.table.positions[number])))

    def total_cost(self, numbers: Iterable[int]) -> str:
        """Return how much work items are, for messages; empty if the code has no `unit` of cost.

        `numbers` are the indices of the items.
        """
        unit = getattr(self.code.plugin.target, "unit", "")
        if not unit:
            return ""
        total = 0.0
        for number in numbers:
            total += self.code.cost(self.table.items[number])
        return f", about {total:,.0f} {unit}" if total else ""

    # --- numbers of lines

    def _with_numbers(
        self,
        corpus: Corpus,
        lines_of_systems: LinesOfSystems,
        warnings: Iterable[ItemWarning],
    ) -> Corpus:
        """Return a data set with a text of numbers for each system, as `external`.

        A line without numbers in some system is left out for all. `warnings` are those of the
        method `notes` of the code: a message, the indices of items, and the share of lines above
        which there is a warning.
        """
        declared = self.declared

        # the numbers of each line, and the lines that lack some
        answers_of_systems = {}
        lines_without: set[int] = set()
        for system, lines in lines_of_systems.items():
            answers = [self._line_answer(items) for items in lines]
            answers_of_systems[system] = answers
            for line, answer in enumerate(answers):
                if answer is None:
                    lines_without.add(line)
        left_out = sorted(lines_without)

        # the warnings
        notes = list(corpus.notes)
        if left_out:
            notes.append(self._note_of_left_out(corpus, left_out))
        if not declared.deterministic:
            message = (
                "may give other numbers for the same texts; the first are kept"
            )
            notes.append(f"{declared.name} {message}")
        for message, numbers, share in warnings:
            affected = _lines_with(set(numbers), lines_of_systems)
            if len(affected) > share * corpus.lines:
                listed = _listed(corpus, affected)
                notes.append(f"{declared.name}: {message}: {listed}")

        # the texts of numbers
        number_text = repr if self.spec.decimals is None else _integer_text
        systems: dict[str, AnyText] = {}
        for system, answers in answers_of_systems.items():
            texts = []
            for line, answer in enumerate(answers):
                if answer and line not in lines_without:
                    texts.append(" ".join(map(number_text, answer)))
            systems[system] = MemoryText.of(
                f"{declared.name} of {system}", texts
            )
        references: Sequence[AnyText] = ()
        if "references" in declared.reads:
            references = corpus.views.get(self.spec.input, corpus).references
        numbers_of_corpus = Corpus(
            name=corpus.name,
            lines=corpus.lines - len(left_out),
            source=None,
            references=tuple(references),
            systems=systems,
            computed=True,
            left_out=tuple(left_out),
        )
        external = {**corpus.external, self.spec.key: numbers_of_corpus}
        return replace(corpus, external=external, notes=tuple(notes))

    def _line_answer(self, items: LineItems) -> Answer:
        """Return the numbers of a line from the answers of its items.

        A line without numbers has the metric's substitute, or None. A listwise item has the numbers
        of all outputs, from which those of the line's output are taken.
        """
        answers = []
        for item in items.numbers:
            answer = self.answers[item]
            if answer is None:
                return self.spec.substitute
            answers.append(answer)
        if items.output is None:
            return self.code.line_numbers(answers)
        width = len(self.spec.names)
        start = items.output * width
        numbers = answers[0][start : start + width]
        if not numbers or math.isnan(numbers[0]):
            return self.spec.substitute
        return numbers

    def _note_of_left_out(self, corpus: Corpus, left_out: list[int]) -> str:
        """Return the warning about lines without numbers; raises InputError if none has some."""
        name = self.declared.name
        if len(left_out) == corpus.lines:
            hint = ""
            if self.cache.store:
                hint = f"; --recompute {name} asks again for what is kept"
            problem = f"{name} has no score for any line that all systems have"
            raise InputError(f"{corpus.name}: {problem}{hint}")
        listed = _listed(corpus, left_out)
        note = f"{name} has no score for {listed}; they are left out for all systems"
        if len(left_out) > MAX_LEFT_OUT_SHARE * corpus.lines:
            note += "; these are so many that the score is not of the data set any more"
        return note


def _as_text(answer: Answer) -> str:
    return ", ".join(f"{number:.6g}" for number in answer) if answer else "none"


def _integer_text(number: float) -> str:
    return str(int(number))


def _listed(corpus: Corpus, lines: list[int]) -> str:
    """Return how many lines of a data set these are, and the numbers of the first ones."""
    text = next(iter(corpus.systems.values()))
    numbers = []
    for line in lines[:MAX_LISTED_LINES]:
        numbers.append(str(text.number(line + 1)))
    listed = ", ".join(numbers)
    if len(lines) > MAX_LISTED_LINES:
        listed += " ..."
    return f"{len(lines)} of {corpus.lines} lines ({listed})"


def _lines_with(
    numbers: set[int], lines_of_systems: LinesOfSystems
) -> list[int]:
    """Return the lines, from 0, that have one of these items in some system."""
    lines_with = set()
    for lines in lines_of_systems.values():
        for line, items in enumerate(lines):
            if not numbers.isdisjoint(items.numbers):
                lines_with.add(line)
    return sorted(lines_with)
