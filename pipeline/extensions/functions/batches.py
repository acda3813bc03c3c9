"""Batches of items, which are computed in this process, in threads or in worker processes."""

import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from pipeline.errors import IncompleteError
from pipeline.execution import Listener, RunOptions
from pipeline.parallel import WorkerLostError, results

from .answer_cache import AnswerCache
from .calls import Call, Task, TaskResult, devices_of
from .function_spec import Code
from .items import ItemTable

WAITING_CALLS = 16
"""Concurrent calls of code that waits for a network."""
TASK_SECONDS = 0.25
"""Seconds of work of a task of a function, which has several batches.

Each batch of a model, or of code that waits, is stored by its worker before the next one is begun.
"""
LOCAL_SECONDS = 1.0
"""Seconds for which a function works in this process, before workers are started for the rest."""

Batch = list[int]
"""The numbers of items that a call gets together."""
BatchAnswers = tuple[Batch, list[Any]]
"""A batch with an answer or a Failure for each item."""


class BatchRunner:
    """Runs batches in workers, in any order.

    A batch that a worker may have died of is tried alone, then in halves.
    """

    def __init__(
        self,
        code: Code,
        table: ItemTable,
        cache: AnswerCache,
        options: RunOptions,
        listener: Listener,
    ) -> None:
        """Choose workers and devices for some code; `table` has the items of batches."""
        plugin = code.plugin
        self.table = table
        self.name = plugin.declared.name
        self.batch_size = options.batch_size or plugin.batch_size
        self.patience = options.patience
        self.listener = listener
        self.devices = devices_of(options.devices) if plugin.has_load else []
        own_process = plugin.origin is not None and not plugin.waits
        if plugin.workers:
            self.workers = plugin.workers
        elif plugin.waits:
            self.workers = WAITING_CALLS
        elif not plugin.has_load:
            self.workers = options.threads
        elif own_process:
            self.workers = len(self.devices)
        else:
            self.workers = 1
        self.own_process = own_process
        """Whether workers can be processes, which import the code."""
        self.needs_process = own_process and plugin.has_load
        self.workers_store = plugin.has_load or plugin.waits
        """Whether workers store each batch, and therefore get one at a time."""
        self.keys = cache.keys if self.workers_store else []
        """The keys of items in the cache, if workers store answers."""
        self.call = code.call(
            devices=tuple(self.devices),
            threads=options.threads,
            parent=os.getpid(),
            database=cache.store.path if cache.store else None,
        )
        self.remaining: dict[int, Batch] = {}
        """The batches that have no answers yet, by their first items."""
        self.in_progress: dict[int, list[Batch]] = {}
        """The batches of each task that is not done."""
        self.package_versions: dict[str, str] = {}
        """The versions of packages that models need."""
        self.spent = Counter[str]()
        """What the code has used, such as requests to a server."""

    def run(self, items: Sequence[int]) -> Iterator[BatchAnswers]:
        """Yield the numbers of items (their indices in the table) with their answers, by batch.

        A function begins in this process, since processes take time to start. Raises
        IncompleteError if workers die of an item.
        """
        for start in range(0, len(items), self.batch_size):
            batch = list(items[start : start + self.batch_size])
            self.remaining[batch[0]] = batch
        workers = min(self.workers, len(self.remaining))
        processes = self.needs_process or (self.own_process and workers > 1)
        only_here = workers <= 1 and not processes
        batches_in_task = 1

        # in this process, until it has taken LOCAL_SECONDS
        if only_here or not self.workers_store:
            started = time.monotonic()
            for count, batch in enumerate(list(self.remaining.values()), 1):
                task = self._task(count, [batch])
                yield from self._finished(self.call(task))
                seconds = time.monotonic() - started
                if not only_here and seconds > LOCAL_SECONDS:
                    batches_per_second = count / seconds
                    batches_in_task = int(batches_per_second * TASK_SECONDS)
                    batches_in_task = max(1, batches_in_task)
                    break

        # in workers; a process imports the code itself
        remote_call = self.call
        if processes:
            remote_call = replace(self.call, plugin=None)
        while self.remaining:
            self.in_progress = {}
            tasks = self._tasks(batches_in_task)
            try:
                for result in results(
                    remote_call,
                    tasks,
                    workers,
                    processes=processes,
                    patience=self.patience,
                ):
                    yield from self._finished(result)
            except WorkerLostError as lost:
                suspects = list(chain.from_iterable(self.in_progress.values()))
                again = "what it was doing is tried again"
                self.listener.warn(f"{self.name}: {lost.reason}; {again}")
                for batch in suspects:
                    yield from self._run_alone(remote_call, batch)

    def _tasks(self, batches_in_task: int) -> Iterator[Task]:
        """Yield tasks of the remaining batches."""
        batches = list(self.remaining.values())
        for start in range(0, len(batches), batches_in_task):
            yield self._task(start, batches[start : start + batches_in_task])

    def _task(self, number: int, batches: list[Batch]) -> Task:
        """Return a task, which is in progress; it has keys if workers store answers."""
        self.in_progress[number] = batches
        items = []
        keys = []
        for batch in batches:
            items.append([self.table.items[item] for item in batch])
            if self.keys:
                keys.append([self.keys[item] for item in batch])
        return Task(number, items, keys)

    def _run_alone(
        self, remote_call: Call, batch: Batch
    ) -> Iterator[BatchAnswers]:
        """Yield the answers of a batch that a worker may have died of, computed alone.

        If a worker dies again, the batch is halved. Raises IncompleteError for a single item.
        """
        self.in_progress = {}
        task = self._task(0, [batch])
        try:
            for result in results(
                remote_call, [task], 1, processes=True, patience=self.patience
            ):
                yield from self._finished(result)
        except WorkerLostError as lost:
            if len(batch) == 1:
                position = self.table.positions[batch[0]]
                message = f"{position}: {self.name}: {lost.reason}"
                raise IncompleteError(message) from None
            half = len(batch) // 2
            yield from self._run_alone(remote_call, batch[:half])
            yield from self._run_alone(remote_call, batch[half:])

    def _finished(self, result: TaskResult) -> Iterator[BatchAnswers]:
        """Yield the batches of a task with their answers."""
        self.package_versions |= result.package_versions
        self.spent.update(result.spent)
        for note in result.notes:
            self.listener.note(note)
        batches = self.in_progress.pop(result.number)
        for batch, answers in zip(batches, result.answers, strict=True):
            self.remaining.pop(batch[0], None)
            yield batch, answers
