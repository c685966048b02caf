"""One view, two templates; toasts; redirects that htmx follows."""

from __future__ import annotations

import json

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from django_htmx.middleware import HtmxMiddleware

from core.htmx import announce, redirect, render, toast

PAGE = "errors/error.html"
PARTIAL = "errors/_error.html"


class Failure:
    message = "No such page."
    http_status = 404


def request_with(**headers):
    request = RequestFactory().get("/", headers=headers)
    HtmxMiddleware(lambda r: HttpResponse())(request)
    return request


def rendered(request, **options):
    return render(request, PAGE, {"error": Failure()}, **options).content.decode()


def test_browser_gets_the_page():
    assert "<!doctype html>" in rendered(request_with(), partial=PARTIAL)


def test_htmx_gets_the_fragment():
    body = rendered(request_with(hx_request="true"), partial=PARTIAL)
    assert "<html" not in body
    assert "No such page." in body


@pytest.mark.parametrize("header", ["HX-Boosted", "HX-History-Restore-Request"])
def test_htmx_gets_the_page_when_it_replaces_all_of_it(header):
    request = request_with(**{"HX-Request": "true", header: "true"})
    assert "<!doctype html>" in rendered(request, partial=PARTIAL)


def test_htmx_gets_the_page_when_there_is_no_fragment():
    assert "<!doctype html>" in rendered(request_with(hx_request="true"))


def test_page_renders_without_the_middleware():
    request = RequestFactory().get("/")
    assert render(request, PAGE, {"error": Failure()}, partial=PARTIAL).status_code == 200


def test_caches_keep_page_and_fragment_apart():
    response = render(request_with(), PAGE, {"error": Failure()}, partial=PARTIAL, status=404)
    assert response["Vary"] == "HX-Request"
    assert response.status_code == 404


def test_htmx_is_sent_to_a_new_page():
    response = redirect(request_with(hx_request="true"), "/kb/")
    assert response.status_code == 200
    assert response["HX-Redirect"] == "/kb/"


def test_browser_is_redirected():
    response = redirect(request_with(), "/kb/")
    assert response.status_code == 302
    assert response["Location"] == "/kb/"


def test_toast_and_event_travel_together():
    response = announce(toast(HttpResponse(), "Renamed", level="success"), "conversations")
    assert json.loads(response["HX-Trigger"]) == {
        "toast": {"text": "Renamed", "level": "success"},
        "conversations": {},
    }
