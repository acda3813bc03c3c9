"""The numbers that code has computed, cached on this computer by the texts and the code."""

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from struct import pack

from pipeline.execution import RunOptions

from .answers import Answer, Item, decoded_answer
from .content_cache import ContentCache
from .function_spec import Code, FunctionMetricSpec


class AnswerCache:
    """The cached numbers of a metric. Code that no other process can import needs a version."""

    def __init__(
        self,
        spec: FunctionMetricSpec,
        code: Code,
        options: RunOptions,
        warn: Callable[[str], None],
    ) -> None:
        """Open the cache of a metric, unless options or code forbid it; warn() gets messages."""
        self.spec = spec
        self.code = code
        self.declared = code.plugin.declared
        self.recompute = self.declared.name in options.recompute
        """Whether nothing is read."""
        self._warn = warn
        self.store: ContentCache | None = None
        """None if nothing is cached."""
        self.keys: list[bytes] = []
        """The keys of the items that were read."""
        if options.cache and (code.plugin.origin or self.declared.version):
            self.store = ContentCache(
                ContentCache.SCORES, warn=warn, of=self.declared.name
            )

    def read(self, items: Sequence[Item]) -> dict[int, Answer]:
        """Return the cached answers of items, by their indices, and remember the keys of all."""
        if self.store is None:
            return {}
        self.keys = self._keys(items)
        answers: dict[int, Answer] = {}
        if not self.recompute:
            cached = self.store.read(self.keys)
            for index, key in enumerate(self.keys):
                if key in cached:
                    answers[index] = decoded_answer(cached[key])
        return answers

    def _keys(self, items: Sequence[Item]) -> list[bytes]:
        """Return the key of each item: a digest of its texts, the code, and its options.

        Texts are hashed with their lengths, so that no two items have the same bytes.
        """
        declared = self.declared
        form = "plain"
        if declared.each_reference:
            form = "each_reference"
        elif declared.listwise:
            form = "listwise"
        files = ""
        if self.code.files:
            files = json.dumps(self.code.files, sort_keys=True)
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
        for item in items:
            hashed = prefix.copy()
            for text in item:
                if isinstance(text, str):
                    hashed.update(_with_length(text))
                else:
                    texts = b"".join(map(_with_length, text))
                    hashed.update(pack(">Q", len(text)) + texts)
            keys.append(hashed.digest())
        return keys

    def write(self, answers: Mapping[bytes, bytes]) -> None:
        """Store encoded answers by their keys."""
        if self.store:
            self.store.write(answers)

    def warn_of_changed_code(self) -> None:
        """Warn if the code differs from that which computed the cached numbers of its version."""
        origin = self.code.plugin.origin
        if origin is None or self.store is None or self.recompute:
            return
        if self.declared.code:
            return  # without a version, the code is part of the keys
        name = self.declared.name
        version = self.declared.version
        named_version = _with_length(name) + _with_length(version)
        key = sha256(b"code" + named_version).digest()
        digest = origin.sha256.encode()
        cached = self.store.read([key]).get(key)
        if cached is None:
            self.store.write({key: digest})
        elif cached != digest:
            change = f"{origin.label} has changed since numbers of version {version} were kept"
            remedy = f"--recompute {name} computes them anew"
            self._warn(f"{change}; they are used. {remedy}")


def _with_length(text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    return pack(">Q", len(data)) + data
