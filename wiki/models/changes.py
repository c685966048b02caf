"""Change requests: edits that wait for a person, and what is said about them."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.tenancy import SpaceOwned
from knowledge.models import KnowledgeBase
from wiki.constants import (
    MAX_SLUG,
    MAX_TITLE,
    AuthorKind,
    ChangeAction,
    ChangeState,
    PageKind,
    PageStatus,
    Verdict,
)
from wiki.models.pages import WikiFolder, WikiPage


class WikiChange(SpaceOwned):
    """A proposal for one page: the whole text that it would have, made on one version."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="wiki_changes")
    number = models.PositiveIntegerField()
    """Counts up within the base: how people name it."""
    page = models.ForeignKey(
        WikiPage, null=True, blank=True, on_delete=models.CASCADE, related_name="changes"
    )
    """None until a new page is published."""
    action = models.CharField(max_length=10, choices=ChangeAction.choices)
    state = models.CharField(
        max_length=15, choices=ChangeState.choices, default=ChangeState.IN_REVIEW
    )
    on_version = models.PositiveIntegerField(default=0)
    """The page's version that the proposal was made on; re-basing raises it."""
    edition = models.PositiveIntegerField(default=1)
    """Grows when the proposal's text changes: a verdict counts for the edition it was given on."""
    slug = models.CharField(max_length=MAX_SLUG)
    title = models.CharField(max_length=MAX_TITLE)
    kind = models.CharField(max_length=12, choices=PageKind.choices)
    status = models.CharField(
        max_length=10, choices=PageStatus.choices, default=PageStatus.PUBLISHED
    )
    summary = models.TextField(blank=True)
    content = models.TextField(blank=True)
    aliases = models.JSONField(default=list, blank=True)
    folder = models.ForeignKey(
        WikiFolder, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    sources = models.JSONField(default=dict, blank=True)
    """Hash of a sentence -> ids of the chunks it rests on."""
    author_kind = models.CharField(max_length=10, choices=AuthorKind.choices)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    agent_id = models.UUIDField(null=True, blank=True)
    run_id = models.UUIDField(null=True, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    risks = models.JSONField(default=list, blank=True)
    """What a reviewer should look at: [{"sign": name, "detail": text}], see `wiki.changes.risks`."""
    fingerprint = models.CharField(max_length=64)
    """SHA-256 over page and proposed text: what "do not propose again" remembers."""
    approved_by_rule = models.CharField(max_length=40, blank=True)
    published_number = models.PositiveIntegerField(null=True, blank=True)
    """Number of the revision that it became."""
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        verbose_name = _("change request")
        verbose_name_plural = _("change requests")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["base", "number"], name="one_wiki_change_per_number")
        ]
        indexes: ClassVar = [
            models.Index(fields=["base", "state", "-created_at"], name="wiki_change_open"),
            models.Index(fields=["page", "state"], name="wiki_change_of_page"),
        ]

    def __str__(self) -> str:
        return f"#{self.number} {self.title}"


class WikiReviewer(SpaceOwned):
    """Who is asked to review a change request; nobody: whoever may publish in the base."""

    change = models.ForeignKey(WikiChange, on_delete=models.CASCADE, related_name="reviewers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")

    class Meta:
        verbose_name = _("reviewer of a change request")
        verbose_name_plural = _("reviewers of change requests")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["change", "user"], name="one_wiki_reviewer")
        ]

    def __str__(self) -> str:
        return f"reviewer of {self.change_id}"


class WikiReview(SpaceOwned):
    """A reviewer's verdict on one edition of a change request."""

    change = models.ForeignKey(WikiChange, on_delete=models.CASCADE, related_name="reviews")
    edition = models.PositiveIntegerField()
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    verdict = models.CharField(max_length=10, choices=Verdict.choices)
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["created_at"]
        verbose_name = _("review of a change request")
        verbose_name_plural = _("reviews of change requests")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["change", "edition", "reviewer"], name="one_wiki_review_per_edition"
            )
        ]

    def __str__(self) -> str:
        return self.verdict


class WikiComment(SpaceOwned):
    """What somebody says about a change request, or about a line of it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    change = models.ForeignKey(WikiChange, on_delete=models.CASCADE, related_name="comments")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    text = models.TextField()
    line = models.PositiveIntegerField(null=True, blank=True)
    """Of the proposed text, from 1; None: about the whole."""
    edition = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["created_at"]
        verbose_name = _("comment on a change request")
        verbose_name_plural = _("comments on change requests")

    def __str__(self) -> str:
        return self.text[:60]


class WikiRefusal(SpaceOwned):
    """A proposal that is not to be made again."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    fingerprint = models.CharField(max_length=64)
    change = models.ForeignKey(WikiChange, null=True, on_delete=models.SET_NULL, related_name="+")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("refused proposal")
        verbose_name_plural = _("refused proposals")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["base", "fingerprint"], name="one_wiki_refusal")
        ]

    def __str__(self) -> str:
        return self.fingerprint


class WikiWatch(SpaceOwned):
    """Who wants to be told about changes of a page, or of all pages of a base."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    page = models.ForeignKey(
        WikiPage, null=True, blank=True, on_delete=models.CASCADE, related_name="watches"
    )
    """None: the whole wiki of the base."""
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    by_mail = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("watch of a wiki")
        verbose_name_plural = _("watches of wikis")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["base", "page", "user"],
                nulls_distinct=False,
                name="one_wiki_watch_per_person",
            )
        ]

    def __str__(self) -> str:
        return f"watch of {self.page_id or self.base_id}"
