"""Reading a tool's schema and help from a function's signature and docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Annotated, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from agents.engine.aliases import AliasKind
from agents.engine.errors import ToolDefinitionError, ToolFailed
from providers.contracts.chat import ToolSpec

_ALIAS_KEY = "x-alias"
ChunkId = Annotated[str, Field(json_schema_extra={_ALIAS_KEY: "chunk"})]
DocumentId = Annotated[str, Field(json_schema_extra={_ALIAS_KEY: "document"})]
BaseId = Annotated[str, Field(json_schema_extra={_ALIAS_KEY: "base"})]

_SECTION = re.compile(r"^(Args|Returns|Raises|Yields|Example|Examples|Note):\s*$", re.MULTILINE)
_ARGUMENT = re.compile(r"^\s{1,8}(\w+)(?:\s*\([^)]*\))?:\s+(.+)$")


@dataclass(frozen=True, kw_only=True)
class Signature:
    """What a tool function looks like from outside."""

    spec: ToolSpec
    model: type[BaseModel]
    id_parameters: Mapping[str, AliasKind]

    def values(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the function's typed arguments.

        Raises:
            ToolFailed: they do not fit the types.
        """
        try:
            read = self.model.model_validate(dict(arguments))
        except ValidationError as error:
            raise ToolFailed(_problem(error), code="bad_arguments") from error
        return {name: getattr(read, name) for name in self.model.model_fields}

    def describe_problem(self, arguments: Mapping[str, Any]) -> str | None:
        """Return what does not fit the types, or None."""
        try:
            self.model.model_validate(dict(arguments))
        except ValidationError as error:
            return _problem(error)
        return None


def describe(function: Callable[..., Any], *, name: str | None = None) -> Signature:
    """Read a tool function.

    Raises:
        ToolDefinitionError: it cannot be a tool as it is written.
    """
    shown = name or function.__name__
    if not inspect.iscoroutinefunction(function):
        raise ToolDefinitionError(f"tool {shown!r} must be an async function")
    text = inspect.getdoc(function) or ""
    if not text.strip():
        raise ToolDefinitionError(f"tool {shown!r} needs a docstring: it is what the model reads")
    model = _arguments_model(function, shown)
    schema = _clean_schema(model.model_json_schema())
    properties: dict[str, Any] = schema.setdefault("properties", {})
    id_parameters = _take_alias_kinds(properties)
    for parameter, help_text in _argument_help(text).items():
        if parameter in properties:
            properties[parameter].setdefault("description", help_text)
    spec = ToolSpec(name=shown, description=_SECTION.split(text)[0].strip(), parameters=schema)
    return Signature(spec=spec, model=model, id_parameters=id_parameters)


def _arguments_model(function: Callable[..., Any], shown: str) -> type[BaseModel]:
    hints = get_type_hints(function, include_extras=True)
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters or parameters[0].name != "ctx":
        raise ToolDefinitionError(f"the first parameter of tool {shown!r} must be `ctx`")
    fields: dict[str, Any] = {}
    for parameter in parameters[1:]:
        if parameter.name not in hints or parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
            parameter.POSITIONAL_ONLY,
        ):
            raise ToolDefinitionError(f"parameter {parameter.name!r} of {shown!r} needs a type")
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[parameter.name] = (hints[parameter.name], default)
    config = ConfigDict(extra="forbid", protected_namespaces=())
    model: type[BaseModel] = create_model(f"{shown}_arguments", __config__=config, **fields)
    return model


def _clean_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema without generated titles and with its references written out.

    Several vendors reject `$ref`, and titles cost tokens without telling anything.
    """
    definitions = schema.pop("$defs", {})
    cleaned: dict[str, Any] = _clean(schema, definitions, depth=0)
    return cleaned


def _clean(node: Any, definitions: dict[str, Any], *, depth: int) -> Any:
    if depth > 20:
        raise ToolDefinitionError("a tool's arguments must not be recursive")
    if isinstance(node, list):
        return [_clean(each, definitions, depth=depth + 1) for each in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = deepcopy(definitions[node["$ref"].rsplit("/", 1)[-1]])
        siblings = {key: value for key, value in node.items() if key != "$ref"}
        return _clean(target | siblings, definitions, depth=depth + 1)
    cleaned = {}
    for key, value in node.items():
        if key == "title" and isinstance(value, str):
            continue
        if key == "properties":
            cleaned[key] = {
                name: _clean(each, definitions, depth=depth + 1) for name, each in value.items()
            }
        elif key in ("default", "enum", "const", "examples"):
            cleaned[key] = value
        else:
            cleaned[key] = _clean(value, definitions, depth=depth + 1)
    return cleaned


def _take_alias_kinds(properties: dict[str, Any]) -> dict[str, AliasKind]:
    kinds: dict[str, AliasKind] = {}
    for name, schema in properties.items():
        kind = _pop_alias_kind(schema)
        if kind is not None:
            kinds[name] = kind
    return kinds


def _pop_alias_kind(schema: Any) -> AliasKind | None:
    if not isinstance(schema, dict):
        return None
    kind: AliasKind | None = schema.pop(_ALIAS_KEY, None)
    for inner in (schema.get("items"), *schema.get("anyOf", ())):
        kind = _pop_alias_kind(inner) or kind
    return kind


def _argument_help(text: str) -> dict[str, str]:
    parts = re.split(r"^Args:\s*$", text, maxsplit=1, flags=re.MULTILINE)
    if len(parts) == 1:
        return {}
    section = _SECTION.split(parts[1])[0]
    matches = (_ARGUMENT.match(line) for line in section.splitlines())
    return {match[1]: match[2].strip() for match in matches if match}


def _problem(error: ValidationError) -> str:
    lines = []
    for each in error.errors(include_url=False, include_input=False)[:5]:
        place = ".".join(str(part) for part in each["loc"]) or "arguments"
        lines.append(f"{place}: {each['msg']}")
    return "; ".join(lines)
