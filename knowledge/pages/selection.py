"""Which documents a form means, and what became of them in words."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _

from core.errors import Invalid
from knowledge.organising.bulk import SHOWN_REFUSALS, BulkResult, Selection
from knowledge.pages.filters import filter_in


def selection_in(base_id: UUID, posted: QueryDict) -> Selection:
    """Read which documents are meant: all of a filter, or those that were ticked.

    Raises:
        Invalid: an id is none.
    """
    if posted.get("all") == "1":
        return Selection(base_id=base_id, filter=filter_in(QueryDict(posted.get("query", ""))))
    return Selection(base_id=base_id, document_ids=tuple(uuids_in(posted.getlist("document"))))


def uuids_in(values: list[str]) -> list[UUID]:
    """Read ids.

    Raises:
        Invalid: one is none.
    """
    try:
        return [UUID(each) for each in values]
    except ValueError as error:
        raise Invalid(_("What was chosen has no such id; load the page again.")) from error


def tell_refused(request: HttpRequest, result: BulkResult) -> None:
    """Let the next page name what was left as it is, and why."""
    if not result.refused:
        return
    named = "; ".join(f"{each.name}: {each.reason}" for each in result.refused[:SHOWN_REFUSALS])
    more = len(result.refused) - SHOWN_REFUSALS
    rest = _(" And %(n)s more.") % {"n": more} if more > 0 else ""
    messages.error(request, _("Left as they are: %(named)s") % {"named": named} + rest)
