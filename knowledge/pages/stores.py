"""What the pages of vector stores show."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count
from django.utils.translation import gettext as _, ngettext

from accounts.access import Actor, visible
from knowledge.constants import StoreMoveState
from knowledge.models import KnowledgeBase, StoredVector, StoreMove, VectorStore
from knowledge.pages.reembedding import NoteView
from knowledge.stored_reasons import told
from knowledge.stores.ledger import lag_of
from knowledge.stores.moves import latest_move


@dataclass(frozen=True, kw_only=True)
class StoreRow:
    """A line of the list of stores."""

    id: UUID
    name: str
    kind: str
    server: str
    host: str
    facts: str
    """How many bases and vectors: "2 knowledge bases · 1,200 vectors"."""
    problem: str
    checked_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class StoreChoice:
    """A store that a base may be in; the blank id is PostgreSQL."""

    id: str
    name: str
    facts: str
    is_current: bool


@dataclass(frozen=True, kw_only=True)
class MoveView:
    """What `_base_store.html` shows of a move that goes on."""

    old: str
    new: str
    label: str
    tone: str
    is_filling: bool
    percent: float
    done: str
    total: str
    by: str
    started_at: datetime
    kept_until: datetime | None
    reason: str


def store_rows(actor: Actor) -> list[StoreRow]:
    """Return the space's stores with what is in them."""
    bases = _counts(KnowledgeBase.objects.filter(deleted_at__isnull=True), "vector_store_id")
    copies = _counts(StoredVector.objects.all(), "store_id")
    return [
        StoreRow(
            id=row.pk,
            name=row.name,
            kind=str(row.get_kind_display()),
            server=row.server,
            host=row.address,
            facts=" · ".join(
                (
                    _bases(bases.get(row.pk, 0)),
                    ngettext("%(n)s vector", "%(n)s vectors", copies.get(row.pk, 0))
                    % {"n": intcomma(copies.get(row.pk, 0))},
                )
            ),
            problem=told(row.problem),
            checked_at=row.checked_at,
        )
        for row in visible(actor, "view", VectorStore.objects.order_by("name"))
    ]


def store_choices(actor: Actor, base: KnowledgeBase) -> list[StoreChoice]:
    """Return PostgreSQL and the space's stores."""
    first = StoreChoice(
        id="",
        name="PostgreSQL",
        facts=_("The default: one statement finds what is near and may be seen."),
        is_current=base.vector_store_id is None,
    )
    rows = visible(actor, "use", VectorStore.objects.order_by("name"))
    return [
        first,
        *(
            StoreChoice(
                id=str(row.pk),
                name=row.name,
                facts=row.server or str(row.get_kind_display()),
                is_current=row.pk == base.vector_store_id,
            )
            for row in rows
        ),
    ]


def lag_words(base: KnowledgeBase) -> str:
    """Say how far a base's store is behind; blank where it is not, or there is none."""
    if base.vector_store_id is None:
        return ""
    due = lag_of(base.vector_store_id, base.pk).total
    if not due:
        return ""
    return ngettext(
        "The store is behind by %(n)s vector; until it is written, PostgreSQL is searched for it.",
        "The store is behind by %(n)s vectors; until they are written, PostgreSQL is searched for them.",
        due,
    ) % {"n": intcomma(due)}


def move_view(move: StoreMove) -> MoveView:
    """Return a move that goes on."""
    state = StoreMoveState(move.state)
    return MoveView(
        old=move.from_name,
        new=move.to_name,
        label=str(state.label),
        tone="info" if state == StoreMoveState.FILLING else "ok",
        is_filling=state == StoreMoveState.FILLING,
        percent=100 * move.done / move.total if move.total else 0,
        done=intcomma(move.done),
        total=intcomma(move.total),
        by=str(move.author) if move.author else "",
        started_at=move.created_at,
        kept_until=move.kept_until,
        reason=told(move.reason),
    )


def move_note(base: KnowledgeBase) -> NoteView | None:
    """Return how the last move of a base ended; None when there was none."""
    move = latest_move(base.pk)
    if move is None:
        return None
    names = {"old": move.from_name, "new": move.to_name, "reason": told(move.reason)}
    match move.state:
        case StoreMoveState.FAILED:
            text, tone = _("The move to “%(new)s” failed: %(reason)s"), "bad"
        case StoreMoveState.UNDONE:
            text, tone = _("The move to “%(new)s” was undone."), ""
        case StoreMoveState.CANCELED:
            text, tone = _("The move to “%(new)s” was canceled."), ""
        case _other:
            text, tone = _("Moved from “%(old)s” to “%(new)s”."), "ok"
    return NoteView(text=text % names, tone=tone)


def _bases(count: int) -> str:
    words = ngettext("%(n)s knowledge base", "%(n)s knowledge bases", count)
    return words % {"n": intcomma(count)}


def _counts(rows: object, field: str) -> dict[UUID, int]:
    pairs = rows.order_by().values_list(field).annotate(n=Count("pk"))  # type: ignore[attr-defined]  # a queryset of either model
    return {key: count for key, count in pairs if key is not None}
