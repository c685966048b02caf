"""Closed choices of skills."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class SkillSource(models.TextChoices):
    """Where the files of a version came from."""

    BUILTIN = "builtin", _("Part of the product")
    UPLOAD = "upload", _("Uploaded file")
    DIRECTORY = "directory", _("Directory of the server")


class SkillAction(models.TextChoices):
    """What was done to a skill, for its log."""

    INSTALLED = "installed", _("Installed")
    UPGRADED = "upgraded", _("New version")
    WAITS = "waits", _("Waits for consent")
    AGREED = "agreed", _("Permissions agreed to")
    DECLINED = "declined", _("Permissions declined")
    CHOSEN = "chosen", _("Version chosen")
    ENABLED = "enabled", _("Turned on")
    DISABLED = "disabled", _("Turned off")
    REMOVED = "removed", _("Uninstalled")
    RESTORED = "restored", _("Restored")
    FAILED = "failed", _("Could not be installed")
