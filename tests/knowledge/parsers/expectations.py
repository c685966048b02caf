"""The checks of the shared documents: what their Markdown must and must not hold."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

SHARED = Path(os.environ.get("WEKNORA_SHARED", Path(__file__).parents[4] / "shared")) / "data"
DOCUMENTS = SHARED / "documents"

_HEADING = re.compile(r"^#{1,6} +(.*)$", re.M)
_LIST_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)]|[a-z][.)]) +(.*)$", re.M)
_CELL_BORDER = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Check:
    """One expectation of one file."""

    file: str
    type: str
    kind: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.file} {self.kind} {' | '.join(self.values)}"

    def holds_for(self, markdown: str) -> bool:
        """Say whether `markdown` is as expected."""
        wanted = [squeeze(value) for value in self.values]
        if self.kind == "t":
            return all(value in squeeze(markdown) for value in wanted)
        if self.kind == "n":
            return all(value not in squeeze(markdown) for value in wanted)
        if self.kind == "o":
            return _in_order(squeeze(markdown), wanted)
        if self.kind == "h":
            return any(wanted[0] in squeeze(line) for line in _HEADING.findall(markdown))
        if self.kind == "l":
            return any(wanted[0] in squeeze(line) for line in _LIST_ITEM.findall(markdown))
        if self.kind == "r":
            return any(_has_cells(line, wanted) for line in markdown.splitlines())
        raise ValueError(f"unknown kind of check {self.kind!r}")


def load_checks(path: Path = SHARED / "expectations.jsonl") -> list[Check]:
    """Return all checks, in the order of the file."""
    if not path.exists():
        return []
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        Check(record["file"], record["type"], kind, tuple(values))
        for record in records
        for kind, *values in record["checks"]
    ]


def squeeze(text: str) -> str:
    """Take out whitespace, escapes and marks of emphasis."""
    text = re.sub(r"\\([\\`*_{}\[\]()#+.!|<>~$-])", r"\1", text)
    return re.sub(r"[\s*]+|__", "", unicodedata.normalize("NFKC", text))


def _in_order(text: str, values: list[str]) -> bool:
    position = 0
    for value in values:
        found = text.find(value, position)
        if found < 0:
            return False
        position = found + len(value)
    return True


def _has_cells(line: str, values: list[str]) -> bool:
    """Each value is a cell of its own, in this order."""
    if not line.lstrip().startswith("|"):
        return False
    cells = iter(squeeze(cell) for cell in _CELL_BORDER.split(line.strip().strip("|")))
    return all(any(value == cell for cell in cells) for value in values)
