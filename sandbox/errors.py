"""What can go wrong with a sandbox beside a command that fails.

* SandboxGone       410  the workspace was destroyed meanwhile; making it again may work
* SandboxDisabled   422  code does not run here, for the reason stated
* SandboxFailed     503  the backend itself failed: daemon away, kernel refused, service unreachable
"""

from __future__ import annotations

from core.errors import Gone, Refused, ServiceUnavailable


class SandboxGone(Gone):
    """The workspace was destroyed meanwhile; `create` makes a new, empty one."""

    code = "sandbox_gone"


class SandboxDisabled(Refused):
    """Code does not run in this installation or space; the message says why."""

    code = "sandbox_disabled"


class SandboxFailed(ServiceUnavailable):
    """The backend could not do its part; nothing ran outside of a sandbox instead."""

    code = "sandbox_failed"
