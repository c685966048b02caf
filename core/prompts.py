"""Prompts are data: Markdown files with a header, filled strictly and never evaluated.

```text
---
id: agents.react
version: 1
variables:
  language: the language to answer in
---
Answer in {{language}}.
```

Spaces may override the text, so filling is a single replacement of `{{name}}` by text: no
expressions, no attributes, and what was filled in is not looked at again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import yaml
from django.utils.translation import gettext as _

from core.errors import Invalid

MAX_OVERRIDE_CHARS = 50_000

_HEADER = re.compile(r"\A---\n(?P<header>.*?)\n---\n(?P<text>.*)\Z", re.S)
_PLACEHOLDER = re.compile(r"\{\{\s*(?P<name>[a-z][a-z0-9_]*)\s*\}\}")
_ID = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+")


class PromptMistake(RuntimeError):
    """A prompt file or its use is wrong; a programming mistake, never shown to users."""


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """A text with named places."""

    id: str
    version: int
    variables: Mapping[str, str]
    """Each allowed name with what it stands for, for the person who edits the text."""
    text: str

    def render(self, **values: str) -> str:
        """Return the text with every place filled.

        Raises:
            PromptMistake: a variable is missing or unknown.
        """
        if set(values) != set(self.variables):
            missing = sorted(set(self.variables) - set(values))
            unknown = sorted(set(values) - set(self.variables))
            raise PromptMistake(f"prompt {self.id!r}: missing {missing}, unknown {unknown}")
        return _PLACEHOLDER.sub(lambda match: values[match["name"]], self.text).strip()

    def overridden(self, text: str) -> Self:
        """Return the prompt with a space's own text, which may leave places out.

        Raises:
            Invalid: the text is too long, or has a place that this prompt does not know.
        """
        if len(text) > MAX_OVERRIDE_CHARS:
            raise Invalid(
                _("A prompt may have at most %(limit)s characters.")
                % {"limit": f"{MAX_OVERRIDE_CHARS:,}"}
            )
        problem = _problem(text, self.variables)
        if problem:
            raise Invalid(problem, variables=sorted(self.variables))
        return replace(self, text=text)


def parse_prompt(source: str, *, origin: str) -> Prompt:
    """Read a prompt file's content; `origin` names it in errors.

    Raises:
        PromptMistake: the header or a place in the text is wrong.
    """
    match = _HEADER.match(source.replace("\r\n", "\n"))
    if match is None:
        raise PromptMistake(f"{origin}: a prompt begins with a header between two lines of ---")
    header = _read_header(match["header"], origin)
    variables = header.get("variables") or {}
    if not isinstance(variables, dict) or not all(
        isinstance(name, str) and isinstance(told, str) for name, told in variables.items()
    ):
        raise PromptMistake(f"{origin}: `variables` maps each name to what it stands for")
    text = match["text"].strip()
    problem = _problem(text, variables)
    unused = sorted(set(variables) - {found["name"] for found in _PLACEHOLDER.finditer(text)})
    if problem or unused or not text:
        raise PromptMistake(f"{origin}: {problem or (f'unused {unused}' if unused else 'no text')}")
    return Prompt(
        id=header["id"],
        version=header["version"],
        variables=MappingProxyType(dict(variables)),
        text=text,
    )


def _read_header(text: str, origin: str) -> dict[str, Any]:
    try:
        header = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise PromptMistake(f"{origin}: the header is not YAML") from error
    if not isinstance(header, dict) or not set(header) <= {"id", "version", "variables"}:
        raise PromptMistake(f"{origin}: a header has id, version and variables, nothing else")
    if not isinstance(header.get("id"), str) or not _ID.fullmatch(header["id"]):
        raise PromptMistake(f"{origin}: `id` is dotted lower case, such as agents.react")
    if type(header.get("version")) is not int or header["version"] < 1:
        raise PromptMistake(f"{origin}: `version` is a whole number from 1")
    return header


def _problem(text: str, variables: Mapping[str, str]) -> str:
    """Return what is wrong with the places in a text, or nothing."""
    allowed = ", ".join(f"{{{{{name}}}}}" for name in sorted(variables)) or "none"
    for match in _PLACEHOLDER.finditer(text):
        if match["name"] not in variables:
            return f"There is no {match.group()} here. Allowed: {allowed}."
    rest = _PLACEHOLDER.sub("", text)
    if "{{" in rest or "}}" in rest:
        return f"A place is written {{{{name}}}}; one here is not closed or has another form. Allowed: {allowed}."
    return ""


@lru_cache(maxsize=256)
def load_prompt(path: Path) -> Prompt:
    """Read a prompt file once.

    Raises:
        PromptMistake: there is no such file, or it is wrong.
    """
    try:
        source = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise PromptMistake(f"there is no prompt {path}") from error
    return parse_prompt(source, origin=str(path))
