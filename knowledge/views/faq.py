"""Pages of a base of questions and answers: its table, one entry, many at once, the search test."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import may, require
from accounts.limits import limit_actor
from accounts.middleware import SpaceRequest
from core.errors import Conflict, Invalid, ProjectError
from core.htmx import announce, render, toast, wants_fragment
from knowledge.constants import AnswerStrategy
from knowledge.faq.drafts import EntryDraft, clean_draft, draft_of
from knowledge.faq.forms import EntryForm, FaqSearchForm, ImportForm, initial_of
from knowledge.faq.pages import filter_in, import_of, row_of, search_fields
from knowledge.faq.queries import count_entries, get_entry, list_entries, newest_import
from knowledge.faq.rules import (
    find_owners,
    positive_hashes,
    problems_with_others,
    problems_within,
)
from knowledge.faq.search import COUNT, THRESHOLD, FaqSearch, search_entries
from knowledge.faq.services import (
    Change,
    change_entries,
    create_entry,
    delete_entries,
    get_faq_base,
    restore_entries,
    update_entry,
)
from knowledge.models import FaqEntry, KnowledgeBase
from knowledge.organising.tags import list_tags
from knowledge.pages.heads import head_of
from knowledge.pages.undo import offer_undo, take_undo

ENTRIES_A_PAGE = 50
CHANGED = "documents"
"""The event on which the table fetches itself; the same as that of documents."""


@require_GET
def faq(request: SpaceRequest, faq_id: UUID) -> HttpResponse:
    """Show the entries of a base; the table alone for filters and polling."""
    base = get_faq_base(request.actor, faq_id)
    wanted = filter_in(request.GET)
    entries = list_entries(request.actor, base.pk, wanted)
    page = Paginator(entries, ENTRIES_A_PAGE).get_page(request.GET.get("page"))
    counts = count_entries(request.actor, base.pk)
    head = head_of(request.actor, base)
    context: dict[str, Any] = {
        **head,
        "rows": [row_of(entry) for entry in page],
        "page_obj": page,
        "total": page.paginator.count,
        "wanted": wanted,
        "query": request.GET.urlencode(),
        "counts": counts,
        "is_busy": counts.waiting > counts.failed,
        "tags": list(list_tags(request.actor, base.pk)),
    }
    if not wants_fragment(request):
        running = newest_import(request.actor, base.pk) if head["may_edit"] else None
        context |= {
            "fields": search_fields(),
            "import": import_of(running) if running else None,
            "import_form": ImportForm(),
            "undo": take_undo(request, base.pk),
        }
    return render(request, "knowledge/faq.html", context, partial="knowledge/_faq_rows.html")


@require_http_methods(["GET", "POST"])
def faq_new(request: SpaceRequest, faq_id: UUID) -> HttpResponseBase:
    """Make an entry."""
    base = get_faq_base(request.actor, faq_id)
    require(request.actor, "edit", base)
    initial = initial_of(EntryDraft(standard_question=""), version=0)
    form = _form(request, base, initial)
    if request.method == "POST" and form.is_valid():
        try:
            create_entry(request.actor, base_id=base.pk, draft=form.draft())
        except ProjectError as refusal:
            _add_error(form, refusal)
        else:
            return _saved(request, base, _("The entry was created."))
    return _editor(request, base, form, entry=None)


@require_http_methods(["GET", "POST"])
def faq_entry(request: SpaceRequest, entry_id: UUID) -> HttpResponseBase:
    """Show an entry to who reads, and its form to who may change it."""
    entry = get_entry(request.actor, entry_id)
    if request.method == "POST":
        require(request.actor, "change", entry)
    form = _form(request, entry.base, initial_of(draft_of(entry), version=entry.version))
    if request.method == "POST" and form.is_valid():
        version = form.cleaned_data["version"] or 0
        try:
            update_entry(request.actor, entry_id=entry.pk, version=version, draft=form.draft())
        except ProjectError as refusal:
            _add_error(form, refusal)
        else:
            return _saved(request, entry.base, _("The entry was saved."))
    return _editor(request, entry.base, form, entry=entry)


@require_POST
def faq_hints(request: SpaceRequest, faq_id: UUID) -> HttpResponse:
    """Say, while somebody writes, which questions stand elsewhere already."""
    base = get_faq_base(request.actor, faq_id)
    require(request.actor, "edit", base)
    question = request.POST.get("standard_question", "").strip()
    similar = tuple(request.POST.get("similar_questions", "").splitlines())
    negative = tuple(request.POST.get("negative_questions", "").splitlines())
    problems = []
    if question:
        draft = EntryDraft(
            standard_question=question,
            similar_questions=similar,
            negative_questions=negative,
            answers=("-",),  # only the questions are looked at
        )
        try:
            draft = clean_draft(draft)
        except Invalid:
            draft = EntryDraft(standard_question=question)
        own = request.POST.get("entry", "")
        owners = find_owners(base.pk, positive_hashes(draft), apart_from=_uuid_or_none(own))
        problems = [*problems_within(draft), *problems_with_others(draft, owners)]
    return render(request, "knowledge/_faq_hints.html", {"problems": problems})


@require_POST
def faq_switch(request: SpaceRequest, entry_id: UUID) -> HttpResponse:
    """Switch one thing of one entry, and send its row."""
    entry = get_entry(request.actor, entry_id)
    value = request.POST.get("value") == "1"
    switches = {"enabled": Change(is_enabled=value), "recommended": Change(is_recommended=value)}
    change = switches.get(request.POST.get("field", ""))
    if change is None:
        raise Invalid(_("What is to be switched? Say enabled or recommended."))
    change_entries(request.actor, base_id=entry.base_id, entry_ids=[entry.pk], change=change)
    context = {"row": row_of(get_entry(request.actor, entry_id)), "may_edit": True}
    return render(request, "knowledge/_faq_row.html", context)


@require_POST
def faq_bulk(request: SpaceRequest, faq_id: UUID) -> HttpResponseBase:
    """Do one thing to the chosen entries, and go back to the table."""
    base = get_faq_base(request.actor, faq_id)
    ids = _chosen(request, base)
    asked = request.POST.get("action", "")
    if asked == "delete":
        gone = delete_entries(request.actor, base_id=base.pk, entry_ids=ids)
        offer_undo(request, base.pk, gone)
    else:
        number = change_entries(
            request.actor, base_id=base.pk, entry_ids=ids, change=_change(request, asked)
        )
        said = ngettext("%(n)s entry changed.", "%(n)s entries changed.", number) % {"n": number}
        messages.success(request, said)
    return redirect(_next(request, base.pk))


@require_POST
def faq_restore(request: SpaceRequest, faq_id: UUID) -> HttpResponseBase:
    """Take back that entries were deleted."""
    wanted = [_uuid_or_none(each) for each in request.POST.getlist("entry")]
    try:
        number = restore_entries(
            request.actor, base_id=faq_id, entry_ids=[each for each in wanted if each]
        )
    except Conflict as refusal:
        messages.error(request, refusal.message)
    else:
        said = ngettext("%(n)s entry restored.", "%(n)s entries restored.", number)
        messages.success(request, said % {"n": number})
    return redirect(_next(request, faq_id))


@require_GET
def faq_search(request: SpaceRequest, faq_id: UUID) -> HttpResponse:
    """Show which entries a question finds, and how."""
    base = get_faq_base(request.actor, faq_id)
    tags = list(list_tags(request.actor, base.pk))
    form = FaqSearchForm(tags, request.GET if "question" in request.GET else None)
    result = None
    if form.is_bound and form.is_valid():
        limit_actor(request.actor, "search")
        result = search_entries(request.actor, base_id=base.pk, wanted=_search_of(form))
    context = {**head_of(request.actor, base), "form": form, "result": result}
    status = 422 if form.is_bound and not form.is_valid() else 200
    return render(
        request,
        "knowledge/faq_search.html",
        context,
        partial="knowledge/_faq_results.html",
        status=status,
    )


def _search_of(form: FaqSearchForm) -> FaqSearch:
    data = form.cleaned_data
    threshold = data["threshold"]
    return FaqSearch(
        question=data["question"],
        threshold=THRESHOLD if threshold is None else threshold,
        count=data["count"] or COUNT,
        first_tag_ids=tuple(map(int, data.get("first", ()))),
        second_tag_ids=tuple(map(int, data.get("second", ()))),
        only_recommended=data["only_recommended"],
    )


def _form(request: SpaceRequest, base: KnowledgeBase, initial: dict[str, Any]) -> EntryForm:
    tags = list(list_tags(request.actor, base.pk))
    posted = request.POST if request.method == "POST" else None
    return EntryForm(tags, posted, initial=initial)


def _editor(
    request: SpaceRequest, base: KnowledgeBase, form: EntryForm, *, entry: FaqEntry | None
) -> HttpResponse:
    context = {
        "base": base,
        "form": form,
        "entry": entry,
        "may_edit": may(request.actor, "edit", base),
        "problems": [],
    }
    return render(
        request,
        "knowledge/faq_entry.html",
        context,
        partial="knowledge/_faq_entry.html",
        status=422 if form.is_bound else 200,
    )


def _add_error(form: EntryForm, refusal: ProjectError) -> None:
    field = refusal.data.get("field")
    form.add_error(field if field in form.fields else None, refusal.message)


def _saved(request: SpaceRequest, base: KnowledgeBase, said: str) -> HttpResponseBase:
    """Empty the panel and let the table fetch itself; without htmx go back to the table."""
    if not wants_fragment(request):
        messages.success(request, said)
        return redirect("faq", base.pk)
    return announce(toast(HttpResponse(""), said, level="success"), CHANGED)


def _chosen(request: SpaceRequest, base: KnowledgeBase) -> list[UUID]:
    """Return the ticked entries, or all that match the filter."""
    if request.POST.get("all") == "1":
        from_address = filter_in(QueryDict(request.POST.get("query", "")))
        rows = list_entries(request.actor, base.pk, from_address)
        return list(rows.order_by().values_list("pk", flat=True))
    found = (_uuid_or_none(each) for each in request.POST.getlist("entry"))
    return [each for each in found if each is not None]


def _change(request: SpaceRequest, asked: str) -> Change:
    tag = request.POST.get("tag", "")
    strategy = request.POST.get("strategy", "")
    changes = {
        "enable": Change(is_enabled=True),
        "disable": Change(is_enabled=False),
        "recommend": Change(is_recommended=True),
        "hold_back": Change(is_recommended=False),
        "tag": Change(tag=tag),
    }
    if asked == "strategy" and strategy in AnswerStrategy.values:
        return Change(strategy=AnswerStrategy(strategy))
    if asked not in changes:
        raise Invalid(_("What is to be done with the entries? Choose an action from the bar."))
    return changes[asked]


def _next(request: SpaceRequest, base_id: UUID) -> str:
    following = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(following, allowed_hosts=None):
        return following
    return reverse("faq", args=[base_id])


def _uuid_or_none(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
