"""Checks ID tokens: signature, issuer, audience, time and the nonce of this very sign-in."""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jwt

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
"""Public-key algorithms only: with a shared one, the public key or nothing would sign."""
LEEWAY_SECONDS = 60


class TokenRefused(Exception):
    """The ID token proves nothing; the text is for the log."""


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Who the provider says has signed in."""

    subject: str
    """Unique and lasting at this issuer."""
    email: str
    """Lower case; blank when the provider names none."""
    email_verified: bool
    name: str


def read_id_token(
    token: str, *, keys: Mapping[str, Any], issuer: str, client_id: str, nonce: str
) -> dict[str, Any]:
    """Return the claims of a token that is meant for this sign-in.

    Args:
        token: the compact form.
        keys: the provider's JSON web key set.
        issuer: whom the token must be from.
        client_id: whom it must be for.
        nonce: what this browser's sign-in began with.

    Raises:
        TokenRefused: something about it is wrong.
    """
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            key=_key_for(token, keys),
            algorithms=list(ALGORITHMS),
            issuer=issuer,
            audience=client_id,
            leeway=LEEWAY_SECONDS,
            options={"require": ["iss", "aud", "exp", "iat", "sub"]},
        )
    except jwt.PyJWTError as error:
        raise TokenRefused(f"{type(error).__name__}: {error}") from error
    _check_party(claims, client_id)
    if not nonce or not hmac.compare_digest(str(claims.get("nonce", "")), nonce):
        raise TokenRefused("the nonce is not the one of this sign-in")
    return claims


def identity_of(claims: Mapping[str, Any], user_info: Mapping[str, Any] | None) -> Identity:
    """Join the token's claims with what the user-info endpoint adds to them.

    Raises:
        TokenRefused: the endpoint speaks of somebody else.
    """
    more = user_info or {}
    if more and more.get("sub") != claims["sub"]:
        raise TokenRefused("user info is about another subject than the ID token")
    source = claims if claims.get("email") else more
    return Identity(
        subject=str(claims["sub"]),
        email=str(source.get("email") or "").strip().lower(),
        # Some providers write the boolean as a text.
        email_verified=source.get("email_verified") in (True, "true", "True"),
        name=str(claims.get("name") or more.get("name") or "").strip()[:150],
    )


def _key_for(token: str, keys: Mapping[str, Any]) -> Any:
    header = jwt.get_unverified_header(token)
    if header.get("alg") not in ALGORITHMS:
        raise TokenRefused(f"the algorithm {header.get('alg')!r} is not accepted")
    candidates = [key for key in _signing_keys(keys) if header.get("kid") in (None, key.get("kid"))]
    if len(candidates) != 1:
        raise TokenRefused(f"{len(candidates)} keys of the provider fit kid {header.get('kid')!r}")
    return jwt.PyJWK.from_json(json.dumps(candidates[0]), algorithm=header["alg"]).key


def _signing_keys(keys: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    found = keys.get("keys")
    if not isinstance(found, list):
        raise TokenRefused("the provider's key set has no keys")
    return [key for key in found if key.get("use", "sig") == "sig"]


def _check_party(claims: Mapping[str, Any], client_id: str) -> None:
    """Refuse a token that was given to another client, even if we are one of its audiences."""
    party = claims.get("azp")
    several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if (several or party is not None) and party != client_id:
        raise TokenRefused(f"the token was given to {party!r}")
