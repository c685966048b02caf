"""Frames of the chat's socket: what changes on the page with each event of a run.

A frame is `{v, seq, from, run, ops}`; `seq` is the number of the (last) event, `from` the first one
of a joined row, `ops` what the browser does, in order. Structure comes as HTML from the same
partials that the page uses; streamed text comes as text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from django.template.loader import render_to_string
from django.utils.translation import gettext as _, ngettext

from agents.engine.events import (
    AgentEvent,
    AnswerDelta,
    AnswerFinished,
    AnswerReset,
    ApprovalRequested,
    ApprovalResolved,
    RunFinished,
    ThoughtDelta,
    ThoughtFinished,
    ToolCallFinished,
    ToolCallStarted,
)
from agents.live.presentation import (
    AgentTurn,
    agent_turn,
    card_context,
    live_head,
    step_context,
    step_id,
    user_turn,
)
from agents.live.run_view import RunView, Step, StepKind
from agents.live.work import is_plan, plan_of
from agents.models import AgentRun
from core.markdown import render_markdown
from knowledge.evidence import Evidence

_STEP_TEMPLATES: dict[StepKind, str] = {
    "thought": "chat/_step_thought.html",
    "tools": "chat/_step_tools.html",
    "text": "chat/_step_note.html",
    "note": "chat/_step_note.html",
    "approval": "approvals/_step.html",
}
_APPROVALS_CHANGED = {"op": "event", "name": "approvals"}
Op = dict[str, Any]
Frame = dict[str, Any]
VERSION = 1


def frame(run_id: str, ops: Sequence[Op], *, seq_from: int = 0, seq: int = 0) -> Frame:
    """Return a frame; with `seq` 0 it is not counted."""
    made: Frame = {"v": VERSION, "run": run_id, "ops": list(ops)}
    if seq:
        made |= {"seq": seq, "from": seq_from}
    return made


def frame_of_event(view: RunView, event: AgentEvent, *, seq_to: int) -> Frame:
    """Fold the event into the view and return what it changes; the end has `frame_of_end`."""
    known = {step.key for step in view.steps}
    head = live_head(view)
    view.fold(event, seq_to=seq_to)
    ops = _event_ops(view, event)
    ops += [_append_step(view, step) for step in view.steps if step.key not in known]
    if live_head(view) != head or event.seq == 1:
        ops.append(_head(view, *live_head(view)))
    return frame(view.run_id, ops, seq_from=event.seq, seq=seq_to)


def _event_ops(view: RunView, event: AgentEvent) -> list[Op]:
    """Return the changes inside of what the page has already."""
    answer = f"#run-{view.run_id}-answer"
    match event:
        case AnswerDelta():
            return [{"op": "md", "to": answer, "text": event.text}]
        case AnswerReset():
            return [{"op": "md.end", "to": answer, "html": ""}]
        case AnswerFinished():
            html = str(render_markdown(event.text, run_id=view.run_id))
            return [{"op": "md.end", "to": answer, "html": html}]
        case ThoughtDelta():
            step = view.step(f"thought-{event.round}")
            is_new = step is None or step.text == event.text
            target = f"#{step_id(view.run_id, f'thought-{event.round}')}-text"
            return [] if is_new else [{"op": "text", "to": target, "text": event.text}]
        case ThoughtFinished():
            return _replace_step(view, f"thought-{event.round}")
        case ToolCallStarted():
            step = view.step(f"tools-{event.round}")
            return _replace_step(view, f"tools-{event.round}") if step and step.cards[1:] else []
        case ToolCallFinished():
            return _finished_call(view, event)
        case ApprovalRequested():
            asks = _("The agent asks before it goes on: %(title)s") % {"title": event.title}
            return [{"op": "say", "text": asks, "level": "assertive"}, dict(_APPROVALS_CHANGED)]
        case ApprovalResolved():
            asked = view.approval(event.call_id)
            return [*([_replace_op(view, asked)] if asked else []), dict(_APPROVALS_CHANGED)]
        case _:
            return []


def frame_of_decision(view: RunView, *, requested_seq: int) -> Frame:
    """Return what a decision changes before the run goes on; not counted, the event follows."""
    steps = [step for step in view.open_approvals if step.seq == requested_seq]
    ops = [_replace_op(view, step) for step in steps]
    return frame(view.run_id, [*ops, _head(view, *live_head(view)), dict(_APPROVALS_CHANGED)])


def _finished_call(view: RunView, event: ToolCallFinished) -> list[Op]:
    card, step = view.card(event.call_id), view.step(f"tools-{event.round}")
    if card is None or step is None:
        return []
    html = render_to_string("chat/_tool_card.html", {"call": card_context(view.run_id, card)})
    ops: list[Op] = [{"op": "replace", "to": f"#call-{view.run_id}-{event.call_id}", "html": html}]
    if is_plan(card):
        plan = render_to_string("chat/_plan.html", {"plan": plan_of(view)})
        ops.append({"op": "html", "to": f"#run-{view.run_id}-plan", "html": plan})
    if step.state != "live":
        context = step_context(view.run_id, step)
        head = render_to_string("chat/_step_tools_head.html", {"step": context})
        ops.append({"op": "state", "to": f"#{context['id']}", "cls": f"is-{step.state}"})
        ops.append({"op": "replace", "to": f"#{context['id']}-head", "html": head})
    return ops


def frames_of_start(run: AgentRun, *, client_id: str) -> list[Frame]:
    """Return the question and the still empty answer, for every window of the conversation."""
    turn = agent_turn(run, RunView(run_id=str(run.pk)), ())
    ops: list[Op] = [
        _append("#turns", "chat/_turn_user.html", {"turn": user_turn(run)}),
        _append("#turns", "chat/_turn_agent.html", {"turn": turn}),
        {"op": "run", "state": "running"},
        {"op": "event", "name": "conversations"},
        {"op": "say", "text": _("Question sent."), "level": "polite"},
    ]
    acknowledged: Frame = {"v": VERSION, "op": "ack", "client_id": client_id}
    return [frame(str(run.pk), ops), acknowledged]


def frame_of_end(
    run: AgentRun,
    view: RunView,
    event: RunFinished,
    evidence: Sequence[Evidence],
    *,
    seq_to: int,
    completed: Callable[[AgentTurn], AgentTurn] = lambda turn: turn,
) -> Frame:
    """Return the final answer, its sources and actions, and the closed timeline.

    `completed` adds to the turn what stands behind the answer for the window's person.
    """
    view.fold(event, seq_to=seq_to)
    turn = completed(agent_turn(run, view, evidence))
    base = f"#run-{view.run_id}"
    after = render_to_string("chat/_after.html", {"turn": turn})
    who = render_to_string("chat/_who.html", {"turn": turn})
    ops: list[Op] = [_replace_op(view, step) for step in view.steps]
    ops += [
        {"op": "replace", "to": f"{base}-who", "html": who},
        {"op": "md.end", "to": f"{base}-answer", "html": str(turn.answer_html)},
        _head(view, turn.state, turn.headline),
        {"op": "close", "to": base},
        {"op": "html", "to": f"{base}-after", "html": after, "follow": False},
        {"op": "run", "state": "idle"},
        {"op": "event", "name": "conversations"},
        {"op": "say", "text": _spoken(event, evidence), "level": _level(event)},
    ]
    return frame(view.run_id, ops, seq_from=event.seq, seq=seq_to)


def error_frame(text: str, *, client_id: str = "") -> Frame:
    """Return a refusal, shown at the composer."""
    return {"v": VERSION, "op": "error", "text": text, "client_id": client_id}


def _spoken(event: RunFinished, evidence: Sequence[Evidence]) -> str:
    if event.outcome == "answered":
        count = len(evidence)
        return ngettext("Answer ready, %(n)s source.", "Answer ready, %(n)s sources.", count) % {
            "n": count
        }
    return event.detail or _("The run ended without an answer.")


def _level(event: RunFinished) -> Literal["polite", "assertive"]:
    return "assertive" if event.outcome == "failed" else "polite"


def _head(view: RunView, state: str, label: str) -> Op:
    html = render_to_string("chat/_run_head.html", {"state": state, "label": label})
    return {"op": "html", "to": f"#run-{view.run_id}-head", "html": html}


def _append_step(view: RunView, step: Step) -> Op:
    return {"op": "append", "to": f"#run-{view.run_id}-steps", "html": _step_html(view, step)}


def _replace_step(view: RunView, key: str) -> list[Op]:
    step = view.step(key)
    return [] if step is None else [_replace_op(view, step)]


def _replace_op(view: RunView, step: Step) -> Op:
    target = f"#{step_id(view.run_id, step.key)}"
    return {"op": "replace", "to": target, "html": _step_html(view, step)}


def _step_html(view: RunView, step: Step) -> str:
    context = {"step": step_context(view.run_id, step)}
    return render_to_string(_STEP_TEMPLATES[step.kind], context)


def _append(target: str, template: str, context: dict[str, Any]) -> Op:
    return {"op": "append", "to": target, "html": render_to_string(template, context)}
