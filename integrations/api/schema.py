"""How routes describe themselves in OpenAPI."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework import serializers


class RouteSchema(AutoSchema):
    """Names each operation by its view: `getOneSession`, `postSessions`."""

    def get_operation_id(self) -> str:
        """Return a name that no other route has."""
        return f"{self.method.lower()}{type(self.view).__name__}"


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # it has no types
    """A key."""

    target_class = "integrations.api.authentication.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        """Say where the key is sent."""
        del auto_schema
        return {"type": "apiKey", "in": "header", "name": "X-API-Key"}


class PersonScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # it has no types
    """The cookie of a person who is signed in."""

    target_class = "integrations.api.authentication.PersonAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        """Say which cookie it is."""
        del auto_schema
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME}


PAGING = [
    OpenApiParameter("page", OpenApiTypes.INT, description="From 1"),
    OpenApiParameter("page_size", OpenApiTypes.INT, description="1 to 100"),
]
ANY_OBJECT = inline_serializer(
    "Anything", {"success": serializers.BooleanField(), "data": serializers.DictField()}
)
DONE = inline_serializer(
    "Done", {"success": serializers.BooleanField(), "message": serializers.CharField()}
)
EVENTS = OpenApiResponse(
    response={"type": "string"},
    description="text/event-stream: `event: message` with a JSON object each; ends with `complete`",
)


@cache
def enveloped(shape: type[serializers.Serializer[Any]], *, many: bool = False) -> Any:
    """Return the description of data in the envelope."""
    fields: dict[str, serializers.Field[Any, Any, Any, Any]] = {
        "success": serializers.BooleanField(),
        "data": shape(many=many),
    }
    if many:
        for name in ("total", "page", "page_size"):
            fields[name] = serializers.IntegerField(required=False)
    name = shape.__name__.removesuffix("Shape")
    return inline_serializer(f"{name}{'List' if many else ''}Answer", fields)
