"""Use cases of pages: write, rename, move, delete and bring back; each edit may wait for a review."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar
from uuid import UUID

from django.db import transaction
from django.db.models import TextChoices
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from core.errors import Invalid, NotFound
from wiki.changes.submitting import Outcome, submit
from wiki.constants import ChangeAction, PageKind, PageStatus, ReviewMode
from wiki.models import WikiFolder, WikiPage
from wiki.pages.authors import person
from wiki.pages.restoring import restore_links
from wiki.pages.writing import bring_back, lock_wiki, text_of
from wiki.queries import get_page, require_wiki, revision_of
from wiki.text.links import rename_slugs
from wiki.text.slugs import clean_slug, free_slug, slug_for
from wiki.values import Author, Edit, PageText, Sources

C = TypeVar("C", bound=TextChoices)


def create_page(
    actor: Actor,
    *,
    base_id: UUID,
    title: str,
    kind: str,
    slug: str = "",
    content: str = "",
    summary: str = "",
    aliases: Sequence[str] = (),
    status: str = PageStatus.PUBLISHED,
    folder_id: UUID | None = None,
    reason: str = "",
    sources: Sources | None = None,
    author: Author | None = None,
    review: bool | None = None,
    issue_id: UUID | None = None,
) -> Outcome:
    """Write a new page, or propose it; without a slug its address is made of kind and title.

    Raises:
        NotFound, AccessDenied: as `require` has it for the wiki; there is no such folder or wiki.
        Invalid: the title is blank or too long, the slug is none.
        Conflict: another page has the slug.
    """
    base = require_wiki(actor, base_id)
    if folder_id is not None:
        _folder(actor, base_id, folder_id)
    text = _text(
        PageText(slug="", title=""),
        title=title,
        kind=kind,
        content=content,
        summary=summary,
        aliases=aliases,
        status=status,
    )
    text = replace(text, slug=clean_slug(slug, kind=kind) if slug else _new_slug(base_id, text))
    edit = Edit(
        text=text,
        author=author or person(actor),
        reason=reason,
        folder_id=folder_id,
        sources=sources or {},
        issue_id=issue_id,
    )
    return submit(actor, base, None, edit, on_version=0, action=ChangeAction.CREATE, review=review)


def edit_page(
    actor: Actor,
    page_id: UUID,
    *,
    on_version: int,
    title: str | None = None,
    kind: str | None = None,
    content: str | None = None,
    summary: str | None = None,
    aliases: Sequence[str] | None = None,
    status: str | None = None,
    reason: str = "",
    sources: Sources | None = None,
    author: Author | None = None,
    review: bool | None = None,
    issue_id: UUID | None = None,
) -> Outcome:
    """Change what a page says, or propose it; None leaves a part as it was at `on_version`.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Invalid: the title is blank or too long.
        VersionConflict: the page was changed meanwhile and the edit would be published at once.
    """
    page = get_page(actor, page_id)
    text = _text(
        _text_at(page, on_version),
        title=title,
        kind=kind,
        content=content,
        summary=summary,
        aliases=aliases,
        status=status,
    )
    edit = Edit(
        text=replace(text, slug=page.slug),
        author=author or person(actor),
        reason=reason,
        sources=sources or {},
        issue_id=issue_id,
    )
    return submit(actor, page.base, page, edit, on_version=on_version, review=review)


def rename_page(
    actor: Actor,
    page_id: UUID,
    *,
    new_slug: str,
    on_version: int,
    title: str | None = None,
    reason: str = "",
    author: Author | None = None,
    review: bool | None = None,
) -> Outcome:
    """Give a page another address, and title if given; links in other pages follow it.

    The old address leads to the page until another page takes it.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Invalid: the new address is none, or the old one.
        Conflict: another page has the slug. VersionConflict: as in `edit_page`.
    """
    page = get_page(actor, page_id)
    slug = clean_slug(new_slug, kind=page.kind)
    if slug == page.slug:
        raise Invalid(_("This is the page's address already."))
    text = _text(_text_at(page, on_version), title=title)
    content = rename_slugs(text.content, {page.slug: slug})
    edit = Edit(
        text=replace(text, slug=slug, content=content),
        author=author or person(actor),
        reason=reason,
    )
    return submit(
        actor,
        page.base,
        page,
        edit,
        on_version=on_version,
        action=ChangeAction.RENAME,
        review=review,
    )


def delete_page(
    actor: Actor,
    page_id: UUID,
    *,
    on_version: int,
    reason: str = "",
    author: Author | None = None,
    review: bool | None = None,
) -> Outcome:
    """Put a page into the trash, or propose it; links to it in other pages become plain words.

    Raises:
        NotFound, AccessDenied: as `require` has it. VersionConflict: as in `edit_page`.
    """
    page = get_page(actor, page_id)
    edit = Edit(text=text_of(page), author=author or person(actor), reason=reason)
    return submit(
        actor,
        page.base,
        page,
        edit,
        on_version=on_version,
        action=ChangeAction.DELETE,
        review=review,
    )


def restore_page(actor: Actor, page_id: UUID) -> WikiPage:
    """Take a page out of the trash, with the links to it that nobody wrote over since.

    Raises:
        NotFound, AccessDenied: as `require` has it; or it is not in the trash.
        Conflict: another page has its address now; rename that one first.
    """
    rows = WikiPage.objects.filter(pk=page_id).select_related("base")
    page = visible(actor, "manage", rows).first()
    if page is None:
        raise NotFound(_("There is no such page in the trash."))
    with transaction.atomic():
        lock_wiki(page.base)
        since = page.trashed_at
        page = bring_back(page)
        if since is not None:
            restore_links(page, since=since, author=person(actor))
        record_audit(actor, "wiki.page.restore", target=page, base_id=page.base_id)
    return page


def move_page(
    actor: Actor, page_id: UUID, *, folder_id: UUID | None, sort_order: int | None = None
) -> WikiPage:
    """Put a page into a folder, or at the top for None; its text and version stay.

    Raises:
        NotFound, AccessDenied: as `require` has it; there is no such folder.
    """
    page = get_page(actor, page_id)
    require(actor, "change", page)
    folder = _folder(actor, page.base_id, folder_id) if folder_id is not None else None
    with transaction.atomic():
        lock_wiki(page.base)
        if folder is not None and not WikiFolder.objects.filter(pk=folder.pk).exists():
            raise NotFound(_("There is no such folder in this wiki."))
        page.folder = folder
        if sort_order is not None:
            page.sort_order = sort_order
        page.save(update_fields=["folder", "sort_order"])
        record_audit(
            actor,
            "wiki.page.move",
            target=page,
            base_id=page.base_id,
            folder=folder.path if folder else "",
        )
    return page


def set_page_review(actor: Actor, page_id: UUID, *, review: str) -> WikiPage:
    """Say whose edits of this page wait for a person; blank: as the base says.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the page.
        Invalid: there is no such mode.
    """
    page = get_page(actor, page_id)
    require(actor, "change", page)
    if review and review not in ReviewMode.values:
        raise Invalid(_("There is no such review mode."))
    with transaction.atomic():
        page.review = review
        page.save(update_fields=["review"])
        record_audit(actor, "wiki.page.review", target=page, base_id=page.base_id, review=review)
    return page


def _text(
    before: PageText,
    *,
    title: str | None = None,
    kind: str | None = None,
    content: str | None = None,
    summary: str | None = None,
    aliases: Sequence[str] | None = None,
    status: str | None = None,
) -> PageText:
    """Return the text with the given parts in place of the earlier ones.

    Raises:
        Invalid: there is no such kind or status.
    """
    return PageText(
        slug=before.slug,
        title=before.title if title is None else " ".join(title.split()),
        kind=before.kind if kind is None else _one_of(PageKind, kind),
        status=before.status if status is None else _one_of(PageStatus, status),
        summary=before.summary if summary is None else " ".join(summary.split()),
        content=before.content if content is None else content,
        aliases=before.aliases if aliases is None else _cleaned_aliases(aliases),
    )


def _one_of(choices: type[C], value: str) -> C:
    if value not in choices.values:
        raise Invalid(
            _("%(value)r is none of: %(known)s.")
            % {"value": value, "known": ", ".join(choices.values)}
        )
    return choices(value)


def _cleaned_aliases(aliases: Sequence[str]) -> tuple[str, ...]:
    cleaned = (" ".join(each.split()) for each in aliases)
    return tuple(dict.fromkeys(each for each in cleaned if each))


def _text_at(page: WikiPage, version: int) -> PageText:
    """Return what the page said at a version: what an edit that leaves parts out means."""
    if version == page.version:
        return text_of(page)
    revision = revision_of(page, version)
    return text_of(page if revision is None or revision.thinned_at else revision)


def _new_slug(base_id: UUID, text: PageText) -> str:
    def is_taken(slug: str) -> bool:
        return WikiPage.objects.filter(base_id=base_id, slug=slug, trashed_at__isnull=True).exists()

    return free_slug(slug_for(text.kind, text.title), is_taken)


def _folder(actor: Actor, base_id: UUID, folder_id: UUID) -> WikiFolder:
    rows = WikiFolder.objects.filter(base_id=base_id, pk=folder_id)
    folder = visible(actor, "view", rows).first()
    if folder is None:
        raise NotFound(_("There is no such folder in this wiki."))
    return folder
