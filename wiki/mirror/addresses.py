"""Which addresses a mirror may be pushed to, and as which branch."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from core.addresses import AddressRefused
from core.dialling import check_outgoing
from core.errors import Invalid

_BRANCH: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*")


def clean_address(address: str) -> str:
    """Return an address as it is kept; a blank one stays blank.

    Raises:
        Invalid: it is not by https, names a person or a token, or leads where this server does not
            call.
    """
    found = address.strip()
    if not found:
        return ""
    if not _is_plain(found):
        raise _wrong(
            "address",
            _("An address that begins with https://, without a name or token in it."),
        )
    if len(found) > 500:
        raise _wrong("address", _("The address is too long."))
    try:
        check_outgoing(found)
    except AddressRefused as refusal:
        raise _wrong("address", refusal.message) from refusal
    return found


def clean_branch(branch: str) -> str:
    """Return the name of a branch.

    Raises:
        Invalid: Git would not take it.
    """
    found = branch.strip() or "main"
    is_fine = _BRANCH.fullmatch(found) and len(found) <= 100 and ".." not in found
    if not is_fine or any(part.endswith((".lock", ".")) for part in found.split("/")):
        raise _wrong("branch", _("Letters, digits, dots, dashes and slashes, as Git has it."))
    return found


def clean_token(token: str) -> str:
    """Return a token as it is kept.

    Raises:
        Invalid: it has signs that no header can have.
    """
    found = token.strip()
    if len(found) > 1000 or not found.isascii() or not all(sign.isprintable() for sign in found):
        raise _wrong("token", _("The token has signs that a token does not have."))
    return found


def _is_plain(address: str) -> bool:
    if re.search(r"[\s\x00-\x1f\\]", address):
        return False
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    is_named = parts.scheme == "https" and bool(parts.hostname) and "@" not in parts.netloc
    return is_named and not parts.query and not parts.fragment


def _wrong(field: str, text: str) -> Invalid:
    return Invalid(text, fields={field: [text]})
