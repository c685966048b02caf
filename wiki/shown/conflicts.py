"""Somebody else was faster: what they wrote beside what was typed, and both joined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from accounts.access import Actor
from core.textdiff import diff_lines
from core.textmerge import merge_texts
from wiki.models import WikiPage, WikiRevision
from wiki.pages.sources import visible_text
from wiki.queries import revision_of


@dataclass(frozen=True, kw_only=True)
class Merged:
    """Both texts in one."""

    content: str
    clashes: int
    """Stretches that both changed: they stand between marker lines."""
    is_blind: bool = False
    """The text that both began from is gone, so that nothing could be joined."""


def merged_text(page: WikiPage, *, on_version: int, content: str) -> Merged:
    """Join what was typed on a version with what the page says now."""
    mine = content.replace("\r\n", "\n")
    began = revision_of(page, on_version)
    if began is None or began.thinned_at is not None:
        return Merged(content=mine, clashes=0, is_blind=True)
    found = merge_texts(began.content, mine, page.content)
    if not found.clashes:
        return Merged(content=found.text, clashes=0)
    text = found.with_markers(ours=_("yours"), theirs=_("revision %(n)s") % {"n": page.version})
    return Merged(content=text, clashes=len(found.clashes))


def conflict_context(
    actor: Actor, page: WikiPage, typed: Mapping[str, Any], *, on_version: int
) -> dict[str, Any]:
    """Return what `wiki/conflict.html` takes but the head."""
    theirs = visible_text(actor, page, page.content).content
    mine = str(typed["content"])
    merged = merged_text(page, on_version=on_version, content=mine)
    newest = WikiRevision.objects.filter(page=page).select_related("author").first()
    return {
        "page": page,
        "typed": typed,
        "on_version": on_version,
        "newest": newest,
        "rows": diff_lines(theirs, mine, context=3),
        "merged": merged,
        "is_same": theirs == mine,
    }
