"""The browsers in which a person is signed in."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.signals import sessions_ended
from core.errors import NotFound

SEEN_KEY = "seen_at"
"""In the session: when its person was last seen, in seconds; written at most once a minute."""
SEEN_EVERY_SECONDS = 60
_BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


@dataclass(frozen=True, kw_only=True)
class SessionRow:
    """One browser of the person's list."""

    id: int
    device: str
    is_mobile: bool
    ip_address: str
    signed_in_at: datetime
    last_seen_at: datetime
    is_current: bool


def sessions_of(user: User, *, current_key: str | None) -> list[SessionRow]:
    """Return the browsers in which the person is signed in: this one, then the last used first."""
    rows = [
        SessionRow(
            id=row.pk,
            device=device_name(row.user_agent),
            is_mobile="Mobi" in row.user_agent,
            ip_address=row.ip,
            signed_in_at=row.created_at,
            last_seen_at=row.last_seen_at,
            is_current=row.session_key == current_key,
        )
        for row in UserSession.objects.purge_and_list(user)
    ]
    return sorted(rows, key=lambda row: (not row.is_current, -row.last_seen_at.timestamp()))


def end_session(user: User, *, session_id: int) -> None:
    """Sign the person out in one browser.

    Raises:
        NotFound: it is not one of theirs.
    """
    row = UserSession.objects.filter(user=user, pk=session_id).first()
    if row is None:
        raise NotFound(_("There is no such session. It may have ended already."))
    row.end()
    _announce(user)


def end_sessions(user: User, *, keep_key: str | None = None) -> int:
    """Sign the person out everywhere, or everywhere but in one browser; return how many ended.

    Call it when a password was changed or reset and when a person is switched off.
    """
    rows = UserSession.objects.filter(user=user).exclude(session_key=keep_key or "")
    count = 0
    for row in rows:
        row.end()
        count += 1
    _announce(user)
    return count


def note_activity(request: HttpRequest) -> None:
    """Write down, at most once a minute, that the session is used, from where and with what."""
    if time.time() - request.session.get(SEEN_KEY, 0) < SEEN_EVERY_SECONDS:
        return
    request.session[SEEN_KEY] = int(time.time())
    UserSession.objects.create_from_request(request)


def begin_activity(session: MutableMapping[str, Any]) -> None:
    """Begin to count idle time: the person has just signed in."""
    session[SEEN_KEY] = int(time.time())


def idle_seconds(session: Mapping[str, Any]) -> int:
    """Return how long the session was not used, to the minute."""
    seen = session.get(SEEN_KEY)
    return int(time.time()) - seen if seen else 0


def stored_sessions(session_key: str) -> QuerySet[Session]:
    """Return the row of a session that was opened earlier, unless it has ended or is too old."""
    return Session.objects.filter(session_key=session_key, expire_date__gt=timezone.now())


def signs_in(user: User, stored: str | None) -> bool:
    """Say whether a stored session signs this person in: it is theirs, by their present password.

    `stored` is its `session_data` as it is now, None when it has ended. The same as Django asks of a
    request's session, but that nothing is written.
    """
    if stored is None:
        return False
    data: Mapping[str, Any] = SessionStore().decode(stored)
    if data.get(SESSION_KEY) != str(user.pk):
        return False
    if data.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS:
        return False
    hashes = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return any(constant_time_compare(data.get(HASH_SESSION_KEY, ""), each) for each in hashes)


def device_name(user_agent: str) -> str:
    """Name browser and system in words; what is unknown is said to be so."""
    browser = next((name for mark, name in _BROWSERS if mark in user_agent), "")
    system = next((name for mark, name in _SYSTEMS if mark in user_agent), "")
    if browser and system:
        return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    first = re.split(r"[/ ]", user_agent, maxsplit=1)[0][:40]
    return browser or system or first or _("Unknown device")


def _announce(user: User) -> None:
    transaction.on_commit(lambda: sessions_ended.send(User, user_id=user.pk))
