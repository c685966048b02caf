"""How a space comes into an organisation: by its code, by its name, or by a request."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.constants import OrganisationRole, RequestState
from accounts.models import JoinRequest, Organisation, OrganisationSpace, Space
from accounts.organisations.founding import has_valid_code
from accounts.organisations.notices import tell_of_decision, tell_of_request
from accounts.organisations.places import get_place, lock
from accounts.organisations.trail import record_in_spaces
from core.errors import Conflict, Gone, Invalid, LimitReached, NotFound

MOST_FOUND = 50
MESSAGE_LENGTH = 500
_GONE = "This code opens no organisation: it is wrong, was renewed, or its time is over."
_ORDER = (OrganisationRole.VIEWER, OrganisationRole.EDITOR, OrganisationRole.ADMIN)


def find_by_code(actor: Actor, *, code: str) -> Organisation:
    """Return the organisation that a code opens, to be looked at before joining.

    Raises:
        AccessDenied: the actor is no admin of their space.
        Gone: it opens none; the answer does not tell why.
    """
    require(actor, "create", OrganisationSpace)
    found = Organisation.objects.filter(invite_code=code.strip().lower()).first()
    if found is None or not has_valid_code(found):
        raise Gone(_GONE)
    return found


def find_by_name(actor: Actor, *, text: str) -> list[Organisation]:
    """Return organisations by a part of their name, as far as they let themselves be found.

    Those that cannot be joined now, because their code is over, are left out. At most 50, by name.

    Raises:
        AccessDenied: the actor is no admin of their space.
    """
    require(actor, "create", OrganisationSpace)
    wanted = text.replace("\x00", "").strip()[:200]
    if not wanted:
        return []
    rows = Organisation.objects.filter(is_searchable=True, name__icontains=wanted)
    rows = rows.exclude(members__member_id=actor.space_id)
    return [each for each in rows[: MOST_FOUND * 2] if has_valid_code(each)][:MOST_FOUND]


def join_by_code(actor: Actor, *, code: str, message: str = "") -> OrganisationSpace | JoinRequest:
    """Bring the actor's space in as a viewer, or ask for it where joining needs approval.

    Raises:
        AccessDenied: the actor is no admin of their space.
        Gone: the code opens none.
        Conflict: the space is in it, or has asked already.
        LimitReached: the organisation is full.
    """
    return _join(actor, find_by_code(actor, code=code), message)


def join_by_name(
    actor: Actor, *, organisation_id: UUID, message: str = ""
) -> OrganisationSpace | JoinRequest:
    """Like `join_by_code`, for an organisation that was found by its name.

    Raises:
        NotFound: there is none that lets itself be found.
        Gone: its code is over: nobody can join until an admin renews it.
        AccessDenied, Conflict, LimitReached: as in `join_by_code`.
    """
    require(actor, "create", OrganisationSpace)
    rows = Organisation.objects.filter(pk=organisation_id, is_searchable=True)
    organisation = rows.first()
    if organisation is None:
        raise NotFound(_("There is no such organisation."))
    if not has_valid_code(organisation):
        raise Gone(_("Nobody can join it now. Ask one of its admins to replace its code."))
    return _join(actor, organisation, message)


@transaction.atomic
def ask_for_role(
    actor: Actor, *, organisation_id: UUID, role: str, message: str = ""
) -> JoinRequest:
    """Ask for a higher role of the actor's space in an organisation.

    Raises:
        NotFound, AccessDenied: as `get_place` has it for changing the place.
        Invalid: the role is not above the present one.
        Conflict: the space has asked already.
    """
    place = get_place(actor, organisation_id, action="change")
    if role not in OrganisationRole.values or not is_above(role, place.role):
        raise Invalid(f"{role!r} is no role above the present one, {place.role!r}.")
    return _ask(actor, place.organisation, role=role, message=message)


@transaction.atomic
def withdraw_request(actor: Actor, *, request_id: UUID) -> JoinRequest:
    """Take back what the actor's space asked for.

    Raises:
        NotFound: the space has no open request of this id.
        AccessDenied: the actor is no admin of their space.
    """
    require(actor, "create", OrganisationSpace)
    request = open_request(request_id)
    if request.member_id != actor.space_id:
        raise NotFound(_("There is no such request."))
    _close(actor, request, RequestState.WITHDRAWN)
    record_in_spaces(
        actor,
        "organisation.request_withdrawn",
        target=request.organisation,
        spaces=[request.organisation.owner_space_id],
    )
    return request


@transaction.atomic
def decide_request(actor: Actor, *, request_id: UUID, approve: bool) -> JoinRequest:
    """Let a space in, or raise its role, as it asked; or refuse it.

    Raises:
        NotFound: no open request of an organisation in which the actor's space is.
        AccessDenied: the actor may not manage the organisation.
        LimitReached: it is full.
    """
    request = open_request(request_id)
    organisation = get_place(actor, request.organisation_id, action="manage").organisation
    if approve:
        place = OrganisationSpace.objects.filter(
            organisation=organisation, member_id=request.member_id
        ).first()
        if place is None:
            enter(organisation, space_id=request.member_id, role=request.role)
        elif is_above(request.role, place.role):
            place.role = request.role
            place.save(update_fields=["role"])
    state = RequestState.APPROVED if approve else RequestState.REJECTED
    _close(actor, request, state)
    record_in_spaces(
        actor,
        f"organisation.request_{state}",
        target=organisation,
        spaces=[request.member_id, organisation.owner_space_id],
        space=str(request.member),
        role=request.role,
    )
    tell_of_decision(request)
    return request


def enter(
    organisation: Organisation, *, space_id: int, role: str, representative_id: int | None = None
) -> OrganisationSpace:
    """Give a space a place; call it in a transaction.

    Raises:
        Conflict: it has one.
        LimitReached: the organisation is full.
    """
    organisation = lock(organisation)
    if organisation.members.filter(member_id=space_id).exists():
        raise Conflict(_("This space is in the organisation already."))
    if organisation.members.count() >= organisation.member_limit:
        raise LimitReached(
            _("The organisation holds %(count)s spaces, the most it may have.")
            % {"count": organisation.member_limit}
        )
    return OrganisationSpace.objects.create(
        organisation=organisation,
        member_id=space_id,
        role=role,
        representative_id=representative_id,
    )


def open_request(request_id: UUID) -> JoinRequest:
    """Return a request that nobody has decided yet, locked; call it in a transaction.

    Raises:
        NotFound: there is none.
    """
    rows = JoinRequest.objects.select_for_update(of=("self",)).select_related(
        "organisation", "member"
    )
    request = rows.filter(pk=request_id, state=RequestState.PENDING).first()
    if request is None:
        raise NotFound(_("There is no such request, or it is decided."))
    return request


def is_above(role: str, other: str) -> bool:
    """Say whether a role in an organisation is higher than another."""
    order = [each.value for each in _ORDER]
    return order.index(role) > order.index(other)


@transaction.atomic
def _join(
    actor: Actor, organisation: Organisation, message: str
) -> OrganisationSpace | JoinRequest:
    if organisation.members.filter(member_id=actor.space_id).exists():
        raise Conflict(_("Your space is in this organisation already."))
    if organisation.require_approval:
        if organisation.members.count() >= organisation.member_limit:
            raise LimitReached(_("The organisation is full; its admins can remove spaces."))
        return _ask(actor, organisation, role=OrganisationRole.VIEWER, message=message)
    place = enter(
        organisation,
        space_id=actor.space_id,
        role=OrganisationRole.VIEWER,
        representative_id=actor.user_id,
    )
    JoinRequest.objects.filter(
        organisation=organisation, member_id=actor.space_id, state=RequestState.PENDING
    ).update(state=RequestState.APPROVED, decided_at=timezone.now())
    record_in_spaces(
        actor, "organisation.join", target=organisation, spaces=[organisation.owner_space_id]
    )
    return place


def _ask(actor: Actor, organisation: Organisation, *, role: str, message: str) -> JoinRequest:
    lock(organisation)
    asked = JoinRequest.objects.filter(organisation=organisation, member_id=actor.space_id)
    if asked.filter(state=RequestState.PENDING).exists():
        raise Conflict(_("Your space has asked already; its request is waiting."))
    text = message.replace("\x00", "").strip()
    if len(text) > MESSAGE_LENGTH:
        raise Invalid(
            _("A message has at most %(limit)s characters, this one %(count)s.")
            % {"limit": MESSAGE_LENGTH, "count": len(text)}
        )
    request = JoinRequest.objects.create(
        organisation=organisation,
        member=Space.objects.get(pk=actor.space_id),
        requested_by_id=actor.user_id,
        role=role,
        message=text,
    )
    record_in_spaces(
        actor,
        "organisation.request",
        target=organisation,
        spaces=[organisation.owner_space_id],
        role=str(role),
    )
    tell_of_request(request)
    return request


def _close(actor: Actor, request: JoinRequest, state: RequestState) -> None:
    request.state = state
    request.decided_by_id = actor.user_id
    request.decided_at = timezone.now()
    request.save(update_fields=["state", "decided_by", "decided_at"])
