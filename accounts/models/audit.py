"""The audit log."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models.people import User
from core.tenancy import SpaceOwned


class AppendOnly(models.Model):
    """Rows that are written once. A trigger of the database holds it against every other way in.

    Only `accounts.services.audit_retention.sweeping` opens it, for what has grown old or must be
    erased; of an event of a space the `count` may grow, and what was `begun` may end, once.
    """

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Write the row, once."""
        if not self._state.adding:
            raise TypeError("the audit log is append-only: write another event")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Refuse."""
        raise TypeError("the audit log is append-only: old events go by its retention")


class AuditEvent(SpaceOwned, AppendOnly):
    """Who did, or was refused, what to what, and when."""

    actor_kind = models.CharField(max_length=20)
    actor_id = models.CharField(max_length=60, blank=True)
    actor_name = models.CharField(max_length=200, blank=True)
    """As they were called then."""
    action = models.CharField(max_length=80)
    """Dotted, such as `approval.decide`."""
    outcome = models.CharField(max_length=12, default="done")
    """`done`, `refused`, `failed`, or `begun`: a machine's call whose end is not written (yet)."""
    target_type = models.CharField(max_length=60, blank=True)
    target_id = models.CharField(max_length=60, blank=True)
    target_name = models.CharField(max_length=200, blank=True)
    path = models.CharField(max_length=200, blank=True)
    """Method and template of the address, without ids."""
    ip_address = models.GenericIPAddressField(null=True, blank=True)
    base_id = models.UUIDField(null=True, blank=True)
    """The base it was about, for the activity page of a base."""
    count = models.PositiveIntegerField(default=1)
    """Equal refusals within a minute are one row."""
    details = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-created_at", "-pk"]
        verbose_name = _("audit event")
        verbose_name_plural = _("audit events")
        indexes: ClassVar = [
            models.Index(fields=["space", "-created_at"], name="audit_newest"),
            models.Index(fields=["base_id", "-created_at"], name="audit_of_base"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_name}: {self.action}"


class PlatformAuditEvent(AppendOnly):
    """What was done to the installation itself, above all spaces."""

    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    actor_name = models.CharField(max_length=200, blank=True)
    action = models.CharField(max_length=80)
    outcome = models.CharField(max_length=12, default="done")
    target_type = models.CharField(max_length=60, blank=True)
    target_id = models.CharField(max_length=60, blank=True)
    target_name = models.CharField(max_length=200, blank=True)
    details = models.JSONField(default=dict, blank=True)
    ip_address = models.GenericIPAddressField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        ordering: ClassVar = ["-created_at", "-pk"]
        verbose_name = _("platform audit event")
        verbose_name_plural = _("platform audit events")

    def __str__(self) -> str:
        return f"{self.actor_name}: {self.action}"


class Erasure(models.Model):
    """That something was erased on request, and what went with it; holds no content."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=20)
    """`person`, `document` or `space`."""
    subject_id = models.CharField(max_length=60)
    state = models.CharField(max_length=12, default="running")
    """`running`, `done`, `failed` or `held` (a legal hold refused it)."""
    requested_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    reason = models.CharField(max_length=500, blank=True)
    report = models.JSONField(default=dict, blank=True)
    """Counts of what was erased, by table and store."""
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"erasure of {self.kind} {self.subject_id}"
