"""HTTP clients for the adapters: no redirects (a key must not travel on), bounded waiting."""

from __future__ import annotations

import httpx

from core import http

CONNECT_SECONDS = 10.0
_KEEP_ALIVE_SECONDS = 20.0
"""Below the 75 s after which the local models' server closes an idle connection."""


def sync_client(timeout_seconds: float) -> httpx.Client:
    """Return a guarded client to share between threads: admins enter the addresses."""
    return http.sync_client(timeout_seconds)


def async_client(timeout_seconds: float) -> httpx.AsyncClient:
    """Return a guarded client for one call."""
    return http.async_client(timeout_seconds)


def loopback_sync_client(timeout_seconds: float) -> httpx.Client:
    """Return a client for our own services on this machine, never by way of a proxy."""
    return httpx.Client(
        verify=False,  # noqa: S501 -- plain HTTP on loopback; spares loading the certificates
        timeout=_timeout(timeout_seconds),
        limits=_limits(),
        trust_env=False,
    )


def loopback_async_client(timeout_seconds: float) -> httpx.AsyncClient:
    """Return a client for one call to our own services on this machine."""
    return httpx.AsyncClient(
        verify=False,  # noqa: S501 -- plain HTTP on loopback; spares loading the certificates
        timeout=_timeout(timeout_seconds),
        limits=_limits(),
        trust_env=False,
    )


def _timeout(seconds: float) -> httpx.Timeout:
    return httpx.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))


def _limits() -> httpx.Limits:
    return httpx.Limits(
        max_connections=256, max_keepalive_connections=32, keepalive_expiry=_KEEP_ALIVE_SECONDS
    )
