"""Variables that skills are given: entered once, never shown again."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from core.errors import AccessDenied, Invalid, NotFound
from sandbox.skill_models import Skill, SkillVariable
from sandbox.skills.permissions import check_variable_name, read_permissions

MOST_CHARACTERS = 16_000


def set_variable(actor: Actor, *, skill_id: UUID, name: str, value: str, personal: bool) -> None:
    """Store a variable, the actor's own or everybody's; an empty value removes it.

    Raises:
        NotFound, AccessDenied: the actor may not.
        Invalid: the skill asks for no variable of this name, or the value is too long.
    """
    skill = visible(actor, "view", Skill.objects.filter(pk=skill_id, removed_at=None)).first()
    if skill is None:
        raise NotFound(_("There is no such skill."))
    if not personal:
        require(actor, "change", skill)
    elif actor.user_id is None:
        raise AccessDenied(_("Only a person has variables of their own."))
    _check(skill, name, value)
    user_id = actor.user_id if personal else None
    with transaction.atomic():
        rows = SkillVariable.objects.filter(skill=skill, name=name)
        mine = Q(user_id=user_id or 0) if personal else Q(user_id__isnull=True)
        rows.filter(mine).delete()
        if value:
            SkillVariable.objects.create(
                space_id=actor.space_id, skill=skill, user_id=user_id, name=name, value=value
            )
        action = "skill.variable_set" if value else "skill.variable_removed"
        record_audit(actor, action, target=skill, name=name, personal=personal)


def _check(skill: Skill, name: str, value: str) -> None:
    check_variable_name(name)
    if name not in declared_names(skill):
        raise Invalid(
            _("The skill asks for no variable of the name %(name)r.") % {"name": name},
            field="name",
        )
    if len(value) > MOST_CHARACTERS or "\x00" in value:
        raise Invalid(
            _("A value has at most %(most)d characters.") % {"most": MOST_CHARACTERS},
            field="value",
        )


def declared_names(skill: Skill) -> tuple[str, ...]:
    """Return the variables that the version in use was agreed to be given."""
    if skill.current is None:
        return ()
    return read_permissions(skill.current.permissions).secrets
