"""Pages where the wiki is written: the editor and what it asks for while somebody types."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import Actor
from accounts.limits import limit_actor
from accounts.middleware import SpaceRequest
from core.errors import Conflict, Invalid, NotFound, ProjectError, Refused
from core.htmx import render
from knowledge.models import KnowledgeBase
from wiki.changes.submitting import Outcome
from wiki.constants import MAX_CONTENT, PageKind
from wiki.models import WikiDraft, WikiFolder, WikiPage
from wiki.pages.sources import visible_text
from wiki.queries import get_page, require_wiki, search_pages
from wiki.rendering import page_url, render_page
from wiki.services.drafts import (
    FIELDS,
    discard_draft,
    discard_draft_of,
    draft_of,
    get_draft,
    keep_draft,
)
from wiki.services.pages import create_page, edit_page
from wiki.services.pictures import MOST_BYTES, add_picture, read_picture
from wiki.shown.conflicts import conflict_context, merged_text
from wiki.shown.editing import PageForm, editor_context, initial_of, uuid_or_none
from wiki.shown.heads import wiki_head
from wiki.values import VersionConflict

OPTIONS = 8
_SECONDS = 3_600


@require_http_methods(["GET", "POST"])
def wiki_new(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Write a new page."""
    actor, asked = request.actor, request.GET
    base = require_wiki(actor, base_id)
    draft = _draft_in(actor, base, request)
    if request.method == "POST":
        form = _form(base, None, request.POST)
        if request.POST.get("action") == "discard":
            if draft:
                discard_draft(actor, base.pk, draft.pk)
            return redirect("wiki_index", base.pk)
        if form.is_valid():
            try:
                outcome = _create(actor, base, form, asks=request.POST.get("action") == "propose")
            except ProjectError as refusal:
                if refusal.http_status in (403, 404):
                    raise
                form.add_error(None, refusal.message)
            else:
                if draft:
                    discard_draft(actor, base.pk, draft.pk)
                return _after(request, base, outcome)
        context = editor_context(actor, base, None, form, on_version=0, draft=draft, restored=True)
        return _editor(request, base, context, status=422)
    initial: dict[str, Any] = {"kind": PageKind.CONCEPT, "status": "published"}
    slug = asked.get("slug", "")[:200]
    kind, slash, _name = slug.partition("/")
    if slash and kind in PageKind.values:
        initial["kind"] = kind
    name = slug.rpartition("/")[2].replace("-", " ").strip()
    initial |= {"slug": slug, "title": asked.get("title", "")[:500] or name[:1].upper() + name[1:]}
    initial["folder"] = asked.get("folder", "")
    if draft:
        initial |= draft.fields
    form = _form(base, None, initial=initial)
    context = editor_context(
        actor, base, None, form, on_version=0, draft=draft, restored=draft is not None
    )
    return _editor(request, base, context)


@require_http_methods(["GET", "POST"])
def wiki_edit(request: SpaceRequest, base_id: UUID, page_id: UUID) -> HttpResponseBase:
    """Edit a page; when somebody was faster, show what they wrote beside it."""
    actor = request.actor
    page = _readable_page(actor, base_id, page_id)
    base = page.base
    if _hidden_from(actor, page):
        return render(
            request, "wiki/edit_closed.html", {**_head(actor, base), "page": page}, status=403
        )
    if request.method == "POST":
        return _save(request, base, page)
    restores = request.GET.get("draft") == "restore"
    draft = draft_of(actor, page) if restores else None
    form = _form(base, page, initial={**initial_of(page), **(draft.fields if draft else {})})
    context = editor_context(
        actor,
        base,
        page,
        form,
        on_version=draft.on_version if draft else page.version,
        draft=draft,
        restored=draft is not None,
    )
    return _editor(request, base, context)


