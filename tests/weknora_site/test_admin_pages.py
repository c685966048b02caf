"""The admin site's own pages: settings, people, jobs; each change is asked for, done and audited."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import PlatformAuditEvent, Space, SystemSetting, User
from accounts.platform import settings_live
from core.live import live
from core.models import BackgroundJob, JobState
from tests.factories.accounts import make_user
from tests.personas import LOGIN_BACKEND, Persona

USERS = "admin:accounts_user_changelist"
JOBS = "admin:core_backgroundjob_changelist"
SETTINGS = "admin:accounts_systemsetting_changelist"


@pytest.fixture
def root(db: None) -> Client:
    """A browser of an administrator of the installation."""
    client = Client()
    user = make_user("root@example.org", is_superuser=True, is_staff=True)
    client.force_login(user, backend=LOGIN_BACKEND)
    return client


@pytest.fixture
def live_settings(db: None) -> Any:

    settings_live.pin(None)
    settings_live.forget()
    yield
    settings_live.pin({})


def act(client: Client, page: str, action: str, row: Any, *, confirmed: bool = True) -> Any:
    form = {"action": action, "_selected_action": [str(row.pk)]}
    return client.post(reverse(page), {**form, **({"confirmed": "yes"} if confirmed else {})})


def make_job(state: JobState = JobState.FAILED, **fields: Any) -> BackgroundJob:
    return BackgroundJob.objects.create(
        name="knowledge.parse", queue="ingest", state=state, **fields
    )


@pytest.mark.usefixtures("live_settings")
def test_a_setting_is_shown_changed_and_reset(root: Client) -> None:
    page = root.get(reverse(SETTINGS)).content.decode()
    assert "WEKNORA_MAX_OWNED_SPACES" in page
    assert 'data-source="restart"' in page
    change = reverse("admin:accounts_systemsetting_change", args=["spaces.max_owned"])
    assert root.get(change).status_code == 200
    assert root.post(change, {"value": "7"}).status_code == 302
    assert live("ACCOUNTS_MAX_OWNED_SPACES") == 7
    assert 'data-source="database"' in root.get(reverse(SETTINGS)).content.decode()
    assert root.post(change, {"value": "7", "reset": "yes"}).status_code == 302
    assert not SystemSetting.objects.exists()
    assert root.post(change, {"value": "0"}).status_code == 200
    assert not SystemSetting.objects.exists()


@pytest.mark.usefixtures("live_settings")
@pytest.mark.parametrize(
    ("key", "typed", "kept"),
    [
        ("spaces.self_service", {}, False),
        ("spaces.auto_accept", {"value": "on"}, True),
        ("ssrf.allow", {"value": "ollama.lan\n10.1.0.0/16"}, ["ollama.lan", "10.1.0.0/16"]),
        ("auth.registration_mode", {"value": "closed"}, "closed"),
    ],
)
def test_each_type_has_its_field(root: Client, key: str, typed: dict[str, str], kept: Any) -> None:
    change = reverse("admin:accounts_systemsetting_change", args=[key])
    assert root.post(change, typed).status_code == 302
    assert SystemSetting.objects.get(key=key).value == kept


def test_an_unknown_setting_is_not_there(root: Client) -> None:
    change = reverse("admin:accounts_systemsetting_change", args=["colour"])
    assert root.get(change).status_code == 404


def test_an_action_asks_first(root: Client, cora: Persona) -> None:
    page = act(root, USERS, "disable", cora.user, confirmed=False)
    assert cora.user.email not in page.headers
    assert "Yes, do it" in page.content.decode()
    assert User.objects.get(pk=cora.user.pk).is_active
    assert act(root, USERS, "disable", cora.user).status_code == 302
    assert not User.objects.get(pk=cora.user.pk).is_active


def test_a_new_password_is_shown_once_and_not_kept_by_the_browser(
    root: Client, cora: Persona
) -> None:
    page = act(root, USERS, "reset_password", cora.user)
    (password,) = re.findall(r"<code>([\w-]{23})</code>", page.content.decode())
    assert User.objects.get(pk=cora.user.pk).check_password(password)
    assert "no-store" in page.headers["Cache-Control"]
    assert password not in root.get(reverse(USERS)).content.decode()


def test_a_person_without_a_password_gets_one(root: Client) -> None:
    form = {"email": "neo@example.org", "name": "Neo", "password1": "", "password2": ""}
    page = root.post(reverse("admin:accounts_user_add"), form)
    (password,) = re.findall(r"<code>([\w-]{23})</code>", page.content.decode())
    assert User.objects.get(email="neo@example.org").check_password(password)
    assert PlatformAuditEvent.objects.filter(action="person.create").exists()


def test_rights_are_no_fields_of_the_form(root: Client, cora: Persona) -> None:
    change = reverse("admin:accounts_user_change", args=[cora.user.pk])
    root.post(change, {"name": "Cora B", "is_superuser": "on", "is_staff": "on"})
    cora.user.refresh_from_db()
    assert (cora.user.name, cora.user.is_superuser, cora.user.is_staff) == ("Cora B", False, False)


def test_nobody_takes_their_own_rights(root: Client) -> None:
    user = User.objects.get(email="root@example.org")
    for action in ("demote", "disable", "reset_password"):
        act(root, USERS, action, user)
    user.refresh_from_db()
    assert user.is_superuser
    assert user.is_active


def test_a_quota_is_set_and_written_down(root: Client, space_a: Space) -> None:
    change = reverse("admin:accounts_space_change", args=[space_a.pk])
    form = {"name": "Space A", "description": "", "storage_quota_bytes": "5000", "audit_days": ""}
    assert root.post(change, form).status_code == 302
    assert Space.objects.get(pk=space_a.pk).storage_quota_bytes == 5000
    event = PlatformAuditEvent.objects.get(action="admin.change")
    assert "Storage quota" in str(event.details["changes"])
    assert "5000" not in str(event.details)


def test_a_hold_is_set_by_an_action(root: Client, space_a: Space) -> None:
    act(root, "admin:accounts_space_changelist", "hold", space_a)
    assert Space.objects.get(pk=space_a.pk).legal_hold


def test_a_failed_job_is_tried_again(root: Client) -> None:
    job = make_job(attempt=5, reason="away", lease_epoch=3)
    act(root, JOBS, "try_again", job)
    job.refresh_from_db()
    assert (job.state, job.attempt, job.reason, job.lease_epoch) == ("queued", 0, "", 4)
    assert PlatformAuditEvent.objects.filter(action="job.retry").exists()


@pytest.mark.parametrize(
    ("action", "state", "result"),
    [
        ("try_again", JobState.DONE, "done"),
        ("try_again", JobState.RUNNING, "running"),
        ("cancel", JobState.QUEUED, "cancelled"),
        ("cancel", JobState.DONE, "done"),
        ("forget", JobState.QUEUED, "queued"),
        ("forget", JobState.DONE, None),
    ],
)
def test_jobs_change_only_as_their_state_allows(
    root: Client, action: str, state: JobState, result: str | None
) -> None:
    job = make_job(state)
    act(root, JOBS, action, job)
    found = BackgroundJob.objects.filter(pk=job.pk).first()
    assert (found.state if found else None) == result


def test_the_audit_opens_and_cannot_be_changed(root: Client) -> None:
    event = PlatformAuditEvent.objects.create(action="login.done", actor_name="Neo")
    for name, status in (("change", 200), ("delete", 403)):
        url = reverse(f"admin:accounts_platformauditevent_{name}", args=[event.pk])
        assert root.get(url).status_code == status
    url = reverse("admin:accounts_platformauditevent_change", args=[event.pk])
    assert root.post(url, {"action": "other"}).status_code == 403
