"""What administrators do with installed skills: agree, choose a version, turn off, uninstall."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from core.errors import Conflict, NotFound
from sandbox.services.skill_install import lock_skills, put_in_use
from sandbox.services.skill_log import log_skill
from sandbox.skill_constants import SkillAction
from sandbox.skill_models import Skill, SkillConsent, SkillVersion
from sandbox.skills.permissions import Permissions, read_permissions


def agree(actor: Actor, *, version_id: UUID, shown: Permissions) -> None:
    """Agree to what a version asks for, and use it from now on; `shown` is what was agreed to.

    Raises:
        NotFound, AccessDenied: the actor may not.
        Conflict: it asks for something else than was shown.
    """
    with transaction.atomic():
        skill, version = _to_change(actor, version_id)
        if read_permissions(version.permissions) != shown:
            raise Conflict(_("The skill asks for other permissions; look at them again."))
        version.declined_at = None
        version.save(update_fields=["declined_at"])
        put_in_use(skill, version, actor=actor)
        log_skill(actor, SkillAction.AGREED, skill, version=version, **version.permissions)


def decline(actor: Actor, *, version_id: UUID) -> None:
    """Do not use a version; the one in use stays.

    Raises:
        NotFound, AccessDenied: the actor may not.
        Conflict: it was agreed to already.
    """
    with transaction.atomic():
        skill, version = _to_change(actor, version_id)
        if _has_consent(version):
            raise Conflict(_("This version was agreed to; choose another version instead."))
        version.declined_at = timezone.now()
        version.save(update_fields=["declined_at"])
        log_skill(actor, SkillAction.DECLINED, skill, version=version)


def choose_version(actor: Actor, *, version_id: UUID) -> None:
    """Go back, or forward, to a version that was agreed to before.

    Raises:
        NotFound, AccessDenied: the actor may not.
        Conflict: nobody has agreed to it.
    """
    with transaction.atomic():
        skill, version = _to_change(actor, version_id)
        if not _has_consent(version):
            raise Conflict(_("Agree to this version's permissions first."))
        put_in_use(skill, version, actor=actor)
        log_skill(actor, SkillAction.CHOSEN, skill, version=version)


def set_enabled(actor: Actor, *, skill_id: UUID, enabled: bool) -> None:
    """Turn a skill on or off for all agents of the space.

    Raises:
        NotFound, AccessDenied: the actor may not.
    """
    with transaction.atomic():
        skill = _skill(actor, skill_id)
        require(actor, "change", skill)
        if skill.is_enabled == enabled:
            return
        skill.is_enabled = enabled
        skill.save(update_fields=["is_enabled", "updated_at"])
        log_skill(actor, SkillAction.ENABLED if enabled else SkillAction.DISABLED, skill)


def remove_skill(actor: Actor, *, skill_id: UUID) -> None:
    """Uninstall a skill; it can be restored.

    Raises:
        NotFound, AccessDenied: the actor may not.
    """
    with transaction.atomic():
        skill = _skill(actor, skill_id)
        require(actor, "delete", skill)
        skill.removed_at = timezone.now()
        skill.save(update_fields=["removed_at", "updated_at"])
        log_skill(actor, SkillAction.REMOVED, skill)


def restore_skill(actor: Actor, *, skill_id: UUID) -> None:
    """Undo uninstalling: versions, consents and variables are as they were.

    Raises:
        NotFound, AccessDenied: the actor may not.
    """
    with transaction.atomic():
        skill = _skill(actor, skill_id, removed=True)
        require(actor, "delete", skill)
        skill.removed_at = None
        skill.save(update_fields=["removed_at", "updated_at"])
        log_skill(actor, SkillAction.RESTORED, skill)


def _to_change(actor: Actor, version_id: UUID) -> tuple[Skill, SkillVersion]:
    lock_skills(actor.space_id)
    rows = SkillVersion.objects.filter(pk=version_id, skill__removed_at=None)
    version = visible(actor, "view", rows.select_related("skill")).first()
    if version is None:
        raise NotFound(_("There is no such version of a skill."))
    require(actor, "change", version.skill)
    return version.skill, version


def _skill(actor: Actor, skill_id: UUID, *, removed: bool = False) -> Skill:
    lock_skills(actor.space_id)
    rows = Skill.objects.filter(pk=skill_id, removed_at__isnull=not removed)
    skill = visible(actor, "view", rows).first()
    if skill is None:
        raise NotFound(_("There is no such skill."))
    return skill


def _has_consent(version: SkillVersion) -> bool:
    return SkillConsent.objects.filter(version=version).exists()
