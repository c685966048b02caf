"""What the sentences of pages rest on: kept when a page is published, read with permission asked again.

A reader gets a sentence only when they may read every passage that it rests on: it may have been
made of all of them together. What a person words anew of such a sentence stays bound to its passages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Max
from rapidfuzz import fuzz

from accounts.access import Actor
from knowledge.evidence import Evidence, evidence_row, read_evidence, read_evidence_of
from knowledge.models import Chunk, EvidenceRow
from wiki.models import WikiPage, WikiRevision, WikiSentence
from wiki.text.patch import without_sentences
from wiki.text.sentences import Sentence, normal_sentence, sentence_hash, split_sentences
from wiki.values import Edit, Sources

_WORDED_ANEW = 55.0
"""Likeness, 0 to 100, from which a sentence counts as another wording of the one in its place."""


@dataclass(frozen=True, kw_only=True)
class SourcedSentence:
    """A sentence of a page that the reader may read, with what it rests on."""

    sentence: Sentence
    sources: tuple[Evidence, ...]
    """By marker; none when it has no known source."""

    @property
    def is_stale(self) -> bool:
        """Whether a document behind it was changed or deleted since."""
        return any(each.source_state in ("changed", "deleted") for each in self.sources)


@dataclass(frozen=True, kw_only=True)
class Freshness:
    """How well a page still fits its sources."""

    sourced: int
    """Sentences that rest on documents."""
    changed: int
    """Of them, those of which a document was changed since."""
    deleted: int
    """Of them, those of which a document is gone."""
    hidden: int
    """Sentences that this reader does not get."""


@dataclass(frozen=True, kw_only=True)
class VisibleText:
    """A text as one reader gets it."""

    content: str
    hidden: int
    """Sentences that were left out."""


def store_written(page: WikiPage, edit: Edit | None) -> None:
    """Keep what came with an edit, and what its new wordings inherit of the old ones."""
    if edit is None:
        return
    with transaction.atomic():
        store_sources(page, edit.sources)
        _inherit(page, edit.sources)


@transaction.atomic
def store_sources(page: WikiPage, sources: Sources) -> None:
    """Keep what sentences rest on. A sentence that is not named keeps what it has.

    A passage whose text is cited by the page already keeps its marker. Of a passage that is gone the
    copy is used that a proposal kept; without one it is passed over, and a sentence that is left
    with none keeps what it had.
    """
    if not sources:
        return
    WikiPage.objects.select_for_update(of=("self",), no_key=True).get(pk=page.pk)
    markers = _markers_of(page, [chunk for chunks in sources.values() for chunk in chunks])
    kept = {row.text_hash: row for row in WikiSentence.objects.filter(page=page)}
    for text_hash, chunks in sources.items():
        wanted = sorted({markers[chunk] for chunk in chunks if chunk in markers})
        if not wanted:
            continue
        _put(page, kept.get(text_hash), text_hash, wanted)


@transaction.atomic
def leave_document(page: WikiPage, text_hashes: Collection[str], document_id: UUID) -> None:
    """Take a document from under sentences that rest on others, too; from under its own it is not."""
    rows = EvidenceRow.objects.filter(origin_id=page.pk, document_id=document_id)
    mine = set(rows.values_list("marker", flat=True))
    sentences = WikiSentence.objects.select_for_update().filter(
        page=page, text_hash__in=text_hashes
    )
    for row in sentences:
        left = [marker for marker in row.markers if marker not in mine]
        if left:
            _put(page, row, row.text_hash, left)


@transaction.atomic
def restate(page: WikiPage, sources: Sources, *, instead_of: UUID | None = None) -> None:
    """Let sentences rest on further passages; in the place of all others of one document.

    Only sentences that rest on something already: what nobody sourced stays a person's word.
    """
    WikiPage.objects.select_for_update(of=("self",), no_key=True).get(pk=page.pk)
    markers = _markers_of(page, [chunk for chunks in sources.values() for chunk in chunks])
    mine = set(
        EvidenceRow.objects.filter(origin_id=page.pk, document_id=instead_of).values_list(
            "marker", flat=True
        )
        if instead_of
        else ()
    )
    for row in WikiSentence.objects.filter(page=page, text_hash__in=list(sources)):
        new = {markers[chunk] for chunk in sources[row.text_hash] if chunk in markers}
        if new:
            kept = {marker for marker in row.markers if marker not in mine}
            _put(page, row, row.text_hash, sorted(kept | new))


def sentences_of(actor: Actor, page: WikiPage) -> list[SourcedSentence]:
    """Return the sentences of a page that the actor may read, with what each rests on."""
    rests = markers_of_sentences(page)
    evidence = _as_now(page, read_evidence(actor, origin_id=page.pk))
    hidden = _hidden(rests, evidence)
    return [
        SourcedSentence(
            sentence=sentence,
            sources=tuple(
                evidence[marker] for marker in rests.get(sentence.hash, ()) if marker in evidence
            ),
        )
        for sentence in split_sentences(page.content)
        if sentence.hash not in hidden
    ]


def visible_text(actor: Actor, page: WikiPage, content: str) -> VisibleText:
    """Return a text of the page, of any revision, without what the actor may not read."""
    rests = markers_of_sentences(page)
    if not rests:
        return VisibleText(content=content, hidden=0)
    evidence = {each.marker: each for each in read_evidence(actor, origin_id=page.pk)}
    return _without(content, _hidden(rests, evidence))


def visible_content(actor: Actor, page: WikiPage) -> str:
    """Return the page's text without the sentences whose sources the actor may not read."""
    return visible_text(actor, page, page.content).content


