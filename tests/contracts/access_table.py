"""What each persona is answered at each address: the committed table of `test_access`.

Add a row for each address and method that a view takes; every other method must be refused with
405. The columns are olivia, adam, cora, victor (owner to viewer of space A), mallory (owner of
space B) and the stranger who is not signed in. Addresses name things of space A, all made by
olivia: for mallory each of them is 404.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from tests.contracts.world import World

PEOPLE = ("olivia", "adam", "cora", "victor", "mallory", "stranger")
LOGIN = 302
"""Where strangers are sent; the test looks at the address."""

Data = Mapping[str, Any] | Callable[[World], Mapping[str, Any]]


@dataclass(frozen=True)
class Row:
    """The expected answers to one method at one address."""

    name: str
    """The name of the address, with its namespace."""
    method: str
    expected: tuple[int, int, int, int, int, int]
    """Statuses in the order of PEOPLE."""
    data: Data = ()  # type: ignore[assignment]  # an empty sequence of pairs is an empty mapping
    open_to_mallory: str = ""
    """Why a thing of space A is not 404 for her."""
    or_else: int = 0
    """Another answer that the state of the machine may give to everybody."""

    def data_for(self, world: World) -> Mapping[str, Any]:
        """Return the form that is sent."""
        return self.data(world) if callable(self.data) else dict(self.data)


def everybody(status: int, stranger: int = LOGIN) -> tuple[int, int, int, int, int, int]:
    """The same for all who are signed in."""
    return (status, status, status, status, status, stranger)


def members(status: int, stranger: int = LOGIN) -> tuple[int, int, int, int, int, int]:
    """The same for all of space A; not there for others."""
    return (status, status, status, status, 404, stranger)


def admins(status: int, others: int = 403) -> tuple[int, int, int, int, int, int]:
    """For owner and admin of A."""
    return (status, status, others, others, 404, LOGIN)


def her_own(status: int) -> tuple[int, int, int, int, int, int]:
    """For olivia alone; not there for others."""
    return (status, 404, 404, 404, 404, LOGIN)


_ROLE = {"role": "contributor"}
_JOIN = {"email": "neo@example.org", "name": "Neo", "password": "blue-lantern-42"}
_BASE = {"name": "Tower", "description": "", "size_characters": 1200, "limit": 10, "rerank": "auto"}
_HIDDEN_FROM_VIEWERS = (302, 302, 404, 404, 404, LOGIN)


def _file(_: World) -> Mapping[str, Any]:
    return {"file": SimpleUploadedFile("notes.txt", b"Check the flaps.")}


ACCOUNTS = (
    Row("spaces", "GET", everybody(200)),
    Row("spaces", "POST", everybody(302), {"name": "Another"}),
    Row("space_switch", "POST", members(302)),
    Row("space_leave", "POST", (409, 302, 302, 302, 404, LOGIN)),
    Row("space_settings", "GET", everybody(200)),
    Row("space_settings", "POST", (302, 302, 403, 403, 302, LOGIN), {"name": "Renamed"}),
    Row("members", "GET", everybody(200)),
    Row("member_role", "POST", admins(302), _ROLE),
    Row("member_remove", "POST", admins(302)),
    Row("invitations", "POST", (302, 302, 403, 403, 302, LOGIN), {"role": "viewer"}),
    Row("invitation_revoke", "POST", _HIDDEN_FROM_VIEWERS),
    Row("invitation", "GET", everybody(200, 200), open_to_mallory="the link is the permission"),
    Row("invitation", "POST", everybody(302, 302), _JOIN, "the link is the permission"),
    Row("profile", "GET", everybody(200)),
    Row("profile", "POST", everybody(302), {"name": "Somebody"}),
)
AGENTS = (
    Row("chat_new", "GET", everybody(200)),
    Row("chat_new", "POST", everybody(302), {"text": "What is to be checked?", "client_id": "1"}),
    Row("conversations", "GET", everybody(200)),
    Row("conversation", "GET", her_own(200)),
    Row("conversation_rename", "POST", her_own(302), {"title": "Flaps"}),
    Row("conversation_delete", "POST", her_own(302)),
)
KNOWLEDGE = (
    Row("bases", "GET", everybody(200)),
    Row("base_new", "GET", (200, 200, 200, 403, 200, LOGIN)),
    Row("base_new", "POST", (302, 302, 302, 403, 302, LOGIN), _BASE),
    Row("base", "GET", members(200)),
    Row("base_settings", "GET", admins(200)),
    Row("base_settings", "POST", admins(302), _BASE),
    Row("base_delete", "POST", admins(302)),
    Row("base_search", "GET", members(200)),
    Row("base_upload", "POST", admins(201), _file),
    Row("document", "GET", members(200)),
    Row("document_file", "GET", members(200)),
    Row("document_retry", "POST", admins(302)),
    Row("document_cancel", "POST", admins(409)),
    Row("document_delete", "POST", admins(302)),
)
_MODEL = {
    "name": "Tower talk",
    "type": "chat",
    "provider": "openai_compatible",
    "model_id": "m",
    "base_url": "http://127.0.0.1:9/v1",
    "parameters": "{}",
    "max_concurrency": 4,
    "is_enabled": "on",
}
_OF_ADMINS = (302, 302, 403, 403, 302, LOGIN)
PROVIDERS = (
    Row("models", "GET", everybody(200)),
    Row("model_new", "GET", (200, 200, 403, 403, 200, LOGIN)),
    Row("model_new", "POST", _OF_ADMINS, _MODEL),
    Row("model_new_test", "POST", (200, 200, 403, 403, 200, LOGIN), _MODEL),
    Row("model", "GET", admins(200)),
    Row("model", "POST", admins(302), _MODEL),
    Row("model_test", "POST", (200, 200, 403, 403, 404, LOGIN), _MODEL),
    Row("model_default", "POST", admins(302)),
    Row("model_delete", "POST", admins(302)),
)
SITE = (
    Row("health_live", "GET", everybody(200, 200)),
    Row("health_ready", "GET", everybody(503, 503), or_else=200),
)
ALLAUTH = (
    Row("account_login", "GET", everybody(302, 200)),
    Row("account_login", "POST", everybody(302, 200)),
    Row("account_logout", "GET", everybody(200, 302)),
    Row("account_logout", "POST", everybody(302, 302)),
    Row("account_inactive", "GET", everybody(200, 200)),
    Row("account_signup", "GET", everybody(302, 200)),
    Row("account_signup", "POST", everybody(302, 200)),
    Row("account_reauthenticate", "GET", everybody(200)),
    Row("account_reauthenticate", "POST", everybody(200)),
    Row("account_email", "GET", everybody(200)),
    Row("account_email", "POST", everybody(302)),
    Row("account_email_verification_sent", "GET", everybody(200, 200)),
    Row("account_change_password", "GET", everybody(200)),
    Row("account_change_password", "POST", everybody(200)),
    Row("account_set_password", "GET", everybody(302)),
    Row("account_set_password", "POST", everybody(302)),
    Row("account_reset_password", "GET", everybody(200, 200)),
    Row("account_reset_password", "POST", everybody(200, 200)),
    Row("account_reset_password_done", "GET", everybody(200, 200)),
    Row("account_reset_password_from_key", "GET", everybody(200, 200)),
    Row("account_reset_password_from_key", "POST", everybody(200, 200)),
    Row("account_reset_password_from_key_done", "GET", everybody(200, 200)),
    Row("account_confirm_email", "GET", everybody(200, 200)),
    Row("account_confirm_email", "POST", everybody(404, 404)),
    # Signing in by a code that was mailed is not switched on.
    Row("account_confirm_login_code", "GET", everybody(302, 302)),
    Row("account_confirm_login_code", "POST", everybody(302, 302)),
    Row("account_request_reauthentication_code", "GET", everybody(302)),
    Row("account_request_reauthentication_code", "POST", everybody(302)),
    Row("account_confirm_reauthentication_code", "GET", everybody(302)),
    Row("account_confirm_reauthentication_code", "POST", everybody(302)),
)

TABLE = (*SITE, *ACCOUNTS, *ALLAUTH, *PROVIDERS, *AGENTS, *KNOWLEDGE)
