"""Who am I: for clients that check their key."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Space, User
from integrations.api.answers import success
from integrations.api.base import ApiView
from integrations.api.schema import ANY_OBJECT


class AuthMe(ApiView):
    """The caller."""

    @extend_schema(tags=["auth"], summary="Who the key or session is", responses=ANY_OBJECT)
    def get(self, request: Request) -> Response:
        """Tell the caller, their space and what they may do; never a secret."""
        actor = self.actor_or_none
        space = Space.objects.filter(pk=actor.space_id).first() if actor else None
        data: dict[str, Any] = {
            "user": _user(request.user) if isinstance(request.user, User) else None,
            "tenant": {"id": space.pk, "name": space.name} if space else None,
            "role": str(actor.role) if actor and actor.role else None,
            "principal": {"type": actor.kind, "name": actor.name} if actor else None,
        }
        if self.credential is not None:
            key = self.credential.key
            data["api_key"] = {
                "id": str(key.pk),
                "name": key.name,
                "prefix": key.prefix,
                "scope": "platform" if self.credential.is_of_platform else "tenant",
                "capabilities": sorted(one.value for one in self.credential.capabilities),
                "knowledge_base_ids": key.base_ids,
                "expires_at": key.expires_at,
            }
        return success(data)


def _user(user: User) -> dict[str, Any]:
    return {
        "id": str(user.pk),
        "username": str(user),
        "email": user.email,
        "is_system_admin": user.is_superuser,
    }
