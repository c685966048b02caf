"""The one place that writes revisions: every text that readers get came through `publish`.

It asks nobody for permission and for no review: `wiki.changes.submitting.submit` did.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_noop

from core.errors import Conflict, NotFound
from core.textdiff import characters_changed
from knowledge.models import KnowledgeBase
from wiki.constants import PageKind, PageStatus
from wiki.models import WikiChange, WikiLink, WikiPage, WikiRedirect, WikiRevision
from wiki.pages.sources import store_written
from wiki.signals import page_removed, page_written
from wiki.text.links import rename_slugs, slugs_in, unlink
from wiki.values import Author, Edit, PageText, VersionConflict, hash_of

RENAMED = gettext_noop("Links follow “%(title)s” to its new address.")
REMOVED = gettext_noop("Links to “%(title)s”, which was deleted, became plain words.")


def lock_wiki(base: KnowledgeBase) -> None:
    """Let what gives out slugs of a base (new pages, renames, deletions) happen one by one."""
    KnowledgeBase.objects.select_for_update(of=("self",), no_key=True).get(pk=base.pk)


@transaction.atomic
def publish(
    base: KnowledgeBase,
    page: WikiPage | None,
    edit: Edit,
    *,
    expected_version: int,
    change: WikiChange | None = None,
) -> WikiRevision:
    """Write the next revision of a page, or the first of a new one; links follow the text.

    Another slug than the page's renames it: the old one leads to it from then on, and links in other
    pages are written anew, each as a revision of that page by the same author.

    Raises:
        VersionConflict: the page is at another version than `expected_version` (0: a new page).
        Conflict: another page has the slug.
        NotFound: the page is in the trash.
    """
    lock_wiki(base)
    text = edit.text
    if page is None:
        page = WikiPage(space_id=base.space_id, base=base, folder_id=edit.folder_id)
    else:
        page = WikiPage.objects.select_for_update(of=("self",), no_key=True).get(pk=page.pk)
        if page.trashed_at is not None:
            raise NotFound(_("This page was deleted."))
    if page.version != expected_version:
        raise VersionConflict(
            _("The page was changed meanwhile: it is at version %(now)s.") % {"now": page.version},
            current_version=page.version,
        )
    linking = _linking_to(page) if page.version and page.slug != text.slug else {}
    _take_slug(page, text.slug)
    added, removed = characters_changed(page.content, text.content)
    page.version += 1
    page.slug, page.title, page.kind, page.status = text.slug, text.title, text.kind, text.status
    page.summary, page.content = text.summary, text.content
    page.aliases = list(text.aliases)
    page.last_author_kind, page.last_author_id = edit.author.kind, edit.author.user_id
    page.save()
    revision = WikiRevision.objects.create(
        space_id=page.space_id,
        page=page,
        number=page.version,
        slug=page.slug,
        title=page.title,
        kind=page.kind,
        status=page.status,
        summary=page.summary,
        content=page.content,
        aliases=page.aliases,
        content_hash=hash_of(page.content),
        characters_added=added,
        characters_removed=removed,
        author_kind=edit.author.kind,
        author_id=edit.author.user_id,
        agent_id=edit.author.agent_id,
        run_id=edit.author.run_id,
        reason=edit.reason[:500],
        change=change,
        restored_from=edit.restored_from,
    )
    link_anew(page)
    # With the text: no reader may get a sentence before it is known what it rests on.
    store_written(page, edit)
    transaction.on_commit(lambda: page_written.send(WikiPage, page_id=page.pk, edit=edit))
    if linking:
        _rewrite(
            base,
            {pk: slugs for pk, slugs in linking.items() if pk != page.pk},
            lambda content, slugs: rename_slugs(content, dict.fromkeys(slugs, page.slug)),
            author=edit.author,
            reason=RENAMED % {"title": page.title},
        )
    return revision


@transaction.atomic
def remove_page(page: WikiPage, *, expected_version: int, author: Author) -> None:
    """Put a page into the trash: its slug is free, its revisions stay.

    Links to it in other pages become plain words, each as a revision of that page by the author.

    Raises:
        VersionConflict: it was changed meanwhile.
        NotFound: it is in the trash already.
    """
    lock_wiki(page.base)
    page = WikiPage.objects.select_for_update(of=("self",), no_key=True).get(pk=page.pk)
    if page.trashed_at is not None:
        raise NotFound(_("This page was deleted."))
    if page.version != expected_version:
        raise VersionConflict(
            _("The page was changed meanwhile: it is at version %(now)s.") % {"now": page.version},
            current_version=page.version,
        )
    linking = _linking_to(page)
    page.trashed_at = timezone.now()
    page.save(update_fields=["trashed_at", "updated_at"])
    WikiLink.objects.filter(target=page).update(target=None)
    WikiLink.objects.filter(source=page).delete()
    WikiRedirect.objects.filter(page=page).delete()
    transaction.on_commit(lambda: page_removed.send(WikiPage, page_id=page.pk))
    _rewrite(
        page.base,
        {pk: slugs for pk, slugs in linking.items() if pk != page.pk},
        lambda content, slugs: _without_links(content, slugs, page.title),
        author=author,
        reason=REMOVED % {"title": page.title},
    )


@transaction.atomic
def bring_back(page: WikiPage) -> WikiPage:
    """Take a page out of the trash under its old slug.

    Raises:
        Conflict: another page has that slug now.
    """
    lock_wiki(page.base)
    page = WikiPage.objects.select_for_update(of=("self",), no_key=True).get(pk=page.pk)
    if page.trashed_at is None:
        return page
    _take_slug(page, page.slug)
    page.trashed_at = None
    page.save(update_fields=["trashed_at", "updated_at"])
    link_anew(page)
    transaction.on_commit(lambda: page_written.send(WikiPage, page_id=page.pk, edit=None))
    return page


def link_anew(page: WikiPage) -> None:
    """Keep the rows of links in step with the page's text, and those that waited for its slug."""
    slugs = slugs_in(page.content)
    targets = pages_by_slug(page.base_id, slugs)
    WikiLink.objects.filter(source=page).exclude(slug__in=slugs).delete()
    kept = {link.slug: link for link in WikiLink.objects.filter(source=page)}
    for slug in slugs:
        target = targets.get(slug)
        if slug not in kept:
            WikiLink.objects.create(
                space_id=page.space_id, source=page, slug=slug, target_id=target
            )
        elif kept[slug].target_id != target:
            WikiLink.objects.filter(pk=kept[slug].pk).update(target_id=target)
    WikiLink.objects.filter(source__base_id=page.base_id, slug=page.slug).exclude(
        target=page
    ).update(target=page)


