"""What wikis erase of a person, a document and a space.

A page stays when a person goes: what they wrote is the space's, without their name. When a document
goes, so does every sentence that rested on it alone, from pages, their history and proposals.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.utils import timezone
from django.utils.translation import gettext_noop

from accounts.platform.erasure import Counts, Subject, add_counts, register_eraser
from knowledge.models import EvidenceRow
from wiki.constants import AuthorKind
from wiki.mirror.mirroring import make_anew
from wiki.models import (
    WikiChange,
    WikiDraft,
    WikiIssue,
    WikiNotice,
    WikiOperation,
    WikiPage,
    WikiReading,
    WikiReviewer,
    WikiRevision,
    WikiSentence,
    WikiWatch,
)
from wiki.pages.writing import publish, remove_page, text_of
from wiki.text.patch import sentences_named, without_sentences
from wiki.text.sentences import sentence_hash, split_sentences
from wiki.values import Author, Edit, PageText

ERASED = gettext_noop("A source of this page was erased, and what rested on it alone.")
_BUILDING = Author(kind=AuthorKind.PIPELINE)


@register_eraser("person", name="wiki.person")
def erase_person(subject: Subject) -> Counts:
    """Erase what is a person's own: drafts, watches, what they were told, being asked for reviews.

    What they wrote stays without their name, also in mirrors.
    """
    counts: dict[str, int] = {}
    add_counts(counts, dict(WikiDraft.objects.filter(author_id=int(subject.id)).delete()[1]))
    for model in (WikiWatch, WikiNotice, WikiReviewer):
        rows = model._default_manager.filter(user_id=subject.id)
        add_counts(counts, dict(rows.delete()[1]))
    written = WikiRevision.objects.filter(author_id=int(subject.id))
    bases = set(written.order_by().values_list("page__base_id", "space_id"))
    # Now, and not with the person's row: a mirror that is made meanwhile must not name them.
    written.update(author=None)
    for base_id, space_id in bases:
        make_anew(base_id, space_id=space_id)
    return counts


@register_eraser("document", name="wiki.document")
def erase_document(subject: Subject) -> Counts:
    """Erase what rested on the document alone: sentences now, texts of earlier revisions that had them."""
    document_id = UUID(subject.id)
    cited = EvidenceRow.objects.filter(document_id=document_id).order_by()
    pages = WikiPage.objects.filter(pk__in=cited.values("origin_id")).select_related("base")
    counts = {"wiki.WikiRevision (text)": 0, "wiki.WikiSentence": 0}
    for page in pages:
        add_counts(counts, _erase_from(page, document_id))
    # The names of its sources stand in a page's file, whatever else it rests on.
    for base_id, space_id in {(page.base_id, page.space_id) for page in pages}:
        make_anew(base_id, space_id=space_id)
    counts["wiki.WikiReading"] = WikiReading.objects.filter(document_id=document_id).delete()[0]
    WikiOperation.objects.filter(document_id=document_id).update(document_name="", error="")
    return counts


def _erase_from(page: WikiPage, document_id: UUID) -> Counts:
    gone = _resting_on(page, document_id)
    if not gone:
        return {}
    _write_without(page, gone)
    texts = 0
    newest = page.version
    for revision in WikiRevision.objects.filter(page=page, thinned_at__isnull=True):
        if revision.number != newest and _has(revision.content, revision.summary, gone):
            revision.content = revision.summary = ""
            revision.thinned_at = timezone.now()
            revision.save(update_fields=["content", "summary", "thinned_at"])
            texts += 1
    for change in WikiChange.objects.filter(page=page):
        change.content = _without(change.content, gone)
        change.summary = _summary_without(change.summary, gone)
        change.save(update_fields=["content", "summary"])
    # Checking finds them anew; until then they would quote what was erased.
    about = Q(page=page) | Q(detail__page_id=str(page.pk))
    WikiIssue.objects.filter(about, reporter_kind=AuthorKind.PIPELINE).delete()
    for draft in WikiDraft.objects.filter(page=page):
        draft.fields = _fields_without(draft.fields, gone)
        draft.save(update_fields=["fields"])
    sentences = WikiSentence.objects.filter(page=page, text_hash__in=gone).delete()[0]
    return {"wiki.WikiRevision (text)": texts, "wiki.WikiSentence": sentences}


def _resting_on(page: WikiPage, document_id: UUID) -> set[str]:
    """Return the hashes of sentences, of any revision, that rest on the document and nothing else."""
    evidence = EvidenceRow.objects.filter(origin_id=page.pk)
    of_it = set(evidence.filter(document_id=document_id).values_list("marker", flat=True))
    rows = WikiSentence.objects.filter(page=page).values_list("text_hash", "markers")
    return {text_hash for text_hash, markers in rows if of_it.issuperset(markers)}


def _write_without(page: WikiPage, gone: Collection[str]) -> None:
    """Publish the page without the sentences; one that is left with none is deleted, text and all."""
    if not _has(page.content, page.summary, gone):
        return
    before = text_of(page)
    text = PageText(
        slug=before.slug,
        title=before.title,
        kind=before.kind,
        status=before.status,
        summary=_summary_without(before.summary, gone),
        content=_without(before.content, gone),
        aliases=before.aliases,
    )
    was_trashed = page.trashed_at
    if was_trashed is None:
        edit = Edit(text=text, author=_BUILDING, reason=ERASED)
        publish(page.base, page, edit, expected_version=page.version)
        page.refresh_from_db()
        if not split_sentences(page.content):
            remove_page(page, expected_version=page.version, author=_BUILDING)
        return
    page.content, page.summary = text.content, text.summary
    page.save(update_fields=["content", "summary"])
    WikiRevision.objects.filter(page=page, number=page.version).update(
        content=text.content, summary=text.summary, thinned_at=timezone.now()
    )


def _has(content: str, summary: str, gone: Collection[str]) -> bool:
    return bool(sentences_named(content, gone)) or sentence_hash(summary) in gone


def _without(content: str, gone: Collection[str]) -> str:
    return without_sentences(content, sentences_named(content, gone))


def _summary_without(summary: str, gone: Collection[str]) -> str:
    return "" if sentence_hash(summary) in gone else _without(summary, gone)


def _fields_without(fields: dict[str, Any], gone: Collection[str]) -> dict[str, Any]:
    return {
        name: _without(value, gone) if name in ("content", "summary") else value
        for name, value in fields.items()
    }


@receiver(post_delete, sender=WikiPage, dispatch_uid="wiki.erasure.evidence")
def forget_evidence(instance: WikiPage, **_: Any) -> None:
    """Let the copies of passages go with the page that cited them: no key leads from them to it."""
    EvidenceRow.objects.filter(origin_id=instance.pk).delete()
