"""Counts requests of an address, for pages that strangers may open."""

from __future__ import annotations

from allauth.account.adapter import get_adapter
from allauth.core.internal.ratelimit import truncate_ip
from django.core.cache import cache
from django.http import HttpRequest
from django.utils.translation import gettext as _

from core.errors import LimitReached

WINDOW_SECONDS = 60


def client_address(request: HttpRequest) -> str:
    """Return the client's address as allauth's own limits see it.

    Behind proxies `ALLAUTH_TRUSTED_PROXY_COUNT` (or `…_CLIENT_IP_HEADER`) says which part of the
    header to believe; without that setting headers are not believed at all.
    """
    address: str = truncate_ip(get_adapter().get_client_ip(request))
    return address


def limit_by_address(request: HttpRequest, *, action: str, per_minute: int) -> None:
    """Count this request; a window begins with the first one and lasts a minute.

    Raises:
        LimitReached: the address has used up its requests for `action`.
    """
    key = f"throttle:{action}:{client_address(request)}"
    cache.add(key, 0, timeout=WINDOW_SECONDS)
    try:
        count = cache.incr(key)
    except ValueError:  # the window ended between the two calls
        cache.set(key, 1, timeout=WINDOW_SECONDS)
        count = 1
    if count > per_minute:
        raise LimitReached(
            _("Too many requests came from your address. Wait a minute and try again."),
            retry_after_seconds=WINDOW_SECONDS,
        )
