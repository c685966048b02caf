"""Which passage, or which document, somebody means who pastes a text."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.db import connection
from django.db.models import Q

from accounts.access import Actor, visible
from knowledge.constants import UNLISTED_SOURCES, ChunkKind
from knowledge.ingest.read import kept_text
from knowledge.models import Chunk, Document, TermStatistic
from knowledge.queries import get_document
from knowledge.retrieval.candidates import LEADING_KINDS
from knowledge.text.analyze import analyze
from knowledge.text.pictures import without_references
from knowledge.text.tsvector import quote_term
from knowledge.why_not.likeness import share, squeezed

WHOLE = 0.85
"""Share of a text from which it counts as standing there: copies from a PDF lose some letters."""
MOST_CHARACTERS = 5_000
_RAREST, _LOOKED_AT, _AROUND, _SUGGESTED = 8, 120, 6, 5
_PART = 0.15
"""From so much of a text on, a passage holds a part of it."""


@dataclass(frozen=True, kw_only=True)
class Located:
    """Where a text stands."""

    document: Document | None = None
    chunk: Chunk | None = None
    """The passage that holds all of it."""
    parts: tuple[Chunk, ...] = ()
    """The neighbours that hold it together, when no passage does alone."""
    is_in_read_text: bool | None = None
    """Whether it was read from the document's file; None: it was not looked at."""
    nearest: tuple[Chunk, ...] = ()
    """What comes closest, best first, when it stands nowhere."""


def get_any_document(actor: Actor, document_id: UUID) -> Document:
    """Return a document; one in the trash, too, for who may restore it.

    Raises:
        NotFound: there is none, or the actor may not know of it.
    """
    rows = Document.objects.filter(pk=document_id, trashed_at__isnull=False)
    trashed = visible(actor, "manage", rows.select_related("base")).first()
    return trashed or get_document(actor, document_id)


def locate(
    actor: Actor, text: str, *, base_ids: Collection[UUID], document: Document | None = None
) -> Located:
    """Find a text among the passages that the actor may see, switched off and not indexed ones too.

    Exact first, then contained, then nearly so, then spread over neighbours. What was made of a
    passage (a question, the text of a picture) leads to its passage.
    """
    wanted = squeezed(text[:MOST_CHARACTERS])
    if not wanted:
        return Located(document=document)
    looked_at = _candidates(actor, text, base_ids=base_ids, document=document)
    letters = {chunk.pk: squeezed(without_references(chunk.text)) for chunk in looked_at}
    whole = [chunk for chunk in looked_at if wanted in letters[chunk.pk]]
    if not whole:
        shares = {chunk.pk: share(wanted, [letters[chunk.pk]]) for chunk in looked_at}
        ordered = sorted(looked_at, key=lambda chunk: -shares[chunk.pk])
        whole = [chunk for chunk in ordered if shares[chunk.pk] >= WHOLE]
        if not whole:
            return _spread(actor, wanted, ordered, shares, document)
    chunk = _passage(actor, _findable_first(whole)[0])
    return Located(document=chunk.document, chunk=chunk)


def _candidates(
    actor: Actor, text: str, *, base_ids: Collection[UUID], document: Document | None
) -> list[Chunk]:
    """Return the passages that are worth comparing."""
    rows = Chunk.objects.exclude(kind=ChunkKind.PARENT).select_related("document", "base")
    if document is not None:
        return list(rows.filter(document=document).order_by("position"))
    rows = visible(actor, "view", rows.filter(base_id__in=base_ids))
    digest = hashlib.sha256(text.strip().encode("utf-8", "replace")).hexdigest()
    same = Q(content_hash=digest) | Q(text__icontains=_longest_line(text))
    by_words = _by_rarest_terms(text, base_ids)
    found = {chunk.pk: chunk for chunk in rows.filter(same)[:_LOOKED_AT]}
    found |= {chunk.pk: chunk for chunk in rows.filter(pk__in=by_words)}
    return list(found.values())


