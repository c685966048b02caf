"""Hides secrets in what is shown of a run, or leaves it as a trace.

By the name of an argument, by the form of a value (keys, tokens, passwords in addresses), and, for
traces, SQL as a whole: its literals are people's data.
"""

from __future__ import annotations

import json
import re
from typing import Any

MASK = "•••"
PREVIEW_CHARACTERS = 4000
SQL_TOOLS = frozenset({"data_analysis", "data_query", "database_query", "run_sql", "sql_query"})
_SECRET_NAMES = re.compile(
    r"(?:^|[_\-.])(?:pass(?:word|wd|phrase)?|pwd|secret|token|credentials?|cookie|authorization|"
    r"auth|bearer|private[_-]?key|(?:api|access|secret|signing|encryption)[_-]?key)$",
    re.IGNORECASE,
)
_SECRET_VALUES = (
    re.compile(r"\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abprs])[-_][A-Za-z0-9_\-]{12,}"),
    re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    re.compile(r"\bAIza[A-Za-z0-9_\-]{30,}"),
    re.compile(r"\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*"),
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*-----|\Z)"),
)
_BEARER = re.compile(r"\b(Bearer|Basic)\s+[A-Za-z0-9+/_\-.=]{8,}", re.IGNORECASE)
_IN_ADDRESS = re.compile(r"(\w+://[^\s:/@]+:)[^\s@/]+(@)")
_ASSIGNED = re.compile(
    r"((?:password|passwd|pwd|secret|token|api[_-]?key)[\"']?\s*[=:]\s*[\"']?)[^\s\"',;&]{4,}",
    re.IGNORECASE,
)
_SQL_FIELDS = frozenset({"sql", "query", "statement"})
_SQL = re.compile(
    r"^\s*(?:with|select|insert|update|delete|create|alter|drop|merge)\b", re.IGNORECASE
)


def mask_text(text: str) -> str:
    """Return the text with what looks like a key, a token or a password replaced."""
    for pattern in _SECRET_VALUES:
        text = pattern.sub(MASK, text)
    text = _BEARER.sub(rf"\1 {MASK}", text)
    text = _IN_ADDRESS.sub(rf"\1{MASK}\2", text)
    return _ASSIGNED.sub(rf"\1{MASK}", text)


def mask_value(value: Any, *, name: str = "") -> Any:
    """Return a JSON value with secrets replaced, by their names and by their form."""
    if name and _SECRET_NAMES.search(name) and value not in (None, "", True, False):
        return MASK
    if isinstance(value, dict):
        return {key: mask_value(each, name=str(key)) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [mask_value(each, name=name) for each in value]
    return mask_text(value) if isinstance(value, str) else value


def mask_arguments(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return a tool's arguments as a trace may hold them: no secrets, no SQL."""
    masked = {
        name: MASK if _is_sql(tool, name, value) else value for name, value in arguments.items()
    }
    return {name: mask_value(value, name=name) for name, value in masked.items()}


def preview(value: Any) -> str:
    """Return a value as text of at most 4000 characters, without secrets."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    masked = mask_text(text)
    return masked if len(masked) <= PREVIEW_CHARACTERS else masked[: PREVIEW_CHARACTERS - 1] + "…"


def _is_sql(tool: str, name: str, value: Any) -> bool:
    if not isinstance(value, str):
        return False
    if name == "sql" or (tool in SQL_TOOLS and name in _SQL_FIELDS):
        return True
    return name in _SQL_FIELDS and bool(_SQL.match(value)) and " from " in value.lower()
