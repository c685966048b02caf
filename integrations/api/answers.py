"""Successful answers in the envelope, and pages of lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from core.errors import Invalid

MAX_PAGE_SIZE = 100
USUAL_PAGE_SIZE = 20


def success(data: Any = None, *, status: int = 200, **beside: Any) -> Response:
    """Return data in the envelope, with what stands beside it."""
    body = {"success": True, **beside}
    return Response(body if data is None else {"success": True, "data": data, **beside}, status)


def page_answer(
    request: Request,
    rows: QuerySet[Any] | Sequence[Any],
    shape: type[BaseSerializer[Any]],
    *,
    page_size: int = USUAL_PAGE_SIZE,
    whole: bool = False,
    context: Mapping[str, Any] | None = None,
) -> Response:
    """Return one page of a list with `total`, `page` and `page_size`.

    `whole`: without a page in the query the list is answered whole, as the reference does for short
    lists.

    Raises:
        Invalid: page or page_size is no number of its range.
    """
    asked = {"page", "page_size"} & set(request.query_params)
    total = rows.count() if isinstance(rows, QuerySet) else len(rows)
    if whole and not asked:
        data = shape(list(rows), many=True, context=dict(context or {})).data
        return success(data, total=total, page=1, page_size=max(total, 1))
    page = number(request, "page", default=1, most=1_000_000)
    size = number(request, "page_size", default=page_size, most=MAX_PAGE_SIZE)
    start = (page - 1) * size
    found = list(rows[start : start + size])
    data = shape(found, many=True, context=dict(context or {})).data
    return success(data, total=total, page=page, page_size=size)


def number(request: Request, name: str, *, default: int, most: int) -> int:
    """Return a whole number of the query.

    Raises:
        Invalid: it is not 1 to `most`.
    """
    text = request.query_params.get(name, "")
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or len(text) > 9 or not 1 <= int(text) <= most:
        raise Invalid(f"{name} must be a whole number from 1 to {most:,}.", field=name)
    return int(text)


def refuse_unsupported(sent: Any, *names: str) -> None:
    """Refuse what clients of the reference may send but what would be left out of the result here.

    Raises:
        Invalid: one of the fields has a value.
    """
    found = [name for name in names if sent.get(name) not in (None, "", [], {}, False)]
    if found:
        raise Invalid(f"{', '.join(found)}: not supported here; leave it out.", fields=found)
