"""Use cases of watching: be told of changes of a page, or of a whole wiki."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from core.errors import Invalid, NotFound
from knowledge.models import KnowledgeBase
from wiki.models import WikiPage, WikiWatch
from wiki.queries import get_page, require_wiki


def set_watch(
    actor: Actor, *, base_id: UUID, page_id: UUID | None, is_on: bool, by_mail: bool | None = None
) -> None:
    """Begin or end to watch a page, or the wiki for None; mails as with what is watched already.

    Raises:
        NotFound: there is no such wiki or page for the actor.
        Invalid: nobody in person watches, or a guest of another space.
    """
    base = require_wiki(actor, base_id)
    page = get_page(actor, page_id) if page_id else None
    if page is not None and page.base_id != base.pk:
        raise NotFound(_("There is no such page."))
    if actor.user_id is None or actor.is_guest or not actor.role:
        raise Invalid(_("Members of the space can watch pages."))
    if not is_on:
        rows = WikiWatch.objects.filter(base=base, page=page, user_id=actor.user_id)
        visible(actor, "delete", rows).delete()
        return
    if by_mail is None:
        by_mail = has_mails(actor)
    WikiWatch.objects.update_or_create(
        base=base,
        page=page,
        user_id=actor.user_id,
        defaults={"space_id": base.space_id, "by_mail": by_mail},
    )


def watch_of(actor: Actor, base: KnowledgeBase, page: WikiPage | None) -> WikiWatch | None:
    """Return the actor's watch of a page, or of the wiki."""
    rows = WikiWatch.objects.filter(base=base, page=page, user_id=actor.user_id or 0)
    return visible(actor, "view", rows).first()


def has_mails(actor: Actor) -> bool:
    """Whether the actor is mailed about what they watch in the space."""
    return _watches(actor).filter(by_mail=True).exists()


def watches_any(actor: Actor) -> bool:
    """Whether the actor watches a page or a wiki of the space."""
    return _watches(actor).exists()


def set_mails(actor: Actor, *, is_on: bool) -> None:
    """Say whether news of all that the actor watches in the space comes by mail, too."""
    _watches(actor).update(by_mail=is_on)


def _watches(actor: Actor) -> QuerySet[WikiWatch]:
    return visible(actor, "view", WikiWatch.objects.filter(user_id=actor.user_id or 0))
