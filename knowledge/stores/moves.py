"""Moves of a base to another store: begun by a person, filled by the job, cut over when the counts agree.

Until it ends both stores are kept up, so that an undo is one row that changes. PostgreSQL has all
vectors in any case: to go back to it nothing is filled.
"""

from __future__ import annotations

from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from accounts.access import Actor, require, visible
from accounts.actors import system_actor
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid, NotFound
from knowledge.constants import OPEN_MOVES, StoreMoveState
from knowledge.ingest.index import lock_base
from knowledge.models import Embedding, KnowledgeBase, StoredVector, StoreMove, VectorStore
from knowledge.queries import get_base
from knowledge.reembedding.switch import kept_for
from knowledge.stores.contract import Collection
from knowledge.stores.ledger import lag_of
from knowledge.stores.registry import open_store
from knowledge.stores.soon import begin_syncing

POSTGRES = "PostgreSQL"
_NOT_NOW = gettext_lazy("No such move goes on; load the page again.")


def open_move(base_id: UUID) -> StoreMove | None:
    """Return the move of a base that goes on; it asks nobody."""
    rows = StoreMove.objects.filter(base_id=base_id, state__in=OPEN_MOVES)
    return rows.select_related("base", "from_store", "to_store", "author").first()


def latest_move(base_id: UUID) -> StoreMove | None:
    """Return the move of a base that was begun last, ended or not; it asks nobody."""
    return StoreMove.objects.filter(base_id=base_id).order_by("-created_at").first()


def start_move(actor: Actor, *, base_id: UUID, store_id: UUID | None) -> StoreMove:
    """Begin to fill another store with a base's vectors; None is PostgreSQL, which has them.

    Raises:
        NotFound, AccessDenied: as `require` has it; or there is no such store in the space.
        Invalid: the base has the store already.
        Conflict: another move goes on.
    """
    base = _base_to_change(actor, base_id)
    store = _store_to_use(actor, store_id)
    with transaction.atomic():
        lock_base(base.pk)
        base = KnowledgeBase.objects.select_related("vector_store").get(pk=base.pk)
        if base.vector_store_id == store_id:
            raise Invalid(_("The knowledge base is in this store already."))
        move = StoreMove(
            space_id=base.space_id,
            base=base,
            from_store=base.vector_store,
            to_store=store,
            from_name=base.vector_store.name if base.vector_store else POSTGRES,
            to_name=store.name if store else POSTGRES,
            total=Embedding.objects.filter(base=base).count(),
            author_id=actor.user_id,
        )
        try:
            with transaction.atomic():
                move.save(force_insert=True)
        except IntegrityError as error:
            raise Conflict(
                _("The knowledge base is being moved already; finish or cancel that first.")
            ) from error
        _audit(actor, "base.store_start", move)
        if store is None:
            _switch(move, actor)
        begin_syncing(base.pk)
    return move


def cancel_move(actor: Actor, *, base_id: UUID) -> None:
    """End a move before it went live; a job removes what was filled.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Conflict: no move is being filled.
    """
    base = _base_to_change(actor, base_id)
    with transaction.atomic():
        move = _locked(base.pk, StoreMoveState.FILLING)
        _end(move, StoreMoveState.CANCELED)
        _audit(actor, "base.store_cancel", move)
        begin_syncing(base.pk)


def undo_move(actor: Actor, *, base_id: UUID) -> None:
    """Let the base ask the store before again, which was kept up meanwhile.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Conflict: no move is live; or the store before is behind.
    """
    base = _base_to_change(actor, base_id)
    with transaction.atomic():
        move = _locked(base.pk, StoreMoveState.LIVE)
        if move.from_store_id and lag_of(move.from_store_id, base.pk).missing:
            begin_syncing(base.pk)
            raise Conflict(_("The store before is behind by some vectors; try again in a moment."))
        _point_to(base.pk, move.from_store_id)
        _end(move, StoreMoveState.UNDONE)
        _audit(actor, "base.store_undo", move)
        begin_syncing(base.pk)


def finish_move(actor: Actor, *, base_id: UUID) -> None:
    """End a move that is live: a job removes the vectors from the store before.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Conflict: no move is live.
    """
    base = _base_to_change(actor, base_id)
    with transaction.atomic():
        _finish(actor, _locked(base.pk, StoreMoveState.LIVE))


def finish_old_move(move_id: UUID) -> None:
    """End a move that was live for as long as an undo is kept open; housekeeping does."""
    with transaction.atomic():
        rows = StoreMove.objects.select_for_update(of=("self",)).filter(
            pk=move_id, state=StoreMoveState.LIVE, kept_until__lt=timezone.now()
        )
        move = rows.first()
        if move is not None:
            _finish(system_actor(space_id=move.space_id), move)


