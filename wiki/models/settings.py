"""What a base's wiki is like."""

from __future__ import annotations

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.tenancy import SpaceOwned
from knowledge.models import KnowledgeBase
from wiki.constants import MAX_INSTRUCTIONS, BuildMode, Granularity, ReviewMode


class WikiSettings(SpaceOwned):
    """Settings of one base's wiki; a base without a row has no wiki yet."""

    base = models.OneToOneField(KnowledgeBase, on_delete=models.CASCADE, related_name="wiki")
    is_enabled = models.BooleanField(default=True)
    review = models.CharField(max_length=10, choices=ReviewMode.choices, default=ReviewMode.AGENTS)
    required_approvals = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(5)]
    )
    auto_approve = models.JSONField(default=list, blank=True)
    """Names of the rules of `wiki.changes.rules` that approve without a person."""
    build_mode = models.CharField(
        max_length=10, choices=BuildMode.choices, default=BuildMode.MANUAL
    )
    granularity = models.CharField(
        max_length=10, choices=Granularity.choices, default=Granularity.STANDARD
    )
    model = models.ForeignKey(
        "providers.AIModel", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    """Writes the pages; None: the space's default chat model, if any."""
    language = models.CharField(max_length=10, blank=True)
    """ISO 639 code that pages are written in; blank: each document's own."""
    content_instructions = models.TextField(blank=True, max_length=MAX_INSTRUCTIONS)
    extraction_instructions = models.TextField(blank=True, max_length=MAX_INSTRUCTIONS)
    batch_size = models.PositiveSmallIntegerField(default=5)
    """Documents built together."""
    map_parallel = models.PositiveSmallIntegerField(default=10)
    reduce_parallel = models.PositiveSmallIntegerField(default=10)
    max_batches = models.PositiveSmallIntegerField(default=4)
    """Batches of the base that run at once."""
    keep_pipeline_revisions = models.PositiveSmallIntegerField(default=50)
    """Texts of older revisions that building made are thinned out; people's never."""
    keep_revisions = models.PositiveSmallIntegerField(default=200)
    """The same for revisions of agents, whatever their kind."""
    is_public = models.BooleanField(default=False)
    """Whoever has the address reads it, without signing in."""
    public_name = models.SlugField(max_length=80, blank=True)
    """In the address of the public pages; stays when publishing ends."""
    public_titles = models.BooleanField(default=False)
    """Public pages name the documents that they rest on; else they give numbers."""
    public_indexed = models.BooleanField(default=False)
    """Search engines may list the public pages."""
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("settings of a wiki")
        verbose_name_plural = _("settings of wikis")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["public_name"],
                condition=~models.Q(public_name=""),
                name="one_wiki_per_public_name",
            )
        ]

    def __str__(self) -> str:
        return f"wiki of {self.base_id}"
