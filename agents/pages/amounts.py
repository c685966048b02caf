"""Durations, tokens and money as people read them."""

from __future__ import annotations

from decimal import Decimal

from django.utils.translation import gettext as _


def duration(seconds: float) -> str:
    """Return "412 ms", "2.1 s", "3 min 5 s" or "2 h 5 min"."""
    if seconds < 1:
        return _("%(n)s ms") % {"n": round(seconds * 1000)}
    if seconds < 60:
        return _("%(n)s s") % {"n": f"{seconds:.1f}"}
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return _("%(m)s min %(s)s s") % {"m": minutes, "s": rest}
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return _("%(h)s h %(m)s min") % {"h": hours, "m": minutes}
    return _("%(d)s days %(h)s h") % {"d": hours // 24, "h": hours % 24}


def tokens(number: int) -> str:
    """Return "5,214"."""
    return f"{number:,}"


def money(amount: Decimal, currency: str) -> str:
    """Return "0.011 USD": small amounts with the digits that say something."""
    digits = 2 if amount >= 1 or amount == 0 else 4 if amount >= Decimal("0.01") else 6
    text = f"{amount:,.{digits}f}"
    return f"{text} {currency}"
