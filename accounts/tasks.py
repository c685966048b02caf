"""The jobs of this app: ids in, one service."""

from __future__ import annotations

import logging

from accounts.jobs import FORGET_AUDIT, MAIL_INVITATIONS, RECOUNT_STORAGE
from accounts.models import Space
from accounts.services.audit_retention import forget_old_events
from accounts.services.bulk_invitations import mail_many
from accounts.services.quota import recount
from core.jobs.handlers import JobContext, handles

logger = logging.getLogger(__name__)


@handles(FORGET_AUDIT)
def forget_audit(_: JobContext) -> None:
    """Delete audit events that are older than they are kept."""
    gone = forget_old_events()
    if gone:
        logger.info("%s audit events had grown old and were deleted", gone)


@handles(RECOUNT_STORAGE)
def recount_storage(context: JobContext) -> None:
    """Add up what each space stores; a wrong count is put right and logged."""
    for space_id in Space.objects.values_list("pk", flat=True):
        context.check()
        wrong_by = recount(space_id)
        if wrong_by:
            logger.warning("The storage of space %s was counted wrong by %s", space_id, wrong_by)


@handles(MAIL_INVITATIONS)
def mail_invitations(_: JobContext, *, invitation_ids: list[str], origin: str) -> None:
    """Mail invitations that were made together."""
    mail_many(invitation_ids, origin=origin)
