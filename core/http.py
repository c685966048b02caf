"""The client of every outgoing request: it dials only what the address policy allows.

It follows no redirect by itself; `fetch` does, at most ten, asking the policy anew at each and
leaving credentials behind when the origin changes.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from core.addresses import AddressRefused, check_url, read_target
from core.dialling import (
    AsyncGuardedTransport,
    GuardedTransport,
    allow_list,
    async_mounts,
    check_outgoing,
    mounts,
)
from core.errors import ServiceFailed, ServiceUnavailable, TooLarge

CONNECT_SECONDS = 10.0
MAX_REDIRECTS = 10
MAX_BYTES = 20_000_000
CREDENTIALS = frozenset(
    {
        "authorization",
        "cookie",
        "proxy-authorization",
        "x-auth-token",
        "x-api-key",
        "api-key",
        "x-goog-api-key",
    }
)
"""Headers that stay behind when a redirect leads to another origin."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is to be fetched."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    content: bytes | None = field(default=None, repr=False)
    timeout_seconds: float = 30.0
    """For everything together: redirects, head and body."""
    max_bytes: int = MAX_BYTES
    """Of the body after it was unpacked."""


@dataclass(frozen=True, kw_only=True)
class Fetched:
    """What came back."""

    url: str
    """Where it came from in the end."""
    status: int
    headers: Mapping[str, str]
    content: bytes


def sync_client(timeout_seconds: float) -> httpx.Client:
    """Return a guarded client to share between threads; it follows no redirect."""
    return httpx.Client(
        transport=GuardedTransport(),
        timeout=_timeout(timeout_seconds),
        follow_redirects=False,
        event_hooks={"request": [_check_request]},
        mounts=mounts(),
    )


def async_client(timeout_seconds: float) -> httpx.AsyncClient:
    """Return a guarded client of the running loop; it follows no redirect."""
    return httpx.AsyncClient(
        transport=AsyncGuardedTransport(),
        timeout=_timeout(timeout_seconds),
        follow_redirects=False,
        event_hooks={"request": [_check_request_async]},
        mounts=async_mounts(),
    )


def fetch(request: Request) -> Fetched:
    """Fetch, following up to ten redirects.

    Raises:
        AddressRefused: the address, or one it redirects to, may not be called.
        TooLarge: the body is longer than `max_bytes`.
        ServiceFailed, ServiceUnavailable: there is no answer, or no end of redirects.
    """
    deadline = time.monotonic() + request.timeout_seconds
    hop = request
    with sync_client(request.timeout_seconds) as client:
        for _ in range(MAX_REDIRECTS + 1):
            with _named(), client.stream(**_arguments(hop, deadline)) as response:
                following = next_hop(hop, response)
                if following is None:
                    return _fetched(response, _body(response, hop, deadline))
            hop = following
    raise ServiceFailed(f"The address redirects over {MAX_REDIRECTS} times.")


async def fetch_async(request: Request) -> Fetched:
    """Fetch, following up to ten redirects; see `fetch`."""
    deadline = time.monotonic() + request.timeout_seconds
    hop = request
    with _named():
        async with (
            asyncio.timeout(request.timeout_seconds),
            async_client(request.timeout_seconds) as client,
        ):
            for _ in range(MAX_REDIRECTS + 1):
                async with client.stream(**_arguments(hop, deadline)) as response:
                    following = next_hop(hop, response)
                    if following is None:
                        return _fetched(response, await _body_async(response, hop))
                hop = following
    raise ServiceFailed(f"The address redirects over {MAX_REDIRECTS} times.")


def next_hop(request: Request, response: httpx.Response) -> Request | None:
    """Return the request that a redirect asks for; None when the answer is none.

    Raises:
        AddressRefused: it leads where this server may not be sent.
    """
    location = response.headers.get("location")
    if response.status_code not in _REDIRECTS or not location:
        return None
    try:
        url = str(httpx.URL(request.url).join(location))
    except (httpx.InvalidURL, ValueError) as error:
        raise AddressRefused("It redirects to an address that cannot be read.") from error
    check_outgoing(url)
    keeps = response.status_code in (307, 308) or request.method in ("GET", "HEAD")
    headers = {
        name: value
        for name, value in request.headers.items()
        if _same_origin(request.url, url) or name.lower() not in CREDENTIALS
    }
    if not keeps:
        headers = {k: v for k, v in headers.items() if not k.lower().startswith("content-")}
    return Request(
        url=url,
        method=request.method if keeps else "GET",
        headers=headers,
        content=request.content if keeps and _same_origin(request.url, url) else None,
        timeout_seconds=request.timeout_seconds,
        max_bytes=request.max_bytes,
    )


def _check_request(request: httpx.Request) -> None:
    """Judge each request's address before it goes anywhere, also by way of a proxy."""
    check_url(request.url, allow=allow_list())


async def _check_request_async(request: httpx.Request) -> None:
    _check_request(request)


def _arguments(hop: Request, deadline: float) -> dict[str, Any]:
    remaining = deadline - time.monotonic()
    if remaining <= 0:
        raise ServiceUnavailable("The address did not answer in time.")
    return {
        "method": hop.method,
        "url": hop.url,
        "headers": dict(hop.headers),
        "content": hop.content,
        "timeout": _timeout(remaining),
    }


@contextmanager
def _named() -> Iterator[None]:
    """Turn the client's errors into ours; the address itself stays out of the message."""
    try:
        yield
    except (httpx.TimeoutException, TimeoutError) as error:
        raise ServiceUnavailable("The address did not answer in time.") from error
    except httpx.HTTPError as error:
        raise ServiceUnavailable("The address cannot be reached.") from error


def _fetched(response: httpx.Response, content: bytes) -> Fetched:
    return Fetched(
        url=str(response.url),
        status=response.status_code,
        headers=dict(response.headers),
        content=content,
    )


def _body(response: httpx.Response, hop: Request, deadline: float) -> bytes:
    _refuse_long(int(response.headers.get("content-length") or 0), hop)
    found = bytearray()
    for piece in response.iter_bytes():
        found += piece
        _refuse_long(len(found), hop)
        if time.monotonic() > deadline:
            raise ServiceUnavailable("The address did not answer in time.")
    return bytes(found)


async def _body_async(response: httpx.Response, hop: Request) -> bytes:
    _refuse_long(int(response.headers.get("content-length") or 0), hop)
    found = bytearray()
    async for piece in response.aiter_bytes():
        found += piece
        _refuse_long(len(found), hop)
    return bytes(found)


def _refuse_long(size: int, hop: Request) -> None:
    if size > hop.max_bytes:
        raise TooLarge(f"The answer has over {hop.max_bytes:,} bytes; that is the most.")


def _same_origin(first: str, second: str) -> bool:
    one, two = read_target(first), read_target(second)
    return (one.scheme, one.host, one.port) == (two.scheme, two.host, two.port)


def _timeout(seconds: float) -> httpx.Timeout:
    return httpx.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
