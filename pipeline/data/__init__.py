"""Data sets: where their texts are, and all texts of a data set opened and checked.

The names of `__all__` are what other rooms import:

- `Corpus` is a data set with its systems. Its texts are TextFile or MemoryText, together AnyText.
  A worker reads a Span of lines of a file.
- `open_corpus` opens the files of a data set, and `completed` adds views that are made of texts.
  `text_warnings` and `suspicions` warn of texts that are probably not what was meant.
- An extension that reads another input than TEXTS brings an InputReader. It gets an OpenRequest
  with an Opener, and returns TextsOfInput, and an OpenedInput with an InputView for each view.
  TextReader and Listener are the metrics and the progress bar that it sees.
- `TEXT_FORMATS` has the formats of texts in the records of files.
- `Catalogue` has each DataSet that can be fetched, with each DataFile; `DatasetCache` has their
  files on this computer.

`pipeline.data.config` reads configs, which name data sets.
"""

from typing import TYPE_CHECKING

from ..lookup import lazy_names

if TYPE_CHECKING:
    from .catalogue import Catalogue, DataFile, DataSet
    from .corpus import Corpus
    from .dataset_cache import DatasetCache
    from .formats import TEXT_FORMATS
    from .input_readers import (
        InputReader,
        Listener,
        OpenRequest,
        completed,
        open_corpus,
    )
    from .input_warnings import suspicions, text_warnings
    from .inputs import TEXTS, TextReader
    from .opened_input import InputView, OpenedInput, TextsOfInput
    from .opener import Opener
    from .texts import AnyText, MemoryText, Span, TextFile

__all__ = [
    "TEXTS",
    "TEXT_FORMATS",
    "AnyText",
    "Catalogue",
    "Corpus",
    "DataFile",
    "DataSet",
    "DatasetCache",
    "InputReader",
    "InputView",
    "Listener",
    "MemoryText",
    "OpenRequest",
    "OpenedInput",
    "Opener",
    "Span",
    "TextFile",
    "TextReader",
    "TextsOfInput",
    "completed",
    "open_corpus",
    "suspicions",
    "text_warnings",
]
if not TYPE_CHECKING:
    __getattr__ = lazy_names(
        __name__,
        {
            "catalogue": "Catalogue DataFile DataSet",
            "corpus": "Corpus",
            "dataset_cache": "DatasetCache",
            "formats": "TEXT_FORMATS",
            "input_readers": "InputReader Listener OpenRequest completed open_corpus",
            "input_warnings": "suspicions text_warnings",
            "inputs": "TEXTS TextReader",
            "opened_input": "InputView OpenedInput TextsOfInput",
            "opener": "Opener",
            "texts": "AnyText MemoryText Span TextFile",
        },
    )
