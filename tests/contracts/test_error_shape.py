"""One shape of errors: JSON for programs, a page for people, a fragment for htmx."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import include, path

from accounts.models import Space
from core import errors
from core.errors import NotSignedIn, ProjectError
from tests.factories.accounts import make_invitation
from tests.personas import Persona

JSON = {"Accept": "application/json"}
PAGE = {"Accept": "text/html,application/xhtml+xml,*/*"}
FRAGMENT = {**PAGE, "HX-Request": "true"}
MESSAGE = "The wing <b>cannot</b> be folded."


def subclasses(cls: type[ProjectError]) -> Iterator[type[ProjectError]]:
    for each in cls.__subclasses__():
        if each.__module__ == errors.__name__:
            yield each
            yield from subclasses(each)


EXPECTED = {each.code: each for each in subclasses(ProjectError)}
OTHERS: dict[str, tuple[Exception, int, str]] = {
    "http404": (Http404("no /srv/secret"), 404, "not_found"),
    "denied": (PermissionDenied("not /srv/secret"), 403, "access_denied"),
    "suspicious": (SuspiciousOperation("bad /srv/secret"), 400, "invalid"),
    "bug": (ZeroDivisionError("at /srv/secret"), 500, "internal"),
}


def fail(request: HttpRequest, code: str) -> HttpResponse:
    if code in EXPECTED:
        raise EXPECTED[code](MESSAGE, thing=uuid.UUID(int=7))
    raise OTHERS[code][0]


urlpatterns = [path("fail/<str:code>/", fail), path("", include("weknora_site.urls"))]
handler400 = "core.middleware.bad_request"
handler403 = "core.middleware.permission_denied"
handler404 = "core.middleware.page_not_found"
handler500 = "core.middleware.server_error"


@pytest.fixture
def client(olivia: Persona) -> Iterator[Client]:
    """Olivia's browser on a site with views that fail."""
    olivia.client.raise_request_exception = False
    with override_settings(ROOT_URLCONF=__name__):
        yield olivia.client


def test_the_site_uses_these_handlers() -> None:
    from weknora_site import urls

    for name in ("handler400", "handler403", "handler404", "handler500"):
        assert getattr(urls, name) == globals()[name]


def test_codes_are_unique_and_statuses_are_errors() -> None:
    assert len(EXPECTED) == len(list(subclasses(ProjectError)))
    assert all(400 <= each.http_status < 600 for each in EXPECTED.values())
    assert errors.__doc__ is not None
    for each in EXPECTED.values():
        assert each.__name__ in errors.__doc__, "draw it in the tree"
        assert str(each.http_status) in errors.__doc__


@pytest.mark.parametrize("code", sorted(EXPECTED))
def test_programs_get_code_message_and_data(client: Client, code: str) -> None:
    response = client.get(f"/fail/{code}/", headers=JSON)
    assert response.status_code == EXPECTED[code].http_status
    assert response.json() == {
        "error": {"code": code, "message": MESSAGE, "data": {"thing": str(uuid.UUID(int=7))}}
    }


@pytest.mark.parametrize("code", sorted(set(EXPECTED) - {NotSignedIn.code}))
@pytest.mark.parametrize("headers", [PAGE, FRAGMENT], ids=["page", "fragment"])
def test_people_get_the_message_escaped(client: Client, code: str, headers: dict[str, str]) -> None:
    response = client.get(f"/fail/{code}/", headers=headers)
    assert response.status_code == EXPECTED[code].http_status
    text = response.content.decode()
    assert "The wing &lt;b&gt;cannot&lt;/b&gt; be folded." in text
    assert ("<html" in text) == (headers is PAGE)
    assert response.headers["Content-Type"].startswith("text/html")


def test_who_is_not_signed_in_is_led_there(client: Client) -> None:
    response = client.get(f"/fail/{NotSignedIn.code}/", headers=PAGE)
    assert response.headers["Location"].startswith("/account/login/?next=")


def test_a_strangers_program_gets_json(client: Client) -> None:
    response = Client().get("/spaces/", headers=JSON)
    assert response.status_code == 401
    assert response.json()["error"]["code"] == NotSignedIn.code


@pytest.mark.parametrize("name", sorted(OTHERS))
@pytest.mark.parametrize("headers", [JSON, PAGE, FRAGMENT], ids=["json", "page", "fragment"])
def test_other_failures_have_the_shape_and_keep_their_words(
    client: Client, name: str, headers: dict[str, str]
) -> None:
    response = client.get(f"/fail/{name}/", headers=headers)
    assert response.status_code == OTHERS[name][1]
    assert "/srv/secret" not in response.content.decode()
    if headers is JSON:
        assert response.json()["error"]["code"] == OTHERS[name][2]
        assert set(response.json()["error"]) == {"code", "message", "data"}


@pytest.mark.parametrize("headers", [JSON, PAGE], ids=["json", "page"])
def test_addresses_that_lead_nowhere_are_not_found(client: Client, headers: dict[str, str]) -> None:
    response = client.get("/nowhere/", headers=headers)
    assert response.status_code == 404
    if headers is JSON:
        assert response.json()["error"]["code"] == "not_found"
    else:
        assert "There is nothing here" in response.content.decode()


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_log_does_not_hold_the_secret_in_a_path(
    client: Client, space_a: Space, caplog: pytest.LogCaptureFixture, method: str
) -> None:
    token = make_invitation(space_a).token
    stranger = Client(enforce_csrf_checks=method == "POST")
    with caplog.at_level("DEBUG"):
        stranger.generic(method, f"/invitation/{token}/")
        stranger.generic(method, f"/invitation/x{token}/")
        Client().post(f"/invitation/{token}/", {"email": "no address"})
    assert "/invitation/" in caplog.text
    assert token not in caplog.text
