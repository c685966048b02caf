"""Bending arguments to a schema where the meaning is plain: "true" → true, "3" → 3, "a" → ["a"]."""

from __future__ import annotations

import difflib
import json
import math
import re
from typing import Any

UNREADABLE = object()
"""Returned for text that is no JSON; None would be a value."""

_WRAPPERS = ("arguments", "parameters", "params", "args", "input")
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})


def load_json(text: str) -> Any:
    """Return the JSON value of the text, {} for blank text, `UNREADABLE` when it is none."""
    if not text.strip():
        return {}
    try:
        return json.loads(text, strict=False, parse_constant=_refuse_constant, parse_float=_finite)
    except (ValueError, RecursionError):
        return UNREADABLE


def _refuse_constant(name: str) -> Any:
    # NaN and Infinity are no JSON, and no database column of type JSON takes them.
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is too large")
    return number


def cast_arguments(arguments: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments bent to the schema where the meaning is plain."""
    properties: dict[str, Any] = schema.get("properties", {})
    required = set(schema.get("required", ()))
    arguments = _unwrap(arguments, properties)
    arguments = _rename(arguments, properties, required)
    result = {}
    for name, value in arguments.items():
        wanted = properties.get(name)
        if not isinstance(wanted, dict):
            result[name] = value
            continue
        cast = _cast(value, wanted)
        if name not in required and _means_nothing(cast, wanted):
            continue
        result[name] = cast
    return result


def _unwrap(arguments: dict[str, Any], properties: dict[str, Any]) -> dict[str, Any]:
    if len(arguments) == 1:
        name, inner = next(iter(arguments.items()))
        if name in _WRAPPERS and name not in properties and isinstance(inner, dict):
            return inner
    return arguments


def _rename(
    arguments: dict[str, Any], properties: dict[str, Any], required: set[str]
) -> dict[str, Any]:
    """Accept `query` for `queries`: one name too many, one missing, and they are alike."""
    unknown = [name for name in arguments if name not in properties]
    missing = [name for name in sorted(required) if name not in arguments]
    if len(unknown) != 1 or len(missing) != 1:
        return arguments
    if not difflib.get_close_matches(unknown[0].lower(), [missing[0].lower()], cutoff=0.6):
        return arguments
    return {(missing[0] if name == unknown[0] else name): v for name, v in arguments.items()}


def _means_nothing(value: Any, schema: dict[str, Any]) -> bool:
    return (value is None or value == "") and not _fits(value, schema)


def _cast(value: Any, schema: dict[str, Any]) -> Any:
    options = _options(schema)
    if len(options) > 1:
        for option in options:
            if _fits(value, option):
                return _cast(value, option)
        for option in options:
            candidate = _cast(value, option)
            if _fits(candidate, option):
                return candidate
        return value
    only = options[0]
    match only.get("type"):
        case "boolean":
            return _to_boolean(value)
        case "integer":
            return _to_integer(value)
        case "number":
            return _to_number(value)
        case "string":
            return _to_enum(_to_string(value), only)
        case "array":
            return _to_array(value, only)
        case "object":
            return _to_object(value, only)
        case _:
            return value


def _options(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the schemas of which one has to fit."""
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list) and schema[key]:
            return [each for each in schema[key] if isinstance(each, dict)] or [{}]
    kinds = schema.get("type")
    if isinstance(kinds, list) and kinds:
        return [{**schema, "type": kind} for kind in kinds]
    return [schema]


def _fits(value: Any, schema: dict[str, Any]) -> bool:
    kinds: dict[str, Any] = {
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
        "array": isinstance(value, list),
        "object": isinstance(value, dict),
        "null": value is None,
    }
    return any(kinds.get(str(option.get("type")), True) for option in _options(schema))


def _to_boolean(value: Any) -> Any:
    text = str(value).strip().lower()
    if isinstance(value, str | int) and text in _TRUE | _FALSE:
        return text in _TRUE
    return value


def _to_integer(value: Any) -> Any:
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,18}(?:\.0+)?\s*", value, re.ASCII):
        return int(float(value)) if "." in value else int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _to_number(value: Any) -> Any:
    plain = r"\s*[+-]?(?:\d{1,18}(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2})?\s*"
    if isinstance(value, str) and re.fullmatch(plain, value, re.ASCII):
        return float(value) if re.search(r"[.eE]", value) else int(value)
    return value


def _to_string(value: Any) -> Any:
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return value[0]
    return value


def _to_enum(value: Any, schema: dict[str, Any]) -> Any:
    allowed = schema.get("enum")
    if isinstance(allowed, list) and isinstance(value, str) and value not in allowed:
        plain = {str(each).lower(): each for each in allowed}
        return plain.get(value.strip().lower().replace(" ", "_"), value)
    return value


def _to_array(value: Any, schema: dict[str, Any]) -> Any:
    if isinstance(value, str) and value.lstrip().startswith("["):
        read = load_json(value)
        value = read if isinstance(read, list) else value
    if value is None:
        return value
    items = value if isinstance(value, list) else [value]
    inner = schema.get("items")
    return [_cast(each, inner) for each in items] if isinstance(inner, dict) else items


def _to_object(value: Any, schema: dict[str, Any]) -> Any:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        read = load_json(value)
        value = read if isinstance(read, dict) else value
    if isinstance(value, dict) and schema.get("properties"):
        return cast_arguments(value, schema)
    return value
