"""From what a config writes for a file to paths: addresses, globs, and files of fetched data sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import CorpusError, DataError
from ..io import remote
from ..io.catalogue import named_in, named_one
from ..io.dataset_cache import cache_path, locate_all
from ..io.remote import Remote, is_remote, locate
from ..io.written_paths import expanded, is_data, is_short, is_there
from .globs import glob, is_glob, natural
from .resolved import STDIN, Match, fill
from .tree import base_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..errors import Problem
    from ..io.catalogue import DataFile
    from .tree import Node

Location = tuple[str | int, ...]
"""Keys and indices from the root of a config to a value."""


class Locator:
    """Turns written paths into files; adds a problem for each that cannot be had."""

    def __init__(self, root: Node, problems: list[Problem]) -> None:
        self.root, self.problems = root, problems
        self.matches: list[Match] = []
        """What globs matched."""
        self.absent: set[Path] = set()
        """Paths of files that are not here. They have a problem already, so nobody need open them."""

    def problem(self, message: str, location: Location) -> None:
        """Add a problem with the value at a location of the config."""
        self.problems.append(self.root.problem(message, location))

    def matched(self, pattern: str, files: Iterable[Path | Remote], location: Location) -> None:
        """Keep what a glob matched, to be shown."""
        self.matches.append(Match(self.root.find(location).path, pattern, tuple(files)))

    def path(self, text: str, location: Location, dataset: str, system: str = "{system}") -> Path | Remote:
        """Return the path or address that a text stands for."""
        if text == "-":
            return STDIN
        text = self.filled(text, location, dataset, system)
        if not is_data(text) or is_glob(text):
            return locate(base_of(self.root.find(location)), text)
        files = self.fetched(lambda: [named_one(text)], location)
        return files[0] if files else self.never(text)

    def filled(self, text: str, location: Location, dataset: str, system: str = "{system}") -> str:
        """Return a written path with its placeholders, ~ and variables replaced; adds a problem for an unset variable.

        {name} is the name of what has the path, a data set or a system. A file whose very name is written so stays.
        """
        plain, base = fill(text, dataset, system), base_of(self.root.find(location))
        if (not is_short(text) and "{name}" not in text) or is_there(base / plain):
            return plain
        try:
            own = "{dataset}" if location[0] == "datasets" else "{system}"
            return fill(expanded(text, base).replace("{name}", own), dataset, system)
        except DataError as error:
            problem = self.root.problem(str(error), location)
            self.problems += [problem] if problem not in self.problems else []
            self.absent.add(base / plain)
            return plain

    def local_path(self, text: str, location: Location, dataset: str) -> Path | None:
        """Return the path that a text stands for, or None for a file that is absent and for an address.

        An address is a problem.
        """
        path = self.path(text, location, dataset)
        if isinstance(path, Remote):
            self.problem(f"'{path}' is an address; only source, references, m2 and outputs may be one", location)
        return None if isinstance(path, Remote) or path in self.absent else path

    def never(self, text: str) -> Path:
        """Return a path that stands for a file that cannot be had, and whose problem was added before."""
        self.absent.add(Path(text))
        return Path(text)

    def fetched(self, files_of: Callable[[], Iterable[DataFile]], location: Location) -> list[Path]:
        """Return the paths of the files of data sets that a function names.

        Adds a problem where some of the files are not here, and where the function raises DataError.
        """
        files: list[DataFile] = []
        try:
            files = list(files_of())
            locate_all(files)
        except DataError as error:
            for problem in error.problems:
                self.problem(problem.message, location)
            self.absent |= {cache_path(file) for file in files}
        return [cache_path(file) for file in files]

    def glob(self, pattern: str, location: Location) -> list[Path | Remote]:
        """Return the files that a pattern matches: of a data set, at an address, or on this computer."""
        if is_remote(pattern):
            return self._listed(Remote(pattern), location)
        if not is_data(pattern):
            return [*glob(base_of(self.root.find(location)), pattern)]
        try:
            files = named_in(pattern)
        except DataError:
            return []
        return [*self.fetched(lambda: files, location)]

    def _listed(self, pattern: Remote, location: Location) -> list[Path | Remote]:
        """Return the files that an address matches, in natural order; adds a problem where there are none."""
        try:
            files = remote.glob(pattern)
        except CorpusError as error:
            self.problems += [self.root.problem(str(problem), location) for problem in error.problems]
            return []
        if not files:
            self.problem(f"no file matches '{pattern}'", location)
        return sorted(files, key=lambda file: [natural(Path(part)) for part in file.parts])

    def unmatched(self, pattern: str, location: Location) -> None:
        """Add the problem of a pattern that matches no file. An address has that problem already."""
        if is_data(pattern):
            self.fetched(lambda: named_in(pattern), location)
        elif not is_remote(pattern):
            self.problem(f"no file matches '{pattern}'", location)
