"""Asks the running parts whether they are ready, from outside, as a browser would."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    """What a part said."""

    ready: bool
    reasons: tuple[str, ...] = ()


def ask_web(host: str, port: int) -> Answer:
    """Return what /health/ready says; no reasons while nothing listens yet."""
    status, body = _get(host, port, "/health/ready")
    if status == 200:
        return Answer(ready=True)
    checks = body.get("checks")
    if not isinstance(checks, dict):
        return Answer(ready=False)
    return Answer(
        ready=False,
        reasons=tuple(
            f"{name}: {check.get('reason')}"
            for name, check in checks.items()
            if isinstance(check, dict) and not check.get("ok")
        ),
    )


def ask_models(port: int, *, key: str) -> Answer:
    """Return whether the model server has loaded its models."""
    status, _ = _get("127.0.0.1", port, "/health", key=key)
    return Answer(ready=status == 200)


def _get(host: str, port: int, path: str, *, key: str = "") -> tuple[int, dict[str, object]]:
    """Return status and JSON body; status 0 when there is no answer."""
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  replaced, not listened on
    connection = http.client.HTTPConnection(everywhere.get(host, host), port, timeout=5)
    # The name that is always allowed: the address we listen on need not be.
    headers = {"Host": "localhost"} | ({"Authorization": f"Bearer {key}"} if key else {})
    try:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        body = json.loads(response.read() or b"{}")
    except (OSError, http.client.HTTPException, ValueError):
        return 0, {}
    finally:
        connection.close()
    return response.status, body if isinstance(body, dict) else {}
