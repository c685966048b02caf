"""Signing in with the password of a directory, against a real OpenLDAP server over TLS."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth import SESSION_KEY
from django.core.cache import cache
from django.core.checks import CheckMessage
from django.test import Client
from django.urls import reverse

from accounts.constants import Role
from accounts.login import checks
from accounts.login.ldap.config import BACKEND, LdapConfig, group_roles, ldap_config
from accounts.models import Membership, PlatformAuditEvent, User
from tests.accounts.login.directory import (
    GROUPS,
    PASSWORD,
    PEOPLE,
    SEARCHER,
    SEARCHER_PASSWORD,
    SLAPD,
    Directory,
)
from tests.factories.accounts import PASSWORD as LOCAL_PASSWORD, make_invitation, make_space
from tests.personas import Persona

INSTALLED = importlib.util.find_spec("ldap") and importlib.util.find_spec("django_auth_ldap")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Directory]:
    if not INSTALLED:
        pytest.skip("the packages are missing: pip install -r requirements-ldap.txt")
    if SLAPD is None:
        pytest.skip("slapd is missing: apt-get install slapd")
    directory = Directory(tmp_path_factory.mktemp("ldap"))
    yield directory
    directory.close()


@pytest.fixture
def directory(running: Directory, settings: Any, db: None) -> Directory:
    """The directory, and the installation told about it."""
    cache.clear()
    configure(settings, url=running.url)
    settings.LDAP_CA_FILE = str(running.ca_file)
    return running


def configure(settings: Any, *, url: str) -> None:
    settings.LDAP_URL, settings.LDAP_START_TLS = url, True
    settings.LDAP_BIND_DN, settings.LDAP_BIND_PASSWORD = SEARCHER, SEARCHER_PASSWORD
    settings.LDAP_USER_BASE, settings.LDAP_GROUP_BASE = PEOPLE, GROUPS
    settings.LDAP_GROUP_ROLES = ["Wiki Editors=contributor"]
    settings.AUTHENTICATION_BACKENDS = [*settings.AUTHENTICATION_BACKENDS, BACKEND]


def sign_in(email: str, password: str = PASSWORD) -> tuple[Client, str]:
    """Return the browser, and what the page says when it did not let one in."""
    client = Client()
    response = client.post(reverse("account_login"), {"login": email, "password": password})
    text = re.search(r'role="alert".*?<p>(.*?)</p>', response.content.decode(), re.DOTALL)
    return client, text[1] if text else ""


def is_in(client: Client) -> bool:
    return SESSION_KEY in client.session


def test_a_person_of_the_directory_comes_in(directory: Directory) -> None:
    client, _ = sign_in("neo@example.org")
    assert is_in(client)
    user = User.objects.get(email="neo@example.org")
    assert (user.name, user.has_usable_password()) == ("Neo", False)
    assert client.get(reverse("profile")).status_code == 200


@pytest.mark.parametrize("password", ["wrong", LOCAL_PASSWORD, " " + PASSWORD])
def test_a_wrong_password_does_not(directory: Directory, password: str) -> None:
    client, text = sign_in("neo@example.org", password)
    assert not is_in(client)
    assert text == "That e-mail and password do not match."
    assert not User.objects.exists()


@pytest.mark.parametrize("email", ["*@example.org", "neo*@example.org", "smith@example.org"])
def test_a_search_cannot_be_widened_by_what_is_typed(directory: Directory, email: str) -> None:
    client, text = sign_in(email)
    assert not is_in(client)
    assert not User.objects.exists()


def test_the_role_follows_the_groups_at_each_log_in(directory: Directory, settings: Any) -> None:
    space = make_space()
    settings.LDAP_SPACE = space.pk
    for email, role in (("neo@example.org", "contributor"), ("trinity@example.org", "viewer")):
        sign_in(email)
        assert Membership.objects.get(user__email=email).role == role
    settings.LDAP_GROUP_ROLES = ["Wiki Editors=admin"]
    sign_in("neo@example.org")
    assert Membership.objects.get(user__email="neo@example.org").role == Role.ADMIN


def test_an_owner_stays_an_owner_whatever_the_groups_say(
    directory: Directory, settings: Any
) -> None:
    space = make_space()
    settings.LDAP_SPACE = space.pk
    sign_in("neo@example.org")
    Membership.objects.update(role=Role.OWNER)
    sign_in("neo@example.org")
    assert Membership.objects.get().role == Role.OWNER


def test_an_account_that_is_switched_off_stays_out(directory: Directory) -> None:
    client, _ = sign_in("neo@example.org")
    User.objects.update(is_active=False)
    assert client.get(reverse("profile")).status_code == 302
    assert not is_in(sign_in("neo@example.org")[0])


def test_registration_by_invitation_holds_for_the_directory_too(
    directory: Directory, settings: Any, olivia: Persona
) -> None:
    settings.ACCOUNTS_REGISTRATION = "invite_only"
    client, text = sign_in("neo@example.org")
    assert not is_in(client)
    assert "There is no account for neo@example.org" in text
    make_invitation(olivia.space, email="neo@example.org")
    assert is_in(sign_in("neo@example.org")[0])
    row = PlatformAuditEvent.objects.filter(action="login.failed", details__method="ldap").get()
    assert PASSWORD not in str(row.details)


def test_a_squatted_address_is_not_shared_with_the_directory(directory: Directory) -> None:
    form = {"email": "neo@example.org", "password1": LOCAL_PASSWORD}
    Client().post(reverse("account_signup"), form)
    client, text = sign_in("neo@example.org")
    assert not is_in(client)
    assert "never confirmed" in text


def test_a_server_that_the_authority_did_not_sign_gets_no_password(
    directory: Directory, settings: Any
) -> None:
    settings.LDAP_CA_FILE = "/etc/ssl/certs/ca-certificates.crt"
    assert not is_in(sign_in("neo@example.org")[0])


def test_without_tls_the_server_is_not_asked(directory: Directory, settings: Any) -> None:
    """The server itself demands encryption; our own check is below."""
    settings.LDAP_START_TLS = False
    assert not is_in(sign_in("neo@example.org")[0])


def test_passwords_from_here_work_when_the_directory_is_away(
    directory: Directory, settings: Any, olivia: Persona
) -> None:
    settings.LDAP_URL = "ldap://127.0.0.1:1"
    assert is_in(sign_in(olivia.user.email, LOCAL_PASSWORD)[0])
    assert not is_in(sign_in("neo@example.org")[0])


def test_guesses_at_the_directory_are_slowed_down_too(directory: Directory) -> None:
    for number in range(5):
        sign_in("neo@example.org", f"wrong-{number}")
    assert "Too many tries" in sign_in("neo@example.org")[1]


def ids(messages: list[CheckMessage]) -> list[str | None]:
    return [message.id for message in messages]


def test_a_directory_without_its_packages_is_told_at_the_start(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(settings, url="ldaps://directory.example.org")
    monkeypatch.setattr(checks, "is_installed", lambda: False)
    (message,) = checks.check_ldap()
    assert message.id == "weknora.E023"
    assert "requirements-ldap.txt" in str(message.hint)


def test_passwords_in_clear_are_told_at_the_start(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "is_installed", lambda: True)
    configure(settings, url="ldap://directory.example.org")
    assert ids(checks.check_ldap()) == []
    settings.LDAP_START_TLS = False
    assert ids(checks.check_ldap()) == ["weknora.E025"]
    settings.LDAP_USER_FILTER, settings.LDAP_START_TLS = "(mail=x)", True
    assert ids(checks.check_ldap()) == ["weknora.E026"]
    settings.LDAP_GROUP_ROLES = ["Bosses=owner"]
    assert ids(checks.check_ldap()) == ["weknora.E024"]


def test_the_highest_role_of_several_groups_counts(settings: Any) -> None:
    configure(settings, url="ldaps://directory.example.org")
    settings.LDAP_GROUP_ROLES = ["A=viewer", "B, with comma=x=admin", "C=contributor"]
    config = ldap_config()
    assert isinstance(config, LdapConfig)
    assert config.role_by(frozenset({"a", "c"})) == Role.CONTRIBUTOR
    assert config.role_by(frozenset({"b, with comma=x", "c"})) == Role.ADMIN
    assert config.role_by(frozenset()) == Role.VIEWER


@pytest.mark.parametrize("pair", ["", "=viewer", "A", "A=owner", "A=boss"])
def test_pairs_that_give_no_role_are_refused(pair: str) -> None:
    with pytest.raises(ValueError, match="is not group="):
        group_roles([pair])
