"""What a person changes about themselves."""

from __future__ import annotations

from accounts.models import User


def change_name(user: User, *, name: str) -> User:
    """Change what the person is called; a blank name shows their address instead."""
    user.name = " ".join(name.split())
    user.save(update_fields=["name"])
    return user
