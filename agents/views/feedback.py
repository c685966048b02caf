"""Thumbs on answers, and the lists of who edits a base: feedback, unanswered questions."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import require
from accounts.middleware import SpaceRequest
from agents.constants import FeedbackState
from agents.feedback.giving import give_feedback, take_feedback_back
from agents.feedback.handling import (
    answer_topic,
    dismiss_topic,
    handle_feedback,
    take_as_golden,
)
from agents.feedback.queries import list_feedback, list_topics
from agents.pages.feedback import faq_choices, feedback_row, thumbs_context
from agents.queries import get_run
from core.errors import Invalid, ProjectError
from core.htmx import render, wants_fragment
from knowledge.pages.heads import head_of
from knowledge.queries import get_base

ROWS_A_PAGE = 30


@require_POST
def run_feedback(request: SpaceRequest, run_id: UUID) -> HttpResponseBase:
    """Take or take back a thumb; answers with the thumbs as they are then."""
    run = get_run(request.actor, run_id)
    value = request.POST.get("value", "")
    row = None
    if value in ("up", "down"):
        row = give_feedback(
            request.actor,
            run_id=run.pk,
            is_up=value == "up",
            reasons=request.POST.getlist("reason"),
            words=request.POST.get("words", ""),
        )
    elif value == "none":
        take_feedback_back(request.actor, run_id=run.pk)
    else:
        raise Invalid(_("Say up, down or none."))
    if not wants_fragment(request):
        return redirect("conversation", run.conversation_id)
    asks = value == "down" and "sent" not in request.POST
    thumbs = thumbs_context(request.actor, run, row, asks=asks)
    context = {"thumbs": thumbs, "is_thanked": "sent" in request.POST or value == "up"}
    return render(request, "feedback/_thumbs.html", context)


@require_http_methods(["GET", "POST"])
def base_feedback(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Show what people think of answers from a base; take it as golden, handle it, dismiss it."""
    base = get_base(request.actor, base_id)
    require(request.actor, "edit", base)
    if request.method == "POST":
        try:
            _handle(request, base.pk)
        except Invalid as refusal:
            messages.error(request, refusal.message)
        return redirect("base_feedback", base.pk)
    state = request.GET.get("state", FeedbackState.OPEN)
    rows = list_feedback(request.actor, base.pk, state=state)
    page = Paginator(rows, ROWS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        **head_of(request.actor, base),
        "rows": [feedback_row(seen) for seen in page],
        "page_obj": page,
        "state": state,
        "states": [*FeedbackState.choices, ("all", _("All"))],
    }
    return render(request, "feedback/base.html", context)


@require_http_methods(["GET", "POST"])
def base_unanswered(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Show questions that a base did not answer, by topic; answer them into an FAQ, or dismiss."""
    base = get_base(request.actor, base_id)
    require(request.actor, "edit", base)
    if request.method == "POST":
        try:
            _answer(request, base.pk)
        except ProjectError as refusal:
            if refusal.http_status in (403, 404):
                raise
            messages.error(request, refusal.message)
        return redirect("base_unanswered", base.pk)
    page = Paginator(list_topics(request.actor, base.pk), ROWS_A_PAGE)
    found = page.get_page(request.GET.get("page"))
    context = {
        **head_of(request.actor, base),
        "topics": list(found),
        "page_obj": found,
        "faqs": faq_choices(request.actor),
    }
    return render(request, "feedback/unanswered.html", context)


def _handle(request: SpaceRequest, base_id: UUID) -> None:
    asked, chosen = request.POST.get("action", ""), _id(request.POST.get("feedback", ""))
    if asked == "golden":
        try:
            take_as_golden(request.actor, base_id=base_id, feedback_id=chosen)
        except ProjectError as refusal:
            if refusal.http_status in (403, 404):
                raise
            raise Invalid(refusal.message) from refusal
        messages.success(request, _("It is a draft among the golden questions now."))
    elif asked in ("handled", "dismiss"):
        handle_feedback(
            request.actor,
            base_id=base_id,
            feedback_id=chosen,
            is_dismissed=asked == "dismiss",
            note=request.POST.get("note", ""),
        )
        messages.success(request, _("The feedback was put away."))
    else:
        raise Invalid(_("What is to be done with the feedback? Say golden, handled or dismiss."))


def _answer(request: SpaceRequest, base_id: UUID) -> None:
    asked, topic_id = request.POST.get("action", ""), _id(request.POST.get("topic", ""))
    if asked == "answer":
        answer_topic(
            request.actor,
            base_id=base_id,
            topic_id=topic_id,
            faq_id=_id(request.POST.get("faq", "")),
            question=request.POST.get("question", ""),
            answer=request.POST.get("answer", ""),
        )
        messages.success(request, _("The answer was added, and those who asked are told."))
    elif asked == "dismiss":
        note = request.POST.get("note", "")
        dismiss_topic(request.actor, base_id=base_id, topic_id=topic_id, note=note)
        messages.success(request, _("The questions were put away."))
    else:
        raise Invalid(_("What is to be done with the questions? Say answer or dismiss."))


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise Invalid(_("Choose one of the list.")) from error
