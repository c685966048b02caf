"""What accounts erase of a person, a document and a space: rows, sessions, names in the audit."""

from __future__ import annotations

import re
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.core.files.storage import default_storage
from django.db import models, transaction
from django.db.models import Q, QuerySet

from accounts.constants import MembershipState, Role
from accounts.login.sessions import end_sessions
from accounts.models import (
    AuditEvent,
    Erasure,
    Invitation,
    JoinRequest,
    Membership,
    PlatformAuditEvent,
    Space,
    SpaceExport,
    SpaceGroup,
    User,
)
from accounts.platform.erasure import (
    Counts,
    Described,
    Subject,
    add_counts,
    begin,
    erase_now,
    register_beginning,
    register_describer,
    register_eraser,
)
from accounts.services.audit_retention import sweeping

FORMER = "A former member"
_PEOPLE = ("accounts.user", "accounts.membership", "accounts.invitation")
"""Targets of audit events whose names are people's."""


@register_describer("person")
def describe_person(subject_id: str) -> Described | None:
    """Find a person; the holds of all their spaces count, too."""
    user = User.objects.filter(pk=subject_id).first() if subject_id.isdecimal() else None
    if user is None:
        return None
    spaces = Membership.objects.filter(user=user).values_list("space_id", flat=True)
    return Described(
        subject=Subject(kind="person", id=subject_id),
        name=str(user),
        user_ids=(user.pk,),
        space_ids=tuple(spaces),
    )


@register_describer("space")
def describe_space(subject_id: str) -> Described | None:
    """Find a space."""
    space = Space.objects.filter(pk=subject_id).first() if subject_id.isdecimal() else None
    if space is None:
        return None
    subject = Subject(kind="space", id=subject_id, space_id=space.pk)
    return Described(subject=subject, name=space.name, space_ids=(space.pk,))


@register_beginning("person")
def shut_out(subject: Subject) -> None:
    """Switch the account off and end its sessions, so that nothing new is written."""
    user = User.objects.filter(pk=subject.id).first()
    if user is not None:
        User.objects.filter(pk=user.pk).update(is_active=False)
        end_sessions(user)


def owned_alone(user: User) -> QuerySet[Space]:
    """Return the spaces whose only owner is the person."""
    owners = Membership.objects.filter(
        space=models.OuterRef("pk"), role=Role.OWNER, state=MembershipState.ACTIVE
    )
    others = owners.exclude(user=user).filter(user__is_active=True)
    return Space.objects.filter(
        models.Exists(owners.filter(user=user)), ~models.Exists(others)
    ).order_by("pk")


def has_other_members(space: Space, user: User) -> bool:
    """Say whether somebody besides the person is a member."""
    return Membership.objects.filter(space=space).exclude(user=user).exists()


# In the order of registration; they run the other way round, so that the row itself goes last.
@register_eraser("person", name="accounts.person")
def erase_row(subject: Subject) -> Counts:
    """Erase the account with what hangs on it: addresses, factors, memberships, grants."""
    user = User.objects.filter(pk=subject.id).first()
    if user is None:
        return {}
    counts = {"sessions.Session": _end_all_sessions(user.pk)}
    add_counts(counts, dict(user.delete()[1]))
    return counts


@register_eraser("person", name="accounts.traces")
def erase_traces(subject: Subject) -> Counts:
    """Erase the person from invitations, requests and the audit, which keeps what was done."""
    user = User.objects.filter(pk=subject.id).first()
    if user is None:
        return {}
    invitations, _ = Invitation.objects.filter(email__iexact=user.email).delete()
    JoinRequest.objects.filter(requested_by=user).update(message="")
    content_type = ContentType.objects.get_for_model(User)
    told = LogEntry.objects.filter(content_type=content_type, object_id=str(user.pk))
    told.update(object_repr=FORMER, change_message="")
    counts = {"accounts.Invitation": invitations}
    counts["accounts.AuditEvent (names)"] = _forget_in_audit(user)
    Erasure.objects.filter(reason__icontains=user.email).update(reason="")
    return counts


