"""What the start says about settings of single sign-on that cannot be right."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.login.checks import check_oidc, check_requirement


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, []),
        ({"OIDC_CLIENT_ID": ""}, ["weknora.E020"]),
        ({"OIDC_ISSUER": "http://login.example.org"}, ["weknora.E021"]),
        ({"OIDC_ISSUER": "http://127.0.0.1:5556"}, []),
        ({"OIDC_PROVISION": "always"}, ["weknora.W022"]),
        ({"OIDC_PROVISION": "always", "OIDC_DOMAINS": ["example.org"]}, []),
        ({"OIDC_ISSUER": "", "OIDC_CLIENT_ID": ""}, []),
    ],
)
def test_single_sign_on(settings: Any, changed: dict[str, Any], expected: list[str]) -> None:
    settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID = "https://login.example.org", "weknora"
    for name, value in changed.items():
        setattr(settings, name, value)
    assert [message.id for message in check_oidc()] == expected


def test_confirmed_addresses_need_a_mail_server(settings: Any) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION, settings.EMAIL_HOST = "mandatory", ""
    assert [message.id for message in check_requirement()] == ["weknora.W027"]
    settings.EMAIL_HOST = "mail.example.org"
    assert check_requirement() == []