def visible_summary(actor: Actor, page: WikiPage) -> str:
    """Return the page's summary; blank when the actor may not read what it rests on."""
    return visible_text(actor, page, page.summary).content.strip()


def visible_texts(actor: Actor, pages: Sequence[WikiPage]) -> dict[UUID, VisibleText]:
    """Return the texts of several pages as the actor may read them, in a fixed number of queries."""
    rests: dict[UUID, dict[str, tuple[int, ...]]] = {}
    rows = WikiSentence.objects.filter(page_id__in=[page.pk for page in pages])
    for row in rows:
        rests.setdefault(row.page_id, {})[row.text_hash] = tuple(row.markers)
    evidence = read_evidence_of(actor, origin_ids=list(rests))
    found: dict[UUID, VisibleText] = {}
    for page in pages:
        by_marker = {each.marker: each for each in evidence.get(page.pk, [])}
        found[page.pk] = _without(page.content, _hidden(rests.get(page.pk, {}), by_marker))
    return found


def hidden_page_ids(actor: Actor, pages: Sequence[WikiPage]) -> set[UUID]:
    """Return the pages of which the actor may read nothing: lists must not name them."""
    texts = visible_texts(actor, pages)
    return {
        page.pk
        for page in pages
        if texts[page.pk].hidden and not split_sentences(texts[page.pk].content)
    }


def freshness_of(actor: Actor, page: WikiPage) -> Freshness:
    """Return how many sentences rest on documents that were changed or deleted since."""
    read = sentences_of(actor, page)
    states = [{source.source_state for source in each.sources} for each in read if each.sources]
    return Freshness(
        sourced=len(states),
        changed=sum("changed" in each for each in states),
        deleted=sum("deleted" in each and "changed" not in each for each in states),
        hidden=len(split_sentences(page.content)) - len(read),
    )


def markers_of_sentences(page: WikiPage) -> dict[str, tuple[int, ...]]:
    """Return the markers of each sourced sentence of a page, whichever revision says it."""
    rows = WikiSentence.objects.filter(page=page).values_list("text_hash", "markers")
    return {text_hash: tuple(markers) for text_hash, markers in rows}


def _as_now(page: WikiPage, evidence: Sequence[Evidence]) -> dict[int, Evidence]:
    """Return evidence by marker; a passage whose very text has another row now was not changed."""
    found = {each.marker: each for each in evidence}
    moved = [
        m for m, each in found.items() if each.source_state == "changed" and each.text_now is None
    ]
    if not moved:
        return found
    rows = EvidenceRow.objects.filter(origin_id=page.pk, marker__in=moved)
    wanted = {(row.document_id, row.chunk_hash): row.marker for row in rows}
    chunks = Chunk.objects.filter(
        document_id__in={document_id for document_id, _ in wanted},
        content_hash__in={content_hash for _, content_hash in wanted},
    )
    for chunk in chunks:
        marker = wanted.get((chunk.document_id, chunk.content_hash))
        if marker is not None:
            found[marker] = replace(found[marker], source_state="unchanged", chunk_id=chunk.pk)
    return found


