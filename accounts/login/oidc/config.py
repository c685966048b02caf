"""What the installation was told about its identity provider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from django.conf import settings

from accounts.login.registration import Provisioning

WELL_KNOWN = "/.well-known/openid-configuration"


@dataclass(frozen=True, kw_only=True)
class OidcConfig:
    """One OpenID Connect provider."""

    issuer: str
    """Must be, to the letter, what discovery and ID tokens name."""
    client_id: str
    client_secret: str
    name: str
    """On the button: "Sign in with <name>"."""
    scopes: tuple[str, ...]
    domains: tuple[str, ...]
    """Lower case; only addresses of these domains come in. Empty: all."""
    provisioning: Provisioning
    space_id: int | None
    """The space that a new person joins; None: what they sign up with otherwise."""
    role: str
    """Their role there."""

    @property
    def discovery_url(self) -> str:
        """Where the provider describes itself."""
        return self.issuer.rstrip("/") + WELL_KNOWN

    def lets_in(self, email: str) -> bool:
        """Say whether an address is of an allowed domain."""
        domain = email.rpartition("@")[2].lower()
        return not self.domains or domain in self.domains


def oidc_config() -> OidcConfig | None:
    """Return the provider; None when there is none."""
    if not settings.OIDC_ISSUER:
        return None
    return OidcConfig(
        issuer=settings.OIDC_ISSUER,
        client_id=settings.OIDC_CLIENT_ID,
        client_secret=settings.OIDC_CLIENT_SECRET,
        name=settings.OIDC_NAME,
        scopes=tuple(settings.OIDC_SCOPES),
        domains=tuple(domain.lower().lstrip("@") for domain in settings.OIDC_DOMAINS),
        provisioning=cast(Provisioning, settings.OIDC_PROVISION),
        space_id=settings.OIDC_SPACE or None,
        role=settings.OIDC_ROLE,
    )
