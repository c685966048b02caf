"""The base of every view of the API.

Before a view's method runs: the credential is read, the actor made, their space's scope opened, the
request counted, the route's policy asked, what a key is about to change written to the audit. Behind
it: the envelope, the request's id, the headers of the limit, and the audit of what a key read or how
its change ended. A stream's body leaves after the scope has ended.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

from django.http import HttpResponseBase
from drf_spectacular.openapi import AutoSchema
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser, JSONParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.access import Actor
from accounts.keys.authentication import Credential
from accounts.limits import Counted, count_actor, refuse_beyond
from accounts.models import AuditEvent
from accounts.services.audit import record_refusal
from core.envelope import SPACE_REQUIRED
from core.errors import AccessDenied, Conflict, NotSignedIn, ServiceUnavailable
from core.tenancy import space_scope
from integrations.api.authentication import (
    KeyAuthentication,
    PersonAuthentication,
    actor_of_request,
)
from integrations.api.errors import answer_to
from integrations.api.route_policies import RoutePolicy, policy_of_route
from integrations.api.usage import Call, begin_change, end_change, record_read

REQUEST_ID_HEADER = "X-Request-ID"
_REQUEST_ID = re.compile(r"[\w.:-]{1,80}", re.ASCII)
_REFUSED = "This route is not open to keys; sign in to use it."


class AlwaysJson(BaseContentNegotiation):
    """Answers in JSON whatever the client accepts: clients that stream ask for event streams."""

    def select_parser(self, request: Request, parsers: Any) -> BaseParser | None:
        """Return the parser of the content type."""
        media = request.content_type.split(";")[0].strip() if request.content_type else ""
        for parser in parsers:
            if parser.media_type == media:
                return parser  # type: ignore[no-any-return]  # the stubs leave the list untyped
        return None

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Return JSON."""
        return renderers[0], renderers[0].media_type


class ApiView(APIView):
    """A view of the API; its methods find the actor in `self.actor`, in the space's scope."""

    authentication_classes = (KeyAuthentication, PersonAuthentication)
    permission_classes = ()
    parser_classes = (JSONParser,)
    renderer_classes = (JSONRenderer,)
    content_negotiation_class = AlwaysJson
    schema = AutoSchema()

    _actor: Actor | None = None
    _counted: Counted | None = None
    _begun: AuditEvent | None = None
    """The audit's row of a call that may change something, until its end is written."""

    @property
    def actor(self) -> Actor:
        """Who asks, in the open space."""
        if self._actor is None:
            raise Conflict(
                "Name the space in X-Tenant-ID, or join one first.", reason=SPACE_REQUIRED
            )
        return self._actor

    @property
    def actor_or_none(self) -> Actor | None:
        """Who asks; None for those in no space, where the route's policy lets them in."""
        return self._actor

    @property
    def credential(self) -> Credential | None:
        """The key by which the request came."""
        auth = self.request.auth
        return auth if isinstance(auth, Credential) else None

    def get_exception_handler(self) -> Any:
        """Present errors in the envelope, whatever the installation's settings of DRF are."""
        return answer_to

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer within the actor's space."""
        given = request.headers.get(REQUEST_ID_HEADER, "")
        self.request_id = given if _REQUEST_ID.fullmatch(given) else uuid4().hex
        with ExitStack() as self._scopes:
            return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Read who asks, open their space, count the request, ask the route's policy."""
        policy = policy_of_route(self.route, request.method or "GET")
        super().initial(request, *args, **kwargs)
        self._actor = actor_of_request(request)
        if self._actor is not None:
            self._scopes.enter_context(space_scope(self._actor.space_id))
            self._count(self._actor)
        self._require(request, policy)
        if self._actor is not None and self._actor.is_machine and not self._call.is_read:
            self._begun = begin_change(self._actor, self._call)
            self._scopes.callback(self._end_change, 500)

    @property
    def route(self) -> str:
        """The name of the address, without its namespace."""
        match = self.request.resolver_match
        return match.url_name or "" if match is not None else ""

    def _count(self, actor: Actor) -> None:
        """Count the request; all people of a key count as the key."""
        if actor.kind == "external":
            identity = str(UUID(actor.id.partition(":")[0]))
            actor = replace(actor, kind="api_key", id=identity)
        self._counted = count_actor(actor, "api")
        if self._counted is not None:
            refuse_beyond(self._counted)

    def _require(self, request: Request, policy: RoutePolicy | None) -> None:
        if policy is not None and policy.public:
            return
        if self.credential is None and not request.user.is_authenticated:
            raise NotSignedIn("Send a key in X-API-Key, or sign in.")
        if self.credential is not None:
            _require_capability(self.credential, policy)
        if self._actor is None and (policy is None or not policy.without_space):
            self.actor  # noqa: B018  raises what to do

    def handle_exception(self, exc: Exception) -> Response:
        """Present the error; write a refusal down."""
        if isinstance(exc, AccessDenied) and self._actor is not None:
            record_refusal(self._actor, exc)
        return super().handle_exception(exc)

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Record what a key did, and add what every answer carries."""
        try:
            self._record(response.status_code)
        except ServiceUnavailable as error:
            response.close()
            response = self.handle_exception(error)
        final = super().finalize_response(request, response, *args, **kwargs)
        final[REQUEST_ID_HEADER] = self.request_id
        final.setdefault("Cache-Control", "no-store")
        if self._counted is not None:
            final["RateLimit-Limit"] = str(self._counted.most)
            final["RateLimit-Remaining"] = str(max(0, self._counted.most - self._counted.used))
            final["RateLimit-Reset"] = str(self._counted.seconds_left)
        return final

    @property
    def _call(self) -> Call:
        given = {name: str(value) for name, value in self.kwargs.items()}
        base_id = self.kwargs.get("base_id")
        return Call(
            route=self.route,
            method=self.request.method or "GET",
            base_id=base_id if isinstance(base_id, UUID) else None,
            target_id=next((value for name, value in given.items() if name != "base_id"), ""),
        )

    def _record(self, status: int) -> None:
        """Write down a key's read, or the end of its change; refusals are written as such."""
        self._end_change(status)
        actor = self._actor
        if actor is None or not actor.is_machine or not self._call.is_read:
            return
        if status not in (403, 429):
            record_read(actor, self._call, status=status)

    def _end_change(self, status: int) -> None:
        """Write how a change ended, once; an unexpected failure gets here by the scope's end."""
        begun, self._begun = self._begun, None
        if begun is not None:
            end_change(begun, status=status)


def _require_capability(credential: Credential, policy: RoutePolicy | None) -> None:
    """Default-deny: without a policy no key passes, whatever it may do."""
    if policy is None:
        raise AccessDenied(_REFUSED, attempted="api.undeclared")
    if policy.every_key or credential.capabilities & policy.capabilities:
        return
    if not policy.capabilities:
        raise AccessDenied(_REFUSED, attempted="api.people_only")
    names = " or ".join(sorted(one.value for one in policy.capabilities))
    raise AccessDenied(f"This key lacks the capability {names}.", attempted=f"api.{names}"[:80])
