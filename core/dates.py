"""Days as they are entered: only those with which dates can still be reckoned."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext_lazy as _

FIRST_DAY = date(1970, 1, 1)
LAST_DAY = date(2200, 12, 31)
"""Far from the ends of the calendar, where the day after is an overflow."""
_OUTSIDE = _("Choose a day between the years 1970 and 2200.")


class DayField(forms.DateField):
    """A day that the browser lets people choose; none outside of `FIRST_DAY` to `LAST_DAY`."""

    def __init__(self, **kwargs: Any) -> None:
        """Take what Django's field takes, but for the widget and the validators."""
        bounds = {"min": FIRST_DAY.isoformat(), "max": LAST_DAY.isoformat()}
        super().__init__(
            widget=forms.DateInput({"type": "date", **bounds}),
            validators=[
                MinValueValidator(FIRST_DAY, message=_OUTSIDE),
                MaxValueValidator(LAST_DAY, message=_OUTSIDE),
            ],
            **kwargs,
        )
