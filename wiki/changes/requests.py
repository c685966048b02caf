"""Rows of change requests: how one is opened, and the text that it holds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from accounts.access import Actor
from knowledge.models import KnowledgeBase
from wiki.constants import (
    OPEN_CHANGE_STATES,
    AuthorKind,
    ChangeAction,
    ChangeState,
    PageKind,
    PageStatus,
)
from wiki.models import WikiChange, WikiIssue, WikiPage, WikiRefusal, WikiRevision
from wiki.signals import change_opened
from wiki.values import Author, Edit, PageText, Sources, hash_of


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """An edit that was checked, and what it is made on."""

    base: KnowledgeBase
    page: WikiPage | None
    edit: Edit
    on_version: int
    action: ChangeAction
    fingerprint: str


def fingerprint_of(page: WikiPage | None, action: ChangeAction, text: PageText) -> str:
    """Return what "do not propose again" remembers: page and proposed text; a deletion's page."""
    of = str(page.pk) if page else text.slug
    parts: list[object] = [of, action]
    if action != ChangeAction.DELETE:
        parts += [text.slug, text.title, text.kind, text.status, text.summary, text.content]
        parts.append(sorted(text.aliases))
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def text_of_page(page: WikiPage) -> PageText:
    """Return what the page says now."""
    return PageText(
        slug=page.slug,
        title=page.title,
        kind=PageKind(page.kind),
        status=PageStatus(page.status),
        summary=page.summary,
        content=page.content,
        aliases=tuple(page.aliases),
    )


def text_of_change(change: WikiChange) -> PageText:
    """Return what the page would say."""
    return PageText(
        slug=change.slug,
        title=change.title,
        kind=PageKind(change.kind),
        status=PageStatus(change.status),
        summary=change.summary,
        content=change.content,
        aliases=tuple(change.aliases),
    )


def author_of(change: WikiChange) -> Author:
    """Return who made the change request."""
    return Author(
        kind=AuthorKind(change.author_kind),
        user_id=change.author_id,
        agent_id=change.agent_id,
        run_id=change.run_id,
    )


def edit_of(change: WikiChange) -> Edit:
    """Return the change request as the edit that would be published."""
    text = text_of_change(change)
    return Edit(
        text=text,
        author=author_of(change),
        reason=change.reason,
        folder_id=change.folder_id,
        sources=sources_of(change),
        restored_from=_restored_from(change, text),
        issue_id=WikiIssue.objects.filter(fix=change).values_list("pk", flat=True).first(),
    )


def sources_of(change: WikiChange) -> dict[str, list[UUID]]:
    """Return the passages that the proposed sentences rest on."""
    rows: Mapping[str, list[str]] = change.sources
    return {sentence: [UUID(each) for each in ids] for sentence, ids in rows.items()}


def stored_sources(sources: Sources) -> dict[str, list[str]]:
    """Return sources as a change request keeps them."""
    return {sentence: [str(each) for each in ids] for sentence, ids in sources.items() if ids}


def is_refused(proposal: Proposal) -> bool:
    """Say whether this very proposal is not to be made again."""
    rows = WikiRefusal.objects.filter(base=proposal.base, fingerprint=proposal.fingerprint)
    return rows.exists()


def same_open(proposal: Proposal) -> WikiChange | None:
    """Return the change request that waits and proposes the same."""
    return WikiChange.objects.filter(
        base=proposal.base, fingerprint=proposal.fingerprint, state__in=OPEN_CHANGE_STATES
    ).first()


def open_request(
    proposal: Proposal,
    *,
    risks: list[dict[str, str]],
    rule: str = "",
    actor: Actor | None = None,
) -> WikiChange:
    """Write the row under the base's next number; the caller holds the base's lock.

    With a `rule` that approved it, it is approved.
    """
    edit, text, page = proposal.edit, proposal.edit.text, proposal.page
    last = WikiChange.objects.filter(base=proposal.base).aggregate(n=Max("number"))["n"] or 0
    change = WikiChange.objects.create(
        space_id=proposal.base.space_id,
        base=proposal.base,
        number=last + 1,
        page=page,
        action=proposal.action,
        state=ChangeState.APPROVED if rule else ChangeState.IN_REVIEW,
        on_version=proposal.on_version,
        slug=text.slug,
        title=text.title,
        kind=text.kind,
        status=text.status,
        summary=text.summary,
        content=text.content,
        aliases=list(text.aliases),
        folder_id=edit.folder_id,
        sources=stored_sources(edit.sources),
        author_kind=edit.author.kind,
        author_id=edit.author.user_id or (actor.user_id if actor else None),
        agent_id=edit.author.agent_id,
        run_id=edit.author.run_id,
        reason=edit.reason[:500],
        risks=risks,
        fingerprint=proposal.fingerprint,
        approved_by_rule=rule,
        decided_at=timezone.now() if rule else None,
    )
    if not rule:
        transaction.on_commit(
            lambda: change_opened.send(WikiChange, change_id=change.pk, actor=actor)
        )
    if edit.issue_id is not None:
        WikiIssue.objects.filter(pk=edit.issue_id, base=proposal.base).update(fix=change)
    return change


def _restored_from(change: WikiChange, text: PageText) -> int | None:
    """Return the revision that a proposed roll-back brings back."""
    if change.author_kind != AuthorKind.REVERT or change.page_id is None:
        return None
    return (
        WikiRevision.objects.filter(
            page_id=change.page_id,
            number__lte=change.on_version,
            content_hash=hash_of(text.content),
            title=text.title,
        )
        .order_by("-number")
        .values_list("number", flat=True)
        .first()
    )
