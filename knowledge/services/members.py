"""Files inside of a file (an archive, a mail) become documents of their own, below it.

Each stands in a folder that is called like the file it came in, is as open as that, and goes when
it goes. Safe to run twice: what is there already stays.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Sum

from accounts.actors import system_actor
from accounts.services.audit import record_audit
from accounts.services.quota import require_storage
from core.errors import Invalid, LimitReached
from core.jobs.handlers import JobContext
from knowledge.access.fit import lock_base, raise_walls
from knowledge.constants import DocumentSource, DocumentState
from knowledge.ingest.parse import iterate_members
from knowledge.ingest.read import kept_text
from knowledge.models import Document
from knowledge.names import FileName, clean_file_name
from knowledge.parsers.contract import Member
from knowledge.services.documents import start_reading
from knowledge.services.removal import remove_later
from knowledge.storage import local_copy, store_file

MAX_DEPTH = 3
"""Files in files in files: deeper ones are left out."""
MAX_MEMBERS = 10_000
MAX_BYTES = 2_000_000_000
"""Of everything that came in one upload, all depths together."""


@dataclass
class _Tally:
    """What one upload may still bring, and what was left out."""

    members: int
    size_bytes: int
    kept: set[UUID] = field(default_factory=set)
    left_out: list[str] = field(default_factory=list)


def add_members(context: JobContext, *, document_id: UUID, attempt: int) -> None:
    """Make a document of each file that was found in `document_id`, and begin to read it.

    Raises:
        JobCancelled: a person stopped it, or another worker has the job.
    """
    document = Document.objects.select_related("base").filter(pk=document_id).first()
    if document is None or document.attempt != attempt or not _is_there(document):
        return
    parsed = kept_text(document)
    if parsed is None or not parsed.members:
        return
    root, depth = _root_of(document)
    if depth >= MAX_DEPTH:
        _warn(document, [f"Files deeper than {MAX_DEPTH} archives in each other were left out."])
        return
    tally = _tally(root)
    for member, content in _contents(context, document, parsed.members):
        context.check()
        _add(document, member, content, tally)
    for old in Document.objects.filter(parent=document).exclude(pk__in=tally.kept):
        remove_later(old)
    _warn(document, _sentences(tally))


def _contents(
    context: JobContext, document: Document, members: tuple[Member, ...]
) -> Iterator[tuple[Member, bytes]]:
    password = document.password if isinstance(document.password, str) else ""
    with local_copy(document.space_id, document.content_hash) as path:
        contents = iterate_members(
            path, document.name, password=password, should_cancel=lambda: context.cancelled
        )
        yield from zip(members, contents, strict=False)


def _add(document: Document, member: Member, content: bytes, tally: _Tally) -> None:
    """Keep one file and begin to read it, unless it is there already or cannot be kept."""
    folder = "/".join(filter(None, (document.folder_path, document.name)))
    try:
        name = clean_file_name(member.path, folder_path=folder)
    except Invalid:
        tally.left_out.append(member.path)
        return
    if not content or len(content) > settings.MAX_UPLOAD_BYTES:
        tally.left_out.append(member.path)
        return
    if tally.members >= MAX_MEMBERS or tally.size_bytes + len(content) > MAX_BYTES:
        tally.left_out.append(member.path)
        return
    try:
        made = _make(document, name, content)
    except LimitReached:
        tally.left_out.append(member.path)
        return
    tally.kept.add(made.pk)
    tally.members += 1
    tally.size_bytes += len(content)


def _make(document: Document, name: FileName, content: bytes) -> Document:
    """Write the row, with the walls of the file that it came in, or return the one that is there."""
    stored = store_file(document.space_id, io.BytesIO(content))
    with transaction.atomic():
        lock_base(document.base_id)
        there = Document.objects.filter(
            parent=document,
            name=name.name,
            folder_path=name.folder_path,
            content_hash=stored.content_hash,
        ).first()
        if there is not None:
            return there
        require_storage(document.space_id, more_bytes=stored.size_bytes)
        made = Document.objects.create(
            space_id=document.space_id,
            base_id=document.base_id,
            parent=document,
            source=DocumentSource.MEMBER,
            name=name.name,
            folder_path=name.folder_path,
            size_bytes=stored.size_bytes,
            content_hash=stored.content_hash,
            batch_id=document.batch_id,
            processing=document.processing,
            uploaded_by_id=document.uploaded_by_id,
        )
        raise_walls([made])  # before anybody can see the row
        start_reading(made)
        record_audit(
            system_actor(space_id=document.space_id),
            "document.create",
            target=made,
            folder=made.folder_path,
            parent=str(document.pk),
        )
    return made


def _is_there(document: Document) -> bool:
    return document.state != DocumentState.DELETING and document.trashed_at is None


def _root_of(document: Document) -> tuple[Document, int]:
    """Return the upload that a document came in, and how deep it lies in it."""
    depth = 0
    while document.parent is not None:
        document, depth = document.parent, depth + 1
    return document, depth


def _tally(root: Document) -> _Tally:
    """Count what other archives of the same upload brought already."""
    members, size_bytes, parents = 0, 0, [root.pk]
    for _ in range(MAX_DEPTH):
        rows = Document.objects.filter(parent__in=parents)
        size_bytes += rows.aggregate(size=Sum("size_bytes"))["size"] or 0
        parents = list(rows.values_list("pk", flat=True))
        members += len(parents)
    return _Tally(members=members, size_bytes=size_bytes)


def _sentences(tally: _Tally) -> list[str]:
    if not tally.left_out:
        return []
    names = ", ".join(tally.left_out[:5])
    more = f" and {len(tally.left_out) - 5:,} more" if len(tally.left_out) > 5 else ""
    return [
        f"Left out, because they are too large or too many, or their names cannot be kept: {names}"
        f"{more}. Unpack the file and upload them by themselves."
    ]


def _warn(document: Document, sentences: list[str]) -> None:
    new = [sentence for sentence in sentences if sentence not in document.warnings]
    if new:
        with transaction.atomic():
            row = Document.objects.select_for_update().get(pk=document.pk)
            row.warnings = [*row.warnings, *new]
            row.save(update_fields=["warnings"])
