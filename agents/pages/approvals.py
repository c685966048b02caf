"""Contexts of the approvals desk."""

from __future__ import annotations

from typing import Any, get_args

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from agents.approvals.cards import LikeCalls, card_of, like_calls
from agents.approvals.forms import BatchForm
from agents.approvals.queries import Tab, list_done, list_of_others, list_waiting
from agents.models import Approval
from agents.tracing.closed import closed_runs

DONE_ON_A_PAGE = 25
SHOWN_AT_ONCE = 100


def desk_context(actor: Actor, *, wanted_tab: str, page: str) -> dict[str, Any]:
    """Return the context of `approvals/page.html`."""
    tab = _tab(wanted_tab)
    waiting, others = list_waiting(actor), list_of_others(actor)
    rows: list[Approval]
    page_obj = None
    if tab == "done":
        page_obj = Paginator(list_done(actor), DONE_ON_A_PAGE).get_page(page)
        rows = list(page_obj.object_list)
    else:
        rows = list((waiting if tab == "mine" else others)[:SHOWN_AT_ONCE])
    asked = Approval.objects.filter(pk__in=[row.pk for row in rows])
    decidable = set(visible(actor, "change", asked).values_list("pk", flat=True))
    closed = closed_runs(actor, [row.run_id for row in rows])
    return {
        "tab": tab,
        "tabs": _tabs(waiting, others),
        "cards": [
            card_of(
                row,
                actor=actor,
                place="desk",
                may_decide=row.pk in decidable,
                is_closed=row.run_id in closed,
            )
            for row in rows
        ],
        "groups": _groups(like_calls(rows)) if tab == "mine" else [],
        "page_obj": page_obj,
        "empty": _empty(tab),
    }


def _tab(wanted: str) -> Tab:
    for name in get_args(Tab):
        if name == wanted:
            found: Tab = name
            return found
    return "mine"


def _tabs(waiting: QuerySet[Approval], others: QuerySet[Approval]) -> list[dict[str, Any]]:
    return [
        {"name": "mine", "label": _("Waiting for me"), "count": waiting.count()},
        {"name": "others", "label": _("Others'"), "count": others.count()},
        {"name": "done", "label": _("Done"), "count": None},
    ]


def _groups(groups: list[LikeCalls]) -> list[dict[str, Any]]:
    found = []
    for number, group in enumerate(groups, start=1):
        items = list(group.items)
        found.append(
            {
                "tool": group.tool,
                "count": group.count,
                "approve_id": f"approve-all-{number}",
                "reject_id": f"reject-all-{number}",
                "approve_form": BatchForm(items=items, auto_id=f"approve-{number}-%s"),
                "reject_form": BatchForm(items=items, auto_id=f"reject-{number}-%s"),
            }
        )
    return found


def _empty(tab: Tab) -> dict[str, str]:
    texts = {
        "mine": (
            _("Nothing waits for you."),
            _("Calls of agents that need your approval are listed here and in their conversation."),
        ),
        "others": (
            _("Nothing waits for others."),
            _("Calls that somebody else decides, as far as you may see them, are listed here."),
        ),
        "done": (
            _("Nothing was decided yet."),
            _("Who decided what, when and why stays listed here."),
        ),
    }
    title, text = texts[tab]
    return {"title": title, "text": text}
