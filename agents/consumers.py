"""The chat's socket: questions and stops in, frames out. One socket a window on a conversation."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from typing import Annotated, Any, Literal
from uuid import UUID

from asgiref.sync import ThreadSensitiveContext
from channels.generic.websocket import AsyncWebsocketConsumer
from django.utils import translation
from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Discriminator, Field, TypeAdapter, ValidationError

from accounts.access import Actor
from accounts.actors import active_memberships, actor_by, chosen_membership
from accounts.models import User
from agents.constants import OPEN_RUN_STATES
from agents.engine.events import RunFinished, parse_event
from agents.live.frames import (
    Frame,
    error_frame,
    frame as make_frame,
    frame_of_end,
    frame_of_event,
    frames_of_start,
)
from agents.live.run_view import RunView
from agents.queries import events_after, get_conversation, get_run
from agents.runs.publish import group_of
from agents.services.conversations import Question, ask, stop_run
from core.aio import in_db
from core.errors import ProjectError
from core.tenancy import space_scope
from knowledge.evidence import read_evidence

logger = logging.getLogger(__name__)
MAX_FRAME_CHARACTERS = 500_000
CATCH_UP_SECONDS = 4.0
"""How often the rows are looked at for events whose publication was lost."""
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


class StopRun(_ClientFrame):
    """Stop an answer."""

    type: Literal["run.stop"]
    run_id: UUID


class Resume(_ClientFrame):
    """Send everything of a run after an event."""

    type: Literal["resume"]
    run_id: UUID
    after: int = Field(ge=0)


_CLIENT_FRAMES: TypeAdapter[SendMessage | StopRun | Resume] = TypeAdapter(
    Annotated[SendMessage | StopRun | Resume, Discriminator("type")]
)


class ConversationConsumer(AsyncWebsocketConsumer):
    """A window on one conversation.

    Every frame runs in the actor's space and language and in a thread context of its own: Channels
    opens none, and the ORM calls of all sockets would share one thread. The actor is made anew for
    each frame, so that who lost the membership hears nothing more.
    """

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Handle each message as the person who opened the socket."""
        async with ThreadSensitiveContext():
            actor = await in_db(_actor_of_scope, self.scope)
            if actor is None:
                await self._turn_away(message)
                return
            self.actor = actor
            with space_scope(actor.space_id), translation.override(_language(self.scope)):
                await super().dispatch(message)

    async def _turn_away(self, message: dict[str, Any]) -> None:
        if message["type"] == "websocket.disconnect":
            with space_scope(0):
                await super().dispatch(message)
        else:
            await self.close(code=CLOSE_SIGNED_OUT)

    async def connect(self) -> None:
        """Accept when the conversation is the person's own; then watch its runs."""
        self.views: dict[UUID, RunView] = {}
        self.lock = asyncio.Lock()
        self.catching_up: asyncio.Task[None] | None = None
        self.conversation_id: UUID = self.scope["url_route"]["kwargs"]["conversation_id"]
        await self.accept()
        try:
            await in_db(get_conversation, self.actor, self.conversation_id)
        except ProjectError:
            await self.close(code=CLOSE_NOT_FOUND)
            return
        await self.channel_layer.group_add(group_of(self.conversation_id), self.channel_name)
        self.catching_up = asyncio.create_task(self._catch_up())

    async def disconnect(self, code: int) -> None:
        """Let go of the group; runs go on."""
        if getattr(self, "catching_up", None) is not None and self.catching_up:
            self.catching_up.cancel()
        if getattr(self, "conversation_id", None):
            await self.channel_layer.group_discard(
                group_of(self.conversation_id), self.channel_name
            )

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
                case Resume():
                    await self._resume(frame.run_id, after=frame.after)
        except ProjectError as refusal:
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
        question = Question(
            text=frame.text,
            agent_id=frame.agent_id or None,
            base_ids=tuple(frame.base_ids),
            client_id=frame.client_id,
        )
        run = await in_db(ask, self.actor, question, conversation_id=self.conversation_id)
        await self.channel_layer.group_send(
            group_of(self.conversation_id),
            {"type": "run.asked", "run_id": str(run.pk), "client_id": frame.client_id},
        )

    async def run_asked(self, message: dict[str, Any]) -> None:
        """Show a question that was asked in some window of this conversation."""
        run_id = UUID(message["run_id"])
        async with self.lock:
            if run_id in self.views:
                return
            run = await in_db(get_run, self.actor, run_id)
            self.views[run_id] = RunView(run_id=str(run_id))
            for frame in await in_db(frames_of_start, run, client_id=message["client_id"]):
                await self._send(frame)
        await self._advance(run_id)

    async def run_events(self, message: dict[str, Any]) -> None:
        """Send what a run did; when something before it was missed, read it from the rows."""
        run_id = UUID(message["run_id"])
        if run_id in self.views:
            try:
                await self._advance(run_id, hint=message["events"])
            except ProjectError:
                self.views.pop(run_id, None)  # the conversation was deleted, or is no longer theirs

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

    async def _frame(self, run_id: UUID, view: RunView, row: dict[str, Any]) -> Frame:
        event = parse_event(row["event"])
        if isinstance(event, RunFinished):
            return await in_db(_end_frame, self.actor, run_id, view, event, row["seq_to"])
        return await in_db(frame_of_event, view, event, seq_to=row["seq_to"])

    async def _catch_up(self) -> None:
        """Read the rows of open runs now and then: a publication may be lost."""
        while True:
            await asyncio.sleep(CATCH_UP_SECONDS)
            async with ThreadSensitiveContext():
                for run_id, view in list(self.views.items()):
                    if view.outcome is None:
                        with contextlib.suppress(ProjectError):
                            await self._advance(run_id)

    async def _send(self, frame: Frame) -> None:
        await self.send(text_data=json.dumps(frame, ensure_ascii=False))


def _parse(text: str | None) -> SendMessage | StopRun | Resume:
    if text is None or len(text) > MAX_FRAME_CHARACTERS:
        raise ProjectError("The message is too long to be sent; put long texts into a base.")
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
    return frame_of_end(run, view, event, evidence, seq_to=seq_to)


def _actor_of_scope(scope: dict[str, Any]) -> Actor | None:
    """Return who opened the socket, as they are now; None when they may not be here any more."""
    user = scope.get("user")
    if not isinstance(user, User) or not user.is_authenticated:
        return None
    memberships = list(active_memberships(user))
    if "space_id" in scope:  # a window stays in its space: who left it hears nothing more
        memberships = [each for each in memberships if each.space_id == scope["space_id"]]
    membership = chosen_membership(user, session=scope["session"], memberships=memberships)
    if membership is None:
        return None
    scope["space_id"] = membership.space_id
    return actor_by(membership)


def _language(scope: dict[str, Any]) -> str:
    cookies = scope.get("cookies", {})
    return str(cookies.get("django_language", "")) or translation.get_language() or "en"
