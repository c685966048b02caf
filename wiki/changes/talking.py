"""Comments on change requests, and who is asked to review them."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.access import Actor, may, require
from accounts.actors import actor_by
from accounts.constants import MembershipState, Role
from accounts.models import Membership, User
from core.errors import AccessDenied, Invalid, NotFound
from knowledge.models import KnowledgeBase
from wiki.changes.rights import is_own
from wiki.changes.states import lock_change
from wiki.constants import OPEN_CHANGE_STATES
from wiki.models import WikiChange, WikiComment, WikiReviewer
from wiki.signals import change_talked

MAX_COMMENT = 5_000
MOST_REVIEWERS = 10


@transaction.atomic
def comment_change(
    actor: Actor, change: WikiChange, *, text: str, line: int | None = None
) -> WikiComment:
    """Say something about a change request, or about a line of the text that it proposes.

    Raises:
        NotFound: it is not for the actor to see.
        Invalid: nothing is said, too much, or about a line that there is not.
        AccessDenied: a machine speaks.
    """
    require(actor, "view", change)
    if actor.user_id is None:
        raise AccessDenied(_("Only a person comments."), attempted="wiki.comment")
    text = text.strip()
    if not text or len(text) > MAX_COMMENT or "\x00" in text:
        raise Invalid(_("A comment has 1 to %(n)d characters.") % {"n": MAX_COMMENT})
    if line is not None and not 1 <= line <= len(change.content.splitlines()):
        raise Invalid(_("The text has no line %(n)d.") % {"n": line})
    row = WikiComment.objects.create(
        space_id=change.space_id,
        change=change,
        author_id=actor.user_id,
        text=text,
        line=line,
        edition=change.edition,
    )
    transaction.on_commit(
        lambda: change_talked.send(WikiChange, change_id=change.pk, comment_id=row.pk, asked=())
    )
    return row


def delete_comment(actor: Actor, change: WikiChange, *, comment_id: UUID) -> None:
    """Take back what one said.

    Raises:
        NotFound: there is no such comment of the actor's.
    """
    require(actor, "view", change)
    rows = WikiComment.objects.filter(pk=comment_id, change=change, author_id=actor.user_id or 0)
    if not rows.delete()[0]:
        raise NotFound(_("There is no such comment of yours."))


@transaction.atomic
def ask_reviewers(actor: Actor, change: WikiChange, *, user_ids: Sequence[int]) -> WikiChange:
    """Let exactly these people be asked to review; nobody: whoever may publish.

    Raises:
        AccessDenied: the actor is neither the author nor may decide.
        Invalid: too many, or somebody who may not publish here.
        Conflict: it is decided.
    """
    require(actor, "view" if is_own(actor, change) else "change", change)
    change = lock_change(change)
    if change.state not in OPEN_CHANGE_STATES:
        raise Invalid(_("It is decided: nobody can be asked any more."))
    wanted = set(user_ids)
    able = {user.pk for user in possible_reviewers(change.base)}
    if len(wanted) > MOST_REVIEWERS or wanted - able:
        raise Invalid(
            _("Ask up to %(n)d people who may publish in this base.") % {"n": MOST_REVIEWERS}
        )
    change.reviewers.exclude(user_id__in=wanted).delete()
    new = wanted - set(change.reviewers.values_list("user_id", flat=True))
    for user_id in new:
        WikiReviewer.objects.create(space_id=change.space_id, change=change, user_id=user_id)
    told = tuple(new - {actor.user_id})
    transaction.on_commit(
        lambda: change_talked.send(WikiChange, change_id=change.pk, comment_id=None, asked=told)
    )
    return change


def possible_reviewers(base: KnowledgeBase) -> list[User]:
    """Return the members of the space who may publish in the base, by name."""
    rows = Membership.objects.filter(
        Q(role__in=(Role.OWNER, Role.ADMIN)) | Q(user_id=base.created_by_id or 0),
        space_id=base.space_id,
        state=MembershipState.ACTIVE,
        user__is_active=True,
    ).select_related("user", "space")[:200]
    people = [row.user for row in rows if may(actor_by(row), "edit", base)]
    return sorted(people, key=lambda user: str(user).casefold())
