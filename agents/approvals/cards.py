"""A request for approval as pages and frames show it: the same card in the chat and on the desk."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from django.utils.timesince import timeuntil
from django.utils.translation import gettext as _

from accounts.access import Actor, may, visible
from agents.approvals.forms import ArgumentsForm
from agents.constants import OPEN_RUN_STATES, DecisionState
from agents.models import AgentRun, Approval, Conversation
from agents.runs.asker import asker_of, name_of_asker
from agents.tracing.closed import is_closed as run_is_closed
from agents.tracing.sight import closed_note
from core.errors import NotFound

LONG_CHARACTERS = 400
Place = Literal["chat", "desk"]


@dataclass(frozen=True, kw_only=True)
class Line:
    """One argument, readable."""

    label: str
    value: str
    is_long: bool
    """Shown folded."""
    before: str = ""
    """What it was before a person edited it; empty when it is as the agent wrote it."""


@dataclass(frozen=True, kw_only=True)
class ApprovalCard:
    """Context of `approvals/_card.html`."""

    id: str
    place: Place
    title: str
    tool: str
    is_recovery: bool
    reason: str
    risks: tuple[str, ...]
    lines: tuple[Line, ...]
    asked_at: datetime
    due_at: datetime
    left: str
    """How long that is, in words."""
    state: Literal["open", "ok", "bad"]
    verdict: str
    """Who decided what, as one line; empty while it is open."""
    comment: str
    decided_at: datetime | None
    is_decided: bool
    may_decide: bool
    decision_hash: str
    form: ArgumentsForm | None
    edits: bool
    """Whether the form is shown open: it was sent and something is wrong in it."""
    typed_comment: str
    problem: str
    agent: str
    person: str
    conversation_title: str
    conversation_url: str
    """Empty for who may not read the conversation."""


def card_of(
    row: Approval,
    *,
    actor: Actor | None,
    place: Place,
    may_decide: bool | None = None,
    is_closed: bool | None = None,
    form: ArgumentsForm | None = None,
    problem: str = "",
    typed_comment: str = "",
) -> ApprovalCard:
    """Return the card as the actor may see it; without one it is shown to the run's person.

    A list that has asked for all of its rows at once says `may_decide` and `is_closed`: whether the
    call was written from sources that the viewer may not read. Then its arguments are not shown,
    and nobody decides what they cannot read.
    """
    viewer = actor or _asker_of(row)
    is_open = row.decision == DecisionState.OPEN and row.run.state in OPEN_RUN_STATES
    if may_decide is None:
        may_decide = is_open and viewer is not None and may(viewer, "change", row)
    if is_closed is None:
        is_closed = viewer is None or run_is_closed(viewer, row.run_id)
    decides = is_open and may_decide and not is_closed
    conversation = _conversation_for(viewer, row)
    return ApprovalCard(
        id=str(row.pk),
        place=place,
        title=row.tool_name if is_closed else row.title or row.tool_name,
        tool=row.tool_name,
        is_recovery=row.kind == "recovery",
        reason=row.reason,
        risks=tuple(_(risk) for risk in row.risks),
        lines=(_closed_line(),) if is_closed else tuple(lines_of(row)),
        asked_at=row.created_at,
        due_at=row.due_at,
        left=_left(row),
        state=_state_of(row),
        verdict="" if is_open else verdict_of(row),
        comment="" if is_closed else row.comment,
        decided_at=row.decided_at,
        is_decided=not is_open,
        may_decide=decides,
        decision_hash=row.decision_hash,
        form=(form or ArgumentsForm(row)) if decides else None,
        edits=form is not None,
        typed_comment=typed_comment,
        problem=problem,
        agent=row.run.agent_called or _("Removed agent"),
        person=name_of_asker(row.run),
        conversation_title=str(conversation) if conversation else "",
        conversation_url=reverse("conversation", args=[conversation.pk]) if conversation else "",
    )


def _closed_line() -> Line:
    return Line(label=_("Arguments"), value=closed_note(), is_long=False)


def _asker_of(row: Approval) -> Actor | None:
    try:
        return asker_of(row.run)
    except NotFound:
        return None


def _conversation_for(viewer: Actor | None, row: Approval) -> Conversation | None:
    """Return the conversation to which a link leads; a sub-agent's question stands in its parent's."""
    if viewer is None or viewer.user_id is None or viewer.user_id != row.run.user_id:
        return None
    if row.run.parent_id is None:  # the person's own, as was just compared
        return row.run.conversation
    root: AgentRun = row.run
    while root.parent is not None:
        root = root.parent
    rows = Conversation.objects.filter(pk=root.conversation_id)
    return visible(viewer, "view", rows).first()


def _state_of(row: Approval) -> Literal["open", "ok", "bad"]:
    if row.decision in (DecisionState.APPROVED, DecisionState.EDITED):
        return "ok"
    if row.decision == DecisionState.OPEN and row.run.state in OPEN_RUN_STATES:
        return "open"
    return "bad"


def verdict_of(row: Approval) -> str:
    """Return who decided what, and whether it still counted."""
    who = str(row.decided_by) if row.decided_by else _("A former member")
    words = {
        DecisionState.OPEN: _("The run ended before anybody decided"),
        DecisionState.APPROVED: _("%(who)s approved"),
        DecisionState.EDITED: _("%(who)s approved with changes"),
        DecisionState.REJECTED: _("%(who)s rejected"),
        DecisionState.EXPIRED: _("Nobody answered in time; the agent went on without it"),
        DecisionState.CANCELLED: _("The run was stopped before anybody decided"),
    }
    verdict = words[DecisionState(row.decision)] % {"who": who}
    is_unused = row.applied_at is None and row.run.state not in OPEN_RUN_STATES
    if is_unused and row.decision in (DecisionState.APPROVED, DecisionState.EDITED):
        return _("%(verdict)s, but the run ended without this call: nothing was done") % {
            "verdict": verdict
        }
    return verdict


def lines_of(row: Approval) -> list[Line]:
    """Return the arguments in their order; edited ones with what they were before."""
    edited: dict[str, Any] = row.edited_arguments if row.edited_arguments is not None else {}
    is_edited = row.edited_arguments is not None
    lines = []
    for name in dict.fromkeys([*row.arguments, *edited]):
        before = readable(row.arguments[name]) if name in row.arguments else ""
        now = before
        if is_edited:
            now = readable(edited[name]) if name in edited else ""
        lines.append(
            Line(
                label=name.replace("_", " "),
                value=now or "—",
                is_long=len(now) > LONG_CHARACTERS or now.count("\n") > 6,
                before=(before or "—") if is_edited and before != now else "",
            )
        )
    return lines


def readable(value: Any) -> str:
    """Return a JSON value as text for people."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list) and all(isinstance(each, str | int | float) for each in value):
        return " · ".join(str(each) for each in value)
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def step_of(run_id: str, *, seq: int, element_id: str) -> dict[str, Any]:
    """Return the context of `approvals/_step.html` for the request that event `seq` tells of."""
    row = _rows_of(run_id).filter(requested_seq=seq).first()
    card = card_of(row, actor=None, place="chat") if row is not None else None
    return {"kind": "approval", "id": element_id, "card": card}


