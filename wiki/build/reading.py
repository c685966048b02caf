"""Documents as building gets them, and what was read out of each, kept so that nothing is asked twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from knowledge.constants import ChunkKind, DocumentSource, DocumentState
from knowledge.models import Chunk, Document, DocumentWall
from knowledge.text.passages import title_of
from knowledge.text.pictures import without_references
from wiki.build.values import Passage, Reading, Source, Subject
from wiki.constants import PageKind
from wiki.models import WikiReading, WikiSettings
from wiki.prompts import wiki_prompt

QUOTED: Final = "quoted-"
"""Begins `WikiReading.made_from` of a document that was quoted, not read by a model."""
_READ_BY: Final = ("candidates", "cite")
"""Prompts whose change reads documents anew."""
_LEFT_OUT: Final = (DocumentSource.FAQ,)


def load_source(document_id: UUID) -> Source | None:
    """Return a document with its passages; None when it is gone, not read, or in the trash."""
    document = Document.objects.filter(
        pk=document_id, state=DocumentState.COMPLETED, trashed_at__isnull=True
    ).first()
    if document is None or document.source in _LEFT_OUT or is_of_a_page(document):
        return None
    rows = Chunk.objects.filter(document=document, kind=ChunkKind.TEXT, is_enabled=True)
    passages = tuple(
        Passage(
            chunk_id=row.pk,
            text=without_references(row.text),
            hash=row.content_hash,
            headings=tuple(row.heading_path),
        )
        for row in rows.order_by("position")
    )
    return Source(
        document_id=document.pk,
        name=document.name,
        title=title_of(document.name),
        passages=passages,
        is_walled=document.pk in walled([document.pk]),
    )


def is_of_a_page(document: Document) -> bool:
    """Whether the document is a wiki page's text, kept to be searched: no source of pages."""
    return hasattr(document, "wiki_page")


def walled(document_ids: Collection[UUID]) -> set[UUID]:
    """Return those of the documents that only some people may read."""
    rows = DocumentWall.objects.filter(document_id__in=document_ids)
    return set(rows.values_list("document_id", flat=True))


def fingerprint_of(source: Source, settings: WikiSettings, *, by: str) -> str:
    """Return the hash of what a reading is made from; `by` names the model, blank without one.

    One without a model begins with `QUOTED`.
    """
    prompts = [f"{name}/{wiki_prompt(name).version}" for name in _READ_BY]
    parts: list[object] = [source.title, [each.hash for each in source.passages]]
    parts += [settings.granularity, settings.extraction_instructions, prompts, bool(by)]
    told = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
    return told if by else QUOTED + told[len(QUOTED) :]


def kept_reading(source: Source, made_from: str) -> Reading | None:
    """Return what was read out of this very text before."""
    row = WikiReading.objects.filter(document_id=source.document_id, made_from=made_from).first()
    if row is None:
        return None
    return Reading(source=source, made_from=made_from, subjects=_subjects(row.subjects))


def earlier_subjects(document_id: UUID) -> tuple[Subject, ...]:
    """Return the subjects that were read out of a document the last time, whatever it said then."""
    row = WikiReading.objects.filter(document_id=document_id).first()
    return _subjects(row.subjects) if row else ()


def keep_reading(reading: Reading, *, space_id: int) -> None:
    """Keep a reading in the place of the document's earlier one."""
    WikiReading.objects.update_or_create(
        document_id=reading.source.document_id,
        defaults={
            "space_id": space_id,
            "made_from": reading.made_from,
            "subjects": [_stored(each) for each in reading.subjects],
        },
    )


def mark_written(document_id: UUID, slug: str) -> None:
    """Note that what a document tells of a subject went into its page."""
    row = WikiReading.objects.select_for_update().filter(document_id=document_id).first()
    if row is None:
        return
    for each in row.subjects:
        if each["slug"] == slug:
            each["seen"] = sorted({*each.get("seen", ()), *each["hashes"]})
    row.save(update_fields=["subjects", "updated_at"])


def renamed(reading: Reading, slugs: dict[str, str]) -> Reading:
    """Return the reading with subjects under other slugs; those that meet are one."""
    found: dict[str, Subject] = {}
    for each in reading.subjects:
        slug = slugs.get(each.slug, each.slug)
        known = found.get(slug)
        if known is None:
            found[slug] = replace(each, slug=slug)
            continue
        names = dict.fromkeys([*known.aliases, each.name, *each.aliases])
        names.pop(known.name, None)
        found[slug] = replace(
            known,
            aliases=tuple(names),
            hashes=known.hashes | each.hashes,
            seen=known.seen | each.seen,
        )
    return replace(reading, subjects=tuple(found.values()))


def _stored(subject: Subject) -> dict[str, Any]:
    return {
        "slug": subject.slug,
        "name": subject.name,
        "kind": str(subject.kind),
        "aliases": list(subject.aliases),
        "description": subject.description,
        "hashes": sorted(subject.hashes),
        "folder": subject.folder,
        "seen": sorted(subject.seen),
    }


def _subjects(rows: Sequence[dict[str, Any]]) -> tuple[Subject, ...]:
    return tuple(
        Subject(
            slug=row["slug"],
            name=row["name"],
            kind=PageKind(row["kind"]),
            aliases=tuple(row.get("aliases", ())),
            description=row.get("description", ""),
            hashes=frozenset(row.get("hashes", ())),
            folder=row.get("folder", ""),
            seen=frozenset(row.get("seen", ())),
        )
        for row in rows
    )
