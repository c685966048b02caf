"""The filters of a base's list: read from an address, offered as choices, written back into one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from accounts.access import Actor
from knowledge.constants import UNLISTED_SOURCES, DocumentSource, DocumentState
from knowledge.models import KnowledgeBase
from knowledge.organising.filters import SORTS, DocumentFilter
from knowledge.organising.tags import list_tags
from knowledge.pages.labels import label_of
from knowledge.queries import list_documents

LONGEST_SEARCH = 200


def filter_in(query: QueryDict) -> DocumentFilter:
    """Return what an address asks for; what makes no sense is taken for "any"."""
    sort = query.get("sort", "")
    return DocumentFilter(
        search=query.get("q", "").strip()[:LONGEST_SEARCH],
        state=query.get("state", "")[:20],
        file_type=query.get("type", "")[:20],
        source=query.get("source", "")[:20],
        tag_ids=tuple(int(each) for each in query.getlist("tag") if each.isdecimal())[:50],
        folder=query.get("folder"),
        with_subfolders=query.get("below", "1") != "0",
        owner_id=_number(query.get("owner", "")),
        updated_from=_date(query.get("from", "")),
        updated_to=_date(query.get("to", "")),
        metadata_key=query.get("field", "").strip()[:64],
        metadata_value=query.get("value", "").strip()[:LONGEST_SEARCH],
        review=query.get("review", "")[:4],
        sort=sort if sort in SORTS else "-added",
    )


def filter_context(actor: Actor, base: KnowledgeBase, wanted: DocumentFilter) -> dict[str, Any]:
    """Return what `_filters.html` takes."""
    rows = list_documents(actor, base.pk).order_by()
    types = rows.exclude(file_type="").values_list("file_type", flat=True).distinct()
    owners = rows.filter(owner__isnull=False).values_list("owner_id", "owner__email").distinct()
    chosen = set(wanted.tag_ids)
    states = [each for each in DocumentState.choices if each[0] != DocumentState.DELETING]
    hidden = (*UNLISTED_SOURCES, DocumentSource.MEMBER)
    return {
        "wanted": wanted,
        "search": wanted.search,
        "state": wanted.state,
        "states": [*states, ("draft", _("Draft"))],
        "types": sorted((each, label_of(each) or each) for each in types),
        "sources": [each for each in DocumentSource.choices if each[0] not in hidden],
        "owners": sorted(owners, key=lambda pair: pair[1]),
        "tags": [
            {"id": tag.pk, "name": tag.name, "color": tag.color, "is_chosen": tag.pk in chosen}
            for tag in list_tags(actor, base.pk)
        ],
        "sorts": sort_choices(),
        "more_filters": _more(wanted),
    }


def sort_choices() -> Mapping[str, str]:
    """Return the orders in words."""
    return {
        "-added": _("Newest first"),
        "added": _("Oldest first"),
        "name": _("Name, A to Z"),
        "-name": _("Name, Z to A"),
        "-changed": _("Changed last"),
        "changed": _("Changed longest ago"),
        "-size": _("Largest first"),
        "size": _("Smallest first"),
        "review": _("Review by"),
    }


def _more(wanted: DocumentFilter) -> int:
    """Count the filters that stand in the part which is folded away."""
    used = (
        wanted.file_type,
        wanted.source,
        wanted.tag_ids,
        wanted.owner_id,
        wanted.updated_from,
        wanted.updated_to,
        wanted.metadata_key,
        wanted.review,
    )
    return sum(bool(each) for each in used)


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 18 else None


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
