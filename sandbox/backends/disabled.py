"""The backend that runs nothing: what is left when no other works, or an administrator wants none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from sandbox.contract import Probe, SandboxInfo, SandboxLimits, SkillMount, Workspace
from sandbox.errors import SandboxDisabled


class DisabledBackend:
    """Refuses to make a workspace and says why."""

    name = "disabled"

    def __init__(self, *, reason: str = "") -> None:
        """Keep why nothing runs, an English sentence for the administrator."""
        self.reason = reason or "Running code is switched off."

    def probe(self) -> Probe:
        """Return that nothing runs here."""
        return Probe(works=False, detail=self.reason)

    def create(
        self, key: str, limits: SandboxLimits, skills: Sequence[SkillMount] = ()
    ) -> Workspace:
        """Refuse.

        Raises:
            SandboxDisabled: always.
        """
        message = _("Code cannot be run here. An administrator can change this in the settings.")
        raise SandboxDisabled(message, reason=self.reason)

    def list(self) -> Iterator[SandboxInfo]:
        """Give nothing."""
        return iter(())

    def destroy(self, key: str) -> None:
        """Do nothing: there is nothing."""
