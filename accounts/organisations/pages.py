"""The page on which a row is shared: one card an organisation, the same for every kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.urls import reverse

from accounts.access import Actor
from accounts.constants import SharePermission
from accounts.forms import add_refusal
from accounts.models import OrganisationSpace
from accounts.organisations.forms import ALL, CHOSEN, ShareForm
from accounts.organisations.sharing import ShareRow, share_row, shares_of, sharing_places
from accounts.shares import kind_of
from core.errors import Conflict, Invalid
from core.htmx import redirect


@dataclass(frozen=True, kw_only=True)
class ShareCard:
    """An organisation in which the actor may share, with the present share and a form."""

    organisation_id: UUID
    name: str
    share: ShareRow | None
    form: ShareForm


def share_cards(
    actor: Actor, *, kind: str, object_id: UUID, bound: Mapping[UUID, ShareForm] | None = None
) -> list[ShareCard]:
    """Return the cards of a row's page, by the organisations' names; `bound` has posted forms.

    Raises:
        NotFound, AccessDenied: as `shares_of` has it.
    """
    present = {row.organisation_id: row for row in shares_of(actor, kind=kind, object_id=object_id)}
    places = sharing_places(actor)
    others = _others(actor, [place.organisation_id for place in places])
    return [
        ShareCard(
            organisation_id=place.organisation_id,
            name=place.organisation.name,
            share=present.get(place.organisation_id),
            form=(bound or {}).get(place.organisation_id)
            or share_form(
                kind, others[place.organisation_id], share=present.get(place.organisation_id)
            ),
        )
        for place in places
    ]


def take_share(
    request: HttpRequest, actor: Actor, *, kind: str, object_id: UUID
) -> Mapping[UUID, ShareForm]:
    """Share as the posted form says; return the form when it cannot be, else nothing.

    Raises:
        NotFound, AccessDenied: as `share_row` has it.
        Invalid: the form names no organisation.
    """
    organisation_id = _uuid(request.POST.get("organisation", ""))
    others = _others(actor, [organisation_id])[organisation_id]
    form = share_form(kind, others, data=request.POST)
    if form.is_valid():
        try:
            share_row(
                actor,
                kind=kind,
                object_id=object_id,
                organisation_id=organisation_id,
                **form.wanted,
            )
        except (Invalid, Conflict) as refusal:
            add_refusal(form, refusal)
        else:
            return {}
    return {organisation_id: form}


def share_form(
    kind: str,
    spaces: Iterable[tuple[int, str]],
    *,
    share: ShareRow | None = None,
    data: QueryDict | None = None,
) -> ShareForm:
    """Return the form of one organisation, filled with the present share."""
    offered = list(spaces)
    initial: dict[str, Any] = {"permission": SharePermission.VIEWER, "reach": ALL}
    if share is not None:
        initial["permission"] = share.permission
        initial["reach"] = CHOSEN if share.only_receivers else ALL
        initial["receivers"] = list(share.receiver_ids)
    return ShareForm(
        data,
        spaces=offered,
        read_only=kind_of(kind).most == SharePermission.VIEWER,
        initial=initial,
    )


def back_to(request: HttpRequest, organisation_id: UUID) -> HttpResponseBase:
    """Go back to the page of an organisation."""
    return redirect(request, reverse("organisation", args=[organisation_id]))


def _others(actor: Actor, organisation_ids: Iterable[UUID]) -> Mapping[UUID, list[tuple[int, str]]]:
    """Return the other spaces of organisations in which the actor's space is."""
    own = OrganisationSpace.objects.filter(
        member_id=actor.space_id, organisation_id__in=list(organisation_ids)
    )
    rows = (
        OrganisationSpace.objects.filter(organisation__in=own.values("organisation"))
        .exclude(member_id=actor.space_id)
        .order_by("member__name")
    )
    found: defaultdict[UUID, list[tuple[int, str]]] = defaultdict(list)
    for organisation_id, space_id, name in rows.values_list(
        "organisation_id", "member_id", "member__name"
    ):
        found[organisation_id].append((space_id, name))
    return found


def _uuid(value: str) -> UUID:
    try:
        return UUID(value)
    except ValueError as error:
        raise Invalid("The form names no organisation; load the page again.") from error
