"""Public pages of wikis: for whoever has the address, signed in or not.

What is answered is asked for again each time: when publishing ends, no cache goes on showing it.
"""

from __future__ import annotations

import hashlib
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_GET

from accounts.throttle import limit_by_address
from core.htmx import render
from wiki.published import find_published_page, open_published, read_published_picture
from wiki.shown.public import public_index_context, public_page_context


@require_GET
def public_wiki(request: HttpRequest, public_name: str) -> HttpResponseBase:
    """Show the front of a published wiki, or the pages whose titles hold the words."""
    _limit(request)
    search = request.GET.get("q", "").strip()[:200]
    with open_published(public_name) as wiki:
        number = request.GET.get("page", "1")
        context = public_index_context(wiki, search=search, number=number)
    return _answer(request, "wiki/public/index.html", context)


@require_GET
def public_wiki_page(request: HttpRequest, public_name: str, slug: str) -> HttpResponseBase:
    """Show a published page; an old address leads to the page."""
    _limit(request)
    with open_published(public_name) as wiki:
        page, is_old = find_published_page(wiki, slug)
        if is_old:
            return _asked_again(redirect(wiki.page_url(page.slug)))
        context = public_page_context(wiki, page)
    return _answer(request, "wiki/public/page.html", context)


@require_GET
def public_wiki_picture(
    request: HttpRequest, public_name: str, content_hash: str
) -> HttpResponseBase:
    """Answer with a picture that a published page shows."""
    _limit(request)
    with open_published(public_name) as wiki:
        content, media_type = read_published_picture(wiki, content_hash)
        is_indexed = wiki.row.public_indexed
    response = HttpResponse(content, content_type=media_type)
    return _marked(request, response, is_indexed=is_indexed)


def _answer(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponseBase:
    """Render outside of the wiki's space: what the shell asks for is the reader's own."""
    response = render(request, template, context)
    return _marked(request, response, is_indexed=context["is_indexed"])


def _marked(request: HttpRequest, response: HttpResponse, *, is_indexed: bool) -> HttpResponseBase:
    response.headers["ETag"] = f'W/"{hashlib.sha256(response.content).hexdigest()[:32]}"'
    if not is_indexed:
        response.headers["X-Robots-Tag"] = "noindex, nofollow"
    etag = response.headers["ETag"]
    kept = get_conditional_response(request, etag=etag, response=response)
    return _asked_again(kept or response)


def _asked_again(response: HttpResponseBase) -> HttpResponseBase:
    response.headers["Cache-Control"] = "private, no-cache"
    return response


def _limit(request: HttpRequest) -> None:
    limit_by_address(request, action="public_wiki", per_minute=settings.PUBLIC_WIKI_PER_MINUTE)
