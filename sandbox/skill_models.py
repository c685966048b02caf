"""Skills of a space, their versions, who agreed to what, and the variables they are given."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.secrets import EncryptedTextField
from core.tenancy import SpaceOwned
from sandbox.skill_constants import SkillAction, SkillSource


class Skill(SpaceOwned):
    """A skill that was installed in a space at least once."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(_("name"), max_length=64)
    current = models.ForeignKey(
        "SkillVersion", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    """The version that agents use; None: no version was agreed to yet."""
    is_enabled = models.BooleanField(_("on"), default=True)
    removed_at = models.DateTimeField(null=True, blank=True)
    """Since then it is uninstalled; it can be restored with its versions and variables."""
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["name"]
        verbose_name = _("skill")
        verbose_name_plural = _("skills")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["space", "name"], name="one_skill_per_name"),
        ]

    def __str__(self) -> str:
        return self.name


class SkillVersion(SpaceOwned):
    """The files of a skill as they were installed once; never changed."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    skill = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    """From 1, in the order of installing."""
    label = models.CharField(_("version"), max_length=40, blank=True)
    """As its author counts."""
    description = models.CharField(_("description"), max_length=1024)
    permissions = models.JSONField(default=dict)
    """What it asks for: `sandbox.skills.permissions.Permissions.as_json`."""
    source = models.CharField(_("from"), max_length=10, choices=SkillSource.choices)
    source_name = models.CharField(max_length=255, blank=True)
    """Name of the uploaded file or the directory."""
    content_hash = models.CharField(max_length=64)
    """Of its files, and the name under which the store keeps them."""
    size_bytes = models.PositiveBigIntegerField()
    files = models.JSONField(default=list)
    """`[path, size in bytes]` of each file."""
    declined_at = models.DateTimeField(null=True, blank=True)
    """Since then nobody is asked for consent to it any more."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-number"]
        verbose_name = _("version of a skill")
        verbose_name_plural = _("versions of skills")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["skill", "number"], name="one_skill_version_number"),
        ]

    def __str__(self) -> str:
        return self.label or str(self.number)


class SkillConsent(SpaceOwned):
    """An administrator agreed that a version may use what it asks for."""

    version = models.OneToOneField(SkillVersion, on_delete=models.CASCADE, related_name="consent")
    permissions = models.JSONField(default=dict)
    was_covered = models.BooleanField(default=False)
    """It asked for nothing beyond what had been agreed to, so nobody was asked again."""
    agreed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("consent to a skill")
        verbose_name_plural = _("consents to skills")

    def __str__(self) -> str:
        return str(self.pk)


class SkillVariable(SpaceOwned):
    """A variable that a skill's commands are given. Its value goes in and never comes out."""

    skill = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="variables")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    """Whose questions it is for; None: everybody's in the space."""
    name = models.CharField(_("name"), max_length=80)
    value = EncryptedTextField()
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["name"]
        verbose_name = _("variable of a skill")
        verbose_name_plural = _("variables of skills")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["skill", "name"], condition=Q(user=None), name="one_skill_variable"
            ),
            models.UniqueConstraint(
                fields=["skill", "user", "name"],
                condition=Q(user__isnull=False),
                name="one_own_skill_variable",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class SkillEvent(SpaceOwned):
    """A line of the log of installing."""

    skill = models.ForeignKey(
        Skill, null=True, blank=True, on_delete=models.CASCADE, related_name="events"
    )
    """None: it could not be installed and was not known before."""
    name = models.CharField(max_length=255)
    """Of the skill, or of the file where nothing was read of it."""
    action = models.CharField(max_length=10, choices=SkillAction.choices)
    version = models.CharField(max_length=60, blank=True)
    detail = models.CharField(max_length=500, blank=True)
    """Why it failed, in the language of the person who tried."""
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-created_at", "-pk"]
        verbose_name = _("entry of the log of skills")
        verbose_name_plural = _("log of skills")

    def __str__(self) -> str:
        return f"{self.name}: {self.action}"
