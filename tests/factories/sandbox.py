"""Sandboxes and workspaces for tests; nothing runs in them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.utils import timezone

from accounts.models import Space
from core.tenancy import space_scope
from sandbox.constants import Backend
from sandbox.models import SandboxConfig, SandboxSession


def make_config(space: Space, *, name: str = "Turned off", **fields: Any) -> SandboxConfig:
    """Set up a sandbox that runs nothing."""
    fields = {"backend": Backend.DISABLED, **fields}
    with space_scope(space.pk):
        return SandboxConfig.objects.create(space=space, name=name, **fields)


def make_session(
    space: Space, *, config: SandboxConfig | None = None, **fields: Any
) -> SandboxSession:
    """Write down a workspace as if it lived."""
    now = timezone.now()
    values = {
        "conversation_id": uuid4(),
        "backend": Backend.DISABLED,
        "key": uuid4().hex,
        "started_at": now,
        "last_used_at": now,
        "expires_at": now + timedelta(hours=24),
        **fields,
    }
    with space_scope(space.pk):
        return SandboxSession.objects.create(space=space, config=config, **values)
