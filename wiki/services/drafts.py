"""Use cases of drafts: keep what is being written, offer it again, say who else is writing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from core.errors import Invalid, NotFound, TooLarge
from wiki.constants import MAX_CONTENT
from wiki.models import WikiDraft, WikiPage
from wiki.queries import get_page, require_wiki

FIELDS = ("slug", "title", "kind", "status", "summary", "content", "aliases", "folder", "reason")
EDITING_SECONDS = 60
"""For so long after an editor last spoke its person counts as writing."""
MOST_NEW = 20
"""Drafts of new pages that a person may have in one wiki."""


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A draft that was kept, and who writes the same page."""

    draft: WikiDraft
    others: tuple[str, ...]
    current_version: int
    """Of the page; 0: it is a new one."""


def keep_draft(
    actor: Actor,
    *,
    base_id: UUID,
    page_id: UUID | None,
    draft_id: UUID | None,
    on_version: int,
    fields: Mapping[str, str] | None,
) -> Kept:
    """Keep what stands in the editor; without `fields` only that its person is there.

    A person has one draft a page; new pages have one each, `draft_id` says which.

    Raises:
        NotFound: there is no such wiki, page or draft for the actor.
        Invalid: nobody in person writes here, or has too many drafts of new pages.
        TooLarge: it is longer than a page may be.
    """
    base = require_wiki(actor, base_id)
    page = _page(actor, base_id, page_id)
    if actor.user_id is None or actor.space_id != base.space_id or not actor.role:
        raise Invalid(_("Drafts are kept for members of the space only."))
    if fields is not None and sum(map(len, fields.values())) > 2 * MAX_CONTENT:
        raise TooLarge(_("A page may have a million characters."))
    with transaction.atomic():
        draft = _draft(actor, base_id, page, draft_id)
        if draft is None:
            _see_few(actor, base_id, page)
            draft = WikiDraft(space_id=base.space_id, base=base, page=page, author_id=actor.user_id)
        draft.on_version = on_version
        if fields is not None:
            draft.fields = {name: fields[name] for name in FIELDS if name in fields}
        draft.save()
    return Kept(
        draft=draft, others=who_writes(actor, page), current_version=page.version if page else 0
    )


def draft_of(actor: Actor, page: WikiPage) -> WikiDraft | None:
    """Return what the actor was writing on a page and did not hand in."""
    rows = WikiDraft.objects.filter(page=page, author_id=actor.user_id or 0).exclude(fields={})
    return visible(actor, "view", rows).first()


def drafts_of_new_pages(actor: Actor, base_id: UUID) -> list[WikiDraft]:
    """Return the actor's drafts of pages that do not exist yet, the newest first."""
    rows = WikiDraft.objects.filter(
        base_id=base_id, page__isnull=True, author_id=actor.user_id or 0
    ).exclude(fields={})
    return list(visible(actor, "view", rows).order_by("-seen_at"))


def get_draft(actor: Actor, base_id: UUID, draft_id: UUID) -> WikiDraft:
    """Return one of the actor's drafts.

    Raises:
        NotFound: it is none of theirs, or gone.
    """
    rows = WikiDraft.objects.filter(pk=draft_id, base_id=base_id)
    draft = visible(actor, "view", rows).first()
    if draft is None:
        raise NotFound(_("There is no such draft."))
    return draft


def discard_draft(actor: Actor, base_id: UUID, draft_id: UUID) -> None:
    """Forget a draft; nothing happens when it is gone."""
    rows = WikiDraft.objects.filter(pk=draft_id, base_id=base_id)
    visible(actor, "delete", rows).delete()


def discard_draft_of(actor: Actor, page: WikiPage) -> None:
    """Forget what the actor wrote on a page: it was handed in."""
    rows = WikiDraft.objects.filter(page=page, author_id=actor.user_id or 0)
    visible(actor, "delete", rows).delete()


def who_writes(actor: Actor, page: WikiPage | None) -> tuple[str, ...]:
    """Return the names of others whose editor of a page spoke within the last minute."""
    if page is None:
        return ()
    since = timezone.now() - timedelta(seconds=EDITING_SECONDS)
    rows = WikiDraft.objects.filter(page=page, seen_at__gte=since)
    others = rows.exclude(author_id=actor.user_id or 0).select_related("author")
    return tuple(str(each.author) for each in others.order_by("pk"))


def _page(actor: Actor, base_id: UUID, page_id: UUID | None) -> WikiPage | None:
    if page_id is None:
        return None
    page = get_page(actor, page_id)
    if page.base_id != base_id:
        raise NotFound(_("There is no such page."))
    return page


def _draft(
    actor: Actor, base_id: UUID, page: WikiPage | None, draft_id: UUID | None
) -> WikiDraft | None:
    if page is None and draft_id is None:
        return None
    rows = WikiDraft.objects.filter(base_id=base_id, author_id=actor.user_id or 0, page=page)
    if page is None and draft_id is not None:
        rows = rows.filter(pk=draft_id)
    return visible(actor, "change", rows).select_for_update(of=("self",)).first()


def _see_few(actor: Actor, base_id: UUID, page: WikiPage | None) -> None:
    if page is None:
        rows = WikiDraft.objects.filter(
            base_id=base_id, page__isnull=True, author_id=actor.user_id or 0
        )
        empty = rows.filter(fields={})
        empty.delete()
        if rows.count() >= MOST_NEW:
            raise Invalid(
                _("You have %(n)s drafts of new pages here. Finish or discard some first.")
                % {"n": MOST_NEW}
            )