def waiting_headline(run_id: str) -> str:
    """Return for how long a run can still wait; empty when nothing of it is open."""
    rows = _rows_of(run_id).filter(decision=DecisionState.OPEN).order_by("due_at")
    row = rows.first()
    if row is None:
        return ""
    asker = _asker_of(row)
    words = _("Waiting for approval · %(left)s left")
    if asker is not None and may(asker, "change", row):
        words = _("Waiting for your approval · %(left)s left")
    return words % {"left": _left(row)}


def _left(row: Approval) -> str:
    return timeuntil(row.due_at, timezone.now(), depth=1)


def _rows_of(run_id: str) -> Any:
    return Approval.objects.filter(run_id=UUID(run_id)).select_related(
        "run", "run__agent", "run__user", "run__conversation", "decided_by"
    )


@dataclass(frozen=True, kw_only=True)
class LikeCalls:
    """Open calls of one tool without risks, which can be decided together."""

    tool: str
    count: int
    items: tuple[str, ...]
    """`id:hash` of each."""


def like_calls(rows: Sequence[Approval]) -> list[LikeCalls]:
    """Return the groups of two and more, by tool."""
    by_tool: dict[str, list[Approval]] = {}
    for row in rows:
        if not row.risks and row.kind == "call":
            by_tool.setdefault(row.tool_name, []).append(row)
    return [
        LikeCalls(
            tool=tool,
            count=len(found),
            items=tuple(f"{row.pk}:{row.decision_hash}" for row in found),
        )
        for tool, found in by_tool.items()
        if len(found) > 1
    ]
