"""`manage.py copy_files --to local|s3`: carry all files from one store to the other."""

from __future__ import annotations

import hashlib
import sys
import tempfile
from argparse import ArgumentParser
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import Storage, storages
from django.core.management.base import BaseCommand

from knowledge.storage import names_below
from weknora_site.terminal import give_up, write_json

_READ_BYTES = 1 << 20
_STORES = ("local", "s3")


@dataclass
class Copied:
    """What was done."""

    files: int = 0
    bytes: int = 0
    there_already: int = 0
    damaged: int = 0
    """Files whose content is not what their name says: they are copied, and named on stderr."""
    failed: int = 0
    """Files that were not the same in the other store when they were read back."""


class Command(BaseCommand):
    """Copy all files and read each one back; nothing is removed. Safe to run again."""

    help = "Copy all files from one store to the other and check each by its hash."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--to", choices=_STORES, required=True)
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Exit code 1 when a file could not be copied, 2 when there is no such store."""
        target_name = options["to"]
        source_name = next(each for each in _STORES if each != target_name)
        for name in (source_name, target_name):
            if name not in settings.STORAGES:
                give_up(f"There is no store {name!r}: set WEKNORA_S3_BUCKET and the keys to it.")
        done = copy_files(storages[source_name], storages[target_name])
        if options["as_json"]:
            write_json(asdict(done))
        else:
            for what, number in asdict(done).items():
                sys.stdout.write(f"{number:>12,} {what.replace('_', ' ')}\n")
        if done.failed:
            sys.exit(1)


def copy_files(source: Storage, target: Storage) -> Copied:
    """Copy every file of `source` that `target` does not have in the same content."""
    done = Copied()
    for name in names_below(source, ""):
        with source.open(name, "rb") as opened, tempfile.TemporaryFile() as kept:
            digest, size = _copy(opened, kept)
            if _is_content_addressed(name) and not name.endswith(digest):
                done.damaged += 1
                sys.stderr.write(f"damaged: {name}\n")
            if target.exists(name):
                if _digest_of(target, name) == digest:
                    done.there_already += 1
                    continue
                target.delete(name)
            kept.seek(0)
            saved = target.save(name, File(kept))
            if saved != name or _digest_of(target, name) != digest:
                done.failed += 1
                sys.stderr.write(f"failed: {name}\n")
                continue
        done.files += 1
        done.bytes += size
    return done


def _is_content_addressed(name: str) -> bool:
    last = name.rsplit("/", 1)[-1]
    return len(last) == 64 and set(last) <= set("0123456789abcdef")


def _digest_of(storage: Storage, name: str) -> str:
    with storage.open(name, "rb") as opened:
        return _copy(opened, None)[0]


def _copy(source: Any, target: BinaryIO | None) -> tuple[str, int]:
    """Return hash and size of a file, and write it where a target is given."""
    digest, size = hashlib.sha256(), 0
    while piece := source.read(_READ_BYTES):
        digest.update(piece)
        if target is not None:
            target.write(piece)
        size += len(piece)
    return digest.hexdigest(), size
