"""Start-up check: each route of the API has a policy, and each policy a route."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.core.checks import CheckMessage, Error, Tags, register
from django.urls import URLPattern

from accounts.keys.capabilities import Capability
from integrations.api.base import ApiView
from integrations.api.route_policies import ROUTE_POLICIES

METHODS = ("get", "post", "put", "patch", "delete")
WITHOUT_POLICY = ("nowhere",)
"""It answers nobody anything."""


def check_route_policies(**_: object) -> list[CheckMessage]:
    """Compare the map with the table of policies."""
    from integrations.api.urls import urlpatterns  # noqa: PLC0415  views need loaded models

    return list(compare(urlpatterns))


def compare(patterns: Sequence[URLPattern]) -> Iterator[CheckMessage]:
    """Yield an error for each route without a policy, and each policy without a route."""
    there = set(routes_of(patterns))
    for name, method in sorted(there - set(ROUTE_POLICIES)):
        yield Error(
            f"{method} of the API's route {name!r} has no policy: it would refuse every key.",
            hint="Add it to integrations/api/route_policies.py.",
            id="weknora.E040",
        )
    for name, method in sorted(set(ROUTE_POLICIES) - there):
        yield Error(
            f"The policy of ({name!r}, {method!r}) names no route of the API.",
            hint="Remove it from integrations/api/route_policies.py, or give the view the method.",
            id="weknora.E041",
        )
    for pattern in patterns:
        if not _is_ours(pattern) and pattern.name not in WITHOUT_POLICY:
            yield Error(
                f"The API's route {pattern.name!r} is served by no ApiView: nothing guards it.",
                hint="Derive its view from integrations.api.base.ApiView.",
                id="weknora.E042",
            )


def routes_of(patterns: Sequence[URLPattern]) -> Iterator[tuple[str, str]]:
    """Yield name and method of each route."""
    for pattern in patterns:
        view = getattr(pattern.callback, "cls", None)
        for method in METHODS:
            if view is not None and hasattr(view, method):
                yield pattern.name or "", method.upper()


def routes_for(capability: Capability) -> list[tuple[str, str]]:
    """Return name and method of the routes that a capability opens."""
    return [where for where, policy in ROUTE_POLICIES.items() if capability in policy.capabilities]


def register_checks() -> None:
    """Let Django run it; called once when the app is ready."""
    register(check_route_policies, Tags.security)


def _is_ours(pattern: URLPattern) -> bool:
    view = getattr(pattern.callback, "cls", None)
    return isinstance(view, type) and issubclass(view, ApiView)
