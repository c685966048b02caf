"""People, the spaces they work in, and their roles there."""

from __future__ import annotations

import secrets
import uuid
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.constants import MembershipState, Role

INVITATION_DAYS = 7
"""How long an invitation link works (the reference's WEKNORA_INVITATION_TTL, 168 h)."""


class UserManager(BaseUserManager["User"]):
    """Makes people who sign in with their e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """Create a person; without a password they can only reset it."""
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        """Create a person who administers the whole installation."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> User:
        """Find a person by their address, whatever its case."""
        return self.get(email__iexact=username)


class User(AbstractBaseUser, PermissionsMixin):
    """A person."""

    email = models.EmailField(_("e-mail address"), unique=True)
    name = models.CharField(_("name"), max_length=150, blank=True)
    is_active = models.BooleanField(_("active"), default=True)
    is_staff = models.BooleanField(_("may open the admin site"), default=False)
    date_joined = models.DateTimeField(default=timezone.now)
    last_space = models.ForeignKey(
        "accounts.Space", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    """The space the person worked in last; the door opens it when the session names none."""

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects = UserManager()

    def __str__(self) -> str:
        return self.name or self.email

    def clean(self) -> None:
        """Keep addresses in one spelling, so that a person cannot be made twice."""
        super().clean()
        self.email = self.email.lower()

    @property
    def initials(self) -> str:
        """One or two letters for the avatar."""
        words = (self.name or self.email.split("@")[0]).replace(".", " ").split()
        return "".join(word[0] for word in words[:2]).upper() or "?"

    def get_full_name(self) -> str:
        """Return what the person is called."""
        return str(self)

    def get_short_name(self) -> str:
        """Return the first word of the person's name."""
        return str(self).split()[0] if str(self) else ""


class Space(models.Model):
    """A workspace that owns everything below it (the reference says tenant)."""

    name = models.CharField(_("name"), max_length=200)
    description = models.TextField(_("description"), blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    members: models.ManyToManyField[User, Membership] = models.ManyToManyField(
        User, through="Membership", through_fields=("space", "user"), related_name="spaces"
    )

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's role in a space."""

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=20, choices=Role.choices, default=Role.CONTRIBUTOR)
    state = models.CharField(
        max_length=20, choices=MembershipState.choices, default=MembershipState.ACTIVE
    )
    joined_at = models.DateTimeField(auto_now_add=True)
    invited_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["space", "user"], name="one_membership_per_space")
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.space}: {self.role}"


def _token() -> str:
    return secrets.token_urlsafe(32)


def _invitation_end() -> datetime:
    return timezone.now() + timedelta(days=INVITATION_DAYS)


class Invitation(models.Model):
    """A link that lets its holder join a space."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="invitations")
    token = models.CharField(max_length=64, unique=True, default=_token, editable=False)
    email = models.EmailField(blank=True)
    """Only this address may use it; blank: anyone with the link."""
    role = models.CharField(max_length=20, choices=Role.choices, default=Role.CONTRIBUTOR)
    invited_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(default=_invitation_end)
    revoked_at = models.DateTimeField(null=True, blank=True)
    accepted_count = models.PositiveIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"invitation to {self.space} as {self.role}"

    @property
    def is_open(self) -> bool:
        """Whether it can still be accepted. One to an address works once, a link for all often."""
        used_up = bool(self.email) and self.accepted_count > 0
        return self.revoked_at is None and self.expires_at > timezone.now() and not used_up
