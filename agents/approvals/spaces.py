"""Who decides in a space, and how long a request waits there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.constants import MembershipState
from accounts.models import Membership
from accounts.services.audit import record_audit
from agents.configuration import DEFAULT_APPROVAL_SECONDS, LONGEST_APPROVAL_SECONDS
from agents.constants import Deciders
from agents.models import ApprovalSettings
from core.errors import Invalid

SHORTEST_APPROVAL_SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class SpaceRules:
    """What a space wants of approvals."""

    deciders: Deciders = Deciders.PERSON_OR_ADMINS
    named_ids: frozenset[int] = frozenset()
    """Users who decide beside those of `deciders`."""
    timeout_seconds: int = DEFAULT_APPROVAL_SECONDS
    ask_for_high_risk: bool = True


def space_rules() -> SpaceRules:
    """Return the rules of the current space; one without a row has the defaults."""
    row = ApprovalSettings.objects.prefetch_related("named_people").first()
    if row is None:
        return SpaceRules()
    return SpaceRules(
        deciders=Deciders(row.deciders),
        named_ids=frozenset(user.pk for user in row.named_people.all()),
        timeout_seconds=row.timeout_seconds,
        ask_for_high_risk=row.ask_for_high_risk,
    )


def change_space_rules(
    actor: Actor,
    *,
    deciders: str,
    named_ids: Sequence[int],
    timeout_seconds: int,
    ask_for_high_risk: bool,
) -> SpaceRules:
    """Set the rules of the actor's space; open requests keep their due time.

    Raises:
        AccessDenied: the actor is no administrator.
        Invalid: a value is none of the choices, or a person is no member.
    """
    require(actor, "create", ApprovalSettings)
    _check(actor, deciders, named_ids, timeout_seconds)
    with transaction.atomic():
        row, _made = ApprovalSettings.objects.update_or_create(
            space_id=actor.space_id,
            defaults={
                "deciders": deciders,
                "timeout_seconds": timeout_seconds,
                "ask_for_high_risk": ask_for_high_risk,
            },
        )
        row.named_people.set(named_ids)
        record_audit(
            actor,
            "approvals.settings",
            target=row,
            deciders=deciders,
            named=sorted(named_ids),
            timeout_seconds=timeout_seconds,
            ask_for_high_risk=ask_for_high_risk,
        )
    return space_rules()


def _check(actor: Actor, deciders: str, named_ids: Sequence[int], timeout_seconds: int) -> None:
    if deciders not in Deciders.values:
        raise Invalid(_("Choose who decides."), field="deciders")
    if not SHORTEST_APPROVAL_SECONDS <= timeout_seconds <= LONGEST_APPROVAL_SECONDS:
        message = _("A request waits between one minute and eight weeks.")
        raise Invalid(message, field="timeout_seconds")
    members = Membership.objects.filter(
        space_id=actor.space_id, user_id__in=named_ids, state=MembershipState.ACTIVE
    )
    if members.count() != len(set(named_ids)):
        raise Invalid(_("Only members of this space can decide in it."), field="named_people")
