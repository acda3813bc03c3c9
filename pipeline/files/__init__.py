"""Files here and at addresses, locks, and compressed files. Begin at `safe_files.py`.

Nothing in this room knows what a corpus is. The names of `__all__` are what other rooms import.
"""

from typing import TYPE_CHECKING

from ..lookup import lazy_names

if TYPE_CHECKING:
    from .plain_files import (
        OPENERS,
        Origin,
        StoredTexts,
        TempFiles,
        content_hint,
        named,
        numbered_lines,
        open_bytes,
        small_bytes,
        small_text,
        why_unreadable,
    )
    from .remote import Remote, WrittenPath
    from .safe_files import (
        TEMPORARY,
        digest,
        file_name,
        in_the_way,
        lock_of,
        open_regular,
        read_json,
        replacing,
        write_atomic,
    )
    from .small_tables import TableCell, TableRow
    from .xml_records import XmlReader

__all__ = [
    "OPENERS",
    "TEMPORARY",
    "Origin",
    "Remote",
    "StoredTexts",
    "TableCell",
    "TableRow",
    "TempFiles",
    "WrittenPath",
    "XmlReader",
    "content_hint",
    "digest",
    "file_name",
    "in_the_way",
    "lock_of",
    "named",
    "numbered_lines",
    "open_bytes",
    "open_regular",
    "read_json",
    "replacing",
    "small_bytes",
    "small_text",
    "why_unreadable",
    "write_atomic",
]
if not TYPE_CHECKING:
    __getattr__ = lazy_names(
        __name__,
        {
            "plain_files": "OPENERS Origin StoredTexts TempFiles content_hint named numbered_lines "
            "open_bytes small_bytes small_text why_unreadable",
            "remote": "Remote WrittenPath",
            "safe_files": "TEMPORARY digest file_name in_the_way lock_of open_regular read_json replacing "
            "write_atomic",
            "small_tables": "TableCell TableRow",
            "xml_records": "XmlReader",
        },
    )
