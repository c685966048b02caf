"""Names of what a timeline holds, for people."""

from __future__ import annotations

from django.utils.translation import gettext as _, gettext_lazy

from agents.tracing.spans import Span

NOTES = {
    "answer_from_results": gettext_lazy("Answered from the results"),
    "answer_cut": gettext_lazy("Answer cut"),
    "answer_unfinished": gettext_lazy("Answer not finished"),
    "calls_cut": gettext_lazy("Tool calls cut"),
    "too_many_calls": gettext_lazy("Too many tool calls"),
    "results_shortened": gettext_lazy("Results shortened"),
    "summary_failed": gettext_lazy("No summary: raw text kept"),
    "context_compacted": gettext_lazy("Older messages summarised"),
    "model_retry": gettext_lazy("Asked again after a failure"),
}
RESOLUTIONS = {
    "approved": gettext_lazy("Approved"),
    "edited": gettext_lazy("Approved with changes"),
    "rejected": gettext_lazy("Rejected"),
    "expired": gettext_lazy("Nobody answered in time"),
    "cancelled": gettext_lazy("Run stopped"),
}


def purpose_label(span: Span) -> str:
    """Return what a call of the model was for."""
    if span.purpose == "synthesis":
        return _("last answer")
    if span.purpose == "summary":
        return _("summary of older messages")
    if span.purpose == "understanding":
        return _("understanding the question")
    if span.purpose == "interrupted":
        return _("interrupted, asked again")
    if span.ended is None:
        return _("in progress")
    return _("plan") if span.said else _("reasoning")
