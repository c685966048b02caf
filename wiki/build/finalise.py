"""Last step, without a model: links to new pages, dead links, the index page, empty folders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from core.errors import Conflict, ProjectError
from knowledge.models import EvidenceRow
from wiki.build.crosslinks import Target, with_links
from wiki.build.folders import drop_empty
from wiki.build.guards import judge
from wiki.build.run import Run
from wiki.build.state import state_of_page
from wiki.changes.requests import text_of_page
from wiki.changes.rights import review_mode, waits
from wiki.changes.submitting import submit
from wiki.constants import PageKind, PageStatus
from wiki.models import WikiLink, WikiPage, WikiSentence
from wiki.pages.writing import lock_wiki
from wiki.text.links import unlink
from wiki.text.sentences import sentence_hash
from wiki.values import Edit, PageText

INDEX_SLUG: Final = "index"
BEGIN, END = "<!-- pages -->", "<!-- /pages -->"
"""Between them building writes; what people write around stays."""
_ORDER: Final = (
    PageKind.ENTITY,
    PageKind.CONCEPT,
    PageKind.SYNTHESIS,
    PageKind.COMPARISON,
    PageKind.SUMMARY,
)


def finalise(run: Run) -> None:
    """Bring links, index and folders in step with the pages that a batch made, changed or removed.

    Raises:
        JobCancelled: somebody stopped it.
    """
    run.check()
    for slug, title in run.removed.items():
        _unlink(run, slug, title)
    _link(run)
    write_index(run)
    gone = WikiPage.objects.filter(base=run.base, slug__in=run.removed, folder__isnull=False)
    with transaction.atomic():
        lock_wiki(run.base)
        drop_empty(run.base, set(gone.values_list("folder_id", flat=True)))


def targets_of(run: Run) -> list[Target]:
    """Return what pages may link to: each published page by its title and other names."""
    return [target for page in _published(run) for target in _targets(page)]


def write_index(run: Run) -> None:
    """Bring the list on the index page in step with the pages; only when it says anything else."""
    with transaction.atomic():
        run.context.check_lease()
        lock_wiki(run.base)
        page = WikiPage.objects.filter(
            base=run.base, slug=INDEX_SLUG, trashed_at__isnull=True
        ).first()
        listed, sources = _index(run)
        content = _around(page.content if page else "", listed)
        if (page is None and not listed) or (page is not None and page.content == content):
            return
        text = (
            text_of_page(page)
            if page
            else PageText(slug=INDEX_SLUG, title=_("Index"), kind=PageKind.INDEX)
        )
        _submit(run, page, text, content, reason=_("The list of pages."), sources=sources)


def _published(run: Run) -> list[WikiPage]:
    rows = WikiPage.objects.filter(
        base=run.base, trashed_at__isnull=True, status=PageStatus.PUBLISHED
    )
    return list(rows.exclude(kind=PageKind.INDEX).order_by("title", "slug"))


def _targets(page: WikiPage) -> list[Target]:
    return [
        Target(slug=page.slug, name=name) for name in dict.fromkeys((page.title, *page.aliases))
    ]


def _link(run: Run) -> None:
    """Link changed pages to all, and all pages to those that are new; where nobody has to review it."""
    pages = _published(run)
    all_targets = [target for page in pages for target in _targets(page)]
    new = [target for target in all_targets if target.slug in run.touched]
    for page in pages:
        if page.kind == PageKind.SUMMARY and page.slug not in run.touched:
            continue
        if waits(review_mode(run.settings, page), run.author):
            continue
        run.check()
        targets = all_targets if page.slug in run.touched else new
        content = with_links(page.content, targets, own_slug=page.slug)
        if content != page.content:
            _edit(run, page, content, reason=_("Links to other pages."))


def _unlink(run: Run, slug: str, title: str) -> None:
    """Turn links to a removed page into plain words, where nobody has to review it."""
    rows = WikiLink.objects.filter(source__base=run.base, slug=slug, target__isnull=True)
    for page in WikiPage.objects.filter(pk__in=rows.values("source_id"), trashed_at__isnull=True):
        if page.kind == PageKind.INDEX or waits(review_mode(run.settings, page), run.author):
            continue
        content = unlink(page.content, slug, title)
        if content != page.content:
            _edit(
                run,
                page,
                content,
                reason=_("The page “%(title)s” is gone.") % {"title": title},
                lost=slug,
            )


def _edit(run: Run, page: WikiPage, content: str, *, reason: str, lost: str = "") -> None:
    """Change only links of a page; a page that changed meanwhile is left to the next time."""
    judgement = judge(page.content, content, sourced=set(state_of_page(page).rests))
    found = judgement.losses
    if judgement.refusal or (found is not None and (found.facts or set(found.links) - {lost})):
        run.log(_("Refused"), page=page.slug, detail=reason)
        return
    try:
        with transaction.atomic():
            run.context.check_lease()
            _submit(run, page, text_of_page(page), content, reason=reason)
    except Conflict:
        return


def _submit(
    run: Run,
    page: WikiPage | None,
    text: PageText,
    content: str,
    *,
    reason: str,
    sources: dict[str, list[UUID]] | None = None,
) -> None:
    changed = PageText(
        slug=text.slug,
        title=text.title,
        kind=text.kind,
        status=text.status,
        summary=text.summary,
        content=content,
        aliases=text.aliases,
    )
    edit = Edit(text=changed, author=run.author, reason=reason, sources=sources or {})
    try:
        submit(run.actor, run.base, page, edit, on_version=page.version if page else 0)
    except Conflict:
        raise
    except ProjectError as refusal:
        run.log(_("Refused"), page=text.slug, detail=refusal.message)


def _index(run: Run) -> tuple[str, dict[str, list[UUID]]]:
    """Return the list of pages, and what its lines rest on: as closed as the summaries they quote."""
    pages = _published(run)
    rests = _summary_chunks(pages)
    lines: list[str] = []
    sources: dict[str, list[UUID]] = {}
    for kind in _ORDER:
        listed = [page for page in pages if page.kind == kind]
        if not listed:
            continue
        lines += ["", f"## {PageKind(kind).label}", ""]
        for page in listed:
            words = f"[[{page.slug}|{page.title}]]"
            words += f" — {page.summary}" if page.summary else ""
            lines.append(f"- {words}")
            if page.pk in rests:
                sources[sentence_hash(words)] = rests[page.pk]
    return "\n".join(lines).strip(), sources


def _summary_chunks(pages: Sequence[WikiPage]) -> dict[UUID, list[UUID]]:
    by_hash = {(page.pk, sentence_hash(page.summary)): page.pk for page in pages if page.summary}
    rows = WikiSentence.objects.filter(page__in=pages)
    markers = {
        row.page_id: set(row.markers) for row in rows if (row.page_id, row.text_hash) in by_hash
    }
    found: dict[UUID, list[UUID]] = {}
    for row in EvidenceRow.objects.filter(origin_id__in=list(markers)).order_by("marker"):
        if row.marker in markers[row.origin_id]:
            found.setdefault(row.origin_id, []).append(row.chunk_id)
    return found


def _around(content: str, listed: str) -> str:
    between = f"{BEGIN}\n\n{listed}\n\n{END}"
    begin, end = content.find(BEGIN), content.find(END)
    if 0 <= begin < end:
        return content[:begin] + between + content[end + len(END) :]
    return (content.rstrip("\n") + "\n\n" if content.strip() else "") + between + "\n"