def _save(request: SpaceRequest, base: KnowledgeBase, page: WikiPage) -> HttpResponseBase:
    actor, posted = request.actor, request.POST
    action = posted.get("action", "")
    if action == "discard":
        discard_draft_of(actor, page)
        return redirect("wiki_edit", base.pk, page.pk)
    version = _version(posted.get("version", ""), page)
    if action == "merge":
        merged = merged_text(page, on_version=version, content=posted.get("content", ""))
        values = {**posted.dict(), "content": merged.content}
        form = _form(base, page, initial={**initial_of(page), **values})
        context = editor_context(
            actor, base, page, form, on_version=page.version, draft=None, restored=True
        )
        return _editor(request, base, {**context, "merged": merged})
    form = _form(base, page, posted)
    status = 422
    if form.is_valid():
        data = form.cleaned_data
        try:
            outcome = edit_page(
                actor,
                page.pk,
                on_version=version,
                title=data["title"],
                kind=data["kind"],
                content=data["content"],
                summary=data["summary"],
                aliases=form.alias_list,
                status=data["status"],
                reason=data["reason"],
                review=True if action == "propose" else None,
            )
        except VersionConflict:
            return _conflict(request, base, page, form, on_version=version)
        except ProjectError as refusal:
            if refusal.http_status in (403, 404):
                raise
            form.add_error(None, refusal.message)
            status = refusal.http_status
        else:
            discard_draft_of(actor, page)
            return _after(request, base, outcome, page=page)
    context = editor_context(
        actor, base, page, form, on_version=version, draft=draft_of(actor, page), restored=True
    )
    return _editor(request, base, context, status=status)


@require_POST
def wiki_draft(request: SpaceRequest, base_id: UUID) -> HttpResponse:
    """Keep what stands in the editor, and say when that was and who else writes."""
    posted = request.POST
    version = posted.get("version", "")
    fields = {name: posted[name].replace("\r\n", "\n") for name in FIELDS if name in posted}
    kept = keep_draft(
        request.actor,
        base_id=base_id,
        page_id=uuid_or_none(posted.get("page", "")),
        draft_id=uuid_or_none(posted.get("draft", "")),
        on_version=int(version) if version.isdecimal() and len(version) < 9 else 0,
        fields=fields if posted.get("is_changed") == "1" else None,
    )
    context = {
        "kept": kept,
        "is_kept": bool(kept.draft.fields),
        "is_behind": kept.current_version > kept.draft.on_version,
    }
    return render(request, "wiki/_draft_line.html", context)


@require_POST
def wiki_preview(request: SpaceRequest, base_id: UUID) -> HttpResponse:
    """Show a text as the page would show it."""
    base = require_wiki(request.actor, base_id)
    content = request.POST.get("content", "")
    if len(content) > MAX_CONTENT:
        raise Invalid(_("A page may have a million characters."))
    rendered = render_page(request.actor, base.pk, content.replace("\r\n", "\n"))
    return render(request, "wiki/_preview.html", {"rendered": rendered})


@require_GET
def wiki_complete(request: SpaceRequest, base_id: UUID) -> HttpResponse:
    """Offer pages to link to."""
    actor = request.actor
    base = require_wiki(actor, base_id)
    wanted = request.GET.get("q", "")[:100]
    pages = search_pages(actor, base.pk, wanted or "/", limit=OPTIONS)
    return render(request, "wiki/_options.html", {"pages": pages, "wanted": wanted})


@require_POST
def wiki_pictures(request: SpaceRequest, base_id: UUID) -> HttpResponse:
    """Keep a picture; answer with what stands for it in a text."""
    base = require_wiki(request.actor, base_id)
    limit_actor(request.actor, "upload")
    sent = request.FILES.get("file")
    try:
        if sent is None or not sent.size or sent.size > MOST_BYTES:
            raise Refused(_("A picture may have 10 MB at most."))
        content_hash = add_picture(request.actor, base_id=base.pk, content=sent.read())
    except ProjectError as refusal:
        if refusal.http_status in (403, 404):
            raise
        return JsonResponse({"message": refusal.message}, status=refusal.http_status)
    address = _picture_address(base, content_hash)
    return JsonResponse({"markdown": f"![{_words_of(sent.name or '')}]({address})"})


