"""A tool is a typed function: schema and help from its signature and docstring."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from inline_snapshot import snapshot
from pydantic import BaseModel, Field

from agents.engine.aliases import Aliases
from agents.engine.cancel import CancelToken
from agents.engine.errors import ToolDefinitionError, ToolFailed
from agents.engine.signatures import BaseId, DocumentId
from agents.engine.tools import Tool, ToolContext, ToolResult, tool


class Step(BaseModel):
    id: str
    status: Literal["pending", "completed"] = "pending"


class Deps(BaseModel):
    actor: str


@tool(title=lambda arguments: f"Searching for {arguments['queries'][0]!r}")
async def knowledge_search(
    ctx: ToolContext[Deps],
    queries: Annotated[
        list[str], Field(min_length=1, max_length=5, description="Whole questions.")
    ],
    bases: list[BaseId] | None = None,
    document: DocumentId | None = None,
    limit: int = 5,
) -> ToolResult:
    """Search the bases by meaning.

    Example: {"queries": ["What is the notice period?"]}.

    Args:
        ctx: The run.
        queries: Overridden by the field.
        limit: How many passages at most.
    """
    return ToolResult(output=f"{ctx.deps.actor} {queries} {bases} {document} {limit}")


@tool(side_effects="idempotent", name="todo_write")
async def write_plan(ctx: ToolContext[Deps], steps: list[Step]) -> str:
    """Write the plan."""
    return ", ".join(f"{step.id}={step.status}" for step in steps)


def context() -> ToolContext[Deps]:
    return ToolContext(
        deps=Deps(actor="olivia"), call_id="a", aliases=Aliases(), cancel=CancelToken()
    )


async def run(made: Tool[Deps], **arguments: object) -> str:
    return (await made.body(context(), arguments)).output


def test_the_schema_comes_from_the_signature() -> None:
    assert knowledge_search.spec.model_dump() == snapshot(
        {
            "name": "knowledge_search",
            "description": """\
Search the bases by meaning.

Example: {"queries": ["What is the notice period?"]}.\
""",
            "parameters": {
                "additionalProperties": False,
                "properties": {
                    "queries": {
                        "description": "Whole questions.",
                        "items": {"type": "string"},
                        "maxItems": 5,
                        "minItems": 1,
                        "type": "array",
                    },
                    "bases": {
                        "anyOf": [{"items": {"type": "string"}, "type": "array"}, {"type": "null"}],
                        "default": None,
                    },
                    "document": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
                    "limit": {
                        "default": 5,
                        "type": "integer",
                        "description": "How many passages at most.",
                    },
                },
                "required": ["queries"],
                "type": "object",
            },
        }
    )


def test_nested_models_are_written_out() -> None:
    assert write_plan.spec.parameters == snapshot(
        {
            "additionalProperties": False,
            "properties": {
                "steps": {
                    "items": {
                        "properties": {
                            "id": {"type": "string"},
                            "status": {
                                "default": "pending",
                                "enum": ["pending", "completed"],
                                "type": "string",
                            },
                        },
                        "required": ["id"],
                        "type": "object",
                    },
                    "type": "array",
                }
            },
            "required": ["steps"],
            "type": "object",
        }
    )


def test_alias_parameters_are_known_but_not_shown() -> None:
    assert knowledge_search.id_parameters == {"bases": "base", "document": "document"}
    assert "alias" not in str(knowledge_search.spec.parameters)


async def test_the_function_gets_typed_values_and_its_defaults() -> None:
    assert await run(knowledge_search, queries=["a"]) == "olivia ['a'] None None 5"
    assert await run(write_plan, steps=[{"id": "one"}]) == "one=pending"


async def test_values_that_do_not_fit_are_a_failure_for_the_model() -> None:
    with pytest.raises(ToolFailed, match=r"steps\.0\.status"):
        await run(write_plan, steps=[{"id": "one", "status": "lost"}])


def test_titles_are_for_people_and_never_fail() -> None:
    assert knowledge_search.title_for({"queries": ["notice"]}) == "Searching for 'notice'"
    assert knowledge_search.title_for({}) == "Knowledge search"
    assert write_plan.title_for({}) == "Todo write"


def test_a_function_that_cannot_be_a_tool_is_refused_when_it_is_defined() -> None:
    with pytest.raises(ToolDefinitionError, match="must be an async function"):

        @tool()  # type: ignore[arg-type]  # the mistake
        def sync(ctx: ToolContext[None]) -> str:
            """Help."""
            return ""

    with pytest.raises(ToolDefinitionError, match="needs a docstring"):

        @tool()
        async def silent(ctx: ToolContext[None]) -> str:
            return ""

    with pytest.raises(ToolDefinitionError, match="must be `ctx`"):

        @tool()
        async def lonely(query: str) -> str:
            """Help."""
            return query

    with pytest.raises(ToolDefinitionError, match="'query' of 'untyped' needs a type"):

        @tool()
        async def untyped(ctx: ToolContext[None], query) -> str:
            """Help."""
            return str(query)

    with pytest.raises(ToolDefinitionError, match="needs a type"):

        @tool()
        async def starred(ctx: ToolContext[None], *queries: str) -> str:
            """Help."""
            return ""
