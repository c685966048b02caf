"""Every way to read: pages, files, exports, streams, sockets, tools, services. Each gives its text."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from asgiref.sync import ThreadSensitiveContext
from asgiref.testing import ApplicationCommunicator
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse

from accounts.access import Actor
from accounts.actors import SPACE_SESSION_KEY, actor_of
from agents.answers.history import history_of
from agents.catalogue import all_tools
from agents.engine.aliases import Aliases
from agents.engine.cancel import CancelToken
from agents.engine.errors import ToolFailed
from agents.engine.tools import Tool, ToolContext
from agents.live.event_stream import event_stream
from agents.models import AgentRun, Conversation, Message
from agents.routing import websocket_urlpatterns
from agents.runs.reports import report_of
from agents.services.mentions import suggest_mentions
from agents.suggestions.starters import starters_of
from agents.tools.deps import RunDeps
from agents.tools.registry import built_tools
from benchmarks._canary_stories import Stories
from benchmarks._canary_world import CanaryWorld, Person
from core.errors import ProjectError
from core.tenancy import space_scope
from knowledge.access.queries import who_may_read
from knowledge.evidence import read_evidence


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of somebody, and what came back."""

    door: str
    sent: str
    answer: str


@dataclass(kw_only=True)
class Doors:
    """All the doors into one world."""

    world: CanaryWorld
    stories: Stories
    chance: random.Random

    def knock(self, name: str, person: Person) -> Call:
        """Go through a door as somebody, asking for anything of anybody."""
        kind, _colon, detail = name.partition(":")
        sent, answer = getattr(self, f"_{kind}")(person, detail)
        return Call(door=name, sent=sent, answer=answer)

    # Pages

    def _page(self, person: Person, detail: str) -> tuple[str, str]:
        arguments, query = self._address(detail, person)
        url = reverse(detail, args=arguments)
        headers = {"HX-Request": "true"} if self.chance.random() < 0.2 else {}
        response = person.client.get(url, query, headers=headers)
        content = response.getvalue()
        return f"{url} {query}", content.decode("utf-8", "replace")

    def _address(self, name: str, person: Person) -> tuple[list[Any], dict[str, Any]]:
        secret = self.chance.choice(self.world.secrets)
        base_id = self.chance.choice(list(self.world.bases))
        match name:
            case "base":
                return [base_id], {"q": self.chance.choice(("", "note", "Law", secret.text))}
            case "base_search":
                words = (f"word of document {secret.number}", "rent salary notice", secret.text)
                question = self.chance.choice(words)
                return [base_id], {"question": question, "limit": 50, "rerank": "never"}
            case "base_why_not":
                texts = (secret.text, f"word of document {secret.number}")
                asked = {"text": self.chance.choice(texts)}
                return [base_id], {**asked, "document": str(secret.document_id)}
            case "base_access":
                return [base_id], self.chance.choice(({}, {"folder": "Law"}))
            case "document":
                return [secret.document_id], {}
            case "document_file" | "document_access":
                return [secret.document_id], {}
            case "bases":
                return [], {"q": self.chance.choice(("", "o"))}
            case "conversation" | "conversation_opened":
                return [self._conversation(person)], {}
            case "run":
                tab = self.chance.choice(("timeline", "messages", "events"))
                return [self._run(person)], {"tab": tab}
            case "run_export":
                return [self._run(person)], {}
            case "artifact" | "artifact_download" | "artifact_frame":
                return [self._of(self.stories.artifacts)], {}
            case "message_suggestions":
                return [self._answer(person)], {}
            case "approval":
                return [self._of(self.stories.approvals)], {}
            case "agent_mentions":
                agent = self.chance.choice(list(self.stories.agents.values()))
                return [agent.pk], {"q": self.chance.choice(("", "note", "o"))}
            case "starters":
                agent = self.chance.choice(list(self.stories.agents.values()))
                return [], {"agent_id": str(agent.pk)}
            case _:
                return [], {}

    # Streams and sockets

    def _stream(self, person: Person, _: str) -> tuple[str, str]:
        run_id = self._run(person)
        if person.user is None or person.space_id is None:
            return str(run_id), ""
        with space_scope(person.space_id):
            run = AgentRun.objects.filter(pk=run_id).first()
        found = asyncio.run(
            _collect(
                event_stream(
                    person.user,
                    space_id=person.space_id,
                    conversation_id=run.conversation_id if run else uuid4(),
                    run_id=run_id,
                    after=0,
                )
            )
        )
        return str(run_id), found.decode()

    def _socket(self, person: Person, _: str) -> tuple[str, str]:
        run_id = self._run(person)
        conversation_id = self._conversation(person)
        found = asyncio.run(_talk(person, conversation_id, run_id))
        return str(run_id), found

    # Tools and services

    def _tool(self, person: Person, detail: str) -> tuple[str, str]:
        actor = self._actor(person)
        if actor is None:
            return detail, ""
        arguments = self._arguments(detail)
        with space_scope(actor.space_id):
            deps = self._deps(actor, person)
            tool = self._find(deps, detail)
            answer = asyncio.run(_use(tool, deps, arguments)) if tool is not None else ""
        return json.dumps(arguments), answer

    def _arguments(self, name: str) -> dict[str, Any]:
        secret = self.chance.choice(self.world.secrets)
        match name:
            case "knowledge_search":
                wish = self.chance.choice(
                    (f"word of document {secret.number}", "rent", secret.text)
                )
                return {"queries": [wish]}
            case "grep_chunks":
                pattern = self.chance.choice(("zq[0-9a-f]+", "word", "salary", secret.name))
                return {"pattern": pattern}
            case "list_knowledge_chunks":
                return {"document_id": str(secret.document_id)}
            case "get_document_info":
                chosen = self.chance.sample(self.world.secrets, 5)
                return {"document_ids": [str(each.document_id) for each in chosen]}
            case "read_tool_result":
                return {"call_id": "a", "offset": 0, "limit": 5000}
            case "check_task_status":
                return {"task_id": "a"}
            case _:
                return {"query": self.chance.choice(("word", "It says", "zq", "rent"))}

    def _deps(self, actor: Actor, person: Person) -> RunDeps:
        """Return what a run of the person has; its conversation may be one of theirs."""
        mine = [pk for pk, name in self.stories.owners.items() if name == person.name]
        rows = AgentRun.objects.filter(conversation_id__in=mine, user_id=actor.user_id or 0)
        if self.chance.random() < 0.5:
            rows = rows.filter(children__isnull=False)
        run = rows.order_by("?").first()
        return RunDeps(
            actor=actor,
            run_id=uuid4() if run is None or self.chance.random() < 0.5 else run.pk,
            conversation_id=run.conversation_id if run is not None else uuid4(),
            agent_id=self.stories.agents[actor.space_id].pk,
            base_ids=tuple(self.world.bases),
            config=self.stories.agents[actor.space_id].settings,
        )

    def _find(self, deps: RunDeps, name: str) -> Tool[RunDeps] | None:
        built = {each.name: each for each in built_tools(deps, mode="react")}
        return built.get(name) or all_tools.get(name)

    def _service(self, person: Person, detail: str) -> tuple[str, str]:
        actor = self._actor(person)
        if actor is None:
            return detail, ""
        with space_scope(actor.space_id):
            try:
                return detail, str(self._ask_service(actor, person, detail))
            except ProjectError as refusal:
                return detail, refusal.message

    def _ask_service(self, actor: Actor, person: Person, name: str) -> Any:
        match name:
            case "evidence":
                return read_evidence(actor, origin_id=self._of(self.stories.answers))
            case "who_may_read":
                secret = self.chance.choice(self.world.secrets)
                return who_may_read(actor, document_id=secret.document_id)
            case "mentions":
                agent = self.stories.agents[actor.space_id]
                return suggest_mentions(actor, agent, search=self.chance.choice(("note", "o", "")))
            case "starters":
                return starters_of(actor, self.stories.agents[actor.space_id])
            case "history":
                return self._history(actor, person)
            case _:
                run_id = self._own_run(person)
                return report_of(actor, run_id) if run_id else ""

    def _history(self, actor: Actor, person: Person) -> Any:
        """Return what the model of the person's next question would read; nothing is kept."""
        rows = Conversation.objects.filter(
            pk=self._conversation(person, own=True), user_id=actor.user_id or 0
        )
        conversation = rows.first()
        if conversation is None:
            return ""
        question = Message(
            space_id=actor.space_id, conversation=conversation, position=10_000, text="And?"
        )
        run = AgentRun(
            space_id=actor.space_id,
            conversation=conversation,
            question=question,
            user_id=actor.user_id or 0,
        )
        return history_of(run, actor=actor, turns=9, with_steps=True, retains_results=True)

    # What is asked for

    def _actor(self, person: Person) -> Actor | None:
        if person.user is None or person.space_id is None:
            return None
        try:
            return actor_of(person.user, space_id=person.space_id)
        except ProjectError:
            return None

    def _of(self, ids: Sequence[UUID]) -> UUID:
        return self.chance.choice(ids) if ids else uuid4()

    def _conversation(self, person: Person, *, own: bool = False) -> UUID:
        """Return one of the person's own in most cases, else anybody's."""
        mine = [pk for pk, name in self.stories.owners.items() if name == person.name]
        if mine and (own or self.chance.random() < 0.8):
            return self.chance.choice(mine)
        return self._of(self.stories.conversations)

    def _answer(self, person: Person) -> UUID:
        run_id = self._own_run(person)
        if run_id is None or person.space_id is None:
            return self._of(self.stories.answers)
        with space_scope(person.space_id):
            return AgentRun.objects.get(pk=run_id).answer_id or uuid4()

    def _run(self, person: Person) -> UUID:
        return self._own_run(person) or self._of(self.stories.runs)

    def _own_run(self, person: Person) -> UUID | None:
        if person.space_id is None or self.chance.random() < 0.2:
            return None
        conversation_id = self._conversation(person, own=True)
        if self.stories.owners.get(conversation_id) != person.name:
            return None
        with space_scope(person.space_id):
            runs = list(AgentRun.objects.filter(conversation_id=conversation_id))
            runs += list(AgentRun.objects.filter(parent__in=runs))
        return self.chance.choice(runs).pk if runs else None


