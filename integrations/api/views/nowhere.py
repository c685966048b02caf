"""What is no address of the API is told so in the envelope."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from core.envelope import NOT_FOUND, failure


@csrf_exempt
def nowhere(request: HttpRequest, rest: str) -> JsonResponse:
    """Answer every method at every address that leads nowhere, without asking who it is."""
    del request, rest
    message = "There is no such route; /api/v1/schema lists all of them."
    return JsonResponse(failure(NOT_FOUND, message), status=404)
