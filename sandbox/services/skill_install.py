"""Installs skills: from a file, from the server, as the first or another version.

Only administrators come here, by a page; no tool of an agent does. What asks for more than was agreed
to waits until an administrator agrees; until then the version before it stays in use.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, Literal
from uuid import UUID

from django.db import connection, transaction

from accounts.access import Actor, require
from core.errors import ProjectError
from sandbox.services.skill_log import log_failure, log_skill
from sandbox.skill_constants import SkillAction, SkillSource
from sandbox.skill_models import Skill, SkillConsent, SkillVersion
from sandbox.skills.bundle import Bundle, read_zip
from sandbox.skills.permissions import Permissions, added_permissions, read_permissions
from sandbox.skills.sources import read_offered
from sandbox.skills.store import keep_archive


@dataclass(frozen=True, kw_only=True)
class Installed:
    """What installing led to."""

    skill_id: UUID
    version_id: UUID
    name: str
    state: Literal["in_use", "waits", "unchanged"]
    """`waits`: an administrator must agree to its permissions first."""


def install_zip(actor: Actor, *, source: BinaryIO, file_name: str) -> Installed:
    """Install an uploaded zip.

    Raises:
        AccessDenied: the actor is no administrator.
        Invalid, TooLarge, Refused: it cannot be used; the reason is in the log, too.
    """
    return _install(actor, lambda: read_zip(source), SkillSource.UPLOAD, file_name)


def install_offered(
    actor: Actor, *, source: SkillSource, name: str, agreed: Permissions | None = None
) -> Installed:
    """Install a skill that lies on the server; `agreed` are the permissions that were shown.

    Raises:
        AccessDenied, NotFound, Invalid, TooLarge, Refused: as for `install_zip`.
    """
    return _install(actor, lambda: read_offered(source, name), source, name, agreed=agreed)


def agreed_permissions(skill: Skill) -> Permissions:
    """Return what was agreed to for the version in use."""
    consent = SkillConsent.objects.filter(version_id=skill.current_id or None).first()
    return read_permissions(consent.permissions) if consent is not None else Permissions()


def put_in_use(
    skill: Skill, version: SkillVersion, *, actor: Actor, was_covered: bool = False
) -> None:
    """Write the consent to a version down and let agents use it from now on."""
    SkillConsent.objects.get_or_create(
        version=version,
        defaults={
            "space_id": version.space_id,
            "permissions": version.permissions,
            "was_covered": was_covered,
            "agreed_by_id": None if was_covered else actor.user_id,
        },
    )
    skill.current = version
    skill.save(update_fields=["current", "updated_at"])


def lock_skills(space_id: int) -> None:
    """Let two who change the skills of a space take turns, to the end of the transaction."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"skills:{space_id}"]
        )


def _install(
    actor: Actor,
    read: Callable[[], Bundle],
    source: SkillSource,
    source_name: str,
    *,
    agreed: Permissions | None = None,
) -> Installed:
    require(actor, "create", Skill)
    try:
        with read() as bundle:
            keep_archive(actor.space_id, bundle.content_hash, bundle.archive)
            with transaction.atomic():
                lock_skills(actor.space_id)
                return _take_in(actor, bundle, source, source_name, agreed)
    except ProjectError as refusal:
        log_failure(actor, source_name, refusal.message)
        raise


def _take_in(
    actor: Actor, bundle: Bundle, source: SkillSource, source_name: str, agreed: Permissions | None
) -> Installed:
    skill = Skill.objects.filter(name=bundle.manifest.name).first()
    if skill is None:
        skill = Skill.objects.create(space_id=actor.space_id, name=bundle.manifest.name)
    was_removed = skill.removed_at is not None
    if was_removed:
        skill.removed_at, skill.is_enabled = None, True
        skill.save(update_fields=["removed_at", "is_enabled", "updated_at"])
    known = skill.versions.filter(content_hash=bundle.content_hash, source=source).first()
    if known is not None and known.pk == skill.current_id:
        if was_removed:
            log_skill(actor, SkillAction.RESTORED, skill, version=known)
        return _installed(skill, known, "in_use" if was_removed else "unchanged")
    version = known or _new_version(actor, skill, bundle, source, source_name)
    if version.declined_at is not None:
        version.declined_at = None
        version.save(update_fields=["declined_at"])
    asked = bundle.manifest.permissions
    was_covered = _is_covered(skill, asked, source)
    if was_covered or (agreed is not None and added_permissions(asked, agreed).is_empty):
        action = SkillAction.UPGRADED if skill.current_id else SkillAction.INSTALLED
        put_in_use(skill, version, actor=actor, was_covered=was_covered)
        log_skill(actor, action, skill, version=version, source=source)
        return _installed(skill, version, "in_use")
    log_skill(actor, SkillAction.WAITS, skill, version=version, source=source)
    return _installed(skill, version, "waits")


def _is_covered(skill: Skill, asked: Permissions, source: SkillSource) -> bool:
    """Whether nothing new has to be agreed to: the same kind of source asks for no more."""
    current = skill.current
    if current is None or current.source != source:
        return False
    return added_permissions(asked, agreed_permissions(skill)).is_empty


def _new_version(
    actor: Actor, skill: Skill, bundle: Bundle, source: SkillSource, source_name: str
) -> SkillVersion:
    newest = skill.versions.order_by("-number").first()
    return SkillVersion.objects.create(
        space_id=actor.space_id,
        skill=skill,
        number=newest.number + 1 if newest else 1,
        label=bundle.manifest.version,
        description=bundle.manifest.description,
        permissions=bundle.manifest.permissions.as_json(),
        source=source,
        source_name=source_name[:255],
        content_hash=bundle.content_hash,
        size_bytes=bundle.size_bytes,
        files=[[each.path, each.size_bytes] for each in bundle.files],
        created_by_id=actor.user_id,
    )


def _installed(
    skill: Skill, version: SkillVersion, state: Literal["in_use", "waits", "unchanged"]
) -> Installed:
    return Installed(skill_id=skill.pk, version_id=version.pk, name=skill.name, state=state)
