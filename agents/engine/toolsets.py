"""The tools of one run, with what is wrapped around every call.

Filtered by the agent's choice and the bases' capabilities, sorted by name so that the payload is
the same bytes in each request (providers cache by prefix), first registration wins so that a later
source cannot take over a known name. Journal, approval and result store are hooks: the runner
brings the implementations.
"""

from __future__ import annotations

import difflib
import logging
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, Protocol, Self

from agents.engine.calls import ToolOutcome
from agents.engine.capabilities import Capability
from agents.engine.tools import D, Tool
from providers.contracts.chat import ToolSpec

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class CallInfo:
    """A call as hooks see it: found, repaired, validated, with real ids."""

    call_id: str
    name: str
    arguments: dict[str, Any]
    fingerprint: str
    side_effects: str
    title: str


@dataclass(frozen=True, kw_only=True)
class JournalEntry:
    """What is known of a call that was begun before."""

    status: Literal["started", "completed", "failed"]
    outcome: ToolOutcome | None = None
    """Present unless the status is `started`."""


class Journal(Protocol):
    """Remembers every call by its id, so that nothing is done twice.

    An exception raised here ends the run; raise `RunInterrupted` to leave it resumable instead.
    """

    async def lookup(self, call_id: str) -> JournalEntry | None:
        """Return what is known of the call, or None when it was never begun."""
        ...

    async def started(self, call: CallInfo) -> None:
        """The call is about to run; written before it has any effect."""
        ...

    async def completed(self, call: CallInfo, outcome: ToolOutcome) -> None:
        """The call did what it should."""
        ...

    async def failed(self, call: CallInfo, outcome: ToolOutcome) -> None:
        """The call failed in a way the model is told."""
        ...


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the policy says about one call."""

    decision: Literal["auto", "ask", "deny"]
    reason: str = ""
    """For the person who is asked, or for the model when denied."""
    risks: tuple[str, ...] = ()
    timeout_seconds: float = 86_400.0


class ApprovalPolicy(Protocol):
    """Decides which calls need a person. It fails closed: an exception counts as `ask`."""

    async def decide(self, call: CallInfo) -> Verdict:
        """Return the verdict; asked again when an approved call is about to run."""
        ...


class ResultStore(Protocol):
    """Keeps whole results that are too long for the model."""

    async def keep(self, call_id: str, output: str) -> str:
        """Store it; return one sentence that tells the model how to read on."""
        ...


@dataclass(frozen=True, kw_only=True)
class Toolset(Generic[D]):
    """Tools by name and the hooks around their calls. Every method returns a new one."""

    tools: tuple[Tool[D], ...] = ()
    journal: Journal | None = None
    approval: ApprovalPolicy | None = None
    results: ResultStore | None = None
    timeout_seconds: float | None = None
    """Overrides the run's limit for tools without their own."""
    output_budget_chars: int | None = None
    """Overrides the run's budget for tools without their own."""

    @classmethod
    def of(cls, tools: Iterable[Tool[D]]) -> Self:
        """Collect tools; the first one of a name wins, a later one is left out and logged."""
        by_name: dict[str, Tool[D]] = {}
        for each in tools:
            if each.name in by_name:
                logger.warning(
                    "tool %r is registered already; the later one is left out", each.name
                )
                continue
            by_name[each.name] = each
        return cls(tools=tuple(by_name[name] for name in sorted(by_name)))

    def with_tools(self, tools: Iterable[Tool[D]]) -> Self:
        """Add tools behind the present ones."""
        return replace(self, tools=Toolset.of((*self.tools, *tools)).tools)

    def filtered(self, names: Collection[str]) -> Self:
        """Keep only the tools of these names."""
        return replace(self, tools=tuple(each for each in self.tools if each.name in names))

    def for_capabilities(self, available: Collection[Capability]) -> Self:
        """Keep only tools whose requirement the bound bases meet."""
        kept = tuple(each for each in self.tools if each.requires.is_met_by(available))
        return replace(self, tools=kept)

    def with_journal(self, journal: Journal) -> Self:
        """Write every call down."""
        return replace(self, journal=journal)

    def with_approval(self, policy: ApprovalPolicy) -> Self:
        """Ask the policy about every call."""
        return replace(self, approval=policy)

    def with_results(self, store: ResultStore) -> Self:
        """Keep results that are too long."""
        return replace(self, results=store)

    def with_timeout(self, seconds: float) -> Self:
        """Give tools without their own limit this one."""
        return replace(self, timeout_seconds=seconds)

    def with_budget(self, chars: int) -> Self:
        """Give tools without their own output budget this one."""
        return replace(self, output_budget_chars=chars)

    @property
    def names(self) -> tuple[str, ...]:
        """All names, sorted."""
        return tuple(each.name for each in self.tools)

    def specs(self) -> tuple[ToolSpec, ...]:
        """Return what the model is told, sorted by name: the same bytes in each request."""
        return tuple(each.spec for each in self.tools)

    def find(self, name: str) -> Tool[D] | None:
        """Return the tool of this name, of this other name, or spelt a little differently."""
        by_name = {each.name: each for each in self.tools}
        if name in by_name:
            return by_name[name]
        wanted = _plain(name)
        for each in self.tools:
            if wanted in (_plain(each.name), *map(_plain, each.also_known_as)):
                return each
        return None

    def suggest(self, name: str) -> str:
        """Return what to tell the model about a tool that does not exist."""
        if not self.tools:
            return f"There is no tool {name[:80]!r}, and no other one in this run."
        plain = {_plain(each.name): each.name for each in self.tools}
        near = difflib.get_close_matches(_plain(name), plain, n=1, cutoff=0.6)
        hint = f" Did you mean {plain[near[0]]!r}?" if near else ""
        return f"There is no tool {name[:80]!r}.{hint} Tools: {', '.join(self.names)}."


def _plain(name: str) -> str:
    """Return the name without what models get wrong: case, separators, a namespace in front."""
    last = re.split(r"[./:]", name.strip())[-1]
    return re.sub(r"[\s_-]+", "_", last).lower().strip("_")
