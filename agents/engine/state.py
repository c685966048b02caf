"""The state of a run: a value that serialises, waits for days and resumes in any worker.

The loop changes it in place and always **before** it yields the event that tells of the change. So
a caller that stores the state together with every event that is no delta (`events.is_delta`) can
resume after any kill: an open round is asked again, open calls are run (the journal says which are
done), a run that is being closed is closed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field

from agents.engine.aliases import Aliases
from agents.engine.calls import Decision, PendingApproval, ToolOutcome
from agents.engine.citations import Citation, CitationDecoder
from agents.engine.errors import DecisionRefused
from agents.engine.events import AgentEvent, AnswerDelta, AnswerReset, RunMode
from agents.engine.steps import Abort, Finish
from providers.contracts.chat import ChatMessage, ImagePart, ToolCall, Usage


class TokenBaseline(BaseModel):
    """What the service said about the last call: so many tokens for so many messages."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tokens: int
    messages: int


class Finding(BaseModel):
    """One line about a successful tool call, for an answer without a model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    summary: str


class RunState(BaseModel):
    """Everything a run needs to go on."""

    model_config = ConfigDict(extra="forbid")

    mode: RunMode
    question: str
    messages: list[ChatMessage]
    """System, history, question, then what this run adds; values, to be stored by content."""
    question_at: int
    """Index of the question in `messages`."""
    runtime_context: str = ""
    """Added to the question in each call; no part of the conversation's history."""
    next_seq: int = 1

    round: int = 0
    round_open: bool = False
    """The round was announced and its turn is not complete."""
    usage: Usage = Usage()
    model_calls: int = 0
    baseline: TokenBaseline | None = None

    call_ids: list[str] = Field(default_factory=list)
    """All ids of this run, so that none is used twice."""
    call_counts: dict[str, int] = Field(default_factory=dict)
    """How often a call (by fingerprint) was asked for."""
    started_ids: list[str] = Field(default_factory=list)
    """Calls of the present round whose start was told."""
    requested_ids: list[str] = Field(default_factory=list)
    """Calls of the present round whose approval was asked for."""
    resolved_ids: list[str] = Field(default_factory=list)
    """Calls of the present round whose decision was told."""
    repeated_ids: list[str] = Field(default_factory=list)
    """Calls of the present round that were made too often before."""
    calls_may_be_cut: bool = False
    """Whether the present round's turn ended at a limit."""
    open_outcomes: dict[str, ToolOutcome] = Field(default_factory=dict)
    """Outcomes of the present round whose messages wait for the round's other calls."""
    approvals: dict[str, PendingApproval] = Field(default_factory=dict)
    findings: list[Finding] = Field(default_factory=list)
    has_pictures: bool = False
    """A tool's result of this run holds a Markdown picture."""

    empty_nudges: int = 0
    unfinished_text: str | None = None
    """Text of the last turn that ended without a natural stop."""
    overflow_recovered: bool = False
    summary: str = ""
    """The summary of what was compacted away."""
    compaction_futile_at: int | None = None
    """Number of messages at which compaction could not gain anything."""

    aliases: Aliases = Field(default_factory=Aliases)
    answer: str = ""
    answer_shown: bool = False
    """Whether clients hold text of an answer that was not withdrawn."""
    citations: list[Citation] = Field(default_factory=list)
    shows_markers: bool = True
    """False: citations are noted, but the answer holds no marker of them."""
    unknown_citations: int = 0
    closing: Annotated[Finish | Abort, Discriminator("type")] | None = None
    """Set when no further round will be asked for."""
    finished: bool = False

    @classmethod
    def begin(
        cls,
        question: str,
        *,
        system: str,
        history: Sequence[ChatMessage] = (),
        mode: RunMode = "react",
        runtime_context: str = "",
        images: Sequence[ImagePart] = (),
        aliases: Aliases | None = None,
        shows_markers: bool = True,
    ) -> Self:
        """Make the state of a new run.

        For a quick answer the passages belong into `runtime_context`, their aliases into `aliases`.
        """
        asked = ChatMessage(role="user", content=question, images=tuple(images))
        messages = [ChatMessage(role="system", content=system), *history, asked]
        return cls(
            mode=mode,
            question=question,
            messages=messages,
            question_at=len(messages) - 1,
            runtime_context=runtime_context,
            aliases=aliases or Aliases(),
            shows_markers=shows_markers,
        )

    @property
    def open_calls(self) -> tuple[ToolCall, ...]:
        """Calls of the last turn that have no result message yet."""
        last = self.messages[-1] if self.messages else None
        return last.tool_calls if last is not None and last.role == "assistant" else ()

    @property
    def waiting(self) -> tuple[PendingApproval, ...]:
        """Approvals that nobody has decided yet."""
        return tuple(each for each in self.approvals.values() if each.decision is None)

    @property
    def has_results(self) -> bool:
        """Whether a tool found anything that an answer could be made from."""
        return bool(self.findings)

    def catch_up(self, last_seq: int) -> None:
        """Go on behind event `last_seq`: deltas may have been stored after this state."""
        if last_seq >= self.next_seq:
            self.answer_shown = True
            self.next_seq = last_seq + 1

    def decide(self, call_id: str, decision: Decision) -> None:
        """Write down the decision about a waiting call; the next `run` carries it out.

        Raises:
            DecisionRefused: no such call waits, it is decided, or the decision is about another.
        """
        waiting = self.approvals.get(call_id)
        if waiting is None or waiting.decision is not None:
            raise DecisionRefused(f"no call {call_id!r} waits for a decision")
        if waiting.decision_hash != decision.decision_hash:
            raise DecisionRefused(f"the decision about {call_id!r} is bound to another call")
        if decision.resolution == "edited" and decision.arguments is None:
            raise DecisionRefused("an edited call needs its arguments")
        self.approvals[call_id] = waiting.model_copy(update={"decision": decision})

    def add_usage(self, usage: Usage) -> None:
        """Count one call of the model."""
        self.model_calls += 1
        self.usage = Usage(
            input_tokens=self.usage.input_tokens + usage.input_tokens,
            output_tokens=self.usage.output_tokens + usage.output_tokens,
            cached_tokens=self.usage.cached_tokens + usage.cached_tokens,
            reasoning_tokens=self.usage.reasoning_tokens + usage.reasoning_tokens,
        )

    @property
    def may_show_stale_answer(self) -> bool:
        """Whether a resumed run must withdraw what clients may show of an unfinished answer."""
        if isinstance(self.closing, Finish):
            return False
        return self.round_open or self.answer_shown or self.closing is not None

    def note(self, event: AgentEvent) -> None:
        """Follow what clients hold, as the event leaves the loop."""
        if isinstance(event, AnswerDelta):
            self.answer_shown = True
        elif isinstance(event, AnswerReset):
            self.answer_shown = False

    def citation_decoder(self) -> CitationDecoder:
        """Return a decoder that goes on with the answer's citations."""
        return CitationDecoder(self.aliases, self.citations, shows_markers=self.shows_markers)

    def withdraw_answer(self) -> None:
        """Forget what was shown of the answer."""
        self.answer = ""
        self.citations.clear()
