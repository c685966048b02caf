"""What accounts put into the copy of a space."""

from __future__ import annotations

from accounts.models import (
    ApiKey,
    AuditEvent,
    Invitation,
    Membership,
    Space,
    SpaceExport,
    SpaceGroup,
    StorageUse,
)
from accounts.platform.export import Table, export_table, leave_out

export_table(Table(model=Space, space_field="pk"))
export_table(Table(model=Membership, extra=("user__email", "user__name")))
export_table(Table(model=SpaceGroup))
export_table(Table(model=Invitation))
export_table(Table(model=ApiKey))
export_table(Table(model=AuditEvent))
leave_out(StorageUse, "counted anew from what is stored")
leave_out(SpaceExport, "it is the list of copies")
