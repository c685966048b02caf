"""What is entered of a store, and whether it can be used."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from core.addresses import AddressRefused
from core.dialling import check_outgoing
from core.errors import Invalid
from knowledge.constants import StoreKind
from knowledge.stores.options import StoreOptions


@dataclass(frozen=True, kw_only=True)
class StoreValues:
    """A store as a person describes it."""

    name: str
    kind: StoreKind
    address: str
    user_name: str = ""
    api_key: str | None = field(default=None, repr=False)
    """None leaves a stored one as it is; blank removes it."""
    options: StoreOptions = field(default_factory=StoreOptions)


def check_values(values: StoreValues) -> None:
    """Return when a store can be described so.

    Raises:
        Invalid: it cannot; `field` says what is wrong.
    """
    if not values.name.strip():
        raise Invalid(_("A vector store needs a name."), field="name")
    address = values.address.strip()
    wanted = _("Enter a URL such as https://vectors.example.com:6333.")
    try:
        parts = urlsplit(address)
    except ValueError:
        raise Invalid(wanted, field="address") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Invalid(wanted, field="address")
    if parts.username or parts.password:
        raise Invalid(_("Leave the password out of the URL: use the key."), field="address")
    if parts.fragment or parts.query:
        raise Invalid(_("Leave ? and # out of the URL."), field="address")
    if values.kind == StoreKind.MILVUS and parts.path not in ("", "/"):
        raise Invalid(_("Milvus is reached by host and port alone."), field="address")
    try:
        check_outgoing(address)
    except AddressRefused as refusal:
        raise Invalid(refusal.message, field="address") from refusal
    secrets = values.user_name + (values.api_key or "")
    if not (secrets.isascii() and (not secrets or secrets.isprintable())):
        raise Invalid(_("User name and key hold printable ASCII only."), field="api_key")