@require_GET
def wiki_picture(request: SpaceRequest, base_id: UUID, content_hash: str) -> HttpResponse:
    """Answer with a picture; whoever may not see the base gets none, at each request."""
    content, media_type = read_picture(request.actor, base_id=base_id, content_hash=content_hash)
    response = HttpResponse(content, content_type=media_type)
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Cache-Control"] = f"private, max-age={_SECONDS}"
    return response


def _create(actor: Actor, base: KnowledgeBase, form: PageForm, *, asks: bool) -> Outcome:
    data = form.cleaned_data
    return create_page(
        actor,
        base_id=base.pk,
        title=data["title"],
        kind=data["kind"],
        slug=data["slug"],
        content=data["content"],
        summary=data["summary"],
        aliases=form.alias_list,
        status=data["status"],
        folder_id=uuid_or_none(data["folder"]),
        reason=data["reason"],
        review=True if asks else None,
    )


def _after(
    request: SpaceRequest, base: KnowledgeBase, outcome: Outcome, *, page: WikiPage | None = None
) -> HttpResponseBase:
    if outcome.revision is not None:
        messages.success(
            request, _("Published as revision %(n)s.") % {"n": outcome.revision.number}
        )
        return redirect(page_url(base.pk, outcome.revision.slug))
    messages.success(request, outcome.note)
    if outcome.change is not None and outcome.change.author_id == request.actor.user_id:
        return redirect("wiki_change", base.pk, outcome.change.number)
    return redirect(page_url(base.pk, page.slug)) if page else redirect("wiki_index", base.pk)


def _conflict(
    request: SpaceRequest, base: KnowledgeBase, page: WikiPage, form: PageForm, *, on_version: int
) -> HttpResponse:
    """Nothing is lost: what was typed is kept as a draft and stands on the page."""
    page.refresh_from_db()
    context = {
        **_head(request.actor, base),
        **conflict_context(request.actor, page, form.cleaned_data, on_version=on_version),
    }
    try:
        keep_draft(
            request.actor,
            base_id=base.pk,
            page_id=page.pk,
            draft_id=None,
            on_version=on_version,
            fields={name: request.POST[name] for name in FIELDS if name in request.POST},
        )
    except Invalid:
        context["is_unkept"] = True  # a guest has no drafts; the text still stands on the page
    return render(request, "wiki/conflict.html", context, status=409)


def _editor(
    request: SpaceRequest, base: KnowledgeBase, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    context = {**_head(request.actor, base), **context}
    return render(request, "wiki/edit.html", context, status=status)


def _head(actor: Actor, base: KnowledgeBase) -> dict[str, Any]:
    return wiki_head(actor, base, tab="pages")


def _form(base: KnowledgeBase, page: WikiPage | None, data: Any = None, **more: Any) -> PageForm:
    folders = list(WikiFolder.objects.filter(base=base).order_by("path")) if page is None else []
    return PageForm(data, folders=folders, is_new=page is None, **more)


def _readable_page(actor: Actor, base_id: UUID, page_id: UUID) -> WikiPage:
    require_wiki(actor, base_id)
    page = get_page(actor, page_id)
    if page.base_id != base_id:
        raise NotFound(_("There is no such page."))
    return page


def _hidden_from(actor: Actor, page: WikiPage) -> bool:
    """Whether the page has sentences that the actor would lose by saving what they see."""
    return visible_text(actor, page, page.content).hidden > 0


def _draft_in(actor: Actor, base: KnowledgeBase, request: SpaceRequest) -> WikiDraft | None:
    draft_id = uuid_or_none(request.GET.get("draft", "") or request.POST.get("draft", ""))
    if draft_id is None:
        return None
    try:
        return get_draft(actor, base.pk, draft_id)
    except NotFound:
        return None


def _version(text: str, page: WikiPage) -> int:
    if not text.isdecimal() or not 1 <= int(text[:9]) <= page.version:
        raise Conflict(_("The page has no such revision. Open the editor again."))
    return int(text[:9])


def _picture_address(base: KnowledgeBase, content_hash: str) -> str:
    return reverse("wiki_picture", args=[base.pk, content_hash])


def _words_of(name: str) -> str:
    stem = name.rpartition(".")[0] or name
    return "".join(" " if sign in "[]()|\\\n" else sign for sign in stem)[:100].strip()
