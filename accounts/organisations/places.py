"""A space's place in an organisation: it decides what the space's people may do there.

Every use case begins by reading the actor's own place; an organisation in which the space has none
does not exist for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar
from uuid import UUID

from django.db.models import F, Q
from django.utils.translation import gettext as _

from accounts.access import Action, Actor, Clause, RolePolicy, register, require, visible
from accounts.constants import OrganisationRole, Role
from accounts.models import Organisation, OrganisationSpace
from core.errors import NotFound


class PlacePolicy(RolePolicy):
    """Everybody in the space sees its organisations; what its admins may do is the place's role.

    To share is for editors of the organisation, to manage for its admins, to delete for the space
    that owns it; to change is to leave or to ask for a higher role.
    """

    area = "organisations"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.VIEWER,
        "create": Role.ADMIN,
        "share": Role.CONTRIBUTOR,
        "change": Role.ADMIN,
        "manage": Role.ADMIN,
        "delete": Role.ADMIN,
    }
    where: ClassVar[Mapping[Action, Q]] = {
        "share": Q(role__in=(OrganisationRole.ADMIN, OrganisationRole.EDITOR)),
        "manage": Q(role=OrganisationRole.ADMIN),
        "delete": Q(organisation__owner_space=F("member")),
    }

    def space_lookup(self) -> str:
        """A place is its member's."""
        return "member_id"

    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        """Narrow what the person's role allows to places of the role that it takes."""
        where = self.where.get(action, Q())
        return [
            Clause(effect=one.effect, reason=one.reason, where=where)
            for one in super().clauses(actor, action)
        ]


register(OrganisationSpace, PlacePolicy())


def get_place(actor: Actor, organisation_id: UUID, *, action: Action = "view") -> OrganisationSpace:
    """Return the actor's own place in an organisation, with the organisation.

    Raises:
        NotFound: their space is not in it.
        AccessDenied: they see it but may not do this there.
    """
    rows = OrganisationSpace.objects.select_related("organisation", "member")
    place = visible(actor, "view", rows.filter(organisation_id=organisation_id)).first()
    if place is None:
        raise NotFound(_("There is no such organisation."))
    require(actor, action, place)
    return place


def lock(organisation: Organisation) -> Organisation:
    """Let changes of an organisation's members take turns; call it in a transaction."""
    return Organisation.objects.select_for_update().get(pk=organisation.pk)
