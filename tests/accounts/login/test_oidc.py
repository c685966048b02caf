"""Single sign-on against a real provider on loopback: what lets in, and what does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from cryptography.hazmat.primitives.asymmetric import rsa
from django.contrib.auth import SESSION_KEY
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.constants import Role
from accounts.models import Membership, PlatformAuditEvent, User
from tests.accounts.login.identity_provider import CLIENT_ID, CLIENT_SECRET, IdentityProvider
from tests.factories.accounts import PASSWORD, make_invitation, make_space, make_user
from tests.personas import Persona


@pytest.fixture(scope="module")
def running() -> Iterator[IdentityProvider]:
    provider = IdentityProvider()
    yield provider
    provider.close()


@pytest.fixture
def provider(running: IdentityProvider, settings: Any, db: None) -> IdentityProvider:
    """The provider, clean, and the installation told about it."""
    cache.clear()
    running.claims, running.user_info, running.discovery = {}, {}, {}
    running.signing_key, running.algorithm = running.key, "RS256"
    running.token_requests.clear()
    settings.OIDC_ISSUER = running.issuer
    settings.OIDC_CLIENT_ID = CLIENT_ID
    settings.OIDC_CLIENT_SECRET = CLIENT_SECRET
    settings.OIDC_NAME = "Acme ID"
    return running


def begin(client: Client, **query: str) -> str:
    """Press the button and return where the browser is sent."""
    response = client.post(reverse("oidc_login", query=query or None))
    assert response.status_code == 200
    return str(response.headers["Refresh"]).removeprefix("0; url=")


def sign_in(provider: IdentityProvider, client: Client | None = None, **query: str) -> Any:
    """Go to the provider, agree there, and come back; return our last answer."""
    client = client or Client()
    path, answer = provider.approve(begin(client, **query))
    return client.get(path, answer)


def is_in(response: Any) -> bool:
    return response.status_code == 302 and SESSION_KEY in response.client.session


def reasons() -> list[str]:
    rows = PlatformAuditEvent.objects.filter(action="login.failed").order_by("pk")
    return [row.details.get("reason", "") for row in rows]


def test_the_log_in_page_has_a_button_only_where_it_is_set_up(
    provider: IdentityProvider, settings: Any
) -> None:
    assert "Sign in with Acme ID" in Client().get(reverse("account_login")).content.decode()
    settings.OIDC_ISSUER = ""
    assert "Acme ID" not in Client().get(reverse("account_login")).content.decode()
    assert Client().post(reverse("oidc_login")).status_code == 404


def test_a_new_person_comes_in_with_a_confirmed_address_and_a_space(
    provider: IdentityProvider,
) -> None:
    assert is_in(sign_in(provider))
    user = User.objects.get(email="neo@example.org")
    assert user.name == "Neo"
    assert not user.has_usable_password()
    assert EmailAddress.objects.get(user=user).verified
    assert Membership.objects.get(user=user).role == Role.OWNER


def test_the_same_person_comes_back_even_with_another_address(provider: IdentityProvider) -> None:
    sign_in(provider)
    provider.claims = {"email": "renamed@example.org"}
    assert is_in(sign_in(provider))
    assert User.objects.count() == 1


def test_s17_state_nonce_and_pkce_go_along(provider: IdentityProvider) -> None:
    query = parse_qs(urlsplit(begin(Client())).query)
    assert query["code_challenge_method"] == ["S256"]
    assert len(query["nonce"][0]) >= 43
    assert len(query["state"][0]) >= 16
    assert set(query["scope"][0].split()) == {"openid", "profile", "email"}
    assert "secret" not in str(query)


def test_s17_the_address_bar_adds_nothing_to_what_is_asked(provider: IdentityProvider) -> None:
    location = begin(Client(), auth_params="nonce=known&redirect_uri=x", scope="admin")
    query = parse_qs(urlsplit(location).query)
    assert query["nonce"] != ["known"]
    assert query["redirect_uri"][0].endswith(reverse("oidc_callback"))
    assert "admin" not in query["scope"][0]


def test_s17_state_of_another_browser_is_refused(provider: IdentityProvider) -> None:
    path, answer = provider.approve(begin(Client()))
    victim = Client()
    assert not is_in(victim.get(path, answer))
    assert provider.token_requests == []


def test_s17_a_state_works_once(provider: IdentityProvider) -> None:
    client = Client()
    path, answer = provider.approve(begin(client))
    assert is_in(client.get(path, answer))
    client.post(reverse("account_logout"))
    assert not is_in(client.get(path, answer))


def test_s17_a_code_of_another_sign_in_does_not_fit(provider: IdentityProvider) -> None:
    """PKCE: the code was given for a challenge that this browser cannot answer."""
    _, stolen = provider.approve(begin(Client()))
    client = Client()
    path, own = provider.approve(begin(client))
    assert not is_in(client.get(path, {"code": stolen["code"], "state": own["state"]}))


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"nonce": "another"}, "nonce"),
        ({"nonce": None}, "nonce"),
        ({"iss": "https://evil.example"}, "InvalidIssuer"),
        ({"aud": "another-client"}, "InvalidAudience"),
        ({"aud": [CLIENT_ID, "x"], "azp": "x"}, "given to"),
        ({"exp": 1_000_000_000}, "Expired"),
        ({"exp": None}, "MissingRequiredClaim"),
        ({"sub": None}, "MissingRequiredClaim"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_s17_tokens_that_are_not_for_this_sign_in_are_refused(
    provider: IdentityProvider, claims: dict[str, Any], reason: str
) -> None:
    provider.claims = claims
    response = sign_in(provider)
    assert not is_in(response)
    assert "Single sign-on did not work" in response.content.decode()
    assert reason in reasons()[-1]
    assert reason not in response.content.decode()
    assert not User.objects.exists()


def test_a_token_signed_by_somebody_else_is_refused(provider: IdentityProvider) -> None:
    provider.signing_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    assert not is_in(sign_in(provider))
    assert "InvalidSignature" in reasons()[-1]


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
def test_a_token_without_a_public_key_signature_is_refused(
    provider: IdentityProvider, algorithm: str
) -> None:
    provider.algorithm = algorithm
    provider.signing_key = None if algorithm == "none" else CLIENT_SECRET * 2
    assert not is_in(sign_in(provider))
    assert "is not accepted" in reasons()[-1]


def test_a_provider_that_speaks_for_another_issuer_is_refused(provider: IdentityProvider) -> None:
    provider.discovery = {"issuer": "https://evil.example"}
    response = Client().post(reverse("oidc_login"))
    assert "Single sign-on did not work" in response.content.decode()


def test_user_info_fills_in_a_missing_address_but_only_of_the_same_subject(
    provider: IdentityProvider,
) -> None:
    provider.claims = {"email": None, "email_verified": None}
    provider.user_info = {"sub": "another", "email": "neo@example.org", "email_verified": True}
    assert not is_in(sign_in(provider))
    provider.user_info["sub"] = "subject-1"
    assert is_in(sign_in(provider))


@pytest.mark.parametrize(
    "claims", [{"email_verified": False}, {"email_verified": None}, {"email": None}]
)
def test_an_address_that_is_not_confirmed_gives_no_account(
    provider: IdentityProvider, claims: dict[str, Any], olivia: Persona
) -> None:
    provider.claims = {"email": olivia.user.email, **claims}
    response = sign_in(provider)
    assert response.status_code == 403
    assert "does not say that your e-mail address is confirmed" in response.content.decode()
    assert not SocialAccount.objects.exists()


def test_a_confirmed_address_opens_the_account_that_has_it(
    provider: IdentityProvider, olivia: Persona
) -> None:
    provider.claims = {"email": olivia.user.email.upper()}
    response = sign_in(provider)
    assert is_in(response)
    assert response.client.session[SESSION_KEY] == str(olivia.user.pk)
    olivia.user.refresh_from_db()
    assert olivia.user.check_password(PASSWORD)


def test_who_signed_up_with_anothers_address_does_not_get_the_other_into_it(
    provider: IdentityProvider,
) -> None:
    """Else the squatter would share the account with its true owner, who comes later."""
    form = {"email": "neo@example.org", "password1": PASSWORD}
    Client().post(reverse("account_signup"), form)
    response = sign_in(provider)
    assert response.status_code == 403
    assert "never confirmed" in response.content.decode()
    assert not SocialAccount.objects.exists()


@pytest.mark.parametrize("provision", ["registration", "always"])
def test_only_allowed_domains_come_in(
    provider: IdentityProvider, settings: Any, provision: str
) -> None:
    settings.OIDC_PROVISION = provision
    settings.OIDC_DOMAINS = ["corp.example"]
    assert sign_in(provider).status_code == 403
    provider.claims = {"email": "neo@sub.corp.example"}
    assert sign_in(provider).status_code == 403
    provider.claims = {"email": "neo@Corp.example"}
    assert is_in(sign_in(provider))


@pytest.mark.parametrize(
    ("mode", "provision", "invited", "let_in"),
    [
        ("self_serve", "registration", False, True),
        ("self_serve", "never", False, False),
        ("invite_only", "registration", False, False),
        ("invite_only", "registration", True, True),
        ("invite_only", "always", False, True),
        ("closed", "registration", True, False),
        ("closed", "always", False, True),
    ],
)
def test_new_accounts_follow_the_registration_mode(
    provider: IdentityProvider,
    settings: Any,
    olivia: Persona,
    mode: str,
    provision: str,
    invited: bool,
    let_in: bool,
) -> None:
    settings.ACCOUNTS_REGISTRATION, settings.OIDC_PROVISION = mode, provision
    if invited:
        make_invitation(olivia.space, email="neo@example.org", role=Role.CONTRIBUTOR)
    response = sign_in(provider)
    assert is_in(response) == let_in
    assert User.objects.filter(email="neo@example.org").exists() == let_in
    if invited and let_in:
        membership = Membership.objects.get(user__email="neo@example.org")
        assert (membership.space, membership.role) == (olivia.space, Role.CONTRIBUTOR)


def test_a_new_person_joins_the_default_space(provider: IdentityProvider, settings: Any) -> None:
    space = make_space("Everybody")
    settings.OIDC_SPACE, settings.OIDC_ROLE = space.pk, "contributor"
    assert is_in(sign_in(provider))
    membership = Membership.objects.get(user__email="neo@example.org")
    assert (membership.space, membership.role) == (space, "contributor")


def test_who_was_switched_off_does_not_come_in(provider: IdentityProvider) -> None:
    sign_in(provider)
    User.objects.update(is_active=False)
    assert not is_in(sign_in(provider)) or SESSION_KEY not in Client().session


def test_a_password_that_is_kept_elsewhere_cannot_be_set_or_reset_here(
    provider: IdentityProvider, mailoutbox: list[Any]
) -> None:
    client = Client()
    sign_in(provider, client)
    assert client.get(reverse("account_set_password")).status_code == 409
    assert client.get(reverse("account_change_password")).status_code == 409
    Client().post(reverse("account_reset_password"), {"email": "neo@example.org"})
    assert mailoutbox[-1].subject == "Your password is kept elsewhere"
    assert "/password/reset/" not in mailoutbox[-1].body


def test_a_person_connects_and_disconnects_an_identity(
    provider: IdentityProvider, olivia: Persona
) -> None:
    client = Client()
    client.post(reverse("account_login"), {"login": olivia.user.email, "password": PASSWORD})
    provider.claims = {"email": "other@example.net", "email_verified": False}
    asked = sign_in(provider, client, process="connect")
    assert asked.headers["Location"] == reverse("account_reauthenticate")
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    link = SocialAccount.objects.get(user=olivia.user)
    assert is_in(sign_in(provider))
    page = client.get(reverse("security")).content.decode()
    assert "other@example.net" in page
    client.post(reverse("identity_disconnect", args=[link.pk]))
    assert not SocialAccount.objects.exists()


def test_the_only_way_in_cannot_be_disconnected(provider: IdentityProvider) -> None:
    client = Client()
    sign_in(provider, client)
    link = SocialAccount.objects.get()
    assert client.post(reverse("identity_disconnect", args=[link.pk])).status_code == 409
    assert SocialAccount.objects.exists()


def test_nobody_disconnects_the_identity_of_another(
    provider: IdentityProvider, mallory: Persona
) -> None:
    sign_in(provider)
    link = SocialAccount.objects.get()
    assert mallory.client.post(reverse("identity_disconnect", args=[link.pk])).status_code == 404


def test_opening_the_address_alone_starts_nothing(provider: IdentityProvider) -> None:
    page = Client().get(reverse("oidc_login"))
    assert page.status_code == 200
    assert "You go to Acme ID" in page.content.decode()


def test_who_cancels_there_is_told_so(provider: IdentityProvider) -> None:
    client = Client()
    path, answer = provider.approve(begin(client))
    denied = {"error": "access_denied", "state": answer["state"]}
    page = client.get(path, denied, follow=True)
    assert "Nothing was changed" in page.content.decode()


def test_a_next_page_on_another_site_is_not_gone_to(provider: IdentityProvider) -> None:
    response = sign_in(provider, next="https://evil.example/")
    assert response.headers["Location"] == "/"


def test_the_audit_has_no_token(provider: IdentityProvider) -> None:
    sign_in(provider)
    make_user()
    text = str(list(PlatformAuditEvent.objects.values()))
    assert "login.in" in text
    assert "eyJ" not in text
    assert CLIENT_SECRET not in text
