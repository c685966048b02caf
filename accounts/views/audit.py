"""Pages of the audit log of a space, for its admins."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from django import forms
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy as _, pgettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.access import Actor
from accounts.audit_pages import csv_head, csv_lines, json_lines, rows_of
from accounts.audit_words import AREAS, OUTCOMES
from accounts.middleware import SpaceRequest
from accounts.models import AuditEvent, Membership
from accounts.services.audit_reading import Wanted, begin_export, read_audit, read_for_export
from core.aio import in_db
from core.dates import DayField
from core.errors import Invalid, Refused
from core.htmx import render


class AuditForm(forms.Form):
    """Which events are shown."""

    person = forms.ChoiceField(label=_("Person"), required=False)
    area = forms.ChoiceField(
        label=_("Area"), required=False, choices=[("", _("Everything")), *AREAS.items()]
    )
    outcome = forms.ChoiceField(
        label=_("Outcome"), required=False, choices=[("", _("Any outcome")), *OUTCOMES.items()]
    )
    since = DayField(label=pgettext_lazy("start of a period", "From"), required=False)
    until = DayField(label=pgettext_lazy("end of a period", "To"), required=False)

    def __init__(self, *args: Any, people: list[tuple[str, str]], **kwargs: Any) -> None:
        """Offer `people`, by the id that events have."""
        super().__init__(*args, **kwargs)
        field = self.fields["person"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", _("Everybody")), *people]
        for each in self.fields.values():
            each.widget.attrs["class"] = "chip"

    def wanted(self) -> Wanted:
        """Return what was chosen.

        Raises:
            Refused: something cannot be used: it must not show, or send, everything instead.
        """
        for name, texts in self.errors.items():
            problem = f"{self.fields[name].label}: {texts[0]}"
            raise Refused(problem)
        chosen = self.cleaned_data
        return Wanted(
            person_id=chosen["person"],
            area=chosen["area"],
            outcome=chosen["outcome"],
            since=chosen["since"],
            until=chosen["until"],
        )


@never_cache
@require_GET
def audit(request: SpaceRequest) -> HttpResponseBase:
    """Show the newest events; with `?after=` older ones."""
    form = _form(request)
    context = {"form": form, "is_first": "after" not in request.GET, "tab": "audit"}
    try:
        wanted = form.wanted()
    except Refused as refusal:
        # Asked all the same: who may not read the log is told that, and not what is wrong here.
        read_audit(request.actor, Wanted())
        return _show(request, {**context, "rows": [], "problem": refusal.message}, status=422)
    page = read_audit(request.actor, wanted, cursor=request.GET.get("after", ""))
    return _show(
        request, {**context, "rows": rows_of(page.events), "next_cursor": page.next_cursor}
    )


@never_cache
@require_GET
def audit_export(request: SpaceRequest) -> HttpResponseBase:
    """Send the chosen events as a file, while they are read.

    The first are read before it begins, so that what fails at once is answered with its error.
    """
    file_type = request.GET.get("type", "csv")
    if file_type not in ("csv", "jsonl"):
        raise Invalid(gettext("The log is exported as csv or jsonl."))
    wanted = _form(request).wanted()
    begin_export(request.actor, wanted, file_type=file_type)
    first = read_for_export(request.actor, wanted, before_pk=None)
    content_type = "text/csv" if file_type == "csv" else "application/x-ndjson"
    response = StreamingHttpResponse(
        _lines(request.actor, wanted, first, file_type=file_type),
        content_type=f"{content_type}; charset=utf-8",
    )
    day = timezone.localdate().isoformat()
    response["Content-Disposition"] = f'attachment; filename="audit-{day}.{file_type}"'
    return response


async def _lines(
    actor: Actor, wanted: Wanted, events: list[AuditEvent], *, file_type: str
) -> AsyncIterator[bytes]:
    """Yield the file, beginning with `events`, then some at a time; those of meanwhile are not in it."""
    if file_type == "csv":
        yield csv_head().encode()
    while events:
        lines = csv_lines(events) if file_type == "csv" else json_lines(events)
        yield lines.encode()
        events = await in_db(read_for_export, actor, wanted, before_pk=events[-1].pk)


def _show(request: SpaceRequest, context: dict[str, Any], *, status: int = 200) -> HttpResponse:
    return render(
        request,
        "accounts/audit.html",
        context,
        partial="accounts/_audit_events.html",
        status=status,
    )


def _form(request: SpaceRequest) -> AuditForm:
    members = Membership.objects.filter(space_id=request.actor.space_id).select_related("user")
    people = [(str(each.user_id), str(each.user)) for each in members]
    return AuditForm(request.GET, people=sorted(people, key=lambda each: each[1].casefold()))
