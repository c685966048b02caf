"""Reads SKILL.md: the front matter that names a skill, and the instructions behind it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import yaml
from django.utils.translation import gettext as _

from core.errors import Invalid
from sandbox.skills.permissions import Permissions, read_permissions

FILE_NAME: Final = "SKILL.md"
MOST_NAME, MOST_DESCRIPTION, MOST_VERSION = 64, 1024, 40
MOST_FRONT_BYTES, MOST_BYTES = 16 * 1024, 256 * 1024
RESERVED_WORDS: Final = ("anthropic", "claude", "weknora")
_NAME = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*$")
_VERSION = re.compile(r"^[0-9A-Za-z][0-9A-Za-z.+_-]*$")
_TAG = re.compile(r"<\s*[/!?]?\s*[A-Za-z]")
_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What SKILL.md says of a skill."""

    name: str
    """Lower-case letters, digits and hyphens; unique in a space."""
    description: str
    """When to use it; the model always sees it, as text of a stranger."""
    version: str = ""
    """As its author counts; empty when he does not."""
    permissions: Permissions = Permissions()
    body: str = ""
    """The instructions in Markdown."""


def read_manifest(data: bytes) -> Manifest:
    """Return the manifest of a SKILL.md.

    Raises:
        Invalid: it cannot be used; says which line of it to mend and how. `field` names the entry.
    """
    text = _decode(data)
    found = _FRONT.match(text)
    if found is None:
        raise Invalid(
            _(
                "SKILL.md must begin with a block between two lines of ---, with name and description."
            ),
            field=FILE_NAME,
        )
    front = _front_matter(found[1])
    body = text[found.end() :].strip()
    if not body:
        raise Invalid(_("SKILL.md has no instructions behind its first block."), field=FILE_NAME)
    return Manifest(
        name=_name(front.get("name")),
        description=_description(front.get("description")),
        version=_version(front),
        permissions=read_permissions(front.get("permissions")),
        body=body,
    )


def _decode(data: bytes) -> str:
    if len(data) > MOST_BYTES:
        raise Invalid(
            _("SKILL.md is larger than %(most)d KiB; move parts of it into other files.")
            % {"most": MOST_BYTES // 1024},
            field=FILE_NAME,
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid(_("SKILL.md is not UTF-8 text."), field=FILE_NAME) from error
    if "\x00" in text:
        raise Invalid(_("SKILL.md is not UTF-8 text."), field=FILE_NAME)
    return text


def _front_matter(text: str) -> Mapping[str, Any]:
    if len(text.encode()) > MOST_FRONT_BYTES:
        raise Invalid(
            _("The first block of SKILL.md is larger than %(most)d KiB.")
            % {"most": MOST_FRONT_BYTES // 1024},
            field=FILE_NAME,
        )
    try:
        values = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 2 if mark is not None else 2
        raise Invalid(
            _("Line %(line)d of SKILL.md is not YAML; put texts with a colon in quotes.")
            % {"line": line},
            field=FILE_NAME,
        ) from error
    if not isinstance(values, dict):
        raise Invalid(
            _("The first block of SKILL.md must have lines such as “name: chart”."), field=FILE_NAME
        )
    return values


def _name(raw: object) -> str:
    if not isinstance(raw, str) or not raw:
        raise Invalid(_("SKILL.md needs a line “name: …”."), field="name")
    if len(raw) > MOST_NAME or not _NAME.match(raw):
        raise Invalid(
            _(
                "The name %(name)r cannot be used: at most 64 small letters, digits and single"
                " hyphens, such as sales-report."
            )
            % {"name": raw[:80]},
            field="name",
        )
    for word in RESERVED_WORDS:
        if word in raw:
            raise Invalid(_("The name may not contain “%(word)s”.") % {"word": word}, field="name")
    return raw


def _description(raw: object) -> str:
    text = " ".join(raw.split()) if isinstance(raw, str) else ""
    if not text:
        raise Invalid(
            _("SKILL.md needs a line “description: …” that says when to use the skill."),
            field="description",
        )
    if len(text) > MOST_DESCRIPTION:
        raise Invalid(
            _("The description has %(count)d characters; at most %(most)d fit.")
            % {"count": len(text), "most": MOST_DESCRIPTION},
            field="description",
        )
    if _TAG.search(text):
        raise Invalid(_("The description may not contain tags such as <b>."), field="description")
    return text


def _version(front: Mapping[str, Any]) -> str:
    metadata = front.get("metadata")
    raw = front.get("version")
    if raw is None and isinstance(metadata, dict):
        raw = metadata.get("version")
    if raw is None:
        return ""
    text = str(raw)
    if len(text) > MOST_VERSION or not _VERSION.match(text):
        raise Invalid(
            _("The version %(version)r cannot be used: write such as 1.2.0, in quotes.")
            % {"version": text[:60]},
            field="version",
        )
    return text
