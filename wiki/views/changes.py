"""Pages of change requests: the list of a wiki, one request, its verdicts, comments and text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import require
from accounts.middleware import SpaceRequest
from core.errors import AccessDenied, Conflict, Invalid, NotFound, ProjectError
from core.htmx import render
from wiki.changes.batch import decide_many
from wiki.changes.deciding import (
    publish_change,
    reopen_change,
    resubmit_change,
    review_change,
    withdraw_change,
)
from wiki.changes.forms import MendForm
from wiki.changes.queries import (
    TABS,
    Tab,
    changes_of,
    get_change,
    list_changes,
    readable,
    waiting_changes,
)
from wiki.changes.rights import is_own
from wiki.changes.talking import ask_reviewers, comment_change, delete_comment
from wiki.constants import OPEN_CHANGE_STATES, AuthorKind, Verdict
from wiki.models import WikiChange
from wiki.queries import require_wiki
from wiki.shown.changes import change_context, change_lines, empty_words
from wiki.shown.heads import wiki_head

A_PAGE = 30
_KINDS = (AuthorKind.USER, AuthorKind.AGENT, AuthorKind.PIPELINE)


@require_GET
def wiki_changes(request: SpaceRequest, base_id: UUID) -> HttpResponse:
    """Show the change requests of a wiki."""
    actor = request.actor
    base = require_wiki(actor, base_id)
    tab: Tab = next((each for each in TABS if each == request.GET.get("tab")), "open")
    rows = list_changes(actor, tab, base_id=base.pk)
    by = request.GET.get("by", "")
    if by in _KINDS:
        rows = rows.filter(author_kind=by)
    asked = " ".join(request.GET.get("q", "").replace("\x00", "").split())[:200]
    if asked:
        rows = rows.filter(title__icontains=asked)
    page = Paginator(rows, A_PAGE).get_page(request.GET.get("page"))
    lines = change_lines(actor, readable(actor, page.object_list))
    title, text = empty_words(tab)
    context = {
        **wiki_head(actor, base, tab="changes"),
        "which": tab,
        "tabs": _tabs(waiting_changes(actor, base_id=base.pk).count()),
        "by": by,
        "kinds": [(kind.value, kind.label) for kind in _KINDS],
        "q": asked,
        "lines": lines,
        "may_batch": sum(line.may_decide for line in lines) > 0,
        "page_obj": page,
        "empty": {"title": title, "text": text},
    }
    return render(request, "wiki/changes.html", context, partial="wiki/_changes.html")


@require_POST
def wiki_changes_batch(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Approve and publish, or reject, what is ticked."""
    actor = request.actor
    base = require_wiki(actor, base_id)
    require(actor, "edit", base)
    numbers = [int(each) for each in request.POST.getlist("number") if _is_number(each)]
    rows = changes_of(actor, base_id=base.pk).filter(number__in=numbers).order_by("number")
    verdict = _verdict(request.POST.get("verdict", ""))
    batch = decide_many(
        actor,
        readable(actor, rows),
        verdict=verdict,
        note=request.POST.get("note", ""),
        never_again=request.POST.get("never_again") == "on",
    )
    if batch.done:
        n = len(batch.done)
        done = (
            ngettext(
                "%(n)d change request was approved.", "%(n)d change requests were approved.", n
            )
            if verdict == Verdict.APPROVE
            else ngettext(
                "%(n)d change request was rejected.", "%(n)d change requests were rejected.", n
            )
        )
        messages.success(request, done % {"n": n})
    for change, reason in batch.failed:
        messages.error(request, f"#{change.number}: {reason}")
    if not batch.done and not batch.failed:
        messages.error(request, _("Tick what you decide about."))
    return redirect("wiki_changes", base.pk)


@require_GET
def wiki_change(request: SpaceRequest, base_id: UUID, number: int) -> HttpResponse:
    """Show one change request."""
    return _shown(request, _one(request, base_id, number))


@require_POST
def wiki_change_act(request: SpaceRequest, base_id: UUID, number: int) -> HttpResponseBase:
    """Give a verdict, publish, take back, reopen; what is wrong is told on the page."""
    change = _one(request, base_id, number)
    act = _ACTS.get(request.POST.get("action", ""))
    if act is None:
        raise Invalid(_("Choose what is to be done."))
    try:
        said = act(request, change)
    except (AccessDenied, Conflict, Invalid) as refusal:
        if refusal.http_status == 403 and not is_own(request.actor, change):
            require(request.actor, "change", change)
        return _shown(request, _one(request, base_id, number), problem=refusal)
    messages.success(request, said)
    return redirect("wiki_change", base_id, number)


@require_POST
def wiki_change_comment(request: SpaceRequest, base_id: UUID, number: int) -> HttpResponseBase:
    """Say something, or take back what one said."""
    change = _one(request, base_id, number)
    line = request.POST.get("line", "")
    try:
        if request.POST.get("delete"):
            delete_comment(request.actor, change, comment_id=_uuid(request.POST["delete"]))
        else:
            comment_change(
                request.actor,
                change,
                text=request.POST.get("text", ""),
                line=int(line) if _is_number(line) else None,
            )
    except Invalid as refusal:
        return _shown(request, change, problem=refusal, said=request.POST.get("text", ""))
    return redirect("wiki_change", base_id, number)


