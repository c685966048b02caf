"""What a person changes about themselves."""

from __future__ import annotations

from django.conf import settings

from accounts.models import User
from core.errors import Invalid
from core.names import clean_name


def change_profile(user: User, *, name: str, language: str = "") -> User:
    """Change what the person is called and reads.

    A blank name shows their address instead; a blank language is the browser's.

    Raises:
        Invalid: the language is none of those that are offered.
    """
    offered = dict(settings.LANGUAGES)
    if language and language not in offered:
        raise Invalid(f"There is no language {language!r}; choose one of {', '.join(offered)}.")
    user.name = clean_name(name)
    user.language = language
    user.save(update_fields=["name", "language"])
    return user
