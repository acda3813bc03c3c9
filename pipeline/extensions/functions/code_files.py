"""Files and packages with the code of users: how they are imported, and their digests."""

import contextlib
import sys
import traceback
import types
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pipeline.errors import ConfigError

MODULE = "gec_pipeline_plugin_"
"""The prefix of the module names of imported files."""


class CodeOrigin(NamedTuple):
    """Where code was imported from, so that another process can import it too."""

    kind: Literal["file", "module"]
    location: str
    """The path of a file, or the name of a module."""
    attribute: str
    """The name of the object in the module."""
    sha256: str
    """The digest of the file, or of the files of the package; empty for the program itself."""
    label: str
    """The name in messages, such as kept.py or acme-metrics 1.4.0."""

    @property
    def record(self) -> dict[str, str]:
        """What run.json has of the origin."""
        return {"from": self.label, "sha256": self.sha256}

    def imported(self) -> Any:
        """Import the object in this process; raises ConfigError if its code has changed."""
        if self.kind == "file":
            path = Path(self.location)
            content = path.read_bytes()
            if sha256(content).hexdigest() != self.sha256:
                problem = "was changed meanwhile; run the same command again"
                raise ConfigError(f"{self.label} {problem}")
            name = f"{MODULE}{path.stem}"
            module = sys.modules.get(name) or module_from_bytes(
                name, path, content
            )
        else:
            module = import_module(self.location)
            if self.sha256 and package_digest(self.location) != self.sha256:
                problem = "is another here than where the command runs"
                raise ConfigError(f"{self.label} {problem}")
        return getattr(module, self.attribute)


def module_from_bytes(
    name: str, path: Path, content: bytes
) -> types.ModuleType:
    """Import a file with this content as a module of this name."""
    module = types.ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    try:
        exec(compile(content, str(path), "exec"), module.__dict__)  # noqa: S102 (the user has named the file)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def code_position(error: BaseException, file: str) -> str:
    """Return "FILE:LINE: " of an error in the code of a user, or an empty text.

    `file` is the name of the user's file, if known. The line is the last one of the traceback in
    this file, or else the last one outside of this package.
    """
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"{Path(error.filename).name}:{error.lineno}: "
    frames = traceback.extract_tb(error.__traceback__)
    in_file = [frame for frame in frames if Path(frame.filename).name == file]
    outside = [frame for frame in frames if "/pipeline/" not in frame.filename]
    candidates = in_file or outside
    if not candidates:
        return ""
    frame = candidates[-1]
    return f"{Path(frame.filename).name}:{frame.lineno}: "


def package_digest(module: str) -> str:
    """Return the SHA-256 of the Python files of a module's package with their names, in order.

    If the module is in no package, it is that of its file. Files that cannot be read are left out.
    """
    spec = find_spec(module.partition(".")[0])
    files: list[Path] = []
    folder = Path()
    if spec and spec.submodule_search_locations:
        folder = Path(next(iter(spec.submodule_search_locations)))
        files = sorted(folder.rglob("*.py"))
    if spec and not files and spec.origin:
        files = [Path(spec.origin)]
        folder = files[0].parent
    hashed = sha256()
    for path in files:
        with contextlib.suppress(OSError):
            content = sha256(path.read_bytes()).hexdigest()
            name = path.relative_to(folder).as_posix()
            hashed.update(f"{name}\n{content}\n".encode())
    return hashed.hexdigest()
