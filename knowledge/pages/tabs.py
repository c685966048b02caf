"""The slot for views of a base that higher apps have: each is a tab in the head of its pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise

from knowledge.models import KnowledgeBase


@dataclass(frozen=True, kw_only=True)
class Tab:
    """A view of a base, for those who may edit what it holds or for all who see it."""

    key: str
    label: Promise
    url_name: str
    """Of an address with the base's id alone."""
    is_for_readers: bool = False
    of_kind: str = ""
    """Of bases it is for; blank: any."""


_tabs: list[Tab] = []


def register_tab(tab: Tab) -> None:
    """Add a tab; called when an app starts."""
    if any(each.key == tab.key for each in _tabs):
        raise RuntimeError(f"{tab.key} is a tab already")
    _tabs.append(tab)


def tabs_of(base: KnowledgeBase, *, may_edit: bool) -> list[dict[str, Any]]:
    """Return the tabs of a base as `_base_head.html` takes them."""
    return [
        {"key": tab.key, "label": tab.label, "url": reverse(tab.url_name, args=[base.pk])}
        for tab in _tabs
        if (may_edit or tab.is_for_readers) and tab.of_kind in ("", base.kind)
    ]
