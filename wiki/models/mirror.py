"""How a base's wiki is kept as a Git repository, and copied to another place."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from core.secrets import EncryptedTextField
from core.tenancy import SpaceOwned
from knowledge.models import KnowledgeBase
from wiki.constants import MirrorState


class WikiMirror(SpaceOwned):
    """The mirror of one base's wiki; a base without a row has none.

    What the repository holds is told by the repository alone: its commits name their revisions. The
    row says what people asked for and what became of it.
    """

    base = models.OneToOneField(KnowledgeBase, on_delete=models.CASCADE, related_name="wiki_mirror")
    is_on = models.BooleanField(default=False)
    address = models.CharField(max_length=500, blank=True)
    """Of the repository that it is pushed to, by https; blank: it stays on this server."""
    token = EncryptedTextField(blank=True, default="")
    """Opens that repository; never shown."""
    branch = models.CharField(max_length=100, default="main")
    state = models.CharField(
        max_length=10, choices=MirrorState.choices, default=MirrorState.WAITING
    )
    last_error = models.TextField(blank=True)
    """An English reason; blank when the last run went well."""
    last_run_at = models.DateTimeField(null=True, blank=True)
    last_revision_id = models.UUIDField(null=True, blank=True)
    """The newest revision that was mirrored; the repository's own word counts."""
    commits = models.PositiveIntegerField(default=0)
    """In the repository after the last run."""
    pushed_commit = models.CharField(max_length=40, blank=True)
    """What the branch at the address pointed to after the last push."""
    epoch = models.PositiveIntegerField(default=1)
    """Of the history; one that something was erased from since is made anew under the next number."""
    made_anew_at = models.DateTimeField(null=True, blank=True)
    """When history was last made anew, and replaced at the address."""
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("mirror of a wiki")
        verbose_name_plural = _("mirrors of wikis")

    def __str__(self) -> str:
        return f"mirror of {self.base_id}"
