"""System settings: database beats environment beats default, and closed stays closed."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings as configured
from django.db import DatabaseError

from accounts.login.registration import may_sign_up, registration_mode
from accounts.models import PlatformAuditEvent, SystemSetting, User
from accounts.platform import settings_live
from accounts.platform.settings import change_setting, get_setting, list_settings, reset_setting
from accounts.platform.settings_catalogue import BY_KEY, DEFINITIONS, Definition
from accounts.services.spaces import create_space
from core.addresses import AddressRefused
from core.dialling import check_outgoing
from core.errors import AccessDenied, Invalid, NotFound
from core.live import live
from tests.factories.accounts import make_user
from tests.personas import Persona

pytestmark = pytest.mark.usefixtures("live_settings")
MODE = "auth.registration_mode"


def test_the_catalogue_says_each_thing_once() -> None:
    for names in ([d.key for d in DEFINITIONS], [d.name for d in DEFINITIONS]):
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda one: one.key)
def test_without_environment_and_database_the_default_holds(
    root: User, definition: Definition, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(definition.variable, raising=False)
    row = get_setting(root, key=definition.key)
    assert (row.held.value, row.held.origin) == (definition.default, "default")
    assert live(definition.name) == getattr(configured, definition.name)


def test_the_database_beats_the_environment(
    root: User, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setenv("WEKNORA_MAX_OWNED_SPACES", "4")
    settings.ACCOUNTS_MAX_OWNED_SPACES = 4
    assert get_setting(root, key="spaces.max_owned").held.origin == "environment"
    held = change_setting(root, key="spaces.max_owned", value=7)
    assert (held.value, held.origin, live("ACCOUNTS_MAX_OWNED_SPACES")) == (7, "database", 7)
    held = reset_setting(root, key="spaces.max_owned")
    assert (held.value, held.origin, live("ACCOUNTS_MAX_OWNED_SPACES")) == (4, "environment", 4)


@pytest.mark.parametrize(
    ("environment", "database", "result"),
    [
        ("closed", "self_serve", "closed"),
        ("closed", "invite_only", "closed"),
        ("invite_only", "self_serve", "invite_only"),
        ("invite_only", "closed", "closed"),
        ("self_serve", "closed", "closed"),
        ("", "closed", "closed"),
    ],
)
def test_registration_is_never_wider_than_the_environment_says(
    root: User,
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
    environment: str,
    database: str,
    result: str,
) -> None:
    monkeypatch.setenv("WEKNORA_REGISTRATION", environment)
    settings.ACCOUNTS_REGISTRATION = environment or "self_serve"
    held = change_setting(root, key=MODE, value=database)
    assert (held.value, registration_mode(), may_sign_up()) == (result, result, False)
    assert held.is_limited == (result != database)


def test_a_change_holds_at_once_and_is_written_down(root: User) -> None:
    assert may_sign_up()
    change_setting(root, key=MODE, value="closed", ip_address="192.0.2.7")
    assert not may_sign_up()
    event = PlatformAuditEvent.objects.get()
    assert (event.user, event.action, event.target_name) == (root, "setting.change", MODE)
    assert event.details == {"before": "self_serve", "after": "closed"}
    assert get_setting(root, key=MODE).changed_by == root


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (MODE, "open"),
        ("spaces.max_owned", 0),
        ("spaces.max_owned", "7"),
        ("spaces.max_owned", True),
        ("spaces.self_service", 1),
        ("ssrf.allow", ["10.0.0.0/99"]),
        ("ssrf.allow", "10.0.0.1"),
    ],
    ids=str,
)
def test_what_cannot_be_used_is_refused(root: User, key: str, value: Any) -> None:
    with pytest.raises(Invalid):
        change_setting(root, key=key, value=value)
    assert not SystemSetting.objects.exists()


def test_an_unusable_stored_value_does_not_hold(root: User) -> None:
    SystemSetting.objects.create(key="spaces.max_owned", value="many")
    assert live("ACCOUNTS_MAX_OWNED_SPACES") == 10


def test_only_administrators_of_the_installation_may(olivia: Persona) -> None:
    staff = make_user(is_staff=True)
    off = make_user(is_superuser=True, is_active=False)
    for person in (olivia.user, staff, off):
        with pytest.raises(AccessDenied):
            list_settings(person)
        with pytest.raises(AccessDenied):
            change_setting(person, key=MODE, value="closed")
        with pytest.raises(AccessDenied):
            reset_setting(person, key=MODE)
    assert may_sign_up()


def test_an_unknown_key_is_not_found(root: User) -> None:
    with pytest.raises(NotFound, match="colour"):
        change_setting(root, key="colour", value="red")


def test_other_processes_see_a_change_within_seconds(
    root: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    assert live("ACCOUNTS_MAX_OWNED_SPACES") == 10
    SystemSetting.objects.create(key="spaces.max_owned", value=3)  # by another process
    assert live("ACCOUNTS_MAX_OWNED_SPACES") == 10
    now += settings_live.FRESH_SECONDS
    assert live("ACCOUNTS_MAX_OWNED_SPACES") == 3


def test_values_are_read_once_for_many_questions(
    root: User, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(3):  # a savepoint around one query
        for _ in range(20):
            live("ACCOUNTS_MAX_OWNED_SPACES")


def test_when_the_table_cannot_be_read_what_was_read_last_holds(
    root: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_setting(root, key=MODE, value="closed")

    def away(*_: Any, **__: Any) -> None:
        raise DatabaseError("away")

    settings_live.forget()
    monkeypatch.setattr(SystemSetting.objects, "values_list", away)
    assert registration_mode() == "closed"


def test_an_event_loop_never_waits_for_the_database(
    root: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_setting(root, key="spaces.max_owned", value=3)
    started: list[str] = []
    monkeypatch.setattr("threading.Thread.start", lambda self: started.append(self.name))

    async def ask() -> int:
        settings_live.forget()
        return int(live("ACCOUNTS_MAX_OWNED_SPACES"))

    assert asyncio.run(ask()) == 3
    settings_live._snapshot._is_read_aside = False  # the thread that was not let start
    assert started == ["settings"]


def test_a_process_that_is_still_being_loaded_does_not_ask_the_database(
    monkeypatch: pytest.MonkeyPatch, db: None, django_assert_num_queries: Any
) -> None:
    settings_live.pin(None)
    monkeypatch.setattr(settings_live, "apps", SimpleNamespace(ready=False))
    with django_assert_num_queries(0):
        assert live("DEFAULT_QUOTA_GB") == configured.DEFAULT_QUOTA_GB


def test_allowed_addresses_change_what_may_be_called(root: User) -> None:
    with pytest.raises(AddressRefused):
        check_outgoing("http://10.1.2.3/")
    change_setting(root, key="ssrf.allow", value=["10.1.0.0/16"])
    check_outgoing("http://10.1.2.3/")
    reset_setting(root, key="ssrf.allow")
    with pytest.raises(AddressRefused):
        check_outgoing("http://10.1.2.3/")


def test_spaces_are_made_by_people_only_where_they_may(root: User, olivia: Persona) -> None:
    change_setting(root, key="spaces.self_service", value=False)
    with pytest.raises(AccessDenied):
        create_space(olivia.user, name="Mine")
    assert create_space(root, name="Theirs").name == "Theirs"
    assert create_space(olivia.user, name="First", by_installation=True).name == "First"


def test_new_spaces_take_over_whether_invited_people_join_at_once(
    root: User, olivia: Persona
) -> None:
    assert not create_space(olivia.user, name="One").auto_accept_invitations
    change_setting(root, key="spaces.auto_accept", value=True)
    assert create_space(olivia.user, name="Two").auto_accept_invitations


def test_the_row_names_value_source_and_default(root: User) -> None:
    change_setting(root, key="ssrf.allow", value=["ollama.lan"])
    row = get_setting(root, key="ssrf.allow")
    assert (row.shown, row.shown_stored, row.shown_default) == ("ollama.lan", "ollama.lan", "none")
    assert BY_KEY["work.ingest_threads"].restart_needed
