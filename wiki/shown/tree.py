"""The tree of a wiki: folders with their pages, the way to the present page open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from accounts.access import Actor
from wiki.models import WikiFolder, WikiPage
from wiki.queries import Branch, tree_of
from wiki.rendering import page_url

MOST_PAGES = 100
"""Of a folder that the tree names; the others are in the list of the folder."""


@dataclass(frozen=True, kw_only=True)
class Leaf:
    """A page in the tree."""

    id: UUID
    title: str
    url: str
    is_current: bool
    is_draft: bool


@dataclass(frozen=True, kw_only=True)
class Bough:
    """A folder in the tree."""

    folder: WikiFolder | None
    boughs: tuple[Bough, ...]
    leaves: tuple[Leaf, ...]
    more: int
    """Pages that are not named here."""
    total: int
    """Pages in it and below."""
    is_open: bool
    """The present page or folder is in it."""
    is_current: bool


def tree_context(
    actor: Actor,
    base_id: UUID,
    *,
    current: UUID | None = None,
    folder: UUID | None = None,
) -> dict[str, Any]:
    """Return what `wiki/_tree.html` takes; `current` is the page that is read, `folder` likewise."""
    root = _bough(base_id, tree_of(actor, base_id), current=current, chosen=folder)
    return {"tree": root, "folder_choices": list(_choices(root))}


def _bough(base_id: UUID, branch: Branch, *, current: UUID | None, chosen: UUID | None) -> Bough:
    boughs = tuple(
        _bough(base_id, each, current=current, chosen=chosen) for each in branch.branches
    )
    pages = branch.pages
    shown = list(pages[:MOST_PAGES])
    shown += [page for page in pages[MOST_PAGES:] if page.pk == current]
    is_here = branch.folder is not None and branch.folder.pk == chosen
    return Bough(
        folder=branch.folder,
        boughs=boughs,
        leaves=tuple(_leaf(base_id, page, current) for page in shown),
        more=len(pages) - len(shown),
        total=len(pages) + sum(each.total for each in boughs),
        is_open=is_here
        or any(page.pk == current for page in pages)
        or any(each.is_open for each in boughs),
        is_current=is_here,
    )


def _leaf(base_id: UUID, page: WikiPage, current: UUID | None) -> Leaf:
    return Leaf(
        id=page.pk,
        title=page.title,
        url=page_url(base_id, page.slug),
        is_current=page.pk == current,
        is_draft=page.status == "draft",
    )


def _choices(bough: Bough) -> Any:
    for each in bough.boughs:
        if each.folder is not None:
            yield {"id": str(each.folder.pk), "path": each.folder.path, "depth": each.folder.depth}
        yield from _choices(each)
