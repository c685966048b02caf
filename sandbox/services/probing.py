"""Trying a sandbox out from its page: a worker runs a command in it, the page reads what came back.

The web process has no way to the backends; the answer waits in the cache under a ticket.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from uuid import UUID, uuid4

from django.core.cache import cache
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import NotFound, ProjectError
from core.jobs.enqueue import enqueue
from core.tenancy import current_space_id
from sandbox.contract import Probe
from sandbox.jobs import PROBE_BACKEND
from sandbox.models import SandboxConfig
from sandbox.queries import get_config
from sandbox.services.backends import probe

KEPT_SECONDS = 600


@dataclass(frozen=True, kw_only=True)
class ProbeAnswer:
    """What trying a sandbox out showed."""

    works: bool
    detail: str
    """English; translated where it is shown."""
    version: str
    limits: Mapping[str, str]


def begin_probe(actor: Actor, *, config_id: UUID | None) -> str:
    """Let a worker try the sandbox out; without an id the installation's. Returns a ticket.

    Raises:
        NotFound, AccessDenied: the actor may not.
    """
    target = get_config(actor, config_id) if config_id else None
    if target is None:
        require(actor, "create", SandboxConfig)
    else:
        require(actor, "manage", target)
    ticket = uuid4().hex
    record_audit(actor, "sandbox.test", target=target)
    cache.set(_key(actor.space_id, ticket), {}, KEPT_SECONDS)
    enqueue(PROBE_BACKEND, config_id=str(config_id or ""), ticket=ticket)
    return ticket


def read_probe(actor: Actor, *, ticket: str) -> ProbeAnswer | None:
    """Return what came back; None while the worker has not answered.

    Raises:
        AccessDenied: the actor may not.
        NotFound: nobody of this space asked for it within the last ten minutes.
    """
    require(actor, "create", SandboxConfig)
    found = cache.get(_key(actor.space_id, ticket))
    if found is None:
        raise NotFound(_("No worker has answered; begin the test again."))
    return ProbeAnswer(**found) if found else None


def probe_now(*, config_id: UUID | None, ticket: str) -> None:
    """Try the sandbox out in this process and leave the answer under the ticket."""
    config = SandboxConfig.objects.filter(pk=config_id).first() if config_id else None
    space_id = current_space_id() or 0
    try:
        if config_id and config is None:
            raise NotFound(_("There is no such sandbox."))
        found = probe(config, fresh=True)
    except ProjectError as refusal:
        found = Probe(works=False, detail=refusal.message)
    answer = ProbeAnswer(
        works=found.works,
        detail=found.detail,
        version=found.version,
        limits={name: str(value) for name, value in found.limits.items()},
    )
    cache.set(_key(space_id, ticket), asdict(answer), KEPT_SECONDS)


def _key(space_id: int | None, ticket: str) -> str:
    return f"sandbox.probe.{space_id}.{ticket}"