@require_POST
def wiki_change_reviewers(request: SpaceRequest, base_id: UUID, number: int) -> HttpResponseBase:
    """Let exactly the ticked people be asked."""
    change = _one(request, base_id, number)
    chosen = [int(each) for each in request.POST.getlist("reviewer") if _is_number(each)]
    try:
        ask_reviewers(request.actor, change, user_ids=chosen)
    except Invalid as refusal:
        return _shown(request, change, problem=refusal)
    messages.success(request, _("Saved."))
    return redirect("wiki_change", base_id, number)


@require_http_methods(["GET", "POST"])
def wiki_change_edit(request: SpaceRequest, base_id: UUID, number: int) -> HttpResponseBase:
    """Change the text of a proposal and hand it in again."""
    actor = request.actor
    change = _one(request, base_id, number)
    if not is_own(actor, change):
        require(actor, "change", change)
    if change.state not in OPEN_CHANGE_STATES:
        messages.error(request, _("It is decided: its text cannot be changed any more."))
        return redirect("wiki_change", base_id, number)
    edition = change.edition
    form = MendForm(initial=MendForm.begin_with(change))
    if request.method == "POST":
        form = MendForm(request.POST)
        posted = request.POST.get("edition", "")
        edition = int(posted) if _is_number(posted) else 0
        if form.is_valid():
            try:
                resubmit_change(
                    actor,
                    change,
                    edition=edition,
                    text=form.text(change),
                    reason=form.cleaned_data["reason"],
                )
            except (Conflict, Invalid) as refusal:
                form.add_error(None, refusal.message)
            else:
                messages.success(request, _("Handed in. Reviewers look at the new text."))
                return redirect("wiki_change", base_id, number)
    context = {
        **wiki_head(actor, change.base, tab="changes"),
        "change": change,
        "form": form,
        "edition": edition,
        "asked": [each for each in change.reviews.all() if each.verdict == Verdict.ASK],
    }
    return render(request, "wiki/change_edit.html", context, status=422 if form.errors else 200)


def _one(request: SpaceRequest, base_id: UUID, number: int) -> WikiChange:
    require_wiki(request.actor, base_id)
    return get_change(request.actor, base_id, number)


def _shown(
    request: SpaceRequest,
    change: WikiChange,
    *,
    problem: ProjectError | None = None,
    said: str = "",
) -> HttpResponse:
    context = {
        **wiki_head(request.actor, change.base, tab="changes"),
        **change_context(request.actor, change),
        "problem": problem.message if problem else "",
        "note": request.POST.get("note", ""),
        "said": said,
    }
    status = problem.http_status if problem else 200
    return render(request, "wiki/change.html", context, status=status)


def _give(verdict: Verdict, *, publish: bool = False) -> Callable[[SpaceRequest, WikiChange], str]:
    def act(request: SpaceRequest, change: WikiChange) -> str:
        posted = request.POST.get("edition", "")
        decided = review_change(
            request.actor,
            change,
            verdict=verdict,
            edition=int(posted) if _is_number(posted) else 0,
            note=request.POST.get("note", ""),
            publish=publish,
            never_again=request.POST.get("never_again") == "on",
        )
        return _("Saved: it is “%(state)s” now.") % {"state": decided.get_state_display()}

    return act


def _publish(request: SpaceRequest, change: WikiChange) -> str:
    publish_change(request.actor, change)
    return _("Published.")


def _withdraw(request: SpaceRequest, change: WikiChange) -> str:
    withdraw_change(request.actor, change)
    return _("It is your draft again: nobody else sees it.")


def _give_up(request: SpaceRequest, change: WikiChange) -> str:
    withdraw_change(request.actor, change, for_good=True)
    return _("You gave it up.")


def _reopen(request: SpaceRequest, change: WikiChange) -> str:
    reopen_change(request.actor, change)
    return _("It is in review again.")


_ACTS: Mapping[str, Callable[[SpaceRequest, WikiChange], str]] = {
    "approve": _give(Verdict.APPROVE),
    "approve_publish": _give(Verdict.APPROVE, publish=True),
    "ask": _give(Verdict.ASK),
    "reject": _give(Verdict.REJECT),
    "publish": _publish,
    "withdraw": _withdraw,
    "give_up": _give_up,
    "reopen": _reopen,
}


def _tabs(waiting: int) -> list[dict[str, Any]]:
    return [
        {"name": "waiting", "label": _("Waiting for me"), "count": waiting},
        {"name": "open", "label": _("Open"), "count": None},
        {"name": "mine", "label": _("Mine"), "count": None},
        {"name": "all", "label": _("All"), "count": None},
    ]


def _verdict(value: str) -> Verdict:
    if value not in (Verdict.APPROVE, Verdict.REJECT):
        raise Invalid(_("Choose what is to be done."))
    return Verdict(value)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise NotFound(_("There is no such comment of yours.")) from None