PAGES = (
    *("bases", "base", "base_search", "base_why_not", "base_access", "document", "document_file"),
    *("document_access", "conversation", "conversation_opened", "run", "run_export", "artifact"),
    *("artifact_download", "artifact_frame", "message_suggestions", "approvals", "approval"),
    *("memory", "memory_export", "agent_mentions", "starters", "conversations", "chat_new"),
)
TOOLS = (
    *("knowledge_search", "grep_chunks", "list_knowledge_chunks", "get_document_info"),
    *("search_conversations", "search_memory", "read_tool_result", "check_task_status"),
)
SERVICES = ("evidence", "who_may_read", "mentions", "starters", "history", "report")
DOORS: tuple[str, ...] = (
    *(f"page:{name}" for name in PAGES),
    *(f"tool:{name}" for name in TOOLS),
    *(f"service:{name}" for name in SERVICES),
    "stream:run",
    "socket:conversation",
)
NEVER_SHOW = frozenset(
    {
        *("page:base_access", "page:approvals", "page:conversations", "page:chat_new"),
        *("page:conversation_opened", "page:bases", "service:who_may_read"),
    }
)
"""Doors behind which no secret stands even for those who may see it: they are tried all the same."""


async def _use(tool: Tool[RunDeps], deps: RunDeps, arguments: dict[str, Any]) -> str:
    context = ToolContext(deps=deps, call_id="x", aliases=Aliases(), cancel=CancelToken())
    known = tool.spec.parameters["properties"]
    usable = {name: value for name, value in arguments.items() if name in known}
    async with ThreadSensitiveContext():
        try:
            result = await tool.body(context, usable)
        except (ToolFailed, ProjectError) as refusal:
            return str(refusal)
    return f"{result.output} {result.summary} {json.dumps(result.data, default=str)}"


