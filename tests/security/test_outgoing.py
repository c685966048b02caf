"""S1–S3: addresses that others supply, and keys that must not travel."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import httpx
import pytest

from core.addresses import AddressRefused
from core.embedded.layout import REPOSITORY_DIR
from core.http import Request, next_hop
from providers.adapters.transport import sync_client

PACKAGES = (
    "core",
    "accounts",
    "providers",
    "knowledge",
    "wiki",
    "sandbox",
    "agents",
    "integrations",
)
OWN_CLIENTS = {
    "core/http.py": "the guarded client itself",
    "core/dialling.py": "what the guarded client dials with",
    "providers/adapters/transport.py": "the built-in models' server on loopback, named by settings",
}
"""Modules that make a client of their own; each is described in `docs/threat_model.md`."""
_MAKERS = {"Client", "AsyncClient", "get", "post", "put", "request", "stream", "urlopen"}
_LIBRARIES = {"httpx", "requests", "aiohttp", "urllib3"}


def answer(status: int, location: str) -> httpx.Response:
    return httpx.Response(status, headers={"Location": location})


@pytest.mark.parametrize(
    "location",
    ["http://169.254.169.254/latest/", "http://localhost:6379/", "//[::1]/", "http://0x0a000001/"],
)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_s1_a_redirect_to_an_inner_address_is_refused(status: int, location: str) -> None:
    with pytest.raises(AddressRefused):
        next_hop(Request(url="https://example.com/page"), answer(status, location))


def calls_of_libraries() -> Iterator[tuple[str, str]]:
    for package in PACKAGES:
        for path in (REPOSITORY_DIR / package).rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                    continue
                owner = node.func.value
                if node.func.attr not in _MAKERS or not isinstance(owner, ast.Name):
                    continue
                if owner.id in _LIBRARIES or node.func.attr == "urlopen":
                    yield str(path.relative_to(REPOSITORY_DIR)), f"{owner.id}.{node.func.attr}"


def test_s2_only_the_guarded_client_calls_out() -> None:
    found = {(path, call) for path, call in calls_of_libraries() if path not in OWN_CLIENTS}
    assert not found, f"use core.http, or list the module with its reason: {sorted(found)}"


def test_s2_modules_with_a_client_of_their_own_are_there_and_described() -> None:
    described = (REPOSITORY_DIR / "docs/threat_model.md").read_text(encoding="utf-8")
    for path in OWN_CLIENTS:
        assert (REPOSITORY_DIR / path).exists()
        assert path in described


def test_s3_credentials_stay_behind_when_the_origin_changes() -> None:
    asked = Request(
        url="https://api.example.com/v1", headers={"Authorization": "Bearer k", "X-Team": "blue"}
    )
    elsewhere = next_hop(asked, answer(307, "https://evil.example/v1"))
    assert elsewhere is not None
    assert dict(elsewhere.headers) == {"X-Team": "blue"}
    same = next_hop(asked, answer(307, "/v2"))
    assert same is not None
    assert same.headers["Authorization"] == "Bearer k"


@pytest.mark.parametrize("other", ["http://api.example.com/", "https://api.example.com:8443/"])
def test_s3_another_scheme_or_port_is_another_origin(other: str) -> None:
    asked = Request(url="https://api.example.com/v1", headers={"X-Api-Key": "k"})
    hop = next_hop(asked, answer(302, other))
    assert hop is not None
    assert not hop.headers


def test_s3_clients_of_models_follow_no_redirect() -> None:
    with sync_client(1.0) as client:
        assert client.follow_redirects is False