def pages_by_slug(base_id: UUID, slugs: list[str]) -> dict[str, UUID]:
    """Return the id of the page that each slug leads to, also by an address it had before."""
    found: dict[str, UUID] = dict(
        WikiRedirect.objects.filter(
            base_id=base_id, slug__in=slugs, page__trashed_at__isnull=True
        ).values_list("slug", "page_id")
    )
    found.update(
        WikiPage.objects.filter(
            base_id=base_id, slug__in=slugs, trashed_at__isnull=True
        ).values_list("slug", "pk")
    )
    return found


def _linking_to(page: WikiPage) -> dict[UUID, list[str]]:
    """Return the pages whose texts link to a page, each with the addresses that it writes."""
    found: dict[UUID, list[str]] = {}
    rows = WikiLink.objects.filter(target=page, source__trashed_at__isnull=True)
    for source_id, slug in rows.order_by("source_id", "slug").values_list("source_id", "slug"):
        found.setdefault(source_id, []).append(slug)
    return found


def _rewrite(
    base: KnowledgeBase,
    linking: dict[UUID, list[str]],
    rewritten: Callable[[str, list[str]], str],
    *,
    author: Author,
    reason: str,
) -> None:
    """Write the next revision of each page whose text becomes another one."""
    for other in WikiPage.objects.filter(pk__in=linking).order_by("pk"):
        content = rewritten(other.content, linking[other.pk])
        if content != other.content:
            text = replace(text_of(other), content=content)
            edit = Edit(text=text, author=author, reason=reason)
            publish(base, other, edit, expected_version=other.version)


def _without_links(content: str, slugs: list[str], title: str) -> str:
    for slug in slugs:
        content = unlink(content, slug, title)
    return content


def text_of(row: WikiPage | WikiRevision) -> PageText:
    """Return what a page or a revision says."""
    return PageText(
        slug=row.slug,
        title=row.title,
        kind=PageKind(row.kind),
        status=PageStatus(row.status),
        summary=row.summary,
        content=row.content,
        aliases=tuple(row.aliases),
    )


def _take_slug(page: WikiPage, slug: str) -> None:
    """See that the slug is free, or the page's; an old address of another page gives way."""
    taken = WikiPage.objects.filter(base_id=page.base_id, slug=slug, trashed_at__isnull=True)
    if taken.exclude(pk=page.pk).exists():
        raise Conflict(_("Another page has the address “%(slug)s”.") % {"slug": slug})
    WikiRedirect.objects.filter(base_id=page.base_id, slug=slug).delete()
    if page.version and page.slug != slug:
        WikiRedirect.objects.update_or_create(
            base_id=page.base_id,
            slug=page.slug,
            defaults={"space_id": page.space_id, "page": page},
        )
