"""Makes a document's chunk rows what the splitter says, keeping those that did not change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from knowledge.constants import ChunkKind
from knowledge.ingest.index import unindex_chunks
from knowledge.ingest.places import ChunkDraft
from knowledge.models import Chunk, Document

_BATCH = 500
_MOVING_FIELDS = [
    "document_revision",
    "position",
    "heading_path",
    "page_from",
    "page_to",
    "box",
    "char_start",
    "char_end",
    "parent",
]


@dataclass(frozen=True, kw_only=True)
class Replaced:
    """What `replace_chunks` did with the passages."""

    kept: int
    added: int
    removed: int


@dataclass(kw_only=True)
class _Matched:
    """Rows for drafts: those that stood already, new ones, and those that no draft wants."""

    rows: list[Chunk]
    kept: list[Chunk]
    added: list[Chunk]
    gone: list[Chunk]


def replace_chunks(
    document: Document,
    drafts: Sequence[ChunkDraft],
    *,
    revision: int,
    parents: Sequence[ChunkDraft] = (),
) -> Replaced:
    """Store the drafts as the document's chunks; called inside of a transaction.

    A chunk whose text is the same keeps its id, and with it its vectors, keywords, citations and
    what was made from it (questions, summaries), wherever it moved. The order of equal texts is
    kept. Parents are kept alike; they are in no index.
    """
    sections = _matched(document, parents, revision, kind=ChunkKind.PARENT)
    passages = _matched(document, drafts, revision, kind=ChunkKind.TEXT)
    for chunk, draft in zip(passages.rows, drafts, strict=True):
        chunk.parent = None if draft.parent is None else sections.rows[draft.parent]
    _write(sections)
    # Passages leave their old sections before those go: what stays in one would go with it.
    _write(passages)
    gone = [chunk.pk for chunk in passages.gone]
    if gone:
        unindex_chunks(document, chunk_ids=gone)
        Chunk.objects.filter(pk__in=gone).delete()
    Chunk.objects.filter(pk__in=[chunk.pk for chunk in sections.gone]).delete()
    return Replaced(kept=len(passages.kept), added=len(passages.added), removed=len(gone))


def _matched(
    document: Document, drafts: Sequence[ChunkDraft], revision: int, *, kind: ChunkKind
) -> _Matched:
    old: defaultdict[str, list[Chunk]] = defaultdict(list)
    for chunk in Chunk.objects.filter(document=document, kind=kind).order_by("-position"):
        old[chunk.content_hash].append(chunk)
    rows: list[Chunk] = []
    kept: list[Chunk] = []
    added: list[Chunk] = []
    for draft in drafts:
        same = old[draft.content_hash]
        chunk = same.pop() if same else Chunk(document=document, kind=kind)
        rows.append(_filled(chunk, document, draft, revision))
        (added if chunk._state.adding else kept).append(chunk)
    return _Matched(
        rows=rows, kept=kept, added=added, gone=[each for left in old.values() for each in left]
    )


def _write(matched: _Matched) -> None:
    Chunk.objects.bulk_update(matched.kept, _MOVING_FIELDS, batch_size=_BATCH)
    Chunk.objects.bulk_create(matched.added, batch_size=_BATCH)


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
