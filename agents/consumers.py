"""The chat's socket: questions and stops in, frames out. One socket a window on a conversation."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from functools import partial
from typing import Annotated, Any, Literal
from uuid import UUID

from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer
from django.utils import translation
from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Discriminator, Field, TypeAdapter, ValidationError

from accounts.access import Actor
from accounts.actors import active_memberships, actor_by, chosen_membership
from accounts.limits import limit_actor
from accounts.login.visits import may_go_on, with_visit
from accounts.models import User
from accounts.services.audit import record_refusal
from agents.approvals.decide import decide
from agents.approvals.queries import get_approval
from agents.constants import OPEN_RUN_STATES
from agents.engine.events import AgentEvent, AnswerDelta, RunFinished, ThoughtDelta, parse_event
from agents.live.frames import (
    Frame,
    error_frame,
    frame as make_frame,
    frame_of_decision,
    frame_of_end,
    frame_of_event,
    frames_of_start,
)
from agents.live.run_view import RunView
from agents.models import AgentRun
from agents.pages.behind import suggestions_frame, turn_with_what_stands_behind
from agents.pages.verdicts import verdicts_frame
from agents.queries import events_after, get_conversation, get_run
from agents.runs.publish import group_of, group_of_person
from agents.services.conversations import Question, ask, stop_run
from agents.services.mentions import MOST_MENTIONS, Mention
from agents.suggestions.events import Attribution
from agents.tracing.closed import is_closed
from core.aio import db_lane, in_db
from core.doors import Door, at_door
from core.errors import AccessDenied, ProjectError
from core.tenancy import space_scope
from knowledge.evidence import read_evidence

logger = logging.getLogger(__name__)
MAX_FRAME_CHARACTERS = 500_000
CATCH_UP_SECONDS = 10.0
"""After so long at most the rows are looked at for an event whose publication was lost, unless the
next one told that it is missing."""
ACTOR_SECONDS = 5.0
"""How long a window's person is known without asking, for frames that go out."""
CLOSE_NOT_FOUND = 4404
CLOSE_SIGNED_OUT = 4401


