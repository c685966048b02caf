"""Closed choices of the sandbox."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Backend(models.TextChoices):
    """What runs untrusted commands."""

    BUBBLEWRAP = "bubblewrap", _("Isolated processes of this machine (bubblewrap)")
    DOCKER = "docker", _("Docker containers")
    E2B = "e2b", _("A service that speaks the E2B protocol")
    DISABLED = "disabled", _("Turned off")


class SessionState(models.TextChoices):
    """What became of a workspace."""

    LIVE = "live", _("Live")
    ENDING = "ending", _("Being removed")
    """Nobody may use it any more; a worker removes it."""
