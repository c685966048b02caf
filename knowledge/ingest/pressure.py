"""Back-pressure: a space in which too many documents wait takes no more until some are read."""

from __future__ import annotations

from django.conf import settings
from django.utils.translation import gettext as _

from core.errors import LimitReached
from knowledge.constants import DocumentState
from knowledge.models import Document

RETRY_AFTER_SECONDS = 60


def require_room_to_wait() -> None:
    """Return when the current space may add another document.

    Raises:
        LimitReached: as many wait as may; says so, and when to come back.
    """
    most: int = settings.INGEST_WAITING_PER_SPACE
    waiting = Document.objects.filter(state=DocumentState.PENDING, is_draft=False).count()
    if waiting >= most:
        raise LimitReached(
            _(
                "%(count)s documents of this space wait to be read, which is the limit. Nothing is"
                " lost: add the rest when some of them are done."
            )
            % {"count": f"{waiting:,}"},
            retry_after_seconds=RETRY_AFTER_SECONDS,
        )
