"""Use cases of vector stores: try out, add, change, delete. For admins of the space."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid, NotFound, ProjectError, ServiceFailed
from knowledge.models import KnowledgeBase, VectorStore
from knowledge.stores.contract import StoreFailed
from knowledge.stores.ledger import collections_of
from knowledge.stores.registry import make_store
from knowledge.stores.values import StoreValues, check_values
from providers.services.connection import ConnectionReport
from providers.values import same_address


def try_store(
    actor: Actor, *, values: StoreValues, store_id: UUID | None = None
) -> ConnectionReport:
    """Ask a server as it is described, saved or not, what it is; the stored key stands in for none.

    Raises:
        NotFound, AccessDenied: the actor may not change stores.
        Invalid: a value can't be used, or a library is missing.
    """
    stored = _stored(actor, store_id)
    row = _row_of(actor, values, stored)
    started = time.monotonic()
    try:
        server = _probe(row)
    except ServiceFailed as failure:
        report = ConnectionReport(
            ok=False,
            message=failure.message,
            provider_message=failure.provider_message,
            latency_ms=_since(started),
        )
    else:
        report = ConnectionReport(
            ok=True,
            message=_("%(server)s answers.") % {"server": server},
            latency_ms=_since(started),
        )
    record_audit(
        actor,
        "vector_store.test",
        target=stored,
        outcome="done" if report.ok else "failed",
        **_facts(row),
    )
    return report


def create_store(actor: Actor, *, values: StoreValues) -> VectorStore:
    """Add a store to the actor's space, after it answered.

    Raises:
        AccessDenied: only admins may.
        Invalid: a value can't be used; `field` names it.
        Conflict: another store has the name.
        StoreFailed: it does not answer, or cannot do what is needed; nothing is saved.
    """
    row = _row_of(actor, values, _stored(actor, None))
    row.created_by_id = actor.user_id
    return _save(actor, "vector_store.create", row)


def update_store(actor: Actor, *, store_id: UUID, values: StoreValues) -> VectorStore:
    """Change a store, after it answered. The kind stays, and the address while a base uses it.

    Raises:
        NotFound, AccessDenied: the actor may not.
        Invalid: a value can't be used, or the key must be entered again because the address changed.
        Conflict: another store has the name; or it would be another server under what is stored.
        StoreFailed: as for `create_store`.
    """
    stored = _stored(actor, store_id)
    if stored is None:
        raise NotFound(_("There is no such vector store."))
    if stored.kind != values.kind:
        raise Invalid(_("A store keeps its kind; add another one instead."), field="kind")
    if not same_address(stored.address, values.address):
        if stored.api_key and values.api_key is None:
            raise Invalid(_("Enter the key again: the address changed."), field="api_key")
        if collections_of(stored):
            raise Conflict(
                _("It holds vectors; add the other server as another store and move the bases."),
                field="address",
            )
    row = _row_of(actor, values, stored)
    row.created_at, row.created_by_id = stored.created_at, stored.created_by_id
    row._state.adding = False
    return _save(actor, "vector_store.change", row)


def delete_store(actor: Actor, *, store_id: UUID, leave_vectors: bool = False) -> None:
    """Delete a store that no base uses, and what is left of ours on the server.

    Args:
        actor: who asks.
        store_id: the store.
        leave_vectors: delete it although the server does not answer; our vectors stay on it.

    Raises:
        NotFound, AccessDenied: the actor may not.
        Conflict: a base or a move uses it; or the server does not answer.
    """
    row = VectorStore.objects.filter(pk=store_id).first()
    if row is None:
        raise NotFound(_("There is no such vector store."))
    require(actor, "delete", row)
    if KnowledgeBase.objects.filter(vector_store=row).exists():
        raise Conflict(_("Knowledge bases use it; move them to another store first."))
    with transaction.atomic():
        facts, pk = _facts(row), row.pk
        collections = collections_of(row)
        try:
            VectorStore.objects.get(pk=pk).delete()
        except ProtectedError as error:
            raise Conflict(
                _("A move from or to it goes on; finish, undo or cancel that first.")
            ) from error
        record_audit(actor, "vector_store.delete", target=row, left=leave_vectors, **facts)
        try:
            store = make_store(row)
            try:
                for collection in collections:
                    store.drop(collection)
            finally:
                store.close()
        except ProjectError as failure:
            if not leave_vectors:
                raise Conflict(
                    _(
                        "The server does not answer, so the vectors on it cannot be removed."
                        " Delete it all the same, or try again later."
                    ),
                    field="leave_vectors",
                ) from failure


def _stored(actor: Actor, store_id: UUID | None) -> VectorStore | None:
    if store_id is None:
        require(actor, "create", VectorStore)
        return None
    row = VectorStore.objects.filter(pk=store_id).first()
    if row is None:
        raise NotFound(_("There is no such vector store."))
    require(actor, "change", row)
    return row


def _row_of(actor: Actor, values: StoreValues, stored: VectorStore | None) -> VectorStore:
    """Return an unsaved row; a stored key goes only to the address that it was entered for."""
    check_values(values)
    api_key = values.api_key
    if api_key is None:
        same = stored is not None and same_address(stored.address, values.address)
        api_key = stored.api_key if stored is not None and same else ""
    row = VectorStore(
        space_id=actor.space_id,
        name=values.name.strip(),
        kind=values.kind,
        address=values.address.strip(),
        user_name=values.user_name.strip(),
        api_key=api_key,
        options=values.options.model_dump(exclude_defaults=True),
    )
    if stored is not None:
        row.pk = stored.pk
    return row


def _save(actor: Actor, action: str, row: VectorStore) -> VectorStore:
    row.server = _probe(row)
    row.checked_at, row.problem = timezone.now(), ""
    try:
        with transaction.atomic():
            row.save()
            record_audit(actor, action, target=row, **_facts(row))
    except IntegrityError as error:
        raise Conflict(
            _("“%(name)s” is already a vector store of this space; choose another name.")
            % {"name": row.name},
            field="name",
        ) from error
    return row


def _probe(row: VectorStore) -> str:
    """Ask the server what it is.

    Raises:
        StoreFailed: it does not answer, or lacks what is needed.
    """
    store = make_store(row)
    try:
        return store.probe().server[:200]
    finally:
        store.close()


def _facts(row: VectorStore) -> dict[str, Any]:
    """Return what the audit keeps of a store: no key, and of its address the host."""
    return {"name": row.name, "kind": row.kind, "host": urlsplit(row.address).hostname or ""}


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)


__all__ = ["StoreFailed", "create_store", "delete_store", "try_store", "update_store"]
