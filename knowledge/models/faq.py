"""Bases of questions and answers."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.tenancy import SpaceOwned
from knowledge.constants import AnswerStrategy, ImportMode
from knowledge.models.bases import KnowledgeBase
from knowledge.models.organising import Tag


class FaqEntry(SpaceOwned):
    """A question, other ways to ask it, ways that ask something else, and the answers."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    number = models.PositiveIntegerField()
    """Counts up within the base: the API's `seq_id`."""
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="faq_entries")
    standard_question = models.TextField()
    similar_questions = models.JSONField(default=list, blank=True)
    negative_questions = models.JSONField(default=list, blank=True)
    """Who asks one of these in the same words does not mean this entry."""
    answers = models.JSONField(default=list)
    answer_strategy = models.CharField(
        max_length=20, choices=AnswerStrategy.choices, default=AnswerStrategy.ALL
    )
    tag = models.ForeignKey(
        Tag, null=True, blank=True, on_delete=models.SET_NULL, related_name="faq_entries"
    )
    is_enabled = models.BooleanField(default=True)
    is_recommended = models.BooleanField(default=True)
    version = models.PositiveIntegerField(default=1)
    content_hash = models.CharField(max_length=64)
    """Over the normalised texts, whatever their order: equal ones say the same."""
    indexed_at = models.DateTimeField(null=True, blank=True)
    index_error = models.TextField(blank=True)
    updated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    trashed_at = models.DateTimeField(null=True, blank=True)
    """Since when it is deleted: nobody finds it; gone after `TRASH_DAYS`, until then restorable."""
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["-updated_at", "-number"]
        verbose_name = _("question and answer")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["base", "number"], name="one_faq_entry_per_number")
        ]
        indexes: ClassVar = [models.Index(fields=["base", "content_hash"], name="faq_same_entry")]

    def __str__(self) -> str:
        return self.standard_question


class FaqQuestion(SpaceOwned):
    """Each question of an entry in its normal form: what two entries may not both have."""

    entry = models.ForeignKey(FaqEntry, on_delete=models.CASCADE, related_name="question_rows")
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=10)
    """standard, similar or negative."""
    normal_form = models.TextField()
    text_hash = models.CharField(max_length=64)
    """SHA-256 of the normal form."""

    class Meta:
        verbose_name = _("question of an entry")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["base", "text_hash"],
                condition=~models.Q(kind="negative"),
                name="one_faq_entry_per_question",
            )
        ]
        indexes: ClassVar = [models.Index(fields=["base", "text_hash"], name="faq_question")]

    def __str__(self) -> str:
        return self.normal_form


class FaqImport(SpaceOwned):
    """One import of entries: its file, its progress and what became of each row."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="faq_imports")
    mode = models.CharField(max_length=20, choices=ImportMode.choices, default=ImportMode.APPEND)
    is_dry_run = models.BooleanField(default=False)
    file_name = models.CharField(max_length=255)
    content_hash = models.CharField(max_length=64)
    job_id = models.UUIDField(null=True, blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    counts = models.JSONField(default=dict)
    """success, failed, partial_failed, skipped, merged, added."""
    problems = models.JSONField(default=list)
    """Rows that failed, wholly or partly: row, question, reason."""
    reason = models.TextField(blank=True)
    """Why the whole import failed."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    is_closed = models.BooleanField(default=False)
    """A person put the result panel away."""

    class Meta:
        ordering: ClassVar = ["-created_at"]
        verbose_name = _("import of questions and answers")

    def __str__(self) -> str:
        return self.file_name
