"""System checks: combinations of settings that would fail later, told with what to do."""

from __future__ import annotations

from collections.abc import Callable

from cryptography.fernet import Fernet
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning as CheckWarning, register

LOOPBACK = ("127.0.0.1", "::1", "localhost")
LOCAL_NAMES = {"localhost", "127.0.0.1", "[::1]"}
THREADS_OF_RUNS_AT_WORK = 12
"""So many runs write at the same moment when many are open; others wait a little for a connection."""
THREADS_BESIDE_JOBS = 4
"""Scheduler, housekeeper, job heartbeat and one to spare want a connection, too."""

Rule = Callable[[], list[CheckMessage]]


def rule(tag: str, *, deploy: bool = False) -> Callable[[Rule], Rule]:
    """Register a function without arguments as a system check."""

    def add(function: Rule) -> Rule:
        register(lambda **_: function(), tag, deploy=deploy)
        return function

    return add


@rule(Tags.security)
def check_field_keys() -> list[CheckMessage]:
    """Every key of encrypted columns must be a Fernet key."""
    if not settings.FIELD_ENCRYPTION_KEYS:
        return [
            Error(
                "There is no key for encrypted columns.",
                hint="Unset WEKNORA_FIELD_KEYS to use the generated one.",
                id="weknora.E001",
            )
        ]
    for number, key in enumerate(settings.FIELD_ENCRYPTION_KEYS, start=1):
        try:
            Fernet(key)
        except ValueError:
            return [
                Error(
                    f"Key {number} of WEKNORA_FIELD_KEYS is no Fernet key.",
                    hint="Make one with: python -c 'from cryptography.fernet import Fernet; "
                    "print(Fernet.generate_key().decode())'",
                    id="weknora.E002",
                )
            ]
    return []


@rule(Tags.security)
def check_hosts() -> list[CheckMessage]:
    """Who listens beyond this machine must be reachable under a name that is allowed."""
    found: list[CheckMessage] = []
    if settings.LISTEN_HOST not in LOOPBACK and set(settings.ALLOWED_HOSTS) <= LOCAL_NAMES:
        found.append(
            CheckWarning(
                f"WEKNORA_HOST={settings.LISTEN_HOST} listens to other machines, but only names of "
                "this machine are allowed, so they get a 400.",
                hint="Set WEKNORA_ALLOWED_HOSTS to the names people use, separated by commas.",
                id="weknora.W003",
            )
        )
    if "*" in settings.ALLOWED_HOSTS and settings.LISTEN_HOST not in LOOPBACK:
        found.append(
            CheckWarning(
                "WEKNORA_ALLOWED_HOSTS=* believes any name: links in mails can be forged.",
                hint="Name the hosts.",
                id="weknora.W004",
            )
        )
    return found


@rule(Tags.security)
def check_origins() -> list[CheckMessage]:
    """Origins need a scheme, and behind HTTPS the secure one."""
    wrong = [
        origin
        for origin in settings.CSRF_TRUSTED_ORIGINS
        if not origin.startswith(("http://", "https://"))
        or (settings.BEHIND_HTTPS and not origin.startswith("https://"))
    ]
    if not wrong:
        return []
    return [
        Error(
            f"WEKNORA_ORIGINS names {wrong[0]!r}, which no browser will send.",
            hint="Write it as https://name (http:// only without WEKNORA_HTTPS).",
            id="weknora.E005",
        )
    ]


@rule(Tags.security)
def check_debug() -> list[CheckMessage]:
    """Debug pages show settings and source to whoever causes an error."""
    if not settings.DEBUG or settings.LISTEN_HOST in LOOPBACK:
        return []
    return [
        Error(
            "WEKNORA_DEBUG is on while other machines are listened to.",
            hint="Unset WEKNORA_DEBUG, or listen on 127.0.0.1.",
            id="weknora.E006",
        )
    ]


@rule(Tags.security)
def check_secrets_file() -> list[CheckMessage]:
    """The file of generated secrets is for its owner only."""
    file = settings.EMBEDDED.secrets_file
    if not file.exists() or not file.stat().st_mode & 0o077:
        return []
    return [
        CheckWarning(
            f"{file} can be read by other users of this machine.",
            hint=f"chmod 600 {file}",
            id="weknora.W007",
        )
    ]


@rule(Tags.database)
def check_pool() -> list[CheckMessage]:
    """Threads of ingestion each hold a connection while they work; runs give theirs back."""
    wanted = max(THREADS_OF_RUNS_AT_WORK, settings.INGEST_THREADS) + THREADS_BESIDE_JOBS
    if not 0 < settings.DATABASE_POOL < wanted:
        return []
    return [
        Error(
            f"WEKNORA_DATABASE_POOL={settings.DATABASE_POOL} is smaller than the {wanted} connections "
            "that a worker's threads may need at once.",
            hint=f"Set WEKNORA_DATABASE_POOL={wanted}, or fewer WEKNORA_INGEST_THREADS.",
            id="weknora.E008",
        )
    ]


@rule(Tags.async_support)
def check_lease() -> list[CheckMessage]:
    """A lease must outlive some lost heartbeats, or live jobs are taken over."""
    if settings.JOB_LEASE_SECONDS >= 3 * settings.JOB_HEARTBEAT_SECONDS:
        return []
    return [
        Error(
            f"WEKNORA_JOB_LEASE_SECONDS={settings.JOB_LEASE_SECONDS:g} is less than three "
            f"heartbeats of {settings.JOB_HEARTBEAT_SECONDS:g} s: living jobs would be taken over.",
            hint="Lower WEKNORA_JOB_HEARTBEAT_SECONDS or raise the lease.",
            id="weknora.E009",
        )
    ]


@rule(Tags.compatibility)
def check_mail() -> list[CheckMessage]:
    """Credentials must not travel in clear."""
    plain = settings.EMAIL_HOST and not (settings.EMAIL_USE_TLS or settings.EMAIL_USE_SSL)
    if not plain or not settings.EMAIL_HOST_PASSWORD or settings.EMAIL_HOST in LOOPBACK:
        return []
    return [
        CheckWarning(
            "The mail server's password would be sent without encryption.",
            hint="Set WEKNORA_EMAIL_SECURITY to starttls or tls.",
            id="weknora.W010",
        )
    ]


@rule(Tags.security, deploy=True)
def check_kept_secrets() -> list[CheckMessage]:
    """An installation that serves needs keys that outlive the process."""
    if settings.SECRETS_ARE_KEPT:
        return []
    return [
        Error(
            f"There is no {settings.EMBEDDED.secrets_file}: sessions and encrypted columns would "
            "be lost with this process.",
            hint="Run `manage.py start` once, or set WEKNORA_SECRET_KEY and WEKNORA_FIELD_KEYS.",
            id="weknora.E011",
        )
    ]
