"""Whether a window that stays open may still show what it is sent."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.actors import active_memberships
from accounts.login.visits import may_go_on, with_visit
from tests.accounts.login.test_sessions import browser
from tests.personas import Persona

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    cache.clear()


def session_of(client: Client) -> SessionStore:
    return SessionStore(client.session.session_key)


def goes_on(persona: Persona, session: Any) -> bool:
    memberships = with_visit(active_memberships(persona.user), session=session)
    (membership,) = memberships.filter(space=persona.space)
    return may_go_on(membership, session=session)


def test_a_visit_goes_on_while_its_session_signs_the_person_in(olivia: Persona) -> None:
    assert goes_on(olivia, session_of(browser(olivia)))


def test_it_is_asked_in_one_query(olivia: Persona, django_assert_num_queries: Any) -> None:
    session = session_of(browser(olivia))
    with django_assert_num_queries(1):
        goes_on(olivia, session)


def test_a_session_that_has_ended_ends_the_visit(olivia: Persona) -> None:
    client = browser(olivia)
    session = session_of(client)
    client.session.flush()
    assert not goes_on(olivia, session)


def test_a_session_that_is_too_old_ends_the_visit(olivia: Persona) -> None:
    session = session_of(browser(olivia))
    Session.objects.filter(pk=session.session_key).update(expire_date=timezone.now())
    assert not goes_on(olivia, session)


def test_a_new_password_ends_the_visit(olivia: Persona) -> None:
    session = session_of(browser(olivia))
    olivia.user.set_password("another long password 7")
    olivia.user.save()
    assert not goes_on(olivia, session)


def test_a_session_of_somebody_else_is_none_of_theirs(olivia: Persona, victor: Persona) -> None:
    assert not goes_on(olivia, session_of(browser(victor)))


def test_what_has_no_session_answers_for_itself(olivia: Persona) -> None:
    assert goes_on(olivia, {})
