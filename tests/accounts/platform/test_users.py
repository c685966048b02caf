"""People's accounts in the hands of the installation's administrators."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.auth.hashers import check_password
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.login.lockout import ACCOUNT, Attempt, seconds_locked
from accounts.models import PlatformAuditEvent, User
from accounts.platform import users
from core.errors import AccessDenied, Conflict, Invalid, NotFound
from tests.factories.accounts import PASSWORD, make_user
from tests.personas import LOGIN_BACKEND, Persona

Act = Callable[[User, int], object]
ACTS: dict[str, Act] = {
    "reset_password": lambda root, pk: users.reset_password(root, user_id=pk),
    "disable": lambda root, pk: users.disable_person(root, user_id=pk),
    "enable": lambda root, pk: users.enable_person(root, user_id=pk),
    "end_sessions": lambda root, pk: users.end_all_sessions(root, user_id=pk),
    "unlock": lambda root, pk: users.unlock_person(root, user_id=pk),
    "forget_factors": lambda root, pk: users.forget_second_factors(root, user_id=pk),
    "promote": lambda root, pk: users.promote(root, user_id=pk),
    "demote": lambda root, pk: users.demote(root, user_id=pk),
}
NOT_TO_ONESELF = ("reset_password", "disable", "end_sessions", "forget_factors", "demote")


def actions_on(user: User) -> list[str]:
    rows = PlatformAuditEvent.objects.filter(target_id=str(user.pk), action__startswith="person.")
    return [action.removeprefix("person.") for action in rows.values_list("action", flat=True)]


def test_a_made_up_password_is_shown_once_and_lets_in(root: User) -> None:
    made = users.create_person(root, email=" Neo@Example.org ", name="Neo")
    assert made.user.email == "neo@example.org"
    assert re.fullmatch(r"(\w{5}-){3}\w{5}", made.password)
    assert check_password(made.password, User.objects.get(pk=made.user.pk).password)
    assert Client().login(email="neo@example.org", password=made.password)
    event = PlatformAuditEvent.objects.get(action="person.create")
    assert event.user == root
    assert made.password not in str(event.details)


def test_a_chosen_password_must_satisfy_the_policy(root: User) -> None:
    with pytest.raises(Invalid) as refusal:
        users.create_person(root, email="neo@example.org", password="12345678")
    assert refusal.value.data["password"]
    with pytest.raises(Invalid):
        users.create_person(root, email="nobody")
    assert not User.objects.filter(email__startswith="n").exists()


def test_an_address_is_one_persons(root: User, cora: Persona) -> None:
    with pytest.raises(Conflict):
        users.create_person(root, email="CORA@example.org")


@pytest.mark.parametrize("name", ACTS)
def test_only_administrators_of_the_installation_act_on_people(
    name: str, olivia: Persona, cora: Persona
) -> None:
    for person in (olivia.user, make_user(is_staff=True)):
        with pytest.raises(AccessDenied):
            ACTS[name](person, cora.user.pk)
    assert not actions_on(cora.user)


@pytest.mark.parametrize("name", ACTS)
def test_nobody_acts_on_a_person_who_is_not_there(name: str, root: User) -> None:
    with pytest.raises(NotFound):
        ACTS[name](root, 10**9)


@pytest.mark.parametrize("name", NOT_TO_ONESELF)
def test_nobody_does_it_to_themselves(name: str, root: User) -> None:
    make_user(is_superuser=True, is_staff=True)
    with pytest.raises(Conflict):
        ACTS[name](root, root.pk)
    root.refresh_from_db()
    assert root.is_superuser
    assert root.is_active


def test_who_lost_the_rights_meanwhile_acts_no_more(root: User, cora: Persona) -> None:
    User.objects.filter(pk=root.pk).update(is_superuser=False)
    with pytest.raises(AccessDenied):
        users.demote(root, user_id=cora.user.pk)


@pytest.mark.parametrize("name", ["disable", "reset_password", "end_sessions", "forget_factors"])
def test_a_person_is_signed_out_at_once(name: str, root: User, cora: Persona) -> None:
    cache.clear()  # limits of signing in
    page, client = reverse("profile"), Client()
    client.post(reverse("account_login"), {"login": cora.user.email, "password": PASSWORD})
    assert client.get(page).status_code == 200
    assert UserSession.objects.filter(user=cora.user).exists()
    ACTS[name](root, cora.user.pk)
    assert client.get(page).status_code == 302
    assert not UserSession.objects.filter(user=cora.user).exists()


def test_who_is_switched_off_does_not_get_in_until_switched_on(root: User) -> None:
    made = users.create_person(root, email="neo@example.org")
    users.disable_person(root, user_id=made.user.pk)
    assert not Client().login(email="neo@example.org", password=made.password)
    users.enable_person(root, user_id=made.user.pk)
    assert Client().login(email="neo@example.org", password=made.password)
    assert sorted(actions_on(made.user)) == ["create", "disable", "enable"]


def test_a_new_password_ends_the_pause_and_the_old_password(root: User, cora: Persona) -> None:
    attempt = Attempt(email=cora.user.email, address="192.0.2.1")
    for _ in range(ACCOUNT.tries + 1):
        attempt.seconds_to_wait()
        attempt.failed()
    assert seconds_locked(cora.user.email)
    made = users.reset_password(root, user_id=cora.user.pk)
    assert not seconds_locked(cora.user.email)
    assert User.objects.get(pk=cora.user.pk).check_password(made.password)
    assert made.password not in str(list(PlatformAuditEvent.objects.values_list("details")))


def test_unlocking_ends_the_pause_alone(root: User, cora: Persona) -> None:
    attempt = Attempt(email=cora.user.email, address="192.0.2.2")
    for _ in range(ACCOUNT.tries + 1):
        attempt.seconds_to_wait()
        attempt.failed()
    users.unlock_person(root, user_id=cora.user.pk)
    assert not seconds_locked(cora.user.email)
    assert cora.client.get(reverse("profile")).status_code == 200


def test_rights_are_given_and_taken(root: User, cora: Persona) -> None:
    users.promote(root, user_id=cora.user.pk)
    client = Client()
    client.force_login(User.objects.get(pk=cora.user.pk), backend=LOGIN_BACKEND)
    assert client.get(reverse("admin:index")).status_code == 200
    assert users.demote(root, user_id=cora.user.pk)
    assert client.get(reverse("admin:index")).status_code == 302
    assert not users.demote(root, user_id=cora.user.pk)
    assert sorted(actions_on(cora.user)) == ["demote", "promote"]


def test_who_is_switched_off_is_not_promoted(root: User) -> None:
    off = make_user(is_active=False)
    with pytest.raises(Conflict):
        users.promote(root, user_id=off.pk)
