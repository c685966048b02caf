"""Who may do what with skills: administrators install them, members use what was installed."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.access import Action, Actor, Clause, RolePolicy, register
from accounts.constants import Role
from sandbox.skill_models import Skill, SkillConsent, SkillEvent, SkillVariable, SkillVersion


class SkillPolicy(RolePolicy):
    """Members see what is installed; only administrators change it."""

    area = "skills"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.VIEWER,
        "use": Role.VIEWER,
        "create": Role.ADMIN,
        "change": Role.ADMIN,
        "delete": Role.ADMIN,
        "manage": Role.ADMIN,
    }


class SkillLogPolicy(RolePolicy):
    """Who installed and agreed to what is the administrators' business; nobody changes it."""

    area = "skills"
    minimum: ClassVar[Mapping[Action, Role]] = {"view": Role.ADMIN}


class SkillVariablePolicy(RolePolicy):
    """People see and set the names of their own; administrators those of the space."""

    area = "skills"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.VIEWER,
        "change": Role.VIEWER,
        "delete": Role.VIEWER,
    }

    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        """Narrow the role's permission to one's own rows, and the space's for administrators."""
        found = super().clauses(actor, action)
        own = Q(user_id=actor.user_id or 0)
        reason = str(_("People set their own variables; those of the space are the admins'."))
        if actor.role in (Role.ADMIN, Role.OWNER):
            own |= Q(user_id=None)
        return [Clause(effect=one.effect, reason=reason, where=one.where & own) for one in found]


register(Skill, SkillPolicy())
register(SkillVersion, SkillPolicy())
register(SkillConsent, SkillLogPolicy())
register(SkillEvent, SkillLogPolicy())
register(SkillVariable, SkillVariablePolicy())
