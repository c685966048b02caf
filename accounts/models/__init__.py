"""Tables of people, spaces, organisations, keys and the audit."""

from accounts.models.audit import AuditEvent, Erasure, PlatformAuditEvent
from accounts.models.exports import ExportState, SpaceExport
from accounts.models.invitations import INVITATION_DAYS, Invitation
from accounts.models.keys import ApiKey, SystemSetting
from accounts.models.organisations import JoinRequest, Organisation, OrganisationSpace
from accounts.models.people import User, UserManager
from accounts.models.spaces import Membership, Space, SpaceGroup
from accounts.models.storage import StorageUse

__all__ = [
    "INVITATION_DAYS",
    "ApiKey",
    "AuditEvent",
    "Erasure",
    "ExportState",
    "Invitation",
    "JoinRequest",
    "Membership",
    "Organisation",
    "OrganisationSpace",
    "PlatformAuditEvent",
    "Space",
    "SpaceExport",
    "SpaceGroup",
    "StorageUse",
    "SystemSetting",
    "User",
    "UserManager",
]
