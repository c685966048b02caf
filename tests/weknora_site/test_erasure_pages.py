"""Pages of erasure and of copies, as people use them."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import Erasure, SpaceExport, User
from accounts.platform import export_jobs
from core.jobs.handlers import JobContext
from core.tenancy import space_scope
from tests.factories.accounts import PASSWORD, make_member, make_user
from tests.personas import Persona


@pytest.fixture(autouse=True)
def files(tmp_path: Path, settings: Settings) -> None:
    """A store of this test alone."""
    settings.MEDIA_ROOT = tmp_path


def signed_in(user: User) -> Client:
    """A browser that came in by the door and was asked for the password once more."""
    browser = Client()
    browser.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
    browser.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    return browser


@pytest.fixture
def boss(olivia: Persona) -> User:
    user = make_user("boss@example.org", name="Boss", is_staff=True, is_superuser=True)
    make_member(olivia.space, user=user)
    return user


@pytest.mark.django_db
def test_a_person_deletes_their_account_and_is_signed_out(cora: Persona) -> None:
    browser = signed_in(cora.user)
    page = browser.get(reverse("account_delete"))
    assert page.status_code == 200
    wrong = browser.post(reverse("account_delete"), {"email": "somebody@example.org"})
    assert wrong.status_code == 422
    gone = browser.post(reverse("account_delete"), {"email": "CORA@example.org"})
    assert gone.status_code == 302
    assert browser.get(reverse("profile")).status_code == 302
    row = Erasure.objects.get()
    assert (row.kind, row.subject_id, row.state) == ("person", str(cora.user.pk), "running")
    assert "cora" not in f"{row.reason}{row.report}".lower()


@pytest.mark.django_db
def test_the_only_owner_is_told_which_spaces_are_in_the_way(olivia: Persona, cora: Persona) -> None:
    page = signed_in(olivia.user).get(reverse("account_delete"))
    assert b"Space A" in page.content
    assert b"Keep it" not in page.content


@pytest.mark.django_db
def test_an_administrator_erases_by_address_and_sees_the_record(boss: User, cora: Persona) -> None:
    browser = signed_in(boss)
    data = {"kind": "person", "subject": cora.user.email, "reason": "asked", "confirmed": "on"}
    assert browser.post(reverse("erasures"), data).status_code == 302
    page = browser.get(reverse("erasures"))
    assert f"Person {cora.user.pk}".encode() in page.content
    assert b"Under way" in page.content
    again = browser.post(reverse("erasures"), data)
    assert again.status_code == 422
    assert b"being erased already" in again.content


@pytest.mark.django_db
def test_what_is_not_confirmed_is_not_erased(boss: User, cora: Persona) -> None:
    data = {"kind": "person", "subject": cora.user.email, "reason": "asked"}
    assert signed_in(boss).post(reverse("erasures"), data).status_code == 422
    assert not Erasure.objects.exists()


@pytest.mark.django_db
def test_an_owner_makes_a_copy_and_downloads_it(olivia: Persona) -> None:
    browser = signed_in(olivia.user)
    assert browser.post(reverse("space_exports")).status_code == 302
    assert b"The export is being created" in browser.get(reverse("space_exports")).content
    with space_scope(olivia.space.pk):
        row = SpaceExport.objects.get()
        context = JobContext(
            job_id=uuid4(), space_id=0, attempt=1, lease_epoch=1, deadline=float("inf")
        )
        export_jobs.make_export(context, export_id=str(row.pk))
    download = browser.get(reverse("space_export_download", args=[row.pk]))
    assert download["Content-Type"] == "application/zip"
    assert "attachment" in download["Content-Disposition"]
    assert download.getvalue().startswith(b"PK")
    assert browser.post(reverse("space_export_remove", args=[row.pk])).status_code == 302
    assert browser.get(reverse("space_export_download", args=[row.pk])).status_code == 410
