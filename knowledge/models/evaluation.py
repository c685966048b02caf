"""Golden questions of a base, and what runs of them found."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.tenancy import SpaceOwned
from knowledge.constants import EvaluationState, GoldenOrigin, GoldenState
from knowledge.models.bases import KnowledgeBase


class GoldenQuestion(SpaceOwned):
    """A question of which a person knows where its answer stands, and perhaps the answer."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    question = models.TextField(_("question"))
    question_hash = models.CharField(max_length=64)
    """Of its normal form: the same question stands once in a base."""
    language = models.CharField(_("language"), max_length=20, blank=True)
    expected = models.JSONField(default=list, blank=True)
    """A dump of `knowledge.evaluation.expected.Expected` for each passage that answers it."""
    answer = models.TextField(_("answer"), blank=True)
    origin = models.CharField(
        max_length=10, choices=GoldenOrigin.choices, default=GoldenOrigin.PERSON
    )
    state = models.CharField(max_length=10, choices=GoldenState.choices, default=GoldenState.DRAFT)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    """Whose question of a conversation it was: it is erased with them."""
    source_id = models.UUIDField(null=True, blank=True)
    """The run it was taken from; opaque, it may be gone."""
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    confirmed_at = models.DateTimeField(null=True, blank=True)
    version = models.PositiveIntegerField(default=1)
    """Grows with each change; who saves names the one they saw."""
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["-created_at", "pk"]
        verbose_name = _("golden question")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["base", "question_hash"], name="one_golden_question_per_text"
            )
        ]
        indexes: ClassVar = [models.Index(fields=["base", "state"], name="golden_of_base")]

    def __str__(self) -> str:
        return self.question


class EvaluationRun(SpaceOwned):
    """All confirmed golden questions of a base, asked once under the same settings."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20)
    """A name of `knowledge.evaluation.kinds`."""
    label = models.CharField(_("label"), max_length=200, blank=True)
    options = models.JSONField(default=dict, blank=True)
    """What it was made with: `retrieval` options, `analyzer`, `embedding`, `split`, as they were."""
    subject_id = models.UUIDField(null=True, blank=True)
    """Who was asked, for kinds that ask somebody: an agent. Opaque."""
    snapshot = models.JSONField(default=dict, blank=True)
    """The subject as it was."""
    k = models.PositiveSmallIntegerField(default=10)
    state = models.CharField(
        max_length=10, choices=EvaluationState.choices, default=EvaluationState.QUEUED
    )
    reason = models.TextField(blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    metrics = models.JSONField(default=dict, blank=True)
    """By name `{"value", "low", "high", "count"}`; also `gone` and `failed`, numbers of questions."""
    baseline = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    """Of a run of the gate: the one with the settings that are live."""
    proposed = models.JSONField(default=dict, blank=True)
    """Of a run of the gate: what is changed when a person confirms it; empty afterwards."""
    job_id = models.UUIDField(null=True, blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at", "pk"]
        verbose_name = _("evaluation")
        indexes: ClassVar = [
            models.Index(fields=["base", "-created_at"], name="evaluation_of_base")
        ]

    def __str__(self) -> str:
        return self.label or f"evaluation {self.pk}"


class EvaluationResult(SpaceOwned):
    """One question of a run: asked as it was when the run began, answered when `ended_at` is set."""

    run = models.ForeignKey(EvaluationRun, on_delete=models.CASCADE, related_name="results")
    golden = models.ForeignKey(
        GoldenQuestion, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    position = models.PositiveIntegerField()
    question = models.TextField()
    reference = models.TextField(blank=True)
    """The golden answer."""
    expected = models.JSONField(default=list, blank=True)
    ranked = models.JSONField(default=list, blank=True)
    """What was found, best first: `{"document_id", "chunk_id", "chunk_hash", "target"}`; `target` is
    the place of the expected passage that it is, or null."""
    gone = models.JSONField(default=list, blank=True)
    """Places of expected passages that the base does not hold any more."""
    metrics = models.JSONField(default=dict, blank=True)
    answer = models.TextField(blank=True)
    judged = models.JSONField(default=dict, blank=True)
    """What the judge said, and by which model."""
    document_ids = models.JSONField(default=list, blank=True)
    """Documents that stood before the model that answered."""
    source_id = models.UUIDField(null=True, blank=True)
    """The agent's run; opaque."""
    error = models.TextField(blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["run", "position"]
        verbose_name = _("result of an evaluation")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["run", "position"], name="one_evaluation_result_per_position"
            )
        ]

    def __str__(self) -> str:
        return self.question[:60]
