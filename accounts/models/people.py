"""People."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


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
    language = models.CharField(_("language"), max_length=10, blank=True)
    """Of pages and mails; blank: the browser's."""
    legal_hold = models.BooleanField(_("legal hold"), default=False)
    """The person's data are not erased while this is set."""

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
