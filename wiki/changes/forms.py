"""What people write about a change request, and the text that they hand in again."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from wiki.constants import MAX_CONTENT, MAX_SLUG, MAX_TITLE, PageKind, PageStatus
from wiki.models import WikiChange
from wiki.values import PageText


class MendForm(forms.Form):
    """The text of a proposal, to be handed in again."""

    title = forms.CharField(label=_("Title"), max_length=MAX_TITLE)
    slug = forms.CharField(label=_("Address"), max_length=MAX_SLUG)
    kind = forms.ChoiceField(label=_("Kind"), choices=PageKind.choices)
    status = forms.ChoiceField(label=_("State"), choices=PageStatus.choices)
    summary = forms.CharField(label=_("Summary"), max_length=2000, required=False)
    aliases = forms.CharField(
        label=_("Other names"),
        required=False,
        help_text=_("One a line: what else the subject is called."),
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    content = forms.CharField(
        label=_("Text"),
        max_length=MAX_CONTENT,
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 22, "spellcheck": "true"}),
    )
    reason = forms.CharField(
        label=_("What you changed, and why"),
        max_length=500,
        required=False,
        help_text=_("For the history and for reviewers."),
    )

    @staticmethod
    def begin_with(change: WikiChange) -> dict[str, str]:
        """Return what stands in the form first."""
        return {
            "title": change.title,
            "slug": change.slug,
            "kind": change.kind,
            "status": change.status,
            "summary": change.summary,
            "aliases": "\n".join(change.aliases),
            "content": change.content,
            "reason": change.reason,
        }

    def text(self, change: WikiChange) -> PageText:
        """Return what was written; ends of lines stay as the proposal has them."""
        written = self.cleaned_data
        content = written["content"].replace("\r\n", "\n")
        if "\r\n" in change.content:
            content = content.replace("\n", "\r\n")
        return PageText(
            slug=written["slug"],
            title=written["title"],
            kind=PageKind(written["kind"]),
            status=PageStatus(written["status"]),
            summary=written["summary"],
            content=content,
            aliases=tuple(filter(None, map(str.strip, written["aliases"].splitlines()))),
        )
