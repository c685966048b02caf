"""Use cases of erasure: asked for by administrators, by a person for themselves, or by a command."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import Erasure, Space, User
from accounts.platform.erasure import (
    Described,
    ErasureKind,
    Subject,
    begin,
    describe,
)
from accounts.platform.erasure_holds import require_no_hold
from accounts.platform.erasure_jobs import ERASE
from accounts.platform.erasure_people import has_other_members, owned_alone
from accounts.services.platform_audit import record_platform_audit
from core.errors import AccessDenied, Conflict, NotFound, Refused
from core.jobs.enqueue import enqueue
from core.wording import listed


def request_erasure(
    by: User | None,
    *,
    kind: ErasureKind,
    subject_id: str,
    reason: str = "",
    with_documents: bool = False,
) -> Erasure:
    """Take something out of sight now and let a job erase it; returns the row with the report.

    `by` is None when a command does it. A person's own account: `delete_own_account`.

    Raises:
        AccessDenied: `by` does not administer the installation.
        NotFound: there is no such person, document or space.
        Refused: a legal hold keeps it; the row of the refusal is kept, and it says who set it.
        Conflict: the person is the only owner of a space with other members, or an erasure of this
            is under way.
    """
    require_administrator(by)
    described = describe(kind, subject_id)
    return _request(by, described, reason=reason, with_documents=with_documents)


def delete_own_account(user: User, *, with_documents: bool = False) -> Erasure:
    """Let the person go, with all that is theirs; they are signed out everywhere at once.

    Raises:
        Refused: a legal hold keeps them.
        Conflict: a space with other members would belong to nobody.
    """
    described = describe("person", str(user.pk))
    return _request(user, described, reason="own account", with_documents=with_documents)


def find_subject(kind: ErasureKind, written: str) -> str:
    """Return the primary key of what an administrator wrote: of a person the address will do."""
    written = written.strip()
    if kind == "person" and "@" in written:
        user = User.objects.filter(email__iexact=written).first()
        return str(user.pk) if user is not None else written
    return written


def retry_erasure(by: User | None, *, erasure_id: UUID) -> Erasure:
    """Go on with an erasure that failed; what it has done already is not done again.

    Raises:
        AccessDenied: `by` does not administer the installation.
        NotFound: there is no failed one with this id.
    """
    require_administrator(by)
    with transaction.atomic():
        row = Erasure.objects.select_for_update().filter(pk=erasure_id, state="failed").first()
        if row is None:
            raise NotFound(_("There is no failed erasure with this id."))
        row.state, row.ended_at = "running", None
        row.save(update_fields=["state", "ended_at"])
        record_platform_audit(by, "erasure.retry", target=row)
        enqueue(ERASE, dedupe_key=str(row.pk), erasure_id=str(row.pk))
    return row


def list_erasures(by: User) -> Sequence[Erasure]:
    """Return the newest erasures.

    Raises:
        AccessDenied: the person does not administer the installation.
    """
    require_administrator(by)
    return list(Erasure.objects.select_related("requested_by")[:100])


def require_administrator(by: User | None) -> None:
    """Return for administrators of the installation, and for commands (None).

    Raises:
        AccessDenied: it is somebody else.
    """
    if by is not None and not (by.is_active and by.is_superuser):
        raise AccessDenied(_("Only administrators of the installation may do this."))


def spaces_in_the_way(user: User) -> list[Space]:
    """Return the spaces that would belong to nobody without the person: each needs an owner first."""
    return [space for space in owned_alone(user) if has_other_members(space, user)]


def spaces_that_go(user: User) -> list[Space]:
    """Return the spaces in which the person is alone: they go with them."""
    return [space for space in owned_alone(user) if not has_other_members(space, user)]


def _request(
    by: User | None, described: Described, *, reason: str, with_documents: bool
) -> Erasure:
    subject = described.subject
    asked = {"space_id": subject.space_id, "with_documents": with_documents}
    row = Erasure(
        kind=subject.kind,
        subject_id=subject.id,
        requested_by=by,
        reason=reason[:500],
        report={"asked": asked},
    )
    try:
        require_no_hold(described)
    except Refused as refusal:
        _keep_refusal(by, row, refusal)
        raise
    _refuse_ownerless(subject)
    with transaction.atomic():
        _refuse_second(subject)
        row.save(force_insert=True)
        record_platform_audit(by, "erasure.begin", target=row, kind=subject.kind)
        enqueue(ERASE, dedupe_key=str(row.pk), erasure_id=str(row.pk))
    begin(subject)
    return row


def _keep_refusal(by: User | None, row: Erasure, refusal: Refused) -> None:
    row.state = "held"
    row.report = {**row.report, "held": refusal.data["held"]}
    with transaction.atomic():
        row.save(force_insert=True)
        record_platform_audit(
            by, "erasure.begin", target=row, outcome="refused", held=refusal.data["held"]
        )


def _refuse_ownerless(subject: Subject) -> None:
    if subject.kind != "person":
        return
    left = spaces_in_the_way(User.objects.get(pk=subject.id))
    if left:
        names = listed(space.name for space in left)
        raise Conflict(
            _(
                "These spaces have other members and no other owner: %(names)s. Make somebody else an owner there first, or delete the space."
            )
            % {"names": names}
        )


def _refuse_second(subject: Subject) -> None:
    rows = Erasure.objects.filter(kind=subject.kind, subject_id=subject.id, state="running")
    if rows.exists():
        raise Conflict(_("This is being erased already."))
