"""Use cases of a change of the embedding model: start, cancel, cut over, undo, finish.

All of them are for those who may change the base. The work between is the job's (`build.py`).
"""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from accounts.access import Actor, require, visible
from accounts.actors import system_actor
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid, NotFound, ServiceFailed
from core.jobs.enqueue import cancel_jobs
from knowledge.constants import EmbeddingChangeState
from knowledge.ingest.index import lock_base
from knowledge.jobs import REEMBED_BASE
from knowledge.models import EmbeddingChange, KnowledgeBase
from knowledge.queries import get_base
from knowledge.reembedding.build import count_progress
from knowledge.reembedding.queries import compared_passages, open_change
from knowledge.reembedding.soon import begin_catching_up
from knowledge.reembedding.switch import end, switch_now
from providers.constants import ModelType
from providers.contracts.errors import ModelError
from providers.models import AIModel
from providers.services.clients import get_embedding_model

_NOT_NOW = {
    EmbeddingChangeState.BUILDING: gettext_lazy("No change is being built; load the page again."),
    EmbeddingChangeState.READY: gettext_lazy("No change is ready to go live; load the page again."),
    EmbeddingChangeState.LIVE: gettext_lazy("No change is live; load the page again."),
}
SEARCHES_END = timedelta(minutes=1)
"""A search that began before the switch reads vectors of the old model: they go a little later."""


def start_change(actor: Actor, *, base_id: UUID, model_id: UUID) -> EmbeddingChange | None:
    """Begin to build the vectors of another model beside those that the base compares.

    Nothing that is found changes until somebody cuts over. None: nothing has to be embedded, and
    the base has the other model already: it holds no passages, or the model makes the same vectors.

    Raises:
        NotFound, AccessDenied: as `require` has it; or there is no such model in the space.
        Invalid, Conflict: it is no embedding model, is switched off, is the base's own, or another
            change goes on.
        ServiceFailed: the model cannot be asked what vectors it makes.
    """
    base = _base_to_change(actor, base_id)
    model = visible(actor, "use", AIModel.objects.filter(pk=model_id)).first()
    if model is None or model.type != ModelType.EMBEDDING:
        raise NotFound(_("There is no such embedding model in this space; choose another one."))
    identity = identity_of(model)
    with transaction.atomic():
        lock_base(base.pk)
        base = KnowledgeBase.objects.select_related("embedding_model").get(pk=base.pk)
        if open_change(base.pk) is not None:
            raise Conflict(
                _("The embedding model is being changed already; finish or cancel that first.")
            )
        is_empty = not compared_passages(base.pk).exists()
        if is_empty or base.embedding_identity == identity:
            _take_model(actor, base, model, identity="" if is_empty else identity)
            return None
        return _begin(actor, base, model, identity)


def cancel_change(actor: Actor, *, base_id: UUID) -> EmbeddingChange:
    """End a change before it went live; what was built is removed.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Conflict: there is none, or it is live: that is undone or finished.
    """
    base = _base_to_change(actor, base_id)
    with transaction.atomic():
        change = _locked(base.pk, EmbeddingChangeState.BUILDING, EmbeddingChangeState.READY)
        end(change, EmbeddingChangeState.CANCELED, keep=timedelta())
        change.save()
        cancel_jobs(REEMBED_BASE, dedupe_key=str(base.pk))
        _audit(actor, "base.embedding_cancel", change)
    return change


def cut_over(actor: Actor, *, base_id: UUID) -> bool:
    """Let the base compare vectors of the new model; say whether it does so now.

    False: some passages, which came a moment ago, are embedded first; then it is done by itself.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Conflict: no change is ready; or the model makes other vectors by now, or is switched off.
        ServiceFailed: the model cannot be asked: questions would be searched by words only.
    """
    return _switch(actor, base_id, EmbeddingChangeState.READY)


def undo(actor: Actor, *, base_id: UUID) -> bool:
    """Let the base compare vectors of the old model again; say whether it does so now.

    What came since has vectors of the old model, too, so that nothing is lost. The new vectors are
    kept for a while: to start the same change again costs nothing then.

    Raises:
        NotFound, AccessDenied, Conflict, ServiceFailed: as for `cut_over`.
    """
    return _switch(actor, base_id, EmbeddingChangeState.LIVE)


def finish(actor: Actor, *, base_id: UUID) -> EmbeddingChange:
    """End a change that is live: the old vectors are removed, and it cannot be undone any more.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Conflict: no change is live.
    """
    base = _base_to_change(actor, base_id)
    with transaction.atomic():
        change = _locked(base.pk, EmbeddingChangeState.LIVE)
        _finish(actor, change)
    return change


