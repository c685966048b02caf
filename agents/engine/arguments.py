"""Making what a model wrote into arguments a tool can take: read, repair, validate.

Every failure is written for the model and says what would be right. Casting is in `casting`.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

import json_repair
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import Draft202012Validator, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from agents.engine.casting import UNREADABLE, load_json
from agents.engine.cleaning import clean_json
from agents.engine.errors import ToolFailed

MAX_REPAIR_CHARS = 8_000
MAX_REPAIR_DEPTH = 40
"""The library needs about a millisecond for 50 characters, and much more for deep nonsense; it runs
on the event loop, so what is larger is not repaired."""
MAX_EXCERPT_CHARS = 1_500


def read_arguments(text: str, *, may_be_cut: bool, has_side_effects: bool) -> dict[str, Any]:
    """Return the arguments as an object.

    A call that ends in the middle is never completed by guesswork when the turn was cut, or when
    the tool changes something: half a file must not be written.

    Raises:
        ToolFailed: they cannot be read, or are cut.
    """
    value = load_json(text)
    if value is UNREADABLE:
        if (may_be_cut or has_side_effects) and is_unfinished(text):
            raise ToolFailed(
                "This call was cut off in the middle of its arguments and was not run. "
                "Make it again, shorter or in several smaller calls.",
                code="cut_arguments",
            )
        value = _repair(text)
    if isinstance(value, str):
        value = load_json(value)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict):
        raise ToolFailed(
            "The arguments are not a JSON object, so nothing was run. "
            'Write them as {"name": value, …}.',
            code="bad_arguments",
        )
    cleaned: dict[str, Any] = clean_json(value)
    return cleaned


def _repair(text: str) -> Any:
    repaired = _repaired(text)
    return UNREADABLE if repaired is None else load_json(repaired)


@lru_cache(maxsize=64)
def _repaired(text: str) -> str | None:
    """Return JSON made of broken text; a call is prepared more than once, so it is remembered."""
    if len(text) > MAX_REPAIR_CHARS or _depth(text) > MAX_REPAIR_DEPTH:
        return None
    try:
        repaired = json_repair.loads(text)
        # The library answers prose with an empty text.
        return None if repaired == "" else json.dumps(repaired, allow_nan=False)
    except (ValueError, RecursionError, TypeError, IndexError, AttributeError):
        return None


def _depth(text: str) -> int:
    """Return how deep brackets are opened at most, inside of strings or not."""
    deepest = depth = 0
    for character in text:
        if character in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "}]":
            depth -= 1
    return deepest


def is_unfinished(text: str) -> bool:
    """Whether JSON text ends inside of a string, an object or a list."""
    depth = 0
    in_string = escaped = False
    for character in text:
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
    return in_string or depth > 0


def validate_arguments(name: str, arguments: dict[str, Any], schema: dict[str, Any]) -> None:
    """Check the arguments against the tool's schema.

    Raises:
        ToolFailed: they do not fit; the message shows the part of the schema that matters.
    """
    # An empty registry: a foreign schema must not make us fetch what its $ref points to.
    checker = validator_for(schema, default=Draft202012Validator)(schema, registry=Registry())
    try:
        problems = sorted(
            checker.iter_errors(arguments), key=lambda each: list(map(str, each.path))
        )
    except (SchemaError, Unresolvable, re.error, RecursionError, TypeError, ValueError):
        return  # The schema itself is unusable (a foreign tool); its owner checks the arguments.
    if not problems:
        return
    raise ToolFailed(
        explain(name, [_line(each) for each in problems[:5]], schema), code="bad_arguments"
    )


def explain(name: str, problems: list[str], schema: dict[str, Any]) -> str:
    """Return what is wrong with the arguments of a call and what would be right."""
    return (
        f"The arguments of {name} do not fit, so it was not run: {'; '.join(problems)}. "
        f"It takes: {_excerpt(problems, schema)}"
    )


def _line(problem: ValidationError) -> str:
    place = ".".join(map(str, problem.path))
    message = problem.message if len(problem.message) <= 200 else problem.message[:199] + "…"
    return f"{place}: {message}" if place else message


def _excerpt(problems: list[str], schema: dict[str, Any]) -> str:
    properties: dict[str, Any] = schema.get("properties", {})
    required = schema.get("required", [])
    text = " ".join(problems)
    shown = {n: each for n, each in properties.items() if n in required or n in text}
    whole = {"properties": shown or properties, "required": required}
    excerpt = json.dumps(whole, ensure_ascii=False)
    if len(excerpt) <= MAX_EXCERPT_CHARS:
        return excerpt
    return excerpt[: MAX_EXCERPT_CHARS - 1] + "…"
