"""People of an application that uses a key: named by a short-lived token the application signs.

The token is a JWT (HS256, the key's own signing secret) with `sub`, `exp` and, if it likes, `name`.
It gives no right that the key has not: its bearer reads and asks, and keeps to their own.
"""

from __future__ import annotations

import hashlib
import time
import unicodedata
from dataclasses import dataclass

import jwt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from accounts.models import ApiKey
from core.errors import Invalid, NotSignedIn

HEADER = "X-External-User-Token"
ALGORITHM = "HS256"
LONGEST_SECONDS = 3600
USUAL_SECONDS = 900
LEEWAY_SECONDS = 30
SUBJECT_LENGTH = 128
TOKEN_LENGTH = 4096
_DIGEST_CHARACTERS = 24
_UNWRITABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Categories of characters that no name has: control characters, halves of pairs, line ends."""


@dataclass(frozen=True, kw_only=True)
class ExternalPerson:
    """Who a token names."""

    subject: str
    """Their id in the application."""
    name: str = ""

    @property
    def digest(self) -> str:
        """A short form of the subject, as long for all of them."""
        return hashlib.sha256(self.subject.encode()).hexdigest()[:_DIGEST_CHARACTERS]


class _Claims(BaseModel):
    """What a token says, each with its type; what else it holds is not read."""

    model_config = ConfigDict(strict=True)

    sub: str = Field(min_length=1, max_length=SUBJECT_LENGTH)
    exp: float = Field(allow_inf_nan=False)
    iat: float = Field(default=0, allow_inf_nan=False)
    nbf: float = Field(default=0, allow_inf_nan=False)
    name: str = ""


def mint_token(
    key: ApiKey, person: ExternalPerson, *, expires_in_seconds: int = USUAL_SECONDS
) -> str:
    """Return a token as the application would sign it.

    Raises:
        Invalid: the subject is blank or too long, subject or name have control characters, or the
            time is not 1 to 3600 seconds.
    """
    if not person.subject.strip() or len(person.subject) > SUBJECT_LENGTH:
        raise Invalid(f"An external user id has 1 to {SUBJECT_LENGTH} characters.")
    if _is_unwritable(person.subject + person.name):
        raise Invalid("An external user's id and name have no control characters.")
    if not 1 <= expires_in_seconds <= LONGEST_SECONDS:
        raise Invalid(f"A token lives 1 to {LONGEST_SECONDS} seconds.")
    now = int(time.time())
    claims = {"sub": person.subject, "iat": now, "exp": now + expires_in_seconds}
    if person.name:
        claims["name"] = person.name[:SUBJECT_LENGTH]
    return jwt.encode(claims, key.signing_secret, algorithm=ALGORITHM)


def read_token(key: ApiKey, token: str) -> ExternalPerson:
    """Return whom a token names.

    Raises:
        NotSignedIn: it is not signed with the key's secret, has expired, lives too long, has a claim
            of a wrong type, or names nobody whom the audit could write down.
    """
    if not key.signing_secret:
        raise NotSignedIn("This key has no signing secret; rotate it to get one.")
    claims = _claims(_payload(token, secret=key.signing_secret))
    _check_times(claims)
    if not claims.sub.strip():
        raise NotSignedIn(f"sub of the token must be 1 to {SUBJECT_LENGTH} characters.")
    if _is_unwritable(claims.sub + claims.name):
        raise NotSignedIn("sub and name of the token must be without control characters.")
    return ExternalPerson(subject=claims.sub, name=claims.name[:SUBJECT_LENGTH])


def _payload(token: str, *, secret: str) -> bytes:
    """Return what was signed."""
    if len(token) > TOKEN_LENGTH:
        raise NotSignedIn(f"The token in {HEADER} is longer than {TOKEN_LENGTH} characters.")
    try:
        payload: bytes = jwt.PyJWS().decode(token, secret, algorithms=[ALGORITHM])
    except (jwt.PyJWTError, ValueError, RecursionError) as error:
        raise NotSignedIn(
            f"The token in {HEADER} is not valid: sign it with the key's signing secret (HS256)"
            " and give it sub and exp."
        ) from error
    return payload


def _claims(payload: bytes) -> _Claims:
    try:
        return _Claims.model_validate_json(payload)
    except ValidationError as error:
        names = sorted({str(each["loc"][0]) for each in error.errors() if each["loc"]})
        raise NotSignedIn(
            f"The token in {HEADER} is not valid: {', '.join(names) or 'its content'} cannot be"
            f" used. sub is a text of 1 to {SUBJECT_LENGTH} characters, name a text; exp, iat and"
            " nbf are numbers of seconds."
        ) from error


def _check_times(claims: _Claims) -> None:
    now = time.time()
    if claims.exp <= now - LEEWAY_SECONDS:
        raise NotSignedIn("The token has expired; sign a new one.")
    if claims.exp > now + LONGEST_SECONDS + LEEWAY_SECONDS:
        raise NotSignedIn(f"The token lives too long; {LONGEST_SECONDS} seconds are the most.")
    if max(claims.iat, claims.nbf) > now + LEEWAY_SECONDS:
        raise NotSignedIn("The token is not valid yet; check the clock that iat and nbf come from.")


def _is_unwritable(text: str) -> bool:
    return any(unicodedata.category(each) in _UNWRITABLE for each in text)