async def _collect(stream: Any) -> bytes:
    found = b""
    async with contextlib.aclosing(stream):
        async for piece in stream:
            found += piece
            if piece.startswith(b": still here"):
                break
    return found


async def _talk(person: Person, conversation_id: UUID, run_id: UUID) -> str:
    """Open the conversation's socket and ask for everything of a run."""
    path = f"ws/conversations/{conversation_id}/"
    matches = (pattern.resolve(path) for pattern in websocket_urlpatterns)
    match = next(found for found in matches if found is not None)
    scope: dict[str, Any] = {
        "type": "websocket",
        "path": f"/{path}",
        "headers": [],
        "cookies": {},
        "user": person.user or AnonymousUser(),
        "session": {SPACE_SESSION_KEY: person.space_id} if person.space_id else {},
        "url_route": {"args": (), "kwargs": match.kwargs},
    }
    make: Any = ApplicationCommunicator  # it has no types
    socket = make(match.func, scope)
    await socket.send_input({"type": "websocket.connect"})
    frame = json.dumps({"type": "resume", "run_id": str(run_id), "after": 0})
    await socket.send_input({"type": "websocket.receive", "text": frame})
    found = ""
    while True:
        try:
            message = await socket.receive_output(timeout=3)
        except TimeoutError:
            break
        found += json.dumps(message, default=str)
        if _is_last(message):
            break
    with contextlib.suppress(Exception):
        await socket.send_input({"type": "websocket.disconnect", "code": 1000})
        await socket.wait(timeout=3)
    return found


def _is_last(message: dict[str, Any]) -> bool:
    text = message.get("text") or ""
    ends = ('"idle"', "error", '"op": "run", "state": "done"', '"state": "done"')
    return message["type"] == "websocket.close" or any(each in text for each in ends)
