"""allauth's forms in our words."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import LoginForm
from django.utils.translation import gettext_lazy as _


class SignInForm(LoginForm):  # type: ignore[misc]  # allauth ships no types
    """Address, password, and whether the browser keeps one signed in after it was closed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("E-mail address")
        self.fields["remember"].label = _("Stay signed in in this browser")
