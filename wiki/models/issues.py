"""What is wrong with pages, as people, agents and lint say."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.tenancy import SpaceOwned
from knowledge.models import KnowledgeBase
from wiki.constants import AuthorKind, IssueKind, IssueState, LintState
from wiki.models.changes import WikiChange
from wiki.models.pages import WikiPage


class WikiIssue(SpaceOwned):
    """One thing that is wrong with a page."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="wiki_issues")
    page = models.ForeignKey(WikiPage, on_delete=models.CASCADE, related_name="issues")
    kind = models.CharField(max_length=20, choices=IssueKind.choices)
    description = models.TextField(blank=True)
    detail = models.JSONField(default=dict, blank=True)
    """What a fix needs: the slug of a broken link, the other page of a contradiction, …"""
    suspected_document_ids = models.JSONField(default=list, blank=True)
    state = models.CharField(max_length=10, choices=IssueState.choices, default=IssueState.PENDING)
    reporter_kind = models.CharField(max_length=10, choices=AuthorKind.choices)
    """Lint reports as `pipeline`."""
    reported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    run_id = models.UUIDField(null=True, blank=True)
    fingerprint = models.CharField(max_length=64)
    """SHA-256 over page, kind and what lint found: the same finding is one issue."""
    fix = models.ForeignKey(
        WikiChange, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    """The change request that would mend it."""
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        verbose_name = _("issue of a wiki page")
        verbose_name_plural = _("issues of wiki pages")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["page", "fingerprint"],
                condition=models.Q(state="pending"),
                name="one_open_wiki_issue",
            )
        ]
        indexes: ClassVar = [models.Index(fields=["base", "state"], name="wiki_issue_open")]

    def __str__(self) -> str:
        return self.get_kind_display()


class WikiLint(SpaceOwned):
    """The last check of a base's wiki: how far it is, what it found, since when."""

    base = models.OneToOneField(KnowledgeBase, on_delete=models.CASCADE, related_name="wiki_lint")
    state = models.CharField(max_length=10, choices=LintState.choices, default=LintState.WAITING)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    """Pages."""
    found = models.PositiveIntegerField(default=0)
    new = models.PositiveIntegerField(default=0)
    resolved = models.PositiveIntegerField(default=0)
    """Issues of earlier checks that this one did not find any more."""
    figures = models.JSONField(default=dict, blank=True)
    """What the health is told by: pages, orphans, broken, empty, links."""
    error = models.TextField(blank=True)
    job_id = models.UUIDField(null=True, blank=True)
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("check of a wiki")
        verbose_name_plural = _("checks of wikis")

    def __str__(self) -> str:
        return f"check of {self.base_id}: {self.state}"
