"""Folders that building puts new pages into, and takes away when they are empty again."""

from __future__ import annotations

from uuid import UUID

from knowledge.models import KnowledgeBase
from wiki.build.taxonomy import MOST_LEVELS
from wiki.constants import MAX_FOLDER_DEPTH
from wiki.models import WikiFolder, WikiPage


def folder_paths(base: KnowledgeBase) -> list[str]:
    """Return the paths of a base's folders, in their order."""
    return list(
        WikiFolder.objects.filter(base=base).order_by("path").values_list("path", flat=True)
    )


def folder_for(base: KnowledgeBase, path: str) -> UUID | None:
    """Return the folder at a path, made where it is missing; None for a blank path.

    The caller holds the wiki's lock.
    """
    parent: WikiFolder | None = None
    for name in [each for each in path.split("/") if each][: min(MOST_LEVELS, MAX_FOLDER_DEPTH)]:
        at = f"{parent.path}/{name}" if parent else name
        known = WikiFolder.objects.filter(base=base, path__iexact=at).first()
        parent = known or WikiFolder.objects.create(
            space_id=base.space_id,
            base=base,
            parent=parent,
            name=name,
            path=at,
            depth=parent.depth + 1 if parent else 1,
        )
    return parent.pk if parent else None


def drop_empty(base: KnowledgeBase, folder_ids: set[UUID]) -> int:
    """Delete those of the folders, and those above, that hold nothing; return how many."""
    dropped = 0
    waiting = list(folder_ids)
    while waiting:
        folder = WikiFolder.objects.filter(base=base, pk=waiting.pop()).first()
        if folder is None or folder.folders.exists():
            continue
        if WikiPage.objects.filter(folder=folder).exists():
            continue
        if folder.parent_id is not None:
            waiting.append(folder.parent_id)
        folder.delete()
        dropped += 1
    return dropped
