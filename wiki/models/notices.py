"""What people are told of a wiki."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.tenancy import SpaceOwned
from knowledge.models import KnowledgeBase
from wiki.constants import NoticeKind
from wiki.models.changes import WikiChange
from wiki.models.pages import WikiPage


class WikiNotice(SpaceOwned):
    """One thing that one person is told; of a page that changes often there is one unread at most."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    page = models.ForeignKey(
        WikiPage, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    change = models.ForeignKey(
        WikiChange, null=True, blank=True, on_delete=models.CASCADE, related_name="notices"
    )
    kind = models.CharField(max_length=20, choices=NoticeKind.choices)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    """Whose act it was; None: nobody's, or a machine's."""
    at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True)
    mailed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-at"]
        verbose_name = _("notice of a wiki")
        verbose_name_plural = _("notices of wikis")
        indexes: ClassVar = [models.Index(fields=["user", "read_at", "-at"], name="wiki_notice_of")]

    def __str__(self) -> str:
        return self.get_kind_display()