def _without(content: str, hidden: set[str]) -> VisibleText:
    gone = (
        [sentence for sentence in split_sentences(content) if sentence.hash in hidden]
        if hidden
        else []
    )
    if not gone:
        return VisibleText(content=content, hidden=0)
    return VisibleText(content=without_sentences(content, gone), hidden=len(gone))


def _hidden(rests: Mapping[str, Iterable[int]], evidence: Mapping[int, Evidence]) -> set[str]:
    closed = {marker for marker, each in evidence.items() if each.source_state == "hidden"}
    return {text_hash for text_hash, markers in rests.items() if closed.intersection(markers)}


def _markers_of(page: WikiPage, chunk_ids: Sequence[UUID]) -> dict[UUID, int]:
    """Return the marker of each passage as it reads now.

    New ones are kept under the next numbers, in the order in which they are named.
    """
    rows = EvidenceRow.objects.filter(origin_id=page.pk)
    known = {(row.chunk_id, row.chunk_hash): row.marker for row in rows}
    by_text = {(row.document_id, row.chunk_hash): row.marker for row in rows}
    last = rows.aggregate(last=Max("marker"))["last"] or 0
    found: dict[UUID, int] = {}
    new: list[EvidenceRow] = []
    place = {chunk_id: at for at, chunk_id in enumerate(dict.fromkeys(chunk_ids))}
    chunks = Chunk.objects.filter(pk__in=place, base_id=page.base_id).select_related("document")
    for chunk in sorted(chunks, key=lambda each: place[each.pk]):
        marker = known.get((chunk.pk, chunk.content_hash))
        if marker is None and (marker := by_text.get((chunk.document_id, chunk.content_hash))):
            # The document was read anew: the same text has another row.
            rows.filter(marker=marker).update(chunk_id=chunk.pk)
        if marker is None:
            last += 1
            marker = last
            new.append(evidence_row(page.space_id, page.pk, marker, chunk))
        found[chunk.pk] = marker
    for row in _kept_of_gone(page, place.keys() - found.keys()):
        marker = known.get((row.chunk_id, row.chunk_hash))
        if marker is None:
            last += 1
            marker = last
            row.pk, row.origin_id, row.marker = uuid4(), page.pk, marker
            row._state.adding = True
            new.append(row)
        found[row.chunk_id] = marker
    EvidenceRow.objects.bulk_create(new)
    return found


def _kept_of_gone(page: WikiPage, chunk_ids: Collection[UUID]) -> Iterable[EvidenceRow]:
    """Return the newest copy of each passage that is gone itself: a proposal for the page kept one."""
    rows = EvidenceRow.objects.filter(chunk_id__in=chunk_ids, base_id=page.base_id)
    return {row.chunk_id: row for row in rows.order_by("created_at")}.values()


def _put(page: WikiPage, row: WikiSentence | None, text_hash: str, markers: list[int]) -> None:
    if row is None:
        WikiSentence.objects.create(
            space_id=page.space_id, page=page, text_hash=text_hash, markers=markers
        )
    elif row.markers != markers:
        row.markers = markers
        row.save(update_fields=["markers"])


def _inherit(page: WikiPage, sources: Sources) -> None:
    """Bind new wordings of sourced sentences to what the old wordings rest on."""
    before = WikiRevision.objects.filter(page=page, number=page.version - 1).first()
    rests = markers_of_sentences(page)
    if before is None or not rests:
        return
    old, new = split_sentences(before.content), split_sentences(page.content)
    match = SequenceMatcher(None, [each.hash for each in old], [each.hash for each in new], False)
    for kind, first, last, begin, end in match.get_opcodes():
        if kind != "replace":
            continue
        for sentence in new[begin:end]:
            if sentence.hash in rests or sentence.hash in sources:
                continue
            likely = [
                each for each in old[first:last] if each.hash in rests and _alike(each, sentence)
            ]
            if likely:
                markers = sorted({marker for each in likely for marker in rests[each.hash]})
                _put(page, None, sentence.hash, markers)
                rests[sentence.hash] = tuple(markers)
    old_summary, new_summary = sentence_hash(before.summary), sentence_hash(page.summary)
    if old_summary in rests and new_summary not in rests and page.summary.strip():
        _put(page, None, new_summary, list(rests[old_summary]))


def _alike(old: Sentence, new: Sentence) -> bool:
    return fuzz.ratio(normal_sentence(old.text), normal_sentence(new.text)) >= _WORDED_ANEW
