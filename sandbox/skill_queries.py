"""Reads of skills for pages, without values of variables."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from core.errors import NotFound
from sandbox.skill_constants import SkillSource
from sandbox.skill_models import Skill, SkillConsent, SkillEvent, SkillVariable, SkillVersion
from sandbox.skills.permissions import (
    ANY_HOST,
    Permissions,
    added_permissions,
    read_permissions,
)
from sandbox.skills.sources import offered_skills

LOG_ROWS = 30


@dataclass(frozen=True, kw_only=True)
class SkillCard:
    """An installed skill in the catalogue."""

    id: UUID
    name: str
    description: str
    version: str
    """In use; empty: none is."""
    source: str
    is_enabled: bool
    waits: bool
    """A version waits for an administrator's consent."""


@dataclass(frozen=True, kw_only=True)
class OfferedCard:
    """A skill that lies on the server and is not installed as it is there."""

    name: str
    source: str
    description: str
    version: str
    is_update: bool
    words: tuple[str, ...]
    shown: str
    """What is agreed to with the button: the permissions as JSON."""
    problem: str


@dataclass(frozen=True, kw_only=True)
class VersionCard:
    """A version of a skill."""

    id: UUID
    label: str
    number: int
    source: str
    source_name: str
    size_bytes: int
    file_names: tuple[str, ...]
    created_at: datetime
    is_current: bool
    state: str
    """`agreed`, `waits` or `declined`."""
    words: tuple[str, ...]
    added_words: tuple[str, ...]
    """What it asks for beyond what the version in use has."""
    shown: str


@dataclass(frozen=True, kw_only=True)
class VariableCard:
    """A variable that a skill wants; whether there is a value, never which."""

    name: str
    has_own: bool
    has_shared: bool


def skill_choices(actor: Actor) -> list[tuple[str, str]]:
    """Return names of the space's skills that are on, for the editor of agents."""
    rows = visible(actor, "view", Skill.objects.filter(removed_at=None, is_enabled=True))
    return [(name, name) for name in rows.values_list("name", flat=True)]


def list_skills(actor: Actor) -> list[SkillCard]:
    """Return the installed skills by name."""
    rows = visible(actor, "view", Skill.objects.filter(removed_at=None).select_related("current"))
    waiting = set(_waiting().values_list("skill_id", flat=True))
    newest = {row.skill_id: row.description for row in SkillVersion.objects.order_by("number")}
    return [
        SkillCard(
            id=row.pk,
            name=row.name,
            description=row.current.description if row.current else newest.get(row.pk, ""),
            version=str(row.current) if row.current else "",
            source=row.current.get_source_display() if row.current else "",
            is_enabled=row.is_enabled,
            waits=row.pk in waiting,
        )
        for row in rows
    ]


def list_removed(actor: Actor) -> list[Skill]:
    """Return uninstalled skills, the last first, for those who may restore them."""
    rows = Skill.objects.filter(removed_at__isnull=False).order_by("-removed_at")
    return list(visible(actor, "delete", rows)[:LOG_ROWS])


def list_offered() -> list[OfferedCard]:
    """Return what lies on the server and is not installed in the current space as it is there."""
    installed = set(Skill.objects.filter(removed_at=None).values_list("name", flat=True))
    kept = set(
        SkillVersion.objects.filter(skill__removed_at=None).values_list("source", "content_hash")
    )
    cards = []
    for each in offered_skills():
        if (str(each.source), each.content_hash) in kept:
            continue
        manifest = each.manifest
        permissions = manifest.permissions if manifest else Permissions()
        cards.append(
            OfferedCard(
                name=each.name,
                source=each.source,
                description=manifest.description if manifest else "",
                version=manifest.version if manifest else "",
                is_update=manifest is not None and manifest.name in installed,
                words=permission_words(permissions),
                shown=as_shown(permissions),
                problem=each.problem,
            )
        )
    return cards


