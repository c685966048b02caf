"""The description of the API for programs."""

from __future__ import annotations

from typing import Any

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from integrations.api.base import ApiView


class Description(ApiView):
    """OpenAPI 3."""

    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        """Return the whole description, outside of the envelope: tools read it as it is."""
        generator: Any = SchemaGenerator()  # type: ignore[no-untyped-call]  # the library has no types there
        return Response(generator.get_schema(request=None, public=True))
