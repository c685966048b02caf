"""Dials for the guarded client: which numbers a name has, and whether they may be called.

Names are resolved here, all their numbers judged, and the connection made to the very number that
was judged: a name that changes its mind between check and use (DNS rebinding) gains nothing.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from urllib.request import getproxies, proxy_bypass

import anyio
import httpcore
import httpx

from core.addresses import AllowList, check_address, check_url, read_target
from core.errors import ServiceUnavailable
from core.live import live

KEEP_ALIVE_SECONDS = 20.0
_trusted: set[tuple[str, int]] = set()


def allow_list() -> AllowList:
    """Return what is open now: the operator's list, and the services that settings name."""
    configured: AllowList = live("SSRF_ALLOW")
    return configured.with_origins(_trusted)


def trust_origins(urls: Iterable[str]) -> None:
    """Open host and port of addresses that stand in the operator's own settings.

    Only `AppConfig.ready` of an app calls it; what people enter never comes here.
    """
    for url in urls:
        target = read_target(url)
        _trusted.add((target.host, target.port))


def check_outgoing(url: str) -> None:
    """Return when an address that somebody enters may be called, as far as can be seen from it.

    Raises:
        AddressRefused: it may not.
    """
    check_url(url, allow=allow_list())


class GuardedTransport(httpx.HTTPTransport):
    """Dials only numbers that were judged."""

    def __init__(self) -> None:
        super().__init__(verify=trust(), limits=limits())
        self._pool = httpcore.ConnectionPool(
            ssl_context=trust(), network_backend=_GuardedBackend(), **_pool_limits()
        )


class AsyncGuardedTransport(httpx.AsyncHTTPTransport):
    """Dials only numbers that were judged."""

    def __init__(self) -> None:
        super().__init__(verify=trust(), limits=limits())
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=trust(), network_backend=_AsyncGuardedBackend(), **_pool_limits()
        )


class _GuardedBackend(httpcore.NetworkBackend):
    """Turns a name into numbers, judges all of them, and connects to the first that answers."""

    def __init__(self) -> None:
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore.NetworkStream:
        """Connect to what the name is now."""
        failure: Exception | None = None
        for address in judged(host, port, _resolve(host, port)):
            try:
                return self._inner.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure or httpcore.ConnectError(f"{host} has no address")

    def sleep(self, seconds: float) -> None:
        """Wait; the pool's retries do it."""
        self._inner.sleep(seconds)


class _AsyncGuardedBackend(httpcore.AsyncNetworkBackend):
    """The same for a loop; names are resolved in a thread."""

    def __init__(self) -> None:
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  httpcore names it
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to what the name is now."""
        failure: Exception | None = None
        with anyio.move_on_after(timeout):
            found = await anyio.to_thread.run_sync(_resolve, host, port)
            for address in judged(host, port, found):
                try:
                    return await self._inner.connect_tcp(
                        address, port, timeout, local_address, socket_options
                    )
                except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                    failure = error
            raise failure or httpcore.ConnectError(f"{host} has no address")
        raise httpcore.ConnectTimeout(f"{host} did not answer in time")

    async def sleep(self, seconds: float) -> None:
        """Wait; the pool's retries do it."""
        await self._inner.sleep(seconds)


def judged(host: str, port: int, found: Iterable[str]) -> list[str]:
    """Return the numbers of a name when every one of them may be called.

    A name that has one inner number among public ones is refused whole: which one is dialled must
    not be a matter of luck.

    Raises:
        AddressRefused: one of them may not.
    """
    allow = allow_list()
    target = check_url(f"http://{f'[{host}]' if ':' in host else host}:{port}", allow=allow)
    addresses = list(dict.fromkeys(found))
    if not allow.has_name(target.host, port):
        for address in addresses:
            check_address(ipaddress.ip_address(address), allow=allow, host=host)
    return addresses


def numbers_of(url: str) -> list[str]:
    """Return the numbers that an address has now, all judged: for a program that dials by itself.

    Raises:
        AddressRefused: the address, or one of its numbers, may not be called.
        ServiceUnavailable: nobody knows its name.
    """
    target = check_url(url, allow=allow_list())
    try:
        return judged(target.host, target.port, _resolve(target.host, target.port))
    except httpcore.ConnectError as error:
        raise ServiceUnavailable("The address cannot be reached.") from error


def proxy_for(url: str) -> str:
    """Return the operator's forward proxy for an address; blank: it is called directly."""
    target = read_target(url)
    known = getproxies()
    if proxy_bypass(target.host):
        return ""
    return known.get(target.scheme) or known.get("all") or ""


@lru_cache(maxsize=1)
def trust() -> ssl.SSLContext:
    """Return the one TLS context: reading the certificates takes 20 ms and 1 MB each time."""
    return httpx.create_ssl_context()


def limits() -> httpx.Limits:
    """Return how many connections a client keeps."""
    return httpx.Limits(
        max_connections=256, max_keepalive_connections=32, keepalive_expiry=KEEP_ALIVE_SECONDS
    )


def _pool_limits() -> dict[str, Any]:
    return {
        "max_connections": 256,
        "max_keepalive_connections": 32,
        "keepalive_expiry": KEEP_ALIVE_SECONDS,
    }


def _proxies() -> dict[str, str | None]:
    """Return the operator's forward proxies by pattern, and what goes around them.

    A proxy resolves names itself: then the guard judges names and numbers, and the proxy's own
    rules say what a name may turn into.
    """
    known = getproxies()
    found: dict[str, str | None] = {
        f"{scheme}://": known[scheme] for scheme in ("http", "https", "all") if known.get(scheme)
    }
    if not found:
        return {}
    for name in (each.strip().lstrip(".") for each in known.get("no", "").split(",")):
        if name and name != "*" and "/" not in name and ":" not in name:
            found[f"all://{name}"] = found[f"all://*.{name}"] = None
    return found


def mounts() -> dict[str, httpx.BaseTransport | None]:
    """Return the transports of a client that go by the operator's proxies."""
    return {
        pattern: httpx.HTTPTransport(verify=trust(), proxy=proxy, limits=limits())
        if proxy
        else None
        for pattern, proxy in _proxies().items()
    }


def async_mounts() -> dict[str, httpx.AsyncBaseTransport | None]:
    """Return the same for a client of a loop."""
    return {
        pattern: httpx.AsyncHTTPTransport(verify=trust(), proxy=proxy, limits=limits())
        if proxy
        else None
        for pattern, proxy in _proxies().items()
    }


def _resolve(host: str, port: int) -> list[str]:
    """Return the numbers of a name, as the system's resolver has them."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(f"{host} is not known to the resolver") from error
    return [str(entry[4][0]).partition("%")[0] for entry in found]
