"""Pages of a document as pictures, drawn when somebody looks and kept beside the file.

They are drawn in the isolated process, from the file alone, and go when nothing has the file.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from functools import partial

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from PIL import Image

from core.isolation import Limits
from knowledge.ingest.parse import run_parser
from knowledge.models import Document, DocumentVersion
from knowledge.services.removal import register_leftovers
from knowledge.storage import delete_folder, local_copy, space_folder

WIDTH = 1_400
DRAWN_TYPES = frozenset({"pdf", "png", "jpg", "tiff", "bmp", "gif", "webp"})
"""Our names of the types that have pages to draw."""
MEDIA_TYPE = "image/webp"
_QUALITY = 82
_LIMITS = Limits(cpu_seconds=20, wall_seconds=40.0)
_TWO_AT_ONCE = threading.BoundedSemaphore(2)
"""Whoever leafs through a document must not keep the machine from everything else."""


def has_pictures(document: Document) -> bool:
    """Say whether the document's pages can be drawn."""
    return document.file_type in DRAWN_TYPES and bool(document.content_hash)


def page_picture(document: Document, page: int) -> bytes:
    """Return page `page` (from 1) as a WebP picture, at most `WIDTH` pixels wide.

    Raises:
        ParseRefused: the page cannot be drawn, or there is no such page.
        HelperUnavailable: the parser process does not start.
    """
    name = f"{_folder(document)}/{page}-{WIDTH}.webp"
    if default_storage.exists(name):
        with default_storage.open(name, "rb") as kept:
            return bytes(kept.read())
    with _TWO_AT_ONCE:
        picture = _draw(document, page)
    saved = default_storage.save(name, ContentFile(picture))
    if saved != name:  # another request was faster
        default_storage.delete(saved)
    return picture


def _draw(document: Document, page: int) -> bytes:
    # A lost key of encryption leaves something that is no text.
    password = document.password if isinstance(document.password, str) else ""
    with (
        local_copy(document.space_id, document.content_hash) as path,
        path.open("rb") as content,
    ):
        outcome = run_parser(
            {"work": "render", "page": page, "password": password},
            content=content.fileno(),
            limits=_LIMITS,
            should_cancel=None,
        )
    width, height = (outcome.answer or {})["size"]
    image = Image.frombytes("RGB", (width, height), outcome.payload, "raw", "BGR")
    image.thumbnail((WIDTH, WIDTH * 4))
    written = io.BytesIO()
    image.save(written, "WEBP", quality=_QUALITY, method=3)
    return written.getvalue()


def _folder(document: Document) -> str:
    digest = document.content_hash
    return f"{space_folder(document.space_id)}/pages/{digest[:2]}/{digest}"


@register_leftovers
def _drawn_pages(document: Document) -> Callable[[], None]:
    """Return what removes the drawn pages of a document's files, unless others are of them."""
    space_id = document.space_id
    versions = DocumentVersion.objects.filter(document=document)
    hashes = {document.content_hash, *versions.values_list("content_hash", flat=True)} - {""}

    def remove() -> None:
        for digest in hashes:
            same = {"space_id": space_id, "content_hash": digest}
            if Document.objects.filter(**same).exists():
                continue
            if not DocumentVersion.objects.filter(**same).exists():
                folder = f"{space_folder(space_id)}/pages/{digest[:2]}/{digest}"
                transaction.on_commit(partial(delete_folder, folder))

    return remove
