"""Spaces: made, renamed, entered."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.actors import SPACE_SESSION_KEY, active_memberships, actor_by
from accounts.constants import Role
from accounts.models import Membership, Space, User
from accounts.services.audit import record_audit
from accounts.signals import space_created
from core.errors import AccessDenied, Invalid, LimitReached, NotFound
from core.live import live
from core.names import clean_name
from core.tenancy import space_scope

NAME_LENGTH = 200
MOST_AUDIT_DAYS = 3650


def create_space(
    user: User, *, name: str, description: str = "", by_installation: bool = False
) -> Space:
    """Make a space that `user` owns, with what every new space begins with.

    `by_installation` says that it is not the person's own wish, as with the space of a new person.

    Raises:
        Invalid: the name is blank or too long.
        AccessDenied: only administrators make spaces here.
        LimitReached: the person owns as many spaces as the installation allows one person.
    """
    name = _checked_name(name)
    if not by_installation:
        _require_self_service(user)
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)  # spaces of one person are made in turn
        _require_room(user)
        space = Space.objects.create(
            name=name,
            description=description.strip(),
            created_by=user,
            auto_accept_invitations=live("ACCOUNTS_AUTO_ACCEPT"),
        )
        membership = Membership.objects.create(space=space, user=user, role=Role.OWNER)
        with space_scope(space.pk):
            space_created.send(Space, space=space, creator=user)
        record_audit(actor_by(membership), "space.create", target=space)
    return space


def rename_space(actor: Actor, *, name: str, description: str) -> Space:
    """Change the name and description of the actor's space.

    Raises:
        AccessDenied: the actor is not an admin.
        Invalid: the name is blank or too long.
    """
    with transaction.atomic():
        space = Space.objects.select_for_update().get(pk=actor.space_id)
        require(actor, "change", space)
        old = space.name
        space.name = _checked_name(name)
        space.description = description.strip()
        space.save(update_fields=["name", "description"])
        record_audit(actor, "space.change", target=space, old=old, new=space.name)
    return space


def change_rules(
    actor: Actor, *, auto_accept: bool, audit_days: int | None, language: str
) -> Space:
    """Say how people join the space, for how long its audit is kept, and how its mails read.

    `audit_days` None is the installation's default, 0 for ever; a blank language is that of whoever
    causes a mail.

    Raises:
        AccessDenied: the actor is not an admin; or they shorten the audit and are no owner.
        Invalid: the days or the language cannot be used.
    """
    if audit_days is not None and not 0 <= audit_days <= MOST_AUDIT_DAYS:
        raise Invalid(
            _("The audit log is kept for up to %(limit)s days; 0 keeps it for ever.")
            % {"limit": MOST_AUDIT_DAYS}
        )
    if language and language not in dict(settings.LANGUAGES):
        raise Invalid(f"There is no language {language!r}.")
    wanted = {
        "auto_accept_invitations": auto_accept,
        "audit_days": audit_days,
        "language": language,
    }
    with transaction.atomic():
        space = Space.objects.select_for_update().get(pk=actor.space_id)
        require(actor, "change", space)
        old = {name: getattr(space, name) for name in wanted}
        if audit_days != space.audit_days:
            # Who is watched by the log does not decide for how long it remembers them.
            require(actor, "share", space)
        for name, value in wanted.items():
            setattr(space, name, value)
        space.save(update_fields=list(wanted))
        if old != wanted:
            record_audit(actor, "space.rules", target=space, old=old, new=wanted)
    return space


def allow_opening(actor: Actor, *, allowed: bool) -> Space:
    """Say whether owners may open others' conversations; each change is in the audit log.

    Raises:
        AccessDenied: the actor is no owner.
    """
    with transaction.atomic():
        space = Space.objects.select_for_update().get(pk=actor.space_id)
        require(actor, "share", space)
        if space.owners_may_open_conversations != allowed:
            space.owners_may_open_conversations = allowed
            space.save(update_fields=["owners_may_open_conversations"])
            record_audit(actor, "space.conversation_opening", target=space, allowed=allowed)
    return space


def switch_space(user: User, *, space_id: int, session: MutableMapping[str, Any]) -> Membership:
    """Let the person work in another of their spaces, now and when they come back.

    Raises:
        NotFound: they are not an active member of it.
    """
    membership = active_memberships(user).filter(space_id=space_id).first()
    if membership is None:
        raise NotFound(_("There is no such space, or you are not a member of it."))
    session[SPACE_SESSION_KEY] = space_id
    User.objects.filter(pk=user.pk).update(last_space_id=space_id)
    return membership


def max_owned_spaces() -> int:
    """Return how many spaces one person may own; 0 means any number."""
    return int(live("ACCOUNTS_MAX_OWNED_SPACES"))


def may_make_spaces(user: User) -> bool:
    """Say whether the person may make spaces: everybody, or only administrators of the installation."""
    return user.is_superuser or bool(live("ACCOUNTS_SPACE_CREATION"))


def _require_self_service(user: User) -> None:
    if not may_make_spaces(user):
        raise AccessDenied(
            _("Only administrators of the installation create spaces here. Ask for one.")
        )


def _require_room(user: User) -> None:
    limit = max_owned_spaces()
    if limit and user.memberships.filter(role=Role.OWNER).count() >= limit:
        raise LimitReached(
            _("You own %(limit)s spaces, the most that one person may own here.") % {"limit": limit}
        )


def _checked_name(name: str) -> str:
    name = clean_name(name)
    if not name:
        raise Invalid(_("A space needs a name."))
    if len(name) > NAME_LENGTH:
        raise Invalid(
            _("A name has at most %(limit)s characters, this one has %(count)s.")
            % {"limit": NAME_LENGTH, "count": len(name)}
        )
    return name
