"""System checks of the log-in: settings that would let nobody in, or too many."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning as CheckWarning, register

from accounts.login.ldap.config import group_roles, is_installed, ldap_config
from accounts.login.oidc.config import oidc_config

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def check_oidc(**_: object) -> list[CheckMessage]:
    """Single sign-on needs a client, and an issuer that nobody can stand in for."""
    config = oidc_config()
    if config is None:
        return []
    found: list[CheckMessage] = []
    if not config.client_id:
        found.append(
            Error(
                "WEKNORA_OIDC_ISSUER is set without WEKNORA_OIDC_CLIENT_ID.",
                hint="Register a client at the provider and name it.",
                id="weknora.E020",
            )
        )
    parts = urlsplit(config.issuer)
    if parts.scheme != "https" and parts.hostname not in LOOPBACK:
        found.append(
            Error(
                f"WEKNORA_OIDC_ISSUER={config.issuer!r} is not https: anybody on the way could "
                "sign in as anybody.",
                hint="Give the provider's https address.",
                id="weknora.E021",
            )
        )
    if config.provisioning == "always" and not config.domains:
        found.append(
            CheckWarning(
                "Everybody whom the provider knows gets an account.",
                hint="Name your domains in WEKNORA_OIDC_DOMAINS if the provider serves others, too.",
                id="weknora.W022",
            )
        )
    return found


def check_ldap(**_: object) -> list[CheckMessage]:
    """A directory needs its packages, encryption, and groups that make sense."""
    if not settings.LDAP_URL:
        return []
    if not is_installed():
        return [
            Error(
                "WEKNORA_LDAP_URL is set, but the packages for it are missing.",
                hint="Install gcc, python3-dev, libldap-dev and libsasl2-dev, then "
                "pip install -r requirements-ldap.txt.",
                id="weknora.E023",
            )
        ]
    try:
        group_roles(settings.LDAP_GROUP_ROLES)
    except ValueError as error:
        return [
            Error(
                f"WEKNORA_LDAP_GROUP_ROLES: {error}.",
                hint="Write it as Editors=contributor,IT=admin.",
                id="weknora.E024",
            )
        ]
    return [*_check_protection(), *_check_search()]


def _check_protection() -> list[CheckMessage]:
    config = ldap_config()
    if config is None or config.is_protected:
        return []
    return [
        Error(
            "The passwords that people type would travel to the directory in clear.",
            hint="Use ldaps://, or set WEKNORA_LDAP_START_TLS=true.",
            id="weknora.E025",
        )
    ]


def _check_search() -> list[CheckMessage]:
    if settings.LDAP_USER_BASE and "%(user)s" in settings.LDAP_USER_FILTER:
        return []
    return [
        Error(
            "The directory cannot be searched: WEKNORA_LDAP_USER_BASE is unset, or "
            "WEKNORA_LDAP_USER_FILTER has no %(user)s.",
            hint="Name the branch in which people are, such as ou=people,dc=example,dc=org.",
            id="weknora.E026",
        )
    ]


def check_requirement(**_: object) -> list[CheckMessage]:
    """Confirmed addresses need a mail server."""
    if settings.ACCOUNT_EMAIL_VERIFICATION != "mandatory" or settings.EMAIL_HOST:
        return []
    return [
        CheckWarning(
            "Nobody signs in before they confirm their address, but no mail leaves.",
            hint="Set WEKNORA_EMAIL_HOST, or hand out the links from the log.",
            id="weknora.W027",
        )
    ]


def register_checks() -> None:
    """Let Django run these; called once when the app is ready."""
    for check in (check_oidc, check_ldap, check_requirement):
        register(check, Tags.security)
