from __future__ import annotations

from django.http import HttpResponse
from django.test import RequestFactory

from weknora_site.csp import ContentSecurityPolicyMiddleware


def policy(path: str) -> dict[str, str]:
    middleware = ContentSecurityPolicyMiddleware(lambda request: HttpResponse("page"))
    response = middleware(RequestFactory().get(path))
    assert isinstance(response, HttpResponse)
    header = response["Content-Security-Policy"]
    parts = (part.strip().partition(" ") for part in header.split(";"))
    return {name: value for name, _, value in parts}


def test_pages_run_only_our_own_files():
    found = policy("/knowledge/")
    assert found["script-src"] == "'self'"
    assert found["style-src"] == "'self'"
    assert found["object-src"] == "'none'"
    assert found["frame-ancestors"] == "'none'"


def test_admin_may_evaluate_for_its_theme():
    found = policy("/admin/accounts/")
    assert "'unsafe-eval'" in found["script-src"]
    assert found["object-src"] == "'none'"


def test_path_that_only_looks_like_the_admin_is_strict():
    assert policy("/administration/")["script-src"] == "'self'"
