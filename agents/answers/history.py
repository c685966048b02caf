"""Earlier turns of a conversation, as the model reads them: rebuilt from the rows each time.

A reasoning agent also reads what was called and found in those turns. What knowledge tools found
then is left out unless the agent retains it, for the knowledge may have changed; long results of
other tools become one line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q

from accounts.access import Actor
from agents.catalogue import listed_tools
from agents.constants import CallState
from agents.engine.aliases import Aliases, AliasKind, Source, rewrite_aliases
from agents.engine.calls import ToolOutcome
from agents.engine.history import REDACTED_RESULT
from agents.models import AgentRun, RunEvent, ToolCall
from agents.tracing.closed import closed_runs, documents_read, inherit
from providers.contracts.chat import ChatMessage, ToolCall as CallPart

KEPT_OUTPUT_CHARACTERS = 1_500
"""Results of earlier turns that are longer become one line."""
_MARKER = re.compile(r"\s?\[\d{1,3}\](?![(\[:])")


def history_of(
    run: AgentRun,
    *,
    turns: int,
    actor: Actor,
    aliases: Aliases | None = None,
    with_steps: bool = False,
    retains_results: bool = False,
) -> list[ChatMessage]:
    """Return up to `turns` answered turns before the run's question, oldest first.

    Markers of citations are left out: they count anew in each answer, and an old [1] would be
    taken for a new one. A question that was never answered is left out with its silence.

    Args:
        run: whose question comes next.
        turns: at most so many question-answer pairs.
        actor: who reads; a turn whose texts are closed to them now is left out, and the documents
            behind the others become the run's `inherited_document_ids`.
        aliases: those of the new run; ids of earlier steps are written with them.
        with_steps: whether the tool calls of those turns stand between question and answer.
        retains_results: whether results of knowledge tools stay readable.
    """
    earlier = _open_runs(actor, _earlier_runs(run, turns))
    _inherit(run, earlier)
    steps: Mapping[UUID, list[ChatMessage]] = {}
    if with_steps:
        stale = frozenset() if retains_results else _knowledge_tools()
        steps = _steps_of(earlier, _Writer(aliases=aliases or Aliases(), stale=stale))
    history: list[ChatMessage] = []
    for each in earlier:
        answer = each.answer.text if each.answer is not None else ""
        history.append(ChatMessage(role="user", content=each.question.text))
        history += steps.get(each.pk, [])
        history.append(ChatMessage(role="assistant", content=_MARKER.sub("", answer)))
    return history


def _earlier_runs(run: AgentRun, turns: int) -> list[AgentRun]:
    if turns <= 0 or run.question.position == 0:
        return []
    rows = (
        AgentRun.objects.filter(
            conversation_id=run.conversation_id,
            question__position__lt=run.question.position,
            answer__isnull=False,
        )
        .exclude(answer__text="")
        .filter(_readable_by_agent_of(run))
        .select_related("question", "answer")
        .order_by("-question__position")
    )
    return list(reversed(rows[:turns]))


def _readable_by_agent_of(run: AgentRun) -> Q:
    """A shared agent reads only turns of its own space's agents: the others are none of theirs."""
    if run.shared_space_id is None:
        return Q()
    return Q(shared_space_id=run.shared_space_id)


def _open_runs(actor: Actor, runs: Sequence[AgentRun]) -> list[AgentRun]:
    closed = closed_runs(actor, [run.pk for run in runs])
    return [run for run in runs if run.pk not in closed]


def _inherit(run: AgentRun, earlier: Sequence[AgentRun]) -> None:
    """Write down what stands behind the turns that the model is about to read."""
    read = documents_read([each.pk for each in earlier]) if earlier else {}
    inherit(run, {each for found in read.values() for each in found})


def _knowledge_tools() -> frozenset[str]:
    return frozenset(each.name for each in listed_tools() if each.requires.needs_bases)


def _steps_of(runs: Sequence[AgentRun], writer: _Writer) -> dict[UUID, list[ChatMessage]]:
    """Return the calls and results of each run, round by round."""
    rounds: dict[UUID, dict[int, list[str]]] = {}
    started = RunEvent.objects.filter(run__in=runs, type="tool_call_started").order_by("seq")
    for run_id, data in started.values_list("run_id", "data"):
        rounds.setdefault(run_id, {}).setdefault(data["round"], []).append(data["call_id"])
    if not rounds:
        return {}
    rows = ToolCall.objects.filter(run__in=runs).exclude(state=CallState.STARTED)
    calls = {(row.run_id, row.call_id): row for row in rows}
    found: dict[UUID, list[ChatMessage]] = {}
    for run_id, by_round in rounds.items():
        for ids in by_round.values():
            ended = [calls[run_id, each] for each in ids if (run_id, each) in calls]
            found.setdefault(run_id, []).extend(writer.messages(ended))
    return found


@dataclass(frozen=True, kw_only=True)
class _Writer:
    """Writes stored calls as messages, with the ids of the run that is to come."""

    aliases: Aliases
    stale: frozenset[str]
    """Tools whose results are left out."""

    def messages(self, calls: Sequence[ToolCall]) -> list[ChatMessage]:
        """Return one message with the calls of a round, and one a result."""
        if not calls:
            return []
        parts = tuple(
            CallPart(
                call_id=_call_id(call),
                name=call.name,
                arguments=json.dumps(self._arguments(call), ensure_ascii=False),
            )
            for call in calls
        )
        results = [
            ChatMessage(role="tool", call_id=_call_id(call), content=self._result(call))
            for call in calls
        ]
        return [ChatMessage(role="assistant", content="", tool_calls=parts), *results]

    def _result(self, call: ToolCall) -> str:
        if call.name in self.stale:
            return REDACTED_RESULT
        outcome = ToolOutcome.model_validate(call.result)
        if len(outcome.output) > KEPT_OUTPUT_CHARACTERS and call.name not in _knowledge_tools():
            return f"{outcome.summary} [Left out of the history; call it again to read it.]"
        sources = {source.alias: source for source in outcome.sources}
        return rewrite_aliases(outcome.output, sources, self.aliases)

    def _arguments(self, call: ToolCall) -> dict[str, Any]:
        """Return the arguments with ids as aliases: a model never reads a real one."""
        kinds: Mapping[str, AliasKind] = next(
            (each.id_parameters for each in listed_tools() if each.name == call.name), {}
        )
        return {
            name: self._with_alias(value, kinds[name]) if name in kinds else value
            for name, value in call.arguments.items()
        }

    def _with_alias(self, value: Any, kind: AliasKind) -> Any:
        if isinstance(value, list):
            return [self._with_alias(each, kind) for each in value]
        if not isinstance(value, str) or kind not in ("chunk", "document", "base"):
            return value
        return self.aliases.take_over(Source(alias="", kind=kind, target=value))


def _call_id(call: ToolCall) -> str:
    """Name the call so that it is unique in the whole history."""
    return f"h{call.pk}"
