"""Who may do what with models: everybody uses them, admins manage them."""

from collections.abc import Mapping
from typing import ClassVar

from accounts.access import Action, RolePolicy, register
from accounts.constants import Role
from providers.models import AIModel


class ModelPolicy(RolePolicy):
    """Members choose among models and use them; keys and addresses are the admins' business."""

    area = "models"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.VIEWER,
        "use": Role.VIEWER,
        "create": Role.ADMIN,
        "change": Role.ADMIN,
        "delete": Role.ADMIN,
        "manage": Role.ADMIN,
    }


register(AIModel, ModelPolicy())
