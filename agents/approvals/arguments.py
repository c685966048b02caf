"""Arguments that a person edited: cast and checked as the engine does it, before they are kept."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from agents.constants import AgentMode
from agents.engine.arguments import validate_arguments
from agents.engine.casting import cast_arguments
from agents.engine.errors import ToolFailed
from agents.engine.tools import Tool
from agents.tools.deps import RunDeps
from agents.tools.registry import tools_for
from core.errors import Invalid
from core.jsonvalues import storable


def check_arguments(tool_name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return edited arguments as the tool takes them.

    Those of a tool that is made for each run are checked by the engine alone, when it runs.

    Raises:
        Invalid: they do not fit; says which and why.
    """
    tool = _find(tool_name)
    if tool is None:
        cleaned: dict[str, Any] = storable(arguments)
        return cleaned
    schema = tool.spec.parameters
    try:
        cast = cast_arguments(storable(arguments), schema)
        validate_arguments(tool.name, cast, schema)
        problem = tool.describe_problem(cast) if tool.describe_problem else None
    except ToolFailed as failure:
        raise Invalid(failure.message, field="arguments") from failure
    if problem:
        raise Invalid(_("The arguments do not fit: %s") % problem, field="arguments")
    return cast


def schema_of(tool_name: str) -> dict[str, Any]:
    """Return what the tool's arguments look like; empty when only a run knows it."""
    tool = _find(tool_name)
    return tool.spec.parameters if tool is not None else {}


def _find(name: str) -> Tool[RunDeps] | None:
    return next(iter(tools_for([name], mode=AgentMode.REACT)), None)