def finish_change(change_id: UUID) -> None:
    """End a change that was live for as long as an undo is kept open; housekeeping does."""
    with transaction.atomic():
        rows = EmbeddingChange.objects.select_for_update().filter(
            pk=change_id, state=EmbeddingChangeState.LIVE, kept_until__lt=timezone.now()
        )
        change = rows.first()
        if change is not None:
            _finish(system_actor(space_id=change.space_id), change)


def can_be_undone(change: EmbeddingChange) -> bool:
    """Say whether the model before can be asked again: it was another one, and is switched on."""
    row = change.from_model
    return row is not None and row.is_enabled and row.pk != change.to_model_id


def identity_of(model: AIModel) -> str:
    """Return what names the vectors that a model makes now; the built-in one is asked.

    Raises:
        Conflict: it is switched off.
        ServiceFailed: it cannot be asked.
    """
    try:
        return get_embedding_model(model).identity
    except ModelError as error:
        raise ServiceFailed(
            _("The model “%(name)s” cannot be asked: %(reason)s")
            % {"name": model.name, "reason": error.message},
            retry=error.retry,
        ) from error


def _base_to_change(actor: Actor, base_id: UUID) -> KnowledgeBase:
    base = get_base(actor, base_id)
    require(actor, "change", base)
    return base


def _take_model(actor: Actor, base: KnowledgeBase, model: AIModel, *, identity: str) -> None:
    """Give the base the model at once: no vector is compared that it did not make."""
    if base.embedding_model_id == model.pk:
        raise Invalid(
            _("The knowledge base embeds with “%(name)s” already.") % {"name": model.name}
        )
    before = base.embedding_model.name if base.embedding_model else ""
    base.embedding_model, base.embedding_identity = model, identity
    base.save(update_fields=["embedding_model", "embedding_identity", "updated_at"])
    record_audit(
        actor,
        "base.embedding_model",
        target=base,
        base_id=base.pk,
        old=before,
        new=model.name,
    )


def _begin(actor: Actor, base: KnowledgeBase, model: AIModel, identity: str) -> EmbeddingChange:
    change = EmbeddingChange(
        space_id=base.space_id,
        base=base,
        from_model=base.embedding_model,
        from_name=base.embedding_model.name if base.embedding_model else "",
        from_identity=base.embedding_identity,
        to_model=model,
        to_name=model.name,
        to_identity=identity,
        author_id=actor.user_id,
    )
    try:
        with transaction.atomic():
            change.save(force_insert=True)
    except IntegrityError as error:
        raise Conflict(_("The embedding model is being changed already.")) from error
    count_progress(change.pk, base.pk, identity)
    begin_catching_up(base.pk)
    _audit(actor, "base.embedding_start", change)
    return change


def _switch(actor: Actor, base_id: UUID, state: EmbeddingChangeState) -> bool:
    base = _base_to_change(actor, base_id)
    change = open_change(base.pk)
    if change is None or change.state != state:
        raise Conflict(str(_NOT_NOW[state]))
    if state == EmbeddingChangeState.LIVE and not can_be_undone(change):
        raise Conflict(
            _("The model before cannot be asked any more, so its vectors are of no use.")
        )
    model = change.to_model if state == EmbeddingChangeState.READY else change.from_model
    if model is None:
        raise Conflict(_("The model was removed, or none is chosen; choose another one."))
    if identity_of(model) != change.other_identity:
        raise Conflict(
            _("The model “%(name)s” was changed meanwhile and makes other vectors. Start again.")
            % {"name": model.name}
        )
    if switch_now(change.pk, actor=actor):
        return True
    with transaction.atomic():
        waiting = EmbeddingChange.objects.filter(pk=change.pk, state=state)
        if waiting.update(wants_switch=True):
            begin_catching_up(base.pk)
            _audit(actor, "base.embedding_switch_asked", change)
    return False


def _locked(base_id: UUID, *states: EmbeddingChangeState) -> EmbeddingChange:
    """Return the open change under its row's lock, taken behind the base's as the switch does."""
    lock_base(base_id)
    rows = EmbeddingChange.objects.select_for_update(of=("self",)).select_related("base")
    change = rows.filter(base_id=base_id, state__in=states).first()
    if change is None:
        raise Conflict(str(_NOT_NOW[states[0]]))
    return change


def _finish(actor: Actor, change: EmbeddingChange) -> None:
    end(change, EmbeddingChangeState.FINISHED, keep=SEARCHES_END)
    change.reason = ""
    change.save()
    _audit(actor, "base.embedding_finish", change)


def _audit(actor: Actor, action: str, change: EmbeddingChange) -> None:
    record_audit(
        actor,
        action,
        target=change.base,
        base_id=change.base_id,
        old=change.from_name,
        new=change.to_name,
    )
