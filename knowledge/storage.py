"""Files of a space in the object store, kept under the hash of their content."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage

_READ_BYTES = 1 << 20


@dataclass(frozen=True, kw_only=True)
class StoredFile:
    """A file that is in the store."""

    content_hash: str
    """SHA-256, hexadecimal."""
    size_bytes: int


def store_file(space_id: int, content: BinaryIO) -> StoredFile:
    """Read `content` from its beginning and keep it; the same bytes are kept once a space."""
    digest, size = hashlib.sha256(), 0
    content.seek(0)
    while piece := content.read(_READ_BYTES):
        digest.update(piece)
        size += len(piece)
    stored = StoredFile(content_hash=digest.hexdigest(), size_bytes=size)
    key = _file_key(space_id, stored.content_hash)
    if not default_storage.exists(key):
        content.seek(0)
        default_storage.save(key, File(content))
    return stored


def delete_file(space_id: int, content_hash: str) -> None:
    """Remove a file from the store; the caller knows that nothing needs it."""
    default_storage.delete(_file_key(space_id, content_hash))


def open_file(space_id: int, content_hash: str) -> BinaryIO:
    """Open a stored file for reading."""
    return cast(BinaryIO, default_storage.open(_file_key(space_id, content_hash), "rb"))


@contextmanager
def local_copy(space_id: int, content_hash: str) -> Iterator[Path]:
    """Give a path to the file: its own where the store is a folder, else a copy for the block."""
    key = _file_key(space_id, content_hash)
    try:
        path = Path(default_storage.path(key))
    except NotImplementedError:
        path = None
    if path is not None:
        yield path
        return
    with (
        tempfile.NamedTemporaryFile(prefix="weknora-") as copy,
        default_storage.open(key) as source,
    ):
        shutil.copyfileobj(source, copy, _READ_BYTES)
        copy.flush()
        yield Path(copy.name)


def store_json(space_id: int, folder: str, key: str, value: Any) -> None:
    """Keep a step's output under `key`, so that a later attempt need not make it again."""
    name = _json_key(space_id, folder, key)
    if not default_storage.exists(name):
        default_storage.save(name, ContentFile(json.dumps(value, ensure_ascii=False).encode()))


def load_json(space_id: int, folder: str, key: str) -> Any | None:
    """Return what was kept under `key`; None when nothing was, or it is damaged."""
    name = _json_key(space_id, folder, key)
    if not default_storage.exists(name):
        return None
    with default_storage.open(name, "rb") as stored:
        try:
            return json.loads(stored.read())
        except ValueError:
            return None


def _file_key(space_id: int, content_hash: str) -> str:
    return f"spaces/{space_id}/files/{content_hash[:2]}/{content_hash}"


def _json_key(space_id: int, folder: str, key: str) -> str:
    return f"spaces/{space_id}/{folder}/{key[:2]}/{key}.json"
