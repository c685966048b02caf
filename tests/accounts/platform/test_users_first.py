"""The administrator that the environment names."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.account.models import EmailAddress

from accounts.models import PlatformAuditEvent, User
from accounts.platform.users_first import promote_first_administrator
from tests.factories.accounts import make_user

EMAIL = "neo@example.org"


@pytest.fixture(autouse=True)
def _named(db: None, settings: Any) -> None:
    settings.BOOTSTRAP_ADMIN_EMAIL = "Neo@example.org"


def is_administrator() -> bool:
    return User.objects.filter(email=EMAIL, is_superuser=True, is_staff=True).exists()


def test_who_has_an_account_becomes_the_first_administrator() -> None:
    make_user(EMAIL)
    assert promote_first_administrator() == [
        f"{EMAIL} is now the administrator (WEKNORA_BOOTSTRAP_ADMIN_EMAIL)."
    ]
    assert is_administrator()
    event = PlatformAuditEvent.objects.get()
    assert (event.user, event.action) == (None, "person.promote")
    assert event.details == {"by": "WEKNORA_BOOTSTRAP_ADMIN_EMAIL"}


def test_it_does_nothing_while_there_is_an_administrator(root: User) -> None:
    make_user(EMAIL)
    assert promote_first_administrator() == []
    assert not is_administrator()


def test_an_administrator_who_is_switched_off_is_none() -> None:
    make_user(is_superuser=True, is_active=False)
    make_user(EMAIL)
    promote_first_administrator()
    assert is_administrator()


def test_it_makes_no_account() -> None:
    assert "nobody has signed up" in promote_first_administrator()[0]
    assert not User.objects.exists()


def test_unset_it_does_nothing(settings: Any) -> None:
    settings.BOOTSTRAP_ADMIN_EMAIL = ""
    make_user(EMAIL)
    assert promote_first_administrator() == []
    assert not is_administrator()


def test_an_address_that_must_be_confirmed_is(settings: Any) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    user = make_user(EMAIL)
    own = EmailAddress.objects.create(user=user, email=EMAIL, primary=True, verified=False)
    assert "not confirmed" in promote_first_administrator()[0]
    assert not is_administrator()
    own.verified = True
    own.save()
    promote_first_administrator()
    assert is_administrator()
