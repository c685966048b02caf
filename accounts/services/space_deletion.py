"""The end of a space: closed at once, then erased by a job that reports."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.models import ApiKey, Erasure, Invitation, Membership, Space, User
from accounts.organisations.membership import forget_space
from accounts.platform.erasure import begin, describe
from accounts.platform.erasure_holds import require_no_hold
from accounts.platform.erasure_jobs import ERASE
from accounts.services.audit import record_audit
from accounts.services.invitations import revoke_rows
from accounts.services.members import announce_end
from accounts.services.platform_audit import record_platform_audit
from core.doors import current_door
from core.errors import Conflict, Invalid, Refused
from core.jobs.enqueue import PLATFORM_SPACE_ID, cancel_jobs_of_space, enqueue
from core.tenancy import space_scope

SHOWN_FOR = timedelta(hours=24)


def delete_space(actor: Actor, *, typed_name: str) -> Erasure:
    """Close the actor's space for everybody now and let a job erase all that it holds.

    Nobody is a member from now on, keys and invitations end, and what it shared is closed. The
    installation's audit keeps that it was there; the row that is returned gets the report.

    Raises:
        AccessDenied: the actor is no owner.
        Invalid: what was typed is not the space's name.
        Refused: a legal hold keeps the space; the message says who set it.
        Conflict: it is being deleted already.
    """
    space = Space.objects.get(pk=actor.space_id)
    require(actor, "delete", space)
    if " ".join(typed_name.split()) != " ".join(space.name.split()):
        raise Invalid(
            _("Type the name of the space as it is: %(space)s") % {"space": space.name},
            typed_name=[_mistyped()],
        )
    described = describe("space", str(space.pk))
    try:
        require_no_hold(described)
    except Refused:
        record_audit(actor, "space.delete", target=space, outcome="refused", reason="legal hold")
        raise
    with transaction.atomic():
        Space.objects.select_for_update().get(pk=space.pk)
        running = Erasure.objects.filter(kind="space", subject_id=str(space.pk), state="running")
        if running.exists():
            raise Conflict(_("This space is being deleted already."))
        erasure = _begin(actor, space)
        close_space(space)
    begin(described.subject)
    return erasure


def close_space(space: Space) -> None:
    """Shut everybody and every machine out of the space, in the caller's transaction."""
    cancel_jobs_of_space(space.pk)
    revoke_rows(Invitation.objects.filter(space=space))
    ApiKey.objects.filter(space=space, revoked_at=None).update(revoked_at=timezone.now())
    forget_space(space.pk)
    User.objects.filter(last_space=space).update(last_space=None)
    members = list(Membership.objects.filter(space=space).values_list("user_id", flat=True))
    Membership.objects.filter(space=space).delete()
    for user_id in members:
        announce_end(space_id=space.pk, user_id=user_id)


def deletions_of(user: User) -> list[Erasure]:
    """Return the deletions of spaces that the person asked for: those that run, and today's."""
    rows = Erasure.objects.filter(kind="space", requested_by=user)
    recent = timezone.now() - SHOWN_FOR
    return [each for each in rows[:20] if each.state == "running" or each.created_at > recent]


def _begin(actor: Actor, space: Space) -> Erasure:
    user = User.objects.filter(pk=actor.user_id).first() if actor.user_id is not None else None
    members = Membership.objects.filter(space=space).count()
    erasure = Erasure.objects.create(
        kind="space",
        subject_id=str(space.pk),
        requested_by=user,
        reason=f"deleted by its owner: {space.name}"[:500],
        report={"asked": {"space_id": space.pk, "with_documents": False}},
    )
    record_platform_audit(
        user,
        "space.delete",
        target=space,
        ip_address=current_door().ip_address,
        members=members,
        erasure=str(erasure.pk),
    )
    with space_scope(PLATFORM_SPACE_ID):  # a job of the space itself would be cancelled with it
        enqueue(ERASE, dedupe_key=str(erasure.pk), erasure_id=str(erasure.pk))
    return erasure


def _mistyped() -> str:
    return "This is not the name of the space."
