"""A page as building finds it: its text, or the open proposal of building for it, and what each sentence rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from django.db.models import Max, QuerySet

from knowledge.evidence import Cited, store_evidence
from knowledge.models import EvidenceRow, KnowledgeBase
from wiki.constants import OPEN_CHANGE_STATES, AuthorKind, ChangeAction, PageKind, PageStatus
from wiki.models import WikiChange, WikiPage, WikiSentence
from wiki.text.sentences import Sentence, split_sentences


@dataclass(frozen=True, kw_only=True)
class Support:
    """A passage under a sentence, as it was read."""

    document_id: UUID
    chunk_id: UUID
    hash: str
    text: str


@dataclass(frozen=True, kw_only=True)
class PageState:
    """What building goes on from."""

    slug: str
    title: str
    kind: PageKind
    status: PageStatus = PageStatus.PUBLISHED
    summary: str = ""
    content: str = ""
    aliases: tuple[str, ...] = ()
    page: WikiPage | None = None
    version: int = 0
    pending: WikiChange | None = None
    """The open proposal of building that this text is of; None: the page itself."""
    folder_id: UUID | None = None
    rests: Mapping[str, tuple[Support, ...]] = field(default_factory=dict)
    """Hash of a sentence, or of the summary -> what it rests on."""

    @property
    def sentences(self) -> list[Sentence]:
        """The sentences of the text."""
        return split_sentences(self.content)

    @property
    def hashes(self) -> frozenset[str]:
        """Of all passages that the page cites."""
        return frozenset(each.hash for supports in self.rests.values() for each in supports)

    def resting_on(self, document_id: UUID) -> list[str]:
        """Return the hashes of what rests on a document, among other things."""
        return [
            text_hash
            for text_hash, supports in self.rests.items()
            if any(each.document_id == document_id for each in supports)
        ]


def find_state(base: KnowledgeBase, slug: str, *, with_pending: bool = True) -> PageState | None:
    """Return the page at an address, or building's open proposal for it; None when there is neither."""
    page = WikiPage.objects.filter(base=base, slug=slug, trashed_at__isnull=True).first()
    pending = pending_changes(base).filter(slug=slug).order_by("-created_at").first()
    if with_pending and pending is not None and pending.action != ChangeAction.DELETE:
        goes_on = pending.page_id == (page.pk if page else None) and (
            page is None or pending.on_version == page.version
        )
        if goes_on:
            return _state_of_change(pending, page)
    return state_of_page(page) if page is not None else None


def state_of_page(page: WikiPage) -> PageState:
    """Return a published page as building finds it."""
    return PageState(
        slug=page.slug,
        title=page.title,
        kind=PageKind(page.kind),
        status=PageStatus(page.status),
        summary=page.summary,
        content=page.content,
        aliases=tuple(page.aliases),
        page=page,
        version=page.version,
        folder_id=page.folder_id,
        rests=_rests_of_page(page),
    )


def pending_changes(base: KnowledgeBase) -> QuerySet[WikiChange]:
    """Return the open proposals that building made."""
    return WikiChange.objects.filter(
        base=base, author_kind=AuthorKind.PIPELINE, state__in=OPEN_CHANGE_STATES
    ).select_related("page")


def _state_of_change(change: WikiChange, page: WikiPage | None) -> PageState:
    rests = _rests_of_page(page) if page is not None else {}
    rests.update(_rests_of_change(change))
    return PageState(
        slug=change.slug,
        title=change.title,
        kind=PageKind(change.kind),
        status=PageStatus(change.status),
        summary=change.summary,
        content=change.content,
        aliases=tuple(change.aliases),
        page=page,
        version=page.version if page else 0,
        pending=change,
        folder_id=change.folder_id,
        rests=rests,
    )


def _rests_of_page(page: WikiPage) -> dict[str, tuple[Support, ...]]:
    by_marker = {row.marker: _support(row) for row in EvidenceRow.objects.filter(origin_id=page.pk)}
    rows = WikiSentence.objects.filter(page=page).values_list("text_hash", "markers")
    return {
        text_hash: tuple(by_marker[marker] for marker in markers if marker in by_marker)
        for text_hash, markers in rows
    }


def keep_evidence(change: WikiChange) -> None:
    """Keep the passages that a proposal rests on as they are now, under the proposal's id.

    Of one that is gone the newest copy is taken that a page or proposal of the base has.
    """
    wanted = {UUID(each) for ids in change.sources.values() for each in ids}
    rows = EvidenceRow.objects.filter(origin_id=change.pk)
    wanted -= set(rows.values_list("chunk_id", flat=True))
    last = rows.aggregate(last=Max("marker"))["last"] or 0
    cited = [
        Cited(marker=number, chunk_id=each) for number, each in enumerate(sorted(wanted), last + 1)
    ]
    for gone in store_evidence(change.space_id, change.pk, cited):
        copies = EvidenceRow.objects.filter(chunk_id=gone.chunk_id, base_id=change.base_id)
        row = copies.order_by("-created_at").first()
        if row is not None:
            row.pk, row.origin_id, row.marker = uuid4(), change.pk, gone.marker
            row.save(force_insert=True)


def _rests_of_change(change: WikiChange) -> dict[str, tuple[Support, ...]]:
    rows = EvidenceRow.objects.filter(origin_id=change.pk)
    kept = {row.chunk_id: _support(row) for row in rows}
    sources: Mapping[str, Sequence[str]] = change.sources
    return {
        text_hash: tuple(kept[UUID(each)] for each in ids if UUID(each) in kept)
        for text_hash, ids in sources.items()
    }


def _support(row: EvidenceRow) -> Support:
    return Support(
        document_id=row.document_id, chunk_id=row.chunk_id, hash=row.chunk_hash, text=row.text
    )
