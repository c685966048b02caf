"""Whether a visit that outlasts its request, such as a socket, may go on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from accounts.login.sessions import is_alive
from accounts.login.two_factor import lacks_two_factor
from accounts.models import Membership, User


def may_go_on(user: User, *, membership: Membership, session: Mapping[str, Any]) -> bool:
    """Say whether the session still signs the person in, with the factors that the space requires.

    A session without a key is no browser's; what opened it answers for it.
    """
    key = getattr(session, "session_key", None)
    if key and not is_alive(key):
        return False
    return not lacks_two_factor(user, membership=membership, session=session)
