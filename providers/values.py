"""What a person enters to describe a model, checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

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
            raise Invalid(f"At most {limit} characters, and no NUL.", field=name)
    if not values.name.strip():
        raise Invalid("Give the model a name.", field="name")
    if not values.model_id.strip():
        raise Invalid("Enter the service's own name of the model.", field="model_id")
    if values.type not in _TYPES_OF.get(values.provider, frozenset()):
        raise Invalid(
            f"The service {values.provider!r} offers no models of the type {values.type!r}.",
            field="type",
        )
    if values.provider != Provider.LOCAL:
        _check_address(values.base_url)
    _check_headers(values.extra_headers or {})
    if not 1 <= values.max_concurrency <= 1000:
        raise Invalid("Between 1 and 1000 calls at once.", field="max_concurrency")
    if values.is_default and not values.is_enabled:
        raise Invalid("A model that is switched off cannot be the default.", field="is_default")


def same_address(first: str, second: str) -> bool:
    """Say whether two addresses lead to the same host by the same scheme and port."""
    one, two = urlsplit(first.strip()), urlsplit(second.strip())
    return (one.scheme, one.netloc.lower()) == (two.scheme, two.netloc.lower())


def _check_address(base_url: str) -> None:
    wanted = "Enter an address such as https://api.example.com/v1"
    try:
        parts = urlsplit(base_url.strip())
        port_ok = parts.port is None or parts.port > 0
    except ValueError:
        raise Invalid(f"{wanted}.", field="base_url") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_ok:
        raise Invalid(f"{wanted}.", field="base_url")
    if parts.username or parts.password:
        raise Invalid(f"{wanted}, without a password in it: use the key.", field="base_url")
    if parts.fragment or parts.query:
        raise Invalid(f"{wanted}, without ? and #.", field="base_url")


def _check_headers(headers: Mapping[str, str]) -> None:
    for name, value in headers.items():
        if not _HEADER_NAME.match(name) or name.lower() in _RESERVED_HEADERS:
            raise Invalid(f"{name!r} cannot be an extra header.", field="extra_headers")
        if not value.isprintable() or not value.isascii():
            raise Invalid(
                f"The value of {name!r} may only hold printable ASCII.", field="extra_headers"
            )
