"""The filter of a search in an address, in the names that the list of documents has."""

from __future__ import annotations

import math
from typing import Any

from django.http import QueryDict

from accounts.access import Actor
from knowledge.models import KnowledgeBase
from knowledge.organising.tags import list_tags
from knowledge.pages.filters import filter_in
from knowledge.pages.labels import label_of
from knowledge.queries import list_documents
from knowledge.retrieval.filter_values import OWN_FIELD, Filter, read_filter

_NAMES = ("type", "from", "to", "folder", "tag", "field")


def search_filter_in(query: QueryDict) -> Filter | None:
    """Return which documents an address asks for; None: all.

    Unlike in the list of documents, what makes no sense is not taken for "any".

    Raises:
        Invalid: it is no filter.
    """
    given: list[tuple[str, str, Any]] = [
        ("file_type", "equals", query.get("type", "")),
        ("updated", "at_least", query.get("from", "").strip()),
        ("updated", "at_most", query.get("to", "").strip()),
        ("folder", "equals", query.get("folder", "").strip()),
        ("tag", "in", [_tag(each) for each in query.getlist("tag") if each]),
    ]
    parts: list[dict[str, Any]] = [
        {"field": field, "operator": operator, "value": value}
        for field, operator, value in given
        if value
    ]
    name, value = query.get("field", "").strip(), query.get("value", "").strip()
    if name:
        parts.append(_own_field(f"{OWN_FIELD}{name}", value))
    return read_filter({"all_of": parts}) if parts else None


def search_filter_context(actor: Actor, base: KnowledgeBase, query: QueryDict) -> dict[str, Any]:
    """Return what `_search_filters.html` takes."""
    wanted = filter_in(query)
    types = list_documents(actor, base.pk).order_by().exclude(file_type="")
    names = types.values_list("file_type", flat=True).distinct()
    chosen = set(wanted.tag_ids)
    return {
        "wanted": wanted,
        "types": sorted((each, label_of(each) or each) for each in names),
        "tags": [
            {"id": tag.pk, "name": tag.name, "color": tag.color, "is_chosen": tag.pk in chosen}
            for tag in list_tags(actor, base.pk)
        ],
        "is_open": any(query.get(name) for name in _NAMES),
    }


def _tag(text: str) -> int | str:
    """Return a tag's number, else its name."""
    return int(text) if text.isdecimal() and len(text) < 18 else text


def _own_field(name: str, value: str) -> dict[str, Any]:
    """Return the condition; whatever kind the value was entered as, it is found by what is read."""
    if not value:
        return {"field": name, "operator": "exists", "value": True}
    choices: list[object] = [value]
    if value.casefold() in ("yes", "no", "true", "false"):
        choices.append(value.casefold() in ("yes", "true"))
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if math.isfinite(number):
        choices.append(number)
    return {"field": name, "operator": "in", "value": choices}
