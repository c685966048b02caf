"""Writes the copy of a space: a zip of JSON lines, original files, and a manifest with hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from accounts.access import Actor
from accounts.platform.export import ExportFile, Table, files_of, rows_of, tables
from core.tenancy import space_scope

FORMAT = 1
_READ_BYTES = 1 << 20


@dataclass(kw_only=True)
class Written:
    """What is in a copy."""

    row_count: int = 0
    file_count: int = 0
    entries: list[dict[str, Any]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """Files that have a row but are not in the store."""


def write_copy(
    target: IO[bytes], actor: Actor, *, check: Callable[[], None] = lambda: None
) -> Written:
    """Write the copy of the actor's space, an owner's; `check` is called often and may raise."""
    done = Written()
    with (
        space_scope(actor.space_id),
        ZipFile(target, "w", ZIP_DEFLATED, allowZip64=True) as archive,
    ):
        for table in tables():
            _write_table(archive, table, actor, done, check=check)
        for file in files_of(actor):
            check()
            _write_file(archive, file, done)
        manifest = {
            "format": FORMAT,
            "space_id": actor.space_id,
            "made_at": timezone.now().isoformat(),
            "made_for": actor.user_id,
            "entries": done.entries,
            "missing": done.missing,
        }
        archive.writestr("manifest.json", json.dumps(manifest, ensure_ascii=False, indent=1))
    return done


def _write_table(
    archive: ZipFile, table: Table, actor: Actor, done: Written, *, check: Callable[[], None]
) -> None:
    digest, count, size = hashlib.sha256(), 0, 0
    with archive.open(table.path, "w", force_zip64=True) as entry:
        for row in rows_of(table, actor):
            if count % 500 == 0:
                check()
            line = json.dumps(row, ensure_ascii=False, cls=DjangoJSONEncoder).encode() + b"\n"
            entry.write(line)
            digest.update(line)
            count, size = count + 1, size + len(line)
    done.row_count += count
    done.entries.append(_entry(table.path, size, digest.hexdigest(), rows=count))


def _write_file(archive: ZipFile, file: ExportFile, done: Written) -> None:
    digest, size = hashlib.sha256(), 0
    try:
        source = file.open()
    except FileNotFoundError:
        done.missing.append(file.path)
        return
    with source, archive.open(file.path, "w", force_zip64=True) as entry:
        while piece := source.read(_READ_BYTES):
            entry.write(piece)
            digest.update(piece)
            size += len(piece)
    done.file_count += 1
    done.entries.append(_entry(file.path, size, digest.hexdigest()))


def _entry(path: str, size: int, digest: str, **more: int) -> dict[str, Any]:
    return {"path": path, "size_bytes": size, "sha256": digest, **more}
