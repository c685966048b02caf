"""Everything that parsers load lazily, loaded before the first fork.

A child can open no file, so what is not in memory by then does not exist for it.
"""

from __future__ import annotations

import codecs
import contextlib
import encodings.aliases

from knowledge.parsers.contract import ParseRefused
from knowledge.parsers.registry import parsers_by_type

_SAMPLES: dict[str, bytes] = {
    "txt": "Grüße".encode("cp1252"),
    "csv": b"a;b\n1;2\n",
    "html": b"<html><body><nav>x</nav><p>Some text.</p></body></html>",
    "json": b'{"a": [1]}',
    "md": b"# Title\n",
}


def warm_parsers() -> None:
    """Import all parsers, look up all codecs and read one small sample of each type."""
    for name in set(encodings.aliases.aliases.values()):
        with contextlib.suppress(LookupError):
            codecs.lookup(name)
    parsers = parsers_by_type()
    for file_type, sample in _SAMPLES.items():
        if file_type in parsers:
            with contextlib.suppress(ParseRefused):
                parsers[file_type].parse(sample, f"sample.{file_type}")
