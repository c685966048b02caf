"""Pages of the issues of a wiki: the list, checking, mending, reporting."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.middleware import SpaceRequest
from core.errors import Invalid, NotFound, ProjectError
from core.htmx import render, wants_fragment
from knowledge.models import KnowledgeBase
from wiki.constants import IssueKind, IssueState
from wiki.issues.fixes import propose_fix
from wiki.issues.flagging import (
    FLAGGED_KINDS,
    LONGEST,
    flag_issue,
    get_issue,
    list_issues,
    set_issue_state,
)
from wiki.issues.lint import lint_of, start_lint, stop_lint
from wiki.queries import get_page, require_wiki
from wiki.rendering import page_url
from wiki.shown.heads import wiki_head
from wiki.shown.issues import issue_rows, lint_context

ROWS_A_PAGE = 50
UNDO_KEY = "wiki:issue"


class FlagForm(forms.Form):
    """What is wrong with a page."""

    kind = forms.ChoiceField(
        label=gettext_lazy("What kind of problem is it?"),
        choices=[(each.value, each.label) for each in FLAGGED_KINDS],
    )
    description = forms.CharField(
        label=gettext_lazy("What is wrong?"),
        max_length=LONGEST,
        help_text=gettext_lazy("Quote the words, and say what is right and where that stands."),
        widget=forms.Textarea({"rows": 6}),
    )


@require_GET
def wiki_issues(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Show what is wrong in a wiki; its check alone for polling, its rows alone for filters."""
    actor, asked = request.actor, request.GET
    base = require_wiki(actor, base_id)
    head = wiki_head(actor, base, tab="issues")
    check = lint_context(lint_of(actor, base))
    if wants_fragment(request) and asked.get("part") == "check":
        return render(request, "wiki/_issues_check.html", {**head, **check})
    state = asked.get("state", IssueState.PENDING)
    state = state if state in (*IssueState.values, "") else IssueState.PENDING
    kind = asked.get("kind", "")
    kind = kind if kind in IssueKind.values else ""
    of_page = _uuid(asked.get("page"))  # a number there is the page of the list
    rows = list_issues(actor, [base.pk], state=state, kind=kind, page_id=of_page)
    page = Paginator(rows, ROWS_A_PAGE).get_page(asked.get("page"))
    context = {
        **head,
        **check,
        "rows": issue_rows(actor, list(page), may_edit=head["may_edit"]),
        "page_obj": page,
        "state": state,
        "kind": kind,
        "states": [*IssueState.choices, ("", _("All"))],
        "kinds": IssueKind.choices,
        "is_narrowed": bool(kind or of_page or state != IssueState.PENDING),
        "undo": None if wants_fragment(request) else _take_undo(request, base),
    }
    return render(request, "wiki/issues.html", context, partial="wiki/_issues_rows.html")


@require_POST
def wiki_lint(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Begin to check all pages of a wiki, or stop that."""
    base = require_wiki(request.actor, base_id)
    try:
        if request.POST.get("action") == "stop":
            stop_lint(request.actor, base)
            messages.success(request, _("Stopped. What was found stays."))
        else:
            start_lint(request.actor, base)
            messages.success(request, _("The wiki is being checked."))
    except ProjectError as refusal:
        if refusal.http_status in (403, 404):
            raise
        messages.error(request, refusal.message)
    return redirect("wiki_issues", base.pk)


@require_POST
def wiki_issue_act(request: SpaceRequest, base_id: UUID, issue_id: UUID) -> HttpResponseBase:
    """Settle an issue, open it again, or propose what would mend it."""
    actor, action = request.actor, request.POST.get("action", "")
    base = require_wiki(actor, base_id)
    issue = get_issue(actor, issue_id)
    if issue.base_id != base.pk:
        raise NotFound(_("There is no such issue."))
    try:
        if action == "fix":
            outcome = propose_fix(actor, issue.pk)
            messages.success(request, outcome.note or _("A change request was opened."))
        elif action in IssueState.values:
            was = issue.state
            set_issue_state(actor, issue.pk, state=action)
            request.session[UNDO_KEY] = {
                "base": str(base.pk),
                "issue": str(issue.pk),
                "was": was,
                "now": action,
                "title": issue.page.title,
            }
        else:
            raise Invalid(_("Choose what is to be done with the issue."))
    except ProjectError as refusal:
        if refusal.http_status in (403, 404):
            raise
        messages.error(request, refusal.message)
    back = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}):
        return redirect(back)
    return redirect("wiki_issues", base.pk)


@require_http_methods(["GET", "POST"])
def wiki_flag(request: SpaceRequest, base_id: UUID, page_id: UUID) -> HttpResponseBase:
    """Report what is wrong with a page."""
    actor = request.actor
    base = require_wiki(actor, base_id)
    page = get_page(actor, page_id)
    if page.base_id != base.pk:
        raise NotFound(_("There is no such page."))
    form = FlagForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            _issue, is_new = flag_issue(actor, page, **form.cleaned_data)
        except Invalid as refusal:
            form.add_error("description", refusal.message)
        else:
            messages.success(
                request,
                _("Thank you: it was reported.") if is_new else _("This was reported before."),
            )
            return redirect(page_url(base.pk, page.slug))
    context = {
        **wiki_head(actor, base, tab="pages"),
        "page": page,
        "page_url": page_url(base.pk, page.slug),
        "form": form,
    }
    status = 422 if form.is_bound else 200
    return render(request, "wiki/issue_flag.html", context, status=status)


def _take_undo(request: SpaceRequest, base: KnowledgeBase) -> dict[str, str] | None:
    """Return, once, what was just settled."""
    offer: dict[str, str] | None = request.session.get(UNDO_KEY)
    if offer is None or offer["base"] != str(base.pk):
        return None
    del request.session[UNDO_KEY]
    return {**offer, "label": str(IssueState(offer["now"]).label)}


def _uuid(text: str | None) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        return None
