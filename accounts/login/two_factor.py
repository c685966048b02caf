"""Second factors: who has one, who must have one, and how their secrets are kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import Any
from xml.etree.ElementTree import ElementTree

import qrcode
from allauth.account.internal.flows.login import AUTHENTICATION_METHODS_SESSION_KEY
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _, gettext_lazy
from qrcode.image.svg import SvgPathImage

from accounts.access import Actor, require
from accounts.actors import active_memberships
from accounts.models import Membership, Space, User
from accounts.services.audit import record_audit
from core.errors import Conflict
from core.secrets import decrypt, encrypt

SECOND_FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


class MfaAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth ships no types
    """Secrets of authenticators are encrypted like all secrets; who must have a factor keeps one."""

    error_messages = {  # noqa: RUF012  as allauth declares it
        **DefaultMFAAdapter.error_messages,
        "cannot_delete_authenticator": gettext_lazy(
            "You are required to use two-factor, and this is your only method. Add another one first."
        ),
    }

    def get_totp_issuer(self) -> str:
        """Name the product in the authenticator app, and where it runs."""
        return f"WeKnora ({self._get_site_name()})"

    def build_totp_svg(self, url: str) -> str:
        """Draw the code without a size, so that the page's style sheet gives it one."""
        image = qrcode.make(url, image_factory=SvgPathImage, border=2)
        root = image.get_image()
        for name in ("width", "height"):
            root.attrib.pop(name, None)
        buffer = BytesIO()
        ElementTree(root).write(buffer, encoding="utf-8")
        return buffer.getvalue().decode()

    def encrypt(self, text: str) -> str:
        """Encrypt with the installation's key."""
        return encrypt(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Decrypt with the installation's keys."""
        return decrypt(encrypted_text)

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        """Keep the last factor of a person who must have one."""
        others = Authenticator.objects.filter(user=authenticator.user, type__in=SECOND_FACTORS)
        if not must_have(authenticator.user):
            return True
        return bool(others.exclude(pk=authenticator.pk).exists())


def has_two_factor(user: User) -> bool:
    """Say whether the person has an authenticator app or a passkey."""
    return bool(Authenticator.objects.filter(user=user, type__in=SECOND_FACTORS).exists())


def forget_factors(user: User) -> int:
    """Remove all second factors of a person who lost them; return how many. Ask who they are first."""
    count, _by_model = Authenticator.objects.filter(user=user).delete()
    return int(count)


def must_have(user: User, memberships: Iterable[Membership] | None = None) -> bool:
    """Say whether the installation, or one of these spaces (default: all theirs), requires it."""
    if _required_by_installation(user):
        return True
    found = active_memberships(user) if memberships is None else memberships
    return any(one.space.requires_two_factor for one in found)


def lacks_two_factor(
    user: User, *, membership: Membership | None, session: Mapping[str, Any]
) -> bool:
    """Say whether the person may not go on, in this space, before they have a second factor.

    Asks the database only where one is required.
    """
    if not must_have(user, [membership] if membership else []):
        return False
    if settings.OIDC_HAS_TWO_FACTOR and _came_by_single_sign_on(session):
        return False
    return not has_two_factor(user)


def require_of_members(actor: Actor, *, required: bool) -> Space:
    """Say whether members of the actor's space need a second factor to enter it.

    Raises:
        AccessDenied: the actor is no owner.
        Conflict: the owner has none, and would shut themselves out.
    """
    with transaction.atomic():
        space = Space.objects.select_for_update().get(pk=actor.space_id)
        require(actor, "share", space)
        owner = User.objects.filter(pk=actor.user_id or 0).first()
        if required and not (owner and has_two_factor(owner)):
            raise Conflict(
                _("Set up two-factor for yourself first, or you would shut yourself out.")
            )
        if space.requires_two_factor != required:
            space.requires_two_factor = required
            space.save(update_fields=["requires_two_factor"])
            record_audit(actor, "space.two_factor", target=space, required=required)
    return space


def _required_by_installation(user: User) -> bool:
    whom = settings.REQUIRE_TWO_FACTOR
    return whom == "everybody" or (whom == "staff" and user.is_staff)


def _came_by_single_sign_on(session: Mapping[str, Any]) -> bool:
    records = session.get(AUTHENTICATION_METHODS_SESSION_KEY) or ()
    return any(record.get("method") == "socialaccount" for record in records)
