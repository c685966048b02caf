"""The admin site has no door of its own: its people come in by ours, with its pauses and factors."""

from __future__ import annotations

from allauth.account.decorators import secure_admin_login
from django.contrib import admin


def lead_to_one_door() -> None:
    """Send the admin site's log-in to the product's; called once when the app is ready."""
    login = secure_admin_login(admin.site.login)
    admin.site.login = login  # type: ignore[method-assign]  # as allauth's manual says
