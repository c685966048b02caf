"""Which files a run read and wrote, carried mechanically through summaries.

A model that forgets what it has saved writes it again; so the lists are taken from the calls
themselves, never from the model's memory of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agents.engine.casting import load_json
from providers.contracts.chat import ChatMessage

READ_TOOLS = frozenset({"read_file", "read_sandbox_file", "read_skill"})
WRITE_TOOLS = frozenset({"write_sandbox_file", "edit_sandbox_file", "write_file", "edit_file"})
_PATH_KEYS = ("path", "file_path", "file")
_LIST = re.compile(r"<(files_read|files_written)>\n(.*?)\n</\1>", re.S)
MAX_FILES = 100


@dataclass(frozen=True, kw_only=True)
class FileLists:
    """Paths in the order of first use."""

    read: tuple[str, ...] = ()
    written: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return the blocks that go behind a summary; empty when there are no files."""
        blocks = []
        for tag, paths in (("files_read", self.read), ("files_written", self.written)):
            if paths:
                lines = "\n".join(paths[-MAX_FILES:])
                blocks.append(f"<{tag}>\n{lines}\n</{tag}>")
        return "\n".join(blocks)


def collect_files(messages: Sequence[ChatMessage], *, previous_summary: str = "") -> FileLists:
    """Return the files of an earlier summary and of the messages' calls."""
    read, written = _from_summary(previous_summary)
    for message in messages:
        for call in message.tool_calls:
            path = _path(call.arguments)
            if path and call.name in READ_TOOLS:
                read.append(path)
            elif path and call.name in WRITE_TOOLS:
                written.append(path)
    done = _unique(written)
    return FileLists(read=tuple(each for each in _unique(read) if each not in done), written=done)


def without_file_lists(summary: str) -> str:
    """Return a summary without its file blocks."""
    return _LIST.sub("", summary).strip()


def _from_summary(summary: str) -> tuple[list[str], list[str]]:
    found: dict[str, list[str]] = {"files_read": [], "files_written": []}
    for match in _LIST.finditer(summary):
        found[match[1]] += match[2].splitlines()
    return found["files_read"], found["files_written"]


def _path(arguments: str) -> str:
    read = load_json(arguments)
    if not isinstance(read, dict):
        return ""
    paths = (read.get(key) for key in _PATH_KEYS)
    return next((path.strip() for path in paths if isinstance(path, str)), "")


def _unique(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for path in paths if path and "\n" not in path))