def get_skill(actor: Actor, skill_id: UUID) -> Skill:
    """Return an installed skill.

    Raises:
        NotFound: there is none with that id in the space.
    """
    rows = Skill.objects.filter(pk=skill_id, removed_at=None).select_related("current")
    row = visible(actor, "view", rows).first()
    if row is None:
        raise NotFound(_("There is no such skill."))
    return row


def get_version(actor: Actor, version_id: UUID) -> SkillVersion:
    """Return a version of an installed skill, for those who may change the skill.

    Raises:
        NotFound, AccessDenied: the actor may not.
    """
    rows = SkillVersion.objects.filter(pk=version_id, skill__removed_at=None)
    row = visible(actor, "view", rows.select_related("skill")).first()
    if row is None:
        raise NotFound(_("There is no such version of a skill."))
    require(actor, "change", row.skill)
    return row


def list_versions(skill: Skill) -> list[VersionCard]:
    """Return the versions of a skill, the newest first."""
    consents = {row.version_id: row for row in SkillConsent.objects.filter(version__skill=skill)}
    current = consents.get(skill.current_id or UUID(int=0))
    agreed = read_permissions(current.permissions) if current else Permissions()
    cards = []
    for row in skill.versions.all():
        asked = read_permissions(row.permissions)
        waits = "declined" if row.declined_at else "waits"
        cards.append(
            VersionCard(
                id=row.pk,
                label=str(row),
                number=row.number,
                source=row.get_source_display(),
                source_name="" if row.source == SkillSource.BUILTIN else row.source_name,
                size_bytes=row.size_bytes,
                file_names=tuple(name for name, _size in row.files),
                created_at=row.created_at,
                is_current=row.pk == skill.current_id,
                state="agreed" if row.pk in consents else waits,
                words=permission_words(asked),
                added_words=permission_words(added_permissions(asked, agreed)) if current else (),
                shown=as_shown(asked),
            )
        )
    return cards


def list_variables(actor: Actor, skill: Skill) -> list[VariableCard]:
    """Return what the version in use wants to be given."""
    if skill.current is None:
        return []
    rows = SkillVariable.objects.filter(skill=skill)
    own = set(rows.filter(user_id=actor.user_id or 0).values_list("name", flat=True))
    shared = set(rows.filter(user_id__isnull=True).values_list("name", flat=True))
    return [
        VariableCard(name=name, has_own=name in own, has_shared=name in shared)
        for name in read_permissions(skill.current.permissions).secrets
    ]


def list_log(actor: Actor, *, skill: Skill | None = None) -> list[SkillEvent]:
    """Return the newest entries of the log of installing; nothing for those who may not see it."""
    rows = SkillEvent.objects.select_related("user")
    if skill is not None:
        rows = rows.filter(skill=skill)
    return list(visible(actor, "view", rows)[:LOG_ROWS])


def as_shown(permissions: Permissions) -> str:
    """Return permissions as a form carries them."""
    return json.dumps(permissions.as_json())


def permission_words(permissions: Permissions) -> tuple[str, ...]:
    """Return what permissions mean, a sentence each; empty when nothing is asked for."""
    words = []
    if permissions.files == "read":
        words.append(_("Reads the files of the conversation."))
    if permissions.files == "write":
        words.append(_("Reads the files of the conversation and makes new ones."))
    if permissions.network == (ANY_HOST,):
        words.append(_("Sends to and receives from any address on the network."))
    elif permissions.network:
        words.append(
            _("Sends to and receives from: %(hosts)s") % {"hosts": ", ".join(permissions.network)}
        )
    if permissions.secrets:
        words.append(
            _("Is given these variables: %(names)s") % {"names": ", ".join(permissions.secrets)}
        )
    if permissions.tools:
        words.append(
            _("Asks the agent to use: %(names)s") % {"names": ", ".join(permissions.tools)}
        )
    return tuple(words)


def _waiting() -> QuerySet[SkillVersion]:
    return SkillVersion.objects.filter(consent=None, declined_at=None)