class _ClientFrame(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SendMessage(_ClientFrame):
    """A question."""

    type: Literal["message.send"]
    text: str
    agent_id: UUID | Literal[""] = ""
    base_ids: list[UUID] = Field(default_factory=list, max_length=100)
    client_id: str = Field(min_length=1, max_length=64)
    mentions: list[Mention] = Field(default_factory=list, max_length=MOST_MENTIONS)
    suggestion_set: UUID | None = None
    """With the key: the suggestion that was clicked instead of typing."""
    suggestion_key: str = Field(default="", max_length=40)

    @property
    def taken_from(self) -> Attribution | None:
        """Return where the question was taken from."""
        if self.suggestion_set is None:
            return None
        return Attribution(set_id=self.suggestion_set, key=self.suggestion_key)


class StopRun(_ClientFrame):
    """Stop an answer."""

    type: Literal["run.stop"]
    run_id: UUID


class DecideApproval(_ClientFrame):
    """Decide about a waiting call."""

    type: Literal["approval.decide"]
    approval_id: UUID
    decision_hash: str = Field(max_length=64)
    resolution: Literal["approved", "edited", "rejected"]
    arguments: dict[str, Any] | None = None
    comment: str = Field(default="", max_length=2000)


class Resume(_ClientFrame):
    """Send everything of a run after an event."""

    type: Literal["resume"]
    run_id: UUID
    after: int = Field(ge=0)


ClientFrame = SendMessage | StopRun | DecideApproval | Resume
_CLIENT_FRAMES: TypeAdapter[ClientFrame] = TypeAdapter(
    Annotated[ClientFrame, Discriminator("type")]
)


class ConversationConsumer(AsyncWebsocketConsumer):
    """A window on one conversation.

    Every frame runs in the actor's space and language and in a thread context of its own: Channels
    opens none, and the ORM calls of all sockets would share one thread. The actor is made anew for
    each frame that comes in; for what goes out it may be some seconds old, since a streamed answer
    sends many frames. The end of a membership is told to the window, which then closes at once.
    """

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Handle each message as the person who opened the socket."""
        async with db_lane():
            actor = await self._actor_for(message["type"])
            if actor is None:
                await self._turn_away(message)
                return
            self.actor = actor
            language = translation.override(_language(self.scope))
            with space_scope(actor.space_id), language, at_door(_door):
                # Not the inherited one: it hops to a thread to let connections go, which `in_db` does.
                await getattr(self, get_handler_name(message))(message)

    async def _actor_for(self, message_type: str) -> Actor | None:
        """Return who opened the socket, asked for again when it is due."""
        now = asyncio.get_running_loop().time()
        known_until = getattr(self, "actor_known_until", 0.0)
        asks = message_type.startswith("websocket.") or message_type == "actor.changed"
        if not asks and now < known_until:
            return self.actor
        actor = await in_db(_actor_of_scope, self.scope)
        self.actor_known_until = now + ACTOR_SECONDS if actor is not None else 0.0
        return actor

    async def _turn_away(self, message: dict[str, Any]) -> None:
        if message["type"] == "websocket.disconnect":
            with space_scope(0):
                await self.websocket_disconnect(message)
        else:
            await self.close(code=CLOSE_SIGNED_OUT)

    async def connect(self) -> None:
        """Accept when the conversation is the person's own; then watch its runs."""
        self.views: dict[UUID, RunView] = {}
        self.closed_known: dict[UUID, tuple[float, bool]] = {}
        self.heard_at: dict[UUID, float] = {}
        """When something of a run was heard or looked for last, on the loop's clock."""
        self.lock = asyncio.Lock()
        self.catching_up: asyncio.Task[None] | None = None
        self.conversation_id: UUID = self.scope["url_route"]["kwargs"]["conversation_id"]
        await self.accept()
        try:
            await in_db(get_conversation, self.actor, self.conversation_id)
        except ProjectError:
            await self.close(code=CLOSE_NOT_FOUND)
            return
        for group in self._groups():
            await self.channel_layer.group_add(group, self.channel_name)
        self.catching_up = asyncio.create_task(self._catch_up())

    async def disconnect(self, code: int) -> None:
        """Let go of the group; runs go on."""
        if getattr(self, "catching_up", None) is not None and self.catching_up:
            self.catching_up.cancel()
        if getattr(self, "conversation_id", None):
            for group in self._groups():
                await self.channel_layer.group_discard(group, self.channel_name)

    def _groups(self) -> tuple[str, str]:
        return group_of(self.conversation_id), group_of_person(self.scope["user"].pk)

    async def actor_changed(self, _: dict[str, Any]) -> None:
        """Do nothing: `dispatch` has just asked anew who the person is."""

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Carry out one frame; what cannot be done is told at the composer."""
        client_id = ""
        try:
            frame = _parse(text_data)
            client_id = getattr(frame, "client_id", "")
            match frame:
                case SendMessage():
                    await self._ask(frame)
                case StopRun():
                    await in_db(stop_run, self.actor, run_id=frame.run_id)
                case DecideApproval():
                    await in_db(decide, self.actor, **frame.model_dump(exclude={"type"}))
                case Resume():
                    await self._resume(frame.run_id, after=frame.after)
        except ProjectError as refusal:
            if isinstance(refusal, AccessDenied):
                await in_db(record_refusal, self.actor, refusal)
            await self._send(error_frame(refusal.message, client_id=client_id))
        except ValidationError as error:
            logger.info("A frame was refused: %s", error)
            await self._send(error_frame(_problem(error), client_id=client_id))
        except Exception:
            # Without this the socket would close, reconnect and send the same frame for ever.
            logger.exception("A frame could not be carried out")
            await self._send(
                error_frame(
                    _("Something went wrong here. It was logged; try again."), client_id=client_id
                )
            )

    async def _ask(self, frame: SendMessage) -> None:
        await in_db(limit_actor, self.actor, "ask")
        question = Question(
            text=frame.text,
            agent_id=frame.agent_id or None,
            base_ids=tuple(frame.base_ids),
            client_id=frame.client_id,
            mentions=tuple(frame.mentions),
            taken_from=frame.taken_from,
        )
        run, frames = await in_db(
            _ask_and_show, self.actor, question, conversation_id=self.conversation_id
        )
        await self._show_start(run, frames)
        # The other windows, if there are any: this one knows the run already.
        await self.channel_layer.group_send(
            group_of(self.conversation_id),
            {"type": "run.asked", "run_id": str(run.pk), "client_id": frame.client_id},
        )

    async def run_asked(self, message: dict[str, Any]) -> None:
        """Show a question that was asked in some window of this conversation."""
        run_id = UUID(message["run_id"])
        if run_id not in self.views:
            run = await in_db(get_run, self.actor, run_id)
            frames = await in_db(frames_of_start, run, client_id=message["client_id"])
            await self._show_start(run, frames)

    async def _show_start(self, run: AgentRun, frames: list[Frame]) -> None:
        """Send a question and its still empty answer, unless the window shows them."""
        async with self.lock:
            if run.pk in self.views:
                return
            self.views[run.pk] = RunView(run_id=str(run.pk))
            self.heard_at[run.pk] = asyncio.get_running_loop().time()
            for frame in frames:
                await self._send(frame)
        if run.last_seq:  # it has begun already; else what it does is about to be told
            await self._advance(run.pk)

    async def run_events(self, message: dict[str, Any]) -> None:
        """Send what a run did; when something before it was missed, read it from the rows."""
        run_id = UUID(message["run_id"])
        if run_id in self.views:
            try:
                hint = None if await self._is_closed(run_id) else message["events"]
                await self._advance(run_id, hint=hint)
            except ProjectError:
                self.views.pop(run_id, None)  # the conversation was deleted, or is no longer theirs

    async def _is_closed(self, run_id: UUID) -> bool:
        """Say whether what the run writes is closed to the person now: then the rows are masked.

        It is asked as often as who the person is.
        """
        known_until, closed = self.closed_known.get(run_id, (0.0, False))
        now = asyncio.get_running_loop().time()
        if now >= known_until:
            closed = await in_db(is_closed, self.actor, run_id)
            self.closed_known[run_id] = (now + ACTOR_SECONDS, closed)
        return closed

    async def approval_decided(self, message: dict[str, Any]) -> None:
        """Show in this window what was decided in whichever one."""
        view = self.views.get(UUID(message["run_id"]))
        if view is not None:
            async with self.lock:
                with contextlib.suppress(ProjectError):
                    frame = await in_db(_decision_frame, self.actor, view, message["approval_id"])
                    await self._send(frame)

    async def suggestions_ready(self, message: dict[str, Any]) -> None:
        """Show the questions behind an answer, as this window's person may see them."""
        with contextlib.suppress(ProjectError):
            await self._send(await in_db(suggestions_frame, self.actor, UUID(message["run_id"])))

    async def verdicts_ready(self, message: dict[str, Any]) -> None:
        """Show the verdicts on an answer's sentences, as this window's person may see them."""
        with contextlib.suppress(ProjectError):
            await self._send(await in_db(verdicts_frame, self.actor, UUID(message["run_id"])))

    async def conversation_deleted(self, message: dict[str, Any]) -> None:
        """Say that the conversation is gone, end what the window shows as running, and close."""
        for run_id, view in self.views.items():
            if view.outcome is None:
                await self._send(make_frame(str(run_id), [{"op": "run", "state": "idle"}]))
        self.views.clear()
        await self._send(error_frame(_("This conversation was deleted. Begin a new one.")))
        await self.close(code=CLOSE_NOT_FOUND)

    async def _resume(self, run_id: UUID, *, after: int) -> None:
        """Bring the window from event `after` to the present."""
        rows = await in_db(events_after, self.actor, run_id=run_id, seq=0)
        async with self.lock:
            view = RunView(run_id=str(run_id))
            for row in rows:
                if row.seq_to <= after:
                    view.fold(parse_event(row.data), seq_to=row.seq_to)
            self.views[run_id] = view
        await self._advance(run_id)

    async def _advance(self, run_id: UUID, hint: list[dict[str, Any]] | None = None) -> None:
        """Send every event behind the view: those of the hint if they follow on, else the rows."""
        async with self.lock:
            view = self.views[run_id]
            if hint is None or hint[0]["seq"] != view.seq + 1:
                rows = await in_db(events_after, self.actor, run_id=run_id, seq=view.seq)
                hint = [{"seq_to": row.seq_to, "event": row.data} for row in rows]
            for each in hint:
                if each["seq_to"] > view.seq:
                    await self._send(await self._frame(run_id, view, each))
            self.heard_at[run_id] = asyncio.get_running_loop().time()

    async def _frame(self, run_id: UUID, view: RunView, row: dict[str, Any]) -> Frame:
        event = parse_event(row["event"])
        if isinstance(event, RunFinished):
            return await in_db(_end_frame, self.actor, run_id, view, event, row["seq_to"])
        if _needs_no_rows(view, event):
            return frame_of_event(view, event, seq_to=row["seq_to"])
        return await in_db(frame_of_event, view, event, seq_to=row["seq_to"])

    async def _catch_up(self) -> None:
        """Read the rows of open runs that have been silent: a publication may be lost."""
        while True:
            await asyncio.sleep(CATCH_UP_SECONDS / 4)
            silent_since = asyncio.get_running_loop().time() - CATCH_UP_SECONDS * 3 / 4
            for run_id, view in list(self.views.items()):
                if view.outcome is None and self.heard_at.get(run_id, 0.0) <= silent_since:
                    async with db_lane():
                        with contextlib.suppress(ProjectError):
                            await self._advance(run_id)

    async def _send(self, frame: Frame) -> None:
        await self.send(text_data=json.dumps(frame, ensure_ascii=False))


def _ask_and_show(
    actor: Actor, question: Question, *, conversation_id: UUID
) -> tuple[AgentRun, list[Frame]]:
    """Put a question; return its run and what the window that asked shows of it."""
    run = ask(actor, question, conversation_id=conversation_id)
    return run, frames_of_start(run, client_id=question.client_id)


def _needs_no_rows(view: RunView, event: AgentEvent) -> bool:
    """Say whether the frame is text alone: most are, and a hop to a thread costs more than they."""
    if isinstance(event, ThoughtDelta):
        return view.step(f"thought-{event.round}") is not None
    return isinstance(event, AnswerDelta)


def _decision_frame(actor: Actor, view: RunView, approval_id: str) -> Frame:
    row = get_approval(actor, UUID(approval_id))
    return frame_of_decision(view, requested_seq=row.requested_seq)


def _parse(text: str | None) -> ClientFrame:
    if text is None or len(text) > MAX_FRAME_CHARACTERS:
        raise ProjectError(
            _("The message is too long to be sent; put long texts into a knowledge base.")
        )
    return _CLIENT_FRAMES.validate_json(text)


def _problem(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(each) for each in first["loc"])
    return f"This message cannot be read ({place}: {first['msg']}). Load the page again."


def _end_frame(actor: Actor, run_id: UUID, view: RunView, event: RunFinished, seq_to: int) -> Frame:
    run = get_run(actor, run_id)
    if run.state in OPEN_RUN_STATES:
        logger.error("Run %s has its last event but is still open", run_id)
    evidence = read_evidence(actor, origin_id=run.answer.pk) if run.answer else []
    completed = partial(turn_with_what_stands_behind, actor, run)
    return frame_of_end(run, view, event, evidence, seq_to=seq_to, completed=completed)


def _actor_of_scope(scope: dict[str, Any]) -> Actor | None:
    """Return who opened the socket, as they are now; None when they may not be here any more."""
    user, session = scope.get("user"), scope["session"]
    if not isinstance(user, User) or not user.is_authenticated:
        return None
    rows = with_visit(active_memberships(user), session=session)
    if "space_id" in scope:  # a window stays in its space: who left it hears nothing more
        rows = rows.filter(space_id=scope["space_id"])
    membership = chosen_membership(user, session=session, memberships=list(rows))
    if membership is None or not may_go_on(membership, session=session):
        return None
    scope["space_id"] = membership.space_id
    return actor_by(membership)


def _door() -> Door:
    return Door(path="SOCKET /conversations/<uuid:conversation_id>/")


def _language(scope: dict[str, Any]) -> str:
    cookies = scope.get("cookies", {})
    return str(cookies.get("django_language", "")) or translation.get_language() or "en"
