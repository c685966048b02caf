"""The editor of a page: its form, a draft to restore, who else writes, a conflict."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from accounts.access import Actor, may
from knowledge.models import KnowledgeBase
from wiki.constants import MAX_CONTENT, MAX_SLUG, MAX_TITLE, PageKind, PageStatus, ReviewMode
from wiki.models import WikiDraft, WikiFolder, WikiPage, WikiSettings
from wiki.services.drafts import draft_of, drafts_of_new_pages, who_writes

PUBLISHING = (
    (PageStatus.PUBLISHED, _("Published")),
    (PageStatus.DRAFT, _("Draft: for editors only")),
)


class PageForm(forms.Form):
    """What a person writes of a page."""

    title = forms.CharField(label=_("Title"), max_length=MAX_TITLE)
    slug = forms.CharField(
        label=_("Address"),
        max_length=MAX_SLUG,
        required=False,
        help_text=_("Left empty, it is made of kind and title. It can be changed later."),
    )
    kind = forms.ChoiceField(label=_("Kind"), choices=PageKind.choices)
    folder = forms.ChoiceField(label=_("Folder"), required=False)
    status = forms.ChoiceField(label=_("State"), choices=PageStatus.choices)
    summary = forms.CharField(
        label=_("Summary"),
        max_length=500,
        required=False,
        help_text=_("One line, shown in lists."),
    )
    aliases = forms.CharField(
        label=_("Other names"),
        max_length=2000,
        required=False,
        help_text=_("Separated by commas: what else the subject is called."),
    )
    content = forms.CharField(
        label=_("Text"), max_length=MAX_CONTENT, required=False, strip=False, widget=forms.Textarea
    )
    reason = forms.CharField(
        label=_("What you changed, and why"),
        max_length=500,
        required=False,
        help_text=_("For the history and for reviewers."),
    )

    def __init__(self, *args: Any, folders: list[WikiFolder], is_new: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if is_new:
            choices = [("", _("At the top")), *((str(each.pk), each.path) for each in folders)]
            self.fields["folder"] = forms.ChoiceField(
                label=_("Folder"), choices=choices, required=False
            )
        else:
            del self.fields["slug"], self.fields["folder"]

    def clean_content(self) -> str:
        """Return the text with the ends of lines that pages have, whatever the browser sent."""
        content = str(self.cleaned_data["content"]).replace("\r\n", "\n")
        if all(f"\n{mark * 7} " in f"\n{content}" for mark in "<>"):
            raise forms.ValidationError(
                _(
                    "Lines that begin with <<<<<<< or >>>>>>> are left of a merge: choose and remove them."
                )
            )
        return content

    @property
    def alias_list(self) -> list[str]:
        """The other names, one each."""
        return [each.strip() for each in self.cleaned_data["aliases"].split(",") if each.strip()]


def initial_of(page: WikiPage) -> dict[str, str]:
    """Return what the form of a page begins with."""
    return {
        "title": page.title,
        "kind": page.kind,
        "status": page.status,
        "summary": page.summary,
        "aliases": ", ".join(page.aliases),
        "content": page.content,
        "reason": "",
    }


def editor_context(
    actor: Actor,
    base: KnowledgeBase,
    page: WikiPage | None,
    form: PageForm,
    *,
    on_version: int,
    draft: WikiDraft | None,
    restored: bool,
) -> dict[str, Any]:
    """Return what `wiki/edit.html` takes but the head; `draft` is the one that is written on."""
    waits = _waits(actor, base, page)
    offered = None
    if not restored:
        offered = draft_of(actor, page) if page else None
    return {
        "page": page,
        "form": form,
        "on_version": on_version,
        "draft": draft,
        "restored": restored,
        "offered": offered,
        "new_drafts": drafts_of_new_pages(actor, base.pk) if page is None and not restored else [],
        "writers": who_writes(actor, page),
        "is_behind": page is not None and on_version < page.version,
        "waits": waits,
        "may_propose": not waits and actor.user_id is not None,
        "complete_url": reverse("wiki_complete", args=[base.pk]),
        "draft_url": "" if actor.is_guest else reverse("wiki_draft", args=[base.pk]),
        "picture_url": reverse("wiki_pictures", args=[base.pk]),
        "preview_url": reverse("wiki_preview", args=[base.pk]),
    }


def _waits(actor: Actor, base: KnowledgeBase, page: WikiPage | None) -> bool:
    """Whether what the actor hands in becomes a change request."""
    if not may(actor, "change", page or base) and not may(actor, "edit", base):
        return True
    settings = WikiSettings.objects.filter(base=base).first()
    mode = (page.review if page else "") or (settings.review if settings else "")
    return mode == ReviewMode.ALL


def uuid_or_none(text: str) -> UUID | None:
    """Return the id that a form sent; None for anything else."""
    try:
        return UUID(text)
    except ValueError:
        return None