def fail_move(base_id: UUID, reason: str) -> None:
    """End a move that cannot be filled; the base stays where it was. A live one says what holds it up."""
    with transaction.atomic():
        rows = StoreMove.objects.select_for_update(of=("self",)).filter(base_id=base_id)
        move = rows.filter(state__in=OPEN_MOVES).first()
        if move is None:
            return
        move.reason = reason
        if move.state == StoreMoveState.FILLING:
            _end(move, StoreMoveState.FAILED)
            begin_syncing(base_id)
        else:
            move.save()


def tell_progress(base_id: UUID, store_id: UUID) -> None:
    """Write how far the filling of a store is."""
    copies = StoredVector.objects.filter(store_id=store_id, base_id=base_id).count()
    StoreMove.objects.filter(
        base_id=base_id, to_store_id=store_id, state=StoreMoveState.FILLING
    ).update(done=copies, total=Embedding.objects.filter(base_id=base_id).count(), reason="")


def settle(base_id: UUID) -> bool:
    """Cut over when the new store has all and counts as many as were written; say whether it is well.

    False: something came meanwhile, or the counts differ; then all is written once more.
    """
    move = open_move(base_id)
    if move is None or move.state != StoreMoveState.FILLING or move.to_store is None:
        return True
    counted = _counted(move.to_store, base_id)
    written = StoredVector.objects.filter(store=move.to_store, base_id=base_id)
    with transaction.atomic():
        # Whoever makes passages searchable takes the same lock: nothing slips in between.
        lock_base(base_id)
        move = StoreMove.objects.select_for_update(of=("self",)).get(pk=move.pk)
        if move.state != StoreMoveState.FILLING or move.to_store_id is None:
            return True
        move.done = written.count()
        move.total = Embedding.objects.filter(base_id=base_id).count()
        if lag_of(move.to_store_id, base_id).total:
            move.save()
            return False
        if counted != move.done:
            return _count_differs(move, counted)
        move.counted = counted
        _switch(move, None)
    return True


def _count_differs(move: StoreMove, counted: int) -> bool:
    """Have all written once more; give up the second time. Say whether nothing is left to do."""
    is_second = move.counted is not None
    move.counted = counted
    move.reason = _("The store counts %(counted)s vectors where %(written)s were written.") % {
        "counted": counted,
        "written": move.done,
    }
    if is_second:
        _end(move, StoreMoveState.FAILED)
        begin_syncing(move.base_id)
        return True
    move.save()
    StoredVector.objects.filter(store=move.to_store, base_id=move.base_id).delete()
    return False


def _counted(store: VectorStore, base_id: UUID) -> int:
    """Ask the store how many vectors of the base it has, of all models."""
    pairs = StoredVector.objects.filter(store=store, base_id=base_id).order_by()
    adapter = open_store(store)
    return sum(
        adapter.count(
            Collection(owner=store.pk, identity=identity, dimensions=dimensions), base_id=base_id
        )
        for identity, dimensions in pairs.values_list("identity", "dimensions").distinct()
    )


def _switch(move: StoreMove, actor: Actor | None) -> None:
    _point_to(move.base_id, move.to_store_id)
    move.state, move.reason = StoreMoveState.LIVE, ""
    move.switched_at = timezone.now()
    move.kept_until = move.switched_at + kept_for()
    move.save()
    _audit(actor or system_actor(space_id=move.space_id), "base.store_cut_over", move)


def _finish(actor: Actor, move: StoreMove) -> None:
    _end(move, StoreMoveState.FINISHED)
    _audit(actor, "base.store_finish", move)
    begin_syncing(move.base_id)


def _end(move: StoreMove, state: StoreMoveState) -> None:
    move.state, move.ended_at = state, timezone.now()
    move.from_store = move.to_store = None
    move.save()


def _point_to(base_id: UUID, store_id: UUID | None) -> None:
    KnowledgeBase.objects.filter(pk=base_id).update(
        vector_store_id=store_id, updated_at=timezone.now()
    )


def _base_to_change(actor: Actor, base_id: UUID) -> KnowledgeBase:
    base = get_base(actor, base_id)
    require(actor, "change", base)
    return base


def _store_to_use(actor: Actor, store_id: UUID | None) -> VectorStore | None:
    if store_id is None:
        return None
    store = visible(actor, "use", VectorStore.objects.filter(pk=store_id)).first()
    if store is None:
        raise NotFound(_("There is no such vector store in this space; choose another one."))
    return store


def _locked(base_id: UUID, state: StoreMoveState) -> StoreMove:
    lock_base(base_id)
    rows = StoreMove.objects.select_for_update(of=("self",)).select_related("base")
    move = rows.filter(base_id=base_id, state=state).first()
    if move is None:
        raise Conflict(str(_NOT_NOW))
    return move


def _audit(actor: Actor, action: str, move: StoreMove) -> None:
    record_audit(
        actor,
        action,
        target=move.base,
        base_id=move.base_id,
        old=move.from_name,
        new=move.to_name,
    )
