"""The link at the end of a mail that ends mails about a wiki, without signing in."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.core import signing
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import NotFound
from core.tenancy import space_scope
from knowledge.models import KnowledgeBase
from wiki.models import WikiWatch

_SALT = "wiki-mails"
_MOST_SECONDS = 180 * 24 * 3600


@dataclass(frozen=True, kw_only=True)
class Stop:
    """Whose mails about which wiki a link ends."""

    user_id: int
    space_id: int
    base_id: UUID


def stop_path(user: User, base: KnowledgeBase) -> str:
    """Return the path that ends a person's mails about a base's wiki; it works for half a year."""
    told = [user.pk, base.space_id, str(base.pk)]
    return reverse("wiki_mails_stop", args=[signing.dumps(told, salt=_SALT)])


def read_stop(token: str) -> Stop:
    """Return what a link is for.

    Raises:
        NotFound: it is none of ours, or too old.
    """
    try:
        user_id, space_id, base_id = signing.loads(token, salt=_SALT, max_age=_MOST_SECONDS)
    except (signing.BadSignature, ValueError):
        raise NotFound(
            _("This link is no longer good. Sign in and end mails in your wiki inbox.")
        ) from None
    return Stop(user_id=user_id, space_id=space_id, base_id=UUID(base_id))


def stop_mails(stop: Stop) -> int:
    """End the mails; the notices in the inbox stay. Return how many watches had mails."""
    with space_scope(stop.space_id):
        rows = WikiWatch.objects.filter(user_id=stop.user_id, base_id=stop.base_id, by_mail=True)
        return rows.update(by_mail=False)
