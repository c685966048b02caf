"""Makes a document's chunk rows what the splitter says, keeping those that did not change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from knowledge.ingest.index import unindex_chunks
from knowledge.ingest.split import ChunkDraft
from knowledge.models import Chunk, Document

_BATCH = 500


@dataclass(frozen=True, kw_only=True)
class Replaced:
    """What `replace_chunks` did."""

    kept: int
    added: int
    removed: int


def replace_chunks(document: Document, drafts: Sequence[ChunkDraft], *, revision: int) -> Replaced:
    """Store the drafts as the document's chunks; called inside of a transaction.

    A chunk whose text is the same keeps its id, and with it its vectors, keywords and citations,
    wherever it moved. The order of equal texts is kept.
    """
    old: defaultdict[str, list[Chunk]] = defaultdict(list)
    for chunk in Chunk.objects.filter(document=document).order_by("-position"):
        old[chunk.content_hash].append(chunk)
    kept: list[Chunk] = []
    added: list[Chunk] = []
    for draft in drafts:
        same = old[draft.content_hash]
        chunk = same.pop() if same else Chunk(document=document)
        (added if chunk._state.adding else kept).append(_filled(chunk, document, draft, revision))
    gone = [chunk.pk for chunks in old.values() for chunk in chunks]
    if gone:
        unindex_chunks(document, chunk_ids=gone)
        Chunk.objects.filter(pk__in=gone).delete()
    Chunk.objects.bulk_update(kept, _MOVING_FIELDS, batch_size=_BATCH)
    Chunk.objects.bulk_create(added, batch_size=_BATCH)
    return Replaced(kept=len(kept), added=len(added), removed=len(gone))


_MOVING_FIELDS = [
    "document_revision",
    "position",
    "heading_path",
    "page_from",
    "page_to",
    "box",
    "char_start",
    "char_end",
]


def _filled(chunk: Chunk, document: Document, draft: ChunkDraft, revision: int) -> Chunk:
    chunk.space_id, chunk.base_id = document.space_id, document.base_id
    chunk.document_revision = revision
    chunk.position = draft.index
    chunk.text, chunk.content_hash = draft.text, draft.content_hash
    chunk.heading_path = list(draft.heading_path)
    chunk.page_from, chunk.page_to = draft.page_from, draft.page_to
    chunk.box = asdict(draft.box) if draft.box else None
    chunk.char_start, chunk.char_end = draft.char_start, draft.char_end
    return chunk
