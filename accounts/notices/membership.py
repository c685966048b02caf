"""Mails to people about their own membership, in their language; after the commit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import translation

from accounts.models import Membership, User
from accounts.notices.mail import send_mail


def tell_of_role(membership: Membership) -> None:
    """Tell a member that their role is another one."""
    _send(membership.user, "notices/member_role.txt", {"membership": membership})


def tell_of_state(membership: Membership) -> None:
    """Tell a member that they are kept out, or let in again."""
    _send(membership.user, "notices/member_state.txt", {"membership": membership})


def tell_of_end(membership: Membership) -> None:
    """Tell somebody that they are no member any more."""
    _send(membership.user, "notices/member_removed.txt", {"membership": membership})


def tell_of_joining(membership: Membership) -> None:
    """Tell somebody that they were made a member without being asked."""
    _send(membership.user, "notices/member_joined.txt", {"membership": membership})


def _send(person: User, template: str, context: Mapping[str, Any]) -> None:
    space = context["membership"].space  # read now: the row may be gone after the commit
    values = {**context, "space": space, "person": person}

    def send() -> None:
        language = person.language or space.language or translation.get_language() or "en"
        with translation.override(language):
            send_mail(to=person.email, template=template, context=values)

    transaction.on_commit(send)
