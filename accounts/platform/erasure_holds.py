"""Legal holds: while one is set nothing of the person or space is erased, and it is said who set it."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import transaction
from django.utils import formats, timezone
from django.utils.translation import gettext as _

from accounts.models import PlatformAuditEvent, Space, User
from accounts.platform.erasure import Described
from accounts.services.platform_audit import record_platform_audit
from core.errors import AccessDenied, Refused

ACTION = "legal_hold.set"
"""In the platform's audit, with `details.held`."""


@transaction.atomic
def set_legal_hold(by: User | None, target: User | Space, *, held: bool, reason: str = "") -> None:
    """Set or lift a hold; `by` is None when a command does it.

    Raises:
        AccessDenied: the person does not administer the installation.
    """
    if by is not None and not (by.is_active and by.is_superuser):
        raise AccessDenied(_("Only administrators of the installation set a legal hold."))
    if target.legal_hold == held:
        return
    target.legal_hold = held
    target.save(update_fields=["legal_hold"])
    record_platform_audit(by, ACTION, target=target, held=held, reason=reason[:500])


def require_no_hold(described: Described) -> None:
    """Return when nothing keeps the subject.

    Raises:
        Refused: a legal hold does; the message names who set it and when, `data` has `held`.
    """
    for target in _held(described):
        raise Refused(_refusal(target), held=f"{target._meta.label_lower} {target.pk}")


def _held(described: Described) -> Iterator[User | Space]:
    yield from User.objects.filter(pk__in=described.user_ids, legal_hold=True)
    yield from Space.objects.filter(pk__in=described.space_ids, legal_hold=True)


def _refusal(target: User | Space) -> str:
    rows = PlatformAuditEvent.objects.filter(
        action=ACTION, target_type=target._meta.label_lower, target_id=str(target.pk)
    )
    row = rows.filter(details__held=True).order_by("-created_at").first()
    if row is None:
        text = _("%(target)s is under a legal hold. Nothing is erased before it is lifted.")
        return text % {"target": target}
    text = _(
        "%(target)s is under a legal hold, set by %(person)s on %(date)s. Nothing is erased before it is lifted."
    )
    return text % {
        "target": target,
        "person": row.actor_name or _("a command"),
        "date": formats.date_format(timezone.localtime(row.created_at), "DATE_FORMAT"),
    }
