"""What a person enters to describe a model, checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from core.addresses import AddressRefused
from core.dialling import check_outgoing
from core.errors import Invalid
from providers.constants import ModelType, Provider
from providers.parameters import ModelParameters

_HEADER_NAME = re.compile(r"^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")
_RESERVED_HEADERS = frozenset({"host", "content-length", "transfer-encoding", "connection"})
_TYPES_OF: dict[str, frozenset[str]] = {
    Provider.LOCAL: frozenset({ModelType.CHAT, ModelType.EMBEDDING, ModelType.RERANK}),
    Provider.RERANK: frozenset({ModelType.RERANK}),
    Provider.AZURE: frozenset({ModelType.CHAT, ModelType.EMBEDDING, ModelType.VISION}),
    Provider.OPENAI_COMPATIBLE: frozenset(ModelType.values) - {ModelType.RERANK},
}


@dataclass(frozen=True, kw_only=True)
class ModelValues:
    """A model as it was entered. Secrets are left out of its representation."""

    name: str
    type: str
    provider: str
    model_id: str
    base_url: str = ""
    api_key: str | None = field(default=None, repr=False)
    """None leaves the stored key as it is; an empty text removes it."""
    extra_headers: Mapping[str, str] | None = field(default=None, repr=False)
    """None leaves the stored headers as they are."""
    parameters: ModelParameters = field(default_factory=ModelParameters)
    is_default: bool = False
    is_enabled: bool = True
    max_concurrency: int = 4


def check_values(values: ModelValues) -> None:
    """Return when the values make a usable model.

    Raises:
        Invalid: they do not; `field` names the one to correct.
    """
    for name, limit in (("name", 200), ("model_id", 200), ("base_url", 500)):
        text = str(getattr(values, name))
        if len(text) > limit or "\x00" in text:
            raise Invalid(
                _("At most %(limit)s characters, and no NUL.") % {"limit": limit}, field=name
            )
    if not values.name.strip():
        raise Invalid(_("Give the model a name."), field="name")
    if not values.model_id.strip():
        raise Invalid(_("Enter the service's own name of the model."), field="model_id")
    if values.type not in _TYPES_OF.get(values.provider, frozenset()):
        raise Invalid(
            f"The service {values.provider!r} offers no models of the type {values.type!r}.",
            field="type",
        )
    if values.provider != Provider.LOCAL:
        _check_address(values.base_url)
    _check_headers(values.extra_headers or {})
    if not 1 <= values.max_concurrency <= 1000:
        raise Invalid(_("Between 1 and 1000 calls at once."), field="max_concurrency")
    if values.is_default and not values.is_enabled:
        raise Invalid(_("A model that is turned off cannot be the default."), field="is_default")


def same_address(first: str, second: str) -> bool:
    """Say whether two addresses lead to the same host by the same scheme and port."""
    one, two = urlsplit(first.strip()), urlsplit(second.strip())
    return (one.scheme, one.netloc.lower()) == (two.scheme, two.netloc.lower())


def _check_address(base_url: str) -> None:
    wanted = _("Enter a URL such as https://api.example.com/v1.")
    try:
        parts = urlsplit(base_url.strip())
        port_ok = parts.port is None or parts.port > 0
    except ValueError:
        raise Invalid(wanted, field="base_url") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_ok:
        raise Invalid(wanted, field="base_url")
    if parts.username or parts.password:
        raise Invalid(_("Leave the password out of the URL: use the key."), field="base_url")
    if parts.fragment or parts.query:
        raise Invalid(_("Leave ? and # out of the URL."), field="base_url")
    try:
        check_outgoing(base_url.strip())
    except AddressRefused as refusal:
        raise Invalid(refusal.message, field="base_url") from refusal


def _check_headers(headers: Mapping[str, str]) -> None:
    for name, value in headers.items():
        if not _HEADER_NAME.match(name) or name.lower() in _RESERVED_HEADERS:
            raise Invalid(
                _("“%(name)s” cannot be an extra header.") % {"name": name}, field="extra_headers"
            )
        if not value.isprintable() or not value.isascii():
            raise Invalid(
                _("The value of “%(name)s” may only hold printable ASCII.") % {"name": name},
                field="extra_headers",
            )
