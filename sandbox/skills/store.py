"""Keeps the archives of versions in the object store, in the folder of their space."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import BinaryIO, cast

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage

_FOLDER = "skills"


def keep_archive(space_id: int, content_hash: str, archive: BinaryIO) -> None:
    """Keep an archive; the same files are kept once a space."""
    key = _key(space_id, content_hash)
    if default_storage.exists(key):
        return
    archive.seek(0)
    saved = default_storage.save(key, File(archive))
    if saved != key:  # somebody saved the same meanwhile
        default_storage.delete(saved)


def open_archive(space_id: int, content_hash: str) -> BinaryIO:
    """Open a kept archive.

    Raises:
        FileNotFoundError: the store has lost it.
    """
    return cast(BinaryIO, default_storage.open(_key(space_id, content_hash), "rb"))


def unpacked_folder(space_id: int) -> Path:
    """Return where this machine keeps the unpacked skills of a space."""
    return Path(settings.SKILL_UNPACKED_DIR) / str(space_id)


def forget_space(space_id: int, content_hashes: set[str]) -> None:
    """Remove the kept archives of a space, and what this machine unpacked of them."""
    for content_hash in content_hashes:
        default_storage.delete(_key(space_id, content_hash))
    folder = unpacked_folder(space_id)
    if folder.is_dir():
        _make_writable(folder)
        shutil.rmtree(folder)


def _make_writable(folder: Path) -> None:
    folder.chmod(0o700)
    for each in folder.iterdir():
        if each.is_dir() and not each.is_symlink():
            _make_writable(each)


def _key(space_id: int, content_hash: str) -> str:
    return f"spaces/{space_id}/{_FOLDER}/{content_hash[:2]}/{content_hash}"