@register_eraser("person", name="accounts.spaces")
def erase_own_spaces(subject: Subject) -> Counts:
    """Erase spaces in which the person is alone, and all copies that name them."""
    user = User.objects.filter(pk=subject.id).first()
    if user is None:
        return {}
    spaces = Membership.objects.filter(user=user).values_list("space_id", flat=True)
    counts = {"exports": remove_exports(SpaceExport.objects.filter(space_id__in=list(spaces)))}
    for space in owned_alone(user):
        if not has_other_members(space, user):
            own = Subject(kind="space", id=str(space.pk), space_id=space.pk)
            begin(own)
            add_counts(counts, erase_now(own))
    return counts


@register_eraser("document", name="accounts.document")
def erase_document_traces(subject: Subject) -> Counts:
    """Erase the document's name from the audit, and the copies of its space."""
    about = {"target_type": "knowledge.document", "target_id": subject.id}
    named = AuditEvent.objects.filter(**about).exclude(target_name="", details={})
    copies = SpaceExport.objects.filter(space_id=subject.space_id or 0)
    with sweeping("erasure"):
        count = named.update(target_name="", details={})
    return {"accounts.AuditEvent (names)": count, "exports": remove_exports(copies)}


@register_eraser("space", name="accounts.space")
def erase_space(subject: Subject) -> Counts:
    """Erase the space's row with all that hangs on it, and its groups."""
    groups = SpaceGroup.objects.filter(space_id=subject.id).values("auth_group")
    Group.objects.filter(pk__in=list(groups.values_list("auth_group", flat=True))).delete()
    remove_exports(SpaceExport.objects.filter(space_id=subject.id))
    with sweeping("erasure"):
        _, counts = Space.objects.filter(pk=subject.id).delete()
    return counts


def remove_exports(rows: QuerySet[SpaceExport]) -> int:
    """Remove copies from the store on commit, with their rows; return how many there were."""
    names = [row.file_name for row in rows]
    rows.delete()
    for name in names:
        transaction.on_commit(lambda name=name: default_storage.delete(name))  # type: ignore[misc]  # mypy cannot see the default of a lambda
    return len(names)


def _forget_in_audit(user: User) -> int:
    """Take the person's name and addresses out of both audits; what was done stays."""
    words = [word for word in (user.email, user.name) if len(word) > 2]
    told = Q(actor_name__in=[str(user), *words])
    for word in words:
        told |= Q(target_type__in=_PEOPLE, target_name__icontains=word)
        told |= Q(details__icontains=word)
    own = Q(actor_kind="user", actor_id=str(user.pk))
    count = 0
    with sweeping("erasure"):
        for row in AuditEvent.objects.filter(own | told).iterator():
            is_own = row.actor_kind == "user" and row.actor_id == str(user.pk)
            AuditEvent.objects.filter(pk=row.pk).update(**_forgotten(row, words, is_own))
            count += 1
        for event in PlatformAuditEvent.objects.filter(told | Q(user=user)).iterator():
            values = _forgotten(event, words, event.user_id == user.pk)
            PlatformAuditEvent.objects.filter(pk=event.pk).update(**values)
            count += 1
    return count


def _forgotten(
    row: AuditEvent | PlatformAuditEvent, words: list[str], is_own: bool
) -> dict[str, Any]:
    return {
        "actor_name": FORMER if is_own else without(row.actor_name, words)[:200],
        "target_name": without(row.target_name, words)[:200],
        "details": without(row.details, words),
        "ip_address": None if is_own else row.ip_address,
    }


def without(value: Any, words: list[str]) -> Any:
    """Return a JSON value in which each of the words, in any case, is "a former member"."""
    if isinstance(value, str):
        for word in words:
            whole = rf"(?<!\w){re.escape(word)}(?!\w)"
            value = re.sub(whole, FORMER.lower(), value, flags=re.IGNORECASE)
        return value
    if isinstance(value, dict):
        return {key: without(each, words) for key, each in value.items()}
    if isinstance(value, list):
        return [without(each, words) for each in value]
    return value


def _end_all_sessions(user_id: int) -> int:
    """Delete sessions of which there is no row of a browser, too."""
    count = 0
    for session in Session.objects.iterator():
        if str(session.get_decoded().get("_auth_user_id")) == str(user_id):
            session.delete()
            count += 1
    return count
