"""Who may do what with sandboxes: administrators set them up, agents use what was chosen for them."""

from collections.abc import Mapping
from typing import ClassVar

from accounts.access import Action, RolePolicy, register
from accounts.constants import Role
from sandbox.models import SandboxConfig, SandboxSession


class SandboxConfigPolicy(RolePolicy):
    """Members see which sandboxes there are; what is in them is the administrators' business."""

    area = "sandboxes"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.VIEWER,
        "use": Role.VIEWER,
        "create": Role.ADMIN,
        "change": Role.ADMIN,
        "delete": Role.ADMIN,
        "manage": Role.ADMIN,
    }


class SandboxSessionPolicy(RolePolicy):
    """Administrators see which workspaces live and stop them; files in them nobody sees here."""

    area = "workspaces"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.ADMIN,
        "change": Role.ADMIN,
        "delete": Role.ADMIN,
        "manage": Role.ADMIN,
    }


register(SandboxConfig, SandboxConfigPolicy())
register(SandboxSession, SandboxSessionPolicy())