def _longest_line(text: str) -> str:
    """Return the middle of the longest line, for passages that are not indexed yet."""
    line = max((line.strip() for line in text.splitlines()), key=len)
    start = max(0, (len(line) - 60) // 2)
    return line[start : start + 60]


def _by_rarest_terms(text: str, base_ids: Collection[UUID]) -> list[UUID]:
    """Return the passages with most of the text's rarest terms, whoever may see them."""
    terms = list(dict.fromkeys(analyze(text)))[:500]
    rows = TermStatistic.objects.filter(base_id__in=base_ids, term__in=terms, chunk_count__gt=0)
    counts = sorted(rows.values_list("chunk_count", "term"))
    rarest = list(dict.fromkeys(term for _, term in counts))[:_RAREST]
    if not rarest:
        return []
    quoted = [quote_term(term) for term in rarest]
    score = " + ".join(["(terms @@ %s::tsquery)::int"] * len(quoted))
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT chunk_id FROM knowledge_keywordrow"  # noqa: S608  values are parameters
            f" WHERE base_id = ANY(%s) AND terms @@ %s::tsquery ORDER BY {score} DESC, chunk_id"
            " LIMIT %s",
            [list(base_ids), " | ".join(quoted), *quoted, _LOOKED_AT],
        )
        return [row[0] for row in cursor.fetchall()]


def _spread(
    actor: Actor,
    wanted: str,
    ordered: Sequence[Chunk],
    shares: dict[UUID, float],
    document: Document | None,
) -> Located:
    """Look at neighbours together; then at what was read from the file."""
    for chunk in ordered[:_AROUND]:
        if shares[chunk.pk] < _PART or chunk.kind in LEADING_KINDS:
            continue
        around = _neighbours(actor, chunk)
        if share(wanted, (squeezed(each.text) for each in around)) >= WHOLE:
            parts = tuple(each for each in around if share(wanted, [squeezed(each.text)]) >= _PART)
            return Located(document=chunk.document, parts=parts, is_in_read_text=True)
    nearest = tuple(chunk for chunk in ordered[:_SUGGESTED] if shares[chunk.pk] >= _PART)
    found = Located(document=document, nearest=nearest)
    if document is None:
        return found
    return replace(found, is_in_read_text=_was_read(document, wanted, ordered))


def _neighbours(actor: Actor, chunk: Chunk) -> list[Chunk]:
    rows = Chunk.objects.filter(
        document_id=chunk.document_id,
        kind=chunk.kind,
        position__gte=max(0, chunk.position - _AROUND),
        position__lte=chunk.position + _AROUND,
    )
    rows = rows.select_related("document", "base").order_by("position")
    return list(visible(actor, "view", rows))


def _was_read(document: Document, wanted: str, chunks: Iterable[Chunk]) -> bool:
    """Say whether the text is in what was read; where that is not kept, in all passages together."""
    parsed = kept_text(document)
    if parsed is not None:
        return share(wanted, [squeezed(without_references(parsed.text))]) >= WHOLE
    return share(wanted, (squeezed(chunk.text) for chunk in chunks)) >= WHOLE


def _passage(actor: Actor, chunk: Chunk) -> Chunk:
    """Return the passage that a made text leads to."""
    if chunk.kind not in LEADING_KINDS or chunk.parent_id is None:
        return chunk
    rows = Chunk.objects.filter(pk=chunk.parent_id).select_related("document", "base")
    return visible(actor, "view", rows).first() or chunk


def _findable_first(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Put passages before what was made of them, and what can be found before what cannot."""
    return sorted(
        chunks,
        key=lambda chunk: (
            chunk.kind in LEADING_KINDS,
            not chunk.is_enabled,
            chunk.document.searchable_at is None,
            len(chunk.text),
        ),
    )


def find_named(actor: Actor, *, base_id: UUID, name: str) -> list[Document]:
    """Return the base's documents with a part of the name, an equal name first; twenty at most."""
    rows = Document.objects.filter(base_id=base_id, name__icontains=name)
    rows = rows.exclude(source__in=UNLISTED_SOURCES)
    found = list(visible(actor, "view", rows.order_by("name"))[:20])
    exact = [row for row in found if row.name.casefold() == name.casefold()]
    return exact if len(exact) == 1 else found
