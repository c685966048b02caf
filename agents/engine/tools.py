"""A tool is a typed async function.

```python
@tool(requires=Requirement(any_of=frozenset({"vector", "keyword"})), title="Search the knowledge")
async def knowledge_search(
    ctx: ToolContext[Deps],
    queries: Annotated[list[str], Field(min_length=1, max_length=5, description="Questions.")],
) -> ToolResult:
    '''Search the bound bases by meaning. Example: {"queries": ["notice period"]}.'''
```

Name, parameters and help come from the signature and the docstring (its text above `Args:`); what
the developer fixes (limits, titles, requirements) is an argument of the decorator and invisible to
the model. An id parameter is annotated `ChunkId`, `DocumentId` or `BaseId`: the model writes an
alias, the function receives the real id.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from agents.engine.aliases import Aliases, AliasKind
from agents.engine.cancel import CancelToken
from agents.engine.capabilities import NO_REQUIREMENT, Requirement
from agents.engine.signatures import Signature, describe
from providers.contracts.chat import ToolSpec

D = TypeVar("D")
SideEffects = Literal["none", "idempotent", "unsafe"]
Arguments = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ToolResult:
    """What a tool found or did."""

    output: str
    """For the model; cut to the tool's budget before it is read."""
    summary: str = ""
    """One line for people, such as "3 of 40 passages kept"; the call's title when empty."""
    data: dict[str, Any] = field(default_factory=dict)
    """The structured result for the tool's card; JSON."""


@dataclass(frozen=True, kw_only=True)
class ToolContext(Generic[D]):
    """What a tool knows of the run that calls it."""

    deps: D
    """What the runner gives to all tools: actor, scope, services."""
    call_id: str
    aliases: Aliases
    """Ask it for the ids that go into the output: `ctx.aliases.chunk(chunk_id, …)`."""
    cancel: CancelToken
    question: str = ""


ToolBody = Callable[[ToolContext[D], dict[str, Any]], Awaitable[ToolResult]]
Title = str | Callable[[Arguments], str]


@dataclass(frozen=True, kw_only=True)
class Tool(Generic[D]):
    """Something the model may call."""

    spec: ToolSpec
    body: ToolBody[D]
    """Takes validated arguments with real ids."""
    side_effects: SideEffects = "none"
    """`unsafe`: twice would do harm, so it is never repeated on its own and runs alone."""
    timeout_seconds: float | None = None
    """Own limit; None takes the run's."""
    output_budget_chars: int | None = None
    """Own budget; None takes the run's."""
    requires: Requirement = NO_REQUIREMENT
    repeatable: bool = False
    """Whether equal calls make sense (asking for the state of a task)."""
    also_known_as: tuple[str, ...] = ()
    """Other names under which a model may call it; not shown to it."""
    implied: Mapping[str, Arguments] = field(default_factory=dict)
    """Arguments that a call under one of the other names stands for; written ones win."""
    argument_names: Mapping[str, str] = field(default_factory=dict)
    """Other spellings of arguments, in lower case without separators, and what they mean here."""
    title: Title = ""
    id_parameters: Mapping[str, AliasKind] = field(default_factory=dict)
    """Arguments that hold aliases."""
    describe_problem: Callable[[Arguments], str | None] | None = None
    """Checks beyond the schema; returns what is wrong."""

    @property
    def name(self) -> str:
        """The name the model calls it by."""
        return self.spec.name

    def completed(self, arguments: Arguments, *, called: str) -> dict[str, Any]:
        """Return the arguments under this tool's names, with what the name it was called by implies.

        `toolCallId` and `tool-call-id` are one spelling; a name of the schema is never touched.
        """
        known = self.spec.parameters.get("properties", {})
        plain = {_fold(each): each for each in known} | dict(self.argument_names)
        meanings = {_fold(name): implied for name, implied in self.implied.items()}
        named = dict(meanings.get(_fold(called.strip()), {}))
        for name, value in arguments.items():
            meant = name if name in known else plain.get(_fold(name), name)
            if meant == name or meant not in arguments:
                named[meant] = value
        return named

    def title_for(self, arguments: Arguments) -> str:
        """Return one line for people about this call; never fails."""
        if callable(self.title):
            try:
                return self.title(arguments)
            except (KeyError, TypeError, ValueError, IndexError, AttributeError):
                return self.name.replace("_", " ").capitalize()
        return self.title or self.name.replace("_", " ").capitalize()


def _fold(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).lower()


ToolFunction = Callable[..., Awaitable[ToolResult | str]]


def tool(
    *,
    side_effects: SideEffects = "none",
    timeout_seconds: float | None = None,
    output_budget_chars: int | None = None,
    requires: Requirement = NO_REQUIREMENT,
    repeatable: bool = False,
    also_known_as: tuple[str, ...] = (),
    implied: Mapping[str, Arguments] | None = None,
    argument_names: Mapping[str, str] | None = None,
    title: Title = "",
    name: str | None = None,
) -> Callable[[ToolFunction], Tool[Any]]:
    """Make a tool of a typed async function.

    Raises:
        ToolDefinitionError: the function is not async, lacks a docstring or annotations, or its
            first parameter is not the context.
    """

    def make(function: ToolFunction) -> Tool[Any]:
        signature = describe(function, name=name)
        return Tool(
            spec=signature.spec,
            body=_body(function, signature),
            side_effects=side_effects,
            timeout_seconds=timeout_seconds,
            output_budget_chars=output_budget_chars,
            requires=requires,
            repeatable=repeatable,
            also_known_as=also_known_as,
            implied=implied or {},
            argument_names=argument_names or {},
            title=title,
            id_parameters=signature.id_parameters,
            describe_problem=signature.describe_problem,
        )

    return make


def _body(function: ToolFunction, signature: Signature) -> ToolBody[Any]:
    async def call(ctx: ToolContext[Any], arguments: dict[str, Any]) -> ToolResult:
        result = await function(ctx, **signature.values(arguments))
        return ToolResult(output=result) if isinstance(result, str) else result

    return call
