"""The page on which a proposal is merged with what its page became meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.access import require
from accounts.middleware import SpaceRequest
from core.errors import Conflict, Invalid
from core.htmx import render
from core.textdiff import Row, diff_lines
from core.textmerge import Clash
from wiki.changes.queries import get_change
from wiki.changes.rebasing import (
    LABELS,
    FieldClash,
    Rebase,
    needs_rebase,
    plan_rebase,
    rebase_change,
)
from wiki.changes.rights import is_own
from wiki.constants import ChangeState, PageKind, PageStatus
from wiki.queries import require_wiki
from wiki.rendering import page_url
from wiki.shown.heads import wiki_head

_CHOICES = ("ours", "theirs", "both", "own")


@dataclass(frozen=True, kw_only=True)
class ShownClash:
    """A place that both changed, as the page puts it before a person."""

    index: int
    rows: tuple[Row, ...]
    choice: str
    own: str


@dataclass(frozen=True, kw_only=True)
class ShownField:
    """A field that both changed."""

    name: str
    label: Any
    ours: str
    theirs: str
    choice: str


@require_http_methods(["GET", "POST"])
def wiki_change_merge(request: SpaceRequest, base_id: UUID, number: int) -> HttpResponseBase:
    """Merge; what both changed is decided by a person first."""
    actor = request.actor
    require_wiki(actor, base_id)
    change = get_change(actor, base_id, number)
    if not is_own(actor, change):
        require(actor, "change", change)
    if change.page is None or not needs_rebase(change):
        messages.error(request, _("There is nothing to merge: the page is as it was."))
        return redirect("wiki_change", base_id, number)
    plan = plan_rebase(change)
    problem = ""
    if request.method == "POST":
        try:
            field_answers, answers = _answers(request, plan)
            merged = rebase_change(
                actor,
                change,
                edition=_number(request, "edition"),
                onto_version=_number(request, "onto"),
                field_answers=field_answers,
                answers=answers,
            )
        except (Conflict, Invalid) as refusal:
            problem = refusal.message
        else:
            if merged.state == ChangeState.SUPERSEDED:
                messages.success(
                    request, _("The page says all of it already: nothing is left to do.")
                )
            else:
                messages.success(request, _("Merged. The new text is reviewed from the beginning."))
            return redirect("wiki_change", base_id, number)
    context = {
        **wiki_head(actor, change.base, tab="changes"),
        "change": change,
        "page_url": page_url(change.base_id, change.page.slug),
        "plan": plan,
        "fields": [_field(request, each) for each in plan.field_clashes],
        "clashes": [_clash(request, n, each) for n, each in enumerate(plan.merge.clashes)],
        "total": len(plan.field_clashes) + len(plan.merge.clashes),
        "preview": ()
        if plan.merge.clashes
        else diff_lines(change.page.content, plan.text.content, context=3),
        "problem": problem,
    }
    return render(request, "wiki/change_merge.html", context, status=409 if problem else 200)


def _answers(request: SpaceRequest, plan: Rebase) -> tuple[dict[str, str], tuple[str, ...]]:
    posted = request.POST
    fields = {
        clash.name: clash.ours if posted.get(f"field-{clash.name}") == "ours" else clash.theirs
        for clash in plan.field_clashes
        if posted.get(f"field-{clash.name}") in ("ours", "theirs")
    }
    answers = [
        _answer(clash, posted.get(f"choice-{n}", ""), posted.get(f"own-{n}", ""))
        for n, clash in enumerate(plan.merge.clashes)
    ]
    return fields, tuple(answers)


def _answer(clash: Clash, choice: str, own: str) -> str:
    if choice == "ours":
        return clash.ours
    if choice == "theirs":
        return clash.theirs
    if choice == "both":
        return clash.resolved("both")
    if choice == "own":
        text = own.replace("\r\n", "\n")
        return text if not text or text.endswith("\n") else f"{text}\n"
    raise Invalid(_("Decide about each place that both changed."))


def _clash(request: SpaceRequest, n: int, clash: Clash) -> ShownClash:
    choice = request.POST.get(f"choice-{n}", "")
    return ShownClash(
        index=n,
        rows=diff_lines(clash.ours, clash.theirs),
        choice=choice if choice in _CHOICES else "",
        own=request.POST.get(f"own-{n}", clash.theirs),
    )


def _field(request: SpaceRequest, clash: FieldClash) -> ShownField:
    return ShownField(
        name=clash.name,
        label=LABELS[clash.name],
        ours=_value(clash.name, clash.ours),
        theirs=_value(clash.name, clash.theirs),
        choice=request.POST.get(f"field-{clash.name}", ""),
    )


def _value(name: str, value: str) -> str:
    if name == "kind":
        return str(PageKind(value).label)
    return str(PageStatus(value).label) if name == "status" else value


def _number(request: SpaceRequest, name: str) -> int:
    text = request.POST.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
