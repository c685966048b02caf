"""What the sandbox puts into the copy of a space: how sandboxes are set up, without secrets."""

from accounts.platform.export import Table, export_table, leave_out
from sandbox.models import SandboxConfig, SandboxSession

export_table(Table(model=SandboxConfig))
leave_out(
    SandboxSession, "which workspaces live at this moment; what they made is with the answers"
)
