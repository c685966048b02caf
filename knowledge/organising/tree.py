"""The folders of a base as a tree: those made by hand and those that documents are in."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count

from accounts.access import Actor, visible
from knowledge.access.fit import folders_above
from knowledge.models import Folder, KnowledgeBase
from knowledge.organising.paths import is_within
from knowledge.organising.walls import closed_folders
from knowledge.queries import list_documents


@dataclass(frozen=True, kw_only=True)
class FolderNode:
    """A folder; nodes come in the order of a tree, each one behind its parent."""

    path: str
    name: str
    depth: int
    """1 for those at the root."""
    documents: int
    """In it and below it, as far as the actor sees them."""
    is_empty: bool
    has_children: bool


def folder_tree(actor: Actor, base: KnowledgeBase) -> list[FolderNode]:
    """Return the folders of the base that the actor sees."""
    rows = list_documents(actor, base.pk).order_by().values_list("folder_path")
    counted = dict(rows.annotate(number=Count("pk")))
    paths = {each for path in (*counted, *_made(actor, base)) for each in folders_above(path)}
    paths.discard("")
    totals: Counter[str] = Counter()
    for path, number in counted.items():
        for each in folders_above(path):
            totals[each] += number
    parents = {path.rpartition("/")[0] for path in paths}
    return [
        FolderNode(
            path=path,
            name=path.rpartition("/")[2],
            depth=path.count("/") + 1,
            documents=totals[path],
            is_empty=not totals[path],
            has_children=path in parents,
        )
        for path in sorted(paths, key=lambda each: [part.casefold() for part in each.split("/")])
    ]


def _made(actor: Actor, base: KnowledgeBase) -> list[str]:
    """Return the folders made by hand, without those whose very name is closed to the actor."""
    closed = closed_folders(actor, base)
    rows = visible(actor, "view", Folder.objects.filter(base=base))
    return [
        path
        for path in rows.values_list("path", flat=True)
        if not any(is_within(path, folder) for folder in closed)
    ]
