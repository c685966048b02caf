"""Takes out what rested on a document that is gone: by the smallest patch, and without any model."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from knowledge.models import EvidenceRow, RemovedDocument
from wiki.build.publishing import put_patch, remove, supersede
from wiki.build.run import Run
from wiki.build.state import PageState, find_state, pending_changes, state_of_page
from wiki.build.values import Patch, Subject
from wiki.changes.requests import fingerprint_of, text_of_change
from wiki.constants import ChangeAction, PageKind
from wiki.models import WikiChange, WikiPage, WikiReading
from wiki.pages.sources import leave_document
from wiki.text.patch import sentences_named, without_sentences
from wiki.text.sentences import sentence_hash, split_sentences


def retract_document(run: Run, document_id: UUID, *, name: str) -> None:
    """Take out of all pages and proposals what only this document told.

    Raises:
        JobCancelled: somebody stopped it.
    """
    is_named = bool(name) and not _was_restricted(document_id)
    reason = (
        _("The document “%(name)s” is gone.") % {"name": name}
        if is_named
        else _("A document is gone.")
    )
    cited = EvidenceRow.objects.filter(document_id=document_id).values("origin_id")
    pages = WikiPage.objects.filter(base=run.base, pk__in=cited, trashed_at__isnull=True)
    for page in pages.order_by("slug"):
        run.check()
        retract_from_page(run, page, document_id, reason=reason)
    for change in pending_changes(run.base).filter(pk__in=cited):
        _retract_from_proposal(run, change, document_id)
    WikiReading.objects.filter(document_id=document_id).delete()


def retract_from_page(run: Run, page: WikiPage, document_id: UUID, *, reason: str) -> None:
    """Take out of one page what only this document told; the rest stays byte for byte."""
    state = state_of_page(page)
    only, shared = told_by(state, document_id)
    if not _was_restricted(document_id):
        leave_document(page, shared, document_id)
    present = {*(each.hash for each in state.sentences), sentence_hash(state.summary)} & only
    if not present:
        return
    left = without_sentences(state.content, sentences_named(state.content, present))
    if not split_sentences(left) and state.kind != PageKind.INDEX:
        remove(run, state, reason=reason)
        return
    subject = Subject(slug=state.slug, name=state.title, kind=state.kind)
    put_patch(
        run,
        subject,
        Patch(removed=frozenset(present)),
        source=None,
        reason=reason,
        targets=(),
        with_pending=False,
    )


def told_by(state: PageState, document_id: UUID) -> tuple[set[str], set[str]]:
    """Return what only this document told, and what others told, too: hashes of sentences."""
    only: set[str] = set()
    shared: set[str] = set()
    for text_hash in state.resting_on(document_id):
        others = any(each.document_id != document_id for each in state.rests[text_hash])
        (shared if others else only).add(text_hash)
    return only, shared


def _retract_from_proposal(run: Run, change: WikiChange, document_id: UUID) -> None:
    """Take it out of an open proposal of building, in its place; one that says nothing more ends."""
    with transaction.atomic():
        run.context.check_lease()
        row = WikiChange.objects.select_for_update(of=("self",)).get(pk=change.pk)
        if row.action == ChangeAction.DELETE:
            return
        state = find_state(run.base, row.slug)
        if state is None or state.pending is None or state.pending.pk != row.pk:
            return
        only, _shared = told_by(state, document_id)
        row.content = without_sentences(row.content, sentences_named(row.content, only))
        if sentence_hash(row.summary) in only:
            row.summary = ""
        if not split_sentences(row.content):
            supersede(row)
            return
        row.sources = _sources_without(row.sources, only, _chunks(change.pk, document_id))
        row.edition += 1
        row.fingerprint = fingerprint_of(row.page, ChangeAction(row.action), text_of_change(row))
        row.save()


def _sources_without(
    sources: Mapping[str, list[str]], only: Collection[str], chunks: Collection[str]
) -> dict[str, list[str]]:
    return {
        text_hash: [each for each in ids if each not in chunks]
        for text_hash, ids in sources.items()
        if text_hash not in only
    }


def _chunks(origin_id: UUID, document_id: UUID) -> set[str]:
    rows = EvidenceRow.objects.filter(origin_id=origin_id, document_id=document_id)
    return {str(each) for each in rows.values_list("chunk_id", flat=True)}


def _was_restricted(document_id: UUID) -> bool:
    """Whether only some might read it: then its marker goes on keeping others from the sentence."""
    return RemovedDocument.objects.filter(document_id=document_id, was_restricted=True).exists()
