"""Spaces that share with each other, for tests."""

from __future__ import annotations

from accounts.constants import OrganisationRole, SharePermission
from accounts.models import Organisation, OrganisationSpace, Space
from core.tenancy import space_scope
from knowledge.models import BaseShare, KnowledgeBase


def make_organisation(
    owner: Space, *, name: str = "Airfield", editors: tuple[Space, ...] = (), **fields: object
) -> Organisation:
    """Make an organisation of `owner`, with more spaces as editors."""
    found = Organisation.objects.create(name=name, owner_space=owner, **fields)
    add_space(found, owner, role=OrganisationRole.ADMIN)
    for space in editors:
        add_space(found, space, role=OrganisationRole.EDITOR)
    return found


def add_space(
    organisation: Organisation, space: Space, *, role: str = OrganisationRole.VIEWER
) -> OrganisationSpace:
    """Give a space a place."""
    return OrganisationSpace.objects.create(organisation=organisation, member=space, role=role)


def share_base(
    base: KnowledgeBase,
    organisation: Organisation,
    *,
    permission: str = SharePermission.VIEWER,
    only: tuple[Space, ...] | None = None,
) -> BaseShare:
    """Open a base."""
    with space_scope(base.space_id):
        share = BaseShare.objects.create(
            space_id=base.space_id,
            base=base,
            organisation=organisation,
            permission=permission,
            only_receivers=only is not None,
        )
        share.receivers.set(only or ())
    return share
