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

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage, default_storage
from django.utils.http import content_disposition_header

_READ_BYTES = 1 << 20
_FILES = "files"
PARSED_FOLDER = "parsed"
"""Of texts read from files, kept by `knowledge.ingest.read`."""


@dataclass(frozen=True, kw_only=True)
class StoredFile:
    """A file that is in the store."""

    content_hash: str
    """SHA-256, hexadecimal."""
    size_bytes: int


def store_file(space_id: int, content: BinaryIO, *, folder: str = _FILES) -> StoredFile:
    """Read `content` from its beginning and keep it; the same bytes are kept once a folder.

    What removes files asks whether its own rows still need them, so each kind of row has a folder.
    """
    digest, size = hashlib.sha256(), 0
    content.seek(0)
    while piece := content.read(_READ_BYTES):
        digest.update(piece)
        size += len(piece)
    stored = StoredFile(content_hash=digest.hexdigest(), size_bytes=size)
    key = _file_key(space_id, stored.content_hash, folder)
    if not default_storage.exists(key):
        content.seek(0)
        _save_once(key, File(content))
    return stored


def delete_file(space_id: int, content_hash: str, *, folder: str = _FILES) -> None:
    """Remove a file from the store; the caller knows that nothing needs it."""
    default_storage.delete(_file_key(space_id, content_hash, folder))


def open_file(space_id: int, content_hash: str, *, folder: str = _FILES) -> BinaryIO:
    """Open a stored file for reading."""
    return cast(BinaryIO, default_storage.open(_file_key(space_id, content_hash, folder), "rb"))


@contextmanager
def local_copy(space_id: int, content_hash: str, *, folder: str = _FILES) -> Iterator[Path]:
    """Give a path to the file: its own where the store is a folder, else a copy for the block."""
    key = _file_key(space_id, content_hash, folder)
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
        _save_once(name, ContentFile(json.dumps(value, ensure_ascii=False).encode()))


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


def delete_json(space_id: int, folder: str, key: str) -> None:
    """Remove what was kept under `key`."""
    default_storage.delete(_json_key(space_id, folder, key))


def signed_link(space_id: int, content_hash: str, *, name: str, folder: str = _FILES) -> str | None:
    """Return a link by which a browser downloads a file from the store itself, for a short while.

    It is answered as an attachment of no type that a browser would run. None: the store gives no
    such links, or is not to; then the file goes through our own door.
    """
    storage = default_storage._wrapped if hasattr(default_storage, "_wrapped") else default_storage
    seconds: int = settings.STORAGE_LINK_SECONDS
    if not seconds or not hasattr(storage, "bucket_name"):
        return None
    parameters = {
        "ResponseContentDisposition": content_disposition_header(True, name),
        "ResponseContentType": "application/octet-stream",
        "ResponseCacheControl": "private, no-store",
    }
    key = _file_key(space_id, content_hash, folder)
    # `url` of storages for S3 takes more than Django's.
    return str(cast(Any, default_storage).url(key, parameters=parameters, expire=seconds))


def names_below(storage: Storage, folder: str) -> Iterator[str]:
    """Yield the names of all files below a folder; "" is the whole store.

    An object store knows no folders: whether one exists cannot be asked, only what is in it.
    """
    try:
        folders, files = storage.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in files:
        yield f"{folder}/{name}" if folder else name
    for name in folders:
        yield from names_below(storage, f"{folder}/{name}" if folder else name)


def delete_folder(folder: str) -> int:
    """Remove all that the store holds below a folder; returns how many files it were."""
    number = 0
    for name in list(names_below(default_storage, folder)):
        default_storage.delete(name)
        number += 1
    _remove_empty_folders(folder)
    return number


def _remove_empty_folders(folder: str) -> None:
    """Remove what is left of a folder where folders are things of their own."""
    try:
        path = Path(default_storage.path(folder))
    except NotImplementedError:
        return
    if path.is_dir():
        shutil.rmtree(path)


def _save_once(key: str, content: File[bytes]) -> None:
    """Save under the very name: of two who save the same at once, the second leaves nothing."""
    saved = default_storage.save(key, content)
    if saved != key:
        default_storage.delete(saved)


def space_folder(space_id: int) -> str:
    """Return the folder that holds all files of a space."""
    return f"spaces/{space_id}"


def _file_key(space_id: int, content_hash: str, folder: str) -> str:
    return f"spaces/{space_id}/{folder}/{content_hash[:2]}/{content_hash}"


def _json_key(space_id: int, folder: str, key: str) -> str:
    return f"spaces/{space_id}/{folder}/{key[:2]}/{key}.json"
