"""How allauth fits into this product."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth ships no types
    """Signing up follows the installation's registration mode; see `accounts.services.signup`."""
