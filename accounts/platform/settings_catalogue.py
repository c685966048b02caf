"""Every setting that an administrator may change in the console, with its type and its default.

An entry belongs to one variable of the environment and one name in `settings`; the code that uses it
asks `core.live.live(name)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts.platform.settings_kinds import Choice, Kind, Switch, Text, Whole, Words
from core.addresses import parse_allow_list


@dataclass(frozen=True, kw_only=True)
class Definition:
    """One setting."""

    key: str
    """Dotted; under this name a changed value is kept."""
    group: Text
    label: Text
    help: Text
    kind: Kind
    default: Any
    """The JSON value without environment and database."""
    name: str
    """In `settings`, where environment or default stand."""
    variable: str
    """Of the environment."""
    restart_needed: bool = False
    """Whether a change waits for the next start of the workers."""
    only_narrower: bool = False
    """Of a choice: what the environment says is the widest that the database may say."""


_IN = _("Sign-in")
_SPACES = _("Spaces")
_AUDIT = _("Audit")
_CALLS = _("Outgoing calls")
_WORK = _("Background work")

DEFINITIONS: tuple[Definition, ...] = (
    Definition(
        key="auth.registration_mode",
        group=_IN,
        label=_("Registration"),
        help=_("Who may create an account. What the environment closes stays closed."),
        kind=Choice(
            options=(
                ("self_serve", _("Anybody can sign up")),
                ("invite_only", _("Only invited people sign up")),
                ("closed", _("Only administrators create accounts")),
            )
        ),
        default="self_serve",
        name="ACCOUNTS_REGISTRATION",
        variable="WEKNORA_REGISTRATION",
        only_narrower=True,
    ),
    Definition(
        key="auth.default_space",
        group=_IN,
        label=_("A new person's space"),
        help=_("What somebody who signs up uninvited begins with."),
        kind=Choice(options=(("personal", _("A space of their own")), ("none", _("No space")))),
        default="personal",
        name="ACCOUNTS_DEFAULT_SPACE",
        variable="WEKNORA_DEFAULT_SPACE",
    ),
    Definition(
        key="spaces.self_service",
        group=_SPACES,
        label=_("People create spaces"),
        help=_("Off: only administrators of the installation create spaces."),
        kind=Switch(),
        default=True,
        name="ACCOUNTS_SPACE_CREATION",
        variable="WEKNORA_SPACE_CREATION",
    ),
    Definition(
        key="spaces.max_owned",
        group=_SPACES,
        label=_("Spaces that one person may own"),
        help=_("Spaces that they own already stay theirs."),
        kind=Whole(at_least=1, at_most=10_000),
        default=10,
        name="ACCOUNTS_MAX_OWNED_SPACES",
        variable="WEKNORA_MAX_OWNED_SPACES",
    ),
    Definition(
        key="spaces.default_quota_gb",
        group=_SPACES,
        label=_("Storage of a space, in GB"),
        help=_("For spaces without a quota of their own; 0: no limit."),
        kind=Whole(at_least=0, at_most=1_000_000),
        default=10,
        name="DEFAULT_QUOTA_GB",
        variable="WEKNORA_DEFAULT_QUOTA_GB",
    ),
    Definition(
        key="spaces.auto_accept",
        group=_SPACES,
        label=_("Invited people join at once"),
        help=_("For new spaces: people who have an account become members without being asked."),
        kind=Switch(),
        default=False,
        name="ACCOUNTS_AUTO_ACCEPT",
        variable="WEKNORA_AUTO_ACCEPT",
    ),
    Definition(
        key="audit.days",
        group=_AUDIT,
        label=_("Days for which the audit log is kept"),
        help=_("For spaces that say nothing else; 0: for ever."),
        kind=Whole(at_least=0, at_most=36_500),
        default=90,
        name="AUDIT_DAYS",
        variable="WEKNORA_AUDIT_DAYS",
    ),
    Definition(
        key="ssrf.allow",
        group=_CALLS,
        label=_("Internal addresses that may be called"),
        help=_(
            "A host name, *.suffix, an IP address or a network such as 10.1.0.0/16; one on each line."
        ),
        kind=Words(read=parse_allow_list),
        default=[],
        name="SSRF_ALLOW",
        variable="WEKNORA_SSRF_ALLOW",
    ),
    Definition(
        key="models.max_concurrency",
        group=_CALLS,
        label=_("Background calls of one model at once"),
        help=_("Upper limit for every model's own setting. People's calls never wait for it."),
        kind=Whole(at_least=1, at_most=1_000),
        default=32,
        name="MODEL_CONCURRENCY",
        variable="WEKNORA_MODEL_CONCURRENCY",
    ),
    Definition(
        key="jobs.rows_kept_days",
        group=_WORK,
        label=_("Days for which ended jobs are kept"),
        help=_("After that their rows are deleted."),
        kind=Whole(at_least=1, at_most=3_650),
        default=30,
        name="JOB_ROWS_KEPT_DAYS",
        variable="WEKNORA_JOB_ROWS_KEPT_DAYS",
    ),
    Definition(
        key="work.ingest_threads",
        group=_WORK,
        label=_("Documents that one worker reads at a time"),
        help=_("Each takes a connection to the database."),
        kind=Whole(at_least=1, at_most=16),
        default=3,
        name="INGEST_THREADS",
        variable="WEKNORA_INGEST_THREADS",
        restart_needed=True,
    ),
)
BY_KEY: Mapping[str, Definition] = {each.key: each for each in DEFINITIONS}
BY_NAME: Mapping[str, Definition] = {each.name: each for each in DEFINITIONS}
