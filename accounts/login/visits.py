"""Whether a visit that outlasts its request, such as a socket, may go on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet, Subquery

from accounts.login.sessions import signs_in, stored_sessions
from accounts.login.two_factor import lacks_two_factor
from accounts.models import Membership


def with_visit(
    memberships: QuerySet[Membership], *, session: Mapping[str, Any]
) -> QuerySet[Membership]:
    """Return the memberships with what `may_go_on` asks of them, in the same query.

    A window with a streamed answer asks every few seconds.
    """
    stored = stored_sessions(_key_of(session)).values("session_data")[:1]
    return memberships.select_related("space", "user").annotate(stored_session=Subquery(stored))


def may_go_on(membership: Membership, *, session: Mapping[str, Any]) -> bool:
    """Say whether the session still signs the person in, with the factors that the space requires.

    The membership is one of `with_visit`. A session without a key is no browser's; what opened it
    answers for it.
    """
    user = membership.user
    if _key_of(session) and not signs_in(user, getattr(membership, "stored_session", None)):
        return False
    return not lacks_two_factor(user, membership=membership, session=session)


def _key_of(session: Mapping[str, Any]) -> str:
    return getattr(session, "session_key", None) or ""
