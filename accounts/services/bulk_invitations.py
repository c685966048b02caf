"""Many people invited at once, from addresses that were pasted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.invitation_doors import without_paused
from accounts.jobs import MAIL_INVITATIONS
from accounts.models import INVITATION_DAYS, Invitation
from accounts.notices.invitation import mail_invitation
from accounts.queries import invitation_link
from accounts.services.invitations import add_invitation
from core.errors import Conflict, Invalid
from core.jobs.enqueue import enqueue
from core.tenancy import space_scope

MOST_ADDRESSES = 200
_SEPARATORS = re.compile(r"[,;\n\r\t]+")
_IN_BRACKETS = re.compile(r"<([^<>]*)>")


@dataclass(frozen=True, kw_only=True)
class Invited:
    """What became of one address."""

    address: str
    outcome: Literal["invited", "joined", "member", "unusable"]


@transaction.atomic
def invite_many(
    actor: Actor, *, addresses: str, role: str, origin: str, days: int = INVITATION_DAYS
) -> list[Invited]:
    """Invite everybody whose address stands in the text; a job mails them.

    Addresses are separated by commas, semicolons, spaces or lines; "Neo <neo@example.org>" is read,
    too. Returns what became of each, in order, each address once.

    Raises:
        AccessDenied, Invalid: as for `create_invitation`.
        Invalid: there is no address, or there are too many.
    """
    require(actor, "create", Invitation)
    found = list(dict.fromkeys(addresses_in(addresses)))
    if not found:
        raise Invalid(_("Paste at least one e-mail address."))
    if len(found) > MOST_ADDRESSES:
        raise Invalid(
            _("%(count)s e-mail addresses are too many at once; %(limit)s are the most.")
            % {"count": len(found), "limit": MOST_ADDRESSES}
        )
    lines: list[Invited] = []
    to_mail: list[str] = []
    for address in found:
        outcome, invitation = _invite(actor, address, role=role, days=days)
        lines.append(Invited(address=address, outcome=outcome))
        if invitation is not None and outcome == "invited":
            to_mail.append(str(invitation.pk))
    if to_mail:
        with space_scope(actor.space_id):
            enqueue(MAIL_INVITATIONS, invitation_ids=to_mail, origin=origin)
    return lines


def mail_many(invitation_ids: list[str], *, origin: str) -> int:
    """Mail those of the invitations that are still open; return how many mails left."""
    sent = 0
    for invitation_id in invitation_ids:
        rows = Invitation.objects.select_related("space", "invited_by")
        invitation = without_paused(rows.filter(pk=UUID(invitation_id))).first()
        if invitation is not None and invitation.is_open:
            link = invitation_link(invitation, origin=origin)
            sent += mail_invitation(invitation, link=link)
    return sent


def addresses_in(text: str) -> Iterator[str]:
    """Yield what stands where addresses should, in lower case; some may be unusable."""
    for piece in _SEPARATORS.split(text):
        in_brackets = _IN_BRACKETS.search(piece)
        for word in [in_brackets.group(1)] if in_brackets else piece.split():
            if word.strip():
                yield word.strip().lower()


def _invite(
    actor: Actor, address: str, *, role: str, days: int
) -> tuple[Literal["invited", "joined", "member", "unusable"], Invitation | None]:
    try:
        validate_email(address)
    except ValidationError:
        return "unusable", None
    try:
        made = add_invitation(actor, role=role, email=address, days=days)
    except Conflict:
        return "member", None
    return ("joined" if made.joined else "invited"), made.invitation
