"""Forms of the usage page."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.access import Actor
from accounts.models import Membership
from agents.constants import BudgetPeriod, BudgetSubject
from agents.models import Agent
from agents.spending.budgets import BudgetValues


class LimitsForm(forms.Form):
    """How much may be spent; one of the two is enough."""

    max_tokens = forms.IntegerField(
        label=_("Tokens"), required=False, min_value=0, max_value=10**15
    )
    max_cost = forms.DecimalField(
        label=_("Money"), required=False, min_value=0, max_digits=12, decimal_places=2
    )


class BudgetForm(LimitsForm):
    """A new budget."""

    whose = forms.ChoiceField(label=_("Who it applies to"))
    period = forms.ChoiceField(
        label=_("Period"), choices=BudgetPeriod.choices, initial=BudgetPeriod.MONTH
    )
    field_order = ("whose", "period", "max_tokens", "max_cost")

    def __init__(self, *args: Any, actor: Actor, **kwargs: Any) -> None:
        """Offer the space, each person, its agents and its members."""
        super().__init__(*args, **kwargs)
        members = Membership.objects.filter(space_id=actor.space_id).select_related("user")
        field = self.fields["whose"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            ("space", _("The whole space")),
            ("user", _("Each person")),
            (_("Agents"), [(f"agent:{row.pk}", row.name) for row in Agent.objects.all()]),
            (_("People"), [(f"user:{row.user_id}", str(row.user)) for row in members]),
        ]
        self.fields["max_tokens"].help_text = _("Input and output together.")
        self.fields["max_cost"].help_text = _("In the currency of the models' prices.")

    def values(self) -> BudgetValues:
        """Return what was entered, for the services."""
        cleaned = self.cleaned_data
        subject, _colon, key = cleaned["whose"].partition(":")
        return BudgetValues(
            subject=subject,
            period=cleaned["period"],
            agent_id=UUID(key) if subject == BudgetSubject.AGENT else None,
            user_id=int(key) if subject == BudgetSubject.USER and key else None,
            max_tokens=cleaned["max_tokens"],
            max_cost=cleaned["max_cost"],
        )
